//! The disturbances of a run, on its page: their occurrences and cost.

use crate::report::disturbances::impact::{Figure, Impact};
use crate::report::disturbances::summary;
use crate::report::model::disturbances::{Disturbance, Occurrence};
use crate::show::charts::{Mark, MarkKind};
use crate::show::number::{bytes, duration, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};

/// Occurrences in the table, at most.
const ROWS: usize = 20;

/// None: the run had none.
pub fn section(all: &[Disturbance]) -> Option<Chapter> {
    if all.is_empty() {
        return None;
    }
    let content = html! {
        @for disturbance in all {
            h3 { (summary(disturbance)) }
            (impacts(&disturbance.impact))
            (occurrences(&disturbance.occurrences))
        }
        p class="note" {
            "Inside: the intervals of which an occurrence covers half, or that have half of one. After: those behind it for as long as it had lasted, three at least, up to the \
             next disturbance. Outside: the others in which nothing went on. Change: from outside to inside, with its 95 % interval. Back after: \
             the longest time until a figure was as it is outside. Squares below the charts mark beginnings, rhombs ends."
        }
    };
    Some(Chapter::new("disturbances", "Disturbances", content))
}

fn impacts(all: &[Impact]) -> Markup {
    let figure = |figure: Option<Figure>| {
        Cell::number(figure.map(|figure| match figure.low.zip(figure.high) {
            Some((low, high)) => format!(
                "{} ({} to {})",
                number(figure.value),
                number(low),
                number(high)
            ),
            None => number(figure.value),
        }))
    };
    let row = |impact: &Impact| {
        let bounds = impact.change_low.zip(impact.change_high);
        let change = impact.change_percent.map(|change| match bounds {
            Some((low, high)) => format!("{change:+.1} % ({low:+.1} to {high:+.1})"),
            None => format!("{change:+.1} %"),
        });
        vec![
            Cell::text(impact.metric),
            figure(impact.inside),
            figure(impact.after),
            figure(impact.outside),
            Cell::number(change),
            Cell::number(impact.recovery_s.map(duration)),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    let heads = ["", "inside", "after", "outside", "change", "back after"];
    html! { @if !rows.is_empty() { (table(&heads, &rows)) } }
}

fn occurrences(all: &[Occurrence]) -> Markup {
    let row = |one: &Occurrence| {
        vec![
            Cell::Number(duration(one.at_s)),
            Cell::number(one.duration_s.map(duration)),
            Cell::Number(one.sessions.to_string()),
            Cell::number(one.wal_bytes.map(|size| bytes(size as f64))),
            Cell::text(&one.status),
            Cell::text(one.error.as_deref().unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<Cell>> = all.iter().take(ROWS).map(row).collect();
    let heads = ["at", "for", "sessions", "WAL of the server", "status", ""];
    html! {
        (table(&heads, &rows))
        @if let Some(more @ 1..) = all.len().checked_sub(ROWS) {
            p class="note" { "And " (more) " more in pgperf.run_disturbances." }
        }
    }
}

/// The beginnings and ends, for charts.
pub fn marks(all: &[Disturbance]) -> Vec<Mark> {
    let mark = |at_s, kind, text| Mark { at_s, kind, text };
    let of_each = all.iter().flat_map(|disturbance| {
        let name = &disturbance.name;
        disturbance.occurrences.iter().flat_map(move |one| {
            let (from, to) = one.span_s();
            let begins = mark(from, MarkKind::Disturbance, format!("{name} begins"));
            let ended = |_| mark(to, MarkKind::DisturbanceEnd, format!("{name} ends"));
            let ends = one.duration_s.map(ended);
            std::iter::once(begins).chain(ends)
        })
    });
    of_each.collect()
}
