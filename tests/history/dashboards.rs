//! Grafana's dashboards, `dashboards/*.json`: the SQL of every panel runs as Grafana sends it, and finds rows in a history that
//! has something of everything.

use super::plans::planted_change;
use super::sessions::queue_and_sequence;
use crate::common::runs::{ENDLESS, PATIENCE, Runs};
use crate::common::{Cluster, checkout, document, wait_until};
use postgres::types::Type;
use postgres::{Client, Row};
use serde_json::Value;
use std::fs;

/// Panels without rows on some servers and machines, each with the condition under which it has none.
const MAY_BE_EMPTY: &[(&str, &str)] = &[
    ("pgperf-history.json: Held back vacuum", "true"),
    ("pgperf-history.json: Who held the horizon", "true"),
    ("pgperf-history.json: Pauses of the sampler", "true"),
    ("pgperf-history.json: Not all statements are known", "true"),
    ("pgperf-history.json: Collectors that could not run", "true"),
    (
        "pgperf-history.json: Collectors taken less often than asked",
        "true",
    ),
    ("pgperf-history.json: Bloat, as last measured", "true"),
    (
        "pgperf-history.json: Standbys, slots and subscriptions",
        "true",
    ),
    ("pgperf-history.json: Behind, or WAL kept", "true"),
    // From 19 on, and where somebody waited long, or a table is due.
    (
        "pgperf-history.json: Waits for locks that were longer than deadlock_timeout",
        "true",
    ),
    (
        "pgperf-history.json: Waits, as pg_wait_sampling counted them",
        "true",
    ),
    (
        "pgperf-history.json: What autovacuum takes next, at the end of the window",
        "true",
    ),
    (
        "pgperf-history.json: By process, object and context",
        BEFORE_16,
    ),
    (
        "pgperf-history.json: Read, written and extended by all processes",
        BEFORE_16,
    ),
    ("pgperf-history.json: Read and written", NO_DEVICE),
    ("pgperf-history.json: Requests", NO_DEVICE),
    // Over ten seconds at least.
    (
        "pgperf-history.json: WAL records and full-page images",
        "true",
    ),
    (
        "pgperf-history.json: Devices beneath these",
        NO_DEVICE_BENEATH,
    ),
    ("pgperf-history.json: Busy", NO_DEVICE),
    ("pgperf-history.json: Time of a request", NO_DEVICE),
    (
        "pgperf-history.json: During and between checkpoints",
        NO_DEVICE,
    ),
];
const BEFORE_16: &str = "current_setting('server_version_num')::int < 160000";
const NO_DEVICE_BENEATH: &str = "NOT EXISTS (SELECT FROM pgperf.device_history WHERE level > 0)";
const NO_DEVICE: &str = "NOT EXISTS (SELECT FROM pgperf.device_history)";

/// What Grafana knows when it sends the query of a panel.
struct Reader {
    session: Client,
    node: String,
    from: String,
    to: String,
}

impl Reader {
    /// The rows of a query, its macros and variables replaced as Grafana's PostgreSQL data source does.
    fn rows(&mut self, sql: &str) -> Vec<Row> {
        let sql = sql
            .replace("$__timeFrom()", &format!("'{}'", self.from))
            .replace("$__timeTo()", &format!("'{}'", self.to))
            .replace(
                "${node:sqlstring}",
                &format!("'{}'", self.node.replace('\'', "''")),
            );
        assert!(!sql.contains("$__") && !sql.contains("${"), "{sql}");
        (self.session.query(&sql, &[])).unwrap_or_else(|error| panic!("{sql}\n{error:?}"))
    }
}

fn dashboards() -> Vec<(String, Value)> {
    let folder = fs::read_dir(checkout().join("dashboards")).expect("dashboards");
    let mut dashboards: Vec<(String, Value)> = folder
        .map(|entry| {
            let path = entry.expect("a dashboard").path();
            let text = fs::read_to_string(&path).expect("a dashboard");
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, serde_json::from_str(&text).expect("JSON"))
        })
        .collect();
    dashboards.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(dashboards.len(), 2);
    dashboards
}

/// A history with something of everything.
fn fill(cluster: &Cluster, session: &mut Client) {
    session.value("CREATE EXTENSION pg_walinspect");
    // Somebody is active whenever the sampler looks: short transactions may all fall between two looks.
    let sleeper = session.start_run(ENDLESS);
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s'");
    session.value("SELECT pgperf.start_sampler()");
    let taken = |session: &mut Client| {
        session.number(
            "SELECT min(n) FROM (SELECT count(*) FILTER (WHERE o.status = 'ok') AS n \
               FROM pgperf.collectors c LEFT JOIN pgperf.sample_outcomes o ON o.collector = c.name AND o.run_id IS NULL \
              WHERE c.name NOT IN ('io', 'locks', 'autovacuum', 'bloat') GROUP BY c.name) counted",
        )
    };
    wait_until("a sample of each collector", PATIENCE, || {
        taken(session) >= 1
    });
    queue_and_sequence(cluster);
    session.value("ALTER SYSTEM SET work_mem = '5MB'");
    session.value("SELECT pg_reload_conf()");
    let before = taken(session);
    session.finish_run(
        "'tpcb-like', clients => 2, rate => 200, duration => '4 s', sample_interval => '0.5 s', label => $$it's \"one\"$$",
    );
    let failed = session.start_run("script => 'SELECT 1 / 0;', transactions_per_client => 1");
    session.wait_for_status(failed, "failed");
    wait_until("two more samples of each collector", PATIENCE, || {
        taken(session) >= before + 2
    });
    wait_until("the changed setting", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.settings_history WHERE name = 'work_mem' AND value = '5120'") > 0
    });
    session.value("SELECT pgperf.stop_sampler()");
    planted_change(session);
    session.value(&format!("SELECT pgperf.stop_run({sleeper})"));
    // The role of docs/security.md that only reads.
    let page = document("docs/security.md");
    let recipe = page
        .split("```sql\n")
        .find(|block| block.starts_with("CREATE ROLE reader"));
    let recipe = recipe
        .and_then(|block| block.split("```").next())
        .expect("the recipe");
    session.batch_execute(recipe).expect("the role");
    assert!(cluster.is_running());
}

#[test]
fn every_panel_has_rows() {
    let cluster = Cluster::with_data(&[
        "archive_mode = on",
        "archive_command = 'true'",
        // Samples come every second, whatever they cost.
        "pgperf.sampler_budget_percent = 100",
    ]);
    let mut session = cluster.connect();
    let from = session.value("SELECT now() - interval '1 minute'");
    fill(&cluster, &mut session);
    let mut reader = Reader {
        session: cluster.connect_as("reader"),
        node: session.value("SELECT pgperf.local_node()"),
        from,
        to: session.value("SELECT now() + interval '1 minute'"),
    };
    let mut empty = Vec::new();
    for (name, dashboard) in dashboards() {
        // The list of nodes to choose from.
        let variables = dashboard["templating"]["list"]
            .as_array()
            .expect("variables");
        let nodes = variables
            .iter()
            .find(|variable| variable["name"] == "node")
            .expect("node");
        let nodes = reader.rows(nodes["query"].as_str().expect("a query"));
        let ids: Vec<String> = nodes.iter().map(|row| row.get("__value")).collect();
        assert_eq!(ids, [reader.node.clone()], "{name}");

        let panels = dashboard["panels"].as_array().expect("panels");
        for panel in panels.iter().filter(|panel| panel["type"] != "row") {
            let title = format!("{name}: {}", panel["title"].as_str().expect("a title"));
            let target = &panel["targets"][0];
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{title}");
            let rows = reader.rows(target["rawSql"].as_str().expect("SQL"));
            if rows.is_empty() {
                empty.push(title);
                continue;
            }
            if target["format"] == "time_series" {
                expect_series(&title, &rows);
            }
        }
    }
    empty.retain(|title| {
        let condition = MAY_BE_EMPTY.iter().find(|(panel, _)| title == panel);
        condition.is_none_or(|(_, condition)| session.value(&format!("SELECT {condition}")) != "t")
    });
    assert_eq!(empty, Vec::<String>::new(), "panels without rows");
}

/// Grafana wants the time, in order, a name at most, and figures.
fn expect_series(title: &str, rows: &[Row]) {
    let columns = rows[0].columns();
    let time = columns.iter().position(|column| column.name() == "time");
    assert_eq!(time, Some(0), "{title}");
    assert_eq!(*columns[0].type_(), Type::TIMESTAMPTZ, "{title}");
    let times: Vec<std::time::SystemTime> = rows.iter().map(|row| row.get(0)).collect();
    assert!(times.is_sorted(), "{title}");
    for column in &columns[1..] {
        let known = match column.name() {
            "metric" => Type::TEXT,
            _ => column.type_().clone(),
        };
        assert_eq!(*column.type_(), known, "{title}");
        let figures = [Type::FLOAT8, Type::INT8, Type::INT4, Type::NUMERIC];
        assert!(
            column.name() == "metric" || figures.contains(column.type_()),
            "{title}: {column:?}"
        );
    }
}
