//! The workers of a load as a crew. The first worker announces a task on the board in the segment, and all take units of it
//! until none is left. The first continues when the others have finished their units.

use super::destination::Destination;
use crate::pg::error::SqlError;
use crate::pg::process::{latch, worker};
use crate::run::shared::board;
use crate::run::shared::slot::{ClientState, Counter, Slot};
use crate::run::shared::{Phase, Shared};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// How often a waiting worker looks around even if its latch was not set.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The workers that help to write a file. Once it is dropped, none of them is at work any more. This holds after an error,
/// too, before the transaction is rolled back and the file is removed.
pub(super) struct Crew<'a> {
    shared: &'a Shared,
}

impl<'a> Crew<'a> {
    pub fn new(shared: &'a Shared) -> Crew<'a> {
        if SHARED.set(*shared).is_ok() {
            worker::before_exit(dismiss_at_exit);
        }
        HAS_CREW.store(true, SeqCst);
        Crew { shared }
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        dismiss(self.shared);
        HAS_CREW.store(false, SeqCst);
    }
}

/// Where this process finds the helpers to dismiss if it is terminated.
static SHARED: OnceLock<Shared> = OnceLock::new();
/// Nobody waits for helpers that run statements: each has a transaction of its own.
static HAS_CREW: AtomicBool = AtomicBool::new(false);

fn dismiss_at_exit() {
    if let Some(shared) = SHARED.get().filter(|_| HAS_CREW.load(SeqCst)) {
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
pub(super) fn stopped() -> SqlError {
    SqlError::new("57014", "the load was stopped")
}

/// Where this process notes that it has stopped working on a task, if it is terminated while it helps.
static OWN_TASK: OnceLock<&'static AtomicU64> = OnceLock::new();

fn let_go_at_exit() {
    if let Some(task) = OWN_TASK.get() {
        task.store(0, SeqCst);
    }
}

/// Whether units of task number `number` are still to be taken.
pub(super) fn is_wanted(shared: &Shared, number: u64) -> bool {
    shared.board()[board::TASK].load(SeqCst) == number && shared.phase() != Phase::Stopping
}

/// A worker that helps.
pub(super) struct Helper<'a> {
    shared: &'a Shared,
    slot: Slot,
    /// The last task's number.
    seen: u64,
}

impl<'a> Helper<'a> {
    pub fn new(shared: &'a Shared, slot: Slot) -> Helper<'a> {
        if OWN_TASK.set(slot.task()).is_ok() {
            worker::before_exit(let_go_at_exit);
        }
        let seen = 0;
        Helper { shared, slot, seen }
    }

    /// Waits for the next task; none if no more will come. [`Helper::finish`] has to follow.
    pub fn next_task(&mut self, destination: &mut impl Destination) -> Option<u64> {
        let task = &self.shared.board()[board::TASK];
        loop {
            destination.between_statements();
            let number = task.load(SeqCst);
            if number == board::OVER || self.shared.phase() == Phase::Stopping {
                return None;
            }
            if number != 0 && number != self.seen {
                self.seen = number;
                self.slot.task().store(number, SeqCst);
                // If the task was withdrawn meanwhile, nobody has waited for this worker.
                if task.load(SeqCst) == number {
                    return Some(number);
                }
                self.finish(&Ok(()));
                continue;
            }
            latch::report_idle();
            latch::wait(LOOK_INTERVAL);
        }
    }

    /// After an error the worker counts as busy until the error can be read.
    pub fn finish(&self, result: &Result<(), SqlError>) {
        match result {
            Ok(()) => {
                self.slot.task().store(0, SeqCst);
                latch::wake(self.shared.slot(0).get(Counter::Proc));
            }
            Err(_) => withdraw(self.shared),
        }
    }
}

/// Lets the helpers go, so that their worker slots are free for parallel index builds.
pub(super) fn release(shared: &Shared) {
    shared.board()[board::TASK].store(board::OVER, SeqCst);
    for helper in helpers(shared) {
        latch::wake(helper.get(Counter::Proc));
    }
}
