//! Pipelines: statements whose Sync comes later, so that they share a transaction as they do when a client
//! sends Parse, Bind and Execute of several statements and then one Sync.
//!
//! A statement is executed when the script reaches it. Its outcome is as in a pipeline over the wire: after an error
//! everything up to the Sync is skipped, and the client gets the error only at the Sync.

use super::commits::commit;
use super::interrupts::{self, stop_statement_timeout};
use super::params::Params;
use super::recovery::recover;
use super::refusal::Refusal;
use super::statement::{Unprepared, run_unprepared};
use super::{Completion, Session, Statement, to_c_string};
use crate::pg::error::SqlError;
use crate::pg::raw;
use engine::Laps;
use pgrx::pg_sys;
use std::ffi::c_char;

/// The state of an open pipeline.
#[derive(Default)]
pub(super) struct Pipeline {
    /// Whether a transaction command waits for the Sync.
    in_command: bool,
    /// Whether a statement has failed since the last Sync.
    skipping: bool,
    /// The first error, which the end of the pipeline raises.
    error: Option<SqlError>,
}

impl Session {
    /// Whether a pipeline is open.
    #[inline]
    pub fn in_pipeline(&self) -> bool {
        self.pipeline.is_some()
    }

    /// From now on statements are run by [`Session::pipeline`] or [`Session::pipeline_unprepared`].
    pub fn begin_pipeline(&mut self) {
        self.pipeline = Some(Pipeline::default());
    }

    /// Bind and Execute of a prepared statement.
    pub fn pipeline(&mut self, statement: &Statement, params: &mut Params) -> Completion {
        let (bound, texts) = params.bind(statement.types());
        self.pipelined(statement.text(), |receiver, laps| {
            // SAFETY: below the guard, in a transaction.
            let processed = unsafe { statement.run(bound, texts, receiver, laps)? };
            Ok(Unprepared {
                processed,
                tag: statement.tag(),
                controls_transaction: statement.controls_transaction(),
            })
        })
    }

    /// Parse, Bind and Execute of an unnamed statement.
    pub fn pipeline_unprepared(&mut self, text: &str, params: &mut Params) -> Completion {
        match to_c_string(text) {
            Ok(text) => self.pipelined(text.as_ptr(), |receiver, laps| {
                // SAFETY: below the guard, in a transaction; the text outlives the call.
                unsafe { run_unprepared(text.as_ptr(), params, receiver, laps) }
            }),
            Err(error) => {
                self.pipeline_failed(error);
                Completion::default()
            }
        }
    }

    /// Runs a statement unless an earlier one has failed. BEGIN, COMMIT and the like take effect at once.
    fn pipelined(
        &mut self,
        text: *const c_char,
        body: impl FnOnce(*mut pg_sys::DestReceiver, &mut Laps) -> Result<Unprepared, Refusal>,
    ) -> Completion {
        let Some(pipeline) = self.pipeline.as_mut().filter(|pipeline| !pipeline.skipping) else {
            return Completion::default();
        };
        let in_command = std::mem::take(&mut pipeline.in_command);
        // SAFETY: below the guard.
        let begin = || unsafe {
            if in_command {
                continue_command();
            } else {
                raw::StartTransactionCommand();
            }
        };
        let mut laps = self.laps;
        let result = self.message(text, begin, |receiver| {
            let done = body(receiver, &mut laps)?;
            // SAFETY: below the guard, in a transaction.
            let in_command = unsafe { end_execute(&done, &mut laps) };
            Ok((done.processed, in_command))
        });
        match result {
            Ok((processed, in_command)) => {
                if let Some(pipeline) = &mut self.pipeline {
                    pipeline.in_command = in_command;
                }
                self.completion(processed, laps)
            }
            Err(error) => {
                self.pipeline_failed(error);
                Completion::default()
            }
        }
    }

    fn pipeline_failed(&mut self, error: SqlError) {
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.skipping = true;
            pipeline.error.get_or_insert(error);
        }
    }

    /// A Sync message: commits what the statements since the last one did, unless a block is open. An error
    /// waits for the end of the pipeline.
    pub fn sync_pipeline(&mut self) -> Completion {
        let mut laps = self.laps;
        let Some(pipeline) = &mut self.pipeline else {
            return Completion::default();
        };
        pipeline.skipping = false;
        if std::mem::take(&mut pipeline.in_command) {
            let result = Session::guard(|| {
                interrupts::begin_message();
                // SAFETY: below the guard, in a transaction command.
                unsafe {
                    end_implicit_block();
                    commit(pg_sys::CommandTag::CMDTAG_UNKNOWN, &mut laps);
                    pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
                }
                interrupts::end_message();
                Ok(())
            });
            if let Err(error) = result {
                pipeline.error.get_or_insert(error);
            }
        }
        self.completion(0, laps)
    }

    /// A Sync and the end of the pipeline.
    ///
    /// # Errors
    /// The first one of its statements or of a commit.
    pub fn end_pipeline(&mut self) -> Result<Completion, SqlError> {
        let synced = self.sync_pipeline();
        match self.pipeline.take() {
            Some(Pipeline {
                error: Some(error), ..
            }) => Err(error),
            _ => Ok(synced),
        }
    }

    /// Discards the pipeline as if its client had gone: uncommitted work is aborted.
    pub fn abandon_pipeline(&mut self) {
        if self
            .pipeline
            .take()
            .is_some_and(|pipeline| pipeline.in_command)
        {
            recover();
        }
    }
}

/// What exec_execute_message does at its end: a statement that must be committed at once is, and any other is
/// made visible to the next. Returns whether the transaction command continues.
///
/// # Safety
/// Below the session's guard, in a transaction command.
unsafe fn end_execute(done: &Unprepared, laps: &mut Laps) -> bool {
    // SAFETY: see above; the flags are of this process.
    unsafe {
        let commit_now = pg_sys::XACT_FLAGS_NEEDIMMEDIATECOMMIT as i32;
        if done.controls_transaction || pg_sys::MyXactFlags & commit_now != 0 {
            commit(done.tag, laps);
            return false;
        }
        raw::CommandCounterIncrement();
        stop_statement_timeout();
        // From here on the server refuses what cannot run inside a transaction block.
        pg_sys::MyXactFlags |= pg_sys::XACT_FLAGS_PIPELINING as i32;
        true
    }
}

/// Since 18 the second statement of a pipeline opens an implicit block, in which SAVEPOINT and LOCK work.
///
/// # Safety
/// Below the session's guard, in a transaction command.
unsafe fn continue_command() {
    #[cfg(feature = "since18")]
    // SAFETY: see above; the flags are of this process.
    unsafe {
        if pg_sys::MyXactFlags & pg_sys::XACT_FLAGS_PIPELINING as i32 != 0 {
            raw::BeginImplicitTransactionBlock();
        }
    }
}

/// # Safety
/// Below the session's guard, in a transaction command.
unsafe fn end_implicit_block() {
    #[cfg(feature = "since18")]
    // SAFETY: see above; without an implicit block it does nothing.
    unsafe {
        raw::EndImplicitTransactionBlock();
    }
}
