//! Which run it is, and what has to be known of it before its figures.

use super::segments::interruption;
use crate::report::stored_run::{Facts, Run, Statement};
use crate::run::request::rate::describe;
use crate::show::number::{duration, integer};
use crate::show::text::{count, moment, one_line};
use crate::workload::run_data;

/// Its number and its label.
pub fn title(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("run {} \"{}\"", run.run_id, one_line(label, usize::MAX)),
        None => format!("run {}", run.run_id),
    }
}

/// The server, or where an imported run comes from; of a run on a target also from where.
pub fn server(run: &Run) -> Vec<String> {
    let node = run.node_name.as_ref();
    let node = node.map(|node| one_line(node, usize::MAX));
    let origin = match (run.origin_run_id, node) {
        (Some(origin), Some(node)) => Some(format!("imported: run {origin} on node {node}")),
        (Some(origin), None) => Some(format!("imported: run {origin}")),
        (None, node) => node.map(|node| format!("node {node}")),
    };
    let version = run.server_version.as_ref();
    let mut version = version.map(|version| format!("PostgreSQL {version}"));
    let targets = &run.spec.targets;
    let name = |name: &str| one_line(name, usize::MAX);
    let target = targets.text().map(|text| match targets.are_several() {
        true => format!("servers {}", name(&text)),
        false => format!("server {}", name(&text)),
    });
    // Those of the others are in a table.
    if let Some(first) = targets.first().filter(|_| targets.are_several()) {
        version = version.map(|version| format!("{version} on {}", name(first)));
    }
    match target {
        Some(target) => [
            Some(target),
            version,
            origin.map(|origin| format!("from {origin}")),
        ],
        None => [origin, version, None],
    }
    .into_iter()
    .flatten()
    .collect()
}

/// The same, and who ran it when.
pub fn place(run: &Run) -> Vec<String> {
    let mut parts = server(run);
    // That of a target is a fact of its environment.
    let database = run
        .database_name
        .as_ref()
        .filter(|_| run.spec.targets.is_here());
    parts.extend(database.map(|name| format!("database {name}")));
    parts.extend(run.role.as_ref().map(|role| format!("role {role}")));
    let began = run.measured_at.as_ref().or(run.started_at.as_ref());
    parts.extend(began.map(|at| moment(at)));
    parts
}

/// What it did.
pub fn work(run: &Run) -> Vec<String> {
    let mode = run.query_mode.as_ref();
    let mode = mode.filter(|_| run.work().has_transactions);
    let parts = [
        Some(run.workload.clone()),
        run.exact_scale().map(|scale| format!("scale {scale}")),
        run_data::describe(&run.spec.data),
        (run.clients).map(|clients| count(clients, run.work().worker)),
        mode.map(|mode| format!("query mode {mode}")),
        (run.spec.rate.as_ref()).map(|rate| format!("rate limit {}", describe(rate))),
        (run.spec.terminals).map(|terminals| format!("{} terminals", integer(terminals))),
        (run.duration_s).map(|seconds| format!("measured for {}", duration(seconds))),
    ];
    parts.into_iter().flatten().collect()
}

/// What its rate is not comparable with.
pub fn origin(run: &Run) -> Option<String> {
    let Some(results) = &run.spec.results else {
        let text = match run.spec.transport {
            None => {
                "This rate is in-database: the clients are background workers, without a client program or a network. \
                 It is not comparable with the tps of pgbench."
            }
            Some(_) => {
                "This rate is over the wire: each client has a connection, as those of pgbench. \
                 It is not comparable with rates in-database."
            }
        };
        return run.work().has_transactions.then(|| text.to_owned());
    };
    let version = results.version.as_ref();
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    Some(format!(
        "Measured by {}{version}, not by pgperf, and imported: what it does not say is not known.",
        results.program
    ))
}

/// How it ended, and what is missing in its figures.
pub fn cautions(facts: &Facts) -> Vec<String> {
    let run = &facts.run;
    let history = run.history_error.as_ref();
    let cautions = [
        status(run),
        history.map(|error| format!("history incomplete: {}", one_line(error, 400))),
        interruption(&facts.segments),
        run.unknown_because.clone(),
        cut_off(run, &facts.statements),
    ];
    cautions.into_iter().flatten().collect()
}

/// Nothing for a run that finished; otherwise its end and the meaning of the figures.
fn status(run: &Run) -> Option<String> {
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

/// The retries of transactions that had not succeeded when the run's time was over.
fn cut_off(run: &Run, statements: &[Statement]) -> Option<String> {
    let is_complete = run.has_totals && run.spec.results.is_none();
    let counted = run.outcomes.retries.filter(|_| is_complete)?;
    let retries = statements.iter().filter_map(|command| command.retries);
    let cut_off = retries.sum::<i64>() - counted;
    (cut_off > 0).then(|| {
        format!(
            "Retries of transactions that had not succeeded when the run ended: {cut_off}. As in pgbench, these transactions count as nothing."
        )
    })
}
