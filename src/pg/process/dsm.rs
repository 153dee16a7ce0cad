//! Shared memory of a run, as words that several processes may read while one writes.

use crate::pg::sql::xact;
use pgrx::pg_sys;
use std::sync::atomic::AtomicU64;

/// A dynamic shared memory segment, mapped until the process ends.
pub struct Segment {
    segment: *mut pg_sys::dsm_segment,
    handle: pg_sys::dsm_handle,
    words: &'static [AtomicU64],
}

impl Segment {
    /// Makes a segment of zeroed words. Outside a transaction, so that it belongs to the session.
    ///
    /// Raises the server's own error where memory is short: /dev/shm in a container, for one.
    pub fn create(words: usize) -> Segment {
        // SAFETY: outside a transaction there is no resource owner, and the mapping stays; the segment
        // is of the size asked for and aligned to a page; zeroed here before anybody else knows it.
        unsafe {
            pg_sys::CurrentResourceOwner = std::ptr::null_mut();
            let segment = pg_sys::dsm_create(words * 8, 0);
            let address = pg_sys::dsm_segment_address(segment).cast::<u64>();
            std::ptr::write_bytes(address, 0, words);
            Segment {
                segment,
                handle: pg_sys::dsm_segment_handle(segment),
                words: std::slice::from_raw_parts(address.cast::<AtomicU64>(), words),
            }
        }
    }

    /// Maps a segment that another process made; None if it is gone. Outside a transaction.
    pub fn attach(handle: u32) -> Option<Segment> {
        // SAFETY: as above; the size is the one it was made with.
        unsafe {
            pg_sys::CurrentResourceOwner = std::ptr::null_mut();
            let segment = pg_sys::dsm_attach(handle);
            if segment.is_null() {
                return None;
            }
            let address = pg_sys::dsm_segment_address(segment).cast::<AtomicU64>();
            let words = pg_sys::dsm_segment_map_length(segment) / 8;
            Some(Segment {
                segment,
                handle,
                words: std::slice::from_raw_parts(address, words),
            })
        }
    }

    /// The same inside a transaction, whose end the mapping outlives. None where memory is short, too.
    pub fn attach_in_transaction(handle: u32) -> Option<Segment> {
        // SAFETY: a variable of this process.
        let owner = unsafe { pg_sys::CurrentResourceOwner };
        let segment = xact::catch(|| Segment::attach(handle));
        // SAFETY: as above; nothing else has changed it.
        unsafe { pg_sys::CurrentResourceOwner = owner };
        segment.ok().flatten()
    }

    /// Unmaps it. Nobody may have its words any more.
    pub fn unmap(self) {
        // SAFETY: mapped by this process, and not yet unmapped.
        unsafe { pg_sys::dsm_detach(self.segment) };
    }

    /// Shows `body` the words of a segment that another process made, inside a transaction; None if it is gone. Afterwards it is
    /// not mapped any more.
    pub fn visit<T>(handle: u32, body: impl FnOnce(&[AtomicU64]) -> T) -> Option<T> {
        // SAFETY: the mapping lives until it is detached below, or until the transaction aborts after an ERROR in `body`,
        // which the words do not outlive; this process has not mapped the segment otherwise.
        unsafe {
            let segment = pg_sys::dsm_attach(handle);
            if segment.is_null() {
                return None;
            }
            let address = pg_sys::dsm_segment_address(segment).cast::<AtomicU64>();
            let words = pg_sys::dsm_segment_map_length(segment) / 8;
            let value = body(std::slice::from_raw_parts(address, words));
            pg_sys::dsm_detach(segment);
            Some(value)
        }
    }

    pub fn handle(&self) -> u32 {
        self.handle
    }

    pub fn words(&self) -> &'static [AtomicU64] {
        self.words
    }
}
