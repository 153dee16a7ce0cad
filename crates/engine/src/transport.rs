//! A session, however it is reached: inside the server, over a connection, or made up by a test.

use crate::error::SqlError;
use crate::laps::Laps;
use crate::results::KeptResults;
use crate::usage::Usage;
use script::Value;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// pgbench's `-M`: how a statement reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueryMode {
    /// Values in the text; parsed and planned every time.
    Simple,
    /// Parsed every time, values as parameters.
    Extended,
    /// Parsed once.
    Prepared,
}

/// What one execution did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Completion {
    /// Rows processed, as in the command tag.
    pub processed: u64,
    /// Rows that were received.
    pub rows: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Where its time went; zero where the transport cannot tell.
    pub laps: Laps,
}

/// The session of a client.
///
/// After an error inside a transaction block the block is failed, and only its end is accepted; outside of one nothing
/// is left of the statement. That is what a session over the protocol does by itself.
pub trait Transport {
    /// A statement that was prepared.
    type Statement;

    /// Parses a statement, and keeps it for [`Transport::execute`] with so many values.
    ///
    /// # Errors
    /// The server's; [`crate::WRONG_VALUES`] if it takes more or fewer values.
    fn prepare(&mut self, text: &str, values: usize) -> Result<Self::Statement, SqlError>;

    /// Gives up a prepared statement.
    fn forget(&mut self, statement: Self::Statement);

    /// Sets these settings for the rest of the session, outside of any transaction.
    ///
    /// # Errors
    /// The server's.
    fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError>;

    /// Runs a prepared statement with these values; `None` is NULL.
    ///
    /// # Errors
    /// The server's.
    fn execute<'v>(
        &mut self,
        statement: &Self::Statement,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError>;

    /// Parses and runs a statement with parameters in one go.
    ///
    /// # Errors
    /// The server's.
    fn execute_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError>;

    /// Runs a text of one or several statements, which has its values in it.
    ///
    /// # Errors
    /// The server's.
    fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError>;

    /// From now on the results of what is run are kept for [`Transport::kept`], or no longer.
    fn keep_results(&mut self, keep: bool);

    /// The results that were kept last.
    fn kept(&self) -> &KeptResults;

    /// A name or value of a result as text.
    fn decode<'t>(&self, text: &'t [u8]) -> Cow<'t, str> {
        String::from_utf8_lossy(text)
    }

    /// Ends the transaction block that is open, failed or not, by a ROLLBACK.
    fn roll_back(&mut self) {
        // It cannot fail in a way that leaves the block open: an error aborts it just as well.
        let _ = self.execute_simple("ROLLBACK");
    }

    /// Whether a transaction block is open, failed or not.
    fn in_transaction_block(&self) -> bool;

    /// Whether the session is gone, so that no further statement can succeed.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether a pipeline is open.
    fn in_pipeline(&self) -> bool;

    /// Begins a pipeline: statements that share a transaction up to the next sync. After an error everything up to the
    /// sync is skipped, and the error waits for the end of the pipeline.
    fn begin_pipeline(&mut self);

    /// Runs a prepared statement of the pipeline.
    fn pipeline<'v>(
        &mut self,
        statement: &Self::Statement,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion;

    /// Parses and runs a statement of the pipeline.
    fn pipeline_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion;

    /// Commits what the statements since the last sync did, unless a block is open.
    fn sync_pipeline(&mut self) -> Completion;

    /// A sync, and the end of the pipeline.
    ///
    /// # Errors
    /// The first one of its statements or of a commit.
    fn end_pipeline(&mut self) -> Result<Completion, SqlError>;

    /// Forgets the pipeline: what was not committed is aborted. Without a pipeline it does nothing.
    fn abandon_pipeline(&mut self);

    /// The next statement begins at this moment of the monotonic clock (ns): for a transport that knows [`Laps`].
    #[inline]
    fn begin_laps(&mut self, _now: u64) {}

    /// What the session has used so far, where that is known.
    #[inline]
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Between two transactions: lets the session act on what has arrived meanwhile.
    #[inline]
    fn idle_checks(&mut self) {}

    /// At the end of each round of a loop, which may have no statement: lets the session act on what has arrived
    /// meanwhile, as within a statement. A request to end the session ends it here.
    ///
    /// # Errors
    /// That of a statement that is cancelled.
    #[inline]
    fn interrupts(&mut self) -> Result<(), SqlError> {
        Ok(())
    }

    /// About once a second, between two transactions: a session that has to hand over statistics by itself does so.
    fn report_statistics(&mut self) {}

    /// The client waits, within a transaction or not: for a session that has to say so by itself.
    fn idle(&mut self) {}
}
