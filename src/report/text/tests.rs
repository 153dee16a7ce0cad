//! The report's text from made-up figures.

mod parts;

use crate::report::stored_run::{Facts, Run, Script, Statement};
use crate::report::text;
use serde_json::{Value, json};

/// A run that finished, with these changes.
pub fn run(changes: Value) -> Run {
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
    let facts = Facts {
        scripts,
        statements,
        ..facts(run)
    };
    text::lines(&facts, false)
}

/// Of a run without anything else.
fn facts(run: Run) -> Facts {
    Facts {
        run,
        replay: None,
        servers: Vec::new(),
        scripts: Vec::new(),
        statements: Vec::new(),
        step_devices: Vec::new(),
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
        conditions: crate::report::conditions::Conditions::default(),
        caches: Vec::new(),
    }
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
fn retries_of_transactions_that_the_end_cut_off_are_told() {
    let tried = |retries: i64, counted: i64| {
        let mut update = statement(0, "UPDATE hot SET i = i + 1;");
        update.retries = Some(retries);
        let changes = json!({"spec": {"max_tries": 0}, "transactions": 0, "has_totals": true, "retries": counted});
        report(run(changes), vec![update]).join(" ")
    };
    let told = "Retries of transactions that had not succeeded when the run ended: 15189.";
    assert!(tried(15_189, 0).contains(told));
    assert!(tried(15_199, 10).contains(told));
    assert!(!tried(10, 10).contains("had not succeeded"));
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
        "run 7 \"first second [31m\", node db1, PostgreSQL 15.20",
    );
}
