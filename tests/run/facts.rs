//! Stored facts of a run besides its speed are those that psql sees, and survive changes of the statistics meanwhile;
//! doctor() reports problems of a server, and its statements fix them.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::common::disk::SmallDisk;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, major, wait_until};
use postgres::Client;

/// Nobody else writes: the server's activity is that of the run and pgperf.
pub const QUIET: &[&str] = &["autovacuum = off", "max_wal_size = '4GB'"];

fn metric(session: &mut Client, run: i64, name: &str) -> Option<f64> {
    session
        .query_one(
            "SELECT (SELECT value FROM pgperf.run_metrics WHERE run_id = $1 AND metric = $2)",
            &[&run, &name],
        )
        .expect("a row")
        .get(0)
}

pub fn known(session: &mut Client, run: i64, name: &str) -> f64 {
    metric(session, run, name).unwrap_or_else(|| panic!("{name} is not known"))
}

/// The database without pgperf's own tables, in bytes.
const FOREIGN_BYTES: &str = "SELECT pg_database_size(current_database()) - (\
    SELECT sum(pg_total_relation_size(c.oid))::int8 FROM pg_class c \
    WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind = 'r')";

#[test]
fn a_runs_figures_are_those_of_psql() {
    let cluster = Cluster::with_data(QUIET);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION pg_walinspect");
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    session.value("CHECKPOINT");
    let look = |session: &mut Client| {
        (
            session.number("SELECT (pg_current_wal_lsn() - '0/0')::int8"),
            session.number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int8"),
            session.number(FOREIGN_BYTES),
        )
    };
    let before = look(&mut session);
    let run = session.finish_run("'tpcb-like', clients => 2, transactions_per_client => 1500");
    let after = look(&mut session);
    let (lsn, xids, bytes) = (after.0 - before.0, after.1 - before.1, after.2 - before.2);
    let mut of = |name: &str| known(&mut session, run, name);

    // Each of the 3000 transactions takes one; pgperf's own are taken off.
    let used = of("xids");
    assert!((3000.0..=3010.0).contains(&used), "{used} of {xids} xids");
    assert!(used <= xids as f64);

    let (wal, own) = (of("wal_bytes"), of("pgperf_wal_bytes"));
    let less_own = lsn as f64 - own;
    println!("WAL: metric {wal}, psql {lsn} less pgperf's {own} = {less_own}");
    // Page headers and alignment add some percent, and pgperf's last words come after its own count.
    assert!(wal > 500_000.0 && wal < lsn as f64);
    assert!((less_own - wal).abs() < 0.1 * wal + 500_000.0);
    let heap = of("wal_bytes.Heap");
    assert!(heap > 0.2 * wal && heap < lsn as f64, "{heap} of {wal}");

    let growth = of("database_growth_bytes");
    println!("growth: metric {growth}, psql {bytes}");
    assert!((growth - bytes as f64).abs() < 262_144.0);
    let relations = of("table_growth_bytes") + of("index_growth_bytes");
    assert!(relations > 100_000.0 && (relations - growth).abs() < 1_000_000.0);

    let clients = session.total(run, "wal_bytes") as f64;
    assert!(
        (wal - clients).abs() < 0.1 * clients + 100_000.0,
        "{wal}, of the clients {clients}"
    );
    let expected = [
        ("pgbench_history", "n_tup_ins", 3000),
        ("pgbench_accounts", "n_tup_upd", 3000),
        ("pgbench_accounts", "n_tup_ins", 0),
        ("pgbench_accounts", "autovacuum_count", 0),
    ];
    for (relation, column, count) in expected {
        let sql = format!(
            "SELECT {column} FROM pgperf.run_relations WHERE run_id = {run} AND relation_name = '{relation}'"
        );
        assert_eq!(session.number(&sql), count, "{relation}.{column}");
    }
    assert_eq!(
        session.value(&format!(
            "SELECT count(*) > 5 AND bool_and(end_size_bytes = pg_relation_size(relation_oid)) \
             FROM pgperf.run_relations WHERE run_id = {run}"
        )),
        "t"
    );
}

#[test]
fn after_a_reset_nothing_is_told_rather_than_something_wrong() {
    let cluster = Cluster::with_data(QUIET);
    let mut session = cluster.connect();
    let run = session
        .start_busy_run("'tpcb-like', clients => 2, duration => '3 s', sample_interval => '0.2 s'");
    session.value("SELECT pg_stat_reset()");
    session.value("SELECT pg_stat_reset_shared('wal')");
    session.wait_for_status(run, "finished");
    for name in [
        "wal_records",
        "rollbacks",
        "database_hit_percent",
        "autovacuum_count",
    ] {
        assert_eq!(metric(&mut session, run, name), None, "{name}");
    }
    let names = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_metrics WHERE run_id = {run} AND metric IN ('wal_records', 'rollbacks')"
    ));
    assert_eq!(names, 2, "they are there, but not known");
    // Positions and counters outside the server's statistics continue.
    let (written, own) = (
        known(&mut session, run, "wal_bytes"),
        session.total(run, "wal_bytes") as f64,
    );
    assert!(
        written > own && own > 0.0,
        "{written}, of the clients {own}"
    );
    let transactions = session.total(run, "transactions") as f64;
    let xids = known(&mut session, run, "xids");
    assert!(
        (xids - transactions).abs() < 20.0,
        "{xids} for {transactions}"
    );
    assert!(known(&mut session, run, "table_growth_bytes") > 0.0);
    assert_eq!(
        session.value(&format!(
            "SELECT bool_and(n_tup_upd IS NULL AND end_size_bytes IS NOT NULL) FROM pgperf.run_relations WHERE run_id = {run}"
        )),
        "t"
    );
}

#[test]
fn a_checkpoint_during_the_run_is_in_its_totals() {
    let cluster = Cluster::with_data(QUIET);
    let mut session = cluster.connect();
    let counted = if major() >= 17 {
        "SELECT num_requested FROM pg_stat_checkpointer"
    } else {
        "SELECT checkpoints_req FROM pg_stat_bgwriter"
    };
    let before = session.number(counted);
    let run = session
        .start_busy_run("'tpcb-like', clients => 2, duration => '3 s', sample_interval => '0.2 s'");
    session.value("CHECKPOINT");
    session.wait_for_status(run, "finished");
    let requested = known(&mut session, run, "checkpoints_requested");
    assert!(requested >= 1.0, "{requested}");
    assert_eq!(requested, (session.number(counted) - before) as f64);
    assert_eq!(known(&mut session, run, "checkpoints_timed"), 0.0);
    let written = known(&mut session, run, "checkpoint_buffers");
    assert!(written > 0.0, "{written}");
    let during = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND in_checkpoint"
    ));
    assert!(during > 0 && during < session.intervals(run), "{during}");
}

#[test]
fn settings_are_those_of_the_clients_sessions() {
    let cluster = Cluster::with_data(&[
        "wal_receiver_timeout = '7s'",
        "primary_conninfo = 'host=h password=hidden'",
    ]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE runner LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO runner; \
             GRANT EXECUTE ON FUNCTION pgperf.start_run TO runner; GRANT pg_read_all_settings TO runner; \
             ALTER ROLE runner SET work_mem = '6MB'; ALTER ROLE postgres SET work_mem = '9MB'; \
             ALTER DATABASE postgres SET enable_sort = off; \
             ALTER ROLE runner IN DATABASE postgres SET statement_timeout = '1h'; \
             ALTER ROLE runner SET myapp.x = 'role'; \
             ALTER ROLE runner SET default_transaction_read_only = on",
        )
        .expect("the role");
    let mut runner = cluster.connect_as("runner");
    // The session that starts a run has to write.
    runner
        .batch_execute("SET default_transaction_read_only = off")
        .expect("its own setting");
    let run = runner.start_run(
        "'select-only', clients => 2, transactions_per_client => 100, \
         settings => '{\"random_page_cost\": \"1.1\", \"myapp.Y\": \"1\"}'",
    );
    session.wait_for_status(run, "finished");
    let settings = session.value(&format!(
        "SELECT string_agg(concat_ws('|', name, setting, source), ' ' ORDER BY name) FROM pgperf.run_settings \
         WHERE run_id = {run} AND name IN ('work_mem', 'enable_sort', 'statement_timeout', 'random_page_cost', \
            'default_transaction_read_only', 'wal_receiver_timeout', 'fsync', 'synchronous_commit', 'client_min_messages', 'myapp.x', 'myapp.y')"
    ));
    assert_eq!(
        settings,
        "default_transaction_read_only|on|user enable_sort|off|database fsync|off|configuration file \
         myapp.x|role|database or user myapp.y|1|run random_page_cost|1.1|run statement_timeout|3600000|database user wal_receiver_timeout|7000|configuration file \
         work_mem|6144|user"
    );
    let conninfo = format!(
        "SELECT setting FROM pgperf.run_settings WHERE run_id = {run} AND name = 'primary_conninfo'"
    );
    assert_eq!(session.value(&conninfo), "host=h password=********");
    assert!(known(&mut session, run, "database_hit_percent") > 0.0);
}

#[test]
fn rollbacks_are_a_share_of_the_transactions() {
    let cluster = Cluster::with_pgperf(QUIET);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "scripts => '{\"SELECT 1;\", \"BEGIN; SELECT 1; ROLLBACK;\"}', weights => '{3, 1}', \
         clients => 2, transactions_per_client => 500, random_seed => 1",
    );
    // pgperf's own commits are among all.
    let percent = known(&mut session, run, "rollback_percent");
    assert!((5.0..35.0).contains(&percent), "{percent}");
    let meaning = session.value(&format!(
        "SELECT concat_ws(' ', category, unit, direction) FROM pgperf.run_metrics \
         WHERE run_id = {run} AND metric = 'rollback_percent'"
    ));
    assert_eq!(meaning, "database percent lower");
}

/// The result of one check of doctor.
fn status(session: &mut Client, check: &str) -> String {
    session.value(&format!(
        "SELECT status FROM pgperf.doctor() WHERE check_name = '{check}'"
    ))
}

/// Has psql run the statements that a query returns.
fn gexec(cluster: &Cluster, query: &str) {
    let script = format!("\\set ON_ERROR_STOP on\n{query} \\gexec\n");
    let output = cluster.psql_script(&script);
    assert!(output.status.success(), "{query}\n{output:?}");
}

#[test]
fn what_doctor_offers_mends_it() {
    let broken = [
        "autovacuum",
        "fsync",
        "full_page_writes",
        "track_io_timing",
        "statement_logging",
    ];
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "full_page_writes = off",
        "log_min_duration_statement = 0",
    ]);
    let mut session = cluster.connect();
    for check in broken {
        assert!(
            ["problem", "warning"].contains(&status(&mut session, check).as_str()),
            "{check}"
        );
    }
    let names = broken.join("', '");
    gexec(
        &cluster,
        &format!(
            "SELECT fix_sql FROM pgperf.doctor() WHERE check_name IN ('{names}', 'reload') AND fix_sql IS NOT NULL"
        ),
    );
    for check in broken {
        wait_until(check, PATIENCE, || status(&mut session, check) == "ok");
    }
}

#[test]
fn what_is_set_for_a_role_is_mended_there() {
    let cluster = Cluster::with_pgperf(&["jit = on"]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE patient LOGIN; ALTER ROLE patient SET synchronous_commit = off; \
             ALTER DATABASE postgres SET jit_above_cost = 0",
        )
        .expect("the role");
    let connect = || cluster.connect_as("patient");
    let mut patient = connect();
    assert_eq!(status(&mut patient, "synchronous_commit"), "warning");
    assert_eq!(status(&mut patient, "jit"), "warning");
    assert_eq!(status(&mut patient, "other_sessions"), "unknown");
    let fix =
        |check: &str| format!("SELECT fix_sql FROM pgperf.doctor() WHERE check_name = '{check}'");
    let reset = patient.value(&fix("synchronous_commit"));
    patient.batch_execute(&reset).expect("its own setting");
    let reset = patient.value(&fix("jit"));
    assert_eq!(reset, "ALTER DATABASE \"postgres\" RESET jit_above_cost");
    session
        .batch_execute(&reset)
        .expect("the database's setting");
    let mut mended = connect();
    assert_eq!(status(&mut mended, "synchronous_commit"), "ok");
    assert_eq!(status(&mut mended, "jit"), "ok");
}

#[test]
fn doctor_sees_who_is_in_the_way() {
    let cluster = Cluster::with_pgperf(&["max_prepared_transactions = 5"]);
    let mut session = cluster.connect();
    assert_eq!(status(&mut session, "horizon"), "ok");
    assert_eq!(status(&mut session, "other_sessions"), "ok");
    assert_eq!(status(&mut session, "pg_stat_statements"), "ok");
    let mut other = cluster.connect();
    other
        .batch_execute("BEGIN; CREATE TABLE prepared(); PREPARE TRANSACTION 'forgotten'")
        .expect("a prepared transaction");
    assert_eq!(status(&mut session, "horizon"), "problem");
    assert!(
        session
            .value("SELECT detail FROM pgperf.doctor() WHERE check_name = 'horizon'")
            .contains("forgotten")
    );
    let busy = std::thread::spawn(move || other.batch_execute("SELECT pg_sleep(3)"));
    sleep(Duration::from_millis(100));
    wait_until("an active session", PATIENCE, || {
        status(&mut session, "other_sessions") == "warning"
    });
    busy.join().expect("the thread").expect("its statement");
}

#[test]
fn an_xfs_is_described_as_it_was_made() {
    let made = ["-d", "agcount=3,su=64k,sw=2", "-s", "size=4096"];
    let disk = SmallDisk::xfs(400, &made, "noatime,nodiscard");
    let cluster = Cluster::with_data_on(&disk, &[]);
    let mut session = cluster.connect();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 10");
    let facts = session.value(&format!(
        "SELECT string_agg(concat(name, '=', value, COALESCE(' ' || unit, '')), ', ' ORDER BY name) FROM pgperf.run_environment \
         WHERE run_id = {run} AND category = 'file system' AND name ~ '^data[.](type|xfs_(agcount|sunit|swidth|sectsize))$'"
    ));
    assert_eq!(
        facts,
        "data.type=xfs, data.xfs_agcount=3, data.xfs_sectsize=4096 bytes, data.xfs_sunit=65536 bytes, data.xfs_swidth=131072 bytes"
    );
    let fact = |session: &mut Client, name: &str| {
        session.value(&format!(
            "SELECT value FROM pgperf.run_environment WHERE run_id = {run} AND name = 'data.{name}'"
        ))
    };
    assert_eq!(
        Path::new(&fact(&mut session, "mount_point")),
        disk.path().canonicalize().expect("a path")
    );
    let options = fact(&mut session, "mount_options");
    assert!(
        options.contains("noatime") && options.contains("sunit=128,swidth=256"),
        "{options}"
    );
    let device = fact(&mut session, "device");
    let size = format!(
        "SELECT value::bigint FROM pgperf.run_environment WHERE run_id = {run} AND name = '{}.size'",
        device.trim_start_matches("/dev/")
    );
    assert_eq!(session.number(&size), 400 << 20, "{device}");
}

/// The details of what doctor finds about data sets.
fn of_data_sets(session: &mut Client) -> String {
    session.value(
        "SELECT string_agg(concat_ws(' ', status, detail), '; ') FROM pgperf.doctor() WHERE check_name = 'data_sets'",
    )
}

#[test]
fn doctor_looks_at_the_data_sets() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    assert_eq!(of_data_sets(&mut session), "ok 0 data sets loaded");
    session.value("CREATE SCHEMA \"A b\"");
    session.value("CALL pgperf.init('smallbank', schema => 'A b')");
    assert_eq!(of_data_sets(&mut session), "ok 1 data sets loaded");
    // One branch, and no step that analyzes; its rows are in partitions.
    session.value("CALL pgperf.init('tpcb-like', steps => 'dtg', partitions => 2)");
    let found = of_data_sets(&mut session);
    for part in [
        "warning pgbench in schema \"public\": never analyzed, so plans rest on guesses: public.pgbench_accounts_1, \
         public.pgbench_accounts_2, public.pgbench_branches, public.pgbench_tellers;",
        "warning pgbench in schema \"public\": more clients than branches (1) wait for each other",
    ] {
        assert!(found.contains(part), "{found}");
    }
    assert!(!found.contains("smallbank"), "{found}");
    session.value("UPDATE \"A b\".savings SET bal = bal + 1");
    wait_until("the dead rows", PATIENCE, || {
        of_data_sets(&mut session)
            .contains("smallbank in schema \"A b\": many dead rows: \"A b\".savings")
    });
    gexec(
        &cluster,
        "SELECT fix_sql FROM pgperf.doctor() WHERE check_name = 'data_sets' AND fix_sql IS NOT NULL",
    );
    wait_until("the vacuum", PATIENCE, || {
        let found = of_data_sets(&mut session);
        found.starts_with("warning pgbench in schema \"public\": more clients than branches")
            && !found.contains("; warning")
    });
    // A load that has failed leaves tables that no run accepts.
    session.value("UPDATE pgperf.data_sets SET scale = 0 WHERE data_set = 'pgbench'");
    let found = of_data_sets(&mut session);
    assert!(found.contains("not completely loaded"), "{found}");
}
