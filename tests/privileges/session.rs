//! Whose rights a workload has: those of the role that started it, whatever its script and settings say. docs/security.md
//! names these tests.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// A cluster with a role `tester` that may start runs, a table that it may not read, and one whose rows it may only read
/// where they are its own.
fn laboratory() -> (Cluster, Client) {
    let cluster = Cluster::for_runs(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE tester LOGIN; CREATE ROLE caller LOGIN;
             CREATE SCHEMA lab AUTHORIZATION tester;
             ALTER ROLE tester SET search_path = lab;
             GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load TO tester;
             CREATE TABLE public.secret AS SELECT 42 AS number;
             CREATE TABLE public.shared (owner name, number int);
             INSERT INTO public.shared VALUES ('tester', 1), ('postgres', 2);
             ALTER TABLE public.shared ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON public.shared USING (owner = current_user);
             GRANT SELECT ON public.shared TO tester;
             CREATE TABLE lab.seen (said text, role name DEFAULT current_user, session_role name DEFAULT session_user,
                                    is_superuser text DEFAULT current_setting('is_superuser'));
             ALTER TABLE lab.seen OWNER TO tester;",
        )
        .expect("a laboratory");
    (cluster, superuser)
}

/// Runs a script once, as the session's role; returns the outcome of its transactions, and the last error's SQLSTATE.
fn outcome(superuser: &mut Client, session: &mut Client, script: &str, more: &str) -> String {
    let run = session.start_run(&format!(
        "script => $script${script}$script$, transactions_per_client => 1, collectors => '{{}}' {more}"
    ));
    superuser.value(&format!("CALL pgperf.wait_run({run}, timeout => '60 s')"));
    let what = superuser.value(&format!(
        "SELECT concat_ws(' ', r.status, r.role, (SELECT e.sqlstate FROM pgperf.run_errors e \
                                                   WHERE e.run_id = r.run_id ORDER BY e.error_no DESC LIMIT 1)) \
         FROM pgperf.runs r WHERE r.run_id = {run}"
    ));
    assert!(!what.starts_with("running"), "{script}: {what}");
    what
}

fn seen(superuser: &mut Client) -> String {
    let rows = superuser.value(
        "SELECT string_agg(concat_ws(' ', role, session_role, is_superuser), ', ' ORDER BY said) FROM lab.seen",
    );
    superuser.value("TRUNCATE lab.seen");
    rows
}

#[test]
fn a_workload_reads_and_writes_what_its_role_may_and_no_more() {
    let (cluster, mut superuser) = laboratory();
    let mut tester = cluster.connect_as("tester");
    let mut run = |script: &str| outcome(&mut superuser, &mut tester, script, "");
    for script in [
        "SELECT number FROM public.secret;",
        "UPDATE public.secret SET number = 0;",
        "UPDATE public.shared SET number = 0;",
        "INSERT INTO pgperf_internal.stored_runs DEFAULT VALUES;",
        "SELECT count(*) FROM pgperf_internal.stored_runs;",
        "SELECT count(*) FROM pgperf.statement_texts;",
        "CREATE TABLE pgperf.planted (i int);",
        "SELECT pgperf.new_node();",
        "ALTER SYSTEM SET work_mem = '1MB';",
        "CREATE EXTENSION pageinspect;",
        "COPY (SELECT 1) TO PROGRAM 'true';",
        "COPY (SELECT 1) TO '/tmp/pgperf-privileges';",
        "SELECT pg_read_file('PG_VERSION');",
        "ALTER ROLE tester SUPERUSER;",
        "TRUNCATE public.pgbench_accounts;",
        "LOAD '/tmp/planted.so';",
    ] {
        let what = run(script);
        assert_eq!(what, "failed tester 42501", "{script}");
    }
    // Row security holds, even for a session that asks the server to ignore it.
    for (script, expected) in [
        (
            "INSERT INTO lab.seen (said) SELECT number FROM public.shared;",
            "finished tester",
        ),
        (
            "SET row_security = off; SELECT * FROM public.shared;",
            "failed tester 42501",
        ),
    ] {
        let more = ", query_mode => 'simple'";
        assert_eq!(
            outcome(&mut superuser, &mut tester, script, more),
            expected,
            "{script}"
        );
    }
    assert_eq!(
        superuser.value("SELECT string_agg(said, ',') FROM lab.seen"),
        "1"
    );
    assert_eq!(superuser.number("SELECT number FROM public.secret"), 42);
}

#[test]
fn no_script_gets_back_to_the_session_that_started_it() {
    let (cluster, mut superuser) = laboratory();
    superuser
        .batch_execute("CREATE ROLE helper; GRANT helper TO tester; GRANT INSERT ON lab.seen TO helper; GRANT USAGE ON SCHEMA lab TO helper")
        .expect("a role that tester is a member of");
    // A superuser's session that acts as tester. Its clients are tester's sessions from the beginning.
    let mut acting = cluster.connect();
    acting.value("SET ROLE tester");
    acting.value("SET search_path = lab");
    let see = "INSERT INTO lab.seen (said) VALUES ('x');";
    for statement in [
        "RESET ROLE",
        "SET ROLE NONE",
        "SET SESSION AUTHORIZATION DEFAULT",
        "RESET SESSION AUTHORIZATION",
        "RESET ALL",
        "DISCARD ALL",
        "SET SESSION AUTHORIZATION tester",
        "SELECT set_config('role', 'none', false)",
        "BEGIN; SET LOCAL ROLE tester; ROLLBACK",
    ] {
        for more in ["", ", query_mode => 'simple'"] {
            let separated = statement.replace("; ", ";\n");
            let script = format!("{separated};\n{see}");
            let what = outcome(&mut superuser, &mut acting, &script, more);
            assert_eq!(what, "finished tester", "{statement} {more}");
            assert_eq!(
                seen(&mut superuser),
                "tester tester off",
                "{statement} {more}"
            );
            let script = format!("{separated};\nSELECT * FROM public.secret;");
            let what = outcome(&mut superuser, &mut acting, &script, more);
            assert_eq!(what, "failed tester 42501", "{statement} {more}");
        }
    }
    for statement in [
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "SET SESSION AUTHORIZATION caller",
        "SELECT set_config('session_authorization', 'postgres', false)",
        "SELECT set_config('role', 'pg_monitor', false)",
        "SET session_replication_role = replica",
    ] {
        let what = outcome(
            &mut superuser,
            &mut acting,
            &format!("{statement};\n{see}"),
            "",
        );
        assert_eq!(what, "failed tester 42501", "{statement}");
    }
    // What the role may become, as in any session of its own, and no longer than the transaction for its sake.
    let script = format!("SET ROLE helper;\n{see}\nRESET ROLE;");
    assert_eq!(
        outcome(&mut superuser, &mut acting, &script, ""),
        "finished tester"
    );
    assert_eq!(seen(&mut superuser), "helper tester off");
}

#[test]
fn a_function_with_its_definers_rights_starts_its_definers_runs() {
    let (cluster, mut superuser) = laboratory();
    superuser
        .batch_execute(
            "CREATE FUNCTION lab.start_one() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
             AS $$SELECT pgperf.start_run(script => E'RESET ROLE;\\nINSERT INTO lab.seen (said) VALUES (1);', transactions_per_client => 1)$$;
             CREATE FUNCTION lab.start_any(script text) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
             AS $$SELECT pgperf.start_run(script => script, transactions_per_client => 1)$$;
             CREATE FUNCTION lab.start_setting(settings jsonb) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
             AS $$SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, settings => settings)$$;
             ALTER FUNCTION lab.start_one OWNER TO tester;
             ALTER FUNCTION lab.start_any OWNER TO tester;
             ALTER FUNCTION lab.start_setting OWNER TO tester;
             GRANT USAGE ON SCHEMA lab TO caller",
        )
        .expect("functions of tester");
    for who in ["caller", "postgres"] {
        let mut session = cluster.connect_as(who);
        let run = session.number("SELECT lab.start_one()");
        superuser.value(&format!("CALL pgperf.wait_run({run}, timeout => '60 s')"));
        assert_eq!(superuser.status(run), "finished", "{who}");
        // Neither the caller's rights nor the session's, if these are greater.
        assert_eq!(seen(&mut superuser), "tester tester off", "{who}");
        let run = session.number("SELECT lab.start_any('SELECT * FROM public.secret;')");
        superuser.value(&format!("CALL pgperf.wait_run({run}, timeout => '60 s')"));
        assert_eq!(superuser.status(run), "failed", "{who}");
        let (state, ..) = error_of(
            &mut session,
            "SELECT lab.start_setting('{\"log_statement\": \"none\"}')",
        );
        assert_eq!(state, "42501", "{who}");
    }
    // The run is the definer's: who called the function does not see it.
    let mut caller = cluster.connect_as("caller");
    let run = caller.number("SELECT lab.start_one()");
    let (state, ..) = error_of(&mut caller, &format!("SELECT pgperf.report({run})"));
    assert_eq!(state, "42501");
    superuser.value(&format!("CALL pgperf.wait_run({run}, timeout => '60 s')"));
}

#[test]
fn nothing_starts_where_somebody_elses_rights_are_borrowed() {
    let (cluster, mut superuser) = laboratory();
    // What the server runs as a table's owner while another maintains it: an index's function.
    superuser
        .batch_execute(
            "SET ROLE tester;
             CREATE FUNCTION lab.trap(i int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT i';
             CREATE TABLE lab.bait AS SELECT 1 AS i;
             CREATE INDEX bait_idx ON lab.bait (lab.trap(i));
             CREATE OR REPLACE FUNCTION lab.trap(i int) RETURNS int LANGUAGE plpgsql AS $$
             BEGIN
                 BEGIN
                     PERFORM pgperf.start_run(script => 'SELECT 1;');
                     INSERT INTO lab.seen (said) VALUES ('a run was started');
                 EXCEPTION WHEN OTHERS THEN
                     INSERT INTO lab.seen (said) VALUES (SQLSTATE);
                 END;
                 RETURN i;
             END $$;
             RESET ROLE",
        )
        .expect("a trap");
    superuser.value("REINDEX TABLE lab.bait");
    let states = superuser.value("SELECT string_agg(DISTINCT said, ',') FROM lab.seen");
    assert_eq!(states, "42501", "security-restricted operation");
    assert_eq!(
        superuser.number("SELECT count(*) FROM pgperf.runs WHERE kind = 'run'"),
        0
    );
    drop(cluster);
}

#[test]
fn settings_are_those_that_the_role_may_set_itself() {
    let (cluster, mut superuser) = laboratory();
    let mut tester = cluster.connect_as("tester");
    // Refused before anything starts: what takes a superuser, what is the server's, pgperf's own guards.
    for (setting, sqlstate) in [
        ("\"log_statement\": \"none\"", "42501"),
        ("\"session_replication_role\": \"replica\"", "42501"),
        ("\"session_preload_libraries\": \"x\"", "42501"),
        ("\"track_activities\": \"off\"", "42501"),
        ("\"log_min_duration_statement\": \"-1\"", "42501"),
        ("\"pgperf.allow_load\": \"on\"", "55P02"),
        ("\"pgperf.max_run_time\": \"0\"", "55P02"),
        ("\"pgperf.reserve_worker_slots\": \"0\"", "55P02"),
        ("\"pgperf.sampler_databases\": \"postgres\"", "55P02"),
        ("\"pgperf.restart_command\": \"true\"", "55P02"),
        ("\"ignore_system_indexes\": \"on\"", "55P02"),
        ("\"shared_buffers\": \"1GB\"", "55P02"),
        ("\"is_superuser\": \"on\"", "55P02"),
    ] {
        let call =
            format!("SELECT pgperf.start_run(script => 'SELECT 1;', settings => '{{{setting}}}')");
        assert_eq!(error_of(&mut tester, &call).0, sqlstate, "{setting}");
        superuser.value("GRANT EXECUTE ON FUNCTION pgperf.create_workload TO tester");
        let call = format!(
            "SELECT pgperf.create_workload('w', script => 'SELECT 1;', settings => '{{{setting}}}')"
        );
        assert_eq!(error_of(&mut tester, &call).0, sqlstate, "{setting}");
    }
    // A session that may become another role cannot hand that on to the run's clients.
    let mut acting = cluster.connect();
    acting.value("SET ROLE tester");
    acting.value("SET search_path = lab");
    for setting in [
        "\"role\": \"postgres\"",
        "\"session_authorization\": \"postgres\"",
        "\"session_authorization\": \"caller\"",
    ] {
        let run = acting.start_run(&format!(
            "script => 'INSERT INTO lab.seen (said) VALUES (1);', transactions_per_client => 1, settings => '{{{setting}}}'"
        ));
        superuser.wait_for_status(run, "failed");
        assert_eq!(seen(&mut superuser), "", "{setting}");
    }
    // A search_path of one's own choice is one's own affair, and does not reach what pgperf runs itself.
    let what = outcome(
        &mut superuser,
        &mut tester,
        "INSERT INTO lab.seen (said) VALUES (1);",
        ", settings => '{\"search_path\": \"lab, pg_temp, pg_catalog\"}'",
    );
    assert_eq!(what, "finished tester");
    assert_eq!(seen(&mut superuser), "tester tester off");
}

#[test]
fn guards_of_the_server_cannot_be_lifted_by_a_session_role_or_database() {
    let (cluster, mut superuser) = laboratory();
    superuser
        .batch_execute("CREATE DATABASE his OWNER tester")
        .expect("a database of tester's");
    let connect = || {
        let mut config = cluster.config();
        let session = config.user("tester").dbname("his").connect(postgres::NoTls);
        session.expect("a session")
    };
    let mut his = connect();
    // Where the library is not loaded yet its settings are unknown, so that these may be accepted.
    for attempt in [
        "ALTER DATABASE his SET pgperf.allow_load = on",
        "ALTER ROLE tester SET pgperf.allow_load = on",
    ] {
        let _ = his.simple_query(attempt);
    }
    cluster.reconfigure(&["pgperf.allow_load = off"]);
    cluster
        .connect_to("his")
        .value("CREATE EXTENSION pgperf CASCADE");
    cluster
        .connect_to("his")
        .value("GRANT EXECUTE ON FUNCTION pgperf.start_run TO tester");
    let mut his = connect();
    let _ = his.simple_query("SET pgperf.allow_load = on");
    let call = "SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1)";
    let (state, message, _) = error_of(&mut his, call);
    assert_eq!(state, "55000", "{message}");
    let (state, ..) = error_of(&mut his, "SET pgperf.allow_load = on");
    assert_eq!(state, "55P02");
}
