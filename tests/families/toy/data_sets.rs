//! Tables of the toy family that a run takes, and those that it refuses.

use super::cluster;
use crate::common::runs::{Runs, error_of};

#[test]
fn the_scale_of_a_family_is_known_of_its_own_tables_alone() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('toy', scale => 2)");
    // Somebody else's table of the same name.
    session.value("DROP TABLE toy_items");
    session.value("CREATE TABLE toy_items AS SELECT 1 AS id, 0 AS total");
    let (_, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('toy')");
    assert_eq!(
        message,
        "relation \"toy_items\" of workload \"toy\" does not exist or is empty"
    );
    assert!(hint.contains("CALL pgperf.init('toy'"), "{hint}");
    let (sqlstate, _, _) = error_of(&mut session, "CALL pgperf.init('toy')");
    assert_eq!(sqlstate, "42P07");
    // All of them are somebody else's: the family says their scale.
    session.value("DROP TABLE toy_log");
    session.value("CREATE TABLE toy_log (id int, added int)");
    let run = session.number("SELECT pgperf.start_run('toy', transactions_per_client => 1)");
    session.wait_for_status(run, "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT scale FROM pgperf.runs WHERE run_id = {run}"
        )),
        "1"
    );
}

#[test]
fn a_data_set_that_is_not_filled_is_refused() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('toy')");
    // As a load leaves it that ends before it has filled the tables.
    session.value("UPDATE pgperf.data_sets SET scale = 0");
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('toy')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "55000",
            "the tables of workload \"toy\" are not completely loaded"
        )
    );
    assert!(hint.contains("CALL pgperf.init('toy'"), "{hint}");
}
