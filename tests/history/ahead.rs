//! A page is read by several processes at the same time, and is the same as one that its session reads alone.

use crate::common::runs::Runs;
use crate::common::{Cluster, SUPERUSER, wait_until};
use postgres::Client;
use serde_json::Value;
use std::time::Duration;

/// Four samples of a server that does something.
fn with_history() -> Cluster {
    let cluster = Cluster::with_pgperf(&[
        "log_min_messages = debug1",
        "shared_preload_libraries = 'pg_stat_statements'",
    ]);
    let mut session = cluster.connect();
    session
        .batch_execute("CREATE TABLE orders (id int PRIMARY KEY, total int)")
        .expect("a table");
    for sample in 0..4 {
        session
            .batch_execute(&format!(
                "INSERT INTO orders SELECT g, g FROM generate_series({0}, {0} + 999) g; \
                 UPDATE orders SET total = total + 1; \
                 SELECT pg_stat_force_next_flush()",
                sample * 1000
            ))
            .expect("rows");
        session.value("CALL pgperf.take_snapshot()");
    }
    cluster
}

/// The page's document, with its figures as they are shown: the last digits of a sum depend on the order of its rows.
fn document(session: &mut Client, call: &str) -> Value {
    let document = serde_json::from_str(&session.value(call));
    rounded(document.expect("a document"))
}

fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let figure = number.as_f64().expect("a figure");
            Value::String(format!("{figure:.9e}"))
        }
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(values) => {
            let values = values.into_iter();
            values.map(|(name, value)| (name, rounded(value))).collect()
        }
        other => other,
    }
}

/// The same window for all that compare.
fn window(session: &mut Client) -> String {
    let ends = session.value(
        "SELECT format('%L::timestamptz, %L::timestamptz', min(taken_at) - interval '1 s', max(taken_at)) FROM pgperf.samples",
    );
    format!("SELECT pgperf.history_json({ends})::text")
}

/// Starts of parallel workers for a session, as the server's log has them.
fn workers(cluster: &Cluster, session: &mut Client) -> usize {
    let pid = session.value("SELECT pg_backend_pid()::text");
    let start = format!("starting background worker process \"parallel worker for PID {pid}\"");
    cluster.log().matches(&start).count()
}

#[test]
fn a_page_read_by_several_processes_is_the_same() {
    let cluster = with_history();
    let mut alone = cluster.connect();
    alone
        .batch_execute("SET max_parallel_workers_per_gather = 0")
        .expect("no workers");
    let call = window(&mut alone);
    let page = document(&mut alone, &call);
    assert_eq!(workers(&cluster, &mut alone), 0);

    let mut session = cluster.connect();
    assert_eq!(document(&mut session, &call), page, "two workers");
    assert_eq!(workers(&cluster, &mut session), 2);
    assert!(!cluster.log().contains("not read ahead"));
    for (setting, expected) in [
        ("max_parallel_workers_per_gather = 1", 1),
        ("max_parallel_workers = 0", 0),
    ] {
        let mut session = cluster.connect();
        session
            .batch_execute(&format!("SET {setting}"))
            .expect("a setting");
        assert_eq!(document(&mut session, &call), page, "{setting}");
        assert_eq!(workers(&cluster, &mut session), expected, "{setting}");
    }

    // As a role that may only read, and with what only its transaction knows.
    session
        .batch_execute(
            "CREATE ROLE reader IN ROLE pg_monitor; BEGIN; DELETE FROM pgperf.database_history; SET LOCAL ROLE reader",
        )
        .expect("a transaction");
    let inside = document(&mut session, &call);
    assert_ne!(inside, page);
    session
        .batch_execute("SET LOCAL max_parallel_workers_per_gather = 0")
        .expect("no workers");
    assert_eq!(document(&mut session, &call), inside, "in a transaction");
    session.batch_execute("ROLLBACK").expect("as it was");
    assert_eq!(document(&mut session, &call), page, "afterwards");
}

#[test]
fn a_standby_reads_a_page_alone() {
    let cluster = with_history();
    let mut session = cluster.connect();
    session.value("SELECT pg_create_physical_replication_slot('reader', true)");
    let standby = cluster.standby("reader");
    let call = window(&mut session);
    let page = document(&mut session, &call);
    assert_eq!(workers(&cluster, &mut session), 2);

    let lsn = session.value("SELECT pg_current_wal_lsn()::text");
    let mut reader = standby.connect();
    let replayed = format!("SELECT pg_last_wal_replay_lsn() >= '{lsn}'");
    wait_until("all is replayed", Duration::from_secs(30), || {
        reader.value(&replayed) == "t"
    });
    let same = document(&mut reader, &call);
    assert_eq!(workers(&standby, &mut reader), 0);
    for number in 0..same["sections"].as_array().expect("sections").len() {
        assert_eq!(same["sections"][number], page["sections"][number]);
    }
}

#[test]
fn what_fails_in_a_worker_costs_its_own_findings_only() {
    let cluster = with_history();
    let mut session = cluster.connect();
    let call = window(&mut session).replace("history_json", "findings");
    let call = call.replace("::text", "").replacen(
        "SELECT ",
        "SELECT count(*) FILTER (WHERE evidence LIKE 'this could not be judged: %') FROM ",
        1,
    );
    assert_eq!(session.value(&call), "0");
    session
        .batch_execute("ALTER TABLE pgperf.archiver_history RENAME COLUMN last_failed_wal TO gone")
        .expect("a table that is not as it should be");
    // The rules of one subject read the same part of the history.
    assert_eq!(session.value(&call), "3");
    assert!(cluster.log().contains("not read ahead: column"));
}

#[test]
fn a_page_that_is_cancelled_leaves_no_worker() {
    let cluster = with_history();
    let mut session = cluster.connect();
    let call = window(&mut session);
    // Whoever reads these tables waits: two of three processes.
    let mut holder = cluster.connect();
    holder
        .batch_execute("BEGIN; LOCK TABLE pgperf.statement_history, pgperf.relation_history")
        .expect("a lock");
    let cancel = session.cancel_token();
    let waiting = "SELECT count(*) > 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND wait_event_type = 'Lock'";
    let page = std::thread::spawn(move || {
        let error = session.batch_execute(&call).expect_err("a cancelled page");
        (session, error.code().map(|code| code.code().to_owned()))
    });
    let mut watcher = cluster.connect();
    wait_until("a worker waits", Duration::from_secs(30), || {
        watcher.value(waiting) == "t"
    });
    cancel.cancel_query(postgres::NoTls).expect("a cancel");
    let (mut session, code) = page.join().expect("the session");
    assert_eq!(code.as_deref(), Some("57014"));
    assert_eq!(
        watcher
            .value("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'"),
        "0"
    );
    holder.batch_execute("ROLLBACK").expect("no lock");
    let call = window(&mut session);
    assert!(session.value(&call).contains("\"sections\""));
    assert_eq!(session.value("SELECT current_user"), SUPERUSER);
}
