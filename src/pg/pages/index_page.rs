//! A page of an index other than a B-tree: hash, GiST, SP-GiST, GIN, BRIN. Their contents have forms of their own;
//! the header shows the free space of a page.

use super::page::{HEADER_BYTES, PAGE_BYTES, PageView};

/// The contents of an index page.
#[derive(Debug, Default)]
pub struct IndexPage {
    pub free_bytes: u32,
    /// Never written, or nothing but its header.
    pub is_unused: bool,
}

/// False if the page does not make sense.
///
/// # Safety
/// The page is pinned and share-locked.
pub unsafe fn look(page: *mut u8, into: &mut IndexPage) -> bool {
    // SAFETY: as the caller promises.
    let Some(view) = (unsafe { PageView::new(page) }) else {
        return false;
    };
    into.is_unused = view.is_new() || view.content_bytes() == 0;
    into.free_bytes = if view.is_new() {
        (PAGE_BYTES - HEADER_BYTES) as u32
    } else {
        view.free_bytes() as u32
    };
    true
}
