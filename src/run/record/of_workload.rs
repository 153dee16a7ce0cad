//! The metrics that the families of a run's workloads have, and that of its terminals.

use super::rows::{ScriptRow, StatementRow};
use crate::facts::metrics::Metric;
use crate::run::request::spec::Spec;
use crate::workload::{
    Measured, MeasuredCommand, MeasuredScript, Scale, families, name_in_workload,
};
use measure::metrics::{self, OF_WORKLOAD, Source};

/// The metrics of a run of which each script and each command did this, of so many transactions in so many seconds.
///
/// The commands of a run that was interrupted lack its last transactions before that: rates are then of those that they have, in their
/// share of the time, and totals are in proportion; none where no command is known.
pub fn metrics(
    spec: &Spec,
    scripts: &[ScriptRow],
    statements: &[StatementRow],
    transactions: u64,
    seconds: f64,
) -> Vec<Metric> {
    let known = |row: &ScriptRow| match spec.segment {
        0 => row.transactions,
        _ => row.transactions.min(begun(statements, row.script_no)),
    };
    let all_known: u64 = scripts.iter().map(known).sum();
    if all_known == 0 && transactions > 0 {
        return Vec::new();
    }
    let share = match all_known < transactions {
        true => all_known as f64 / transactions as f64,
        false => 1.0,
    };
    let scripts = scripts.iter().map(|row| MeasuredScript {
        name: name_in_workload(&row.script),
        transactions: known(row),
        failed: row.failed,
        mean_ms: row.latency.latency_avg_ms,
        p90_ms: row.latency.latency_p90_ms,
        commands: commands(statements, row.script_no),
    });
    let measured = Measured {
        seconds: seconds * share,
        clients: spec.clients,
        scale: spec.scale.map(Scale::value),
        scripts: scripts.collect(),
    };
    let has_run = |name: &str| spec.families.iter().any(|family| family == name);
    let families = families().iter().filter(|family| has_run(family.name()));
    let mut metrics: Vec<Metric> = families
        .flat_map(|family| family.metrics(&measured))
        .map(|(name, value)| {
            let known = metrics::find(Source::Facts, OF_WORKLOAD, name);
            let is_total = known.is_some_and(|metric| metric.total);
            let value = value.map(|value| if is_total { value / share } else { value });
            Metric::new(name, value)
        })
        .collect();
    if let Some(percent) = efficiency(spec, &measured) {
        metrics.push(Metric::new("terminal_efficiency_percent", Some(percent)));
    }
    metrics
}

/// How often the first command of a script was executed.
fn begun(statements: &[StatementRow], script_no: usize) -> u64 {
    let mut of_script = statements.iter().filter(|row| row.script_no == script_no);
    of_script.next().map_or(0, |row| row.calls)
}

fn commands(statements: &[StatementRow], script_no: usize) -> Vec<MeasuredCommand<'_>> {
    let of_script = statements.iter().filter(|row| row.script_no == script_no);
    let commands = of_script.map(|row| MeasuredCommand {
        text: &row.statement,
        calls: row.calls,
        rows: row.usage.rows.unwrap_or(0),
    });
    commands.collect()
}

/// The transactions of terminals as a share of those that they would do if transactions took no time. None: there are no
/// terminals, or they do not wait.
fn efficiency(spec: &Spec, measured: &Measured) -> Option<f64> {
    let terminals = f64::from(spec.terminals?);
    let weights: f64 = spec.scripts.iter().map(|it| f64::from(it.weight)).sum();
    let cycles = spec.scripts.iter();
    let cycles = cycles.map(|it| f64::from(it.weight) * it.pace.map_or(0.0, |pace| pace.mean_ns()));
    let cycle_s = cycles.sum::<f64>() / weights / 1e9;
    let done: u64 = measured.scripts.iter().map(|it| it.transactions).sum();
    let possible = terminals * measured.seconds / cycle_s;
    (cycle_s > 0.0 && possible > 0.0).then(|| 100.0 * done as f64 / possible)
}
