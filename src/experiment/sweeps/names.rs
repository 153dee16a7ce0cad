//! The sweeps that a call names.

use super::{ExistingSweep, all, by_id};
use crate::error::{Result, failure, invalid};
use crate::experiment::error::is_unknown;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use std::collections::HashSet;

/// The sweeps, each named by
/// * `#7`: the sweep with that sweep_id, which is how calls with numbers arrive here;
/// * a label, which stands for the newest sweep of each node that has it and that the caller may see;
/// * `node name/sweep_id`, by the number on that node or, if it was imported, by the one here;
/// * its sweep_id as text;
/// * NULL: the newest sweep of this node.
///
/// # Errors
/// There is none, one is named twice, or the caller may not see one of them.
pub fn resolve(names: &[Option<String>]) -> Result<Vec<ExistingSweep>> {
    let mut sweeps = Vec::new();
    for name in names {
        match name {
            None => sweeps.push(by_id(None)?),
            Some(name) => sweeps.extend(named(name)?),
        }
    }
    if sweeps.is_empty() {
        return Err(invalid("sweeps must name at least one sweep"));
    }
    for sweep in &sweeps {
        sweep.check_visible()?;
    }
    let mut seen = HashSet::new();
    let twice = sweeps
        .iter()
        .find(|sweep| !seen.insert((&sweep.node_id, sweep.sweep_id)));
    match twice {
        None => Ok(sweeps),
        Some(sweep) => Err(invalid(format!(
            "sweeps names sweep {} more than once",
            sweep.sweep_id
        ))
        .hinting("A label stands for the newest sweep of each node that has it.")),
    }
}

fn named(name: &str) -> Result<Vec<ExistingSweep>> {
    if let Some(sweep_id) = name.strip_prefix('#').and_then(|id| id.parse().ok()) {
        return Ok(vec![by_id(Some(sweep_id))?]);
    }
    let labelled = all(LABELLED, &[name.into()])?;
    let visible = labelled
        .iter()
        .filter(|sweep| sweep.check_visible().is_ok());
    let newest = newest_of_nodes(visible.cloned());
    if !newest.is_empty() {
        return Ok(newest);
    }
    if let Some(hidden) = labelled.first() {
        hidden.check_visible()?;
    }
    if let Some((node, sweep_id)) = name.rsplit_once('/')
        && let Ok(sweep_id) = sweep_id.parse::<i64>()
    {
        let numbered = all(NUMBERED, &[node.into(), sweep_id.into()])?;
        if let Some(sweep) = numbered.into_iter().next() {
            return Ok(vec![sweep]);
        }
    }
    match name.parse().map(|sweep_id| by_id(Some(sweep_id))) {
        Ok(Err(error)) if is_unknown(&error) => Err(error),
        Ok(sweep) => Ok(vec![sweep?]),
        Err(_) => Err(failure(
            PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
            format!("sweep \"{name}\" does not exist"),
        )
        .hinting(
            "A sweep is named by its label, 'node name/sweep_id', or its sweep_id; the view pgperf.sweeps lists them.",
        )),
    }
}

/// The first of each node: they come with the newest first, version by version.
fn newest_of_nodes(sweeps: impl Iterator<Item = ExistingSweep>) -> Vec<ExistingSweep> {
    let mut nodes = HashSet::new();
    sweeps
        .filter(|sweep| nodes.insert(sweep.node_id.clone()))
        .collect()
}

/// By the version of the server; of each node, the newest first.
const LABELLED: &str = "SELECT node_id, sweep_id FROM ( \
        SELECT s.*, pg_catalog.row_number() OVER (PARTITION BY s.node_id ORDER BY s.requested_at DESC, s.sweep_id DESC) AS age \
          FROM pgperf_internal.stored_sweeps s WHERE s.label = $1) l \
     ORDER BY age, pg_catalog.string_to_array(pg_catalog.substring(server_version, '^[0-9]+(?:[.][0-9]+)*'), '.')::pg_catalog.int4[], requested_at, sweep_id";
const NUMBERED: &str = "SELECT s.node_id, s.sweep_id FROM pgperf_internal.stored_sweeps s JOIN pgperf.nodes n USING (node_id) \
     WHERE n.name = $1 AND (s.origin_sweep_id = $2 OR s.sweep_id = $2) \
     ORDER BY COALESCE(s.origin_sweep_id, s.sweep_id) = $2 DESC, n.created_at DESC, s.sweep_id LIMIT 1";
