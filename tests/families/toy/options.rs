//! The options of the toy family: some apply to loads, some to runs, and one to both.

use super::{cluster, failed_checks};
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// The scripts of a finished run, with their weights.
fn scripts(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(script || ' ' || weight, ', ' ORDER BY script_no) FROM pgperf.run_scripts WHERE run_id = {run}"
    ))
}

fn call_of(session: &mut Client, run: i64) -> String {
    session.value(&format!("SELECT pgperf.report_json({run}) ->> 'call'"))
}

fn logs(session: &mut Client) -> String {
    session.value(
        "SELECT coalesce(string_agg(relname, ' ' ORDER BY relname), '') FROM pg_class \
          WHERE relkind = 'r' AND relname LIKE 'toy_log%'",
    )
}

#[test]
fn runs_take_options_of_their_call_and_of_the_load() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('toy', options => '{\"log_tables\": 3.0, \"logs\": false}')");
    assert_eq!(
        session.value("SELECT options - '{parts,create}'::text[] || jsonb_build_object('n', cardinality(relations)) FROM pgperf.data_sets"),
        "{\"n\": 4, \"logs\": false, \"fillfactor\": 100, \"log_tables\": 3}"
    );
    // Those of the load.
    let plain = session
        .finish_run("'toy', transactions_per_client => 60, vacuum => 'standard', random_seed => 1");
    assert_eq!(
        scripts(&mut session, plain),
        "toy read 9, toy write 1, toy write2 1, toy write3 1"
    );
    let spec = |of: &str, run: i64| format!("SELECT {of} FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(
        session.value(&spec("spec ->> 'vacuum_sql'", plain)),
        "[\"TRUNCATE \\\"public\\\".\\\"toy_log\\\", \\\"public\\\".\\\"toy_log2\\\", \\\"public\\\".\\\"toy_log3\\\"\"]"
    );
    let written = "SELECT (SELECT count(*) FROM toy_log) + (SELECT count(*) FROM toy_log2) + (SELECT count(*) FROM toy_log3)";
    let counted = session.number(&format!(
        "SELECT sum(transactions)::bigint FROM pgperf.run_scripts WHERE run_id = {plain} AND script LIKE 'toy write%'"
    ));
    assert_eq!(session.number(written), counted);
    assert_eq!(failed_checks(&mut session, "toy"), "");
    // Those of the call, which reproduces the run.
    let given = "'toy', transactions_per_client => 60, random_seed => 1, options => '{\"reads\": 0, \"log_tables\": 2}'";
    let run = session.finish_run(given);
    assert_eq!(
        scripts(&mut session, run),
        "toy read 0, toy write 1, toy write2 1"
    );
    let call = call_of(&mut session, run);
    assert!(
        call.contains("options => '{\"log_tables\":2, \"reads\":0}'::jsonb"),
        "{call}"
    );
    let again = session.number(&call);
    session.wait_for_status(again, "finished");
    assert_eq!(call_of(&mut session, again), call);
    assert_eq!(
        session.value(&spec("spec - 'search_path'", run)),
        session.value(&spec("spec - 'search_path'", again))
    );
    let listed = session.value(&format!(
        "SELECT string_agg(concat(metric, ' ', baseline_text, ' / ', candidate_text), ', ' ORDER BY metric) \
           FROM pgperf.compare({plain}, {run}) WHERE object = 'toy'"
    ));
    assert_eq!(listed, "log_tables 3 / 2, reads 3 / 0");
    // Tables that there are not.
    let (sqlstate, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run('toy', options => '{\"log_tables\": 4}')",
    );
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "42P01",
            "relation \"toy_log4\" of workload \"toy\" does not exist or is empty"
        )
    );
}

#[test]
fn each_workload_of_a_mix_takes_the_options_that_it_knows() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tpcb-like')");
    session.value("CALL pgperf.init('toy', options => '{\"log_tables\": 2}')");
    session.value("SELECT pgperf.create_workload('own', script => 'SELECT 1;')");
    let run = session.finish_run(
        "'select-only@1, toy@3', transactions_per_client => 9, options => '{\"reads\": 1}'",
    );
    assert_eq!(
        scripts(&mut session, run),
        "select-only 4, toy read 6, toy write 3, toy write2 3"
    );
    // In the call of a mix with stored workloads the options are a part of the scripts.
    let run = session.finish_run(
        "'own@1, toy@1', transactions_per_client => 9, random_seed => 1, options => '{\"reads\": 2}'",
    );
    let made = scripts(&mut session, run);
    let call = call_of(&mut session, run);
    assert!(
        !call.contains("options") && call.contains("INSERT INTO toy_log2"),
        "{call}"
    );
    let again = session.number(&call);
    session.wait_for_status(again, "finished");
    let weights = |made: &str| -> Vec<String> {
        let parts = made.split(", ");
        parts
            .filter_map(|part| Some(part.rsplit_once(' ')?.1.to_owned()))
            .collect()
    };
    assert_eq!(weights(&made), weights(&scripts(&mut session, again)));
    // Those of the warm-up stay.
    let run = session.finish_run(
        "'own', transactions_per_client => 9, random_seed => 1, warmup => '10 ms', warmup_workload => 'toy', \
         options => '{\"reads\": 2}'",
    );
    let call = call_of(&mut session, run);
    assert!(call.contains("options => '{\"reads\":2}'::jsonb"), "{call}");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(s ->> 'weight', ' ') FROM pgperf.runs, jsonb_array_elements(spec -> 'warmup_scripts') s WHERE run_id = {run}"
        )),
        "4 1 1"
    );
    for (call, message) in [
        (
            "start_run('toy', options => '{\"logs\": true}')",
            "option logs applies only to loads",
        ),
        (
            "start_load('toy', options => '{\"reads\": 1}')",
            "option reads applies only to runs",
        ),
        (
            "start_run('own', options => '{\"reads\": 1}')",
            "options needs a workload that has options",
        ),
        (
            "start_run('toy@1, own@1', options => '{\"read\": 1}')",
            "no workload of the run has an option read",
        ),
        (
            "start_run('toy', options => '{\"reads\": 101}')",
            "reads must be an integer from 0 to 100 (default 3), not 101",
        ),
        (
            "start_load('toy', options => '{\"logs\": \"no\"}')",
            "logs must be a boolean (default true), not \"no\"",
        ),
    ] {
        let (sqlstate, found, hint) = error_of(&mut session, &format!("SELECT pgperf.{call}"));
        assert_eq!(
            (sqlstate.as_str(), found.as_str()),
            ("22023", message),
            "{call}"
        );
        assert!(!hint.is_empty(), "{call}");
    }
}

#[test]
fn a_load_replaces_data_sets_with_more_and_with_fewer_tables() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let init = |session: &mut Client, logs: i32| {
        session.value(&format!(
            "CALL pgperf.init('toy', options => '{{\"log_tables\": {logs}}}')"
        ))
    };
    init(&mut session, 3);
    assert_eq!(logs(&mut session), "toy_log toy_log2 toy_log3");
    init(&mut session, 1);
    assert_eq!(logs(&mut session), "toy_log");
    assert_eq!(
        session.number("SELECT cardinality(relations) FROM pgperf.data_sets"),
        2
    );
    // Somebody else's table in the place of one that the new data set has.
    session.value("CREATE TABLE toy_log2 AS SELECT 1 AS mine");
    let two = "CALL pgperf.init('toy', options => '{\"log_tables\": 2}'";
    let (sqlstate, message, _) = error_of(&mut session, &format!("{two})"));
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "42P07",
            "relation \"toy_log2\" already exists and was not created by pgperf"
        )
    );
    session.value(&format!("{two}, replace => true)"));
    assert_eq!(failed_checks(&mut session, "toy"), "");
    // A table that was renamed, and one that somebody else has made anew, are not pgperf's to drop.
    init(&mut session, 3);
    session.value("ALTER TABLE toy_log2 RENAME TO toy_logbook");
    session.value("DROP TABLE toy_log3");
    session.value("CREATE TABLE toy_log3 AS SELECT 1 AS mine");
    init(&mut session, 1);
    assert_eq!(logs(&mut session), "toy_log toy_log3 toy_logbook");
}
