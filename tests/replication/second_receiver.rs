//! Runs that wait for several receivers: each has its figures, and one over all needs all of them.

use super::catch_up::await_drain;
use crate::common::Cluster;
use crate::common::aftermath::Aftermath;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{StopMode, wait_for, wait_until};
use postgres::Client;

const LOAD: &str = "script => 'INSERT INTO written VALUES (1);', transactions_per_client => 20, collectors => '{}'";

fn primary(conf: &[&str]) -> (Cluster, Client) {
    let cluster =
        Cluster::for_scripts(&[&["wal_level = logical", "max_wal_senders = 8"], conf].concat());
    let mut session = cluster.connect();
    session.value("CREATE TABLE written (i int)");
    (cluster, session)
}

/// A slot whose consumer confirms everything that is written.
fn confirm(session: &mut Client, slot: &str) {
    session.value(&format!(
        "SELECT pg_replication_slot_advance('{slot}', pg_current_wal_lsn())"
    ));
}

fn statuses(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(name || ' ' || status, ', ' ORDER BY name) FROM pgperf.run_receivers WHERE run_id = {run}"
    ))
}

/// The metrics of receivers that the run has, and those that it should have: of each one that has a figure, and over all where
/// all have.
fn expect_metrics(session: &mut Client, run: i64, over_all: &str) {
    let found = session.value(&format!(
        "SELECT string_agg(metric || ' ' || value, ', ' ORDER BY metric COLLATE \"C\") FROM pgperf.run_metrics \
          WHERE run_id = {run} AND metric ~ '^(sustainable_tps|catch_up_s|receiver_lag_bytes)'"
    ));
    let expected = session.value(&format!(
        "WITH figures AS MATERIALIZED ( \
             SELECT f.metric, r.kind || ' ' || r.name AS receiver, f.value, f.worst FROM pgperf.run_receivers r, LATERAL (VALUES \
                 ('sustainable_tps', r.transactions / (r.run_s + r.catch_up_s), 'min'), ('catch_up_s', r.catch_up_s, 'max'), \
                 ('receiver_lag_bytes', r.max_lag_bytes::float8, 'max')) f(metric, value, worst) WHERE r.run_id = {run}) \
         SELECT string_agg(metric || ' ' || value, ', ' ORDER BY metric COLLATE \"C\") FROM ( \
             SELECT metric || '.' || receiver AS metric, value FROM figures WHERE value IS NOT NULL \
             UNION ALL \
             SELECT metric, CASE worst WHEN 'min' THEN min(value) ELSE max(value) END FROM figures GROUP BY metric, worst \
             HAVING count(*) = count(value)) m"
    ));
    assert_eq!(found, expected);
    let overall = session.value(&format!(
        "SELECT string_agg(metric, ' ' ORDER BY metric) FROM pgperf.run_metrics \
          WHERE run_id = {run} AND metric IN ('sustainable_tps', 'catch_up_s', 'receiver_lag_bytes')"
    ));
    assert_eq!(overall, over_all);
}

#[test]
fn a_figure_over_all_receivers_needs_all_of_them() {
    let (_cluster, mut session) = primary(&[]);
    for slot in ["kept", "late", "lost"] {
        session.value(&format!(
            "SELECT pg_create_logical_replication_slot('{slot}', 'pgoutput')"
        ));
    }
    let run = session.start_run(&format!(
        "{LOAD}, drain => '{{\"slots\": \"all\"}}', drain_timeout => '1 s'"
    ));
    session.wait_for_status(run, "draining");
    confirm(&mut session, "kept");
    session.value("SELECT pg_drop_replication_slot('lost')");
    session.wait_for_status(run, "failed");
    assert_eq!(
        statuses(&mut session, run),
        "kept caught up, late behind, lost lost"
    );
    // How far each was behind is known of all, when they had caught up is not.
    expect_metrics(&mut session, run, "receiver_lag_bytes");
    let error = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        error.contains("slot late is ") && error.contains("slot lost is gone"),
        "{error}"
    );
    assert!(!error.contains("kept"), "{error}");

    let run = session.start_run(&format!("{LOAD}, drain => '{{\"slots\": \"all\"}}'"));
    await_drain(&mut session, run);
    confirm(&mut session, "kept");
    // It has to be seen before the other one.
    wait_until("no lag", PATIENCE, || {
        session.value(&format!(
            "SELECT lag_bytes = 0 FROM pgperf.run_receiver_lag WHERE run_id = {run} AND receiver_no = 0 ORDER BY taken_at DESC LIMIT 1"
        )) == "t"
    });
    confirm(&mut session, "late");
    session.wait_for_status(run, "finished");
    assert_eq!(
        statuses(&mut session, run),
        "kept caught up, late caught up"
    );
    expect_metrics(
        &mut session,
        run,
        "catch_up_s receiver_lag_bytes sustainable_tps",
    );
    let apart = format!(
        "SELECT max(catch_up_s) > min(catch_up_s) FROM pgperf.run_receivers WHERE run_id = {run}"
    );
    assert_eq!(session.value(&apart), "t");
    session.expect_nothing_left("the drain");
}

/// Of two standbys of one name the slower one is waited for.
#[test]
fn two_standbys_of_one_name_have_to_catch_up_both() {
    let (cluster, mut session) = primary(&[]);
    for slot in ["one", "two"] {
        session.value(&format!(
            "SELECT pg_create_physical_replication_slot('{slot}', true)"
        ));
    }
    let (quick, slow) = (cluster.standby("one"), cluster.standby("two"));
    wait_until("both standbys", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name = 'walreceiver'") == 2
    });
    let mut theirs = slow.connect();
    theirs.value("SELECT pg_wal_replay_pause()");
    wait_for("replay", "paused", PATIENCE, || {
        theirs.value("SELECT pg_get_wal_replay_pause_state()")
    });
    let drain = "drain => '{\"standbys\": \"all\"}'";
    let run = session.start_run(&format!("{LOAD}, {drain}, drain_timeout => '1 s'"));
    session.wait_for_status(run, "failed");
    assert_eq!(statuses(&mut session, run), "walreceiver behind");
    // The other one has everything.
    let written = "SELECT count(*) FROM written";
    assert_eq!(quick.connect().number(written), 20);
    assert_eq!(theirs.number(written), 0);
    let run = session.start_run(&format!("{LOAD}, {drain}"));
    await_drain(&mut session, run);
    theirs.value("SELECT pg_wal_replay_resume()");
    session.wait_for_status(run, "finished");
    assert_eq!(statuses(&mut session, run), "walreceiver caught up");
    assert_eq!(theirs.number(written), 40);
    expect_metrics(
        &mut session,
        run,
        "catch_up_s receiver_lag_bytes sustainable_tps",
    );

    // One that goes away is missed, though the other one has its name: until it is back.
    let lost = |session: &mut Client, timeout: &str, theirs: &mut Client| {
        theirs.value("SELECT pg_wal_replay_pause()");
        wait_for("replay", "paused", PATIENCE, || {
            theirs.value("SELECT pg_get_wal_replay_pause_state()")
        });
        let run = session.start_run(&format!("{LOAD}, {drain}, drain_timeout => '{timeout}'"));
        await_drain(session, run);
        slow.stop(StopMode::Immediate);
        run
    };
    let run = lost(&mut session, "1500 ms", &mut theirs);
    session.wait_for_status(run, "failed");
    assert_eq!(statuses(&mut session, run), "walreceiver lost");
    expect_metrics(&mut session, run, "receiver_lag_bytes");
    slow.start();
    wait_until("both standbys", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 2
    });
    let mut theirs = slow.connect();
    let run = lost(&mut session, "1 min", &mut theirs);
    slow.start();
    session.wait_for_status(run, "finished");
    assert_eq!(statuses(&mut session, run), "walreceiver caught up");
}
