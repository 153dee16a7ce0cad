//! The disturbances of a run: their occurrences and their cost.

use crate::report::disturbances::impact::{Figure, Impact};
use crate::report::model::disturbances::{Disturbance, Occurrence};
use crate::show::blocks::{Block, Listing, Topic, count, figure, name, plain, size, time};
use crate::show::charts::{Mark, MarkKind};
use crate::show::delta::{interval, percent};
use crate::show::number::bytes;
use crate::show::text;
use maud::{Markup, html};

/// Occurrences in the table, at most.
const ROWS: usize = 20;

const NOTE: &str = "Inside: the intervals of which an occurrence covers half, or that have half of one. After: those behind it for as long \
    as it had lasted, three at least, up to the next disturbance. Outside: the others in which nothing went on. Change: from outside to \
    inside, with its 95 % interval. Back: the longest time until a figure was as it is outside. pgperf.disturbance_impact() has the \
    intervals of all.";

/// None: the run had none.
pub fn topic(all: &[Disturbance]) -> Option<Topic> {
    let of_one = |one: &Disturbance| {
        let impact = (!one.impact.is_empty()).then(|| Block::Table(impacts(&one.impact)));
        let failed = one.occurrences.iter().find_map(|one| one.error.as_deref());
        let failed = failed.map(|error| Block::Remark(format!("failed: {error}")));
        let occurrences = Block::Page(occurrences(&one.occurrences));
        let heading = Block::Heading(summary(one));
        [Some(heading), failed, impact, Some(occurrences)]
    };
    let mut blocks: Vec<Block> = all.iter().flat_map(of_one).flatten().collect();
    blocks.push(Block::Remark(NOTE.to_owned()));
    blocks.push(Block::Page(html! {
        p class="note" { "Squares below the charts mark beginnings, rhombs ends." }
    }));
    (!all.is_empty()).then(|| Topic::new("disturbances", "Disturbances", blocks))
}

/// Its name, how often and for how long it occurred, and how that ended.
fn summary(disturbance: &Disturbance) -> String {
    let all = &disturbance.occurrences;
    let name = match disturbance.name == disturbance.kind {
        true => disturbance.name.clone(),
        false => format!("{} ({})", disturbance.name, disturbance.kind),
    };
    let seconds: f64 = all.iter().filter_map(|one| one.duration_s).sum();
    let wal: i64 = all.iter().filter_map(|one| one.wal_bytes).sum();
    let mut text = format!(
        "{name}: {}, {seconds:.1} s, {} of WAL",
        text::count(all.len() as i64, "occurrence"),
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

fn impacts(all: &[Impact]) -> Listing {
    let value = |figure: Option<Figure>| figure.map(|figure| figure.value);
    let ends = |it: &Impact| Some(interval(it.change_low?, it.change_high?));
    let columns = vec![
        name("", |impact: &Impact| impact.metric.to_owned()),
        plain("inside", |impact: &Impact| value(impact.inside)),
        plain("after", |impact: &Impact| value(impact.after)),
        plain("outside", |impact: &Impact| value(impact.outside)),
        figure("change", |it: &Impact| it.change_percent.map(percent)),
        figure("95 % interval", ends),
        time("back", |impact: &Impact| impact.recovery_s),
    ];
    Listing::of(all, columns)
}

fn occurrences(all: &[Occurrence]) -> Markup {
    let columns = vec![
        time("at", |one: &Occurrence| Some(one.at_s)),
        time("for", |one: &Occurrence| one.duration_s),
        count("sessions", |one: &Occurrence| Some(one.sessions)),
        size("WAL of the server", |one: &Occurrence| one.wal_bytes),
        name("status", |one: &Occurrence| one.status.clone()),
        name("", |one: &Occurrence| one.error.clone().unwrap_or_default()),
    ];
    let more = all.len().saturating_sub(ROWS);
    html! {
        (Block::Table(Listing::of(all.iter().take(ROWS), columns)))
        @if more > 0 { p class="note" { "And " (more) " more in pgperf.run_disturbances." } }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn there_is_a_summary_and_a_line_for_each_metric() {
        assert!(topic(&[]).is_none());
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
        let lines = topic(&[disturbance]).unwrap().lines();
        let summary = "nightly (vacuum_full): 2 occurrences, 5.0 s, 2 MB of WAL, 1 failed";
        assert!(lines.iter().any(|line| line == summary), "{lines:?}");
        assert!(lines.iter().any(|line| line == "  failed: no such table"));
        let cells = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let figures = "tps 60 90 100 -40.0 % 3 s";
        assert!(lines.iter().any(|line| cells(line) == figures), "{lines:?}");
    }
}
