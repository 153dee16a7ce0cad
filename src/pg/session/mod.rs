//! A client's session inside a worker: statements through the server's own plan cache and portals, with the steps of a
//! backend's main loop for Parse, Bind, Execute and Sync, or for a simple Query, but without the protocol.
//!
//! A statement runs below one guard: the closures here call the server directly ([`super::raw`]) and own nothing that needs
//! dropping, so that an ERROR may jump over them. [`recover`] then does what the main loop does after an error.

mod commits;
pub mod interrupts;
pub mod parameters;
pub mod params;
mod pipeline;
pub mod receiver;
mod recovery;
pub mod refusal;
pub mod setting;
mod simple_query;
mod statement;
pub mod transport;

use super::error::SqlError;
use super::process::clock;
use super::sql::xact;
use super::{encoding, raw};
use commits::commit;
pub use engine::{Completion, QueryMode};
use engine::{KeptResults, Laps};
use params::{Bound, Params};
use pgrx::pg_sys;
use pipeline::Pipeline;
use receiver::{Receiver, ResultMode};
use recovery::{recover, unwound};
use refusal::Refusal;
use simple_query::run_simple;
use statement::{
    Parsed, finish_command, is_transaction_statement, parse, run_cached, run_unprepared,
};
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A statement in the plan cache, as after a Parse message.
pub struct Statement {
    parsed: Parsed,
    text: CString,
    types: Vec<pg_sys::Oid>,
}

/// The session of a client worker.
pub struct Session {
    receiver: Box<Receiver>,
    pipeline: Option<Pipeline>,
    /// Of the message that comes next.
    laps: Laps,
}

impl Session {
    /// Sets up what the main loop of a backend has: the message context. The worker must have
    /// connected to its database.
    pub fn new(mode: ResultMode) -> Session {
        // SAFETY: a worker has no MessageContext of its own; nobody else creates one.
        unsafe {
            if pg_sys::MessageContext.is_null() {
                pg_sys::MessageContext = pg_sys::AllocSetContextCreateExtended(
                    pg_sys::TopMemoryContext,
                    c"MessageContext".as_ptr(),
                    pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
                    pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                    pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
                );
            }
            pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
        }
        commits::watch();
        interrupts::end_message();
        Session {
            receiver: Receiver::new(mode),
            pipeline: None,
            laps: Laps::default(),
        }
    }

    /// The next message begins now, monotonic ns.
    #[inline]
    pub fn begin_laps(&mut self, now: u64) {
        self.laps = Laps::begin(now);
        commits::begin();
    }

    /// Whether a transaction block is open (failed or not).
    pub fn in_transaction_block(&self) -> bool {
        // SAFETY: reads the transaction state of this process.
        unsafe { pg_sys::IsTransactionOrTransactionBlock() }
    }

    /// Parse: analyzes the statement, letting the server infer the parameters' types, and keeps it
    /// in the plan cache. In a transaction of its own unless a block is open. `values`: how many it will be executed with.
    pub fn prepare(&mut self, text: &str, values: usize) -> Result<Statement, SqlError> {
        let text = to_c_string(text)?;
        let parsed = self.guarded(text.as_ptr(), |_| {
            // SAFETY: below the guard, in a transaction; the source keeps a copy of the text.
            unsafe {
                let parsed = parse(text.as_ptr(), true, values)?;
                finish_command();
                Ok(parsed)
            }
        })?;
        self.laps.parsed(clock::now());
        Ok(Statement {
            // SAFETY: a saved source lives until it is dropped.
            types: unsafe { parsed.types() }.to_vec(),
            parsed,
            text,
        })
    }

    /// Gives up a prepared statement, as Close does.
    pub fn forget(&mut self, statement: Statement) {
        // SAFETY: a saved source, which nothing else refers to: no portal is open between statements.
        unsafe { pg_sys::DropCachedPlan(statement.parsed.source) };
    }

    /// Sets settings for the rest of the session, as SET does. No client has sent that, so nothing cancels it.
    ///
    /// # Errors
    /// The first one that the server refuses.
    pub fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError> {
        self.transact("pgperf: the next turn of the run", false, || {
            for (name, value) in settings {
                setting::set(name, value);
            }
            Ok(())
        })
    }

    /// Bind, Execute, Sync of a prepared statement.
    #[inline]
    pub fn execute(
        &mut self,
        statement: &Statement,
        params: &mut Params,
    ) -> Result<Completion, SqlError> {
        let (bound, texts) = params.bind(&statement.types);
        let mut laps = self.laps;
        let processed = self.guarded(statement.text.as_ptr(), |receiver| {
            // SAFETY: below the guard, in a transaction.
            unsafe {
                let processed = statement.run(bound, texts, receiver, &mut laps)?;
                commit(statement.parsed.tag, &mut laps);
                Ok(processed)
            }
        })?;
        Ok(self.completion(processed, laps))
    }

    /// Parse, Bind, Execute, Sync with an unnamed statement, in one transaction.
    pub fn execute_unprepared(
        &mut self,
        text: &str,
        params: &mut Params,
    ) -> Result<Completion, SqlError> {
        let text = to_c_string(text)?;
        let mut laps = self.laps;
        let processed = self.guarded(text.as_ptr(), |receiver| {
            // SAFETY: below the guard, in a transaction; the text outlives the call.
            unsafe {
                let done = run_unprepared(text.as_ptr(), params, receiver, &mut laps)?;
                commit(done.tag, &mut laps);
                Ok(done.processed)
            }
        })?;
        Ok(self.completion(processed, laps))
    }

    /// A simple Query: one string, of one or several statements, with its values in the text.
    pub fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        let text = to_c_string(text)?;
        let mut laps = self.laps;
        let processed = self.guarded(text.as_ptr(), |receiver| {
            // SAFETY: below the guard, in a transaction; the text outlives the call.
            unsafe { run_simple(text.as_ptr(), receiver, &mut laps) }
        })?;
        Ok(self.completion(processed, laps))
    }

    /// Ends the transaction block that is open by a ROLLBACK that nothing cancels: it would leave the block to the next transaction.
    pub fn roll_back(&mut self) {
        let receiver = self.receiver.as_dest();
        let done = Session::guard(|| {
            // SAFETY: as for a message, but that cancels and timeouts are still held.
            unsafe {
                enter(c"ROLLBACK".as_ptr(), || raw::StartTransactionCommand());
                run_simple(c"ROLLBACK".as_ptr(), receiver, &mut Laps::default())?;
                leave();
            }
            Ok(())
        });
        // What the failed statement had received counts for no other.
        self.receiver.take_counts();
        if done.is_err() && self.in_transaction_block() {
            interrupts::between_messages(|| {
                // SAFETY: outside of any statement.
                unsafe { pg_sys::AbortOutOfAnyTransaction() };
            });
        }
    }

    /// From now on keeps the results of what is run, for [`Session::kept`], or no longer.
    pub fn keep_results(&mut self, keep: bool) {
        self.receiver.keep(keep);
    }

    /// The results that were kept last.
    pub fn kept(&self) -> &KeptResults {
        self.receiver.kept()
    }

    /// Runs `body` as a statement of this session would run: in its transaction (one of its own unless a block is
    /// open), with activity and statement_timeout set. Unlike a statement's own path it calls the server
    /// guarded, so that `body` may own anything.
    pub fn perform<T>(
        &mut self,
        activity: &str,
        body: impl FnOnce() -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.transact(activity, true, body)
    }

    fn transact<T>(
        &mut self,
        activity: &str,
        can_be_cancelled: bool,
        body: impl FnOnce() -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let activity = to_c_string(activity)?;
        Session::guard(|| {
            if can_be_cancelled {
                interrupts::begin_message();
            }
            // SAFETY: below the guard; the text outlives the message.
            unsafe { enter(activity.as_ptr(), || raw::StartTransactionCommand()) };
            Ok(())
        })?;
        let result = xact::catch(body).and_then(|result| result);
        if result.is_err() {
            recover();
            return result;
        }
        Session::guard(|| {
            // SAFETY: as above; the message was entered.
            unsafe {
                finish_command();
                leave();
            }
            Ok(())
        })?;
        result
    }

    /// Runs `body` as one message of a client, in a transaction command of its own, which it finishes.
    #[inline]
    fn guarded<T>(
        &mut self,
        text: *const c_char,
        body: impl FnOnce(*mut pg_sys::DestReceiver) -> Result<T, Refusal>,
    ) -> Result<T, SqlError> {
        // SAFETY: below the guard.
        self.message(text, || unsafe { raw::StartTransactionCommand() }, body)
    }

    /// Runs `body` as one message of a client: in the transaction command that `begin` starts or continues, in the
    /// message context, with activity, statement timestamp and statement_timeout set; the
    /// context is reset afterwards.
    ///
    /// Both run below the guard: they must own nothing that needs dropping and must not panic.
    #[inline]
    fn message<T>(
        &mut self,
        text: *const c_char,
        begin: impl FnOnce(),
        body: impl FnOnce(*mut pg_sys::DestReceiver) -> Result<T, Refusal>,
    ) -> Result<T, SqlError> {
        let receiver = self.receiver.as_dest();
        Session::guard(|| {
            // SAFETY: main thread of the worker; calls C and owns nothing to drop.
            unsafe {
                interrupts::begin_message();
                enter(text, begin);
                let result = body(receiver);
                leave();
                result
            }
        })
    }

    /// Calls the server: an ERROR in `body` ends there, is cleaned up and returned.
    ///
    /// `body` must own nothing that needs dropping and must not panic.
    #[inline]
    fn guard<T>(body: impl FnOnce() -> Result<T, Refusal>) -> Result<T, SqlError> {
        // Caught bare, so that an error that does not occur costs nothing.
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: main thread of the worker; the closure owns nothing to drop.
            unsafe { pg_sys::ffi::pg_guard_ffi_boundary(body) }
        }));
        let error = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(refusal)) => SqlError::from(refusal),
            Err(panic) => unwound(panic),
        };
        recover();
        Err(error)
    }

    #[inline]
    fn completion(&mut self, processed: u64, laps: Laps) -> Completion {
        let (rows, bytes) = self.receiver.take_counts();
        Completion {
            processed,
            rows,
            bytes,
            laps,
        }
    }
}

/// What comes before a message's work.
///
/// # Safety
/// Below the guard; `text` lives until [`leave`] or [`recover`].
#[inline]
unsafe fn enter(text: *const c_char, begin: impl FnOnce()) {
    // SAFETY: see above; a worker's main thread.
    unsafe {
        interrupts::stop_idle_timeout();
        pg_sys::debug_query_string = text;
        raw::SetCurrentStatementStartTimestamp();
        raw::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, text);
        begin();
        pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
        interrupts::start_statement_timeout();
    }
}

/// What comes after it.
///
/// # Safety
/// Below the guard, after [`enter`]; nothing in the message context is used any more.
#[inline]
unsafe fn leave() {
    interrupts::end_message();
    // SAFETY: see above.
    unsafe {
        pg_sys::debug_query_string = std::ptr::null();
        pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
        raw::MemoryContextReset(pg_sys::MessageContext);
    }
}

impl Statement {
    /// Binds and runs it, in a transaction command; returns the rows processed.
    ///
    /// # Safety
    /// Below the session's guard, in a transaction command.
    #[inline]
    unsafe fn run(
        &self,
        bound: &[Bound],
        texts: *mut c_char,
        receiver: *mut pg_sys::DestReceiver,
        laps: &mut Laps,
    ) -> Result<u64, Refusal> {
        // SAFETY: see above; source and text live as long as `self`.
        unsafe {
            if raw::IsAbortedTransactionBlockState() && !self.parsed.ends_block {
                return Err(Refusal::BlockAborted);
            }
            Ok(run_cached(
                &self.parsed,
                self.text.as_ptr(),
                bound,
                texts,
                receiver,
                laps,
            ))
        }
    }

    /// The types of its parameters.
    fn types(&self) -> &[pg_sys::Oid] {
        &self.types
    }

    fn text(&self) -> *const c_char {
        self.text.as_ptr()
    }

    fn tag(&self) -> pg_sys::CommandTag::Type {
        self.parsed.tag
    }

    /// Whether it is BEGIN, COMMIT or the like.
    fn controls_transaction(&self) -> bool {
        // SAFETY: a saved source keeps its tree; an empty query has none.
        unsafe {
            let tree = (*self.parsed.source).raw_parse_tree;
            !tree.is_null() && is_transaction_statement(tree)
        }
    }
}

fn to_c_string(text: &str) -> Result<CString, SqlError> {
    encoding::c_string(text)
        .map_err(|_| SqlError::new("22021", "a statement must not contain a NUL byte"))
}
