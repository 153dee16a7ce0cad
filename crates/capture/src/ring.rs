//! The way of a session's bytes to the writer: a ring with one writer and one reader, in words that both processes map.
//!
//! Nothing waits: a session whose bytes find no room keeps them to itself, and says later what is missing.

use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// Words of the header; both ends have a cache line each.
const WRITTEN: usize = 0;
const TAKEN: usize = 8;
const HEADER: usize = 16;

/// A ring of bytes.
#[derive(Clone, Copy)]
pub struct Ring {
    words: &'static [AtomicU64],
}

/// What became of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// They are in.
    Room,
    /// They are in, and the ring has just become half full.
    HalfFull,
    /// They are not.
    Full,
}

impl Ring {
    /// The ring in these words, of which 16 are its header.
    pub fn new(words: &'static [AtomicU64]) -> Ring {
        Ring { words }
    }

    fn room(&self) -> u64 {
        (self.words.len() - HEADER) as u64
    }

    fn word(&self, number: u64) -> &'static AtomicU64 {
        &self.words[HEADER + (number % self.room()) as usize]
    }

    /// Makes it empty. Before either end uses it.
    pub fn clear(&self) {
        self.words[WRITTEN].store(0, Relaxed);
        self.words[TAKEN].store(0, Release);
    }

    /// Whether the reader has all.
    pub fn is_empty(&self) -> bool {
        self.words[TAKEN].load(Acquire) == self.words[WRITTEN].load(Acquire)
    }

    /// Adds bytes, which come out in one piece.
    pub fn push(&self, bytes: &[u8]) -> Pushed {
        let written = self.words[WRITTEN].load(Relaxed);
        let used = written - self.words[TAKEN].load(Acquire);
        let more = 1 + bytes.len().div_ceil(8) as u64;
        if used + more > self.room() {
            return Pushed::Full;
        }
        self.word(written).store(bytes.len() as u64, Relaxed);
        let mut next = written + 1;
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.word(next).store(u64::from_le_bytes(word), Relaxed);
            next += 1;
        }
        self.words[WRITTEN].store(next, Release);
        let half = self.room() / 2;
        if used < half && used + more >= half {
            Pushed::HalfFull
        } else {
            Pushed::Room
        }
    }

    /// Appends all that is in to these bytes. Returns whether there was something.
    pub fn drain(&self, bytes: &mut Vec<u8>) -> bool {
        let written = self.words[WRITTEN].load(Acquire);
        let mut next = self.words[TAKEN].load(Relaxed);
        let any = next != written;
        while next != written {
            let mut left = self.word(next).load(Relaxed) as usize;
            next += 1;
            while left > 0 {
                let word = self.word(next).load(Relaxed).to_le_bytes();
                bytes.extend_from_slice(&word[..left.min(8)]);
                left = left.saturating_sub(8);
                next += 1;
            }
        }
        self.words[TAKEN].store(written, Release);
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(words: usize) -> Ring {
        let words: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ring::new(words.leak())
    }

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let ring = ring(16 + 8);
        let mut out = Vec::new();
        for round in 0..100_u8 {
            let bytes: Vec<u8> = (0..round % 40).collect();
            assert_ne!(ring.push(&bytes), Pushed::Full);
            out.clear();
            assert!(ring.drain(&mut out));
            assert_eq!(out, bytes);
            assert!(ring.is_empty());
        }
        assert!(!ring.drain(&mut out));
    }

    #[test]
    fn a_full_ring_takes_nothing_and_keeps_what_it_has() {
        let ring = ring(16 + 4);
        assert_eq!(ring.push(b"12345678"), Pushed::HalfFull);
        assert_eq!(ring.push(b"123456789"), Pushed::Full);
        assert_eq!(ring.push(b"a"), Pushed::Room);
        assert_eq!(ring.push(b""), Pushed::Full);
        let mut out = Vec::new();
        assert!(ring.drain(&mut out));
        assert_eq!(out, b"12345678a");
        assert_eq!(ring.push(b""), Pushed::Room);
    }

    #[test]
    fn two_threads_lose_nothing() {
        let ring = ring(16 + 64);
        let writer = std::thread::spawn(move || {
            for number in 0..100_000_u32 {
                while ring.push(&number.to_le_bytes()) == Pushed::Full {
                    std::thread::yield_now();
                }
            }
        });
        let mut out = Vec::new();
        while out.len() < 400_000 {
            ring.drain(&mut out);
        }
        assert!(writer.join().is_ok());
        let numbers = out
            .chunks(4)
            .map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]));
        assert!(numbers.eq(0..100_000));
    }
}
