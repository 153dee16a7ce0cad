//! The report's text from made-up figures.

use crate::report::model::tables::{Table, TableRow};
use crate::report::stored_run::{Facts, Run, Script, Statement};
use crate::report::text;
use serde_json::{Value, json};

fn run(changes: Value) -> Run {
    let mut run = json!({
        "run_id": 7, "node_name": "db1", "kind": "run", "workload": "tpcb-like", "status": "finished",
        "clients": 4, "query_mode": "prepared", "scale": 10, "random_seed": 42, "server_version": "15.20",
        "has_totals": true, "duration_s": 20.0, "transactions": 1000, "tps": 50.0, "failed": 0,
        "retried": 0, "retries": 0, "skipped": 0, "late": 0, "warmup_transactions": 0,
        "latency_avg_ms": 1.5, "latency_stddev_ms": 0.25, "connect_ms": 12.0,
        "spec": {"transaction_type": "<builtin: TPC-B (sort of)>", "duration_s": 20, "max_tries": 1,
                 "call": {"workload": "tpcb-like", "clients": 4, "duration": "00:00:20"}}
    });
    merge(&mut run, changes);
    serde_json::from_value(run).unwrap()
}

fn merge(into: &mut Value, changes: Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (name, change) in changes {
                merge(into.entry(name).or_insert(Value::Null), change);
            }
        }
        (into, change) => *into = change,
    }
}

fn statement(script_no: i64, text: &str) -> Statement {
    serde_json::from_value(json!({
        "script_no": script_no, "statement": text, "is_sql": true,
        "calls": 1000, "failed": 0, "retries": 0, "latency_avg_ms": 0.1234, "rows": 1000, "wal_bytes": 512000
    }))
    .unwrap()
}

fn report(run: Run, statements: Vec<Statement>) -> Vec<String> {
    mix_report(run, Vec::new(), statements)
}

fn mix_report(run: Run, scripts: Vec<Script>, statements: Vec<Statement>) -> Vec<String> {
    text::lines(
        &Facts {
            run,
            scripts,
            statements,
            metrics: Vec::new(),
            errors: Vec::new(),
            segments: Vec::new(),
            rates: Vec::new(),
            tables: Vec::new(),
            hit_curve: Vec::new(),
            rate_search: None,
            receivers: Vec::new(),
            alternation: None,
            disturbances: Vec::new(),
            caches: Vec::new(),
        },
        false,
    )
}

#[track_caller]
fn has(lines: &[String], expected: &str) {
    assert!(
        lines.iter().any(|line| line == expected),
        "no line {expected:?} in {lines:#?}"
    );
}

#[track_caller]
fn lacks(lines: &[String], part: &str) {
    assert!(
        !lines.iter().any(|line| line.contains(part)),
        "{part:?} is in {lines:#?}"
    );
}

#[test]
fn a_plain_run_reads_as_pgbench() {
    let lines = report(run(json!({})), vec![statement(1, "SELECT 1;")]);
    let expected = [
        "transaction type: <builtin: TPC-B (sort of)>",
        "scaling factor: 10",
        "query mode: prepared",
        "number of clients: 4",
        "number of threads: 4",
        "maximum number of tries: 1",
        "duration: 20 s",
        "number of transactions actually processed: 1000",
        "number of failed transactions: 0 (0.000%)",
        "latency average = 1.500 ms",
        "latency stddev = 0.250 ms",
        "initial connection time = 12.000 ms",
        "tps = 50.000000 (without initial connection time)",
        "statement latencies in milliseconds and failures:",
        "         0.123           0  SELECT 1;",
    ];
    assert_eq!(lines[..expected.len()], expected);
    lacks(&lines, "status:");
}

#[test]
fn the_call_has_the_seed_that_was_drawn() {
    let lines = report(run(json!({})), Vec::new());
    assert!(lines.ends_with(&[
        "SELECT pgperf.start_run('tpcb-like', clients => 4, duration => '00:00:20',".to_owned(),
        "    random_seed => 42);".to_owned(),
    ]));
}

#[test]
fn a_counted_run_tells_how_many_were_wanted() {
    let spec = json!({"duration_s": null, "transactions_per_client": 250});
    let lines = report(run(json!({"spec": spec})), Vec::new());
    has(&lines, "number of transactions per client: 250");
    has(
        &lines,
        "number of transactions actually processed: 1000/1000",
    );
    lacks(&lines, "duration:");
    // One of the clients has fewer.
    let spec = json!({"duration_s": null, "transactions_per_client": 250, "transactions": 1004});
    let lines = report(run(json!({"spec": spec})), Vec::new());
    has(
        &lines,
        "number of transactions actually processed: 1000/1004",
    );
}

#[test]
fn retries_show_only_where_they_may_happen() {
    let changes = json!({"spec": {"max_tries": 0}, "retried": 10, "retries": 12, "failed": 1000});
    let lines = report(run(changes), Vec::new());
    has(&lines, "number of failed transactions: 1000 (50.000%)");
    has(&lines, "number of transactions retried: 10 (0.500%)");
    has(&lines, "total number of retries: 12");
    lacks(&lines, "maximum number of tries");
    lacks(&report(run(json!({})), Vec::new()), "retr");
}

#[test]
fn rate_and_limit_show_skipped_late_and_lag() {
    let changes = json!({
        "spec": {"rate": 60.0, "latency_limit_ms": 5.0}, "skipped": 1000, "late": 5,
        "lag_avg_ms": 0.5, "lag_max_ms": 9.0
    });
    let lines = report(run(changes), Vec::new());
    has(&lines, "number of transactions skipped: 1000 (50.000%)");
    has(
        &lines,
        "number of transactions above the 5.0 ms latency limit: 5/1000 (0.500%)",
    );
    has(&lines, "rate limit schedule lag: avg 0.500 (max 9.000) ms");
}

#[test]
fn nothing_executed_leaves_out_what_makes_no_sense() {
    let lines = report(
        run(json!({"transactions": 0, "tps": 0.0})),
        vec![statement(1, "SELECT 1;")],
    );
    has(&lines, "number of failed transactions: 0 (0.000%)");
    lacks(&lines, "tps");
    lacks(&lines, "NaN");
}

#[test]
fn a_run_that_has_not_begun_to_measure_says_so() {
    let changes = json!({"status": "preparing", "transactions": null, "has_totals": false});
    let lines = report(run(changes), Vec::new());
    has(&lines, "no transaction was measured");
    has(&lines, "status: preparing");
}

#[test]
fn the_status_tells_what_the_figures_stand_for() {
    let of = |changes| report(run(changes), Vec::new());
    has(
        &of(json!({"status": "running", "has_totals": false})),
        "status: running; the figures are so far, over 20.0 s",
    );
    has(
        &of(json!({"status": "interrupted", "has_totals": false})),
        "status: interrupted (its leader or the server went away); the figures are from",
    );
    has(
        &of(json!({"status": "failed", "sqlstate": "57P01", "error": "client 3 died"})),
        "status: failed (57P01: client 3 died); 20.0 s were measured",
    );
    has(
        &of(json!({"status": "stopped"})),
        "status: stopped; 20.0 s were measured",
    );
}

#[test]
fn several_scripts_have_their_own_figures() {
    let script = |number: i64, weight: i64, transactions: i64| -> Script {
        serde_json::from_value(json!({
            "script_no": number, "script": format!("script{number}"), "weight": weight,
            "transactions": transactions, "tps": transactions as f64 / 20.0, "failed": 0,
            "serialization_failures": 0, "deadlock_failures": 0, "other_failures": 0, "retried": 0,
            "retries": 0, "skipped": 0, "latency_avg_ms": 0.5, "latency_stddev_ms": 0.1
        }))
        .unwrap()
    };
    let lines = mix_report(
        run(json!({})),
        vec![script(0, 1, 250), script(1, 3, 750)],
        vec![statement(0, "SELECT 1;"), statement(1, "SELECT 2;")],
    );
    let first = lines
        .iter()
        .position(|line| line == "SQL script 1: script0")
        .unwrap();
    let expected = [
        " - weight: 1 (targets 25.0% of total)",
        " - 250 transactions (25.0% of total, tps = 12.500000)",
        " - number of failed transactions: 0 (0.000%)",
        " - latency average = 0.500 ms",
        " - latency stddev = 0.100 ms",
        " - statement latencies in milliseconds and failures:",
        "         0.123           0  SELECT 1;",
        "SQL script 2: script1",
        " - weight: 3 (targets 75.0% of total)",
    ];
    assert_eq!(lines[first + 1..][..expected.len()], expected);
}

#[test]
fn failures_are_told_apart_where_there_are_any() {
    let changes = json!({
        "failed": 100, "serialization_failures": 60, "deadlock_failures": 30, "other_failures": 10,
        "transactions": 900, "spec": {"continue_on_error": true, "max_tries": 2}
    });
    let lines = report(run(changes), vec![statement(0, "SELECT 1;")]);
    has(&lines, "number of serialization failures: 60 (6.000%)");
    has(&lines, "number of deadlock failures: 30 (3.000%)");
    has(&lines, "number of other failures: 10 (1.000%)");
    has(
        &lines,
        "statement latencies in milliseconds, failures and retries:",
    );
    has(&lines, "         0.123           0           0  SELECT 1;");
    lacks(&report(run(json!({})), Vec::new()), "serialization");
}

#[test]
fn a_load_lists_its_steps() {
    let step = |name: &str, ms: f64, rows: Option<i64>| -> Statement {
        serde_json::from_value(json!({
            "script_no": 1, "statement": name, "is_sql": true, "calls": 1, "failed": 0, "retries": 0,
            "latency_avg_ms": ms, "rows": rows
        }))
        .unwrap()
    };
    let call = json!({"workload": "tpcb-like", "scale": 10});
    let mut load = run(json!({"kind": "load", "clients": 1, "duration_s": 2.5}));
    load.spec.call = call.as_object().unwrap().clone();
    let steps = vec![
        step("generate", 2000.0, Some(1_000_110)),
        step("vacuum", 500.0, None),
    ];
    let lines = report(load, steps);
    has(&lines, "rows loaded: 1000110");
    has(&lines, "rows per second: 400044");
    has(&lines, "done in 2.50 s (generate 2.00 s, vacuum 0.50 s).");
    assert_eq!(
        lines.last().unwrap(),
        "CALL pgperf.init('tpcb-like', scale => 10);"
    );
    lacks(&lines, "tps");
}

#[test]
fn a_label_stays_on_its_line() {
    let lines = report(run(json!({"label": "first\nsecond\u{1b}[31m"})), Vec::new());
    has(
        &lines,
        "run 7 \"first second [31m\" on node db1, PostgreSQL 15.20",
    );
}

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
            run: run(json!({})),
            scripts: Vec::new(),
            statements: Vec::new(),
            metrics: Vec::new(),
            errors: vec![error(Some(3), 1, 1), error(Some(0), 4, 70)],
            segments: Vec::new(),
            rates: vec![0.0, 100.0],
            tables: Vec::new(),
            hit_curve: Vec::new(),
            rate_search: None,
            receivers: Vec::new(),
            alternation: None,
            disturbances: Vec::new(),
            caches: Vec::new(),
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
            run: run(json!({})),
            scripts: Vec::new(),
            statements: Vec::new(),
            metrics: Vec::new(),
            errors: Vec::new(),
            segments,
            rates: Vec::new(),
            tables: Vec::new(),
            hit_curve: Vec::new(),
            rate_search: None,
            receivers: Vec::new(),
            alternation: None,
            disturbances: Vec::new(),
            caches: Vec::new(),
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
            collector: "slru".to_owned(),
            title: "SLRU caches".to_owned(),
            object: "SLRU".to_owned(),
            counters: heads.map(str::to_owned).to_vec(),
            rows,
        };
        let facts = Facts {
            run: run(json!({})),
            scripts: Vec::new(),
            statements: Vec::new(),
            metrics: Vec::new(),
            errors: Vec::new(),
            segments: Vec::new(),
            rates: Vec::new(),
            tables: vec![table],
            hit_curve: Vec::new(),
            rate_search: None,
            receivers: Vec::new(),
            alternation: None,
            disturbances: Vec::new(),
            caches: Vec::new(),
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
