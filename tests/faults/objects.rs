//! The tables, role or database of a run are changed or taken away in the middle of it.

use std::thread::sleep;
use std::time::Duration;

use crate::common::Cluster;
use crate::common::aftermath::{Aftermath, Victim};
use crate::common::runs::{AT_ONCE, CALM, PATIENCE, Runs, at_once, error_of, expect_next_run};
use crate::common::wait_until;
use postgres::Client;

/// A role that may run everything of tpcb-like.
fn create_tester(session: &mut Client) {
    session.value(
        "CREATE ROLE tester LOGIN; GRANT USAGE ON SCHEMA pgperf TO tester; \
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester; \
         GRANT SELECT, INSERT, UPDATE ON pgbench_accounts, pgbench_tellers, pgbench_branches, pgbench_history TO tester",
    );
}

#[test]
fn tables_that_change_fail_the_run_or_do_it_no_harm() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA kept");
    // What is done to the tables, how it ends, and how the tables come back.
    for (change, status, reason, repair) in [
        (
            "DROP TABLE pgbench_accounts",
            "failed",
            "42P01 client",
            "init",
        ),
        (
            "ALTER TABLE pgbench_tellers RENAME TO away",
            "failed",
            "42P01 client",
            "ALTER TABLE away RENAME TO pgbench_tellers",
        ),
        (
            "ALTER TABLE pgbench_branches SET SCHEMA kept",
            "failed",
            "42P01 client",
            "ALTER TABLE kept.pgbench_branches SET SCHEMA public",
        ),
        (
            "ALTER TABLE pgbench_accounts DROP COLUMN abalance",
            "failed",
            "42703 client",
            "init",
        ),
        (
            "ALTER TABLE pgbench_accounts ALTER abalance TYPE bigint",
            "failed",
            "0A000 client",
            "init",
        ),
        (
            "ALTER TABLE pgbench_history ADD CHECK (delta > 6000) NOT VALID",
            "failed",
            "23514 client",
            "init",
        ),
        (
            "ALTER TABLE pgbench_accounts ADD more text DEFAULT 'x'",
            "stopped",
            "",
            "init",
        ),
        ("TRUNCATE pgbench_history", "stopped", "", "init"),
        (
            "CREATE INDEX ON pgbench_accounts (abalance)",
            "stopped",
            "",
            "init",
        ),
        ("VACUUM FULL pgbench_branches", "stopped", "", "init"),
        (
            "CREATE RULE nothing AS ON UPDATE TO pgbench_tellers DO INSTEAD NOTHING",
            "stopped",
            "",
            "init",
        ),
    ] {
        let met = Victim::busy(&mut session);
        session.value(change);
        if status == "stopped" {
            let stored = session.intervals(met.run);
            wait_until(change, PATIENCE, || {
                session.intervals(met.run) >= stored + 2
            });
            session.value("SELECT pgperf.stop_all()");
        }
        met.expect_status(&mut session, status, reason);
        session.expect_nothing_left(change);
        match repair {
            "init" => session.value("CALL pgperf.init('tpcb-like', scale => 1, replace => true)"),
            sql => session.value(sql),
        };
    }
    expect_next_run(&mut session);
    session.expect_all_slots();
    cluster.expect_no_crash();
}

#[test]
fn rights_that_are_revoked_fail_the_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    create_tester(&mut session);
    for (revoke, grant, status, reason) in [
        (
            "REVOKE UPDATE ON pgbench_tellers FROM tester",
            "GRANT UPDATE ON pgbench_tellers TO tester",
            "failed",
            "42501 client",
        ),
        (
            "REVOKE USAGE ON SCHEMA public FROM PUBLIC, tester",
            "GRANT USAGE ON SCHEMA public TO PUBLIC",
            "failed",
            "42",
        ),
        // Connected sessions stay connected, and need nothing of pgperf.
        (
            "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC",
            "GRANT CONNECT ON DATABASE postgres TO PUBLIC",
            "stopped",
            "",
        ),
        (
            "ALTER ROLE tester NOLOGIN",
            "ALTER ROLE tester LOGIN",
            "stopped",
            "",
        ),
        (
            "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pgperf FROM tester",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester",
            "stopped",
            "",
        ),
    ] {
        let mut tester = cluster.connect_as("tester");
        let run = tester.start_run(CALM);
        drop(tester);
        let met = Victim::of(&mut session, run);
        session.value(revoke);
        if status == "stopped" {
            let stored = session.intervals(run);
            wait_until(revoke, PATIENCE, || session.intervals(run) >= stored + 2);
            session.value("SELECT pgperf.stop_all()");
        }
        met.expect_end(&mut session, status, reason);
        session.value(grant);
    }
    cluster.expect_no_crash();
}

#[test]
fn clients_that_may_not_connect_again_fail_the_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    create_tester(&mut session);
    for (revoke, grant) in [
        (
            "REVOKE CONNECT ON DATABASE postgres FROM PUBLIC",
            "GRANT CONNECT ON DATABASE postgres TO PUBLIC",
        ),
        ("ALTER ROLE tester NOLOGIN", "ALTER ROLE tester LOGIN"),
    ] {
        let mut tester = cluster.connect_as("tester");
        let run = tester.start_run(&format!("{CALM}, reconnect => 20"));
        drop(tester);
        let met = Victim::of(&mut session, run);
        session.value(revoke);
        met.expect_end(&mut session, "failed", "could not connect again");
        session.value(grant);
    }
    cluster.expect_no_crash();
}

/// A role that owns nothing can be dropped while it is connected: its session has lost its rights, and its run goes on
/// with what everybody may.
#[test]
fn a_role_can_be_dropped_during_its_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value(
        "GRANT USAGE ON SCHEMA pgperf TO PUBLIC; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO PUBLIC; \
         GRANT SELECT ON pgbench_accounts TO PUBLIC; GRANT SELECT ON pgbench_branches TO PUBLIC; CREATE ROLE parent; \
         GRANT UPDATE ON pgbench_branches TO parent",
    );
    let select = "'select-only', clients => 2, duration => '1 h', sample_interval => '0.1 s'";
    let update = "script => 'UPDATE pgbench_branches SET bbalance = bbalance;', clients => 2, duration => '1 h', sample_interval => '0.1 s'";
    for (arguments, status, reason) in [(select, "stopped", ""), (update, "failed", "42501 client")]
    {
        session.value("CREATE ROLE passing LOGIN IN ROLE parent");
        let mut passing = cluster.connect_as("passing");
        let run = passing.start_run(arguments);
        drop(passing);
        let met = Victim::of(&mut session, run);
        session.value("DROP ROLE passing");
        if status == "stopped" {
            session.await_intervals(run, 2);
            session.value(&format!("SELECT pgperf.stop_run({run})"));
        }
        met.expect_end(&mut session, status, reason);
        assert_eq!(
            session.value(&format!(
                "SELECT role FROM pgperf.runs WHERE run_id = {run}"
            )),
            "passing"
        );
        // It is still reported, and a superuser may delete it.
        assert!(
            !session
                .value(&format!("SELECT pgperf.report({run})"))
                .is_empty()
        );
        assert_eq!(
            session.value(&format!("SELECT pgperf.delete_run({run})")),
            "t"
        );
    }
    // The leader's role is the extension's owner, which cannot go while it owns it.
    let (sqlstate, ..) = error_of(&mut session, "DROP ROLE postgres");
    assert!(
        ["2BP01", "55006"].contains(&sqlstate.as_str()),
        "{sqlstate}"
    );
    cluster.expect_no_crash();
}

/// What pgperf needs goes, and pgperf with it; or what the database is called.
#[test]
fn whatever_goes_takes_the_run_along_at_once() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for way in [
        "DROP EXTENSION pg_stat_statements CASCADE",
        "DROP SCHEMA pgperf CASCADE",
        "DROP EXTENSION pgperf",
    ] {
        let run = session.start_busy_run(CALM);
        if way.contains("SCHEMA") {
            // The extension owns the schema's content, and the schema cannot go without it.
            let (sqlstate, ..) = error_of(&mut session, way);
            assert_eq!(sqlstate, "2BP01");
            session.value(&format!("SELECT pgperf.stop_run({run})"));
            session.wait_for_status(run, "stopped");
            continue;
        }
        at_once(way, || session.value(way));
        session.expect_nothing_left(way);
        session.value("CREATE EXTENSION pgperf CASCADE");
        expect_next_run(&mut session);
    }
    drop(session);
    let mut other = cluster.connect_to("template1");
    for way in [
        "ALTER DATABASE postgres RENAME TO renamed",
        "ALTER DATABASE renamed RENAME TO postgres",
    ] {
        let database = way.split(' ').nth(2).expect("a name");
        let mut session = cluster.connect_to(database);
        let run = session.start_busy_run(CALM);
        drop(session);
        wait_until("the session to leave", AT_ONCE, || {
            other.number(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'",
            ) == 1
        });
        at_once(way, || other.value(way));
        other.expect_nothing_left(way);
        let renamed = way.split(' ').next_back().expect("a name");
        let mut session = cluster.connect_to(renamed);
        assert_eq!(session.status(run), "interrupted");
        assert!(session.intervals(run) >= 2);
        expect_next_run(&mut session);
    }
    cluster.expect_no_crash();
}

/// pgperf's tables cannot be written for a while, or at all.
#[test]
fn tables_of_pgperf_that_are_locked_or_altered_cost_no_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    let met = Victim::busy(&mut session);
    // A lock on what is stored to: the leader waits for it, the clients do not.
    let committed = "SELECT count(*) FROM pgbench_history";
    for mode in ["SHARE", "ACCESS EXCLUSIVE"] {
        other.value(&format!(
            "BEGIN; LOCK TABLE pgperf.run_intervals IN {mode} MODE"
        ));
        let before = session.number(committed);
        wait_until("further commits", PATIENCE, || {
            session.number(committed) > before + 100
        });
        sleep(Duration::from_millis(300));
        other.value("ROLLBACK");
        session.await_intervals(met.run, 2);
    }
    other.value("ALTER TABLE pgperf.run_intervals RENAME TO hidden");
    sleep(Duration::from_millis(500));
    other.value("ALTER TABLE pgperf.hidden RENAME TO run_intervals");
    session.await_intervals(met.run, 2);
    session.value("SELECT pgperf.stop_all()");
    met.expect_end(&mut session, "stopped", "");
    cluster.expect_no_crash();
}

/// What the leader has to store waits for the lock; its clients and its limits do not.
#[test]
fn a_run_stops_while_its_tables_are_locked() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    let clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf client'";
    for (lock, limits, reason) in [
        ("pgperf.run_intervals", "", ""),
        ("pgperf_internal.stored_runs IN SHARE MODE", "", ""),
        (
            "pgperf_internal.stored_runs, pgperf.run_intervals IN SHARE MODE",
            ", limits => '{\"wal\": \"60MB\"}'",
            "53400",
        ),
    ] {
        let met = Victim::start(&mut session, &format!("{CALM}{limits}"));
        other.value(&format!("BEGIN; LOCK TABLE {lock}"));
        if limits.is_empty() {
            session.value(&format!("SELECT pgperf.stop_run({})", met.run));
        } else {
            // The clients would come to it, too, but who knows when.
            session.value(
                "SELECT count(pg_logical_emit_message(false, 'filler', repeat('x', 1000000))) FROM generate_series(1, 70)",
            );
        }
        wait_until("the clients to leave", PATIENCE, || {
            session.number(clients) == 0
        });
        other.value("ROLLBACK");
        met.expect_end(&mut session, "stopped", reason);
    }
    // Between warm-up and measured part.
    let run = session.start_run(&format!("{CALM}, warmup => '1 s', resume => true"));
    session.wait_for_status(run, "warming up");
    other.value("BEGIN; LOCK TABLE pgperf_internal.stored_runs IN SHARE MODE");
    sleep(Duration::from_millis(1500));
    assert_eq!(session.number(clients), 4);
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    wait_until("the clients to leave", PATIENCE, || {
        session.number(clients) == 0
    });
    other.value("ROLLBACK");
    session.wait_for_status(run, "stopped");
    session.expect_nothing_left("a run that was not measured");
    session.expect_all_slots();
    cluster.expect_no_crash();
}
