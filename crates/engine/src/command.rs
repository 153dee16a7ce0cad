//! The statistics of the commands of a run's scripts. Each client counts for itself.

use crate::latencies::Latencies;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

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

/// Parts of the time of the executions that succeeded, ns. Within the server the rest is execution; over a connection only the
/// answers are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    pub parse_ns: u64,
    pub plan_ns: u64,
    pub commit_ns: u64,
    #[serde(default)]
    pub answers: Answers,
}

/// The answers that came over a connection, where it is known when each began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    pub count: u64,
    /// From the beginning of a statement to the first byte of its answer.
    pub first_byte_ns: u64,
    /// From then until all of it was taken in.
    pub receive_ns: u64,
}

impl Parts {
    /// Adds all that `other` adds up to.
    #[inline]
    pub fn merge(&mut self, other: &Parts) {
        self.parse_ns += other.parse_ns;
        self.plan_ns += other.plan_ns;
        self.commit_ns += other.commit_ns;
        self.answers.count += other.answers.count;
        self.answers.first_byte_ns += other.answers.first_byte_ns;
        self.answers.receive_ns += other.answers.receive_ns;
    }

    /// What is left without `other`, which is a part of it.
    fn without(&self, other: &Parts) -> Parts {
        let (answers, less) = (&self.answers, &other.answers);
        Parts {
            parse_ns: self.parse_ns.saturating_sub(other.parse_ns),
            plan_ns: self.plan_ns.saturating_sub(other.plan_ns),
            commit_ns: self.commit_ns.saturating_sub(other.commit_ns),
            answers: Answers {
                count: answers.count.saturating_sub(less.count),
                first_byte_ns: answers.first_byte_ns.saturating_sub(less.first_byte_ns),
                receive_ns: answers.receive_ns.saturating_sub(less.receive_ns),
            },
        }
    }
}

/// What several executions took altogether.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
            parts: self.parts.without(&other.parts),
        }
    }
}

impl CommandStats {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: Parts = Parts {
        parse_ns: 1,
        plan_ns: 20,
        commit_ns: 300,
        answers: Answers {
            count: 4_000,
            first_byte_ns: 50_000,
            receive_ns: 600_000,
        },
    };

    #[test]
    fn executions_add_up_and_a_part_can_be_taken_off() {
        let mut spent = Spent::default();
        spent.add(1000, &PARTS);
        spent.add(500, &PARTS);
        let once = Spent {
            total_ns: 1000,
            parts: PARTS,
        };
        let twice = Parts {
            parse_ns: 2,
            plan_ns: 40,
            commit_ns: 600,
            answers: Answers {
                count: 8_000,
                first_byte_ns: 100_000,
                receive_ns: 1_200_000,
            },
        };
        assert_eq!((spent.total_ns, spent.parts), (1500, twice));
        let rest = spent.without(&once);
        assert_eq!((rest.total_ns, rest.parts), (500, PARTS));
        assert_eq!(once.without(&spent), Spent::default());
    }

    #[test]
    fn figures_of_two_sources_add_up() {
        let stats = |times: u64| {
            let mut stats = CommandStats {
                failed: times,
                retries: 10 * times,
                rows: 100 * times,
                usage: Usage {
                    wal_bytes: 7 * times,
                    ..Usage::default()
                },
                parts: Parts {
                    plan_ns: times,
                    ..Parts::default()
                },
                ..CommandStats::default()
            };
            stats.record(times);
            stats
        };
        let mut sum = stats(1);
        sum.merge(&stats(2));
        assert_eq!((sum.failed, sum.retries, sum.rows), (3, 30, 300));
        assert_eq!((sum.usage.wal_bytes, sum.parts.plan_ns), (21, 3));
        assert_eq!(sum.latencies.moments.sum_ns, 3);
        assert_eq!(sum.latencies.histogram.count(), 2);
    }
}
