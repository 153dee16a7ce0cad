//! The tables and indexes that a run changed.

use super::checkpoints::Checkpoints;
use super::series::{points, series};
use crate::report::model::{Bloat, BloatSample, Relation, Report, Timeline};
use crate::show::charts::{Shape, TimeChart};
use crate::show::number::{Unit, bytes, integer};
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};

/// Colours of what has no order.
const COLORS: [u8; 8] = [1, 2, 3, 4, 6, 5, 8, 7];

/// A relation's name, with its schema unless that is `public`.
pub fn qualified(schema: Option<&str>, name: &str) -> String {
    match schema {
        Some(schema) if schema != "public" => format!("{schema}.{name}"),
        _ => name.to_owned(),
    }
}

/// Before and after.
pub fn sizes(relations: &[Relation]) -> Markup {
    if relations.is_empty() {
        return html! {};
    }
    let size = |size: Option<i64>| Cell::number(size.map(|size| bytes(size as f64)));
    let count = |count: Option<i64>| Cell::number(count.map(integer));
    let percent = |percent: Option<f64>| Cell::number(percent.map(|value| format!("{value:.1} %")));
    let rows: Vec<Vec<Cell>> = relations
        .iter()
        .take(40)
        .map(|relation| {
            let growth = relation
                .end_size_bytes
                .zip(relation.start_size_bytes)
                .map(|(end, start)| end - start);
            let hot = relation
                .n_tup_hot_upd
                .zip(relation.n_tup_upd.filter(|updates| *updates > 0))
                .map(|(hot, all)| 100.0 * hot as f64 / all as f64);
            vec![
                Cell::text(qualified(
                    Some(&relation.schema_name),
                    &relation.relation_name,
                )),
                Cell::text(&relation.relation_kind),
                size(relation.end_size_bytes),
                size(growth),
                percent(relation.start_bloat_percent),
                percent(relation.end_bloat_percent),
                count(relation.n_tup_ins),
                count(relation.n_tup_upd),
                percent(hot),
                count(relation.n_tup_del),
                count(relation.end_dead_tuples),
                count(relation.autovacuum_count),
            ]
        })
        .collect();
    let notes = relations.iter().filter_map(|relation| {
        let name = qualified(Some(&relation.schema_name), &relation.relation_name);
        Some((name, relation.note.as_ref()?))
    });
    let heads = [
        "relation",
        "kind",
        "size",
        "growth",
        "bloat before",
        "bloat after",
        "inserted",
        "updated",
        "HOT",
        "deleted",
        "dead rows",
        "autovacuums",
    ];
    html! {
        div class="wide" { (table(&heads, &rows)) }
        @for (name, note) in notes { p class="note" { (name) ": " (note) } }
        @if relations.len() > 40 { p class="note" { "The 40 largest of " (relations.len()) "." } }
    }
}

/// Size and bloat over time: one chart each, because beside a large relation a small one is invisible. Only for those
/// measured more than once.
pub fn over_time(report: &Report, checkpoints: &Checkpoints) -> Markup {
    let sampled: Vec<&Bloat> = report
        .bloat
        .iter()
        .filter(|relation| relation.samples.len() > 1)
        .collect();
    if sampled.is_empty() {
        return html! {};
    }
    // All over the same time, so that they can be compared.
    let moments = || {
        let samples = sampled.iter().flat_map(|relation| &relation.samples);
        samples.map(|sample| sample.at_s)
    };
    let end_s = report.timeline.as_ref().map_or(0.0, Timeline::end_s);
    let at_least = (
        moments().fold(0.0, f64::min),
        moments().fold(end_s, f64::max),
    );
    let chart = |relation: &Bloat, color, unit, value: fn(&BloatSample) -> Option<f64>| {
        let name = qualified(Some(&relation.schema_name), &relation.relation_name);
        let samples = &relation.samples;
        let line = series(samples, &name, color, Shape::Line, value);
        let at = points(samples, |sample| (sample.at_s, 0.0));
        let mut chart = checkpoints.in_chart(TimeChart::new(&name, unit, at, vec![line]));
        chart.at_least = Some(at_least);
        chart.height = 110.0;
        chart.render()
    };
    html! {
        h3 { "Size over time" }
        p class="note" { "The largest relations, each on its own scale." }
        div class="small-charts" {
            @for (relation, color) in sampled.iter().zip(COLORS) {
                (chart(relation, color, Unit::Bytes, |sample| Some(sample.size_bytes as f64)))
            }
        }
        @if sampled.iter().any(|relation| relation.samples.iter().any(|sample| sample.bloat_percent.is_some())) {
            h3 { "Bloat over time" }
            p class="note" { "The share that rewriting the relation would give back." }
            div class="small-charts" {
                @for (relation, color) in sampled.iter().zip(COLORS) {
                    (chart(relation, color, Unit::Percent, |sample| sample.bloat_percent))
                }
            }
        }
    }
}
