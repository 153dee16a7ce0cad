//! Rates that change: by `alter_run` while a run goes on, and by the time of the run.

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// Transactions per second of the run's intervals from this number on.
fn rate_from(session: &mut Client, run: i64, interval: i64) -> f64 {
    session.float(&format!(
        "SELECT sum(transactions) / sum(seconds) FROM pgperf.run_intervals \
              WHERE run_id = {run} AND interval_no >= {interval}"
    ))
}

fn alter(session: &mut Client, run: i64, rate: &str) {
    let altered = session.number(&format!("SELECT pgperf.alter_run({run}, rate => {rate})"));
    assert_eq!(altered, run);
}

#[test]
fn an_altered_rate_is_held_from_then_on() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session
        .start_busy_run("script => 'SELECT 1;', clients => 3, rate => 200, duration => '1 h'");
    for rate in [1000.0_f64, 400.0] {
        alter(&mut session, run, &rate.to_string());
        session.await_intervals(run, 2);
        let from = session.intervals(run);
        session.await_intervals(run, 10);
        let held = rate_from(&mut session, run, from);
        // Six deviations of what comes by chance in that time.
        let chance = 6.0 / (10.0 * rate).sqrt();
        assert!((held / rate - 1.0).abs() < chance, "{held} of {rate}");
    }
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    // The call that repeats it has all of its rates.
    let again = format!("SELECT spec #> '{{call,rate}}' FROM pgperf.runs WHERE run_id = {run}");
    let rates: serde_json::Value = serde_json::from_str(&session.value(&again)).unwrap();
    let rates: Vec<f64> = rates
        .as_object()
        .unwrap()
        .values()
        .filter_map(|rate| rate.as_f64())
        .collect();
    assert_eq!(rates.len(), 3, "{rates:?}");
    let next = session.start_run(&format!(
        "script => 'SELECT 1;', duration => '0.1 s', rate => ({again})"
    ));
    session.wait_for_status(next, "finished");
    let same = format!(
        "SELECT (SELECT spec -> 'rate' FROM pgperf.runs WHERE run_id = {next}) \
              = (SELECT spec -> 'rate' FROM pgperf.runs WHERE run_id = {run})"
    );
    assert_eq!(session.value(&same), "t");
}

/// 5,000 a second for 40 s: chance is a fifth of the percent.
#[test]
fn an_altered_rate_is_held_within_a_percent() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session
        .start_busy_run("script => 'SELECT 1;', clients => 4, rate => 500, duration => '1 h'");
    alter(&mut session, run, "5000");
    // From the second interval that begins after the call: a second later at least.
    session.await_intervals(run, 2);
    let from = session.intervals(run);
    session.await_intervals(run, 40);
    let held = rate_from(&mut session, run, from);
    println!("{held} of 5000");
    assert!((held / 5000.0 - 1.0).abs() < 0.01, "{held}");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn clients_that_wait_for_a_moment_in_hours_follow_at_once() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for warmup in ["0 s", "1 h"] {
        let run = session.start_run(&format!(
            "script => 'SELECT 1;', clients => 2, rate => 0.0001, duration => '200 h', warmup => '{warmup}'"
        ));
        let status = if warmup == "0 s" {
            "running"
        } else {
            "warming up"
        };
        session.wait_for_status(run, status);
        alter(&mut session, run, "1000");
        let begun = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf client' AND query = 'SELECT 1;'";
        wait_until("transactions of both clients", PATIENCE, || {
            session.number(begun) == 2
        });
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    }
}

#[test]
fn a_run_without_a_rate_gets_one_and_loses_it() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for more in ["", ", reconnect => 50"] {
        let run = session.start_busy_run(&format!(
            "script => E'SELECT 1;\\n\\\\sleep 1 ms', clients => 2, duration => '1 h'{more}"
        ));
        let last = format!(
            "SELECT lag_avg_ms IS NOT NULL FROM pgperf.run_intervals WHERE run_id = {run} ORDER BY interval_no DESC LIMIT 1"
        );
        assert_eq!(session.value(&last), "f");
        alter(&mut session, run, "100");
        session.await_intervals(run, 2);
        let from = session.intervals(run);
        session.await_intervals(run, 4);
        let held = rate_from(&mut session, run, from);
        assert!((80.0..120.0).contains(&held), "{held}{more}");
        assert_eq!(session.value(&last), "t");
        let shown = session.float(&format!(
            "SELECT rate FROM pgperf.progress WHERE run_id = {run}"
        ));
        assert_eq!(shown, 100.0);
        alter(&mut session, run, "NULL");
        wait_until("a higher rate", PATIENCE, || {
            let latest = session.intervals(run) - 1;
            rate_from(&mut session, run, latest) > 130.0
        });
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    }
}

#[test]
fn only_a_run_whose_clients_work_has_a_rate_to_alter() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let refused = |session: &mut Client, sql: String, sqlstate: &str, reason: &str| {
        let (code, message, hint) = error_of(session, &sql);
        assert_eq!(code, sqlstate, "{message}");
        assert!(message.contains(reason), "{message}");
        assert!(sqlstate != "55000" || !hint.is_empty(), "{message}");
    };
    let unknown = "SELECT pgperf.alter_run(99, 5)".to_owned();
    refused(&mut session, unknown, "42704", "does not exist");
    let load = session.number("SELECT pgperf.start_load('tpcb-like', replace => true)");
    session.wait_for_status(load, "finished");
    let alter_load = format!("SELECT pgperf.alter_run({load}, 5)");
    refused(&mut session, alter_load, "55000", "a load has no rate");
    let run = session.start_busy_run("'select-only', duration => '1 h'");
    let mut other = cluster.connect();
    other.value("CREATE ROLE somebody LOGIN");
    other.value("SET ROLE somebody");
    let call = |rate: &str| format!("SELECT pgperf.alter_run({run}, {rate})");
    refused(&mut other, call("5"), "42501", "must be a member");
    for rate in ["0", "-1", "'infinity'", "'nan'"] {
        refused(&mut session, call(rate), "22023", "positive");
    }
    // A rollback does not undo it: it took effect at once.
    session.value("BEGIN");
    alter(&mut session, run, "50");
    session.value("ROLLBACK");
    session.await_intervals(run, 2);
    let from = session.intervals(run);
    session.await_intervals(run, 3);
    assert!(rate_from(&mut session, run, from) < 100.0);
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    refused(&mut session, call("5"), "55000", "it is stopped");
}

#[test]
fn steps_and_waves_go_by_the_time_of_the_run() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        r#"script => 'SELECT 1;', clients => 2, duration => '8 s',
           rate => '{"0 s": 50, "3 s": 1000, "6 s": {"low": 10, "high": 500, "period": "4 s"}}'"#,
    );
    let counts: Vec<f64> = [(0, 3), (3, 6), (6, 8)]
        .map(|(from, to)| {
            session.float(&format!(
                "SELECT sum(transactions) FROM pgperf.run_intervals \
                      WHERE run_id = {run} AND interval_no >= {from} AND interval_no < {to}"
            ))
        })
        .to_vec();
    // An interval may end a little late.
    assert!((80.0..350.0).contains(&counts[0]), "{counts:?}");
    assert!((2600.0..3300.0).contains(&counts[1]), "{counts:?}");
    assert!((350.0..750.0).contains(&counts[2]), "{counts:?}");
}
