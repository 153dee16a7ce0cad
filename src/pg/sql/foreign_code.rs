//! Execution of statements that others have written, such as observed ones, without calling functions of untrusted roles.

use crate::error::Problem;
use crate::pg::catalog::role;
use crate::pg::encoding;
use crate::pg::error::raise;
use pgrx::prelude::*;
use std::cell::Cell;
use std::ffi::CStr;
use thiserror::Error;

/// A function that must not be called.
#[derive(Debug, Error)]
#[error("it calls the function {name} of another role")]
struct ForeignCode {
    name: String,
}

impl Problem for ForeignCode {
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE
    }
}

/// Whose functions may be called, apart from superusers' and the extension's own.
#[derive(Debug, Clone, Copy)]
struct Trusted {
    caller: pg_sys::Oid,
    owner: pg_sys::Oid,
}

thread_local! {
    static TRUSTED: Cell<Option<Trusted>> = const { Cell::new(None) };
    static OTHERS: Cell<(pg_sys::needs_fmgr_hook_type, pg_sys::fmgr_hook_type)> = const { Cell::new((None, None)) };
}

/// Runs `body`; until it ends, a call of a function that is neither the current user's nor a superuser's is an ERROR.
///
/// The server asks as it looks a function up for a call, so it does not matter from where the call comes: the text, a view, a policy, a
/// domain, an operator that is estimated, or a constant part of an index, a constraint or statistics that is computed whenever a query
/// is planned. Nor does it matter when somebody has added it: a check of the catalog beforehand would leave a gap.
pub fn refused<T>(body: impl FnOnce() -> T) -> T {
    hook();
    let trusted = Trusted {
        // SAFETY: reads a variable of this process.
        caller: unsafe { pg_sys::GetUserId() },
        owner: role::extension_owner(),
    };
    let _before = Before(TRUSTED.replace(Some(trusted)));
    body()
}

/// Who was trusted before: again when it is dropped, also where an ERROR unwinds.
struct Before(Option<Trusted>);

impl Drop for Before {
    fn drop(&mut self) {
        TRUSTED.set(self.0);
    }
}

/// Asks the server to ask, once in a session.
fn hook() {
    thread_local! {
        static IS_HOOKED: Cell<bool> = const { Cell::new(false) };
    }
    if IS_HOOKED.replace(true) {
        return;
    }
    // SAFETY: variables of this process, for functions of this library, which stays loaded and calls those that were there before.
    unsafe {
        OTHERS.set((pg_sys::needs_fmgr_hook, pg_sys::fmgr_hook));
        pg_sys::needs_fmgr_hook = Some(looked_up);
        pg_sys::fmgr_hook = Some(called);
    }
}

/// Before a function that is not built in is called, or a function in SQL becomes a part of the statement. Whether [`called`] shall be
/// told of its calls.
#[pg_guard]
unsafe extern "C-unwind" fn looked_up(function: pg_sys::Oid) -> bool {
    check(function);
    let (before, _) = OTHERS.get();
    // SAFETY: as the server would have called it.
    before.is_some_and(|before| unsafe { before(function) })
}

/// With each call of a function that has settings of its own or its owner's rights, of which the server does not ask [`looked_up`].
#[pg_guard]
unsafe extern "C-unwind" fn called(
    event: pg_sys::FmgrHookEventType::Type,
    info: *mut pg_sys::FmgrInfo,
    argument: *mut pg_sys::Datum,
) {
    if event == pg_sys::FmgrHookEventType::FHET_START {
        // SAFETY: the server passes valid call information.
        check(unsafe { (*info).fn_oid });
    }
    if let (_, Some(before)) = OTHERS.get() {
        // SAFETY: as the server would have called it.
        unsafe { before(event, info, argument) };
    }
}

fn check(function: pg_sys::Oid) {
    let Some(trusted) = TRUSTED.get() else {
        return;
    };
    let Some((owner, name)) = owner_and_name(function) else {
        return;
    };
    // SAFETY: looks into the catalog, within a transaction as all calls are.
    let is_trusted = owner == trusted.caller
        || owner == trusted.owner
        || unsafe { pg_sys::superuser_arg(owner) };
    if !is_trusted {
        raise(ForeignCode { name }.into());
    }
}

/// None: it is gone, which the server notices itself.
fn owner_and_name(function: pg_sys::Oid) -> Option<(pg_sys::Oid, String)> {
    // SAFETY: the row of a function begins with this struct; it is copied before it is released.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::PROCOID as i32,
            pg_sys::Datum::from(function),
        );
        if tuple.is_null() {
            return None;
        }
        let row: pg_sys::Form_pg_proc = pg_sys::GETSTRUCT(tuple).cast();
        let name = encoding::from_c(CStr::from_ptr((*row).proname.data.as_ptr()));
        let owner = (*row).proowner;
        pg_sys::ReleaseSysCache(tuple);
        Some((owner, name))
    }
}
