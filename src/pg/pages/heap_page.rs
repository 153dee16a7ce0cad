//! A page of a heap table, by the server's own visibility rules.

use super::page::{ALL_IS_FREE, Footprints, HEADER_BYTES, Item, PAGE_BYTES, PageView};
use super::rewritten::{ColumnLength, Columns};
use crate::pg::session::receiver::attribute;
use pgrx::pg_sys;

#[cfg(test)]
use super::damaged_pages::server as bare;

/// Declared bare: they run below the one guard of a page.
#[cfg(not(test))]
mod bare {
    use pgrx::pg_sys::*;

    unsafe extern "C-unwind" {
        pub fn HeapTupleSatisfiesVacuumHorizon(
            tuple: HeapTuple,
            buffer: Buffer,
            dead_after: *mut TransactionId,
        ) -> HTSV_Result::Type;
        pub fn PageGetHeapFreeSpace(page: *const std::ffi::c_char) -> Size;
    }
}

/// The contents of a heap page.
#[derive(Default)]
pub struct HeapPage {
    pub live_tuples: u32,
    pub live_bytes: u32,
    pub dead_tuples: u32,
    pub dead_bytes: u32,
    pub free_bytes: u32,
    /// Of the live tuples, as a rewrite of the table would store them.
    pub live: Footprints,
}

/// The columns of a relation, if some were dropped.
///
/// # Safety
/// The relation is open.
pub unsafe fn columns(relation: pg_sys::Relation) -> Option<Columns> {
    // SAFETY: an open relation has a descriptor, with as many columns as it says.
    let columns = unsafe {
        let descriptor = (*relation).rd_att;
        let column = |i| {
            let column = &*attribute(descriptor, i);
            ColumnLength {
                length: column.attlen,
                alignment: match column.attalign as u8 {
                    b'd' => pg_sys::ALIGNOF_DOUBLE as usize,
                    b'i' => pg_sys::ALIGNOF_INT as usize,
                    b's' => pg_sys::ALIGNOF_SHORT as usize,
                    _ => 1,
                },
                is_dropped: column.attisdropped,
            }
        };
        (0..(*descriptor).natts as usize).map(column).collect()
    };
    Columns::new(columns)
}

/// Counts like pgstattuple: a tuple being inserted or deleted is live until that commits; a tuple deleted by a
/// committed transaction is dead, whether or not somebody still sees it. Like any reader it sets hint bits where the
/// commit of a tuple's transaction was not noted yet.
///
/// False if the page does not make sense.
///
/// # Safety
/// Below a guard; the page of that block, pinned as `buffer` and share-locked. The columns are the relation's, if some were dropped.
pub unsafe fn look(
    relation: pg_sys::Relation,
    columns: Option<&Columns>,
    block: u32,
    buffer: pg_sys::Buffer,
    page: *mut u8,
    into: &mut HeapPage,
) -> bool {
    (into.live_tuples, into.live_bytes) = (0, 0);
    (into.dead_tuples, into.dead_bytes) = (0, 0);
    into.live.clear();
    // SAFETY: as the caller promises.
    let Some(view) = (unsafe { PageView::new(page) }) else {
        return false;
    };
    if view.is_new() {
        into.free_bytes = (PAGE_BYTES - HEADER_BYTES) as u32;
        return true;
    }
    into.free_bytes = if ALL_IS_FREE {
        view.free_bytes() as u32
    } else {
        // None where a heap has no line pointer left.
        // SAFETY: a page with a sound header.
        unsafe { bare::PageGetHeapFreeSpace(page.cast()) as u32 }
    };
    for number in 1..=view.items() {
        let item = match view.item(number) {
            Ok(Some(item)) => item,
            Ok(None) => continue,
            Err(_) => return false,
        };
        if item.flags != pg_sys::LP_NORMAL {
            continue;
        }
        if item.length < size_of::<pg_sys::HeapTupleHeaderData>() {
            return false;
        }
        // SAFETY: as the caller promises; the tuple has a whole header.
        if unsafe { is_live(relation, block, buffer, view.data(item), item) } {
            into.live_tuples += 1;
            into.live_bytes += item.length as u32;
            // SAFETY: the item lies in the page, which nobody changes meanwhile.
            let tuple = unsafe { std::slice::from_raw_parts(view.data(item), item.length) };
            let rewritten = columns.and_then(|columns| columns.rewritten(tuple));
            into.live
                .add(rewritten.unwrap_or(item.length).min(item.length));
        } else {
            into.dead_tuples += 1;
            into.dead_bytes += item.length as u32;
        }
    }
    true
}

/// # Safety
/// As [`look`]; `data` is the item's.
unsafe fn is_live(
    relation: pg_sys::Relation,
    block: u32,
    buffer: pg_sys::Buffer,
    data: *mut u8,
    item: Item,
) -> bool {
    use pg_sys::HTSV_Result::{HEAPTUPLE_DEAD, HEAPTUPLE_RECENTLY_DEAD};
    let mut tuple = pg_sys::HeapTupleData {
        t_len: item.length as u32,
        t_data: data.cast(),
        ..Default::default()
    };
    tuple.t_self.ip_blkid.bi_hi = (block >> 16) as u16;
    tuple.t_self.ip_blkid.bi_lo = block as u16;
    tuple.t_self.ip_posid = item.number;
    let mut dead_after = pg_sys::InvalidTransactionId;
    // SAFETY: as the caller promises.
    let state = unsafe {
        tuple.t_tableOid = (*relation).rd_id;
        bare::HeapTupleSatisfiesVacuumHorizon(&mut tuple, buffer, &mut dead_after)
    };
    !matches!(state, HEAPTUPLE_DEAD | HEAPTUPLE_RECENTLY_DEAD)
}
