//! sysbench's OLTP scripts and tables, of version 1.0.20: the same statements, tables and distributions.

mod checks;
mod data_set;
mod draws;
mod options;
mod scripts;

use super::data_set::{Step, vacuum};
use super::family::{Family, Workload};
use super::option::Definition;
use super::params::Params;
use super::scale::Scale;
use super::scripts::ScriptSpec;
use crate::error::Result;
use crate::pg::sql::quote::qualified;
use options::SysbenchOptions;

/// sysbench's tables and workloads.
#[derive(Debug)]
pub(super) struct Sysbench;

impl Family for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn options(&self) -> &'static [Definition] {
        &options::DEFINITIONS
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, params: &Params) -> Vec<String> {
        tables(params)
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        data_set::steps(&SysbenchOptions::of(params)?)
    }

    /// Tables that sysbench has made: table_size alone says how many rows they have.
    fn foreign_scale(&self) -> Option<Scale> {
        Some(Scale::from(1))
    }

    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        let names = tables(params).into_iter();
        vacuum(names.map(|name| qualified(&params.schema, &name)), all)
    }
}

fn tables(params: &Params) -> Vec<String> {
    let tables = SysbenchOptions::of(params).map_or(1, |options| options.tables);
    (1..=tables).map(data_set::table_name).collect()
}

fn first_table(_params: &Params) -> Vec<String> {
    vec![data_set::table_name(1)]
}

/// A workload of one script.
macro_rules! workload {
    ($name:literal, $doc:literal, $script:path, $relations:path, $checks:path) => {
        Workload {
            name: $name,
            description: concat!("sysbench ", $name, ": ", $doc),
            family: &Sysbench,
            scripts: |params| script($name, params, $script),
            relations: $relations,
            checks: $checks,
        }
    };
}

static WORKLOADS: [Workload; 10] = [
    workload!(
        "oltp_read_only",
        "selects in a transaction",
        scripts::read_only,
        tables,
        checks::all_rows
    ),
    workload!(
        "oltp_read_write",
        "selects, updates, a delete and an insert in a transaction",
        scripts::read_write,
        tables,
        checks::all_rows
    ),
    workload!(
        "oltp_write_only",
        "updates, a delete and an insert in a transaction",
        scripts::write_only,
        tables,
        checks::all_rows
    ),
    workload!(
        "oltp_point_select",
        "a select of one row",
        scripts::point_select,
        tables,
        checks::all_rows
    ),
    workload!(
        "oltp_update_index",
        "an update of the indexed column",
        scripts::update_index,
        tables,
        checks::all_rows
    ),
    workload!(
        "oltp_update_non_index",
        "an update of a column without index",
        scripts::update_non_index,
        tables,
        checks::all_rows
    ),
    workload!(
        "oltp_insert",
        "an insert",
        scripts::insert,
        tables,
        checks::none
    ),
    workload!(
        "oltp_delete",
        "a delete",
        scripts::delete,
        tables,
        checks::none
    ),
    workload!(
        "select_random_points",
        "a select of rows with some values",
        scripts::random_points,
        first_table,
        checks::all_rows
    ),
    workload!(
        "select_random_ranges",
        "a count of rows in some ranges",
        scripts::random_ranges,
        first_table,
        checks::all_rows
    ),
];

/// What sysbench's driver ignores besides deadlocks and serialization failures: a key that exists. Two clients that delete and
/// insert the same row meet it.
const IGNORED_ERRORS: [&str; 1] = ["23505"];

fn script(name: &str, params: &Params, text: fn(&SysbenchOptions) -> String) -> Vec<ScriptSpec> {
    // Options were checked before; those of a later version's data set cannot be read.
    let Ok(options) = SysbenchOptions::of(params) else {
        return Vec::new();
    };
    let script = ScriptSpec::new(name, &text(&options), 1);
    vec![ScriptSpec {
        // sysbench prepares all statements but this one.
        simple: name == "oltp_insert",
        survives: IGNORED_ERRORS.map(str::to_owned).to_vec(),
        ..script
    }]
}

#[cfg(test)]
mod tests;
