//! `pgperf.metrics()` of live runs: the figures are those of the stored intervals, in seconds and ratios, of each run apart.

use super::metrics::Exposed;
use super::same;
use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::{Client, IsolationLevel};
use serde_json::Value;

/// The families that only a live run has.
pub const FAMILIES: [&str; 8] = [
    "run_clients",
    "run_elapsed_seconds",
    "run_failed",
    "run_lag_seconds",
    "run_latency_seconds",
    "run_progress_ratio",
    "run_transactions",
    "run_transactions_per_second",
];

/// The intervals of a run so far: all together, and the last one. `now` is when the query was asked.
const INTERVALS: &str = "SELECT jsonb_build_object( \
        'seconds', sum(i.seconds), 'transactions', sum(i.transactions), 'attempts', sum(i.transactions + i.failed + i.skipped), \
        'last', (array_agg(to_jsonb(i) - 'histogram' ORDER BY i.interval_no DESC))[1], \
        'now', extract(epoch FROM clock_timestamp()), 'measured_at', extract(epoch FROM min(i.started_at)))::text \
    FROM pgperf.run_intervals i WHERE i.run_id = ";

/// A text of metrics, and the intervals of these runs as of the same moment: each with the time passed when the text was there.
fn at_one_moment(session: &mut Client, runs: [i64; 2]) -> (Exposed, [Value; 2]) {
    let mut transaction = session
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .start()
        .expect("a transaction");
    let text = super::value(&mut transaction, "SELECT pgperf.metrics()");
    let intervals = runs.map(|run| {
        let intervals = super::value(&mut transaction, &format!("{INTERVALS}{run}"));
        serde_json::from_str(&intervals).expect("intervals")
    });
    transaction.commit().expect("the end");
    (Exposed::of(&text), intervals)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn the_figures_of_live_runs_are_those_of_their_intervals() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(
        "CREATE FUNCTION fail_at(number integer) RETURNS void LANGUAGE plpgsql AS \
         $$ BEGIN IF number = 0 THEN RAISE SQLSTATE '40001'; END IF; END $$",
    );
    // One that ends by its transactions, a third of which fail; one that ends by the clock, and takes longer for each.
    let failing = session.start_busy_run(
        "script => E'\\\\set number random(0, 2)\\nSELECT fail_at(:number);', label => 'failing', clients => 2, rate => 60, \
         transactions_per_client => 5000, sample_interval => '0.5 s', collectors => '{}'",
    );
    let slow = session.start_busy_run(
        "script => 'SELECT pg_sleep(0.02);', label => 'slow', clients => 3, rate => 20, duration => '1000 s', \
         sample_interval => '0.5 s', collectors => '{}'",
    );
    wait_until("a failure in the last interval", PATIENCE, || {
        session.number(&format!(
            "SELECT coalesce((SELECT failed FROM pgperf.run_intervals WHERE run_id = {failing} ORDER BY interval_no DESC LIMIT 1), 0)"
        )) > 0
    });
    let (exposed, [of_failing, of_slow]) = at_one_moment(&mut session, [failing, slow]);
    for (run, label, clients, intervals) in [
        (failing, "failing", 2.0, &of_failing),
        (slow, "slow", 3.0, &of_slow),
    ] {
        let workload = session.value(&format!(
            "SELECT workload FROM pgperf_internal.stored_runs WHERE run_id = {run}"
        ));
        let labels = format!(
            "{{run_id=\"{run}\",label=\"{label}\",workload=\"{workload}\",status=\"running\"}}"
        );
        let value = |family: &str| {
            let name = format!("{family}{labels}");
            let found = exposed.samples.get(&name);
            *found.unwrap_or_else(|| panic!("no {name}: {:?}", exposed.samples.keys()))
        };
        let last = &intervals["last"];
        for (family, expected) in [
            ("run_clients", clients),
            ("run_transactions", number(&intervals["transactions"])),
            (
                "run_transactions_per_second",
                number(&last["transactions"]) / number(&last["seconds"]),
            ),
            (
                "run_latency_seconds",
                number(&last["latency_avg_ms"]) / 1000.0,
            ),
            ("run_lag_seconds", number(&last["lag_avg_ms"]) / 1000.0),
            ("run_failed", number(&last["failed"])),
        ] {
            let found = value(family);
            assert!(
                same(found, expected),
                "{family} of {label}: {found}, {expected} expected"
            );
        }
        // What the intervals have, and what the clock adds.
        let elapsed = value("run_elapsed_seconds");
        let at_least = number(&intervals["seconds"]);
        let at_most = number(&intervals["now"]) - number(&intervals["measured_at"]) + 0.5;
        assert!(
            elapsed >= at_least - 1e-9 && elapsed <= at_most,
            "{label}: {elapsed} of {at_least} to {at_most}"
        );
        let done = value("run_progress_ratio");
        if label == "failing" {
            let expected = number(&intervals["attempts"]) / 10_000.0;
            assert!(same(done, expected), "{done}, {expected} expected");
        } else {
            // The clock is read once for both.
            assert!(
                (done - elapsed / 1000.0).abs() < 1e-4,
                "{done} of {elapsed} s"
            );
        }
    }
    // Each sleeps 20 ms at least.
    assert!(
        number(&of_slow["last"]["latency_avg_ms"]) >= 20.0,
        "{of_slow}"
    );
    for run in [failing, slow] {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
    }
}
