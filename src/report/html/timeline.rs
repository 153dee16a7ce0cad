//! Rates and latencies over time, and the distribution of latencies.

use crate::report::model::{Interval, Report, Timeline};
use crate::show::charts::{Distribution, HeatMap, Mark, MarkKind, Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, duration, integer};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use crate::show::section::page::Axis;
use maud::{Markup, html};

const NO_INTERVALS: &str =
    "no interval was stored: the run was shorter than one, or never began to measure";

pub fn rates(report: &Report, axis: &Axis) -> Chapter {
    let (id, title) = ("throughput", "Throughput");
    let Some(timeline) = &report.timeline else {
        return Chapter::missing(id, title, NO_INTERVALS);
    };
    let (name, unit) = report.run.work().rate;
    let unit = Unit::Count(unit);
    let mut chart = chart((timeline, axis), report, name, unit, tps(timeline));
    chart.note = notes([condensed(timeline), marked(report)]);
    chart.height = 240.0;
    Chapter::new(
        id,
        title,
        html! { (chart.render()) (failures(timeline, axis)) },
    )
}

fn tps(timeline: &Timeline) -> Vec<Series> {
    let mut all = Vec::new();
    if timeline.condensed > 1 {
        all.push(series(timeline, "lowest", 1, Shape::RangeFrom, |i| {
            Some(i.tps_min)
        }));
        all.push(series(timeline, "highest", 1, Shape::RangeTo, |i| {
            Some(i.tps_max)
        }));
    }
    let name = if timeline.condensed > 1 {
        "mean"
    } else {
        "rate"
    };
    all.push(series(timeline, name, 1, Shape::Line, |i| Some(i.tps)));
    all
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
    let title = match names.as_slice() {
        ["skipped"] => "Skipped transactions",
        ["retried"] => "Retried transactions",
        ["failed"] => "Failed transactions",
        _ => "Failed, retried and skipped transactions",
    };
    let mut chart = axis.of_chart(TimeChart::new(title, unit, points(timeline), seen));
    chart.height = 140.0;
    chart.render()
}

pub fn latency(report: &Report, axis: &Axis) -> Chapter {
    let (id, title) = ("latency", "Latency");
    let Some(timeline) = &report.timeline else {
        return Chapter::missing(id, title, NO_INTERVALS);
    };
    let mut chart = chart(
        (timeline, axis),
        report,
        "Latency percentiles",
        Unit::Milliseconds,
        vec![
            series(timeline, "max", 7, Shape::Dotted, |i| i.latency_max_ms),
            series(timeline, "p99.9", 4, Shape::Line, |i| i.latency_p999_ms),
            series(timeline, "p99", 2, Shape::Line, |i| i.latency_p99_ms),
            series(timeline, "p95", 6, Shape::Line, |i| i.latency_p95_ms),
            series(timeline, "p50", 1, Shape::Line, |i| i.latency_p50_ms),
        ],
    );
    chart.logarithmic = true;
    chart.note = notes([Some("on a logarithmic axis".to_owned()), marked(report)]);
    chart.height = 260.0;
    Chapter::new(
        id,
        title,
        html! {
            (percentiles(report))
            (chart.render())
            div class="pair" { (distribution(report)) (heat(timeline, axis)) }
        },
    )
}

fn percentiles(report: &Report) -> Markup {
    let run = &report.run;
    let columns = [
        ("mean", run.latency_avg_ms),
        ("p50", run.latency_p50_ms),
        ("p90", run.latency_p90_ms),
        ("p95", run.latency_p95_ms),
        ("p99", run.latency_p99_ms),
        ("p99.9", run.latency_p999_ms),
        ("p99.99", run.latency_p9999_ms),
        ("max", run.latency_max_ms),
    ];
    let heads = columns.map(|(name, _)| name);
    let row = columns.map(|(_, ms)| Cell::number(ms.map(|ms| Unit::Milliseconds.write(ms))));
    table(&heads, &[row.into()])
}

fn distribution(report: &Report) -> Markup {
    let Some(latency) = &report.latency else {
        return html! { p class="why" { "The intervals have no histograms, so the spread of latencies is not known." } };
    };
    let run = &report.run;
    let marks = [
        ("p50", run.latency_p50_ms),
        ("p95", run.latency_p95_ms),
        ("p99", run.latency_p99_ms),
        ("p99.9", run.latency_p999_ms),
    ];
    Distribution {
        edges_ms: &latency.edges_ms,
        counts: &latency.counts,
        marks: marks
            .into_iter()
            .filter_map(|(name, ms)| Some((name, ms?)))
            .collect(),
        height: 240.0,
    }
    .render()
}

fn heat(timeline: &Timeline, axis: &Axis) -> Markup {
    let ms = |value: Option<f64>| {
        value.map_or_else(|| "-".to_owned(), |value| Unit::Milliseconds.write(value))
    };
    let cells = |interval: &Interval| {
        [
            duration(interval.at_s + interval.seconds),
            integer(interval.transactions),
            ms(interval.latency_p50_ms),
            ms(interval.latency_p99_ms),
            ms(interval.latency_max_ms),
        ]
    };
    HeatMap {
        points: points(timeline),
        edges_ms: &timeline.heat_edges_ms,
        columns: timeline
            .intervals
            .iter()
            .map(|interval| interval.heat.as_slice())
            .collect(),
        spans: axis.checkpoints.as_deref().unwrap_or_default(),
        hovers: timeline
            .intervals
            .iter()
            .map(|interval| {
                let [until, count, p50, p99, max] = cells(interval);
                vec![
                    until,
                    format!("{count} transactions"),
                    format!("p50 {p50}, p99 {p99}"),
                    format!("max {max}"),
                ]
            })
            .collect(),
        heads: ["until", "transactions", "p50", "p99", "max"]
            .map(str::to_owned)
            .to_vec(),
        rows: timeline
            .intervals
            .iter()
            .map(|interval| cells(interval).to_vec())
            .collect(),
        height: 240.0,
    }
    .render()
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
    let counts = &report.autovacuum_counts;
    let end = report.timeline.as_ref().map_or(0.0, Timeline::end_s);
    let some_missing = |action: &str, counted: Option<i64>| {
        let marks = report
            .autovacuums
            .iter()
            .filter(|vacuum| vacuum.action == action && (0.0..=end).contains(&vacuum.at_s))
            .count() as i64;
        let counted = counted.filter(|counted| *counted > marks)?;
        Some(format!(
            "{} of {} {action}s",
            integer(marks),
            integer(counted)
        ))
    };
    let missing: Vec<String> = [
        some_missing("autovacuum", counts.autovacuums),
        some_missing("autoanalyze", counts.autoanalyzes),
    ]
    .into_iter()
    .flatten()
    .collect();
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
    (timeline.condensed > 1).then(|| {
        format!(
            "{} intervals; each point stands for {}",
            integer(timeline.stored_intervals),
            integer(timeline.condensed)
        )
    })
}

fn points(timeline: &Timeline) -> Vec<Point> {
    timeline
        .intervals
        .iter()
        .map(|interval| Point {
            at_s: interval.at_s,
            seconds: interval.seconds,
        })
        .collect()
}

fn series(
    timeline: &Timeline,
    name: &str,
    color: u8,
    shape: Shape,
    value: impl Fn(&Interval) -> Option<f64>,
) -> Series {
    Series {
        name: name.to_owned(),
        color,
        shape,
        values: timeline.intervals.iter().map(value).collect(),
    }
}
