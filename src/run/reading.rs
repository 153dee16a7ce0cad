//! The sum of all clients' counters at one moment, and the difference of two such readings.

use super::outcomes::Outcomes;
use super::shared::Shared;
use super::slot::Counter;
use crate::measure::{Histogram, Moments};

/// Cumulative figures over all clients.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// When it was taken, monotonic ns.
    pub at: u64,
    pub latency: Moments,
    pub histogram: Histogram,
    pub lag_max_ns: u64,
    sums: [u64; SUMMED.len()],
}

/// The counters that add up over clients and can be subtracted.
const SUMMED: [Counter; 22] = [
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
];

impl Reading {
    /// Nothing counted so far.
    pub fn zero(at: u64) -> Reading {
        Reading {
            at,
            ..Reading::default()
        }
    }

    /// Reads all slots: 34 KiB a client.
    pub fn take(shared: &Shared, at: u64) -> Reading {
        let mut reading = Reading::zero(at);
        for slot in shared.slots() {
            reading.latency.merge(&slot.moments());
            slot.add_histogram_to(&mut reading.histogram);
            reading.lag_max_ns = reading.lag_max_ns.max(slot.get(Counter::LagMaxNs));
            for (sum, counter) in reading.sums.iter_mut().zip(SUMMED) {
                *sum += slot.get(counter);
            }
        }
        reading
    }

    /// What happened since an earlier reading.
    pub fn since(&self, earlier: &Reading) -> Reading {
        let mut delta = self.clone();
        delta.latency.subtract(&earlier.latency);
        delta.histogram.subtract(&earlier.histogram);
        for (sum, earlier) in delta.sums.iter_mut().zip(earlier.sums) {
            *sum = sum.saturating_sub(earlier);
        }
        delta
    }

    pub fn get(&self, counter: Counter) -> u64 {
        SUMMED
            .iter()
            .position(|&summed| summed as usize == counter as usize)
            .map_or(0, |i| self.sums[i])
    }

    /// What became of the transactions.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::of(|counter| self.get(counter))
    }

    /// The average lag behind the schedule, ms, over the transactions that succeeded, as in pgbench.
    pub fn lag_avg_ms(&self) -> Option<f64> {
        let count = self.latency.count;
        (count > 0).then(|| self.get(Counter::LagSumNs) as f64 / count as f64 / 1e6)
    }
}
