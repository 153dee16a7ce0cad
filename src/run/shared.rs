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
use super::slot::{SLOT_WORDS, Slot};
use crate::pg::dsm::Segment;
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
        Slot::new(&self.words[first..first + SLOT_WORDS])
    }

    /// The words in which the clients add up what a command did.
    pub fn command(&self, command: usize) -> &'static [AtomicU64] {
        let first = header::WORDS + self.spec_words + command * CommandStats::WORDS;
        &self.words[first..first + CommandStats::WORDS]
    }
}

fn spec_words(bytes: usize) -> usize {
    bytes.div_ceil(8).next_multiple_of(WORDS_PER_CACHE_LINE)
}

/// Up to eight bytes as a word.
pub fn pack(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The first bytes of some words.
pub fn unpack(words: &[AtomicU64], len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.load(Relaxed).to_le_bytes())
        .collect();
    bytes.truncate(len);
    bytes
}
