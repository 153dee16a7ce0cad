//! A relation opened for reading its pages, without ever waiting for a lock.

use super::btree_page::{self, BTreePage};
use super::heap_page::{self, HeapPage};
use super::index_page::{self, IndexPage};
use super::rewritten::Columns;
use crate::error::{Error, Result, failure, unsupported};
use crate::pg::raw;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_DATA_CORRUPTED, ERRCODE_LOCK_NOT_AVAILABLE, ERRCODE_UNDEFINED_TABLE,
};

/// A relation does not exist, or no longer exists.
pub fn undefined(oid: pg_sys::Oid) -> Error {
    let message = format!("relation with OID {} does not exist", oid.to_u32());
    failure(ERRCODE_UNDEFINED_TABLE, message)
}

/// Number of pages that the storage is told of in advance: random reads then overlap, as in ANALYZE.
const PREFETCH_DISTANCE: usize = 64;

const LOCK: pg_sys::LOCKMODE = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
const MAIN: pg_sys::ForkNumber::Type = pg_sys::ForkNumber::MAIN_FORKNUM;

/// Declared bare: they run below the one guard of a page.
mod bare {
    use pgrx::pg_sys::*;

    unsafe extern "C-unwind" {
        pub fn ReadBufferExtended(
            relation: Relation,
            fork: ForkNumber::Type,
            block: BlockNumber,
            mode: ReadBufferMode::Type,
            strategy: BufferAccessStrategy,
        ) -> Buffer;
        // From 19 on it is a macro, which unlocks by another function.
        #[cfg_attr(feature = "since19", link_name = "LockBufferInternal")]
        pub fn LockBuffer(buffer: Buffer, mode: std::ffi::c_int);
        pub fn UnlockReleaseBuffer(buffer: Buffer);
        pub fn ReleaseBuffer(buffer: Buffer);
    }
}

/// An open relation, locked with AccessShareLock: nobody can drop, rewrite or truncate it meanwhile.
///
/// An ERROR below it is cleaned up by the (sub)transaction's abort: lock, pin and reference.
pub struct OpenRelation {
    relation: pg_sys::Relation,
    strategy: pg_sys::BufferAccessStrategy,
    blocks: u32,
    /// If some were dropped.
    columns: Option<Columns>,
}

/// Opens the relation, runs `body` and closes it.
///
/// # Errors
/// It is locked by another session (55P03), does not exist any more (42P01), is a temporary table of another
/// session (0A000), or what `body` returns.
pub fn open_without_waiting<T>(
    oid: pg_sys::Oid,
    body: impl FnOnce(&OpenRelation) -> Result<T>,
) -> Result<T> {
    // SAFETY: inside a transaction. The relation is opened under a lock that is already held, and closed
    // with it; after an ERROR the abort does both.
    unsafe {
        if !pg_sys::ConditionalLockRelationOid(oid, LOCK) {
            return Err(failure(
                ERRCODE_LOCK_NOT_AVAILABLE,
                "it is locked by another session",
            ));
        }
        let relation = pg_sys::try_relation_open(oid, pg_sys::NoLock as pg_sys::LOCKMODE);
        if relation.is_null() {
            pg_sys::UnlockRelationOid(oid, LOCK);
            return Err(undefined(oid));
        }
        let temporary = (*(*relation).rd_rel).relpersistence as u8 == b't';
        let result = if temporary && !(*relation).rd_islocaltemp {
            Err(unsupported(
                "cannot access temporary tables of other sessions",
            ))
        } else {
            // A small ring, so that reading pages does not evict others from shared_buffers.
            let strategy =
                pg_sys::GetAccessStrategy(pg_sys::BufferAccessStrategyType::BAS_BULKREAD);
            let open = OpenRelation {
                relation,
                strategy,
                blocks: pg_sys::RelationGetNumberOfBlocksInFork(relation, MAIN),
                columns: heap_page::columns(relation),
            };
            // The catalog was read; without this its snapshot would hold the horizon while pages are read.
            pg_sys::InvalidateCatalogSnapshot();
            let result = body(&open);
            pg_sys::FreeAccessStrategy(strategy);
            result
        };
        pg_sys::relation_close(relation, LOCK);
        // Otherwise a session that has read every relation would keep cache entries for each: gigabytes.
        pg_sys::RelationCacheInvalidateEntry(oid);
        result
    }
}

impl OpenRelation {
    /// Pages of the main fork when it was opened. It may grow, never shrink, while it is open.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Looks at a page of a heap; raises the server's ERROR if it cannot be read or is not valid.
    pub fn heap_page(&self, block: u32, into: &mut HeapPage) -> Result<()> {
        // SAFETY: `look` runs with the page pinned and share-locked, and keeps to it.
        self.with_page(block, |buffer, page| unsafe {
            heap_page::look(
                self.relation,
                self.columns.as_ref(),
                block,
                buffer,
                page,
                into,
            )
        })
    }

    /// Looks at a page of a B-tree.
    pub fn btree_page(&self, block: u32, into: &mut BTreePage) -> Result<()> {
        // SAFETY: as above.
        self.with_page(block, |_, page| unsafe { btree_page::look(page, into) })
    }

    /// Looks at a page of an index of another kind.
    pub fn index_page(&self, block: u32, into: &mut IndexPage) -> Result<()> {
        // SAFETY: as above.
        self.with_page(block, |_, page| unsafe { index_page::look(page, into) })
    }

    /// Calls `read` for each block, in the order given, until it returns false, and tells the storage in advance
    /// which blocks come.
    pub fn for_each(
        &self,
        blocks: &[u32],
        mut read: impl FnMut(u32) -> Result<bool>,
    ) -> Result<()> {
        for (i, &block) in blocks.iter().enumerate() {
            if i == 0 {
                blocks
                    .iter()
                    .take(PREFETCH_DISTANCE)
                    .for_each(|b| self.prefetch(*b));
            }
            if let Some(&ahead) = blocks.get(i + PREFETCH_DISTANCE) {
                self.prefetch(ahead);
            }
            if !read(block)? {
                break;
            }
        }
        Ok(())
    }

    /// Reads a block through shared_buffers; with `stays` into those of all, else into the ring, which keeps the others.
    pub fn read(&self, block: u32, stays: bool) {
        let strategy = if stays {
            std::ptr::null_mut()
        } else {
            self.strategy
        };
        // SAFETY: the relation is open and the block below its size; the pin is released, by the abort after an ERROR.
        unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| {
                if pg_sys::InterruptPending != 0 {
                    raw::ProcessInterrupts();
                }
                bare::ReleaseBuffer(bare::ReadBufferExtended(
                    self.relation,
                    MAIN,
                    block,
                    pg_sys::ReadBufferMode::RBM_NORMAL,
                    strategy,
                ));
            });
        }
    }

    fn prefetch(&self, block: u32) {
        // SAFETY: a hint about a block of the open relation.
        unsafe {
            pg_sys::PrefetchBuffer(self.relation, MAIN, block);
        }
    }

    /// Checks for interrupts, then runs `look` with the page share-locked. One guard for all of it:
    /// `look` must own nothing that needs dropping. It returns whether the page makes sense.
    fn with_page(
        &self,
        block: u32,
        look: impl FnOnce(pg_sys::Buffer, *mut u8) -> bool,
    ) -> Result<()> {
        // SAFETY: the relation is open and the block below its size; pin and lock are released, by the
        // abort after an ERROR.
        let sound = unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| {
                if pg_sys::InterruptPending != 0 {
                    raw::ProcessInterrupts();
                }
                let buffer = bare::ReadBufferExtended(
                    self.relation,
                    MAIN,
                    block,
                    pg_sys::ReadBufferMode::RBM_NORMAL,
                    self.strategy,
                );
                bare::LockBuffer(buffer, pg_sys::BUFFER_LOCK_SHARE as i32);
                let sound = look(buffer, pg_sys::BufferGetPage(buffer).cast());
                bare::UnlockReleaseBuffer(buffer);
                sound
            })
        };
        if sound {
            Ok(())
        } else {
            Err(failure(
                ERRCODE_DATA_CORRUPTED,
                format!("invalid page in block {block}"),
            ))
        }
    }
}
