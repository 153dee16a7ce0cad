//! Percentiles are those of merged histograms, wherever they are shown, and the histograms are HdrHistogram's.

use crate::common::Cluster;
use crate::common::runs::Runs;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use postgres::Client;

const QUANTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p999", 0.999),
    ("p9999", 0.9999),
];

/// A quantile is the top of its counter: never below the true value, and at most 1/128 above.
#[track_caller]
fn expect_quantile(shown: f64, exact: f64, what: &str) {
    assert!(
        shown >= exact * (1.0 - 1e-9) && shown <= exact * (1.0 + 1.0 / 128.0) + 8e-6,
        "{what}: {shown} for {exact}"
    );
}

#[test]
fn percentiles_are_those_of_the_transaction_log() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "'tpcb-like@1, select-only@3', clients => 2, transactions_per_client => 10000, \
         sample_interval => '0.2 s', transaction_log => true",
    );
    let exact = |quantile: f64, script: &str| {
        format!(
            "SELECT percentile_disc({quantile}) WITHIN GROUP (ORDER BY latency_ms) \
             FROM pgperf.run_transactions WHERE run_id = {run} AND {script}"
        )
    };
    for (name, quantile) in QUANTILES {
        let whole = session.float(&exact(quantile, "true"));
        let shown =
            format!("SELECT latency_{name}_ms FROM pgperf.run_summary WHERE run_id = {run}");
        expect_quantile(session.float(&shown), whole, name);
        let merged = format!(
            "SELECT pgperf.histogram_quantile(pgperf.histogram_merge(histogram), {quantile}) \
             FROM pgperf.run_intervals WHERE run_id = {run}"
        );
        expect_quantile(session.float(&merged), whole, "merged intervals");
        for script_no in 0..2 {
            let of_script = format!("script_no = {script_no}");
            let exact = session.float(&exact(quantile, &of_script));
            let shown = format!(
                "SELECT latency_{name}_ms FROM pgperf.run_scripts WHERE run_id = {run} AND {of_script}"
            );
            expect_quantile(session.float(&shown), exact, &of_script);
        }
        // Of intervals and statements the columns are those of their histograms, cut at the exact maximum.
        for table in [
            "pgperf.run_intervals",
            "pgperf.run_statements",
            "pgperf.run_scripts",
            "pgperf_internal.run_totals",
        ] {
            let differ = format!(
                "SELECT count(*) FROM {table} WHERE run_id = {run} AND latency_{name}_ms IS DISTINCT FROM \
                 LEAST(pgperf.histogram_quantile(histogram, {quantile}), latency_max_ms)"
            );
            assert_eq!(session.number(&differ), 0, "{name} in {table}");
        }
    }
    let figures = format!(
        "SELECT concat_ws(' ', pgperf.histogram_count(t.histogram), \
             abs(pgperf.histogram_mean(t.histogram) / t.latency_avg_ms - 1) < 0.005, \
             pgperf.histogram_max(t.histogram) BETWEEN t.latency_max_ms AND t.latency_max_ms * 1.008, \
             (SELECT sum(b.count) FROM pgperf.histogram_buckets(t.histogram, 20) b), \
             (SELECT pgperf.histogram_merge(i.histogram) = t.histogram FROM pgperf.run_intervals i WHERE i.run_id = {run})) \
         FROM pgperf_internal.run_totals t WHERE t.run_id = {run}"
    );
    assert_eq!(session.value(&figures), "20000 t t 20000 t");
    expect_log(&mut session, run);
}

/// The log holds each interval's histogram, at its time. A transaction of each of the two clients may be counted just as the leader
/// reads: in one interval, and in the histogram of the next or the one before.
fn expect_log(session: &mut Client, run: i64) {
    let log = session.value(&format!(
        "SELECT string_agg(l, E'\\n') || E'\\n' FROM pgperf.histogram_log({run}) l"
    ));
    let intervals = session
        .query(
            "SELECT EXTRACT(epoch FROM started_at)::float8, seconds, latency_max_ms, transactions \
             FROM pgperf.run_intervals WHERE run_id = $1 ORDER BY interval_no",
            &[&run],
        )
        .expect("the intervals");
    assert!(
        log.contains("#[Histogram log format version 1.3]\n"),
        "{log}"
    );
    let (mut read, mut ahead) = (0, 0);
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        let LogEntry::Interval(interval) = entry.expect("a line of the log") else {
            continue;
        };
        let row = &intervals[read];
        read += 1;
        let near = |read: f64, stored: f64| (read - stored).abs() <= 0.00051;
        assert!(near(
            interval.start_timestamp().as_secs_f64(),
            row.get::<_, f64>(0)
        ));
        assert!(near(
            interval.duration().as_secs_f64(),
            row.get::<_, f64>(1)
        ));
        assert!(near(
            interval.max(),
            row.get::<_, Option<f64>>(2).unwrap_or_default()
        ));
        let bytes = BASE64_STANDARD
            .decode(interval.encoded_histogram())
            .expect("base64");
        let histogram: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .expect("a histogram");
        ahead += histogram.len() as i64 - row.get::<_, i64>(3);
        assert!(ahead.abs() <= 2, "{ahead} after interval {read}");
    }
    assert_eq!(ahead, 0);
    assert_eq!(read, intervals.len());
}

#[test]
fn parallel_workers_merge_to_the_same() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session
        .finish_run("'select-only', clients => 2, duration => '2 s', sample_interval => '0.1 s'");
    session.value(&format!(
        "CREATE TABLE many AS SELECT i.histogram FROM pgperf.run_intervals i, generate_series(1, 500) WHERE run_id = {run}; \
         ALTER TABLE many SET (parallel_workers = 4); ANALYZE many; \
         SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0"
    ));
    let plan = session
        .query(
            "EXPLAIN SELECT pgperf.histogram_merge(histogram) FROM many",
            &[],
        )
        .expect("the plan");
    let plan: Vec<String> = plan.iter().map(|line| line.get(0)).collect();
    assert!(
        plan.iter().any(|line| line.contains("Partial Aggregate")),
        "{plan:#?}"
    );
    let merged = "SELECT md5(pgperf.histogram_merge(histogram)) FROM many";
    let parallel = session.value(merged);
    session.value("SET max_parallel_workers_per_gather = 0");
    assert_eq!(session.value(merged), parallel);
    assert_eq!(
        session
            .number("SELECT pgperf.histogram_count(pgperf.histogram_merge(histogram)) FROM many"),
        500 * session.total(run, "transactions")
    );
}
