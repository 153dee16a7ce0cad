//! The session that executes the statements before and after a run: here, or on the run's target.

use crate::pg::error::{SqlError, raise};
use crate::pg::process::latch;
use crate::pg::session::Session;
use crate::pg::sql::spi::Cells;
use crate::pg::sql::{spi, xact};
use crate::target;

/// A session of the run's role.
pub trait SideSession {
    /// What a worker does between two statements.
    fn between_statements(&mut self);

    /// Executes a statement.
    ///
    /// # Errors
    /// Its own.
    fn execute(&mut self, sql: &str) -> Result<(), SqlError>;

    /// The rows of a query.
    ///
    /// # Errors
    /// Its own.
    fn rows(&mut self, query: &str) -> Result<Vec<Cells>, SqlError>;

    fn in_transaction_block(&self) -> bool;
}

impl SideSession for Session {
    fn between_statements(&mut self) {
        self.idle_checks();
    }

    fn execute(&mut self, sql: &str) -> Result<(), SqlError> {
        self.execute_simple(sql).map(drop)
    }

    fn rows(&mut self, query: &str) -> Result<Vec<Cells>, SqlError> {
        self.perform(query, || {
            let rows = xact::with_latest_snapshot(|| spi::cells_of_author(query));
            Ok(rows.unwrap_or_else(|error| raise(error)))
        })
    }

    fn in_transaction_block(&self) -> bool {
        Session::in_transaction_block(self)
    }
}

impl SideSession for target::session::Session {
    fn between_statements(&mut self) {
        latch::interrupts();
    }

    fn execute(&mut self, sql: &str) -> Result<(), SqlError> {
        target::session::Session::execute(self, sql).map(drop)
    }

    fn rows(&mut self, query: &str) -> Result<Vec<Cells>, SqlError> {
        target::session::Session::rows(self, query)
    }

    fn in_transaction_block(&self) -> bool {
        target::session::Session::in_transaction_block(self)
    }
}
