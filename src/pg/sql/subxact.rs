//! A subtransaction around a closure, so that an ERROR inside it undoes only that.

use crate::pg::error::{self, SqlError};
use crate::pg::through::through;
use pgrx::PgTryBuilder;
use pgrx::pg_sys;
use std::panic::AssertUnwindSafe;

/// Runs `body` in a subtransaction: kept if it returns, rolled back if it raises an ERROR, which is
/// returned. A cancelled query or a server that shuts down is not caught: it is raised again.
pub fn subtransaction<T>(body: impl FnOnce() -> T) -> Result<T, SqlError> {
    error::watch_texts();
    guarded(
        &|caught| matches!(caught.sqlstate.as_str(), "57014" | "57P01"),
        End::Keep,
        body,
    )
}

/// Runs `body` in a subtransaction in which nothing can be written, and which is rolled back also if it returns: locks are released,
/// user and settings are as before. An ERROR is returned, also that of a cancel if `is_own` says that it was not the user's.
pub fn undone<T>(
    is_own: impl Fn(&SqlError) -> bool,
    body: impl FnOnce() -> T,
) -> Result<T, SqlError> {
    error::watch_texts();
    guarded(
        &|caught| match caught.sqlstate.as_str() {
            "57014" => !is_own(caught),
            code => code == "57P01",
        },
        End::Undo,
        || without_writing(body),
    )
}

/// Runs `body` in a subtransaction that is rolled back also if it returns. An ERROR is returned, but that of a cancel.
pub fn rolled_back<T>(body: impl FnOnce() -> T) -> Result<T, SqlError> {
    error::watch_texts();
    guarded(
        &|caught| matches!(caught.sqlstate.as_str(), "57014" | "57P01"),
        End::Undo,
        body,
    )
}

/// Runs `body` in a subtransaction in which nothing can be written, and which nothing in it makes writable again. An ERROR is
/// raised again.
pub fn read_only<T>(body: impl FnOnce() -> T) -> T {
    guarded(&|_| true, End::Keep, || without_writing(body))
        .unwrap_or_else(|error| unreachable!("raised again: {}", error.message))
}

fn without_writing<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: a variable of this process. The server puts it back when the subtransaction ends, however it ends. As a
    // setting for the time of a call, transaction_read_only is refused from 17 on.
    unsafe { pg_sys::XactReadOnly = true };
    body()
}

/// What becomes of a subtransaction whose work is done.
#[derive(Clone, Copy)]
enum End {
    Keep,
    Undo,
}

fn guarded<T>(
    is_raised_again: &dyn Fn(&SqlError) -> bool,
    end: End,
    body: impl FnOnce() -> T,
) -> Result<T, SqlError> {
    through(body, |body| in_subtransaction(is_raised_again, end, body))
}

fn in_subtransaction(
    is_raised_again: &dyn Fn(&SqlError) -> bool,
    end: End,
    body: &mut dyn FnMut(),
) -> Result<(), SqlError> {
    // SAFETY: the pair of calls that PL/pgSQL's exception blocks use, with the memory context and
    // resource owner saved before and restored after, as they require.
    let (context, owner) = unsafe {
        let saved = (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner);
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(saved.0);
        saved
    };
    let restore = move || {
        // SAFETY: both were current before the subtransaction began and outlive it.
        unsafe {
            pg_sys::MemoryContextSwitchTo(context);
            pg_sys::CurrentResourceOwner = owner;
        }
    };
    let is_raised_again = AssertUnwindSafe(is_raised_again);
    PgTryBuilder::new(AssertUnwindSafe(|| {
        body();
        // SAFETY: ends the subtransaction begun above.
        unsafe {
            match end {
                End::Keep => pg_sys::ReleaseCurrentSubTransaction(),
                End::Undo => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
            }
        }
        restore();
        Ok(())
    }))
    .catch_others(move |raised| {
        restore();
        // SAFETY: as above; the error's text has been copied by pgrx already.
        unsafe { pg_sys::RollbackAndReleaseCurrentSubTransaction() };
        restore();
        let caught = error::caught(&raised);
        if (*is_raised_again)(&caught) {
            // Here and not later: the server's own copy, which the pgrx of PostgreSQL 19 lets it throw again, lives as long as
            // this branch.
            raised.rethrow();
        }
        Err(caught)
    })
    .execute()
}
