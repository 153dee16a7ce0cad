//! Workloads that users store, from load to report: parts loaded in parallel, conditions checked, metrics of their own.

use super::{create_mine, data_sets};
use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, document};
use postgres::Client;

/// The SQL blocks of the page's section about it.
fn shown() -> Vec<String> {
    let page = document("docs/workloads.md");
    let (_, after) = page
        .split_once("## A workload of your own\n")
        .expect("the section");
    let section = after.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```sql\n").skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .map(|block| block.trim_end().to_owned())
        .collect()
}

/// The report in one line: where it breaks its lines depends on the figures.
fn report_of(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT regexp_replace(string_agg(line, ' '), '\\s+', ' ', 'g') FROM pgperf.report({run}) AS r (line)"
    ))
}

/// Takes long enough that all workers take a part.
const SLOW: &str = "SELECT pg_sleep(0.7)";

#[test]
fn the_page_builds_one_from_an_empty_file() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let blocks = shown();
    let [create, calls, ..] = blocks.as_slice() else {
        panic!("{blocks:?}");
    };
    assert_eq!(create.lines().count(), 10, "{create}");
    session.value(create);
    let calls: Vec<&str> = calls.split(";\n").collect();
    assert!(calls.len() >= 3, "{calls:?}");
    for call in &calls {
        session.value(
            &call
                .replace("1 min", "1 s")
                .replace("clients => 8", "clients => 2"),
        );
    }
    let failed =
        "SELECT count(*) FILTER (WHERE passed) || ' ' || count(*) FROM pgperf.\"check\"('shop')";
    assert_eq!(session.value(failed), "1 1");
    let run = session.number("SELECT max(run_id) FROM pgperf.runs");
    let report = report_of(&mut session, run);
    assert!(report.contains("sold_out_percent: 0.00 %"), "{report}");
}

#[test]
fn one_is_loaded_in_parallel_run_checked_and_measured() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA data");
    create_mine(&mut session, SLOW);
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('mine')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        ("42P01", "the data set of workload \"mine\" is not loaded")
    );
    assert!(
        hint.contains("CALL pgperf.init('mine', scale => 1)"),
        "{hint}"
    );

    let load = session.number(
        "CALL pgperf.init('mine', scale => 10, jobs => 3, schema => 'data', options => '{\"rows\": 30}')",
    );
    assert_eq!(session.status(load), "finished");
    assert_eq!(
        session.value("SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || count(DISTINCT part) || ' ' || count(DISTINCT pid) || ' ' || min(note) FROM data.one"),
        "300 300 3 3 it's"
    );
    assert_eq!(
        data_sets(&mut session),
        "data mine 10 {one,two} {\"note\": \"it's\", \"rows\": 30}"
    );
    // Both tables, the view and the sequence; rows of the parts alone count as loaded.
    assert_eq!(
        session.number("SELECT cardinality(relations) FROM pgperf.data_sets"),
        4
    );
    let report = report_of(&mut session, load);
    assert!(report.contains("rows loaded: 300"), "{report}");
    for step in ["drop tables", "set up", "load", "vacuum"] {
        assert!(report.contains(&format!("{step} ")), "{step}: {report}");
    }
    assert!(
        report.contains("CALL pgperf.init('mine', scale => 10, jobs => 3, schema => 'data', options => '{\"rows\":30}'::jsonb);"),
        "{report}"
    );
    assert_eq!(
        session.number("SELECT reltuples FROM pg_class WHERE oid = 'data.one'::regclass"),
        300
    );

    // The run takes the option from the load; its ids are within the rows.
    session.value("SET search_path = data, public");
    let run = session.finish_run("'mine', clients => 2, transactions_per_client => 200");
    let changed = session.number("SELECT count(*) FROM one WHERE note = ''");
    assert!((200..300).contains(&changed), "{changed}");
    let metric = |session: &mut Client, name: &str| {
        session.value(&format!(
            "SELECT concat_ws('|', round(value::numeric, 2), unit, direction, category) FROM pgperf.run_metrics \
              WHERE run_id = {run} AND metric = '{name}'"
        ))
    };
    let percent = format!("{:.2}", changed as f64 / 3.0);
    assert_eq!(
        metric(&mut session, "changed_percent"),
        format!("{percent}|%|higher|workload")
    );
    assert_eq!(
        metric(&mut session, "per_transaction.all"),
        "0.10||workload"
    );
    let seconds = session.value(&format!(
        "SELECT round(duration_s::numeric, 2) FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(
        metric(&mut session, "took"),
        format!("{seconds}|s|lower|workload")
    );
    // In all reports, in comparisons, and as expectations.
    let report = report_of(&mut session, run);
    assert!(
        report.contains(&format!("changed_percent: {percent} %")),
        "{report}"
    );
    assert!(
        session
            .page(&format!("pgperf.report_html({run})"))
            .contains("changed percent")
    );
    let json = session.value(&format!("SELECT jsonb_path_query(pgperf.report_json({run}), '$.metrics[*] ? (@.metric == \"changed_percent\").direction')"));
    assert_eq!(json, "\"higher\"");
    let more = session.finish_run("'mine', clients => 2, transactions_per_client => 2000, expect => '{\"changed_percent\": \">= 50\"}'");
    session.value(&format!("SELECT pgperf.require_expectations({more})"));
    let compared = session.value(&format!(
        "SELECT concat_ws('|', category, unit, direction, change_percent > 0, verdict) FROM pgperf.compare({run}, {more}) WHERE metric = 'changed_percent'"
    ));
    assert_eq!(compared, "workload|%|higher|t|single observation");

    // A gate takes it, too, of runs of any length.
    let mut lasting = |seconds: i32| {
        session.finish_run(&format!("'mine', clients => 2, duration => '{seconds} s'"))
    };
    let (before, after) = (lasting(1), lasting(2));
    session.value(&format!(
        "SELECT pgperf.gate({after}, {before}, metrics => '{{changed_percent}}')"
    ));

    // The call of a report has the scripts and their variables, not the name.
    let call = session.value(&format!("SELECT pgperf.report_json({run}) ->> 'call'"));
    assert!(
        call.contains("\"rows\":\"30\"") && !call.contains("mine"),
        "{call}"
    );

    let check = "SELECT concat_ws('|', check_name, passed, detail) FROM pgperf.\"check\"('mine')";
    assert_eq!(session.value(check), "rows|t|300 rows");
    session.value("DELETE FROM one WHERE id = 1");
    assert_eq!(session.value(check), "rows|f|299 rows");
    session.value("DROP TABLE two CASCADE");
    let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.start_run('mine')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "42P01",
            "relation \"two\" of workload \"mine\" does not exist or is empty"
        )
    );
}

#[test]
fn wrong_metrics_are_noted_and_the_others_stay() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (metrics, message) in [
        ("SELECT 'tps', 1", "every run has a metric \"tps\" already"),
        (
            "SELECT 'one'",
            "metrics_sql must return 2 to 4 columns, not 1",
        ),
        (
            "SELECT 'a', 1 UNION ALL SELECT 'a', 2",
            "metrics_sql has several rows for metric \"a\"",
        ),
        (
            "SELECT 'a', 'NaN'::float8",
            "the value of metric \"a\" must be a finite number, not \"NaN\"",
        ),
        ("SELECT 'a', 1 / 0", "division by zero"),
    ] {
        session.value(&format!(
            "SELECT pgperf.create_workload('wrong', replace => true, script => 'SELECT 1;', metrics_sql => $${metrics}$$)"
        ));
        let run = session.finish_run("'wrong', transactions_per_client => 3");
        let noted = session.value(&format!(
            "SELECT message FROM pgperf.run_errors WHERE run_id = {run} AND script = 'metrics_sql'"
        ));
        assert_eq!(noted, message);
        assert_eq!(session.total(run, "transactions"), 3);
        let report = report_of(&mut session, run);
        assert!(report.contains(message), "{report}");
    }
    // In a mix each workload has its own; after_sql comes last.
    session.value("SELECT pgperf.create_workload('good', script => 'SELECT 1;', metrics_sql => $$SELECT 'left', count(*) FROM things$$)");
    session.value("CREATE TABLE things AS SELECT 1");
    let run = session.finish_run(
        "'good, wrong', transactions_per_client => 3, after_sql => 'DROP TABLE things'",
    );
    assert_eq!(
        session.value(&format!("SELECT string_agg(metric || ' ' || value, ',') FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'left'")),
        "left 1"
    );
    assert_eq!(session.value("SELECT to_regclass('things')"), "");
}
