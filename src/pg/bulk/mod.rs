//! Bulk loading of a heap that the current transaction has truncated: pages are formed in memory and written past
//! shared_buffers, frozen and all-visible, as CREATE INDEX and CLUSTER do.
//!
//! Why that is safe: the heap's file is new in this transaction, so nobody else can read it (the table is locked), and a
//! rollback discards it with every row. Each page goes to the WAL as a whole before it goes to the file, unless
//! `wal_level = minimal` or an unlogged table makes that needless; the file is synced if a checkpoint has begun meanwhile,
//! since a checkpoint does not write pages that are in no buffer. So another process that has the [`Heap`] may write pages,
//! too: it needs no snapshot, lock or transaction id. It only must have ended before the transaction ends.

mod copy;
mod file;
mod pages;
// Only tests have columns of all types.
#[cfg_attr(not(any(test, feature = "toy")), allow(dead_code))]
mod row;
mod rows;
mod shape;
mod size;
pub mod undecoded;

pub use copy::{AlikeRow, COPY_END, COPY_HEADER, CopyWriter};
pub use pages::PageWriter;
pub use row::{Row, RowError, Type, Typed};
pub use rows::{InsertWriter, RowWriter, Rows};
pub use shape::{Column, Content, Shape};
pub use size::{Sizes, pages_bytes, width, width_at_most};

use super::encoding;
use super::session::receiver::attribute;
use pages::Pages;
use pgrx::pg_sys;
use std::ops::Range;

/// Words that [`Heap::encode`] takes.
pub const HEAP_WORDS: usize = memory::board::HEAP_WORDS;

/// Rows that are longer are not written here: what the words of a heap leave for one, 192 bytes.
const ROW_BYTES: usize = (HEAP_WORDS - 4) * 8;
const PAGE_BYTES: usize = pg_sys::BLCKSZ as usize;
/// Pages that are logged and written in one go: 256 kB stay in the processor's cache.
pub const BATCH_PAGES: usize = 32;
/// Heap pages covered by one page of the visibility map, two bits each.
const PAGES_PER_MAP_PAGE: u32 = (PAGE_BYTES as u32 - PAGE_HEADER) * 4;
const PAGE_HEADER: u32 = 24;
const MAIN: pg_sys::ForkNumber::Type = pg_sys::ForkNumber::MAIN_FORKNUM;
const MAP: pg_sys::ForkNumber::Type = pg_sys::ForkNumber::VISIBILITYMAP_FORKNUM;

#[cfg(not(feature = "since16"))]
type Locator = pg_sys::RelFileNode;
#[cfg(feature = "since16")]
type Locator = pg_sys::RelFileLocator;

/// A heap as the processes that fill it need to know it; plain values, so that it can be shared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Heap {
    locator: [u32; 3],
    needs_wal: bool,
    wide_key: bool,
    has_unit: bool,
    /// Who inserts: transaction and command.
    stamp: [u32; 2],
    /// Bytes of a page to leave free.
    spare: u32,
    rows_per_page: u32,
    row_len: u32,
    row: [u8; ROW_BYTES],
}

impl Heap {
    pub fn encode(&self) -> [u64; HEAP_WORDS] {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let flags = u32::from(self.needs_wal)
            | u32::from(self.wide_key) << 1
            | u32::from(self.has_unit) << 2;
        let mut words = [0; HEAP_WORDS];
        words[0] = pair(self.locator[0], self.locator[1]);
        words[1] = pair(self.locator[2], flags);
        words[2] = pair(self.rows_per_page, self.spare << 16 | self.row_len);
        words[3] = pair(self.stamp[0], self.stamp[1]);
        for (word, bytes) in words[4..].iter_mut().zip(self.row.chunks_exact(8)) {
            *word = bytes
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        words
    }

    pub fn decode(words: &[u64; HEAP_WORDS]) -> Heap {
        let high = |word: u64| (word >> 32) as u32;
        let flags = words[1] as u32;
        let mut row = [0; ROW_BYTES];
        for (bytes, word) in row.chunks_exact_mut(8).zip(&words[4..]) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Heap {
            locator: [high(words[0]), words[0] as u32, high(words[1])],
            needs_wal: flags & 1 != 0,
            wide_key: flags & 2 != 0,
            has_unit: flags & 4 != 0,
            stamp: [high(words[3]), words[3] as u32],
            spare: words[2] as u32 >> 16,
            rows_per_page: high(words[2]),
            row_len: (words[2] as u32 & 0xffff).min(ROW_BYTES as u32),
            row,
        }
    }

    /// Rows per page, filled up to the table's fillfactor.
    pub fn rows_per_page(&self) -> u32 {
        self.rows_per_page
    }

    fn locator(&self) -> Locator {
        let [tablespace, database, relation] = self.locator;
        #[cfg(not(feature = "since16"))]
        return pg_sys::RelFileNode {
            spcNode: tablespace.into(),
            dbNode: database.into(),
            relNode: relation.into(),
        };
        #[cfg(feature = "since16")]
        pg_sys::RelFileLocator {
            spcOid: tablespace.into(),
            dbOid: database.into(),
            relNumber: relation.into(),
        }
    }

    /// The storage; to be asked for anew after anything that may process invalidations.
    fn storage(&self) -> pg_sys::SMgrRelation {
        // SAFETY: only makes an entry in this process's table of open files; -1: no temporary relation.
        unsafe { pg_sys::smgropen(self.locator(), -1) }
    }

    /// Makes the file as long as these blocks reach, without writing them: afterwards processes may write them in
    /// any order. One process at a time, and all blocks before were reserved.
    pub fn reserve(&self, blocks: Range<u32>) {
        let segment = pg_sys::RELSEG_SIZE;
        let pages = blocks.end;
        let last_of_segments =
            (blocks.start / segment + 1..=pages / segment).map(|n| n * segment - 1);
        let rest = (!pages.is_multiple_of(segment)).then(|| pages - 1);
        let mut zeros = Pages::new(1);
        for block in last_of_segments.chain(rest) {
            zeros.extend(self, MAIN, block, 1);
        }
    }
}

/// A heap that the current transaction may fill here, with everything needed to complete it.
pub struct FreshHeap {
    pub heap: Heap,
    relation: pg_sys::Oid,
    redo_at_start: pg_sys::XLogRecPtr,
}

impl FreshHeap {
    /// The table, if it can be filled here: a plain, empty, fresh heap of exactly these columns in this order,
    /// with nothing that the executor would have to do for a row (indexes, triggers, checks, row security,
    /// identity or generated columns), whose rows need not be seen by logical decoding, and into which the role
    /// may insert. `is_partition`: whether it has to be one.
    ///
    /// Must run inside the transaction that truncated the table, which therefore holds its exclusive lock.
    pub fn open(schema: &str, table: &str, shape: &Shape, is_partition: bool) -> Option<FreshHeap> {
        let (schema, table) = (
            encoding::c_string(schema).ok()?,
            encoding::c_string(table).ok()?,
        );
        // SAFETY: the table is locked, so that it stays what it is; it is closed again below.
        unsafe {
            let namespace = pg_sys::get_namespace_oid(schema.as_ptr(), true);
            let oid = pg_sys::get_relname_relid(table.as_ptr(), namespace);
            if oid == pg_sys::InvalidOid
                || !pg_sys::CheckRelationOidLockedByMe(
                    oid,
                    pg_sys::AccessExclusiveLock as i32,
                    true,
                )
            {
                return None;
            }
            let relation = pg_sys::table_open(oid, pg_sys::NoLock as i32);
            let is_plain = shape::is_plain(relation, shape, is_partition);
            let heap = is_plain.then(|| describe(relation, shape));
            pg_sys::relation_close(relation, pg_sys::NoLock as i32);
            let heap = heap.flatten()?;
            if pg_sys::smgrnblocks(heap.storage(), MAIN) > 0
                || pg_sys::smgrexists(heap.storage(), MAP)
            {
                return None;
            }
            Some(FreshHeap {
                heap,
                relation: oid,
                redo_at_start: pg_sys::GetRedoRecPtr(),
            })
        }
    }

    /// After the last page: the visibility map, the statistics, and the file's way to the disk.
    pub fn complete(&self, rows: u64) {
        let heap = &self.heap;
        // SAFETY: the table is still locked by this transaction; no other process writes to it any more.
        unsafe {
            let pages = pg_sys::smgrnblocks(heap.storage(), MAIN);
            if pages > 0 {
                write_visibility_map(heap, pages);
            }
            let relation = pg_sys::table_open(self.relation, pg_sys::NoLock as i32);
            pg_sys::pgstat_count_heap_insert(relation, rows as i64);
            pg_sys::relation_close(relation, pg_sys::NoLock as i32);
            // Without WAL the commit (or the shutdown, if unlogged) takes care of that.
            if heap.needs_wal && pg_sys::GetRedoRecPtr() != self.redo_at_start && pages > 0 {
                pg_sys::smgrimmedsync(heap.storage(), MAIN);
                pg_sys::smgrimmedsync(heap.storage(), MAP);
            }
        }
    }
}

/// What the processes that fill it need to know of it; where all rows are alike, forms the row, and counts how many of it fill
/// a page.
///
/// # Safety
/// An open, locked relation of this shape.
unsafe fn describe(relation: pg_sys::Relation, shape: &Shape) -> Option<Heap> {
    // SAFETY: see above.
    let mut heap = unsafe {
        let options = (*relation).rd_options.cast::<pg_sys::StdRdOptions>();
        let fillfactor = if options.is_null() {
            pg_sys::HEAP_DEFAULT_FILLFACTOR as usize
        } else {
            (*options).fillfactor as usize
        };
        Heap {
            locator: locator_words(relation),
            needs_wal: (*(*relation).rd_rel).relpersistence as u8
                == pg_sys::RELPERSISTENCE_PERMANENT
                && pg_sys::wal_level >= pg_sys::WalLevel::WAL_LEVEL_REPLICA as i32,
            wide_key: false,
            has_unit: false,
            stamp: [
                pg_sys::GetCurrentTransactionId().into_inner(),
                pg_sys::GetCurrentCommandId(true),
            ],
            spare: (PAGE_BYTES * (100 - fillfactor.min(100)) / 100) as u32,
            rows_per_page: 0,
            row_len: 0,
            row: [0; ROW_BYTES],
        }
    };
    if let Shape::Repeated { columns, .. } = shape {
        // SAFETY: see above.
        unsafe { form_row(&mut heap, relation, columns)? };
        heap.rows_per_page = Pages::new(1).fill(&heap);
    }
    Some(heap)
}

/// The row that is repeated.
///
/// # Safety
/// An open, locked relation of these columns.
unsafe fn form_row(heap: &mut Heap, relation: pg_sys::Relation, columns: &[Column]) -> Option<()> {
    // SAFETY: see above; values and tuple belong to the current memory context.
    unsafe {
        let descriptor = (*relation).rd_att;
        let (mut values, mut nulls) = shape::values(columns)?;
        let tuple = pg_sys::heap_form_tuple(descriptor, values.as_mut_ptr(), nulls.as_mut_ptr());
        let len = (*tuple).t_len as usize;
        if len > ROW_BYTES {
            return None;
        }
        let header = (*tuple).t_data;
        // As a frozen row of COPY: inserted by this transaction, seen by everybody from the commit on.
        (*header).t_choice.t_heap.t_xmin = heap.stamp[0].into();
        (*header).t_choice.t_heap.t_xmax = pg_sys::InvalidTransactionId;
        (*header).t_choice.t_heap.t_field3.t_cid = heap.stamp[1];
        (*header).t_infomask2 &= !(pg_sys::HEAP2_XACT_MASK as u16);
        (*header).t_infomask &= !(pg_sys::HEAP_XACT_MASK as u16);
        (*header).t_infomask |= (pg_sys::HEAP_XMIN_FROZEN | pg_sys::HEAP_XMAX_INVALID) as u16;
        std::ptr::copy_nonoverlapping(header.cast::<u8>(), heap.row.as_mut_ptr(), len);
        heap.row_len = len as u32;
        heap.wide_key = (*attribute(descriptor, 0)).atttypid == pg_sys::INT8OID;
        heap.has_unit = shape::has_unit(columns);
    }
    Some(())
}

/// # Safety
/// An open relation.
unsafe fn locator_words(relation: pg_sys::Relation) -> [u32; 3] {
    // SAFETY: see above.
    unsafe {
        #[cfg(not(feature = "since16"))]
        let (tablespace, database, relation) = {
            let node = &(*relation).rd_node;
            (node.spcNode, node.dbNode, node.relNode)
        };
        #[cfg(feature = "since16")]
        let (tablespace, database, relation) = {
            let locator = &(*relation).rd_locator;
            (locator.spcOid, locator.dbOid, locator.relNumber)
        };
        [tablespace.into(), database.into(), relation.into()]
    }
}

/// All pages all-visible and all-frozen: both bits of each.
fn write_visibility_map(heap: &Heap, pages: u32) {
    // SAFETY: the fork does not exist; this transaction discards it with the rest if it fails.
    unsafe { pg_sys::smgrcreate(heap.storage(), MAP, false) };
    let mut map = Pages::new(1);
    for (block, first) in (0..pages).step_by(PAGES_PER_MAP_PAGE as usize).enumerate() {
        let told = (pages - first).min(PAGES_PER_MAP_PAGE) as usize;
        let page = map.page(0);
        // SAFETY: a page of this size; the bits lie behind its header.
        unsafe {
            pg_sys::PageInit(page, PAGE_BYTES, 0);
            let bits = page.cast::<u8>().add(PAGE_HEADER as usize);
            bits.write_bytes(0xff, told / 4);
            if !told.is_multiple_of(4) {
                *bits.add(told / 4) = (1 << (2 * (told % 4))) - 1;
            }
        }
        map.log(heap, MAP, block as u32, 1, false);
        map.extend(heap, MAP, block as u32, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_survives_being_shared() {
        let mut row = [0; ROW_BYTES];
        for (i, byte) in row.iter_mut().enumerate() {
            *byte = i as u8;
        }
        for flag in 0..8 {
            let heap = Heap {
                locator: [1663, 5, u32::MAX],
                needs_wal: flag & 1 != 0,
                wide_key: flag & 2 != 0,
                has_unit: flag & 4 != 0,
                stamp: [u32::MAX - flag, 7],
                spare: 7_372,
                rows_per_page: 61,
                row_len: 121,
                row,
            };
            assert!(Heap::decode(&heap.encode()) == heap);
        }
    }
}
