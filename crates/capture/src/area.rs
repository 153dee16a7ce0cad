//! The shared memory of a capture: what is captured, and a ring for each session.

use crate::ring::Ring;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{
    AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// Which sessions and transactions a capture takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The database's number.
    pub database: u32,
    /// Roles that log in; none: all.
    pub roles: Vec<String>,
    /// Values of `application_name` when a session is first seen; none: all.
    pub applications: Vec<String>,
    /// The part that is taken: 0 to 1.
    pub share: f64,
    pub share_of: ShareOf,
}

/// What a share is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShareOf {
    Sessions,
    Transactions,
}

/// Words of a ring: 256 kB, some thousand short transactions.
pub const RING_WORDS: usize = 32 * 1024;

/// The header: the number of rings, the length of the scope, sessions so far, sessions without a ring; then the scope.
const RINGS: usize = 0;
const SCOPE_BYTES: usize = 1;
const SESSIONS: usize = 2;
const WITHOUT_RING: usize = 3;
const SCOPE: usize = 8;

/// Before the words of a ring: its state, its session, and what the session counts.
const STATE: usize = 0;
const SESSION: usize = 1;
const TRANSACTIONS: usize = 2;
const STATEMENTS: usize = 3;
const DROPPED: usize = 4;
const PLACE_HEADER: usize = 8;
const PLACE_WORDS: usize = PLACE_HEADER + RING_WORDS;

const FREE: u64 = 0;
const TAKEN: u64 = 1;
/// The session has ended, and the writer has yet to see it.
const LEFT: u64 = 2;

/// The memory of a capture, as both its writer and its sessions see it.
#[derive(Clone, Copy)]
pub struct Area {
    words: &'static [AtomicU64],
    /// Words before the first place.
    header: usize,
}

/// How many words an area of so many rings needs, with this scope.
pub fn words(rings: usize, scope: &Scope) -> usize {
    header_words(encode(scope).len()) + rings * PLACE_WORDS
}

fn encode(scope: &Scope) -> Vec<u8> {
    // Plain data: it has a form in JSON.
    serde_json::to_vec(scope).unwrap_or_default()
}

/// Places begin at a cache line.
fn header_words(scope_bytes: usize) -> usize {
    (SCOPE + scope_bytes.div_ceil(8)).next_multiple_of(8)
}

/// What the session of a place has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub transactions: u64,
    pub statements: u64,
    /// Transactions that found no room.
    pub dropped: u64,
}

impl Counts {
    /// Those of another session, too.
    pub fn add(&mut self, others: Counts) {
        self.transactions += others.transactions;
        self.statements += others.statements;
        self.dropped += others.dropped;
    }
}

impl Area {
    /// Begins in zeroed words.
    pub fn create(words: &'static [AtomicU64], rings: usize, scope: &Scope) -> Area {
        let scope = encode(scope);
        for (word, part) in words[SCOPE..].iter().zip(scope.chunks(8)) {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            word.store(u64::from_le_bytes(bytes), Relaxed);
        }
        words[RINGS].store(rings as u64, Relaxed);
        words[SCOPE_BYTES].store(scope.len() as u64, Release);
        Area {
            words,
            header: header_words(scope.len()),
        }
    }

    /// That of words in which another process has begun.
    pub fn open(words: &'static [AtomicU64]) -> Area {
        let scope = words[SCOPE_BYTES].load(Acquire) as usize;
        Area {
            words,
            header: header_words(scope),
        }
    }

    /// What is captured.
    ///
    /// # Errors
    /// The words have another form.
    pub fn scope(&self) -> serde_json::Result<Scope> {
        let length = self.words[SCOPE_BYTES].load(Acquire) as usize;
        let words = self.words[SCOPE..self.header].iter();
        let mut bytes: Vec<u8> = words
            .flat_map(|word| word.load(Relaxed).to_le_bytes())
            .collect();
        bytes.truncate(length);
        serde_json::from_slice(&bytes)
    }

    /// All places.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let rings = self.words[RINGS].load(Relaxed) as usize;
        let words = &self.words[self.header..];
        (0..rings).map(move |number| Place {
            words: &words[number * PLACE_WORDS..(number + 1) * PLACE_WORDS],
        })
    }

    /// A place for a session; None, counted, if all are taken.
    pub fn claim(&self) -> Option<Place> {
        let free = self.places().find(|place| {
            let state = &place.words[STATE];
            state.load(Relaxed) == FREE
                && state.compare_exchange(FREE, TAKEN, AcqRel, Relaxed).is_ok()
        });
        match &free {
            Some(place) => {
                let number = self.words[SESSIONS].fetch_add(1, Relaxed) + 1;
                place.words[SESSION].store(number, Release);
            }
            None => {
                self.words[WITHOUT_RING].fetch_add(1, Relaxed);
            }
        }
        free
    }

    /// Sessions that had a place so far.
    pub fn sessions(&self) -> u64 {
        self.words[SESSIONS].load(Relaxed)
    }

    /// Sessions that found none.
    pub fn sessions_without_ring(&self) -> u64 {
        self.words[WITHOUT_RING].load(Relaxed)
    }
}

/// A session's part of the memory.
#[derive(Clone, Copy)]
pub struct Place {
    words: &'static [AtomicU64],
}

impl Place {
    /// Its ring.
    pub fn ring(&self) -> Ring {
        Ring::new(&self.words[PLACE_HEADER..])
    }

    /// Its session's number, from 1; 0: none had it so far.
    pub fn session(&self) -> u64 {
        self.words[SESSION].load(Acquire)
    }

    /// The session counts a transaction that is in the ring, or one that found no room.
    pub fn count(&self, statements: u64, has_room: bool) {
        let add = |word: usize, more: u64| {
            let word = &self.words[word];
            word.store(word.load(Relaxed) + more, Relaxed);
        };
        if has_room {
            add(TRANSACTIONS, 1);
            add(STATEMENTS, statements);
        } else {
            add(DROPPED, 1);
        }
    }

    /// What its session has counted so far.
    pub fn counts(&self) -> Counts {
        let word = |word: usize| self.words[word].load(Relaxed);
        Counts {
            transactions: word(TRANSACTIONS),
            statements: word(STATEMENTS),
            dropped: word(DROPPED),
        }
    }

    /// The session gives it up.
    pub fn leave(&self) {
        self.words[STATE].store(LEFT, Release);
    }

    /// Whether its session has left. To be asked before the ring is emptied for the last time.
    pub fn is_left(&self) -> bool {
        self.words[STATE].load(Acquire) == LEFT
    }

    /// The writer has all that its last session left: another one may have it.
    pub fn free(&self) {
        self.ring().clear();
        for word in &self.words[SESSION..PLACE_HEADER] {
            word.store(0, Relaxed);
        }
        self.words[STATE].store(FREE, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::Pushed;

    fn scope() -> Scope {
        Scope {
            database: 5,
            roles: vec!["app".to_owned()],
            applications: Vec::new(),
            share: 0.25,
            share_of: ShareOf::Transactions,
        }
    }

    fn memory(rings: usize) -> &'static [AtomicU64] {
        let words: Vec<AtomicU64> = (0..words(rings, &scope()))
            .map(|_| AtomicU64::new(0))
            .collect();
        words.leak()
    }

    #[test]
    fn others_see_what_is_captured() {
        let words = memory(2);
        Area::create(words, 2, &scope());
        let other = Area::open(words);
        assert_eq!(other.scope().ok(), Some(scope()));
        assert_eq!(other.places().count(), 2);
    }

    #[test]
    fn a_place_has_one_session_after_the_other() {
        let words = memory(2);
        let area = Area::create(words, 2, &scope());
        let (first, second) = (area.claim(), area.claim());
        assert!(area.claim().is_none());
        assert_eq!((area.sessions(), area.sessions_without_ring()), (2, 1));
        let (Some(first), Some(second)) = (first, second) else {
            panic!("two places");
        };
        assert_eq!((first.session(), second.session()), (1, 2));
        assert_eq!(first.ring().push(b"one"), Pushed::Room);
        first.count(3, true);
        first.count(1, false);
        let counts = Counts {
            transactions: 1,
            statements: 3,
            dropped: 1,
        };
        assert_eq!(first.counts(), counts);
        first.leave();
        // Until the writer has seen it, nobody else gets it.
        assert!(first.is_left() && area.claim().is_none());
        let mut bytes = Vec::new();
        assert!(first.ring().drain(&mut bytes));
        first.free();
        let third = area.claim();
        assert_eq!(third.map(|place| place.session()), Some(3));
        assert_eq!(third.map(|place| place.counts()), Some(Counts::default()));
    }

    #[test]
    fn places_do_not_overlap() {
        let words = memory(3);
        let area = Area::create(words, 3, &scope());
        let full = vec![0xff; (RING_WORDS - 16 - 1) * 8];
        let places: Vec<Place> = area.places().collect();
        for place in &places {
            assert_eq!(place.ring().push(&full), Pushed::HalfFull);
            assert_eq!(place.session(), 0);
        }
        for place in &places {
            let mut bytes = Vec::new();
            place.ring().drain(&mut bytes);
            assert_eq!(bytes, full);
        }
        assert_eq!(area.scope().ok(), Some(scope()));
    }
}
