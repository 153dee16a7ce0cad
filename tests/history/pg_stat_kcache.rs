//! What pg_stat_kcache adds to the history of statements, against itself by hand and against the kernel.

use crate::common::runs::Runs;
use crate::common::{Cluster, StopMode};
use postgres::Client;
use std::fs;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pg_stat_kcache'";
/// In a schema whose name has to be quoted.
const INSTALLED: &str =
    "CREATE SCHEMA \"Odd one\"; CREATE EXTENSION pg_stat_kcache SCHEMA \"Odd one\"";
const BURN: &str = "SELECT sum(sqrt(g)) AS burnt FROM generate_series(1, 1000000) g";
const DOCTOR: &str =
    "SELECT status || ': ' || detail FROM pgperf.doctor() WHERE check_name = 'pg_stat_kcache'";

fn snapshot(session: &mut Client) -> i64 {
    session.number("SELECT max(sample_id) FROM pgperf.snapshot('{statements}') WHERE status = 'ok'")
}

/// Figures of the burning statement in its newest row of a relation of the history.
fn stored(session: &mut Client, relation: &str, figures: &str) -> String {
    session.value(&format!(
        "SELECT concat_ws('|', {figures}) FROM pgperf.{relation} h WHERE queryid = (SELECT queryid FROM pg_stat_statements WHERE query LIKE 'SELECT sum(sqrt%') \
         ORDER BY sample_id DESC LIMIT 1"
    ))
}

/// Those that pg_stat_kcache has of it.
fn by_hand(session: &mut Client) -> [f64; 4] {
    let text = session.value(
        "SELECT concat_ws('|', exec_user_time, exec_system_time, exec_reads, exec_writes) FROM \"Odd one\".pg_stat_kcache() k \
         JOIN pg_stat_statements s USING (queryid, userid, dbid) WHERE s.query LIKE 'SELECT sum(sqrt%' AND k.top",
    );
    numbers(&text)
}

fn numbers(text: &str) -> [f64; 4] {
    let values: Vec<f64> = (text.split('|'))
        .map(|value| value.parse().expect(text))
        .collect();
    values.try_into().expect(text)
}

/// Seconds on a CPU that the kernel has counted for a process.
fn cpu_s(pid: i64) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let fields = stat.rsplit(") ").next().expect("fields after the name");
    let ticks = fields.split(' ').skip(11).take(2);
    ticks
        .map(|ticks| ticks.parse::<f64>().expect("ticks"))
        .sum::<f64>()
        / 100.0
}

/// The burning statement in the list of the newest hour by time.
fn listed(session: &mut Client, figure: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(r ->> '{figure}', 'unknown') FROM pgperf.history_json(now() - interval '1 hour', clock_timestamp()) d, \
              jsonb_array_elements(d -> 'sections') s, jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r \
         WHERE s ->> 'name' = 'statements' AND t ->> 'name' = 'top' AND r ->> 'list' = 'By time' AND r ->> 'query' LIKE 'SELECT sum(sqrt%'"
    ))
}

#[test]
fn a_statements_cpu_time_is_that_of_the_kernel() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let (mut session, mut worker) = (cluster.connect(), cluster.connect());
    session.batch_execute(INSTALLED).expect("the extension");
    let pid = worker.number("SELECT pg_backend_pid()");
    worker.value(BURN);
    snapshot(&mut session);
    let (before, burnt_before) = (by_hand(&mut session), cpu_s(pid));
    for _ in 0..5 {
        worker.value(BURN);
    }
    let (after, burnt) = (by_hand(&mut session), cpu_s(pid) - burnt_before);
    let sample = snapshot(&mut session);
    // To the last digit what it says itself; the history's times are milliseconds.
    let figures = "exec_user_time / 1000, exec_system_time / 1000, exec_reads, exec_writes";
    let history = numbers(&stored(&mut session, "statement_history", figures));
    let difference = numbers(&stored(&mut session, "statement_rates", figures));
    for (n, (before, after)) in before.iter().zip(after).enumerate() {
        assert!((history[n] - after).abs() < 1e-9, "{history:?} {after}");
        assert!(
            (difference[n] - (after - before)).abs() < 1e-9,
            "{difference:?}"
        );
    }
    let cpu = difference[0] + difference[1];
    assert!(
        (cpu - burnt).abs() < 0.03 + 0.1 * burnt,
        "{cpu} s of {burnt} s"
    );
    // A report says the same, and metrics have the sums.
    let shown: f64 = listed(&mut session, "cpu_s").parse().expect("a time");
    assert!((shown - cpu).abs() < 1e-6, "{shown} {cpu}");
    assert_eq!(
        listed(&mut session, "disk_read_bytes").parse::<f64>().ok(),
        Some(difference[2])
    );
    let together = session.value(&format!(
        "SELECT exec_user_time >= (SELECT max(exec_user_time) FROM pgperf.statement_history WHERE sample_id = {sample} AND queryid <> 0) AND \
                exec_user_time <= 1000 * (SELECT sum(exec_user_time) FROM \"Odd one\".pg_stat_kcache()) \
         FROM pgperf.statement_history WHERE sample_id = {sample} AND queryid = 0"
    ));
    assert_eq!(together, "t");
    let metrics = session.value("SELECT pgperf.metrics()");
    assert!(
        metrics.contains("\npgperf_statements_user_cpu_seconds_total "),
        "{metrics}"
    );
    // A utility statement has none.
    let utilities = "SELECT count(*) FROM pgperf.statement_history h JOIN pgperf.statement_texts t USING (queryid, dbid) \
                     WHERE t.query LIKE 'CREATE EXTENSION%' AND h.exec_user_time IS NOT NULL";
    assert_eq!(session.number(utilities), 0);
    assert!(
        session
            .value(DOCTOR)
            .starts_with("ok: in the history: CPU time")
    );
}

#[test]
fn after_a_reset_of_its_own_cpu_time_is_unknown_once() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    session.batch_execute(INSTALLED).expect("the extension");
    for _ in 0..3 {
        session.value(BURN);
    }
    snapshot(&mut session);
    session.value("SELECT \"Odd one\".pg_stat_kcache_reset()");
    session.value(BURN);
    snapshot(&mut session);
    let figures = "calls, exec_user_time IS NULL, exec_user_time < 0";
    assert_eq!(stored(&mut session, "statement_rates", figures), "1|t");
    assert_eq!(listed(&mut session, "calls"), "1");
    assert_eq!(listed(&mut session, "cpu_s"), "unknown");
    session.value(BURN);
    snapshot(&mut session);
    assert_eq!(stored(&mut session, "statement_rates", figures), "1|f|f");
}

#[test]
fn of_a_statement_that_it_has_counted_before_cpu_time_is_unknown_at_first() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    session.batch_execute(INSTALLED).expect("the extension");
    for _ in 0..3 {
        session.value(BURN);
    }
    session.value("SELECT pg_stat_statements_reset()");
    snapshot(&mut session);
    session.value(BURN);
    snapshot(&mut session);
    let figures = "calls, num_nulls(exec_user_time, exec_system_time, exec_reads, exec_writes), num_nulls(exec_user_time_per_s, exec_reads_per_s)";
    assert_eq!(stored(&mut session, "statement_rates", figures), "1|4|2");
    assert_eq!(listed(&mut session, "calls"), "1");
    assert_eq!(listed(&mut session, "cpu_s"), "unknown");
    assert_eq!(listed(&mut session, "disk_read_bytes"), "unknown");
    session.value(BURN);
    snapshot(&mut session);
    assert_eq!(stored(&mut session, "statement_rates", figures), "1|0|0");
}

#[test]
fn without_it_or_with_one_that_cannot_be_read_nothing_else_is_missing() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    let outcome =
        "SELECT status || coalesce(': ' || reason, '') FROM pgperf.snapshot('{statements}')";
    let burn = |session: &mut Client| {
        session.value(BURN);
        let outcome = session.value(outcome);
        let columns = "calls > 0, exec_user_time, exec_system_time, exec_reads, exec_writes";
        assert_eq!(stored(session, "statement_history", columns), "t");
        outcome
    };
    assert_eq!(burn(&mut session), "ok");
    let doctor = "SELECT status || ': ' || detail || ': ' || fix_sql FROM pgperf.doctor() WHERE check_name = 'pg_stat_kcache'";
    assert_eq!(
        session.value(doctor),
        "warning: preloaded, but not in this database; then the history has CPU time, and what was read from devices and written to them, of each \
         statement: CREATE EXTENSION pg_stat_kcache"
    );
    // One without the columns.
    session
        .batch_execute("CREATE EXTENSION pg_stat_kcache VERSION '2.1.3'")
        .expect("an older one");
    let too_old = "pg_stat_kcache: column n.top does not exist";
    assert_eq!(burn(&mut session), format!("ok: {too_old}"));
    assert_eq!(
        session.value(DOCTOR),
        format!("warning: nothing can be read, as in the history: {too_old}")
    );
    // One that is there, and not preloaded any more.
    session.value("ALTER EXTENSION pg_stat_kcache UPDATE");
    cluster.reconfigure(&["shared_preload_libraries = 'pg_stat_statements'"]);
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    let not_loaded = "pg_stat_kcache: This module can only be loaded via shared_preload_libraries";
    assert_eq!(burn(&mut session), format!("ok: {not_loaded}"));
    assert_eq!(
        session.value(DOCTOR),
        format!("warning: nothing can be read, as in the history: {not_loaded}")
    );
    session.value("DROP EXTENSION pg_stat_kcache");
    assert!(
        session
            .value(DOCTOR)
            .starts_with("ok: not preloaded, and not required; ")
    );
}
