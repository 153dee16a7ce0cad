//! The WAL of a run is what was written while it ran, by the server's positions; pg_waldump and pg_walinspect are the judges.

use super::facts::{QUIET, known};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::collections::BTreeMap;

/// 20 MB of WAL.
const FILL: &str =
    "INSERT INTO walfill SELECT i, repeat('x', 60) FROM generate_series(1, 160000) i";
const TABLE: &str = "CREATE TABLE walfill (x int, y text)";

fn position(session: &mut Client) -> f64 {
    session.float("SELECT pg_current_wal_insert_lsn() - '0/0'")
}

fn wal_counts(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT concat_ws(': ', value, note) FROM pgperf.run_environment WHERE run_id = {run} AND category = 'server' AND name = 'wal_counts'"
    ))
}

/// With pg_walinspect or without.
fn cluster(inspects: bool) -> Cluster {
    let cluster = Cluster::with_data(QUIET);
    if inspects {
        cluster.run_sql("CREATE EXTENSION pg_walinspect");
    }
    cluster.run_sql(TABLE);
    cluster
}

/// A transaction that has written and goes on has told the server nothing of it, and tells all of it at its end.
#[test]
fn wal_is_of_the_run_in_which_it_was_written() {
    for inspects in [false, true] {
        let cluster = cluster(inspects);
        let (mut session, mut other) = (cluster.connect(), cluster.connect());
        let run_of = |session: &mut Client| {
            session.start_busy_run("'select-only', clients => 1, rate => 20, duration => '1 h', sample_interval => '0.2 s'")
        };
        let end = |session: &mut Client, run: i64| {
            session.value(&format!("SELECT pgperf.stop_run({run})"));
            session.wait_for_status(run, "stopped");
        };
        let before = position(&mut session);
        other.batch_execute("BEGIN").expect("a transaction");
        other.batch_execute(FILL).expect("rows");
        let filled = position(&mut session) - before;
        assert!(filled > 1e7, "{filled}");
        let run = run_of(&mut session);
        other.batch_execute("COMMIT").expect("its end");
        end(&mut session, run);
        let of_earlier = known(&mut session, run, "wal_bytes");
        assert!(of_earlier < 0.1 * filled, "{of_earlier} of {filled}");

        let run = run_of(&mut session);
        other.batch_execute("BEGIN").expect("a transaction");
        let before = position(&mut session);
        other.batch_execute(FILL).expect("rows");
        let filled = position(&mut session) - before;
        end(&mut session, run);
        let written = known(&mut session, run, "wal_bytes");
        let records = known(&mut session, run, "wal_records");
        other.batch_execute("COMMIT").expect("its end");
        assert!(
            written > 0.98 * filled && written < 1.05 * filled + 300_000.0,
            "{written} of {filled}"
        );
        let counts = wal_counts(&mut session, run);
        if inspects {
            assert_eq!(counts, "exact");
            assert!((160_000.0..170_000.0).contains(&records), "{records}");
        } else {
            assert!(
                counts.starts_with("reported: wal_records and wal_fpi are the server's counts")
                    && counts.ends_with("pg_walinspect is not installed in this database"),
                "{counts}"
            );
        }
    }
}

/// Sums of pg_waldump over a range: records, bytes of images, all bytes, and the bytes of each resource manager.
struct Dump {
    records: f64,
    fpi_percent: f64,
    percents: BTreeMap<String, f64>,
}

fn waldump(cluster: &Cluster, from: &str, to: &str) -> Dump {
    let output = cluster
        .program("pg_waldump")
        .args(["--stats", "-s", from, "-e", to, "-p"])
        .arg(cluster.data_dir().join("pg_wal"))
        .output()
        .expect("pg_waldump");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut all = (0.0, 0.0, 0.0);
    let mut bytes = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Name, records (%), record bytes (%), image bytes (%), bytes (%).
        let numbers: Vec<f64> = (words.iter().skip(1))
            .filter_map(|word| word.parse().ok())
            .collect();
        if let [records, _, images, combined] = numbers[..]
            && line.matches('(').count() == 4
            && combined > 0.0
        {
            all = (all.0 + records, all.1 + images, all.2 + combined);
            bytes.insert(words[0].to_owned(), combined);
        }
    }
    assert!(all.0 > 0.0, "{output:?}");
    let percents = bytes
        .into_iter()
        .map(|(name, bytes)| (name, 100.0 * bytes / all.2))
        .collect();
    Dump {
        records: all.0,
        fpi_percent: 100.0 * all.1 / all.2,
        percents,
    }
}

/// The positions of a run's first and last sample.
fn range(session: &mut Client, run: i64) -> [String; 2] {
    ["min", "max"].map(|end| {
        session.value(&format!(
            "SELECT coalesce(rmgr_end_lsn, flush_lsn) FROM pgperf.wal_history WHERE run_id = {run} \
             AND sample_id = (SELECT {end}(sample_id) FROM pgperf.wal_history WHERE run_id = {run})"
        ))
    })
}

/// Bytes by position, shares and counts as pg_waldump has them.
fn expect_as_dumped(cluster: &Cluster, session: &mut Client, run: i64, by_hand: f64) {
    let written = known(session, run, "wal_bytes") + known(session, run, "pgperf_wal_bytes");
    println!("run {run}: {written} of {by_hand} bytes");
    assert!(
        (written - by_hand).abs() < 0.01 * by_hand + 100_000.0,
        "run {run}: {written} of {by_hand}"
    );
    let [from, to] = range(session, run);
    if from == to {
        return;
    }
    let dump = waldump(cluster, &from, &to);
    let report: serde_json::Value =
        serde_json::from_str(&session.value(&format!("SELECT pgperf.report_json({run})")))
            .expect("a report");
    let managers = report["wal"]["resource_managers"]
        .as_array()
        .expect("a list");
    assert_eq!(
        managers.len(),
        dump.percents.len(),
        "run {run}: {managers:?}"
    );
    for manager in managers {
        let name = manager["resource_manager"].as_str().expect("a name");
        let percent = manager["bytes_percent"].as_f64().expect("a share");
        let dumped = dump.percents.get(name).copied().unwrap_or_default();
        assert!(
            (percent - dumped).abs() < 3.0,
            "run {run}: {name} {percent} %, of pg_waldump {dumped} %"
        );
    }
    let images = known(session, run, "wal_fpi_percent");
    println!(
        "run {run}: {images} % images, of pg_waldump {}",
        dump.fpi_percent
    );
    assert!(
        (images - dump.fpi_percent).abs() < 3.0,
        "run {run}: {images} % images, of pg_waldump {} %",
        dump.fpi_percent
    );
    if wal_counts(session, run) == "exact" {
        let records = known(session, run, "wal_records");
        // The samples' own records are taken off.
        assert!(
            records <= dump.records + 10.0 && records > 0.97 * dump.records - 2_000.0,
            "run {run}: {records} records, of pg_waldump {}",
            dump.records
        );
    }
}

const TPCB: &str = "'tpcb-like', clients => 2, transactions_per_client => 1500";

/// What was loaded before the run is no part of it, nor do images that prevail after a checkpoint weigh more than their bytes.
#[test]
fn shares_are_those_of_pg_waldump() {
    let cluster = cluster(true);
    let mut session = cluster.connect();
    // What is read at the start of the run are these rows.
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    session.batch_execute(FILL).expect("rows");
    session.value("CHECKPOINT");
    let before = position(&mut session);
    let run = session.finish_run(TPCB);
    let by_hand = position(&mut session) - before;
    expect_as_dumped(&cluster, &mut session, run, by_hand);
    assert_eq!(wal_counts(&mut session, run), "exact");
    // The images, too: as the server counted them, which has heard of all by now.
    let images = known(&mut session, run, "wal_fpi");
    let of_clients = session.float(&format!(
        "SELECT wal_fpi FROM pgperf_internal.run_totals WHERE run_id = {run}"
    ));
    assert!(
        images >= of_clients && images < 1.1 * of_clients + 100.0,
        "{images} images, {of_clients} of the clients"
    );
}

/// Runs that write little and much, after checkpoints and without, with others beside them.
#[test]
fn the_wal_of_twenty_runs_is_that_of_the_positions() {
    let cluster = cluster(true);
    let (mut session, mut other) = (cluster.connect(), cluster.connect());
    session.value("CALL pgperf.init(scale => 2)");
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    let kinds = [
        TPCB,
        "'tpcb-like', clients => 2, duration => '2 s', warmup => '1 s'",
        "script => 'INSERT INTO walfill SELECT i, repeat(''x'', 500) FROM generate_series(1, 20000) i;', clients => 2, transactions_per_client => 3",
        "script => 'UPDATE walfill SET x = x + 1 WHERE x < 1000;', clients => 1, transactions_per_client => 20",
        "script => 'CREATE INDEX CONCURRENTLY ON walfill (x);', clients => 1, transactions_per_client => 1",
    ];
    for round in 0..4 {
        for kind in kinds {
            if round % 2 == 1 {
                session.value("CHECKPOINT");
            }
            if round == 2 {
                other.batch_execute("BEGIN").expect("a transaction");
                other.batch_execute(FILL).expect("rows");
            }
            let before = position(&mut session);
            let run = session.start_run(kind);
            // Of runs that last, so that all of it is written while they run.
            let meanwhile = round == 3 && kind.contains("duration");
            if meanwhile {
                wait_until("its measured part", PATIENCE, || {
                    let sql = "SELECT measured_at IS NOT NULL FROM pgperf.runs WHERE run_id =";
                    session.value(&format!("{sql} {run}")) == "t"
                });
                other.batch_execute("BEGIN").expect("a transaction");
                other
                    .batch_execute(
                        "INSERT INTO walfill SELECT i, '' FROM generate_series(1, 10000) i",
                    )
                    .expect("rows");
            }
            if round == 2 {
                other.batch_execute("ROLLBACK").expect("its end");
            }
            session.wait_for_status(run, "finished");
            let by_hand = position(&mut session) - before;
            expect_as_dumped(&cluster, &mut session, run, by_hand);
            if meanwhile {
                other.batch_execute("ROLLBACK").expect("its end");
            }
        }
    }
}
