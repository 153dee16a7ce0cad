//! Sweeps as documents: one server exports a sweep with its runs, another imports it with every row.

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::wait_for;
use crate::common::{Cluster, StopMode};
use postgres::Client;

fn start_sweep(session: &mut Client, arguments: &str) -> i64 {
    session.number(&format!("SELECT pgperf.start_sweep({arguments})"))
}

/// Waits for the end of a sweep.
fn finish(session: &mut Client, sweep: i64) {
    wait_for("the sweep", "finished", PATIENCE * 4, || {
        session.value(&format!("SELECT pgperf.sweep_status({sweep})"))
    });
}

fn export(session: &mut Client, sweep: i64) -> String {
    session.value(&format!("SELECT pgperf.export_sweep({sweep})"))
}

fn import(session: &mut Client, document: &str) -> i64 {
    session.number(&format!(
        "SELECT pgperf.import_sweep($doc${document}$doc$::jsonb)"
    ))
}

/// What the document says of the sweep and its runs, as far as it does not depend on the server that writes it: not the time
/// of writing, nor the order of rows.
fn essence(session: &mut Client, document: &str) -> String {
    session.value(&format!(
        "WITH d AS (SELECT $doc${document}$doc$::jsonb AS d), \
              runs AS (SELECT r FROM d, jsonb_array_elements(d -> 'runs') r) \
         SELECT concat_ws(E'\\n', d ->> 'sweep', d ->> 'points', d ->> 'attempts', d ->> 'contents', \
             (SELECT string_agg(r ->> 'run', E'\\n' ORDER BY r #>> '{{run,run_id}}') FROM runs), \
             (SELECT string_agg(concat(r #> '{{run,run_id}}', t.key, t.value -> 'columns', \
                                       (SELECT jsonb_agg(x ORDER BY x) FROM jsonb_array_elements(t.value -> 'rows') x)), \
                                E'\\n' ORDER BY r #> '{{run,run_id}}', t.key) FROM runs, jsonb_each(r -> 'tables') t)) \
           FROM d"
    ))
}

/// What views and reports say of the sweep, but for its number and those of its runs.
fn results(session: &mut Client, sweep: i64) -> Vec<String> {
    let own = "{node_id,sweep_id,run_id,load_run_id,run_ids}";
    let mut results: Vec<String> = ["sweep_runs", "sweep_points", "sweep_peak"]
        .iter()
        .map(|view| {
            session.value(&format!(
                "SELECT jsonb_agg(j ORDER BY j) FROM (SELECT to_jsonb(v) - '{own}'::text[] AS j FROM pgperf.{view} v WHERE sweep_id = {sweep}) x"
            ))
        })
        .collect();
    results.push(session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.sweep_report({sweep}) WITH ORDINALITY r (l, n) WHERE n > 1"
    )));
    results
}

#[test]
fn a_sweep_arrives_on_another_server_with_its_runs() {
    let origin_server = Cluster::for_scripts(&[]);
    let mut origin = origin_server.connect();
    let sweep = start_sweep(
        &mut origin,
        "'select-only', clients => '{1,2}', scales => '{1}', repetitions => 2, duration => '0.5 s', \
         sample_interval => '0.2 s', label => 'there'",
    );
    let (state, ..) = error_of(&mut origin, &format!("SELECT pgperf.export_sweep({sweep})"));
    assert_eq!(state, "55006", "it runs");
    finish(&mut origin, sweep);
    let document = export(&mut origin, sweep);
    // Nothing of a sweep is in another table, but for those about this server alone, which no dump has either.
    let tables = origin.value(
        "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c \
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'sweep_id' \
           JOIN (SELECT t.* FROM pg_extension e, unnest(e.extconfig, e.extcondition) t (relation, condition) WHERE e.extname = 'pgperf') d \
             ON d.relation = c.oid AND d.condition <> 'WHERE false' \
          WHERE c.relkind = 'r'",
    );
    assert_eq!(
        tables, "stored_sweep_points stored_sweeps sweep_attempts",
        "a document of a sweep has to have what is stored of it"
    );

    let elsewhere = Cluster::for_scripts(&[]);
    let mut session = elsewhere.connect();
    // A sweep and runs of its own have the same numbers.
    let own = start_sweep(
        &mut session,
        "script => 'SELECT 1;', clients => '{1}', repetitions => 1, transactions_per_client => 10",
    );
    finish(&mut session, own);
    assert_eq!(own, sweep);
    let imported = import(&mut session, &document);
    assert!(imported > own);
    assert_eq!(results(&mut session, imported), results(&mut origin, sweep));
    let again = export(&mut session, imported);
    assert_eq!(
        essence(&mut session, &again),
        essence(&mut session, &document)
    );
    let runs = |session: &mut Client| session.number("SELECT count(*) FROM pgperf.runs");
    let all = runs(&mut session);
    assert_eq!(import(&mut session, &document), imported, "it is here");
    assert_eq!(runs(&mut session), all);
    assert_eq!(import(&mut origin, &again), sweep, "its origin has it");
    // One's own stays the newest, and goes on with its own runs alone.
    assert_eq!(
        session
            .number("SELECT (pgperf.export_sweep(runs => false) #>> '{sweep,sweep_id}')::bigint"),
        own
    );
    let (state, ..) = error_of(
        &mut session,
        &format!("SELECT pgperf.resume_sweep({imported})"),
    );
    assert_eq!(state, "55000");

    // Deleted and brought back.
    session.value(&format!(
        "SELECT pgperf.delete_sweep({imported}, runs => true)"
    ));
    assert_eq!(runs(&mut session), 1);
    let back = import(&mut session, &document);
    assert_eq!(results(&mut session, back), results(&mut origin, sweep));
}

/// The worker dies in the middle: what there is arrives, as interrupted.
#[test]
fn an_interrupted_sweep_arrives_as_interrupted() {
    let origin_server = Cluster::for_scripts(&[]);
    let mut origin = origin_server.connect();
    let sweep = start_sweep(
        &mut origin,
        "script => 'SELECT pg_catalog.pg_sleep(0.01);', clients => '{1}', repetitions => 2, duration => '1 h'",
    );
    wait_for("a run of it", "running", PATIENCE, || {
        origin.value("SELECT coalesce((SELECT status FROM pgperf.runs), '')")
    });
    origin_server.restart(StopMode::Immediate);
    let mut origin = origin_server.connect();
    assert_eq!(
        origin.value(&format!("SELECT pgperf.sweep_status({sweep})")),
        "interrupted"
    );
    let document = export(&mut origin, sweep);
    let elsewhere = Cluster::for_scripts(&[]);
    let mut session = elsewhere.connect();
    let imported = import(&mut session, &document);
    assert_eq!(
        session.value(&format!("SELECT pgperf.sweep_status({imported})")),
        "interrupted"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(status, ' ' ORDER BY position) FROM pgperf.sweep_runs WHERE sweep_id = {imported}"
        )),
        origin.value("SELECT string_agg(status, ' ' ORDER BY position) FROM pgperf.sweep_runs")
    );
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_sweep({imported})")),
        "f"
    );
}
