//! The sum of all clients' counters at one moment, and the difference of two such readings.

use crate::Shared;
use crate::slot::{Counter, outcomes_of};
use engine::Outcomes;
use measure::{Histogram, Moments};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Cumulative figures over all clients.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reading {
    /// When it was taken, monotonic ns.
    #[serde(skip)]
    pub at: u64,
    pub latency: Moments,
    pub histogram: Histogram,
    pub lag_max_ns: u64,
    /// Transactions of each client that have ended, whatever their outcome.
    pub ended: Vec<u64>,
    sums: Sums,
}

/// The [`SUMMED`] counters; stored by name, so that another version may have others.
#[derive(Debug, Clone, Copy, Default)]
struct Sums([u64; SUMMED.len()]);

/// The counters that add up over clients and can be subtracted.
const SUMMED: [Counter; 28] = [
    Counter::SerializationFailures,
    Counter::DeadlockFailures,
    Counter::OtherFailures,
    Counter::Retried,
    Counter::Retries,
    Counter::Skipped,
    Counter::Late,
    Counter::WarmupTransactions,
    Counter::LagSumNs,
    Counter::Rows,
    Counter::Bytes,
    Counter::BlocksHit,
    Counter::BlocksRead,
    Counter::BlocksDirtied,
    Counter::WalRecords,
    Counter::WalFpi,
    Counter::WalBytes,
    Counter::LoadDone,
    Counter::LogWaitNs,
    Counter::Reconnects,
    Counter::ReconnectNs,
    Counter::RetryNs,
    Counter::LostNs,
    Counter::LostParseNs,
    Counter::LostPlanNs,
    Counter::LostCommitNs,
    Counter::LostFirstByteNs,
    Counter::LostReceiveNs,
];

impl Reading {
    /// Nothing counted so far.
    pub fn zero(at: u64) -> Reading {
        Reading {
            at,
            ..Reading::default()
        }
    }

    /// Reads all slots, 34 KiB for each client.
    pub fn take(shared: &Shared, at: u64) -> Reading {
        Reading::take_of(shared, at, |_| true)
    }

    /// The same of some clients, by their numbers; the others have ended nothing.
    pub fn take_of(shared: &Shared, at: u64, is_of: impl Fn(usize) -> bool) -> Reading {
        let mut reading = Reading::zero(at);
        for (client, slot) in shared.slots().enumerate() {
            if !is_of(client) {
                reading.ended.push(0);
                continue;
            }
            let latency = slot.moments();
            let sums = Sums(SUMMED.map(|counter| slot.get(counter)));
            let outcomes = sums.outcomes();
            reading
                .ended
                .push(latency.count + outcomes.failed() + outcomes.skipped);
            reading.latency.merge(&latency);
            slot.add_histogram_to(&mut reading.histogram);
            reading.lag_max_ns = reading.lag_max_ns.max(slot.get(Counter::LagMaxNs));
            reading.sums.add(&sums);
        }
        reading
    }

    /// The difference from an earlier reading.
    pub fn since(&self, earlier: &Reading) -> Reading {
        let mut delta = self.clone();
        delta.latency.subtract(&earlier.latency);
        delta.histogram.subtract(&earlier.histogram);
        for (sum, earlier) in delta.sums.0.iter_mut().zip(earlier.sums.0) {
            *sum = sum.saturating_sub(earlier);
        }
        delta
    }

    /// Adds what was counted in another segment of the run.
    pub fn merge(&mut self, other: &Reading) {
        self.latency.merge(&other.latency);
        self.histogram.merge(&other.histogram);
        self.lag_max_ns = self.lag_max_ns.max(other.lag_max_ns);
        let clients = self.ended.len().max(other.ended.len());
        self.ended.resize(clients, 0);
        for (own, other) in self.ended.iter_mut().zip(&other.ended) {
            *own += other;
        }
        self.sums.add(&other.sums);
    }

    pub fn get(&self, counter: Counter) -> u64 {
        self.sums.get(counter)
    }

    /// The outcomes of the transactions.
    pub fn outcomes(&self) -> Outcomes {
        self.sums.outcomes()
    }

    /// The average lag behind the schedule, ms, over the transactions that succeeded, as in pgbench.
    pub fn lag_avg_ms(&self) -> Option<f64> {
        let count = self.latency.count;
        (count > 0).then(|| self.get(Counter::LagSumNs) as f64 / count as f64 / 1e6)
    }
}

impl Sums {
    fn get(&self, counter: Counter) -> u64 {
        let place = SUMMED
            .iter()
            .position(|&summed| summed as usize == counter as usize);
        place.map_or(0, |i| self.0[i])
    }

    fn add(&mut self, other: &Sums) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }

    fn outcomes(&self) -> Outcomes {
        outcomes_of(|counter| self.get(counter))
    }
}

impl Serialize for Sums {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = SUMMED.iter().zip(self.0);
        serializer.collect_map(named.map(|(counter, sum)| (format!("{counter:?}"), sum)))
    }
}

impl<'de> Deserialize<'de> for Sums {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = BTreeMap::<String, u64>::deserialize(deserializer)?;
        let sum = |counter| named.get(&format!("{counter:?}")).copied();
        Ok(Sums(
            SUMMED.map(|counter: Counter| sum(counter).unwrap_or(0)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, test_words};

    fn reading(latency_ns: u64, ended: &[u64]) -> Reading {
        let mut reading = Reading::zero(1);
        reading.latency.record(latency_ns);
        reading.histogram.record(latency_ns);
        reading.ended = ended.to_vec();
        reading.lag_max_ns = 10 * latency_ns;
        reading.sums = Sums(std::array::from_fn(|i| i as u64 + latency_ns));
        reading
    }

    #[test]
    fn segments_add_up() {
        let mut sum = reading(1000, &[5]);
        sum.merge(&reading(3000, &[1, 2]));
        assert_eq!((sum.latency.count, sum.latency.sum_ns), (2, 4000));
        assert_eq!(sum.latency.max_ns, Some(3000));
        assert_eq!(sum.histogram.count(), 2);
        assert_eq!(sum.lag_max_ns, 30_000);
        // The greater one may come from the earlier segment as well.
        sum.merge(&reading(2000, &[]));
        assert_eq!(sum.lag_max_ns, 30_000);
        let mut sum = reading(1000, &[5]);
        sum.merge(&reading(3000, &[1, 2]));
        assert_eq!(sum.ended, [6, 2]);
        assert_eq!(sum.get(Counter::SerializationFailures), 4000);
        assert_eq!(sum.get(Counter::DeadlockFailures), 4002);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let layout = Layout {
            clients: 3,
            commands: 0,
            scripts: 0,
            spec_bytes: 0,
            has_log: false,
            reconnects: false,
        };
        let shared = Shared::init(test_words(layout.words()), 1, layout, b"", 0);
        for (client, slot) in shared.slots().enumerate() {
            for _ in 0..=client {
                slot.record_transaction(1000 * (client as u64 + 1));
            }
            slot.add(Counter::Retried, 1);
        }
        let mut sum = Reading::zero(7);
        for part in [0, 1].map(|part| Reading::take_of(&shared, 7, |client| client % 2 == part)) {
            assert_eq!(part.ended.len(), 3);
            sum.merge(&part);
        }
        let whole = Reading::take(&shared, 7);
        assert_eq!((sum.at, sum.latency), (whole.at, whole.latency));
        assert_eq!((sum.ended, sum.histogram), (vec![1, 2, 3], whole.histogram));
        assert_eq!(sum.sums.get(Counter::Retried), 3);
    }

    #[test]
    fn what_is_stored_is_read_back_whatever_else_is_there() {
        let kept = reading(1000, &[7, 8]);
        let mut document = serde_json::to_value(&kept).unwrap();
        document["sums"]["OfALaterVersion"] = 1.into();
        document["sums"].as_object_mut().unwrap().remove("RetryNs");
        let read: Reading = serde_json::from_value(document).unwrap();
        assert_eq!((read.at, read.latency), (0, kept.latency));
        assert_eq!(read.lag_max_ns, kept.lag_max_ns);
        assert_eq!((read.histogram, read.ended), (kept.histogram, kept.ended));
        assert_eq!(
            read.sums.get(Counter::WalBytes),
            kept.sums.get(Counter::WalBytes)
        );
        assert_eq!(read.sums.get(Counter::RetryNs), 0);
    }
}
