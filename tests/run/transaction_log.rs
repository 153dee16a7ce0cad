//! The transaction log: complete, in order, and in agreement with the run's other figures.

use crate::common::Cluster;
use crate::common::runs::Runs;

#[test]
fn every_transaction_is_logged_once_however_fast_they_come() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    // More than the rings hold, faster than a tick of the leader.
    let run = session.finish_run(
        "'select-only', clients => 2, transactions_per_client => 30000, transaction_log => true, \
         sample_interval => '1 h'",
    );
    let log = format!("FROM pgperf.run_transactions WHERE run_id = {run}");
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', count(*), count(DISTINCT (client_id, transaction_no)), \
                    min(transaction_no), max(transaction_no), count(latency_ms), count(lag_ms)) {log}"
        )),
        "60000 60000 1 30000 60000 0"
    );
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM (SELECT ended_at < lag(ended_at) OVER (PARTITION BY client_id \
             ORDER BY transaction_no) AS back {log}) q WHERE back"
        )),
        0,
        "a client's transactions end one after the other"
    );
    let agrees = format!(
        "SELECT concat_ws(' ', \
             abs(l.avg - s.latency_avg_ms) < 1e-6 * s.latency_avg_ms, \
             abs(l.max - s.latency_max_ms) < 1e-6, \
             abs(l.p99 - s.latency_p99_ms) <= 0.02 * s.latency_p99_ms, \
             l.first >= r.started_at - interval '10 ms', l.last <= r.ended_at) \
         FROM (SELECT avg(latency_ms), max(latency_ms), min(ended_at) AS first, max(ended_at) AS last, \
                      percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99 {log}) l, \
              pgperf.run_summary s, pgperf.runs r WHERE s.run_id = {run} AND r.run_id = {run}"
    );
    assert_eq!(session.value(&agrees), "t t t t t");
    let first = session.value(&format!("SELECT pgperf.transaction_log({run}) LIMIT 1"));
    let fields: Vec<i64> = first
        .split(' ')
        .map(|field| field.parse().unwrap_or(-1))
        .collect();
    assert_eq!(fields.len(), 6, "{first}");
    assert!(
        fields[1] == 1 && fields[3] == 0 && fields[4] > 1_600_000_000 && fields[5] < 1_000_000,
        "{first}"
    );
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM (SELECT pgperf.delete_run({run})) d, pgperf.run_transactions"
        )),
        60000,
        "the statement's own snapshot"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.run_transactions"),
        0
    );
}

#[test]
fn what_was_skipped_and_the_lag_are_logged_the_warm_up_is_not() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "script => 'SELECT pg_sleep(0.02);', rate => 200, latency_limit => '30 ms', warmup => '0.5 s', \
         duration => '1.5 s', transaction_log => true",
    );
    let counted = format!(
        "SELECT concat_ws(' ', \
             (SELECT count(*) FILTER (WHERE outcome = 'done') = s.transactions \
                 AND count(*) FILTER (WHERE outcome = 'skipped') = s.skipped \
                 AND count(*) FILTER (WHERE latency_ms > 30) = s.late \
                 AND abs(avg(lag_ms) - s.lag_avg_ms) < 1e-6 * s.lag_avg_ms \
                 AND abs(max(lag_ms) - s.lag_max_ms) < 1e-6 \
              FROM pgperf.run_transactions t WHERE t.run_id = s.run_id), \
             s.transactions > 10 AND s.skipped > 10 AND s.warmup_transactions > 5) \
         FROM pgperf.run_summary s WHERE s.run_id = {run}"
    );
    assert_eq!(session.value(&counted), "t t");
}

#[test]
fn a_stopped_run_keeps_its_log() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "'select-only', clients => 2, duration => '1 h', sample_interval => '0.2 s', transaction_log => true",
    );
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let logged = format!("SELECT count(*) FROM pgperf.run_transactions WHERE run_id = {run}");
    assert_eq!(session.number(&logged), session.total(run, "transactions"));
}
