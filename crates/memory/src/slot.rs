//! A client's slot in the segment: its state, counters, latencies and errors, which it alone writes as long as it lives.

use crate::errors::ErrorArea;
use engine::{ClientError, FailureKind, Outcomes, Spent, Usage};
use measure::{COUNTERS, Histogram, Moments, index_of};
use std::sync::atomic::{
    AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

const WORDS_PER_CACHE_LINE: usize = 8;

/// The state of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub enum ClientState {
    /// Not attached to the segment.
    Absent,
    Connecting,
    Ready,
    Working,
    /// Its session ends; the leader is to start the next one.
    Leaving,
    /// The worker of its next session was started.
    Returning,
    Done,
    /// An error ended it; see its error area.
    Aborted,
}

/// Counters of a slot, cumulative since the measured part began.
#[derive(Debug, Clone, Copy)]
#[repr(usize)]
pub enum Counter {
    State,
    Pid,
    Proc,
    FinishedAt,
    Transactions,
    SerializationFailures,
    DeadlockFailures,
    OtherFailures,
    Retried,
    Retries,
    Skipped,
    Late,
    WarmupTransactions,
    LatencySumNs,
    LatencyMaxNs,
    /// Sum of squares in µs², as the bits of an f64.
    LatencySquares,
    LagSumNs,
    LagMaxNs,
    /// The interval of the last lag, and the greatest lag in it.
    LagInterval,
    LagIntervalMaxNs,
    Rows,
    Bytes,
    BlocksHit,
    BlocksRead,
    BlocksDirtied,
    WalRecords,
    WalFpi,
    WalBytes,
    /// The rows that a load has inserted and will have inserted at its end; its current step.
    LoadDone,
    LoadTotal,
    LoadStep,
    /// The effort of a load: of filling all tables, of all other statements, of those that have ended,
    /// and of the current one.
    LoadFills,
    LoadOthers,
    LoadEnded,
    LoadCurrent,
    /// The task of the board that a loading worker works on; 0: none.
    LoadTask,
    /// How long the client waited because its ring of the transaction log was full.
    LogWaitNs,
    /// How often it got a new session, and how long that took, from the end of one to the first statement
    /// of the next.
    Reconnects,
    ReconnectNs,
    /// How often a session was lost and another one looked for, and how long the client had none.
    LostSessions,
    WithoutServerNs,
    /// Time of the tries that were followed by another one.
    RetryNs,
    /// Time of statements that succeeded, in tries that did not: in total and by part. They belong to no transaction
    /// that counts as done.
    LostNs,
    LostParseNs,
    LostPlanNs,
    LostCommitNs,
    LostFirstByteNs,
    LostReceiveNs,
    /// The number of the kind of error that ended the client, counted from 1; 0: none.
    EndedBy,
    /// The segment in which the first client has left its settings; 0: none.
    ToldSegment,
    /// Transactions that the client has ended in earlier segments of the run.
    EndedBefore,
    /// The turn that its transactions belong to: none of an earlier one is under way.
    Turn,
    /// Not 0: the leader has told the session of a disturbance to end. The leader alone writes it.
    ToldToEnd,
    /// The process of the session that a client over the wire has on the server; 0: not known.
    SessionPid,
}

impl Counter {
    /// The counter of a kind of failed transactions.
    pub fn of_failure(kind: FailureKind) -> Counter {
        match kind {
            FailureKind::Serialization => Counter::SerializationFailures,
            FailureKind::Deadlock => Counter::DeadlockFailures,
            FailureKind::Other => Counter::OtherFailures,
        }
    }
}

/// The outcomes of transactions, from the counters that `get` reads.
pub fn outcomes_of(get: impl Fn(Counter) -> u64) -> Outcomes {
    Outcomes {
        serialization_failures: get(Counter::SerializationFailures),
        deadlock_failures: get(Counter::DeadlockFailures),
        other_failures: get(Counter::OtherFailures),
        retried: get(Counter::Retried),
        retries: get(Counter::Retries),
        skipped: get(Counter::Skipped),
        late: get(Counter::Late),
    }
}

const COUNTER_WORDS: usize = 56;

/// Words of a slot.
pub const SLOT_WORDS: usize = (COUNTER_WORDS + ErrorArea::WORDS + COUNTERS)
    .next_multiple_of(WORDS_PER_CACHE_LINE)
    + WORDS_PER_CACHE_LINE;

/// A client's part of the segment.
#[derive(Clone, Copy)]
pub struct Slot {
    words: &'static [AtomicU64],
}

impl Slot {
    /// The slot in these [`SLOT_WORDS`] words.
    pub fn new(words: &'static [AtomicU64]) -> Slot {
        Slot { words }
    }

    /// As if nobody had used it: for the next process that gets it. Only while no process writes it.
    pub fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Release));
    }

    /// The outcomes of the client's transactions so far.
    pub fn outcomes(&self) -> Outcomes {
        outcomes_of(|counter| self.get(counter))
    }

    #[inline]
    pub fn get(&self, counter: Counter) -> u64 {
        self.words[counter as usize].load(Relaxed)
    }

    #[inline]
    pub fn set(&self, counter: Counter, value: u64) {
        self.words[counter as usize].store(value, Relaxed);
    }

    #[inline]
    pub fn add(&self, counter: Counter, value: u64) {
        self.set(counter, self.get(counter) + value);
    }

    #[inline]
    pub fn raise(&self, counter: Counter, value: u64) {
        if value > self.get(counter) {
            self.set(counter, value);
        }
    }

    /// [`Counter::LoadTask`], which others wait for.
    pub fn task(&self) -> &'static AtomicU64 {
        &self.words[Counter::LoadTask as usize]
    }

    pub fn state(&self) -> ClientState {
        match self.words[Counter::State as usize].load(Acquire) {
            0 => ClientState::Absent,
            1 => ClientState::Connecting,
            2 => ClientState::Ready,
            3 => ClientState::Working,
            4 => ClientState::Leaving,
            5 => ClientState::Returning,
            6 => ClientState::Done,
            _ => ClientState::Aborted,
        }
    }

    pub fn set_state(&self, state: ClientState) {
        self.words[Counter::State as usize].store(state as u64, Release);
    }

    /// Has a client enter a state, unless it has left the one before meanwhile: for others than the client itself.
    pub fn advance_state(&self, from: ClientState, to: ClientState) {
        let word = &self.words[Counter::State as usize];
        let _ = word.compare_exchange(from as u64, to as u64, AcqRel, Relaxed);
    }

    /// Counts a transaction that has ended with success.
    #[inline]
    pub fn record_transaction(&self, latency_ns: u64) {
        self.add(Counter::Transactions, 1);
        self.add(Counter::LatencySumNs, latency_ns);
        let micros = latency_ns as f64 / 1000.0;
        let squares = f64::from_bits(self.get(Counter::LatencySquares)) + micros * micros;
        self.set(Counter::LatencySquares, squares.to_bits());
        self.raise(Counter::LatencyMaxNs, latency_ns);
        let counter = &self.histogram()[index_of(latency_ns)];
        counter.store(counter.load(Relaxed) + 1, Relaxed);
    }

    /// Counts how far behind its schedule a transaction of an interval began.
    pub fn record_lag(&self, lag_ns: u64, interval: u64) {
        self.add(Counter::LagSumNs, lag_ns);
        self.raise(Counter::LagMaxNs, lag_ns);
        if self.get(Counter::LagInterval) != interval {
            self.set(Counter::LagInterval, interval);
            self.set(Counter::LagIntervalMaxNs, 0);
        }
        self.raise(Counter::LagIntervalMaxNs, lag_ns);
    }

    /// Latencies of the transactions so far.
    pub fn moments(&self) -> Moments {
        let count = self.get(Counter::Transactions);
        Moments {
            count,
            sum_ns: self.get(Counter::LatencySumNs),
            sum_sq: f64::from_bits(self.get(Counter::LatencySquares)),
            max_ns: (count > 0).then(|| self.get(Counter::LatencyMaxNs)),
        }
    }

    /// Counts the time of the statements of a try that failed.
    #[cold]
    pub fn record_lost(&self, spent: &Spent) {
        self.add(Counter::LostNs, spent.total_ns);
        self.add(Counter::LostParseNs, spent.parts.parse_ns);
        self.add(Counter::LostPlanNs, spent.parts.plan_ns);
        self.add(Counter::LostCommitNs, spent.parts.commit_ns);
        let answers = &spent.parts.answers;
        self.add(Counter::LostFirstByteNs, answers.first_byte_ns);
        self.add(Counter::LostReceiveNs, answers.receive_ns);
    }

    /// Counts that the client has lost its session, and for how long it had none.
    pub fn lose_session(&self, ns: u64) {
        self.add(Counter::LostSessions, 1);
        self.add(Counter::WithoutServerNs, ns);
    }

    /// Counts the resources that a transaction used, whether or not it succeeded.
    #[inline]
    pub fn record_usage(&self, usage: &Usage) {
        self.add(Counter::BlocksHit, usage.shared_blks_hit);
        self.add(Counter::BlocksRead, usage.shared_blks_read);
        self.add(Counter::BlocksDirtied, usage.shared_blks_dirtied);
        self.add(Counter::WalRecords, usage.wal_records);
        self.add(Counter::WalFpi, usage.wal_fpi);
        self.add(Counter::WalBytes, usage.wal_bytes);
    }

    /// An error ends the client. It notes this itself, or the leader does once its process is gone.
    pub fn abort(&self, error: &ClientError, at: u64) {
        let (kind, _) = self.errors().store(error);
        self.set(Counter::EndedBy, kind as u64 + 1);
        self.set(Counter::FinishedAt, at);
        self.set_state(ClientState::Aborted);
    }

    fn histogram(&self) -> &'static [AtomicU64] {
        let first = COUNTER_WORDS + ErrorArea::WORDS;
        &self.words[first..first + COUNTERS]
    }

    /// Adds this client's transaction latencies to `total`.
    pub fn add_histogram_to(&self, total: &mut Histogram) {
        total.add_counts(self.histogram().iter().map(|counter| counter.load(Relaxed)));
    }

    /// The client's errors, by kind.
    pub fn errors(&self) -> ErrorArea {
        ErrorArea::new(&self.words[COUNTER_WORDS..COUNTER_WORDS + ErrorArea::WORDS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_words;

    #[test]
    fn a_client_that_has_ended_is_not_ready() {
        let slot = Slot::new(test_words(SLOT_WORDS));
        for (now, then) in [
            (ClientState::Connecting, ClientState::Ready),
            (ClientState::Done, ClientState::Done),
        ] {
            slot.set_state(now);
            slot.advance_state(ClientState::Connecting, ClientState::Ready);
            assert_eq!(slot.state(), then);
        }
    }
}
