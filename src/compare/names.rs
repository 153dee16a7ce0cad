//! The runs that a caller means.

use super::peers;
use crate::catalog::error::is_unknown_run;
use crate::catalog::runs::{ExistingRun, by_id, by_name, may_see_sql};
use crate::error::{Result, failure, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::server;
use crate::pg::sql::spi;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT;
use serde::Deserialize;
use std::collections::HashSet;

/// The runs of one side, each named by
/// * `#7`: the run with that number here, which is how calls with numbers arrive here;
/// * a named baseline, which stands for all of its runs;
/// * its run_id as text, or `node name/run_id`;
/// * its label, which stands for the newest run that has it and the [repetitions](peers::repetitions) of that;
/// * the label of a sweep, which stands for the finished runs of the newest one that has it, if it has one point;
/// * NULL: the newest run of this node.
///
/// # Errors
/// There is none, one is named twice, or the caller may not see one of them.
pub fn resolve(side: &str, names: &[Option<String>]) -> Result<Vec<ExistingRun>> {
    let mut runs = Vec::new();
    for name in names {
        match name {
            None => runs.push(by_id(None)?),
            Some(name) => runs.extend(named(name)?),
        }
    }
    if runs.is_empty() {
        return Err(invalid(format!("{side} must name at least one run")));
    }
    for run in &runs {
        run.check_visible()?;
    }
    if let Some(run_id) = named_twice(&runs) {
        return Err(invalid(format!("{side} names run {run_id} more than once")).hinting("A label stands for its newest run with the repetitions of that, a baseline for all of its runs. Name single runs by their run_id."));
    }
    Ok(runs)
}

/// A run does not vary from itself: given twice, it would seem to have no noise.
fn named_twice(runs: &[ExistingRun]) -> Option<i64> {
    let mut seen = HashSet::new();
    let mut twice = runs
        .iter()
        .filter(|run| !seen.insert((&run.node_id, run.run_id)));
    twice.next().map(|run| run.run_id)
}

/// Fails if the newest run, which nobody has named, is on the other side, too.
pub fn check_apart(baseline: &[ExistingRun], candidate: &[ExistingRun]) -> Result<()> {
    let both: Vec<ExistingRun> = baseline.iter().chain(candidate).cloned().collect();
    match named_twice(&both) {
        None => Ok(()),
        Some(run_id) => Err(invalid(format!("run {run_id} is on both sides"))
            .hinting("NULL is the newest run. The view pgperf.runs lists all.")),
    }
}

/// The name of a run by its number here; None: the newest.
pub fn of_id(run_id: Option<i64>) -> Option<String> {
    run_id.map(|run_id| format!("#{run_id}"))
}

fn named(name: &str) -> Result<Vec<ExistingRun>> {
    if let Some(run_id) = name.strip_prefix('#').and_then(|id| id.parse().ok()) {
        return Ok(vec![by_id(Some(run_id))?]);
    }
    let of_baseline: Vec<ExistingRun> = as_owner(|| {
        spi::select(
            "SELECT r.node_id, r.run_id, r.role FROM pgperf.baselines b \
             JOIN pgperf_internal.stored_runs r USING (node_id, run_id) WHERE b.name = $1 ORDER BY b.run_no",
            &[name.into()],
        )
    })?;
    if !of_baseline.is_empty() {
        return Ok(of_baseline);
    }
    match by_name(name) {
        Err(error) if is_unknown_run(&error) && name.trim().parse::<i64>().is_err() => {
            let of_sweep = of_sweep(name)?;
            match of_sweep.is_empty() {
                false => Ok(of_sweep),
                true => Err(failure(
                    ERRCODE_UNDEFINED_OBJECT,
                    format!("run or baseline \"{name}\" does not exist"),
                )
                .hinting(
                    "A run is named by its run_id, its label, or 'node name/run_id' (pgperf.runs), a baseline by its name \
                     (pgperf.baselines), the runs of a sweep by its label (pgperf.sweeps).",
                )),
            }
        }
        run => {
            let newest = run?;
            let repetitions = peers::repetitions(&newest, name)?;
            Ok(match repetitions.is_empty() {
                true => vec![newest],
                false => repetitions,
            })
        }
    }
}

/// The finished runs of the newest sweep with that label; empty: there is none.
///
/// # Errors
/// Its runs are of several points, and no comparison may mix these.
fn of_sweep(label: &str) -> Result<Vec<ExistingRun>> {
    #[derive(Deserialize)]
    struct OfPoint {
        point_no: i64,
        #[serde(flatten)]
        run: ExistingRun,
    }
    let caller = server::current_role();
    let runs: Vec<OfPoint> = as_owner(|| {
        spi::select(
            &format!(
                "SELECT p.point_no, r.node_id, r.run_id, r.role \
                   FROM (SELECT s.node_id, s.sweep_id FROM pgperf_internal.stored_sweeps s WHERE s.label = $1 \
                          ORDER BY ({}) DESC, s.requested_at DESC, s.sweep_id DESC LIMIT 1) s \
                   JOIN pgperf.sweep_points p ON p.node_id = s.node_id AND p.sweep_id = s.sweep_id \
                   JOIN pgperf_internal.stored_runs r ON r.node_id = p.node_id AND r.run_id = ANY (p.run_ids) \
                  ORDER BY p.point_no, r.run_id",
                may_see_sql("$2", "s.role")
            ),
            &[label.into(), caller.into()],
        )
    })?;
    for of_point in &runs {
        of_point.run.check_visible()?;
    }
    let first = runs.first().map(|run| run.point_no);
    if runs.iter().any(|run| Some(run.point_no) != first) {
        return Err(invalid(format!("sweep \"{label}\" has several points"))
            .hinting("Name the runs of one: pgperf.sweep_points has them in run_ids. pgperf.sweep_report shows sweeps side by side."));
    }
    Ok(runs.into_iter().map(|run| run.run).collect())
}
