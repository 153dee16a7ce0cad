//! The counts of a client: its slot and the statistics that all clients add up, in the segment.

use crate::log_ring::LogWriter;
use crate::slot::{Counter, Slot};
use crate::{Published, Shared};
use engine::{
    ClientError, CommandStats, Entry, FailureKind, ScriptStats, Sink, Spent, Surroundings, Usage,
};

/// The places where a client counts.
pub struct Counts<S> {
    shared: Shared,
    /// For what has to wait for room.
    around: S,
    slot: Slot,
    /// None if there is no transaction log.
    log: Option<LogWriter>,
}

impl<S: Surroundings> Counts<S> {
    /// The counts of client number `client`.
    pub fn new(shared: &Shared, client: usize, around: S) -> Counts<S> {
        Counts {
            shared: *shared,
            around,
            slot: shared.slot(client),
            log: LogWriter::new(client, shared),
        }
    }
}

impl<S: Surroundings> Sink for Counts<S> {
    #[inline]
    fn transaction(&mut self, latency_ns: u64) {
        self.slot.record_transaction(latency_ns);
    }

    fn late(&mut self) {
        self.slot.add(Counter::Late, 1);
    }

    #[inline]
    fn lag(&mut self, ns: u64) {
        self.slot.record_lag(ns, self.shared.interval());
    }

    fn failed(&mut self, kind: FailureKind) {
        self.slot.add(Counter::of_failure(kind), 1);
    }

    fn retried(&mut self, retries: u64) {
        self.slot.add(Counter::Retried, 1);
        self.slot.add(Counter::Retries, retries);
    }

    fn retry_time(&mut self, ns: u64) {
        self.slot.add(Counter::RetryNs, ns);
    }

    fn skipped(&mut self) {
        self.slot.add(Counter::Skipped, 1);
    }

    #[inline]
    fn usage(&mut self, usage: &Usage) {
        self.slot.record_usage(usage);
    }

    fn lost(&mut self, spent: &Spent) {
        self.slot.record_lost(spent);
    }

    #[inline]
    fn received(&mut self, rows: u64, bytes: u64) {
        self.slot.set(Counter::Rows, rows);
        self.slot.set(Counter::Bytes, bytes);
    }

    fn warmup_transaction(&mut self) {
        self.slot.add(Counter::WarmupTransactions, 1);
    }

    fn followed(&mut self, turn: u64) {
        self.slot.set(Counter::Turn, turn);
    }

    fn reconnected(&mut self, took_ns: u64) {
        self.slot.add(Counter::Reconnects, 1);
        self.slot.add(Counter::ReconnectNs, took_ns);
    }

    fn log(&mut self, entry: &Entry) -> u64 {
        let waited = self.log.map_or(0, |log| log.write(entry, &self.around));
        if waited > 0 {
            self.slot.add(Counter::LogWaitNs, waited);
        }
        waited
    }

    fn error(&mut self, error: &ClientError) -> u64 {
        let (_, before) = self.slot.errors().store(error);
        before
    }

    fn command(&mut self, index: usize, stats: &CommandStats) {
        stats.publish(self.shared.command(index));
    }

    fn script(&mut self, number: usize, stats: &ScriptStats) {
        if let Some(words) = self.shared.script(number) {
            stats.publish(words);
        }
    }
}
