//! The figures with which a window begins, against SQL over the planted history that was written for this test.

use crate::common::Cluster;
use crate::common::expect_near;
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;

/// Eleven samples a minute apart, the first of which is before the window. Nothing grows evenly, so that a mean of means is another figure.
const PLANTED: &str = include_str!("glance.sql");

/// Each figure, what it is of the window, and its value.
const EXPECTED: [(&str, &str, &str); 8] = [
    (
        "active_sessions",
        "mean",
        "SELECT sum(seen) FILTER (WHERE state = 'active' AND wait_event IS DISTINCT FROM 'ClientRead')::numeric \
             / (SELECT sum(looks) FROM (SELECT DISTINCT sample_id, looks FROM pgperf.session_history) x) \
         FROM pgperf.session_history",
    ),
    (
        "transactions",
        "mean",
        "SELECT (max(xact_commit) - min(xact_commit)) / 600.0 FROM pgperf.database_history WHERE database_name = current_database()",
    ),
    (
        "statement",
        "mean",
        "SELECT (max(total_exec_time) - min(total_exec_time)) / (max(calls) - min(calls)) FROM pgperf.statement_history WHERE queryid = 11",
    ),
    (
        "wal",
        "mean",
        "SELECT (max(insert_lsn) - min(insert_lsn)) / 600.0 FROM pgperf.wal_history",
    ),
    (
        "growth",
        "total",
        "SELECT max(size_bytes) - min(size_bytes) FROM pgperf.database_history WHERE database_name = current_database()",
    ),
    (
        "hit_ratio",
        "mean",
        "SELECT 100.0 * (max(blks_hit) - min(blks_hit)) / (max(blks_hit) - min(blks_hit) + max(blks_read) - min(blks_read)) \
         FROM pgperf.database_history WHERE database_name = current_database()",
    ),
    (
        "horizon",
        "latest",
        "SELECT max(horizon_age) FROM pgperf.wraparound_history WHERE sample_id = 10",
    ),
    (
        "replication_lag",
        "highest",
        "SELECT max(replay_lag_bytes) FROM pgperf.replication_history WHERE kind = 'standby'",
    ),
];

/// The last value of the chart of some.
const LAST: [(&str, &str); 5] = [
    (
        "active_sessions",
        "SELECT sum(seen) FILTER (WHERE state = 'active' AND wait_event IS DISTINCT FROM 'ClientRead') / 60.0 FROM pgperf.session_history WHERE sample_id = 10",
    ),
    (
        "statement",
        "SELECT (b.total_exec_time - a.total_exec_time) / (b.calls - a.calls) FROM pgperf.statement_history a, pgperf.statement_history b \
         WHERE a.queryid = 11 AND b.queryid = 11 AND a.sample_id = 9 AND b.sample_id = 10",
    ),
    (
        "wal",
        "SELECT (b.insert_lsn - a.insert_lsn) / 60.0 FROM pgperf.wal_history a, pgperf.wal_history b WHERE a.sample_id = 9 AND b.sample_id = 10",
    ),
    (
        "hit_ratio",
        "SELECT 100.0 * (b.blks_hit - a.blks_hit) / (b.blks_hit - a.blks_hit + b.blks_read - a.blks_read) \
         FROM pgperf.database_history a JOIN pgperf.database_history b USING (database_name) \
         WHERE database_name = current_database() AND a.sample_id = 9 AND b.sample_id = 10",
    ),
    (
        "replication_lag",
        "SELECT max(replay_lag_bytes) FROM pgperf.replication_history WHERE kind = 'standby' AND sample_id = 10",
    ),
];

/// The window: ten minutes, the last of which ends now.
const WINDOW: &str = "(SELECT min(taken_at) + interval '30 s' FROM pgperf.samples WHERE sample_id >= 0), \
    (SELECT max(taken_at) + interval '30 s' FROM pgperf.samples)";

fn planted() -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.batch_execute(PLANTED).expect("the history");
    (cluster, session)
}

fn document(session: &mut Client) -> Value {
    let document = session.value(&format!("SELECT pgperf.history_json({WINDOW})"));
    serde_json::from_str(&document).expect("JSON")
}

fn figure<'a>(document: &'a Value, name: &str) -> Option<&'a Value> {
    let figures = document["glance"].as_array().expect("figures");
    figures.iter().find(|figure| figure["name"] == name)
}

fn number(session: &mut Client, sql: &str) -> f64 {
    session.value(sql).parse().expect("a number")
}

#[test]
fn each_figure_is_that_of_hand_written_sql() {
    let (_cluster, mut session) = planted();
    let shown = document(&mut session);
    for (name, of_window, sql) in EXPECTED {
        let found = figure(&shown, name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(found["of_window"], of_window, "{name}");
        let value = found["value"].as_f64().expect("a value");
        expect_near(name, value, number(&mut session, sql), 1e-9);
        assert_eq!(found["values"].as_array().map(Vec::len), Some(10), "{name}");
    }
    for (name, sql) in LAST {
        let values = figure(&shown, name).expect(name)["values"].as_array();
        let last = values.and_then(|all| all.last()?.as_f64()).expect(name);
        expect_near(name, last, number(&mut session, sql), 1e-9);
    }
    let statement = figure(&shown, "statement").expect("a statement");
    assert_eq!(statement["object"], "SELECT most");
    // Without the looks of every second, those of the samples.
    session.value("DELETE FROM pgperf.session_history");
    let found = document(&mut session);
    let value = figure(&found, "active_sessions").expect("sessions")["value"].as_f64();
    let sql = "SELECT sum(seen) FILTER (WHERE state = 'active' AND wait_event IS DISTINCT FROM 'ClientRead') / 10.0 \
               FROM pgperf.wait_history WHERE source = 'activity' AND sample_id > 0";
    expect_near(
        "waits",
        value.expect("a value"),
        number(&mut session, sql),
        1e-9,
    );
}

#[test]
fn what_is_unknown_is_not_shown() {
    let (_cluster, mut session) = planted();
    let cards = "SELECT count(*) FROM regexp_matches(split_part(pgperf.history_html($), '</header>', 1), 'class=\"value\"', 'g')";
    let cards = cards.replace('$', WINDOW);
    assert_eq!(session.number(&cards), 8);
    session.value("DELETE FROM pgperf.replication_history WHERE kind = 'standby'");
    session.value("DELETE FROM pgperf.wal_history");
    assert_eq!(session.number(&cards), 6);
    let shown = document(&mut session);
    assert!(figure(&shown, "wal").is_none() && figure(&shown, "replication_lag").is_none());
    for table in ["samples", "statement_history"] {
        session.value(&format!(
            "UPDATE pgperf.{table} SET taken_at = taken_at - interval '1 hour'"
        ));
    }
    let without = "SELECT jsonb_array_length(pgperf.history_json(now() - interval '5 min', now()) -> 'glance')";
    assert_eq!(session.number(without), 0);
}

#[test]
fn a_text_begins_with_findings_by_severity_and_the_figures() {
    let (_cluster, mut session) = planted();
    let report = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_report({WINDOW}) l"
    ));
    let summary = report.split("\n\n").nth(1).expect("a second paragraph");
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(lines.len(), 9, "{report}");
    let shown = document(&mut session);
    let findings = shown["findings"].as_array().expect("findings");
    let of = |severity: &str| {
        findings
            .iter()
            .filter(|f| f["severity"] == severity)
            .count()
    };
    let counts = [("critical", of("critical")), ("warning", of("warning"))];
    for (severity, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        assert!(
            lines[0].contains(&format!("{count} {severity}")),
            "{report}"
        );
    }
    assert!(lines[1].starts_with("Database time "), "{report}");
}

#[test]
fn what_grew_most_is_named_and_so_is_the_call_for_the_day_before() {
    let (_cluster, mut session) = planted();
    let report = format!("SELECT string_agg(l, E'\\n') FROM pgperf.history_report({WINDOW}) l");
    let before = session.value(&report);
    assert!(!before.contains(", most ") && !before.contains("The day before:"));
    // The first shrank, the second grew by 100 pages.
    session
        .batch_execute(
            "UPDATE pgperf.samples SET outcomes = outcomes || '{\"tables\": {\"status\": \"ok\"}}';
             INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, relations, left_out, last_oid)
             SELECT node_id, sample_id, taken_at, 0, 3, 0, 90000 FROM pgperf.samples;
             INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes)
             SELECT node_id, sample_id, taken_at, 50000 + r, 'shop', 'table_' || r, 'table', 8192 * (400 + grows * sample_id)
             FROM pgperf.samples, (VALUES (1, -30), (2, 10), (3, 5)) x(r, grows);",
        )
        .expect("relations");
    let growth = document(&mut session);
    let growth = figure(&growth, "growth").expect("the growth");
    assert_eq!(growth["most"], "shop.table_2 800 kB");
    session
        .batch_execute(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, complete, outcomes)
             SELECT node_id, sample_id - 1000, taken_at - interval '1 day', epoch, 1, 1, 1, 1, complete, outcomes FROM pgperf.samples",
        )
        .expect("the day before");
    let after = session.value(&report);
    assert!(after.contains(" 800 kB, most shop.table_2"), "{after}");
    let call = after.split("The day before: ").nth(1).expect(&after);
    let call = call.split(';').next().expect("a statement");
    let compared = session.value(&format!("SELECT string_agg(l, E'\\n') FROM ({call} l) x"));
    assert!(compared.contains("Transactions committed"), "{compared}");
    let page = session.value(&format!("SELECT pgperf.history_html({WINDOW})"));
    assert!(page.contains("SELECT pgperf.history_compare_html("));
}

#[test]
fn the_head_has_the_server_of_the_window_s_end() {
    let (_cluster, mut session) = planted();
    let of = |session: &mut Client, window: &str| -> Value {
        let text = session.value(&format!("SELECT pgperf.history_json({window}) -> 'server'"));
        serde_json::from_str(&text).expect("JSON")
    };
    let server = of(&mut session, "now() - interval '1 min', now()");
    assert_eq!(server["version"], session.value("SHOW server_version"));
    let uptime = number(
        &mut session,
        "SELECT extract(epoch FROM now() - pg_postmaster_start_time())",
    );
    let found = server["uptime_s"].as_f64().expect("an uptime");
    assert!((found - uptime).abs() < 60.0, "{found}, {uptime}");
    // It may have been of another version before it was started.
    let before = "pg_postmaster_start_time() - interval '1 hour', pg_postmaster_start_time() - interval '1 s'";
    assert_eq!(of(&mut session, before), Value::Null);
}

#[test]
fn each_finding_is_a_line_that_opens() {
    let (_cluster, mut session) = planted();
    let page = session.value(&format!("SELECT pgperf.history_html({WINDOW})"));
    let page = page.replace('\n', " ");
    let count = document(&mut session)["findings"]
        .as_array()
        .map_or(0, Vec::len);
    assert!(count > 0);
    for number in 1..=count {
        let anchor = format!("<details class=\"finding\" id=\"finding-{number}\">");
        assert_eq!(page.matches(&anchor).count(), 1, "{anchor}");
    }
    let links = page.matches("href=\"#finding-").count();
    assert!((1..=3).contains(&links), "{links}");
}
