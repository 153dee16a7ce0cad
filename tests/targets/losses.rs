//! Clients that lose their sessions on a target, and connect again.

use crate::common::pair::pgbench_init;
use crate::common::runs::{PATIENCE, Runs, at_once, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::{Client, Config, NoTls};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

const CLIENTS: usize = 4;

/// Clusters with pgbench's tables: one with pgperf, whose target the other one is.
fn pair() -> (Cluster, Cluster, Client) {
    let target = Cluster::new(&[]);
    let cluster = around(&target);
    let session = cluster.connect();
    (target, cluster, session)
}

fn around(target: &Cluster) -> Cluster {
    let cluster = Cluster::for_runs(&[]);
    cluster.add_target("target", target);
    cluster.run_sql("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
    pgbench_init(target, "postgres", 1);
    cluster
}

/// A busy run of tpcb-like there.
fn busy(session: &mut Client, more: &str) -> i64 {
    let run = session.start_busy_run(&format!(
        "'tpcb-like', server => 'target', clients => {CLIENTS}, reconnect_on_loss => true, sample_interval => '0.2 s', {more}"
    ));
    session.await_intervals(run, 2);
    run
}

fn metric(session: &mut Client, run: i64, name: &str) -> f64 {
    let value = session.value(&format!(
        "SELECT value FROM pgperf.run_metrics WHERE run_id = {run} AND metric = '{name}'"
    ));
    value.parse().expect("a number")
}

/// How long a server lets nobody in, in ms: from the first attempt that fails until the next that does not.
fn outage_of(target: &Cluster) -> JoinHandle<f64> {
    let mut config = Config::new();
    config.host_path(target.socket_dir()).port(target.port());
    config.user("postgres").dbname("postgres");
    spawn(move || {
        let gone = |config: &Config| config.connect(NoTls).is_err();
        let until = Instant::now() + PATIENCE;
        while !gone(&config) {
            assert!(Instant::now() < until, "nobody stops the server");
        }
        let from = Instant::now();
        while gone(&config) {
            assert!(Instant::now() < until, "nobody starts the server");
        }
        from.elapsed().as_secs_f64() * 1e3
    })
}

/// What clients were told was done is there; of the transactions whose end they do not know some may be, too.
fn expect_all_rows(session: &mut Client, there: &mut Client, run: i64) {
    let done = session.total(run, "transactions");
    let failed = session.total(run, "failed");
    let rows = there.number("SELECT count(*) FROM pgbench_history");
    assert!(
        (done..=done + failed).contains(&rows),
        "{done} {failed} {rows}"
    );
    let sums = "SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history)";
    assert_eq!(there.value(sums), "t");
}

#[test]
fn terminated_sessions_cost_a_transaction_each() {
    let (target, _cluster, mut session) = pair();
    let mut there = target.connect();
    let run = busy(&mut session, "duration => '4 s', workers => 2");
    let ended = there.number(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run % client %'",
    );
    assert_eq!(ended, CLIENTS as i64);
    session.wait_for_status(run, "finished");
    assert_eq!(metric(&mut session, run, "sessions_lost"), CLIENTS as f64);
    assert_eq!(session.total(run, "other_failures"), ended);
    let why = session.value(&format!(
        "SELECT string_agg(DISTINCT sqlstate, ' ') || ' ' || sum(occurrences) FROM pgperf.run_errors WHERE run_id = {run}"
    ));
    assert_eq!(why, format!("57P01 {ended}"));
    let (mean, longest) = (
        metric(&mut session, run, "without_server_avg_ms"),
        metric(&mut session, run, "without_server_max_ms"),
    );
    assert!(
        0.0 < mean && mean <= longest && longest < 2_000.0,
        "{mean} {longest}"
    );
    expect_all_rows(&mut session, &mut there, run);
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    assert!(report.contains("sessions_lost"), "{report}");
    session.expect_no_workers("the run");
}

#[test]
fn a_restart_of_the_target_is_a_gap_of_its_length() {
    let (target, _cluster, mut session) = pair();
    for mode in [StopMode::Fast, StopMode::Immediate] {
        target.connect().value("TRUNCATE pgbench_history");
        target
            .connect()
            .value("UPDATE pgbench_accounts SET abalance = 0");
        let run = busy(&mut session, "duration => '10 s'");
        let outage = outage_of(&target);
        target.stop(mode);
        std::thread::sleep(Duration::from_secs(2));
        target.start();
        let outage = outage.join().expect("the outage");
        session.wait_for_status(run, "finished");
        // Each client looks again after a quarter of a second at most, and the machine may be busy.
        let longest = metric(&mut session, run, "without_server_max_ms");
        assert!(
            (outage - 300.0..outage + 2_000.0).contains(&longest),
            "{mode:?}: {outage} {longest}"
        );
        assert_eq!(metric(&mut session, run, "sessions_lost"), CLIENTS as f64);
        // Work went on after it.
        let worked = session.value(&format!(
            "SELECT (array_agg(transactions > 0 ORDER BY started_at DESC))[2] AND count(*) FILTER (WHERE transactions = 0) >= 5 \
               FROM pgperf.run_intervals WHERE run_id = {run}"
        ));
        assert_eq!(worked, "t");
        expect_all_rows(&mut session, &mut target.connect(), run);
    }
    session.expect_no_workers("the runs");
}

#[test]
fn a_failover_goes_to_the_new_primary() {
    let primary = Cluster::new(&["wal_level = replica", "max_wal_senders = 4"]);
    let cluster = around(&primary);
    primary.run_sql("SELECT pg_create_physical_replication_slot('standby')");
    let standby = primary.standby("standby");
    let (mut session, mut new) = (cluster.connect(), standby.connect());
    session.value(&format!(
        "ALTER SERVER target OPTIONS (SET host '{},{}', SET port '{},{}', ADD target_session_attrs 'read-write')",
        primary.socket_dir().display(),
        standby.socket_dir().display(),
        primary.port(),
        standby.port()
    ));
    let run = busy(&mut session, "duration => '12 s'");
    primary.stop(StopMode::Immediate);
    assert_eq!(new.value("SELECT pg_promote()"), "t");
    let before = new.number("SELECT count(*) FROM pgbench_history");
    session.wait_for_status(run, "finished");
    assert_eq!(metric(&mut session, run, "sessions_lost"), CLIENTS as f64);
    assert!(new.number("SELECT count(*) FROM pgbench_history") > before);
    assert!(metric(&mut session, run, "without_server_max_ms") > 0.0);
    session.expect_no_workers("the run");
}

/// The run ends when it has to, and the time until then counts.
#[test]
fn a_target_that_stays_away_holds_no_run() {
    let (target, _cluster, mut session) = pair();
    let run = busy(&mut session, "duration => '5 s'");
    target.stop(StopMode::Immediate);
    let left = Instant::now();
    session.wait_for_status(run, "finished");
    let left = left.elapsed().as_secs_f64() * 1e3;
    let longest = metric(&mut session, run, "without_server_max_ms");
    assert!(
        longest > 500.0 && longest < left + 1_000.0,
        "{longest} {left}"
    );
    target.start();
    let run = busy(&mut session, "duration => '10 min'");
    target.stop(StopMode::Immediate);
    wait_until("the loss", PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND transactions = 0"
        )) > 2
    });
    at_once("a stop", || {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    });
    session.expect_no_workers("the stop");
}

#[test]
fn clients_inside_have_no_session_to_lose() {
    let (_target, _cluster, mut session) = pair();
    let (code, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run(reconnect_on_loss => true)",
    );
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("22023", "reconnect_on_loss needs transport => 'wire'")
    );
}
