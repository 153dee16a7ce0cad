//! A run's shared memory: a common part, which the leader writes for all clients, and a slot for each client.
//!
//! ```text
//! header | the run's spec as JSON | commands, scripts: merged statistics | slot of client 0 | slot 1 | …
//!        | transaction log: ring of client 0 | ring 1 | … | handover: area of client 0 | area 1 | …
//! ```
//!
//! Every word of a slot has one writer, its client; the leader only reads. So relaxed loads and stores are enough, no value
//! is torn, and no two clients write to the same cache line. The statistics of commands and scripts are added up once, when a
//! client ends.

pub mod board;
mod counts;
pub mod errors;
pub mod log_ring;
mod published;
pub mod rate;
pub mod reading;
pub mod reconnect;
pub mod slot;

pub use counts::Counts;
pub use engine::Phase;
use engine::{Altered, CommandStats, ScriptStats};
use log_ring::LogRing;
pub use published::Published;
use reconnect::HandoverArea;
use slot::{ClientState, Counter, SLOT_WORDS, Slot};
use std::sync::atomic::{
    AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst, fence,
};

/// First word of every segment of this version: "pgperf02".
const MAGIC: u64 = u64::from_be_bytes(*b"pgperf02");

const WORDS_PER_CACHE_LINE: usize = 8;

/// Words of the header.
mod header {
    pub const MAGIC: usize = 0;
    pub const RUN_ID: usize = 1;
    pub const CLIENTS: usize = 2;
    pub const COMMANDS: usize = 3;
    pub const SPEC_BYTES: usize = 4;
    pub const LEADER: usize = 5;
    pub const SCRIPTS: usize = 6;
    pub const HAS_LOG: usize = 7;
    pub const RECONNECTS: usize = 12;
    pub const PHASE: usize = 8;
    pub const BEGAN_AT: usize = 9;
    pub const DEADLINE: usize = 10;
    pub const INTERVAL: usize = 11;
    pub const MAX_FAILED: usize = 13;
    /// How often the rate was altered, times two; odd while it is being altered. In the line that clients read before each
    /// transaction.
    pub const RATE_REVISION: usize = 14;
    /// Which turn the run is in; in that line as well.
    pub const TURN: usize = 15;
    pub const RATE: usize = 16;
    pub const RATE_AT: usize = 17;
    /// The rate that somebody asks the leader for; see `rate`.
    pub const RATE_ASKED: usize = 18;
    /// The board of the loading workers.
    pub const BOARD: usize = 24;
    pub const WORDS: usize =
        (BOARD + super::board::WORDS).next_multiple_of(super::WORDS_PER_CACHE_LINE);
}

/// The contents that a segment has room for.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub clients: usize,
    /// Commands over all scripts.
    pub commands: usize,
    /// Scripts that are counted apart; 0 where there is only one.
    pub scripts: usize,
    pub spec_bytes: usize,
    /// Whether transactions are logged, which takes 160 KiB more for each client.
    pub has_log: bool,
    /// Whether clients get new sessions, which takes 16 KiB more for each client.
    pub reconnects: bool,
}

impl Layout {
    /// Words that a run needs: 33 KiB for each command and, if there are several, each script; 40 KiB for each client.
    pub fn words(&self) -> usize {
        self.handover(if self.reconnects { self.clients } else { 0 })
    }

    fn commands(&self) -> usize {
        header::WORDS + spec_words(self.spec_bytes)
    }

    /// The statistics of a command; behind them the moment at which it began, of a step of a load.
    fn command(&self, command: usize) -> usize {
        self.commands() + command * (CommandStats::WORDS + 1)
    }

    fn script(&self, script: usize) -> usize {
        self.command(self.commands) + script * ScriptStats::WORDS
    }

    fn slot(&self, client: usize) -> usize {
        self.script(self.scripts)
            .next_multiple_of(WORDS_PER_CACHE_LINE)
            + client * SLOT_WORDS
    }

    fn log(&self, client: usize) -> usize {
        self.slot(self.clients) + client * LogRing::WORDS
    }

    fn handover(&self, client: usize) -> usize {
        let logs = if self.has_log { self.clients } else { 0 };
        self.log(logs) + client * HandoverArea::WORDS
    }
}

/// The segment of a run.
#[derive(Clone, Copy)]
pub struct Shared {
    words: &'static [AtomicU64],
    layout: Layout,
}

impl Shared {
    /// Fills a fresh segment of [`Layout::words`] words.
    pub fn init(
        words: &'static [AtomicU64],
        run_id: i64,
        layout: Layout,
        spec: &[u8],
        leader: u64,
    ) -> Shared {
        for (word, bytes) in words[header::WORDS..].iter().zip(spec.chunks(8)) {
            word.store(pack(bytes), Relaxed);
        }
        words[header::RUN_ID].store(run_id as u64, Relaxed);
        words[header::CLIENTS].store(layout.clients as u64, Relaxed);
        words[header::COMMANDS].store(layout.commands as u64, Relaxed);
        words[header::SCRIPTS].store(layout.scripts as u64, Relaxed);
        words[header::HAS_LOG].store(u64::from(layout.has_log), Relaxed);
        words[header::RECONNECTS].store(u64::from(layout.reconnects), Relaxed);
        words[header::SPEC_BYTES].store(layout.spec_bytes as u64, Relaxed);
        words[header::LEADER].store(leader, Relaxed);
        words[header::DEADLINE].store(u64::MAX, Relaxed);
        words[header::MAX_FAILED].store(u64::MAX, Relaxed);
        words[header::MAGIC].store(MAGIC, Release);
        Shared { words, layout }
    }

    /// Opens a segment that a leader has filled; None if it is not this run's.
    pub fn open(words: &'static [AtomicU64], run_id: i64) -> Option<Shared> {
        if words.len() < header::WORDS
            || words[header::MAGIC].load(Acquire) != MAGIC
            || words[header::RUN_ID].load(Relaxed) != run_id as u64
        {
            return None;
        }
        let word = |i: usize| words[i].load(Relaxed) as usize;
        let layout = Layout {
            clients: word(header::CLIENTS),
            commands: word(header::COMMANDS),
            scripts: word(header::SCRIPTS),
            spec_bytes: word(header::SPEC_BYTES),
            has_log: word(header::HAS_LOG) != 0,
            reconnects: word(header::RECONNECTS) != 0,
        };
        (words.len() >= layout.words()).then_some(Shared { words, layout })
    }

    /// The run's spec, as the leader wrote it.
    pub fn spec(&self) -> Vec<u8> {
        let words = &self.words[header::WORDS..self.layout.commands()];
        unpack(words, self.layout.spec_bytes)
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

    /// The time from which clients begin no further transaction, in ns.
    #[inline]
    pub fn deadline(&self) -> u64 {
        self.words[header::DEADLINE].load(Relaxed)
    }

    pub fn set_deadline(&self, at: u64) {
        self.words[header::DEADLINE].store(at, Relaxed);
    }

    /// The number of the current interval.
    #[inline]
    pub fn interval(&self) -> u64 {
        self.words[header::INTERVAL].load(Relaxed)
    }

    pub fn set_interval(&self, number: u64) {
        self.words[header::INTERVAL].store(number, Relaxed);
    }

    /// Which turn the run is in, from 0.
    #[inline]
    pub fn turn(&self) -> u64 {
        self.words[header::TURN].load(Acquire)
    }

    pub fn set_turn(&self, turn: u64) {
        self.words[header::TURN].store(turn, Release);
    }

    /// Whether no client has a transaction of an earlier turn under way.
    pub fn all_have_followed(&self) -> bool {
        let turn = self.turn();
        let mut working = self
            .slots()
            .filter(|slot| slot.state() == ClientState::Working);
        working.all(|slot| slot.get(Counter::Turn) == turn)
    }

    /// Sets the number of failed transactions, without those of earlier segments, at which clients begin no further
    /// one.
    pub fn set_max_failed(&self, count: u64) {
        self.words[header::MAX_FAILED].store(count, Relaxed);
    }

    /// Failed transactions of all clients.
    pub fn failed(&self) -> u64 {
        self.slots().map(|slot| slot.outcomes().failed()).sum()
    }

    /// Whether that number is reached. If two clients count a failure at the same moment, at least one of them sees
    /// both.
    pub fn has_failed_enough(&self) -> bool {
        let enough = self.words[header::MAX_FAILED].load(Relaxed);
        if enough == u64::MAX {
            return false;
        }
        fence(SeqCst);
        self.failed() >= enough
    }

    /// The board of the loading workers.
    pub fn board(&self) -> &'static [AtomicU64] {
        &self.words[header::BOARD..header::BOARD + board::WORDS]
    }

    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        (0..self.layout.clients).map(|i| self.slot(i))
    }

    pub fn slot(&self, client: usize) -> Slot {
        let first = self.layout.slot(client);
        Slot::new(&self.words[first..first + SLOT_WORDS])
    }

    /// A client's ring of the transaction log; None if there is no log.
    pub fn log(&self, client: usize) -> Option<LogRing> {
        let first = self.layout.log(client);
        let words = || &self.words[first..first + LogRing::WORDS];
        self.layout.has_log.then(|| LogRing::new(words()))
    }

    /// All clients' rings; none if there is no log.
    pub fn logs(&self) -> impl Iterator<Item = LogRing> + '_ {
        (0..self.layout.clients).filter_map(|client| self.log(client))
    }

    /// Where a client's worker leaves its state to the next one; None if the run does not reconnect.
    pub fn handover(&self, client: usize) -> Option<HandoverArea> {
        let first = self.layout.handover(client);
        let words = || &self.words[first..first + HandoverArea::WORDS];
        self.layout.reconnects.then(|| HandoverArea::new(words()))
    }

    /// The words in which the clients add up the statistics of a command.
    pub fn command(&self, command: usize) -> &'static [AtomicU64] {
        let first = self.layout.command(command);
        &self.words[first..first + CommandStats::WORDS]
    }

    /// A step of a load begins, at a time of the server.
    pub fn begin_step(&self, step: usize, timestamp: i64) {
        self.began_word(step).store(timestamp as u64, Relaxed);
    }

    /// When a step of a load began; None: it has not, or the command is none.
    pub fn step_began(&self, step: usize) -> Option<i64> {
        let timestamp = self.began_word(step).load(Relaxed) as i64;
        (timestamp != 0).then_some(timestamp)
    }

    fn began_word(&self, step: usize) -> &'static AtomicU64 {
        &self.words[self.layout.command(step) + CommandStats::WORDS]
    }

    /// The words in which the clients add up the outcomes of a script's transactions; None if scripts are
    /// not counted apart.
    pub fn script(&self, script: usize) -> Option<&'static [AtomicU64]> {
        let first = self.layout.script(script);
        (script < self.layout.scripts).then(|| &self.words[first..first + ScriptStats::WORDS])
    }

    /// How many scripts are counted apart; 0 where there is only one.
    pub fn scripts(&self) -> usize {
        self.layout.scripts
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

/// Zeroed words for a test, for the life of the process.
#[cfg(test)]
pub fn test_words(count: usize) -> &'static [AtomicU64] {
    // They are listed here, so that the sanitizer does not report them as leaked.
    static MADE: std::sync::Mutex<Vec<&[AtomicU64]>> = std::sync::Mutex::new(Vec::new());
    let words: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
    let words: &[AtomicU64] = Vec::leak(words);
    MADE.lock().unwrap().push(words);
    words
}
