//! The report as lines of text.

pub mod details;
pub mod load;
pub mod pgbench;
pub mod scripts;
pub mod sysbench;
#[cfg(test)]
mod tests;

use super::call;
use super::stored_run::{ClientError, Facts, Run};
use crate::show::number::percent;
use crate::show::number::{Unit, integer, number};
use crate::show::text::{WIDTH, count, one_line, wrap};

/// The whole report: pure formatting, no server. `unicode`: whether its reader can show more than ASCII.
///
/// pgbench's lines stay as pgbench would write them, and the call as it was made; the rest fits a terminal.
pub fn lines(facts: &Facts, unicode: bool) -> Vec<String> {
    let run = &facts.run;
    let [mut lines, mut own] = (run.work().lines)(facts, unicode);
    own.extend(errors(&facts.errors));
    own.push(String::new());
    own.extend(status(run));
    own.extend(missing(run));
    own.push(identity(run));
    let call = call::statement(run);
    own.extend(call.as_ref().map(|_| "to reproduce:".to_owned()));
    lines.extend(own.iter().flat_map(|line| wrap(line, WIDTH)));
    // Not indented: a script inside is to stay as it is.
    let loads = call::loads(run);
    lines.extend(loads.flat_map(|load| load.lines().map(str::to_owned).collect::<Vec<_>>()));
    lines.extend(call.iter().flat_map(|call| call.lines().map(str::to_owned)));
    lines
}

/// One sentence on results of another program: who measured.
pub fn results(run: &Run) -> Option<String> {
    let results = run.spec.results.as_ref()?;
    let version = results.version.as_ref();
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    Some(format!(
        "Measured by {}{version}, not by pgperf, and imported: what it does not say is not known.",
        results.program
    ))
}

/// Nothing for a run that finished; otherwise its end and the meaning of the figures.
pub fn status(run: &Run) -> Option<String> {
    let seconds = run.duration_s.unwrap_or(0.0);
    let figures = match run.status.as_str() {
        _ if run.transactions.is_none() => String::new(),
        _ if run.has_totals => format!("; {seconds:.1} s were measured"),
        "interrupted" | "failed" => {
            format!("; the figures are from the intervals it stored, {seconds:.1} s")
        }
        _ => format!("; the figures are so far, over {seconds:.1} s"),
    };
    let reason = match (&run.error, &run.sqlstate, run.status.as_str()) {
        (_, _, "finished") => return None,
        (Some(error), Some(sqlstate), _) => format!(" ({sqlstate}: {})", one_line(error, 400)),
        (Some(error), None, _) => format!(" ({})", one_line(error, 400)),
        (None, _, "interrupted") => " (its leader or the server went away)".to_owned(),
        _ => String::new(),
    };
    Some(format!("status: {}{reason}{figures}", run.status))
}

/// The part of the run's history that could not be stored.
pub fn missing(run: &Run) -> Option<String> {
    let error = run.history_error.as_ref()?;
    Some(format!("history incomplete: {}", one_line(error, 400)))
}

/// A figure of a run with a rate or a latency limit.
pub struct ScheduleFigure {
    pub name: &'static str,
    pub value: String,
    pub unit: &'static str,
    pub more: String,
}

/// Figures of the schedule: transactions that were too late to be tried, that took too long, and their delays.
pub fn of_the_schedule(run: &Run) -> Vec<ScheduleFigure> {
    let mut figures = Vec::new();
    let done = run.transactions.unwrap_or(0);
    if let Some(limit) = run.spec.latency_limit_ms {
        let limit = Unit::Milliseconds.write(limit);
        let of =
            |count: i64, all: i64| format!("{} % of {}", number(percent(count, all)), integer(all));
        let may_skip = run.spec.rate.is_some() || run.spec.results.is_some();
        if let Some(skipped) = run.skipped.filter(|_| may_skip) {
            let due = done + skipped + run.failed.unwrap_or(0);
            figures.push(ScheduleFigure {
                name: "Skipped",
                value: integer(skipped),
                unit: "",
                more: format!("{}, more than {limit} behind schedule", of(skipped, due)),
            });
        }
        if let Some(late) = run.late {
            figures.push(ScheduleFigure {
                name: "Above the latency limit",
                value: integer(late),
                unit: "",
                more: format!("{}, longer than {limit}", of(late, done)),
            });
        }
    }
    if let (Some(avg), Some(max)) = (run.lag_avg_ms, run.lag_max_ms) {
        figures.push(ScheduleFigure {
            name: "Schedule lag, mean",
            value: number(avg),
            unit: "ms",
            more: format!("longest {}", Unit::Milliseconds.write(max)),
        });
    }
    figures
}

/// Where an imported run comes from, and its number there.
pub fn imported(run: &Run) -> Option<String> {
    let mut text = format!("imported: run {}", run.origin_run_id?);
    if let Some(node) = &run.node_name {
        text += &format!(" on node {}", one_line(node, usize::MAX));
    }
    Some(text)
}

fn identity(run: &Run) -> String {
    let mut line = format!("run {}", run.run_id);
    if let Some(label) = &run.label {
        line += &format!(" \"{}\"", one_line(label, usize::MAX));
    }
    match (imported(run), &run.node_name) {
        (Some(imported), _) => line += &format!(", {imported}"),
        (None, Some(node)) => line += &format!(" on node {}", one_line(node, usize::MAX)),
        (None, None) => {}
    }
    if let Some(version) = &run.server_version {
        line += &format!(", PostgreSQL {version}");
    }
    line
}

fn errors(errors: &[ClientError]) -> Vec<String> {
    if errors.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "errors:".to_owned()];
    lines.extend(errors.iter().map(|error| {
        let mut place = match error.client_id {
            None => "leader".to_owned(),
            Some(client) if error.clients == 1 => format!("client {client}"),
            Some(_) => format!("{} clients", error.clients),
        };
        if let Some(script) = &error.script {
            place += &format!(", script {script}");
        }
        if let Some(command_no) = error.command_no {
            place += &format!(", command {command_no}");
        }
        format!(
            "  {place}: {} {} ({})",
            error.sqlstate,
            one_line(&error.message, 400),
            count(error.occurrences, "time")
        )
    }));
    lines
}
