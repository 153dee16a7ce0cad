//! Runs that wait until standbys and subscribers have caught up, beside somebody outside who looks when that is.

use super::catch_up::{await_drain, expect_catch_up, receiver, seconds};
use crate::common::aftermath::Aftermath;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, expect_near, wait_for, wait_until};
use postgres::Client;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Writes a known amount quickly.
const LOAD: &str = "'tpcb-like', clients => 2, transactions_per_client => 300, sample_interval => '0.2 s', collectors => '{}'";

fn primary() -> (Cluster, Client) {
    let cluster = Cluster::with_data(&["wal_level = logical", "max_wal_senders = 8"]);
    let mut session = cluster.connect();
    session.value("SELECT pg_create_physical_replication_slot('standby_slot', true)");
    (cluster, session)
}

/// A standby, and a session in it; replay is paused.
fn paused(cluster: &Cluster, session: &mut Client) -> (Cluster, Client) {
    let standby = cluster.standby("standby_slot");
    wait_until("a connected standby", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 1
    });
    let mut theirs = standby.connect();
    theirs.value("SELECT pg_wal_replay_pause()");
    wait_for("replay", "paused", PATIENCE, || {
        theirs.value("SELECT pg_get_wal_replay_pause_state()")
    });
    (standby, theirs)
}

/// A subscriber of pgbench's tables, in another cluster.
fn subscriber(publisher: &Cluster, session: &mut Client) -> (Cluster, Client) {
    let subscriber = Cluster::with_data(&[]);
    let mut theirs = subscriber.connect();
    session.value(
        "CREATE PUBLICATION pgbench FOR TABLE pgbench_accounts, pgbench_branches, pgbench_tellers",
    );
    theirs.value(&format!(
        "CREATE SUBSCRIPTION copied CONNECTION 'host={} port={} user=postgres dbname=postgres' \
         PUBLICATION pgbench WITH (copy_data = false)",
        publisher.socket_dir().display(),
        publisher.port()
    ));
    wait_until("a consumer of the slot", PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'copied' AND active",
        ) == 1
    });
    (subscriber, theirs)
}

/// Where the run's own work has ended.
fn end_lsn(session: &mut Client, run: i64) -> String {
    await_drain(session, run);
    receiver(session, run, "end_lsn")
}

/// The formula holds for the stored parts, and everything is in the report, the page and the document.
fn expect_figures(session: &mut Client, run: i64) {
    let holds = format!(
        "SELECT bool_and(abs(r.sustainable_tps - r.transactions / (r.run_s + r.catch_up_s)) < 1e-9 * r.sustainable_tps \
           AND r.transactions = s.transactions AND r.run_s = s.duration_s AND m.value = r.sustainable_tps) \
         FROM pgperf.run_receivers r JOIN pgperf.run_summary s USING (node_id, run_id) \
         JOIN pgperf.run_metrics m ON m.run_id = r.run_id AND m.metric = 'sustainable_tps' WHERE r.run_id = {run}"
    );
    assert_eq!(session.value(&holds), "t");
    let phases = format!(
        "SELECT string_agg(DISTINCT phase, ' ' ORDER BY phase DESC) FROM pgperf.run_receiver_lag WHERE run_id = {run}"
    );
    assert_eq!(session.value(&phases), "run drain");
}

#[test]
fn a_standby_whose_replay_was_paused() {
    let (cluster, mut session) = primary();
    let (_standby, mut theirs) = paused(&cluster, &mut session);
    let run = session.start_run(&format!("{LOAD}, drain => '{{\"standbys\": \"all\"}}'"));
    let end = end_lsn(&mut session, run);
    expect_catch_up(
        &mut session,
        run,
        || {
            theirs.value("SELECT pg_wal_replay_resume()");
        },
        |session| {
            session.value(&format!(
                "SELECT replay_lsn < '{end}' FROM pg_stat_replication"
            )) == "t"
        },
        0.2,
    );
    expect_figures(&mut session, run);
    assert!(seconds(&mut session, run, "catch_up_s") >= 0.8);
    assert!(seconds(&mut session, run, "end_lag_bytes") > 10_000.0);
    assert!(seconds(&mut session, run, "max_lag_s") >= 0.8);

    // What it has to do is flush: it has that at once, though replay is paused.
    theirs.value("SELECT pg_wal_replay_pause()");
    let flush = "drain => '{\"standbys\": [\"walreceiver\"], \"until\": \"flush\"}'";
    let run = session.finish_run(&format!("{LOAD}, {flush}"));
    assert_eq!(
        receiver(&mut session, run, "status || ' ' || until"),
        "caught up flush"
    );
    expect_near(
        "catch-up of a flush",
        1.0 + seconds(&mut session, run, "catch_up_s"),
        1.0,
        0.5,
    );
    let shown = format!(
        "SELECT count(*) FROM pgperf.report({run}) l WHERE l LIKE '    until flush, status caught up, %'"
    );
    assert_eq!(session.number(&shown), 1);
    let page = session.value(&format!("SELECT pgperf.report_html({run})"));
    assert!(page.contains("id=\"receivers\""));
    let document = format!(
        "SELECT jsonb_array_length(d #> '{{receivers,0,lag}}') > 1 AND d #>> '{{receivers,0,name}}' = 'walreceiver' \
         FROM pgperf.report_json({run}) d"
    );
    assert_eq!(session.value(&document), "t");
}

#[test]
fn a_subscriber_that_was_stopped() {
    let (cluster, mut session) = primary();
    let (subscriber, mut theirs) = subscriber(&cluster, &mut session);
    theirs.value("ALTER SUBSCRIPTION copied DISABLE");
    wait_until("an idle slot", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_replication_slots WHERE active") == 0
    });
    let load = LOAD.replace(", collectors => '{}'", "");
    let run = session.start_run(&format!("{load}, drain => '{{\"slots\": [\"copied\"]}}'"));
    let end = end_lsn(&mut session, run);
    expect_catch_up(
        &mut session,
        run,
        || {
            theirs.value("ALTER SUBSCRIPTION copied ENABLE");
        },
        |session| {
            session.value(&format!(
                "SELECT confirmed_flush_lsn < '{end}' FROM pg_replication_slots WHERE slot_name = 'copied'"
            )) == "t"
        },
        0.2,
    );
    expect_figures(&mut session, run);
    let same = "SELECT sum(abalance) FROM pgbench_accounts";
    assert_eq!(theirs.value(same), session.value(same));
    // Nobody has chosen the collectors, so replication was watched all the time: at the ends, at intervals and in the drain.
    let samples = format!(
        "SELECT count(DISTINCT sample_id) > 4 FROM pgperf.replication_history WHERE run_id = {run}"
    );
    assert_eq!(session.value(&samples), "t");
    drop(theirs);
    subscriber.stop(StopMode::Fast);
    session.value("SELECT pg_drop_replication_slot('copied')");
}

#[test]
fn a_lost_receiver_ends_the_drain_at_its_timeout() {
    let (cluster, mut session) = primary();
    let (standby, theirs) = paused(&cluster, &mut session);
    let drain = "drain => '{\"standbys\": \"all\"}', drain_timeout => '1500 ms'";
    let run = session.start_run(&format!("{LOAD}, {drain}"));
    session.wait_for_status(run, "failed");
    assert_eq!(receiver(&mut session, run, "status"), "behind");
    let error = format!("SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {run}");
    let said = session.value(&error);
    assert!(
        said.starts_with("57014 drain_timeout (1.5 s): standby walreceiver is ")
            && said.ends_with(" bytes behind"),
        "{said}"
    );

    let run = session.start_run(&format!("{LOAD}, {drain}").replace("1500 ms", "20 s"));
    await_drain(&mut session, run);
    drop(theirs);
    standby.stop(StopMode::Immediate);
    session.wait_for_status(run, "failed");
    assert_eq!(receiver(&mut session, run, "status"), "lost");
    let error = format!("SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {run}");
    let said = session.value(&error);
    assert_eq!(
        said,
        "57014 drain_timeout (20 s): standby walreceiver is gone"
    );
    // The figures of the run are there.
    assert_eq!(session.total(run, "transactions"), 600);
    assert_eq!(receiver(&mut session, run, "transactions"), "600");
    assert_eq!(receiver(&mut session, run, "sustainable_tps"), "");
    session.expect_nothing_left("the drain");
}

/// It flushes whole segments and replays nothing: nobody would catch up.
#[test]
fn an_archiver_of_wal_is_no_standby() {
    let (cluster, mut session) = primary();
    let folder = cluster.socket_dir().join("archive");
    fs::create_dir(&folder).expect("a folder");
    let mut archiver = cluster.program("pg_receivewal");
    let mut archiver = archiver
        .args(["--status-interval", "1", "-D"])
        .arg(&folder)
        .spawn()
        .expect("pg_receivewal");
    wait_until("the archiver", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_replication WHERE reply_time IS NOT NULL") == 1
    });
    let call = format!("SELECT pgperf.start_run({LOAD}, drain => '{{\"standbys\": \"all\"}}')");
    let (_, message, _) = error_of(&mut session, &call);
    archiver.kill().expect("the end of pg_receivewal");
    archiver.wait().expect("the end of pg_receivewal");
    assert_eq!(message, "drain: no standby is connected");
}

#[test]
fn a_stop_or_a_crash_in_the_drain_keeps_everything() {
    let (cluster, mut session) = primary();
    let waits = format!("{LOAD}, drain_sql => 'SELECT false'");
    let run = session.start_run(&waits);
    await_drain(&mut session, run);
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    assert_eq!(
        receiver(&mut session, run, "status || ' ' || transactions"),
        "stopped 600"
    );
    assert_eq!(session.total(run, "transactions"), 600);
    session.expect_nothing_left("a stop in the drain");

    let run = session.start_run(&waits);
    let resumed = session.start_run(&format!("{waits}, resume => true"));
    for run in [run, resumed] {
        await_drain(&mut session, run);
    }
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    for run in [run, resumed] {
        assert_eq!(session.status(run), "interrupted");
        assert_eq!(
            receiver(&mut session, run, "status || ' ' || transactions"),
            "waiting 600"
        );
        assert_eq!(session.total(run, "transactions"), 600);
    }
    // What a resumed run has still to do is the drain.
    session.value(&format!("SELECT pgperf.resume_run({resumed})"));
    await_drain(&mut session, resumed);
    session.value(&format!("SELECT pgperf.stop_run({resumed})"));
    session.wait_for_status(resumed, "stopped");
    assert_eq!(session.total(resumed, "transactions"), 600);
    assert_eq!(
        receiver(&mut session, resumed, "status || ' ' || transactions"),
        "stopped 600"
    );
}

#[test]
fn a_query_of_the_caller_says_when_it_is_over() {
    let (_cluster, mut session) = primary();
    session.value("CREATE TABLE consumed (upto int)");
    session.value("CREATE ROLE watcher LOGIN");
    session.value("GRANT ALL ON consumed, pgbench_accounts TO watcher");
    session.value("GRANT EXECUTE ON FUNCTION pgperf.start_run TO watcher");
    let load = "script => 'SELECT 1;', transactions_per_client => 5, collectors => '{}'";
    let caller = "SELECT count(*) > 0 AND bool_and(current_user = ''watcher'') FROM consumed";
    session.value("SET ROLE watcher");
    let run = session.start_run(&format!("{load}, drain_sql => '{caller}'"));
    session.value("RESET ROLE");
    await_drain(&mut session, run);
    let ended = Instant::now();
    sleep(Duration::from_millis(500));
    session.value("INSERT INTO consumed VALUES (1)");
    let outside = ended.elapsed().as_secs_f64();
    session.wait_for_status(run, "finished");
    assert_eq!(
        receiver(&mut session, run, "kind || ' ' || status"),
        "sql caught up"
    );
    let measured = seconds(&mut session, run, "catch_up_s");
    assert!(
        measured > outside - 0.2,
        "{measured} s, outside {outside} s"
    );

    // Standbys are shown to members of pg_read_all_stats alone.
    session.value("SET ROLE watcher");
    let standbys = format!("SELECT pgperf.start_run({load}, drain => '{{\"standbys\": \"all\"}}')");
    assert_eq!(error_of(&mut session, &standbys).0, "42501");
    session.value("RESET ROLE");

    // An error of the query is that of the run, whose figures stay.
    let run = session.start_run(&format!(
        "{load}, drain_sql => 'SELECT 1 / (count(*) - 1) > 0 FROM consumed'"
    ));
    session.wait_for_status(run, "failed");
    let error = format!("SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(
        session.value(&error),
        "22012 statement 1 of drain_sql failed: division by zero"
    );
    assert_eq!(receiver(&mut session, run, "status"), "failed");
    assert_eq!(session.total(run, "transactions"), 5);
}
