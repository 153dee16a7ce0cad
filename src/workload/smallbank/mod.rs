//! SmallBank: a bank whose customers have a savings and a checking account each, and six short transactions that conflict on
//! a few customers (Alomari, Cahill, Fekete and Röhm, The Cost of Serializability on Platforms That Use Snapshot Isolation,
//! ICDE 2008). docs/workloads.md lists the differences.

mod checks;
mod data_set;
mod options;
mod scripts;
#[cfg(test)]
mod tests;

use super::data_set::Step;
use super::family::{Family, Workload};
use super::option::Definition;
use super::params::Params;
use crate::error::Result;
use data_set::DATA_SET;

/// The data set and its workload.
#[derive(Debug)]
pub(super) struct SmallBank;

static WORKLOADS: [Workload; 1] = [Workload {
    name: "smallbank",
    description: "smallbank: six transactions on savings and checking accounts",
    family: &SmallBank,
    scripts: scripts::scripts,
    relations: |_| DATA_SET.names(),
    checks: checks::checks,
}];

impl Family for SmallBank {
    fn name(&self) -> &'static str {
        "smallbank"
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
        data_set::steps(params)
    }

    fn check_run(&self, params: &Params) -> Result<()> {
        options::check_run(params)
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        DATA_SET.vacuum(&params.schema, all)
    }
}
