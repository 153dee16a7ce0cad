//! The length that a tuple would have after a rewrite of its table: until then it still has the values of dropped columns.
//!
//! The tuple may be damaged: it is read by itself here, within its bounds.

use super::page::aligned;
use pgrx::pg_sys;
use std::mem::offset_of;

const NULL_BITMAP: usize = offset_of!(pg_sys::HeapTupleHeaderData, t_bits);

/// A column as far as its length matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnLength {
    /// Bytes; -1: it says so itself, -2: up to a zero byte.
    pub length: i16,
    pub alignment: usize,
    pub is_dropped: bool,
}

/// The columns of a table of which at least one was dropped.
#[derive(Debug)]
pub struct Columns(Vec<ColumnLength>);

impl Columns {
    /// None: no column was dropped.
    pub fn new(columns: Vec<ColumnLength>) -> Option<Columns> {
        let any = columns.iter().any(|column| column.is_dropped);
        any.then_some(Columns(columns))
    }

    /// Bytes of a tuple after a rewrite; None: it does not make sense.
    pub fn rewritten(&self, tuple: &[u8]) -> Option<usize> {
        let word = |at: usize| Some(u16::from_ne_bytes(tuple.get(at..at + 2)?.try_into().ok()?));
        let stored = word(offset_of!(pg_sys::HeapTupleHeaderData, t_infomask2))?;
        let stored = stored & pg_sys::HEAP_NATTS_MASK as u16;
        let flags = word(offset_of!(pg_sys::HeapTupleHeaderData, t_infomask))?;
        let has_nulls = flags & pg_sys::HEAP_HASNULL as u16 != 0;
        let header = *tuple.get(offset_of!(pg_sys::HeapTupleHeaderData, t_hoff))?;
        let values = tuple.get(usize::from(header)..)?;
        let (mut read, mut kept) = (0_usize, 0_usize);
        for (i, column) in self.0.iter().take(stored.into()).enumerate() {
            if has_nulls && tuple.get(NULL_BITMAP + i / 8)? & (1 << (i % 8)) == 0 {
                continue;
            }
            let (at, length, is_short) = column.value(values, read)?;
            read = at + length;
            if !column.is_dropped {
                kept = if is_short {
                    kept
                } else {
                    kept.next_multiple_of(column.alignment)
                } + length;
            }
        }
        // The dropped column is null then, so there is a bitmap.
        Some(aligned(NULL_BITMAP + self.0.len().div_ceil(8)) + kept)
    }
}

impl ColumnLength {
    /// Where the value that follows `read` bytes begins, its length, and whether it is one of those that are not aligned.
    fn value(self, values: &[u8], read: usize) -> Option<(usize, usize, bool)> {
        let aligned = read.next_multiple_of(self.alignment);
        let (at, length, is_short) = match self.length {
            // Padding is of zeroes; no value that is not aligned begins with one.
            -1 => match *values.get(read)? {
                0 => (aligned, long(values.get(aligned..aligned + 4)?), false),
                first => match short(first, values.get(read + 1).copied()) {
                    Some(length) => (read, length, true),
                    None => (aligned, long(values.get(aligned..aligned + 4)?), false),
                },
            },
            -2 => {
                let rest = values.get(read..)?;
                (read, rest.iter().position(|byte| *byte == 0)? + 1, false)
            }
            fixed => (aligned, usize::try_from(fixed).ok()?, false),
        };
        (at.checked_add(length)? <= values.len()).then_some((at, length, is_short))
    }
}

/// The length of a value with a header of one byte, or of a pointer to one that is stored elsewhere; None: its header has four bytes.
fn short(first: u8, kind: Option<u8>) -> Option<usize> {
    let (is_short, is_pointer, length) = if cfg!(target_endian = "little") {
        (first & 1 == 1, first == 1, first >> 1)
    } else {
        (first & 0x80 != 0, first == 0x80, first & 0x7f)
    };
    // Of the kinds of pointers, tables have but one.
    const IN_TOAST_TABLE: u8 = pg_sys::vartag_external::VARTAG_ONDISK as u8;
    match (is_pointer, kind) {
        (true, Some(IN_TOAST_TABLE)) => Some(2 + size_of::<pg_sys::varatt_external>()),
        (true, _) => Some(usize::MAX),
        _ => is_short.then_some(length.into()),
    }
}

/// The length of a value with a header of four bytes.
fn long(header: &[u8]) -> usize {
    let header = header.try_into().map_or(0, u32::from_ne_bytes);
    let length = if cfg!(target_endian = "little") {
        header >> 2
    } else {
        header & 0x3fff_ffff
    };
    length as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use script::Prng;
    use script::random::uniform;

    const INT: ColumnLength = ColumnLength {
        length: 4,
        alignment: 4,
        is_dropped: false,
    };
    const BIGINT: ColumnLength = ColumnLength {
        length: 8,
        alignment: 8,
        is_dropped: false,
    };
    const TEXT: ColumnLength = ColumnLength {
        length: -1,
        alignment: 4,
        is_dropped: false,
    };

    fn dropped(column: ColumnLength) -> ColumnLength {
        ColumnLength {
            is_dropped: true,
            ..column
        }
    }

    /// A tuple of these values, without a bitmap.
    fn tuple(count: u16, values: &[u8]) -> Vec<u8> {
        let mut tuple = vec![0; 24];
        tuple[18..20].copy_from_slice(&count.to_ne_bytes());
        tuple[22] = 24;
        tuple.extend_from_slice(values);
        tuple
    }

    fn text(length: usize) -> Vec<u8> {
        let mut value = vec![b'x'; length + 1];
        value[0] = (value.len() << 1 | 1) as u8;
        value
    }

    fn long_text(length: usize) -> Vec<u8> {
        let header = ((length + 4) as u32) << 2;
        [header.to_ne_bytes().to_vec(), vec![b'x'; length]].concat()
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_rewrite_leaves_out_what_was_dropped() {
        assert!(Columns::new(vec![INT, TEXT]).is_none());
        // int, text of 100 bytes dropped, int: the second one lies at the next multiple of 4.
        let columns = Columns::new(vec![INT, dropped(TEXT), INT]).unwrap();
        let values = [vec![1, 0, 0, 0], text(100), vec![0; 3], vec![2, 0, 0, 0]].concat();
        assert_eq!(columns.rewritten(&tuple(3, &values)), Some(24 + 8));
        // Of an older tuple without the last column.
        let values = [vec![1, 0, 0, 0], text(100)].concat();
        assert_eq!(columns.rewritten(&tuple(2, &values)), Some(24 + 4));
        // A long text, aligned, and then what needs more alignment alone.
        let columns = Columns::new(vec![dropped(INT), TEXT, BIGINT]).unwrap();
        let values = [vec![1, 0, 0, 0], long_text(200), vec![0; 8]].concat();
        assert_eq!(columns.rewritten(&tuple(3, &values)), Some(24 + 208 + 8));
        // A pointer to a value that is stored elsewhere has 18 bytes.
        let pointer = [vec![1, 18], vec![7; 16]].concat();
        let columns = Columns::new(vec![dropped(TEXT), TEXT]).unwrap();
        let values = [pointer, text(9)].concat();
        assert_eq!(columns.rewritten(&tuple(2, &values)), Some(24 + 10));
    }

    #[test]
    fn a_null_has_no_bytes() {
        let columns = Columns::new(vec![dropped(INT), INT, INT]).unwrap();
        let mut null = tuple(3, &[1, 0, 0, 0, 3, 0, 0, 0]);
        null[20..22].copy_from_slice(&1_u16.to_ne_bytes());
        null[23] = 0b101;
        assert_eq!(columns.rewritten(&null), Some(24 + 4));
    }

    #[test]
    fn a_damaged_tuple_has_no_length_or_any() {
        let columns = Columns::new(vec![TEXT, dropped(INT), BIGINT, TEXT]).unwrap();
        let mut prng = Prng::new(7);
        let mut sound = 0;
        for _ in 0..100_000 {
            let mut byte = || uniform(&mut prng, 0, 255) as u8;
            let length = usize::from(byte()) / 2;
            let mut tuple: Vec<u8> = (0..length).map(|_| byte()).collect();
            if let Some(header) = tuple.get_mut(22) {
                *header %= 40;
            }
            sound += usize::from(columns.rewritten(&tuple).is_some());
        }
        assert!(sound > 1_000, "{sound}");
    }
}
