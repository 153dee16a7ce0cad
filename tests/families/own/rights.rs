//! The SQL of workloads that users store has the rights of who loads, runs or checks them.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};

#[test]
fn its_sql_has_the_rights_of_the_caller() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE author LOGIN; CREATE ROLE tester LOGIN; CREATE SCHEMA AUTHORIZATION tester; CREATE TABLE secret AS SELECT 4711 AS n; \
             GRANT EXECUTE ON FUNCTION pgperf.create_workload TO author; \
             GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load, pgperf.\"check\" TO tester; \
             GRANT EXECUTE ON PROCEDURE pgperf.init TO tester",
        )
        .expect("roles");
    let mut author = cluster.connect_as("author");
    author.value(
        "SELECT pgperf.create_workload('theirs', script => 'SELECT count(*) FROM seen;', options => '{\"spy\": 0}', \
           setup_sql => $$CREATE TABLE seen (who name); INSERT INTO seen VALUES (current_user)$$, \
           load_sql => $$INSERT INTO seen SELECT CASE WHEN :spy = 1 THEN (SELECT n::text FROM public.secret) ELSE current_user::text END$$, \
           check_sql => $$SELECT 'all are ' || current_user, bool_and(who = current_user), count(*)::text FROM seen$$, \
           metrics_sql => $$SELECT 'spied', n FROM public.secret$$)",
    );
    // Who only stores workloads cannot load.
    assert_eq!(
        error_of(&mut author, "SELECT pgperf.start_load('theirs')").0,
        "42501"
    );
    let mut tester = cluster.connect_as("tester");
    tester.value("CALL pgperf.init('theirs', jobs => 2)");
    assert_eq!(
        tester.value(
            "SELECT concat_ws('|', check_name, passed, detail) FROM pgperf.\"check\"('theirs')"
        ),
        "all are tester|t|3"
    );
    assert_eq!(
        superuser.value("SELECT tableowner FROM pg_tables WHERE tablename = 'seen'"),
        "tester"
    );
    // The query for metrics must not read what the run's role must not; the run stays as it is.
    let run = tester.number("SELECT pgperf.start_run('theirs', transactions_per_client => 5)");
    superuser.wait_for_status(run, "finished");
    let noted = "SELECT concat_ws('|', client_id, script, command_no, sqlstate, message) FROM pgperf.run_errors WHERE run_id = ";
    assert_eq!(
        superuser.value(&format!("{noted}{run}")),
        "metrics_sql|0|42501|permission denied for table secret"
    );
    assert_eq!(
        superuser.number(&format!(
            "SELECT count(*) FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'spied'"
        )),
        0
    );
    let load = tester.number("SELECT pgperf.start_load('theirs', options => '{\"spy\": 1}')");
    superuser.wait_for_status(load, "failed");
    assert_eq!(
        superuser.value(&format!(
            "SELECT sqlstate || ' ' || error FROM pgperf.runs WHERE run_id = {load}"
        )),
        "42501 step \"load\": permission denied for table secret"
    );
    // A schema that is not the caller's.
    assert_eq!(
        error_of(
            &mut tester,
            "SELECT pgperf.start_load('theirs', schema => 'public')"
        )
        .0,
        "42501"
    );
    // Checks and metrics change nothing, whatever the functions are that they call.
    superuser
        .batch_execute(
            "CREATE FUNCTION write() RETURNS boolean LANGUAGE sql VOLATILE AS 'DELETE FROM public.secret RETURNING true'; \
             SELECT pgperf.create_workload('writes', script => 'SELECT 1;', check_sql => 'SELECT ''writes'', public.write()', \
                                           metrics_sql => 'SELECT ''writes'', public.write()::int')",
        )
        .expect("a function that writes");
    assert_eq!(
        error_of(&mut superuser, "SELECT * FROM pgperf.\"check\"('writes')").0,
        "25006"
    );
    // Afterwards the caller may write again.
    superuser.value("UPDATE secret SET n = 4712");
    let run = superuser.finish_run("'writes', transactions_per_client => 1");
    assert_eq!(
        superuser.value(&format!("{noted}{run}")),
        "metrics_sql|0|25006|cannot execute DELETE in a read-only transaction"
    );
    assert_eq!(superuser.value("SELECT n FROM secret"), "4712");
}
