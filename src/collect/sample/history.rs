//! The insertion of rows into a history table: one statement for all rows, with an array for each column.
//!
//! With one JSON document for all rows, which the server has to parse, it took 50 % longer.

use super::beginning::Header;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Rows for a history table.
pub enum Rows {
    /// Each an object whose keys are the table's columns; missing ones are NULL.
    Objects(Vec<Value>),
    /// For many rows: for each column an array of one value per row.
    Columns(Vec<(&'static str, Column)>),
}

/// The values of one column, one per row.
pub enum Column {
    Texts(Vec<Option<String>>),
    Numbers(Vec<Option<i64>>),
}

impl Column {
    fn into_array(self) -> DatumWithOid<'static> {
        match self {
            Column::Texts(texts) => texts.into(),
            Column::Numbers(numbers) => numbers.into(),
        }
    }
}

impl From<Vec<Value>> for Rows {
    fn from(objects: Vec<Value>) -> Self {
        Rows::Objects(objects)
    }
}

impl Rows {
    fn is_empty(&self) -> bool {
        match self {
            Rows::Objects(objects) => objects.is_empty(),
            Rows::Columns(columns) => columns.is_empty(),
        }
    }

    /// The first rows, if there are more than this many.
    pub fn take_first(&mut self, most: usize) -> Option<Rows> {
        match self {
            Rows::Objects(objects) => Some(Rows::Objects(take_first(objects, most)?)),
            Rows::Columns(columns) => {
                let first = |(name, column): &mut (&'static str, Column)| {
                    let column = match column {
                        Column::Texts(texts) => Column::Texts(take_first(texts, most)?),
                        Column::Numbers(numbers) => Column::Numbers(take_first(numbers, most)?),
                    };
                    Some((*name, column))
                };
                columns
                    .iter_mut()
                    .map(first)
                    .collect::<Option<_>>()
                    .map(Rows::Columns)
            }
        }
    }

    /// The array of a column's values; None if no row has it.
    fn take(&mut self, name: &str, type_name: &str) -> Option<DatumWithOid<'static>> {
        match self {
            Rows::Objects(objects) => objects
                .iter()
                .any(|row| row.get(name).is_some())
                .then(|| array(type_name, objects.iter().map(|row| row.get(name)))),
            Rows::Columns(columns) => {
                let place = columns.iter().position(|(column, _)| *column == name)?;
                Some(columns.swap_remove(place).1.into_array())
            }
        }
    }
}

fn take_first<T>(list: &mut Vec<T>, most: usize) -> Option<Vec<T>> {
    (list.len() > most).then(|| {
        let rest = list.split_off(most);
        std::mem::replace(list, rest)
    })
}

/// Adds rows to a table: each is the header's columns and its own, as far as the table has them; columns that a row lacks
/// are NULL. Returns the number of rows.
pub fn insert(table: &'static str, header: &Header, mut rows: Rows) -> Result<u64> {
    if rows.is_empty() {
        return Ok(0);
    }
    let columns = columns(table)?;
    let (mut names, mut values, mut args) = (Vec::new(), Vec::new(), Vec::new());
    let mut once = Vec::new();
    for HistoryColumn { name, type_name } in columns.iter() {
        let place = args.len() + 1;
        if let Some(value) = header_value(header, name) {
            args.push(value);
            once.push(format!("${place}::{type_name} AS {name}"));
            values.push(format!("h.{name}"));
        } else if let Some(array) = rows.take(name, type_name) {
            args.push(array);
            values.push(format!("pg_catalog.unnest(${place})::{type_name}"));
        } else {
            continue;
        }
        names.push(name.as_str());
    }
    let (names, values, once) = (names.join(", "), values.join(", "), once.join(", "));
    // OFFSET keeps the planner from converting the header's values anew for each row.
    let insert = format!(
        "INSERT INTO pgperf.{table} ({names}) SELECT {values} FROM (SELECT {once} OFFSET 0) h"
    );
    write(header, || spi::execute(&insert, &args))
}

/// Writes rows of a sample. If another session attaches the day's partition meanwhile, the default partition no longer takes
/// the rows that were on their way there (SQLSTATE 23514): they are written again, now to the new one.
pub fn write<T>(header: &Header, rows: impl Fn() -> Result<T>) -> Result<T> {
    if !header.partitions_were_missing {
        return rows();
    }
    subtransaction(&rows).unwrap_or_else(|_| rows())
}

fn header_value(header: &Header, column: &str) -> Option<DatumWithOid<'static>> {
    Some(match column {
        "node_id" => header.node_id.clone().into(),
        "sample_id" => header.sample_id.into(),
        "taken_at" => header.taken_at.clone().into(),
        "run_id" => header.run_id.into(),
        _ => return None,
    })
}

/// A column of a table.
#[derive(Deserialize)]
struct HistoryColumn {
    name: String,
    type_name: String,
}

thread_local! {
    static COLUMNS: RefCell<HashMap<&'static str, Rc<Vec<HistoryColumn>>>> = RefCell::default();
}

/// A table's columns, looked up once per session: the library of this session does not know columns that an update of
/// the extension adds meanwhile either.
fn columns(table: &'static str) -> Result<Rc<Vec<HistoryColumn>>> {
    if let Some(known) = COLUMNS.with_borrow(|all| all.get(table).cloned()) {
        return Ok(known);
    }
    let columns: Vec<HistoryColumn> = spi::select(
        "SELECT a.attname AS name, \
                pg_catalog.format_type(a.atttypid, a.atttypmod) AS type_name \
         FROM pg_catalog.pg_attribute a \
         WHERE a.attrelid = ('pgperf.' || $1)::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped \
         ORDER BY a.attnum",
        &[table.into()],
    )?;
    let columns = Rc::new(columns);
    COLUMNS.with_borrow_mut(|all| all.insert(table, Rc::clone(&columns)));
    Ok(columns)
}

/// The values of a column: as numbers or truth values if they are such, otherwise as texts, which the statement
/// casts.
fn array<'v>(
    type_name: &str,
    values: impl Iterator<Item = Option<&'v Value>> + Clone,
) -> DatumWithOid<'static> {
    let exact: Option<DatumWithOid> = match type_name {
        "bigint" | "integer" | "smallint" => all(values.clone(), Value::as_i64).map(Into::into),
        "double precision" | "real" => all(values.clone(), Value::as_f64).map(Into::into),
        "boolean" => all(values.clone(), Value::as_bool).map(Into::into),
        _ => None,
    };
    exact.unwrap_or_else(|| {
        let texts = all(values, |value| Some(text(value)));
        texts.unwrap_or_default().into()
    })
}

/// None if one of the values is not such.
fn all<'v, T>(
    values: impl Iterator<Item = Option<&'v Value>>,
    such: impl Fn(&Value) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    values
        .map(|value| match value {
            None | Some(Value::Null) => Some(None),
            Some(value) => such(value).map(Some),
        })
        .collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_rows_are_taken_of_each_column() {
        let mut rows = Rows::Columns(vec![
            ("a", Column::Numbers(vec![Some(1), None, Some(3)])),
            ("b", Column::Texts(vec![None, Some("y".to_owned()), None])),
        ]);
        let lengths = |rows: &Rows| match rows {
            Rows::Columns(columns) => columns
                .iter()
                .map(|(_, column)| match column {
                    Column::Texts(texts) => texts.len(),
                    Column::Numbers(numbers) => numbers.len(),
                })
                .collect(),
            Rows::Objects(_) => Vec::new(),
        };
        assert!(rows.take_first(3).is_none());
        let first = rows.take_first(2).unwrap();
        assert_eq!((lengths(&first), lengths(&rows)), (vec![2, 2], vec![1, 1]));
    }

    #[test]
    fn values_of_one_kind_are_taken_as_they_are() {
        let values = [json!(1), Value::Null, json!("2")];
        let given = |count| values.iter().take(count).map(Some).chain([None]);
        assert_eq!(
            all(given(2), Value::as_i64),
            Some(vec![Some(1), None, None])
        );
        assert_eq!(all(given(3), Value::as_i64), None);
        let texts = all(given(3), |value| Some(text(value))).unwrap();
        assert_eq!(
            texts,
            [Some("1".to_owned()), None, Some("2".to_owned()), None]
        );
    }
}
