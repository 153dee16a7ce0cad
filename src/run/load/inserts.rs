//! The rows of a source as INSERT statements, for a table that cannot be filled in bulk: one that differs from the table of
//! the data set's step, or whose rows logical decoding has to see.

use crate::pg::bulk::{InsertWriter, RowError, Rows, Typed};
use crate::workload::{LoadStatement, Source, Sources};
use std::ops::RangeInclusive;

/// About how many rows a statement inserts: some milliseconds of work, after which the load can be stopped.
const ROWS: u64 = 500;

/// The statements, one after the other; none for units without rows.
pub(super) struct Inserts<'a> {
    schema: &'a str,
    table: &'a str,
    columns: &'static [Typed],
    units: RangeInclusive<i64>,
    source: Source,
}

impl<'a> Inserts<'a> {
    pub(super) fn new(
        schema: &'a str,
        table: &'a str,
        columns: &'static [Typed],
        units: u64,
        sources: &Sources,
    ) -> Inserts<'a> {
        Inserts {
            schema,
            table,
            columns,
            units: 1..=units as i64,
            source: sources.begin(),
        }
    }
}

impl Iterator for Inserts<'_> {
    type Item = Result<LoadStatement, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut writer = InsertWriter::new(self.schema, self.table, self.columns);
        let mut rows = Rows::new(self.columns, &mut writer);
        let count = loop {
            match rows.count() {
                Ok(count) if count < ROWS => match self.units.next() {
                    Some(unit) => (self.source)(unit, &mut rows),
                    None => break count,
                },
                Ok(count) => break count,
                Err(error) => return Some(Err(error)),
            }
        };
        let sql = writer.into_statement()?;
        Some(Ok(LoadStatement { sql, rows: count }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pg::bulk::Type;
    use crate::workload::Contents;

    static COLUMNS: [Typed; 1] = [Typed::new("id", Type::Int4)];

    /// The rows of each statement, for units of `per_unit(n)` rows.
    fn counts(units: u64, per_unit: fn(i64) -> i32) -> Vec<(u64, usize)> {
        let contents = Contents::made(&COLUMNS, units, move || {
            move |n, rows: &mut Rows| {
                for i in 0..per_unit(n) {
                    rows.push(|row| row.int4(i));
                }
            }
        });
        let Contents::Made { sources, .. } = &contents else {
            return Vec::new();
        };
        Inserts::new("s", "t", &COLUMNS, units, sources)
            .map(|insert| {
                let insert = insert.unwrap();
                (insert.rows, insert.sql.matches("), (").count() + 1)
            })
            .collect()
    }

    #[test]
    fn statements_have_whole_units() {
        assert_eq!(counts(0, |_| 1), []);
        assert_eq!(counts(10_000, |_| 0), []);
        assert_eq!(counts(1_200, |_| 1), [(500, 500), (500, 500), (200, 200)]);
        // Units of 1, 2 and 0 rows.
        assert_eq!(counts(600, |n| (n % 3) as i32), [(501, 501), (99, 99)]);
        assert_eq!(counts(2, |_| 700), [(700, 700), (700, 700)]);
    }

    #[test]
    fn a_row_that_does_not_fit_is_an_error() {
        let contents = Contents::made(&COLUMNS, 1, || |_, rows: &mut Rows| rows.push(|_| {}));
        let Contents::Made { sources, .. } = &contents else {
            panic!("not made")
        };
        let mut inserts = Inserts::new("s", "t", &COLUMNS, 1, sources);
        assert!(matches!(
            inserts.next(),
            Some(Err(RowError::Incomplete { .. }))
        ));
    }
}
