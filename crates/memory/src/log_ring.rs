//! The transaction log on its way from a client to the leader: a ring with one writer and one reader.
//!
//! Nothing is lost: a client that finds its ring full waits until the leader has stored its entries, as
//! pgbench waits for its log file.

use crate::{Phase, Shared};
use engine::{Entry, LoggedOutcome, Surroundings};
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

const ENTRIES: usize = 4096;
const ENTRY_WORDS: usize = 5;
/// Words of the header; writer and reader have a cache line each.
const WRITTEN: usize = 0;
const READ: usize = 8;
const HEADER: usize = 16;

/// How long a client with a full ring waits before it looks again.
const LOOK_AGAIN_NS: u64 = 1_000_000;
/// How long it still waits when the run is over.
const GRACE_NS: u64 = 10_000_000_000;

/// A client's ring in the segment.
#[derive(Clone, Copy)]
pub struct LogRing {
    words: &'static [AtomicU64],
}

impl LogRing {
    pub const WORDS: usize = HEADER + ENTRIES * ENTRY_WORDS;

    /// The ring in these [`LogRing::WORDS`] words.
    pub fn new(words: &'static [AtomicU64]) -> LogRing {
        LogRing { words }
    }

    fn len(&self) -> usize {
        let read = self.words[READ].load(Acquire);
        (self.words[WRITTEN].load(Acquire) - read) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn is_full(&self) -> bool {
        self.len() >= ENTRIES
    }

    /// Whether it is time to empty the ring.
    pub fn is_half_full(&self) -> bool {
        self.len() >= ENTRIES / 2
    }

    fn entry(&self, number: u64) -> &'static [AtomicU64] {
        let first = HEADER + (number % ENTRIES as u64) as usize * ENTRY_WORDS;
        &self.words[first..first + ENTRY_WORDS]
    }

    /// Adds an entry; the ring must not be full. Returns whether it has just become half full.
    pub fn push(&self, entry: &Entry) -> bool {
        let number = self.words[WRITTEN].load(Relaxed);
        let words = [
            entry.transaction_no,
            entry.ended_at,
            entry.latency_ns,
            entry.lag_ns,
            u64::from(entry.retries) << 32
                | u64::from(entry.script_no & 0xff_ffff) << 8
                | entry.outcome.code(),
        ];
        for (word, value) in self.entry(number).iter().zip(words) {
            word.store(value, Relaxed);
        }
        self.words[WRITTEN].store(number + 1, Release);
        self.len() == ENTRIES / 2
    }

    /// Takes all entries out.
    pub fn drain(&self, mut take: impl FnMut(Entry)) {
        let written = self.words[WRITTEN].load(Acquire);
        for number in self.words[READ].load(Relaxed)..written {
            let words = self.entry(number);
            let word = |i: usize| words[i].load(Relaxed);
            take(Entry {
                transaction_no: word(0),
                ended_at: word(1),
                latency_ns: word(2),
                lag_ns: word(3),
                retries: (word(4) >> 32) as u32,
                script_no: (word(4) >> 8) as u32 & 0xff_ffff,
                outcome: LoggedOutcome::of_code(word(4) & 0xff),
            });
        }
        self.words[READ].store(written, Release);
    }
}

/// A client's end of the log.
#[derive(Clone, Copy)]
pub struct LogWriter {
    shared: Shared,
    ring: LogRing,
}

impl LogWriter {
    /// The writer of a client; None if there is no log.
    pub fn new(client: usize, shared: &Shared) -> Option<LogWriter> {
        Some(LogWriter {
            shared: *shared,
            ring: shared.log(client)?,
        })
    }

    /// Logs a transaction. Returns how long it had to wait for the leader, ns.
    pub fn write(&self, entry: &Entry, around: &impl Surroundings) -> u64 {
        let mut waited = 0;
        if self.ring.is_full() {
            waited = self.wait(around);
            if self.ring.is_full() {
                return waited;
            }
        }
        if self.ring.push(entry) {
            around.wake_leader();
        }
        waited
    }

    /// Waits for space as long as the run lasts; if the log still cannot be stored after that, the client leaves
    /// without it, as one does that is given up.
    #[cold]
    fn wait(&self, around: &impl Surroundings) -> u64 {
        let since = around.now();
        let is_over = |now| {
            around.phase() == Phase::Stopping
                || now > self.shared.deadline().saturating_add(GRACE_NS)
        };
        let mut over_since = None;
        while self.ring.is_full() && !around.is_given_up() {
            let now = around.now();
            if is_over(now) && now > *over_since.get_or_insert(now) + GRACE_NS {
                around.log("pgperf: the end of a transaction log could not be stored");
                break;
            }
            around.wake_leader();
            around.pause(LOOK_AGAIN_NS);
        }
        around.now() - since
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, test_words};
    use engine::{Altered, FailureKind};

    fn ring() -> LogRing {
        LogRing::new(test_words(LogRing::WORDS))
    }

    fn entry(number: u64) -> Entry {
        Entry {
            transaction_no: number,
            script_no: 127,
            outcome: LoggedOutcome::Failed(FailureKind::Deadlock),
            ended_at: number * 1000,
            latency_ns: 17,
            lag_ns: 3,
            retries: u32::MAX,
        }
    }

    #[test]
    fn what_is_pushed_comes_out_in_order_also_around_the_end() {
        let ring = ring();
        let mut next = 0;
        for _ in 0..5 {
            let first = next;
            while !ring.is_full() && next < first + 3000 {
                ring.push(&entry(next));
                next += 1;
            }
            let mut drained = Vec::new();
            ring.drain(|entry| drained.push(entry));
            assert_eq!(drained, (first..next).map(entry).collect::<Vec<_>>());
        }
        assert_eq!(next, 15_000);
    }

    /// A client that is given up.
    struct GivenUp;

    impl Surroundings for GivenUp {
        fn now(&self) -> u64 {
            0
        }

        fn timestamp(&self) -> i64 {
            0
        }

        fn phase(&self) -> Phase {
            Phase::Stopping
        }

        fn is_given_up(&self) -> bool {
            true
        }

        fn began_at(&self) -> u64 {
            0
        }

        fn deadline(&self) -> u64 {
            0
        }

        fn rate_revision(&self) -> u64 {
            0
        }

        fn altered(&self) -> Altered {
            Altered::default()
        }

        fn turn(&self) -> u64 {
            0
        }

        fn has_failed_enough(&self) -> bool {
            false
        }

        fn wake_leader(&self) {}

        fn pause(&self, _ns: u64) {
            panic!("it waits");
        }

        fn log(&self, _text: &str) {}
    }

    #[test]
    fn a_client_that_is_given_up_does_not_wait_for_space() {
        let layout = Layout {
            clients: 1,
            commands: 0,
            scripts: 0,
            spec_bytes: 0,
            has_log: true,
            reconnects: false,
        };
        let shared = Shared::init(test_words(layout.words()), 7, layout, &[], 0);
        let log = LogWriter::new(0, &shared).unwrap();
        for number in 0..=ENTRIES as u64 {
            assert_eq!(log.write(&entry(number), &GivenUp), 0);
        }
        assert!(log.ring.is_full());
    }

    #[test]
    fn it_tells_once_when_it_is_half_full_and_when_it_is_full() {
        let ring = ring();
        let told: Vec<u64> = (1..=ENTRIES as u64)
            .filter(|&number| ring.push(&entry(number)))
            .collect();
        assert_eq!(told, [ENTRIES as u64 / 2]);
        assert!(ring.is_full() && ring.is_half_full());
        ring.drain(|_| ());
        assert!(!ring.is_full() && !ring.is_half_full());
    }
}
