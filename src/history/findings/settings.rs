//! What users change about rules: `pgperf.finding_rules`.

use super::rule::Rule;
use super::subjects::SUBJECTS;
use crate::error::Result;
use crate::pg::sql::called::Called;
use crate::pg::sql::{rows, spi};
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::json;

/// The thresholds of all rules that have one.
pub struct Thresholds(Vec<(&'static str, f64)>);

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    SUBJECTS.iter().flat_map(|subject| subject.rules)
}

impl Thresholds {
    /// As they are without any change.
    pub fn defaults() -> Thresholds {
        let default = |rule: &'static Rule| Some((rule.name, rule.threshold?.default));
        Thresholds(rules().filter_map(default).collect())
    }

    /// As users have them.
    pub fn load() -> Result<Thresholds> {
        #[derive(Deserialize)]
        struct Changed {
            rule: String,
            threshold: f64,
        }
        let changes: Vec<Changed> = spi::select(
            "SELECT s.rule, s.threshold FROM pgperf_internal.finding_rule_settings s WHERE s.object = '%' AND s.threshold IS NOT NULL",
            &[],
        )?;
        let mut thresholds = Thresholds::defaults();
        for (rule, threshold) in &mut thresholds.0 {
            if let Some(changed) = changes.iter().find(|changed| changed.rule == *rule) {
                *threshold = changed.threshold;
            }
        }
        Ok(thresholds)
    }

    /// A statement with the thresholds in their places.
    pub fn fill(&self, sql: &str) -> String {
        (self.0.iter()).fold(sql.to_owned(), |sql, (rule, threshold)| {
            // With decimals, or the server would divide it as an integer.
            sql.replace(&format!("{{threshold {rule}}}"), &format!("{threshold:?}"))
        })
    }
}

/// Which of these findings, each a rule and the name of its object, nobody wants to see: of rules that are switched off or muted, as a whole or for
/// objects of this name.
pub fn unwanted(findings: &[(&str, String)]) -> Result<Vec<usize>> {
    #[derive(Deserialize)]
    struct Unwanted {
        place: usize,
    }
    let (rules, objects): (Vec<String>, Vec<String>) = (findings.iter())
        .map(|(rule, object)| ((*rule).to_owned(), object.clone()))
        .unzip();
    let unwanted: Vec<Unwanted> = spi::select(
        "SELECT f.no - 1 AS place FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) WITH ORDINALITY f(rule, object, no) \
         WHERE EXISTS (SELECT FROM pgperf_internal.finding_rule_settings s \
                       WHERE s.rule = f.rule AND f.object LIKE s.object AND (NOT s.enabled OR s.muted_until > pg_catalog.now()))",
        &[rules.into(), objects.into()],
    )?;
    Ok(unwanted.into_iter().map(|one| one.place).collect())
}

/// `pgperf_internal.finding_rule_definitions`: the base of `pgperf.finding_rules`.
#[pg_extern(sql = false)]
fn finding_rule_definitions(fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let definitions = rules().map(|rule| {
        json!({
            "rule": rule.name,
            "severity": rule.severity.name(),
            "threshold": rule.threshold.map(|threshold| threshold.default),
            "unit": rule.threshold.map(|threshold| threshold.unit),
            "title": rule.title,
        })
    });
    Ok(rows::give(fcinfo, definitions)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_threshold_has_a_place_and_every_place_a_threshold() {
        let thresholds = Thresholds::defaults();
        let texts: Vec<&str> = (SUBJECTS.iter().map(|subject| subject.source))
            .chain(rules().map(|rule| rule.sql))
            .collect();
        for (rule, _) in &thresholds.0 {
            let place = format!("{{threshold {rule}}}");
            assert!(texts.iter().any(|text| text.contains(&place)), "{rule}");
        }
        for text in texts {
            assert!(!thresholds.fill(text).contains("{threshold"), "{text}");
        }
    }
}
