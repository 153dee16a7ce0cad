//! A family of workloads: a data set, and the workloads that run on it. Each is a folder beside this file and a line in
//! `families.rs`; no other module knows its tables, scripts and steps by name.

use super::answers::Answer;
use super::data_set::Step;
use super::option::Definition;
use super::params::Params;
use super::scale::Scale;
use super::scripts::ScriptSpec;
use crate::error::Result;
use std::fmt::Debug;

/// A data set and its workloads. These are texts and numbers only: the code that runs them has the session.
pub trait Family: Debug + Sync {
    /// Its name, which is also that of its data set in `pgperf.data_sets`.
    fn name(&self) -> &str;

    /// Its options, including `scale`: how its tables are loaded, and how its scripts are made.
    fn options(&self) -> &'static [Definition];

    /// Its workloads. No other family has workloads with the same names.
    fn workloads(&self) -> &'static [Workload];

    /// The tables of the data set, which may depend on the options. A table comes before those that refer to it.
    fn tables(&self, params: &Params) -> Vec<String>;

    /// Whether there is a data set: workloads that users have stored may have none.
    fn has_data_set(&self) -> bool {
        true
    }

    /// The load of the data set as steps. Each step states whether it drops, creates or fills the tables.
    ///
    /// # Errors
    /// The options contradict each other.
    fn data_set(&self, params: &Params) -> Result<Vec<Step>>;

    /// What a load with these options needs that not every server has: the options' names, and the first major that has it.
    fn needed_majors(&self, _params: &Params) -> Vec<(&'static str, u32)> {
        Vec::new()
    }

    /// A query that returns one number: the scale of tables, whoever loaded them. None if the tables do not show their
    /// scale: then it is known only for tables that pgperf loaded.
    fn count_scale(&self, _params: &Params) -> Option<String> {
        None
    }

    /// The scale of tables of these names that pgperf did not load, if the tables do not show theirs. None: runs on such
    /// tables are refused.
    fn foreign_scale(&self) -> Option<Scale> {
        None
    }

    /// Checks the options of a run against the tables on which it will run.
    ///
    /// # Errors
    /// An option asks for rows that these tables do not have.
    fn check_run(&self, _params: &Params) -> Result<()> {
        Ok(())
    }

    /// Rows, one for each unit of scale, that so many transactions change that a run with more clients measures how these wait for each
    /// other. None: there are no such rows.
    fn contended_rows(&self) -> Option<&'static str> {
        None
    }

    /// Checks how many clients a run on these tables has.
    ///
    /// # Errors
    /// There are tables for fewer clients.
    fn check_clients(&self, _params: &Params, _clients: usize) -> Result<()> {
        Ok(())
    }

    /// The functions of the data set that the scripts of this workload call.
    fn functions(&self, _workload: &str) -> &'static [&'static str] {
        &[]
    }

    /// How many terminals the options of a run ask for; None: clients run one transaction after the other.
    fn terminals(&self, _params: &Params) -> Option<u32> {
        None
    }

    /// The scripts of each client by their numbers, from 0, in the order in which it runs them, again and again. More clients begin
    /// with the first of these orders again; more orders make the run have more clients than these. None: each transaction draws its script by weight, as in a mix of several workloads.
    fn sequences(&self, _params: &Params, _clients: usize) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// Whether its statements take so long that their plans are of interest, and a run stores them if nothing is said.
    fn has_plans_of_interest(&self) -> bool {
        false
    }

    /// The statements that put the tables back into their state before a run, where its workload does that itself if it is not
    /// stopped. They run after the clients, whatever ended these.
    fn undo(&self, _params: &Params) -> Vec<String> {
        Vec::new()
    }

    /// The queries whose answers `check(full => true)` compares with those of another plan.
    fn answers(&self, _params: &Params) -> Result<Vec<Answer>> {
        Ok(Vec::new())
    }

    /// The metrics of a run that the family alone has, by their names; None: the run lacks what they are made of.
    fn metrics(&self, _measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
        Vec::new()
    }

    /// The statements of `vacuum => 'standard'` before a run, and of `'all'`. They may truncate tables.
    fn vacuum(&self, params: &Params, all: bool) -> Vec<String>;
}

/// A built-in workload.
#[derive(Debug)]
pub struct Workload {
    /// Its name in calls, such as `tpcb-like`.
    pub name: &'static str,
    /// The "transaction type" of a report.
    pub description: &'static str,
    /// The family whose tables it runs on.
    pub family: &'static dyn Family,
    /// Its scripts, one or several; each transaction runs one, drawn by weight or in the order of [`Family::sequences`].
    pub scripts: fn(&Params) -> Vec<ScriptSpec>,
    /// Those of the family's tables that must be there before a run.
    pub relations: fn(&Params) -> Vec<String>,
    /// The conditions that its tables meet as long as only this workload has written to them.
    pub checks: fn(&Params) -> Vec<Check>,
}

/// A consistency condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The condition in words.
    pub name: String,
    /// A query of one row (passed boolean, detail text).
    pub sql: String,
}

/// The measured part of a run.
#[derive(Debug)]
pub struct Measured<'a> {
    pub seconds: f64,
    pub clients: usize,
    /// Of the tables; None: they have none.
    pub scale: Option<f64>,
    pub scripts: Vec<MeasuredScript<'a>>,
}

/// What one of its scripts did.
#[derive(Debug)]
pub struct MeasuredScript<'a> {
    pub name: &'a str,
    /// How many of its transactions were done.
    pub transactions: u64,
    /// How many failed.
    pub failed: u64,
    /// The mean latency of those that were done. None without any.
    pub mean_ms: Option<f64>,
    /// 90 % of them took no longer. None without any.
    pub p90_ms: Option<f64>,
    pub commands: Vec<MeasuredCommand<'a>>,
}

/// What one of a script's commands did: a statement, or a meta-command. Of a run that was interrupted it may be less than what the
/// script did.
#[derive(Debug)]
pub struct MeasuredCommand<'a> {
    /// The first line of a statement; all of a meta-command.
    pub text: &'a str,
    /// How often it was executed, in all tries.
    pub calls: u64,
    /// The rows that it returned or changed.
    pub rows: u64,
}
