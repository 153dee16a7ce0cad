//! `find_rate` names the backlog that gives way: WAL that a slot keeps, dead rows, and the age of the oldest snapshot, each with its cause and without.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, Ending, StopMode, wait_until};
use postgres::Client;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, sleep};
use std::time::Duration;

/// One column of a search.
fn column(session: &mut Client, run: i64, column: &str) -> String {
    session.value(&format!(
        "SELECT {column} FROM pgperf.rate_searches WHERE run_id = {run}"
    ))
}

/// Does something every 0.1 s until it is told that it is over.
fn beside<'scope>(
    scope: &'scope Scope<'scope, '_>,
    over: &'scope AtomicBool,
    mut session: Client,
    mut work: impl FnMut(&mut Client) + Send + 'scope,
) {
    scope.spawn(move || {
        while !over.load(Ordering::Relaxed) {
            work(&mut session);
            sleep(Duration::from_millis(100));
        }
    });
}

#[test]
fn a_slot_whose_consumer_takes_a_known_rate() {
    let cluster = Cluster::with_pgperf(&["wal_level = replica", "autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE consumed (id bigint, padding text DEFAULT repeat('x', 1000))");
    session.value("SELECT pg_create_physical_replication_slot('consumer', true)");
    let script = "script => 'INSERT INTO consumed VALUES (1);', clients => 2";
    let first = session.finish_run(&format!("{script}, transactions_per_client => 2000"));
    let of_each = session.float(&format!(
        "SELECT wal_bytes / transactions FROM pgperf.run_summary WHERE run_id = {first}"
    ));
    // What a consumer takes every 0.1 s: as much as 200 transactions a second write, and never more than there is.
    let known = 200.0;
    let over = AtomicBool::new(false);
    let run = std::thread::scope(|scope| {
        let ending = Ending(&over);
        let mut taking = cluster.connect();
        taking.value("SELECT pg_replication_slot_advance('consumer', pg_current_wal_flush_lsn())");
        let mut took = std::time::Instant::now();
        beside(scope, &over, taking, move |taking| {
            let bytes = took.elapsed().as_secs_f64() * known * of_each;
            took = std::time::Instant::now();
            taking.value(&format!(
                "SELECT pg_replication_slot_advance(slot_name, least(restart_lsn + {bytes:.0}::numeric, pg_current_wal_flush_lsn())) \
                 FROM pg_replication_slots"
            ));
        });
        let run = session.number(&format!(
            "CALL pgperf.find_rate({script}, start_rate => 60, step => '5 s', criteria => '{{\"wal_kept\": \"steady\"}}')"
        ));
        drop(ending);
        run
    });
    assert_eq!(column(&mut session, run, "status"), "found");
    assert_eq!(column(&mut session, run, "criterion"), "wal_kept");
    let rate = session.float(&format!(
        "SELECT rate FROM pgperf.rate_searches WHERE run_id = {run}"
    ));
    println!("{rate}; known: {known}");
    assert!((rate / known - 1.0).abs() < 0.05, "{rate}");
}

/// The search over a script that updates rows of a small table, with that condition.
fn search(session: &mut Client, criterion: &str) -> i64 {
    session.number(&format!(
        "CALL pgperf.find_rate(script => E'UPDATE updated SET id = id + 1;\n\\\\sleep 20 ms', clients => 1, start_rate => 20, \
         precision_percent => 20, step => '6 s', max_step => '12 s', max_time => '40 s', criteria => '{{\"{criterion}\": \"steady\"}}')"
    ))
}

#[test]
fn dead_rows_that_nobody_removes() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE updated (id int)");
    session.value("INSERT INTO updated VALUES (1)");
    // An index on what is updated: what is pruned on the way stays a dead line pointer.
    session.value("CREATE INDEX ON updated (id)");
    let run = search(&mut session, "dead_rows");
    // At a rate at which a step has one transaction or none, nothing is seen to grow.
    assert_eq!(
        column(
            &mut session,
            run,
            "concat_ws(' ', criterion, coalesce(rate, 0) < 1)"
        ),
        "dead_rows t"
    );

    let over = AtomicBool::new(false);
    let run = std::thread::scope(|scope| {
        let ending = Ending(&over);
        beside(scope, &over, cluster.connect(), |vacuuming| {
            vacuuming.value("VACUUM updated");
        });
        let run = search(&mut session, "dead_rows");
        drop(ending);
        run
    });
    assert_eq!(column(&mut session, run, "criterion"), "schedule_lag_ms");
    assert_eq!(column(&mut session, run, "rate BETWEEN 20 AND 52"), "t");
}

#[test]
fn a_snapshot_that_is_held() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE updated (id int)");
    session.value("INSERT INTO updated VALUES (1)");
    let mut holder = cluster.connect();
    holder.value("BEGIN ISOLATION LEVEL REPEATABLE READ");
    holder.value("SELECT count(*) FROM updated");
    let run = search(&mut session, "oldest_xid");
    assert_eq!(
        column(
            &mut session,
            run,
            "concat_ws(' ', criterion, coalesce(rate, 0) < 1)"
        ),
        "oldest_xid t"
    );
    holder.value("ROLLBACK");
    let run = search(&mut session, "oldest_xid");
    assert_eq!(column(&mut session, run, "criterion"), "schedule_lag_ms");
    assert_eq!(column(&mut session, run, "rate BETWEEN 20 AND 52"), "t");
}

#[test]
fn a_standby_that_is_gone_is_behind() {
    let cluster = Cluster::with_pgperf(&["wal_level = replica", "autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE written (id bigint, padding text DEFAULT repeat('x', 1000))");
    session.value("SELECT pg_create_physical_replication_slot('gone', true)");
    let standby = cluster.standby("gone");
    // Without a slot, nothing of it is left when it goes.
    let mut there = standby.connect();
    there.value("ALTER SYSTEM SET primary_slot_name = ''");
    there.value("SELECT pg_reload_conf()");
    wait_until("the standby without a slot", PATIENCE, || {
        session.value("SELECT bool_and(NOT active) FROM pg_replication_slots") == "t"
    });
    session.value("SELECT pg_drop_replication_slot('gone')");
    wait_until("the standby", PATIENCE, || {
        session.value("SELECT count(replay_lsn) FROM pg_stat_replication") == "1"
    });
    drop(there);
    let run = std::thread::scope(|scope| {
        let mut searching = cluster.connect();
        let search = scope.spawn(move || {
            searching.number(
                "CALL pgperf.find_rate(script => 'INSERT INTO written VALUES (1);', clients => 1, start_rate => 50, max_rate => 100, \
                 precision_percent => 50, step => '6 s', max_step => '8 s', max_time => '20 s', \
                 criteria => '{\"replication_lag\": \"steady\"}')",
            )
        });
        session.wait_for_status(1, "running");
        sleep(Duration::from_secs(2));
        standby.stop(StopMode::Fast);
        search.join().expect("a search")
    });
    let steps = format!(
        "SELECT count(*) > 0 AND bool_and(verdict = 'fails' AND criterion = 'replication_lag') \
           FROM pgperf.rate_search_steps WHERE run_id = {run} AND step_no = 1"
    );
    assert_eq!(session.value(&steps), "t");
}
