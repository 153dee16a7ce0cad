//! What happens beside the load on purpose: each kind has its effect, and leaves nothing behind, however the run ends.

use crate::common::aftermath::{Aftermath, Victim};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// A load that only has to be there.
const QUIET: &str =
    "'tpcb-like', clients => 1, rate => 50, duration => '1 h', sample_interval => '0.2 s'";

/// Those that hold something, with statements that are repeated beside them.
const HOLDERS: &str = "disturbances => '[ \
     {\"kind\": \"snapshot_holder\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"idle_in_transaction\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"lock_queue\", \"table\": \"queued\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"name\": \"endless\", \"sql\": \"SELECT pg_sleep(3600)\", \"at\": \"0 s\"}, \
     {\"name\": \"own\", \"sql\": \"INSERT INTO done VALUES (1)\", \"at\": \"0 s\", \"every\": \"0.2 s\", \"sessions\": 2}]'";

/// Those that work.
const WORKERS: &str = "disturbances => '[ \
     {\"kind\": \"table_scan\", \"table\": \"pgbench_accounts\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"vacuum_full\", \"table\": \"queued\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"reindex\", \"table\": \"done\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"checkpoint\", \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"wal_flood\", \"mb_per_s\": 2, \"at\": \"0 s\", \"for\": \"30 min\"}, \
     {\"kind\": \"temp_files\", \"mb\": 20, \"at\": \"0 s\", \"for\": \"30 min\"}]'";

fn cluster() -> (Cluster, Client) {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE queued (i int)");
    session.value("CREATE TABLE done (i int)");
    session.value("CREATE INDEX done_i ON done (i)");
    (cluster, session)
}

/// Waits until a session of a disturbance is as the condition on pg_stat_activity says.
fn wait_for_session(session: &mut Client, run: i64, name: &str, condition: &str) {
    wait_until(&format!("{name}: {condition}"), PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pg_stat_activity \
              WHERE application_name = 'pgperf run {run} disturbance {name}' AND {condition}"
        )) > 0
    });
}

/// Waits until a value is another one than now.
fn wait_for_change(session: &mut Client, sql: &str) {
    let before = session.value(sql);
    wait_until(sql, PATIENCE, || session.value(sql) != before);
}

/// Waits until all that hold something do.
fn await_holders(session: &mut Client, run: i64) {
    let open = "state = 'idle in transaction'";
    let holds = format!("{open} AND backend_xmin IS NOT NULL AND backend_xid IS NULL");
    wait_for_session(session, run, "snapshot_holder", &holds);
    let writes = format!("{open} AND backend_xid IS NOT NULL");
    wait_for_session(session, run, "idle_in_transaction", &writes);
    let waits =
        "wait_event_type = 'Lock' AND query LIKE 'LOCK TABLE public.queued IN ACCESS EXCLUSIVE%'";
    wait_for_session(session, run, "lock_queue", waits);
    wait_for_session(session, run, "endless", "wait_event = 'PgSleep'");
    wait_until("rows of both sessions", PATIENCE, || {
        session.number("SELECT count(*) FROM done") >= 4
    });
}

fn statuses(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(DISTINCT name || ' ' || status, ', ' ORDER BY name || ' ' || status) FROM pgperf.run_disturbances \
          WHERE run_id = {run} AND name <> 'own'"
    ))
}

#[test]
fn those_that_hold_something_let_it_go_when_the_run_ends() {
    let (_cluster, mut session) = cluster();
    let run = session.start_run(&format!("{QUIET}, {HOLDERS}"));
    await_holders(&mut session, run);
    // A reader of the table waits behind the DDL that waits.
    session.value("SET lock_timeout = '100 ms'");
    assert_eq!(error_of(&mut session, "SELECT * FROM queued").0, "55P03");
    session.value("RESET lock_timeout");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    session.expect_nothing_left("a stop");
    assert_eq!(
        statuses(&mut session, run),
        "endless cut off, idle_in_transaction cut off, lock_queue cut off, snapshot_holder cut off"
    );
    let own = format!(
        "SELECT count(*) > 1 AND bool_and(status = 'done' AND sessions = 2 OR status = 'cut off') FROM pgperf.run_disturbances \
          WHERE run_id = {run} AND name = 'own'"
    );
    assert_eq!(session.value(&own), "t");
    session.value("SELECT * FROM queued");
}

#[test]
fn they_end_with_the_leader() {
    let (cluster, mut session) = cluster();
    let run = session.start_run(&format!("{QUIET}, {HOLDERS}"));
    await_holders(&mut session, run);
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    session.wait_for_status(run, "interrupted");
    session.expect_nothing_left("a leader that was terminated");

    // Killed, it takes the server with it.
    let victim = Victim::start(&mut session, &format!("{QUIET}, {HOLDERS}"));
    await_holders(&mut session, victim.run);
    let leader = session.leader(victim.run);
    let mut session = cluster.crash_process(&mut session, leader);
    victim.expect_end(&mut session, "interrupted", "");
    session.value("SELECT * FROM queued");
}

#[test]
fn those_that_work_do_so_until_the_run_ends() {
    let (_cluster, mut session) = cluster();
    session.value("INSERT INTO queued SELECT generate_series(1, 1000)");
    let run = session.start_run(&format!("{QUIET}, {WORKERS}"));
    let scans = "query LIKE 'SELECT pg_catalog.count(*) FROM public.pgbench_accounts'";
    wait_for_session(&mut session, run, "table_scan", scans);
    wait_for_change(&mut session, "SELECT pg_relation_filenode('queued')");
    wait_for_change(&mut session, "SELECT pg_relation_filenode('done_i')");
    wait_for_change(
        &mut session,
        "SELECT checkpoint_lsn FROM pg_control_checkpoint()",
    );
    let wal = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";
    let before = session.number(wal);
    wait_until("a flood", PATIENCE, || {
        session.number(wal) - before > 4_000_000
    });
    wait_until("temporary files", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_ls_tmpdir()") > 0
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    session.expect_nothing_left("a stop");
    session.expect_no_orphan_files();
    assert_eq!(
        statuses(&mut session, run),
        "checkpoint cut off, reindex cut off, table_scan cut off, temp_files cut off, vacuum_full cut off, wal_flood cut off"
    );
    assert_eq!(session.number("SELECT count(*) FROM queued"), 1000);
    // Nobody has waited for their rows: those of the last moments are there too.
    let ended = format!(
        "SELECT count(*) FROM pgperf.run_disturbances WHERE run_id = {run} AND ended_at IS NULL"
    );
    assert_eq!(session.number(&ended), 0);
}

#[test]
fn those_that_connect_leave_no_connection() {
    let (_cluster, mut session) = cluster();
    let connecting = "disturbances => '[ \
         {\"kind\": \"connection_storm\", \"per_s\": 20, \"at\": \"0 s\", \"for\": \"30 min\"}, \
         {\"kind\": \"base_backup\", \"mb_per_s\": 0.1, \"at\": \"0 s\"}, \
         {\"name\": \"whole\", \"kind\": \"base_backup\", \"mb_per_s\": 1000, \"at\": \"0 s\"}]'";
    let backups =
        "SELECT count(*) FROM pg_stat_progress_basebackup WHERE phase = 'streaming database files'";
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run % disturbance %' \
          AND backend_type IN ('walsender', 'client backend')";
    for ends in [
        "SELECT pgperf.stop_run({run})",
        "SELECT pg_terminate_backend({leader})",
    ] {
        let run = session.start_run(&format!("{QUIET}, {connecting}"));
        wait_until("a backup", PATIENCE, || session.number(backups) > 0);
        wait_for_change(
            &mut session,
            "SELECT sessions FROM pg_stat_database WHERE datname = current_database()",
        );
        let whole = format!(
            "SELECT status FROM pgperf.run_disturbances WHERE run_id = {run} AND name = 'whole'"
        );
        wait_until("a whole backup", PATIENCE, || {
            session.value(&whole) == "done"
        });
        let leader = session.leader(run).to_string();
        session.value(
            &ends
                .replace("{run}", &run.to_string())
                .replace("{leader}", &leader),
        );
        wait_until("the end", PATIENCE, || {
            ["stopped", "interrupted"].contains(&session.status(run).as_str())
        });
        session.expect_nothing_left("the end of the run");
        wait_until("no connection", PATIENCE, || {
            session.number(connections) == 0
        });
    }
}

#[test]
fn one_ends_in_time_while_the_run_goes_on() {
    let (_cluster, mut session) = cluster();
    let timed = "disturbances => '[ \
         {\"kind\": \"lock_queue\", \"table\": \"queued\", \"at\": \"0.2 s\", \"for\": \"0.5 s\"}, \
         {\"name\": \"cancelled\", \"sql\": \"SELECT pg_sleep(3600)\", \"at\": \"0.2 s\", \"for\": \"0.5 s\"}, \
         {\"name\": \"terminated\", \"sql\": \"SELECT pg_terminate_backend(pg_backend_pid())\", \"at\": \"0.2 s\"}]'";
    let many = "disturbances => '[{\"sql\": \"SELECT 1\", \"at\": \"0 s\", \"sessions\": 50}]'";
    let refused = error_of(
        &mut session,
        &format!("SELECT pgperf.start_run({QUIET}, {many})"),
    );
    assert_eq!(refused.0, "53400");
    let run = session.start_run(&format!("{QUIET}, {timed}"));
    let ended = format!(
        "SELECT count(*) FROM pgperf.run_disturbances WHERE run_id = {run} AND ended_at IS NOT NULL"
    );
    wait_until("the end of all", PATIENCE, || session.number(&ended) == 3);
    assert_eq!(
        statuses(&mut session, run),
        "cancelled done, lock_queue done, terminated failed"
    );
    let why = format!(
        "SELECT sqlstate FROM pgperf.run_disturbances WHERE run_id = {run} AND name = 'terminated'"
    );
    assert_eq!(session.value(&why), "57P01");
    assert_eq!(session.status(run), "running");
    session.await_intervals(run, 1);
    let sessions =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf disturbance'";
    assert_eq!(session.number(sessions), 0);
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    session.expect_nothing_left("disturbances that had ended");
}

#[test]
fn the_clients_time_is_also_theirs() {
    let (_cluster, mut session) = cluster();
    // The clients wait behind the DDL, which ends with their time: the run does not hang.
    let run = session.start_run(
        "'tpcb-like', clients => 2, duration => '2 s', sample_interval => '0.2 s', disturbances => '[ \
         {\"name\": \"long\", \"sql\": \"BEGIN; LOCK TABLE pgbench_tellers; SELECT pg_sleep(3600)\", \"at\": \"0.5 s\"}]'",
    );
    session.wait_for_status(run, "finished");
    assert_eq!(statuses(&mut session, run), "long cut off");
    session.expect_nothing_left("the run");
    let lasted: f64 = session.float(&format!(
        "SELECT duration_s FROM pgperf.run_disturbances WHERE run_id = {run}"
    ));
    assert!((0.5..60.0).contains(&lasted), "{lasted} s");
}

#[test]
fn a_run_that_is_resumed_goes_on_with_them() {
    let (_cluster, mut session) = cluster();
    session.value("SET timezone = 'UTC'");
    let run = session.start_run(&format!(
        "{QUIET}, resume => true, disturbances => '[ \
         {{\"name\": \"once\", \"sql\": \"INSERT INTO done VALUES (7)\", \"at\": \"0 s\"}}, \
         {{\"name\": \"often\", \"sql\": \"SELECT 1\", \"at\": \"0 s\", \"every\": \"0.3 s\"}}]'",
    ));
    let often = format!(
        "SELECT count(*) FROM pgperf.run_disturbances WHERE run_id = {run} AND name = 'often' AND status = 'done'"
    );
    wait_until("some occurrences", PATIENCE, || session.number(&often) >= 3);
    wait_until("stored intervals", PATIENCE, || session.intervals(run) >= 3);
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    session.wait_for_status(run, "interrupted");
    let before = session.number(&often);
    session.value(&format!("SELECT pgperf.resume_run({run})"));
    wait_until("further occurrences", PATIENCE, || {
        session.number(&often) >= before + 2
    });
    assert_eq!(session.number("SELECT count(*) FROM done WHERE i = 7"), 1);
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    session.expect_nothing_left("a resumed run");
}
