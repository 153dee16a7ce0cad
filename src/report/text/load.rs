//! The report of a load (`CALL pgperf.init`): its rows in `run_statements` are the steps.

use super::details::footprint;
use super::{told, wrapped};
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
    let loaded = Loaded::of(facts);
    let rate = loaded.rate().map(|rate| format!("{rate:.0}"));
    let lines = [
        told("load of", Some(&run.workload)),
        told("scaling factor", run.exact_scale()),
        told("number of loading workers", run.clients),
        told("rows loaded", loaded.rows),
        told("rows per second", rate),
        loaded
            .seconds
            .map(|seconds| done(seconds, &facts.statements)),
    ];
    let mut lines: Vec<String> = lines.into_iter().flatten().collect();
    let wal = run.wal_bytes;
    let wal = wal.map(|wal| format!("WAL in total: {}", bytes(wal as f64)));
    lines.extend(wrapped(wal.into_iter().chain(footprint(run))));
    lines
}

fn done(seconds: f64, steps: &[Statement]) -> String {
    let steps = steps.iter();
    let steps =
        steps.map(|step| format!("{} {} s", step.statement, decimals(step_seconds(step), 2)));
    let steps: Vec<String> = steps.collect();
    match steps.is_empty() {
        true => format!("done in {seconds:.2} s."),
        false => format!("done in {seconds:.2} s ({}).", steps.join(", ")),
    }
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
