//! What the sessions of clients are over the wire, and what their runs tell.

use super::{cluster, expect_nothing_left};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

/// A script that notes what its session is.
const NOTE: &str = "script => 'INSERT INTO noted VALUES (:client_id, pg_backend_pid(), current_setting(''application_name''), \
    current_setting(''work_mem''), current_setting(''search_path''), current_setting(''my.text''), current_user);'";
const NOTED: &str = "CREATE TABLE noted (client int, pid int, name text, work_mem text, path text, own text, role text)";

fn wire(session: &mut Client, arguments: &str) -> i64 {
    session.finish_run(&format!("{arguments}, transport => 'wire'"))
}

#[test]
fn sessions_have_the_name_and_the_settings_of_their_client() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value(NOTED);
    let settings = r#"'{"work_mem": "77kB", "my.text": "it''s a \\ b"}'"#;
    session.value("CREATE SCHEMA other; SET search_path = other, public");
    let run = wire(
        &mut session,
        &format!(
            "{NOTE}, settings => {settings}, clients => 3, transactions_per_client => 2, workers => 2"
        ),
    );
    let seen = session.value(
        "SELECT string_agg(concat_ws('|', client, name, work_mem, path, own, role = current_user), E'\\n' ORDER BY client) \
         FROM (SELECT DISTINCT client, name, work_mem, path, own, role FROM noted) n",
    );
    let expected: Vec<String> = (0..3)
        .map(|client| {
            format!("{client}|pgperf run {run} client {client}|77kB|other, public|it's a \\ b|t")
        })
        .collect();
    assert_eq!(seen, expected.join("\n"));
    let run = wire(
        &mut session,
        &format!(
            "{NOTE}, settings => {settings}, application_name => 'mine', transactions_per_client => 1"
        ),
    );
    assert_eq!(
        session.number("SELECT count(*) FROM noted WHERE name = 'mine'"),
        1
    );
    // The run's own settings are those of its sessions.
    let stored = format!(
        "SELECT setting FROM pgperf.run_settings WHERE run_id = {run} AND name = 'work_mem'"
    );
    assert_eq!(session.value(&stored), "77");
}

#[test]
fn parts_that_the_server_alone_knows_are_null() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = wire(
        &mut session,
        "'tpcb-like', clients => 2, transactions_per_client => 50",
    );
    let unknown = session.value(&format!(
        "SELECT concat_ws(' ', count(parse_ms), count(plan_ms), count(execute_ms), count(commit_ms), \
            count(shared_blks_hit), count(wal_bytes)) FROM pgperf.run_statements WHERE run_id = {run}"
    ));
    assert_eq!(unknown, "0 0 0 0 0 0");
    let known = session.value(&format!(
        "SELECT concat_ws(' ', min(calls), bool_and(latency_avg_ms > 0), sum(rows)) \
           FROM pgperf.run_statements WHERE run_id = {run} AND is_sql"
    ));
    // BEGIN and END have no rows, each of the others one.
    assert_eq!(known, "100 t 500");
    let summary = session.value(&format!(
        "SELECT concat_ws(' ', wal_bytes IS NULL, hit_percent IS NULL, rows_returned, bytes_returned > 0, \
            transactions, connect_ms > 0) FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(summary, "t t 100 t 100 t");
    let intervals = session.value(&format!(
        "SELECT concat_ws(' ', count(wal_bytes), count(shared_blks_hit), sum(transactions)) \
           FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    assert_eq!(intervals, "0 0 100");
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    assert!(report.contains("transport: wire"), "{report}");
    let json = format!("SELECT pgperf.report_json({run}) #>> '{{run,spec,transport}}'");
    assert_eq!(session.value(&json), "wire");
}

#[test]
fn a_connection_for_each_transaction() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value(NOTED);
    let run = wire(
        &mut session,
        &format!(
            "{NOTE}, settings => '{{\"my.text\": \"x\"}}', connect_each_transaction => true, clients => 2, \
             transactions_per_client => 20"
        ),
    );
    assert_eq!(session.number("SELECT count(DISTINCT pid) FROM noted"), 40);
    assert_eq!(session.total(run, "transactions"), 40);
    assert_eq!(session.total(run, "reconnects"), 38);
    assert_eq!(session.total(run, "(reconnect_avg_ms > 0.05)::int"), 1);
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    assert!(report.contains("average connection time = "), "{report}");
    let run = wire(
        &mut session,
        "'select-only', reconnect => 7, transactions_per_client => 20",
    );
    assert_eq!(session.total(run, "reconnects"), 2);
    expect_nothing_left(&mut session, "connections for each transaction");
}

#[test]
fn hundreds_of_connections_take_a_few_workers() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "'select-only', transport => 'wire', workers => 3, clients => 250, duration => '1 h', sample_interval => '0.1 s'",
    );
    assert_eq!(session.workers(), 4);
    let connected = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run {run} client %'"
    );
    assert_eq!(session.number(&connected), 250);
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    assert!(session.total(run, "transactions") > 0);
    expect_nothing_left(&mut session, "250 connections");
    cluster.expect_no_crash();
}

#[test]
fn schedules_pauses_mixes_and_limits_work() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = wire(
        &mut session,
        "'select-only@3, simple-update@1', clients => 4, rate => 400, latency_limit => '1 s', duration => '1 s', \
         transaction_log => true",
    );
    let transactions = session.total(run, "transactions");
    assert!((200..=600).contains(&transactions), "{transactions}");
    let of = |what: &str| format!("SELECT {what} WHERE run_id = {run}");
    let scripts = session.number(&of("count(*) FROM pgperf.run_scripts"));
    assert_eq!(scripts, 2);
    let logged = session.number(&of("count(*) FROM pgperf.run_transactions"));
    assert_eq!(logged, transactions + session.total(run, "skipped"));
    let run = wire(
        &mut session,
        "'select-only', think_time => '20 ms', duration => '1 s', warmup => '0.2 s'",
    );
    assert!(session.total(run, "transactions") <= 50);
    assert!(session.total(run, "warmup_transactions") <= 10);
}

#[test]
fn the_rate_can_be_altered() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "'select-only', transport => 'wire', clients => 2, rate => 50, duration => '1 h', sample_interval => '0.1 s'",
    );
    session.value(&format!("SELECT pgperf.alter_run({run}, rate => 2000)"));
    wait_until("a higher rate", PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND tps > 500"
        )) > 2
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn settings_take_turns() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CREATE TABLE seen (work_mem text)");
    let run = wire(
        &mut session,
        "script => 'INSERT INTO seen VALUES (current_setting(''work_mem''));', clients => 2, duration => '4 s', \
         alternate => '{\"work_mem\": [\"1MB\", \"2MB\"]}', alternate_every => '0.5 s', sample_interval => '0.1 s'",
    );
    assert_eq!(
        session.value("SELECT string_agg(DISTINCT work_mem, ' ' ORDER BY work_mem) FROM seen"),
        "1MB 2MB"
    );
    let sides = format!(
        "SELECT count(DISTINCT side) FROM pgperf.run_intervals WHERE run_id = {run} AND side IS NOT NULL"
    );
    assert_eq!(session.number(&sides), 2);
}
