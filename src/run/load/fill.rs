//! Filling tables in bulk: the loading worker that runs the steps, and those that help it.
//!
//! Only the first worker has a transaction. It truncates the tables, reserves a table's pages, and announces
//! the task on the board in the segment; all workers then take chunks of pages until none is left. The others
//! must have stopped writing before the transaction ends, however it ends: see [`Crew`].

mod catalog;
mod task;

pub(super) use task::is_wanted;
pub use task::{Fills, wrong_row};

use super::parts;
use crate::pg::bulk::{BATCH_PAGES, FreshHeap, PageWriter, Shape};
use crate::pg::error::{SqlError, raise};
use crate::pg::process::{latch, worker};
use crate::pg::session::Session;
use crate::pg::session::setting::Scope;
use crate::run::shared::board;
use crate::run::shared::slot::{ClientState, Counter, Slot};
use crate::run::shared::{Phase, Shared};
use crate::workload::{Contents, Fill, Keys, Partition, Parts, hash_of_key};
use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;
use task::{CHUNK_PAGES, Content, Task, chunk_of, unit_of};

/// How often a waiting worker looks around even if its latch was not set.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The workers that help. Once it is dropped, none of them is at work any more. This holds after an error,
/// too, before the transaction is rolled back and the file that they write to is removed.
struct Crew<'a> {
    shared: &'a Shared,
    slot: Slot,
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        dismiss(self.shared);
    }
}

/// Where this process finds the helpers to dismiss if it is terminated.
static SHARED: OnceLock<Shared> = OnceLock::new();

fn dismiss_at_exit() {
    if let Some(shared) = SHARED.get() {
        dismiss(shared);
    }
}

/// Withdraws the task and waits until nobody works on it. Calls no function of the server: it may run while the
/// process exits.
fn dismiss(shared: &Shared) {
    withdraw(shared);
    // This waits however long a write takes: a helper that wrote after the rollback would write to a removed file. The
    // leader marks a helper that has died, unless the whole server went down with it.
    while helpers(shared).any(is_busy) && worker::postmaster_lives() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// [`board::OVER`] stays: a helper may not have seen it yet.
pub(super) fn withdraw(shared: &Shared) {
    let task = &shared.board()[board::TASK];
    if task.load(SeqCst) != board::OVER {
        task.store(0, SeqCst);
    }
}

fn helpers(shared: &Shared) -> impl Iterator<Item = Slot> + '_ {
    shared.slots().skip(1)
}

/// A helper that has ended has stored its state, or the leader has.
fn is_busy(helper: Slot) -> bool {
    helper.task().load(SeqCst) != 0 && helper.state() < ClientState::Done
}

impl<'a> Crew<'a> {
    fn new(shared: &'a Shared, slot: Slot) -> Crew<'a> {
        if SHARED.set(*shared).is_ok() {
            worker::before_exit(dismiss_at_exit);
        }
        Crew { shared, slot }
    }

    /// Has the task done; how many rows that made.
    fn fill(&self, task: &Task, fills: &Fills) -> Result<u64, SqlError> {
        if let Content::Alike { .. } = task.content {
            task.heap.reserve(0..task.pages() as u32);
        }
        task.publish(self.shared.board());
        let number = begin_task(self.shared);
        task.work(self.shared, self.slot, number, fills)?;
        end_task(self.shared)?;
        Ok(self.shared.board()[board::ROWS_DONE].load(SeqCst))
    }
}

/// Lets the helpers begin with the task on the board; returns its number.
pub(super) fn begin_task(shared: &Shared) -> u64 {
    let board = shared.board();
    let number = board[board::TASKS].fetch_add(1, SeqCst) + 1;
    board[board::TASK].store(number, SeqCst);
    for helper in helpers(shared) {
        latch::wake(helper.get(Counter::Proc));
    }
    number
}

/// Waits until all helpers have done their share of a task of which nothing is left to take.
pub(super) fn end_task(shared: &Shared) -> Result<(), SqlError> {
    let board = shared.board();
    board[board::TASK].store(0, SeqCst);
    while helpers(shared).any(is_busy) {
        latch::pause(LOOK_INTERVAL);
        pgrx::check_for_interrupts!();
    }
    if shared.phase() == Phase::Stopping {
        return Err(stopped());
    }
    let failed = helpers(shared).find(|helper| helper.state() == ClientState::Aborted);
    if let Some(error) = failed.and_then(|helper| helper.errors().kinds().pop()) {
        return Err(SqlError {
            sqlstate: error.last.sqlstate,
            message: error.last.message,
            detail: error.last.detail,
        });
    }
    if board[board::DONE].load(SeqCst) != board[board::COUNT].load(SeqCst) {
        return Err(SqlError::new("57P01", "a loading worker was terminated"));
    }
    Ok(())
}

/// The error that ends a stopped load.
pub fn stopped() -> SqlError {
    SqlError::new("57014", "the load was stopped")
}

/// Before the fills of a step, in its transaction.
pub fn prepare(session: &mut Session) -> Result<(), SqlError> {
    session.perform("preparing to fill", || {
        catalog::compress_wal(Scope::Transaction).unwrap_or_else(|error| raise(error));
        Ok(())
    })
}

/// Fills a table that the open transaction block has truncated; false if the table is not as pgperf creates it,
/// so that it has to be filled by statements.
pub fn fill(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    fills: &Fills,
    fill: &Fill,
) -> Result<bool, SqlError> {
    let schema = fills.params.schema.as_str();
    let crew = || Crew::new(shared, slot);
    session.perform(&format!("filling {schema}.{}", fill.table), || {
        match &fill.contents {
            Contents::Alike {
                columns,
                rows_per_unit,
                partitions,
                ..
            } => {
                let rows_per_unit = i64::from(*rows_per_unit);
                let content = Content::Alike { rows_per_unit };
                let last_key = fill.rows;
                let shape = Shape::Repeated { columns, last_key };
                if partitions.is_empty() {
                    let Some(heap) = FreshHeap::open(schema, &fill.table, &shape, false) else {
                        return Ok(false);
                    };
                    let keys = 1..=fill.rows as i64;
                    fill_heap(&crew(), fills, content, &heap, keys)?;
                    return Ok(true);
                }
                let by = columns.first().map_or("", |column| column.name);
                if !catalog::has_these_partitions(schema, &fill.table, by, partitions)
                    .unwrap_or_else(|error| raise(error))
                {
                    return Ok(false);
                }
                let heaps: Option<Vec<FreshHeap>> = partitions
                    .iter()
                    .map(|partition| FreshHeap::open(schema, &partition.table, &shape, true))
                    .collect();
                let Some(heaps) = heaps else {
                    return Ok(false);
                };
                let is_hash = |partition: &Partition| matches!(partition.keys, Keys::Hash { .. });
                if partitions.iter().any(is_hash) {
                    fill_by_hash(shared, slot, fill.rows, rows_per_unit, &heaps)?;
                    return Ok(true);
                }
                let crew = crew();
                for (heap, partition) in heaps.iter().zip(partitions) {
                    if let Keys::Range { first, last } = partition.keys {
                        fill_heap(&crew, fills, content, heap, first..=last)?;
                    }
                }
            }
            Contents::Made { columns, units, .. } => {
                let shape = Shape::Packed(columns);
                let Some(heap) = FreshHeap::open(schema, &fill.table, &shape, false) else {
                    return Ok(false);
                };
                let content = Content::Made {
                    fill: fills.number(fill),
                    chunk: chunk_of(*units, fill.rows, shared.slots().count()),
                };
                fill_heap(&crew(), fills, content, &heap, 1..=*units as i64)?;
            }
        }
        Ok(true)
    })
}

fn fill_heap(
    crew: &Crew,
    fills: &Fills,
    content: Content,
    heap: &FreshHeap,
    numbers: RangeInclusive<i64>,
) -> Result<(), SqlError> {
    let task = Task {
        heap: heap.heap,
        first: *numbers.start(),
        count: (numbers.end() - numbers.start() + 1).max(0) as u64,
        content,
    };
    let rows = crew.fill(&task, fills)?;
    heap.complete(rows);
    Ok(())
}

/// Fills hash partitions in one process: each key in turn goes to the partition that its hash belongs to.
fn fill_by_hash(
    shared: &Shared,
    slot: Slot,
    last_key: u64,
    rows_per_unit: i64,
    heaps: &[FreshHeap],
) -> Result<(), SqlError> {
    // All partitions together should not take much more memory than one table does.
    let batch = (4 * BATCH_PAGES / heaps.len().max(1)).clamp(1, BATCH_PAGES);
    let mut parts: Vec<(PageWriter, u64)> = heaps
        .iter()
        .map(|heap| (PageWriter::new(&heap.heap, batch, 0, true), 0))
        .collect();
    let modulus = parts.len().max(1) as u64;
    let mut told = 0;
    for key in 1..=last_key as i64 {
        // Partition n is the one with the remainder n - 1.
        if let Some((writer, rows)) = parts.get_mut((hash_of_key(key) % modulus) as usize) {
            writer.push(key, unit_of(key, rows_per_unit));
            *rows += 1;
        }
        if key as u64 - told == CHUNK_PAGES * 32 {
            slot.add(Counter::LoadDone, key as u64 - told);
            told = key as u64;
            if shared.phase() == Phase::Stopping {
                return Err(stopped());
            }
        }
    }
    slot.add(Counter::LoadDone, last_key - told);
    for ((writer, rows), heap) in parts.iter_mut().zip(heaps) {
        writer.finish();
        heap.complete(*rows);
    }
    Ok(())
}

/// Where this process notes that it has stopped working on a task, if it is terminated while it helps.
static OWN_TASK: OnceLock<&'static AtomicU64> = OnceLock::new();

fn let_go_at_exit() {
    if let Some(task) = OWN_TASK.get() {
        task.store(0, SeqCst);
    }
}

/// The life of a helping worker: waits for tasks and works on them until no more will come. `parts`: those of the load, if it
/// has any.
pub fn help(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    fills: &Fills,
    parts: Option<&Parts>,
) -> Result<(), SqlError> {
    let board = shared.board();
    if OWN_TASK.set(slot.task()).is_ok() {
        worker::before_exit(let_go_at_exit);
    }
    session.perform("preparing to help", || {
        catalog::compress_wal(Scope::Session).unwrap_or_else(|error| raise(error));
        Ok(())
    })?;
    let mut seen = 0;
    loop {
        session.idle_checks();
        let number = board[board::TASK].load(SeqCst);
        if number == board::OVER || shared.phase() == Phase::Stopping {
            return Ok(());
        }
        if number == 0 || number == seen {
            latch::report_idle();
            latch::wait(LOOK_INTERVAL);
            continue;
        }
        seen = number;
        slot.task().store(number, SeqCst);
        // If the task was withdrawn meanwhile, nobody has waited for this worker.
        if board[board::TASK].load(SeqCst) == number {
            let is_parts = board[board::FILL].load(SeqCst) == board::PARTS;
            let result = match parts.filter(|_| is_parts) {
                Some(parts) => parts::take(shared, slot, session, parts, number),
                None => session.perform("helping to fill a table", || {
                    Task::read(board).work(shared, slot, number, fills)
                }),
            };
            // The worker counts as busy until its error can be read.
            result.inspect_err(|_| withdraw(shared))?;
        }
        slot.task().store(0, SeqCst);
        latch::wake(shared.slot(0).get(Counter::Proc));
    }
}

/// Lets the helpers go, so that their worker slots are free for parallel index builds.
pub fn release(shared: &Shared) {
    shared.board()[board::TASK].store(board::OVER, SeqCst);
    for helper in helpers(shared) {
        latch::wake(helper.get(Counter::Proc));
    }
}
