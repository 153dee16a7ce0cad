//! Loads of workloads that users store: what they replace, and what is left of one that ends early.

use super::{create_mine, data_sets};
use crate::common::history::copy;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};

/// Takes as long as nobody ends it, in the second part.
const ENDLESS_PART: &str =
    "INSERT INTO one SELECT 0, 0, 0, ''; SELECT pg_sleep(CASE WHEN :part = 2 THEN 600 ELSE 0 END)";

#[test]
fn a_load_replaces_only_its_own() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA other; CREATE TABLE bystander (); CREATE TABLE other.one ()");
    create_mine(&mut session, "SELECT 1");
    session.value("CALL pgperf.init('tpcb-like')");
    session.value("CALL pgperf.init('mine', scale => 2)");
    session.value("ALTER TABLE two RENAME TO kept; DROP VIEW both_of");
    // Another definition, which creates something else.
    session.value(
        "SELECT pgperf.create_workload('mine', replace => true, script => 'SELECT 1;', \
           setup_sql => 'CREATE TABLE three AS SELECT i FROM generate_series(1, :scale) i')",
    );
    session.value("CALL pgperf.init('mine', scale => 3)");
    assert_eq!(
        session.value("SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S') AND relname !~ '^pg_'"),
        "bystander kept pgbench_accounts pgbench_branches pgbench_history pgbench_tellers three"
    );
    assert_eq!(session.number("SELECT count(*) FROM three"), 3);
    let sets = data_sets(&mut session);
    assert!(
        sets.starts_with("public mine 3 {three} {}; public pgbench 1 {pgbench_"),
        "{sets}"
    );
    // Somebody else's table of the same name: its author's statement fails, and changes nothing.
    create_mine(&mut session, "SELECT 1");
    let load = session.number("SELECT pgperf.start_load('mine', schema => 'other')");
    session.wait_for_status(load, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {load}"
        )),
        "42P07 step \"set up\": relation \"one\" already exists"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_class WHERE relnamespace = 'other'::regnamespace"),
        1
    );
    // What a concurrent session creates meanwhile is not the data set's.
    session.value("DROP TABLE other.one");
    session.value("SELECT pgperf.create_workload('slow', script => 'SELECT 1;', setup_sql => 'CREATE TABLE five (); SELECT pg_sleep(1.5)')");
    let load = session.number("SELECT pgperf.start_load('slow', schema => 'other')");
    wait_until("the setup", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1.5)%' AND pid <> pg_backend_pid()") == 1
    });
    session.value("CREATE TABLE other.theirs ()");
    session.wait_for_status(load, "finished");
    assert!(
        data_sets(&mut session).starts_with("other slow 1 {five}"),
        "{}",
        data_sets(&mut session)
    );
}

#[test]
fn a_load_that_ends_early_leaves_a_data_set_that_no_run_takes() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    create_mine(&mut session, ENDLESS_PART);
    let start = "SELECT pgperf.start_load('mine', jobs => 2)";
    let load = session.number(start);
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    // The first part is there, the second one waits.
    wait_until("the second part", PATIENCE, || session.number(waits) == 1);
    wait_until("the first part", PATIENCE, || {
        session.number("SELECT count(*) FROM one") == 51
    });
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({load})")),
        "t"
    );
    session.wait_for_status(load, "stopped");
    session.expect_no_workers("stopping the load");
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('mine')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "55000",
            "the tables of workload \"mine\" are not completely loaded"
        )
    );
    assert!(hint.contains("CALL pgperf.init('mine'"), "{hint}");
    // A part that fails ends the others, which would take long, and the first error is the load's.
    create_mine(&mut session, "SELECT 1 / (:part - 1), pg_sleep(600)");
    let load = session.number("SELECT pgperf.start_load('mine', jobs => 3)");
    session.wait_for_status(load, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {load}"
        )),
        "22012 step \"load\": division by zero"
    );
    session.expect_no_workers("a part that fails");
    // And a worker that goes away.
    create_mine(&mut session, ENDLESS_PART);
    let load = session.number(start);
    wait_until("the second part", PATIENCE, || session.number(waits) == 1);
    session.value(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
    );
    session.wait_for_status(load, "failed");
    session.expect_no_workers("terminating a worker");
    // The next load replaces all of it.
    create_mine(&mut session, "SELECT 1");
    session.value("CALL pgperf.init('mine', jobs => 2)");
    session.finish_run("'mine', transactions_per_client => 10");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"('mine') WHERE NOT passed"),
        0
    );
}

#[test]
fn a_sweep_loads_it_and_a_restored_copy_still_has_it() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    create_mine(&mut session, "SELECT 1");
    let sweep = session.number(
        "SELECT pgperf.start_sweep('mine', scales => '{1, 2}', clients => '{1}', repetitions => 1, transactions_per_client => 10, \
         collectors => '{}', options => '{\"rows\": 7}')",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    assert_eq!(
        session.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "finished"
    );
    let loaded = session.value(
        "SELECT string_agg(concat_ws(' ', kind, scale, coalesce(spec -> 'variables' ->> 'rows', spec #>> '{load,options,rows}')), ', ' ORDER BY kind, scale) FROM pgperf.runs",
    );
    assert_eq!(loaded, "load 1 7, load 2 7, run 1 7, run 2 7");
    let definition = "SELECT md5(w::text) FROM pgperf_internal.stored_workloads w";
    let before = session.value(definition);
    copy(&cluster, &cluster, "copy", "custom");
    let mut copied = cluster.connect_to("copy");
    assert_eq!(copied.value(definition), before);
    // The tables of the original are not the copy's.
    let (_, message, _) = error_of(&mut copied, "SELECT pgperf.start_run('mine')");
    assert_eq!(message, "the data set of workload \"mine\" is not loaded");
    copied.value("DROP TABLE one, two CASCADE; DROP SEQUENCE s");
    copied.value("CALL pgperf.init('mine')");
    copied.finish_run("'mine', transactions_per_client => 3");
}
