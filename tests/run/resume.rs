//! Runs with `resume => true` after interruptions of every kind.

use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
/// Lasts as long as nobody ends it.
const LONG: &str =
    "'tpcb-like', clients => 2, duration => '1 h', sample_interval => '0.2 s', resume => true";

fn history_rows(session: &mut Client) -> i64 {
    session.number("SELECT count(*) FROM pgbench_history")
}

fn segments(session: &mut Client, run: i64) -> i64 {
    session.number(&format!(
        "SELECT count(*) FROM pgperf.run_segments WHERE run_id = {run}"
    ))
}

/// A column of the run's row of `pgperf.runs`.
fn of_run(session: &mut Client, run: i64, column: &str) -> String {
    session.value(&format!(
        "SELECT {column} FROM pgperf.runs WHERE run_id = {run}"
    ))
}

/// Waits until a run has a segment of that number that stores intervals.
fn wait_for_segment(session: &mut Client, run: i64, number: i64) {
    wait_until("a further segment", PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_segments WHERE run_id = {run} AND segment_no = {number} AND seconds > 0"
        )) == 1
    });
}

/// Properties of a run's figures, however many segments it has.
fn expect_sums(session: &mut Client, run: i64) {
    let wrong = session.value(&format!(
        "WITH i AS (SELECT sum(transactions) AS transactions, sum(seconds) AS seconds, sum(wal_bytes) AS wal_bytes, \
                       sum(failed) AS failed, count(*) AS count, max(interval_no) AS last, min(interval_no) AS first \
                    FROM pgperf.run_intervals WHERE run_id = {run}), \
              s AS (SELECT sum(transactions) AS transactions, sum(seconds) AS seconds, count(*) AS count, \
                       max(segment_no) AS last, sum(gap_s) AS gap_s, count(*) FILTER (WHERE gap_s > 0) AS gaps \
                    FROM pgperf.run_segments WHERE run_id = {run}), \
              t AS (SELECT * FROM pgperf_internal.run_totals WHERE run_id = {run}) \
         SELECT concat_ws(', ', \
            CASE WHEN (i.first, i.last + 1) IS DISTINCT FROM (0, i.count) THEN 'numbers of intervals' END, \
            CASE WHEN i.transactions IS DISTINCT FROM t.transactions THEN format('%s in intervals, %s in totals', i.transactions, t.transactions) END, \
            CASE WHEN i.failed IS DISTINCT FROM t.failed THEN 'failed' END, \
            CASE WHEN i.wal_bytes IS DISTINCT FROM t.wal_bytes THEN 'WAL' END, \
            CASE WHEN abs(i.seconds - t.seconds) < 1e-3 IS NOT TRUE THEN format('%s s in intervals, %s s in totals', i.seconds, t.seconds) END, \
            CASE WHEN s.transactions IS DISTINCT FROM t.transactions THEN 'transactions of segments' END, \
            CASE WHEN abs(s.seconds - t.seconds) < 1e-3 IS NOT TRUE THEN 'seconds of segments' END, \
            CASE WHEN (s.last + 1, s.gaps + 1) IS DISTINCT FROM (s.count, s.count) THEN 'numbers of segments' END, \
            (SELECT 'histogram' FROM pgperf.histogram_buckets(t.histogram) b HAVING abs(sum(b.count) - t.transactions) > 100), \
            (SELECT 'scripts' FROM pgperf.run_scripts c WHERE c.run_id = {run} HAVING sum(c.transactions) > t.transactions), \
            (SELECT 'statements' FROM pgperf.run_statements c WHERE c.run_id = {run} AND calls > t.transactions LIMIT 1)) \
         FROM i, s, t",
    ));
    assert_eq!(wrong, "");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.resume_points"),
        0,
        "a run that has ended needs none"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"() WHERE NOT passed"),
        0
    );
}

#[test]
fn a_run_survives_crashes_and_restarts_of_a_preloaded_server() {
    let cluster = Cluster::with_data(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(LONG);
    for interruption in 1..=5 {
        sleep(Duration::from_millis(70 * interruption as u64));
        let counted = session.total(run, "transactions");
        match interruption {
            2 => cluster.stop(StopMode::Fast),
            4 => cluster.stop(StopMode::Immediate),
            _ => cluster.crash(),
        }
        cluster.start();
        session = cluster.connect();
        wait_for_segment(&mut session, run, interruption);
        assert_eq!(session.status(run), "running");
        let kept = session.number(&format!(
            "SELECT sum(transactions) FROM pgperf.run_segments WHERE run_id = {run} AND segment_no < {interruption}"
        ));
        assert!(kept >= counted, "{counted} were counted, {kept} are");
    }
    assert_eq!(
        of_run(&mut session, run, "resumed_at > measured_at AND resume"),
        "t"
    );
    assert_eq!(session.value("SELECT pgperf.stop_run()"), "t");
    session.wait_for_status(run, "stopped");
    expect_sums(&mut session, run);
    let (counted, done) = (
        session.total(run, "transactions"),
        history_rows(&mut session),
    );
    assert!(counted <= done, "{counted} counted, {done} done");
    // What was lost is what was done in the intervals that were not stored: five of them, of 0.2 s, on a machine that may
    // be busy.
    let lost = done - counted;
    assert!(lost * 2 < counted, "{lost} of {done} are not counted");
    println!("{done} done, {counted} counted, {lost} lost in 5 interruptions");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws(' ', segment_no, ended_by), ', ' ORDER BY segment_no) \
             FROM pgperf.run_segments WHERE run_id = {run}"
        )),
        "0 interrupted, 1 interrupted, 2 interrupted, 3 interrupted, 4 interrupted, 5 stopped"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(DISTINCT reason, ', ') FROM pgperf.run_segments WHERE run_id = {run}"
        )),
        "the server was started again"
    );
    let report = session.value(&format!(
        "SELECT string_agg(line, ' ') FROM pgperf.report({run}) line"
    ));
    assert!(report.contains("interrupted 5 times"), "{report}");
    assert!(!cluster.log().contains("PANIC"));
    // It has ended: the next start has nothing to resume.
    cluster.restart(StopMode::Fast);
    sleep(Duration::from_secs(1));
    let mut session = cluster.connect();
    assert_eq!(session.status(run), "stopped");
    assert_eq!(segments(&mut session, run), 6);
}

#[test]
fn a_crash_of_one_process_is_an_interruption_like_any_other() {
    let cluster = Cluster::with_data(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(LONG);
    let client = session.client(run, 1);
    cluster.crash_backend(client.try_into().expect("a process id"));
    let mut session = cluster.connect();
    wait_for_segment(&mut session, run, 1);
    assert_eq!(
        session.value(&format!(
            "SELECT reason FROM pgperf.run_segments WHERE run_id = {run} AND segment_no = 0"
        )),
        "the leader went away, or all processes after a crash"
    );
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
    expect_sums(&mut session, run);
}

#[test]
fn what_is_left_of_the_transactions_is_done() {
    let cluster = Cluster::with_data(&[PRELOADED]);
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
    let cluster = Cluster::with_data(&[]);
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

#[test]
fn an_interrupted_run_is_stopped_deleted_or_resumed_but_once() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let runs: Vec<i64> = (0..3)
        .map(|_| {
            let run = session.start_busy_run(LONG);
            session.value(&format!(
                "SELECT pg_terminate_backend({})",
                session_leader(&cluster, run)
            ));
            session.wait_for_status(run, "interrupted");
            session.expect_no_workers("the end of the leader");
            run
        })
        .collect();
    let [stopped, deleted, resumed] = runs[..] else {
        panic!("three runs")
    };
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({stopped})")),
        "t"
    );
    assert_eq!(session.status(stopped), "stopped");
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({stopped})")),
        "f"
    );
    assert!(session.total(stopped, "transactions") > 0);
    let resume = |run: i64| format!("SELECT pgperf.resume_run({run})");
    let (sqlstate, message, hint) = error_of(&mut session, &resume(stopped));
    assert_eq!(sqlstate, "55000");
    assert!(message.contains("it is stopped"), "{message}");
    assert!(
        hint.contains("Only an interrupted run can be resumed"),
        "{hint}"
    );
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_run({deleted})")),
        "t"
    );
    assert_eq!(error_of(&mut session, &resume(deleted)).0, "42704");
    // A rollback starts nothing, and of two at a time one waits for the other.
    for way in [
        format!("BEGIN; {}; ROLLBACK", resume(resumed)),
        format!(
            "BEGIN; SAVEPOINT s; {}; ROLLBACK TO s; COMMIT",
            resume(resumed)
        ),
    ] {
        session.batch_execute(&way).expect(&way);
        session.expect_no_workers(&way);
        assert_eq!(session.status(resumed), "interrupted");
    }
    session.value("BEGIN");
    session.value(&resume(resumed));
    let mut other = cluster.connect();
    let (refused, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| error_of(&mut other, &resume(resumed)));
        sleep(Duration::from_millis(300));
        let waits = !second.is_finished();
        session.value("COMMIT");
        (second.join().expect("the other session"), waits)
    });
    assert_eq!(refused.0, "55006");
    assert!(second, "it waits for the first");
    wait_for_segment(&mut session, resumed, 1);
    assert_eq!(session.value("SELECT pgperf.stop_run()"), "t");
    session.wait_for_status(resumed, "stopped");
    expect_sums(&mut session, resumed);
    // One that was not asked for.
    let plain =
        session.start_busy_run("'tpcb-like', duration => '1 h', sample_interval => '0.2 s'");
    session.value(&format!(
        "SELECT pg_terminate_backend({})",
        session_leader(&cluster, plain)
    ));
    session.wait_for_status(plain, "interrupted");
    let (sqlstate, message, hint) = error_of(&mut session, &resume(plain));
    assert_eq!(sqlstate, "55000");
    assert!(message.contains("without resume => true"), "{message}");
    assert!(hint.contains("start_run"), "{hint}");
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({plain})")),
        "f"
    );
}

fn session_leader(cluster: &Cluster, run: i64) -> i64 {
    cluster.connect().leader(run)
}

#[test]
fn a_role_that_may_no_longer_is_told_and_nothing_starts() {
    let cluster = Cluster::with_data(&[PRELOADED]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE bench LOGIN; GRANT USAGE ON SCHEMA pgperf TO bench; \
             GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.resume_run TO bench; \
             CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA pgperf TO stranger; \
             GRANT EXECUTE ON FUNCTION pgperf.resume_run TO stranger",
        )
        .expect("roles");
    let run = cluster.connect_as("bench").number(
        "SELECT pgperf.start_run(script => 'SELECT 1;', rate => 50, duration => '1 h', sample_interval => '0.2 s', resume => true)",
    );
    session.await_intervals(run, 2);
    for (change, undo, sqlstate, reason) in [
        (
            "ALTER ROLE bench NOLOGIN",
            "ALTER ROLE bench LOGIN",
            "28000",
            "is not permitted to log in",
        ),
        (
            "REVOKE EXECUTE ON FUNCTION pgperf.start_run FROM bench",
            "GRANT EXECUTE ON FUNCTION pgperf.start_run TO bench",
            "42501",
            "may no longer start runs",
        ),
        (
            "ALTER ROLE bench RENAME TO gone",
            "ALTER ROLE gone RENAME TO bench",
            "42704",
            "does not exist",
        ),
        (
            "ALTER SYSTEM SET pgperf.allow_load = off",
            "ALTER SYSTEM RESET pgperf.allow_load",
            "55000",
            "pgperf.allow_load is off",
        ),
    ] {
        let before = segments(&mut session, run);
        session.value(change);
        cluster.restart(StopMode::Fast);
        session = cluster.connect();
        wait_until("the reason", PATIENCE, || {
            !of_run(&mut session, run, "error").is_empty()
        });
        assert_eq!(session.status(run), "interrupted", "{change}");
        assert_eq!(of_run(&mut session, run, "sqlstate"), sqlstate, "{change}");
        let error = of_run(&mut session, run, "error");
        assert!(error.contains(reason), "{change}: {error}");
        let (told, ..) = error_of(&mut session, "SELECT pgperf.resume_run()");
        assert_eq!(told, sqlstate, "{change}");
        session.value(undo);
        session.value("SELECT pg_reload_conf()");
        if sqlstate == "42501" {
            let mut stranger = cluster.connect_as("stranger");
            let (told, message, _) = error_of(&mut stranger, "SELECT pgperf.resume_run()");
            assert_eq!(told, "42501");
            assert!(message.contains("must be a member of role"), "{message}");
        }
        wait_until("the setting", PATIENCE, || {
            session.value("SHOW pgperf.allow_load") == "on"
        });
        cluster
            .connect_as("bench")
            .value("SELECT pgperf.resume_run()");
        wait_for_segment(&mut session, run, before);
        assert_eq!(of_run(&mut session, run, "error IS NULL"), "t");
    }
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
}

#[test]
fn it_goes_on_at_its_own_place_only() {
    let cluster = Cluster::with_data(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(LONG);
    // A dump of the running server, restored elsewhere: another node, whose runs these are not. A cluster made from the
    // same template has the same system identifier, so that the same database there is taken for the same node: that
    // it is at another place has to do.
    let dump = cluster.program("pg_dump").output().expect("pg_dump");
    assert!(dump.status.success());
    let other = Cluster::new(&[PRELOADED]);
    let file = other.socket_dir().join("dump.sql");
    std::fs::write(&file, &dump.stdout).expect("the dump");
    other.run_sql("CREATE DATABASE elsewhere");
    for database in ["postgres", "elsewhere"] {
        let restored = other
            .program("psql")
            .args(["-X", "-q", "-d", database, "-f"])
            .arg(&file)
            .output()
            .expect("psql");
        assert!(restored.status.success());
    }
    other.restart(StopMode::Fast);
    let mut copy = other.connect();
    wait_until("the reason", PATIENCE, || {
        of_run(&mut copy, run, "error").contains("it ran on")
    });
    assert_eq!(copy.status(run), "interrupted");
    let mut elsewhere = other.connect_to("elsewhere");
    let points = elsewhere.number("SELECT count(*) FROM pgperf_internal.resume_points");
    assert_eq!(points, 1);
    for call in [
        "SELECT pgperf.resume_run()".to_owned(),
        format!("SELECT pgperf.resume_run({run})"),
    ] {
        assert_eq!(error_of(&mut elsewhere, &call).0, "42704");
    }

    // A standby shows it as it is on the primary, and does nothing.
    session.value("SELECT pg_create_physical_replication_slot('standby', true)");
    let standby = cluster.standby("standby");
    let mut reader = standby.connect();
    reader.await_intervals(run, 2);
    let (sqlstate, message, _) = error_of(&mut reader, "SELECT pgperf.resume_run()");
    assert_eq!(sqlstate, "25006");
    assert!(message.contains("standby"), "{message}");
    cluster.crash();
    // Promoted, it is another place: it does not take over the load by itself, but may be asked to.
    assert_eq!(reader.value("SELECT pg_promote()"), "t");
    wait_until("the reason", PATIENCE, || {
        !of_run(&mut reader, run, "error").is_empty()
    });
    let error = of_run(&mut reader, run, "error");
    assert!(
        error.contains("timeline 1") && error.contains("timeline 2"),
        "{error}"
    );
    assert_eq!(reader.status(run), "interrupted");
    assert_eq!(reader.value("SELECT pgperf.resume_run()"), run.to_string());
    wait_for_segment(&mut reader, run, 1);
    reader.value("SELECT pgperf.stop_run()");
    reader.wait_for_status(run, "stopped");
    expect_sums(&mut reader, run);

    // The old primary comes back as a standby: no launcher, no load.
    std::fs::write(cluster.data_dir().join("standby.signal"), "").expect("standby.signal");
    cluster.start();
    sleep(Duration::from_secs(1));
    let mut session = cluster.connect();
    assert_eq!(session.workers(), 0);
    assert_eq!(copy.workers(), 1, "the launcher");
}

#[test]
fn attempts_in_vain_come_to_an_end() {
    let cluster = Cluster::with_data(&[PRELOADED]);
    let mut session = cluster.connect();
    // No interval ends before the server does.
    let run = session.start_run(
        "'tpcb-like', clients => 2, duration => '1 h', sample_interval => '1 h', resume => true",
    );
    session.wait_for_status(run, "running");
    for attempt in 1..=3 {
        cluster.crash();
        cluster.start();
        session = cluster.connect();
        wait_until("the attempt", PATIENCE, || {
            session.number("SELECT tries FROM pgperf_internal.resume_points") == attempt
        });
        session.wait_for_status(run, "running");
    }
    cluster.crash();
    cluster.start();
    session = cluster.connect();
    wait_until("the end of it", PATIENCE, || {
        of_run(&mut session, run, "error").contains("3 attempts in a row")
    });
    assert_eq!(session.status(run), "interrupted");
    // By hand it goes on all the same.
    session.value("SELECT pgperf.resume_run()");
    session.wait_for_status(run, "running");
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
    expect_sums(&mut session, run);
}

#[test]
fn limits_count_over_all_segments() {
    let cluster = Cluster::with_data(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "script => 'SELECT 1 / 0;', continue_on_error => true, clients => 1, rate => 20, transactions_per_client => 1000000, \
         sample_interval => '0.2 s', limits => '{\"errors\": 60}', resume => true",
    );
    wait_until("failures", PATIENCE, || session.total(run, "failed") >= 20);
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
    let cluster = Cluster::with_data(&[PRELOADED]);
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
    // What a leader stores does not wait for the disk: now a crash does not lose it.
    session.value("CHECKPOINT");
    for segment in 1..=2 {
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
    let cluster = Cluster::with_data(&[PRELOADED]);
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
    let cluster = Cluster::with_data(&[PRELOADED]);
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
