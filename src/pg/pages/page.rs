//! The layout that all pages share: header, line pointers, items, special space.

use pgrx::pg_sys;
use std::mem::offset_of;

/// The server's BLCKSZ.
pub const PAGE_BYTES: usize = pg_sys::BLCKSZ as usize;
/// Before the line pointers.
pub const HEADER_BYTES: usize = offset_of!(pg_sys::PageHeaderData, pd_linp);
pub const LINE_POINTER_BYTES: usize = size_of::<pg_sys::ItemIdData>();
/// No page has more line pointers.
const MAX_ITEMS: usize = (PAGE_BYTES - HEADER_BYTES) / LINE_POINTER_BYTES;

/// Whether pgstattuple counts all that lies between line pointers and items as free.
pub const ALL_IS_FREE: bool = cfg!(feature = "since18");

/// Rounded up to what the server aligns items to.
pub fn aligned(length: usize) -> usize {
    length.next_multiple_of(pg_sys::MAXIMUM_ALIGNOF as usize)
}

/// Space taken by each of a page's items, alignment and line pointer included, in order.
pub struct Footprints {
    bytes: [u16; MAX_ITEMS],
    count: usize,
}

impl Default for Footprints {
    fn default() -> Self {
        Footprints {
            bytes: [0; MAX_ITEMS],
            count: 0,
        }
    }
}

impl Footprints {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds an item of that length; a page has no room for more than fit here.
    pub fn add(&mut self, length: usize) {
        if let Some(place) = self.bytes.get_mut(self.count) {
            *place = (aligned(length) + LINE_POINTER_BYTES) as u16;
            self.count += 1;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.bytes.iter().take(self.count).copied()
    }
}

/// A used line pointer.
#[derive(Clone, Copy)]
pub struct Item {
    /// Counted from 1.
    pub number: u16,
    pub flags: u32,
    pub offset: usize,
    pub length: usize,
}

/// Offset, flags and length of a line pointer: bit fields of 15, 2 and 15 bits (itemid.h), which C compilers lay out from the low end on
/// little-endian machines, from the high end on others. pgrx's accessors read bit by bit where they are not inlined.
fn line_pointer(word: u32) -> (u32, u32, u32) {
    let (low, high) = (word & 0x7fff, word >> 17);
    let flags = (word >> 15) & 3;
    if cfg!(target_endian = "little") {
        (low, flags, high)
    } else {
        (high, flags, low)
    }
}

/// A page in shared_buffers, pinned and locked by the creator of this view; its header has been checked.
pub struct PageView {
    page: *mut u8,
    lower: usize,
    pub upper: usize,
    pub special: usize,
}

impl PageView {
    /// None: the header does not make sense, though the server let it pass.
    ///
    /// # Safety
    /// `page` points to PAGE_BYTES that nobody changes while the view is used.
    pub unsafe fn new(page: *mut u8) -> Option<PageView> {
        // SAFETY: as the caller promises; a page is aligned for its header.
        let header = unsafe { &*page.cast::<pg_sys::PageHeaderData>() };
        let view = PageView {
            page,
            lower: header.pd_lower.into(),
            upper: header.pd_upper.into(),
            special: header.pd_special.into(),
        };
        let ordered =
            view.lower <= view.upper && view.upper <= view.special && view.special <= PAGE_BYTES;
        (view.is_new() || ordered && view.lower >= HEADER_BYTES).then_some(view)
    }

    /// Zeroes: the file was extended, and nothing was written there yet.
    pub fn is_new(&self) -> bool {
        self.upper == 0
    }

    /// Number of line pointers.
    pub fn items(&self) -> u16 {
        (self.lower.saturating_sub(HEADER_BYTES) / LINE_POINTER_BYTES) as u16
    }

    /// Bytes in use between header and special space, line pointers included.
    pub fn content_bytes(&self) -> usize {
        (self.lower - HEADER_BYTES) + (self.special - self.upper)
    }

    /// Free bytes as this server's pgstattuple counts them: since 18 all between line pointers and items, before that
    /// without the line pointer of one more item.
    pub fn free_bytes(&self) -> usize {
        let hole = self.upper.saturating_sub(self.lower);
        if ALL_IS_FREE {
            hole
        } else {
            hole.saturating_sub(LINE_POINTER_BYTES)
        }
    }

    /// Line pointer number `number` if it is in use; `Err` if it points out of the page, or to where no item begins.
    pub fn item(&self, number: u16) -> Result<Option<Item>, Corrupt> {
        if number == 0 || number > self.items() {
            return Err(Corrupt);
        }
        // SAFETY: `items` bounds the number: the line pointers lie before `lower`, inside the page, each as large and aligned as a u32.
        let pointer = unsafe {
            let first = self.page.add(HEADER_BYTES).cast::<u32>();
            *first.add(usize::from(number) - 1)
        };
        let (offset, flags, length) = line_pointer(pointer);
        let item = Item {
            number,
            flags,
            offset: offset as usize,
            length: length as usize,
        };
        match item.flags {
            pg_sys::LP_UNUSED | pg_sys::LP_REDIRECT => Ok(None),
            // A dead line pointer of a heap has no item behind it.
            pg_sys::LP_DEAD if item.length == 0 => Ok(None),
            _ if item.offset < self.upper || item.offset + item.length > self.special => {
                Err(Corrupt)
            }
            _ if item.offset != aligned(item.offset) => Err(Corrupt),
            _ => Ok(Some(item)),
        }
    }

    /// Where an item begins.
    pub fn data(&self, item: Item) -> *mut u8 {
        // SAFETY: `item` has seen that the offset lies inside the page.
        unsafe { self.page.add(item.offset) }
    }
}

/// The page is not what its header says.
#[derive(Debug)]
pub struct Corrupt;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_pointer_has_the_parts_that_the_server_gives_it() {
        for (offset, flags, length) in [(8_160, 1, 28), (1, 0, 0x7fff), (0x7fff, 3, 0), (24, 2, 1)]
        {
            let pointer = pg_sys::ItemIdData {
                _bitfield_align_1: [],
                _bitfield_1: pg_sys::ItemIdData::new_bitfield_1(offset, flags, length),
            };
            // SAFETY: four bytes.
            let word = unsafe { std::mem::transmute::<pg_sys::ItemIdData, u32>(pointer) };
            assert_eq!(line_pointer(word), (offset, flags, length));
        }
    }
}
