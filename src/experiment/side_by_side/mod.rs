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

use super::grid;
use super::options::SweepOptions;
use super::report::facts::{self, Facts};
use super::sweeps::{ExistingSweep, names};
use crate::error::{Error, Result};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::options::Options;
use crate::pg::sql::spi;
use crate::pg::sql::text::{Json, Text, strings};
use crate::report::call;
use crate::run::request::options::Options as RunOptions;
use crate::show::blocks::Report;
use crate::show::text::one_line;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A sweep, and where and when it ran.
#[derive(Debug, Clone)]
pub struct Side {
    /// By which the report names it, other than the others.
    pub name: String,
    pub place: Place,
    pub facts: Facts,
}

/// Where and when a sweep ran, and by which call.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Place {
    pub node: String,
    pub host: Option<String>,
    pub server_version: String,
    pub began: Option<String>,
    pub ended: Option<String>,
    /// The arguments of the call.
    pub call: Option<Map<String, Value>>,
}

impl Place {
    /// The number alone, without the package's.
    pub fn version(&self) -> &str {
        let words = self.server_version.split_whitespace();
        words.clone().next().unwrap_or_default()
    }

    /// From its beginning to its end.
    pub fn dates(&self) -> String {
        match (&self.began, &self.ended) {
            (Some(began), Some(ended)) => format!("{began} to {ended}"),
            (Some(began), None) => format!("{began}, no end"),
            _ => "not begun".to_owned(),
        }
    }

    /// The node, and the host where the node's name does not have it.
    pub fn whereabouts(&self) -> String {
        match &self.host {
            Some(host) if !self.node.contains(host.as_str()) => format!("{} on {host}", self.node),
            _ => self.node.clone(),
        }
    }
}

fn load(found: &ExistingSweep) -> Result<Side> {
    let key = [found.node_id.as_str().into(), found.sweep_id.into()];
    let place: Option<Place> = as_owner(|| {
        spi::select_one(
            "SELECT n.name AS node, n.host, w.server_version, w.spec -> 'call' AS call, \
                pg_catalog.to_char(w.started_at, 'YYYY-MM-DD HH24:MI') AS began, pg_catalog.to_char(w.ended_at, 'YYYY-MM-DD HH24:MI') AS ended \
           FROM pgperf.sweeps w JOIN pgperf.nodes n USING (node_id) \
          WHERE w.node_id = $1::pg_catalog.uuid AND w.sweep_id = $2",
            &key,
        )
    })?;
    Ok(Side {
        name: String::new(),
        place: place.unwrap_or_default(),
        facts: facts::load(found)?,
    })
}

/// Gives each side a name of its own: the version, if all versions differ, otherwise the node, the label or the number.
fn name(sides: &mut [Side]) {
    const LONGEST: usize = 24;
    let candidates: [fn(&Side) -> Option<String>; 3] = [
        |side| Some(side.place.version().to_owned()),
        |side| Some(side.place.node.clone()),
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
        let mut given = side.call();
        given.remove("label");
        given.remove("random_seed");
        given
    };
    let Some((first, others)) = sides.split_first() else {
        return Vec::new();
    };
    let shared = common(first);
    if others.iter().all(|side| common(side) == shared) {
        return vec![(None, written(shared))];
    }
    let named = sides.iter();
    named
        .map(|side| (Some(side.name.as_str()), call_of(side)))
        .collect()
}

/// The call that started one.
fn call_of(side: &Side) -> String {
    written(side.call())
}

fn written(mut given: Map<String, Value>) -> String {
    // The workload first, as in the call.
    let order = [&["workload"], SweepOptions::NAMES, RunOptions::NAMES].concat();
    let defaults = SweepOptions::arguments();
    let is_default = |name: &str, value: &Value| {
        let argument = defaults.iter().find(|argument| argument.name == name);
        argument.and_then(|argument| argument.default.as_deref()) == Some(&*grid::text(value))
    };
    given.retain(|name, value| !is_default(name, value));
    call::call("SELECT pgperf.start_sweep", &order, &given)
}

impl Side {
    /// The arguments of its call.
    fn call(&self) -> Map<String, Value> {
        self.place.call.clone().unwrap_or_default()
    }
}

/// The report of several sweeps.
pub fn report_of(found: &[ExistingSweep]) -> Result<Report> {
    Ok(report::report(&sides(found)?))
}

/// `pgperf_internal.sweep_json_of`: implements all forms of `pgperf.sweep_json`.
#[pg_extern(sql = false)]
fn sweep_json(sweeps: Option<Vec<Option<Text>>>) -> std::result::Result<Json, ErrorReport> {
    let sides = sides(&names::resolve(&strings(sweeps.unwrap_or_default()))?)?;
    let document = serde_json::to_value(document::document(&sides)).map_err(Error::from)?;
    Ok(Json(document))
}
