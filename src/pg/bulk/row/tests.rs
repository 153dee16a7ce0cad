//! Bytes and errors of packed rows.

use super::*;

const fn column(kind: Type) -> Typed {
    Typed::new("c", kind).nullable()
}

fn packed(columns: &'static [Typed], make: impl Fn(&mut Row)) -> Result<Vec<u8>, RowError> {
    let (mut row, mut bytes) = (Row::new(columns), Vec::new());
    // Whatever was before leaves nothing behind.
    row.null();
    let _ = row.pack(1, 2, &mut bytes);
    make(&mut row);
    row.pack(7, 3, &mut bytes).map(|()| bytes)
}

#[test]
fn values_are_aligned_and_nulls_take_no_place() {
    static COLUMNS: [Typed; 4] = [
        column(Type::Bool),
        column(Type::Int4),
        column(Type::Char(3)),
        column(Type::Int8),
    ];
    let row = packed(&COLUMNS, |row| {
        row.bool(true);
        row.int4(5);
        row.text("x");
        row.int8(9);
    })
    .unwrap();
    assert_eq!(row[..4], 7_u32.to_ne_bytes());
    assert_eq!(row[8..12], 3_u32.to_ne_bytes());
    assert_eq!(row[22], 24);
    let data = [
        &[1, 0, 0, 0][..],
        &5_i32.to_ne_bytes(),
        &[short_header(3), b'x', b' ', b' ', 0, 0, 0, 0],
        &9_i64.to_ne_bytes(),
    ];
    assert_eq!(row[24..], data.concat());
    let row = packed(&COLUMNS, |row| {
        row.null();
        row.int4(5);
        row.null();
        row.int8(9);
    })
    .unwrap();
    assert_eq!((row[22], row[23]), (24, 0b1010));
    assert_eq!(row[24..28], 5_i32.to_ne_bytes());
    assert_eq!(row.len(), 24 + 16);
}

#[test]
fn long_values_have_the_long_header() {
    static COLUMNS: [Typed; 2] = [column(Type::Bool), column(Type::Text)];
    let lengths = |len: usize| {
        let row = packed(&COLUMNS, |row| {
            row.bool(true);
            row.text("x".repeat(len));
        });
        row.map(|row| row.len() - 24)
    };
    assert_eq!(lengths(126), Ok(1 + 1 + 126));
    assert_eq!(lengths(127), Ok(4 + 4 + 127));
    assert_eq!(lengths(2000), Ok(2008));
    assert_eq!(
        lengths(2001),
        Err(RowError::TooWide {
            bytes: 2033,
            limit: 2032
        })
    );
}

#[test]
fn what_does_not_fit_is_an_error() {
    static COLUMNS: [Typed; 2] = [
        column(Type::Varchar(2)),
        column(Type::Numeric {
            precision: 3,
            scale: 1,
        }),
    ];
    static NEVER_NULL: [Typed; 1] = [Typed::new("c", Type::Int4)];
    let error = |make: fn(&mut Row)| packed(&COLUMNS, make).unwrap_err();
    let wrong = |column, expected| RowError::WrongType { column, expected };
    assert_eq!(error(|row| row.int4(1)), wrong(1, Some(COLUMNS[0].kind)));
    assert_eq!(
        error(|row| (row.text("abc"), row.null()).1),
        RowError::TooLong { column: 1 }
    );
    assert_eq!(
        error(|row| (row.text("\u{e4}"), row.null()).1),
        RowError::NotAscii { column: 1 }
    );
    assert_eq!(
        error(|row| (row.null(), row.numeric(1000)).1),
        RowError::TooLong { column: 2 }
    );
    assert_eq!(
        error(|row| row.null()),
        RowError::Incomplete {
            given: 1,
            columns: 2
        }
    );
    assert_eq!(
        error(|row| (row.null(), row.null(), row.null()).2),
        wrong(3, None)
    );
    packed(&COLUMNS, |row| (row.text("ab"), row.numeric(-999)).1).unwrap();
    assert_eq!(
        packed(&NEVER_NULL, Row::null),
        Err(wrong(1, Some(Type::Int4)))
    );
}

#[test]
fn small_and_zoned_values_have_their_alignment() {
    static COLUMNS: [Typed; 4] = [
        column(Type::Bool),
        column(Type::Int2),
        column(Type::Int2),
        column(Type::Timestamptz),
    ];
    let row = packed(&COLUMNS, |row| {
        row.bool(true);
        row.int2(-2);
        row.int2(i16::MAX);
        row.timestamptz(-1);
    })
    .unwrap();
    let data = [
        &[1, 0][..],
        &(-2_i16).to_ne_bytes(),
        &i16::MAX.to_ne_bytes(),
        &[0, 0],
        &(-1_i64).to_ne_bytes(),
    ];
    assert_eq!(row[24..], data.concat());
}
