//! How the load of a data set is described: as steps of SQL statements and of rows to write in bulk.

use super::Params;
use crate::pg::bulk::{Column, Row, Typed};

/// One step of a load.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name in reports, such as `drop tables`.
    pub title: &'static str,
    pub effect: Effect,
    /// Its parts, in their order.
    pub actions: Vec<Action>,
    /// Whether they run in one transaction. If not, each runs by itself, outside a transaction block.
    pub in_transaction: bool,
}

impl Step {
    /// How many rows the whole step inserts.
    pub fn rows(&self) -> u64 {
        self.actions.iter().map(Action::rows).sum()
    }
}

/// The state in which a step leaves all tables of the data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// They no longer exist.
    Drops,
    /// They exist and are empty.
    Creates,
    /// They hold the rows of the scale.
    Fills,
    /// They hold the same rows as before.
    Keeps,
}

/// A part of a step.
#[derive(Clone, Debug)]
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
    /// Its text, with all names qualified.
    pub sql: String,
    /// How many rows it inserts, for the progress; 0 for a statement that inserts none.
    pub rows: u64,
}

/// Rows that can be written without the executor.
#[derive(Clone, Debug)]
pub struct Fill {
    pub table: &'static str,
    pub contents: Contents,
    pub rows: u64,
    /// Only with [`Contents::Alike`]; empty if the table is not partitioned.
    pub partitions: Vec<Partition>,
    /// Statements that insert the same rows, for a table that is no longer as the data set's own step created it.
    pub instead: Vec<LoadStatement>,
}

/// The columns of a table as the data set's own step creates it, with their values.
#[derive(Clone, Copy, Debug)]
pub enum Contents {
    /// The same in every row, except for key and unit, which count from 1. This is the fastest kind.
    Alike {
        columns: &'static [Column<'static>],
        /// How many rows belong to a unit of scale.
        rows_per_unit: i32,
    },
    /// Made by a source, for families whose rows are not as simple as pgbench's.
    #[cfg_attr(not(any(test, feature = "toy")), allow(dead_code))]
    Made {
        columns: &'static [Typed],
        /// Called once by each process that fills the table.
        source: fn(&Params) -> Source,
    },
}

/// Makes row number n, counted from 1. A row depends on its number alone, not on the process that makes it, nor when.
pub type Source = Box<dyn FnMut(i64, &mut Row)>;

impl Contents {
    /// The name of the first column, which is the partition key of a partitioned table.
    pub fn key(&self) -> &'static str {
        match self {
            Contents::Alike { columns, .. } => columns.first().map_or("", |column| column.name),
            Contents::Made { columns, .. } => columns.first().map_or("", |column| column.name),
        }
    }
}

/// A partition and the keys it holds.
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
    /// From the first to the last of the data set's keys in it.
    Range { first: i64, last: i64 },
    /// Those whose hash value has this remainder.
    Hash { modulus: u64, remainder: u64 },
}
