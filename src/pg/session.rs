//! A client's session inside a worker: statements through the server's own plan cache and portals,
//! step by step what the main loop of a backend does for Parse, Bind, Execute and Sync, or for a
//! simple Query, without the protocol.
//!
//! A statement runs below one guard: the closures here call the server bare ([`super::raw`]) and own
//! nothing that needs dropping, so that an ERROR may jump over them. [`Session::recover`] then does
//! what the main loop does after an error.

use super::error::SqlError;
use super::params::{Bound, BoundValue, Params};
use super::raw;
use super::receiver::{Receiver, ResultMode};
use pgrx::PgTryBuilder;
use pgrx::pg_sys;
use std::ffi::{CString, c_char};
use std::panic::AssertUnwindSafe;

/// pgbench's `-M`: how a statement reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Rows and bytes that reached the receiver.
    pub rows: u64,
    pub bytes: u64,
}

/// A statement in the plan cache, as after a Parse message.
pub struct Statement {
    source: *mut pg_sys::CachedPlanSource,
    tag: pg_sys::CommandTag::Type,
    text: CString,
    types: Vec<pg_sys::Oid>,
    needs_snapshot: bool,
    ends_block: bool,
}

/// The session of a client worker.
pub struct Session {
    receiver: Box<Receiver>,
}

/// The plans of a session go to every query of a client: parallel plans are allowed.
const CURSOR_OPTIONS: i32 = pg_sys::CURSOR_OPT_PARALLEL_OK as i32;
const FETCH_ALL: std::ffi::c_long = std::ffi::c_long::MAX;

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
        Session {
            receiver: Receiver::new(mode),
        }
    }

    /// Whether a transaction block is open (failed or not).
    pub fn in_transaction_block(&self) -> bool {
        // SAFETY: reads the transaction state of this process.
        unsafe { pg_sys::IsTransactionOrTransactionBlock() }
    }

    /// Parse: analyzes the statement, letting the server infer the parameters' types, and keeps it
    /// in the plan cache. In a transaction of its own unless a block is open.
    pub fn prepare(&mut self, text: &str) -> Result<Statement, SqlError> {
        let text = to_c_string(text)?;
        let parsed = self.guarded(text.as_ptr(), |_| {
            // SAFETY: below the guard, in a transaction; the source keeps a copy of the text.
            unsafe {
                let parsed = parse(text.as_ptr(), true)?;
                raw::CommitTransactionCommand();
                Ok(parsed)
            }
        })?;
        Ok(Statement {
            source: parsed.source,
            tag: parsed.tag,
            // SAFETY: a saved source lives until it is dropped.
            types: unsafe { parsed.types() }.to_vec(),
            needs_snapshot: parsed.needs_snapshot,
            ends_block: parsed.ends_block,
            text,
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
        let processed = self.guarded(statement.text.as_ptr(), |receiver| {
            // SAFETY: below the guard, in a transaction; source and text live as long as `statement`.
            unsafe {
                if raw::IsAbortedTransactionBlockState() && !statement.ends_block {
                    return Err(Refusal::BlockAborted);
                }
                let processed = run_cached(
                    statement.source,
                    statement.tag,
                    statement.text.as_ptr(),
                    statement.needs_snapshot,
                    bound,
                    texts,
                    receiver,
                );
                raw::CommitTransactionCommand();
                Ok(processed)
            }
        })?;
        Ok(self.completion(processed))
    }

    /// Parse, Bind, Execute, Sync with an unnamed statement, in one transaction.
    pub fn execute_unprepared(
        &mut self,
        text: &str,
        params: &mut Params,
    ) -> Result<Completion, SqlError> {
        let text = to_c_string(text)?;
        let processed = self.guarded(text.as_ptr(), |receiver| {
            // SAFETY: below the guard, in a transaction; the source belongs to this call alone, and
            // binding only writes to buffers that their owner keeps.
            unsafe {
                let parsed = parse(text.as_ptr(), false)?;
                let (bound, texts) = params.bind(parsed.types());
                let processed = run_cached(
                    parsed.source,
                    parsed.tag,
                    text.as_ptr(),
                    parsed.needs_snapshot,
                    bound,
                    texts,
                    receiver,
                );
                raw::DropCachedPlan(parsed.source);
                raw::CommitTransactionCommand();
                Ok(processed)
            }
        })?;
        Ok(self.completion(processed))
    }

    /// A simple Query: one string, of one or several statements, with its values in the text.
    pub fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        let text = to_c_string(text)?;
        let processed = self.guarded(text.as_ptr(), |receiver| {
            // SAFETY: below the guard, in a transaction; the text outlives the call.
            unsafe { run_simple(text.as_ptr(), receiver) }
        })?;
        Ok(self.completion(processed))
    }

    /// Lets the server act on what arrived meanwhile: terminate, config reload, catalog invalidation.
    /// A cancel that arrives while no statement runs has nothing to cancel, as in an idle backend.
    pub fn idle_checks(&mut self) {
        // SAFETY: flags of this process; the guarded call may end the process (terminate).
        unsafe {
            pg_sys::QueryCancelPending = 0;
            if pg_sys::InterruptPending != 0 {
                pg_sys::ProcessInterrupts();
            }
            if pg_sys::ConfigReloadPending != 0 {
                pg_sys::ConfigReloadPending = 0;
                pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP);
            }
        }
    }

    /// Runs `body` as one message of a client: in a transaction command, in the message context, with
    /// activity, statement timestamp and statement_timeout set; the context is reset afterwards.
    ///
    /// `body` runs below the guard: it must own nothing that needs dropping and must not panic.
    #[inline]
    fn guarded<T>(
        &mut self,
        text: *const c_char,
        body: impl FnOnce(*mut pg_sys::DestReceiver) -> Result<T, Refusal>,
    ) -> Result<T, SqlError> {
        let receiver = self.receiver.as_dest();
        let result = PgTryBuilder::new(AssertUnwindSafe(|| {
            // SAFETY: main thread of the worker; the closure calls C and owns nothing to drop.
            Ok(unsafe {
                pg_sys::ffi::pg_guard_ffi_boundary(|| {
                    pg_sys::debug_query_string = text;
                    raw::SetCurrentStatementStartTimestamp();
                    raw::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, text);
                    raw::StartTransactionCommand();
                    pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
                    let timeout = pg_sys::StatementTimeout;
                    if timeout > 0 {
                        raw::enable_timeout_after(raw::STATEMENT_TIMEOUT, timeout);
                    }
                    let result = body(receiver);
                    if timeout > 0 {
                        raw::disable_timeout(raw::STATEMENT_TIMEOUT, false);
                    }
                    pg_sys::debug_query_string = std::ptr::null();
                    pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
                    raw::MemoryContextReset(pg_sys::MessageContext);
                    result
                })
            })
        }))
        .catch_others(|error| Err(SqlError::caught(&error)))
        .execute();
        let error = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(refusal)) => SqlError::from(refusal),
            Err(error) => error,
        };
        Session::recover();
        Err(error)
    }

    /// After an ERROR: what the main loop does before it reads the next message.
    fn recover() {
        // SAFETY: the sequence of the main loop's error branch, with interrupts held; the error's
        // data was copied and flushed by pgrx.
        unsafe {
            pg_sys::InterruptHoldoffCount += 1;
            raw::disable_all_timeouts(false);
            pg_sys::QueryCancelPending = 0;
            pg_sys::debug_query_string = std::ptr::null();
            pg_sys::AbortCurrentTransaction();
            pg_sys::PortalErrorCleanup();
            if !pg_sys::MyReplicationSlot.is_null() {
                pg_sys::ReplicationSlotRelease();
            }
            pg_sys::jit_reset_after_error();
            pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
            raw::MemoryContextReset(pg_sys::MessageContext);
            pg_sys::InterruptHoldoffCount -= 1;
        }
    }

    #[inline]
    fn completion(&mut self, processed: u64) -> Completion {
        let (rows, bytes) = self.receiver.take_counts();
        Completion {
            processed,
            rows,
            bytes,
        }
    }
}

/// Why a statement was not even run; a plain value, since it is made below the guard.
#[derive(Debug, Clone, Copy)]
enum Refusal {
    /// In a failed block everything but its end is refused: the main loop's rule, which the functions
    /// below it do not know.
    BlockAborted,
    /// COPY to or from the client would use the server's own standard input or log.
    CopyWithClient,
    /// More than one statement in a prepared string.
    SeveralStatements,
}

impl From<Refusal> for SqlError {
    fn from(refusal: Refusal) -> SqlError {
        match refusal {
            Refusal::BlockAborted => SqlError::new(
                "25P02",
                "current transaction is aborted, commands ignored until end of transaction block",
            ),
            Refusal::CopyWithClient => SqlError::new(
                "0A000",
                "COPY to or from the client is not supported in a pgperf script",
            ),
            Refusal::SeveralStatements => SqlError::new(
                "42601",
                "cannot insert multiple commands into a prepared statement",
            ),
        }
    }
}

fn to_c_string(text: &str) -> Result<CString, SqlError> {
    CString::new(text)
        .map_err(|_| SqlError::new("22021", "a statement must not contain a NUL byte"))
}

/// The result of a Parse; a plain value, since it is made below the guard.
#[derive(Clone, Copy)]
struct Parsed {
    source: *mut pg_sys::CachedPlanSource,
    tag: pg_sys::CommandTag::Type,
    needs_snapshot: bool,
    ends_block: bool,
}

impl Parsed {
    /// # Safety
    /// The slice belongs to the plan source and is valid while that lives.
    unsafe fn types<'a>(&self) -> &'a [pg_sys::Oid] {
        // SAFETY: a complete source has as many types as it says.
        unsafe {
            match (*self.source).num_params {
                count if count > 0 => {
                    std::slice::from_raw_parts((*self.source).param_types, count as usize)
                }
                _ => &[],
            }
        }
    }
}

/// What exec_parse_message does: raw parse, analysis with variable parameter types, plan source.
/// `keep`: outlives the transaction; otherwise it belongs to the message.
///
/// # Safety
/// Below the session's guard, in a transaction command; `text` is a C string that outlives the source.
unsafe fn parse(text: *const c_char, keep: bool) -> Result<Parsed, Refusal> {
    // SAFETY: see above; the lists and nodes belong to the current memory context.
    unsafe {
        let list = raw::pg_parse_query(text);
        if list.is_null() {
            // An empty query; as in the main loop it has a source without a tree.
            let tag = pg_sys::CommandTag::CMDTAG_UNKNOWN;
            let source = raw::CreateCachedPlan(std::ptr::null_mut(), text, tag);
            return Ok(complete(
                source,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0,
                tag,
                keep,
            ));
        }
        if (*list).length != 1 {
            return Err(Refusal::SeveralStatements);
        }
        let tree = (*(*list).elements).ptr_value.cast::<pg_sys::RawStmt>();
        if copies_with_client(tree) {
            return Err(Refusal::CopyWithClient);
        }
        if raw::IsAbortedTransactionBlockState() && !ends_block(tree) {
            return Err(Refusal::BlockAborted);
        }
        let tag = raw::CreateCommandTag((*tree).stmt);
        let source = raw::CreateCachedPlan(tree, text, tag);
        let snapshot = raw::analyze_requires_snapshot(tree);
        if snapshot {
            raw::PushActiveSnapshot(raw::GetTransactionSnapshot());
        }
        let mut types = std::ptr::null_mut();
        let mut count = 0;
        let queries = raw::pg_analyze_and_rewrite_varparams(
            tree,
            text,
            &mut types,
            &mut count,
            std::ptr::null_mut(),
        );
        if snapshot {
            raw::PopActiveSnapshot();
        }
        Ok(complete(source, queries, types, count, tag, keep))
    }
}

/// # Safety
/// As for [`parse`], whose second half this is.
unsafe fn complete(
    source: *mut pg_sys::CachedPlanSource,
    queries: *mut pg_sys::List,
    types: *mut pg_sys::Oid,
    count: i32,
    tag: pg_sys::CommandTag::Type,
    keep: bool,
) -> Parsed {
    // SAFETY: see above.
    unsafe {
        raw::CompleteCachedPlan(
            source,
            queries,
            std::ptr::null_mut(),
            types,
            count,
            None,
            std::ptr::null_mut(),
            CURSOR_OPTIONS,
            true,
        );
        if keep {
            raw::SaveCachedPlan(source);
        }
        let tree = (*source).raw_parse_tree;
        Parsed {
            source,
            tag,
            needs_snapshot: count > 0 || !tree.is_null() && raw::analyze_requires_snapshot(tree),
            ends_block: !tree.is_null() && ends_block(tree),
        }
    }
}

/// What exec_bind_message and exec_execute_message do; returns the rows processed.
///
/// # Safety
/// Below the session's guard, in a transaction command, with a complete source; `text` outlives the call.
#[inline]
unsafe fn run_cached(
    source: *mut pg_sys::CachedPlanSource,
    tag: pg_sys::CommandTag::Type,
    text: *const c_char,
    needs_snapshot: bool,
    bound: &[Bound],
    texts: *mut c_char,
    receiver: *mut pg_sys::DestReceiver,
) -> u64 {
    // SAFETY: see above; parameters live in the portal's context, as the portal requires.
    unsafe {
        report_query_id(source);
        let portal = raw::CreatePortal(c"".as_ptr(), true, true);
        (*portal).visible = false;
        if needs_snapshot {
            raw::PushActiveSnapshot(raw::GetTransactionSnapshot());
        }
        let params = bind(portal, bound, texts);
        let plan = raw::GetCachedPlan(source, params, std::ptr::null_mut(), std::ptr::null_mut());
        raw::PortalDefineQuery(portal, std::ptr::null(), text, tag, (*plan).stmt_list, plan);
        if needs_snapshot {
            raw::PopActiveSnapshot();
        }
        raw::PortalStart(portal, params, 0, std::ptr::null_mut());
        run_portal(portal, receiver)
    }
}

/// # Safety
/// As for [`run_cached`].
#[inline]
unsafe fn bind(
    portal: pg_sys::Portal,
    bound: &[Bound],
    texts: *mut c_char,
) -> *mut pg_sys::ParamListInfoData {
    if bound.is_empty() {
        return std::ptr::null_mut();
    }
    // SAFETY: the list has room for as many parameters as it was made for; offsets lie in `texts`.
    unsafe {
        let message_context = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = (*portal).portalContext;
        let params = raw::makeParamList(bound.len() as i32);
        let slots = (*params).params.as_mut_ptr();
        for (i, bound) in bound.iter().enumerate() {
            let (value, is_null) = match bound.value {
                BoundValue::Null => (pg_sys::Datum::from(0), true),
                BoundValue::Datum(value) => (value, false),
                BoundValue::Text(offset) => {
                    let mut input = pg_sys::InvalidOid;
                    let mut ioparam = pg_sys::InvalidOid;
                    raw::getTypeInputInfo(bound.type_oid, &mut input, &mut ioparam);
                    (
                        raw::OidInputFunctionCall(input, texts.add(offset), ioparam, -1),
                        false,
                    )
                }
            };
            *slots.add(i) = pg_sys::ParamExternData {
                value,
                isnull: is_null,
                pflags: pg_sys::PARAM_FLAG_CONST as u16,
                ptype: bound.type_oid,
            };
        }
        pg_sys::CurrentMemoryContext = message_context;
        params
    }
}

/// Runs a started portal to its end and drops it; returns the rows processed.
///
/// # Safety
/// Below the session's guard.
#[inline]
unsafe fn run_portal(portal: pg_sys::Portal, receiver: *mut pg_sys::DestReceiver) -> u64 {
    // SAFETY: a started portal of this session.
    unsafe {
        check_for_interrupts();
        let mut done = pg_sys::QueryCompletion {
            commandTag: pg_sys::CommandTag::CMDTAG_UNKNOWN,
            nprocessed: 0,
        };
        #[cfg(not(feature = "pg18"))]
        raw::PortalRun(portal, FETCH_ALL, true, true, receiver, receiver, &mut done);
        #[cfg(feature = "pg18")]
        raw::PortalRun(portal, FETCH_ALL, true, receiver, receiver, &mut done);
        raw::PortalDrop(portal, false);
        done.nprocessed
    }
}

/// What exec_simple_query does.
///
/// # Safety
/// Below the session's guard, in a transaction command; `text` outlives the call.
unsafe fn run_simple(
    text: *const c_char,
    receiver: *mut pg_sys::DestReceiver,
) -> Result<u64, Refusal> {
    // SAFETY: see above; trees and plans live in the message context, which outlives the portals.
    unsafe {
        let trees = raw::pg_parse_query(text);
        let count = if trees.is_null() {
            0
        } else {
            (*trees).length as usize
        };
        let implicit_block = count > 1;
        let mut processed = 0;
        let mut in_command = true;
        for i in 0..count {
            let tree = (*(*trees).elements.add(i))
                .ptr_value
                .cast::<pg_sys::RawStmt>();
            if copies_with_client(tree) {
                return Err(Refusal::CopyWithClient);
            }
            if raw::IsAbortedTransactionBlockState() && !ends_block(tree) {
                return Err(Refusal::BlockAborted);
            }
            if !in_command {
                raw::StartTransactionCommand();
                in_command = true;
            }
            pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
            if implicit_block {
                raw::BeginImplicitTransactionBlock();
            }
            check_for_interrupts();
            let snapshot = raw::analyze_requires_snapshot(tree);
            if snapshot {
                raw::PushActiveSnapshot(raw::GetTransactionSnapshot());
            }
            let queries = raw::pg_analyze_and_rewrite_fixedparams(
                tree,
                text,
                std::ptr::null(),
                0,
                std::ptr::null_mut(),
            );
            let plans = raw::pg_plan_queries(queries, text, CURSOR_OPTIONS, std::ptr::null_mut());
            if snapshot {
                raw::PopActiveSnapshot();
            }
            let portal = raw::CreatePortal(c"".as_ptr(), true, true);
            (*portal).visible = false;
            let tag = raw::CreateCommandTag((*tree).stmt);
            raw::PortalDefineQuery(
                portal,
                std::ptr::null(),
                text,
                tag,
                plans,
                std::ptr::null_mut(),
            );
            raw::PortalStart(portal, std::ptr::null_mut(), 0, std::ptr::null_mut());
            processed = run_portal(portal, receiver);
            if i + 1 == count {
                if implicit_block {
                    raw::EndImplicitTransactionBlock();
                }
            } else if !is_transaction_statement(tree) {
                raw::CommandCounterIncrement();
                continue;
            }
            raw::CommitTransactionCommand();
            in_command = false;
        }
        if in_command {
            raw::CommitTransactionCommand();
        }
        Ok(processed)
    }
}

/// # Safety
/// Below the session's guard.
#[inline]
unsafe fn check_for_interrupts() {
    // SAFETY: flag of this process; the handler raises below the guard.
    unsafe {
        if pg_sys::InterruptPending != 0 {
            raw::ProcessInterrupts();
        }
    }
}

/// Shows the query's id in pg_stat_activity, as Bind does.
///
/// # Safety
/// Below the session's guard, with a complete source.
#[inline]
unsafe fn report_query_id(source: *mut pg_sys::CachedPlanSource) {
    // SAFETY: the list of a complete source holds Query nodes.
    unsafe {
        let queries = (*source).query_list;
        if !queries.is_null() {
            let query = (*(*queries).elements).ptr_value.cast::<pg_sys::Query>();
            #[allow(clippy::unnecessary_cast)] // signed since 18
            let id = (*query).queryId as u64;
            if id != 0 {
                raw::pgstat_report_query_id(id, false);
            }
        }
    }
}

/// COMMIT, ROLLBACK and what else may end a failed block.
///
/// # Safety
/// `tree` is a valid raw statement.
unsafe fn ends_block(tree: *mut pg_sys::RawStmt) -> bool {
    use pg_sys::TransactionStmtKind::*;
    // SAFETY: see above; the tag tells the node's type.
    unsafe {
        let node = (*tree).stmt;
        (*node).type_ == pg_sys::NodeTag::T_TransactionStmt
            && matches!(
                (*node.cast::<pg_sys::TransactionStmt>()).kind,
                TRANS_STMT_COMMIT
                    | TRANS_STMT_PREPARE
                    | TRANS_STMT_ROLLBACK
                    | TRANS_STMT_ROLLBACK_TO
            )
    }
}

/// # Safety
/// `tree` is a valid raw statement.
unsafe fn is_transaction_statement(tree: *mut pg_sys::RawStmt) -> bool {
    // SAFETY: see above.
    unsafe { (*(*tree).stmt).type_ == pg_sys::NodeTag::T_TransactionStmt }
}

/// # Safety
/// `tree` is a valid raw statement.
unsafe fn copies_with_client(tree: *mut pg_sys::RawStmt) -> bool {
    // SAFETY: see above; the tag tells the node's type.
    unsafe {
        let node = (*tree).stmt;
        (*node).type_ == pg_sys::NodeTag::T_CopyStmt
            && (*node.cast::<pg_sys::CopyStmt>()).filename.is_null()
    }
}
