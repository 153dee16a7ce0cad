//! The figures of a run fit together: transactions, statements, intervals, latencies.

use crate::common::Cluster;
use crate::common::pair::{execute, number, row, rows, whole};
use postgres::Client;

const CLIENTS: i64 = 2;
const TRANSACTIONS: i64 = 4000;
const TOTAL: i64 = CLIENTS * TRANSACTIONS;

/// A cluster with a data set and a run that has ended, of several intervals.
fn after_run(arguments: &str) -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    execute(&mut session, "CALL pgperf.init('tpcb-like', scale => 2)");
    row(
        &mut session,
        &format!("SELECT pgperf.start_run({arguments}, sample_interval => '0.1 s')"),
    );
    assert_eq!(row(&mut session, "CALL pgperf.wait_run()"), "finished");
    (cluster, session)
}

/// A number that SQL prints with decimals.
fn float(session: &mut Client, sql: &str) -> f64 {
    let text = row(session, sql);
    text.parse()
        .unwrap_or_else(|_| panic!("{sql}\nnot a number: {text:?}"))
}

fn near(one: f64, other: f64, tolerance: f64) -> bool {
    (one - other).abs() <= tolerance * other.abs()
}

/// The run's own row of `pgperf.run_summary`; the load has one too.
fn summary(column: &str) -> String {
    format!("SELECT {column} FROM pgperf.run_summary WHERE kind = 'run'")
}

fn intervals(expression: &str) -> String {
    format!(
        "SELECT {expression} FROM pgperf.run_intervals JOIN pgperf.runs USING (node_id, run_id) \
         WHERE kind = 'run'"
    )
}

fn statements(expression: &str) -> String {
    format!(
        "SELECT {expression} FROM pgperf.run_statements JOIN pgperf.runs USING (node_id, run_id) \
         WHERE kind = 'run'"
    )
}

#[test]
fn every_transaction_is_counted_once() {
    let (_cluster, mut session) = after_run(&format!(
        "'tpcb-like', clients => {CLIENTS}, transactions_per_client => {TRANSACTIONS}"
    ));
    let session = &mut session;
    assert_eq!(number(session, &summary("transactions")), TOTAL);
    assert_eq!(
        number(session, "SELECT count(*) FROM pgbench_history"),
        TOTAL
    );
    for column in ["failed", "retried", "retries", "skipped", "late"] {
        assert_eq!(number(session, &summary(column)), 0, "{column}");
    }

    // Four \set, seven statements; each once a transaction.
    let calls = rows(session, &statements("is_sql, calls, failed"));
    assert_eq!(calls.len(), 11, "{calls:?}");
    for (is_sql, lines) in [("f", 4), ("t", 7)] {
        let expected = format!("{is_sql}|{TOTAL}|0");
        assert_eq!(
            calls.iter().filter(|line| **line == expected).count(),
            lines,
            "{calls:?}"
        );
    }
    // Of the statements only the SELECT returns a row.
    assert_eq!(number(session, &summary("rows_returned")), TOTAL);
    assert_eq!(
        number(
            session,
            &(statements("rows") + " AND statement LIKE 'SELECT%'")
        ),
        TOTAL
    );

    // The intervals cover the whole, without gap or overlap.
    assert!(number(session, &intervals("count(*)")) > 1);
    assert_eq!(
        number(session, &intervals("sum(transactions)::bigint")),
        TOTAL
    );
    assert_eq!(
        row(
            session,
            &intervals("min(interval_no), max(interval_no) - count(*)")
        ),
        row(
            session,
            &intervals("min(interval_no), min(interval_no) - 1")
        ),
        "numbered without a hole"
    );
    for column in ["wal_bytes", "shared_blks_hit", "shared_blks_read"] {
        assert_eq!(
            number(session, &intervals(&format!("sum({column})::bigint"))),
            number(session, &summary(column)),
            "{column}"
        );
    }
    let seconds = float(session, &summary("duration_s"));
    assert!(near(
        float(session, &intervals("sum(seconds)")),
        seconds,
        0.02
    ));
    assert!(near(
        float(session, &summary("tps")),
        TOTAL as f64 / seconds,
        1e-9
    ));
}

#[test]
fn latencies_fit_together() {
    let (_cluster, mut session) = after_run(&format!(
        "'tpcb-like', clients => {CLIENTS}, transactions_per_client => {TRANSACTIONS}"
    ));
    let session = &mut session;
    let mut value = |column: &str| float(session, &summary(column));
    let seconds = value("duration_s");
    let average = value("latency_avg_ms");
    let quantiles = [
        "latency_p50_ms",
        "latency_p95_ms",
        "latency_p99_ms",
        "latency_p999_ms",
        "latency_max_ms",
    ]
    .map(&mut value);
    assert!(quantiles[0] > 0.0 && quantiles.is_sorted(), "{quantiles:?}");
    assert!(average < quantiles[4]);
    // Each client is always in a transaction: the latencies of all fill the clients' time, or nearly.
    let busy = average * TOTAL as f64 / 1000.0;
    let offered = seconds * CLIENTS as f64;
    assert!(
        busy <= offered * 1.001 && busy >= offered * 0.5,
        "{busy} s in transactions of {offered} s"
    );

    // The statements' times, commits included, are the transactions' time, or nearly.
    let statements_ms = float(session, &statements("sum(latency_avg_ms)"));
    assert!(
        statements_ms <= average * 1.001 && statements_ms >= average * 0.5,
        "{statements_ms} ms of {average} ms"
    );

    // The intervals' histograms add up to the run's.
    assert!(near(
        float(
            session,
            &intervals("sum(transactions * latency_avg_ms) / sum(transactions)")
        ),
        average,
        1e-6
    ));
    assert!(near(
        float(
            session,
            &intervals("(pgperf.histogram_quantiles(array_agg(histogram), '{0.5}'))[1]")
        ),
        quantiles[0],
        0.01
    ));
    // Of an interval whose slowest transaction is not that of the run so far, only its bucket in the histogram is known.
    assert!(near(
        float(session, &intervals("max(latency_max_ms)")),
        quantiles[4],
        0.01
    ));
}

/// With several scripts, each transaction is one of one script, by weight.
#[test]
fn a_mix_is_counted_by_script() {
    let (_cluster, mut session) = after_run(&format!(
        "'tpcb-like@1, select-only@9', clients => {CLIENTS}, \
         transactions_per_client => {TRANSACTIONS}, random_seed => 1"
    ));
    let session = &mut session;
    assert_eq!(number(session, &summary("transactions")), TOTAL);
    let by_script = rows(
        session,
        &(statements("script_no, max(calls), min(calls)")
            + " GROUP BY script_no ORDER BY script_no"),
    );
    let counts: Vec<Vec<i64>> = by_script
        .iter()
        .map(|line| line.split('|').map(whole).collect())
        .collect();
    assert_eq!(counts.len(), 2, "{by_script:?}");
    for script in &counts {
        assert_eq!(script[1], script[2], "each command as often as its script");
    }
    let (tpcb, selects) = (counts[0][1], counts[1][1]);
    assert_eq!(tpcb + selects, TOTAL);
    // A tenth, within six standard deviations.
    assert!((tpcb - TOTAL / 10).abs() < 161, "{tpcb} of {TOTAL}");
    assert_eq!(
        number(session, "SELECT count(*) FROM pgbench_history"),
        tpcb
    );
}
