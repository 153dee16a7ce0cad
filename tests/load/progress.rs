//! The progress of a load: all of its work counts, not its rows alone.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

/// Statements of the load with this tag wait for ever when they have done their work.
fn hold(session: &mut Client, tag: &str) {
    session
        .batch_execute(&format!(
            "CREATE OR REPLACE FUNCTION public.hold() RETURNS event_trigger LANGUAGE plpgsql AS $$
             BEGIN
                 IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'public') THEN
                     PERFORM pg_sleep(600);
                 END IF;
             END $$;
             DROP EVENT TRIGGER IF EXISTS hold;
             CREATE EVENT TRIGGER hold ON ddl_command_end WHEN TAG IN ('{tag}') EXECUTE FUNCTION public.hold()"
        ))
        .expect("an event trigger");
}

/// Starts a load, and waits until it has stored two intervals in this step.
fn load_up_to(session: &mut Client, call: &str, step: &str) -> i64 {
    let run = session.number(&format!("SELECT pgperf.start_load({call})"));
    wait_until(step, PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND starts_with(step, '{step}')"
        )) >= 2
    });
    run
}

#[test]
fn what_comes_behind_the_rows_has_its_share() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for (call, tag, step, rows) in [
        (
            "'tpcb-like', steps => 'dtgp', scale => 2",
            "ALTER TABLE",
            "primary keys",
            200_022,
        ),
        (
            "'oltp_read_only', jobs => 2, options => '{\"tables\": 3}'",
            "CREATE INDEX",
            "secondary indexes",
            30_000,
        ),
    ] {
        hold(&mut session, tag);
        let run = load_up_to(&mut session, call, step);
        let shown = session.value(
            "SELECT concat_ws(' ', transactions, percent BETWEEN 5 AND 95, \
                    abs(eta_s + elapsed_s - 100 * elapsed_s / percent) < 3 + elapsed_s, eta_s > 0) FROM pgperf.progress",
        );
        assert_eq!(shown, format!("{rows} t t t"), "{call}");
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
        session.value("DROP EVENT TRIGGER hold");
    }
    // To the end: it never goes back, and is whole.
    let run = session.number("CALL pgperf.init('tpcb-like', scale => 3)");
    let intervals = format!(
        "SELECT bool_and(done_percent >= before IS NOT FALSE) || ' ' || max(done_percent) \
           FROM (SELECT done_percent, lag(done_percent) OVER (ORDER BY interval_no) AS before \
                   FROM pgperf.run_intervals WHERE run_id = {run}) AS i"
    );
    assert_eq!(session.value(&intervals), "true 100");
}

#[test]
fn of_other_runs_and_of_statements_of_an_author_no_share_is_known() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("'select-only', transactions_per_client => 10");
    let shares = |run: i64| {
        format!("SELECT count(done_percent) FROM pgperf.run_intervals WHERE run_id = {run}")
    };
    assert_eq!(session.number(&shares(run)), 0);
    session.value(
        "SELECT pgperf.create_workload('mine', script => 'SELECT 1', setup_sql => 'CREATE TABLE mine (i int)', \
                load_sql => 'INSERT INTO mine SELECT generate_series(1, 10)')",
    );
    let run = session.number("CALL pgperf.init('mine')");
    assert_eq!(session.number(&shares(run)), 0);
}
