//! A run in short, as a comment of a pull request.

use super::model::Report;
use super::stored_run::Run;
use super::text;
use super::text::load::Loaded;
use crate::show::markdown::{code, escape, table};
use crate::show::number::{Unit, bytes, duration, integer, number};
use crate::show::sparkline::sparkline;
use crate::show::text::{count, one_line};
use crate::workload::run_data;

const SPARKLINE_WIDTH: usize = 60;
const STATEMENT_WIDTH: usize = 100;

/// GitHub's Markdown, which GitLab reads as well. `unicode`: whether its reader can show more than ASCII.
pub fn run(report: &Report, unicode: bool) -> String {
    let run = &report.run;
    let mut lines = vec![format!("### {}", escape(&title(run))), String::new()];
    lines.push(escape(&circumstances(run)));
    let remarks = text::status(run).into_iter().chain(text::missing(run));
    lines.extend(remarks.map(|remark| format!("\n**{}**", escape(&remark))));
    lines.push(String::new());
    lines.extend(table(&["", ""], &(run.work().figures)(report)));
    let scripts = scripts(report);
    if !scripts.is_empty() {
        lines.push(String::new());
        let [heads @ .., script] = text::scripts::HEADS;
        lines.extend(table(&[&[script], heads.as_slice()].concat(), &scripts));
    }
    if let Some(timeline) = &report.timeline {
        let rates: Vec<f64> = timeline.intervals.iter().map(|i| i.tps).collect();
        lines.push(String::new());
        lines.push(format!(
            "rate over time: `{}`",
            sparkline(&rates, SPARKLINE_WIDTH, unicode)
        ));
    }
    let statements = statements(report);
    if !statements.is_empty() {
        lines.push(String::new());
        let what = report.run.work().commands;
        lines.push(format!("<details><summary>{what}</summary>\n"));
        let heads = [
            "statement",
            "calls",
            "mean ms",
            "p95 ms",
            "p99 ms",
            "WAL bytes per call",
        ];
        lines.extend(table(&heads, &statements));
        lines.push("\n</details>".to_owned());
    }
    lines.join("\n") + "\n"
}

fn title(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("pgperf run {}: {}", run.run_id, one_line(label, 200)),
        None => format!("pgperf run {}", run.run_id),
    }
}

fn circumstances(run: &Run) -> String {
    let mut parts = vec![run.workload.clone()];
    parts.extend(run.exact_scale().map(|scale| format!("scale {scale}")));
    parts.extend(run_data::describe(&run.spec.data));
    let clients = run.clients;
    parts.extend(clients.map(|clients| count(clients, run.work().worker)));
    parts.extend(run.duration_s.map(duration));
    let version = run.server_version.as_ref();
    parts.extend(version.map(|version| format!("PostgreSQL {version}")));
    match text::imported(run) {
        Some(imported) => parts.push(imported),
        None => parts.extend(run.node_name.as_ref().map(|node| format!("node {node}"))),
    }
    parts.join(", ")
}

/// Of a load.
pub fn load_figures(report: &Report) -> Vec<Vec<String>> {
    let run = &report.run;
    let loaded = Loaded::of(run, &report.statements);
    let rate = loaded.rate();
    rows([
        (
            "throughput",
            rate.map(|rate| format!("**{} rows/s**", number(rate))),
        ),
        ("rows loaded", loaded.rows.map(integer)),
        ("time", loaded.seconds.map(duration)),
        ("WAL in total", run.wal_bytes.map(|wal| bytes(wal as f64))),
        growth(run),
    ])
}

fn growth(run: &Run) -> (&'static str, Option<String>) {
    let grown = run.database_growth_bytes;
    ("database growth", grown.map(|size| bytes(size as f64)))
}

/// Of a run of scripts.
pub fn transaction_figures(report: &Report) -> Vec<Vec<String>> {
    let run = &report.run;
    let ms = |value: Option<f64>| value.map(|ms| Unit::Milliseconds.write(ms));
    let own = report.of_the_workload().map(|(figure, value)| {
        let value = format!("{} {}", number(value), figure.unit);
        vec![
            code(&figure.metric),
            format!("**{}**", escape(value.trim_end())),
        ]
    });
    let mut figures: Vec<_> = own.collect();
    figures.extend(rows([
        (
            "throughput",
            run.tps.map(|tps| format!("**{} tps**", number(tps))),
        ),
        ("transactions", run.transactions.map(integer)),
        ("failed", run.failed.map(integer)),
    ]));
    figures.extend(schedule(run));
    figures.extend(rows([
        ("latency, mean", ms(run.latency_avg_ms)),
        ("latency, p50", ms(run.latency_p50_ms)),
        ("latency, p95", ms(run.latency_p95_ms)),
        ("latency, p99", ms(run.latency_p99_ms)),
        ("latency, max", ms(run.latency_max_ms)),
        ("WAL per transaction", run.wal_bytes_per_tx.map(bytes)),
        (
            "buffer hits",
            run.hit_percent.map(|percent| format!("{percent:.2} %")),
        ),
        growth(run),
        ("unknown here", run.unknown_because.clone()),
    ]));
    figures
}

/// What there is.
fn rows<const N: usize>(figures: [(&str, Option<String>); N]) -> Vec<Vec<String>> {
    figures
        .into_iter()
        .filter_map(|(name, value)| Some(vec![name.to_owned(), value?]))
        .collect()
}

/// Skipped and late transactions, and delays behind the schedule.
fn schedule(run: &Run) -> Vec<Vec<String>> {
    let figures = text::of_the_schedule(run).into_iter();
    figures
        .map(|figure| {
            let value = format!("{} {}", figure.value, figure.unit);
            vec![
                figure.name.to_lowercase(),
                format!("{} ({})", value.trim_end(), figure.more),
            ]
        })
        .collect()
}

/// The scripts side by side, their names first.
fn scripts(report: &Report) -> Vec<Vec<String>> {
    let rows = text::scripts::rows(&report.scripts).into_iter();
    rows.map(|[figures @ .., name]| [&[code(&name)], figures.as_slice()].concat())
        .collect()
}

fn statements(report: &Report) -> Vec<Vec<String>> {
    report
        .statements
        .iter()
        .filter(|statement| statement.is_sql)
        .map(|statement| {
            let ms = |value: Option<f64>| value.map_or_else(String::new, number);
            let calls = statement.calls.filter(|calls| *calls > 0);
            let per_call = statement.wal_bytes.zip(calls);
            vec![
                code(&one_line(&statement.statement, STATEMENT_WIDTH)),
                statement.calls.map_or_else(String::new, integer),
                ms(statement.latency_avg_ms),
                ms(statement.latency_p95_ms),
                ms(statement.latency_p99_ms),
                per_call.map_or_else(String::new, |(wal, calls)| {
                    number(wal as f64 / calls as f64)
                }),
            ]
        })
        .collect()
}
