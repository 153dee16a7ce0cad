//! What the other parts of pgperf know of a run's data: comparisons, reports, resuming, sweeps.

use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

/// In one line.
fn compared(session: &mut Client, a: i64, b: i64) -> String {
    let text = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.compare_report({a}, {b}) AS r (line)"
    ));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a comparison has a circumstance with these values: in a table or, where others are long, as a sentence.
fn differs(text: &str, name: &str, baseline: &str, candidate: &str) -> bool {
    text.contains(&format!("{name} {baseline} {candidate}"))
        || text.contains(&format!(
            "{name} baseline {baseline}, candidate {candidate}"
        ))
}

fn report(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) AS r (line)"
    ))
}

/// A short run on tables that are loaded for it with these options.
fn run_on(session: &mut Client, options: &str) -> i64 {
    session.value(&format!(
        "CALL pgperf.init('oltp_point_select', options => '{options}')"
    ));
    session.finish_run("'oltp_point_select', transactions_per_client => 50, clients => 1")
}

#[test]
fn runs_on_different_data_are_told_apart() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let small = run_on(&mut session, r#"{"table_size": 500}"#);
    let large = run_on(&mut session, r#"{"table_size": 5000}"#);
    let bare = run_on(
        &mut session,
        r#"{"table_size": 500, "create_secondary": false}"#,
    );
    let same = run_on(&mut session, r#"{"table_size": 500}"#);
    // Other rows: nothing is compared.
    let text = compared(&mut session, small, large);
    assert!(
        text.contains("different numbers of rows (500, 5000)"),
        "{text}"
    );
    assert!(
        differs(&text, "sysbench.table_size", "500", "5000"),
        "{text}"
    );
    // The report ends with the loads that make such tables.
    let text = report(&mut session, bare);
    for part in [
        "CALL pgperf.init('oltp_point_select', scale => 1,",
        "\"table_size\":500",
        "\"create_secondary\":false",
        "schema => 'public');",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The same rows in other tables: the difference is told.
    let text = compared(&mut session, small, bare);
    assert!(
        differs(&text, "sysbench.create_secondary", "true", "false"),
        "{text}"
    );
    assert!(!text.contains("numbers of rows"), "{text}");
    let text = compared(&mut session, small, same);
    assert!(!text.contains("sysbench."), "{text}");
    // On a part of the same rows: told, and compared.
    let part = session.finish_run(
        "'oltp_point_select', transactions_per_client => 50, clients => 1, options => '{\"table_size\": 100}'",
    );
    let text = compared(&mut session, same, part);
    assert!(
        differs(&text, "sysbench.table_size", "500", "100"),
        "{text}"
    );
    assert!(!text.contains("numbers of rows"), "{text}");
    let text = report(&mut session, part);
    assert!(text.contains("\noptions: table_size 100\n"), "{text}");
    assert!(text.contains("options => '{\"table_size\":500}'"), "{text}");
    // The report says which options were chosen, and how to make such tables.
    let text = report(&mut session, bare);
    assert!(
        text.contains("\noptions: create_secondary false, table_size 500\n"),
        "{text}"
    );
    for part in [
        "CALL pgperf.init('oltp_point_select', scale => 1,",
        "options => '{\"create_secondary\":false, \"table_size\":500}'::jsonb",
        "schema => 'public');",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn scripts_of_two_workloads_with_the_same_names_stay_apart() {
    let cluster = Cluster::with_warehouses(&[]);
    let mut session = cluster.connect();
    let run = session
        .finish_run("'tpcc-like-sql@1, tpcc-like@1', transactions_per_client => 200, clients => 2");
    let names = format!("FROM pgperf.run_scripts WHERE run_id = {run}");
    let scripts = session.number(&format!("SELECT count(*) {names}"));
    assert_eq!(
        session.number(&format!("SELECT count(DISTINCT script) {names}")),
        scripts
    );
    // The metrics are of both.
    assert_eq!(
        session.value(&format!(
            "SELECT abs(m.value * s.duration_s / 60 - n.orders) < 0.001 AND n.orders > 0 FROM pgperf.run_metrics m \
               JOIN pgperf.run_summary s USING (run_id), \
               LATERAL (SELECT sum(transactions) AS orders {names} AND script LIKE 'tpcc-like%: new_order') n \
              WHERE m.metric = 'nopm' AND m.run_id = {run}"
        )),
        "t"
    );
    // Types side by side, with percentiles.
    let text = report(&mut session, run);
    assert!(
        text.contains("share %") && text.contains("\n  tpcc-like-sql: payment "),
        "{text}"
    );
}

#[test]
fn a_run_is_resumed_only_on_the_data_it_began_with() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let load = |options: &str| format!("CALL pgperf.init('oltp_point_select', {options})");
    session.value(&load("scale => 1"));
    session.value("SELECT pgperf.create_workload('mine', 'SELECT 1;')");
    // The run has another value of an option than its tables.
    let run = session.start_busy_run(
        "'oltp_point_select@1, mine@1', rate => 50, duration => '1 h', resume => true, options => '{\"table_size\": 500}'",
    );
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    session.wait_for_status(run, "interrupted");
    let resume = format!("SELECT pgperf.resume_run({run})");
    let refused = |session: &mut Client, reason: &str| {
        let (sqlstate, message, hint) = error_of(session, &resume);
        assert_eq!(sqlstate, "55000", "{message}");
        assert!(message.contains(reason), "{message}");
        assert!(hint.starts_with("Load the tables as they were"), "{hint}");
    };
    session.value(&load("scale => 2"));
    refused(&mut session, "loaded again at scale 2, not 1");
    session.value(&load("options => '{\"table_size\": 700}'"));
    refused(&mut session, "with another table_size");
    session.value("DROP TABLE sbtest1");
    refused(&mut session, "no longer exist");
    session.value(&load("scale => 1"));
    session.value(&resume);
    session.wait_for_status(run, "running");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn sweeps_know_the_metrics_and_the_tables_of_their_workloads() {
    let cluster = Cluster::with_warehouses(&[]);
    let mut session = cluster.connect();
    // The second load would find the tables of the first.
    let (sqlstate, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_sweep(workloads => '{bulk_insert, oltp_read_only}', scales => '{1}', clients => '{1}')",
    );
    assert_eq!(sqlstate, "22023", "{message}");
    assert!(message.contains("tables of the same names"), "{message}");
    let sweep = session.number(
        "SELECT pgperf.start_sweep(workload => 'tpcc-like', clients => '{1,2}', repetitions => 2, \
         transactions_per_client => 100)",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    assert_eq!(
        session.value(
            "SELECT string_agg(DISTINCT concat_ws(' ', n, mean > 0, cardinality(metric_values)), ', ') \
               FROM pgperf.sweep_metrics WHERE metric = 'nopm' AND unit = 'per minute'"
        ),
        "2 t 2"
    );
    let text =
        session.value("SELECT string_agg(line, E'\\n') FROM pgperf.sweep_report(NULL) AS r (line)");
    assert!(
        text.contains(" nopm") && text.contains(" per minute"),
        "{text}"
    );
    let markdown = session.value("SELECT pgperf.sweep_markdown(NULL)");
    assert!(markdown.contains("| nopm |"), "{markdown}");
    let page = session.value("SELECT pgperf.sweep_html(NULL)");
    assert!(page.contains(">nopm<"), "{page}");
}
