//! Tests with damaged pages. Readers of pages must survive any page, since the server accepts many damaged ones.
//!
//! Each page lies alone in a piece of memory of its size, and the stand-ins for the server's functions read all of an
//! item, so the address sanitizer (`make test-sanitizer`) sees each byte read beyond it.

use super::page::{HEADER_BYTES, LINE_POINTER_BYTES, PAGE_BYTES, PageView};
use super::rewritten::{ColumnLength, Columns};
use super::{btree_page, heap_page, index_page};
use pgrx::pg_sys;
use script::Prng;
use script::random::uniform;

/// In place of the server's functions.
#[allow(non_snake_case)]
pub mod server {
    use super::{LINE_POINTER_BYTES, PAGE_BYTES, PageView};
    use pgrx::pg_sys::*;

    fn read_all(bytes: &[u8]) -> u64 {
        std::hint::black_box(bytes.iter().map(|byte| u64::from(*byte)).sum())
    }

    /// An answer that depends on the tuple's header and content.
    pub unsafe fn HeapTupleSatisfiesVacuumHorizon(
        tuple: HeapTuple,
        _buffer: Buffer,
        _dead_after: *mut TransactionId,
    ) -> HTSV_Result::Type {
        // SAFETY: what is tested: that such a tuple is there.
        let (header, bytes) = unsafe {
            let tuple = &*tuple;
            let length = tuple.t_len as usize;
            assert!(length <= PAGE_BYTES);
            let bytes = std::slice::from_raw_parts(tuple.t_data.cast::<u8>(), length);
            (&*tuple.t_data, bytes)
        };
        if (u64::from(header.t_infomask) + read_all(bytes)) & 1 == 0 {
            HTSV_Result::HEAPTUPLE_DEAD
        } else {
            HTSV_Result::HEAPTUPLE_LIVE
        }
    }

    /// Looks at all line pointers, as the server does on a page that is full of them.
    pub unsafe fn PageGetHeapFreeSpace(page: *const std::ffi::c_char) -> Size {
        // SAFETY: the caller has checked the header.
        unsafe {
            let view = PageView::new(page.cast_mut().cast()).expect("a sound header");
            let pointers = usize::from(view.items()) * LINE_POINTER_BYTES;
            let first = page.cast::<u8>().add(super::HEADER_BYTES);
            read_all(std::slice::from_raw_parts(first, pointers));
            view.free_bytes()
        }
    }
}

/// A page of its own piece of memory, as aligned as a buffer.
type Page = Box<[u64; PAGE_BYTES / 8]>;

struct Damage {
    prng: Prng,
    /// One number in this many is wrong on the current page.
    rarity: usize,
}

impl Damage {
    fn below(&mut self, limit: usize) -> usize {
        uniform(&mut self.prng, 0, limit as i64 - 1) as usize
    }

    /// A number that could stand in a sound page, or one at its borders, or any.
    fn number(&mut self, limit: usize) -> usize {
        if self.below(self.rarity) > 0 {
            return self.below(limit.max(1));
        }
        match self.below(8) {
            0 => self.below(1 << 16),
            place => [
                0,
                1,
                HEADER_BYTES,
                4096,
                PAGE_BYTES - 1,
                PAGE_BYTES,
                PAGE_BYTES + 1,
            ][place - 1],
        }
    }

    fn page(&mut self) -> Page {
        let mut page = Page::new([0; PAGE_BYTES / 8]);
        self.rarity = [2, 20, 1_000, 100_000][self.below(4)];
        if self.below(3) > 0 {
            let seed = self.below(1 << 62) as u64;
            for (place, word) in page.iter_mut().enumerate() {
                *word = (seed + place as u64)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29);
            }
        }
        if self.below(6) > 0 {
            self.write_header(&mut page);
        }
        page
    }

    /// A header and line pointers that mostly make sense; for a B-tree the special space does, too.
    fn write_header(&mut self, page: &mut Page) {
        let special = match self.below(3) {
            0 => self.number(PAGE_BYTES + 1),
            1 => PAGE_BYTES,
            _ => PAGE_BYTES - 16,
        };
        let upper = self.number(special + 1);
        let lower = HEADER_BYTES + self.number(upper.saturating_sub(HEADER_BYTES));
        let flags = [1, 2, 4, 8, 16, 3][self.below(6)];
        let next = self.below(2) as u32;
        let start = page.as_mut_ptr();
        // SAFETY: all inside the page.
        unsafe {
            let header = &mut *start.cast::<pg_sys::PageHeaderData>();
            header.pd_lower = lower as u16;
            header.pd_upper = upper as u16;
            header.pd_special = special as u16;
            let bytes = start.cast::<u8>();
            bytes.add(PAGE_BYTES - 12).cast::<u32>().write(next);
            bytes.add(PAGE_BYTES - 4).cast::<u16>().write(flags);
            let room = lower.min(PAGE_BYTES) - HEADER_BYTES;
            let pointers = bytes.add(HEADER_BYTES).cast::<pg_sys::ItemIdData>();
            for place in 0..room / LINE_POINTER_BYTES {
                let offset = upper + self.number(special.saturating_sub(upper));
                let offset = if self.below(self.rarity) > 0 {
                    offset & !7
                } else {
                    offset
                };
                let pointer = &mut *pointers.add(place);
                pointer.set_lp_off((offset as u32) & 0x7fff);
                pointer.set_lp_flags(self.below(4) as u32);
                pointer.set_lp_len(self.number(special.saturating_sub(offset)) as u32 & 0x7fff);
            }
        }
    }
}

#[test]
fn any_page_is_read_within_its_bounds() {
    let mut damage = Damage {
        prng: Prng::new(15),
        rarity: 2,
    };
    let mut relation = pg_sys::RelationData::default();
    let columns = [(4, 4, true), (-1, 4, false), (8, 8, false), (-1, 4, false)];
    let column = |(length, alignment, is_dropped)| ColumnLength {
        length,
        alignment,
        is_dropped,
    };
    let columns = Columns::new(columns.map(column).into());
    let mut heap = heap_page::HeapPage::default();
    let mut btree = btree_page::BTreePage::default();
    let mut index = index_page::IndexPage::default();
    let (mut sound, mut items) = ([0; 3], [0; 2]);
    for _ in 0..3_000 {
        let mut page = damage.page();
        let start = page.as_mut_ptr().cast::<u8>();
        // SAFETY: a page that nobody else knows; what is asked of the server is answered above.
        let made_sense = unsafe {
            [
                heap_page::look(&raw mut relation, columns.as_ref(), 0, 1, start, &mut heap),
                btree_page::look(start, &mut btree),
                index_page::look(start, &mut index),
            ]
        };
        for (sound, made_sense) in sound.iter_mut().zip(made_sense) {
            *sound += u32::from(made_sense);
        }
        items[0] += heap.live_tuples + heap.dead_tuples;
        items[1] += btree.live_tuples + btree.dead_tuples;
        for free_bytes in [heap.free_bytes, btree.free_bytes, index.free_bytes] {
            assert!(free_bytes as usize <= PAGE_BYTES);
        }
        for live in [&heap.live, &btree.live] {
            assert!(live.iter().count() <= PAGE_BYTES / LINE_POINTER_BYTES);
        }
    }
    // Enough were sound enough to be read to the end, and enough were not.
    assert!(
        sound.iter().all(|count| (300..2_700).contains(count)),
        "{sound:?}"
    );
    assert!(items.iter().all(|count| *count > 10_000), "{items:?}");
}
