//! The server's functions for executing a statement, declared without guards.
//!
//! pgrx guards each call into the server on its own. The session guards a whole statement once
//! (see [`super::session`]), so the cost of a statement does not depend on the number of calls. Nothing here may be
//! called outside such a guard: an ERROR jumps to it.
//! Also here: what pgrx's bindings lack.

use pgrx::pg_sys::*;
use std::ffi::{c_char, c_int, c_void};

/// `TimeoutId` of the server: the first eight are the same in every supported version; then 17 put one in between.
pub const LOCK_TIMEOUT: c_int = 2;
pub const STATEMENT_TIMEOUT: c_int = 3;
pub const IDLE_IN_TRANSACTION_SESSION_TIMEOUT: c_int = 7;
#[cfg(not(feature = "since17"))]
pub const IDLE_SESSION_TIMEOUT: c_int = 8;
#[cfg(feature = "since17")]
pub const IDLE_SESSION_TIMEOUT: c_int = 9;

/// Since 19 a handler is also told who sent the signal; the server's own read it.
#[cfg(not(feature = "since19"))]
pub type SignalHandler = unsafe extern "C-unwind" fn(signal: c_int);
#[cfg(feature = "since19")]
pub type SignalHandler = unsafe extern "C-unwind" fn(signal: c_int, sender: *const c_void);

unsafe extern "C-unwind" {
    // Transactions, snapshots
    pub fn SetCurrentStatementStartTimestamp();
    pub fn StartTransactionCommand();
    pub fn CommitTransactionCommand();
    pub fn AbortCurrentTransaction();
    pub fn IsTransactionBlock() -> bool;
    pub fn GetCurrentTransactionNestLevel() -> c_int;
    pub fn GetCurrentStatementStartTimestamp() -> TimestampTz;
    pub fn GetCurrentTransactionStartTimestamp() -> TimestampTz;
    pub fn GetCurrentTimestamp() -> TimestampTz;
    pub fn GetTopTransactionIdIfAny() -> TransactionId;
    pub fn IsAbortedTransactionBlockState() -> bool;
    pub fn BeginImplicitTransactionBlock();
    pub fn EndImplicitTransactionBlock();
    pub fn CommandCounterIncrement();
    pub fn GetTransactionSnapshot() -> Snapshot;
    pub fn PushActiveSnapshot(snapshot: Snapshot);
    pub fn PopActiveSnapshot();
    // Parser, planner, plan cache
    pub fn pg_parse_query(query: *const c_char) -> *mut List;
    pub fn analyze_requires_snapshot(tree: *mut RawStmt) -> bool;
    pub fn pg_analyze_and_rewrite_varparams(
        tree: *mut RawStmt,
        query: *const c_char,
        types: *mut *mut Oid,
        count: *mut c_int,
        env: *mut QueryEnvironment,
    ) -> *mut List;
    pub fn pg_analyze_and_rewrite_fixedparams(
        tree: *mut RawStmt,
        query: *const c_char,
        types: *const Oid,
        count: c_int,
        env: *mut QueryEnvironment,
    ) -> *mut List;
    pub fn pg_plan_queries(
        trees: *mut List,
        query: *const c_char,
        options: c_int,
        params: *mut ParamListInfoData,
    ) -> *mut List;
    pub fn CreateCommandTag(tree: *mut Node) -> CommandTag::Type;
    pub fn CreateCachedPlan(
        tree: *mut RawStmt,
        query: *const c_char,
        tag: CommandTag::Type,
    ) -> *mut CachedPlanSource;
    pub fn CompleteCachedPlan(
        source: *mut CachedPlanSource,
        trees: *mut List,
        context: MemoryContext,
        types: *mut Oid,
        count: c_int,
        setup: ParserSetupHook,
        setup_arg: *mut c_void,
        options: c_int,
        fixed_result: bool,
    );
    pub fn SaveCachedPlan(source: *mut CachedPlanSource);
    pub fn DropCachedPlan(source: *mut CachedPlanSource);
    pub fn GetCachedPlan(
        source: *mut CachedPlanSource,
        params: *mut ParamListInfoData,
        owner: ResourceOwner,
        env: *mut QueryEnvironment,
    ) -> *mut CachedPlan;
    // Portals
    pub fn CreatePortal(name: *const c_char, allow_dup: bool, dup_silent: bool) -> Portal;
    pub fn PortalDefineQuery(
        portal: Portal,
        name: *const c_char,
        query: *const c_char,
        tag: CommandTag::Type,
        stmts: *mut List,
        plan: *mut CachedPlan,
    );
    pub fn PortalStart(
        portal: Portal,
        params: *mut ParamListInfoData,
        eflags: c_int,
        snapshot: Snapshot,
    );
    #[cfg(not(feature = "since18"))]
    pub fn PortalRun(
        portal: Portal,
        count: std::ffi::c_long,
        top_level: bool,
        run_once: bool,
        dest: *mut DestReceiver,
        altdest: *mut DestReceiver,
        completion: *mut QueryCompletion,
    ) -> bool;
    #[cfg(feature = "since18")]
    pub fn PortalRun(
        portal: Portal,
        count: std::ffi::c_long,
        top_level: bool,
        dest: *mut DestReceiver,
        altdest: *mut DestReceiver,
        completion: *mut QueryCompletion,
    ) -> bool;
    pub fn PortalDrop(portal: Portal, top_commit: bool);
    pub fn PortalErrorCleanup();
    // The executor, for hooks that call it in the server's stead
    pub fn standard_ExecutorStart(query: *mut QueryDesc, flags: c_int);
    pub fn standard_ExecutorRun(
        query: *mut QueryDesc,
        direction: ScanDirection::Type,
        count: u64,
        #[cfg(not(feature = "since18"))] once: bool,
    );
    pub fn standard_ExecutorFinish(query: *mut QueryDesc);
    pub fn standard_ExecutorEnd(query: *mut QueryDesc);
    pub fn standard_ProcessUtility(
        statement: *mut PlannedStmt,
        text: *const c_char,
        read_only: bool,
        context: ProcessUtilityContext::Type,
        params: ParamListInfo,
        env: *mut QueryEnvironment,
        dest: *mut DestReceiver,
        completion: *mut QueryCompletion,
    );
    // Types
    pub fn makeParamList(count: c_int) -> *mut ParamListInfoData;
    pub fn getTypeInputInfo(type_: Oid, input: *mut Oid, ioparam: *mut Oid);
    pub fn getTypeOutputInfo(type_: Oid, output: *mut Oid, varlena: *mut bool);
    pub fn OidInputFunctionCall(
        function: Oid,
        text: *mut c_char,
        ioparam: Oid,
        typmod: i32,
    ) -> Datum;
    pub fn fmgr_info(function: Oid, info: *mut FmgrInfo);
    pub fn OutputFunctionCall(info: *mut FmgrInfo, value: Datum) -> *mut c_char;
    pub fn pg_server_to_client(text: *const c_char, len: c_int) -> *mut c_char;
    pub fn slot_getsomeattrs_int(slot: *mut TupleTableSlot, count: c_int);
    pub fn JsonbIteratorInit(container: *mut JsonbContainer) -> *mut JsonbIterator;
    pub fn JsonbIteratorNext(
        iterator: *mut *mut JsonbIterator,
        value: *mut JsonbValue,
        skip_nested: bool,
    ) -> JsonbIteratorToken::Type;
    // Memory
    pub fn MemoryContextReset(context: MemoryContext);
    pub fn palloc(size: usize) -> *mut c_void;
    // Activity, interrupts, timeouts
    pub fn pgstat_report_activity(state: BackendState::Type, query: *const c_char);
    pub fn pgstat_report_query_id(query_id: u64, force: bool);
    pub fn pgstat_report_stat(force: bool) -> std::ffi::c_long;
    pub fn RequestCheckpoint(flags: c_int);
    pub fn ProcessInterrupts();
    pub fn enable_timeout_after(id: c_int, delay_ms: c_int);
    pub fn disable_timeout(id: c_int, keep_indicator: bool);
    pub fn disable_all_timeouts(keep_indicators: bool);
    pub fn get_timeout_active(id: c_int) -> bool;
    pub fn get_timeout_indicator(id: c_int, reset: bool) -> bool;
    pub fn InvalidateCatalogSnapshotConditionally();
    // The cleanup after an error
    pub fn ReplicationSlotRelease();
    #[cfg(not(feature = "since17"))]
    pub fn ReplicationSlotCleanup();
    #[cfg(feature = "since17")]
    pub fn ReplicationSlotCleanup(synced_only: bool);
    pub fn jit_reset_after_error();
    // Encodings
    pub fn GetDatabaseEncoding() -> c_int;
    /// The function of a schema's default conversion; to be called with a guard of its own.
    pub fn FindDefaultConversion(schema: Oid, from: i32, to: i32) -> Oid;
    // Errors
    pub fn errmsg_internal(format: *const c_char, ...) -> c_int;
    pub fn errdetail_internal(format: *const c_char, ...) -> c_int;
    pub fn errhint(format: *const c_char, ...) -> c_int;
    pub fn CopyErrorData() -> *mut ErrorData;
    pub fn FreeErrorData(error: *mut ErrorData);
    /// The SQLSTATE of the error that is being reported.
    pub fn geterrcode() -> c_int;
    // The end of the process; the bindings of 18 do not declare that it does not return.
    pub fn proc_exit(code: c_int) -> !;
    /// Set by the signal that the kernel sends when the postmaster dies, and perhaps for nothing.
    pub static postmaster_possibly_dead: c_int;
    pub fn PostmasterIsAliveInternal() -> bool;
    // Signals: handlers of the server's own, which set its flags and the latch.
    pub fn die(signal: c_int, #[cfg(feature = "since19")] sender: *const c_void);
    pub fn StatementCancelHandler(signal: c_int, #[cfg(feature = "since19")] sender: *const c_void);
    pub fn SignalHandlerForConfigReload(
        signal: c_int,
        #[cfg(feature = "since19")] sender: *const c_void,
    );
    #[cfg_attr(feature = "since18", link_name = "pqsignal_be")]
    pub fn pqsignal(signal: c_int, handler: Option<SignalHandler>);
}
