//! The state of an aggregate, as a Rust value that lives as long as its group.

use crate::error::{Result, unsupported};
use pgrx::{Internal, PgMemoryContexts, pg_sys};

/// Changes the state, which begins as its default. All functions of an aggregate name the same type.
///
/// # Errors
/// Not called for an aggregate.
pub fn change<T: Default>(
    mut state: Internal,
    fcinfo: pg_sys::FunctionCallInfo,
    change: impl FnOnce(&mut T),
) -> Result<Internal> {
    let context = context(fcinfo)?;
    // SAFETY: only an aggregate's own functions are called with its state, and they agree on the type; made in
    // the aggregate's context, it lives until that is reset. Nobody else refers to it meanwhile.
    unsafe {
        PgMemoryContexts::For(context).switch_to(|_| change(state.get_or_insert_default::<T>()));
    }
    Ok(state)
}

/// The state; None: nothing has changed it. Errors as [`change`].
pub fn state<T>(state: &Internal, fcinfo: pg_sys::FunctionCallInfo) -> Result<Option<&T>> {
    context(fcinfo)?;
    // SAFETY: as in `change`.
    Ok(unsafe { state.get::<T>() })
}

/// Where the state lives.
fn context(fcinfo: pg_sys::FunctionCallInfo) -> Result<pg_sys::MemoryContext> {
    let mut context = std::ptr::null_mut();
    // SAFETY: the server passes valid call information.
    if unsafe { pg_sys::AggCheckCallContext(fcinfo, &mut context) } == 0 {
        return Err(unsupported(
            "a support function of an aggregate cannot be called directly",
        ));
    }
    Ok(context)
}
