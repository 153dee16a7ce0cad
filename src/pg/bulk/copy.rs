//! Rows in the forms of COPY, for a table of another server.
//!
//! Rows of a source go in the binary form, which needs no knowledge of how a type is written. Rows that are alike go as text: they have
//! numbers of few digits, and the server takes them from half the bytes in less time.

use super::row::{Row, RowError};
use super::rows::Sink;
use super::shape::{Column, Content};
use std::cell::RefCell;

/// A form of COPY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyForm {
    Text,
    Binary,
}

impl CopyForm {
    /// Its name in the options of COPY.
    pub fn name(self) -> &'static str {
        match self {
            CopyForm::Text => "text",
            CopyForm::Binary => "binary",
        }
    }

    /// What comes before the rows: in the binary form a signature, no flags, nothing further.
    pub fn header(self) -> &'static [u8] {
        match self {
            CopyForm::Text => b"",
            CopyForm::Binary => b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0",
        }
    }

    /// What comes after them: in the binary form a row of -1 columns.
    pub fn end(self) -> &'static [u8] {
        match self {
            CopyForm::Text => b"",
            CopyForm::Binary => b"\xff\xff",
        }
    }
}

/// Appends rows in the binary form to bytes, which others send.
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

/// A row like all others of its table, but for key and unit, as text. The key is its first column, the unit its second.
pub struct AlikeRow {
    has_unit: bool,
    /// What comes after these, with the end of the line.
    rest: Vec<u8>,
}

impl AlikeRow {
    pub fn new(columns: &[Column]) -> AlikeRow {
        let mut rest = Vec::new();
        let mut has_unit = false;
        for column in columns {
            match column.content {
                Content::Key => {}
                Content::Unit => has_unit = true,
                Content::Int(number) => {
                    rest.push(b'\t');
                    rest.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
                }
                Content::Char { value, .. } => {
                    rest.push(b'\t');
                    match value {
                        None => rest.extend_from_slice(b"\\N"),
                        // The server pads it.
                        Some(text) => escape(text.trim_end_matches(' '), &mut rest),
                    }
                }
            }
        }
        rest.push(b'\n');
        AlikeRow { has_unit, rest }
    }

    /// Appends the row with this key and this unit.
    #[inline]
    pub fn append(&self, key: i64, unit: i32, to: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        to.extend_from_slice(digits.format(key).as_bytes());
        if self.has_unit {
            to.push(b'\t');
            to.extend_from_slice(digits.format(unit).as_bytes());
        }
        to.extend_from_slice(&self.rest);
    }
}

/// Appends a value so that COPY takes none of its characters for one of its own.
fn escape(value: &str, to: &mut Vec<u8>) {
    for byte in value.bytes() {
        match byte {
            b'\\' => to.extend_from_slice(b"\\\\"),
            b'\t' => to.extend_from_slice(b"\\t"),
            b'\n' => to.extend_from_slice(b"\\n"),
            b'\r' => to.extend_from_slice(b"\\r"),
            byte => to.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn column(name: &'static str, content: Content<'static>) -> Column<'static> {
        Column { name, content }
    }

    const fn char(value: Option<&'static str>) -> Content<'static> {
        Content::Char { length: 84, value }
    }

    fn row(columns: &[Column], key: i64, unit: i32) -> String {
        let mut bytes = Vec::new();
        AlikeRow::new(columns).append(key, unit, &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_row_is_a_line() {
        let columns = [
            column("aid", Content::Key),
            column("bid", Content::Unit),
            column("abalance", Content::Int(-1)),
            column("filler", char(Some("a  "))),
            column("none", char(None)),
        ];
        assert_eq!(row(&columns, 258, 3), "258\t3\t-1\ta\t\\N\n");
        assert_eq!(row(&columns[..1], 1 << 40, 1), "1099511627776\n");
    }

    #[test]
    fn characters_of_copy_are_escaped() {
        let columns = [
            column("aid", Content::Key),
            column("filler", char(Some("\\N\t\r\n.  "))),
        ];
        assert_eq!(row(&columns, 1, 1), "1\t\\\\N\\t\\r\\n.\n");
    }
}
