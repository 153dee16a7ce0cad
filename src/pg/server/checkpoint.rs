//! Checkpoints, from shared memory and the control file.

use crate::pg::error::SqlError;
use crate::pg::sql::xact;
use crate::pg::{raw, server};
use pgrx::pg_sys;
use std::ffi::c_int;

/// The state of the server's checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// Where the newest checkpoint's redo begins; moves when a checkpoint begins.
    begun: u64,
    /// The same of the newest that is complete; moves when a checkpoint ends.
    complete: u64,
}

impl Checkpoint {
    /// As of now; None if the control file could not be read. Needs no transaction.
    ///
    /// Read before the control file, so that a checkpoint that ends in between does not show as begun later.
    pub fn now() -> Option<Checkpoint> {
        xact::catch(|| {
            // SAFETY: reads shared state under its own lock.
            let begun = unsafe { pg_sys::GetRedoRecPtr() };
            complete_redo().map(|complete| Checkpoint { begun, complete })
        })
        .ok()
        .flatten()
    }

    /// Whether one is being written. A failed one counts as being written until the next is complete.
    pub fn in_progress(&self) -> bool {
        self.begun > self.complete
    }

    /// Whether one that began at or after this WAL position is complete.
    pub fn is_complete_since(&self, position: u64) -> bool {
        self.complete >= position
    }

    /// Whether one has begun since `earlier`.
    pub fn began_since(&self, earlier: &Checkpoint) -> bool {
        self.begun != earlier.begun
    }

    /// Whether one was being written at any time from `earlier` to `self`.
    pub fn any_since(&self, earlier: &Checkpoint) -> bool {
        self.in_progress() || earlier.in_progress() || self != earlier
    }
}

/// Asks for a checkpoint as fast as it goes, without waiting for it; the position in the WAL that it covers.
pub fn request() -> Result<u64, SqlError> {
    #[cfg(feature = "since19")]
    use pg_sys::CHECKPOINT_FAST;
    #[cfg(not(feature = "since19"))]
    use pg_sys::CHECKPOINT_IMMEDIATE as CHECKPOINT_FAST;
    let flags = CHECKPOINT_FAST | pg_sys::CHECKPOINT_FORCE;
    xact::catch(|| {
        // SAFETY: not in recovery; sets flags and signals the checkpointer, and the guard catches an ERROR.
        unsafe {
            let position = pg_sys::GetXLogInsertRecPtr();
            pg_sys::ffi::pg_guard_ffi_boundary(|| raw::RequestCheckpoint(flags as c_int));
            position
        }
    })
}

/// Whether a role may ask for checkpoints.
pub fn may_request(role: pg_sys::Oid) -> bool {
    server::has_rights_of(role, pg_sys::Oid::from(pg_sys::ROLE_PG_CHECKPOINT))
}

/// How often a control file that was just being written is read again.
const TRIES: usize = 5;

fn complete_redo() -> Option<u64> {
    (0..TRIES).find_map(|_| {
        let mut intact = false;
        // SAFETY: the data directory's name is set for the life of the server; the result is a palloc'd
        // copy, freed here.
        unsafe {
            let control = pg_sys::get_controlfile(pg_sys::DataDir, &mut intact);
            let redo = (*control).checkPointCopy.redo;
            pg_sys::pfree(control.cast());
            intact.then_some(redo)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_began_or_ended_meanwhile_counts() {
        let at = |begun, complete| Checkpoint { begun, complete };
        assert!(!at(5, 5).in_progress() && at(6, 5).in_progress());
        assert!(!at(5, 5).any_since(&at(5, 5)));
        assert!(at(6, 5).any_since(&at(5, 5)));
        assert!(at(6, 6).any_since(&at(6, 5)));
        assert!(at(6, 6).any_since(&at(5, 5)));
        assert!(at(6, 5).began_since(&at(5, 5)) && !at(6, 6).began_since(&at(6, 5)));
        assert!(at(6, 6).is_complete_since(6) && !at(7, 6).is_complete_since(7));
    }
}
