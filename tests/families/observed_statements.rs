//! Which statements a workload is made of: those that clients sent, of the stretch of time that is asked for; and who is told of them.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// Calls of the client's own statement, and as many of the function, which calls the same statement, and another one.
const DIRECT: i64 = 60;
const BY_FUNCTION: i64 = 200;

fn call(session: &mut Client) {
    for aid in 1..=DIRECT {
        session
            .query(
                "SELECT abalance FROM pgbench_accounts WHERE aid = $1",
                &[&(aid as i32)],
            )
            .unwrap();
    }
    for aid in 1..=BY_FUNCTION {
        session
            .query("SELECT balances($1)", &[&(aid as i32)])
            .unwrap();
    }
}

/// The calls of both of the client's statements, whatever becomes of them in the workload, and how many others are known.
fn included(session: &mut Client, arguments: &str) -> String {
    session.value(&format!(
        "SELECT concat_ws(' ', \
                 sum(calls) FILTER (WHERE statement LIKE 'SELECT abalance FROM pgbench_accounts%'), \
                 sum(calls) FILTER (WHERE statement LIKE 'SELECT balances(%'), \
                 count(*) FILTER (WHERE statement LIKE '%bbalance%')) \
           FROM pgperf.create_workload_from_statements('mine', top => 100, replace => true{arguments})"
    ))
}

#[test]
fn statements_within_functions_are_left_to_them() {
    let cluster = Cluster::for_runs(&["pg_stat_statements.track = all"]);
    let mut session = cluster.connect();
    session.value(
        "CREATE FUNCTION balances(a int) RETURNS int LANGUAGE plpgsql AS $$ \
         DECLARE found int; BEGIN \
             SELECT abalance FROM pgbench_accounts WHERE aid = a INTO found; \
             PERFORM bbalance FROM pgbench_branches WHERE bid = 1; \
             RETURN found; END $$",
    );
    session.value("SELECT pg_stat_statements_reset()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    let from = session.value("SELECT clock_timestamp()");
    call(&mut session);
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    // The nested ones were counted by the server.
    let nested = session.number(
        "SELECT sum(calls)::bigint FROM pg_stat_statements WHERE NOT toplevel AND query ~ 'bbalance|SELECT abalance FROM pgbench_accounts'",
    );
    assert_eq!(nested, 2 * BY_FUNCTION);
    let expected = format!("{DIRECT} {BY_FUNCTION} 0");
    assert_eq!(included(&mut session, ""), expected);
    let window = format!(", from_time => '{from}', to_time => clock_timestamp()");
    assert_eq!(included(&mut session, &window), expected, "of the history");
    // Before and after it, nothing was called.
    let (_, message, _) = error_of(
        &mut session,
        &format!(
            "SELECT * FROM pgperf.create_workload_from_statements('mine', replace => true, \
             from_time => timestamptz '{from}' - interval '1 hour', to_time => '{from}')"
        ),
    );
    assert!(!message.is_empty());
}

/// Who sees a run, but not the workload: here, its own role, which may not know the statements any more.
#[test]
fn who_may_not_know_the_statements_gets_no_fidelity() {
    let cluster = Cluster::for_runs(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE author LOGIN; CREATE ROLE starter LOGIN IN ROLE author; CREATE ROLE watcher LOGIN IN ROLE pg_monitor; \
             GRANT EXECUTE ON FUNCTION pgperf.create_workload_from_statements, pgperf.start_run TO author; \
             GRANT SELECT ON pgbench_accounts TO author",
        )
        .unwrap();
    let mut author = cluster.connect_as("author");
    for aid in 1..=20 {
        author.value(&format!(
            "SELECT abalance FROM pgbench_accounts WHERE aid = {aid}"
        ));
    }
    author.value("SELECT count(*) FROM pgperf.create_workload_from_statements('mine', top => 100)");
    let mut starter = cluster.connect_as("starter");
    let run = starter.number("SELECT pgperf.start_run('mine', transactions_per_client => 10)");
    superuser.wait_for_status(run, "finished");
    let fidelity = format!("SELECT count(*) FROM pgperf.workload_fidelity({run})");
    let known = starter.number(&fidelity);
    assert!(known >= 1, "{known}");
    superuser.value("REVOKE author FROM starter");
    let status = format!("SELECT pgperf.run_status({run})");
    assert_eq!(starter.value(&status), "finished");
    let (sqlstate, message, _) = error_of(&mut starter, &fidelity);
    assert_eq!(sqlstate, "42501", "{message}");
    assert!(message.contains("mine"), "{message}");
    // The author sees the workload, but not this run any more than before; who sees everything sees both.
    assert_eq!(error_of(&mut author, &fidelity).0, "42501");
    assert_eq!(cluster.connect_as("watcher").number(&fidelity), known);
}
