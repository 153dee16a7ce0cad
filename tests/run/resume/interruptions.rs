//! Crashes, restarts and failed attempts, and what a user can do about an interrupted run.

use super::{LONG, PRELOADED, expect_sums, history_rows, of_run, segments, wait_for_segment};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_run_survives_crashes_and_restarts_of_a_preloaded_server() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
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
    let cluster = Cluster::for_runs(&[PRELOADED]);
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
fn an_interrupted_run_is_stopped_deleted_or_resumed_but_once() {
    let cluster = Cluster::for_runs(&[]);
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
fn attempts_in_vain_come_to_an_end() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
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
