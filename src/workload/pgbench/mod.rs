//! pgbench's tables and its three built-in scripts, word for word, so that the server sees the same
//! statements (and pg_stat_statements the same queryids) as from pgbench.

mod checks;
mod init;
mod partitions;

use super::{DataSet, Workload};
use crate::pg::sql::quote::qualified;

/// A table of the data set.
struct Table {
    name: &'static str,
    columns: &'static str,
    /// The primary key, which every table has that is loaded and then updated.
    key: Option<&'static str>,
    /// Rows for each unit of scale.
    rows: i32,
}

const BRANCHES: Table = Table {
    name: "pgbench_branches",
    columns: "bid int NOT NULL, bbalance int, filler char(88)",
    key: Some("bid"),
    rows: 1,
};
const TELLERS: Table = Table {
    name: "pgbench_tellers",
    columns: "tid int NOT NULL, bid int, tbalance int, filler char(84)",
    key: Some("tid"),
    rows: 10,
};
const ACCOUNTS: Table = Table {
    name: "pgbench_accounts",
    columns: "aid int NOT NULL, bid int, abalance int, filler char(84)",
    key: Some("aid"),
    rows: 100_000,
};
const HISTORY: Table = Table {
    name: "pgbench_history",
    columns: "tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)",
    key: None,
    rows: 0,
};

/// All of them, those that others refer to first.
const TABLES: [&Table; 4] = [&BRANCHES, &TELLERS, &ACCOUNTS, &HISTORY];

static DATA_SET: DataSet = DataSet {
    name: "pgbench",
    tables: &[BRANCHES.name, TELLERS.name, ACCOUNTS.name, HISTORY.name],
    scale_table: BRANCHES.name,
    vacuum,
    plan: init::plan,
};

/// As pgbench.c main() before a run.
fn vacuum(schema: &str, all: bool) -> Vec<String> {
    let name = |table: &Table| qualified(schema, table.name);
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

pub(super) static WORKLOADS: [Workload; 3] = [
    Workload {
        name: "tpcb-like",
        description: "<builtin: TPC-B (sort of)>",
        script: include_str!("tpcb_like.sql"),
        data_set: &DATA_SET,
        relations: &[BRANCHES.name, TELLERS.name, ACCOUNTS.name, HISTORY.name],
        checks: checks::tpcb_like,
    },
    Workload {
        name: "simple-update",
        description: "<builtin: simple update>",
        script: include_str!("simple_update.sql"),
        data_set: &DATA_SET,
        relations: &[BRANCHES.name, ACCOUNTS.name, HISTORY.name],
        checks: checks::simple_update,
    },
    Workload {
        name: "select-only",
        description: "<builtin: select only>",
        script: include_str!("select_only.sql"),
        data_set: &DATA_SET,
        relations: &[BRANCHES.name, ACCOUNTS.name],
        checks: checks::select_only,
    },
];
