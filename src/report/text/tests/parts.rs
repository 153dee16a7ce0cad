//! The parts below the report's head: errors, segments, the schedule, what collectors counted.

use super::{facts, has, lacks, report, run};
use crate::report::model::tables::{Table, TableRow};
use crate::report::stored_run::Facts;
use crate::report::text;
use serde_json::json;

#[test]
fn errors_that_several_clients_had_are_one_line() {
    let error = |client: Option<i64>, clients: i64, occurrences: i64| {
        serde_json::from_value(json!({
            "client_id": client, "clients": clients, "script": "script", "command_no": 2,
            "sqlstate": "22012", "message": "division by zero", "occurrences": occurrences
        }))
        .unwrap()
    };
    let lines = text::lines(
        &Facts {
            errors: vec![error(Some(3), 1, 1), error(Some(0), 4, 70)],
            rates: vec![0.0, 100.0],
            ..facts(run(json!({})))
        },
        false,
    );
    has(&lines, "tps over time: _#");
    has(
        &lines,
        "  division by zero  22012     client 3   script        2      1",
    );
    has(
        &lines,
        "  division by zero  22012     4 clients  script        2     70",
    );
}

#[test]
fn the_average_transaction_is_split_where_that_is_known() {
    let head = "Milliseconds of the average transaction";
    assert!(!report(run(json!({})), Vec::new()).contains(&head.to_owned()));
    let split = json!({"parse_ms": 0.0, "plan_ms": 0.0001, "execute_ms": 1.25, "commit_ms": 0.2});
    let lines = report(run(split), Vec::new());
    let at = lines.iter().position(|line| line == head).unwrap();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(&lines[at + 1]),
        ["parse", "plan", "execute", "commit"]
    );
    assert_eq!(words(&lines[at + 2]), ["0", "0.0001", "1.25", "0.2"]);
}

#[test]
fn interruptions_are_shown_between_their_segments() {
    let segment = |number: i64, gap: Option<f64>| {
        serde_json::from_value(json!({
            "segment_no": number, "started_at": "2026-01-01T12:00:00.5+00:00", "ended_at": null, "seconds": 10.25,
            "transactions": 500, "gap_s": gap, "ended_by": null, "reason": null
        }))
        .unwrap()
    };
    let lines = |segments| {
        let facts = Facts {
            segments,
            ..facts(run(json!({})))
        };
        text::lines(&facts, false)
    };
    let one = lines(vec![segment(0, None)]);
    lacks(&one, "interrupted");
    let two = lines(vec![segment(0, None), segment(1, Some(61.25))]);
    has(
        &two,
        "The run was interrupted once; the 61.2 s between are not in the figures.",
    );
    has(
        &two,
        "        1  2026-01-01 12:00:00+00:00  10.3 s           500       1 min 1 s",
    );
}

#[test]
fn what_collectors_counted_fits_a_terminal() {
    let counts = |count: i64| {
        let counts = [Some(count); 5].into_iter().chain([None]).collect();
        TableRow {
            object: "multixact_member".to_owned(),
            counts,
        }
    };
    let heads = [
        "hits",
        "read",
        "written",
        "zeroed",
        "looked up",
        "truncates",
    ];
    let lines = |rows| {
        let table = Table {
            collector: "caches".to_owned(),
            title: "SLRU caches".to_owned(),
            object: "SLRU".to_owned(),
            counters: heads.map(str::to_owned).to_vec(),
            rows,
        };
        let facts = Facts {
            tables: vec![table],
            ..facts(run(json!({})))
        };
        text::lines(&facts, false)
    };
    let few = lines(vec![counts(7)]);
    has(&few, "SLRU caches");
    has(
        &few,
        "  SLRU              hits  read  written  zeroed  looked up",
    );
    has(
        &few,
        "  multixact_member     7     7        7       7          7",
    );
    let many = lines(vec![counts(123_456_789_012_345)]);
    has(&many, "  multixact_member");
    assert!(many.iter().all(|line| line.chars().count() <= 80));
}
