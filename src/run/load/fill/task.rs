//! A task of the loading workers: rows of one table, and how it is written to the board and read from it.

use crate::pg::bulk::{BATCH_PAGES, Heap, PageWriter, Row, RowWriter, Typed};
use crate::pg::error::SqlError;
use crate::run::shared::board;
use crate::run::shared::slot::{Counter, Slot};
use crate::run::shared::{Phase, Shared};
use crate::workload::{Action, Contents, Fill, Params, Source, Step};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// The pages that a worker takes at a time: 4 MB, some milliseconds of work.
pub(super) const CHUNK_PAGES: u64 = 512;
/// The rows that it takes at a time if a source makes them: about as much.
const CHUNK_ROWS: u64 = 20_000;

/// Consecutive rows that go to one heap.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub heap: Heap,
    pub first_key: i64,
    pub rows: u64,
    pub content: Content,
}

/// The contents of a task's rows.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// The same except for key and unit, in the order of the keys.
    Alike { rows_per_unit: i64 },
    /// Made by the source of a fill of the load, whose number counts from 1.
    Made { fill: u64 },
}

/// The fills of a load, in their order, with the sources of their rows.
pub struct Fills<'a> {
    pub(super) params: &'a Params,
    all: Vec<&'a Fill>,
}

impl<'a> Fills<'a> {
    pub fn of(steps: &'a [Step], params: &'a Params) -> Fills<'a> {
        let actions = steps.iter().flat_map(|step| &step.actions);
        let fills = actions.filter_map(|action| match action {
            Action::Fill(fill) => Some(fill),
            Action::Execute(_) => None,
        });
        Fills {
            params,
            all: fills.collect(),
        }
    }

    pub(super) fn number(&self, fill: &Fill) -> u64 {
        let same = |other: &&Fill| std::ptr::eq(*other, fill);
        self.all.iter().position(same).map_or(0, |i| i as u64 + 1)
    }

    /// The columns and the source of a fill with [`Contents::Made`].
    fn source(&self, number: u64) -> Option<(&'static [Typed], Source)> {
        let fill = self
            .all
            .get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        match fill.contents {
            Contents::Made { columns, source } => Some((columns, source(self.params))),
            Contents::Alike { .. } => None,
        }
    }
}

impl Task {
    fn rows_per_page(&self) -> u64 {
        u64::from(self.heap.rows_per_page().max(1))
    }

    /// The number of pages if all rows have the same length.
    pub(super) fn pages(&self) -> u64 {
        self.rows.div_ceil(self.rows_per_page())
    }

    pub(super) fn publish(&self, board: &[AtomicU64], number: u64) {
        let (rows_per_unit, fill) = match self.content {
            Content::Alike { rows_per_unit } => (rows_per_unit, 0),
            Content::Made { fill } => (0, fill),
        };
        board[board::NEXT_CHUNK].store(0, SeqCst);
        board[board::ROWS_DONE].store(0, SeqCst);
        board[board::FIRST_KEY].store(self.first_key as u64, SeqCst);
        board[board::ROWS].store(self.rows, SeqCst);
        board[board::ROWS_PER_UNIT].store(rows_per_unit as u64, SeqCst);
        board[board::FILL].store(fill, SeqCst);
        board[board::LOCK].store(0, SeqCst);
        board[board::NEXT_BLOCK].store(0, SeqCst);
        for (word, value) in board[board::HEAP..].iter().zip(self.heap.encode()) {
            word.store(value, SeqCst);
        }
        board[board::TASK].store(number, SeqCst);
    }

    pub(super) fn read(board: &[AtomicU64]) -> Task {
        let word = |i: usize| board[i].load(SeqCst);
        Task {
            heap: Heap::decode(&std::array::from_fn(|i| word(board::HEAP + i))),
            first_key: word(board::FIRST_KEY) as i64,
            rows: word(board::ROWS),
            content: match word(board::FILL) {
                0 => Content::Alike {
                    rows_per_unit: word(board::ROWS_PER_UNIT) as i64,
                },
                fill => Content::Made { fill },
            },
        }
    }

    /// Takes chunks of task number `number` until none is left, or the task is withdrawn or the run stopped.
    pub(super) fn work(
        &self,
        shared: &Shared,
        slot: Slot,
        number: u64,
        fills: &Fills,
    ) -> Result<(), SqlError> {
        match self.content {
            Content::Alike { rows_per_unit } => {
                self.repeat(shared, slot, number, rows_per_unit);
                Ok(())
            }
            Content::Made { fill } => self.make(shared, slot, number, fills.source(fill)),
        }
    }

    fn repeat(&self, shared: &Shared, slot: Slot, number: u64, rows_per_unit: i64) {
        let board = shared.board();
        let mut writer = PageWriter::new(&self.heap, BATCH_PAGES, 0, false);
        while is_wanted(shared, number) {
            let first_page = board[board::NEXT_CHUNK].fetch_add(1, SeqCst) * CHUNK_PAGES;
            if first_page >= self.pages() {
                return;
            }
            let first_row = first_page * self.rows_per_page();
            let rows = (CHUNK_PAGES * self.rows_per_page()).min(self.rows - first_row);
            writer.seek(first_page as u32);
            for key in (self.first_key + first_row as i64..).take(rows as usize) {
                writer.push(key, unit_of(key, rows_per_unit));
            }
            writer.finish();
            slot.add(Counter::LoadDone, rows);
            board[board::ROWS_DONE].fetch_add(rows, SeqCst);
        }
    }

    fn make(
        &self,
        shared: &Shared,
        slot: Slot,
        number: u64,
        source: Option<(&'static [Typed], Source)>,
    ) -> Result<(), SqlError> {
        let Some((columns, mut source)) = source else {
            return Ok(());
        };
        let board = shared.board();
        let place = |count| place(shared, &self.heap, count);
        let mut writer = RowWriter::new(&self.heap, &place);
        let mut row = Row::new(columns);
        let mut done = 0;
        while is_wanted(shared, number) {
            let first = board[board::NEXT_CHUNK].fetch_add(1, SeqCst) * CHUNK_ROWS;
            if first >= self.rows {
                break;
            }
            let rows = CHUNK_ROWS.min(self.rows - first);
            for key in (self.first_key + first as i64..).take(rows as usize) {
                source(key, &mut row);
                writer
                    .push(&mut row)
                    .map_err(|error| SqlError::new("XX000", &error.to_string()))?;
            }
            slot.add(Counter::LoadDone, rows);
            done += rows;
        }
        // The last rows are done only when their pages are written.
        writer.finish();
        board[board::ROWS_DONE].fetch_add(done, SeqCst);
        Ok(())
    }
}

fn is_wanted(shared: &Shared, number: u64) -> bool {
    shared.board()[board::TASK].load(SeqCst) == number && shared.phase() != Phase::Stopping
}

/// The next blocks of the file. Only one process at a time extends the file: otherwise the storage manager would fill
/// the missing parts of earlier segments with zeros, perhaps over another process's pages. None if the load was
/// stopped. That the task was withdrawn is no reason: the first worker withdraws it as soon as no chunk is left to take, while
/// the others write their last pages.
fn place(shared: &Shared, heap: &Heap, count: u32) -> Option<u32> {
    struct Unlock<'a>(&'a AtomicU64);
    impl Drop for Unlock<'_> {
        fn drop(&mut self) {
            self.0.store(0, SeqCst);
        }
    }
    let board = shared.board();
    let lock = &board[board::LOCK];
    while lock.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
        if shared.phase() == Phase::Stopping {
            return None;
        }
        std::thread::yield_now();
    }
    let _unlock = Unlock(lock);
    let first = board[board::NEXT_BLOCK].load(SeqCst) as u32;
    heap.reserve(first..first + count);
    board[board::NEXT_BLOCK].store(u64::from(first + count), SeqCst);
    Some(first)
}

#[inline]
pub(super) fn unit_of(key: i64, rows_per_unit: i64) -> i32 {
    ((key - 1) / rows_per_unit + 1) as i32
}
