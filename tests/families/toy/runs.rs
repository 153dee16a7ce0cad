//! The toy family from load to report: run, checked, reported, swept.

use super::{cluster, failed_checks, lines};
use crate::common::runs::{Runs, error_of};

#[test]
fn a_family_is_loaded_run_checked_and_reported() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let load = session.number(
        "CALL pgperf.init('toy', scale => 3, jobs => 2, options => '{\"fillfactor\": 50}')",
    );
    assert_eq!(session.status(load), "finished");
    assert_eq!(
        session.value(
            "SELECT data_set || ' ' || scale || ' ' || cardinality(relations) FROM pgperf.data_sets"
        ),
        "toy 3 2"
    );
    assert_eq!(session.number("SELECT count(*) FROM toy_items"), 3_000);
    assert_eq!(
        session.value("SELECT reloptions::text FROM pg_class WHERE relname = 'toy_items'"),
        "{fillfactor=50}"
    );
    assert_eq!(failed_checks(&mut session, "toy"), "");
    let report = lines(&mut session, load);
    assert!(report.contains("rows loaded: 3000"), "{report}");
    for step in ["drop", "create", "fill", "index"] {
        assert!(report.contains(&format!("{step} 0.")), "{report}");
    }
    let call =
        "CALL pgperf.init('toy', scale => 3, jobs => 2, options => '{\"fillfactor\":50}'::jsonb);";
    let one_line = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains(call), "{report}");

    let run = session
        .number("SELECT pgperf.start_run('toy', clients => 2, transactions_per_client => 200)");
    session.value(&format!("CALL pgperf.wait_run({run})"));
    assert_eq!(session.status(run), "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT scale FROM pgperf.runs WHERE run_id = {run}"
        )),
        "3"
    );
    // Both scripts, by their weights: 300 and 100 of 400 are expected.
    let scripts = session.value(&format!(
        "SELECT string_agg(script || ' ' || weight, ', ' ORDER BY script_no) FROM pgperf.run_scripts WHERE run_id = {run}"
    ));
    assert_eq!(scripts, "toy read 3, toy write 1");
    let written = session.number("SELECT count(*) FROM toy_log");
    let counted = session.number(&format!(
        "SELECT transactions FROM pgperf.run_scripts WHERE run_id = {run} AND script = 'toy write'"
    ));
    assert_eq!(written, counted);
    assert!((40..200).contains(&written), "{written}");
    assert_eq!(failed_checks(&mut session, "toy"), "");
    let report = lines(&mut session, run);
    assert!(
        report.contains("transaction type: toy: three of four read, one writes"),
        "{report}"
    );
    assert!(report.contains("SQL script 2: toy write"), "{report}");

    session.value("UPDATE toy_items SET total = total + 1 WHERE id = 1");
    assert!(failed_checks(&mut session, "toy").starts_with("totals of items and the log agree: "));
    session.value("DELETE FROM toy_items WHERE id = 1");
    assert_eq!(
        failed_checks(&mut session, "toy-read"),
        "toy_items has 3000 rows at scale 3: 2999 rows"
    );
}

#[test]
fn families_stand_beside_each_other() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tpcb-like')");
    session.value("CALL pgperf.init('toy', scale => 2)");
    assert_eq!(session.value("SELECT string_agg(data_set || ' ' || scale, ', ' ORDER BY data_set) FROM pgperf.data_sets"), "pgbench 1, toy 2");
    let run = session.number(
        "SELECT pgperf.start_run('toy-read@1, select-only@3', transactions_per_client => 40)",
    );
    session.value(&format!("CALL pgperf.wait_run({run})"));
    assert_eq!(session.status(run), "finished");
    // The vacuum of a run is that of its workload's family.
    let run = session
        .number("SELECT pgperf.start_run('toy', vacuum => 'all', transactions_per_client => 10)");
    session.value(&format!("CALL pgperf.wait_run({run})"));
    let vacuum = session.value(&format!("SELECT string_agg(s, '; ') FROM pgperf.runs, jsonb_array_elements_text(spec -> 'vacuum_sql') s WHERE run_id = {run}"));
    assert_eq!(
        vacuum,
        "TRUNCATE \"public\".\"toy_log\"; VACUUM \"public\".\"toy_items\""
    );
    let (sqlstate, message, hint) =
        error_of(&mut session, "CALL pgperf.init('toy', partitions => 3)");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        ("22023", "the tables of \"toy\" have no option partitions")
    );
    assert!(
        hint.contains("fillfactor (integer from 10 to 100, default 100)"),
        "{hint}"
    );
    let (sqlstate, message, hint) =
        error_of(&mut session, "CALL pgperf.init('toy', fillfactor => 50)");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "22023",
            "fillfactor is not an argument for the tables of \"toy\""
        )
    );
    assert_eq!(hint, "Give it in options => '{\"fillfactor\": 50}'.");
}

#[test]
fn a_sweep_loads_the_tables_of_its_family() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let sweep = session.number(
        "SELECT pgperf.start_sweep(workloads => '{toy, toy-read}', scales => '{1, 2}', fillfactors => '{80, 100}', clients => '{1}', \
         repetitions => 1, transactions_per_client => 20, collectors => '{}', options => '{\"logs\": false, \"reads\": 1, \"log_tables\": 2}')",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    assert_eq!(
        session.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "finished"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'toy_log%'"),
        0
    );
    let points = session.value(&format!(
        "SELECT string_agg(workload || ' ' || scale || ' ' || fillfactor, ', ' ORDER BY point_no) \
           FROM pgperf_internal.stored_sweep_points WHERE sweep_id = {sweep}"
    ));
    assert_eq!(
        points,
        "toy 1 80, toy 1 100, toy 2 80, toy 2 100, toy-read 1 80, toy-read 1 100, toy-read 2 80, toy-read 2 100"
    );
    let options = |of: &str| {
        format!(
            "SELECT string_agg(DISTINCT ({of})::text, ' ') FROM pgperf_internal.stored_sweep_points WHERE sweep_id = {sweep}"
        )
    };
    assert_eq!(
        session.value(&options("arguments -> 'options'")),
        "{\"reads\": 1, \"log_tables\": 2}"
    );
    assert_eq!(
        session.value(&options("load -> 'options'")),
        "{\"logs\": false, \"fillfactor\": 100, \"log_tables\": 2} {\"logs\": false, \"fillfactor\": 80, \"log_tables\": 2}"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_class WHERE relname = 'toy_items' AND reloptions IN ('{fillfactor=80}', '{fillfactor=100}')"),
        1
    );
    let scripts = "SELECT string_agg(script || ' ' || weight, ', ' ORDER BY script_no) \
                   FROM pgperf.run_scripts JOIN pgperf.runs USING (run_id) WHERE sweep_point = 1";
    assert_eq!(
        session.value(scripts),
        "toy read 2, toy write 1, toy write2 1"
    );
    // Without loads an option of loads has no use.
    let (_, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_sweep('toy', options => '{\"logs\": false}')",
    );
    assert_eq!(message, "option logs applies only to loads");
}
