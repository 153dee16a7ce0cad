//! Sweeps: every run of the grid is made, once, whatever happens in between.

mod callers;
mod dropped;
mod grids;
mod interruptions;
mod precise;
mod race;
mod restart_command;
mod restarts;
mod server_settings;
mod together;
mod values;

use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

/// Nine runs of select-only at 1, 2 and 4 clients.
const THREE_BY_THREE: &str = "'select-only', clients => '{1,2,4}', repetitions => 3, \
     duration => '0.6 s', sample_interval => '0.2 s', collectors => '{}'";

/// A sweep that lasts as long as nobody ends it.
const ENDLESS: &str = "clients => '{1,2}', repetitions => 2, collectors => '{}', \
     script => 'SELECT pg_catalog.pg_sleep(0.01);', duration => '1 h'";

fn start_sweep(session: &mut Client, arguments: &str) -> i64 {
    session.number(&format!("SELECT pgperf.start_sweep({arguments})"))
}

fn status(session: &mut Client, sweep: i64) -> String {
    session.value(&format!(
        "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    ))
}

fn wait_for(session: &mut Client, sweep: i64, expected: &str) {
    let what = format!("sweep {sweep}");
    crate::common::wait_for(&what, expected, PATIENCE * 2, || status(session, sweep));
}

/// How many runs of it have finished.
fn finished(session: &mut Client, sweep: i64) -> i64 {
    session.number(&format!(
        "SELECT finished FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    ))
}

/// Waits until one of its runs is measuring; that run.
fn wait_for_a_run(session: &mut Client, sweep: i64) -> i64 {
    let sql = format!(
        "SELECT r.run_id FROM pgperf.sweeps s JOIN pgperf.runs r USING (node_id, run_id) \
         WHERE s.sweep_id = {sweep} AND r.status = 'running'"
    );
    // One that was seen may have ended a moment later.
    let mut run = None;
    wait_until("a run of the sweep", PATIENCE, || {
        run = session.value(&sql).parse().ok();
        run.is_some()
    });
    run.expect("a run")
}

/// Every run is there, one after the other; points, peak and scalability say what the runs say.
fn expect_results(session: &mut Client, sweep: i64) {
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', points, repetitions, runs, finished, failed, eta_s IS NULL, error) \
             FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "3 3 9 9 0 t"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(format('%s:%s', clients, n), ' ' ORDER BY point_no) \
             FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
        )),
        "1:3 2:3 4:3"
    );
    let overlapping = session.number(&format!(
        "WITH runs AS (SELECT run_id, requested_at, ended_at FROM pgperf.runs WHERE sweep_id = {sweep}) \
         SELECT count(*) FROM runs a JOIN runs b ON a.run_id < b.run_id \
         WHERE b.requested_at < a.ended_at AND a.requested_at < b.ended_at"
    ));
    assert_eq!(overlapping, 0, "one run at a time");
    // Nothing of the sweep's views in it: the runs alone.
    let peak = session.value(&format!(
        "SELECT concat_ws(' ', clients, round(tps::numeric, 3)) FROM ( \
            SELECT r.clients, avg(t.transactions / t.seconds) AS tps FROM pgperf_internal.run_totals t \
            JOIN pgperf_internal.stored_runs r USING (node_id, run_id) \
            JOIN pgperf_internal.sweep_attempts a USING (node_id, run_id) \
            WHERE a.sweep_id = {sweep} AND r.stored_status = 'finished' GROUP BY r.clients) p \
         ORDER BY tps DESC LIMIT 1"
    ));
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', clients, round(tps::numeric, 3)) FROM pgperf.sweep_peak WHERE sweep_id = {sweep}"
        )),
        peak
    );
    assert_eq!(
        session.value(&format!(
            "SELECT clients = ANY (as_good_clients) AND tps BETWEEN tps_ci_low AND tps_ci_high AND n = 3 \
             FROM pgperf.sweep_peak WHERE sweep_id = {sweep}"
        )),
        "t"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', loads, n, lambda > 0, sigma >= 0, kappa >= 0, reason) \
             FROM pgperf.sweep_scalability({sweep})"
        )),
        "3 9 t t t"
    );
}
