//! A sweep as a comment of a pull request: GitHub's Markdown, which GitLab reads as well.

use super::metrics::{self, Metric};
use super::race;
use super::report::{
    Facts, Point, cache_lines, half_percent, head, law_lines, level, load, peak_lines, title,
};
use super::{precise, sweeps};
use crate::pg::sql::text::Text;
use crate::report::markdown::{code, escape, table};
use crate::show::number::number;
use crate::show::number::{decimals, milliseconds};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.sweep_markdown`.
#[pg_extern(sql = false)]
fn sweep_markdown(sweep_id: Option<i64>) -> std::result::Result<Text, ErrorReport> {
    Ok(comment(&load(&sweeps::by_id(sweep_id)?)?).into())
}

/// A table for each combination, with its peak and its law below.
pub fn comment(facts: &Facts) -> String {
    let head = facts.sweep.as_ref().map(head).unwrap_or_default();
    let mut lines: Vec<String> = Vec::new();
    for (place, line) in head.iter().enumerate() {
        match place {
            0 => lines.push(format!("### pgperf {}\n", escape(line))),
            _ => lines.push(format!("{}\n", escape(line))),
        }
    }
    if let Some((race, sweep)) = facts.race.as_ref().zip(facts.sweep.as_ref()) {
        lines.push(format!("{}\n", escape(&race::report::winner(race))));
        let rows: Vec<Vec<String>> = (race::report::cells(race).iter())
            .map(|cells| cells.iter().map(|cell| escape(cell)).collect())
            .collect();
        lines.extend(table(&race::report::HEADS, &rows));
        lines.push(format!("\n{}\n", race::report::cost(race, sweep.elapsed_s)));
    }
    for points in facts.points.chunk_by(|a, b| a.combination == b.combination) {
        let Some(first) = points.first() else {
            continue;
        };
        let names = metrics::names(&facts.metrics, points.iter().map(|point| point.point_no));
        let intervals = format!("{} % interval", level(first));
        let mut heads = vec![
            "clients",
            "runs",
            "tps",
            intervals.as_str(),
            "mean ms",
            "p95 ms",
            "p99 ms",
        ];
        lines.push(format!("**{}**\n", escape(&title(first))));
        let codes: Vec<String> = names.iter().map(|name| code(name)).collect();
        heads.extend(codes.iter().map(String::as_str));
        let rows: Vec<Vec<String>> = points
            .iter()
            .map(|point| {
                let own = names.iter().map(|name| {
                    let metric = metrics::at(&facts.metrics, name, point.point_no);
                    metric.map_or_else(String::new, cell)
                });
                row(point).into_iter().chain(own).collect()
            })
            .collect();
        lines.extend(table(&heads, &rows));
        lines.push(String::new());
        let of = |combination: &str| combination == first.combination;
        let peaks = facts.peaks.iter().filter(|peak| of(&peak.combination));
        let about_peaks = peaks.flat_map(|peak| peak_lines(peak, points.len()));
        let laws = facts.laws.iter().filter(|law| of(&law.combination));
        let law = laws.map(|law| {
            let lines = law_lines(law);
            let parts: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
            parts.join(" ")
        });
        let wanted = facts.sweep.as_ref().and_then(|sweep| sweep.until.wanted());
        let about_precision = wanted.map(|wanted| precise::line(&wanted, points));
        let about = (cache_lines(points).into_iter())
            .chain(about_precision)
            .chain(about_peaks)
            .chain(law);
        lines.extend(about.map(|line| format!("* {}", escape(&line))));
        lines.push(String::new());
    }
    lines.join("\n")
}

/// The mean of a metric, with its interval and unit.
fn cell(metric: &Metric) -> String {
    let half = metric.half_percent();
    let half = half.map(|half| format!(" \u{b1} {half:.1} %"));
    let mean = metric.mean.map_or_else(String::new, number);
    let cell = format!("{mean}{} {}", half.unwrap_or_default(), metric.unit);
    escape(cell.trim_end())
}

fn row(point: &Point) -> Vec<String> {
    let known = |value: Option<f64>, write: fn(Option<f64>) -> String| {
        value.map_or_else(String::new, |value| write(Some(value)))
    };
    let half = half_percent(point).map(|half| format!("\u{b1} {half:.1} %"));
    let runs = match point.failed_runs {
        0 => point.n.to_string(),
        failed => format!("{}, {failed} failed", point.n),
    };
    vec![
        point.clients.to_string(),
        runs,
        known(point.tps, |tps| decimals(tps, 0)),
        half.unwrap_or_default(),
        known(point.latency_avg_ms, milliseconds),
        known(point.latency_p95_ms, milliseconds),
        known(point.latency_p99_ms, milliseconds),
    ]
}
