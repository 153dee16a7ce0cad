//! What the commands of a run's scripts did: each client counts for itself and adds it up at its end.

use super::latencies::Latencies;
use crate::pg::process::usage::Usage;
use crate::pg::session::laps::Laps;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Statistics of one command (a statement or a meta-command).
#[derive(Default, Serialize, Deserialize)]
pub struct CommandStats {
    /// Of the executions that succeeded.
    pub latencies: Latencies,
    /// Errors that ended their transaction, and those that were answered with another try.
    pub failed: u64,
    pub retries: u64,
    pub rows: u64,
    pub usage: Usage,
    pub parts: Parts,
}

/// Parts of the time of the executions that succeeded, ns; the rest is execution.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Parts {
    pub parse_ns: u64,
    pub plan_ns: u64,
    pub commit_ns: u64,
}

impl Parts {
    /// Those of an execution that ended at `now`.
    #[inline]
    pub fn of(laps: &Laps, now: u64) -> Parts {
        let commit_ns = match laps.commit_began_at {
            0 => 0,
            began_at => now.saturating_sub(began_at),
        };
        Parts {
            parse_ns: laps.parse_ns,
            plan_ns: laps.plan_ns,
            commit_ns,
        }
    }

    /// Adds all that `other` adds up to.
    #[inline]
    pub fn merge(&mut self, other: &Parts) {
        self.parse_ns += other.parse_ns;
        self.plan_ns += other.plan_ns;
        self.commit_ns += other.commit_ns;
    }
}

/// What several executions took altogether.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    pub total_ns: u64,
    pub parts: Parts,
}

impl Spent {
    #[inline]
    pub fn add(&mut self, latency_ns: u64, parts: &Parts) {
        self.total_ns += latency_ns;
        self.parts.merge(parts);
    }

    /// What is left without `other`, which is a part of it.
    pub fn without(&self, other: &Spent) -> Spent {
        Spent {
            total_ns: self.total_ns.saturating_sub(other.total_ns),
            parts: Parts {
                parse_ns: self.parts.parse_ns.saturating_sub(other.parts.parse_ns),
                plan_ns: self.parts.plan_ns.saturating_sub(other.parts.plan_ns),
                commit_ns: self.parts.commit_ns.saturating_sub(other.parts.commit_ns),
            },
        }
    }
}

/// Words before the latencies.
const TOTALS: usize = 13;

impl CommandStats {
    /// Words of a command in the segment.
    pub const WORDS: usize = TOTALS + Latencies::WORDS;

    /// Counts an execution that succeeded.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.latencies.record(latency_ns);
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &CommandStats) {
        self.latencies.merge(&other.latencies);
        self.failed += other.failed;
        self.retries += other.retries;
        self.rows += other.rows;
        self.usage.add(&other.usage);
        self.parts.merge(&other.parts);
    }

    /// Adds this client's figures to the segment's; several clients may do so at once.
    pub fn publish(&self, words: &[AtomicU64]) {
        let usage = &self.usage;
        let totals: [u64; TOTALS] = [
            self.failed,
            self.retries,
            self.rows,
            usage.shared_blks_hit,
            usage.shared_blks_read,
            usage.shared_blks_dirtied,
            usage.shared_blks_written,
            usage.wal_records,
            usage.wal_fpi,
            usage.wal_bytes,
            self.parts.parse_ns,
            self.parts.plan_ns,
            self.parts.commit_ns,
        ];
        for (word, total) in words.iter().zip(totals) {
            word.fetch_add(total, Relaxed);
        }
        self.latencies.publish(&words[TOTALS..]);
    }

    /// Reads what the clients have added up.
    pub fn read(words: &[AtomicU64]) -> CommandStats {
        let word = |i: usize| words[i].load(Relaxed);
        CommandStats {
            failed: word(0),
            retries: word(1),
            rows: word(2),
            usage: Usage {
                shared_blks_hit: word(3),
                shared_blks_read: word(4),
                shared_blks_dirtied: word(5),
                shared_blks_written: word(6),
                wal_records: word(7),
                wal_fpi: word(8),
                wal_bytes: word(9),
            },
            parts: Parts {
                parse_ns: word(10),
                plan_ns: word(11),
                commit_ns: word(12),
            },
            latencies: Latencies::read(&words[TOTALS..]),
        }
    }
}
