//! Dashboards for Grafana, `dashboards/*.json`: the sections of a history report and the runs as panels. A test writes them, so that
//! the report and the dashboards have one definition of each table and chart.
//!
//! [`panel`] makes a panel of a table or a chart; [`query`] its SQL, for Grafana's PostgreSQL data source; [`runs`] has the
//! panels that only the dashboards have.

mod panel;
mod query;
mod runs;

use crate::show::section::Section;
use crate::subject;
use panel::{Place, chart, heading, table};
use serde_json::{Value, json};
use std::path::Path;

/// Grafana's name for the plugin of PostgreSQL, since 11.
const PLUGIN: &str = "grafana-postgresql-datasource";

/// A dashboard as Grafana exports it.
fn dashboard(uid: &str, title: &str, about: &str, sections: &[&Section]) -> Value {
    let mut place = Place::default();
    let mut panels = Vec::new();
    for section in sections {
        panels.push(heading(section, &mut place));
        panels.extend(section.charts.iter().map(|one| chart(one, &mut place)));
        panels.extend(section.tables.iter().map(|one| table(one, &mut place)));
    }
    json!({
        "__requires": [
            {"type": "grafana", "id": "grafana", "name": "Grafana", "version": "11.0.0"},
            {"type": "datasource", "id": PLUGIN, "name": "PostgreSQL", "version": "1.0.0"},
            {"type": "panel", "id": "timeseries", "name": "Time series", "version": ""},
            {"type": "panel", "id": "table", "name": "Table", "version": ""},
        ],
        "uid": uid,
        "title": title,
        "description": about,
        "tags": ["pgperf", "postgresql"],
        "id": null,
        "version": 1,
        "schemaVersion": 39,
        "editable": true,
        // A crosshair at the same time in all panels.
        "graphTooltip": 1,
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "",
        "refresh": "",
        "annotations": {"list": []},
        "links": [{
            "type": "dashboards", "title": "pgperf", "tags": ["pgperf"], "icon": "dashboard", "tooltip": "", "asDropdown": false,
            "targetBlank": false, "keepTime": true, "includeVars": true,
        }],
        "templating": {"list": [
            {
                "name": "datasource", "label": "Data source", "type": "datasource", "query": PLUGIN,
                "current": {"text": "", "value": ""}, "options": [], "hide": 0, "includeAll": false, "multi": false, "refresh": 1,
            },
            {
                "name": "node", "label": "Node", "type": "query", "datasource": source(),
                "query": query::NODES, "definition": query::NODES,
                "current": {"text": "", "value": ""}, "options": [], "hide": 0, "includeAll": false, "multi": false, "refresh": 1, "sort": 0,
            },
        ]},
        "panels": panels,
    })
}

/// The data source that the reader of a dashboard chooses.
fn source() -> Value {
    json!({"type": PLUGIN, "uid": "${datasource}"})
}

fn dashboards() -> [(&'static str, Value); 2] {
    [
        (
            "pgperf-history.json",
            dashboard(
                "pgperf-history",
                "pgperf: history",
                "What a server did: the sections of pgperf.history_report over the chosen time.",
                subject::sections(),
            ),
        ),
        (
            "pgperf-runs.json",
            dashboard(
                "pgperf-runs",
                "pgperf: runs",
                "The runs of the chosen time, live ones too.",
                &[&runs::SECTION],
            ),
        ),
    ]
}

/// PGPERF_WRITE_DOCS=1 writes them anew.
#[test]
fn the_files_have_the_sections_of_the_report() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboards");
    for (name, dashboard) in dashboards() {
        let file = folder.join(name);
        let text = format!("{}\n", serde_json::to_string_pretty(&dashboard).unwrap());
        if std::env::var_os("PGPERF_WRITE_DOCS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(&file).unwrap() == text,
            "dashboards/{name} is not that of the sections: PGPERF_WRITE_DOCS=1 tools/cargo test --lib history::dashboards"
        );
    }
}

#[test]
fn panels_have_numbers_and_places_of_their_own() {
    for (name, dashboard) in dashboards() {
        let panels = dashboard["panels"].as_array().unwrap();
        let mut taken = std::collections::HashSet::new();
        for (number, panel) in panels.iter().enumerate() {
            assert_eq!(panel["id"], number + 1, "{name}");
            let at = &panel["gridPos"];
            let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| at[side].as_u64().unwrap());
            for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                assert!(
                    cell.0 < 24 && taken.insert(cell),
                    "{name}: {}",
                    panel["title"]
                );
            }
        }
        assert!(panels.len() > 3, "{name}");
    }
}

/// Grafana tells columns by their names, and knows no arguments but its own macros.
#[test]
fn columns_have_names_of_their_own_and_no_argument_is_left() {
    for (name, dashboard) in dashboards() {
        for panel in dashboard["panels"].as_array().unwrap() {
            let Some(sql) = panel["targets"][0]["rawSql"].as_str() else {
                continue;
            };
            let (columns, _) = sql.split_once("\nFROM (\n").unwrap();
            let (_, columns) = columns.rsplit_once(")\nSELECT ").unwrap_or(("", columns));
            let mut names: Vec<&str> = (columns.split(" AS ").skip(1))
                .map(|after| after.split(",\n").next().unwrap_or(after))
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{name}: {}", panel["title"]);
            assert!(!sql.contains("{first}"), "{name}: {}", panel["title"]);
            let mut marks = sql.split('$').skip(1);
            assert!(
                !marks.any(|after| after.starts_with(|c: char| c.is_ascii_digit())),
                "{name}: {}",
                panel["title"]
            );
        }
    }
}
