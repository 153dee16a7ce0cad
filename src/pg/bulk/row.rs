//! Rows as a heap holds them, packed value by value into the bytes that the server's heap_form_tuple makes of the same
//! values. This code does not call the server: processes without the transaction use it, too.

mod binary;
mod literals;
mod values;

use crate::pg::numeric;
use pgrx::pg_sys;
use thiserror::Error;

/// A column that a generator of rows gives values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typed {
    pub name: &'static str,
    pub kind: Type,
    pub is_nullable: bool,
}

impl Typed {
    /// A column without NULLs.
    pub const fn new(name: &'static str, kind: Type) -> Typed {
        Typed {
            name,
            kind,
            is_nullable: false,
        }
    }

    /// The same column with NULLs.
    pub const fn nullable(self) -> Typed {
        Typed {
            is_nullable: true,
            ..self
        }
    }
}

/// The types that can be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Bool,
    Int2,
    Int4,
    Int8,
    Float8,
    Date,
    /// Without time zone.
    Timestamp,
    /// With time zone.
    Timestamptz,
    Text,
    Varchar(u16),
    Char(u16),
    Numeric {
        precision: u16,
        scale: u16,
    },
}

/// A value that cannot be packed: a mistake of who makes the rows.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum RowError {
    #[error("value {column} of a row is not of type {expected:?}")]
    WrongType {
        column: usize,
        expected: Option<Type>,
    },
    #[error("value {column} of a row does not fit its type")]
    TooLong { column: usize },
    #[error("value {column} of a row is a text that is not ASCII")]
    NotAscii { column: usize },
    #[error("a row has {given} values for {columns} columns")]
    Incomplete { given: usize, columns: usize },
    /// It would have to be compressed or stored elsewhere.
    #[error("a row has {bytes} bytes, more than {limit}")]
    TooWide { bytes: usize, limit: usize },
    #[error("a row is of partition {partition} of {partitions}, from 0")]
    NoPartition { partition: usize, partitions: usize },
}

/// Longer rows are the executor's: it compresses values, or moves them out of line (TOAST_TUPLE_THRESHOLD).
const MAX_BYTES: usize = 2032;
/// Of a row's header, without the map of NULLs.
const HEADER_BYTES: usize = 23;
/// The length up to which a varying value has a header of one byte.
const SHORT: usize = 126;

/// A row that is being made: its values in the order of the columns, then [`Row::pack`].
#[derive(Debug)]
pub struct Row {
    columns: &'static [Typed],
    /// Values with what aligns them; the row's header has a multiple of eight bytes.
    data: Vec<u8>,
    present: Vec<bool>,
    has_variable: bool,
    error: Option<RowError>,
}

impl Row {
    pub fn new(columns: &'static [Typed]) -> Row {
        Row {
            columns,
            data: Vec::with_capacity(256),
            present: Vec::new(),
            has_variable: false,
            error: None,
        }
    }

    pub fn null(&mut self) {
        let column = self.columns.get(self.present.len());
        if !column.is_some_and(|column| column.is_nullable) {
            return self.wrong();
        }
        self.present.push(false);
    }

    pub fn bool(&mut self, value: bool) {
        self.fixed(Type::Bool, 1, &[u8::from(value)]);
    }

    pub fn int2(&mut self, value: i16) {
        self.fixed(Type::Int2, 2, &value.to_ne_bytes());
    }

    pub fn int4(&mut self, value: i32) {
        self.fixed(Type::Int4, 4, &value.to_ne_bytes());
    }

    pub fn int8(&mut self, value: i64) {
        self.fixed(Type::Int8, 8, &value.to_ne_bytes());
    }

    pub fn float8(&mut self, value: f64) {
        self.fixed(Type::Float8, 8, &value.to_ne_bytes());
    }

    /// Days since 2000-01-01.
    pub fn date(&mut self, days: i32) {
        self.fixed(Type::Date, 4, &days.to_ne_bytes());
    }

    /// Microseconds since 2000-01-01.
    pub fn timestamp(&mut self, microseconds: i64) {
        self.fixed(Type::Timestamp, 8, &microseconds.to_ne_bytes());
    }

    /// Microseconds since 2000-01-01 in UTC.
    pub fn timestamptz(&mut self, microseconds: i64) {
        self.fixed(Type::Timestamptz, 8, &microseconds.to_ne_bytes());
    }

    /// A `text`, `varchar(n)`, or `char(n)`, which is padded. ASCII, which is the same in every encoding of a database.
    pub fn text(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        let (limit, padded) = match self.kind() {
            Some(Type::Text) => (usize::MAX, 0),
            Some(Type::Varchar(limit)) => (limit as usize, 0),
            Some(Type::Char(length)) => (length as usize, length as usize),
            _ => return self.wrong(),
        };
        let column = self.present.len() + 1;
        if !text.is_ascii() {
            self.fail(RowError::NotAscii { column });
        } else if text.len() > limit {
            self.fail(RowError::TooLong { column });
        }
        self.variable(text, padded);
    }

    /// A `numeric(precision, scale)`, as an integer of its last place: 1.50 is 150.
    pub fn numeric(&mut self, unscaled: i64) {
        let Some(Type::Numeric { precision, scale }) = self.kind() else {
            return self.wrong();
        };
        if unscaled.unsigned_abs().checked_ilog10().unwrap_or(0) >= u32::from(precision) {
            let column = self.present.len() + 1;
            self.fail(RowError::TooLong { column });
        }
        let (bytes, len) = numeric::pack(unscaled, scale);
        self.variable(&bytes[..len], 0);
    }

    fn kind(&self) -> Option<Type> {
        self.columns
            .get(self.present.len())
            .map(|column| column.kind)
    }

    fn fixed(&mut self, kind: Type, alignment: usize, bytes: &[u8]) {
        if self.kind() != Some(kind) {
            return self.wrong();
        }
        self.align(alignment);
        self.data.extend_from_slice(bytes);
        self.present.push(true);
    }

    /// With the header of a varying value, which is aligned only where it is the long one.
    fn variable(&mut self, bytes: &[u8], padded: usize) {
        let len = bytes.len().max(padded);
        if len <= SHORT {
            self.data.push(short_header(len));
        } else {
            self.align(4);
            self.data.extend_from_slice(&long_header(len));
        }
        let end = self.data.len() + len;
        self.data.extend_from_slice(bytes);
        self.data.resize(end, b' ');
        self.has_variable = true;
        self.present.push(true);
    }

    fn align(&mut self, alignment: usize) {
        let end = self.data.len().next_multiple_of(alignment);
        self.data.resize(end, 0);
    }

    fn wrong(&mut self) {
        let error = RowError::WrongType {
            column: self.present.len() + 1,
            expected: self.kind(),
        };
        self.fail(error);
        self.present.push(false);
    }

    fn fail(&mut self, error: RowError) {
        self.error.get_or_insert(error);
    }

    /// Writes the row's bytes, with a header that says that it was frozen when this transaction inserted it; its place is still
    /// to be set. The next row can be made afterwards.
    ///
    /// # Errors
    /// The first value that did not fit; too few of them; a row that is too long.
    pub fn pack(&mut self, xmin: u32, command: u32, row: &mut Vec<u8>) -> Result<(), RowError> {
        let (has_nulls, header) = self.complete();
        let mut flags = (pg_sys::HEAP_XMIN_FROZEN | pg_sys::HEAP_XMAX_INVALID) as u16;
        for (is, flag) in [
            (has_nulls, pg_sys::HEAP_HASNULL),
            (self.has_variable, pg_sys::HEAP_HASVARWIDTH),
        ] {
            flags |= if is { flag as u16 } else { 0 };
        }
        row.clear();
        row.extend_from_slice(&xmin.to_ne_bytes());
        row.extend_from_slice(&0_u32.to_ne_bytes());
        row.extend_from_slice(&command.to_ne_bytes());
        row.extend_from_slice(&[0; 6]);
        row.extend_from_slice(&(self.columns.len() as u16).to_ne_bytes());
        row.extend_from_slice(&flags.to_ne_bytes());
        row.push(header as u8);
        if has_nulls {
            let bits = self.present.chunks(8).map(|present| {
                let set = |(i, is): (usize, &bool)| u8::from(*is) << i;
                present.iter().enumerate().map(set).sum::<u8>()
            });
            row.extend(bits);
        }
        row.resize(header, 0);
        row.extend_from_slice(&self.data);
        self.clear()
    }

    /// Checks the whole row. Whether it has NULLs, and the bytes of its header.
    fn complete(&mut self) -> (bool, usize) {
        let (given, columns) = (self.present.len(), self.columns.len());
        if given != columns {
            self.fail(RowError::Incomplete { given, columns });
        }
        let has_nulls = self.present.contains(&false);
        let map = if has_nulls { columns.div_ceil(8) } else { 0 };
        let header = (HEADER_BYTES + map).next_multiple_of(8);
        let bytes = header + self.data.len();
        if bytes > MAX_BYTES {
            let limit = MAX_BYTES;
            self.fail(RowError::TooWide { bytes, limit });
        }
        (has_nulls, header)
    }

    /// Ready for the next row.
    fn clear(&mut self) -> Result<(), RowError> {
        self.data.clear();
        self.present.clear();
        self.has_variable = false;
        self.error.take().map_or(Ok(()), Err)
    }
}

/// A header of one byte, which counts itself.
fn short_header(len: usize) -> u8 {
    let len = len as u8 + 1;
    match cfg!(target_endian = "little") {
        true => len << 1 | 1,
        false => len | 0x80,
    }
}

/// A header of four bytes, which counts itself.
fn long_header(len: usize) -> [u8; 4] {
    let len = len as u32 + 4;
    match cfg!(target_endian = "little") {
        true => (len << 2).to_ne_bytes(),
        false => len.to_ne_bytes(),
    }
}

#[cfg(test)]
mod tests;
