//! A document is data that anybody may have written: what a document may contain, and what deleting its run removes.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

fn export(session: &mut Client, run: i64) -> String {
    session.value(&format!("SELECT pgperf.export_run({run}, true)"))
}

fn import(session: &mut Client, document: &str) -> i64 {
    session.number(&format!(
        "SELECT pgperf.import_run($doc${document}$doc$::jsonb)"
    ))
}

/// A cluster with a run that has rows of every kind.
fn with_run() -> (Cluster, Client, i64) {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
    let run = session.finish_run(
        "'tpcb-like@1, select-only@1', clients => 2, duration => '3 s', sample_interval => '0.5 s', resume => true, \
         transaction_log => true, sampling_rate => 0.01, label => $$it's \"quoted\" \\ $x$$, \
         collectors => '{tables@1s, statements@1s, waits@1s, host@1s, database@1s, wal@1s}'",
    );
    (cluster, session, run)
}

/// The rows under a condition of each of the tables that a query names.
fn rows_of(session: &mut Client, tables: &str, condition: &str) -> Vec<(String, i64)> {
    let named = session.query(tables, &[]).expect("names of tables");
    let names = named.iter().map(|row| row.get::<_, String>(0));
    names
        .map(|table| {
            let count = format!("SELECT count(*) FROM {table} WHERE {condition}");
            let rows = session.number(&count);
            (table, rows)
        })
        .collect()
}

#[test]
fn a_document_touches_no_sample_but_its_own() {
    let (_origin, mut origin, run) = with_run();
    let document = export(&mut origin, run);
    let (_, message, _) = {
        // The run is here, then it is not.
        assert_eq!(import(&mut origin, &document), run);
        origin.value(&format!("SELECT pgperf.delete_run({run})"));
        error_of(
            &mut origin,
            &format!("SELECT pgperf.import_run($doc${document}$doc$::jsonb)"),
        )
    };
    assert!(
        message.contains("of this node cannot be imported"),
        "{message}"
    );
    assert_eq!(
        origin.number("SELECT count(*) FROM pgperf_internal.stored_runs WHERE kind = 'run'"),
        0
    );

    let elsewhere = Cluster::with_pgperf(&[]);
    let mut session = elsewhere.connect();
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal, database}')");
    import(&mut session, &document);
    session.value("CREATE TEMP TABLE whole (d jsonb)");
    session
        .execute("INSERT INTO whole VALUES ($1::text::jsonb)", &[&document])
        .expect("the document");
    // Another run of that server, as it says, with the samples of this one; then with rows of samples that it does not have.
    let other = "jsonb_set(d, '{run,run_id}', '4711')";
    let without = format!("({other} #- '{{tables,samples}}') #- '{{contents,samples}}'");
    let before = contents_of_history(&mut session);
    for (forged, reason) in [
        (other, "is stored here already"),
        (&*without, "has rows that belong to no sample of the run"),
    ] {
        let (state, message, _) = error_of(
            &mut session,
            &format!("SELECT pgperf.import_run({forged}) FROM whole"),
        );
        assert_eq!(state, "22023", "{message}");
        assert!(message.contains(reason), "{message}");
    }
    assert_eq!(contents_of_history(&mut session), before);

    // Times at which nothing can have been measured.
    let other_node =
        "jsonb_set(jsonb_set(d, '{run,node_id}', to_jsonb(x)), '{node,node_id}', to_jsonb(x))";
    for table in ["samples", "wal_history", "statement_texts"] {
        for time in [
            "infinity",
            "-infinity",
            "2999-01-01",
            "1999-12-31",
            "0044-03-15 BC",
        ] {
            let forged = format!(
                "jsonb_set({other_node}, ARRAY['tables', '{table}', 'rows', '0', \
                    (SELECT (n - 1)::text FROM jsonb_array_elements_text(d->'tables'->'{table}'->'columns') WITH ORDINALITY c(c, n) WHERE c = 'taken_at')], \
                    '\"{time}\"')"
            );
            let (state, message, _) = error_of(
                &mut session,
                &format!(
                    "SELECT pgperf.import_run({forged}) FROM whole, (SELECT gen_random_uuid() AS x) u"
                ),
            );
            assert_eq!(state, "22023", "{table} {time}: {message}");
            assert!(
                message.contains(&format!("{table} has an impossible time of measurement")),
                "{time}: {message}"
            );
        }
    }
    // Counts that every run of pgperf has.
    for (table, column) in [
        ("run_totals", "other_failures"),
        ("run_totals", "reconnects"),
        ("run_scripts", "retries"),
        ("run_statements", "retries"),
    ] {
        let forged = format!(
            "jsonb_set({other_node}, ARRAY['tables', '{table}', 'rows', '0', \
                (SELECT (n - 1)::text FROM jsonb_array_elements_text(d->'tables'->'{table}'->'columns') WITH ORDINALITY c(c, n) WHERE c = '{column}')], \
                'null')"
        );
        let (state, message, _) = error_of(
            &mut session,
            &format!(
                "SELECT pgperf.import_run({forged}) FROM whole, (SELECT gen_random_uuid() AS x) u"
            ),
        );
        assert_eq!(state, "22023", "{table} {column}: {message}");
        assert!(
            message.contains(&format!("{table} has a null value")),
            "{column}: {message}"
        );
    }
    let forged = format!("jsonb_set({other_node}, '{{run,requested_at}}', '\"infinity\"')");
    let (state, message, _) = error_of(
        &mut session,
        &format!(
            "SELECT pgperf.import_run({forged}) FROM whole, (SELECT gen_random_uuid() AS x) u"
        ),
    );
    assert_eq!(state, "22023", "{message}");
    assert_eq!(contents_of_history(&mut session), before);
}

/// All rows of the history.
fn contents_of_history(session: &mut Client) -> Vec<(String, i64)> {
    rows_of(
        session,
        "SELECT 'pgperf.' || table_name FROM pgperf_internal.history_tables ORDER BY 1",
        "true",
    )
}

/// Whatever a run's samples are called: only rows with its number go.
#[test]
fn deleting_a_run_leaves_rows_of_others_in_its_samples() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session
        .finish_run("script => 'SELECT 1;', transactions_per_client => 1, collectors => '{wal}'");
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    // As a document could bring them before this was checked: the run's sample has the number and time of another one.
    session.value(&format!(
        "UPDATE pgperf.samples SET run_id = {run} WHERE run_id IS NULL"
    ));
    let others = "SELECT count(*) FROM pgperf.wal_history WHERE run_id IS NULL";
    assert_eq!(session.number(others), 1);
    session.value(&format!("SELECT pgperf.delete_run({run})"));
    assert_eq!(session.number(others), 1);
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM pgperf.wal_history WHERE run_id = {run}"
        )),
        0
    );
}
