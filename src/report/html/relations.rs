//! The tables and indexes that a run changed.

use crate::report::model::Relation;
use crate::show::number::{bytes, integer};
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};

/// A relation's name, with its schema unless that is `public`.
fn qualified(schema: Option<&str>, name: &str) -> String {
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
