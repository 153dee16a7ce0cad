//! Statements that all workers of a load run at the same time: the indexes of tables that are alike.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs, at_once, error_of, expect_next_run};
use crate::common::wait_until;
use postgres::Client;

const LOAD: &str = "'oltp_read_only', jobs => 2, replace => true, \
                    options => '{\"tables\": 4, \"table_size\": 20000}'";

/// Each index on k that is built runs `body`, in which `name` is the index.
fn when_indexed(session: &mut Client, body: &str) {
    session
        .batch_execute(&format!(
            "CREATE TABLE IF NOT EXISTS public.built (name text, pid int, workers text);
             CREATE OR REPLACE FUNCTION public.indexed() RETURNS event_trigger LANGUAGE plpgsql AS
             $$ DECLARE name text := (SELECT c.relname FROM pg_event_trigger_ddl_commands() d, pg_class c WHERE c.oid = d.objid);
                BEGIN {body}; END $$;
             DROP EVENT TRIGGER IF EXISTS indexed;
             CREATE EVENT TRIGGER indexed ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION public.indexed()",
        ))
        .expect("an event trigger");
}

/// Starts a load and waits until both workers build an index, which takes as long as anybody waits.
fn start_slow_load(session: &mut Client) -> i64 {
    when_indexed(session, "PERFORM pg_sleep(600)");
    let run = session.number(&format!("SELECT pgperf.start_load({LOAD})"));
    session.wait_for_clients(run, 2, "wait_event = 'PgSleep'");
    run
}

#[test]
fn tables_are_indexed_by_all_workers() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    when_indexed(
        &mut session,
        "INSERT INTO public.built VALUES (name, pg_backend_pid(), current_setting('max_parallel_maintenance_workers')); \
         PERFORM pg_sleep(0.3)",
    );
    let run = session.number(&format!("CALL pgperf.init({LOAD})"));
    assert_eq!(
        session.value(
            "SELECT string_agg(name, ' ' ORDER BY name) || ', ' || count(DISTINCT pid) FROM public.built"
        ),
        "k_1 k_2 k_3 k_4, 2"
    );
    // Its resources are those of both.
    let written = |session: &mut Client, step: &str| {
        session.number(&format!(
            "SELECT wal_bytes FROM pgperf.run_statements WHERE run_id = {run} AND statement = '{step}'"
        ))
    };
    let bytes = session.number(
        "SELECT sum(pg_relation_size(indexrelid)) FROM pg_index WHERE indexrelid::regclass::text LIKE 'k__'",
    );
    assert!(written(&mut session, "secondary indexes") > bytes / 2);
    // Two sessions on some processors; a setting that somebody has set stays.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let share = (processors / 2).saturating_sub(1).min(2).to_string();
    assert_eq!(
        session.value("SELECT string_agg(DISTINCT workers, ' ') FROM public.built"),
        share
    );
    session.value("TRUNCATE public.built");
    session.value("ALTER DATABASE postgres SET max_parallel_maintenance_workers = 5");
    session.value(&format!("CALL pgperf.init({LOAD})"));
    assert_eq!(
        session.value("SELECT string_agg(DISTINCT workers, ' ') FROM public.built"),
        "5"
    );
}

#[test]
fn an_error_of_one_worker_ends_the_load() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    // Whoever builds the third: the other one sleeps.
    when_indexed(
        &mut session,
        "IF name = 'k_3' THEN RAISE 'no third index'; END IF; IF name = 'k_2' THEN PERFORM pg_sleep(600); END IF",
    );
    let (sqlstate, message, _) = error_of(&mut session, &format!("CALL pgperf.init({LOAD})"));
    assert_eq!(sqlstate, "P0001", "{message}");
    assert!(message.contains("no third index"), "{message}");
    let last = "SELECT status FROM pgperf.runs ORDER BY run_id DESC LIMIT 1";
    assert_eq!(session.value(last), "failed");
    session.expect_no_workers("an error of a load");
}

#[test]
fn it_ends_whoever_is_stopped() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = start_slow_load(&mut session);
    at_once("stop_run", || {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    });
    session.expect_no_workers("stop_run");
    for client in [0, 1] {
        let run = start_slow_load(&mut session);
        let pid = session.client(run, client);
        session.value(&format!("SELECT pg_terminate_backend({pid})"));
        session.expect_no_workers(&format!("terminating worker {client}"));
        assert_eq!(session.status(run), "failed");
    }
    session.value("DROP EVENT TRIGGER indexed");
    session.value(&format!("CALL pgperf.init({LOAD})"));
    wait_until("valid indexes", PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid::regclass::text LIKE 'k__'",
        ) == 4
    });
    session.value("CALL pgperf.init()");
    expect_next_run(&mut session);
}
