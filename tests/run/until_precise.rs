//! Runs that end when their mean is known well enough.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;

/// Thirty intervals, after which the first look comes, take three seconds. Transactions have their own noise.
const SHORT: &str = "script => E'\\\\set ms random(1, 6)\\nSELECT pg_sleep(:ms / 1000.0);', sample_interval => '0.1 s', \
     collectors => '{}'";

#[test]
fn a_run_ends_as_soon_as_its_mean_is_known() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    // Within a half it is known at the first looks, however busy the machine is.
    let run = session.finish_long_run(&format!(
        "{SHORT}, clients => 2, duration => '1 h', until_precise => '50%'"
    ));
    let known = format!(
        "SELECT s.status = 'finished' AND s.duration_s BETWEEN 2.9 AND 600 AND m.value BETWEEN 0 AND 50 \
         FROM pgperf.run_summary s JOIN pgperf.run_metrics m USING (node_id, run_id) \
         WHERE run_id = {run} AND m.metric = 'tps_precision_percent'"
    );
    assert_eq!(session.value(&known), "t");
    // In percent: of a series that hardly resembles its neighbours somewhat more than by the formula for independent values, of 98 %.
    let naive = session.float(&format!(
        "SELECT 100 * 2.33 * stddev_samp(tps) / sqrt(count(*)) / avg(tps) FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    let told = session.float(&format!(
        "SELECT value FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'tps_precision_percent'"
    ));
    assert!(
        (naive / 3.0..naive * 30.0).contains(&told),
        "{told} %, {naive} % if they were independent"
    );
    // The intervals are whole, but for the one in which it ended.
    let whole = format!(
        "SELECT count(*) >= 30 AND max(interval_no) = count(*) - 1 FROM pgperf.run_intervals WHERE run_id = {run}"
    );
    assert_eq!(session.value(&whole), "t");
    let report = format!(
        "SELECT string_agg(ltrim(l), ' ') ~ 'The mean tps is known within [0-9.]+ %; the run ended after [0-9.]+ s, since 50 % were enough' \
         FROM pgperf.report({run}) l"
    );
    assert_eq!(session.value(&report), "t");
    let page = session.page(&format!("pgperf.report_html({run})"));
    assert!(page.contains("since 50 % were enough"));
}

#[test]
fn its_duration_is_the_longest() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(&format!(
        "{SHORT}, duration => '3.5 s', until_precise => '0.000001%'"
    ));
    let known = format!(
        "SELECT s.status = 'finished' AND m.value > 0.000001 AND s.duration_s > 3.4 \
         FROM pgperf.run_summary s JOIN pgperf.run_metrics m USING (node_id, run_id) \
         WHERE run_id = {run} AND m.metric = 'tps_precision_percent'"
    );
    assert_eq!(session.value(&known), "t");
    let report = format!(
        "SELECT string_agg(ltrim(l), ' ') ~ 'not within 0.000001 %: its longest duration, [0-9.]+ s, was over before' FROM pgperf.report({run}) l"
    );
    assert_eq!(session.value(&report), "t");
}

#[test]
fn while_it_runs_the_time_left_is_shown() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.start_run(&format!(
        "{SHORT}, duration => '1 h', until_precise => '0.000001%'"
    ));
    // As precise as no run becomes: the time left is that of the duration.
    let sql = format!(
        "SELECT precision_percent > 0 AND eta_s BETWEEN 3000 AND 3600 FROM pgperf.progress WHERE run_id = {run}"
    );
    wait_until("a precision", PATIENCE, || session.value(&sql) == "t");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let report = format!(
        "SELECT string_agg(ltrim(l), ' ') ~ 'not within 0.000001 %: it ended before' FROM pgperf.report({run}) l"
    );
    assert_eq!(session.value(&report), "t");
}
