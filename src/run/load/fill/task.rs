//! A task of the loading workers: rows of one table, which may have partitions, and how it is written to the board and read from it.

use super::super::crew::is_wanted;
use super::super::settings;
use crate::pg::bulk::{BATCH_PAGES, Heap, PageWriter, RowError, RowWriter, Rows, Typed};
use crate::pg::error::{SqlError, raise};
use crate::run::shared::board;
use crate::run::shared::slot::{Counter, Slot};
use crate::run::shared::{Phase, Shared};
use crate::workload::{Action, Contents, Fill, Params, Sources, Step};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// The pages that a worker takes at a time: 4 MB, some milliseconds of work.
pub(super) const CHUNK_PAGES: u64 = 512;
/// The rows that it takes at a time if a source makes them: at most as much; of small tables a part, for each worker several.
const MAX_CHUNK_ROWS: u64 = 20_000;
const MIN_CHUNK_ROWS: u64 = 500;
const CHUNKS_PER_WORKER: u64 = 4;

/// Consecutive numbers, each of a row or of a unit of rows, that go to one heap, or to one for each partition.
pub(super) struct Task {
    pub heaps: Vec<Heap>,
    pub first: i64,
    pub count: u64,
    pub content: Content,
}

/// The contents of a task's rows.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// The same except for key and unit, in the order of the keys.
    Alike { rows_per_unit: i64 },
    /// Made by the source of a fill of the load, whose number counts from 1; a worker takes `chunk` units at a time.
    Made { fill: u64, chunk: u64 },
}

/// The fills of a load, in their order, with the sources of their rows.
pub struct Fills<'a> {
    pub params: &'a Params,
    all: Vec<&'a Fill>,
}

impl<'a> Fills<'a> {
    pub fn of(steps: &'a [Step], params: &'a Params) -> Fills<'a> {
        let actions = steps.iter().flat_map(|step| &step.actions);
        let fills = actions.filter_map(|action| match action {
            Action::Fill(fill) => Some(fill),
            _ => None,
        });
        Fills {
            params,
            all: fills.collect(),
        }
    }

    pub fn number(&self, fill: &Fill) -> u64 {
        let same = |other: &&Fill| std::ptr::eq(*other, fill);
        self.all.iter().position(same).map_or(0, |i| i as u64 + 1)
    }

    /// The fill with this number.
    pub fn get(&self, number: u64) -> Option<&'a Fill> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        self.all.get(place).copied()
    }

    /// The columns and the sources of a fill with [`Contents::Made`].
    fn sources(&self, number: u64) -> Option<(&'static [Typed], &Sources)> {
        match &self.get(number)?.contents {
            Contents::Made {
                columns, sources, ..
            } => Some((*columns, sources)),
            Contents::Alike { .. } => None,
        }
    }
}

/// How many units a worker takes at a time: few enough that all have something to do.
pub fn chunk_of(units: u64, rows: u64, workers: usize) -> u64 {
    let share = rows / (workers.max(1) as u64 * CHUNKS_PER_WORKER);
    let wanted = share.clamp(MIN_CHUNK_ROWS, MAX_CHUNK_ROWS);
    let chunk = u128::from(units) * u128::from(wanted) / u128::from(rows.max(1));
    // No more units than wanted rows: a unit may have none.
    chunk.clamp(1, u128::from(wanted)) as u64
}

impl Task {
    fn rows_per_page(&self) -> u64 {
        u64::from(self.heaps[0].rows_per_page().max(1))
    }

    /// The number of pages if all rows have the same length.
    pub(super) fn pages(&self) -> u64 {
        self.count.div_ceil(self.rows_per_page())
    }

    /// Writes it to the board.
    pub(super) fn publish(&self, board: &[AtomicU64]) {
        let (rows_per_unit, fill, chunk) = match self.content {
            Content::Alike { rows_per_unit } => (rows_per_unit, 0, 0),
            Content::Made { fill, chunk } => (0, fill, chunk),
        };
        board[board::NEXT_CHUNK].store(0, SeqCst);
        board[board::DONE].store(0, SeqCst);
        board[board::FIRST].store(self.first as u64, SeqCst);
        board[board::COUNT].store(self.count, SeqCst);
        board[board::ROWS_PER_UNIT].store(rows_per_unit as u64, SeqCst);
        board[board::FILL].store(fill, SeqCst);
        board[board::CHUNK].store(chunk, SeqCst);
        board[board::LOCK].store(0, SeqCst);
        board[board::HEAPS].store(self.heaps.len() as u64, SeqCst);
        for (n, heap) in self.heaps.iter().enumerate() {
            board[board::next_block(n)].store(0, SeqCst);
            board[board::rows(n)].store(0, SeqCst);
            for (word, value) in board[board::heap(n)..].iter().zip(heap.encode()) {
                word.store(value, SeqCst);
            }
        }
    }

    pub(super) fn read(board: &[AtomicU64]) -> Task {
        let word = |i: usize| board[i].load(SeqCst);
        let heap = |n| Heap::decode(&std::array::from_fn(|i| word(board::heap(n) + i)));
        Task {
            heaps: (0..word(board::HEAPS) as usize).map(heap).collect(),
            first: word(board::FIRST) as i64,
            count: word(board::COUNT),
            content: match word(board::FILL) {
                0 => Content::Alike {
                    rows_per_unit: word(board::ROWS_PER_UNIT) as i64,
                },
                fill => Content::Made {
                    fill,
                    chunk: word(board::CHUNK),
                },
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
                settings::compress_wal().unwrap_or_else(|error| raise(error));
                self.repeat(shared, slot, number, rows_per_unit);
                Ok(())
            }
            Content::Made { fill, chunk } => match fills.sources(fill) {
                Some(made) => self.make(shared, slot, number, chunk, made),
                None => Ok(()),
            },
        }
    }

    fn repeat(&self, shared: &Shared, slot: Slot, number: u64, rows_per_unit: i64) {
        let board = shared.board();
        let mut writer = PageWriter::new(&self.heaps[0], BATCH_PAGES, 0, false);
        while is_wanted(shared, number) {
            let first_page = board[board::NEXT_CHUNK].fetch_add(1, SeqCst) * CHUNK_PAGES;
            if first_page >= self.pages() {
                return;
            }
            let first_row = first_page * self.rows_per_page();
            let rows = (CHUNK_PAGES * self.rows_per_page()).min(self.count - first_row);
            writer.seek(first_page as u32);
            for key in (self.first + first_row as i64..).take(rows as usize) {
                writer.push(key, unit_of(key, rows_per_unit));
            }
            writer.finish();
            slot.add(Counter::LoadDone, rows);
            board[board::rows(0)].fetch_add(rows, SeqCst);
            board[board::DONE].fetch_add(rows, SeqCst);
        }
    }

    fn make(
        &self,
        shared: &Shared,
        slot: Slot,
        number: u64,
        chunk: u64,
        (columns, sources): (&'static [Typed], &Sources),
    ) -> Result<(), SqlError> {
        let board = shared.board();
        // Withdrawn tasks are not asked for units: those that were taken have to be written.
        let take = || match is_wanted(shared, number) {
            true => self.take(board, chunk),
            false => None,
        };
        // Nothing is prepared for a task of which nothing is left.
        let mut next = take();
        if next.is_none() {
            return Ok(());
        }
        let place = |n: usize, count| place(shared, &self.heaps[n], n, count);
        let mut writer = RowWriter::new(&self.heaps, &place);
        let mut rows = Rows::new(columns, &mut writer);
        let mut source = sources.begin();
        let (mut done, mut rows_done) = (0, 0);
        while let Some((first, units)) = next {
            for unit in (first..).take(units as usize) {
                source(unit, &mut rows);
            }
            let count = rows.count().map_err(wrong_row)?;
            slot.add(Counter::LoadDone, count - rows_done);
            rows_done = count;
            done += units;
            next = take();
        }
        // The last rows are done only when their pages are written.
        writer.finish();
        for (n, rows) in writer.rows().enumerate() {
            board[board::rows(n)].fetch_add(rows, SeqCst);
        }
        board[board::DONE].fetch_add(done, SeqCst);
        Ok(())
    }

    /// The next units that nobody has taken: the first, and how many.
    fn take(&self, board: &[AtomicU64], chunk: u64) -> Option<(i64, u64)> {
        let first = board[board::NEXT_CHUNK].fetch_add(1, SeqCst) * chunk;
        let left = self.count.checked_sub(first).filter(|left| *left > 0)?;
        Some((self.first + first as i64, chunk.min(left)))
    }
}

/// A mistake of the family.
pub fn wrong_row(error: RowError) -> SqlError {
    SqlError::new("XX000", &error.to_string())
}

/// The next blocks of the file of heap number `n`. Only one process at a time extends files: otherwise the storage manager would fill
/// the missing parts of earlier segments with zeros, perhaps over another process's pages. None if the load was
/// stopped. That the task was withdrawn is no reason: the first worker withdraws it as soon as no chunk is left to take, while
/// the others write their last pages.
fn place(shared: &Shared, heap: &Heap, n: usize, count: u32) -> Option<u32> {
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
    let next = &board[board::next_block(n)];
    let first = next.load(SeqCst) as u32;
    heap.reserve(first..first + count);
    next.store(u64::from(first + count), SeqCst);
    Some(first)
}

#[inline]
pub fn unit_of(key: i64, rows_per_unit: i64) -> i32 {
    ((key - 1) / rows_per_unit + 1) as i32
}

#[cfg(test)]
mod tests {
    use super::chunk_of;

    #[test]
    fn every_worker_gets_several_chunks() {
        // A row per unit.
        assert_eq!(chunk_of(10_000, 10_000, 2), 1_250);
        assert_eq!(chunk_of(1_000_000_000, 1_000_000_000, 2), 20_000);
        assert_eq!(chunk_of(100, 100, 2), 500);
        // Ten rows per unit.
        assert_eq!(chunk_of(30_000, 300_000, 1), 2_000);
        // Units that are larger than a chunk; a table without rows, or without units.
        assert_eq!(chunk_of(10, 1_000_000, 4), 1);
        assert_eq!(chunk_of(10, 0, 4), 500);
        assert_eq!(chunk_of(0, 0, 0), 1);
        assert_eq!(chunk_of(u64::MAX, u64::MAX, 1), 20_000);
    }
}
