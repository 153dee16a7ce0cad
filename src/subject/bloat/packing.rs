//! The number of pages that a rewrite would need for the tuples found: they are packed in the order in which they
//! were seen, by the rule of the server's own rewrite. Pure arithmetic.

use crate::pg::pages::page::{HEADER_BYTES, LINE_POINTER_BYTES, PAGE_BYTES};

/// Size of the special space at the end of a B-tree's pages.
const BTREE_SPECIAL_BYTES: usize = 16;

/// Packs footprints (a tuple's bytes with alignment and line pointer) into pages.
#[derive(Debug)]
pub struct Packer {
    capacity: usize,
    /// Bytes in the page that is being filled.
    filling: usize,
    full_pages: u64,
    bytes_in_full_pages: u64,
}

impl Packer {
    /// As VACUUM FULL fills a heap: the fillfactor sets room aside, the rest is used as long as tuples fit.
    pub fn heap(fillfactor: i32) -> Self {
        let room = PAGE_BYTES - HEADER_BYTES;
        Packer::new(room - reserved(fillfactor))
    }

    /// As REINDEX fills leaves: an entry that leaves less free than the fillfactor wants begins the next page,
    /// and its copy becomes this page's bound, which is why the entries alone never take that room.
    pub fn btree(fillfactor: i32) -> Self {
        let room = PAGE_BYTES - HEADER_BYTES - BTREE_SPECIAL_BYTES - 2 * LINE_POINTER_BYTES;
        Packer::new(room - reserved(fillfactor))
    }

    fn new(capacity: usize) -> Self {
        Packer {
            capacity,
            filling: 0,
            full_pages: 0,
            bytes_in_full_pages: 0,
        }
    }

    /// The next tuple; one that is larger than a page's share has a page to itself.
    pub fn add(&mut self, footprint: u16) {
        let footprint = usize::from(footprint);
        if self.filling > 0 && self.filling + footprint > self.capacity {
            self.full_pages += 1;
            self.bytes_in_full_pages += self.filling as u64;
            self.filling = 0;
        }
        self.filling += footprint;
    }

    /// Bytes of tuples that a page of the rewritten relation holds.
    pub fn bytes_a_page(&self) -> f64 {
        if self.full_pages == 0 {
            self.capacity as f64
        } else {
            self.bytes_in_full_pages as f64 / self.full_pages as f64
        }
    }
}

fn reserved(fillfactor: i32) -> usize {
    PAGE_BYTES * usize::try_from(100 - fillfactor).unwrap_or(0) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(mut packer: Packer, footprints: &[u16]) -> f64 {
        footprints
            .iter()
            .cycle()
            .take(10_000)
            .for_each(|f| packer.add(*f));
        packer.bytes_a_page()
    }

    #[test]
    fn pages_hold_what_the_servers_do() {
        // pgbench_accounts: 61 tuples of 121 bytes; its primary key: 366 entries of 16 bytes.
        assert_eq!(packed(Packer::heap(100), &[132]), 61.0 * 132.0);
        assert_eq!(packed(Packer::heap(70), &[132]), 43.0 * 132.0);
        assert_eq!(packed(Packer::btree(90), &[20]), 366.0 * 20.0);
    }

    #[test]
    fn what_a_page_is_left_with_depends_on_the_order() {
        // TOAST chunks of a value and a half: two values a page, though five average chunks would fit.
        assert_eq!(packed(Packer::heap(100), &[2036, 1044]), 6160.0);
        assert_eq!(packed(Packer::heap(100), &[8164]), 8164.0);
        assert_eq!(Packer::heap(100).bytes_a_page(), 8168.0);
        // Eight that fill a page to its last byte.
        assert_eq!(packed(Packer::heap(100), &[1021]), 8168.0);
        // Larger than the fillfactor allows: one a page.
        assert_eq!(packed(Packer::heap(10), &[5000]), 5000.0);
    }
}
