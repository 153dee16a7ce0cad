//! The pages of comparisons and sweeps in a browser.

use std::collections::BTreeSet;

use crate::common::browser::Browser;
use crate::common::pages::{
    SCRIPT, chart_table, cluster, expect_shown, finish_full_run, it_fits_on_paper, looked_at,
    nothing_is_scrolled_aside, write_page,
};
use crate::common::runs::Runs;
use postgres::Client;
use serde::de::DeserializeOwned;

#[test]
fn a_comparison_s_page_is_right_in_every_view() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let base = finish_full_run(&mut session);
    let other = session.finish_run(&format!(
        "script => E'{SCRIPT}', clients => 2, duration => '3 s', sample_interval => '0.2 s', settings => '{{\"synchronous_commit\": \"off\"}}', \
         label => '</table><script>'"
    ));
    let page = write_page(
        &mut session,
        "compare",
        &format!("pgperf.compare_html({base}, {other})"),
    );
    let mut browser = looked_at(&page, "compare");
    assert_eq!(
        browser.evaluate("document.querySelector('h1').textContent.split(' against ')[0]"),
        "</table><script>"
    );
    let order = browser.evaluate("[...document.querySelectorAll('section')].map(s => s.id)");
    let order: Vec<String> = serde_json::from_value(order).expect("sections");
    assert_eq!(order[..3], ["time", "changes", "differs"], "{order:?}");
    both_sides_are_drawn(&mut session, &mut browser, [base, other]);
    nothing_is_scrolled_aside(&mut browser, &page);
    it_fits_on_paper(&mut browser, &page, "");
    // A statement stands above its metrics, once in each table: those that differ, and the others.
    let statements = browser.evaluate(
        "[...document.querySelectorAll('#statements table')].map(t => [...t.querySelectorAll('tr.object')].map(r => r.textContent))",
    );
    let statements: Vec<Vec<String>> = serde_json::from_value(statements).expect("statements");
    assert!(
        statements
            .iter()
            .flatten()
            .any(|text| text.contains("UPDATE")),
        "{statements:?}"
    );
    for of_table in &statements {
        let once: BTreeSet<&String> = of_table.iter().collect();
        assert_eq!(once.len(), of_table.len(), "{of_table:?}");
    }
    let shown = browser.evaluate(
        "document.querySelectorAll('section:not(#time):not(#changes):not(#differs):not(#runs):not(#conditions):not(#long) tbody tr:not(.object)').length",
    );
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

/// What `columns` are in each step of the charts, by its number: as the page has it, a step is as long as nearly all intervals
/// of all runs, however late a busy machine was with some of them.
fn steps<T: DeserializeOwned>(
    session: &mut Client,
    all: &[i64],
    side: &[i64],
    columns: &str,
) -> Vec<(usize, T)> {
    let steps = session.value(&format!(
        "WITH step AS (SELECT max(s) AS s FROM (SELECT percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds) AS s \
             FROM pgperf.run_intervals WHERE run_id = ANY (ARRAY{all:?}) GROUP BY run_id) i), \
         placed AS (SELECT i.*, floor((EXTRACT(epoch FROM started_at - min(started_at) OVER (PARTITION BY run_id)) + seconds / 2) / s) AS n \
             FROM pgperf.run_intervals i, step WHERE run_id = ANY (ARRAY{side:?})), \
         runs AS (SELECT n, sum(transactions) / sum(seconds) AS tps, (pgperf.histogram_quantiles(array_agg(histogram), '{{0.99}}'))[1] AS p99_ms \
             FROM placed, step GROUP BY run_id, n, s HAVING sum(seconds) >= s / 4 OR n = 0) \
         SELECT json_agg(json_build_array(n, v) ORDER BY n) FROM (SELECT n, json_build_array({columns}) AS v FROM runs GROUP BY n) r"
    ));
    serde_json::from_str(&steps).expect("steps")
}

/// The charts that the page begins with hold the rates and latencies of both runs.
fn both_sides_are_drawn(session: &mut Client, browser: &mut Browser, runs: [i64; 2]) {
    let rates = chart_table(browser, "Transactions per second");
    let latencies = chart_table(browser, "Latency, p99");
    for (column, run) in (1..).zip(runs) {
        let stored: Vec<(usize, (f64, Option<f64>))> =
            steps(session, &runs, &[run], "min(tps), min(p99_ms)");
        assert!(stored.iter().any(|(_, (_, p99_ms))| p99_ms.is_some()));
        for (step, (tps, p99_ms)) in stored {
            let (rate, latency) = (&rates[step][column], &latencies[step][column]);
            expect_shown(rate, tps);
            // A busy machine may leave a step without a transaction.
            match p99_ms {
                Some(p99_ms) => expect_shown(latency, p99_ms),
                None => assert_eq!(tps, 0.0, "{latency}"),
            }
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
    // What bands mean is said where there are some, wherever lines end.
    let first = (&baseline[..1], &candidate[..1]);
    for ((ours, theirs), has_bands) in [((&baseline[..], &candidate[..]), "t"), (first, "f")] {
        let told = session.value(&format!(
            "SELECT replace(pgperf.compare_html(ARRAY{ours:?}, ARRAY{theirs:?}), E'\\n', ' ') LIKE '%bands: from its lowest to its highest run%'"
        ));
        assert_eq!(told, has_bands, "{ours:?}");
    }
    // Columns: time, lowest and highest run of both sides, the means of both.
    let rates = chart_table(&mut browser, "Transactions per second");
    let all = [baseline.as_slice(), &candidate].concat();
    for (runs, columns) in [(&baseline, [1, 2, 5]), (&candidate, [3, 4, 6])] {
        let stored: Vec<(usize, [f64; 3])> =
            steps(&mut session, &all, runs, "min(tps), max(tps), avg(tps)");
        assert!(!stored.is_empty());
        for (step, rate) in stored {
            for (column, tps) in columns.into_iter().zip(rate) {
                expect_shown(&rates[step][column], tps);
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
        expect_shown(&row[2], *tps);
    }
    let latencies = chart_table(&mut browser, "Latency, p95");
    assert_eq!(latencies.len(), 6);
    for row in latencies {
        assert_eq!(row[4], "2", "{row:?}");
    }

    // Beside another one.
    session.number(
        "SELECT pgperf.start_sweep('select-only', clients => '{1,2,4}', repetitions => 2, transactions_per_client => 200, \
         settings_grid => '{\"work_mem\": [\"4MB\", \"64MB\"]}', label => 'another <b>', collectors => '{}')",
    );
    assert_eq!(session.value("CALL pgperf.wait_sweep()"), "finished");
    let page = write_page(&mut session, "sweeps", "pgperf.sweep_html(ARRAY[1, 2])");
    let mut browser = looked_at(&page, "sweeps");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('[id^=panel-]').length"),
        2
    );
    let shown = chart_table(&mut browser, "Throughput");
    assert_eq!(shown.len(), 12, "in each panel two curves of three points");
    assert_eq!(shown[3][0], "another <b>", "{shown:?}");
}

#[test]
fn a_sweep_over_settings_has_a_bar_for_each_value() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let mut sweep = |grid: &str, name: &str| {
        session.number(&format!(
            "SELECT pgperf.start_sweep('select-only', clients => '{{2}}', repetitions => 3, transactions_per_client => 200, \
             settings_grid => '{grid}', collectors => '{{buffers}}')"
        ));
        assert_eq!(session.value("CALL pgperf.wait_sweep()"), "finished");
        let page = write_page(&mut session, name, "pgperf.sweep_html()");
        let mut browser = looked_at(&page, name);
        nothing_is_scrolled_aside(&mut browser, &page);
        browser
    };
    let mut browser = sweep(
        "{\"work_mem\": [\"64MB\", \"4MB\", \"512kB\", \"1GB\"]}",
        "sweep-values",
    );
    let shown = chart_table(&mut browser, "Throughput by work_mem");
    let values: Vec<&str> = shown.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(values, ["512kB", "4MB", "64MB", "1GB"]);
    // From left to right, each with its interval, and none of the points of a chart over clients.
    let drawn = browser.evaluate(
        "[...document.querySelectorAll('#values-0 figure')].map(f => { const x = [...f.querySelectorAll('.bars rect')].map(r => r.getBoundingClientRect().left); \
         return [x.length, f.querySelectorAll('.bars .whisker').length, x.every((at, i) => i === 0 || at > x[i - 1])]; })",
    );
    let each = serde_json::json!([4, 4, true]);
    assert_eq!(drawn, serde_json::json!([each, each, each]));
    assert_eq!(
        browser.evaluate("document.querySelectorAll('circle').length"),
        0
    );
    let held = browser.evaluate(
        "[...document.querySelectorAll('#buffers-0 figure')].map(f => f.querySelectorAll('.bars rect').length >= 4)",
    );
    assert_eq!(held[0], true, "{held}");

    let mut browser = sweep(
        "{\"work_mem\": [\"4MB\", \"1MB\"], \"random_page_cost\": [4, 1.1]}",
        "sweep-two-settings",
    );
    let cells = browser.evaluate(
        "[...document.querySelectorAll('#values-0 figure.heat')].map(f => f.querySelectorAll('tbody td').length)",
    );
    assert_eq!(cells, serde_json::json!([4, 4, 4]));
}
