//! Pages filled with rows of any length, by as many processes as want to: each asks for the place of its pages when it has
//! filled some.

use super::pages::Pages;
use super::row::{Row, RowError};
use super::{BATCH_PAGES, Heap, MAIN, file};

/// Gives the first of so many blocks, which exist in the file; None: the pages are not wanted any more.
pub type Place<'a> = &'a dyn Fn(u32) -> Option<u32>;

/// Fills pages and writes them, some at a time.
pub struct RowWriter<'a> {
    heap: Heap,
    place: Place<'a>,
    pages: Pages,
    file: file::MainFork,
    /// How many pages have rows.
    begun: usize,
    packed: Vec<u8>,
}

impl<'a> RowWriter<'a> {
    pub fn new(heap: &Heap, place: Place<'a>) -> RowWriter<'a> {
        RowWriter {
            heap: *heap,
            place,
            pages: Pages::new(BATCH_PAGES),
            file: file::MainFork::new(),
            begun: 0,
            packed: Vec::new(),
        }
    }

    /// One more row.
    ///
    /// # Errors
    /// The row cannot be packed. Those of the server, as an unwinding: the disk is full; a cancel.
    pub fn push(&mut self, row: &mut Row) -> Result<(), RowError> {
        let [xmin, command] = self.heap.stamp;
        row.pack(xmin, command, &mut self.packed)?;
        let needed = self.packed.len().next_multiple_of(8) + self.heap.spare as usize;
        if self.begun == 0 || self.pages.free(self.begun - 1) < needed {
            if self.begun == BATCH_PAGES {
                self.write();
            }
            self.pages.begin(self.begun);
            self.begun += 1;
        }
        self.pages.add(self.begun - 1, &mut self.packed);
        Ok(())
    }

    /// The last rows.
    pub fn finish(&mut self) {
        self.write();
    }

    fn write(&mut self) {
        let count = std::mem::take(&mut self.begun);
        if count == 0 {
            return;
        }
        let Some(block) = (self.place)(count as u32) else {
            return;
        };
        for i in 0..count {
            self.pages.number_rows(i, block + i as u32);
        }
        self.pages.log(&self.heap, MAIN, block, count, true);
        self.pages
            .overwrite(&self.heap, &mut self.file, block, count);
        pgrx::check_for_interrupts!();
    }
}
