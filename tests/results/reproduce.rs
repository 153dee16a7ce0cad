//! The call in a report starts the same run again, whatever its arguments were.

use std::collections::BTreeSet;

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// Arguments of runs: each argument of start_run with a value that is not its default, in one of them.
const RUNS: &[&str] = &[
    "'tpcb-like', clients => 2, transactions_per_client => 5, query_mode => 'simple', result_mode => 'discard', \
     max_tries => 3, continue_on_error => true, think_time => '1 ms', round_trip => '1 ms', reconnect => 3, \
     random_seed => 7, variables => '{\"x\": \"it''s\"}', settings => '{\"work_mem\": \"5MB\"}', vacuum => 'standard', \
     before_sql => 'SELECT 1', after_sql => 'SELECT ''2''', warmup => '10 ms', warmup_workload => 'select-only', \
     sample_interval => '2 s', collectors => '{wal,bloat@1h}', schema => 'lab', label => 'it''s a label', \
     limits => '{\"wal\": \"100GB\", \"errors\": 10, \"free_disk\": null}', \
     expect => '{\"failed\": \"= 0\"}', resume => true, application_name => 'it''s an application', \
     options => '{}', hit_curve => true, plans => true",
    "script => E'\\\\set a 1\\nSELECT :a, ''$text$'';', duration => '0.2 s', rate => 100, latency_limit => '1 s', max_tries => 0, \
     exit_on_abort => true, transaction_log => true, sampling_rate => 0.5, scale => 3, random_seed => 8, \
     disturbances => '[{\"name\": \"it''s\", \"sql\": \"SELECT ''1''\", \"at\": \"0.1 s\"}, {\"kind\": \"checkpoint\", \"at\": \"0 s\"}]'",
    "scripts => ARRAY['SELECT 1;', 'SELECT 2;'], weights => '{1,3}', transactions_per_client => 2, random_seed => 9, \
     drain => '{\"slots\": [\"consumed\"]}', drain_timeout => '1 min', \
     drain_sql => 'SELECT pg_replication_slot_advance(''consumed'', pg_current_wal_flush_lsn()) IS NOT NULL', \
     alternate => '{\"work_mem\": [\"4MB\", \"64MB\"], \"script\": [[\"script 1\", \"script 2\"], \"script 2\"]}', alternate_every => '1 s', settle => '0.25 s', caches => 'warm'",
    "script => 'SELECT 1;', duration => '3 s', sample_interval => '0.1 s', collectors => '{}', \
     random_seed => 10, until_precise => '1.5%'",
    "script => 'SELECT 1;', transactions_per_client => 3, transport => 'wire', workers => 1, connect_each_transaction => true, reconnect_on_loss => true, random_seed => 11",
    "script => 'SELECT 1;', transactions_per_client => 3, server => 'itself', random_seed => 12",
    "script => 'SELECT 1;', transactions_per_client => 3, clients => 4, servers => '{itself@2,twin}', random_seed => 13",
];

/// The same of loads.
const LOADS: &[&str] = &[
    "'tpcb-like', scale => 2, steps => 'dtgpv', fillfactor => 90, partitions => 2, partition_method => 'hash', \
     unlogged => true, tablespace => 'fast', index_tablespace => 'other', jobs => 2, schema => 'lab', replace => true, \
     limits => '{\"wal\": \"100GB\"}', label => 'a load'",
    "'tpcb-like', foreign_keys => true, options => '{\"fillfactor\": 90.0, \"partition_method\": null}'",
    "'tpcb-like', schema => 'remote', server => 'itself'",
];

/// What a load replaced is its own afterwards, and what belongs to others should not be dropped by copying a line.
const NOT_REPEATED: &str = "replace";

/// A moment, at which the same run begins only once; and what is stored of each run anew: targets::nodes has its call.
const NOT_HERE: [&str; 2] = ["start_at", "nodes"];

/// The names of a function's arguments in the catalog.
fn arguments(session: &mut Client, function: &str) -> BTreeSet<String> {
    let names = session.value(&format!(
        "SELECT pg_catalog.array_to_string(proargnames, ' ') FROM pg_catalog.pg_proc \
          WHERE pronamespace = 'pgperf'::regnamespace AND proname = '{function}'"
    ));
    names.split(' ').map(str::to_owned).collect()
}

/// Those of its arguments that a call names. The workload goes by position.
fn named(call: &str, arguments: &BTreeSet<String>) -> BTreeSet<String> {
    let is_named = |name: &&String| {
        call.contains(&format!("{name} => "))
            || *name == "workload" && call.contains("('tpcb-like'")
    };
    arguments.iter().filter(is_named).cloned().collect()
}

fn call_of(session: &mut Client, run: i64) -> String {
    session.value(&format!("SELECT pgperf.report_json({run}) ->> 'call'"))
}

/// Expects that two runs had the same options.
fn expect_same(session: &mut Client, run: i64, again: i64, call: &str) {
    let told = |run: i64| {
        format!(
            "SELECT e.key, e.value FROM pgperf_internal.stored_runs r, LATERAL pg_catalog.jsonb_each( \
                r.spec - 'search_path' || pg_catalog.jsonb_build_object('label', r.label, 'seed', r.random_seed)) e \
              WHERE r.run_id = {run}"
        )
    };
    let differences = session.value(&format!(
        "SELECT pg_catalog.string_agg(concat(key, ': ', a.value, ' / ', b.value), '; ') \
           FROM ({}) a FULL JOIN ({}) b USING (key) WHERE a.value IS DISTINCT FROM b.value",
        told(run),
        told(again)
    ));
    assert_eq!(differences, "", "{call}");
}

/// Makes the server a target of its own superuser.
fn make_target(cluster: &Cluster, session: &mut Client) {
    for name in ["itself", "twin"] {
        cluster.add_target(name, cluster);
        session.value(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
        ));
    }
}

#[test]
fn the_call_of_a_report_makes_the_same_run_again() {
    let cluster = Cluster::with_pgperf(&["wal_level = logical"]);
    let mut session = cluster.connect();
    session.value("SELECT pg_create_logical_replication_slot('consumed', 'pgoutput')");
    make_target(&cluster, &mut session);
    session.value("CREATE SCHEMA lab");
    session.value("CALL pgperf.init(schema => 'lab')");
    let mut known = arguments(&mut session, "start_run");
    assert!(NOT_HERE.iter().all(|name| known.remove(*name)));
    let mut seen = BTreeSet::new();
    for given in RUNS {
        let run = session.finish_run(given);
        let call = call_of(&mut session, run);
        seen.extend(named(&call, &known));
        let again = session.number(&call);
        session.wait_for_status(again, "finished");
        expect_same(&mut session, run, again, &call);
        assert_eq!(call_of(&mut session, again), call);
    }
    assert_eq!(
        seen, known,
        "arguments that a call has, and those of start_run"
    );
    // What CALL pgperf.run takes.
    let mut of_procedure = arguments(&mut session, "run");
    assert!(of_procedure.remove("run_id"));
    assert!(NOT_HERE.iter().all(|name| of_procedure.remove(*name)));
    assert_eq!(of_procedure, known);
    // Without a seed, the one that was drawn.
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    let seed = session.value(&format!(
        "SELECT random_seed FROM pgperf.runs WHERE run_id = {run}"
    ));
    let call = call_of(&mut session, run);
    assert!(call.contains(&format!("random_seed => {seed}")), "{call}");
}

#[test]
fn the_call_of_a_report_makes_the_same_load_again() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for sql in [
        "SET allow_in_place_tablespaces = on",
        "CREATE TABLESPACE fast LOCATION ''",
        "CREATE TABLESPACE other LOCATION ''",
        "CREATE SCHEMA lab",
        "CREATE SCHEMA elsewhere",
        "CREATE SCHEMA remote",
    ] {
        session.value(sql);
    }
    make_target(&cluster, &mut session);
    let known = arguments(&mut session, "start_load");
    let mut seen = BTreeSet::new();
    for given in LOADS {
        // Where no schema is given, the tables are made where the session's search_path leads to.
        session.value("SET search_path = elsewhere, public");
        let run = session.number(&format!("SELECT pgperf.start_load({given})"));
        session.wait_for_status(run, "finished");
        session.value("RESET search_path");
        let call = call_of(&mut session, run);
        seen.extend(named(&call, &known));
        let again = session.number(&call);
        expect_same(&mut session, run, again, &call);
        assert_eq!(call_of(&mut session, again), call);
    }
    seen.insert(NOT_REPEATED.to_owned());
    assert_eq!(
        seen, known,
        "arguments that a call has, and those of start_load"
    );
    let mut of_procedure = arguments(&mut session, "init");
    assert!(of_procedure.remove("run_id"));
    assert_eq!(of_procedure, known);
}
