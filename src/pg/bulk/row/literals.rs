//! A packed row as SQL literals, for a table whose rows the executor has to insert. The values are read from the packed
//! bytes, so that packing itself stays as cheap.

use super::values::Values;
use super::{Row, RowError, Type};
use crate::pg::numeric;
use crate::pg::sql::quote::quote_literal;

impl Row {
    /// Appends the values in parentheses, as literals that mean the same whatever the settings of the session are. Otherwise as
    /// [`Row::pack`].
    ///
    /// # Errors
    /// Those of [`Row::pack`].
    pub fn literals(&mut self, text: &mut String) -> Result<(), RowError> {
        self.complete();
        if self.error.is_none() {
            let mut values = Values::of(&self.data);
            for (i, (column, is_present)) in self.columns.iter().zip(&self.present).enumerate() {
                text.push_str(if i == 0 { "(" } else { ", " });
                match is_present {
                    true => text.push_str(&literal(&mut values, column.kind)),
                    false => text.push_str("NULL"),
                }
            }
            text.push(')');
        }
        self.clear()
    }
}

fn literal(values: &mut Values, kind: Type) -> String {
    match kind {
        Type::Bool => (values.fixed::<1>() != [0]).to_string(),
        Type::Int2 => i16::from_ne_bytes(values.fixed()).to_string(),
        Type::Int4 => i32::from_ne_bytes(values.fixed()).to_string(),
        Type::Int8 => i64::from_ne_bytes(values.fixed()).to_string(),
        // As many digits as tell it from its neighbours; inf and NaN are words that the server knows.
        Type::Float8 => format!("'{:?}'", f64::from_ne_bytes(values.fixed())),
        Type::Date => date(i32::from_ne_bytes(values.fixed())),
        Type::Timestamp => timestamp(i64::from_ne_bytes(values.fixed()), ""),
        Type::Timestamptz => timestamp(i64::from_ne_bytes(values.fixed()), "+00"),
        Type::Text | Type::Varchar(_) => quote_literal(&text(values)),
        Type::Char(_) => quote_literal(text(values).trim_end_matches(' ')),
        Type::Numeric { scale, .. } => decimal(numeric::unpack(values.variable(), scale), scale),
    }
}

/// What was packed is ASCII.
fn text(values: &mut Values) -> String {
    String::from_utf8_lossy(values.variable()).into_owned()
}

/// A number of 10 to the power of `-scale`.
fn decimal(unscaled: i64, scale: u16) -> String {
    let places = usize::from(scale);
    let mut text = format!("{:0width$}", unscaled.unsigned_abs(), width = places + 1);
    if places > 0 {
        text.insert(text.len() - places, '.');
    }
    if unscaled < 0 {
        text.insert(0, '-');
    }
    text
}

/// Year first, which the server reads as such whatever DateStyle is.
fn date(days: i32) -> String {
    match days {
        i32::MIN => "'-infinity'".to_owned(),
        i32::MAX => "'infinity'".to_owned(),
        _ => {
            let (day, era) = day(i64::from(days));
            format!("'{day}{era}'")
        }
    }
}

fn timestamp(microseconds: i64, zone: &str) -> String {
    const DAY: i64 = 86_400_000_000;
    match microseconds {
        i64::MIN => "'-infinity'".to_owned(),
        i64::MAX => "'infinity'".to_owned(),
        _ => {
            let (day, era) = day(microseconds.div_euclid(DAY));
            let time = microseconds.rem_euclid(DAY);
            let (seconds, fraction) = (time / 1_000_000, time % 1_000_000);
            let (minutes, second) = (seconds / 60, seconds % 60);
            let (hour, minute) = (minutes / 60, minutes % 60);
            format!("'{day} {hour:02}:{minute:02}:{second:02}.{fraction:06}{zone}{era}'")
        }
    }
}

/// The day that is so many days after 2000-01-01 in the Gregorian calendar, and how a year before our era ends.
fn day(days: i64) -> (String, &'static str) {
    const ERA_DAYS: i64 = 146_097;
    /// From 0000-03-01, with which an era of 400 years begins here: leap days are last in their years.
    const TO_2000: i64 = 730_425;
    let days = days + TO_2000;
    let (era, of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
    // Years of 365 days, after each leap day is taken out: one in 4 years, none in 100, one in 400.
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days.
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + i64::from(month <= 2);
    match year > 0 {
        true => (format!("{year:04}-{month:02}-{day:02}"), ""),
        // There is no year 0.
        false => (format!("{:04}-{month:02}-{day:02}", 1 - year), " BC"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Typed;
    use super::*;

    const fn column(kind: Type) -> Typed {
        Typed::new("c", kind).nullable()
    }

    fn literals(
        columns: &'static [Typed],
        make: impl Fn(&mut Row),
    ) -> std::result::Result<String, RowError> {
        let (mut row, mut text) = (Row::new(columns), String::new());
        // Whatever was before leaves nothing behind.
        row.null();
        let _ = row.literals(&mut String::new());
        make(&mut row);
        row.literals(&mut text).map(|()| text)
    }

    #[test]
    fn values_are_read_back_wherever_they_lie() {
        static COLUMNS: [Typed; 11] = [
            column(Type::Bool),
            column(Type::Int2),
            column(Type::Int4),
            column(Type::Char(5)),
            column(Type::Int8),
            column(Type::Varchar(200)),
            column(Type::Text),
            column(Type::Numeric {
                precision: 12,
                scale: 2,
            }),
            column(Type::Float8),
            column(Type::Text),
            column(Type::Bool),
        ];
        for long in [0, 125, 126, 127, 128, 200] {
            let text = "y".repeat(long);
            let row = literals(&COLUMNS, |row| {
                row.bool(true);
                row.int2(-5);
                row.int4(i32::MIN);
                row.text("it's");
                row.int8(i64::MIN);
                row.text(&text);
                row.text("a\\b ");
                row.numeric(-7);
                row.float8(0.1);
                row.null();
                row.bool(false);
            });
            let expected = format!(
                "(true, -5, -2147483648, 'it''s', -9223372036854775808, '{text}', E'a\\\\b ', -0.07, '0.1', NULL, false)"
            );
            assert_eq!(row.unwrap(), expected);
        }
    }

    #[test]
    fn what_cannot_be_packed_has_no_literals() {
        static COLUMNS: [Typed; 2] = [column(Type::Text), column(Type::Int4)];
        let error = |make: fn(&mut Row)| literals(&COLUMNS, make).unwrap_err();
        assert_eq!(
            error(|row| row.text("x")),
            RowError::Incomplete {
                given: 1,
                columns: 2
            }
        );
        assert!(matches!(
            error(|row| (row.text("x".repeat(2_010)), row.int4(1)).1),
            RowError::TooWide { .. }
        ));
    }

    #[test]
    fn decimals_have_all_their_places() {
        for (unscaled, scale, text) in [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (5, 4, "0.0005"),
            (-5, 1, "-0.5"),
            (12_345, 2, "123.45"),
            (i64::MIN, 3, "-9223372036854775.808"),
        ] {
            assert_eq!(decimal(unscaled, scale), text);
        }
    }

    #[test]
    fn days_of_the_calendar() {
        for (days, text) in [
            (0, "'2000-01-01'"),
            (-1, "'1999-12-31'"),
            (59, "'2000-02-29'"),
            (60, "'2000-03-01'"),
            (366, "'2001-01-01'"),
            (36_583, "'2100-02-28'"),
            (36_584, "'2100-03-01'"),
            (-10_957, "'1970-01-01'"),
            (2_921_940, "'10000-01-01'"),
            (-730_119, "'0001-01-01'"),
            (-730_120, "'0001-12-31 BC'"),
            (-2_451_545, "'4714-11-24 BC'"),
            (i32::MAX, "'infinity'"),
            (i32::MIN, "'-infinity'"),
        ] {
            assert_eq!(date(days), text);
        }
        // Each day is the one after the day before.
        let mut before = day(-200_000).0;
        for days in -199_999..200_000 {
            let next = day(days).0;
            assert!(before < next, "{before} {next}");
            before = next;
        }
    }

    #[test]
    fn times_are_exact_to_the_microsecond() {
        assert_eq!(timestamp(0, ""), "'2000-01-01 00:00:00.000000'");
        assert_eq!(timestamp(-1, "+00"), "'1999-12-31 23:59:59.999999+00'");
        assert_eq!(timestamp(3_661_000_001, ""), "'2000-01-01 01:01:01.000001'");
        let in_year_one_before = -730_120 * 86_400_000_000;
        assert_eq!(
            timestamp(in_year_one_before, "+00"),
            "'0001-12-31 00:00:00.000000+00 BC'"
        );
        assert_eq!(timestamp(i64::MAX, "+00"), "'infinity'");
    }
}
