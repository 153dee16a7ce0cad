//! pgbench's tables and its three built-in scripts, word for word, so that the server sees the same
//! statements (and pg_stat_statements the same queryids) as from pgbench.

mod checks;
mod init;
mod options;
mod partitions;

use super::data_set::Step;
use super::family::{Family, Workload};
use super::option::Definition;
use super::params::Params;
use super::scripts::ScriptSpec;
use crate::error::Result;
use crate::pg::sql::quote::qualified;
use options::InitOptions;

/// A table of the data set.
struct PgbenchTable {
    name: &'static str,
    columns: &'static str,
    /// The primary key. Every table that is loaded and then updated has one.
    key: Option<&'static str>,
    /// Rows for each unit of scale.
    rows: i32,
}

const BRANCHES: PgbenchTable = PgbenchTable {
    name: "pgbench_branches",
    columns: "bid int NOT NULL, bbalance int, filler char(88)",
    key: Some("bid"),
    rows: 1,
};
const TELLERS: PgbenchTable = PgbenchTable {
    name: "pgbench_tellers",
    columns: "tid int NOT NULL, bid int, tbalance int, filler char(84)",
    key: Some("tid"),
    rows: 10,
};
const ACCOUNTS: PgbenchTable = PgbenchTable {
    name: "pgbench_accounts",
    columns: "aid int NOT NULL, bid int, abalance int, filler char(84)",
    key: Some("aid"),
    rows: 100_000,
};
const HISTORY: PgbenchTable = PgbenchTable {
    name: "pgbench_history",
    columns: "tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)",
    key: None,
    rows: 0,
};

/// All tables. A table comes before those that refer to it.
const TABLES: [&PgbenchTable; 4] = [&BRANCHES, &TELLERS, &ACCOUNTS, &HISTORY];

/// pgbench's tables and workloads.
#[derive(Debug)]
pub(super) struct Pgbench;

impl Family for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn options(&self) -> &'static [Definition] {
        &options::DEFINITIONS
    }

    fn workloads(&self) -> &'static [Workload] {
        &WORKLOADS
    }

    fn tables(&self, _params: &Params) -> Vec<String> {
        names(&TABLES)
    }

    fn data_set(&self, params: &Params) -> Result<Vec<Step>> {
        init::plan(&InitOptions::of(params)?)
    }

    fn needed_majors(&self, params: &Params) -> Vec<(&'static str, u32)> {
        InitOptions::of(params).map_or_else(
            |_| Vec::new(),
            |options| partitions::needed_majors(&options),
        )
    }

    /// There is one branch for each unit of scale.
    fn count_scale(&self, params: &Params) -> Option<String> {
        Some(format!(
            "SELECT pg_catalog.count(*) FROM {}",
            qualified(&params.schema, BRANCHES.name)
        ))
    }

    fn contended_rows(&self) -> Option<&'static str> {
        Some("branches")
    }

    /// The same as pgbench.c main() before a run.
    fn vacuum(&self, params: &Params, all: bool) -> Vec<String> {
        let name = |table: &PgbenchTable| qualified(&params.schema, table.name);
        let mut statements = vec![
            format!("VACUUM {}", name(&BRANCHES)),
            format!("VACUUM {}", name(&TELLERS)),
            format!("TRUNCATE {}", name(&HISTORY)),
        ];
        if all {
            statements.push(format!("VACUUM (ANALYZE) {}", name(&ACCOUNTS)));
        }
        statements
    }
}

fn names(tables: &[&PgbenchTable]) -> Vec<String> {
    tables.iter().map(|table| table.name.to_owned()).collect()
}

const TPCB_LIKE: &str = "tpcb-like";
const SIMPLE_UPDATE: &str = "simple-update";
const SELECT_ONLY: &str = "select-only";

pub(super) static WORKLOADS: [Workload; 3] = [
    Workload {
        name: TPCB_LIKE,
        description: "<builtin: TPC-B (sort of)>",
        family: &Pgbench,
        scripts: |_| script(TPCB_LIKE, include_str!("tpcb_like.sql")),
        relations: |_| names(&TABLES),
        checks: checks::tpcb_like,
    },
    Workload {
        name: SIMPLE_UPDATE,
        description: "<builtin: simple update>",
        family: &Pgbench,
        scripts: |_| script(SIMPLE_UPDATE, include_str!("simple_update.sql")),
        relations: |_| names(&[&BRANCHES, &ACCOUNTS, &HISTORY]),
        checks: checks::simple_update,
    },
    Workload {
        name: SELECT_ONLY,
        description: "<builtin: select only>",
        family: &Pgbench,
        scripts: |_| script(SELECT_ONLY, include_str!("select_only.sql")),
        relations: |_| names(&[&BRANCHES, &ACCOUNTS]),
        checks: checks::select_only,
    },
];

fn script(name: &str, text: &str) -> Vec<ScriptSpec> {
    vec![ScriptSpec::new(name, text, 1)]
}
