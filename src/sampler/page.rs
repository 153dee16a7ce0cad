//! The shared memory in which the launcher hands a database's state to the worker that visits it, and gets it back: a worker ends after
//! each visit.

use super::timetable::{ENTRY_WORDS, Micros, Timetable};
use super::upkeep::Upkeep;
use crate::pg::error::SqlError;
use crate::pg::process::dsm::Segment;
use crate::pg::sql::xact;
use crate::service::as_owner::Target;
use crate::service::launch::{oid, word};
use crate::subject::ALL;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// What a visit leaves to the next one of the same database.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub timetable: Timetable,
    /// None: it has not been visited yet.
    pub upkeep: Option<Upkeep>,
}

/// How a visit went.
#[derive(Debug, Clone, PartialEq)]
pub enum Visited {
    /// It has not begun: the server starts it, or it waits for the database.
    NotYet,
    /// It has begun, or broke off.
    UnderWay,
    /// The database has the extension.
    Found(Target),
    /// It has none.
    Absent,
    /// It is not the extension that it was started for.
    Changed,
    /// What was due was taken, except for a problem.
    Done {
        state: State,
        /// From now on.
        next_in: Micros,
        problem: Option<String>,
    },
    /// It could not look for the extension.
    Failed(String),
}

/// The memory, of one visit at a time.
pub struct Page {
    segment: Segment,
}

const PROGRESS: usize = 0;
const FIRST: usize = 1;
const SECOND: usize = 2;
const ENTRIES: usize = 3;
const TEXT_BYTES: usize = 4;
const TIMETABLE: usize = 5;
const TEXT: usize = TIMETABLE + ENTRY_WORDS * ALL.len();
/// A longer problem is cut.
const MAX_TEXT: usize = 256;
const WORDS: usize = TEXT + MAX_TEXT / 8;

impl Page {
    /// Makes it. Outside a transaction.
    pub fn create() -> Result<Page, SqlError> {
        let segment = xact::catch(|| Segment::create(WORDS))?;
        Ok(Page { segment })
    }

    /// Maps the launcher's; None if it is gone.
    pub fn attach(handle: u32) -> Option<Page> {
        let segment = xact::catch(|| Segment::attach(handle)).ok()??;
        Some(Page { segment })
    }

    pub fn handle(&self) -> u32 {
        self.segment.handle()
    }

    /// Prepares it for a visit.
    pub fn prepare(&self, state: &State) {
        self.write_state(state);
        self.set_progress(0);
    }

    /// The state that was prepared.
    pub fn state(&self) -> State {
        let count = (self.get(ENTRIES) as usize).min(ALL.len());
        let entry = |entry: usize| {
            std::array::from_fn(|word| self.get(TIMETABLE + entry * ENTRY_WORDS + word))
        };
        let entries: Vec<_> = (0..count).map(entry).collect();
        State {
            timetable: Timetable::decode(&entries, &names()),
            upkeep: match self.get(FIRST) {
                0 => None,
                word => Some(Upkeep {
                    at: word >> 1,
                    is_first: word & 1 != 0,
                }),
            },
        }
    }

    /// Tells the launcher how the visit went.
    pub fn report(&self, visited: &Visited) {
        let progress = match visited {
            Visited::NotYet => 0,
            Visited::UnderWay => 1,
            Visited::Found(target) => {
                self.put(FIRST, word(target.owner));
                self.put(SECOND, word(target.extension));
                2
            }
            Visited::Absent => 3,
            Visited::Changed => 4,
            Visited::Done {
                state,
                next_in,
                problem,
            } => {
                self.write_state(state);
                self.put(SECOND, *next_in as u64);
                self.write_text(problem.as_deref().unwrap_or_default());
                5
            }
            Visited::Failed(problem) => {
                self.write_text(problem);
                6
            }
        };
        self.set_progress(progress);
    }

    /// How it went so far.
    pub fn visited(&self) -> Visited {
        let words = self.segment.words();
        match words[PROGRESS].load(Acquire) {
            0 => Visited::NotYet,
            2 => Visited::Found(Target {
                owner: oid(self.get(FIRST)),
                extension: oid(self.get(SECOND)),
                xid: None,
            }),
            3 => Visited::Absent,
            4 => Visited::Changed,
            5 => Visited::Done {
                state: self.state(),
                next_in: self.get(SECOND) as Micros,
                problem: Some(self.text()).filter(|text| !text.is_empty()),
            },
            6 => Visited::Failed(self.text()),
            _ => Visited::UnderWay,
        }
    }

    fn write_state(&self, state: &State) {
        let entries = state.timetable.encode(&names());
        let upkeep = |upkeep: Upkeep| upkeep.at << 1 | u64::from(upkeep.is_first);
        self.put(FIRST, state.upkeep.map_or(0, upkeep));
        self.put(ENTRIES, entries.len() as u64);
        for (at, word) in entries.iter().flatten().enumerate() {
            self.put(TIMETABLE + at, *word);
        }
    }

    fn write_text(&self, text: &str) {
        let text = &text[..text.floor_char_boundary(MAX_TEXT)];
        self.put(TEXT_BYTES, text.len() as u64);
        for (at, bytes) in text.as_bytes().chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.put(TEXT + at, u64::from_ne_bytes(word));
        }
    }

    fn text(&self) -> String {
        let length = (self.get(TEXT_BYTES) as usize).min(MAX_TEXT);
        let words = (TEXT..WORDS).flat_map(|at| self.get(at).to_ne_bytes());
        let bytes: Vec<u8> = words.take(length).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn set_progress(&self, progress: u64) {
        self.segment.words()[PROGRESS].store(progress, Release);
    }

    fn get(&self, at: usize) -> u64 {
        self.segment.words()[at].load(Relaxed)
    }

    fn put(&self, at: usize, word: u64) {
        self.segment.words()[at].store(word, Relaxed);
    }
}

fn names() -> [&'static str; ALL.len()] {
    ALL.map(|collector| collector.name)
}

impl Visited {
    /// What a look for the extension has found.
    pub fn of(found: Option<Target>) -> Visited {
        found.map_or(Visited::Absent, Visited::Found)
    }
}
