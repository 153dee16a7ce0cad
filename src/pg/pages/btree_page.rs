//! A page of a B-tree index.

use super::page::{Footprints, HEADER_BYTES, PAGE_BYTES, PageView};
use pgrx::pg_sys;

/// The special space of a B-tree page (nbtree.h, the same from 14 on); pgrx has no binding.
#[repr(C)]
struct Opaque {
    previous: u32,
    next: u32,
    level: u32,
    flags: u16,
    cycle: u16,
}

const LEAF: u16 = 1 << 0;
const DELETED: u16 = 1 << 2;
const META: u16 = 1 << 3;
const HALF_DEAD: u16 = 1 << 4;

/// The purpose of a page.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    #[default]
    Leaf,
    /// The way to the leaves, or the meta page.
    Inner,
    /// Deleted, half dead, or never used: it holds nothing.
    Unused,
}

/// The contents of a B-tree page; all but the first field are for leaves.
#[derive(Default)]
pub struct BTreePage {
    pub used_for: Use,
    /// Entries that no scan has marked as dead.
    pub live_tuples: u32,
    pub live_bytes: u32,
    pub dead_tuples: u32,
    pub dead_bytes: u32,
    pub free_bytes: u32,
    /// Between header and special space.
    pub room: u32,
    /// The leaf to the right; 0: none.
    pub next: u32,
    pub live: Footprints,
}

/// False if the page does not make sense.
///
/// # Safety
/// The page is pinned and share-locked.
pub unsafe fn look(page: *mut u8, into: &mut BTreePage) -> bool {
    (into.live_tuples, into.live_bytes) = (0, 0);
    (into.dead_tuples, into.dead_bytes) = (0, 0);
    (into.free_bytes, into.room, into.next) = (0, 0, 0);
    into.live.clear();
    into.used_for = Use::Unused;
    // SAFETY: as the caller promises.
    let Some(view) = (unsafe { PageView::new(page) }) else {
        return false;
    };
    if view.is_new() {
        return true;
    }
    if view.special != PAGE_BYTES - size_of::<Opaque>() {
        return false;
    }
    // SAFETY: the special space lies inside the page, and is as large and aligned as its content.
    let opaque = unsafe { &*page.add(view.special).cast::<Opaque>() };
    if opaque.flags & (DELETED | HALF_DEAD) != 0 {
        return true;
    }
    if opaque.flags & META != 0 || opaque.flags & LEAF == 0 {
        into.used_for = Use::Inner;
        return true;
    }
    into.used_for = Use::Leaf;
    into.next = opaque.next;
    into.room = (view.special - HEADER_BYTES) as u32;
    into.free_bytes = view.free_bytes() as u32;
    // Unless it is the last on its level, its first item is a bound and no entry.
    let first = if opaque.next == 0 { 1 } else { 2 };
    for number in first..=view.items() {
        match view.item(number) {
            Ok(Some(item)) if item.flags == pg_sys::LP_DEAD => {
                into.dead_tuples += 1;
                into.dead_bytes += item.length as u32;
            }
            Ok(Some(item)) => {
                into.live_tuples += 1;
                into.live_bytes += item.length as u32;
                into.live.add(item.length);
            }
            Ok(None) => {}
            Err(_) => return false,
        }
    }
    true
}
