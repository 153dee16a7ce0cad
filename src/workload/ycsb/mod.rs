//! The core workloads A to F of YCSB, the Yahoo! Cloud Serving Benchmark: one table of records, its keys and the distributions
//! of the requests for them. docs/workloads.md lists the differences.

mod checks;
mod data_set;
mod keys;
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
use options::{Distribution, YcsbOptions};
use scripts::Operation;

/// The data set and its workloads.
#[derive(Debug)]
pub(super) struct Ycsb;

impl Family for Ycsb {
    fn name(&self) -> &'static str {
        "ycsb"
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
        data_set::steps(&YcsbOptions::of(params)?)
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        DATA_SET.vacuum(&params.schema, all)
    }
}

/// A workload with the shares of its operations in percent, and the distribution of their keys.
macro_rules! workload {
    ($name:literal, $doc:literal, $distribution:ident, $($operation:ident $share:literal),+) => {
        Workload {
            name: $name,
            description: concat!($name, ": ", $doc),
            family: &Ycsb,
            scripts: |params| {
                let operations = [$((Operation::$operation, $share)),+];
                scripts::scripts(params, Distribution::$distribution, &operations)
            },
            relations: |_| DATA_SET.names(),
            checks: checks::checks,
        }
    };
}

static WORKLOADS: [Workload; 6] = [
    workload!(
        "ycsb-a",
        "half reads, half updates",
        Zipfian,
        Read 50,
        Update 50
    ),
    workload!(
        "ycsb-b",
        "95 percent reads, 5 percent updates",
        Zipfian,
        Read 95,
        Update 5
    ),
    workload!("ycsb-c", "reads", Zipfian, Read 100),
    workload!(
        "ycsb-d",
        "95 percent reads of the latest records, 5 percent inserts",
        Latest,
        Read 95,
        Insert 5
    ),
    workload!(
        "ycsb-e",
        "95 percent scans of short ranges, 5 percent inserts",
        Zipfian,
        Scan 95,
        Insert 5
    ),
    workload!(
        "ycsb-f",
        "half reads, half reads with an update of the same record",
        Zipfian,
        Read 50,
        ReadModifyWrite 50
    ),
];
