//! A workload derived from TPC-H, revision 3: its eight tables, its 22 queries and the orders in which streams run them. It is no
//! TPC-H: refresh functions are missing, nothing is audited, and its results cannot be compared with published ones.
//! docs/workloads.md lists the differences.

mod checks;
mod load;
mod metrics;
mod options;
mod parameters;
mod queries;
mod rows;
mod streams;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use super::data_set::Step;
use super::error::Result;
use super::family::{Family, Measured, Workload};
use super::option::Definition;
use super::params::Params;
use options::Options;
use tables::{Exact, Tables};

/// The data set and its workload.
#[derive(Debug)]
pub(super) struct Tpch;

static WORKLOADS: [Workload; 1] = [Workload {
    name: "tpch-like",
    description: "tpch-like: derived from TPC-H, 22 queries in the order of a stream",
    family: &Tpch,
    scripts: |params| queries::scripts(Options::of(params).validation),
    relations: |_| names(),
    checks: checks::checks,
}];

/// The names of the tables, which are the same whatever their decimals are.
fn names() -> Vec<String> {
    Tables::<Exact>::DATA_SET.names()
}

impl Family for Tpch {
    fn name(&self) -> &'static str {
        "tpch-like"
    }

    fn options(&self) -> &'static [Definition] {
        &options::DEFINITIONS
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, _params: &Params) -> Vec<String> {
        names()
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        load::steps(params)
    }

    /// Each client runs a stream: the power test's if it is the only one, those of the throughput test otherwise.
    fn sequences(&self, params: &Params, clients: usize) -> Vec<Vec<usize>> {
        let first = Options::of(params).stream;
        let first = first.unwrap_or(usize::from(clients > 1));
        let scripts = |stream| streams::queries(stream).map(|query| usize::from(query) - 1);
        (first..first + clients.min(streams::STREAMS))
            .map(|stream| scripts(stream).to_vec())
            .collect()
    }

    fn metrics(&self, measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
        metrics::of(measured)
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        Tables::<Exact>::DATA_SET.vacuum(&params.schema, all)
    }
}
