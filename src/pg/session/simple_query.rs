//! A simple Query message: one string of one or several statements, as the main loop of a backend runs it.
//!
//! Below the session's guard, as [`super::statement`].

use super::commits::commit;
use super::interrupts::{start_statement_timeout, stop_statement_timeout};
use super::receiver::Receiver;
use super::refusal::{Refusal, refuse_without_client};
use super::statement::{
    CURSOR_OPTIONS, check_for_interrupts, ends_block, finish_command, is_transaction_statement,
    run_portal,
};
use crate::pg::process::clock;
use crate::pg::raw;
use engine::Laps;
use pgrx::pg_sys;
use std::ffi::c_char;

/// What exec_simple_query does.
///
/// # Safety
/// Below the session's guard, in a transaction command; `text` outlives the call.
pub(super) unsafe fn run_simple(
    text: *const c_char,
    receiver: *mut pg_sys::DestReceiver,
    laps: &mut Laps,
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
            refuse_without_client(tree)?;
            if raw::IsAbortedTransactionBlockState() && !ends_block(tree) {
                return Err(Refusal::BlockAborted);
            }
            if !in_command {
                raw::StartTransactionCommand();
                in_command = true;
            }
            // Each statement of the string has the whole time.
            start_statement_timeout();
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
            laps.parsed(clock::now());
            let plans = raw::pg_plan_queries(queries, text, CURSOR_OPTIONS, std::ptr::null_mut());
            laps.planned(clock::now());
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
            Receiver::begin_query(receiver);
            if tag == pg_sys::CommandTag::CMDTAG_COMMIT_PREPARED {
                laps.committing(clock::now());
            }
            processed = run_portal(portal, receiver);
            if i + 1 == count {
                if implicit_block {
                    raw::EndImplicitTransactionBlock();
                }
                commit(tag, laps);
                in_command = false;
                continue;
            }
            if is_transaction_statement(tree) {
                commit(tag, laps);
                in_command = false;
            } else {
                raw::CommandCounterIncrement();
                stop_statement_timeout();
            }
            laps.executed(clock::now());
        }
        if in_command {
            finish_command();
        }
        Ok(processed)
    }
}
