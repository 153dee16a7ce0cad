//! Different conditions of two sides: settings, arguments of the call, machines.

use super::compared_run::{Facts, StatementPlan};
use super::row::{Row, Verdict};
use super::sides::Sides;
use crate::report::conditions::{DEFAULT, PLACES};
use crate::run::request::options::is_condition;
use crate::show::delta::Delta;
use crate::show::number;
use crate::workload::RunData;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Text for a condition that a side lacks.
const ABSENT: &str = "(none)";
/// The object of arguments; options have their family.
const RUN: &str = "run";
const OPTIONS: &str = "options";
const PLANS: &str = "plans";
const SERVER_VERSION: &str = "server_version";
/// Measured facts of a machine, never the same twice, count as different from this share on.
const NOTEWORTHY: f64 = 0.1;

/// A condition's place in the list.
type Name = (&'static str, Option<String>, String);
/// A run's conditions.
type Conditions = BTreeMap<Name, String>;

/// One row for each condition that is not the same on both sides.
pub fn rows(sides: &Sides) -> Vec<Row> {
    let (baseline, candidate) = (all(sides.baseline), all(sides.candidate));
    let names: BTreeSet<&Name> = baseline
        .iter()
        .chain(&candidate)
        .flat_map(BTreeMap::keys)
        .collect();
    let mut rows: Vec<Row> = names
        .into_iter()
        .filter(|name| recorded_everywhere(sides, name))
        .filter_map(|name| {
            let (before, after) = (values(&baseline, name), values(&candidate, name));
            (!alike(&before, &after)).then(|| row(name, joined(&before), joined(&after)))
        })
        .collect();
    // Settings before plans, and these before the environment.
    rows.sort_by(|a, b| b.category.cmp(&a.category));
    rows
}

/// Whether it is a fact of the server or machine that only one side knows, as that of a device which the other side does not have.
pub fn is_of_one_side(row: &Row) -> bool {
    let is_absent = |text: &Option<String>| text.as_deref() == Some(ABSENT);
    let is_known_to_both =
        row.category != "environment" || row.object.as_deref() == Some("extension");
    !is_known_to_both && (is_absent(&row.baseline_text) || is_absent(&row.candidate_text))
}

/// Nothing can be said of runs whose settings or environment were not stored, nor of a setting that a run's role was not
/// allowed to see. Arguments and version always are.
fn recorded_everywhere(sides: &Sides, (category, object, metric): &Name) -> bool {
    let mut all = sides.baseline.iter().chain(sides.candidate);
    match (*category, object) {
        ("settings", None) => {
            let is_hidden = |facts: &Facts| {
                let mut of_it = facts
                    .settings
                    .iter()
                    .filter(|setting| setting.name == *metric);
                of_it.any(|setting| setting.setting.is_none())
            };
            all.all(|facts| !facts.settings.is_empty() && !is_hidden(facts))
        }
        // A run of an older version has not stored them, nor one on tables that pgperf did not load those of a load.
        ("settings", Some(family)) if family != RUN => {
            let knows =
                |data: &RunData| data.family == *family && data.options.contains_key(metric);
            all.all(|facts| facts.run.spec.data.iter().any(knows))
        }
        // Where a statement was not explained, or is in one of the runs alone, nothing is known of its plan.
        (PLANS, _) => all.all(|facts| {
            let mut of_run = facts.plans.iter().map(plan_name);
            of_run.any(|name| name == (PLANS, object.clone(), metric.clone()))
        }),
        ("environment", _) if metric != SERVER_VERSION => {
            all.all(|facts| !facts.environment.is_empty())
        }
        _ => true,
    }
}

fn all(side: &[Facts]) -> Vec<Conditions> {
    side.iter().map(conditions).collect()
}

fn conditions(facts: &Facts) -> Conditions {
    let mut conditions = Conditions::new();
    let run = &facts.run;
    let mut of_run = |name: &str, value: String| {
        conditions.insert(("settings", Some(RUN.to_owned()), name.to_owned()), value);
    };
    let clients = run.clients.map(|clients| clients.to_string());
    of_run("clients", clients.unwrap_or_else(|| "(unknown)".to_owned()));
    of_run("query_mode", run.query_mode.clone());
    let data = run.spec.data.as_slice();
    for (name, value) in &run.spec.call {
        if is_condition(name) && !(name == OPTIONS && are_in(value, data)) {
            of_run(name, json_text(value));
        }
    }
    for RunData {
        family, options, ..
    } in data
    {
        for (name, value) in options.iter().filter(|(_, value)| !value.is_null()) {
            let name = ("settings", Some(family.clone()), name.clone());
            conditions.insert(name, json_text(value));
        }
    }
    conditions.insert(
        (
            "environment",
            Some("server".to_owned()),
            SERVER_VERSION.to_owned(),
        ),
        run.server_version.clone(),
    );
    let settings = facts.settings.iter();
    for setting in settings.filter(|setting| !PLACES.contains(&setting.name.as_str())) {
        let value = setting.setting.as_deref().unwrap_or(ABSENT);
        conditions.insert(
            ("settings", None, setting.name.clone()),
            number::setting(value, setting.unit.as_deref()),
        );
    }
    for plan in &facts.plans {
        conditions.insert(plan_name(plan), plan.shape.clone());
    }
    for fact in &facts.environment {
        conditions.insert(
            (
                "environment",
                Some(fact.category.clone()),
                fact.name.clone(),
            ),
            with_unit(
                fact.value.as_deref().unwrap_or(ABSENT),
                fact.unit.as_deref(),
            ),
        );
    }
    conditions
}

fn plan_name(plan: &StatementPlan) -> Name {
    let name = match plan.statements {
        1 => "plan".to_owned(),
        _ => format!("plan {}", plan.statement_no),
    };
    (PLANS, Some(plan.script.clone()), name)
}

/// Whether the argument `options` of a call has only options of these data.
fn are_in(options: &Value, data: &[RunData]) -> bool {
    let is_known = |name: &String| data.iter().any(|data| data.options.contains_key(name));
    options
        .as_object()
        .is_some_and(|options| options.keys().all(is_known))
}

fn json_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn with_unit(value: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{value} {unit}"),
        None => value.to_owned(),
    }
}

/// The values of a side, each once.
fn values<'a>(side: &'a [Conditions], name: &Name) -> BTreeSet<&'a str> {
    let absent = if name.0 == "settings" {
        DEFAULT
    } else {
        ABSENT
    };
    side.iter()
        .map(|run| run.get(name).map_or(absent, String::as_str))
        .collect()
}

fn joined(values: &BTreeSet<&str>) -> String {
    values.iter().copied().collect::<Vec<_>>().join(" | ")
}

/// Equal, or numbers with a unit that are nearly so.
fn alike(before: &BTreeSet<&str>, after: &BTreeSet<&str>) -> bool {
    fn number<'a>(values: &BTreeSet<&'a str>) -> Option<(f64, &'a str)> {
        let (number, unit) = values
            .first()
            .filter(|_| values.len() == 1)?
            .split_once(' ')?;
        Some((number.parse().ok()?, unit))
    }
    before == after
        || number(before)
            .zip(number(after))
            .is_some_and(|(before, after)| {
                before.1 == after.1 && (after.0 / before.0 - 1.0).abs() < NOTEWORTHY
            })
}

fn row(name: &Name, baseline: String, candidate: String) -> Row {
    let (category, object, metric) = name.clone();
    Row {
        category: category.to_owned(),
        object,
        metric,
        unit: None,
        direction: None,
        baseline: baseline.parse().ok(),
        candidate: candidate.parse().ok(),
        delta: Delta::default(),
        n_baseline: None,
        n_candidate: None,
        verdict: Verdict::Differs,
        method: None,
        baseline_text: Some(baseline),
        candidate_text: Some(candidate),
    }
}
