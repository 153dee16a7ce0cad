//! Rates and latencies over time, and the distribution of latencies.

use super::circumstances::heading;
use crate::report::model::{Interval, Report, Timeline};
use crate::report::topics::latency;
use crate::show::charts::{Distribution, HeatMap, Mark, MarkKind, Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, duration, integer};
use crate::show::section::page::Axis;
use crate::show::text::listed;
use maud::{Markup, html};

pub fn rates(report: &Report, timeline: &Timeline, axis: &Axis) -> Markup {
    let (name, unit) = report.facts.run.work().rate;
    let unit = Unit::Count(unit);
    let chart = chart((timeline, axis), report, name, unit, tps(timeline))
        .with_note(notes([condensed(timeline), marked(report)]))
        .with_height(240.0);
    html! { (chart.render()) (failures(timeline, axis)) }
}

fn tps(timeline: &Timeline) -> Vec<Series> {
    let rate = |name, shape, tps: fn(&Interval) -> f64| {
        series(timeline, name, 1, shape, move |i| Some(tps(i)))
    };
    match timeline.condensed > 1 {
        true => vec![
            rate("lowest", Shape::RangeFrom, |i| i.tps_min),
            rate("highest", Shape::RangeTo, |i| i.tps_max),
            rate("mean", Shape::Line, |i| i.tps),
        ],
        false => vec![rate("rate", Shape::Line, |i| i.tps)],
    }
}

/// Only where there were any.
fn failures(timeline: &Timeline, axis: &Axis) -> Markup {
    type Count = fn(&Interval) -> Option<i64>;
    let kinds: [(&str, u8, Count); 3] = [
        ("failed", 2, |i| i.failed),
        ("retried", 6, |i| i.retried),
        ("skipped", 7, |i| i.skipped),
    ];
    let seen: Vec<Series> = kinds
        .into_iter()
        .filter(|(_, _, count)| timeline.intervals.iter().any(|i| count(i) > Some(0)))
        .map(|(name, color, count)| {
            series(timeline, name, color, Shape::Line, move |i| {
                Some(count(i)? as f64 / i.seconds)
            })
        })
        .collect();
    if seen.is_empty() {
        return html! {};
    }
    let unit = Unit::Count("per second");
    // Named after what it shows: a single line has no legend.
    let names: Vec<&str> = seen.iter().map(|series| series.name.as_str()).collect();
    let title = heading(&format!("{} transactions", listed(&names)));
    let chart = TimeChart::new(&title, unit, points(timeline), seen).with_height(140.0);
    axis.of_chart(chart).render()
}

pub fn latency(report: &Report, timeline: &Timeline, axis: &Axis) -> Markup {
    let percentiles = vec![
        series(timeline, "max", 7, Shape::Dotted, |i| i.latency_max_ms),
        series(timeline, "p99.9", 4, Shape::Line, |i| i.latency_p999_ms),
        series(timeline, "p99", 2, Shape::Line, |i| i.latency_p99_ms),
        series(timeline, "p95", 6, Shape::Line, |i| i.latency_p95_ms),
        series(timeline, "p50", 1, Shape::Line, |i| i.latency_p50_ms),
    ];
    let (title, unit) = ("Latency percentiles", Unit::Milliseconds);
    let mut chart = chart((timeline, axis), report, title, unit, percentiles);
    chart.logarithmic = true;
    chart.note = notes([Some("on a logarithmic axis".to_owned()), marked(report)]);
    chart.height = 260.0;
    html! {
        @for topic in latency::topics(&report.facts.run) { (topic) }
        (chart.render())
        div class="pair" { (distribution(report)) (heat(timeline, axis)) }
    }
}

fn distribution(report: &Report) -> Markup {
    let Some(latency) = &report.latency else {
        return html! { p class="why" { "The intervals have no histograms, so the spread of latencies is not known." } };
    };
    let run = &report.facts.run;
    let marks = [
        ("p50", run.latency_p50_ms),
        ("p95", run.latency_p95_ms),
        ("p99", run.latency_p99_ms),
        ("p99.9", run.latency_p999_ms),
    ];
    let marks = marks.into_iter().filter_map(|(name, ms)| Some((name, ms?)));
    let chart = Distribution {
        edges_ms: &latency.edges_ms,
        counts: &latency.counts,
        marks: marks.collect(),
        height: 240.0,
    };
    chart.render()
}

fn heat(timeline: &Timeline, axis: &Axis) -> Markup {
    let ms = |value: Option<f64>| {
        value.map_or_else(|| "-".to_owned(), |value| Unit::Milliseconds.write(value))
    };
    let intervals = || timeline.intervals.iter();
    let row = |interval: &Interval| {
        vec![
            duration(interval.at_s + interval.seconds),
            integer(interval.transactions),
            ms(interval.latency_p50_ms),
            ms(interval.latency_p99_ms),
            ms(interval.latency_max_ms),
        ]
    };
    let map = HeatMap {
        points: points(timeline),
        edges_ms: &timeline.heat_edges_ms,
        columns: intervals()
            .map(|interval| interval.heat.as_slice())
            .collect(),
        bands: axis.checkpoints.as_slice(),
        heads: vec!["until", "transactions", "p50", "p99", "max"],
        rows: intervals().map(row).collect(),
        height: 240.0,
    };
    map.render()
}

/// A chart of the intervals, with the checkpoints and autovacuums.
fn chart(
    (timeline, axis): (&Timeline, &Axis),
    report: &Report,
    title: &str,
    unit: Unit,
    series: Vec<Series>,
) -> TimeChart {
    let chart = TimeChart::new(title, unit, points(timeline), series);
    let mut chart = axis.of_chart(chart);
    let autovacuums = report.autovacuums.iter().map(|vacuum| Mark {
        at_s: vacuum.at_s,
        kind: match vacuum.action.as_str() {
            "autoanalyze" => MarkKind::Autoanalyze,
            _ => MarkKind::Autovacuum,
        },
        text: format!(
            "{} of {}",
            vacuum.action,
            vacuum
                .relation_name
                .as_deref()
                .unwrap_or("a relation that is gone")
        ),
    });
    chart.marks.extend(autovacuums);
    chart
}

/// The number of autovacuums with a mark, if not all have one.
fn marked(report: &Report) -> Option<String> {
    let end = report.timeline.as_ref().map_or(0.0, Timeline::end_s);
    let counts = &report.autovacuum_counts;
    let counted = [
        ("autovacuum", counts.autovacuums),
        ("autoanalyze", counts.autoanalyzes),
    ];
    let missing = counted.into_iter().filter_map(|(action, counted)| {
        let of_action = report.autovacuums.iter().filter(|it| it.action == action);
        let marks = of_action
            .filter(|it| (0.0..=end).contains(&it.at_s))
            .count() as i64;
        let counted = counted.filter(|counted| *counted > marks)?;
        Some(format!(
            "{} of {} {action}s",
            integer(marks),
            integer(counted)
        ))
    });
    let missing: Vec<String> = missing.collect();
    (!missing.is_empty()).then(|| {
        format!(
            "{} marked; the others were before or after the measured part, or their time is not known",
            missing.join(" and ")
        )
    })
}

fn notes(notes: [Option<String>; 2]) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn condensed(timeline: &Timeline) -> Option<String> {
    let [stored, each] = [timeline.stored_intervals, timeline.condensed].map(integer);
    (timeline.condensed > 1).then(|| format!("{stored} intervals; each point stands for {each}"))
}

fn points(timeline: &Timeline) -> Vec<Point> {
    let intervals = timeline.intervals.iter();
    intervals.map(Interval::point).collect()
}

fn series(
    timeline: &Timeline,
    name: &str,
    color: u8,
    shape: Shape,
    value: impl Fn(&Interval) -> Option<f64>,
) -> Series {
    Series::new(name, color, shape, timeline.intervals.iter().map(value))
}
