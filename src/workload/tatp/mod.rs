//! TATP, the Telecommunication Application Transaction Processing benchmark, revision 1.0: the register of a mobile network's
//! subscribers, and seven short transactions, most of which read. docs/workloads.md lists the differences.

mod checks;
mod load;
mod options;
mod rows;
mod scripts;
mod tables;
#[cfg(test)]
mod tests;

use super::data_set::Step;
use super::family::{Family, Workload};
use super::option::Definition;
use super::params::Params;
use crate::error::Result;
use tables::DATA_SET;

/// The data set and its workload.
#[derive(Debug)]
pub(super) struct Tatp;

static WORKLOADS: [Workload; 1] = [Workload {
    name: "tatp",
    description: "tatp: seven transactions on the register of a mobile network",
    family: &Tatp,
    scripts: scripts::scripts,
    relations: |_| DATA_SET.names(),
    checks: checks::checks,
}];

impl Family for Tatp {
    fn name(&self) -> &'static str {
        "tatp"
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

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        DATA_SET.vacuum(&params.schema, all)
    }
}
