//! Settings of a role or database that end or forbid work of a session: they hold for the clients of a run as for any
//! session of that role, and not for pgperf's own work.

use crate::common::aftermath::{Aftermath, Victim};
use crate::common::runs::{BUSY, NO_BUDGET, Runs, error_of, expect_next_run};
use crate::common::{Cluster, major};
use postgres::Client;

/// The result of a run of one statement that takes half a second.
fn end_of_a_slow_run(cluster: &Cluster, session: &mut Client, script: &str) -> String {
    // The caller's own session is not to be what fails, not even before its first statement.
    let mut options =
        "-c statement_timeout=0 -c lock_timeout=0 -c default_transaction_read_only=off \
                       -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0"
            .to_owned();
    if major() >= 17 {
        options += " -c transaction_timeout=0";
    }
    let mut tester = cluster.connect_with("tester", &options);
    let run = tester.start_run(&format!(
        "script => '{script}', clients => 2, transactions_per_client => 2, sample_interval => '0.1 s'"
    ));
    drop(tester);
    session.value(&format!("CALL pgperf.wait_run({run})"));
    session.expect_nothing_left(script);
    session.value(&format!(
        "SELECT concat_ws(' ', status, sqlstate) FROM pgperf.runs WHERE run_id = {run}"
    ))
}

fn create_tester(session: &mut Client) {
    session.value(
        "CREATE ROLE tester LOGIN IN ROLE pg_monitor; GRANT USAGE, CREATE ON SCHEMA public TO tester; \
         GRANT USAGE ON SCHEMA pgperf TO tester; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester; \
         GRANT EXECUTE ON ALL PROCEDURES IN SCHEMA pgperf TO tester; \
         CREATE TABLE locked (id int); CREATE TABLE written (id int); GRANT ALL ON locked, written TO tester",
    );
}

#[test]
fn timeouts_of_the_role_hold_for_its_clients() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    create_tester(&mut session);
    let mut blocker = cluster.connect();
    blocker.value("BEGIN; LOCK TABLE locked IN EXCLUSIVE MODE");
    let slow = "SELECT pg_sleep(0.5);";
    let waiting = "INSERT INTO locked VALUES (1);";
    let pausing = "BEGIN;\n\\sleep 500 ms\nEND;";
    let mut cases = vec![
        ("statement_timeout = '100ms'", slow, "failed 57014"),
        ("statement_timeout = '10s'", slow, "finished"),
        ("lock_timeout = '100ms'", waiting, "failed 55P03"),
        ("lock_timeout = '100ms'", slow, "finished"),
        // The server ends the session.
        (
            "idle_in_transaction_session_timeout = '100ms'",
            pausing,
            "failed 57P01",
        ),
        (
            "idle_in_transaction_session_timeout = '100ms'",
            "BEGIN;\nSELECT pg_sleep(0.3);\nEND;\n\\sleep 300 ms",
            "finished",
        ),
        (
            "idle_session_timeout = '200ms'",
            "SELECT 1;\n\\sleep 500 ms",
            "failed 57P01",
        ),
        // It goes by each wait, and no wait is that long.
        (
            "idle_session_timeout = '10s'",
            "\\sleep 300 ms\nSELECT 1;",
            "finished",
        ),
        (
            "default_transaction_read_only = on",
            "INSERT INTO written VALUES (1);",
            "failed 25006",
        ),
        (
            "default_transaction_read_only = on",
            "SELECT count(*) FROM written;",
            "finished",
        ),
        (
            "default_transaction_deferrable = on",
            "INSERT INTO written VALUES (1);",
            "finished",
        ),
    ];
    if major() >= 17 {
        // The server ends the session.
        cases.push(("transaction_timeout = '100ms'", slow, "failed 57P01"));
        cases.push(("transaction_timeout = '10s'", slow, "finished"));
    }
    for place in ["ROLE tester", "ROLE tester IN DATABASE postgres"] {
        for (setting, script, expected) in &cases {
            session.value(&format!("ALTER {place} SET {setting}"));
            let end = end_of_a_slow_run(&cluster, &mut session, script);
            assert_eq!(end, *expected, "{place}, {setting}: {script}");
            session.value(&format!("ALTER {place} RESET ALL"));
        }
    }
    blocker.value("ROLLBACK");
    expect_next_run(&mut session);
    session.expect_all_slots();
    cluster.expect_no_crash();
}

/// The settings of everybody are those of the leader, the sampler and the sweep's worker as well.
const STRICT: &[&str] = &[
    "statement_timeout = '50ms'",
    "lock_timeout = '10ms'",
    "idle_in_transaction_session_timeout = '10ms'",
    "idle_session_timeout = '10ms'",
    "default_transaction_read_only = on",
    "default_transaction_isolation = 'serializable'",
];

#[test]
fn what_pgperf_stores_does_not_time_out() {
    let cluster = Cluster::for_faults(&[NO_BUDGET]);
    let mut session = cluster.connect();
    for setting in STRICT {
        session.value(&format!("ALTER DATABASE postgres SET {setting}"));
    }
    if major() >= 17 {
        // It holds from a session's first transaction on, which takes long on a busy machine.
        session.value("ALTER DATABASE postgres SET transaction_timeout = '500ms'");
    }
    // This session began before. A run that reads, samples, and a sweep; the clients follow the settings.
    let clients = "settings => '{\"statement_timeout\": \"0\", \"lock_timeout\": \"0\"}', sample_interval => '0.1 s'";
    let met = Victim::start(
        &mut session,
        &format!("'select-only', clients => 2, duration => '1 h', {clients}"),
    );
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name IN ('wal', 'tables', 'bloat')");
    session.value("SELECT pgperf.start_sampler()");
    session.value(&format!(
        "SELECT pgperf.start_sweep('select-only', clients => '{{1,2}}', repetitions => 2, duration => '0.3 s', {clients})"
    ));
    crate::common::wait_until("a sweep and samples", crate::common::runs::PATIENCE, || {
        session.value("SELECT status FROM pgperf.sweeps") == "finished"
            && session.number(
                "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND complete",
            ) >= 3
    });
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.sample_outcomes WHERE status = 'failed'"),
        0
    );
    session.value("SELECT pgperf.stop_sampler()");
    session.value("SELECT pgperf.stop_all()");
    met.expect_status(&mut session, "stopped", "");
    session.expect_nothing_left("runs, samples and a sweep");
    // A session that has the settings itself gets an error that names the obstacle.
    let mut strict = cluster
        .config()
        .options("-c statement_timeout=0 -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0")
        .connect(postgres::NoTls)
        .expect("a session");
    let (sqlstate, message, hint) = error_of(&mut strict, "SELECT pgperf.start_run('select-only')");
    assert_eq!(sqlstate, "25006", "{message}");
    assert!(!hint.is_empty());
    session.value("ALTER DATABASE postgres RESET ALL");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

/// Settings of the whole server, and changes during a run.
#[test]
fn settings_that_change_meanwhile_reach_the_clients() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value("SET statement_timeout = 0; SET default_transaction_read_only = off");
    let met = Victim::busy(&mut session);
    cluster.reconfigure(&["default_transaction_read_only = on"]);
    met.expect_status(&mut session, "failed", "25006 client");
    session.expect_nothing_left("the run");
    cluster.reconfigure(&["default_transaction_read_only = off"]);
    let run = session.start_run(&format!(
        "{BUSY}, settings => '{{\"statement_timeout\": \"1h\"}}'"
    ));
    let met = Victim::of(&mut session, run);
    cluster.reconfigure(&["statement_timeout = '1ms'", "synchronous_commit = off"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(session.value("SHOW synchronous_commit"), "off");
    cluster.reconfigure(&["statement_timeout = 0"]);
    session.value("SELECT pgperf.stop_all()");
    met.expect_end(&mut session, "stopped", "");
    cluster.expect_no_crash();
}
