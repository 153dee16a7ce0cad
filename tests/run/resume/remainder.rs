//! A resumed run continues where it was: transactions, duration, limits, statements, errors.

use super::{PRELOADED, expect_sums, of_run, segments, wait_for_segment};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn what_is_left_of_the_transactions_is_done() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    // Not faster than that, so that it lasts; of several scripts, and with a log.
    let run = session.start_busy_run(
        "'tpcb-like@1, select-only@1', clients => 3, transactions_per_client => 400, rate => 300, \
         transaction_log => true, sample_interval => '0.2 s', resume => true",
    );
    for interruption in 1..=2 {
        session.await_intervals(run, 2);
        cluster.crash();
        cluster.start();
        session = cluster.connect();
        wait_for_segment(&mut session, run, interruption);
    }
    session.wait_for_status(run, "finished");
    assert_eq!(session.total(run, "transactions"), 1200);
    assert_eq!(segments(&mut session, run), 3);
    expect_sums(&mut session, run);
    // Whatever was done twice is logged once, and no number is missing but at the end of a lost interval.
    assert_eq!(
        session.value(&format!(
            "SELECT count(DISTINCT client_id) || ' ' || max(transaction_no) FROM pgperf.run_transactions WHERE run_id = {run}"
        )),
        "3 400"
    );
    let logged = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_transactions WHERE run_id = {run}"
    ));
    assert!((1100..=1200).contains(&logged), "{logged} are logged");
    let of_scripts = session.number(&format!(
        "SELECT sum(transactions) FROM pgperf.run_scripts WHERE run_id = {run}"
    ));
    assert!(of_scripts > 0 && of_scripts <= 1200, "{of_scripts}");
}

#[test]
fn what_is_left_of_the_duration_is_measured() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE marks (at timestamptz DEFAULT clock_timestamp())");
    session.value("CREATE TABLE draws (client int, draw bigint)");
    let run = session.start_busy_run(
        "script => E'\\\\set x random(1, 1000000000000)\\nINSERT INTO draws VALUES (:client_id, :x);', clients => 2, \
         duration => '6 s', rate => 100, sample_interval => '0.2 s', random_seed => 7, warmup => '0.5 s', \
         before_sql => 'INSERT INTO marks DEFAULT VALUES', resume => true",
    );
    session.await_intervals(run, 3);
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    // Not preloaded: it continues when somebody resumes it.
    sleep(Duration::from_secs(1));
    assert_eq!(session.status(run), "interrupted");
    assert_eq!(session.value("SELECT pgperf.resume_run()"), run.to_string());
    wait_for_segment(&mut session, run, 1);
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.resume_run()");
    assert_eq!(sqlstate, "55006");
    assert!(message.contains("it is running"), "{message}");
    assert!(hint.contains("wait_run"), "{hint}");
    assert_eq!(
        session.value(&format!(
            "SELECT percent > 0 AND elapsed_s < 6.5 AND abs(elapsed_s + eta_s - 6) < 1 FROM pgperf.progress WHERE run_id = {run}"
        )),
        "t"
    );
    session.wait_for_status(run, "finished");
    expect_sums(&mut session, run);
    let seconds = session.value(&format!(
        "SELECT abs(duration_s - 6) < 0.5 FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(seconds, "t", "the segments' durations add up to 6 s");
    assert_eq!(session.number("SELECT count(*) FROM marks"), 1);
    // The schedule has not caught up with the gap.
    let done = session.total(run, "transactions");
    assert!((500..700).contains(&done), "{done} at a rate of 100");
    // The warm-up's draws are others again, and none comes twice.
    assert_eq!(
        session.number("SELECT count(*) - count(DISTINCT draw) FROM draws"),
        0
    );
    let statements = session.value(&format!(
        "SELECT bool_and(calls BETWEEN 1 AND {done}) FROM pgperf.run_statements WHERE run_id = {run}"
    ));
    assert_eq!(statements, "t");
}

/// Scripts lack what was done just before the interruption; these figures must not.
#[test]
fn metrics_of_the_workload_are_of_all_segments() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('bulk_insert', schema => 'public')");
    let run = session.start_busy_run(
        "'bulk_insert', clients => 1, duration => '4 s', sample_interval => '0.2 s', options => '{\"rows\": 10}', resume => true",
    );
    session.await_intervals(run, 8);
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.value("SELECT pgperf.resume_run()"), run.to_string());
    session.wait_for_status(run, "finished");
    let lacking = session.value(&format!(
        "SELECT max(s.calls) < r.transactions FROM pgperf.run_statements s JOIN pgperf.run_summary r USING (run_id) \
          WHERE s.run_id = {run} GROUP BY r.transactions"
    ));
    assert_eq!(lacking, "t");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(format('%s %s', m.metric, \
                       round(m.value / CASE m.metric WHEN 'events' THEN r.transactions ELSE r.tps END)), ', ' ORDER BY m.metric) \
               FROM pgperf.run_metrics m JOIN pgperf.run_summary r USING (run_id) \
              WHERE m.run_id = {run} AND m.metric IN ('events', 'rows_per_second')"
        )),
        "events 10, rows_per_second 10"
    );
}

#[test]
fn limits_count_over_all_segments() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "script => 'SELECT 1 / 0;', continue_on_error => true, clients => 1, rate => 20, transactions_per_client => 1000000, \
         sample_interval => '0.2 s', limits => '{\"errors\": 60}', resume => true",
    );
    wait_until("failures", PATIENCE, || {
        session.number(&format!(
            "SELECT coalesce(sum(failed), 0) FROM pgperf.run_intervals WHERE run_id = {run}"
        )) >= 10
    });
    // What a leader stores does not wait for the disk: now a crash does not lose it.
    session.value("CHECKPOINT");
    cluster.crash();
    cluster.start();
    session = cluster.connect();
    wait_for_segment(&mut session, run, 1);
    session.wait_for_status(run, "stopped");
    expect_sums(&mut session, run);
    let failed = session.total(run, "failed");
    assert!((60..80).contains(&failed), "{failed} failed");
    let first = session.number(&format!(
        "SELECT sum(failed) FROM pgperf.run_intervals i JOIN pgperf.run_segments s USING (run_id) \
         WHERE run_id = {run} AND segment_no = 1 AND interval_no < s.first_interval_no"
    ));
    assert!(first >= 10, "{first} in the first segment");

    cluster.reconfigure(&["pgperf.max_run_time = 5"]);
    let run = session.start_busy_run(
        "'select-only', transactions_per_client => 1000000000, rate => 100, sample_interval => '0.2 s', resume => true",
    );
    wait_until("three seconds", PATIENCE, || {
        session.number(&format!(
            "SELECT floor(duration_s) FROM pgperf.run_summary WHERE run_id = {run}"
        )) >= 3
    });
    cluster.crash();
    cluster.start();
    session = cluster.connect();
    session.wait_for_status(run, "stopped");
    assert!(of_run(&mut session, run, "error").contains("max_run_time"));
    let seconds = session.value(&format!(
        "SELECT duration_s BETWEEN 3 AND 5.9 FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(seconds, "t");
}

/// The limit of a run's WAL counts what the server has written while its leaders lived.
#[test]
fn wal_of_earlier_segments_counts_on() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "script => 'SELECT 1;', rate => 20, duration => '1 h', sample_interval => '0.2 s', resume => true",
    );
    let kept = |session: &mut Client, key: &str| {
        session.number(&format!(
            "SELECT state ->> '{key}' FROM pgperf_internal.resume_points WHERE run_id = {run}"
        ))
    };
    // Far more than a segment writes until its first interval is stored.
    session.value("CREATE TABLE big AS SELECT repeat('x', 1000) FROM generate_series(1, 60000)");
    wait_until("the WAL of the first segment", PATIENCE, || {
        kept(&mut session, "wal_written") > 50_000_000
    });
    let before = kept(&mut session, "wal_written");
    for segment in 1..=2 {
        // What a leader stores does not wait for the disk: now a crash does not lose it.
        session.value("CHECKPOINT");
        cluster.crash();
        cluster.start();
        session = cluster.connect();
        wait_for_segment(&mut session, run, segment);
        wait_until("an interval of the segment", PATIENCE, || {
            kept(&mut session, "segments") == segment + 1
        });
        let written = kept(&mut session, "wal_written");
        assert!(
            written >= before,
            "{before} bytes were written, then {written}"
        );
    }
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
}

#[test]
fn statements_and_errors_add_up_too() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "scripts => ARRAY['SELECT 1 / (1 - :client_id);', 'SELECT 2;'], clients => 2, rate => 50, duration => '1 h', \
         continue_on_error => true, sample_interval => '0.2 s', resume => true",
    );
    wait_until("the details", PATIENCE, || {
        session
            .number("SELECT count(*) FROM pgperf_internal.resume_points WHERE details IS NOT NULL")
            == 1
    });
    let stored = |session: &mut Client, path: &str| {
        session.number(&format!(
            "SELECT details #>> '{path}' FROM pgperf_internal.resume_points"
        ))
    };
    let errors = stored(&mut session, "{errors,0,occurrences}");
    let calls = stored(&mut session, "{commands,1,latencies,moments,count}");
    let of_script = stored(&mut session, "{scripts,1,latencies,moments,count}");
    assert!(
        errors > 50 && calls > 100 && calls == of_script,
        "{errors} {calls}"
    );
    // The leader does not wait for the disk, and these clients write nothing.
    session.await_intervals(run, 5);
    cluster.crash();
    cluster.start();
    session = cluster.connect();
    wait_for_segment(&mut session, run, 1);
    // A second of the further segment, with errors.
    session.await_intervals(run, 5);
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
    expect_sums(&mut session, run);
    let of = |session: &mut Client, what: &str| session.number(&format!("{what} = {run}"));
    let told = of(
        &mut session,
        "SELECT sum(occurrences) FROM pgperf.run_errors WHERE sqlstate = '22012' AND run_id",
    );
    let failed = session.total(run, "failed");
    assert!(
        told > errors && told <= failed,
        "{errors}, {told} of {failed}"
    );
    assert_eq!(
        of(
            &mut session,
            "SELECT count(*) FROM pgperf.run_errors WHERE run_id"
        ),
        1
    );
    let called = of(
        &mut session,
        "SELECT sum(calls) FROM pgperf.run_statements WHERE statement LIKE '%2%' AND script_no = 1 AND run_id",
    );
    let counted = of(
        &mut session,
        "SELECT transactions FROM pgperf.run_scripts WHERE script_no = 1 AND run_id",
    );
    assert!(
        called > calls && called == counted,
        "{calls}, {called}, {counted}"
    );
    assert!(counted <= session.total(run, "transactions"));
}

#[test]
fn what_was_not_yet_measured_begins_anew() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE marks (at timestamptz DEFAULT clock_timestamp())");
    let run = session.start_run(
        "'tpcb-like', clients => 2, transactions_per_client => 50, before_sql => 'INSERT INTO marks DEFAULT VALUES', \
         warmup => '3 s', resume => true",
    );
    session.wait_for_status(run, "warming up");
    cluster.crash();
    cluster.start();
    session = cluster.connect();
    session.wait_for_status(run, "finished");
    assert_eq!(session.total(run, "transactions"), 100);
    assert_eq!(segments(&mut session, run), 1);
    assert_eq!(session.number("SELECT count(*) FROM marks"), 2);
    expect_sums(&mut session, run);
}
