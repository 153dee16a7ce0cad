//! What a data set is, and how its load is described: steps of SQL statements.

use crate::pg::bulk::Column;

/// One step of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The columns as the data set's own step makes them, with their values; keys and units count from 1.
    pub columns: &'static [Column<'static>],
    /// How many rows belong to a unit of scale.
    pub rows_per_unit: i32,
    pub rows: u64,
    /// Empty if the table is none of partitions.
    pub partitions: Vec<Partition>,
    /// Statements that insert the same rows, for a table that is not as that step left it.
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
