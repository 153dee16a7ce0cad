//! Numbers and texts as bytes: numbers in groups of seven bits, the lowest first; texts with their length before them.

use std::hash::{DefaultHasher, Hasher};

/// Appends to bytes. No memory is asked for once the bytes have had their greatest length.
pub trait Write {
    /// A number without sign.
    fn number(&mut self, value: u64);

    /// A number with a sign, short for small ones of both.
    fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63) as u64);
    }

    /// Bytes with their length.
    fn text(&mut self, value: &[u8]);
}

impl Write for Vec<u8> {
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    fn text(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.extend_from_slice(value);
    }
}

/// The name of a text. It is the same in every process, and on every server.
pub fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}

/// Reads what [`Write`] wrote. `None`: the bytes are not what was written.
pub struct Read<'b> {
    bytes: &'b [u8],
}

impl<'b> Read<'b> {
    /// From the first of these bytes.
    pub fn new(bytes: &'b [u8]) -> Read<'b> {
        Read { bytes }
    }

    /// Whether all is read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// One byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    /// A number without sign.
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number with a sign.
    pub fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Bytes with their length.
    pub fn text(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, 1, -1, 63, -64, 64, i64::MIN, i64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&value| bytes.number(value));
        signed.iter().for_each(|&value| bytes.signed(value));
        bytes.text(b"");
        bytes.text("ä".as_bytes());
        let mut read = Read::new(&bytes);
        assert!(numbers.iter().all(|&value| read.number() == Some(value)));
        assert!(signed.iter().all(|&value| read.signed() == Some(value)));
        assert_eq!(read.text(), Some(&b""[..]));
        assert_eq!(read.text(), Some("ä".as_bytes()));
        assert!(read.is_empty());
    }

    #[test]
    fn small_numbers_are_one_byte() {
        let mut bytes = Vec::new();
        bytes.number(127);
        bytes.signed(-64);
        assert_eq!(bytes.len(), 2);
    }

    #[test]
    fn what_is_cut_or_endless_is_none() {
        assert_eq!(Read::new(&[0x80]).number(), None);
        assert_eq!(Read::new(&[0xff; 11]).number(), None);
        assert_eq!(Read::new(&[5, b'a']).text(), None);
        assert_eq!(Read::new(&[]).byte(), None);
    }
}
