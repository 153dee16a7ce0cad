//! Several sweeps side by side: those of several versions or servers, after [imports](crate::exchange), or several of one
//! server. Their common points are shown together: a panel for each workload, a curve for each sweep.
//!
//! [`panels`] combines their points and peaks and tests them, [`report`] and [`document`] show the result, [`rows`] returns it.

mod document;
mod panels;
mod report;
mod rows;
#[cfg(test)]
mod tests;

use super::report::call;
use super::report::facts::{self, Facts};
use super::sweeps::{ExistingSweep, names};
use crate::error::Result;
use crate::pg::sql::called::{self, Called};
use crate::pg::sql::text::{Json, Text, strings};
use crate::show::blocks::Report;
use crate::show::text::one_line;
use pgrx::prelude::*;
use serde::Serialize;
use std::collections::HashSet;

/// A sweep with its points and peaks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SweepDocument"))]
pub struct Side {
    /// By which this document names it, other than the others.
    pub name: String,
    #[serde(flatten)]
    pub facts: Facts,
}

fn load(found: &ExistingSweep) -> Result<Side> {
    Ok(Side {
        name: String::new(),
        facts: facts::load(found)?,
    })
}

/// Gives each side a name of its own: the version, if all versions differ, otherwise the node, the label or the number.
fn name(sides: &mut [Side]) {
    const LONGEST: usize = 24;
    let candidates: [fn(&Side) -> Option<String>; 3] = [
        |side| Some(side.facts.origin.version().to_owned()),
        |side| Some(side.facts.origin.node.clone()),
        |side| side.facts.sweep.label.clone(),
    ];
    let names = candidates.iter().find_map(|of| {
        let names: Option<Vec<String>> = sides
            .iter()
            .map(|side| of(side).map(|name| one_line(&name, LONGEST)))
            .collect();
        names.filter(|names| {
            let distinct: HashSet<&String> = names.iter().collect();
            distinct.len() == names.len() && names.iter().all(|name| !name.is_empty())
        })
    });
    for (number, side) in sides.iter_mut().enumerate() {
        let name = names.as_ref().and_then(|names| names.get(number).cloned());
        side.name = name.unwrap_or_else(|| format!("sweep {}", side.facts.sweep.sweep_id));
    }
}

/// The sweeps, in the order given.
///
/// # Errors
/// One of them does not exist, or the current user may not see it.
fn sides(found: &[ExistingSweep]) -> Result<Vec<Side>> {
    let mut sides = found.iter().map(load).collect::<Result<Vec<_>>>()?;
    name(&mut sides);
    Ok(sides)
}

/// The calls that started them: one, if they differ in nothing but label and seed, otherwise that of each.
fn calls(sides: &[Side]) -> Vec<(Option<&str>, String)> {
    let common = |side: &Side| {
        let mut given = call::given(&side.facts.origin.call);
        given.remove("label");
        given.remove("random_seed");
        given
    };
    let Some((first, others)) = sides.split_first() else {
        return Vec::new();
    };
    let shared = common(first);
    if others.iter().all(|side| common(side) == shared) {
        return vec![(None, call::written(shared))];
    }
    let named = sides.iter();
    named
        .map(|side| (Some(side.name.as_str()), call::of(&side.facts.origin)))
        .collect()
}

/// The report of several sweeps.
pub fn report_of(found: &[ExistingSweep]) -> Result<Report> {
    Ok(report::report(&sides(found)?))
}

/// `pgperf_internal.sweep_json_of`: implements all forms of `pgperf.sweep_json`.
#[pg_extern(sql = false)]
fn sweep_json(sweeps: Option<Vec<Option<Text>>>) -> Called<Json> {
    let sides = sides(&names::resolve(&strings(sweeps.unwrap_or_default()))?)?;
    called::document(&document::document(&sides))
}
