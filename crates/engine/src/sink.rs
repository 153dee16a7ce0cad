//! The destination of a client's counts.

use crate::command::{CommandStats, Spent};
use crate::error::ClientError;
use crate::failure::FailureKind;
use crate::per_script::ScriptStats;
use crate::sampling::Entry;
use crate::usage::Usage;

/// Takes the counts of the measured part, one at a time.
pub trait Sink {
    /// A transaction that succeeded, with its latency in ns.
    fn transaction(&mut self, latency_ns: u64);

    /// The last one took longer than the latency limit.
    fn late(&mut self);

    /// How far behind its schedule a transaction that succeeded has begun, ns.
    fn lag(&mut self, ns: u64);

    /// A transaction that failed.
    fn failed(&mut self, kind: FailureKind);

    /// A transaction that ended, in whatever way, after so many further tries.
    fn retried(&mut self, retries: u64);

    /// What the tries of a transaction took that another try followed, ns; it succeeded in the end.
    fn retry_time(&mut self, ns: u64);

    /// A transaction of the schedule that was left out.
    fn skipped(&mut self);

    /// What a transaction used, whether or not it succeeded.
    fn usage(&mut self, usage: &Usage);

    /// What the statements of a try took that came to nothing.
    fn lost(&mut self, spent: &Spent);

    /// Rows and bytes received so far, by all sessions of the client.
    fn received(&mut self, rows: u64, bytes: u64);

    /// A transaction of the warm-up.
    fn warmup_transaction(&mut self);

    /// No transaction of an earlier turn is under way any more.
    fn followed(&mut self, turn: u64);

    /// The client has got a new session, so many ns after the end of the last one.
    fn reconnected(&mut self, took_ns: u64);

    /// Logs a transaction. How long that had to wait for room in the log, ns.
    fn log(&mut self, entry: &Entry) -> u64;

    /// The error of a transaction that failed; how many with its SQLSTATE there were before.
    fn error(&mut self, error: &ClientError) -> u64;

    /// What a command, by its index over all scripts of the run, did since it was last reported.
    fn command(&mut self, index: usize, stats: &CommandStats);

    /// What became of a script's transactions since it was last reported, where there are several scripts.
    fn script(&mut self, number: usize, stats: &ScriptStats);
}
