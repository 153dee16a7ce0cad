//! The space that rows would take in a heap, computed without a heap.

use super::row::{Row, RowError, Type, Typed};
use super::rows::Sink;
use super::shape::{Column, Content};
use super::{PAGE_BYTES, PAGE_HEADER};

/// Counts the bytes of rows that a source makes.
#[derive(Default)]
pub struct Sizes {
    rows: u64,
    bytes: u64,
    packed: Vec<u8>,
}

impl Sizes {
    /// Bytes of a row on average; None: there was none.
    pub fn mean(&self) -> Option<f64> {
        (self.rows > 0).then(|| self.bytes as f64 / self.rows as f64)
    }
}

impl Sink for Sizes {
    fn take(&mut self, row: &mut Row, _partition: usize) -> Result<(), RowError> {
        row.pack(0, 0, &mut self.packed)?;
        self.rows += 1;
        self.bytes += self.packed.len() as u64;
        Ok(())
    }
}

/// A row's header, and the alignment of all rows.
const ROW_HEADER: usize = 24;
const ALIGNMENT: usize = 8;
/// A value of variable length that is longer has a header of four bytes instead of one.
const SHORT: usize = 126;
/// What points to a row on its page.
const POINTER: usize = 4;

/// Bytes of a row with these columns. `last_key`: the largest key.
pub fn width(columns: &[Column], last_key: u64) -> usize {
    columns
        .iter()
        .fold(ROW_HEADER, |at, column| match column.content {
            Content::Key if last_key > i32::MAX as u64 => at.next_multiple_of(8) + 8,
            Content::Key | Content::Unit | Content::Int(_) => at.next_multiple_of(4) + 4,
            Content::Char { value: None, .. } => at,
            Content::Char { length, .. } if usize::from(length) <= SHORT => {
                at + 1 + usize::from(length)
            }
            Content::Char { length, .. } => at.next_multiple_of(4) + 4 + usize::from(length),
        })
}

/// Bytes that a row of such columns has at most; None: a text may have any length.
pub fn width_at_most(columns: &[Typed]) -> Option<usize> {
    columns.iter().try_fold(ROW_HEADER, |at, column| {
        // Characters have four bytes at most, and so have headers; four digits of a number have two.
        let length = match column.kind {
            Type::Bool => 1,
            Type::Int2 => 2,
            Type::Int4 | Type::Date => 4,
            Type::Int8 | Type::Float8 | Type::Timestamp | Type::Timestamptz => 8,
            Type::Varchar(length) | Type::Char(length) => 4 + 4 * usize::from(length),
            Type::Numeric { precision, .. } => 8 + 2 * (usize::from(precision).div_ceil(4) + 1),
            Type::Text => return None,
        };
        Some(at.next_multiple_of(ALIGNMENT) + length)
    })
}

/// Bytes of the pages of so many rows that have so many bytes.
pub fn pages_bytes(rows: u64, width: f64) -> u64 {
    let row = (width.ceil() as usize).next_multiple_of(ALIGNMENT) + POINTER;
    let per_page = ((PAGE_BYTES - PAGE_HEADER as usize) / row).max(1) as u64;
    rows.div_ceil(per_page).saturating_mul(PAGE_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fill_pages() {
        // pgbench_accounts at scale 1: 61 rows a page.
        let char = |length, value| Content::Char { length, value };
        let columns = [
            Content::Key,
            Content::Unit,
            Content::Int(0),
            char(84, Some("")),
        ];
        let columns = columns.map(|content| Column { name: "", content });
        assert_eq!(width(&columns, 100_000), 121);
        assert_eq!(pages_bytes(100_000, 121.0), 1640 * 8192);
        assert_eq!(width(&columns, 3_000_000_000), 125);
        let columns = [char(84, None), char(200, Some("")), Content::Int(1)];
        let columns = columns.map(|content| Column { name: "", content });
        assert_eq!(width(&columns, 1), 24 + 204 + 4);
        assert_eq!(pages_bytes(0, 121.0), 0);
        let typed = [
            Typed::new("a", Type::Int4),
            Typed::new("b", Type::Varchar(10)),
            Typed::new("c", Type::Text),
        ];
        assert_eq!(width_at_most(&typed[..2]), Some(32 + 44));
        assert_eq!(width_at_most(&typed), None);
    }
}
