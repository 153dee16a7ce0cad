//! The cost of measuring bloat (time, pages, memory, the horizon), and its order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::Cluster;
use crate::common::pair::{execute, number, row, rows};
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// `make test` is content with fewer tables; `PGPERF_TEST_TABLES=20000` is the full number.
const TABLES: i64 = 1_500;

fn quiet_cluster(conf: &[&str]) -> Cluster {
    Cluster::with_pgperf(&[&["autovacuum = off", "max_wal_size = 4GB"], conf].concat())
}

/// The shortest time of this many attempts.
fn shortest(attempts: u32, mut attempt: impl FnMut()) -> Duration {
    let times = (0..attempts).map(|_| {
        let started = Instant::now();
        attempt();
        started.elapsed()
    });
    times.min().expect("an attempt")
}

/// All relations come round, each call keeps to its budget, and the session does not grow.
#[test]
fn many_tables_are_covered_by_many_calls() {
    let tables = std::env::var("PGPERF_TEST_TABLES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(TABLES);
    let cluster = quiet_cluster(&["max_locks_per_transaction = 1024"]);
    let mut session = cluster.connect();
    let session = &mut session;
    for first in (1..=tables).step_by(500) {
        let last = tables.min(first + 499);
        execute(
            session,
            &format!(
                "DO $$ BEGIN FOR i IN {first}..{last} LOOP \
                 EXECUTE format('CREATE TABLE t%s AS SELECT generate_series(1, 1000) AS id', i); END LOOP; END $$"
            ),
        );
    }
    let measured = "SELECT count(DISTINCT relation_name) FROM pgperf.bloat_history WHERE schema_name = 'public'";
    let sample = "SELECT coalesce(sum(pages_read), 0) FROM pgperf.bloat_history WHERE sample_id = ";
    let mut calls = 0;
    while number(session, measured) < tables {
        let id = number(session, "SELECT pgperf.snapshot_bloat(max_pages => 1000)");
        let pages = number(session, &format!("{sample}{id}"));
        assert!((1..=1000).contains(&pages), "{pages}");
        calls += 1;
        assert!(
            calls <= 4 + tables * 6 / 900,
            "{calls} calls, not all are measured"
        );
    }
    // No relation came twice before all had come once.
    let twice = number(
        session,
        "SELECT count(*) FROM (SELECT relation_name FROM pgperf.bloat_history WHERE schema_name = 'public' \
         GROUP BY 1 HAVING count(*) > 1) t",
    );
    assert!(twice <= 200, "{twice}");
    // Time, too; a machine that is busy may hold one up.
    let taken = shortest(3, || {
        row(session, "SELECT pgperf.snapshot_bloat(budget => '0.3 s')");
    });
    assert!(taken < Duration::from_millis(1500), "{taken:?}");

    let memory = "SELECT sum(total_bytes) FROM pg_backend_memory_contexts";
    row(session, "CALL pgperf.take_snapshot('{bloat}')");
    let before = number(session, memory);
    for _ in 0..3 {
        row(session, "CALL pgperf.take_snapshot('{bloat}')");
    }
    let after = number(session, memory);
    assert!(after < before + before / 10, "{before} bytes, then {after}");
}

/// It notices between two pages that its time is over, not only after the last.
#[test]
fn a_timeout_ends_it_at_once() {
    let cluster = quiet_cluster(&[]);
    let mut session = cluster.connect();
    execute(
        &mut session,
        "CREATE TABLE big AS SELECT FROM generate_series(1, 4000000)",
    );
    let size = number(&mut session, "SELECT pg_relation_size('big')");
    assert!(size > 100 << 20, "{size} bytes");
    let exact = "SELECT pgperf.snapshot_bloat('{big}', 'exact')";
    let whole = shortest(3, || {
        row(&mut session, exact);
    });
    let timeout = (whole / 4).min(Duration::from_millis(50)).as_millis();
    execute(&mut session, &format!("SET statement_timeout = {timeout}"));
    let until_the_end = shortest(3, || {
        assert_eq!(error_of(&mut session, exact).0, "57014");
    });
    println!("{whole:?} for all pages, {until_the_end:?} with a timeout of {timeout} ms");
    assert!(until_the_end < whole / 2, "{until_the_end:?} of {whole:?}");
    // What was begun is undone, and the next one is taken.
    execute(&mut session, "RESET statement_timeout");
    row(&mut session, exact);
    assert_eq!(
        number(&mut session, "SELECT count(*) FROM pgperf.bloat_history"),
        4
    );
}

/// Of those that were measured, the one comes first that was measured longest ago, unless another has changed.
#[test]
fn what_changed_most_comes_first() {
    let cluster = quiet_cluster(&[]);
    let mut session = cluster.connect();
    for table in ["first", "second"] {
        // Updates find room in their page: the size stays. There is no TOAST table to be measured, too.
        execute(
            &mut session,
            &format!(
                "CREATE TABLE {table} (id int, filler char(100)) WITH (fillfactor = 40); \
                 INSERT INTO {table} SELECT i FROM generate_series(1, 1000) i"
            ),
        );
    }
    let pages = number(&mut session, "SELECT pg_relation_size('first') / 8192");
    let of_one_call = |session: &mut Client| {
        execute(session, "SELECT pg_stat_force_next_flush()");
        let call = format!(
            "SELECT pgperf.snapshot_bloat(max_pages => {})",
            pages * 3 / 2
        );
        let sample = number(session, &call);
        row(
            session,
            &format!("SELECT relation_name FROM pgperf.bloat_history WHERE sample_id = {sample}"),
        )
    };
    let round = |session: &mut Client| [of_one_call(session), of_one_call(session)];
    assert_eq!(round(&mut session), ["first", "second"], "both are new");
    assert_eq!(round(&mut session), ["first", "second"], "none has changed");
    execute(&mut session, "UPDATE second SET id = id + 1");
    // Changes make a relation eleven times as old as it is. Seconds between the two calls must not count for more.
    session.age_history("1 hour");
    assert_eq!(
        number(&mut session, "SELECT pg_relation_size('second') / 8192"),
        pages
    );
    assert_eq!(round(&mut session), ["second", "first"], "one has changed");
    assert_eq!(
        round(&mut session),
        ["second", "first"],
        "none has changed since"
    );
}

/// While pages are read, nobody's rows are kept from being removed.
#[test]
fn take_snapshot_holds_no_horizon() {
    let cluster = quiet_cluster(&[]);
    let mut session = cluster.connect();
    execute(
        &mut session,
        "DO $$ BEGIN FOR i IN 1..30 LOOP EXECUTE format('CREATE TABLE t%s AS \
             SELECT generate_series(1, 200000) AS id', i); END LOOP; END $$",
    );
    // The first sample of all makes the history's partitions, which takes long enough to be seen.
    execute(&mut session, "CALL pgperf.take_snapshot('{wal}')");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            cluster.run_sql("CALL pgperf.take_snapshot('{bloat}')");
            over.store(true, Ordering::Relaxed);
        });
        // Each look takes a transaction id, so that ages tell for how many looks a snapshot was held.
        let mut ages = Vec::new();
        while !over.load(Ordering::Relaxed) {
            for age in rows(
                &mut session,
                "SELECT coalesce(greatest(age(backend_xmin), age(backend_xid)), 0), pg_current_xact_id() IS NULL \
                 FROM pg_stat_activity WHERE query LIKE 'CALL pgperf.take_snapshot%' AND state = 'active'",
            ) {
                ages.push(age.trim_end_matches("|f").parse::<usize>().expect("an age"));
            }
        }
        let oldest = ages.iter().max().copied().unwrap_or_default();
        println!(
            "the oldest snapshot of {} looks was held for {oldest}",
            ages.len()
        );
        // Reading the catalog and storing take one each.
        assert!(
            ages.len() > 50 && oldest * 3 < ages.len(),
            "{oldest} of {}",
            ages.len()
        );
    });
}
