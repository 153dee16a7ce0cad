//! A workload derived from TPC-C, revision 5.11: its nine tables, its five transactions and its consistency conditions. It is
//! not TPC-C: it has nothing of the specification's terminals, durability tests or pricing, and its results cannot be
//! compared with published ones. docs/workloads.md lists the differences.

mod checks;
mod functions;
mod load;
mod metrics;
mod options;
mod orders;
mod random;
mod rows;
mod scripts;
mod tables;
#[cfg(test)]
mod tests;

use super::data_set::Step;
use super::family::{Family, Measured, Workload};
use super::option::Definition;
use super::params::Params;
use crate::error::Result;
use options::RunOptions;
use tables::{DATA_SET, WAREHOUSE};

/// The data set and its workloads.
#[derive(Debug)]
pub(super) struct Tpcc;

static WORKLOADS: [Workload; 2] = [
    Workload {
        name: "tpcc-like",
        description: "tpcc-like: derived from TPC-C, transactions in functions",
        family: &Tpcc,
        scripts: |params| scripts::scripts(&scripts::STORED, &RunOptions::of(params)),
        relations: |_| DATA_SET.names(),
        checks: checks::checks,
    },
    Workload {
        name: "tpcc-like-sql",
        description: "tpcc-like-sql: derived from TPC-C, transactions in plain statements",
        family: &Tpcc,
        scripts: |params| scripts::scripts(&scripts::PLAIN, &RunOptions::of(params)),
        relations: |_| DATA_SET.names(),
        checks: checks::checks,
    },
];

impl Family for Tpcc {
    fn name(&self) -> &'static str {
        "tpcc-like"
    }

    fn options(&self) -> &'static [Definition] {
        &options::DEFINITIONS
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, _params: &Params) -> Vec<String> {
        DATA_SET.names()
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        load::steps(params)
    }

    fn count_scale(&self, params: &Params) -> Option<String> {
        Some(format!(
            "SELECT pg_catalog.count(*) FROM {}",
            WAREHOUSE.qualified(&params.schema)
        ))
    }

    fn contended_rows(&self) -> Option<&'static str> {
        Some("warehouses")
    }

    fn check_run(&self, params: &Params) -> Result<()> {
        options::check_run(params)
    }

    fn functions(&self, workload: &str) -> &'static [&'static str] {
        match workload {
            "tpcc-like" => &functions::CALLED,
            _ => &[],
        }
    }

    fn terminals(&self, params: &Params) -> Option<u32> {
        RunOptions::of(params)
            .terminals
            .map(|terminals| terminals.count)
    }

    fn metrics(&self, measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
        let known = metrics::of(measured).into_iter();
        known.map(|(name, value)| (name, Some(value))).collect()
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        DATA_SET.vacuum(&params.schema, all)
    }
}
