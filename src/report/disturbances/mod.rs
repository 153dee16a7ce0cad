//! `pgperf.disturbance_impact`: the cost of a run's disturbances, also for the text of a report.

pub mod impact;
pub mod parts;

use super::model::disturbances::{Disturbance, load};
use super::named;
use crate::catalog::runs::{Found, by_id};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use crate::show::number::{bytes, decimals};
use crate::show::text::{WIDTH, count, narrow_table, one_line, wrap};
use impact::{Figure, Impact};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// A disturbance and a metric; figures with their bounds inside, after and outside; the change with its bounds and p; the recovery.
type Row = (
    Text,
    Text,
    i64,
    Text,
    Text,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<i64>,
    Option<f64>,
);

/// `pgperf.disturbance_impact(run_id bigint)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn disturbance_impact(
    run_id: Option<i64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(name, Text),
            name!(kind, Text),
            name!(occurrences, i64),
            name!(metric, Text),
            name!(unit, Text),
            name!(inside, Option<f64>),
            name!(inside_low, Option<f64>),
            name!(inside_high, Option<f64>),
            name!(after, Option<f64>),
            name!(after_low, Option<f64>),
            name!(after_high, Option<f64>),
            name!(outside, Option<f64>),
            name!(outside_low, Option<f64>),
            name!(outside_high, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(change_low, Option<f64>),
            name!(change_high, Option<f64>),
            name!(p_value, Option<f64>),
            name!(recovered, Option<i64>),
            name!(recovery_s, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&by_id(run_id)?)?))
}

/// `pgperf.disturbance_impact(run text)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn disturbance_impact_by_name(
    run: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(name, Text),
            name!(kind, Text),
            name!(occurrences, i64),
            name!(metric, Text),
            name!(unit, Text),
            name!(inside, Option<f64>),
            name!(inside_low, Option<f64>),
            name!(inside_high, Option<f64>),
            name!(after, Option<f64>),
            name!(after_low, Option<f64>),
            name!(after_high, Option<f64>),
            name!(outside, Option<f64>),
            name!(outside_low, Option<f64>),
            name!(outside_high, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(change_low, Option<f64>),
            name!(change_high, Option<f64>),
            name!(p_value, Option<f64>),
            name!(recovered, Option<i64>),
            name!(recovery_s, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&named(run.as_deref())?)?))
}

fn rows(run: &Found) -> Result<impl Iterator<Item = Row> + use<>> {
    run.check_visible()?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    let all = as_owner(|| load(&key))?;
    Ok(all.into_iter().flat_map(|one| {
        let occurrences = one.occurrences.len() as i64;
        let (name, kind) = (one.name, one.kind);
        let impact = one.impact.into_iter();
        impact.map(move |impact| row(&name, &kind, occurrences, &impact))
    }))
}

fn row(name: &str, kind: &str, occurrences: i64, impact: &Impact) -> Row {
    let value = |figure: Option<Figure>| figure.map(|figure| figure.value);
    let low = |figure: Option<Figure>| figure.and_then(|figure| figure.low);
    let high = |figure: Option<Figure>| figure.and_then(|figure| figure.high);
    (
        name.into(),
        kind.into(),
        occurrences,
        impact.metric.into(),
        impact.unit.into(),
        value(impact.inside),
        low(impact.inside),
        high(impact.inside),
        value(impact.after),
        low(impact.after),
        high(impact.after),
        value(impact.outside),
        low(impact.outside),
        high(impact.outside),
        impact.change_percent,
        impact.change_low,
        impact.change_high,
        impact.p_value,
        impact.recovered,
        impact.recovery_s,
    )
}

/// The disturbances in the text of a report; nothing where the run had none.
pub fn lines(all: &[Disturbance]) -> Vec<String> {
    if all.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "disturbances beside the load:".to_owned()];
    for disturbance in all {
        lines.push(format!("  {}", one_line(&summary(disturbance), WIDTH - 2)));
        let failed = disturbance.occurrences.iter().find_map(|one| {
            let error = one.error.as_deref()?;
            Some(format!("failed: {error}"))
        });
        lines.extend(failed.map(|text| format!("    {}", one_line(&text, WIDTH - 4))));
        let rows: Vec<_> = disturbance
            .impact
            .iter()
            .map(|impact| {
                let value = |figure: Option<Figure>| decimals(figure.map(|figure| figure.value), 2);
                [
                    value(impact.inside),
                    value(impact.after),
                    value(impact.outside),
                    change(impact),
                    decimals(impact.recovery_s, 1),
                    impact.metric.to_owned(),
                ]
            })
            .collect();
        if !rows.is_empty() {
            let heads = ["inside", "after", "outside", "change %", "back s", ""];
            let table = narrow_table(heads, &rows);
            lines.extend(table.iter().map(|line| line.trim_end().to_owned()));
        }
    }
    lines.extend(wrap(NOTE, WIDTH));
    lines.push(String::new());
    lines
}

const NOTE: &str = "After: the intervals behind an occurrence, for as long as it lasted. Change: inside against outside. Back: the longest \
    time until a figure was as outside again. Intervals of 95 %: pgperf.disturbance_impact().";

/// Its name, how often and for how long it occurred, and how that ended.
pub fn summary(disturbance: &Disturbance) -> String {
    let all = &disturbance.occurrences;
    let name = match disturbance.name == disturbance.kind {
        true => disturbance.name.clone(),
        false => format!("{} ({})", disturbance.name, disturbance.kind),
    };
    let seconds: f64 = all.iter().filter_map(|one| one.duration_s).sum();
    let wal: i64 = all.iter().filter_map(|one| one.wal_bytes).sum();
    let mut text = format!(
        "{name}: {}, {seconds:.1} s, {} of WAL",
        count(all.len() as i64, "occurrence"),
        bytes(wal as f64)
    );
    for status in ["failed", "cut off", "going on"] {
        let such = all.iter().filter(|one| one.status == status).count();
        if such > 0 {
            text += &format!(", {such} {status}");
        }
    }
    text
}

/// The change with a sign; None where it cannot be told.
fn change(impact: &Impact) -> String {
    impact
        .change_percent
        .map_or_else(|| "-".to_owned(), |change| format!("{change:+.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_report_has_a_summary_and_a_line_for_each_metric() {
        assert!(lines(&[]).is_empty());
        let occurrence = |status: &str, error: Option<&str>| {
            serde_json::from_value(json!({"occurrence_no": 0, "sessions": 1, "began_at": "2026-01-01T00:00:00Z", "at_s": 10.0,
                "duration_s": 2.5, "status": status, "error": error, "wal_bytes": 1 << 20}))
            .unwrap()
        };
        let figure = |value| {
            Some(Figure {
                value,
                low: None,
                high: None,
            })
        };
        let disturbance = Disturbance {
            name: "nightly".to_owned(),
            kind: "vacuum_full".to_owned(),
            occurrences: vec![
                occurrence("done", None),
                occurrence("failed", Some("no such table")),
            ],
            impact: vec![Impact {
                metric: "tps",
                unit: "per second",
                inside: figure(60.0),
                after: figure(90.0),
                outside: figure(100.0),
                change_percent: Some(-40.0),
                change_low: None,
                change_high: None,
                p_value: None,
                recovered: Some(1),
                recovery_s: Some(3.0),
            }],
        };
        let lines = lines(&[disturbance]);
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH),
            "{lines:?}"
        );
        assert_eq!(
            lines[2],
            "  nightly (vacuum_full): 2 occurrences, 5.0 s, 2 MB of WAL, 1 failed"
        );
        assert_eq!(lines[3], "    failed: no such table");
        let cells: Vec<&str> = lines[5].split_ascii_whitespace().collect();
        assert_eq!(cells.join(" "), "60.00 90.00 100.00 -40.0 3.0 tps");
    }
}
