//! The cost of measuring.

use super::checkpoints::Checkpoints;
use crate::report::model::{Observer, Report};
use crate::show::charts::{Point, Series, Shape, TimeChart};
use crate::show::number::{Unit, bytes, duration, integer, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};

pub fn section(report: &Report, checkpoints: &Checkpoints) -> Chapter {
    let (id, title) = ("observer", "The observer's cost");
    let Some(observer) = &report.observer else {
        return Chapter::missing(
            id,
            title,
            "no samples were taken during this run, or their history has been dropped since",
        );
    };
    Chapter::new(
        id,
        title,
        html! {
            p { (sentence(report, observer)) }
            div class="pair" { (checkpoints.in_chart(chart(observer)).render()) (collectors(observer)) }
        },
    )
}

fn sentence(report: &Report, observer: &Observer) -> String {
    let run = &report.run;
    let mut text = format!(
        "{} samples took {} in all",
        integer(observer.samples),
        Unit::Milliseconds.write(observer.elapsed_ms)
    );
    if let Some(cpu_ms) = observer.cpu_ms {
        text += &format!(", of which {} on a CPU", Unit::Milliseconds.write(cpu_ms));
    }
    if let Some(seconds) = run.duration_s.filter(|seconds| *seconds > 0.0) {
        text += &format!(
            ", {} of the time of one process over {}",
            Unit::Percent.write(observer.elapsed_ms / 10.0 / seconds),
            duration(seconds)
        );
    }
    text += &format!(
        "; they wrote {} rows and {} of WAL, and looked at {} pages.",
        integer(observer.rows),
        bytes(observer.wal_bytes as f64),
        integer(observer.pages)
    );
    let own: Vec<String> = [
        run.own_history_bytes
            .map(|size| format!("{} of history", bytes(size as f64))),
        run.own_wal_bytes
            .map(|size| format!("{} of WAL", bytes(size as f64))),
        run.own_xids
            .map(|count| format!("{} transaction ids", integer(count))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !own.is_empty() {
        text += &format!(
            " With the intervals, pgperf added {}. That is not in the run's own figures, nor in the totals of WAL, transaction ids, \
             blocks and growth. It is part of what is known of the whole server or machine only: the charts of WAL, its resource \
             managers, and of them the totals wal bytes.\u{2026} and wal fpi percent; checkpoints, shared buffers and the age of the \
             oldest transaction id; CPU, memory and devices.",
            own.join(", ")
        );
    }
    text
}

fn chart(observer: &Observer) -> TimeChart {
    let points = observer
        .stretches
        .iter()
        .map(|cost| Point {
            at_s: cost.at_s,
            seconds: 0.0,
        })
        .collect();
    let values = observer
        .stretches
        .iter()
        .map(|cost| Some(cost.elapsed_ms / cost.samples.max(1) as f64))
        .collect();
    let series = Series {
        name: "time of a sample".to_owned(),
        color: 8,
        shape: Shape::Line,
        values,
    };
    TimeChart::new(
        "Time that a sample takes",
        Unit::Milliseconds,
        points,
        vec![series],
    )
}

fn collectors(observer: &Observer) -> Markup {
    let any_missed = observer
        .collectors
        .iter()
        .any(|collector| collector.missed > 0);
    let rows: Vec<Vec<Cell>> = observer
        .collectors
        .iter()
        .map(|collector| {
            let mut row = vec![
                Cell::text(&collector.collector),
                Cell::Number(integer(collector.samples)),
                Cell::number(collector.elapsed_avg_ms.map(number)),
                Cell::number(collector.elapsed_max_ms.map(number)),
                Cell::number(collector.rows.map(integer)),
            ];
            if any_missed {
                row.push(Cell::Number(integer(collector.missed)));
                row.push(Cell::text(collector.reason.clone().unwrap_or_default()));
            }
            row
        })
        .collect();
    let mut heads = vec!["collector", "samples", "mean ms", "max ms", "rows"];
    if any_missed {
        heads.extend(["missed", "why"]);
    }
    html! {
        div {
            h3 { "By collector" }
            div class=[any_missed.then_some("wide")] { (table(&heads, &rows)) }
        }
    }
}
