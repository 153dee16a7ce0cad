//! The pages of comparisons and sweeps in a browser.
#![allow(clippy::expect_used)] // clippy sees a test only in a #[test] function

mod common;

use common::browser::Browser;
use common::pages::{
    chart_table, cluster, figure, finish_full_run, is_near, looked_at, nothing_is_scrolled_aside,
    write_page,
};
use common::runs::Runs;
use postgres::Client;

#[test]
fn a_comparison_s_page_is_right_in_every_view() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let base = finish_full_run(&mut session);
    let other = session.finish_run(
        "'tpcb-like', clients => 1, duration => '3 s', sample_interval => '0.2 s', settings => '{\"synchronous_commit\": \"off\"}', \
         label => '</table><script>'",
    );
    let page = write_page(
        &mut session,
        "compare",
        &format!("pgperf.compare_html({base}, {other})"),
    );
    let mut browser = looked_at(&page, "compare");
    assert_eq!(
        browser.evaluate("document.querySelector('h1').textContent"),
        "</table><script>"
    );
    let order = browser.evaluate("[...document.querySelectorAll('section')].map(s => s.id)");
    let order: Vec<String> = serde_json::from_value(order).expect("sections");
    assert_eq!(order[..3], ["time", "changes", "runs"], "{order:?}");
    both_sides_are_drawn(&mut session, &mut browser, [base, other]);
    nothing_is_scrolled_aside(&mut browser, &page);
    // A statement stands above its metrics: once among those that differ, once among the others.
    let statement = browser.evaluate(
        "[...document.querySelectorAll('#statements tr.object')].filter(e => e.textContent.includes('UPDATE')).length",
    );
    assert!(
        (1.0..=2.0).contains(&statement.as_f64().expect("a number")),
        "{statement}"
    );
    let shown =
        browser.evaluate("document.querySelectorAll('table.changes tbody tr:not(.object)').length");
    let stored = session.number(&format!("SELECT count(*) FROM pgperf.compare({base}, {other}) WHERE baseline_text IS NULL AND candidate_text IS NULL"));
    assert_eq!(shown, stored);
    let differs = browser.evaluate("document.querySelector('#differs').textContent");
    assert!(
        differs
            .as_str()
            .is_some_and(|text| text.contains("synchronous_commit")),
        "{differs}"
    );
}

/// The charts that the page begins with hold the rates and latencies of both runs.
fn both_sides_are_drawn(session: &mut Client, browser: &mut Browser, runs: [i64; 2]) {
    let rates = chart_table(browser, "Transactions per second");
    let latencies = chart_table(browser, "Latency, p99");
    for (column, run) in (1..).zip(runs) {
        let stored = session.value(&format!(
            "SELECT json_agg(json_build_array(tps, latency_p99_ms) ORDER BY interval_no) FROM pgperf.run_intervals \
             WHERE run_id = {run} AND seconds > 0.1"
        ));
        let stored: Vec<(f64, f64)> = serde_json::from_str(&stored).expect("rates and latencies");
        assert!(stored.len() > 10 && rates.len() >= stored.len());
        for ((rate, latency), (tps, p99_ms)) in rates.iter().zip(&latencies).zip(&stored) {
            assert!(is_near(figure(&rate[column]), *tps), "{rate:?} for {tps}");
            assert!(
                is_near(figure(&latency[column]), *p99_ms),
                "{latency:?} for {p99_ms} ms"
            );
        }
    }
    let changes = browser.evaluate(
        "[...document.querySelectorAll('#changes tbody tr')].map(r => [r.cells[0].textContent, r.querySelectorAll('.whisker').length])",
    );
    assert_eq!(changes[0], serde_json::json!(["tps", 1]), "{changes}");
}

#[test]
fn the_page_of_repeated_runs_has_their_means_and_ranges() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let mut side = |clients: u32, label: &str| -> Vec<i64> {
        let call = format!(
            "'select-only', clients => {clients}, duration => '2 s', sample_interval => '0.2 s', collectors => '{{}}', label => '{label}'"
        );
        (0..2).map(|_| session.finish_run(&call)).collect()
    };
    let (baseline, candidate) = (side(1, "one"), side(2, "two"));
    let page = write_page(
        &mut session,
        "compare-repeated",
        &format!("pgperf.compare_html(ARRAY{baseline:?}, ARRAY{candidate:?})"),
    );
    let mut browser = looked_at(&page, "compare-repeated");
    nothing_is_scrolled_aside(&mut browser, &page);
    // Columns: time, lowest and highest run of both sides, the means of both.
    let rates = chart_table(&mut browser, "Transactions per second");
    for (runs, columns) in [(&baseline, [1, 2, 5]), (&candidate, [3, 4, 6])] {
        let stored = session.value(&format!(
            "SELECT json_agg(json_build_array(low, high, mean) ORDER BY interval_no) FROM (SELECT interval_no, min(tps) AS low, \
             max(tps) AS high, avg(tps) AS mean FROM pgperf.run_intervals WHERE run_id = ANY (ARRAY{runs:?}) \
             GROUP BY 1 HAVING count(*) = 2 AND min(seconds) > 0.1) i"
        ));
        let stored: Vec<[f64; 3]> = serde_json::from_str(&stored).expect("rates");
        assert!(stored.len() >= 9, "{stored:?}");
        for (row, tps) in rates.iter().zip(&stored) {
            for (column, tps) in columns.into_iter().zip(tps) {
                assert!(is_near(figure(&row[column]), *tps), "{row:?} for {tps}");
            }
        }
    }
    let bands = browser.evaluate("document.querySelectorAll('#time path.range').length");
    assert_eq!(bands, 2);
}

#[test]
fn a_sweep_s_page_is_right_in_every_view() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.number(
        "SELECT pgperf.start_sweep('select-only', clients => '{1,2,4}', repetitions => 2, transactions_per_client => 200, \
         settings_grid => '{\"work_mem\": [\"4MB\", \"64MB\"]}', label => '<i>sweep</i>', collectors => '{}')",
    );
    assert_eq!(session.value("CALL pgperf.wait_sweep()"), "finished");
    let page = write_page(&mut session, "sweep", "pgperf.sweep_html()");
    let mut browser = looked_at(&page, "sweep");
    assert_eq!(
        browser.evaluate("document.querySelector('h1').firstChild.textContent"),
        "<i>sweep</i>"
    );
    let shown = chart_table(&mut browser, "Throughput");
    let stored = session
        .value("SELECT json_agg(tps ORDER BY combination, clients) FROM pgperf.sweep_points");
    let stored: Vec<f64> = serde_json::from_str(&stored).expect("rates");
    assert_eq!((shown.len(), stored.len()), (6, 6));
    for (row, tps) in shown.iter().zip(&stored) {
        assert!(is_near(figure(&row[2]), *tps), "{row:?} for {tps}");
    }
    let latencies = chart_table(&mut browser, "Latency, p95");
    assert_eq!(latencies.len(), 6);
    for row in latencies {
        assert_eq!(row[4], "2", "{row:?}");
    }
}
