//! Signals to the server-wide processes of a preloaded pgperf: the launcher of samplers, and the resumer of
//! interrupted runs.

use crate::common::aftermath::{Aftermath, Victim};
use crate::common::runs::{CALM, NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, wait_for, wait_until};
use postgres::Client;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
const LAUNCHER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf launcher'";
const SAMPLER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sampler' AND datname = 'postgres'";
/// One that cannot do its work: it has been there for longer than that takes.
const RESUMER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf resumer' \
     AND datname = 'postgres' AND backend_start < clock_timestamp() - interval '1 s'";

/// A preloaded cluster with a sampler in database postgres.
fn cluster() -> (Cluster, Client) {
    let databases = "pgperf.sampler_databases = 'postgres'";
    let cluster = Cluster::for_faults(&[PRELOADED, databases, NO_BUDGET]);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wal'");
    wait_for_one(&mut session, SAMPLER, "");
    (cluster, session)
}

/// Waits until that process is there, and another than it was.
fn wait_for_one(session: &mut Client, process: &str, before: &str) -> String {
    let mut pid = String::new();
    wait_until(process, PATIENCE, || {
        pid = session.value(process);
        !pid.is_empty() && pid != before
    });
    pid
}

fn wait_for_samples(session: &mut Client) {
    let samples = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";
    let before = session.number(samples);
    wait_until("samples", PATIENCE, || session.number(samples) > before);
}

fn send(session: &mut Client, function: &str, pid: &str) {
    assert_eq!(session.value(&format!("SELECT {function}({pid})")), "t");
}

/// Expects that the launcher does its work: a sampler that is gone comes back.
fn expect_a_launcher_at_work(session: &mut Client) {
    let sampler = wait_for_one(session, SAMPLER, "");
    send(session, "pg_terminate_backend", &sampler);
    wait_for_one(session, SAMPLER, &sampler);
    wait_for_samples(session);
    // One that meets its predecessor, which has not ended yet, leaves; the launcher starts another.
    let samplers = format!("SELECT count(*) FROM ({SAMPLER}) s");
    wait_for("one sampler", "1", PATIENCE, || session.value(&samplers));
    assert_eq!(
        session.number(&format!("SELECT count(*) FROM ({LAUNCHER}) l")),
        1
    );
}

#[test]
fn the_launcher_can_be_ended_during_a_run() {
    let (cluster, mut session) = cluster();
    let met = Victim::busy(&mut session);
    let leader = session.leader(met.run);
    let sampler = session.value(SAMPLER);
    let launcher = session.value(LAUNCHER);
    // There is nothing that could be cancelled.
    send(&mut session, "pg_cancel_backend", &launcher);
    expect_a_launcher_at_work(&mut session);
    assert_eq!(session.value(LAUNCHER), launcher);

    let sampler = wait_for_one(&mut session, SAMPLER, &sampler);
    send(&mut session, "pg_terminate_backend", &launcher);
    let launcher = wait_for_one(&mut session, LAUNCHER, &launcher);
    assert_eq!(session.value(SAMPLER), sampler, "the sampler stays");
    expect_a_launcher_at_work(&mut session);

    // Neither has disturbed the run.
    assert_eq!(session.leader(met.run), leader);
    session.await_intervals(met.run, 3);
    session.value("SELECT pgperf.stop_all()");
    met.expect_end(&mut session, "stopped", "");
    cluster.expect_no_crash();

    let met = Victim::busy(&mut session);
    let pid = launcher.parse().expect("a process id");
    let mut session = cluster.crash_process(&mut session, pid);
    met.expect_end(&mut session, "interrupted", "");
    wait_for_one(&mut session, LAUNCHER, &launcher);
    expect_a_launcher_at_work(&mut session);
    assert!(!cluster.log().contains("PANIC"));
}

/// A launcher that begins has the run looked for, and what is being dropped cannot be looked at: the session that drops
/// it, and the process that cannot look.
fn held_up_resumer(cluster: &Cluster, session: &mut Client) -> (Client, String) {
    let mut holder = cluster.connect();
    holder
        .batch_execute("BEGIN; DROP EXTENSION pgperf CASCADE")
        .expect("a drop");
    let launcher = session.value(LAUNCHER);
    send(session, "pg_terminate_backend", &launcher);
    wait_for_one(session, LAUNCHER, &launcher);
    let resumer = wait_for_one(session, RESUMER, "");
    (holder, resumer)
}

#[test]
fn the_resumer_can_be_ended() {
    let (cluster, mut session) = cluster();
    let met = Victim::start(&mut session, &format!("{CALM}, resume => true"));
    let leader = session.leader(met.run).to_string();
    send(&mut session, "pg_terminate_backend", &leader);
    session.wait_for_status(met.run, "interrupted");
    for (function, why) in [
        (
            "pg_cancel_backend",
            "cannot look for interrupted runs: the extension is locked",
        ),
        (
            "pg_terminate_backend",
            "terminating background worker \"pgperf resumer\"",
        ),
    ] {
        let (mut holder, resumer) = held_up_resumer(&cluster, &mut session);
        send(&mut session, function, &resumer);
        wait_until("its end", PATIENCE, || session.value(RESUMER).is_empty());
        assert!(cluster.log().contains(why), "{why}");
        holder.batch_execute("ROLLBACK").expect("the extension");
        assert_eq!(session.status(met.run), "interrupted", "after {function}");
        session.expect_nothing_left(function);
    }
    cluster.expect_no_crash();

    let (_holder, resumer) = held_up_resumer(&cluster, &mut session);
    let pid = resumer.parse().expect("a process id");
    let mut session = cluster.crash_process(&mut session, pid);
    // The lock went with its session: the next resumer finds the run.
    session.wait_for_status(met.run, "running");
    wait_until("a further segment", PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_segments WHERE run_id = {} AND seconds > 0",
            met.run
        )) == 2
    });
    session.value("SELECT pgperf.stop_all()");
    met.expect_end(&mut session, "stopped", "");
}
