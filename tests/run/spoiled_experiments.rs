//! doctor() tells what would spoil an experiment: what is under way, and what the newest run wanted of a server that has it not.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, major, wait_until};
use postgres::Client;

fn of_doctor(session: &mut Client, what: &str, check: &str) -> String {
    session.value(&format!(
        "SELECT {what} FROM pgperf.doctor() WHERE check_name = '{check}'"
    ))
}

#[test]
fn doctor_tells_what_would_spoil_experiments() {
    let cluster = Cluster::for_scripts(&[
        "autovacuum = on",
        "autovacuum_naptime = '1min'",
        "checkpoint_timeout = '1h'",
    ]);
    let mut session = cluster.connect();
    for check in [
        "runs_under_way",
        "scheduled_jobs",
        "after_restart",
        "cold_caches",
        "turn_length",
    ] {
        assert_eq!(of_doctor(&mut session, "status", check), "ok", "{check}");
    }
    let run = session.start_run(
        "script => 'SELECT 1;', rate => 50, duration => '1 h', collectors => '{}', caches => 'cold', \
         alternate => '{\"work_mem\": [\"4MB\", \"8MB\"]}', alternate_every => '1 min'",
    );
    assert_eq!(
        of_doctor(&mut session, "status || ': ' || detail", "runs_under_way"),
        format!(
            "warning: a measurement now would disturb others, and they it: pgperf run {run} leader in database postgres"
        )
    );
    let turns = of_doctor(&mut session, "status || ': ' || detail", "turn_length");
    assert!(
        turns.starts_with("warning: turns of 60 s, ")
            && turns.contains("autovacuum_naptime (60 s)"),
        "{turns}"
    );
    let cold = if major() < 17 { "warning" } else { "ok" };
    assert_eq!(of_doctor(&mut session, "status", "cold_caches"), cold);
    // Who may not see other sessions or runs is told so, or nothing.
    session.value("CREATE ROLE stranger LOGIN");
    session.value("GRANT USAGE ON SCHEMA pgperf TO stranger");
    let mut stranger = cluster.connect_as("stranger");
    for (check, status) in [
        ("runs_under_way", "unknown"),
        ("after_restart", "unknown"),
        ("turn_length", "ok"),
    ] {
        assert_eq!(of_doctor(&mut stranger, "status", check), status, "{check}");
    }
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    wait_until("the leader's end", PATIENCE, || {
        of_doctor(&mut session, "status", "runs_under_way") == "ok"
    });
    session.finish_run(
        "script => 'SELECT 1;', transactions_per_client => 1, alternate => '{\"work_mem\": [\"4MB\", \"8MB\"]}'",
    );
    for check in ["cold_caches", "turn_length"] {
        assert_eq!(of_doctor(&mut session, "status", check), "ok", "{check}");
    }
}
