//! Objects planted where somebody else's SQL might pick them up: none of pgperf's statements that run with more
//! rights than their caller's does. docs/security.md names these tests.

use std::time::Duration;

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, old_strings, wait_until};
use postgres::Client;

/// In schema evil, of role mallory: each operator and function of the catalog on types that anybody may use, which
/// writes to the server's log the role that called it. The log also has what a transaction that was rolled back or a
/// worker did.
const PLANT: &str = r#"
CREATE ROLE mallory LOGIN; CREATE ROLE tester LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_monitor;
CREATE SCHEMA evil AUTHORIZATION mallory; GRANT ALL ON SCHEMA evil TO PUBLIC; GRANT CREATE ON SCHEMA public TO mallory;
GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load, pgperf.start_sweep, pgperf.resume_sweep, pgperf.create_workload,
    pgperf.drop_workload, pgperf.import_run, pgperf.drop_baseline TO tester;
GRANT EXECUTE ON FUNCTION pgperf.set_baseline(text, bigint) TO tester;
SET ROLE mallory;
CREATE FUNCTION evil.trap(what text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN RAISE LOG 'pgperf-trap % as %', what, current_user; END $$;
DO $do$
DECLARE
    f record; o record; made int := 0;
BEGIN
    FOR f IN SELECT p.oid, p.proname, p.proretset, p.prorettype,
                    (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY a(t, n)) AS args
             FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a', 'w')
               AND NOT (p.proargtypes::oid[] && ARRAY['internal', 'cstring', '"any"']::regtype[]::oid[])
               AND p.prorettype NOT IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'event_trigger'::regtype)
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION evil.%1$I(%2$s) RETURNS %3$s %4$s LANGUAGE plpgsql AS $f$
                BEGIN PERFORM evil.trap(%5$L); RETURN %6$s; END $f$', f.proname, f.args,
                CASE WHEN f.proretset THEN 'SETOF' ELSE '' END, format_type(f.prorettype, NULL), f.oid::regprocedure::text,
                CASE WHEN f.proretset OR f.prorettype = 'void'::regtype THEN '' ELSE 'NULL' END);
            made := made + 1;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
    FOR o IN SELECT op.oprname, op.oprleft, op.oprright, op.oprresult FROM pg_operator op
             WHERE op.oprnamespace = 'pg_catalog'::regnamespace AND op.oprleft <> 0
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION evil.op%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS $f$
                BEGIN PERFORM evil.trap(%L); RETURN NULL; END $f$', made, o.oprleft::regtype, o.oprright::regtype,
                o.oprresult::regtype, format('%s %s %s', o.oprleft::regtype, o.oprname, o.oprright::regtype));
            EXECUTE format('CREATE OPERATOR evil.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = evil.op%s)',
                o.oprname, o.oprleft::regtype, o.oprright::regtype, made);
            made := made + 1;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
    IF made < 2000 THEN RAISE EXCEPTION 'only % traps', made; END IF;
END $do$;
-- Beside the functions of the extensions that pgperf reads through.
CREATE FUNCTION public.pg_stat_statements(text) RETURNS void LANGUAGE sql AS $$SELECT evil.trap('beside')$$;
CREATE FUNCTION public.pgstattuple(oid) RETURNS void LANGUAGE sql AS $$SELECT evil.trap('beside')$$;
CREATE FUNCTION public.pgstattuple_approx(oid) RETURNS void LANGUAGE sql AS $$SELECT evil.trap('beside')$$;
RESET ROLE;
ALTER DATABASE postgres SET search_path = pg_temp, evil, public, pg_catalog;
"#;

/// Tables and views of one's own with the names of those that pgperf reads, found before any other.
const SHADOW: &str = "DO $$ DECLARE r record; BEGIN
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog', true);
    FOR r IN SELECT DISTINCT c.relname FROM pg_catalog.pg_class c
             WHERE c.relnamespace IN ('pgperf'::pg_catalog.regnamespace, 'pgperf_internal'::pg_catalog.regnamespace, 'pg_catalog'::pg_catalog.regnamespace) AND c.relkind IN ('r', 'v', 'p') LOOP
        EXECUTE pg_catalog.format('CREATE TEMP VIEW %I AS SELECT evil.trap(%L) IS NULL AS b', r.relname, r.relname);
    END LOOP; END $$";

pub fn planted() -> (Cluster, Client) {
    // For so many objects in one transaction.
    let conf = ["autovacuum = off", "max_locks_per_transaction = 500"];
    let cluster = Cluster::for_runs(&conf);
    let mut superuser = cluster.connect();
    superuser.batch_execute(PLANT).expect("the traps");
    superuser.batch_execute(old_strings()).expect("strings");
    superuser.value("SET search_path = pg_catalog; SET standard_conforming_strings = on");
    (cluster, superuser)
}

/// What was caught as one of these roles.
pub fn caught(cluster: &Cluster, roles: &[&str]) -> Vec<String> {
    let log = cluster.log();
    let lines = log.lines().filter(|line| {
        line.contains("pgperf-trap")
            && roles
                .iter()
                .any(|role| line.ends_with(&format!(" as {role}")))
    });
    lines.map(str::to_owned).collect()
}

/// A session whose every name and literal could be read otherwise than meant.
fn lured(cluster: &Cluster, role: &str) -> Client {
    let mut session = cluster.connect_as(role);
    session.batch_execute(SHADOW).expect("views of its own");
    session
}

/// A run of the session's role that has ended.
fn run(superuser: &mut Client, session: &mut Client, arguments: &str) -> i64 {
    let run = session.start_run(arguments);
    superuser.value(&format!("CALL pgperf.wait_run({run}, timeout => '60 s')"));
    assert_eq!(superuser.status(run), "finished", "{arguments}");
    run
}

/// Every call that anybody makes about runs; `run` and `other` are runs that the session may see.
fn calls_about(run: i64, other: i64) -> Vec<String> {
    let mut calls = vec![
        "SELECT pgperf.create_workload('w', script => 'SELECT 1;')".to_owned(),
        "SELECT pgperf.drop_workload('w')".to_owned(),
        "SELECT * FROM pgperf.doctor()".to_owned(),
        "SELECT * FROM pgperf_internal.built_in_workloads()".to_owned(),
        "SELECT pgperf.stop_all()".to_owned(),
        "SELECT * FROM pgperf.steady_state('baited')".to_owned(),
        format!("SELECT pgperf.stop_run({run})"),
        format!("SELECT pgperf.pin_run({run})"),
        format!("SELECT pgperf.set_baseline('base', {run})"),
        format!("SELECT * FROM pgperf.compare({run}, {other})"),
        format!("SELECT pgperf.compare_report('baited', '{other}')"),
        format!("SELECT pgperf.compare_html({run}, {other})"),
        format!("SELECT pgperf.compare_markdown({run}, {other})"),
        format!("SELECT pgperf.version_table('baited', '{other}', 'markdown')"),
        format!("SELECT pgperf.gate({run}, {other}, '10000%')"),
        format!("SELECT pgperf.report_junit({run})"),
        "SELECT pgperf.drop_baseline('base')".to_owned(),
        format!("SELECT pgperf.import_run(pgperf.export_run({run}))"),
        format!("CALL pgperf.wait_run({run}, progress => true)"),
        format!("SELECT pgperf_internal.print_report({run})"),
        format!("SELECT pgperf_internal.require_finished({run})"),
        format!("SELECT pgperf.require_expectations({run})"),
        format!("SELECT pgperf.run_status({run})"),
    ];
    for report in ["report", "report_html", "report_json", "report_markdown"] {
        calls.push(format!("SELECT pgperf.{report}({run})"));
        calls.push(format!("SELECT pgperf.{report}('baited')"));
    }
    calls
}

#[test]
fn the_traps_work() {
    let (cluster, mut superuser) = planted();
    let mut session = lured(&cluster, "postgres");
    assert_eq!(caught(&cluster, &["postgres"]), Vec::<String>::new());
    session.value("SELECT max(1), 'a' || 'b'");
    session.value("SELECT 1 = 1");
    session.value("SELECT * FROM stored_runs");
    let caught = caught(&cluster, &["postgres"]).join("\n");
    for what in [
        "max(integer)",
        "text || text",
        "integer = integer",
        "stored_runs",
    ] {
        assert!(caught.contains(what), "{what} in {caught}");
    }
    assert_eq!(superuser.value("SELECT pg_catalog.upper('a')"), "A");
}

#[test]
fn what_runs_with_the_owners_rights_meets_nothing_planted() {
    let (cluster, mut superuser) = planted();
    let mut tester = lured(&cluster, "tester");
    let simple = "script => 'SELECT 1;', transactions_per_client => 5, label => 'baited'";
    let first = run(&mut superuser, &mut tester, simple);
    let second = run(
        &mut superuser,
        &mut tester,
        "script => 'SELECT 1;', clients => 2, transactions_per_client => 5, collectors => '{bloat,statements,settings}'",
    );
    for call in calls_about(first, second) {
        tester
            .batch_execute(&call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    let load = tester.number("SELECT pgperf.start_load(schema => 'evil')");
    superuser.wait_for_status(load, "finished");
    tester.value("SELECT * FROM pgperf.\"check\"(schema => 'evil')");
    let sweep = tester.number(
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', transactions_per_client => 2, clients => '{1,2}', repetitions => 1)",
    );
    tester
        .batch_execute(&format!("CALL pgperf.wait_sweep({sweep})"))
        .expect("the sweep");
    for call in [
        "sweep_report",
        "sweep_html",
        "sweep_markdown",
        "sweep_json",
        "sweep_status",
        "export_sweep",
        "stop_sweep",
        "delete_sweep",
    ] {
        tester.value(&format!("SELECT pgperf.{call}({sweep})"));
    }
    assert_eq!(
        tester.value(&format!("SELECT pgperf.delete_run({second})")),
        "t"
    );

    let mut watcher = lured(&cluster, "watcher");
    for call in [
        "SELECT * FROM pgperf.snapshot()",
        "CALL pgperf.take_snapshot()",
        "SELECT pgperf.snapshot_bloat(method => 'exact')",
        "SELECT pgperf.snapshot_buffers()",
        "SELECT pgperf.snapshot_wal()",
        "SELECT pgperf.snapshot_wraparound()",
        "SELECT * FROM pgperf.maintain()",
        "SELECT pgperf.start_sampler()",
        "SELECT * FROM pgperf.runs",
        "SELECT * FROM pgperf.run_summary",
        "SELECT * FROM pgperf.sweep_points",
        "SELECT * FROM pgperf.sampler_gaps",
        "SELECT * FROM pgperf.working_set()",
        "SELECT * FROM pgperf.wraparound_forecast()",
        "SELECT pgperf.metrics()",
        "SELECT pgperf.history_compare()",
        "SELECT * FROM pgperf.statement_rates",
    ] {
        watcher
            .batch_execute(call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    wait_until("a sample of the sampler", PATIENCE, || {
        superuser.number(
            "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND run_id IS NULL",
        ) > 0
    });
    std::thread::sleep(Duration::from_millis(500));
    watcher.value("SELECT pgperf.stop_sampler()");

    // As themselves neither, but for what their own statements name.
    let caught = caught(&cluster, &["postgres", "tester", "watcher"]);
    assert_eq!(caught, Vec::<String>::new());
}

#[test]
fn a_superuser_who_was_lured_calls_nothing_planted() {
    let (cluster, mut superuser) = planted();
    let mut session = lured(&cluster, "postgres");
    let simple = "script => 'SELECT 1;', transactions_per_client => 5, label => 'baited'";
    let first = run(&mut superuser, &mut session, simple);
    let second = run(&mut superuser, &mut session, simple);
    for call in calls_about(first, second) {
        session
            .batch_execute(&call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    superuser.value("CREATE SCHEMA own");
    for call in [
        "CALL pgperf.init(schema => 'own')",
        "SELECT * FROM pgperf.\"check\"(schema => 'own')",
        "CALL pgperf.run(script => 'SELECT 1;', transactions_per_client => 1)",
        "SELECT * FROM pgperf.snapshot()",
        "CALL pgperf.take_snapshot()",
        "SELECT * FROM pgperf.maintain()",
        "UPDATE pgperf.collectors SET enabled = true",
        "SELECT pgperf.new_node()",
        "SELECT pgperf.set_node_name('x')",
        "SELECT pgperf.set_node_group('x')",
        "DROP EXTENSION pgperf",
        // The server makes no extension where temporary tables come first.
        "SET search_path = evil, public, pg_catalog",
        "CREATE EXTENSION pgperf",
    ] {
        session
            .batch_execute(call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    assert_eq!(caught(&cluster, &["postgres"]), Vec::<String>::new());
}

/// A table on which everything that can be attached to one calls a function of its owner's.
const BAIT: &str = "
CREATE TABLE evil.lure (i int, t text, CHECK (evil.harmless(i) > 0 OR i IS NULL));
INSERT INTO evil.lure SELECT g, pg_catalog.repeat('x', 100) FROM pg_catalog.generate_series(1, 5000) g;
CREATE INDEX lure_expression ON evil.lure ((evil.harmless(i)));
CREATE INDEX lure_partial ON evil.lure (t) WHERE evil.harmless(i) OPERATOR(pg_catalog.>) 0;
CREATE INDEX lure_constant ON evil.lure (i) WHERE evil.harmless(7) OPERATOR(pg_catalog.=) 7;
CREATE INDEX lure_hash ON evil.lure USING hash (t);
CREATE INDEX lure_gin ON evil.lure USING gin ((ARRAY[evil.harmless(i)]));
CREATE STATISTICS evil.lure_statistics ON (evil.harmless(i)), t FROM evil.lure;
CREATE DOMAIN evil.odd AS int CHECK (evil.harmless(VALUE) OPERATOR(pg_catalog.=) VALUE);
CREATE TYPE evil.pair AS (a int, b evil.odd);
CREATE FUNCTION evil.to_json(evil.pair) RETURNS json LANGUAGE plpgsql AS $$BEGIN PERFORM evil.trap('a cast'); RETURN 'null'; END $$;
CREATE CAST (evil.pair AS json) WITH FUNCTION evil.to_json(evil.pair);
CREATE TABLE evil.typed AS SELECT 1::evil.odd AS d, ROW(1, 1)::evil.pair AS p FROM pg_catalog.generate_series(1, 1000);
ALTER TABLE evil.lure ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY policy ON evil.lure USING (evil.harmless(i) OPERATOR(pg_catalog.=) i);
CREATE MATERIALIZED VIEW evil.lure_view AS SELECT i FROM evil.lure;
ANALYZE evil.lure, evil.typed;
CREATE OR REPLACE FUNCTION evil.harmless(i int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN PERFORM evil.trap('harmless'); RETURN i; END $$;
CREATE FUNCTION evil.fire() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM evil.trap('a trigger'); RETURN NEW; END $$;
CREATE TRIGGER fire BEFORE INSERT OR UPDATE OR DELETE ON evil.lure FOR EACH ROW EXECUTE FUNCTION evil.fire();
CREATE TRIGGER fire_all BEFORE TRUNCATE ON evil.lure FOR EACH STATEMENT EXECUTE FUNCTION evil.fire();
CREATE RULE lure_rule AS ON INSERT TO evil.typed DO ALSO SELECT evil.trap('a rule');
";

#[test]
fn looking_at_somebodys_tables_runs_nothing_of_his() {
    let (cluster, mut superuser) = planted();
    let mut mallory = cluster.connect_as("mallory");
    mallory
        .batch_execute(&format!(
            "SET search_path = pg_catalog; SET standard_conforming_strings = on;
             CREATE FUNCTION evil.harmless(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN i; END $$; {BAIT}"
        ))
        .expect("the bait");
    let mut session = cluster.connect();
    // It is one: whoever touches the table himself is caught.
    session.value("INSERT INTO evil.lure VALUES (1)");
    let before = caught(&cluster, &["postgres"]).len();
    assert!(before > 0);
    for call in [
        "SELECT * FROM pgperf.snapshot()",
        "CALL pgperf.take_snapshot()",
        "SELECT pgperf.snapshot_bloat()",
        "SELECT pgperf.snapshot_bloat(method => 'exact')",
        "SELECT pgperf.snapshot_bloat('{evil.lure,evil.typed,evil.lure_view,evil.lure_expression,evil.lure_gin,evil.lure_hash}')",
        "SELECT pgperf.snapshot_buffers()",
        "SELECT * FROM pgperf.doctor()",
        "SELECT * FROM pgperf.maintain()",
    ] {
        session
            .batch_execute(call)
            .unwrap_or_else(|error| panic!("{call}\n{error:?}"));
    }
    session.value("SELECT pgperf.snapshot_bloat(method => 'approx')");
    let measured =
        "SELECT count(DISTINCT relation_name) FROM pgperf.bloat_history WHERE schema_name = 'evil'";
    assert!(superuser.number(measured) >= 4);
    // While somebody works on it, too: changes are reported by relation.
    superuser.value("GRANT SELECT, INSERT ON evil.lure TO tester");
    let mut tester = cluster.connect_as("tester");
    run(
        &mut superuser,
        &mut tester,
        "script => 'INSERT INTO evil.lure VALUES (1);', transactions_per_client => 10, collectors => '{bloat,tables,statements}'",
    );
    assert!(!caught(&cluster, &["tester"]).is_empty());
    assert_eq!(caught(&cluster, &["postgres"]).len(), before);
}

#[test]
fn nobody_is_lured_into_a_schema_by_its_name() {
    let cluster = Cluster::new(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute("CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE postgres TO mallory")
        .expect("a role");
    // Whoever owns the schema of an extension could put functions beside its own.
    let mut mallory = cluster.connect_as("mallory");
    mallory.value("CREATE SCHEMA pgperf");
    let (state, ..) = error_of(&mut superuser, "CREATE EXTENSION pgperf CASCADE");
    assert_eq!(state, "42P06");
    mallory.value("DROP SCHEMA pgperf");
    superuser.value("CREATE EXTENSION pgperf CASCADE");
    for attempt in [
        "CREATE TABLE pgperf.planted (i int)",
        "CREATE FUNCTION pgperf.local_node(i int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TABLE planted () INHERITS (pgperf_internal.stored_runs)",
        "CREATE TABLE planted PARTITION OF pgperf.samples FOR VALUES FROM ('2000-01-01') TO ('2000-01-02')",
        "CREATE TRIGGER planted BEFORE INSERT ON pgperf_internal.stored_runs FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "CREATE RULE planted AS ON INSERT TO pgperf_internal.stored_runs DO NOTHING",
        "CREATE POLICY planted ON pgperf_internal.stored_runs USING (true)",
        "CREATE INDEX planted ON pgperf_internal.stored_runs (run_id)",
        "CREATE STATISTICS planted ON run_id, label FROM pgperf_internal.stored_runs",
        "ALTER TABLE pgperf_internal.stored_runs OWNER TO mallory",
        "ALTER FUNCTION pgperf.local_node() OWNER TO mallory",
        "CREATE OR REPLACE FUNCTION pgperf.local_node() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'",
        "ALTER SCHEMA pgperf RENAME TO mine",
        "ALTER EXTENSION pgperf UPDATE",
        "ALTER EXTENSION pgperf DROP TABLE pgperf_internal.stored_runs",
        "DROP EXTENSION pgperf",
        "COMMENT ON FUNCTION pgperf.local_node() IS 'mine'",
        "DO $$BEGIN LOCK TABLE pgperf_internal.stored_runs; END$$",
    ] {
        mallory.value("CREATE SCHEMA IF NOT EXISTS own; SET search_path = own");
        assert_eq!(error_of(&mut mallory, attempt).0, "42501", "{attempt}");
    }
    // The owner of the schema could put triggers on what a superuser loads there.
    mallory.value("CREATE SCHEMA pgperf_quickstart");
    let (state, message, hint) = error_of(&mut superuser, "CALL pgperf.quickstart()");
    assert_eq!(state, "42501", "{message}");
    assert!(message.contains("mallory") && hint.contains("pgperf.init"));
    assert_eq!(superuser.number("SELECT count(*) FROM pgperf.runs"), 0);
}
