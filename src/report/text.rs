//! The report as lines of text.

use crate::report::facts::{ClientError, Facts, Run};
use crate::report::format::{WIDTH, count, one_line, wrap};
use crate::report::{call, details, load, pgbench};

/// The whole report: pure formatting, no server. `unicode`: whether what reads it can show more than ASCII.
///
/// What is pgbench's stays as pgbench would write it, and the call as it was made; the rest fits a terminal.
pub fn lines(facts: &Facts, unicode: bool) -> Vec<String> {
    let run = &facts.run;
    let (mut lines, mut own) = if run.kind == "load" {
        (load::lines(facts), load::written(run))
    } else {
        (pgbench::lines(facts), details::lines(facts, unicode))
    };
    own.extend(errors(&facts.errors));
    own.push(String::new());
    own.extend(status(run));
    own.push(identity(run));
    own.push("to reproduce:".to_owned());
    lines.extend(own.iter().flat_map(|line| wrap(line, WIDTH)));
    // Not indented: a script inside is to stay as it is.
    lines.extend(call::statement(run).lines().map(str::to_owned));
    lines
}

/// Nothing for a run that finished; otherwise what became of it and what the figures stand for.
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

fn identity(run: &Run) -> String {
    let mut line = format!("run {}", run.run_id);
    if let Some(label) = &run.label {
        line += &format!(" \"{}\"", one_line(label, usize::MAX));
    }
    if let Some(number) = run.origin_run_id {
        line += &format!(", imported: run {number}");
    }
    if let Some(node) = &run.node_name {
        line += &format!(" on node {}", one_line(node, usize::MAX));
    }
    format!("{line}, PostgreSQL {}", run.server_version)
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
