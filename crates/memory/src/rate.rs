//! The altered rate of a run, on its way from a session to the leader, and from the leader to the clients.

use crate::{Altered, MAGIC, Shared, header};
use std::sync::atomic::{
    AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst, fence,
};

/// Nobody asks for a rate.
const NOTHING: u64 = 0;
/// As fast as the clients go. No rate has these bits: one is a positive number.
const UNLIMITED: u64 = u64::MAX;
/// The leader has refused the last one.
const REFUSED: u64 = u64::MAX - 1;

fn bits(rate: Option<f64>) -> u64 {
    rate.map_or(UNLIMITED, f64::to_bits)
}

fn rate(bits: u64) -> Option<f64> {
    (bits != UNLIMITED).then(|| f64::from_bits(bits))
}

impl Shared {
    /// How often the rate was altered.
    #[inline]
    pub fn rate_revision(&self) -> u64 {
        self.words[header::RATE_REVISION].load(Acquire) / 2
    }

    /// How it was altered last.
    pub fn altered(&self) -> Altered {
        loop {
            let version = self.words[header::RATE_REVISION].load(Acquire);
            let altered = Altered {
                revision: version / 2,
                rate: rate(self.words[header::RATE].load(Relaxed)).filter(|_| version > 0),
                at: self.words[header::RATE_AT].load(Relaxed),
            };
            fence(Acquire);
            let unchanged = self.words[header::RATE_REVISION].load(Relaxed) == version;
            if version.is_multiple_of(2) && unchanged {
                return altered;
            }
            std::hint::spin_loop();
        }
    }

    /// Announces a rate to the clients; None: as fast as they go. For the leader alone.
    pub fn alter_rate(&self, rate: Option<f64>, at: u64) {
        let version = self.words[header::RATE_REVISION].load(Relaxed);
        self.words[header::RATE_REVISION].store(version + 1, Relaxed);
        fence(SeqCst);
        self.words[header::RATE].store(bits(rate), Relaxed);
        self.words[header::RATE_AT].store(at, Relaxed);
        self.words[header::RATE_REVISION].store(version + 2, Release);
        // Somebody may have asked for another one meanwhile.
        let asked = &self.words[header::RATE_ASKED];
        let _ = asked.compare_exchange(bits(rate), NOTHING, Release, Relaxed);
    }

    /// The rate that somebody asks for.
    pub fn asked_rate(&self) -> Option<Option<f64>> {
        match self.words[header::RATE_ASKED].load(Acquire) {
            NOTHING | REFUSED => None,
            bits => Some(rate(bits)),
        }
    }

    pub fn refuse_rate(&self) {
        self.words[header::RATE_ASKED].store(REFUSED, Release);
    }
}

/// What became of a rate that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateChange {
    None,
    Taken,
    Refused,
}

/// The end of a session that asks for a rate.
pub struct Asker<'a> {
    words: &'a [AtomicU64],
    asked: u64,
}

impl Asker<'_> {
    /// In the segment of this run; None: it is another's.
    pub fn new(words: &[AtomicU64], run_id: i64) -> Option<Asker<'_>> {
        let is_run = words.len() >= header::WORDS
            && words[header::MAGIC].load(Acquire) == MAGIC
            && words[header::RUN_ID].load(Relaxed) == run_id as u64;
        is_run.then_some(Asker {
            words,
            asked: NOTHING,
        })
    }

    /// Asks for a rate; None: as fast as the clients go. Of two sessions at once the later one has its way. The leader is to be
    /// woken then; returns its number.
    pub fn ask(&mut self, rate: Option<f64>) -> u64 {
        self.asked = bits(rate);
        self.words[header::RATE_ASKED].store(self.asked, Release);
        self.words[header::LEADER].load(Relaxed)
    }

    pub fn answer(&self) -> RateChange {
        match self.words[header::RATE_ASKED].load(Acquire) {
            REFUSED => RateChange::Refused,
            asked if asked == self.asked => RateChange::None,
            _ => RateChange::Taken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, test_words};

    #[test]
    fn a_rate_goes_from_a_session_to_the_clients() {
        let layout = Layout {
            clients: 1,
            commands: 0,
            scripts: 0,
            spec_bytes: 0,
            has_log: false,
            reconnects: false,
        };
        let words = test_words(layout.words());
        words[header::MAGIC].store(MAGIC, Relaxed);
        words[header::RUN_ID].store(7, Relaxed);
        let shared = Shared { words, layout };
        assert_eq!(
            (shared.asked_rate(), shared.altered()),
            (None, Altered::default())
        );
        assert!(Asker::new(words, 8).is_none());
        let mut asker = Asker::new(words, 7).unwrap();
        for (revision, rate) in [(1, Some(12.5)), (2, None), (3, Some(12.5))] {
            asker.ask(rate);
            assert_eq!(asker.answer(), RateChange::None);
            assert_eq!(shared.asked_rate(), Some(rate));
            shared.alter_rate(rate, 99);
            assert_eq!(asker.answer(), RateChange::Taken);
            assert_eq!(shared.asked_rate(), None);
            let at = 99;
            assert_eq!(shared.altered(), Altered { revision, rate, at });
            assert_eq!(shared.rate_revision(), revision);
        }
        asker.ask(Some(5.0));
        shared.refuse_rate();
        assert_eq!(
            (asker.answer(), shared.asked_rate()),
            (RateChange::Refused, None)
        );
        assert_eq!(shared.rate_revision(), 3);
    }
}
