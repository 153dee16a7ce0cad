//! What rows draw: numbers, texts and names (TPC-C 2.1.6 and 4.3.2). The numbers of a row come from a generator of its own,
//! whose state follows from the table and the row's number: any process makes the same row.

use script::Prng;
use script::random::{hash_murmur2, permute, uniform};

/// A constant C of NURand (TPC-C 2.1.6.1), which decides which values of a range are drawn more often than others.
///
/// The last names of a load and those of a run must not have the same hot values: their constants differ by 65 to 119, but
/// neither by 96 nor by 112. So the pair belongs together. Both are fixed, since they would otherwise have to be stored with
/// the data set, and rows would depend on more than their numbers. Nothing is asked of the others.
pub(super) const C_LAST_LOAD: i32 = 57;
pub(super) const C_LAST_RUN: i32 = 142;
pub(super) const C_CUSTOMER: i32 = 731;
pub(super) const C_ITEM: i32 = 5_519;

/// The constant A of NURand for a last name, a customer and an item.
pub(super) const A_LAST: i32 = 255;
pub(super) const A_CUSTOMER: i32 = 1_023;
pub(super) const A_ITEM: i32 = 8_191;

/// The last names of customers have numbers below this one.
pub(super) const LAST_NAMES: i32 = 1_000;

/// The syllable of each digit of a last name's number (4.3.2.3).
pub(super) const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// The last name with this number, of three digits.
pub(super) fn last_name(number: i32) -> String {
    [number / 100, number / 10, number]
        .map(|digits| SYLLABLES[digits.unsigned_abs() as usize % 10])
        .concat()
}

const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LETTERS_AND_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: &[u8] = b"0123456789";
const ORIGINAL: &[u8] = b"ORIGINAL";

/// A text of at most N ASCII characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

/// The draws of one row, or of one order with its lines.
pub(super) struct Draws {
    prng: Prng,
}

impl Draws {
    /// `table` is a number that no other table has.
    pub fn of(table: i64, number: i64) -> Draws {
        Draws {
            prng: Prng::new(hash_murmur2(number, table).cast_unsigned()),
        }
    }

    pub fn between(&mut self, min: i32, max: i32) -> i32 {
        uniform(&mut self.prng, i64::from(min), i64::from(max)) as i32
    }

    /// True with a probability of ten percent.
    pub fn one_in_ten(&mut self) -> bool {
        self.between(1, 10) == 1
    }

    /// NURand (2.1.6).
    pub fn nurand(&mut self, a: i32, min: i32, max: i32, c: i32) -> i32 {
        let mixed = self.between(0, a) | self.between(min, max);
        (mixed + c) % (max - min + 1) + min
    }

    /// An a-string of `min` to N characters.
    pub fn characters<const N: usize>(&mut self, min: usize) -> Text<N> {
        self.text(LETTERS_AND_DIGITS, min)
    }

    /// N letters.
    pub fn letters<const N: usize>(&mut self) -> Text<N> {
        self.text(LETTERS, N)
    }

    /// An n-string of N digits.
    pub fn digits<const N: usize>(&mut self) -> Text<N> {
        self.text(DIGITS, N)
    }

    pub fn state(&mut self) -> Text<2> {
        self.text(UPPER, 2)
    }

    /// Four digits and five ones (4.3.2.7).
    pub fn zip(&mut self) -> Text<9> {
        let mut text = self.digits();
        text.bytes[4..].fill(b'1');
        text
    }

    /// The data of an item or of its stock: one in ten has "ORIGINAL" somewhere in it (4.3.3.1).
    pub fn data(&mut self) -> Text<50> {
        let mut text = self.characters(26);
        if self.one_in_ten() {
            let at = self.between(0, (text.len - ORIGINAL.len()) as i32) as usize;
            text.bytes[at..at + ORIGINAL.len()].copy_from_slice(ORIGINAL);
        }
        text
    }

    fn text<const N: usize>(&mut self, alphabet: &[u8], min: usize) -> Text<N> {
        let len = self.between(min as i32, N as i32) as usize;
        let mut bytes = [b' '; N];
        // Eight characters take less than 48 of the 64 bits of a draw: the draw is a fraction, of which each
        // multiplication brings the next digit, of base 62 at most, before the point.
        for part in bytes[..len].chunks_mut(8) {
            let mut fraction = self.prng.next_u64();
            for byte in part {
                let product = u128::from(fraction) * alphabet.len() as u128;
                fraction = product as u64;
                *byte = alphabet[(product >> 64) as usize];
            }
        }
        Text { bytes, len }
    }
}

/// Element n, from 1, of the permutation of 1..=size that belongs to a key.
pub(super) fn permuted(n: i32, size: i32, key: i64) -> i32 {
    permute(i64::from(n - 1), i64::from(size), hash_murmur2(key, 0)) as i32 + 1
}
