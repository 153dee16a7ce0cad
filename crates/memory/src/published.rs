//! Statistics that each client counts for itself and adds to the segment's at its end.

use engine::{Answers, CommandStats, Latencies, Outcomes, Parts, ScriptStats, Usage};
use measure::{COUNTERS, Moments};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Statistics that all clients add up in the segment.
pub trait Published: Sized {
    /// Words in the segment.
    const WORDS: usize;

    /// Adds this client's figures to the segment's; several clients may do so at once.
    fn publish(&self, words: &[AtomicU64]);

    /// Reads the sums of all clients.
    fn read(words: &[AtomicU64]) -> Self;
}

/// Words of latencies before the histogram: count, sum, longest, squares.
const MOMENTS: usize = 4;

impl Published for Latencies {
    const WORDS: usize = MOMENTS + COUNTERS;

    fn publish(&self, words: &[AtomicU64]) {
        let Some(([count, sum, max, squares], histogram)) = words.split_first_chunk() else {
            return;
        };
        count.fetch_add(self.moments.count, Relaxed);
        sum.fetch_add(self.moments.sum_ns, Relaxed);
        max.fetch_max(self.moments.max_ns.unwrap_or(0), Relaxed);
        // Always succeeds: the closure never declines.
        let _ = squares.fetch_update(Relaxed, Relaxed, |bits| {
            Some((f64::from_bits(bits) + self.moments.sum_sq).to_bits())
        });
        for (word, &count) in histogram.iter().zip(self.histogram.counts()) {
            if count > 0 {
                word.fetch_add(count, Relaxed);
            }
        }
    }

    fn read(words: &[AtomicU64]) -> Latencies {
        let mut latencies = Latencies::default();
        if let Some(([count, sum, max, squares], histogram)) = words.split_first_chunk() {
            let count = count.load(Relaxed);
            latencies.moments = Moments {
                count,
                sum_ns: sum.load(Relaxed),
                sum_sq: f64::from_bits(squares.load(Relaxed)),
                max_ns: (count > 0).then(|| max.load(Relaxed)),
            };
            let counts = histogram.iter().map(|count| count.load(Relaxed));
            latencies.histogram.add_counts(counts);
        }
        latencies
    }
}

/// Words of a command before its latencies.
const TOTALS: usize = 16;

impl Published for CommandStats {
    const WORDS: usize = TOTALS + Latencies::WORDS;

    fn publish(&self, words: &[AtomicU64]) {
        let (usage, answers) = (&self.usage, &self.parts.answers);
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
            answers.count,
            answers.first_byte_ns,
            answers.receive_ns,
        ];
        for (word, total) in words.iter().zip(totals) {
            word.fetch_add(total, Relaxed);
        }
        self.latencies.publish(&words[TOTALS..]);
    }

    fn read(words: &[AtomicU64]) -> CommandStats {
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
                answers: Answers {
                    count: word(13),
                    first_byte_ns: word(14),
                    receive_ns: word(15),
                },
            },
            latencies: Latencies::read(&words[TOTALS..]),
        }
    }
}

impl Published for ScriptStats {
    const WORDS: usize = Outcomes::COUNT + Latencies::WORDS;

    fn publish(&self, words: &[AtomicU64]) {
        for (word, count) in words.iter().zip(self.outcomes.to_words()) {
            word.fetch_add(count, Relaxed);
        }
        self.latencies.publish(&words[Outcomes::COUNT..]);
    }

    fn read(words: &[AtomicU64]) -> ScriptStats {
        ScriptStats {
            outcomes: Outcomes::from_words(std::array::from_fn(|i| words[i].load(Relaxed))),
            latencies: Latencies::read(&words[Outcomes::COUNT..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_words;

    #[test]
    fn what_two_clients_publish_adds_up() {
        let stats = |times: u64| {
            let mut stats = CommandStats {
                failed: times,
                retries: 2 * times,
                rows: 3 * times,
                usage: Usage {
                    shared_blks_hit: 4 * times,
                    shared_blks_read: 5 * times,
                    shared_blks_dirtied: 6 * times,
                    shared_blks_written: 7 * times,
                    wal_records: 8 * times,
                    wal_fpi: 9 * times,
                    wal_bytes: 10 * times,
                },
                parts: Parts {
                    parse_ns: 11 * times,
                    plan_ns: 12 * times,
                    commit_ns: 13 * times,
                    answers: Answers {
                        count: 14 * times,
                        first_byte_ns: 15 * times,
                        receive_ns: 16 * times,
                    },
                },
                ..CommandStats::default()
            };
            stats.record(1_000_000 * times);
            stats
        };
        let words = test_words(CommandStats::WORDS);
        stats(1).publish(words);
        stats(10).publish(words);
        let mut both = stats(1);
        both.merge(&stats(10));
        let json = |stats: &CommandStats| serde_json::to_value(stats).unwrap();
        assert_eq!(json(&CommandStats::read(words)), json(&both));
        assert_eq!((both.failed, both.parts.commit_ns), (11, 143));
        assert_eq!(both.parts.answers.receive_ns, 176);
    }
}
