//! The figures of statements, and those that both sides have in common.

use super::compared_run::{Columns, Facts};
use super::figures::{Figure, figure, numbers, text};
use super::step;
use crate::show::text::one_line;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The object of the mean over statements.
pub const ALL: &str = "all statements (geometric mean)";
const CATEGORY: &str = "statements";
const LATENCY: &str = "latency_avg_ms";
/// The program whose dumps of statements may have been imported.
const DUMP: &str = "pg_stat_statements";
const KEYS: [&str; 4] = ["run_id", "script_no", "command_no", "calls"];

/// Latencies as they are, all other counters by call.
pub fn of(facts: &Facts) -> impl Iterator<Item = Figure> {
    // pgbench does not print how often it called a statement.
    let may_be_called = |columns: &&Columns| {
        let is_known = columns.get("calls").is_some_and(|calls| !calls.is_null());
        !is_known || calls(columns).is_some()
    };
    // A dump of pg_stat_statements has no order: there a statement is found by its text.
    let is_dump = facts.run.spec.call.get("program").and_then(Value::as_str) == Some(DUMP);
    facts
        .statements
        .iter()
        .filter(may_be_called)
        .flat_map(move |columns| statement(columns, is_dump))
}

/// None if it was never called.
fn calls(statement: &Columns) -> Option<f64> {
    let calls = statement.get("calls").and_then(Value::as_f64);
    calls.filter(|&calls| calls > 0.0)
}

fn statement(columns: &Columns, by_text: bool) -> Vec<Figure> {
    let number = |name: &str| columns.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    let place = if by_text {
        fingerprint(text(columns, "statement"))
    } else {
        format!("{}.{}", number("script_no"), number("command_no"))
    };
    let title = format!("{place} {}", one_line(text(columns, "statement"), 200));
    let mut figures: Vec<Figure> = numbers(columns)
        .filter(|(name, _)| !KEYS.contains(name))
        .filter_map(|(name, value)| {
            let of_it = |metric: &str, value| Figure {
                title: Some(title.clone()),
                ..figure(CATEGORY, Some(place.clone()), metric, value)
            };
            if name.ends_with("_ms") {
                return Some(of_it(name, value));
            }
            let (metric, calls) = (format!("{name}_per_call"), calls(columns)?);
            let value = value / calls;
            Some(Figure {
                step: step::of_ratio(&metric, value, calls),
                ..of_it(&metric, value)
            })
        })
        .collect();
    figures.sort_by_key(|figure| (figure.meaning.rank, figure.key.metric.clone()));
    figures
}

/// A short name for a text (FNV-1a); another text of the same name is not compared with it, as their titles differ.
fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{hash:08x}")
}

/// The statements of all runs of a comparison.
#[derive(Debug, Default)]
pub struct Common {
    /// Places at which every run has the same statement, and one that does work.
    same: BTreeSet<String>,
    /// How many places hold a statement on both sides, or on one.
    places: usize,
    /// At how many of these the sides do not have the same.
    differing: usize,
}

/// The common statements of the runs of two sides, each given by its figures.
pub fn common(baseline: &[Vec<Figure>], candidate: &[Vec<Figure>]) -> Common {
    let at = |run: &[Figure]| -> BTreeMap<String, Option<String>> {
        let statements = run.iter().filter(|figure| is_latency(figure));
        statements
            .filter_map(|figure| Some((figure.key.object.clone()?, figure.title.clone())))
            .collect()
    };
    let of_side = |side: &[Vec<Figure>]| -> Vec<_> { side.iter().map(|run| at(run)).collect() };
    let (baseline, candidate) = (of_side(baseline), of_side(candidate));
    if baseline.iter().all(BTreeMap::is_empty) || candidate.iter().all(BTreeMap::is_empty) {
        return Common::default();
    }
    let all = || baseline.iter().chain(&candidate);
    let places: BTreeSet<&String> = all().flat_map(BTreeMap::keys).collect();
    let titles = |place: &String| -> BTreeSet<&Option<String>> {
        all().filter_map(|run| run.get(place)).collect()
    };
    let on = |side: &[BTreeMap<_, _>], place| side.iter().any(|run| run.contains_key(place));
    let differs =
        |place| titles(place).len() > 1 || !on(&baseline, place) || !on(&candidate, place);
    let works = |place| {
        titles(place)
            .into_iter()
            .flatten()
            .all(|title| is_work(title))
    };
    let is_same = |place| {
        titles(place).len() == 1 && works(place) && all().all(|run| run.contains_key(place))
    };
    Common {
        same: places
            .iter()
            .filter(|place| is_same(place))
            .map(|place| (*place).clone())
            .collect(),
        places: places.len(),
        differing: places.iter().filter(|place| differs(place)).count(),
    }
}

impl Common {
    /// The mean over the statements that all runs have: one of others would compare different work. None if the run lacks one
    /// of them. Where they have none in common, that over the run's own, which [`Self::obstacle`] says not to compare.
    pub fn mean(&self, figures: &[Figure]) -> Option<Figure> {
        let logarithms: Vec<f64> = figures
            .iter()
            .filter(|figure| is_latency(figure) && figure.title.as_deref().is_some_and(is_work))
            .filter(|figure| self.same.is_empty() || self.has(figure))
            .map(|figure| figure.value.ln())
            .collect();
        let count = logarithms.len();
        let complete = count > 0 && (self.same.is_empty() || count == self.same.len());
        complete.then(|| {
            let mean = logarithms.iter().sum::<f64>() / count as f64;
            figure(CATEGORY, Some(ALL.to_owned()), LATENCY, mean.exp())
        })
    }

    fn has(&self, figure: &Figure) -> bool {
        let place = figure.key.object.as_ref();
        place.is_some_and(|place| self.same.contains(place))
    }

    /// Why the mean cannot be compared.
    pub fn obstacle(&self) -> Option<&'static str> {
        self.same.is_empty().then_some("no statement in common")
    }

    /// A note for readers who take the rates of the runs for those of the same work.
    pub fn note(&self) -> Option<String> {
        match (self.differing, self.places) {
            (0, _) => None,
            (differing, places) if differing == places => Some(
                "no statement is the same on both sides: other scripts, or a variant".to_owned(),
            ),
            (differing, places) => Some(format!(
                "{differing} of {places} statements are not the same on both sides"
            )),
        }
    }
}

/// The mean latency of a statement that took any time.
fn is_latency(figure: &Figure) -> bool {
    figure.key.category == CATEGORY
        && figure.key.metric == LATENCY
        && figure.title.is_some()
        && figure.value > 0.0
}

/// Whether a statement, given by its title, works on data: not BEGIN or END, nor a meta-command at which the server
/// works (`\endpipeline` commits). These take next to no time, or that of the disk, and as one of four in a mean
/// would hide changes of the other three.
fn is_work(title: &str) -> bool {
    const CONTROL: [&str; 8] = [
        "abort",
        "begin",
        "commit",
        "end",
        "release",
        "rollback",
        "savepoint",
        "start",
    ];
    let statement = title.split_once(' ').map_or("", |(_place, text)| text);
    let statement = without_comments(statement);
    let first = statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let first = first.map(str::to_ascii_lowercase).next();
    !statement.starts_with('\\') && !first.is_some_and(|word| CONTROL.contains(&word.as_str()))
}

/// The text after the comments at the beginning. Statements are on one line here, so the end of a `--` comment is unknown.
fn without_comments(statement: &str) -> &str {
    let statement = statement.trim_start();
    match statement
        .strip_prefix("/*")
        .and_then(|rest| rest.split_once("*/"))
    {
        Some((_, rest)) => without_comments(rest),
        None => statement,
    }
}

/// Puts the mean of each run before its statements.
pub fn add_mean(runs: &mut [Vec<Figure>], common: &Common) {
    for run in runs {
        let first = run
            .iter()
            .position(|figure| figure.key.category == CATEGORY);
        if let Some((first, mean)) = first.zip(common.mean(run)) {
            run.insert(first, mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compared_run::Facts;
    use serde_json::json;

    fn statements(rows: Value) -> Vec<Figure> {
        let rows = rows.as_array().cloned().unwrap_or_default();
        let facts = Facts {
            statements: rows
                .iter()
                .filter_map(|row| row.as_object().cloned())
                .collect(),
            ..Facts::default()
        };
        of(&facts).collect()
    }

    #[test]
    fn statements_are_found_by_their_place_and_counted_by_call() {
        let figures = statements(json!([
            {"script_no": 1, "command_no": 2, "statement": "UPDATE\n t", "calls": 10,
             "latency_avg_ms": 4.0, "wal_bytes": 500, "rows": null},
            {"script_no": 1, "command_no": 3, "statement": "END", "calls": 10, "latency_avg_ms": 9.0},
            {"script_no": 2, "command_no": 1, "statement": "never", "calls": 0},
        ]));
        let named = |place: &str, metric: &str| {
            let is_it =
                |f: &&Figure| f.key.object.as_deref() == Some(place) && f.key.metric == metric;
            figures.iter().find(is_it)
        };
        let update = named("1.2", "wal_bytes_per_call").unwrap();
        assert_eq!((update.value, update.step), (50.0, 0.8));
        assert_eq!(update.title.as_deref(), Some("1.2 UPDATE t"));
        assert!(named("1.2", "rows_per_call").is_none());
        assert!(named("2.1", "latency_avg_ms").is_none());
        let mean = Common::default().mean(&figures).unwrap();
        assert_eq!(mean.value, 4.0);
    }

    #[test]
    fn the_mean_is_of_what_both_sides_have() {
        let run = |other: &str, ms: f64| {
            statements(json!([
                {"script_no": 1, "command_no": 1, "statement": "SELECT 0", "calls": 9, "latency_avg_ms": 2.0},
                {"script_no": 1, "command_no": 2, "statement": other, "calls": 9, "latency_avg_ms": ms},
            ]))
        };
        let found = common(&[run("SELECT 1", 8.0)], &[run("SELECT 2", 100.0)]);
        assert_eq!(
            found.note().unwrap(),
            "1 of 2 statements are not the same on both sides"
        );
        assert_eq!(found.obstacle(), None);
        assert!((found.mean(&run("SELECT 1", 8.0)).unwrap().value - 2.0).abs() < 1e-9);
        assert!(found.mean(&[]).is_none());

        let same = common(&[run("SELECT 1", 8.0)], &[run("SELECT 1", 9.0)]);
        assert_eq!((same.note(), same.obstacle()), (None, None));
        assert!((same.mean(&run("SELECT 1", 8.0)).unwrap().value - 4.0).abs() < 1e-9);

        let none = common(
            &[run("SELECT 1", 8.0)[1..].to_vec()],
            &[run("SELECT 2", 8.0)[1..].to_vec()],
        );
        assert!(none.obstacle().is_some() && none.note().unwrap().starts_with("no statement"));
        assert_eq!(common(&[vec![]], &[run("x", 1.0)]).note(), None);
    }

    /// Four statements that take 22 to 44 % longer, between a BEGIN and an END that take a fourth: that is no change of -11 %.
    #[test]
    fn what_begins_and_ends_a_transaction_is_not_in_the_mean() {
        let run = |factor: f64, control: f64| {
            statements(json!([
                {"script_no": 1, "command_no": 1, "statement": "BEGIN;", "calls": 9, "latency_avg_ms": 0.02 * control},
                {"script_no": 1, "command_no": 2, "statement": "UPDATE a", "calls": 9, "latency_avg_ms": 0.1 * factor},
                {"script_no": 1, "command_no": 3, "statement": "/* x */ SELECT b", "calls": 9, "latency_avg_ms": 0.4 * factor},
                {"script_no": 1, "command_no": 4, "statement": "\\endpipeline", "calls": 9, "latency_avg_ms": 1.0 * control},
                {"script_no": 1, "command_no": 5, "statement": "END;", "calls": 9, "latency_avg_ms": 2.0 * control},
            ]))
        };
        let (baseline, candidate) = (run(1.0, 1.0), run(1.3, 0.25));
        let found = common(
            std::slice::from_ref(&baseline),
            std::slice::from_ref(&candidate),
        );
        let mean = |run: &[Figure]| found.mean(run).unwrap().value;
        assert!((mean(&baseline) - 0.2).abs() < 1e-9);
        assert!((mean(&candidate) / mean(&baseline) - 1.3).abs() < 1e-9);
        assert_eq!(found.note(), None);
    }

    #[test]
    fn work_is_told_from_control() {
        for control in [
            "1.1 BEGIN;",
            "1.1 begin isolation level serializable;",
            "1.1 START TRANSACTION",
            "1.1 END",
            "1.1 /* last */ COMMIT;",
            "1.1 ROLLBACK TO SAVEPOINT a",
            "1.1 \\syncpipeline",
        ] {
            assert!(!is_work(control), "{control}");
        }
        for work in [
            "1.1 SELECT 1",
            "1.1 beginning()",
            "1.1 (SELECT 1)",
            "1.1 END_IT",
            "1.1",
        ] {
            assert!(is_work(work), "{work}");
        }
    }
}
