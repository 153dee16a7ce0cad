//! What a day of history takes, by collector, and that docs/sampling.md tells it.
//!
//! The sampler takes all collectors at a tenth of their default intervals, beside a load that does a tenth of its work in that time.
//! Bytes are counted for each sample, and multiplied with the samples of a day: it does not matter how fast the machine is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, Ending, document, wait_until};
use postgres::Client;

/// So many times faster than by default.
const FASTER: f64 = 10.0;
/// For so long: 19 minutes of the default intervals.
const SECONDS: u64 = 190;
const DAY_S: f64 = 86_400.0;

/// A database and its load.
struct Case {
    tables: usize,
    /// Those that are used all the time, by three statements each.
    busy: usize,
    /// Megabytes a day that it must not exceed, by more than a tenth.
    most: f64,
}

/// Tables with a primary key, of 9 pages, or of 45 if they are busy.
fn create_tables(session: &mut Client, case: &Case) {
    let Case { tables, busy, .. } = *case;
    session.value("CREATE SCHEMA app");
    for first in (1..=tables).step_by(100) {
        let last = tables.min(first + 99);
        session.value(&format!(
            "DO $$ BEGIN FOR i IN {first}..{last} LOOP \
             EXECUTE format('CREATE TABLE app.table_%s (id int PRIMARY KEY, n int, filler text)', i); \
             EXECUTE format('INSERT INTO app.table_%s SELECT g, 0, repeat(''x'', 300) FROM generate_series(1, %s) g', i, \
                            CASE WHEN i <= {busy} THEN 1000 ELSE 200 END); \
             END LOOP; END $$"
        ));
    }
    session.batch_execute("VACUUM ANALYZE").expect("VACUUM");
}

/// A minute's work: the table in place n is used 1/n as often as the first.
fn work(session: &mut Client, busy: usize, turn: usize) {
    for place in 1..=busy {
        let table = format!("app.table_{place}");
        for call in 0..busy.div_ceil(place) {
            let id = (turn * 7 + call * 13) % 200 + 1;
            let calls = format!(
                "SELECT n FROM {table} WHERE id = {id}; UPDATE {table} SET n = n + 1 WHERE id = {id}"
            );
            session.batch_execute(&calls).expect("a statement");
        }
        session.value(&format!("SELECT sum(n) FROM {table}"));
    }
}

/// Works until it is over.
fn work_on(session: &mut Client, busy: usize, is_over: &AtomicBool) {
    for turn in 1.. {
        let began = Instant::now();
        work(session, busy, turn);
        while began.elapsed() < Duration::from_secs_f64(60.0 / FASTER) {
            if is_over.load(Relaxed) {
                return;
            }
            sleep(Duration::from_millis(50));
        }
    }
}

/// Bytes that the rows of a table take since that sample, with their line pointers and their part of the indexes. Small tables have pages
/// that are not full yet: of these an entry of an index is counted for each sample.
fn bytes(session: &mut Client, table: &str, after: i64) -> f64 {
    let bytes = session.value(&format!(
        "SELECT coalesce(sum((pg_column_size(h.*) + 7) / 8 * 8 + 4), 0) \
              * (1 + (SELECT CASE WHEN sum(pg_relation_size(p.partition)) > 1000000 \
                             THEN sum(pg_indexes_size(p.partition)) / sum(pg_relation_size(p.partition)) ELSE 0 END \
                      FROM pgperf.history_partitions p WHERE p.table_name = '{table}')) \
              + CASE WHEN count(*) < 10000 THEN 48 * count(DISTINCT h.sample_id) ELSE 0 END \
         FROM pgperf.{table} h WHERE h.sample_id > {after}"
    ));
    bytes.parse().expect("bytes")
}

/// Bytes of a row of the samples, which is updated while the sample is taken, so that there are several versions of it.
const BYTES_OF_A_SAMPLE: &str = "SELECT (SELECT sum(pg_relation_size(p.partition)) FROM pgperf.history_partitions p WHERE p.table_name = 'samples') \
    / (SELECT count(*) FROM pgperf.samples) + 48";

/// Megabytes a day of each collector, and of the samples themselves.
fn megabytes_a_day(case: &Case) -> BTreeMap<String, f64> {
    let cluster = Cluster::with_pgperf(&[
        NO_BUDGET,
        "shared_buffers = 256MB",
        "max_locks_per_transaction = 1024",
        "autovacuum_naptime = 6s",
    ]);
    let mut session = cluster.connect();
    let intervals: BTreeMap<String, f64> = session
        .query(
            "SELECT name, extract(epoch FROM sample_interval)::float8 FROM pgperf.collectors WHERE enabled AND sample_interval IS NOT NULL",
            &[],
        )
        .expect("the collectors")
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    create_tables(&mut session, case);
    work(&mut session, case.busy, 0);
    // Once a day everything has a row, and measuring bloat reads all relations.
    session.value("CALL pgperf.take_snapshot()");
    for _ in 0..5 {
        session.value("CALL pgperf.take_snapshot('{tables}')");
    }
    let whole = session.number("SELECT max(sample_id) FROM pgperf.samples");
    let of_whole = |session: &mut Client| {
        ["relation_history", "bloat_history"].map(|table| bytes(session, table, 0))
    };
    let [relations, bloat] = of_whole(&mut session);
    session.value(&format!(
        "UPDATE pgperf.collectors SET sample_interval = sample_interval / {FASTER} WHERE sample_interval IS NOT NULL"
    ));
    let is_over = AtomicBool::new(false);
    scope(|threads| {
        let _ending = Ending(&is_over);
        threads.spawn(|| work_on(&mut cluster.connect(), case.busy, &is_over));
        assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
        wait_until("samples", PATIENCE, || {
            session.number("SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL") > 0
        });
        sleep(Duration::from_secs(SECONDS));
        session.value("SELECT pgperf.stop_sampler()");
    });
    let mut found = BTreeMap::new();
    for (collector, interval) in &intervals {
        let taken = session.number(&format!(
            "SELECT count(*) FROM pgperf.sample_outcomes WHERE collector = '{collector}' AND status = 'ok' AND sample_id > {whole}"
        ));
        let tables = session.value(&format!(
            "SELECT string_agg(table_name, ' ') FROM pgperf_internal.history_tables WHERE collector = '{collector}'"
        ));
        let sum: f64 = (tables.split(' '))
            .map(|table| bytes(&mut session, table, whole))
            .sum();
        let once = match collector.as_str() {
            "tables" => relations,
            "bloat" => bloat,
            _ => 0.0,
        };
        let a_day = sum / taken.max(1) as f64 * DAY_S / interval + once;
        found.insert(collector.clone(), a_day / 1e6);
    }
    // Collectors with the same interval share a sample.
    let samples: f64 = [10.0, 60.0, 300.0, 600.0]
        .map(|interval| DAY_S / interval)
        .iter()
        .sum();
    let of_one: f64 = session.value(BYTES_OF_A_SAMPLE).parse().expect("bytes");
    found.insert("samples".to_owned(), samples * of_one / 1e6);
    found
}

/// The sizes of docs/sampling.md: the collector, and the columns of its table.
fn documented(column: usize) -> BTreeMap<String, f64> {
    let page = document("docs/sampling.md");
    let (_, table) = page.split_once("| MB a day |").expect("the table of sizes");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let size = cells[column + 2].parse().expect("a size");
        (cells[1].trim_matches('`').to_owned(), size)
    };
    rows.map(row).collect()
}

/// Expects what the page tells, by collectors: a third more or less, since autovacuum and the clock have a part in it. Those that it sums up are
/// small.
fn expect_documented(case: &Case, column: usize) {
    let found = megabytes_a_day(case);
    let all: f64 = found.values().sum();
    for (collector, size) in &found {
        println!("{collector}: {size:.1} MB a day");
    }
    println!("all of {} tables: {all:.1} MB a day", case.tables);
    let documented = documented(column);
    let others = found
        .iter()
        .filter(|(name, _)| !documented.contains_key(*name));
    let others: f64 = others.map(|(_, size)| size).sum();
    for (name, told) in &documented {
        let size = match name.as_str() {
            "all" => all,
            "others" => others,
            name => *found
                .get(name)
                .unwrap_or_else(|| panic!("a collector {name}")),
        };
        assert!(
            (size - told).abs() <= told / 3.0 + 1.0,
            "{name}: {size:.1} MB a day, the page has {told}"
        );
    }
    assert!(all <= 1.1 * case.most, "{all:.1} MB a day");
}

#[test]
fn fifty_tables_take_what_the_page_says() {
    let case = Case {
        tables: 50,
        busy: 10,
        most: 60.0,
    };
    expect_documented(&case, 0);
}

#[test]
fn two_thousand_tables_take_what_the_page_says() {
    let case = Case {
        tables: 2_000,
        busy: 200,
        most: 300.0,
    };
    expect_documented(&case, 1);
}
