//! A table or a chart of a section as a panel.

use super::{query, source};
use crate::show::charts::Shape;
use crate::show::number::Unit;
use crate::show::section::{Chart, Column, Kind, Section, Table};
use serde_json::{Value, json};

/// Grafana's grid has so many columns.
const WIDTH: u32 = 24;
const CHART: (u32, u32) = (WIDTH / 2, 8);
const TABLE: (u32, u32) = (WIDTH, 8);

/// Where the next panel goes.
#[derive(Default)]
pub struct Place {
    panels: u32,
    x: u32,
    y: u32,
    /// The height of the panels beside each other at present.
    height: u32,
}

impl Place {
    /// The number of the next panel, and its place, beside the last one if there is room.
    fn next(&mut self, (width, height): (u32, u32)) -> (u32, Value) {
        if self.x + width > WIDTH || height != self.height {
            self.y += self.height;
            self.x = 0;
            self.height = height;
        }
        let at = json!({"x": self.x, "y": self.y, "w": width, "h": height});
        self.x += width;
        self.panels += 1;
        (self.panels, at)
    }
}

/// The title of a section above its panels.
pub fn heading(section: &Section, place: &mut Place) -> Value {
    // Not beside anything.
    place.x = WIDTH;
    let (id, at) = place.next((WIDTH, 1));
    json!({"type": "row", "id": id, "title": section.title, "gridPos": at, "collapsed": false, "panels": []})
}

fn panel(kind: &str, (id, at): (u32, Value), (title, about): (&str, &str), sql: &str) -> Value {
    let format = if kind == "table" {
        "table"
    } else {
        "time_series"
    };
    json!({
        "type": kind,
        "id": id,
        "title": title,
        "description": about,
        "gridPos": at,
        "datasource": source(),
        "targets": [{
            "refId": "A", "datasource": source(), "editorMode": "code", "format": format, "rawQuery": true, "rawSql": sql,
        }],
    })
}

/// Lines over the time of the dashboard.
pub fn chart(chart: &Chart, place: &mut Place) -> Value {
    let mut made = panel(
        "timeseries",
        place.next(CHART),
        (chart.title, chart.note),
        &query::points(chart),
    );
    let (unit, label) = match chart.unit {
        Unit::Milliseconds => ("ms", ""),
        Unit::Bytes => ("bytes", ""),
        Unit::BytesPerSecond => ("binBps", ""),
        Unit::Percent => ("percent", ""),
        Unit::Count(name) => ("short", name),
    };
    let stacked = |name: &str| {
        json!({"matcher": {"id": "byName", "options": name}, "properties": [
            {"id": "custom.stacking", "value": {"mode": "normal", "group": "A"}},
            {"id": "custom.fillOpacity", "value": 40},
        ]})
    };
    let areas = chart
        .lines
        .iter()
        .filter(|line| line.shape == Shape::Stacked);
    made["fieldConfig"] = json!({
        "defaults": {"unit": unit, "custom": {
            "drawStyle": "line", "lineInterpolation": "stepBefore", "lineWidth": 1, "fillOpacity": 10, "showPoints": "auto",
            "spanNulls": false, "axisLabel": label, "axisSoftMin": 0, "stacking": {"mode": "none", "group": "A"},
        }},
        "overrides": areas.map(|line| stacked(line.name)).collect::<Vec<_>>(),
    });
    made["options"] = json!({
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []},
        "tooltip": {"mode": "multi", "sort": "desc"},
    });
    made
}

/// Rows as they are at the end of the time.
pub fn table(table: &Table, place: &mut Place) -> Value {
    let mut made = panel(
        "table",
        place.next(TABLE),
        (table.title, table.note),
        &query::rows(table),
    );
    let units = table.columns.iter().filter_map(|column| {
        let unit = unit(column)?;
        Some(json!({
            "matcher": {"id": "byName", "options": query::label(table, column)},
            "properties": [{"id": "unit", "value": unit}],
        }))
    });
    made["fieldConfig"] = json!({
        "defaults": {"custom": {"align": "auto", "filterable": true, "inspect": false}},
        "overrides": units.collect::<Vec<_>>(),
    });
    made["options"] = json!({"showHeader": true, "cellHeight": "sm", "frameIndex": 0});
    made
}

fn unit(column: &Column) -> Option<&'static str> {
    match column.kind {
        Kind::Count => Some("locale"),
        Kind::Number => Some("short"),
        Kind::Bytes => Some("bytes"),
        Kind::Milliseconds => Some("ms"),
        Kind::Seconds => Some("s"),
        Kind::Percent => Some("percent"),
        Kind::Moment => Some("dateTimeAsIso"),
        Kind::Text | Kind::Plan => None,
    }
}
