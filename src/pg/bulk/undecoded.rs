//! Copying and moving of rows from one table into another so that logical decoding skips them, as in a rewrite of a table: subscribers
//! have these rows already.

use crate::error::{Result, invalid};
use crate::pg::session::receiver::attribute;
use pgrx::pg_sys;
use std::ffi::c_int;

/// Inserts the rows of `source` whose `taken_at` lies from `starts_at` to before `ends_at` (microseconds since 2000) into
/// `target`, a table with the same columns; returns their number. Constraints are not checked, triggers do not fire.
///
/// With an active snapshot, in a transaction that may write.
///
/// # Errors
/// One of them is no ordinary table of schema pgperf_internal, or they do not have the same columns, `taken_at` among them: 22023.
pub fn move_rows(
    source: pg_sys::Oid,
    target: pg_sys::Oid,
    starts_at: i64,
    ends_at: i64,
) -> Result<u64> {
    transfer(source, target, starts_at..ends_at, Source::Stays)
}

/// The same, and deletes the rows from `source`. Of a table whose replica identity is NOTHING a deletion has no key, by which a subscriber
/// could be told of it. The executor refuses such a deletion where deletions are published; here nobody asks.
///
/// # Errors
/// The same.
pub fn take_out(
    source: pg_sys::Oid,
    target: pg_sys::Oid,
    starts_at: i64,
    ends_at: i64,
) -> Result<u64> {
    transfer(source, target, starts_at..ends_at, Source::Loses)
}

/// What becomes of the rows of the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Stays,
    Loses,
}

fn transfer(
    source: pg_sys::Oid,
    target: pg_sys::Oid,
    range: std::ops::Range<i64>,
    of_source: Source,
) -> Result<u64> {
    let lock = match of_source {
        Source::Stays => READ,
        Source::Loses => WRITE,
    };
    // SAFETY: both tables are open and locked while they are read and written; slots and executor state are made for
    // them and freed before. After an ERROR the abort releases all of it.
    unsafe {
        let from = pg_sys::table_open(source, lock);
        let into = pg_sys::table_open(target, WRITE);
        let columns = || time_column(from, into);
        let result = match is_partition(from) && is_partition(into) {
            false => Err(invalid(
                "source and target must be ordinary tables of schema pgperf_internal".to_owned(),
            )),
            true => columns().ok_or_else(|| {
                invalid(
                    "source and target must have the same columns, taken_at among them".to_owned(),
                )
            }),
        };
        let result = result.map(|column| insert(from, into, column, range, of_source));
        pg_sys::table_close(into, pg_sys::NoLock as pg_sys::LOCKMODE);
        // Rows that have gone are locked until the transaction ends.
        match of_source {
            Source::Stays => pg_sys::table_close(from, READ),
            Source::Loses => pg_sys::table_close(from, pg_sys::NoLock as pg_sys::LOCKMODE),
        }
        result
    }
}

const READ: pg_sys::LOCKMODE = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
const WRITE: pg_sys::LOCKMODE = pg_sys::RowExclusiveLock as pg_sys::LOCKMODE;

/// Whether a relation may be a partition of the history, or its copy. What has no rows of its own, such as a partitioned table or a
/// view, has no access method either: scanning it would crash the server.
///
/// # Safety
/// The relation is open.
unsafe fn is_partition(relation: pg_sys::Relation) -> bool {
    // SAFETY: the row of pg_class and the access method, if any, belong to the open relation.
    unsafe {
        let row = &*(*relation).rd_rel;
        row.relkind as u8 == pg_sys::RELKIND_RELATION
            && !(*relation).rd_tableam.is_null()
            && row.relnamespace == pg_sys::get_namespace_oid(c"pgperf_internal".as_ptr(), true)
    }
}

/// The number of `taken_at`, if both have the same columns.
///
/// # Safety
/// Both relations are open.
unsafe fn time_column(from: pg_sys::Relation, into: pg_sys::Relation) -> Option<c_int> {
    // SAFETY: the descriptors belong to open relations; the index stays below their count.
    unsafe {
        let (from_columns, into_columns) = ((*from).rd_att, (*into).rd_att);
        let count = (*from_columns).natts;
        let same = |i: usize| {
            let (a, b) = (attribute(from_columns, i), attribute(into_columns, i));
            (*a).atttypid == (*b).atttypid
                && (*a).attisdropped == (*b).attisdropped
                && (*a).attname.data == (*b).attname.data
        };
        if count != (*into_columns).natts || !(0..count as usize).all(same) {
            return None;
        }
        let number = pg_sys::get_attnum((*from).rd_id, c"taken_at".as_ptr());
        let found = number > 0
            && (*attribute(from_columns, number as usize - 1)).atttypid == pg_sys::TIMESTAMPTZOID;
        found.then_some(c_int::from(number))
    }
}

/// # Safety
/// Both relations are open, locked for reading and writing, and have the same columns; `column` is a timestamptz.
unsafe fn insert(
    from: pg_sys::Relation,
    into: pg_sys::Relation,
    column: c_int,
    range: std::ops::Range<i64>,
    of_source: Source,
) -> u64 {
    // SAFETY: as above; what is made here is freed here.
    unsafe {
        let command = pg_sys::GetCurrentCommandId(true);
        let estate = pg_sys::CreateExecutorState();
        let info = pg_sys::palloc0(size_of::<pg_sys::ResultRelInfo>()).cast();
        pg_sys::InitResultRelInfo(info, into, 0, std::ptr::null_mut(), 0);
        pg_sys::ExecOpenIndices(info, false);
        let read = pg_sys::table_slot_create(from, std::ptr::null_mut());
        let write = pg_sys::table_slot_create(into, std::ptr::null_mut());
        let snapshot = pg_sys::GetActiveSnapshot();
        let scan = pg_sys::table_beginscan(
            from,
            snapshot,
            0,
            std::ptr::null_mut(),
            #[cfg(feature = "since19")]
            0,
        );
        let mut rows = 0;
        while pg_sys::table_scan_getnextslot(
            scan,
            pg_sys::ScanDirection::ForwardScanDirection,
            read,
        ) {
            pgrx::check_for_interrupts!();
            let mut is_null = false;
            let at = pg_sys::slot_getattr(read, column, &mut is_null).value() as i64;
            if is_null || !range.contains(&at) {
                continue;
            }
            pg_sys::ExecCopySlot(write, read);
            pg_sys::table_tuple_insert(
                into,
                write,
                command,
                pg_sys::TABLE_INSERT_NO_LOGICAL as _,
                std::ptr::null_mut(),
            );
            insert_into_indexes(info, write, estate);
            if of_source == Source::Loses {
                pg_sys::simple_table_tuple_delete(from, &raw mut (*read).tts_tid, snapshot);
            }
            rows += 1;
        }
        pg_sys::table_endscan(scan);
        pg_sys::ExecDropSingleTupleTableSlot(write);
        pg_sys::ExecDropSingleTupleTableSlot(read);
        pg_sys::ExecCloseIndices(info);
        pg_sys::pfree(info.cast());
        pg_sys::FreeExecutorState(estate);
        rows
    }
}

/// # Safety
/// The row of the slot has just been inserted into the table whose indexes are open in `info`.
unsafe fn insert_into_indexes(
    info: *mut pg_sys::ResultRelInfo,
    row: *mut pg_sys::TupleTableSlot,
    estate: *mut pg_sys::EState,
) {
    // SAFETY: as above; no index is deferrable, so none has to be checked again. What expressions and predicates of
    // indexes allocate is freed with each row.
    unsafe {
        #[cfg(feature = "since19")]
        pg_sys::ExecInsertIndexTuples(
            info,
            estate,
            0,
            row,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        );
        #[cfg(not(feature = "since19"))]
        pg_sys::ExecInsertIndexTuples(
            info,
            row,
            estate,
            false,
            false,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            #[cfg(feature = "since16")]
            false,
        );
        let context = (*estate).es_per_tuple_exprcontext;
        if !context.is_null() {
            pg_sys::MemoryContextReset((*context).ecxt_per_tuple_memory);
        }
    }
}
