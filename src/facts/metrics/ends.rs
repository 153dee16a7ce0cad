//! A table's rows at a run's start and end, and the differences of their counters.

use crate::collect::Sample;
use crate::collect::rows::Row;
use crate::error::Result;
use crate::facts::Span;
use crate::pg::sql::spi;
use serde::Deserialize;
use serde_json::Value;

/// A row at the start and the end.
pub struct Ends {
    pub before: Row,
    pub after: Row,
    /// Whether the server's counters went on; of the machine's, its boot tells.
    pub went_on: bool,
}

impl Ends {
    /// What a counter came to. None: this server has none; Some(None): it began again.
    pub fn difference(&self, column: &str) -> Option<Option<f64>> {
        let (before, after) = (self.before.get(column)?, self.after.get(column)?);
        if before.is_null() && after.is_null() {
            return None;
        }
        Some(self.known_difference(column))
    }

    pub fn known_difference(&self, column: &str) -> Option<f64> {
        let same = |column: &str| self.before.get(column) == self.after.get(column);
        let goes_on = self.went_on && same("stats_reset") && same("boot_id");
        let difference = number(self.after.get(column)?)? - number(self.before.get(column)?)?;
        (goes_on && difference >= 0.0).then_some(difference)
    }

    /// The sum of the known differences of several counters.
    pub fn sum(&self, columns: &[&str]) -> f64 {
        columns
            .iter()
            .filter_map(|column| self.known_difference(column))
            .sum()
    }
}

/// A number, or one in quotes: those of 64 bits without a sign are stored as text.
pub fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// What a sample has stored of the counters that are metrics.
///
/// Those of the start are kept in memory: retention may drop the sample before a run of many days ends.
#[derive(Debug)]
pub struct Counted {
    rows: Vec<(String, Row)>,
}

/// Where they are stored.
const TABLES: [&str; 5] = [
    "wal_history",
    "database_history",
    "checkpoint_history",
    "host_history",
    "device_history",
];

impl Counted {
    pub fn read(node_id: &str, sample: &Sample) -> Result<Counted> {
        #[derive(Deserialize)]
        struct StoredCounters {
            history: String,
            row: Row,
        }
        let of_table = |table| {
            format!(
                "SELECT '{table}' AS history, pg_catalog.to_jsonb(h) AS row FROM pgperf.{table} h \
                 WHERE h.node_id = $1::pg_catalog.uuid AND h.sample_id = $2 \
                   AND h.taken_at = $3::pg_catalog.timestamptz"
            )
        };
        let stored: Vec<StoredCounters> = spi::select(
            &TABLES.map(of_table).join(" UNION ALL "),
            &[
                node_id.into(),
                sample.sample_id.into(),
                sample.taken_at.as_str().into(),
            ],
        )?;
        Ok(Counted {
            rows: stored.into_iter().map(|s| (s.history, s.row)).collect(),
        })
    }

    pub fn of<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a Row> {
        let rows = self.rows.iter();
        rows.filter(move |(history, _)| history == table)
            .map(|(_, row)| row)
    }

    /// The row of a table that has one a sample; of the databases, this one's: all of them together have no name.
    fn row<'a>(&'a self, table: &'a str) -> Option<&'a Row> {
        self.of(table)
            .find(|row| row.get("database_name") != Some(&Value::Null))
    }
}

/// The rows of a table at both ends; None if one has none.
pub fn ends(span: &Span, after: &Counted, table: &str) -> Option<Ends> {
    Some(Ends {
        before: span.counted.row(table)?.clone(),
        after: after.row(table)?.clone(),
        // The machine's counters do not begin again with the server's.
        went_on: table == "host_history" || span.counters_went_on(),
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    pub fn row(value: Value) -> Row {
        serde_json::from_value(value).unwrap()
    }

    pub fn ends_of(before: Value, after: Value) -> Ends {
        Ends {
            before: row(before),
            after: row(after),
            went_on: true,
        }
    }

    #[test]
    fn a_counter_that_began_again_has_no_difference() {
        let before = json!({"n": 5, "absent": null, "stats_reset": null});
        let went_on = ends_of(
            before.clone(),
            json!({"n": 7, "absent": null, "stats_reset": null}),
        );
        assert_eq!(went_on.difference("n"), Some(Some(2.0)));
        assert_eq!(went_on.difference("absent"), None, "this server has none");
        assert_eq!(went_on.difference("unheard"), None);
        let reset = ends_of(before.clone(), json!({"n": 7, "stats_reset": "2026-01-01"}));
        assert_eq!(reset.difference("n"), Some(None));
        let fell = ends_of(before.clone(), json!({"n": 4, "stats_reset": null}));
        assert_eq!(fell.difference("n"), Some(None));
        let crashed = Ends {
            went_on: false,
            ..went_on
        };
        assert_eq!(crashed.difference("n"), Some(None));
    }
}
