//! The server that the tables are made in, as a loading worker reaches it: this one through a session within, or a target over a connection.

use super::fill::Fills;
use super::setup::Seen;
use crate::pg::error::SqlError;
use crate::run::shared::Shared;
use crate::run::shared::slot::Slot;
use crate::workload::{Effect, Family, Fill, Params, Relation, Step};

/// A session there. An error ends the transaction that it occurs in, and fails the transaction block.
pub trait Destination {
    /// What a session does between two statements: its process may have to end.
    fn between_statements(&mut self);

    /// Runs a text of one or several statements; how many rows the last one has processed.
    fn execute(&mut self, sql: &str) -> Result<u64, SqlError>;

    /// Whether a transaction block is open, failed or not.
    fn in_transaction_block(&self) -> bool;

    /// Ends the transaction block after an error.
    fn roll_back(&mut self);

    /// Waits until the other workers have ended a task of which nothing is left to take.
    fn end_task(&mut self, shared: &Shared) -> Result<(), SqlError>;

    /// Leaves each of so many sessions that build an index its share of the processors.
    fn share_processors(&mut self, sessions: u64) -> Result<(), SqlError>;

    /// The relations of a schema, in the order of their creation, without those that come and go with a table: partitions, and sequences of
    /// columns.
    fn relations(&mut self, schema: &str) -> Result<Vec<Seen>, SqlError>;

    /// See [`crate::workload::replaced`].
    fn replaced(&mut self, family: &dyn Family, params: &Params)
    -> Result<Vec<Relation>, SqlError>;

    /// Remembers which tables are pgperf's own, with the effect of the step that ends: in its transaction, if it is one, so that no table is
    /// left that nobody knows.
    fn register(&mut self, effect: Effect, set: &DataSet) -> Result<(), SqlError>;

    /// Fills a table that the open transaction block has truncated; false if the table is not as pgperf creates it, so that it has to be filled
    /// by statements.
    fn fill(&mut self, filling: &Filling, step: &Step, fill: &Fill) -> Result<bool, SqlError>;

    /// A helper's share of the task on the board, which has this number.
    fn help(&mut self, filling: &Filling, number: u64) -> Result<(), SqlError>;

    /// Refuses to fill a table by statements where rules would rewrite them.
    fn refuse_rules(&mut self, schema: &str, table: &str) -> Result<(), SqlError>;
}

/// What a worker knows of the load.
pub struct Filling<'a> {
    pub shared: &'a Shared,
    pub slot: Slot,
    pub fills: Fills<'a>,
    /// The name of the data set.
    pub data_set: &'a str,
}

/// The data set as it is to be registered.
pub struct DataSet {
    pub name: String,
    pub params: Params,
    pub relations: Vec<String>,
    /// The load.
    pub run_id: i64,
}
