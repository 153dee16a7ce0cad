//! Work that goes on during an update ends in order; where the update is rolled back, it goes on.

use crate::common::releases::{MadeUp, UPDATE, this};
use crate::common::runs::{AT_ONCE, CALM, PATIENCE, Runs, error_of};
use crate::common::{Cluster, document, wait_until};

#[test]
fn an_update_ends_what_goes_on() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.start_sampler()");
    let run = session.start_busy_run(CALM);
    let script = MadeUp::new(
        &this(),
        "99.0.0",
        "ALTER TABLE pgperf_internal.stored_runs ADD COLUMN of_the_future integer;\n",
    );
    session.value(&format!("{UPDATE} TO '99.0.0'"));
    drop(script);
    session.wait_for_status(run, "stopped");
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
        )),
        "55000 the extension was updated meanwhile"
    );
    // Totals and intervals are there.
    assert!(session.total(run, "transactions") > 0);
    assert!(session.intervals(run) >= 2);
    let stored = "SELECT count(*) FROM pgperf_internal.run_totals WHERE run_id = ";
    assert_eq!(session.number(&format!("{stored}{run}")), 1);
    wait_until("the end of all workers", PATIENCE, || {
        session.workers() == 0
    });
    session.expect_no_workers("the update");
    for left in [
        format!("pgperf run {run} stops: the extension was updated meanwhile"),
        "pgperf sampler: leaving, the extension was updated".to_owned(),
    ] {
        assert!(cluster.log().contains(&left), "{left}");
    }
    // The library is the older one now: nothing starts with it.
    let (sqlstate, _, hint) = error_of(&mut session, "SELECT pgperf.start_run('select-only')");
    assert_eq!(sqlstate, "55000");
    assert!(hint.starts_with("Reconnect"), "{hint}");
}

/// The part of the script from 1.1 that ends its runs, whose leaders store their end where the tables were.
#[test]
fn the_update_that_moves_tables_ends_what_stores_in_them() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.start_sweep('select-only', clients => '{1}', repetitions => 2, duration => '1 h')");
    wait_until("the sweep's run", PATIENCE, || {
        session.value("SELECT string_agg(status, ' ') FROM pgperf.runs WHERE kind = 'run'")
            == "running"
    });
    let run = session.start_busy_run(CALM);
    let script = document("sql/pgperf--1.1.0--1.2.0.sql");
    let ending = script
        .split("\nDO ")
        .find(|part| part.contains("LOCK TABLE pgperf.stored_runs"))
        .and_then(|part| part.split("\n$$;\n").next())
        .expect("the part of the script");
    // Here the tables have moved already.
    let ending = ending.replace("LOCK TABLE pgperf.", "LOCK TABLE pgperf_internal.");
    let mut other = cluster.connect();
    session.value("BEGIN");
    session.value(&format!("DO {ending}\n$$"));
    other.expect_no_workers("the update's first part");
    let ended = "SELECT string_agg(concat_ws(' ', status, error), ', ') FROM pgperf.runs WHERE kind = 'run'";
    assert_eq!(session.value(ended), "stopped, stopped");
    assert!(session.total(run, "transactions") > 0);
    assert_eq!(
        session.value("SELECT status FROM pgperf.sweeps"),
        "interrupted"
    );
    // Nothing can begin until the tables are where the library of then looks for them.
    other.value("SET lock_timeout = '100ms'");
    let (sqlstate, ..) = error_of(&mut other, "SELECT pgperf.start_run('select-only')");
    assert_eq!(sqlstate, "55P03");
    session.value("ROLLBACK");
}

#[test]
fn an_update_that_is_rolled_back_ends_nothing() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(CALM);
    let script = MadeUp::new(&this(), "99.1.0", "SELECT pg_catalog.pg_sleep(1);\n");
    session.value("BEGIN");
    session.value(&format!("{UPDATE} TO '99.1.0'"));
    drop(script);
    session.value("ROLLBACK");
    let before = session.intervals(run);
    std::thread::sleep(AT_ONCE);
    assert_eq!(session.status(run), "running");
    assert!(session.intervals(run) > before);
}
