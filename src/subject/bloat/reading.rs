//! Reading a relation's pages: all of them, or as many at random as the margin of error requires.

use super::blocks::{Block, Shape, Totals, margin};
use super::budget::Budget;
use super::figures::Figures;
use super::packing::Packer;
use super::sampling::{Sample, stratified};
use crate::error::Result;
use crate::pg::pages::btree_page::BTreePage;
use crate::pg::pages::heap_page::HeapPage;
use crate::pg::pages::index_page::IndexPage;
use crate::pg::pages::relation::OpenRelation;
use crate::pg::process::random;

/// A relation up to this size is read whole, which is as fast as a sample of it: 16 MB.
pub const WHOLE_PAGES: u32 = 2_048;

/// The promised margin, in percentage points.
const PROMISED_MARGIN: f64 = 1.0;

/// Half of it is the target while that is cheap, so that even the one in twenty that misses its target keeps the promise.
const TARGET_MARGIN: f64 = 0.5;

/// A sample of up to this many pages is cheap: 32 MB.
const CHEAP_SAMPLE: u32 = 4_096;

/// Where pages differ as much as they can (half of them empty), some 10,000 reduce the margin to the promised one. No
/// sample takes more than this: 96 MB.
const MAX_SAMPLE: u32 = 12_288;

/// The first pass, which determines the size of the next.
const FIRST_PASS: u32 = 512;

/// Fewer mean too little to be stored: the relation waits for a call with more of its budget left.
const LEAST_SAMPLE: u32 = 256;

/// A further pass that is smaller is not worth it.
const LEAST_PASS: u32 = 64;

/// Reads the pages of one relation.
pub struct Reader<'a> {
    relation: &'a OpenRelation,
    shape: Shape,
    fillfactor: i32,
    packer: Packer,
    pages_read: i64,
    heap_page: HeapPage,
    btree_page: BTreePage,
    index_page: IndexPage,
}

impl<'a> Reader<'a> {
    /// The open relation must be of that shape.
    pub fn new(relation: &'a OpenRelation, shape: Shape, fillfactor: i32) -> Self {
        Reader {
            relation,
            shape,
            fillfactor,
            packer: Self::packer(shape, fillfactor),
            pages_read: 0,
            heap_page: HeapPage::default(),
            btree_page: BTreePage::default(),
            index_page: IndexPage::default(),
        }
    }

    fn packer(shape: Shape, fillfactor: i32) -> Packer {
        match shape {
            Shape::BTree => Packer::btree(fillfactor),
            Shape::Heap | Shape::OtherIndex => Packer::heap(fillfactor),
        }
    }

    fn block(&mut self, number: u32) -> Result<Block> {
        self.pages_read += 1;
        let relation = self.relation;
        Ok(match self.shape {
            Shape::Heap => {
                relation.heap_page(number, &mut self.heap_page)?;
                Block::of_heap(&self.heap_page, &mut self.packer)
            }
            Shape::BTree => {
                relation.btree_page(number, &mut self.btree_page)?;
                Block::of_btree(number, &self.btree_page, &mut self.packer)
            }
            Shape::OtherIndex => {
                relation.index_page(number, &mut self.index_page)?;
                Block::of_index(&self.index_page)
            }
        })
    }

    /// Every page; None: the budget does not suffice.
    ///
    /// # Errors
    /// A page that does not make sense. (One that the server refuses is its ERROR.)
    pub fn whole(mut self, budget: &mut Budget) -> Result<Option<Figures>> {
        let pages = self.relation.blocks();
        if !budget.has_room_for(u64::from(pages)) {
            return Ok(None);
        }
        let mut totals = Totals::default();
        for number in 0..pages {
            if !budget.take_page() {
                return Ok(None);
            }
            let block = self.block(number)?;
            totals.add(&block);
        }
        Ok(Some(totals.exact_figures(pages, self.shape, &self.packer)))
    }

    /// As many random pages as reduce the margin of error to its target, within the budget and [`MAX_SAMPLE`]; a
    /// small relation whole. None: the budget does not suffice.
    ///
    /// # Errors
    /// As [`Reader::whole`].
    pub fn sample(mut self, budget: &mut Budget) -> Result<Option<Figures>> {
        let pages = self.relation.blocks();
        if pages <= WHOLE_PAGES && budget.has_room_for(u64::from(pages)) {
            return self.whole(budget);
        }
        let mut sample = Sample::new(pages);
        let mut totals = Totals::default();
        let mut reached = 100.0;
        let mut next = budget.at_most(FIRST_PASS.min(pages));
        if next < LEAST_SAMPLE.min(pages) {
            return Ok(None);
        }
        // A part of a pass would say nothing about the stretches that it did not reach.
        while let Some(pass) = self.pass(next, budget)? {
            pass.iter().for_each(|block| totals.add(block));
            sample.add(pass);
            let wanted;
            (reached, wanted) = self.wanted(&sample, &totals);
            let taken = sample.len() as u32;
            let more = budget.at_most(wanted.min(MAX_SAMPLE).saturating_sub(taken));
            if reached <= TARGET_MARGIN || more < LEAST_PASS {
                break;
            }
            if wanted >= pages / 2 && pages <= MAX_SAMPLE && budget.has_room_for(pages.into()) {
                let anew = Reader::new(self.relation, self.shape, self.fillfactor);
                if let Some(whole) = anew.whole(budget)? {
                    return Ok(Some(Figures {
                        pages_read: whole.pages_read + self.pages_read,
                        ..whole
                    }));
                }
                break;
            }
            next = more;
        }
        if sample.len() == 0 {
            return Ok(None);
        }
        Ok(Some(Figures {
            pages_read: self.pages_read,
            error_margin_percent: Some(reached),
            ..totals.figures(pages, self.shape, &self.packer)
        }))
    }

    /// The margin reached, and the total number of pages worth reading.
    fn wanted(&self, sample: &Sample<Block>, totals: &Totals) -> (f64, u32) {
        let margin = |target| margin(sample, totals, self.shape, &self.packer, target);
        match margin(TARGET_MARGIN) {
            (reached, pages) if pages > CHEAP_SAMPLE => {
                (reached, margin(PROMISED_MARGIN).1.max(CHEAP_SAMPLE))
            }
            cheap => cheap,
        }
    }

    /// One pass; None: the budget ended it.
    fn pass(&mut self, count: u32, budget: &mut Budget) -> Result<Option<Vec<Block>>> {
        let relation = self.relation;
        let numbers = stratified(relation.blocks(), count, random::fraction);
        let mut blocks = Vec::with_capacity(numbers.len());
        relation.for_each(&numbers, |number| {
            let go_on = budget.take_page();
            if go_on {
                blocks.push(self.block(number)?);
            }
            Ok(go_on)
        })?;
        Ok((blocks.len() == numbers.len()).then_some(blocks))
    }
}
