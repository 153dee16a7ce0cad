//! How a procedure waits for a worker: with neither snapshot nor transaction id.

use crate::error::{Error, Result, read_only};
use crate::pg::error::say;
use crate::pg::process::{clock, latch};
use pgrx::PgLogLevel;
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

    /// What it is, `run` or `sweep` as in `wait_run` and `stop_run`, and its number.
    fn name(&self) -> (&'static str, i64);

    /// Has it stop.
    fn stop(&self) -> Result<()>;
}

/// A timeout as [`wait`] takes it.
pub fn limit_ns(timeout: Option<Interval>) -> Option<u64> {
    timeout.map(|timeout| {
        let micros = u64::try_from(timeout.as_micros().max(0)).unwrap_or(u64::MAX);
        micros.saturating_mul(1000)
    })
}

/// Waits until it is no longer alive, at most for `limit_ns`. With `stops`, Ctrl-C stops it. After a commit.
pub fn wait(
    awaited: &mut impl Awaited,
    limit_ns: Option<u64>,
    progress: bool,
    stops: bool,
) -> Result<()> {
    let began = clock::now();
    let mut told_at = began;
    let mut stopping = false;
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
            latch::holding_cancel(|| canceled(awaited, stops, &mut stopping))?;
        }
        latch::statement_interrupts();
    }
    if progress { awaited.tell() } else { Ok(()) }
}

/// Ctrl-C: with `stops`, this continues to wait for the end; the second time, and after `statement_timeout`, it leaves. Otherwise it leaves
/// what it waits for alone and says so.
fn canceled(awaited: &impl Awaited, stops: bool, stopping: &mut bool) -> Result<()> {
    let (kind, id) = awaited.name();
    if !stops {
        let goes_on = format!(
            "{kind} {id} is still running: CALL pgperf.wait_{kind}({id}, progress => true) waits for it, \
             SELECT pgperf.stop_{kind}({id}) stops it"
        );
        say(PgLogLevel::INFO, goes_on);
        return Ok(());
    }
    if !*stopping {
        *stopping = true;
        // A timeout is an error of the call.
        if !latch::timed_out() {
            latch::forget_cancel();
        }
        say(PgLogLevel::INFO, format!("stopping {kind} {id}"));
    }
    awaited.stop()
}

/// The leader of a run shown by a standby is a process of the primary.
pub fn not_here(what: &str) -> Error {
    read_only(format!(
        "cannot {what} a run or sweep of the primary on a standby"
    ))
    .hinting("Call it on the primary.")
}
