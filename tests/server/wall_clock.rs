//! The wall clock is set while pgperf runs, forward and backward: measurements follow the monotonic clock, and
//! everything that follows the time of day recovers.

use std::time::{Duration, Instant};

use crate::common::clock::Clock;
use crate::common::deltas::expect_none_below_zero;
use crate::common::runs::{AT_ONCE, NO_BUDGET, PATIENCE, Runs, expect_next_run};
use crate::common::{Cluster, wait_until};
use postgres::Client;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// Forward, far back, forward again, back to the truth.
const JUMPS: [i64; 4] = [HOUR, -HOUR, DAY, 0];

fn cluster() -> (Cluster, Client) {
    let cluster = Cluster::with_clock(Clock::new(), &[NO_BUDGET]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    (cluster, session)
}

/// Seconds that the server's clock is ahead of this process's.
fn ahead(session: &mut Client) -> i64 {
    let server = session.number("SELECT extract(epoch FROM clock_timestamp())::bigint");
    let own = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    server - own.expect("a time after 1970").as_secs() as i64
}

/// Sets the clock to each of the jumps, and waits each time until `seen` has something new.
fn jump(cluster: &Cluster, session: &mut Client, mut seen: impl FnMut(&mut Client) -> i64) {
    for offset in JUMPS {
        cluster.set_clock(offset);
        assert!(
            (ahead(session) - offset).abs() <= 5,
            "the clock does not jump"
        );
        let before = seen(session);
        wait_until(&format!("progress {offset} s off"), PATIENCE, || {
            seen(session) >= before + 3
        });
    }
}

#[test]
fn a_run_keeps_time_whatever_the_wall_clock_does() {
    let (cluster, mut session) = cluster();
    let began = Instant::now();
    let run = session.start_run(
        "'tpcb-like', clients => 2, duration => '6 s', rate => 200, sample_interval => '0.2 s', \
         transaction_log => true, collectors => '{wal,database,statements,waits}'",
    );
    let progress = "SELECT bool_and(elapsed_s BETWEEN 0 AND 60 AND percent BETWEEN 0 AND 100 AND eta_s BETWEEN 0 AND 6), \
                    count(*) FROM pgperf.progress WHERE status = 'running'";
    jump(&cluster, &mut session, |session| {
        assert_ne!(session.value(progress), "f", "the progress is none");
        session.intervals(run)
    });
    session.wait_for_status(run, "finished");
    let took = began.elapsed();
    assert!((6.0..20.0).contains(&took.as_secs_f64()), "{took:?}");
    // As many as were scheduled, in intervals that follow one another; latencies of this machine, not of its clock.
    let summary = session.value(&format!(
        "SELECT concat_ws(' ', transactions BETWEEN 900 AND 1500, failed, skipped, duration_s BETWEEN 5.9 AND 8, \
                latency_max_ms BETWEEN 0 AND 5000, latency_avg_ms > 0, lag_avg_ms >= 0) \
         FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(summary, "t 0 0 t t t t");
    let intervals = session.value(&format!(
        "SELECT concat_ws(' ', bool_and(seconds BETWEEN 0.01 AND 5), sum(seconds) BETWEEN 5.9 AND 8, \
                max(started_at) - min(started_at) < '8 s', \
                bool_and(latency_avg_ms >= 0), count(*) BETWEEN 5 AND 31) \
         FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    assert_eq!(intervals, "t t t t t");
    let logged = session.value(&format!(
        "SELECT concat_ws(' ', max(ended_at) - min(ended_at) < '8 s', min(latency_ms) >= 0) \
         FROM pgperf.run_transactions WHERE run_id = {run}"
    ));
    assert_eq!(logged, "t t");
    for call in [
        "length(string_agg(line, '')) FROM pgperf.report($1) line",
        "length(pgperf.report_html($1))",
        "length(pgperf.report_json($1)::text)",
        "length(pgperf.report_markdown($1))",
        "length(pgperf.export_run($1)::text)",
    ] {
        let call = call.replace("$1", &run.to_string());
        assert!(session.number(&format!("SELECT {call}")) > 500, "{call}");
    }
    expect_next_run(&mut session);
}

#[test]
fn timeouts_and_stops_go_by_the_monotonic_clock() {
    let (cluster, mut session) = cluster();
    let run = session.start_run("script => 'SELECT pg_sleep(600);', duration => '1 h'");
    session.wait_for_status(run, "running");
    for offset in [-DAY, DAY] {
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut waiter = cluster.connect();
                let began = Instant::now();
                waiter.value(&format!("CALL pgperf.wait_run({run}, timeout => '2 s')"));
                began.elapsed()
            });
            std::thread::sleep(Duration::from_millis(500));
            cluster.set_clock(offset);
            let took = waiting.join().expect("the waiter");
            assert!((2.0..10.0).contains(&took.as_secs_f64()), "{took:?}");
        });
    }
    session.value(&format!(
        "SELECT pgperf.stop_run({run}), pgperf.stop_run({run})"
    ));
    session.wait_for_status(run, "stopped");
    // The grace of a stop. Of a statement that sleeps from now on: one that began before would find its time over as soon as
    // it is woken.
    let run = session.start_run("script => 'SELECT pg_sleep(600);', duration => '1 h'");
    session.wait_for_status(run, "running");
    // A client that has not begun yet would end at once.
    session.wait_for_clients(run, 1, "wait_event = 'PgSleep'");
    let began = Instant::now();
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    cluster.set_clock(-DAY);
    session.wait_for_status(run, "stopped");
    let took = began.elapsed();
    assert!((5.0..15.0).contains(&took.as_secs_f64()), "{took:?}");
    expect_next_run(&mut session);
}

#[test]
fn the_sampler_goes_on_and_nothing_becomes_negative() {
    let (cluster, mut session) = cluster();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = '1 s' \
         WHERE name IN ('wal', 'database', 'io', 'checkpoints', 'host', 'waits', 'buffers', 'tables', 'statements')",
    );
    session.value("SELECT pgperf.start_sampler()");
    let samples = |session: &mut Client| {
        session.number("SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND complete")
    };
    wait_until("samples", PATIENCE, || samples(&mut session) >= 2);
    jump(&cluster, &mut session, samples);
    session.value("SELECT pgperf.stop_sampler()");
    // Each sample lies in the partition of the day that the clock showed.
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.samples_rest"),
        0
    );
    // Differences are those from sample to sample, in the order in which they were taken.
    expect_none_below_zero(&mut session);
    let written = session.value(
        "SELECT (SELECT max(insert_lsn) - min(insert_lsn) FROM pgperf.wal_history) \
              = (SELECT sum(lsn_bytes) FROM pgperf.wal_deltas)",
    );
    assert_eq!(written, "t", "the differences add up");
    for view in [
        "sampler_gaps",
        "history_size",
        "host_rates",
        "device_rates",
        "working_set()",
        "wraparound_forecast()",
        "metrics()",
    ] {
        session.number(&format!("SELECT count(v.*) FROM pgperf.{view} v"));
    }
    // Data a day ahead is neither rolled up nor dropped because of that.
    let before = samples(&mut session);
    session.value("SELECT count(*) FROM pgperf.maintain()");
    assert_eq!(samples(&mut session), before);
    expect_next_run(&mut session);
}

#[test]
fn loads_and_sweeps_end_whatever_the_wall_clock_does() {
    let (cluster, mut session) = cluster();
    let load = session.number("SELECT pgperf.start_load('tpcb-like', scale => 30)");
    for offset in JUMPS {
        cluster.set_clock(offset);
        std::thread::sleep(Duration::from_millis(100));
    }
    session.wait_for_status(load, "finished");
    session.value(
        "SELECT pgperf.start_sweep('select-only', clients => '{1,2}', repetitions => 2, duration => '1 s', \
         collectors => '{}')",
    );
    jump(&cluster, &mut session, |session| {
        session.number("SELECT coalesce(sum(transactions), 0)::bigint FROM pgperf.run_intervals")
    });
    wait_until("the sweep", PATIENCE, || {
        session.value("SELECT status FROM pgperf.sweeps") == "finished"
    });
    assert_eq!(
        session.value("SELECT concat_ws(' ', runs, finished, failed) FROM pgperf.sweeps"),
        "4 4 0"
    );
    expect_next_run(&mut session);
}

#[test]
fn turns_and_disturbances_keep_time() {
    let (cluster, mut session) = cluster();
    let began = Instant::now();
    let run = session.start_run(
        r#"script => 'SELECT 1;', clients => 2, rate => 100, duration => '6 s', sample_interval => '0.2 s',
           alternate => '{"turns.side": ["A", "B"]}', alternate_every => '0.5 s', settle => '0.1 s',
           disturbances => '[{"name": "own", "sql": "SELECT count(*) FROM pg_class", "at": "0 s", "every": "1 s"}]'"#,
    );
    jump(&cluster, &mut session, |session| session.intervals(run));
    session.wait_for_status(run, "finished");
    let took = began.elapsed();
    assert!((6.0..20.0).contains(&took.as_secs_f64()), "{took:?}");
    // Twelve turns, and a disturbance each second. It does not sleep: the server's pg_sleep goes by the wall clock.
    let turns = session.value(&format!(
        "SELECT concat_ws(' ', max(turn_no) BETWEEN 10 AND 12, count(DISTINCT turn_no) BETWEEN 11 AND 13, sum(seconds) BETWEEN 5.9 AND 8) \
         FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    assert_eq!(turns, "t t t");
    let disturbances = session.value(&format!(
        "SELECT concat_ws(' ', count(*) BETWEEN 5 AND 7, bool_and(status = 'done' AND abs(at_s - occurrence_no) < 0.9 AND duration_s BETWEEN 0 AND 1)) \
         FROM pgperf.run_disturbances WHERE run_id = {run}"
    ));
    assert_eq!(disturbances, "t t");
}

#[test]
fn a_changed_rate_is_answered_for() {
    let (cluster, mut session) = cluster();
    let run = session.start_busy_run(
        "script => 'SELECT 1;', rate => 100, duration => '1 h', sample_interval => '0.2 s'",
    );
    for offset in JUMPS {
        cluster.set_clock(offset);
        let began = Instant::now();
        session.value(&format!("SELECT pgperf.alter_run({run}, rate => 200)"));
        assert!(began.elapsed() < AT_ONCE, "{offset}: {:?}", began.elapsed());
    }
    // Neither what is due now is left out, nor what would have been due in an hour is made up for.
    let counted = |session: &mut Client| {
        session.number(&format!(
            "SELECT coalesce(sum(transactions), 0)::bigint FROM pgperf.run_intervals WHERE run_id = {run}"
        ))
    };
    let (before, began) = (counted(&mut session), Instant::now());
    session.await_intervals(run, 5);
    let per_s = (counted(&mut session) - before) as f64 / began.elapsed().as_secs_f64();
    assert!((50.0..800.0).contains(&per_s), "{per_s}");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn a_search_for_a_rate_ends_in_its_time() {
    let (cluster, mut session) = cluster();
    let searching = std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            let began = Instant::now();
            cluster.connect().value(
                "CALL pgperf.find_rate(script => 'SELECT 1;', start_rate => 50, max_rate => 100, precision_percent => 50, \
                 max_time => '12 s', step => '5 s', max_step => '5 s', settle => '1 s')",
            );
            began.elapsed()
        });
        wait_until("the search's run", PATIENCE, || {
            session.value("SELECT pgperf.run_status()") == "running"
        });
        for offset in JUMPS {
            cluster.set_clock(offset);
            std::thread::sleep(Duration::from_secs(1));
        }
        search.join().expect("the search")
    });
    assert!(
        (5.0..40.0).contains(&searching.as_secs_f64()),
        "{searching:?}"
    );
    let steps = session.value(
        "SELECT concat_ws(' ', count(*) > 0, bool_and(seconds BETWEEN 3 AND 8)) FROM pgperf.rate_search_steps",
    );
    assert_eq!(steps, "t t");
}
