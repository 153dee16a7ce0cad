//! The report of a load (`CALL pgperf.init`): its rows in `run_statements` are the steps.

use super::details::footprint;
use super::wrapped;
use crate::report::stored_run::{Facts, Statement};
use crate::report::topics::step_devices;
use crate::show::number::{bytes, decimals};

/// The load in words, then its devices. All is known to every reader: `unicode` makes no difference.
pub fn paragraphs(facts: &Facts, _unicode: bool) -> Vec<Vec<String>> {
    let devices = step_devices::topic(&facts.step_devices);
    let devices = devices.map(|topic| topic.lines());
    std::iter::once(lines(facts)).chain(devices).collect()
}

/// The load in words, up to a line with the times of its steps.
fn lines(facts: &Facts) -> Vec<String> {
    let run = &facts.run;
    let mut lines = vec![format!("load of: {}", run.workload)];
    lines.extend(
        run.exact_scale()
            .map(|scale| format!("scaling factor: {scale}")),
    );
    let workers = run.clients;
    lines.extend(workers.map(|workers| format!("number of loading workers: {workers}")));
    let loaded = Loaded::of(facts);
    if let Some(rows) = loaded.rows {
        lines.push(format!("rows loaded: {rows}"));
        let rate = loaded.rate();
        lines.extend(rate.map(|rate| format!("rows per second: {rate:.0}")));
    }
    if let Some(seconds) = loaded.seconds {
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
    let wal = run.wal_bytes;
    let wal = wal.map(|wal| format!("WAL in total: {}", bytes(wal as f64)));
    lines.extend(wrapped(wal.into_iter().chain(footprint(run))));
    lines
}

/// The result of a load.
pub struct Loaded {
    /// None: no step has loaded any.
    pub rows: Option<i64>,
    pub seconds: Option<f64>,
}

impl Loaded {
    pub fn of(facts: &Facts) -> Loaded {
        let steps = &facts.statements;
        let rows = steps.iter().filter_map(|step| step.rows);
        let seconds = facts.run.duration_s.or_else(|| {
            let steps: Vec<f64> = steps.iter().filter_map(step_seconds).collect();
            (!steps.is_empty()).then(|| steps.iter().sum())
        });
        Loaded {
            rows: rows.reduce(|sum, rows| sum + rows),
            seconds,
        }
    }

    /// Rows per second.
    pub fn rate(&self) -> Option<f64> {
        let (rows, seconds) = self.rows.zip(self.seconds)?;
        (seconds > 0.0).then(|| rows as f64 / seconds)
    }
}

/// None for a step that did not run.
fn step_seconds(step: &Statement) -> Option<f64> {
    Some(step.latency_avg_ms? * step.calls? as f64 / 1000.0)
}
