//! All nodes in one window: their order, their figures, and their page in a browser.

use crate::common::Cluster;
use crate::common::history::Copies;
use crate::common::pages::{LABEL, looked_at, write_page};
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// The text of a fleet, without line breaks.
fn text(session: &mut Client, arguments: &str) -> String {
    let call = format!("SELECT string_agg(l, E'\\n') FROM pgperf.fleet_report({arguments}) l");
    session.value(&call)
}

/// The names of the nodes in the order of the page.
fn order(text: &str, names: &[&str]) -> Vec<String> {
    let mut places: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| Some((text.find(name)?, *name)))
        .collect();
    places.sort_unstable();
    places
        .into_iter()
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[test]
fn all_nodes_are_shown_in_one_window() {
    let cluster = Cluster::with_data(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.set_node_name('quiet')");
    let from = session.value("SELECT clock_timestamp()");
    for _ in 0..4 {
        session.value("SELECT count(*) FROM pgperf.snapshot()");
        session.finish_run("'tpcb-like', clients => 2, transactions_per_client => 200, collectors => '{wal,database,waits}'");
    }
    session.value("SELECT pgperf.snapshot_bloat()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let hostile: String = LABEL.chars().take(40).collect();
    session.copy_node("another", "0 seconds");
    session.copy_node(&hostile, "0 seconds");
    session.copy_node("silent", "-2 hours");
    session.copy_node("former", "-3 days");
    let to = session.value("SELECT clock_timestamp()");
    let window = format!("'{from}', '{to}'");
    session.value(
        "SELECT pgperf.set_node_group('lab'), pgperf.set_node_group('lab', node => 'another')",
    );

    // The silent one first; then by findings, as the calls for each node give them.
    let shown = text(&mut session, &window);
    let names = ["silent", "another", "quiet"];
    let found = order(&shown, &names);
    assert_eq!(found.first().map(String::as_str), Some("silent"), "{shown}");
    let judged: Vec<String> = (found[1..].iter())
        .map(|name| {
            session.value(&format!(
                "SELECT to_char(count(*) FILTER (WHERE severity = 'critical'), '000') || to_char(count(*) FILTER (WHERE severity = 'warning'), '000') \
                        || to_char(count(*), '000') FROM pgperf.findings({window}, '{name}') WHERE part_of IS NULL"
            ))
        })
        .collect();
    assert!(
        judged.len() == 2 && judged.is_sorted_by(|a, b| a >= b),
        "{judged:?}\n{shown}"
    );
    assert!(
        shown.contains("Without samples since long before the window: former ("),
        "{shown}"
    );
    assert!(shown.contains("no samples"), "{shown}");
    assert!(
        shown.contains("node => 'another');") && shown.contains("pgperf.history_html("),
        "{shown}"
    );
    let lines = shown.lines().filter(|line| !line.contains("node => "));
    assert!(
        lines.clone().all(|line| line.chars().count() <= 80),
        "{shown}"
    );

    // The findings and the metrics of all nodes are those of each.
    let of_all = session.value(&format!(
        "SELECT string_agg(DISTINCT node_name, ', ' ORDER BY node_name) FILTER (WHERE node_name <> '{}') FROM pgperf.findings({window}, '*')",
        hostile.replace('\'', "''")
    ));
    assert_eq!(of_all, "another, quiet");
    let differences = session.value(&format!(
        "SELECT count(*) FROM (SELECT rule, object_name FROM pgperf.findings({window}, '*') WHERE node_name = 'another' \
            EXCEPT SELECT rule, object_name FROM pgperf.findings({window}, 'another')) d"
    ));
    assert_eq!(differences, "0");
    let metrics = session.value("SELECT pgperf.metrics(all_nodes => true)");
    for node in ["quiet", "another", "silent"] {
        let of_node = format!("pgperf_wal_bytes_total{{node=\"{node}\"}} ");
        assert_eq!(metrics.matches(&of_node).count(), 1, "{node}: {metrics}");
    }
    assert_eq!(metrics.matches("# TYPE pgperf_wal_bytes ").count(), 1);
    assert!(!metrics.contains("node=\"former\""));
    let own = session.value("SELECT pgperf.metrics()");
    let own_wal = own
        .lines()
        .find(|line| line.starts_with("pgperf_wal_bytes_total "));
    let own_wal = own_wal
        .expect("WAL")
        .replace("_total ", "_total{node=\"quiet\"} ");
    assert!(metrics.contains(&own_wal), "{own_wal}\n{metrics}");

    // A group; one that nobody is in is an error.
    let of_group = text(&mut session, &format!("{window}, 'lab'"));
    assert_eq!(order(&of_group, &names).len(), 2, "{of_group}");
    assert!(of_group.starts_with("Fleet, group lab\n"), "{of_group}");
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.fleet_report(group_name => 'nobody')",
    );
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        ("22023", "no node of group \"nobody\" has samples")
    );
    assert!(hint.contains("set_node_group"), "{hint}");

    let page = write_page(
        &mut session,
        "fleet",
        &format!("pgperf.fleet_html({window})"),
    );
    let mut browser = looked_at(&page, "fleet");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('#nodes tbody tr').length"),
        4
    );
    let parts = browser
        .evaluate("[...document.querySelectorAll('main section h2')].map(e => e.textContent)");
    let parts: Vec<&str> = parts
        .as_array()
        .expect("titles")
        .iter()
        .filter_map(|it| it.as_str())
        .collect();
    assert_eq!((parts.len(), parts[0], parts[1]), (5, "Nodes", "silent"));
    assert!(parts.contains(&hostile.as_str()), "{parts:?}");
    let charts = browser.evaluate(
        "[...document.querySelectorAll('main section ul.cards')].map(e => e.querySelectorAll('svg').length)",
    );
    let charts: Vec<i64> = charts
        .as_array()
        .expect("numbers")
        .iter()
        .filter_map(|it| it.as_i64())
        .collect();
    assert!(
        charts.len() == 3 && charts.iter().all(|charts| *charts >= 3),
        "{charts:?}"
    );
}
