//! Runs as documents: one server exports a run, another imports it with every row.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// What a document leaves to the server that it is on.
const OWN: &str = "{node_id,run_id,role,origin_node_id,origin_run_id,origin_role,leader_pid}";

/// The run's rows as text in each table that has some, without what is the server's own.
fn contents(session: &mut Client, run: i64) -> Vec<(String, i64, String)> {
    let tables = session
        .query(
            "SELECT table_name, format('SELECT count(*), COALESCE(md5(string_agg(j, E''\\n'' ORDER BY j)), '''') \
               FROM (SELECT (to_jsonb(t) - %L::text[])::text AS j FROM %s t WHERE %s) x', \
               $1::text, relation, of_run) \
             FROM (SELECT table_name, relation, of_run FROM pgperf.run_tables \
                   UNION ALL SELECT 'stored_runs', 'pgperf_internal.stored_runs', 't.node_id = $1 AND t.run_id = $2') r \
             ORDER BY table_name",
            &[&OWN],
        )
        .expect("the tables of a run");
    let node = session.value(&format!(
        "SELECT node_id FROM pgperf.runs WHERE run_id = {run}"
    ));
    tables
        .iter()
        .map(|table| {
            let sql: String = table.get(1);
            let sql = sql
                .replace("$1", &format!("'{node}'"))
                .replace("$2", &run.to_string());
            let row = session.query_one(&sql, &[]).expect(&sql);
            (table.get(0), row.get(0), row.get(1))
        })
        .filter(|(_, rows, _)| *rows > 0)
        .collect()
}

fn report(session: &mut Client, run: i64) -> Vec<String> {
    let lines = session
        .query("SELECT pgperf.report($1::bigint)", &[&run])
        .expect("the report");
    // The run's number and node stand between its figures and its call.
    let lines = || lines.iter().map(|line| line.get::<_, String>(0));
    let figures = lines().take_while(|line| !line.starts_with("run "));
    let call = lines().skip_while(|line| line != "to reproduce:");
    figures.chain(call).collect()
}

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

#[test]
fn a_run_arrives_on_another_server_with_every_row() {
    let (_origin, mut origin, run) = with_run();
    let before = contents(&mut origin, run);
    for table in [
        "run_intervals",
        "run_scripts",
        "run_statements",
        "run_totals",
        "run_transactions",
        "stored_segments",
        "samples",
        "statement_history",
        "statement_texts",
        "relation_history",
    ] {
        assert!(before.iter().any(|(name, ..)| name == table), "{table}");
    }
    let document = export(&mut origin, run);

    let elsewhere = Cluster::with_pgperf(&[]);
    let mut session = elsewhere.connect();
    // Its own runs go on being numbered beside the imported ones.
    let own = session.finish_run("script => 'SELECT 1;', transactions_per_client => 10");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let own_history =
        "SELECT count(*) FROM pgperf.database_deltas WHERE node_id = (SELECT pgperf.local_node())";
    let own_before = session.number(own_history);

    let imported = import(&mut session, &document);
    assert_eq!(imported, own + 1);
    assert_eq!(contents(&mut session, imported), before);
    assert_eq!(report(&mut session, imported), report(&mut origin, run));
    assert_eq!(session.status(imported), "finished");
    assert_eq!(session.number(own_history), own_before);
    let summary = |run: i64| {
        format!(
            "SELECT to_jsonb(s) - '{{node_id,run_id}}'::text[] FROM pgperf.run_summary s WHERE run_id = {run}"
        )
    };
    assert_eq!(
        session.value(&summary(imported)),
        origin.value(&summary(run))
    );
    for call in ["histogram_log", "transaction_log"] {
        let lines = |run: i64| format!("SELECT string_agg(l, E'\\n') FROM pgperf.{call}({run}) l");
        let there = origin.value(&lines(run));
        assert!(there.lines().count() > 4, "{call}: {there}");
        assert_eq!(session.value(&lines(imported)), there);
    }
    let named = session.value(&format!(
        "SELECT format('%s/{run}', name) FROM pgperf.nodes JOIN pgperf.runs USING (node_id) WHERE run_id = {imported}"
    ));
    let identity = session.value(&format!(
        "SELECT l FROM pgperf.report('{named}') l WHERE l LIKE 'run %'"
    ));
    assert!(
        identity.starts_with(&format!("run {imported}"))
            && identity.contains(&format!("imported: run {run} on node")),
        "{identity}"
    );
    // The newest run is one's own.
    let newest = session.value("SELECT l FROM pgperf.report() l WHERE l LIKE 'run %'");
    let number = newest.split([' ', ',']).nth(1);
    assert_eq!(number, Some(own.to_string().as_str()), "{newest}");

    // Again: nothing changes. What is exported from there is the same run.
    let everything = |session: &mut Client| {
        let tables = "SELECT relation::text FROM pgperf.run_tables \
            UNION ALL VALUES ('pgperf_internal.stored_runs'), ('pgperf.nodes'), ('pgperf_internal.pinned_runs')";
        rows_of(session, tables, "true")
    };
    let all = everything(&mut session);
    assert_eq!(import(&mut session, &document), imported);
    assert_eq!(everything(&mut session), all);
    let again = export(&mut session, imported);
    assert_eq!(
        origin.number(&format!("SELECT pgperf.import_run($doc${again}$doc$)")),
        run,
        "its origin has it already"
    );

    // Deleted and brought back.
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_run({imported})")),
        "t"
    );
    let left = contents_left(&mut session, imported);
    assert_eq!(left, 0, "rows of a deleted run");
    let back = import(&mut session, &again);
    assert!(back > imported);
    assert_eq!(contents(&mut session, back), before);
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

/// Rows of a run in the tables that are its own or history.
fn contents_left(session: &mut Client, run: i64) -> i64 {
    let tables = "SELECT relation::text FROM pgperf.run_tables WHERE kind <> 'shared'";
    let left = rows_of(session, tables, &format!("run_id = {run}"));
    left.iter().map(|(_, rows)| rows).sum()
}

#[test]
fn a_damaged_document_leaves_nothing() {
    let (_origin, mut origin, run) = with_run();
    let document = export(&mut origin, run);
    let elsewhere = Cluster::with_pgperf(&[]);
    let mut session = elsewhere.connect();
    session.value("SELECT pgperf.local_node()");
    let damages = [
        ("'[1]'::jsonb", "22023"),
        ("'null'::jsonb", "22023"),
        ("d - 'format'", "22023"),
        ("d || '{\"version\": 2}'", "0A000"),
        ("d - 'version'", "0A000"),
        ("d - 'node'", "22023"),
        ("d - 'run'", "22023"),
        ("d - 'tables'", "22023"),
        ("d - 'contents'", "22023"),
        ("d #- '{tables,run_intervals}'", "22023"),
        ("d #- '{tables,run_intervals,rows,2}'", "22023"),
        ("d #- '{tables,run_intervals,rows,2,3}'", "22023"),
        ("d #- '{tables,run_intervals,columns}'", "22023"),
        ("d #- '{tables,run_intervals,columns,0}'", "22023"),
        ("jsonb_set(d, '{tables,run_intervals,rows}', '7')", "22023"),
        (
            "jsonb_set(d, '{tables,run_intervals,rows,0,0}', '\"x\"')",
            "22023",
        ),
        (
            "jsonb_set(d, '{tables,run_intervals,rows,1,0}', '0')",
            "22023",
        ),
        (
            "jsonb_set(d, '{tables,run_totals,rows,0,0}', 'null')",
            "22023",
        ),
        ("jsonb_set(d, '{run,kind}', '\"other\"')", "22023"),
        ("jsonb_set(d, '{run,spec}', '[]')", "22023"),
        ("d #- '{run,workload}'", "22023"),
        (
            "jsonb_set(d, ARRAY['tables', 'run_totals', 'rows', '0', h::text], '\"AAAA\"')",
            "22023",
        ),
        (
            "jsonb_set(d, ARRAY['tables', 'run_totals', 'rows', '0', h::text], '\"?\"')",
            "22023",
        ),
        (
            "jsonb_set(d, ARRAY['tables', 'samples', 'rows', '0', o::text], '[]')",
            "22023",
        ),
    ];
    session.value("CREATE TEMP TABLE whole (d jsonb)");
    session
        .execute("INSERT INTO whole VALUES ($1::text::jsonb)", &[&document])
        .expect("the document");
    let counted = "SELECT concat_ws(' ', (SELECT count(*) FROM pgperf_internal.stored_runs), (SELECT count(*) FROM pgperf.nodes), \
        (SELECT count(*) FROM pgperf.samples), (SELECT count(*) FROM pgperf.statement_texts), (SELECT count(*) FROM pgperf_internal.pinned_runs))";
    let before = session.value(counted);
    let place = |table: &str, column: &str| {
        format!(
            "(SELECT n - 1 FROM jsonb_array_elements_text(d->'tables'->'{table}'->'columns') WITH ORDINALITY c(x, n) WHERE x = '{column}')"
        )
    };
    for (damage, sqlstate) in damages {
        let damage_sql = damage
            .replace(
                "h::text",
                &format!("{}::text", place("run_totals", "histogram")),
            )
            .replace(
                "o::text",
                &format!("{}::text", place("samples", "outcomes")),
            );
        let sql = format!("SELECT pgperf.import_run({damage_sql}) FROM whole");
        let (state, message, hint) = error_of(&mut session, &sql);
        assert_eq!(state, sqlstate, "{damage}: {message}");
        assert!(!hint.is_empty(), "{damage}: {message}");
        assert_eq!(session.value(counted), before, "{damage}");
    }
    let truncated = &document[..document.len() / 2];
    let (state, ..) = error_of(
        &mut session,
        &format!("SELECT pgperf.import_run($doc${truncated}$doc$)"),
    );
    assert_eq!(state, "22P02");
    // Names of another version are left out, and never become SQL.
    let foreign = "jsonb_set(jsonb_set(d, ARRAY['contents', 'x\"; DROP TABLE pgperf.nodes; --'], '1'), \
                   '{tables,run_totals,columns,0}', '\"a\\\" int); DROP TABLE pgperf.nodes; --\"')";
    let (_, message, _) = error_of(
        &mut session,
        &format!("SELECT pgperf.import_run({foreign}) FROM whole"),
    );
    assert!(message.contains("null value in column"), "{message}");
    let foreign = "jsonb_set(d, ARRAY['contents', 'x\"; DROP TABLE pgperf.nodes; --'], '1')";
    let run = session.number(&format!(
        "SELECT pgperf.import_run({foreign}, label => 'here') FROM whole"
    ));
    assert_eq!(
        session.value(&format!(
            "SELECT label FROM pgperf.runs WHERE run_id = {run}"
        )),
        "here"
    );
}

#[test]
fn only_a_run_that_has_ended_is_exported_and_only_to_whom_may_see_it() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run =
        session.start_busy_run("'select-only', duration => '1 h', sample_interval => '0.1 s'");
    let (state, ..) = error_of(&mut session, &format!("SELECT pgperf.export_run({run})"));
    assert_eq!(state, "55006");
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    session.wait_for_status(run, "interrupted");
    let document = export(&mut session, run);

    session.value("CREATE ROLE stranger LOGIN");
    session.value("SET ROLE stranger");
    for call in [
        format!("SELECT pgperf.export_run({run})"),
        format!("SELECT pgperf.import_run($doc${document}$doc$)"),
        format!(
            "SELECT pgperf_internal.run_document(node_id, {run}, true, true) FROM pgperf.nodes"
        ),
        format!("SELECT pgperf_internal.store_document($doc${document}$doc$, NULL, 'postgres')"),
    ] {
        assert_eq!(error_of(&mut session, &call).0, "42501", "{call:.60}");
    }
    session.value("RESET ROLE");

    // An imported run belongs to the importing role, whoever ran it there.
    let elsewhere = Cluster::with_pgperf(&[]);
    let mut session = elsewhere.connect();
    session.value("CREATE ROLE importer; GRANT EXECUTE ON FUNCTION pgperf.import_run TO importer; SET ROLE importer");
    let imported = import(&mut session, &document);
    let lines = session.number(&format!("SELECT count(*) FROM pgperf.report({imported})"));
    assert!(lines > 5);
    let shown = "SELECT concat_ws(' ', status, role, origin_role) FROM pgperf.runs WHERE origin_run_id IS NOT NULL";
    session.value("RESET ROLE");
    assert_eq!(session.value(shown), "interrupted importer postgres");
    session.value("SET ROLE importer");
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_run({imported})")),
        "t"
    );
}

#[test]
fn every_table_that_goes_with_a_run_is_exported() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value(
        "CREATE TABLE mine (node_id uuid, run_id bigint, note text, \
         FOREIGN KEY (node_id, run_id) REFERENCES pgperf_internal.stored_runs ON DELETE CASCADE)",
    );
    let forgotten = session.value(
        "SELECT string_agg(c.oid::regclass::text, ', ') \
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'run_id' \
         WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
           AND c.relname NOT IN ('stored_runs', 'pinned_runs', 'resume_points', 'baselines', 'data_sets', 'sweep_attempts', 'altered_settings', \
                'forgotten_runs') \
           AND NOT EXISTS (SELECT FROM pgperf.run_tables t WHERE t.relation = c.oid)",
    );
    assert_eq!(forgotten, "");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.run_tables WHERE table_name = 'mine'"),
        0
    );
}

#[test]
fn baselines_stay_on_their_server() {
    let origin = Cluster::with_data(&[]);
    let mut session = origin.connect();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 10");
    let name_it = |run: i64| format!("SELECT pgperf.set_baseline('nightly', {run})");
    session.value(&name_it(run));
    let document = export(&mut session, run);
    assert!(!document.contains("nightly"));
    // Neither blocks one of the same name, nor is created where there is none.
    let elsewhere = Cluster::with_pgperf(&[]);
    let mut session = elsewhere.connect();
    let own = session.finish_run("script => 'SELECT 1;', transactions_per_client => 10");
    session.value(&name_it(own));
    import(&mut session, &document);
    let names = "SELECT string_agg(format('%s %s', name, run_id), ', ') FROM pgperf.baselines";
    assert_eq!(session.value(names), format!("nightly {own}"));
}
