//! A workload derived from TPC-H, revision 3: its eight tables, its 22 queries and the orders in which streams run them. It
//! is not TPC-H: nothing is audited, and its results cannot be compared with published ones. docs/workloads.md lists the
//! differences.

mod answers;
mod checks;
mod comments;
mod generators;
mod load;
mod metrics;
mod months;
mod options;
mod parameters;
mod queries;
mod refresh;
mod rows;
mod streams;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod words;

use super::answers::Answer;
use super::data_set::Step;
use super::family::{Family, Measured, Workload};
use super::option::Definition;
use super::params::Params;
use super::plain::Plain;
use super::scripts::ScriptSpec;
use crate::error::Result;
use options::TpchOptions;
use tables::{Exact, Tables};

/// As many processes as a server may have: a run with more clients is refused later, and needs no orders of scripts before.
const MAX_CLIENTS: usize = 262_143;

/// The data set and its workload.
#[derive(Debug)]
pub(super) struct Tpch;

static WORKLOADS: [Workload; 1] = [Workload {
    name: "tpch-like",
    description: "tpch-like: derived from TPC-H, 22 queries in the order of a stream",
    family: &Tpch,
    scripts,
    relations,
    checks: checks::checks,
}];

fn scripts(params: &Params) -> Vec<ScriptSpec> {
    let own = TpchOptions::of(params);
    let mut scripts = queries::scripts(own.validation);
    if own.refresh {
        scripts.extend(refresh::scripts());
    }
    scripts
}

/// Where new orders are not loaded, `check_run` refuses refreshes.
fn relations(params: &Params) -> Vec<String> {
    let own = TpchOptions::of(params);
    data_set(own.refresh && own.refresh_orders).names()
}

/// The tables, whose names are the same whatever their decimals are.
fn data_set(with_new_orders: bool) -> Plain {
    Tables::<Exact>::data_set(with_new_orders)
}

impl Family for Tpch {
    fn name(&self) -> &'static str {
        "tpch-like"
    }

    fn options(&self) -> &'static [Definition] {
        &options::DEFINITIONS
    }

    fn has_plans_of_interest(&self) -> bool {
        true
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, params: &Params) -> Vec<String> {
        data_set(TpchOptions::of(params).refresh_orders).names()
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        load::steps(params)
    }

    fn needed_majors(&self, params: &Params) -> Vec<(&'static str, u32)> {
        options::needed_majors(&TpchOptions::of(params))
    }

    fn check_run(&self, params: &Params) -> Result<()> {
        options::check_run(params)
    }

    /// Each client runs a stream: the power test's if it is the only one, those of the throughput test otherwise.
    fn sequences(&self, params: &Params, clients: usize) -> Vec<Vec<usize>> {
        let own = TpchOptions::of(params);
        let clients = clients.min(MAX_CLIENTS);
        let first = own.stream.unwrap_or(usize::from(clients > 1));
        let scripts = |stream| streams::queries(stream).map(|query| usize::from(query) - 1);
        let streams = (first..first + clients).map(|stream| scripts(stream).to_vec());
        match own.refresh {
            true => refresh::around(streams.collect()),
            false => streams.take(streams::STREAMS).collect(),
        }
    }

    fn undo(&self, params: &Params) -> Vec<String> {
        match TpchOptions::of(params).refresh {
            true => refresh::undo(&params.schema),
            false => Vec::new(),
        }
    }

    fn answers(&self, params: &Params) -> Result<Vec<Answer>> {
        answers::answers(params)
    }

    fn metrics(&self, measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
        metrics::of(measured)
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        data_set(TpchOptions::of(params).refresh_orders).vacuum(&params.schema, all)
    }
}
