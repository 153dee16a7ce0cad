//! Sums over the pages of a relation, and the figures that follow.
//!
//! Bloat is the space that a rewrite with the relation's fillfactor would free: all pages minus those that the live tuples
//! would fill after the rewrite.

use super::figures::{Figures, percent};
use super::packing::Packer;
use super::sampling::Sample;
use crate::pg::pages::btree_page::{BTreePage, Use};
use crate::pg::pages::heap_page::HeapPage;
use crate::pg::pages::index_page::IndexPage;
use crate::pg::pages::page::PAGE_BYTES;

/// The kind of a relation's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Heap,
    BTree,
    /// An index of another kind, of which only the free space is known.
    OtherIndex,
}

/// One page, in numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Block {
    live_tuples: u32,
    live_bytes: u32,
    dead_tuples: u32,
    dead_bytes: u32,
    free_bytes: u32,
    /// The live tuples with line pointers and alignment.
    footprint: u32,
    /// Of a B-tree's leaf; 0: of something else.
    leaf_room: u32,
    /// The way to the leaves, which a rewrite needs as well.
    inner: bool,
    unused: bool,
    /// A leaf whose right neighbour lies before it.
    turns_back: bool,
}

impl Block {
    pub fn of_heap(page: &HeapPage, packer: &mut Packer) -> Self {
        Block {
            live_tuples: page.live_tuples,
            live_bytes: page.live_bytes,
            dead_tuples: page.dead_tuples,
            dead_bytes: page.dead_bytes,
            free_bytes: page.free_bytes,
            footprint: pack(page.live.iter(), packer),
            ..Block::default()
        }
    }

    pub fn of_btree(block: u32, page: &BTreePage, packer: &mut Packer) -> Self {
        match page.used_for {
            Use::Inner => Block {
                inner: true,
                ..Block::default()
            },
            Use::Unused => Block {
                unused: true,
                free_bytes: PAGE_BYTES as u32,
                ..Block::default()
            },
            Use::Leaf => Block {
                live_tuples: page.live_tuples,
                live_bytes: page.live_bytes,
                dead_tuples: page.dead_tuples,
                dead_bytes: page.dead_bytes,
                free_bytes: page.free_bytes,
                footprint: pack(page.live.iter(), packer),
                leaf_room: page.room,
                turns_back: page.next != 0 && page.next < block,
                ..Block::default()
            },
        }
    }

    pub fn of_index(page: &IndexPage) -> Self {
        Block {
            free_bytes: page.free_bytes,
            unused: page.is_unused,
            ..Block::default()
        }
    }

    /// Pages that a rewrite would need for what this one holds.
    fn ideal(&self, bytes_a_page: f64) -> f64 {
        if self.inner {
            1.0
        } else {
            f64::from(self.footprint) / bytes_a_page
        }
    }
}

fn pack(footprints: impl Iterator<Item = u16>, packer: &mut Packer) -> u32 {
    footprints
        .map(|footprint| {
            packer.add(footprint);
            u32::from(footprint)
        })
        .sum()
}

/// The sum of many blocks.
#[derive(Debug, Default)]
pub struct Totals {
    blocks: u64,
    live_tuples: u64,
    live_bytes: u64,
    dead_tuples: u64,
    dead_bytes: u64,
    free_bytes: u64,
    footprint: u64,
    leaves: u64,
    leaf_free: u64,
    leaf_room: u64,
    unused: u64,
    inner: u64,
    turns_back: u64,
}

impl Totals {
    pub fn add(&mut self, block: &Block) {
        self.blocks += 1;
        self.live_tuples += u64::from(block.live_tuples);
        self.live_bytes += u64::from(block.live_bytes);
        self.dead_tuples += u64::from(block.dead_tuples);
        self.dead_bytes += u64::from(block.dead_bytes);
        self.free_bytes += u64::from(block.free_bytes);
        self.footprint += u64::from(block.footprint);
        self.unused += u64::from(block.unused);
        self.inner += u64::from(block.inner);
        if block.leaf_room > 0 {
            self.leaves += 1;
            self.leaf_free += u64::from(block.free_bytes);
            self.leaf_room += u64::from(block.leaf_room);
            self.turns_back += u64::from(block.turns_back);
        }
    }

    /// How full the leaves are, in percent; None: there are none.
    fn leaf_density(&self) -> Option<f64> {
        percent(
            self.leaf_room as i64 - self.leaf_free as i64,
            self.leaf_room as i64,
        )
    }

    /// The figures of a relation of `pages` pages, of which these blocks are all or a fair sample.
    pub fn figures(&self, pages: u32, shape: Shape, packer: &Packer) -> Figures {
        let size = i64::from(pages) * PAGE_BYTES as i64;
        let scale = if self.blocks == 0 {
            0.0
        } else {
            f64::from(pages) / self.blocks as f64
        };
        let of_all = |count: u64| (count as f64 * scale).round() as i64;
        let (live, dead) = (of_all(self.live_bytes), of_all(self.dead_bytes));
        let free = of_all(self.free_bytes);
        let common = Figures {
            size_bytes: size,
            pages_read: self.blocks as i64,
            free_bytes: Some(free),
            free_percent: percent(free, size),
            deleted_pages: (shape != Shape::Heap).then(|| of_all(self.unused)),
            ..Figures::default()
        };
        if shape == Shape::OtherIndex {
            return common;
        }
        let packed = (self.footprint as f64 * scale / packer.bytes_a_page()).ceil() as i64;
        let bloat_pages = if shape == Shape::BTree {
            (of_all(self.leaves) - packed).max(0) + of_all(self.unused)
        } else {
            (i64::from(pages) - packed).max(0)
        };
        let bloat = bloat_pages * PAGE_BYTES as i64;
        Figures {
            live_tuples: Some(of_all(self.live_tuples)),
            live_bytes: Some(live),
            live_percent: percent(live, size),
            dead_tuples: Some(of_all(self.dead_tuples)),
            dead_bytes: Some(dead),
            dead_percent: percent(dead, size),
            bloat_bytes: Some(bloat),
            bloat_percent: percent(bloat, size),
            leaf_density_percent: self.leaf_density(),
            ..common
        }
    }

    /// The figures after a reading of all pages, including those that only this gives.
    pub fn exact_figures(&self, pages: u32, shape: Shape, packer: &Packer) -> Figures {
        Figures {
            leaf_fragmentation_percent: percent(self.turns_back as i64, self.leaves as i64),
            error_margin_percent: Some(0.0),
            ..self.figures(pages, shape, packer)
        }
    }
}

/// A percentage of a [`Block`], whose mean over all blocks is one of the figures.
type Percentage = Box<dyn Fn(&Block) -> f64>;

/// Every percentage that a sample estimates.
fn percentages(totals: &Totals, shape: Shape, bytes_a_page: f64) -> Vec<Percentage> {
    fn of_page(bytes: u32) -> f64 {
        100.0 * f64::from(bytes) / PAGE_BYTES as f64
    }
    let mut all: Vec<Percentage> = vec![Box::new(|block| of_page(block.free_bytes))];
    if shape == Shape::OtherIndex {
        return all;
    }
    all.push(Box::new(|block| of_page(block.live_bytes)));
    all.push(Box::new(|block| of_page(block.dead_bytes)));
    all.push(Box::new(move |block| {
        100.0 * (1.0 - block.ideal(bytes_a_page))
    }));
    if shape == Shape::BTree
        && let Some(density) = totals.leaf_density()
    {
        // A ratio of two sums: the part of each leaf in its error.
        let room = totals.leaf_room as f64 / totals.blocks as f64;
        all.push(Box::new(move |block| {
            let used = f64::from(block.leaf_room) - f64::from(block.free_bytes);
            if block.leaf_room == 0 {
                return 0.0;
            }
            (100.0 * used - density * f64::from(block.leaf_room)) / room
        }));
    }
    all
}

/// The margin that holds for every percentage of a sample, and the number of blocks that would reduce it to `target`.
pub fn margin(
    sample: &Sample<Block>,
    totals: &Totals,
    shape: Shape,
    packer: &Packer,
    target: f64,
) -> (f64, u32) {
    let all = percentages(totals, shape, packer.bytes_a_page());
    all.iter().fold((0.0, 0), |(margin, blocks), value| {
        (
            f64::max(margin, sample.percent(value).margin),
            u32::max(blocks, sample.blocks_for(target, value)),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 61 tuples of 121 bytes fill a page.
    fn heap_block(live: u32, packer: &mut Packer) -> Block {
        let mut page = HeapPage {
            live_tuples: live,
            live_bytes: live * 121,
            free_bytes: 8168 - live * 132 - 4,
            ..HeapPage::default()
        };
        (0..live).for_each(|_| page.live.add(121));
        Block::of_heap(&page, packer)
    }

    fn heap(pages: u32, live: u32, fillfactor: i32) -> Figures {
        let mut packer = Packer::heap(fillfactor);
        let mut totals = Totals::default();
        (0..pages).for_each(|_| totals.add(&heap_block(live, &mut packer)));
        totals.exact_figures(pages, Shape::Heap, &packer)
    }

    #[test]
    fn a_fresh_table_has_no_bloat() {
        assert_eq!(heap(1640, 61, 100).bloat_bytes, Some(0));
        assert_eq!(heap(1, 1, 100).bloat_bytes, Some(0));
        assert_eq!(heap(1640, 43, 70).bloat_bytes, Some(0));
        let none = heap(0, 0, 100);
        assert_eq!((none.bloat_bytes, none.bloat_percent), (Some(0), None));
    }

    #[test]
    fn what_a_rewrite_gives_back_is_bloat() {
        assert_eq!(heap(61, 30, 100).bloat_bytes, Some(31 * 8192));
        assert_eq!(heap(10, 0, 100).bloat_percent, Some(100.0));
    }

    fn leaf(entries: u32, next: u32, packer: &mut Packer) -> Block {
        let mut page = BTreePage {
            used_for: Use::Leaf,
            live_tuples: entries,
            live_bytes: entries * 16,
            free_bytes: 8152 - entries * 20 - 4,
            room: 8152,
            next,
            ..BTreePage::default()
        };
        (0..entries).for_each(|_| page.live.add(16));
        Block::of_btree(5, &page, packer)
    }

    #[test]
    fn a_fresh_index_has_no_bloat_and_sparse_or_unused_pages_have() {
        let mut packer = Packer::btree(90);
        let mut totals = Totals::default();
        (0..1000).for_each(|_| totals.add(&leaf(366, 6, &mut packer)));
        let inner = BTreePage {
            used_for: Use::Inner,
            ..BTreePage::default()
        };
        totals.add(&Block::of_btree(0, &inner, &mut packer));
        let fresh = totals.exact_figures(1001, Shape::BTree, &packer);
        assert_eq!(fresh.bloat_bytes, Some(0));
        assert_eq!(fresh.leaf_fragmentation_percent, Some(0.0));

        let mut totals = Totals::default();
        (0..10).for_each(|_| totals.add(&leaf(183, 3, &mut packer)));
        let unused = BTreePage {
            used_for: Use::Unused,
            ..BTreePage::default()
        };
        totals.add(&Block::of_btree(9, &unused, &mut packer));
        let sparse = totals.exact_figures(11, Shape::BTree, &packer);
        assert_eq!(sparse.bloat_bytes, Some((5 + 1) * 8192));
        assert_eq!(sparse.deleted_pages, Some(1));
        assert_eq!(sparse.leaf_fragmentation_percent, Some(100.0));
    }

    #[test]
    fn a_sample_is_scaled_up() {
        let mut packer = Packer::heap(100);
        let mut totals = Totals::default();
        (0..100).for_each(|_| totals.add(&heap_block(30, &mut packer)));
        let figures = totals.figures(10_000, Shape::Heap, &packer);
        assert_eq!(figures.live_tuples, Some(300_000));
        assert_eq!(figures.pages_read, 100);
        assert!((figures.bloat_percent.unwrap() - 100.0 * 31.0 / 61.0).abs() < 0.1);
        assert_eq!(figures.leaf_fragmentation_percent, None);
    }
}
