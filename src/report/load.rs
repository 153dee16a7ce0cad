//! The report of a load (`CALL pgperf.init`): its rows in `run_statements` are the steps.

use crate::report::details::footprint;
use crate::report::facts::{Facts, Run, Statement};
use crate::report::format::{bytes, decimals};

/// The load in words, up to the line that `pgbench -i` ends with.
pub fn lines(facts: &Facts) -> Vec<String> {
    let run = &facts.run;
    let mut lines = vec![format!("load of: {}", run.workload)];
    lines.extend(run.scale.map(|scale| format!("scaling factor: {scale}")));
    lines.push(format!("number of loading workers: {}", run.clients));
    let rows: Option<i64> =
        facts
            .statements
            .iter()
            .map(|step| step.rows)
            .fold(None, |sum, rows| match (sum, rows) {
                (Some(sum), Some(rows)) => Some(sum + rows),
                (sum, rows) => sum.or(rows),
            });
    let seconds = run.duration_s.or_else(|| {
        let steps: Vec<f64> = facts.statements.iter().filter_map(step_seconds).collect();
        (!steps.is_empty()).then(|| steps.iter().sum())
    });
    if let Some(rows) = rows {
        lines.push(format!("rows loaded: {rows}"));
        let rate = seconds.filter(|s| *s > 0.0).map(|s| rows as f64 / s);
        lines.extend(rate.map(|rate| format!("rows per second: {rate:.0}")));
    }
    if let Some(seconds) = seconds {
        let steps: Vec<String> = facts
            .statements
            .iter()
            .map(|step| format!("{} {} s", step.statement, decimals(step_seconds(step), 2)))
            .collect();
        lines.push(match steps.is_empty() {
            true => format!("done in {seconds:.2} s."),
            false => format!("done in {seconds:.2} s ({}).", steps.join(", ")),
        });
    }
    lines
}

/// What it left behind.
pub fn written(run: &Run) -> Vec<String> {
    let wal = run
        .wal_bytes
        .map(|wal| format!("WAL in total: {}", bytes(wal)));
    wal.into_iter().chain(footprint(run)).collect()
}

/// None for a step that did not run.
fn step_seconds(step: &Statement) -> Option<f64> {
    step.latency_avg_ms
        .map(|ms| ms * step.calls as f64 / 1000.0)
}
