//! Settings whose values differ between the ends of two windows.

use crate::error::Result;
use crate::history::window::Window;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A setting that differs.
#[derive(Debug, Serialize)]
pub struct Difference {
    pub name: String,
    /// Of `ALTER DATABASE`; null: for all.
    pub database: Option<String>,
    /// Of `ALTER ROLE`; null: for all.
    pub role: Option<String>,
    /// At the end of window a, with its unit; null: the default, or not known yet.
    pub a: Option<String>,
    /// At the end of window b.
    pub b: Option<String>,
}

#[derive(Deserialize)]
struct StoredSetting {
    name: String,
    database_name: Option<String>,
    role_name: Option<String>,
    value: Option<String>,
    unit: Option<String>,
    source: Option<String>,
}

/// $1: the node; $2: the moment. The newest row of a setting applies.
const AT: &str = "SELECT DISTINCT ON (h.name, h.database_name, h.role_name) h.name, h.database_name, h.role_name, h.value, h.unit, h.source \
    FROM pgperf.settings_history h \
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= $2::pg_catalog.timestamptz \
    ORDER BY h.name, h.database_name, h.role_name, h.sample_id DESC";

type Key = (String, Option<String>, Option<String>);

fn at_the_end(window: &Window) -> Result<BTreeMap<Key, Option<String>>> {
    let args = [
        window.span.node_id.as_str().into(),
        window.span.to.as_str().into(),
    ];
    let rows: Vec<StoredSetting> = spi::select(AT, &args)?;
    let known = rows.into_iter().map(|row| {
        // A setting that never left its default has no row: one that is back at it is the same.
        let value = row
            .value
            .filter(|_| row.source.as_deref() != Some("default"));
        let value = value.map(|value| crate::show::number::setting(&value, row.unit.as_deref()));
        ((row.name, row.database_name, row.role_name), value)
    });
    Ok(known.collect())
}

/// In the order of their names. Without samples of settings before the end of a window nothing is known of it.
pub fn differences(a: &Window, b: &Window) -> Result<Vec<Difference>> {
    let (a, b) = (at_the_end(a)?, at_the_end(b)?);
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    Ok(differing(&a, &b))
}

fn differing(
    a: &BTreeMap<Key, Option<String>>,
    b: &BTreeMap<Key, Option<String>>,
) -> Vec<Difference> {
    let mut keys: Vec<&Key> = a.keys().chain(b.keys()).collect();
    keys.sort();
    keys.dedup();
    let differences = keys.into_iter().filter_map(|key| {
        let value = |of: &BTreeMap<Key, Option<String>>| of.get(key).cloned().flatten();
        let (a, b) = (value(a), value(b));
        (a != b).then(|| Difference {
            name: key.0.clone(),
            database: key.1.clone(),
            role: key.2.clone(),
            a,
            b,
        })
    });
    differences.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_came_went_or_changed_differ() {
        let settings = |list: &[(&str, Option<&str>)]| -> BTreeMap<Key, Option<String>> {
            let entry = |(name, value): &(&str, Option<&str>)| {
                (((*name).to_owned(), None, None), value.map(str::to_owned))
            };
            list.iter().map(entry).collect()
        };
        let a = settings(&[
            ("same", Some("1")),
            ("changed", Some("1")),
            ("gone", Some("1")),
            ("never", None),
        ]);
        let b = settings(&[
            ("same", Some("1")),
            ("changed", Some("2")),
            ("new", Some("1")),
        ]);
        let seen: Vec<_> = differing(&a, &b)
            .into_iter()
            .map(|one| (one.name, one.a, one.b))
            .collect();
        let text = |value: &str| Some(value.to_owned());
        let expected = [
            ("changed".to_owned(), text("1"), text("2")),
            ("gone".to_owned(), text("1"), None),
            ("new".to_owned(), None, text("1")),
        ];
        assert_eq!(seen, expected);
    }
}
