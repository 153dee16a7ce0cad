//! Rows in the binary form of COPY, for a table of another server.

use super::row::{Row, RowError};
use super::rows::Sink;
use super::shape::{Column, Content};
use std::cell::RefCell;

/// What comes before the rows: a signature, no flags, nothing further.
pub const COPY_HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// What comes after them.
pub const COPY_END: [u8; 2] = (-1_i16).to_be_bytes();

/// Appends rows to bytes, which others send.
pub struct CopyWriter<'a> {
    bytes: &'a RefCell<Vec<u8>>,
}

impl<'a> CopyWriter<'a> {
    pub fn new(bytes: &'a RefCell<Vec<u8>>) -> CopyWriter<'a> {
        CopyWriter { bytes }
    }
}

impl Sink for CopyWriter<'_> {
    fn take(&mut self, row: &mut Row, _partition: usize) -> Result<(), RowError> {
        row.binary(&mut self.bytes.borrow_mut())
    }
}

/// A row like all others of its table, but for key and unit.
pub struct AlikeRow {
    bytes: Vec<u8>,
    /// Where the key is, the first value, and how many bytes it has.
    key: std::ops::Range<usize>,
    unit: Option<std::ops::Range<usize>>,
}

impl AlikeRow {
    /// `is_wide`: the key is a bigint.
    pub fn new(columns: &[Column], is_wide: bool) -> AlikeRow {
        let mut bytes = (columns.len() as u16).to_be_bytes().to_vec();
        let (mut key, mut unit) = (0..0, None);
        for column in columns {
            match column.content {
                Content::Key => key = value(&mut bytes, &[0; 8][..if is_wide { 8 } else { 4 }]),
                Content::Unit => unit = Some(value(&mut bytes, &[0; 4])),
                Content::Int(number) => {
                    value(&mut bytes, &number.to_be_bytes());
                }
                Content::Char { value: None, .. } => {
                    bytes.extend_from_slice(&(-1_i32).to_be_bytes());
                }
                // The server pads it.
                Content::Char {
                    value: Some(text), ..
                } => {
                    value(&mut bytes, text.as_bytes());
                }
            }
        }
        AlikeRow { bytes, key, unit }
    }

    /// Appends the row with this key and this unit.
    #[inline]
    pub fn append(&mut self, key: i64, unit: i32, to: &mut Vec<u8>) {
        let key = key.to_be_bytes();
        let wanted = key.len() - self.key.len();
        self.bytes[self.key.clone()].copy_from_slice(&key[wanted..]);
        if let Some(at) = &self.unit {
            self.bytes[at.clone()].copy_from_slice(&unit.to_be_bytes());
        }
        to.extend_from_slice(&self.bytes);
    }
}

/// Appends a value with its length before it; where it is.
fn value(bytes: &mut Vec<u8>, value: &[u8]) -> std::ops::Range<usize> {
    bytes.extend_from_slice(&(value.len() as u32).to_be_bytes());
    bytes.extend_from_slice(value);
    bytes.len() - value.len()..bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 5] = [
        column("aid", Content::Key),
        column("bid", Content::Unit),
        column("abalance", Content::Int(-1)),
        column("filler", char(Some("a"))),
        column("none", char(None)),
    ];

    const fn column(name: &'static str, content: Content<'static>) -> Column<'static> {
        Column { name, content }
    }

    const fn char(value: Option<&'static str>) -> Content<'static> {
        Content::Char { length: 84, value }
    }

    #[test]
    fn key_and_unit_are_put_in_place() {
        let mut row = AlikeRow::new(&COLUMNS, false);
        let mut bytes = Vec::new();
        row.append(258, 3, &mut bytes);
        let expected = [
            &[0, 5][..],
            &[0, 0, 0, 4, 0, 0, 1, 2],
            &[0, 0, 0, 4, 0, 0, 0, 3],
            &[0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff],
            &[0, 0, 0, 1, b'a'],
            &[0xff, 0xff, 0xff, 0xff],
        ]
        .concat();
        assert_eq!(bytes, expected);
        row.append(1, 1, &mut bytes);
        assert_eq!(bytes.len(), 2 * expected.len());
        assert_eq!(bytes[expected.len()..][6..10], [0, 0, 0, 1]);
    }

    #[test]
    fn keys_may_have_eight_bytes() {
        let mut row = AlikeRow::new(&COLUMNS[..1], true);
        let mut bytes = Vec::new();
        row.append(1 << 40, 1, &mut bytes);
        assert_eq!(bytes, [0, 1, 0, 0, 0, 8, 0, 0, 1, 0, 0, 0, 0, 0]);
    }
}
