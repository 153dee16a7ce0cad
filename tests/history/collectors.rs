//! Collectors in situations that one session alone cannot create: crashes and restarts, locks, checkpoints, a server
//! without pg_stat_statements.

use std::time::Duration;

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, major, wait_until};
use postgres::Client;

/// Takes a sample of one collector; its sample_id.
fn snapshot(session: &mut Client, collector: &str) -> i64 {
    session.number(&format!(
        "SELECT sample_id FROM pgperf.snapshot('{{{collector}}}')"
    ))
}

/// Status and reason of a collector in the newest sample.
fn outcome(session: &mut Client, collector: &str) -> String {
    session.value(&format!(
        "SELECT status || coalesce(': ' || reason, '') FROM pgperf.sample_outcomes \
         WHERE collector = '{collector}' ORDER BY sample_id DESC LIMIT 1"
    ))
}

/// The newest difference of two counters, for the whole server and for one table; empty where unknown.
fn differences(session: &mut Client) -> [String; 2] {
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{database, tables}')");
    [
        "SELECT xact_commit FROM pgperf.database_deltas WHERE database_name IS NULL",
        "SELECT n_tup_ins FROM pgperf.relation_deltas WHERE relation_name = 'counted'",
    ]
    .map(|sql| session.value(&format!("{sql} ORDER BY sample_id DESC LIMIT 1")))
}

#[test]
fn differences_are_right_across_a_crash_a_reset_and_a_restart() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE counted (id int)");
    session.value("INSERT INTO counted SELECT generate_series(1, 1000)");
    assert_eq!(differences(&mut session)[1], "", "there is nothing before");
    session.value("INSERT INTO counted SELECT generate_series(1, 10)");
    let [commits, inserted] = differences(&mut session);
    assert!(commits.parse::<i64>().expect("a number") > 0);
    assert_eq!(inserted, "10");

    // A crash: all counters begin again. Counts since then must not show as a difference.
    let pid = session.number("SELECT pg_backend_pid()");
    let mut other = cluster.connect();
    cluster.kill(u32::try_from(pid).expect("a pid"));
    wait_until("the end of all sessions", PATIENCE, || {
        other.simple_query("SELECT 1").is_err()
    });
    wait_until("recovery", PATIENCE, || {
        match cluster.config().connect(postgres::NoTls) {
            Ok(session) => other = session,
            Err(_) => return false,
        }
        true
    });
    let mut session = other;
    session.value("INSERT INTO counted SELECT generate_series(1, 2000)");
    assert_eq!(differences(&mut session), ["", ""]);
    session.value("INSERT INTO counted SELECT generate_series(1, 20)");
    let [commits, inserted] = differences(&mut session);
    assert!(commits.parse::<i64>().expect("a number") > 0);
    assert_eq!(inserted, "20");

    // A restart keeps the counters, but that cannot be distinguished from a new beginning.
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    session.value("INSERT INTO counted SELECT generate_series(1, 30)");
    assert_eq!(differences(&mut session), ["", ""]);
    session.value("INSERT INTO counted SELECT generate_series(1, 40)");
    assert_eq!(differences(&mut session)[1], "40");

    // A reset of one table's counters alone, past what they were before.
    session.value("SELECT pg_stat_reset_single_table_counters('counted'::regclass)");
    session.value("INSERT INTO counted SELECT generate_series(1, 9000)");
    assert_eq!(differences(&mut session)[1], "");
    session.value("INSERT INTO counted SELECT generate_series(1, 50)");
    assert_eq!(differences(&mut session)[1], "50");

    // A pause: the difference is that of the whole pause.
    session.value("INSERT INTO counted SELECT generate_series(1, 60)");
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    session.value("INSERT INTO counted SELECT generate_series(1, 60)");
    assert_eq!(differences(&mut session)[1], "120");
}

#[test]
fn statements_survive_a_restart_and_not_a_reset() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let calls = |session: &mut Client| {
        snapshot(session, "statements");
        session.value(
            "SELECT calls FROM pgperf.statement_rates WHERE query = 'SELECT $1 AS counted_here' \
             ORDER BY sample_id DESC LIMIT 1",
        )
    };
    session.value("SELECT 1 AS counted_here");
    assert_eq!(calls(&mut session), "");
    session.value("SELECT 2 AS counted_here");
    assert_eq!(calls(&mut session), "1");
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    for _ in 0..3 {
        session.value("SELECT 3 AS counted_here");
    }
    assert_eq!(calls(&mut session), "3");
    session.value("SELECT pg_stat_statements_reset()");
    for _ in 0..20 {
        session.value("SELECT 4 AS counted_here");
    }
    assert_eq!(calls(&mut session), "");
    session.value("SELECT 5 AS counted_here");
    assert_eq!(calls(&mut session), "1");
}

#[test]
fn without_its_library_statements_are_skipped_and_the_others_taken() {
    let cluster = Cluster::with_pgperf(&[]);
    cluster.reconfigure(&["shared_preload_libraries = ''"]);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    let ok = session.value(
        "SELECT string_agg(collector, ',') FROM pgperf.snapshot('{statements, database, tables}') WHERE status = 'ok'",
    );
    assert_eq!(ok, "database,tables");
    assert_eq!(
        // Later versions quote the setting's name.
        outcome(&mut session, "statements").replace('"', ""),
        "skipped: pg_stat_statements must be loaded via shared_preload_libraries"
    );
}

#[test]
fn a_locked_table_is_measured_and_holds_nothing_up() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let (mut session, mut holder) = (cluster.connect(), cluster.connect());
    session.value("CREATE TABLE locked AS SELECT generate_series(1, 100000) AS id");
    let mut transaction = holder.transaction().expect("a transaction");
    transaction
        .batch_execute("LOCK TABLE locked")
        .expect("the lock");
    let sample = snapshot(&mut session, "tables");
    assert_eq!(outcome(&mut session, "tables"), "ok");
    let size = session.number(&format!(
        "SELECT size_bytes FROM pgperf.relation_history WHERE sample_id = {sample} AND relation_name = 'locked'"
    ));
    transaction.rollback().expect("the lock's release");
    assert_eq!(size, session.number("SELECT pg_relation_size('locked')"));
}

#[test]
fn intervals_know_of_checkpoints() {
    let cluster = Cluster::with_data(&["checkpoint_timeout = '1h'", "max_wal_size = '10GB'"]);
    let mut session = cluster.connect();
    session.value("CHECKPOINT");
    let run = session
        .start_busy_run("'tpcb-like', clients => 2, duration => '1 h', sample_interval => '0.2 s'");
    let before = session.intervals(run);
    session.value("CHECKPOINT");
    // The current interval may already be the next one: a row is stored a moment later.
    let after = session.intervals(run) + 1;
    wait_until("three more intervals", PATIENCE, || {
        session.intervals(run) >= after + 3
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let marked = |session: &mut Client, condition: &str| {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND in_checkpoint AND {condition}"
        ))
    };
    assert!(
        marked(
            &mut session,
            &format!("interval_no BETWEEN {before} AND {after}")
        ) >= 1
    );
    assert_eq!(
        marked(
            &mut session,
            &format!("interval_no NOT BETWEEN {before} AND {after}")
        ),
        0
    );
    assert_eq!(marked(&mut session, "checkpoint_began"), 1);
    let unknown = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_intervals WHERE run_id = {run} AND (in_checkpoint IS NULL OR checkpoint_began IS NULL)"
    ));
    assert_eq!(unknown, 0);
}

#[test]
fn a_checkpoint_that_is_being_written_shows() {
    // A checkpoint by time spreads its writes over most of the time to the next.
    let cluster = Cluster::with_pgperf(&[
        "checkpoint_timeout = '30s'",
        "checkpoint_completion_target = 0.9",
        "autovacuum = off",
    ]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE written AS SELECT generate_series(1, 400000) AS id");
    wait_until("a checkpoint by time", Duration::from_secs(60), || {
        snapshot(&mut session, "checkpoints");
        session.value(
            "SELECT in_progress FROM pgperf.checkpoint_history ORDER BY sample_id DESC LIMIT 1",
        ) == "t"
    });
    session.value("CHECKPOINT");
    snapshot(&mut session, "checkpoints");
    assert_eq!(
        session.value(
            "SELECT in_progress FROM pgperf.checkpoint_history ORDER BY sample_id DESC LIMIT 1"
        ),
        "f"
    );
}

#[test]
fn clients_that_wait_for_a_lock_are_seen_waiting() {
    let cluster = Cluster::with_pgperf(&[]);
    let (mut session, mut holder) = (cluster.connect(), cluster.connect());
    session.value("CREATE TABLE locked (id int)");
    let run = session.start_busy_run(
        "script => 'SELECT count(*) FROM locked;', clients => 3, duration => '1 h', sample_interval => '0.5 s'",
    );
    let mut transaction = holder.transaction().expect("a transaction");
    transaction
        .batch_execute("LOCK TABLE locked")
        .expect("the lock");
    // All looks of the current interval, or of the next.
    wait_until("an interval of waiting", PATIENCE, || {
        session.value(&format!(
            "SELECT wait_event_type || ' ' || wait_event || ' ' || (percent > 95)::text FROM pgperf.wait_rates \
             WHERE run_id = {run} AND source = 'run clients' AND looks > 1 ORDER BY sample_id DESC, seen DESC LIMIT 1"
        )) == "Lock relation true"
    });
    transaction.rollback().expect("the lock's release");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn a_locked_history_costs_its_collector_alone() {
    let cluster = Cluster::with_pgperf(&[]);
    let (mut session, mut holder) = (cluster.connect(), cluster.connect());
    let run = session.start_busy_run(
        "script => 'SELECT 1;', duration => '1 h', sample_interval => '0.2 s', rate => 100, \
         collectors => '{wal, database}'",
    );
    let outcomes = |session: &mut Client| {
        session.value(&format!(
            "SELECT string_agg(collector || ' ' || status, ', ' ORDER BY collector) FROM pgperf.sample_outcomes \
             WHERE sample_id = (SELECT max(sample_id) FROM pgperf.samples WHERE run_id = {run})"
        ))
    };
    let mut transaction = holder.transaction().expect("a transaction");
    transaction
        .batch_execute("LOCK TABLE pgperf.wal_history")
        .expect("the lock");
    wait_until("a sample without it", PATIENCE, || {
        outcomes(&mut session) == "database ok, wal skipped"
    });
    transaction.rollback().expect("the lock's release");
    wait_until("a sample with it", PATIENCE, || {
        outcomes(&mut session) == "database ok, wal ok"
    });
    assert_eq!(session.status(run), "running");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn a_catalog_of_thousands_is_taken_in_parts() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off", "max_locks_per_transaction = 512"]);
    let mut session = cluster.connect();
    session.value(
        "DO $$ BEGIN FOR i IN 1..2500 LOOP EXECUTE format('CREATE TABLE many_%s (id int)', i); \
         IF i % 500 = 0 THEN COMMIT; END IF; END LOOP; END $$",
    );
    let rows = |session: &mut Client| {
        let sample = snapshot(session, "tables");
        session.number(&format!(
            "SELECT count(*) FROM pgperf.relation_history WHERE sample_id = {sample} AND relation_oid <> 0"
        ))
    };
    assert_eq!(rows(&mut session), 2000);
    assert!(outcome(&mut session, "tables").contains("left to the next samples"));
    // The others have their turn, then only what changed.
    wait_until("all of them", PATIENCE, || rows(&mut session) < 2000);
    session.value("INSERT INTO many_2300 VALUES (1)");
    session.value("SELECT pg_stat_force_next_flush()");
    let left = rows(&mut session);
    // A server of 19 has some more relations of its own that have changed.
    let most = if major() < 19 { 300 } else { 400 };
    assert!(left < most, "{left} rows");
    assert_eq!(outcome(&mut session, "tables"), "ok");
    let never_stored = session.number(
        "SELECT count(*) FROM pg_class c WHERE relname LIKE 'many_%' \
         AND NOT EXISTS (SELECT FROM pgperf.relation_history h WHERE h.relation_oid = c.oid)",
    );
    assert_eq!(never_stored, 0);
}

#[test]
fn runs_watch_autovacuum_by_default() {
    let cluster = Cluster::with_pgperf(&["autovacuum_naptime = '1s'"]);
    let mut session = cluster.connect();
    session.value(
        "CREATE TABLE churn (id int PRIMARY KEY, v int) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, \
         autovacuum_vacuum_threshold = 10, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10, \
         autovacuum_vacuum_cost_delay = 0)",
    );
    session.value("INSERT INTO churn SELECT g, 0 FROM generate_series(1, 1000) g");
    // Autovacuum comes after this alone: once to vacuum and once to analyze.
    let churn = |session: &mut Client| {
        let count = |session: &mut Client, kind: &str| {
            session.number(&format!(
                "SELECT {kind}_count FROM pg_stat_user_tables WHERE relname = 'churn'"
            ))
        };
        let kinds = ["autovacuum", "autoanalyze"];
        let before = kinds.map(|kind| count(session, kind));
        session
            .value("UPDATE churn SET v = v + 1 WHERE id <= 100; SELECT pg_stat_force_next_flush()");
        wait_until("autovacuum", PATIENCE, || {
            let now = kinds.map(|kind| count(session, kind));
            now[0] > before[0] && now[1] > before[1]
        });
    };
    churn(&mut session);
    let run = session.start_busy_run("script => 'SELECT 1;', rate => 10, duration => '1 h'");
    // The statistics record only the latest vacuum: the next comes when this one has its row.
    let recorded = |column: &str| {
        format!(
            "EXISTS (SELECT FROM pgperf.relation_history h WHERE h.relation_oid = s.relid AND h.{column} = s.{column})"
        )
    };
    let both = format!(
        "SELECT count(*) FROM pg_stat_user_tables s WHERE s.relname = 'churn' AND {} AND {}",
        recorded("last_autovacuum"),
        recorded("last_autoanalyze")
    );
    let rounds = 3;
    for _ in 0..rounds {
        churn(&mut session);
        wait_until("rows of both", PATIENCE, || session.number(&both) == 1);
    }
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let counted = session.number(&format!(
        "SELECT sum(c.value::int) FROM jsonb_each_text(pgperf.report_json({run}) -> 'autovacuum_counts') c"
    ));
    let seen = session.number(&format!(
        "SELECT count(*) FROM jsonb_array_elements(pgperf.report_json({run}) -> 'autovacuums') v \
         WHERE v ->> 'relation_name' = 'churn'"
    ));
    assert!(
        seen >= 2 * rounds && counted >= seen,
        "{seen} of {counted} autovacuums and autoanalyzes"
    );
    // The rows in between are rows like all others: the differences add up.
    assert_eq!(
        session.value(&format!(
            "SELECT sum(d.n_tup_upd) = min(r.n_tup_upd) FROM pgperf.relation_deltas d \
             JOIN pgperf.run_relations r USING (node_id, run_id, relation_oid) \
             WHERE d.run_id = {run} AND r.relation_name = 'churn' AND d.sample_id > \
                   (SELECT min(s.sample_id) FROM pgperf.samples s WHERE s.run_id = {run})"
        )),
        "t"
    );
    // Unchanged tables are not vacuumed: nothing was stored about them in between.
    assert_eq!(
        session.value(&format!(
            "SELECT count(*) FROM pgperf.relation_history h WHERE h.run_id = {run} \
             AND (h.relation_oid = 0 OR h.relation_name = 'churn_pkey')"
        )),
        "4"
    );
}
