//! Scripts, their commands, and errors.

use crate::report::model::{Baseline, Report};
use crate::report::stored_run::{Script, Statement};
use crate::show::charts::BarSegment;
use crate::show::delta::percent;
use crate::show::number::{Unit, integer, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use crate::show::text::count;
use maud::{Markup, html};
use std::collections::HashMap;

pub fn section(report: &Report) -> Chapter {
    let title = report.run.work().commands;
    let several = report.scripts.len() > 1;
    if report.statements.is_empty() && report.errors.is_empty() && !several {
        let why = "stored when a run ends: this one has none yet, or was interrupted";
        return Chapter::missing("statements", title, why);
    }
    Chapter::new(
        "statements",
        title,
        html! {
            @if several { (scripts(report)) (latencies(report)) }
            @if !report.statements.is_empty() { (commands(report)) }
            @if !report.errors.is_empty() { (errors(report)) }
        },
    )
}

fn scripts(report: &Report) -> Markup {
    let rows: Vec<Vec<Cell>> = report
        .scripts
        .iter()
        .map(|script| {
            vec![
                Cell::text(&script.script),
                Cell::number(script.weight.map(integer)),
                Cell::number(script.transactions.map(integer)),
                Cell::number(script.tps.map(number)),
                Cell::number(script.failed.map(integer)),
                Cell::number(script.retried.map(integer)),
                milliseconds(script.latency_avg_ms),
                milliseconds(script.latency_stddev_ms),
                milliseconds(script.latency_p50_ms),
                milliseconds(script.latency_p95_ms),
                milliseconds(script.latency_p99_ms),
                milliseconds(script.latency_max_ms),
            ]
        })
        .collect();
    let heads = [
        "script",
        "weight",
        "transactions",
        "tps",
        "failed",
        "retried",
        "mean ms",
        "std. dev. ms",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "max ms",
    ];
    html! { h3 { "Scripts" } div class="wide" { (table(&heads, &rows)) } }
}

/// Their mean latencies as bars, beside those of a baseline if there is one.
fn latencies(report: &Report) -> Markup {
    let means = report.scripts.iter().filter_map(|it| it.latency_avg_ms);
    let longest = means.fold(0.0, f64::max);
    let baseline = report.baseline.as_ref();
    let before = baseline.map(means_of).unwrap_or_default();
    let change = |script: &Script| {
        let (before, now) = before
            .get(script.script.as_str())
            .zip(script.latency_avg_ms)?;
        (*before > 0.0).then(|| 100.0 * (now / before - 1.0))
    };
    let changes = report.scripts.iter().filter_map(change).map(f64::abs);
    let reach = changes.fold(5.0, f64::max).min(100.0).ceil();
    let rows: Vec<Vec<Cell>> = (report.scripts.iter())
        .map(|script| {
            let share = script.latency_avg_ms.unwrap_or(0.0) / f64::max(longest, f64::MIN_POSITIVE);
            let mut row = vec![
                Cell::text(&script.script),
                milliseconds(script.latency_avg_ms),
                Cell::Bar(vec![BarSegment {
                    share,
                    color: 1,
                    text: format!("{} of the longest", Unit::Percent.write(100.0 * share)),
                }]),
            ];
            if baseline.is_some() {
                let change = change(script);
                row.extend([
                    milliseconds(before.get(script.script.as_str()).copied()),
                    Cell::number(change.map(percent)),
                    Cell::Change {
                        percent: change,
                        ends: None,
                        reach,
                        color: 1,
                    },
                ]);
            }
            row
        })
        .collect();
    let mut heads = vec!["script", "mean ms", ""];
    if baseline.is_some() {
        heads.extend(["baseline ms", "change", ""]);
    }
    html! {
        h3 { "Mean latencies" }
        (table(&heads, &rows))
        @if let Some(baseline) = baseline {
            p class="note" {
                "Against the baseline " (baseline.name) ", the mean of " (count(baseline.runs, "run"))
                ". pgperf.compare judges the change."
            }
        }
    }
}

fn means_of(baseline: &Baseline) -> HashMap<&str, f64> {
    let means = baseline.scripts.iter();
    let means = means.filter_map(|it| Some((it.script.as_str(), it.latency_avg_ms?)));
    means.collect()
}

fn commands(report: &Report) -> Markup {
    // Where the calls are not known, as of pgbench, each command counts once.
    let time = |command: &Statement| {
        command.latency_avg_ms.unwrap_or(0.0) * command.calls.unwrap_or(1) as f64
    };
    let all: f64 = report.statements.iter().map(time).sum();
    let several = report.scripts.len() > 1;
    let failed = |command: &Statement| command.failed.is_some_and(|failed| failed > 0);
    let any_failed = report.statements.iter().any(failed);
    let rows: Vec<Vec<Cell>> = report
        .statements
        .iter()
        .map(|command| {
            let share = if all > 0.0 { time(command) / all } else { 0.0 };
            let per_call = |total: Option<i64>| {
                let calls = command.calls.filter(|calls| *calls > 0);
                let mean = total.zip(calls);
                Cell::number(mean.map(|(total, calls)| number(total as f64 / calls as f64)))
            };
            let mut row = vec![Cell::Code(command.statement.clone())];
            if several {
                row.push(Cell::text(&command.script));
            }
            row.extend([
                Cell::Number(format!("{:.1} %", 100.0 * share)),
                Cell::Bar(vec![BarSegment {
                    share,
                    color: 1,
                    text: format!("{} of all time", Unit::Percent.write(100.0 * share)),
                }]),
                Cell::number(command.calls.map(integer)),
                milliseconds(command.latency_avg_ms),
                milliseconds(command.latency_p95_ms),
                milliseconds(command.latency_p99_ms),
                milliseconds(command.latency_max_ms),
                per_call(command.rows),
                per_call(command.shared_blks_hit),
                per_call(command.shared_blks_read),
                per_call(command.shared_blks_dirtied),
                per_call(command.wal_bytes),
            ]);
            if any_failed {
                row.push(Cell::number(command.failed.map(integer)));
            }
            row
        })
        .collect();
    let mut heads = vec!["command"];
    if several {
        heads.push("script");
    }
    heads.extend([
        "time",
        "",
        "calls",
        "mean ms",
        "p95 ms",
        "p99 ms",
        "max ms",
        "rows",
        "hit",
        "read",
        "dirtied",
        "WAL bytes",
    ]);
    if any_failed {
        heads.push("failed");
    }
    html! {
        div class="wide" { (table(&heads, &rows)) }
        p class="note" { "Time: share of the time of all commands. Rows, blocks hit, read and dirtied, and bytes of WAL are per call; a commit's WAL belongs to END or COMMIT." }
    }
}

fn errors(report: &Report) -> Markup {
    let rows: Vec<Vec<Cell>> = report
        .errors
        .iter()
        .map(|error| {
            let who = match error.client_id {
                None => "leader".to_owned(),
                Some(client) if error.clients == 1 => format!("client {client}"),
                Some(_) => format!("{} clients", error.clients),
            };
            vec![
                Cell::text(who),
                Cell::text(error.script.clone().unwrap_or_default()),
                Cell::number(error.command_no.map(integer)),
                Cell::text(&error.sqlstate),
                Cell::text(&error.message),
                Cell::Number(integer(error.occurrences)),
            ]
        })
        .collect();
    html! {
        h3 { "Errors" }
        (table(&["whose", "script", "command", "SQLSTATE", "message", "times"], &rows))
    }
}

fn milliseconds(value: Option<f64>) -> Cell {
    Cell::number(value.map(number))
}
