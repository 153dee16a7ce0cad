//! The answers of a query by two plans, which must be equal. For each column the number of rows, the sum of its numbers and a
//! sum of hashes of all other values are compared, so that the order of the rows does not matter, and many rows are no
//! problem.

use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A query that two plans must answer alike.
#[derive(Clone, Debug)]
pub struct Answer {
    pub name: String,
    /// The common table expressions that stand for its tables.
    pub with: String,
    pub query: String,
    /// By how much sums may differ, as a share of them; None: not at all.
    pub tolerance: Option<f64>,
}

/// What the second plan must not use: it joins by merging or in nested loops, groups what it has sorted, and runs in one process.
const SECOND_PLAN: [(&str, &str); 5] = [
    ("enable_hashjoin", "off"),
    ("enable_hashagg", "off"),
    ("enable_memoize", "off"),
    ("max_parallel_workers_per_gather", "0"),
    ("jit", "off"),
];

/// The sums of a column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Sums {
    rows: i64,
    /// Of its numbers, as text: exact.
    total: Option<String>,
    /// Of the hashes of what is no number.
    hashes: Option<String>,
}

type Columns = BTreeMap<String, Sums>;

impl Answer {
    /// How the answers of the two plans differ; None: they are the same.
    pub fn difference(&self) -> Result<Option<String>> {
        let first = role::with_settings(|| self.columns())?;
        let second = role::with_settings(|| setting::with_all(&SECOND_PLAN, || self.columns()))?;
        Ok(difference(&first, &second, self.tolerance))
    }

    fn columns(&self) -> Result<Columns> {
        #[derive(Deserialize)]
        struct ResultColumn {
            name: String,
            #[serde(flatten)]
            sums: Sums,
        }
        // Not a kept plan: the second one would be the first.
        let columns: Vec<ResultColumn> = spi::select_from(&[], &self.sql(), &[])?;
        let columns = columns.into_iter();
        Ok(columns.map(|column| (column.name, column.sums)).collect())
    }

    fn sql(&self) -> String {
        format!(
            "WITH {}, answer AS ({}), \
                  field AS (SELECT f.key, f.value, pg_catalog.jsonb_typeof(f.value) = 'number' AS is_number \
                              FROM answer, pg_catalog.jsonb_each(pg_catalog.to_jsonb(answer)) AS f) \
             SELECT key AS name, pg_catalog.count(*) AS rows, \
                    pg_catalog.sum(CASE WHEN is_number THEN (value #>> '{{}}')::pg_catalog.numeric END)::pg_catalog.text AS total, \
                    pg_catalog.sum(CASE WHEN NOT is_number THEN pg_catalog.hashtextextended(value::pg_catalog.text, 0) END) \
                        ::pg_catalog.text AS hashes \
               FROM field GROUP BY key",
            self.with, self.query
        )
    }
}

fn difference(first: &Columns, second: &Columns, tolerance: Option<f64>) -> Option<String> {
    let rows = |columns: &Columns| columns.values().next().map_or(0, |sums| sums.rows);
    let (ours, theirs) = (rows(first), rows(second));
    if ours != theirs {
        return Some(format!("{ours} rows, with another plan {theirs}"));
    }
    let mut columns = first
        .iter()
        .map(|(name, sums)| (name, sums, second.get(name)));
    columns.find_map(|(name, one, other)| {
        let Some(other) = other else {
            return Some(format!("no column {name} with another plan"));
        };
        if !is_same(one.total.as_deref(), other.total.as_deref(), tolerance) {
            let text = |total: &Option<String>| total.clone().unwrap_or_else(|| "NULL".to_owned());
            let (one, other) = (text(&one.total), text(&other.total));
            return Some(format!("sum of {name} {one}, with another plan {other}"));
        }
        (one.hashes != other.hashes).then(|| format!("other values of {name} with another plan"))
    })
}

fn is_same(one: Option<&str>, other: Option<&str>, tolerance: Option<f64>) -> bool {
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok());
    match (tolerance, number(one), number(other)) {
        (Some(tolerance), Some(one), Some(other)) => {
            (one - other).abs() <= tolerance * one.abs().max(other.abs())
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(rows: i64, total: &str, hashes: &str) -> Columns {
        let sums = Sums {
            rows,
            total: Some(total.to_owned()),
            hashes: Some(hashes.to_owned()),
        };
        [("a".to_owned(), sums)].into()
    }

    #[test]
    fn rows_sums_and_other_values_are_compared() {
        let first = columns(2, "1.00", "5");
        let found = |second: &Columns, tolerance| difference(&first, second, tolerance);
        assert_eq!(found(&first, None), None);
        assert_eq!(
            found(&columns(3, "1.00", "5"), None).unwrap(),
            "2 rows, with another plan 3"
        );
        assert_eq!(
            found(&columns(2, "1.01", "5"), None).unwrap(),
            "sum of a 1.00, with another plan 1.01"
        );
        assert_eq!(
            found(&columns(2, "1.00", "6"), None).unwrap(),
            "other values of a with another plan"
        );
        assert_eq!(
            found(&Columns::new(), None).unwrap(),
            "2 rows, with another plan 0"
        );
        assert_eq!(difference(&Columns::new(), &Columns::new(), None), None);
    }

    #[test]
    fn sums_of_double_precision_may_differ_a_little() {
        let is_found = |total: &str| {
            difference(&columns(2, "1.0", "5"), &columns(2, total, "5"), Some(1e-9)).is_some()
        };
        assert!(!is_found("1.0000000001"));
        assert!(is_found("1.00000001"));
    }
}
