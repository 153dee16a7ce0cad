//! The page of a run with several scripts: what each took, beside a baseline.

use crate::common::Cluster;
use crate::common::pages::{
    expect_shown, it_fits_on_paper, looked_at, nothing_is_scrolled_aside, write_page,
};
use crate::common::runs::Runs;
use postgres::Client;

#[test]
fn queries_are_bars_beside_those_of_the_baseline() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tpch-like', scale => 0.01)");
    let mut run = |arguments: &str| {
        let run = session.number(&format!("SELECT pgperf.start_run('tpch-like'{arguments})"));
        session.value(&format!("CALL pgperf.wait_run({run}, timeout => '5 min')"));
        assert_eq!(session.status(run), "finished", "{arguments}");
        run
    };
    // A throughput run is none like it.
    let [first, other, run] = ["", ", clients => 2", ""].map(&mut run);
    for (name, run) in [("before", first), ("throughput", other)] {
        session.value(&format!("SELECT pgperf.set_baseline('{name}', {run})"));
    }
    let stored = session.value(&format!(
        "SELECT json_agg(json_build_array(b.script, r.latency_avg_ms, b.latency_avg_ms) ORDER BY b.script) \
           FROM pgperf.run_scripts b JOIN pgperf.run_scripts r USING (script) WHERE b.run_id = {first} AND r.run_id = {run}"
    ));
    let stored: Vec<(String, f64, f64)> = serde_json::from_str(&stored).expect("latencies");
    assert_eq!(stored.len(), 22);
    let page = write_page(
        &mut session,
        "queries",
        &format!("pgperf.report_html({run})"),
    );
    let mut browser = looked_at(&page, "queries");
    let shown = browser.evaluate(
        "[...[...document.querySelectorAll('h3')].find(h => h.textContent === 'Mean latencies').nextElementSibling\
         .querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))",
    );
    let shown: Vec<Vec<String>> = serde_json::from_value(shown).expect("rows of cells");
    assert_eq!(shown.len(), 22);
    for (row, (script, now, before)) in shown.iter().zip(&stored) {
        assert_eq!(&row[0], script);
        expect_shown(&row[1], *now);
        expect_shown(&row[3], *before);
        let change = 100.0 * (now / before - 1.0);
        let text = row[4].trim_end_matches(" %");
        let is_shown = text
            .parse()
            .is_ok_and(|shown: f64| (shown - change).abs() < 0.6);
        assert!(is_shown || change > 900.0, "{script}: {text}, {change}");
    }
    let longest = browser.evaluate(
        "Math.max(...[...document.querySelectorAll('#scripts td.bar rect')].map(r => parseFloat(r.getAttribute('width'))))",
    );
    assert_eq!(longest, 100);
    nothing_is_scrolled_aside(&mut browser, &page);
    it_fits_on_paper(&mut browser, &page, "");

    // Who may not see the baseline's runs sees the run without it, and the baseline's own run has none.
    let name = |session: &mut Client, run: i64| {
        session.value(&format!(
            "SELECT coalesce(pgperf.report_json({run}) #>> '{{baseline,name}}', 'none')"
        ))
    };
    assert_eq!(name(&mut session, run), "before");
    assert_eq!(name(&mut session, first), "none");
    session
        .batch_execute(&format!(
            "CREATE ROLE other; GRANT USAGE ON SCHEMA pgperf TO other; \
             UPDATE pgperf_internal.stored_runs SET role = 'other' WHERE run_id = {run}; SET ROLE other"
        ))
        .expect("a role");
    assert_eq!(name(&mut session, run), "none");
}
