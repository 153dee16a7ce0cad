//! The figures of a run that a comparison has a row for.

use super::compared_run::{Columns, Facts};
use super::meaning::Meaning;
use super::{devices, parts, series, statements, step, totals};
use measure::metrics::{self, Better, Source};
use measure::statistics::Estimate;
use serde_json::Value;

/// Which figure: what it is found by on the other side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub category: String,
    /// The relation, statement or part that it is of; statements by their place in the script.
    pub object: Option<String>,
    pub metric: String,
}

/// A figure of one run.
#[derive(Clone, Debug)]
pub struct Figure {
    pub key: Key,
    pub meaning: Meaning,
    pub value: f64,
    /// The step in which its values come; see [`step`].
    pub step: f64,
    /// How well the run's own intervals know it.
    pub series: Option<Estimate>,
    /// How the object is shown, where that is not what it is found by: the statement.
    pub title: Option<String>,
    /// Of a sum over relations: which ones. Sums of others are not comparable.
    pub made_of: Vec<String>,
}

/// What `run_summary` has that is a condition rather than a result.
const NO_FIGURES: [&str; 6] = [
    "run_id",
    "clients",
    "scale",
    "duration_s",
    "transactions",
    "warmup_transactions",
];
const RELATION_KEYS: [&str; 2] = ["run_id", "relation_oid"];

/// All figures of a run.
pub fn figures(facts: &Facts) -> Vec<Figure> {
    let mut figures = summary(facts);
    figures.extend(metrics(facts));
    figures.extend(devices::figures(facts));
    figures.extend(parts::of(facts));
    figures.extend(statements::of(facts));
    figures.extend(totals::all(&facts.relations));
    let sums = totals::by_table(&facts.relations);
    for (columns, sums) in facts.relations.iter().zip(sums) {
        figures.extend(relation(columns));
        figures.extend(sums);
    }
    figures
}

pub fn numbers(columns: &Columns) -> impl Iterator<Item = (&str, f64)> {
    columns
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.as_f64()?)))
}

pub fn text<'a>(columns: &'a Columns, name: &str) -> &'a str {
    columns
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub fn figure(category: &str, object: Option<String>, metric: &str, value: f64) -> Figure {
    Figure {
        key: Key {
            category: category.to_owned(),
            object,
            metric: metric.to_owned(),
        },
        meaning: Meaning::of(metric),
        value,
        step: step::of(metric, value),
        series: None,
        title: None,
        made_of: Vec::new(),
    }
}

/// How long a run took is a result only if its transactions were counted, and the other way round.
fn summary(facts: &Facts) -> Vec<Figure> {
    let counted = facts.run.spec.duration_s.is_none();
    let outcome = if counted {
        "duration_s"
    } else {
        "transactions"
    };
    let from_metrics = |name: &str| {
        name.starts_with("own_") || facts.metrics.iter().any(|metric| metric.metric == name)
    };
    let mut figures: Vec<Figure> = numbers(&facts.summary)
        .chain(failed_percent(&facts.summary))
        .filter(|(name, _)| *name == outcome || !NO_FIGURES.contains(name))
        .filter(|(name, _)| !from_metrics(name))
        .map(|(name, value)| Figure {
            series: series::estimate(name, value, &facts.intervals),
            step: under(&facts.summary, name).map_or_else(
                || step::of(name, value),
                |under| step::of_ratio(name, value, under),
            ),
            ..figure("summary", None, name, value)
        })
        .collect();
    figures.sort_by_key(|figure| (figure.meaning.rank, figure.key.metric.clone()));
    figures
}

/// The share of transactions that failed, which runs of any length have in common.
fn failed_percent(summary: &Columns) -> Option<(&str, f64)> {
    let failed = summary.get("failed")?.as_f64()?;
    let name = "failed_percent";
    Some((name, 100.0 * failed / under(summary, name)?))
}

/// What a figure of the summary is divided by, if it is and that is known.
fn under(summary: &Columns, metric: &str) -> Option<f64> {
    let number = |name: &str| summary.get(name).and_then(Value::as_f64);
    let under = match metric {
        "tps" => number("duration_s")?,
        "hit_percent" => number("shared_blks_hit")? + number("shared_blks_read")?,
        // Those that were due, as in the report.
        "failed_percent" => {
            number("transactions")? + number("skipped").unwrap_or(0.0) + number("failed")?
        }
        _ if metric.ends_with("_per_tx") => number("transactions")?,
        _ => return None,
    };
    (under > 0.0).then_some(under)
}

/// A metric of a part is named `metric.part`.
fn name_and_part(metric: &str) -> (&str, Option<String>) {
    match metric.split_once('.') {
        Some((name, part)) => (name, Some(part.to_owned())),
        None => (metric, None),
    }
}

/// What is stored of a run without a value: the counters that it comes from began again while the run went on.
pub fn unknown(facts: &Facts) -> impl Iterator<Item = Key> {
    let unknown = facts.metrics.iter().filter(|metric| metric.value.is_none());
    unknown.map(|metric| {
        let (name, object) = name_and_part(&metric.metric);
        Key {
            category: metric.category.clone(),
            object,
            metric: name.to_owned(),
        }
    })
}

fn metrics(facts: &Facts) -> impl Iterator<Item = Figure> {
    facts.metrics.iter().filter_map(|metric| {
        let (name, part) = name_and_part(&metric.metric);
        let direction = metric.direction.as_deref().and_then(Better::named);
        let value = metric.value?;
        let known = metrics::named(Source::Facts, name);
        Some(Figure {
            meaning: Meaning::of_fact(name, &metric.unit, direction, &metric.category),
            step: known.map_or_else(|| step::of_own(name, value), |_| step::of(name, value)),
            ..figure(&metric.category, part, name, value)
        })
    })
}

/// What became of a relation; as it was at the start is a condition, not a result.
fn relation(columns: &Columns) -> Vec<Figure> {
    let name = Some(format!(
        "{}.{}",
        text(columns, "schema_name"),
        text(columns, "relation_name")
    ));
    let size = |name: &str| columns.get(name).and_then(Value::as_f64);
    let growth = size("end_size_bytes")
        .zip(size("start_size_bytes"))
        .map(|(end, start)| ("growth_bytes", end - start));
    let is_index = text(columns, "relation_kind") == "index";
    numbers(columns)
        .filter(|(column, _)| !RELATION_KEYS.contains(column) && !column.starts_with("start_"))
        .chain(growth)
        .map(|(column, value)| (column.strip_prefix("end_").unwrap_or(column), value))
        .map(|(metric, value)| (metric, category(metric), value))
        // Nobody vacuums or analyzes an index by itself.
        .filter(|(_, category, _)| *category != "vacuum" || !is_index)
        .map(|(metric, category, value)| {
            let figure = figure(category, name.clone(), metric, value);
            let step = match size("end_size_bytes") {
                Some(bytes) if bytes > 0.0 && metric.ends_with("_percent") => {
                    step::of_ratio(metric, value, bytes / step::PAGE)
                }
                _ => figure.step,
            };
            Figure { step, ..figure }
        })
        .collect()
}

/// Of a column of `run_relations`.
fn category(metric: &str) -> &'static str {
    let of_relations = |category| metrics::find(Source::Columns, category, metric);
    ["sizes", "bloat", "vacuum"]
        .into_iter()
        .find(|category| of_relations(category).is_some())
        .unwrap_or("relations")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn columns(value: Value) -> Columns {
        match value {
            Value::Object(columns) => columns,
            _ => Columns::new(),
        }
    }

    fn named<'a>(figures: &'a [Figure], object: Option<&str>, metric: &str) -> Option<&'a Figure> {
        figures
            .iter()
            .find(|figure| figure.key.object.as_deref() == object && figure.key.metric == metric)
    }

    #[test]
    fn a_relation_is_told_by_what_became_of_it() {
        let figures = relation(&columns(
            json!({"run_id": 3, "relation_oid": 16384, "schema_name": "public",
            "relation_name": "t", "start_size_bytes": 8192, "end_size_bytes": 24576,
            "end_bloat_percent": 12.5, "autovacuum_count": 2}),
        ));
        let growth = named(&figures, Some("public.t"), "growth_bytes").unwrap();
        assert_eq!(
            (growth.value, growth.key.category.as_str()),
            (16384.0, "sizes")
        );
        let bloat = named(&figures, Some("public.t"), "bloat_percent").unwrap();
        assert_eq!(bloat.meaning.direction, Some(Better::Lower));
        assert_eq!(figures.len(), 4);
    }

    /// The server has no such counters; of an index it says 0.
    #[test]
    fn an_index_has_no_vacuums() {
        let of_kind = |kind: &str| {
            let figures = relation(&columns(
                json!({"schema_name": "public", "relation_name": "r", "relation_kind": kind,
                "idx_scan": 3, "vacuum_count": 0, "autovacuum_count": 0, "analyze_count": 0, "autoanalyze_count": 0}),
            ));
            figures
                .into_iter()
                .map(|f| f.key.metric)
                .collect::<Vec<_>>()
        };
        assert_eq!(of_kind("index"), ["idx_scan"]);
        assert_eq!(of_kind("table").len(), 5);
    }

    #[test]
    fn a_metric_of_a_part_and_a_column_of_the_summary_are_told_apart() {
        let facts = Facts {
            summary: columns(
                json!({"run_id": 7, "tps": 100.0, "transactions": 2000, "duration_s": 20.0,
                "database_growth_bytes": 5, "label": "x", "own_xids": 3, "failed": 500, "skipped": null}),
            ),
            metrics: vec![
                crate::report::model::circumstances::Figure {
                    metric: "wal_bytes.Heap".to_owned(),
                    value: Some(3.0),
                    unit: "bytes".to_owned(),
                    direction: Some("lower".to_owned()),
                    category: "wal".to_owned(),
                },
                crate::report::model::circumstances::Figure {
                    metric: "database_growth_bytes".to_owned(),
                    value: Some(5.0),
                    unit: "bytes".to_owned(),
                    direction: None,
                    category: "size".to_owned(),
                },
            ],
            run: crate::compare::compared_run::Run {
                spec: crate::compare::compared_run::Spec {
                    duration_s: Some(20.0),
                    ..Default::default()
                },
                ..Default::default()
            },
            ..Facts::default()
        };
        let figures = figures(&facts);
        let names: Vec<(&str, Option<&str>, &str)> = figures
            .iter()
            .map(|f| {
                (
                    f.key.category.as_str(),
                    f.key.object.as_deref(),
                    f.key.metric.as_str(),
                )
            })
            .collect();
        let failed = named(&figures, None, "failed_percent").unwrap();
        assert_eq!((failed.value, failed.step), (20.0, 0.04));
        assert_eq!(
            names,
            [
                ("summary", None, "tps"),
                ("summary", None, "transactions"),
                ("summary", None, "failed"),
                ("summary", None, "failed_percent"),
                ("wal", Some("Heap"), "wal_bytes"),
                ("size", None, "database_growth_bytes"),
            ]
        );
    }
}
