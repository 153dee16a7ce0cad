//! The continuous sampler: how it begins and ends, and that it keeps time.

use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{AT_ONCE, NO_BUDGET, PATIENCE, Runs, at_once, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::{Client, NoTls};

const SAMPLERS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'";
const SAMPLES: &str = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";

/// The sampler takes this collector so often, and no other.
fn only(session: &mut Client, collector: &str, interval: &str) {
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value(&format!(
        "UPDATE pgperf.collectors SET sample_interval = '{interval}' WHERE name = '{collector}'"
    ));
}

/// A cluster whose sampler takes a collector every second, also on a busy machine.
fn sampling(conf: &[&str], collector: &str) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[&[NO_BUDGET], conf].concat());
    let mut session = cluster.connect();
    only(&mut session, collector, "1 s");
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    wait_for_more(&mut session);
    (cluster, session)
}

/// Waits until two more samples are there.
fn wait_for_more(session: &mut Client) {
    let before = session.number(SAMPLES);
    wait_until("two more samples", PATIENCE, || {
        session.number(SAMPLES) >= before + 2
    });
}

fn expect_no_sampler(session: &mut Client, after: &str) {
    session.expect_no_workers(after);
    assert_eq!(
        session.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
        0
    );
}

/// A session in a server that is starting.
fn reconnect(cluster: &Cluster) -> Client {
    let mut session = None;
    wait_until("a session", PATIENCE, || {
        session = cluster.config().connect(NoTls).ok();
        session.is_some()
    });
    session.expect("a session")
}

#[test]
fn it_starts_with_the_commit_and_there_is_only_one() {
    let cluster = Cluster::with_pgperf(&["max_prepared_transactions = 2"]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    only(&mut session, "wal", "1 s");
    for way in [
        "BEGIN; SELECT pgperf.start_sampler(); ROLLBACK",
        "BEGIN; SAVEPOINT s; SELECT pgperf.start_sampler(); ROLLBACK TO s; COMMIT",
    ] {
        session.batch_execute(way).expect(way);
        expect_no_sampler(&mut session, way);
    }
    session.value("BEGIN");
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    assert_eq!(other.value("SELECT pgperf.start_sampler()"), "f");
    let (sqlstate, ..) = error_of(&mut session, "PREPARE TRANSACTION 'sampler'");
    assert_eq!(sqlstate, "0A000");
    session.value("ROLLBACK");
    expect_no_sampler(&mut session, "PREPARE TRANSACTION");
    assert_eq!(session.number(SAMPLES), 0);

    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    assert_eq!(other.value("SELECT pgperf.start_sampler()"), "f");
    assert_eq!(
        session.value(
            "SELECT string_agg(concat_ws(' ', application_name, datname, usename), ',') \
             FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'"
        ),
        "pgperf sampler postgres postgres"
    );
    wait_for_more(&mut session);
    assert_eq!(
        at_once("stop_sampler", || session
            .value("SELECT pgperf.stop_sampler()")),
        "t"
    );
    expect_no_sampler(&mut session, "stop_sampler");
    assert_eq!(session.value("SELECT pgperf.stop_sampler()"), "f");
    // Neither a cancel nor a termination leaves anything behind, and it can be started again.
    for end in ["pg_cancel_backend", "pg_terminate_backend"] {
        assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
        wait_for_more(&mut session);
        session.value(&format!(
            "SELECT {end}(pid) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'"
        ));
        expect_no_sampler(&mut session, end);
    }
    assert!(!cluster.log().contains("ERROR:  could"));
}

#[test]
fn samples_come_on_the_grid_of_their_interval() {
    let (_cluster, mut session) = sampling(&[], "wal");
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = '2 s' WHERE name IN ('host', 'database')",
    );
    wait_until("samples of both cadences", PATIENCE, || {
        session.number(&format!("{SAMPLES} AND cadence = '2 s'")) >= 3
    });
    // Each cadence is a sample of its own, of the collectors that have it; all of them on the grid of the clock.
    // A machine that is busy may be late, but not every time.
    assert_eq!(
        session.value(
            "SELECT string_agg(cadence || ' ' || collectors || ' ' || on_time, ', ' ORDER BY cadence) FROM ( \
               SELECT s.cadence, string_agg(DISTINCT o.collector, '+') AS collectors, \
                      count(DISTINCT s.sample_id) FILTER (WHERE mod(EXTRACT(epoch FROM s.taken_at), \
                          EXTRACT(epoch FROM s.cadence)) < 0.3) >= 2 AS on_time \
               FROM pgperf.samples s JOIN pgperf.sample_outcomes o USING (node_id, sample_id) \
               WHERE o.status = 'ok' AND s.run_id IS NULL GROUP BY s.cadence) c"
        ),
        "00:00:01 wal true, 00:00:02 database+host true"
    );
    // A change takes effect soon.
    only(&mut session, "checkpoints", "3 s");
    wait_until("samples at the new interval", PATIENCE, || {
        session.number(&format!("{SAMPLES} AND cadence = '3 s'")) >= 1
    });
    let wal = session.number(&format!("{SAMPLES} AND cadence = '1 s'"));
    wait_until("another", PATIENCE, || {
        session.number(&format!("{SAMPLES} AND cadence = '3 s'")) >= 2
    });
    assert_eq!(
        session.number(&format!("{SAMPLES} AND cadence = '1 s'")),
        wal
    );
    // One that is switched off is not taken either.
    session.value("UPDATE pgperf.collectors SET enabled = false WHERE name = 'checkpoints'");
    sleep(Duration::from_secs(6));
    let samples = session.number(SAMPLES);
    sleep(Duration::from_secs(4));
    assert_eq!(session.number(SAMPLES), samples);
    assert_eq!(session.number(SAMPLERS), 1);
}

#[test]
fn between_samples_it_holds_no_horizon() {
    let (_cluster, mut session) = sampling(&[], "wal");
    session.value("CREATE TABLE wide AS SELECT repeat('x', 900) FROM generate_series(1, 100000)");
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'bloat'");
    wait_until("a sample with bloat", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.bloat_history WHERE relation_name = 'wide'") > 0
    });
    let mut held = 0;
    for _ in 0..100 {
        held += session.number(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler' \
             AND (state = 'idle' OR query = 'pgperf: measuring a relation') AND backend_xmin IS NOT NULL",
        );
        sleep(Duration::from_millis(20));
    }
    // It looks into the catalog for a moment, whether the extension is still there.
    println!("a horizon was held at {held} of 100 looks");
    assert!(held <= 10, "{held}");
}

/// Taken every second, a collector looks at everything it can tell once a minute, from the first sample on.
#[test]
fn what_is_taken_often_is_taken_whole_once_a_minute() {
    let (_cluster, mut session) = sampling(&[], "database");
    let sizes = "SELECT count(size_bytes) FROM pgperf.database_history JOIN pgperf.samples USING (sample_id) \
                 WHERE cadence IS NOT NULL";
    wait_for_more(&mut session);
    wait_for_more(&mut session);
    let (whole, samples) = (session.number(sizes), session.number(SAMPLES));
    println!("{whole} of {samples} samples with a size");
    // A busy machine may take longer than a minute for them.
    assert!(whole >= 1 && whole < samples, "{whole} of {samples}");
    assert_eq!(
        session.value(
            "SELECT abs(size_bytes - pg_database_size(current_database())) < 10000000 FROM pgperf.database_history \
             WHERE size_bytes IS NOT NULL ORDER BY sample_id DESC LIMIT 1"
        ),
        "t"
    );
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wal'");
    wait_until("the WAL whole, or why not", PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pgperf.sample_outcomes JOIN pgperf.samples USING (sample_id) \
             WHERE cadence IS NOT NULL AND collector = 'wal' AND reason LIKE 'no resource managers: %'",
        ) >= 1
    });
}

#[test]
fn a_collector_that_fails_does_not_stop_the_others() {
    let (cluster, mut session) = sampling(&[], "wal");
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'database'");
    session.value("ALTER TABLE pgperf.wal_history RENAME TO hidden");
    let outcome = |status: &str, collector: &str| {
        format!(
            "SELECT count(*) FROM pgperf.sample_outcomes \
             WHERE collector = '{collector}' AND status = '{status}'"
        )
    };
    wait_until("wal skipped, database taken", PATIENCE, || {
        session.number(&outcome("skipped", "wal")) >= 3
            && session.number(&outcome("ok", "database")) >= 3
    });
    session.value("ALTER TABLE pgperf.hidden RENAME TO wal_history");
    // Nothing can be stored at all: it tries again, and the log says so once.
    session.value("ALTER TABLE pgperf.samples RENAME TO hidden");
    wait_until("a line in the log", PATIENCE, || {
        cluster.log().contains("pgperf sampler: no sample")
    });
    sleep(Duration::from_secs(3));
    session.value("ALTER TABLE pgperf.hidden RENAME TO samples");
    wait_for_more(&mut session);
    assert!(cluster.log().matches("pgperf sampler: no sample").count() <= 2);
    assert_eq!(
        session.value(
            "SELECT string_agg(DISTINCT split_part(reason, ':', 1), ', ') FROM pgperf.sampler_gaps \
             WHERE collector = 'wal' AND next_at IS NOT NULL AND reason NOT LIKE 'no sampler%'"
        ),
        "skipped"
    );
}

#[test]
fn gaps_tell_why() {
    let (cluster, mut session) = sampling(&[], "wal");
    const PAUSE: Duration = Duration::from_secs(5);
    // Those that are made here; a busy machine may make shorter ones.
    let gaps = "FROM pgperf.sampler_gaps WHERE seconds >= 4";
    let reasons = format!("SELECT string_agg(reason, ', ' ORDER BY last_at) {gaps}");
    let samples = session.number(SAMPLES);
    session.value("SELECT pgperf.stop_sampler()");
    sleep(PAUSE);
    assert_eq!(session.value(&reasons), "no sampler ran");
    assert_eq!(
        session.value(&format!(
            "SELECT next_at IS NULL AND seconds < 60 AND cadence = '1 s' {gaps}"
        )),
        "t"
    );
    session.value("SELECT pgperf.start_sampler()");
    wait_until("the end of the gap", PATIENCE, || {
        session.number(SAMPLES) > samples + 2
    });
    assert_eq!(
        session.value(&format!("SELECT count(*) {gaps} AND next_at IS NOT NULL")),
        "1"
    );
    drop(session);
    cluster.restart(StopMode::Immediate);
    let mut session = cluster.connect();
    assert_eq!(session.number(SAMPLERS), 0);
    sleep(PAUSE);
    session.value("SELECT pgperf.start_sampler()");
    wait_for_more(&mut session);
    assert_eq!(
        session.value(&reasons),
        "no sampler ran, no sampler ran: the server was restarted, or its statistics were reset meanwhile"
    );
    // Of a collector that nobody wants any more, nothing is missing.
    session.value("SELECT pgperf.stop_sampler()");
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    sleep(PAUSE);
    assert_eq!(session.number(&format!("SELECT count(*) {gaps}")), 2);
}

#[test]
fn it_backs_off_when_it_costs_too_much() {
    let (cluster, mut session) = sampling(&[], "wal");
    // What a sample costs is the machine's affair. The first budget is always too small; twice as much each time, and
    // at last the longer cadence is one that can be waited for.
    let mut budget = 0.01;
    wait_until("a longer cadence", 2 * PATIENCE, || {
        cluster.reconfigure(&[&format!("pgperf.sampler_budget_percent = {budget}")]);
        budget *= 2.0;
        sleep(Duration::from_secs(5));
        session.number(&format!("{SAMPLES} AND cadence > '1 s'")) > 0
    });
    let reason = session.value(
        "SELECT reason FROM pgperf.sample_outcomes o JOIN pgperf.samples s USING (node_id, sample_id) \
         WHERE s.cadence > '1 s' LIMIT 1",
    );
    assert!(
        reason.contains("instead of 1 s, to keep within pgperf.sampler_budget_percent"),
        "{reason}"
    );
}

#[test]
fn it_leaves_with_the_extension_the_database_and_the_server() {
    let (cluster, mut session) = sampling(&[], "wal");
    at_once("DROP EXTENSION", || {
        session.value("DROP EXTENSION pgperf CASCADE")
    });
    expect_no_sampler(&mut session, "DROP EXTENSION");
    session.value("CREATE DATABASE lab");
    let mut lab = cluster.connect_to("lab");
    lab.value("CREATE EXTENSION pgperf CASCADE");
    only(&mut lab, "wal", "1 s");
    lab.value("SELECT pgperf.start_sampler()");
    wait_for_more(&mut lab);
    drop(lab);
    at_once("DROP DATABASE", || session.value("DROP DATABASE lab"));
    expect_no_sampler(&mut session, "DROP DATABASE");
    session.value("CREATE EXTENSION pgperf CASCADE");
    session.value("SELECT pgperf.start_sampler()");
    for mode in [StopMode::Fast, StopMode::Smart] {
        session.value("SELECT pgperf.start_sampler()");
        drop(session);
        at_once("shutdown", || cluster.stop(mode));
        cluster.start();
        session = cluster.connect();
    }
}

#[test]
fn preloaded_it_comes_with_the_server_and_comes_back() {
    const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
    let cluster = Cluster::new(&[PRELOADED, NO_BUDGET]);
    let mut session = cluster.connect();
    assert_eq!(session.number(SAMPLERS), 0, "no database is named");
    // At first somebody looks for runs to go on with.
    wait_until("nobody but the launcher", PATIENCE, || {
        session.workers() == 1
    });
    session.value("CREATE DATABASE \"Lab, 1\"");
    cluster.reconfigure(&[
        "pgperf.sampler_databases = 'postgres, \"Lab, 1\", postgres, nowhere, template0'",
    ]);
    wait_until("the launcher has read it", PATIENCE, || {
        cluster
            .log()
            .contains("no samples: database \"nowhere\" does not exist")
    });
    wait_until("no sampler without extension", PATIENCE, || {
        session.number(SAMPLERS) == 0
    });
    let mut lab = cluster.connect_to("Lab, 1");
    // One has the sampler, the other is visited.
    for (session, collector) in [(&mut session, "wal"), (&mut lab, "tables")] {
        session.value("CREATE EXTENSION pgperf CASCADE");
        only(session, collector, "1 s");
        wait_for_more(session);
    }
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "f");

    // The extension is dropped and made again; so is the database.
    at_once("DROP EXTENSION", || lab.value("DROP EXTENSION pgperf"));
    lab.value("CREATE EXTENSION pgperf");
    only(&mut lab, "tables", "1 s");
    wait_for_more(&mut lab);
    drop(lab);
    at_once("DROP DATABASE", || {
        session.value("DROP DATABASE \"Lab, 1\"")
    });
    wait_for_more(&mut session);

    // The server crashes with it.
    let pid = session.number(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sampler' AND datname = 'postgres'",
    );
    cluster.kill(u32::try_from(pid).expect("a pid"));
    wait_until("the end of the session", PATIENCE, || {
        session.simple_query("SELECT 1").is_err()
    });
    let mut session = reconnect(&cluster);
    wait_for_more(&mut session);
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    wait_for_more(&mut session);

    // Stopped, it comes back, until the setting does not name the database any more.
    assert_eq!(session.value("SELECT pgperf.stop_sampler()"), "t");
    wait_for_more(&mut session);
    cluster.reconfigure(&["pgperf.sampler_databases = ''"]);
    wait_until("its end", AT_ONCE, || session.number(SAMPLERS) == 0);
    sleep(Duration::from_secs(6));
    assert_eq!(session.workers(), 1, "the launcher");
    // By hand it runs all the same.
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    wait_for_more(&mut session);
    drop(session);
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    assert!(!cluster.log().contains("PANIC"));
}
