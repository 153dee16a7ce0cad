//! A packed row as the binary form of COPY has it. The values are read from the packed bytes, so that packing itself stays as cheap.

use super::values::Values;
use super::{Row, RowError, Type};
use crate::pg::numeric;

/// What stands in place of the length of a NULL.
const NULL: i32 = -1;

impl Row {
    /// Appends the row. Otherwise as [`Row::pack`].
    ///
    /// # Errors
    /// Those of [`Row::pack`].
    pub fn binary(&mut self, bytes: &mut Vec<u8>) -> Result<(), RowError> {
        self.complete();
        if self.error.is_none() {
            let mut values = Values::of(&self.data);
            bytes.extend_from_slice(&(self.columns.len() as u16).to_be_bytes());
            for (column, is_present) in self.columns.iter().zip(&self.present) {
                match is_present {
                    true => append(&mut values, column.kind, bytes),
                    false => bytes.extend_from_slice(&NULL.to_be_bytes()),
                }
            }
        }
        self.clear()
    }
}

/// Appends a value with its length before it.
fn append(values: &mut Values, kind: Type, bytes: &mut Vec<u8>) {
    match kind {
        Type::Bool => field(bytes, &values.fixed::<1>()),
        Type::Int2 => field(bytes, &i16::from_ne_bytes(values.fixed()).to_be_bytes()),
        Type::Int4 | Type::Date => field(bytes, &i32::from_ne_bytes(values.fixed()).to_be_bytes()),
        Type::Int8 | Type::Timestamp | Type::Timestamptz => {
            field(bytes, &i64::from_ne_bytes(values.fixed()).to_be_bytes());
        }
        Type::Float8 => field(bytes, &f64::from_ne_bytes(values.fixed()).to_be_bytes()),
        Type::Text | Type::Varchar(_) => field(bytes, values.variable()),
        // The server pads it.
        Type::Char(_) => {
            let padded = values.variable();
            let last = padded.iter().rposition(|byte| *byte != b' ');
            field(bytes, &padded[..last.map_or(0, |last| last + 1)]);
        }
        Type::Numeric { scale, .. } => {
            let words = numeric::words(values.variable(), scale);
            bytes.extend_from_slice(&(words.len() as u32 * 2).to_be_bytes());
            for word in words {
                bytes.extend_from_slice(&word.to_be_bytes());
            }
        }
    }
}

fn field(bytes: &mut Vec<u8>, value: &[u8]) {
    bytes.extend_from_slice(&(value.len() as u32).to_be_bytes());
    bytes.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::super::Typed;
    use super::*;

    const fn column(kind: Type) -> Typed {
        Typed::new("c", kind).nullable()
    }

    #[test]
    fn values_are_in_the_order_of_the_network() {
        static COLUMNS: [Typed; 8] = [
            column(Type::Bool),
            column(Type::Int8),
            column(Type::Int2),
            column(Type::Char(5)),
            column(Type::Float8),
            column(Type::Text),
            column(Type::Date),
            column(Type::Varchar(200)),
        ];
        let mut row = Row::new(&COLUMNS);
        let mut bytes = Vec::new();
        let long = "y".repeat(150);
        for _ in 0..2 {
            bytes.clear();
            row.bool(true);
            row.int8(-2);
            row.int2(258);
            row.text("ab");
            row.float8(1.0);
            row.null();
            row.date(-1);
            row.text(&long);
            assert_eq!(row.binary(&mut bytes), Ok(()));
        }
        let mut expected = vec![0, 8];
        for value in [
            &[1][..],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
            &[1, 2],
            b"ab",
            &[0x3f, 0xf0, 0, 0, 0, 0, 0, 0],
        ] {
            field(&mut expected, value);
        }
        expected.extend_from_slice(&[0xff; 4]);
        field(&mut expected, &[0xff; 4]);
        field(&mut expected, long.as_bytes());
        assert_eq!(bytes, expected);
    }

    #[test]
    fn numbers_are_as_the_server_sends_them() {
        static COLUMNS: [Typed; 1] = [column(Type::Numeric {
            precision: 12,
            scale: 2,
        })];
        // The number of digits, the place of the first, the sign, the scale, the digits.
        for (unscaled, words) in [
            (0, &[0, 0, 0, 2][..]),
            (150, &[2, 0, 0, 2, 1, 5_000]),
            (-150, &[2, 0, 0x4000, 2, 1, 5_000]),
            (1, &[1, 0xffff, 0, 2, 100]),
            (1_234_567_800, &[2, 1, 0, 2, 1_234, 5_678]),
        ] {
            let mut row = Row::new(&COLUMNS);
            row.numeric(unscaled);
            let mut bytes = Vec::new();
            assert_eq!(row.binary(&mut bytes), Ok(()));
            let mut expected = vec![0, 1];
            let value: Vec<u8> = words
                .iter()
                .flat_map(|word: &u16| word.to_be_bytes())
                .collect();
            field(&mut expected, &value);
            assert_eq!(bytes, expected, "{unscaled}");
        }
    }

    #[test]
    fn a_row_that_is_not_complete_is_an_error() {
        static COLUMNS: [Typed; 2] = [column(Type::Text), column(Type::Int4)];
        let mut row = Row::new(&COLUMNS);
        row.text("x");
        let mut bytes = Vec::new();
        let incomplete = RowError::Incomplete {
            given: 1,
            columns: 2,
        };
        assert_eq!(row.binary(&mut bytes), Err(incomplete));
        assert!(bytes.is_empty());
    }
}
