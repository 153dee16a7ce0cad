//! The pages of runs in a browser: at the width of a desk and of a phone, light and dark, with scripts and without,
//! each shows the run's own data, fits, loads nothing from elsewhere, and keeps text as text. The pictures stay in
//! `target/tmp/pages` for people to look at.

use std::fs;
use std::path::Path;

use crate::common::browser::{Browser, View};
use crate::common::pages::{
    DESK, LABEL, chart_table, cluster, expect_shown, figure, finish_full_run, it_fits_on_paper,
    looked_at, nothing_is_scrolled_aside, pictures, too_wide, views, write_page,
};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::schemas::schema_errors;
use crate::common::wait_until;
use postgres::Client;
use serde_json::Value;

#[test]
fn what_does_not_fit_is_seen() {
    let wide = |style: &str| {
        format!(
            "<!DOCTYPE html><meta name=viewport content='width=device-width, initial-scale=1'>\
             <body style='margin: 0'><div style='{style}'><p style='width: 2000px'>wide</p></div>"
        )
    };
    let cases = [
        ("fits", "display: none", None),
        ("overflows", "", Some("2000 pixels")),
        ("is-cut-off", "overflow: hidden", Some("<p style")),
    ];
    let mut browser = Browser::start();
    for (name, style, expected) in cases {
        let page = pictures().join(name).with_extension("html");
        fs::write(&page, wide(style)).expect("a file for the page");
        for view in views() {
            browser.open(&page, view);
            let seen = too_wide(&mut browser, view);
            let is_as_expected = match (&seen, expected) {
                (Some(seen), Some(expected)) => seen.starts_with(expected),
                (seen, expected) => seen.is_none() && expected.is_none(),
            };
            assert!(is_as_expected, "{name}, {view:?}: {seen:?}");
        }
    }
}

#[test]
fn a_run_s_page_is_right_in_every_view() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = finish_full_run(&mut session);
    let page = write_page(
        &mut session,
        "report",
        &format!("pgperf.report_html({run})"),
    );
    let mut browser = looked_at(&page, "report");
    assert_eq!(
        browser.evaluate("document.querySelector('h1').firstChild.textContent"),
        LABEL
    );
    let title = browser.evaluate("document.title");
    assert!(
        title.as_str().is_some_and(|title| title.starts_with(LABEL)),
        "{title}"
    );
    let statement = browser.evaluate(
        "[...document.querySelectorAll('#statements td code')].map(e => e.textContent).find(t => t.includes('img'))",
    );
    assert_eq!(
        statement,
        "SELECT '</script><img src=\"https://example.invalid/x.png\">', '\u{1f418} & \"quotes\"';"
    );
    its_charts_hold_the_data(&mut session, &mut browser, run);
    checkpoints_and_autovacuums_are_marked(&mut session, &mut browser, run);
    every_part_is_there(&mut browser);
    every_chart_over_time_has_the_checkpoints(&mut browser);
    each_relation_has_its_own_scale(&mut session, &mut browser, run);
    bars_are_as_long_as_their_shares(&mut browser);
    nothing_is_scrolled_aside(&mut browser, &page);
    values_show_under_the_pointer(&mut browser, &page);
    // As long as the mount options of a container.
    let long = "document.querySelector('#environment td:last-child').innerText = 'x'.repeat(300)";
    it_fits_on_paper(&mut browser, &page, long);
}

fn its_charts_hold_the_data(session: &mut Client, browser: &mut Browser, run: i64) {
    let stored = session.value(&format!(
        "SELECT json_agg(json_build_array(tps, latency_p99_ms) ORDER BY interval_no) FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    let stored: Vec<(f64, Option<f64>)> =
        serde_json::from_str(&stored).expect("rates and latencies");
    let rates = chart_table(browser, "Transactions per second");
    let latencies = chart_table(browser, "Latency percentiles");
    assert_eq!((rates.len(), latencies.len()), (stored.len(), stored.len()));
    for ((rate, latency), (tps, p99_ms)) in rates.iter().zip(&latencies).zip(&stored) {
        expect_shown(&rate[1], *tps);
        // A busy machine may leave an interval without a transaction.
        match p99_ms {
            Some(p99_ms) => expect_shown(&latency[3], *p99_ms),
            None => assert_eq!(*tps, 0.0, "{latency:?}"),
        }
    }
    // A line through as many points, as many places for the pointer.
    let drawn = browser.evaluate(
        "(f => [f.querySelector('path.line').getAttribute('d').match(/[ML]/g).length, f.querySelectorAll('.p').length])\
         (document.querySelector('#throughput figure'))",
    );
    let [places, pointed] = [0, 1].map(|at| drawn[at].as_u64().unwrap_or(0) as usize);
    // On a busy machine an interval may take so long that it stands alone, from its beginning to its end.
    assert!(
        (stored.len()..=2 * stored.len()).contains(&places),
        "{places} places"
    );
    assert_eq!(pointed, stored.len());
    let counted: f64 = chart_table(browser, "Latency distribution")
        .iter()
        .map(|row| figure(&row[1]))
        .sum();
    let transactions = session.total(run, "transactions");
    assert!(
        counted <= transactions as f64 && counted > 0.9 * transactions as f64,
        "{counted} of {transactions}"
    );
    assert!(
        browser
            .evaluate("document.querySelectorAll('#latency path[class^=h]').length")
            .as_f64()
            > Some(1.0)
    );
}

fn checkpoints_and_autovacuums_are_marked(session: &mut Client, browser: &mut Browser, run: i64) {
    let stored = session.value(&format!(
        "SELECT json_agg(in_checkpoint ORDER BY interval_no) FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    let in_checkpoint: Vec<bool> = serde_json::from_str(&stored).expect("what is known");
    assert!(
        in_checkpoint.contains(&true) && in_checkpoint.contains(&false),
        "{stored}"
    );
    let ended = session.number(&format!(
        "SELECT count(DISTINCT (h.relation_oid, a.ended_at, a.action)) FROM pgperf.relation_history h, \
            LATERAL (VALUES ('vacuum', h.last_autovacuum), ('analyze', h.last_autoanalyze)) a (action, ended_at), \
            (SELECT min(started_at) AS first, max(started_at + interval '1 s' * seconds) AS last \
               FROM pgperf.run_intervals WHERE run_id = {run}) r \
         WHERE h.run_id = {run} AND h.schema_name = 'public' AND a.ended_at BETWEEN r.first AND r.last"
    ));
    assert!(ended > 0);
    for (title, section) in [
        ("Transactions per second", "throughput"),
        ("Latency percentiles", "latency"),
    ] {
        let shown: Vec<bool> = chart_table(browser, title)
            .iter()
            .map(|row| row.iter().any(|cell| cell == "yes"))
            .collect();
        assert_eq!(shown, in_checkpoint, "{title}");
        let mut texts = |selector: &str| {
            let found = browser.evaluate(&format!(
                "[...[...document.querySelectorAll('#{section} figure')].find(f => f.querySelector('h3').textContent === '{title}')\
                 .querySelectorAll('{selector}')].map(e => e.textContent)"
            ));
            serde_json::from_value::<Vec<String>>(found).expect("texts")
        };
        let legend = texts(".legend li");
        for entry in ["checkpoint", "autovacuum"] {
            assert!(legend.iter().any(|text| text == entry), "{legend:?}");
        }
        let spans = in_checkpoint.chunk_by(|a, b| a == b);
        let spans = spans.filter(|part| part.contains(&true)).count();
        assert_eq!(texts("rect.span").len(), spans, "{title}");
        let marks = texts(".mark title");
        assert_eq!(marks.len() as i64, ended, "{marks:?}");
        assert!(
            marks
                .iter()
                .any(|mark| mark.starts_with("autovacuum of pgbench_history at ")),
            "{marks:?}"
        );
    }
}

fn every_part_is_there(browser: &mut Browser) {
    let missing = absent(browser);
    // The devices of a container may be out of sight.
    assert!(
        missing.is_empty() || missing == ["Devices"],
        "without data: {missing:?}"
    );
    let managers = browser
        .evaluate("[...document.querySelectorAll('#wal td:first-child')].map(c => c.textContent)");
    assert!(
        managers
            .as_array()
            .is_some_and(|all| all.iter().any(|name| name == "Heap")),
        "{managers}"
    );
}

/// The parts that the page names as without data.
fn absent(browser: &mut Browser) -> Vec<String> {
    let names = browser
        .evaluate("[...document.querySelectorAll('#absent strong')].map(e => e.textContent)");
    serde_json::from_value(names).expect("names")
}

fn every_chart_over_time_has_the_checkpoints(browser: &mut Browser) {
    // The observer's samples are moments, the heat map has its own table: all charts that a time axis is below.
    let without = browser.evaluate(
        "[...document.querySelectorAll('figure')].filter(f => [...f.querySelectorAll('.axis text')].some(t => / s$/.test(t.textContent)))\
         .filter(f => !f.querySelector('rect.span')).map(f => f.querySelector('h3').textContent)",
    );
    assert_eq!(without, serde_json::json!([]));
    let with = browser.evaluate("document.querySelectorAll('figure:has(rect.span)').length");
    assert!(with.as_f64() > Some(12.0), "{with} charts");
}

fn each_relation_has_its_own_scale(session: &mut Client, browser: &mut Browser, run: i64) {
    let stored = session.number(&format!(
        "SELECT LEAST(count(*), 6) FROM (SELECT FROM pgperf.bloat_history WHERE run_id = {run} AND schema_name = 'public' \
         GROUP BY relation_name HAVING count(*) > 1) r"
    ));
    // The highest point of each line lies in the upper two thirds of its chart, be the relation large or small.
    let tops = browser.evaluate(
        "[...document.querySelectorAll('#tables .small-charts figure')].filter(f => f.querySelector('h3').textContent.startsWith('Size')).map(f => \
         Math.min(...f.querySelector('path.dots').getAttribute('d').match(/[ML][^ML]*/g).map(p => Number(p.match(/\\s([0-9.]+)h/)[1]))))",
    );
    let tops: Vec<f64> = serde_json::from_value(tops).expect("heights");
    assert_eq!(tops.len() as i64, stored);
    assert!(stored > 3 && tops.iter().all(|top| *top < 75.0), "{tops:?}");
}

/// The parts of a bar together, and the share in a cell beside it: with its unit, or the one after the bar.
fn bars_are_as_long_as_their_shares(browser: &mut Browser) {
    let bars = browser.evaluate(
        "[...document.querySelectorAll('td.bar')].map(bar => { \
           const length = [...bar.querySelectorAll('rect')].reduce((sum, part) => sum + parseFloat(part.getAttribute('width')), 0); \
           const beside = [bar.previousElementSibling, bar.nextElementSibling].map(e => e ? e.textContent : ''); \
           const share = beside.find(text => /^[0-9.]+ %$/.test(text)) ?? beside[1]; \
           return [length, parseFloat(share)]; }).filter(bar => !isNaN(bar[1]))",
    );
    let bars: Vec<Vec<f64>> = serde_json::from_value(bars).expect("lengths and shares");
    assert!(bars.len() > 30, "{bars:?}");
    for bar in &bars {
        assert!((bar[0] - bar[1]).abs() < 0.2, "{bar:?} of {bars:?}");
    }
}

fn values_show_under_the_pointer(browser: &mut Browser, page: &Path) {
    let view = View {
        width: DESK,
        height: 900,
        dark: false,
        scripts: false,
    };
    browser.open(page, view);
    browser.evaluate("document.querySelector('#throughput figure').scrollIntoView()");
    let place = "(r => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelectorAll('#throughput .p > rect')[3].getBoundingClientRect())";
    let shown = "[...document.querySelectorAll('#throughput .p > svg')].filter(e => getComputedStyle(e).display !== 'none').map(e => e.textContent)";
    assert_eq!(browser.evaluate(shown), serde_json::json!([]));
    // The browser takes the pointer to what it has drawn so far, which may be the page before it was scrolled: a hand that
    // looks for a place moves again, too.
    let mut text = Value::Null;
    wait_until("what shows under the pointer", PATIENCE, || {
        let place = browser.evaluate(place);
        browser.point_at(place[0].as_f64().expect("x"), place[1].as_f64().expect("y"));
        text = browser.evaluate(shown);
        !text[0].is_null()
    });
    assert!(
        text[0].as_str().is_some_and(|text| text.contains("tps")) && text[1].is_null(),
        "{text}"
    );
}

/// Columns that only some runs have: failures of commands, and what two scripts took in a baseline.
#[test]
fn failures_and_a_baseline_have_columns() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let heads = |session: &mut Client, run: i64, section: &str| -> String {
        let page = session.page(&format!("pgperf.report_html({run})"));
        let (_, rest) = page
            .split_once(&format!("<section id=\"{section}\""))
            .expect("the section");
        let (section, _) = rest.split_once("</section>").expect("its end");
        let heads = section.split("<th ").skip(1);
        let heads = heads.filter_map(|head| head.split_once('>')?.1.split('<').next());
        heads.collect::<Vec<_>>().join(", ")
    };
    let failing = session.finish_run(
        "script => E'SELECT 1;\nSELECT 1 / 0;', transactions_per_client => 3, continue_on_error => true, collectors => '{}'",
    );
    assert!(heads(&mut session, failing, "statements").contains(", failed"));
    let pair = "'select-only@1, simple-update@1', transactions_per_client => 30, random_seed => 1, collectors => '{}'";
    let base = session.finish_run(pair);
    let alone = heads(&mut session, base, "scripts");
    assert!(!alone.contains("baseline ms"), "{alone}");
    session.value(&format!(
        "SELECT pgperf.set_baseline('before', ARRAY[{base}::bigint])"
    ));
    let later = session.finish_run(pair);
    let document = session.value(&format!(
        "SELECT b ->> 'name' || ' ' || jsonb_array_length(b -> 'scripts') FROM (SELECT pgperf.report_json({later}) -> 'baseline' AS b) d"
    ));
    assert_eq!(document, "before 2");
    let beside = heads(&mut session, later, "scripts");
    assert!(beside.contains("baseline ms"), "{beside}");
}

#[test]
fn parts_without_data_are_one_line() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run =
        session.finish_run("'select-only', clients => 1, duration => '1 s', collectors => '{}'");
    let page = write_page(&mut session, "bare", &format!("pgperf.report_html({run})"));
    let mut browser = looked_at(&page, "bare");
    let missing = absent(&mut browser);
    assert!(
        missing[0].starts_with("Waits, Tables, Shared buffers, WAL, "),
        "{missing:?}"
    );
    let empty = browser.evaluate(
        "[...document.querySelectorAll('section')].filter(s => !s.querySelector('figure, table')).map(s => s.id)",
    );
    assert_eq!(empty, serde_json::json!([]));
    let entries = browser.evaluate(
        "[...document.querySelectorAll('nav a')].filter(a => !document.querySelector(a.getAttribute('href'))).length",
    );
    assert_eq!(entries, 0);
}

#[test]
fn the_document_is_as_its_schema_says() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let runs = [
        finish_full_run(&mut session),
        session.finish_run("'select-only', transactions_per_client => 3, collectors => '{}'"),
        1, // the load of the data
    ];
    for run in runs {
        let document = session.value(&format!("SELECT pgperf.report_json({run})"));
        let document: Value = serde_json::from_str(&document).expect("JSON");
        let errors = schema_errors("docs/report.schema.json", &document);
        assert!(errors.is_empty(), "run {run}:\n{}", errors.join("\n"));
        assert_eq!(document["run"]["run_id"], run);
    }
    let label = session.value(&format!(
        "SELECT pgperf.report_json({}) #>> '{{run,label}}'",
        runs[0]
    ));
    assert_eq!(label, LABEL);
    // Markdown keeps the label text as well.
    let comment = session.value(&format!("SELECT pgperf.report_markdown({})", runs[0]));
    assert!(
        comment.contains("&lt;/script&gt;") && !comment.contains("<script>"),
        "{comment}"
    );
}
