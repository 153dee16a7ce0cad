//! The best of many.

use super::{finished, status, wait_for};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, wait_until};

/// Points differ by the time that a client sleeps: a setting of the sessions decides on it. The worst is slower by 500 ms in every
/// transaction, whatever else the machine does.
const SLEEPS: &str = "settings_grid => '{\"work_mem\": [\"1MB\", \"2MB\", \"520MB\"]}', \
    script => 'SELECT pg_sleep(pg_size_bytes(current_setting(''work_mem'')) / 1048576 / 1000.0);'";

#[test]
fn who_is_much_worse_leaves_early() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = session.number(&format!(
        "SELECT pgperf.find_best({SLEEPS}, repetitions => 8, margin => '50%', \
             sweep_options => '{{\"transactions_per_client\": 3, \"collectors\": []}}')"
    ));
    wait_for(&mut session, sweep, "finished");
    let rows = format!(
        "SELECT count(*) = 3 AND count(*) FILTER (WHERE verdict = 'best') = 1 \
            AND bool_and(verdict = 'worse' AND left_after < 8 AND runs = left_after AND change_percent < -50) FILTER (WHERE combination = 'work_mem=520MB') \
         FROM pgperf.sweep_race({sweep})"
    );
    assert_eq!(session.value(&rows), "t");
    // Fewer runs than the grid, each of them once.
    let cost = format!(
        "SELECT finished < 24 AND finished = runs AND repetitions = 8 AND failed = 0 FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    );
    assert_eq!(session.value(&cost), "t");
    let report = format!(
        "SELECT string_agg(l, ' ') ~ 'Race by tps: the best is work_mem=[12]MB, 1 client\\..*of the grid''s 24 runs' FROM pgperf.sweep_report({sweep}) l"
    );
    assert_eq!(session.value(&report), "t");
}

#[test]
fn a_race_survives_a_stop_and_a_crash() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    // Equals, which nothing tells apart: margin 0 leaves nobody as good.
    let sweep = session.number(
        "SELECT pgperf.find_best(clients => '{1,2}', script => 'SELECT pg_sleep(0.02);', \
             metric => 'latency_stddev_ms', repetitions => 1000, margin => '0%', \
             sweep_options => '{\"transactions_per_client\": 3, \"collectors\": []}')",
    );
    wait_until("a third round", PATIENCE, || {
        finished(&mut session, sweep) >= 5 || status(&mut session, sweep) == "finished"
    });
    session.value("SELECT pgperf.stop_sweep()");
    wait_until("its end", PATIENCE, || {
        ["stopped", "finished"].contains(&status(&mut session, sweep).as_str())
    });
    let made = finished(&mut session, sweep);
    let resume = format!("SELECT pgperf.resume_sweep({sweep})");
    if session.value(&resume) == "t" {
        wait_until("a further run", PATIENCE, || {
            finished(&mut session, sweep) > made || status(&mut session, sweep) == "finished"
        });
        drop(session);
        cluster.restart(StopMode::Immediate);
        session = cluster.connect();
        if session.value(&resume) == "t" {
            let made = finished(&mut session, sweep);
            wait_until("a run after the crash", PATIENCE, || {
                finished(&mut session, sweep) > made || status(&mut session, sweep) == "finished"
            });
            session.value("SELECT pgperf.stop_sweep()");
        }
    }
    // Each round has each point once.
    let once = format!(
        "SELECT count(DISTINCT (point_no, repetition)) = count(*) AND max(position) = count(*) AND max(repetition) * 2 >= count(*) \
         FROM pgperf.sweep_runs WHERE sweep_id = {sweep}"
    );
    assert_eq!(session.value(&once), "t");
    wait_until("its end", PATIENCE, || {
        ["stopped", "finished"].contains(&status(&mut session, sweep).as_str())
    });
    session.expect_no_workers("stop_sweep");
}

/// What the machine does meanwhile does not always meet the same point: no two points come in the same order in all rounds that are not
/// planned from the beginning.
#[test]
fn each_round_has_an_order_of_its_own() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    // Chance alone makes a point seem better than another.
    let sweep = session.number(
        "SELECT pgperf.find_best(settings_grid => '{\"work_mem\": [\"4MB\", \"5MB\", \"6MB\", \"7MB\"]}', \
             script => 'SELECT pg_sleep(0.02 * random());', repetitions => 6, margin => '0%', \
             sweep_options => '{\"transactions_per_client\": 1, \"collectors\": [], \"random_seed\": 3}')",
    );
    wait_for(&mut session, sweep, "finished");
    let rounds = session.value(&format!(
        "SELECT string_agg(points, ' ' ORDER BY repetition) FROM ( \
             SELECT repetition, string_agg(point_no::text, '-' ORDER BY position) AS points FROM pgperf.sweep_runs \
              WHERE sweep_id = {sweep} GROUP BY repetition) r"
    ));
    let changes = session.number(&format!(
        "SELECT max(orders) FROM (SELECT count(DISTINCT a.position < b.position) AS orders FROM pgperf.sweep_runs a \
             JOIN pgperf.sweep_runs b USING (sweep_id, repetition) \
             WHERE sweep_id = {sweep} AND a.point_no < b.point_no AND repetition > 2 GROUP BY a.point_no, b.point_no) p"
    ));
    assert_eq!(changes, 2, "{rounds}");
}
