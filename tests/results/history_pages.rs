//! The page of a window of the history in a browser, with hostile names.

use crate::common::pages::{LABEL, it_fits_on_paper, looked_at, too_wide, views, write_page};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};

#[test]
fn the_page_of_a_window_is_right_in_every_view() {
    let cluster = Cluster::with_data(&["track_io_timing = on"]);
    let mut session = cluster.connect();
    let hostile = &LABEL.chars().take(40).collect::<String>();
    let (text, name) = (hostile.replace('\'', "''"), hostile.replace('"', "\"\""));
    let name: String = name.chars().take(20).collect();
    // Names that turn the direction, break lines, and are as long as they can be.
    let turned = "\u{202e}turned\nname \u{5d0}\u{5d1} ".to_owned() + &"x".repeat(40);
    session.value(&format!(
        "CREATE TABLE \"{turned}\" (\"{turned}\" int, t text)"
    ));
    session.value(&format!(
        "CREATE INDEX \"i{turned}\" ON \"{turned}\" (\"{turned}\")"
    ));
    session.value(&format!(
        "CREATE TABLE \"{name}\" (\"{name} column\" int, t text)"
    ));
    session.value(&format!(
        "CREATE INDEX ON \"{name}\" (\"{name} column\", t)"
    ));
    session.value(&format!(
        "SELECT pg_create_physical_replication_slot('kept', true), '{text}' AS \"{name}\""
    ));
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s'");
    let from = session.value("SELECT clock_timestamp()");
    session.value("SELECT pgperf.start_sampler()");
    for n in 0..30 {
        session.value(&format!(
            "INSERT INTO \"{turned}\" SELECT g, 'x' FROM generate_series(1, 1000) g"
        ));
        session.value(&format!(
            "INSERT INTO \"{name}\" SELECT g, '{text}' FROM generate_series(1, {n}00) g"
        ));
        session.value(&format!(
            "DELETE FROM \"{name}\" WHERE t = '{text}' AND \"{name} column\" % 3 = 0"
        ));
    }
    let samples = format!(
        "SELECT count(DISTINCT collector) = 2 FROM pgperf.sample_outcomes \
         WHERE collector IN ('bloat', 'tables') AND status = 'ok' AND taken_at > '{from}'"
    );
    wait_until("samples of tables and bloat", PATIENCE, || {
        session.value(&samples) == "t"
    });
    session.value("SELECT pgperf.stop_sampler()");
    let call = format!("pgperf.history_html('{from}'::timestamptz, clock_timestamp())");
    let page = write_page(&mut session, "history", &call);
    let mut browser = looked_at(&page, "history");
    let shown = browser.evaluate(&format!(
        "[...document.querySelectorAll('td')].some(cell => cell.textContent.includes({}))",
        serde_json::to_string(&name).expect("JSON")
    ));
    assert_eq!(shown, true, "the table's name");
    let statement = browser.evaluate(
        "[...document.querySelectorAll('td code')].some(cell => cell.textContent.startsWith('INSERT INTO'))",
    );
    assert_eq!(statement, true, "its statement");
    it_fits_on_paper(&mut browser, &page, "");
    // Paper cannot be opened, and a time is not broken.
    let hidden = browser.evaluate(
        "[...document.querySelectorAll('.finding > p')].filter(e => !e.checkVisibility({contentVisibilityAuto: true})).length",
    );
    assert_eq!(hidden, 0, "what helps, on paper");
    let broken = "[...document.querySelectorAll('.when span')].filter(e => e.getClientRects().length > 1).length";
    assert_eq!(browser.evaluate(broken), 0, "times on paper");
    for view in views() {
        browser.open(&page, view);
        browser
            .evaluate("document.querySelectorAll('details.finding').forEach(d => d.open = true)");
        assert_eq!(too_wide(&mut browser, view), None, "{view:?}");
        assert_eq!(browser.evaluate(broken), 0, "times, {view:?}");
    }
    let findings = browser.evaluate("document.querySelectorAll('details.finding').length");
    assert!(findings.as_u64().is_some_and(|count| count > 0));
    // What is behind such a name stays where it is.
    let turning =
        browser.evaluate("/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)");
    assert_eq!(turning, false);

    let report = session.value(&format!(
        "SELECT string_agg(l, E'\\x01') FROM pgperf.history_report('{from}'::timestamptz, clock_timestamp()) l"
    ));
    assert!(report.contains("turned name"), "{report}");
    for line in report.split('\u{1}') {
        let is_plain = !line.contains(|c: char| c.is_control() || c == '\u{202e}');
        assert!(is_plain && line.chars().count() <= 80, "{line:?}");
    }

    let compared = format!(
        "pgperf.history_compare_html('{from}'::timestamptz, clock_timestamp(), '{from}'::timestamptz - interval '1 hour', '{from}'::timestamptz)"
    );
    let page = write_page(&mut session, "history-compared", &compared);
    let mut browser = looked_at(&page, "history-compared");
    it_fits_on_paper(&mut browser, &page, "");
}
