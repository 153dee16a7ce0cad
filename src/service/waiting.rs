//! How a procedure waits for a worker: with neither snapshot nor transaction id.

use crate::error::{Error, Result, read_only};
use crate::pg::process::{clock, latch};
use pgrx::datum::Interval;
use std::time::Duration;

/// How often a waiting session checks that the worker is alive.
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
/// How often it reads news to report.
const PROGRESS_INTERVAL_NS: u64 = 500_000_000;

/// What is waited for.
pub trait Awaited {
    fn lives(&self) -> bool;

    /// Reports the news since the last time.
    fn tell(&mut self) -> Result<()>;

    /// Ctrl-C. If it should not end the waiting, it has to be discarded.
    fn canceled(&mut self) -> Result<()>;
}

/// A timeout as [`wait`] takes it.
pub fn limit_ns(timeout: Option<Interval>) -> Option<u64> {
    timeout.map(|timeout| {
        let micros = u64::try_from(timeout.as_micros().max(0)).unwrap_or(u64::MAX);
        micros.saturating_mul(1000)
    })
}

/// Waits until it is no longer alive, at most for `limit_ns`. After a commit.
pub fn wait(awaited: &mut impl Awaited, limit_ns: Option<u64>, progress: bool) -> Result<()> {
    let began = clock::now();
    let mut told_at = began;
    while awaited.lives() {
        let now = clock::now();
        if limit_ns.is_some_and(|limit| now - began >= limit) {
            return Ok(());
        }
        if progress && now - told_at >= PROGRESS_INTERVAL_NS {
            told_at = now;
            latch::holding_cancel(|| awaited.tell())?;
        }
        latch::pause_for_workers(WATCH_INTERVAL);
        // Before the checks that would turn it into an error.
        if latch::cancel_pending() {
            latch::holding_cancel(|| awaited.canceled())?;
        }
        latch::statement_interrupts();
    }
    if progress { awaited.tell() } else { Ok(()) }
}

/// The leader of a run shown by a standby is a process of the primary.
pub fn not_here(what: &str) -> Error {
    read_only(format!(
        "cannot {what} a run or sweep of the primary on a standby"
    ))
    .hinting("Call it on the primary.")
}
