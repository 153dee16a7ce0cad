//! Rules, applied to a window.

use super::rule::{Rule, Severity, Subject};
use super::settings::{self, Thresholds};
use super::subjects::SUBJECTS;
use super::ties;
use crate::error::Result;
use crate::pg::sql::subxact::subtransaction;
use crate::show::span::ahead::Statement;
use crate::show::span::samples::Samples;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something that stands out in a window.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    pub rule: &'static str,
    /// The highest of its own and of its parts'.
    pub severity: Severity,
    /// 0 to 99 for a note, from 100 for a warning, from 200 for what is critical.
    pub weight: f64,
    /// The rule in a few words.
    pub title: &'static str,
    pub object_kind: Option<String>,
    pub schema_name: Option<String>,
    /// Name of the object; of a statement, its queryid.
    pub object_name: Option<String>,
    /// When it was seen, or seen last.
    pub at: Option<String>,
    /// From when on, as far as samples show.
    pub since: Option<String>,
    pub until: Option<String>,
    /// What was seen: one sentence.
    pub evidence: String,
    /// The figures in it.
    pub figures: Value,
    /// What to do.
    pub advice: &'static str,
    /// One statement that does it or begins to; of this server's own history alone.
    pub fix_sql: Option<String>,
    /// The finding that it follows from, by its rule and object.
    pub part_of: Option<String>,
    /// The share of the window's database time that it is about; null: it cannot be said. The highest of its own and of its parts'.
    pub time_percent: Option<f64>,
}

/// A row of a rule's statement.
#[derive(Deserialize)]
struct RuleMatch {
    rule: String,
    severity: Option<String>,
    impact: Option<f64>,
    object_kind: Option<String>,
    schema_name: Option<String>,
    object_name: Option<String>,
    at: Option<String>,
    since: Option<String>,
    until: Option<String>,
    evidence: Option<String>,
    figures: Option<Value>,
    fix_sql: Option<String>,
}

/// What [`judge`] reads.
pub fn statements(thresholds: &Thresholds) -> Vec<Statement> {
    let statements = SUBJECTS.iter().map(|subject| Statement {
        sql: subject.statement(subject.rules, thresholds),
        collector: None,
    });
    statements.collect()
}

/// The findings of a window.
pub struct Found {
    /// The most urgent first.
    pub findings: Vec<Finding>,
    /// How many more there are that nobody wants to see.
    pub muted: usize,
}

/// The findings of a window.
///
/// A rule that raises an error costs its own findings only: one note in their place has the error.
pub fn judge(samples: &Samples, thresholds: &Thresholds) -> Result<Found> {
    let mut findings = Vec::new();
    for subject in SUBJECTS {
        match read(subject, subject.rules, samples, thresholds) {
            Ok(found) => findings.extend(found),
            Err(_) => {
                for rule in subject.rules {
                    let alone = read(subject, std::slice::from_ref(rule), samples, thresholds);
                    findings.extend(alone.unwrap_or_else(|error| vec![unjudged(rule, error)]));
                }
            }
        }
    }
    Finding::sort(&mut findings);
    let objects: Vec<(&str, String)> = (findings.iter())
        .map(|finding| (finding.rule, finding.object()))
        .collect();
    let unwanted = settings::unwanted(&objects)?;
    let mut places = 0..;
    findings.retain(|_| places.next().is_none_or(|place| !unwanted.contains(&place)));
    ties::find(&mut findings);
    Ok(Found {
        findings,
        muted: unwanted.len(),
    })
}

impl Finding {
    /// The most urgent first: by severity, by their share of database time, which tells most, then by weight.
    pub fn sort(findings: &mut [Finding]) {
        findings.sort_by(|a, b| {
            let share = |finding: &Finding| finding.time_percent.unwrap_or(-1.0);
            (b.severity.cmp(&a.severity))
                .then(share(b).total_cmp(&share(a)))
                .then(b.weight.total_cmp(&a.weight))
        });
    }

    /// The name of its object, as `pgperf.finding_rules` has it: with its schema; empty: it has none.
    fn object(&self) -> String {
        let names = [self.schema_name.as_deref(), self.object_name.as_deref()];
        names.into_iter().flatten().collect::<Vec<_>>().join(".")
    }

    /// Its rule and its object.
    pub fn name(&self) -> String {
        format!("{} {}", self.rule, self.object())
            .trim_end()
            .to_owned()
    }

    /// Those that are part of no other, in their order.
    pub fn wholes(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
        findings.iter().filter(|finding| finding.part_of.is_none())
    }

    /// How many of these have this severity.
    pub fn count(findings: &[Finding], severity: Severity) -> usize {
        let of_it = Finding::wholes(findings).filter(|whole| whole.severity == severity);
        of_it.count()
    }

    /// Those that are part of no other, in their order, each with its parts.
    pub fn with_parts(findings: &[Finding]) -> impl Iterator<Item = (&Finding, Vec<&Finding>)> {
        let mut rest: Vec<&Finding> = findings.iter().collect();
        rest.retain(|finding| finding.part_of.is_some());
        Finding::wholes(findings).map(move |whole| {
            let name = Some(whole.name());
            (
                whole,
                rest.extract_if(.., |part| part.part_of == name).collect(),
            )
        })
    }

    /// One of a rule with nothing else in it.
    #[cfg(test)]
    pub fn of(rule: &'static str) -> Finding {
        Finding {
            rule,
            severity: Severity::Note,
            weight: 0.0,
            title: "",
            object_kind: None,
            schema_name: None,
            object_name: None,
            at: None,
            since: None,
            until: None,
            evidence: String::new(),
            figures: Value::Null,
            advice: "",
            fix_sql: None,
            part_of: None,
            time_percent: None,
        }
    }
}

/// # Errors
/// The message of the server's error.
fn read(
    subject: &Subject,
    rules: &'static [Rule],
    samples: &Samples,
    thresholds: &Thresholds,
) -> std::result::Result<Vec<Finding>, String> {
    let statement = subject.statement(rules, thresholds);
    let rows: Vec<RuleMatch> = subtransaction(|| samples.select(&statement, None))
        .map_err(|error| error.message)?
        .map_err(|error| error.to_string())?;
    let with_rule = |row: RuleMatch| {
        let rule = rules.iter().find(|rule| rule.name == row.rule)?;
        Some(finding(rule, row, samples.span.local))
    };
    Ok(rows.into_iter().filter_map(with_rule).collect())
}

/// What helps is only known to help where it was seen: another server may have objects of the same names.
fn finding(rule: &Rule, row: RuleMatch, is_local: bool) -> Finding {
    let higher = row.severity.as_deref().and_then(Severity::of);
    let severity = higher.map_or(rule.severity, |higher| higher.max(rule.severity));
    Finding {
        rule: rule.name,
        severity,
        weight: weight(severity, row.impact),
        title: rule.title,
        object_kind: row.object_kind,
        schema_name: row.schema_name,
        object_name: row.object_name,
        at: row.at,
        since: row.since,
        until: row.until,
        evidence: row.evidence.unwrap_or_default(),
        time_percent: (row.figures.as_ref())
            .and_then(|figures| figures.get("time_percent")?.as_f64()),
        figures: row.figures.unwrap_or_default(),
        advice: rule.advice,
        fix_sql: row.fix_sql.filter(|_| is_local),
        part_of: None,
    }
}

fn weight(severity: Severity, impact: Option<f64>) -> f64 {
    let impact = impact.unwrap_or_default().clamp(0.0, 99.0);
    (100.0 * f64::from(severity as u8) + impact).round()
}

fn unjudged(rule: &Rule, error: String) -> Finding {
    Finding {
        rule: rule.name,
        severity: Severity::Note,
        weight: 0.0,
        title: rule.title,
        object_kind: None,
        schema_name: None,
        object_name: None,
        at: None,
        since: None,
        until: None,
        evidence: format!("this could not be judged: {error}"),
        figures: Value::Null,
        advice: "Look for the error's cause; until then nothing is known about this.",
        fix_sql: None,
        part_of: None,
        time_percent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_severity_outweighs_all_below_it() {
        assert_eq!(weight(Severity::Note, Some(1e9)), 99.0);
        assert_eq!(weight(Severity::Warning, Some(-1.0)), 100.0);
        assert_eq!(weight(Severity::Critical, None), 200.0);
    }

    #[test]
    fn within_a_severity_the_share_of_database_time_comes_first() {
        let found = |rule, severity, time_percent, weight| Finding {
            severity,
            time_percent,
            weight,
            ..Finding::of(rule)
        };
        let mut findings = vec![
            found("bloat", Severity::Warning, None, 190.0),
            found("note", Severity::Note, Some(90.0), 5.0),
            found("few", Severity::Warning, Some(3.0), 199.0),
            found("other bloat", Severity::Warning, None, 195.0),
            found("much", Severity::Warning, Some(30.0), 101.0),
            found("crash", Severity::Critical, None, 200.0),
        ];
        Finding::sort(&mut findings);
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(
            rules,
            ["crash", "much", "few", "other bloat", "bloat", "note"]
        );
    }

    #[test]
    fn rules_have_names_of_their_own_and_say_when_they_speak() {
        let mut names = Vec::new();
        for rule in SUBJECTS.iter().flat_map(|subject| subject.rules) {
            assert!(rule.when().ends_with('.'), "{}: {}", rule.name, rule.when());
            assert!(!names.contains(&rule.name), "{}", rule.name);
            names.push(rule.name);
        }
    }
}
