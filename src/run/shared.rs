//! A run's shared memory: what the leader tells all clients, and each client's own slot.
//!
//! ```text
//! header | the run's spec as JSON | commands: merged statistics | slot of client 0 | slot 1 | …
//! ```
//!
//! Every word of a slot has one writer, its client; the leader only reads. So a relaxed load and store is
//! all it takes, nothing tears, and no two clients write to one cache line. The commands' statistics are
//! added up once, when a client ends.

use super::command::CommandStats;
use crate::measure::{COUNTERS, Histogram, Moments, index_of};
use crate::pg::dsm::Segment;
use crate::pg::usage::Usage;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// First word of every segment of this version: "pgperf01".
const MAGIC: u64 = u64::from_be_bytes(*b"pgperf01");

const WORDS_PER_CACHE_LINE: usize = 8;

/// Words of the header.
mod header {
    pub const MAGIC: usize = 0;
    pub const RUN_ID: usize = 1;
    pub const CLIENTS: usize = 2;
    pub const COMMANDS: usize = 3;
    pub const SPEC_BYTES: usize = 4;
    pub const LEADER: usize = 5;
    pub const PHASE: usize = 8;
    pub const BEGAN_AT: usize = 9;
    pub const DEADLINE: usize = 10;
    pub const WORDS: usize = 16;
}

/// Where a run is. The leader advances it; clients follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub enum Phase {
    /// Clients connect, prepare and wait for the barrier.
    Preparing,
    WarmingUp,
    Running,
    /// Clients finish their transaction and end.
    Stopping,
}

/// What a client has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub enum ClientState {
    /// Not attached to the segment.
    Absent,
    Connecting,
    Ready,
    Working,
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
    Rows,
    Bytes,
    BlocksHit,
    BlocksRead,
    BlocksDirtied,
    WalRecords,
    WalFpi,
    WalBytes,
    /// What a load has done and has to do, in rows; the step it is at.
    LoadDone,
    LoadTotal,
    LoadStep,
}

const COUNTER_WORDS: usize = 32;

/// Words of a slot's error area.
mod error_area {
    /// Odd while it is being written; 0: no error so far.
    pub const VERSION: usize = 0;
    pub const OCCURRENCES: usize = 1;
    pub const COMMAND: usize = 2;
    pub const AT: usize = 3;
    pub const TEXT: usize = 4;
    pub const TEXT_WORDS: usize = 92;
    pub const WORDS: usize = TEXT + TEXT_WORDS;
}

const SLOT_WORDS: usize = (COUNTER_WORDS + error_area::WORDS + COUNTERS)
    .next_multiple_of(WORDS_PER_CACHE_LINE)
    + WORDS_PER_CACHE_LINE;

/// The last error of a client.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClientError {
    pub sqlstate: String,
    pub message: String,
    pub detail: Option<String>,
    /// Index of the command over all scripts of the run; None: outside any command.
    pub command: Option<usize>,
    /// Microseconds since 2000-01-01, the server's timestamp.
    pub at: i64,
    pub occurrences: u64,
}

/// The segment of a run.
#[derive(Clone, Copy)]
pub struct Shared {
    words: &'static [AtomicU64],
    clients: usize,
    commands: usize,
    spec_words: usize,
}

impl Shared {
    /// Words that a run needs: 33 KiB a command, 34 KiB a client.
    pub fn size(clients: usize, commands: usize, spec_bytes: usize) -> usize {
        header::WORDS
            + spec_words(spec_bytes)
            + commands * CommandStats::WORDS
            + clients * SLOT_WORDS
    }

    /// Fills a fresh segment of [`Shared::size`] words.
    pub fn init(
        segment: &Segment,
        run_id: i64,
        clients: usize,
        commands: usize,
        spec: &[u8],
        leader: u64,
    ) -> Shared {
        let words = segment.words();
        let shared = Shared {
            words,
            clients,
            commands,
            spec_words: spec_words(spec.len()),
        };
        for (word, bytes) in words[header::WORDS..].iter().zip(spec.chunks(8)) {
            word.store(pack(bytes), Relaxed);
        }
        words[header::RUN_ID].store(run_id as u64, Relaxed);
        words[header::CLIENTS].store(clients as u64, Relaxed);
        words[header::COMMANDS].store(commands as u64, Relaxed);
        words[header::SPEC_BYTES].store(spec.len() as u64, Relaxed);
        words[header::LEADER].store(leader, Relaxed);
        words[header::DEADLINE].store(u64::MAX, Relaxed);
        words[header::MAGIC].store(MAGIC, Release);
        shared
    }

    /// Opens a segment that a leader has filled; None if it is not this run's.
    pub fn open(segment: &Segment, run_id: i64) -> Option<Shared> {
        let words = segment.words();
        if words.len() < header::WORDS
            || words[header::MAGIC].load(Acquire) != MAGIC
            || words[header::RUN_ID].load(Relaxed) != run_id as u64
        {
            return None;
        }
        let shared = Shared {
            words,
            clients: words[header::CLIENTS].load(Relaxed) as usize,
            commands: words[header::COMMANDS].load(Relaxed) as usize,
            spec_words: spec_words(words[header::SPEC_BYTES].load(Relaxed) as usize),
        };
        let spec_bytes = words[header::SPEC_BYTES].load(Relaxed) as usize;
        let needed = Shared::size(shared.clients, shared.commands, spec_bytes);
        (words.len() >= needed).then_some(shared)
    }

    /// The run's spec, as the leader wrote it.
    pub fn spec(&self) -> Vec<u8> {
        let bytes = self.words[header::SPEC_BYTES].load(Relaxed) as usize;
        unpack(
            &self.words[header::WORDS..header::WORDS + self.spec_words],
            bytes,
        )
    }

    pub fn leader(&self) -> u64 {
        self.words[header::LEADER].load(Relaxed)
    }

    #[inline]
    pub fn phase(&self) -> Phase {
        match self.words[header::PHASE].load(Acquire) {
            0 => Phase::Preparing,
            1 => Phase::WarmingUp,
            2 => Phase::Running,
            _ => Phase::Stopping,
        }
    }

    pub fn set_phase(&self, phase: Phase) {
        self.words[header::PHASE].store(phase as u64, Release);
    }

    /// When the current phase began, on the monotonic clock in ns; set before the phase.
    pub fn began_at(&self) -> u64 {
        self.words[header::BEGAN_AT].load(Relaxed)
    }

    pub fn set_began_at(&self, now: u64) {
        self.words[header::BEGAN_AT].store(now, Relaxed);
    }

    /// When clients are to begin no further transaction, in ns.
    #[inline]
    pub fn deadline(&self) -> u64 {
        self.words[header::DEADLINE].load(Relaxed)
    }

    pub fn set_deadline(&self, at: u64) {
        self.words[header::DEADLINE].store(at, Relaxed);
    }

    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.clients).map(|i| self.slot(i))
    }

    pub fn slot(&self, client: usize) -> Slot {
        let first = header::WORDS
            + self.spec_words
            + self.commands * CommandStats::WORDS
            + client * SLOT_WORDS;
        Slot {
            words: &self.words[first..first + SLOT_WORDS],
        }
    }

    /// The words in which the clients add up what a command did.
    pub fn command(&self, command: usize) -> &'static [AtomicU64] {
        let first = header::WORDS + self.spec_words + command * CommandStats::WORDS;
        &self.words[first..first + CommandStats::WORDS]
    }
}

/// A client's part of the segment.
#[derive(Clone, Copy)]
pub struct Slot {
    words: &'static [AtomicU64],
}

impl Slot {
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

    pub fn state(&self) -> ClientState {
        match self.words[Counter::State as usize].load(Acquire) {
            0 => ClientState::Absent,
            1 => ClientState::Connecting,
            2 => ClientState::Ready,
            3 => ClientState::Working,
            4 => ClientState::Done,
            _ => ClientState::Aborted,
        }
    }

    pub fn set_state(&self, state: ClientState) {
        self.words[Counter::State as usize].store(state as u64, Release);
    }

    /// Counts a transaction that came to its end.
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

    /// Counts what a transaction used, whether or not it succeeded.
    #[inline]
    pub fn record_usage(&self, usage: &Usage) {
        self.add(Counter::BlocksHit, usage.shared_blks_hit);
        self.add(Counter::BlocksRead, usage.shared_blks_read);
        self.add(Counter::BlocksDirtied, usage.shared_blks_dirtied);
        self.add(Counter::WalRecords, usage.wal_records);
        self.add(Counter::WalFpi, usage.wal_fpi);
        self.add(Counter::WalBytes, usage.wal_bytes);
    }

    fn histogram(&self) -> &'static [AtomicU64] {
        let first = COUNTER_WORDS + error_area::WORDS;
        &self.words[first..first + COUNTERS]
    }

    /// Adds this client's transaction latencies to `total`.
    pub fn add_histogram_to(&self, total: &mut Histogram) {
        total.add_counts(self.histogram().iter().map(|counter| counter.load(Relaxed)));
    }

    fn error_area(&self) -> &'static [AtomicU64] {
        &self.words[COUNTER_WORDS..COUNTER_WORDS + error_area::WORDS]
    }

    /// Keeps an error for the leader: the last one, and how many there were.
    pub fn store_error(&self, error: &ClientError) {
        let area = self.error_area();
        let version = area[error_area::VERSION].load(Relaxed);
        area[error_area::VERSION].store(version + 1, Release);
        let occurrences = area[error_area::OCCURRENCES].load(Relaxed) + 1;
        area[error_area::OCCURRENCES].store(occurrences, Relaxed);
        area[error_area::COMMAND].store(error.command.map_or(0, |c| c as u64 + 1), Relaxed);
        area[error_area::AT].store(error.at as u64, Relaxed);
        let detail = error.detail.as_deref().unwrap_or("");
        let mut text = format!("{}\0{}\0{detail}", error.sqlstate, error.message);
        let mut len = text.len().min(error_area::TEXT_WORDS * 8);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        text.truncate(len);
        let words = &area[error_area::TEXT..];
        for word in words {
            word.store(0, Relaxed);
        }
        for (word, bytes) in words.iter().zip(text.as_bytes().chunks(8)) {
            word.store(pack(bytes), Relaxed);
        }
        area[error_area::VERSION].store(version + 2, Release);
    }

    /// The client's last error; None if there was none (or it is being written).
    pub fn error(&self) -> Option<ClientError> {
        let area = self.error_area();
        let version = area[error_area::VERSION].load(Acquire);
        if version == 0 || version % 2 == 1 {
            return None;
        }
        let bytes = unpack(&area[error_area::TEXT..], error_area::TEXT_WORDS * 8);
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches('\0');
        let mut parts = text.split('\0').map(str::to_owned);
        Some(ClientError {
            sqlstate: parts.next().unwrap_or_default(),
            message: parts.next().unwrap_or_default(),
            detail: parts.next().filter(|detail| !detail.is_empty()),
            command: (area[error_area::COMMAND].load(Relaxed) as usize).checked_sub(1),
            at: area[error_area::AT].load(Relaxed) as i64,
            occurrences: area[error_area::OCCURRENCES].load(Relaxed),
        })
    }
}

fn spec_words(bytes: usize) -> usize {
    bytes.div_ceil(8).next_multiple_of(WORDS_PER_CACHE_LINE)
}

fn pack(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

fn unpack(words: &[AtomicU64], len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.load(Relaxed).to_le_bytes())
        .collect();
    bytes.truncate(len);
    bytes
}
