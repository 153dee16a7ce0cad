//! Who may run over the wire, with what, and what the history tells of the connection.

use super::cluster;
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};

fn refused(session: &mut postgres::Client, arguments: &str, message: &str) {
    let (_, found, _) = error_of(session, &format!("SELECT pgperf.start_run({arguments})"));
    assert!(found.contains(message), "{arguments}: {found}");
}

#[test]
fn a_role_that_is_no_superuser_is_refused() {
    let cluster = cluster();
    cluster.run_sql("CREATE ROLE plain LOGIN; GRANT USAGE ON SCHEMA pgperf TO plain; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO plain");
    let mut session = cluster.connect_as("plain");
    let run = "SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'wire')";
    let (sqlstate, message, hint) = error_of(&mut session, run);
    assert_eq!(sqlstate, "42501");
    assert!(message.contains("superusers"), "{message}");
    assert!(hint.contains("inside"), "{hint}");
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_starts() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for (arguments, message) in [
        ("transport => 'pigeon'", "unknown transport"),
        ("workers => 2", "workers needs transport"),
        ("connect_each_transaction => true", "needs transport"),
        ("transport => 'wire', workers => 0", "at least 1"),
        (
            "transport => 'wire', result_mode => 'discard'",
            "over the wire",
        ),
        ("transport => 'wire', hit_curve => true", "over the wire"),
        (
            "transport => 'wire', connect_each_transaction => true, reconnect => 2",
            "exclude each other",
        ),
        (
            "transport => 'wire', workers => 100, clients => 100",
            "not enough free worker slots: 101 needed",
        ),
    ] {
        refused(
            &mut session,
            &format!("script => 'SELECT 1;', {arguments}"),
            message,
        );
    }
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.runs WHERE kind = 'run'"),
        0
    );
}

#[test]
fn a_run_without_room_for_its_connections_fails_with_the_reason() {
    let cluster = Cluster::for_faults(&["max_connections = 20"]);
    let mut session = cluster.connect();
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'wire', clients => 18)",
    );
    assert_eq!(sqlstate, "53300");
    assert!(message.contains("is 20, of which 3"), "{message}");
    assert!(hint.ends_with("max_connections = 21"), "{hint}");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.runs WHERE kind = 'run'"),
        0
    );
    // Others have what is left.
    let others: Vec<_> = (0..4).map(|_| cluster.connect()).collect();
    let run = session.start_run("script => 'SELECT 1;', transport => 'wire', clients => 17");
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(error.contains("clients already"), "{error}");
    drop(others);
    super::expect_nothing_left(&mut session, "too many connections");
}
