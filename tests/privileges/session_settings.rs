//! Settings that the owner of a database, or a superuser, has given all its sessions (ALTER DATABASE, ALTER ROLE ... SET): pgperf's own workers
//! work with any of them, and a client is a session with them, but of the role that started the run.

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, major, wait_until};
use postgres::Client;

/// What a client may have, too.
const OF_ALL: &[(&str, &str)] = &[
    ("session_authorization", "pooled"),
    ("row_security", "off"),
    ("check_function_bodies", "off"),
    ("transform_null_equals", "on"),
    ("quote_all_identifiers", "on"),
    ("array_nulls", "off"),
    ("bytea_output", "escape"),
    ("DateStyle", "SQL, DMY"),
    ("IntervalStyle", "sql_standard"),
    ("TimeZone", "Asia/Kathmandu"),
    ("timezone_abbreviations", "India"),
    ("extra_float_digits", "-15"),
    ("xmloption", "document"),
    ("xmlbinary", "hex"),
    ("client_encoding", "LATIN1"),
    ("client_min_messages", "error"),
    ("standard_conforming_strings", "off"),
    ("backslash_quote", "off"),
    ("escape_string_warning", "off"),
    ("search_path", "nowhere"),
    ("default_transaction_deferrable", "on"),
    ("synchronous_commit", "local"),
    ("jit_above_cost", "0"),
    ("plan_cache_mode", "force_custom_plan"),
    ("force_parallel_mode", "on"),
    ("debug_parallel_query", "on"),
    ("enable_seqscan", "off"),
    ("enable_indexscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_sort", "off"),
    ("work_mem", "64"),
    ("maintenance_work_mem", "1024"),
    ("temp_buffers", "100"),
    ("default_statistics_target", "1"),
    ("constraint_exclusion", "on"),
    ("from_collapse_limit", "1"),
    ("join_collapse_limit", "1"),
    ("geqo_threshold", "2"),
    ("cursor_tuple_fraction", "1"),
    ("stats_fetch_consistency", "snapshot"),
    ("gin_fuzzy_search_limit", "1"),
    ("default_text_search_config", "pg_catalog.simple"),
    ("default_toast_compression", "pglz"),
    ("application_name", "theirs"),
    ("idle_session_timeout", "1"),
    ("client_connection_check_interval", "1"),
    ("log_statement", "all"),
    ("log_min_duration_statement", "0"),
    ("log_min_messages", "info"),
    ("log_error_verbosity", "verbose"),
    ("track_activities", "off"),
    ("track_functions", "all"),
    ("compute_query_id", "off"),
    ("session_replication_role", "replica"),
    ("lo_compat_privileges", "on"),
    ("vacuum_freeze_min_age", "0"),
    ("lc_messages", "C"),
    ("lc_numeric", "C"),
];
/// What would make some workloads of a client fail, as it does in any session.
const OF_THE_OWNER: &[(&str, &str)] = &[
    ("exit_on_error", "on"),
    ("default_transaction_read_only", "on"),
    ("transaction_read_only", "on"),
    ("default_transaction_isolation", "serializable"),
    ("statement_timeout", "1"),
    ("lock_timeout", "1"),
    ("idle_in_transaction_session_timeout", "1"),
    ("transaction_timeout", "1"),
    ("restrict_nonsystem_relation_kind", "view, foreign-table"),
];

const SAMPLES: &str =
    "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND run_id IS NULL AND complete";
/// What collectors have not done. A run or sampler that has come to an end may leave a sample that it had begun.
const FAILED: &str = "SELECT string_agg(DISTINCT concat_ws(' ', o.collector, o.status, o.reason), E'\\n') \
    FROM pgperf.sample_outcomes o WHERE o.status = 'failed'";

const BOTH: &[&str] = &["tester", "postgres"];

/// Whose session was there before the settings: it can do all that is needed, but for parallel workers, which begin with them.
fn with_roles(conf: &[&str]) -> (Cluster, Client) {
    let cluster = Cluster::with_data(conf);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "SET max_parallel_workers_per_gather = 0; CREATE ROLE pooled LOGIN; CREATE ROLE tester LOGIN IN ROLE pooled; CREATE TABLE public.who (text text); \
             GRANT ALL ON public.who TO PUBLIC; GRANT EXECUTE ON FUNCTION pgperf.start_run TO tester; \
             UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE cost = 'light'",
        )
        .expect("roles");
    (cluster, session)
}

/// Runs of a role and of a superuser finish and are stored, and so are samples.
fn expect_all_works(cluster: &Cluster, session: &mut Client, roles: &[&str], because: &str) {
    let script = "script => 'INSERT INTO public.who VALUES (format(''%s %s'', session_user, current_user));', \
                  transactions_per_client => 5, clients => 2, sample_interval => '0.1 s'";
    for role in roles {
        session.value(&format!("TRUNCATE public.who; SET ROLE {role}"));
        let run = session.start_run(script);
        session.value("RESET ROLE; SET ROLE none");
        session.wait_for_status(run, "finished");
        assert_eq!(session.total(run, "transactions"), 10, "{because}");
        assert!(session.intervals(run) > 0, "{because}");
        let samples = format!("SELECT count(*) FROM pgperf.samples WHERE run_id = {run}");
        assert!(session.number(&samples) > 0, "{because}");
        let who = session.value("SELECT string_agg(DISTINCT text, ', ') FROM public.who");
        assert_eq!(who, format!("{role} {role}"), "{because}");
    }
    let before = session.number(SAMPLES);
    session.value("SELECT pgperf.start_sampler()");
    wait_until(&format!("two samples with {because}"), PATIENCE, || {
        session.number(SAMPLES) >= before + 2
    });
    session.value("SELECT pgperf.stop_sampler()");
    session.expect_no_workers("the sampler");
    assert_eq!(session.value(FAILED), "", "{because}");
    assert!(!cluster.log().contains("PANIC"), "{because}");
}

/// Gives them to `whom`, as far as the server has them; PostgreSQL 19 has but one kind of strings.
fn give(session: &mut Client, whom: &str, settings: &[(&str, &str)]) {
    for (name, value) in settings {
        let known = format!("SELECT current_setting('{name}', true) IS NOT NULL");
        let fixed = *name == "standard_conforming_strings" && major() >= 19;
        if session.value(&known) == "t" && !fixed {
            session.value(&format!("ALTER {whom} SET {name} = '{value}'"));
        }
    }
}

#[test]
fn a_role_that_sessions_are_given_changes_neither_runs_nor_samples() {
    let (cluster, mut session) = with_roles(&[NO_BUDGET]);
    for whom in ["DATABASE postgres", "ROLE postgres", "ROLE tester"] {
        session.value(&format!("ALTER {whom} SET role = pooled"));
        expect_all_works(&cluster, &mut session, BOTH, &format!("{whom} SET role"));
        session.value(&format!("ALTER {whom} RESET role"));
    }
}

#[test]
fn runs_and_samples_work_with_any_settings_of_sessions() {
    let (cluster, mut session) = with_roles(&[NO_BUDGET]);
    give(&mut session, "DATABASE postgres", OF_ALL);
    expect_all_works(&cluster, &mut session, BOTH, "settings of all");
    give(&mut session, "ROLE postgres", OF_THE_OWNER);
    expect_all_works(&cluster, &mut session, &["tester"], "settings of the owner");
}
