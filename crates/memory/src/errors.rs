//! The errors of a client in shared memory: for each kind (SQLSTATE) the last one, how many there were, and
//! when the first occurred.

use crate::{pack, unpack};
use engine::ClientError;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// How many kinds are kept apart; any further ones are counted with the last one.
const KINDS: usize = 8;

/// Words of a kind.
mod kind {
    /// Odd while it is being written; 0: no such error so far.
    pub const VERSION: usize = 0;
    pub const OCCURRENCES: usize = 1;
    pub const COMMAND: usize = 2;
    pub const FIRST_AT: usize = 3;
    pub const AT: usize = 4;
    pub const TEXT: usize = 5;
    pub const WORDS: usize = 96;
}

/// A kind of errors of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorKind {
    pub last: ClientError,
    /// When the first of them occurred.
    pub first_at: i64,
    pub occurrences: u64,
}

/// The part of a slot that holds them.
#[derive(Clone, Copy)]
pub struct ErrorArea {
    words: &'static [AtomicU64],
}

impl ErrorArea {
    pub const WORDS: usize = KINDS * kind::WORDS;

    /// The area in these [`ErrorArea::WORDS`] words.
    pub fn new(words: &'static [AtomicU64]) -> ErrorArea {
        ErrorArea { words }
    }

    /// Keeps an error for the leader; returns the number of its kind, and how many errors of this kind there were
    /// before.
    pub fn store(&self, error: &ClientError) -> (usize, u64) {
        let number = self.kind_of(&error.sqlstate);
        let Some(words) = self.words.chunks_exact(kind::WORDS).nth(number) else {
            return (number, 0);
        };
        let version = words[kind::VERSION].load(Relaxed);
        words[kind::VERSION].store(version + 1, Release);
        let before = words[kind::OCCURRENCES].load(Relaxed);
        words[kind::OCCURRENCES].store(before + 1, Relaxed);
        words[kind::COMMAND].store(error.command.map_or(0, |c| c as u64 + 1), Relaxed);
        if before == 0 {
            words[kind::FIRST_AT].store(error.at as u64, Relaxed);
        }
        words[kind::AT].store(error.at as u64, Relaxed);
        store_text(&words[kind::TEXT..], error);
        words[kind::VERSION].store(version + 2, Release);
        (number, before)
    }

    /// The number of the kind with this SQLSTATE: the one that has it, the first free one, or the last.
    fn kind_of(&self, sqlstate: &str) -> usize {
        self.words
            .chunks_exact(kind::WORDS)
            .position(|words| {
                words[kind::VERSION].load(Relaxed) == 0
                    || unpack(&words[kind::TEXT..=kind::TEXT], sqlstate.len())
                        == sqlstate.as_bytes()
            })
            .unwrap_or(KINDS - 1)
    }

    /// The kinds so far, in the order in which they first occurred; without one that is being written.
    pub fn kinds(&self) -> Vec<ErrorKind> {
        self.words
            .chunks_exact(kind::WORDS)
            .filter_map(read)
            .collect()
    }
}

fn store_text(words: &[AtomicU64], error: &ClientError) {
    let detail = error.detail.as_deref().unwrap_or("");
    let mut text = format!("{}\0{}\0{detail}", error.sqlstate, error.message);
    let mut len = text.len().min(words.len() * 8);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    text.truncate(len);
    let mut chunks = text.as_bytes().chunks(8);
    for word in words {
        word.store(chunks.next().map_or(0, pack), Relaxed);
    }
}

fn read(words: &[AtomicU64]) -> Option<ErrorKind> {
    let version = words[kind::VERSION].load(Acquire);
    if version == 0 || version % 2 == 1 {
        return None;
    }
    let bytes = unpack(&words[kind::TEXT..], (kind::WORDS - kind::TEXT) * 8);
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches('\0');
    let mut parts = text.split('\0').map(str::to_owned);
    Some(ErrorKind {
        last: ClientError {
            sqlstate: parts.next().unwrap_or_default(),
            message: parts.next().unwrap_or_default(),
            detail: parts.next().filter(|detail| !detail.is_empty()),
            command: (words[kind::COMMAND].load(Relaxed) as usize).checked_sub(1),
            at: words[kind::AT].load(Relaxed) as i64,
        },
        first_at: words[kind::FIRST_AT].load(Relaxed) as i64,
        occurrences: words[kind::OCCURRENCES].load(Relaxed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_words;

    fn area() -> ErrorArea {
        ErrorArea::new(test_words(ErrorArea::WORDS))
    }

    fn error(sqlstate: &str, message: &str, at: i64) -> ClientError {
        ClientError {
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
            command: Some(3),
            at,
        }
    }

    #[test]
    fn each_kind_has_its_last_error_and_its_count() {
        let area = area();
        assert_eq!(area.kinds(), []);
        assert_eq!(area.store(&error("40001", "one", 10)), (0, 0));
        assert_eq!(area.store(&error("23505", "two", 20)), (1, 0));
        assert_eq!(area.store(&error("40001", "three", 30)), (0, 1));
        let kinds = area.kinds();
        assert_eq!(kinds.len(), 2);
        assert_eq!(kinds[0].last, error("40001", "three", 30));
        assert_eq!((kinds[0].first_at, kinds[0].occurrences), (10, 2));
        assert_eq!(kinds[1].last, error("23505", "two", 20));
    }

    #[test]
    fn a_detail_is_kept_and_none_stays_none() {
        let area = area();
        let detailed = ClientError {
            detail: Some("Key (id)=(1) already exists.".to_owned()),
            ..error("23505", "duplicate", 1)
        };
        area.store(&detailed);
        assert_eq!(area.kinds()[0].last, detailed);
    }

    #[test]
    fn a_long_message_ends_with_a_whole_character() {
        for start in ["", "a"] {
            let area = area();
            let message = format!("{start}{}", "é".repeat(4 * kind::WORDS));
            area.store(&error("22000", &message, 1));
            let stored = area.kinds()[0].last.message.clone();
            assert!(message.starts_with(&stored), "{stored}");
            // All but a byte at most: five of the SQLSTATE, and one that ends it.
            let room = (kind::WORDS - kind::TEXT) * 8 - 6;
            assert!(stored.len() + 1 >= room, "{} of {room}", stored.len());
        }
    }

    #[test]
    fn kinds_beyond_the_last_one_are_counted_with_it() {
        let area = area();
        for number in 0..KINDS as i64 + 3 {
            area.store(&error(&format!("{number:05}"), "message", number));
        }
        let kinds = area.kinds();
        assert_eq!(kinds.len(), KINDS);
        assert_eq!(kinds[KINDS - 1].occurrences, 4);
        assert_eq!(kinds[KINDS - 1].last.sqlstate, "00010");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let area = area();
        area.store(&error("22000", &"ä".repeat(500), 1));
        let message = area.kinds().remove(0).last.message;
        assert!(message.len() > 700 && message.chars().all(|c| c == 'ä'));
    }
}
