//! How long runs are kept, and that nothing is left of one that is deleted: no foreign key sees to that.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// What `pgperf.maintain()` says, one line for each thing done but the making of partitions.
fn maintain(session: &mut Client) -> Vec<String> {
    let lines = session.value(
        "SELECT string_agg(concat_ws(' ', action, table_name, regexp_replace(object, '^.*_', ''), rows, note), E'\\n') \
         FROM pgperf.maintain() WHERE action <> 'created'",
    );
    lines.lines().map(str::to_owned).collect()
}

fn count(session: &mut Client, from: &str) -> i64 {
    session.number(&format!("SELECT count(*) FROM {from}"))
}

#[test]
fn runs_and_texts_have_a_retention_of_their_own() {
    let cluster = Cluster::with_pgperf(&["pgperf.run_retention = 0"]);
    let mut session = cluster.connect();
    let runs = [(); 3].map(|()| {
        session.finish_run(
            "script => 'SELECT 1;', transactions_per_client => 3, transaction_log => true, collectors => '{wal, statements}'",
        )
    });
    let [pinned, old, new] = runs;
    session.value(&format!("SELECT pgperf.pin_run({pinned})"));
    session.value(&format!(
        "UPDATE pgperf_internal.stored_runs SET ended_at = ended_at - interval '366 days' WHERE run_id <> {new}"
    ));
    session.value(
        "INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query) \
         VALUES (pgperf.local_node(), 4711, 1, now(), 'SELECT forgotten')",
    );
    let kept = |session: &mut Client| {
        session.value("SELECT string_agg(run_id::text, ',' ORDER BY run_id) FROM pgperf.runs")
    };
    let texts = count(&mut session, "pgperf.statement_texts");
    assert_eq!(maintain(&mut session), ["deleted statement_texts 1"]);
    assert_eq!(count(&mut session, "pgperf.statement_texts"), texts - 1);
    assert_eq!(kept(&mut session), format!("{pinned},{old},{new}"));
    let size = |session: &mut Client, level: &str| {
        session.value(&format!(
            "SELECT string_agg(table_name, ',' ORDER BY table_name) FROM pgperf.history_size \
             WHERE level = '{level}' AND bytes > 8192 AND oldest_at IS NOT NULL AND newest_at >= oldest_at"
        ))
    };
    assert!(size(&mut session, "runs").contains("run_intervals"));
    assert!(size(&mut session, "runs").contains("run_transactions"));
    assert_eq!(size(&mut session, "texts"), "statement_texts");

    // By default a year.
    cluster.reconfigure(&["pgperf.run_retention = '365d'"]);
    let done = maintain(&mut session);
    assert!(
        done[0].starts_with(&format!("deleted runs {old} ")),
        "{done:?}"
    );
    assert_eq!(kept(&mut session), format!("{pinned},{new}"));
    for table in [
        "run_intervals",
        "run_transactions",
        "samples",
        "wal_history",
        "statement_history",
    ] {
        let of = |run: i64| format!("pgperf.{table} WHERE run_id = {run}");
        assert_eq!(count(&mut session, &of(old)), 0, "{table}");
        assert!(count(&mut session, &of(pinned)) > 0, "{table}");
    }
    assert_eq!(maintain(&mut session), [""; 0]);
}

/// Of what a retention could take, these stay: what somebody compares with, and what somebody has brought here.
#[test]
fn runs_of_baselines_and_imported_ones_have_no_retention() {
    let elsewhere = Cluster::with_pgperf(&[]);
    let mut origin = elsewhere.connect();
    let run = |session: &mut Client| {
        session.finish_run(
            "script => 'SELECT 1;', transactions_per_client => 3, collectors => '{wal}'",
        )
    };
    let theirs = run(&mut origin);
    let document = origin.value(&format!("SELECT pgperf.export_run({theirs})"));

    let cluster = Cluster::with_pgperf(&["pgperf.run_retention = '365d'"]);
    let mut session = cluster.connect();
    let (old, named, new) = (run(&mut session), run(&mut session), run(&mut session));
    session.value(&format!("SELECT pgperf.set_baseline('nightly', {named})"));
    let imported = session.number(&format!(
        "SELECT pgperf.import_run($doc${document}$doc$::jsonb)"
    ));
    // It stays for more than being pinned, which import_run does.
    session.value(&format!("SELECT pgperf.pin_run({imported}, false)"));
    session.value(&format!(
        "UPDATE pgperf_internal.stored_runs SET ended_at = ended_at - interval '366 days' WHERE run_id <> {new}"
    ));
    let kept = |session: &mut Client| {
        session.value("SELECT string_agg(run_id::text, ',' ORDER BY run_id) FROM pgperf.runs")
    };
    let done = maintain(&mut session);
    assert!(
        done.iter()
            .any(|line| line.starts_with(&format!("deleted runs {old} "))),
        "{done:?}"
    );
    assert_eq!(kept(&mut session), format!("{named},{new},{imported}"));
    assert_eq!(count(&mut session, "pgperf.baselines"), 1);

    // Samples are kept with baselines, too.
    session.age_history("1000 days");
    maintain(&mut session);
    let samples = |run: i64| format!("pgperf.wal_history WHERE run_id = {run}");
    assert!(count(&mut session, &samples(named)) > 0);
    assert_eq!(count(&mut session, &samples(new)), 0);
    session.value("SELECT pgperf.drop_baseline('nightly')");
    // A database that is another node now, as after a restore, has them as a collection.
    let other = "UPDATE pgperf_internal.stored_runs SET node_id";
    let node = session.value("SELECT pgperf.local_node()");
    session.value(&format!(
        "{other} = gen_random_uuid() WHERE run_id = {named}"
    ));
    maintain(&mut session);
    assert_eq!(kept(&mut session), format!("{named},{new},{imported}"));
    session.value(&format!("{other} = '{node}' WHERE run_id = {named}"));
    maintain(&mut session);
    assert_eq!(kept(&mut session), format!("{new},{imported}"));
}

#[test]
fn a_run_is_deleted_from_all_levels() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    session.age_history("50 days");
    maintain(&mut session);
    assert!(
        count(
            &mut session,
            &format!("pgperf_internal.wal_history_kept WHERE run_id = {run}")
        ) > 0
    );
    session.value(&format!("SELECT pgperf.delete_run({run})"));
    for table in ["samples", "wal_history", "database_history"] {
        let rows = count(
            &mut session,
            &format!("pgperf.{table} WHERE run_id = {run}"),
        );
        assert_eq!(rows, 0, "{table}");
    }
}

/// No foreign key sees to it.
#[test]
fn a_deleted_run_leaves_nothing() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let arguments = "'tpcb-like', clients => 2, duration => '1 s', sample_interval => '0.2 s', transaction_log => true";
    let kept = session.finish_run(arguments);
    let run = session.finish_run(arguments);
    session.value(&format!("SELECT pgperf.pin_run({run})"));
    let interrupted = session.start_busy_run(
        "script => 'SELECT 1;', rate => 50, duration => '1 h', sample_interval => '0.2 s', resume => true",
    );
    let leader = session.leader(interrupted);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    session.wait_for_status(interrupted, "interrupted");
    let failed = session.start_run("script => 'SELECT 1 / 0;', transactions_per_client => 1");
    session.wait_for_status(failed, "failed");
    session.value("SELECT pgperf.start_sweep('select-only', clients => '{1}', repetitions => 1, transactions_per_client => 5)");
    session.value("CALL pgperf.wait_sweep()");
    let of_sweep = session.number("SELECT run_id FROM pgperf_internal.sweep_attempts");

    let tables: Vec<String> = session
        .query(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'run_id' \
             WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
               AND c.relname <> 'data_sets'",
            &[],
        )
        .expect("the tables")
        .iter()
        .map(|row| row.get(0))
        .collect();
    let rows = |session: &mut Client, run: i64| -> Vec<(String, i64)> {
        let of = |table: &String| count(session, &format!("{table} WHERE run_id = {run}"));
        let counts: Vec<i64> = tables.iter().map(of).collect();
        let filled = tables.iter().cloned().zip(counts);
        filled.filter(|(_, rows)| *rows > 0).collect()
    };
    let before = rows(&mut session, kept);
    assert!(before.len() > 15, "{before:?}");
    for run in [run, interrupted, failed, of_sweep] {
        assert!(!rows(&mut session, run).is_empty());
        assert_eq!(
            session.value(&format!("SELECT pgperf.delete_run({run})")),
            "t"
        );
        assert_eq!(rows(&mut session, run), [], "run {run}");
    }
    assert_eq!(rows(&mut session, kept), before);
    assert_eq!(
        count(
            &mut session,
            "pgperf_internal.sweep_attempts WHERE run_id IS NULL"
        ),
        1
    );
    assert_eq!(
        session.value("SELECT pgperf.delete_sweep((SELECT sweep_id FROM pgperf.sweeps))"),
        "t"
    );
    for table in ["stored_sweeps", "stored_sweep_points", "sweep_attempts"] {
        assert_eq!(
            count(&mut session, &format!("pgperf_internal.{table}")),
            0,
            "{table}"
        );
    }
    let health =
        "SELECT status || ' ' || detail FROM pgperf.doctor() WHERE check_name = 'history_rows'";
    assert!(session.value(health).starts_with("ok "));
    session.value(&format!(
        "DELETE FROM pgperf_internal.stored_runs WHERE run_id = {kept}"
    ));
    let told = session.value(health);
    assert!(
        told.starts_with("warning ") && told.contains("run_intervals (1 runs)"),
        "{told}"
    );
}

#[test]
fn a_run_that_somebody_refers_to_meanwhile_is_not_deleted() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    let mut other = cluster.connect();
    let mut transaction = other.transaction().expect("a transaction");
    transaction
        .batch_execute(&format!("SELECT pgperf.set_baseline('nightly', {run})"))
        .expect("set_baseline()");
    let deletion = std::thread::spawn(move || {
        let result = session.query_one(&format!("SELECT pgperf.delete_run({run})"), &[]);
        result
            .map(drop)
            .map_err(|error| error.code().expect("an SQLSTATE").code().to_owned())
    });
    let mut watcher = cluster.connect();
    wait_until("the deletion to wait", PATIENCE, || {
        count(
            &mut watcher,
            "pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%delete_run%' AND pid <> pg_backend_pid()",
        ) == 1
    });
    transaction.commit().expect("COMMIT");
    let refused = deletion.join().expect("the deletion");
    assert!(refused.is_err(), "deleted while it became a baseline");
    assert_eq!(
        count(
            &mut watcher,
            "pgperf.baselines JOIN pgperf_internal.stored_runs USING (node_id, run_id)"
        ),
        1
    );
}
