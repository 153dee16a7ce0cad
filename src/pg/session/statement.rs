//! The execution of one statement in the server: parse, bind, execute, as in the main loop of a backend.
//!
//! Everything here runs below the session's guard ([`super`]): it calls the server directly and owns nothing that needs
//! dropping, so that an ERROR may jump over it.

use super::interrupts::stop_statement_timeout;
use super::params::{Bound, BoundValue, Params};
use super::refusal::{Refusal, refuse_without_client};
use crate::pg::process::clock;
use crate::pg::raw;
use engine::Laps;
use pgrx::pg_sys;
use std::ffi::c_char;

/// Parallel plans are allowed, as for every query of a client.
pub(super) const CURSOR_OPTIONS: i32 = pg_sys::CURSOR_OPT_PARALLEL_OK as i32;
const FETCH_ALL: std::ffi::c_long = std::ffi::c_long::MAX;

/// The result of a Parse; a plain value, since it is made below the guard.
#[derive(Clone, Copy)]
pub(super) struct Parsed {
    pub source: *mut pg_sys::CachedPlanSource,
    pub tag: pg_sys::CommandTag::Type,
    pub needs_snapshot: bool,
    pub ends_block: bool,
}

impl Parsed {
    /// # Safety
    /// The slice belongs to the plan source and is valid while that lives.
    pub unsafe fn types<'a>(&self) -> &'a [pg_sys::Oid] {
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
/// `keep`: outlives the transaction; otherwise it belongs to the message. `values`: how many it will be run with.
///
/// # Safety
/// Below the session's guard, in a transaction command; `text` is a C string that outlives the source.
pub(super) unsafe fn parse(
    text: *const c_char,
    keep: bool,
    values: usize,
) -> Result<Parsed, Refusal> {
    // SAFETY: see above; the lists and nodes belong to the current memory context.
    unsafe {
        let list = raw::pg_parse_query(text);
        if list.is_null() {
            check_values(values, 0)?;
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
        refuse_without_client(tree)?;
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
        check_values(values, count as usize)?;
        Ok(complete(source, queries, types, count, tag, keep))
    }
}

/// What a Bind message is checked for.
fn check_values(supplied: usize, required: usize) -> Result<(), Refusal> {
    match supplied == required {
        true => Ok(()),
        false => Err(Refusal::Values { supplied, required }),
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
pub(super) unsafe fn run_cached(
    parsed: &Parsed,
    text: *const c_char,
    bound: &[Bound],
    texts: *mut c_char,
    receiver: *mut pg_sys::DestReceiver,
    laps: &mut Laps,
) -> u64 {
    // SAFETY: see above; parameters live in the portal's context, as the portal requires.
    unsafe {
        let source = parsed.source;
        report_query_id(source);
        let portal = raw::CreatePortal(c"".as_ptr(), true, true);
        (*portal).visible = false;
        if parsed.needs_snapshot {
            raw::PushActiveSnapshot(raw::GetTransactionSnapshot());
        }
        let params = bind(portal, bound, texts);
        let generation = (*source).generation;
        let plan = raw::GetCachedPlan(source, params, std::ptr::null_mut(), std::ptr::null_mut());
        if (*source).generation != generation {
            laps.planned(clock::now());
        }
        raw::PortalDefineQuery(
            portal,
            std::ptr::null(),
            text,
            parsed.tag,
            (*plan).stmt_list,
            plan,
        );
        if parsed.needs_snapshot {
            raw::PopActiveSnapshot();
        }
        raw::PortalStart(portal, params, 0, std::ptr::null_mut());
        if parsed.tag == pg_sys::CommandTag::CMDTAG_COMMIT_PREPARED {
            laps.committing(clock::now());
        }
        run_portal(portal, receiver)
    }
}

/// Facts about an unnamed statement after it was run.
#[derive(Clone, Copy)]
pub(super) struct Unprepared {
    /// Rows.
    pub processed: u64,
    pub tag: pg_sys::CommandTag::Type,
    /// Whether it was BEGIN, COMMIT or the like.
    pub controls_transaction: bool,
}

/// Parses, binds and runs an unnamed statement.
///
/// # Safety
/// Below the session's guard, in a transaction command; `text` outlives the call.
#[inline]
pub(super) unsafe fn run_unprepared(
    text: *const c_char,
    params: &mut Params,
    receiver: *mut pg_sys::DestReceiver,
    laps: &mut Laps,
) -> Result<Unprepared, Refusal> {
    // SAFETY: see above; the source belongs to this call alone, and binding only writes to buffers that
    // their owner keeps.
    unsafe {
        let parsed = parse(text, false, params.count())?;
        laps.parsed(clock::now());
        let (bound, texts) = params.bind(parsed.types());
        let processed = run_cached(&parsed, text, bound, texts, receiver, laps);
        let tree = (*parsed.source).raw_parse_tree;
        let controls_transaction = !tree.is_null() && is_transaction_statement(tree);
        raw::DropCachedPlan(parsed.source);
        Ok(Unprepared {
            processed,
            tag: parsed.tag,
            controls_transaction,
        })
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
pub(super) unsafe fn run_portal(
    portal: pg_sys::Portal,
    receiver: *mut pg_sys::DestReceiver,
) -> u64 {
    // SAFETY: a started portal of this session.
    unsafe {
        check_for_interrupts();
        let mut done = pg_sys::QueryCompletion {
            commandTag: pg_sys::CommandTag::CMDTAG_UNKNOWN,
            nprocessed: 0,
        };
        #[cfg(not(feature = "since18"))]
        raw::PortalRun(portal, FETCH_ALL, true, true, receiver, receiver, &mut done);
        #[cfg(feature = "since18")]
        raw::PortalRun(portal, FETCH_ALL, true, receiver, receiver, &mut done);
        raw::PortalDrop(portal, false);
        done.nprocessed
    }
}

/// Ends the transaction command. The timeout of its statement does not reach into the commit.
///
/// # Safety
/// Below the session's guard, in a transaction command.
#[inline]
pub(super) unsafe fn finish_command() {
    // SAFETY: see above.
    unsafe {
        stop_statement_timeout();
        raw::CommitTransactionCommand();
    }
}

/// # Safety
/// Below the session's guard.
#[inline]
pub(super) unsafe fn check_for_interrupts() {
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

/// COMMIT, ROLLBACK and other statements that may end a failed block.
///
/// # Safety
/// `tree` is a valid raw statement.
pub(super) unsafe fn ends_block(tree: *mut pg_sys::RawStmt) -> bool {
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

/// BEGIN, COMMIT and the like.
///
/// # Safety
/// `tree` is a valid raw statement.
pub(super) unsafe fn is_transaction_statement(tree: *mut pg_sys::RawStmt) -> bool {
    // SAFETY: see above.
    unsafe { (*(*tree).stmt).type_ == pg_sys::NodeTag::T_TransactionStmt }
}
