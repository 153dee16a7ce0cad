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
        "  client 3, script script, command 2: 22012 division by zero (1 time)",
    );
    has(
        &lines,
        "  4 clients, script script, command 2: 22012 division by zero (70 times)",
    );
}

#[test]
fn the_average_transaction_is_split_where_that_is_known() {
    let head = "milliseconds of the average transaction:";
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
        ["parse", "plan", "execute", "commit", "lag", "retries"]
    );
    assert_eq!(
        words(&lines[at + 2]),
        ["0.000", "0.000100", "1.250", "0.200", "-", "-"]
    );
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
        "        1   61.2     10.2           500  2026-01-01 12:00:00+00:00",
    );
}

#[test]
fn what_became_of_the_schedule_is_told_where_there_is_one() {
    let told = |changes| -> Vec<(&str, String, String)> {
        let figures = text::of_the_schedule(&run(changes)).into_iter();
        figures.map(|f| (f.name, f.value, f.more)).collect()
    };
    assert!(told(json!({})).is_empty());
    assert_eq!(
        told(json!({
            "skipped": 250, "late": 10, "lag_avg_ms": 1.5, "lag_max_ms": 8.0,
            "spec": {"rate": 100.0, "latency_limit_ms": 5.0}
        })),
        [
            (
                "Skipped",
                "250".to_owned(),
                "20 % of 1,250, more than 5 ms behind schedule".to_owned()
            ),
            (
                "Above the latency limit",
                "10".to_owned(),
                "1 % of 1,000, longer than 5 ms".to_owned()
            ),
            (
                "Schedule lag, mean",
                "1.5".to_owned(),
                "longest 8 ms".to_owned()
            ),
        ]
    );
    let only_limit = told(json!({"late": 10, "spec": {"latency_limit_ms": 5.0}}));
    assert_eq!(only_limit.len(), 1);
}

#[test]
fn an_imported_run_is_told_by_its_number_at_home() {
    assert_eq!(text::imported(&run(json!({}))), None);
    assert_eq!(
        text::imported(&run(json!({"origin_run_id": 3}))).unwrap(),
        "imported: run 3 on node db1"
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
    has(&few, "SLRU caches:");
    has(
        &few,
        "  hits  read  written  zeroed  looked up  truncates  SLRU",
    );
    has(
        &few,
        "     7     7        7       7          7          -  multixact_member",
    );
    let many = lines(vec![counts(123_456_789_012_345)]);
    has(
        &many,
        "  1.2e14  1.2e14   1.2e14  1.2e14     1.2e14          -  multixact_member",
    );
    assert!(many.iter().all(|line| line.chars().count() <= 80));
}
