//! The replication collector's figures of real standbys and subscriptions.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, wait_for, wait_until};
use postgres::Client;

/// Takes a sample; then an expression over its rows of that kind, row by row.
fn shown(session: &mut Client, kind: &str, expression: &str) -> String {
    let sample = session.number("SELECT sample_id FROM pgperf.snapshot('{replication}')");
    session.value(&format!(
        "SELECT coalesce(string_agg(({expression})::text, ', ' ORDER BY name), 'none') \
         FROM pgperf.replication_history WHERE sample_id = {sample} AND kind = '{kind}'"
    ))
}

/// Waits until a sample shows that.
fn wait_to_show(session: &mut Client, kind: &str, expression: &str, expected: &str) {
    wait_for(kind, expected, PATIENCE, || {
        shown(session, kind, expression)
    });
}

#[test]
fn a_standby_shows_with_its_lag() {
    let cluster = Cluster::with_pgperf(&["wal_level = replica", "max_wal_senders = 4"]);
    let mut session = cluster.connect();
    session.value("SELECT pg_create_physical_replication_slot('standby_slot', true)");
    let standby = cluster.standby("standby_slot");
    let streams = "state || ' ' || sync_state || ' ' || (sent_lag_bytes >= 0 AND replay_lag_bytes >= flush_lag_bytes)";
    wait_to_show(&mut session, "standby", streams, "streaming async true");
    session.value("CREATE TABLE replicated (id int)");

    // The standby applies a commit half a second after it was made.
    standby.reconfigure(&["recovery_min_apply_delay = 500ms"]);
    let late = "replay_lag_ms >= 400 AND replay_lag_ms > flush_lag_ms AND flush_lag_ms >= write_lag_ms AND write_lag_ms >= 0";
    wait_until("a lag of half a second", PATIENCE, || {
        session.value("INSERT INTO replicated SELECT generate_series(1, 100)");
        shown(&mut session, "standby", late) == "true"
    });

    standby.stop(StopMode::Fast);
    session.value("INSERT INTO replicated SELECT generate_series(1, 1000)");
    let keeps = "name || ' ' || active || ' ' || wal_status || ' ' || (retained_bytes > 1000)";
    let kept = "standby_slot false reserved true";
    wait_to_show(&mut session, "slot", keeps, kept);
    assert_eq!(shown(&mut session, "standby", "true"), "none");
}

#[test]
fn a_subscription_shows_on_both_sides() {
    let publisher = Cluster::with_pgperf(&["wal_level = logical"]);
    let subscriber = Cluster::with_pgperf(&[]);
    let (mut theirs, mut ours) = (publisher.connect(), subscriber.connect());
    for session in [&mut theirs, &mut ours] {
        session.value("CREATE TABLE published (id int PRIMARY KEY)");
    }
    theirs.value("CREATE PUBLICATION one FOR TABLE published");
    ours.value(&format!(
        "CREATE SUBSCRIPTION copied CONNECTION 'host={} port={} user=postgres dbname=postgres' PUBLICATION one",
        publisher.socket_dir().display(),
        publisher.port()
    ));
    // Some that are copied when it begins, and some that are decoded.
    for upto in [100, 200] {
        theirs.value(&format!(
            "INSERT INTO published SELECT generate_series({upto} - 99, {upto})"
        ));
        wait_until("the rows", PATIENCE, || {
            ours.number("SELECT count(*) FROM published") == upto
        });
    }
    let follows = "name || ' ' || database_name || ' ' || active || ' ' || (silent_ms >= 0 AND write_lag_ms >= 0) \
                   || ' ' || flush_lag_bytes || ' ' || apply_error_count";
    wait_to_show(
        &mut ours,
        "subscription",
        follows,
        "copied postgres true true 0 0",
    );
    let decodes = "name || ' ' || database_name || ' ' || slot_type || ' ' || plugin || ' ' || active || ' ' || (total_txns > 0)";
    wait_to_show(
        &mut theirs,
        "slot",
        decodes,
        "copied postgres logical pgoutput true true",
    );
    assert_eq!(
        shown(&mut theirs, "standby", "name || ' ' || state"),
        "copied streaming"
    );

    // A row that exists already: applying fails, until somebody removes it.
    subscriber.expect_trouble("duplicate key value violates unique constraint");
    ours.value("INSERT INTO published VALUES (201)");
    theirs.value("INSERT INTO published VALUES (201)");
    wait_to_show(&mut ours, "subscription", "apply_error_count > 0", "true");
    ours.value("DELETE FROM published WHERE id = 201");
    wait_to_show(
        &mut ours,
        "subscription",
        "active AND flush_lag_bytes = 0",
        "true",
    );

    ours.value("ALTER SUBSCRIPTION copied DISABLE");
    let asleep = "active || ' ' || coalesce(flush_lag_bytes::text, 'unknown')";
    wait_to_show(&mut ours, "subscription", asleep, "false unknown");
    theirs.value("INSERT INTO published SELECT generate_series(1000, 3000)");
    let waits = "active || ' ' || (flush_lag_bytes > 10000 AND retained_bytes >= flush_lag_bytes)";
    wait_to_show(&mut theirs, "slot", waits, "false true");
    ours.value("DROP SUBSCRIPTION copied");
    assert_eq!(shown(&mut ours, "subscription", "true"), "none");
    assert_eq!(shown(&mut theirs, "slot", "true"), "none");
}
