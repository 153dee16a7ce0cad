//! The statements of a server at a moment, as its pg_stat_statements has them, and what they did until another one.

use crate::facts::Statement;
use measure::Latency;
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Debug, Deserialize)]
pub(super) struct Statements {
    /// Whether all are here: of very many only those with most time.
    complete: bool,
    rows: Option<Vec<At>>,
}

/// One of them, of all roles. None: this server does not count it.
#[derive(Debug, Deserialize)]
struct At {
    id: i64,
    query: String,
    calls: i64,
    ms: f64,
    /// Σ calls × (deviation² + mean²): what deviations are pooled from.
    squares: f64,
    rows: i64,
    hit: i64,
    read: i64,
    dirtied: i64,
    written: i64,
    wal_records: Option<i64>,
    wal_fpi: Option<i64>,
    wal_bytes: Option<i64>,
}

/// What those did that were called in between; first those with most time. One that was evicted or reset meanwhile is left out.
pub(super) fn between(first: &Statements, last: &Statements) -> Vec<Statement> {
    let before: HashMap<i64, &At> = first.rows.iter().flatten().map(|at| (at.id, at)).collect();
    let mut called: Vec<(f64, Statement)> = (last.rows.iter().flatten())
        .filter_map(|after| match before.get(&after.id) {
            Some(before) => difference(Some(before), after),
            // It may have been among those that were left out.
            None if first.complete => difference(None, after),
            None => None,
        })
        .collect();
    called.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    called.into_iter().map(|(_, statement)| statement).collect()
}

/// The time that it took, in milliseconds, and its figures.
fn difference(before: Option<&At>, after: &At) -> Option<(f64, Statement)> {
    let number = |of: fn(&At) -> f64| of(after) - before.map_or(0.0, of);
    let count = |of: fn(&At) -> Option<i64>| {
        let began = before.map_or(Some(0), of)?;
        u64::try_from(of(after)?.saturating_sub(began)).ok()
    };
    let calls = count(|at| Some(at.calls)).filter(|&calls| calls > 0)?;
    let (ms, squares) = (number(|at| at.ms), number(|at| at.squares));
    let mean = ms / calls as f64;
    let variance = (squares / calls as f64 - mean * mean).max(0.0);
    let has_time = ms >= 0.0 && squares >= 0.0;
    let latency = Latency {
        latency_avg_ms: has_time.then_some(mean),
        latency_stddev_ms: has_time.then(|| variance.sqrt()),
        ..Latency::default()
    };
    let statement = Statement {
        text: after.query.clone(),
        calls: Some(calls),
        latency,
        rows: count(|at| Some(at.rows)),
        shared_blks_hit: count(|at| Some(at.hit)),
        shared_blks_read: count(|at| Some(at.read)),
        shared_blks_dirtied: count(|at| Some(at.dirtied)),
        shared_blks_written: count(|at| Some(at.written)),
        wal_records: count(|at| at.wal_records),
        wal_fpi: count(|at| at.wal_fpi),
        wal_bytes: count(|at| at.wal_bytes),
        ..Statement::default()
    };
    Some((ms, statement))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A statement after calls of these times.
    fn row(id: i64, times: &[f64], wal: Value) -> Value {
        let calls = times.len();
        json!({"id": id, "query": format!("SELECT {id}"), "calls": calls, "ms": times.iter().sum::<f64>(),
            "squares": times.iter().map(|ms| ms * ms).sum::<f64>(), "rows": calls, "hit": 3 * calls, "read": 0, "dirtied": 0, "written": 0,
            "wal_records": wal, "wal_fpi": wal, "wal_bytes": wal})
    }

    fn at(complete: bool, rows: &[Value]) -> Statements {
        serde_json::from_value(json!({"complete": complete, "rows": rows})).unwrap()
    }

    #[test]
    fn only_what_was_called_in_between_counts() {
        let first = at(
            true,
            &[row(1, &[9.0], json!(5)), row(2, &[1.0], json!(null))],
        );
        let last = at(
            true,
            &[
                row(1, &[9.0, 1.0, 3.0], json!(9)),
                row(2, &[1.0], json!(null)),
                row(3, &[100.0], json!(null)),
            ],
        );
        let found = between(&first, &last);
        let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["SELECT 3", "SELECT 1"]);
        let [new, old] = <[Statement; 2]>::try_from(found).unwrap();
        assert_eq!((new.calls, new.wal_bytes), (Some(1), None));
        assert_eq!((old.calls, old.rows), (Some(2), Some(2)));
        assert_eq!((old.shared_blks_hit, old.wal_records), (Some(6), Some(4)));
        assert_eq!(old.latency.latency_avg_ms, Some(2.0));
        assert_eq!(old.latency.latency_stddev_ms, Some(1.0));
    }

    #[test]
    fn what_may_have_been_there_before_is_not_known() {
        let first = at(false, &[row(1, &[9.0, 1.0], json!(5))]);
        let last = at(true, &[row(1, &[2.0], json!(1)), row(2, &[1.0], json!(1))]);
        assert!(between(&first, &last).is_empty(), "a reset, and a new one");
    }
}
