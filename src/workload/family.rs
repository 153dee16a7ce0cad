//! A family of workloads: a data set, and the workloads that run on it. Each is a folder beside this file and a line in
//! [`families`]; nothing else knows its tables, scripts and steps by name.

use super::data_set::Step;
use super::option::Definition;
use super::params::Params;
use super::scripts::ScriptSpec;
#[cfg(any(test, feature = "toy"))]
use super::toy;
use super::{Check, Result, pgbench};
use std::fmt::Debug;

/// A data set and its workloads. Definitions only: texts and numbers, no server; whoever runs them brings the session.
pub trait Family: Debug + Sync {
    /// Its name, that of its data set in `pgperf.data_sets`.
    fn name(&self) -> &'static str;

    /// What can be chosen when its tables are loaded; `scale` among them.
    fn options(&self) -> &'static [Definition];

    /// Its workloads, whose names no other family has.
    fn workloads(&self) -> &'static [Workload];

    /// The tables of the data set, those that others refer to first.
    fn tables(&self, params: &Params) -> Vec<String>;

    /// The load of the data set as steps, which say themselves what they drop, create and fill.
    ///
    /// # Errors
    /// Options that do not go together.
    fn data_set(&self, params: &Params) -> Result<Vec<Step>>;

    /// A query of one number: the scale of tables that somebody else may have loaded; None: they do not tell it, so that it
    /// is known of tables that pgperf loaded alone.
    fn count_scale(&self, _params: &Params) -> Option<String> {
        None
    }

    /// The statements of `vacuum => 'standard'` before a run, and of `'all'`. They may truncate tables.
    fn vacuum(&self, params: &Params, all: bool) -> Vec<String>;
}

/// A built-in workload.
#[derive(Debug)]
pub struct Workload {
    /// The name to call it by, such as `tpcb-like`.
    pub name: &'static str,
    /// The "transaction type" of a report.
    pub description: &'static str,
    /// Whose tables it runs on.
    pub family: &'static dyn Family,
    /// Its transactions, one or several, drawn by their weights.
    pub scripts: fn(&Params) -> Vec<ScriptSpec>,
    /// Those of the family's tables that must be there before a run.
    pub relations: fn(&Params) -> Vec<String>,
    /// What must hold of its tables for as long as only this workload has written to them.
    pub checks: fn(&Params) -> Vec<Check>,
}

/// All families, that of the default workload first.
pub fn families() -> &'static [&'static dyn Family] {
    &[
        &pgbench::Pgbench,
        #[cfg(any(test, feature = "toy"))]
        &toy::Toy,
    ]
}
