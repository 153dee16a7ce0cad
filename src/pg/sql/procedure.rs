//! Procedures that commit and then wait without a snapshot.

use crate::error::{Problem, Result};
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;

/// A procedure that waits was called where it cannot commit.
#[derive(Debug, thiserror::Error)]
#[error("CALL {call} cannot run inside a transaction block or a function")]
pub struct WaitInTransaction {
    call: String,
}

impl Problem for WaitInTransaction {
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_ACTIVE_SQL_TRANSACTION
    }

    fn hint(&self) -> Option<String> {
        Some(
            "It commits before it waits, so that it holds no snapshot: call it by itself, \
             outside BEGIN and outside functions."
                .to_owned(),
        )
    }
}

/// Proof that a procedure was called outside a transaction block, so that it may commit.
pub struct NonAtomic(());

impl NonAtomic {
    /// Checks the context of the call. `call` names the procedure in the error.
    pub fn check(fcinfo: pg_sys::FunctionCallInfo, call: &str) -> Result<NonAtomic> {
        // SAFETY: the server passes valid call information; the node's tag identifies its type.
        let atomic = unsafe {
            let context = (*fcinfo).context;
            context.is_null()
                || (*context).type_ != pg_sys::NodeTag::T_CallContext
                || (*context.cast::<pg_sys::CallContext>()).atomic
        };
        if atomic {
            Err(WaitInTransaction {
                call: call.to_owned(),
            }
            .into())
        } else {
            Ok(NonAtomic(()))
        }
    }

    /// Commits the transaction and begins the next, which has neither snapshot nor transaction id
    /// until something needs one.
    pub fn commit(&self) {
        // SAFETY: allowed in a non-atomic context, which `check` has seen; connect and finish are paired.
        unsafe {
            pg_sys::SPI_connect_ext(pg_sys::SPI_OPT_NONATOMIC as i32);
            pg_sys::SPI_commit();
            pg_sys::SPI_finish();
        }
        super::xact::release_catalog_snapshot();
    }

    /// Runs `body` with a snapshot of its own, then commits, so that neither snapshot nor lock stays.
    pub fn with_snapshot<T>(&self, body: impl FnOnce() -> T) -> T {
        // SAFETY: paired; after an ERROR the transaction's abort drops the snapshot.
        unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot()) };
        let value = body();
        // SAFETY: as above.
        unsafe { pg_sys::PopActiveSnapshot() };
        self.commit();
        value
    }
}
