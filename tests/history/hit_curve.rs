//! The estimated hit ratio at larger shared_buffers, against a server that has them.

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// An estimate may be off by this many points.
const POINTS: f64 = 5.0;

/// A cluster whose server can be given other shared_buffers.
struct Resizable(Cluster);

impl Resizable {
    fn new(load: &str) -> Resizable {
        let cluster = Cluster::with_pgperf(&["max_wal_size = 4GB", "autovacuum = off"]);
        let mut session = cluster.connect();
        session.value(&format!("CALL pgperf.init({load})"));
        session.value("CHECKPOINT");
        Resizable(cluster)
    }

    /// Restarts the server with this size; a session in it.
    fn with(&self, megabytes: u64) -> Client {
        self.0.run_sql(&format!(
            "ALTER SYSTEM SET shared_buffers = '{megabytes}MB'"
        ));
        self.0.restart(StopMode::Fast);
        self.0.connect()
    }

    /// A run at this size.
    fn run(&self, megabytes: u64, load: &str) -> (Client, i64) {
        let mut session = self.with(megabytes);
        let run = session.finish_long_run(&format!("{load}, hit_curve => true"));
        (session, run)
    }
}

/// The hit ratio of a run's clients.
fn counted(session: &mut Client, run: i64) -> f64 {
    let sql = format!("SELECT hit_percent FROM pgperf.run_summary WHERE run_id = {run}");
    session.value(&sql).parse().expect("a hit ratio")
}

/// A column of the curve of a run at a size.
fn at(session: &mut Client, run: i64, megabytes: u64, column: &str) -> Option<f64> {
    let sql = format!(
        "SELECT {column} FROM pgperf.hit_curve({run}) WHERE shared_buffers = '{megabytes} MB'"
    );
    session.value(&sql).parse().ok()
}

/// Each size runs once: what it counts is compared with what the smaller ones have estimated. The runs, and what is off by
/// too much.
fn swept(server: &Resizable, load: &str, sizes: &[u64]) -> (Vec<i64>, Vec<String>) {
    let mut runs = Vec::new();
    let mut wrong = Vec::new();
    let mut estimates: Vec<(u64, u64, [Option<f64>; 3])> = Vec::new();
    for &size in sizes {
        let (mut session, run) = server.run(size, load);
        runs.push(run);
        let real = counted(&mut session, run);
        for (from, _, [estimate, low, high]) in estimates.iter().filter(|it| it.1 == size) {
            let line = format!(
                "{from} MB to {size} MB: {real:.1} %, estimated {estimate:.1?} ({low:.1?} to {high:.1?}): {load}"
            );
            println!("{line}");
            if estimate.is_none_or(|estimate| (estimate - real).abs() > POINTS) {
                wrong.push(line);
            }
        }
        for larger in [2 * size, 4 * size] {
            let columns = ["hit_percent", "low", "high"];
            let found = columns.map(|column| at(&mut session, run, larger, column));
            estimates.push((size, larger, found));
        }
    }
    (runs, wrong)
}

#[test]
fn a_run_estimates_what_a_larger_server_has() {
    let server = Resizable::new("'tpcb-like', scale => 3");
    // At a rate that leaves room for the looks, with a warm-up that fills the largest.
    let load = "'select-only', clients => 2, rate => 4000, warmup => '4 s', duration => '4 s', \
        collectors => '{wal}'";
    let (runs, wrong) = swept(&server, load, &[8, 16, 32]);
    assert_eq!(wrong, Vec::<String>::new());
    let mut session = server.0.connect();
    let run = runs[0];
    // The present size has the ratio that was counted, without bounds.
    let present = counted(&mut session, run);
    assert!((present - at(&mut session, run, 8, "hit_percent").unwrap()).abs() < 0.01);
    assert_eq!(at(&mut session, run, 8, "low"), None);
    let rising = format!(
        "SELECT count(*) = 7 AND bool_and(low <= hit_percent IS NOT FALSE AND hit_percent <= high IS NOT FALSE) \
           AND (array_agg(hit_percent ORDER BY pg_size_bytes(shared_buffers) DESC))[1] > min(hit_percent) + 10 \
         FROM pgperf.hit_curve({run})"
    );
    assert_eq!(session.value(&rising), "t");
    // Its looks are within their budget, with some room for a busy machine.
    let cost = format!(
        "SELECT bool_and(looks > 20 AND looks_ms < 0.03 * 1000 * seconds AND arrivals > 100 AND followed > 0) \
         FROM pgperf.hit_curve_history WHERE run_id = {run}"
    );
    assert_eq!(session.value(&cost), "t");
    let report =
        format!("SELECT count(*) FROM pgperf.report({run}) l WHERE l ~ '^ +(8|16|32) MB +[0-9.]+'");
    assert_eq!(session.number(&report), 3);
    let page = session.value(&format!("SELECT pgperf.report_html({run})"));
    // A line may be broken before the attribute.
    assert!(page.contains("id=\"hit-curve\""));
}

#[test]
fn a_run_that_fits_has_a_flat_curve_and_others_have_none() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let load = "'select-only', clients => 1, duration => '1 s'";
    // What is read before stays, and nothing has to leave.
    let run = session.finish_run(&format!("{load}, hit_curve => true"));
    let flat = format!(
        "SELECT count(DISTINCT hit_percent) || note FROM pgperf.hit_curve({run}) GROUP BY note"
    );
    let note = "1nothing had to leave shared_buffers: a larger one has no more hits";
    assert_eq!(session.value(&flat), note);
    let without = session.finish_run(load);
    let rows = format!("SELECT count(*) FROM pgperf.hit_curve({without})");
    assert_eq!(session.number(&rows), 0);
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run('select-only', collectors => '{hit_curve}')",
    );
    assert_eq!(sqlstate, "22023");
    assert!(
        message.contains("hit_curve") && hint.contains("hit_curve => true"),
        "{message} {hint}"
    );
    // Nobody has watched before a single sample.
    let outcome = session.value("SELECT status || reason FROM pgperf.snapshot('{hit_curve}')");
    assert!(outcome.starts_with("skipped"), "{outcome}");
}

#[test]
fn the_sampler_follows_the_buffers_between_its_samples() {
    let cluster = Cluster::with_data(&[NO_BUDGET, "shared_buffers = 4MB"]);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value("UPDATE pgperf.collectors SET sample_interval = '3 s' WHERE name = 'hit_curve'");
    session.value("SELECT pgperf.start_sampler()");
    let run = session.start_run(
        "'select-only', clients => 2, rate => 2000, duration => '1 h', collectors => '{}'",
    );
    wait_until("an estimate", PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pgperf.hit_curve_history \
             WHERE run_id IS NULL AND times = 2 AND hit_percent BETWEEN low AND high AND hit_percent > 0 \
               AND blks_read > 0",
        ) > 0
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    session.value("SELECT pgperf.stop_sampler()");
    // The present size and twice as much, in the report of the window.
    let report =
        "SELECT count(*) FROM pgperf.history_report() l WHERE l ~ '^ +[0-9.]+ .* (4096|8192) kB$'";
    assert_eq!(session.number(report), 2);
}

/// All sizes from 16 MB to 1 GB, with 2 GB of data, which fit into none of them: 25 minutes. The rates leave room for the looks,
/// and the warm-ups are long enough to fill the largest of the copies.
#[test]
fn estimates_hold_for_all_sizes_and_loads() {
    const SIZES: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];
    let timing = "clients => 2, collectors => '{wal}', warmup => '45 s', duration => '10 s'";
    let mut wrong = Vec::new();
    let tpcb = Resizable::new("'tpcb-like', scale => 140");
    let uniform = format!("'select-only', rate => 10000, {timing}");
    wrong.extend(swept(&tpcb, &uniform, &SIZES).1);
    // The ranks are spread over the table, as the pages of popular rows are.
    let skewed = format!(
        "script => $$\\set rank random_zipfian(1, 14000000, 1.1)
\\set aid permute(:rank, 14000000) + 1
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;$$, scale => 140, rate => 10000, {timing}"
    );
    wrong.extend(swept(&tpcb, &skewed, &SIZES).1);
    drop(tpcb);
    let tpcc = Resizable::new("'tpcc-like', scale => 20");
    let orders = format!("'tpcc-like', rate => 500, max_tries => 10, {timing}");
    wrong.extend(swept(&tpcc, &orders, &SIZES).1);
    assert_eq!(wrong, Vec::<String>::new());
}
