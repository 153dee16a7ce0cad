//! Repetitions until each point is known well enough.

use super::{finished, start_sweep, status, wait_for};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// As precise as no run is: it makes further runs for as long as it is let.
const NEVER_PRECISE: &str = "script => 'SELECT 1;', transactions_per_client => 5, clients => '{1,2}', \
     repetitions => 1, until_precise => '0.000001%', max_repetitions => 1000, collectors => '{}'";
/// Four of each point are planned from the beginning.
const PLANNED: i64 = 8;

/// Waits until it has made this many runs.
fn wait_for_runs(session: &mut Client, sweep: i64, runs: i64) {
    wait_until("further runs", PATIENCE, || {
        finished(session, sweep) >= runs
    });
}

#[test]
fn further_runs_survive_a_stop_and_a_crash() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, NEVER_PRECISE);
    wait_for_runs(&mut session, sweep, PLANNED + 1);
    // What is left is shown while it runs, as long as the two have not a thousand runs each.
    wait_until("the time left", PATIENCE, || {
        session.value(&format!(
            "SELECT further_runs > 1000 AND eta_s > 0 FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )) == "t"
    });
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, sweep, "stopped");
    session.expect_no_workers("stop_sweep");
    let made = finished(&mut session, sweep);
    assert_eq!(
        session.value(&format!(
            "SELECT further_runs IS NULL AND runs > finished FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "t",
        "a run is missing"
    );

    let resume = format!("SELECT pgperf.resume_sweep({sweep})");
    assert_eq!(session.value(&resume), "t");
    wait_for_runs(&mut session, sweep, made + 2);
    drop(session);
    cluster.restart(StopMode::Immediate);
    let mut session = cluster.connect();
    assert_eq!(status(&mut session, sweep), "interrupted");
    let made = finished(&mut session, sweep);
    assert_eq!(session.value(&resume), "t");
    wait_for_runs(&mut session, sweep, made + 2);
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, sweep, "stopped");
    // Each repetition of a point was made once, whatever happened, and none was left out.
    assert_eq!(
        session.value(&format!(
            "SELECT count(DISTINCT (point_no, repetition)) = count(*) AND max(position) = count(*) \
                    AND count(*) FILTER (WHERE status <> 'finished') = 1 AND min(repetition) = 1 \
             FROM pgperf.sweep_runs WHERE sweep_id = {sweep}"
        )),
        "t"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT bool_and(n >= 4 AND NOT precise AND precision_percent > 0) FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
        )),
        "t"
    );
}
