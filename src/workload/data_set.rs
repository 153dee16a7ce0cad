//! What a data set is, and how its load is described: steps of SQL statements.

use serde::{Deserialize, Serialize};

use super::Result;
use crate::pg::bulk::Column;
use crate::pg::sql::quote::qualified;

/// The tables that one or more workloads run on.
#[derive(Debug)]
pub struct DataSet {
    /// Its name, as in `pgperf.data_sets`.
    pub name: &'static str,
    /// Its tables, those that others refer to first.
    pub tables: &'static [&'static str],
    /// The table with one row for each unit of scale.
    pub scale_table: &'static str,
    /// The statements that pgbench runs before a run, on the tables in `schema`; the second: `pgbench -v`.
    pub vacuum: fn(schema: &str, all: bool) -> Vec<String>,
    pub(super) plan: fn(&InitOptions) -> Result<Vec<Step>>,
}

impl DataSet {
    /// The load as steps, in the order of `options.steps`.
    ///
    /// # Errors
    /// An option outside its range, or an unknown step.
    pub fn plan(&self, options: &InitOptions) -> Result<Vec<Step>> {
        (self.plan)(options)
    }

    /// A query of one bigint: at which scale the tables in `schema` were loaded.
    pub fn scale_sql(&self, schema: &str) -> String {
        format!(
            "SELECT pg_catalog.count(*) FROM {}",
            qualified(schema, self.scale_table)
        )
    }
}

/// The options of a load: those of `pgbench -i`, with its defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InitOptions {
    /// The schema that the tables are in. It must exist.
    pub schema: String,
    /// How large: 100,000 accounts for each unit.
    pub scale: i32,
    /// Percent of each page to fill; not of history.
    pub fillfactor: i32,
    /// Which steps, a letter each, in this order; spaces are ignored.
    pub steps: String,
    /// Also create foreign keys, if `steps` does not.
    pub foreign_keys: bool,
    /// Create unlogged tables.
    pub unlogged: bool,
    /// Where the tables go; `None`: the default tablespace.
    pub tablespace: Option<String>,
    /// Where the indexes go; `None`: the default tablespace.
    pub index_tablespace: Option<String>,
    /// In how many partitions the largest table is; 0: it is none of partitions.
    pub partitions: i32,
    /// How rows find their partition; `None`: by range, if there are partitions.
    pub partition_method: Option<PartitionMethod>,
    /// How many processes fill the tables.
    pub jobs: i32,
}

/// How the rows of a partitioned table are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartitionMethod {
    Range,
    Hash,
}

impl Default for InitOptions {
    fn default() -> Self {
        Self {
            schema: "public".to_owned(),
            scale: 1,
            fillfactor: 100,
            steps: "dtgvp".to_owned(),
            foreign_keys: false,
            unlogged: false,
            tablespace: None,
            index_tablespace: None,
            partitions: 0,
            partition_method: None,
            jobs: 1,
        }
    }
}

/// One step of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its letter in `InitOptions::steps`.
    pub code: char,
    /// What pgbench says when it starts: `dropping old tables...`.
    pub description: &'static str,
    /// What pgbench calls it in the line with the times: `drop tables`.
    pub title: &'static str,
    /// What to do, one after the other.
    pub actions: Vec<Action>,
    /// Whether they are one transaction. If not, each is one, outside a transaction block.
    pub in_transaction: bool,
}

impl Step {
    /// How many rows the whole step inserts.
    pub fn rows(&self) -> u64 {
        self.actions.iter().map(Action::rows).sum()
    }
}

/// A part of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Execute(LoadStatement),
    /// Fills a table that the step has truncated.
    Fill(Fill),
}

impl Action {
    /// A statement that inserts nothing.
    pub(super) fn utility(sql: String) -> Self {
        Action::Execute(LoadStatement { sql, rows: 0 })
    }

    fn rows(&self) -> u64 {
        match self {
            Action::Execute(statement) => statement.rows,
            Action::Fill(fill) => fill.rows,
        }
    }
}

/// One statement of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadStatement {
    /// Its text, all names qualified.
    pub sql: String,
    /// How many rows it inserts, for the progress; 0 if it is not there to insert.
    pub rows: u64,
}

/// Rows so regular that they can be written without the executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    pub table: &'static str,
    /// The columns as `create tables` makes them, with their values; keys and units count from 1.
    pub columns: &'static [Column<'static>],
    /// How many rows belong to a unit of scale.
    pub rows_per_unit: i32,
    pub rows: u64,
    /// Empty if the table is none of partitions.
    pub partitions: Vec<Partition>,
    /// Statements that insert the same rows, for a table that is not as `create tables` left it.
    pub instead: Vec<LoadStatement>,
}

/// A partition, and which keys it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    pub table: String,
    /// As the server shows it: `FOR VALUES FROM (MINVALUE) TO (34)`.
    pub bound: String,
    pub keys: Keys,
}

/// The keys of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// From the first up to the last, among those that there are.
    Range { first: i64, last: i64 },
    /// Those whose hash value has this remainder.
    Hash { modulus: u64, remainder: u64 },
}
