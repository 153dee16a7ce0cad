//! What a data set is, and how its load is described: steps of SQL statements.

use super::Params;
use crate::pg::bulk::{Column, Row, Typed};

/// One step of a load.
#[derive(Clone, Debug)]
pub struct Step {
    /// What a report calls it: `drop tables`.
    pub title: &'static str,
    pub effect: Effect,
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

/// What a step does to the tables of the data set, all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// They are not there any more.
    Drops,
    /// They are there, and empty.
    Creates,
    /// They hold the rows of the scale.
    Fills,
    /// They hold what they held.
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
    /// Its text, all names qualified.
    pub sql: String,
    /// How many rows it inserts, for the progress; 0 if it is not there to insert.
    pub rows: u64,
}

/// Rows that can be written without the executor.
#[derive(Clone, Debug)]
pub struct Fill {
    pub table: &'static str,
    pub contents: Contents,
    pub rows: u64,
    /// Of rows that are alike alone; empty if the table is none of partitions.
    pub partitions: Vec<Partition>,
    /// Statements that insert the same rows, for a table that is not as the data set's own step left it.
    pub instead: Vec<LoadStatement>,
}

/// The columns of a table as the data set's own step makes it, with their values.
#[derive(Clone, Copy, Debug)]
pub enum Contents {
    /// Alike in every row, but for key and unit, which count from 1: the quickest.
    Alike {
        columns: &'static [Column<'static>],
        /// How many rows belong to a unit of scale.
        rows_per_unit: i32,
    },
    /// Whatever the source gives them: rows of families that are not as simple as pgbench's.
    #[cfg_attr(not(any(test, feature = "toy")), allow(dead_code))]
    Made {
        columns: &'static [Typed],
        /// Called once by each process that fills.
        source: fn(&Params) -> Source,
    },
}

/// Makes row number n, from 1, which depends on nothing but its number: whoever makes it and when.
pub type Source = Box<dyn FnMut(i64, &mut Row)>;

impl Contents {
    /// The name of the first column, by which a table of partitions is divided.
    pub fn key(&self) -> &'static str {
        match self {
            Contents::Alike { columns, .. } => columns.first().map_or("", |column| column.name),
            Contents::Made { columns, .. } => columns.first().map_or("", |column| column.name),
        }
    }
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
