//! One sampler for all databases of the setting: the first with pgperf is its home, the others are visited.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;

use crate::common::runs::{AT_ONCE, NO_BUDGET, PATIENCE, Runs, at_once};
use crate::common::{Cluster, Ending, StopMode, wait_until};
use postgres::{Client, SimpleQueryMessage};

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
const SAMPLERS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'";
const SAMPLES: &str = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";
const VISITED: &str = "SELECT count(*) FROM pgperf.samples WHERE home IS NOT NULL";
/// The WAL is the server's, tables are the database's.
const INTERVALS: &str = "UPDATE pgperf.collectors SET sample_interval = \
    CASE name WHEN 'wal' THEN interval '1 s' WHEN 'database' THEN '1 s' WHEN 'tables' THEN '2 s' END";

/// A cluster with pgperf in these databases: the first is made, the others are copies of it.
fn cluster(databases: &[&str], conf: &[&str]) -> Cluster {
    let cluster = Cluster::new(&[&[PRELOADED, NO_BUDGET], conf].concat());
    let mut session = cluster.connect();
    session.value(&format!("CREATE DATABASE {}", databases[0]));
    let mut first = cluster.connect_to(databases[0]);
    first.value("CREATE EXTENSION pgperf CASCADE");
    first.value(INTERVALS);
    drop(first);
    for database in &databases[1..] {
        session.value(&format!(
            "CREATE DATABASE {database} TEMPLATE {}",
            databases[0]
        ));
    }
    cluster
}

fn list(cluster: &Cluster, databases: &[&str]) {
    let list = databases.join(", ");
    cluster.reconfigure(&[&format!("pgperf.sampler_databases = '{list}'")]);
}

fn wait_for_more(session: &mut Client, samples: &str) {
    let before = session.number(samples);
    wait_until(&format!("two more: {samples}"), PATIENCE, || {
        session.number(samples) >= before + 2
    });
}

/// Waits until the last samples of a database are those of a visit, with that home.
fn wait_for_visits(session: &mut Client, home: &str) {
    wait_for_more(session, &format!("{VISITED} AND home = '{home}'"));
}

/// Waits until a database is the home: it has samples of the WAL again.
fn wait_for_home(session: &mut Client) {
    wait_for_more(session, "SELECT count(*) FROM pgperf.wal_history");
}

/// The findings that say that the history lacks something.
fn lacks(session: &mut Client) -> String {
    session.value(
        "SELECT string_agg(rule || ': ' || evidence, '; ') FROM pgperf.findings() \
         WHERE rule IN ('gap', 'no_samples', 'collector_failed', 'worker_slots', 'restart', 'statistics_reset')",
    )
}

/// The workers that a parallel query got.
fn parallel_workers(session: &mut Client) -> usize {
    let plan = session
        .simple_query("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM wide")
        .expect("a plan");
    let lines = plan.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    let launched = lines.filter_map(|line| {
        let count = line.trim().strip_prefix("Workers Launched: ")?;
        count.parse::<usize>().ok()
    });
    launched.sum()
}

#[test]
fn twenty_databases_take_two_worker_slots() {
    let names: Vec<String> = (1..=20).map(|n| format!("db{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let cluster = cluster(&names, &["max_worker_processes = 8"]);
    let interval = 10;
    for name in &names {
        let mut session = cluster.connect_to(name);
        session.value(&format!(
            "UPDATE pgperf.collectors SET sample_interval = '{interval} s' WHERE name IN ('tables', 'statements')"
        ));
    }
    let mut session = cluster.connect();
    session
        .value("CREATE TABLE wide AS SELECT g, repeat('x', 100) FROM generate_series(1, 200000) g");
    session.value("VACUUM ANALYZE wide");
    for setting in [
        "parallel_setup_cost = 0",
        "parallel_tuple_cost = 0",
        "max_parallel_workers_per_gather = 2",
    ] {
        session.value(&format!("SET {setting}"));
    }
    list(&cluster, &names);
    let over = AtomicBool::new(false);
    let most = scope(|threads| {
        let watcher = threads.spawn(|| {
            let mut watcher = cluster.connect();
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(watcher.number(SAMPLERS));
                sleep(Duration::from_millis(5));
            }
            most
        });
        let _ending = Ending(&over);
        // Parallel queries have their workers meanwhile.
        wait_until("three samples everywhere", 2 * PATIENCE, || {
            assert_eq!(parallel_workers(&mut session), 2);
            sleep(Duration::from_millis(200));
            (names.iter()).all(|name| cluster.connect_to(name).number(SAMPLES) >= 3)
        });
        drop(_ending);
        watcher.join().expect("the watcher")
    });
    assert_eq!(most, 2, "processes at a time");
    for name in &names {
        let mut session = cluster.connect_to(name);
        let summary = session.value(
            "SELECT concat_ws(' ', s.home, s.cadence, string_agg(DISTINCT c.key, '+' ORDER BY c.key)) \
             FROM pgperf.samples s, jsonb_object_keys(s.outcomes) c(key) \
             WHERE s.cadence = '10 s' AND s.complete GROUP BY s.home, s.cadence",
        );
        let longest = session.number(
            "SELECT COALESCE(max(EXTRACT(epoch FROM n - taken_at)), 0)::int8 FROM (SELECT taken_at, lead(taken_at) OVER (ORDER BY taken_at) AS n \
             FROM pgperf.samples WHERE cadence = '10 s') s",
        );
        println!("{name}: {summary}, {longest} s apart at most");
        match *name {
            "db1" => assert_eq!(summary, "00:00:10 statements+tables"),
            _ => assert_eq!(summary, "db1 00:00:10 database+statements+tables"),
        }
        assert!(longest < 3 * interval, "{name}: {longest}");
        assert_eq!(lacks(&mut session), "", "{name}");
    }
    // Nor does monitoring wait for it.
    for (database, wal) in [("db1", true), ("db20", false)] {
        let metrics = cluster
            .connect_to(database)
            .value("SELECT pgperf.metrics()");
        let interval = |collector: &str| {
            let name = format!("pgperf_collector_interval_seconds{{collector=\"{collector}\"}}");
            metrics.contains(&name)
        };
        assert_eq!(
            (interval("wal"), interval("tables")),
            (wal, true),
            "{database}"
        );
    }
    // What a report of a visited database does not have is elsewhere, not missing.
    let mut session = cluster.connect_to("db20");
    assert_eq!(session.number("SELECT count(*) FROM pgperf.wal_history"), 0);
    let report = session.value("SELECT string_agg(r, E'\\n') FROM pgperf.history_report() r");
    let one_line = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        one_line.contains(
            "the figures of the server as a whole are in the history of database \"db1\""
        ),
        "{report}"
    );
    assert!(
        one_line.contains("the figures of the server are in the history of database \"db1\""),
        "{report}"
    );
    assert!(!one_line.contains("no sample of collector wal"), "{report}");
}

#[test]
fn the_home_is_the_first_with_the_extension() {
    let cluster = cluster(&["a", "b", "c"], &[]);
    let mut session = cluster.connect();
    session.value("CREATE DATABASE nothing");
    list(&cluster, &["nothing", "a", "b", "c"]);
    let [mut a, mut b, mut c] = ["a", "b", "c"].map(|name| cluster.connect_to(name));
    wait_for_home(&mut a);
    wait_for_visits(&mut b, "a");
    wait_for_visits(&mut c, "a");
    assert_eq!(a.number(VISITED), 0);

    // Taken out of the setting, it leaves its place to the next.
    list(&cluster, &["nothing", "b", "c"]);
    wait_for_home(&mut b);
    wait_for_visits(&mut c, "b");
    // Named first again, it has it back.
    list(&cluster, &["nothing", "a", "b", "c"]);
    wait_for_home(&mut a);
    wait_for_visits(&mut b, "a");
    // Of the figures of the server, nothing is missing there since.
    wait_until("no gap", PATIENCE, || {
        b.value("SELECT string_agg(reason, ', ') FROM pgperf.sampler_gaps WHERE collector = 'wal' AND next_at IS NULL")
            .is_empty()
    });
    // Dropped, too.
    drop(a);
    at_once("DROP DATABASE", || session.value("DROP DATABASE a"));
    wait_for_home(&mut b);
    wait_for_visits(&mut c, "b");
    // And without the extension.
    b.value("DROP EXTENSION pgperf CASCADE");
    wait_for_home(&mut c);
    // One that gets the extension is found after a reload at the latest.
    let mut nothing = cluster.connect_to("nothing");
    nothing.value("CREATE EXTENSION pgperf CASCADE");
    nothing.value(INTERVALS);
    cluster.reconfigure(&[]);
    wait_for_home(&mut nothing);
    wait_for_visits(&mut c, "nothing");
    // It is the same after a crash.
    drop((nothing, b, c, session));
    cluster.restart(StopMode::Immediate);
    let mut nothing = cluster.connect_to("nothing");
    wait_for_home(&mut nothing);
    let mut c = cluster.connect_to("c");
    wait_for_visits(&mut c, "nothing");
    wait_until("two processes at most", AT_ONCE, || {
        nothing.number(SAMPLERS) <= 2
    });
}

#[test]
fn a_visited_database_can_be_dropped_copied_and_sampled_by_hand() {
    let cluster = cluster(&["a", "b", "c"], &[]);
    let mut session = cluster.connect();
    list(&cluster, &["a", "b", "c"]);
    let mut b = cluster.connect_to("b");
    wait_for_visits(&mut b, "a");
    // Its history is maintained as well: days past their retention are dropped.
    let old = "FROM pgperf.samples WHERE taken_at < now() - interval '3000 days'";
    b.value(
        "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
         SELECT pgperf.local_node(), 0, now() - interval '4000 days', 1, 1, 0, 0, 0, '{}'",
    );
    assert_eq!(b.number(&format!("SELECT count(*) {old}")), 1);
    cluster.reconfigure(&["pgperf.maintain_interval = '2 s'"]);
    wait_until("maintenance", PATIENCE, || {
        b.number(&format!("SELECT count(*) {old}")) == 0
    });
    drop(b);
    session.value("CREATE DATABASE copy TEMPLATE b");
    let mut b = cluster.connect_to("b");
    wait_for_visits(&mut b, "a");

    // A sampler that somebody starts takes everything, and ends the visits.
    assert_eq!(b.value("SELECT pgperf.start_sampler()"), "t");
    assert_eq!(b.value("SELECT pgperf.start_sampler()"), "f");
    wait_for_home(&mut b);
    let visits = b.number(VISITED);
    wait_for_more(&mut b, SAMPLES);
    assert_eq!(b.number(VISITED), visits);
    assert_eq!(b.value("SELECT pgperf.stop_sampler()"), "t");
    wait_for_visits(&mut b, "a");

    // The extension is made again by another role, which then takes the samples.
    b.value("CREATE ROLE other SUPERUSER LOGIN");
    at_once("DROP EXTENSION", || {
        b.value("DROP EXTENSION pgperf CASCADE")
    });
    b.value("SET ROLE other");
    b.value("CREATE EXTENSION pgperf CASCADE");
    b.value(INTERVALS);
    b.value("RESET ROLE");
    cluster.reconfigure(&[]);
    wait_for_visits(&mut b, "a");
    // One that may not log in cannot take them; the log says so, once.
    b.value("ALTER ROLE other NOLOGIN");
    cluster.expect_trouble("role \"other\" is not permitted to log in");
    wait_until("the reason", PATIENCE, || {
        cluster
            .log()
            .contains("no samples: database \"b\": role \"other\" is not permitted to log in")
    });
    b.value("ALTER ROLE other LOGIN");
    cluster.reconfigure(&[]);
    wait_for_visits(&mut b, "a");

    // A visit that ends early is made up for; a crash of one is that of any process.
    let visit =
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sampler' AND datname <> 'a'";
    for end in ["pg_cancel_backend", "pg_terminate_backend"] {
        wait_until(end, PATIENCE, || {
            session.value(&format!("SELECT {end}(pid) FROM ({visit}) v")) == "t"
        });
        wait_for_visits(&mut b, "a");
    }
    drop(b);
    wait_until("a crash", PATIENCE, || {
        let pid = session.value(visit);
        !pid.is_empty() && cluster.try_kill(pid.parse().expect("a process id"))
    });
    wait_until("the end of the session", PATIENCE, || {
        session.simple_query("SELECT 1").is_err()
    });
    wait_until("the end of recovery", PATIENCE, || {
        cluster.psql("SELECT 1").status.success()
    });
    let mut session = cluster.connect();
    let mut b = cluster.connect_to("b");
    wait_for_visits(&mut b, "a");
    drop(b);
    for database in ["c", "b"] {
        at_once("DROP DATABASE", || {
            session.value(&format!("DROP DATABASE {database}"))
        });
    }
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
}

#[test]
fn where_no_slot_is_free_a_finding_says_so() {
    // One for the launcher, one for that of logical replication: one is left.
    let cluster = cluster(&["a", "b"], &["max_worker_processes = 3"]);
    list(&cluster, &["a", "b"]);
    let [mut a, mut b] = ["a", "b"].map(|name| cluster.connect_to(name));
    wait_for_home(&mut a);
    let short = "SELECT evidence FROM pgperf.findings() WHERE rule = 'worker_slots'";
    wait_until("the finding", PATIENCE, || !a.value(short).is_empty());
    let evidence = a.value(short);
    assert!(
        evidence.starts_with("no worker slot was free for the sampler, as ")
            && evidence.ends_with("max_worker_processes is 3"),
        "{evidence}"
    );
    wait_for_more(&mut a, SAMPLES);
    assert_eq!(b.number(SAMPLES), 0);
    let line = "pgperf launcher: no samples: no free worker slot (max_worker_processes)";
    assert_eq!(cluster.log().matches(line).count(), 1);
    drop((a, b));
    cluster.add_settings(&["max_worker_processes = 4"]);
    cluster.restart(StopMode::Fast);
    let [mut a, mut b] = ["a", "b"].map(|name| cluster.connect_to(name));
    wait_for_visits(&mut b, "a");
    // From then on there is nothing to be said.
    a.value("SELECT pg_sleep(2)");
    let since = a.value("SELECT clock_timestamp()");
    wait_for_more(&mut a, SAMPLES);
    assert_eq!(
        a.number(&format!(
            "{SAMPLES} AND short_of_workers AND taken_at > '{since}'"
        )),
        0
    );
}
