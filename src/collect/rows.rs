//! Common work on rows read from a view of the server: a view's columns keep their names in the history; those of
//! another version stay NULL there or are left out.

use crate::error::Result;
use crate::pg::sql::spi;
use serde_json::{Map, Value};

/// A row by its columns' names.
pub type Row = Map<String, Value>;

/// The rows of a query by their columns' names.
pub fn select(sql: &str, args: &[pgrx::datum::DatumWithOid]) -> Result<Vec<Row>> {
    spi::select(sql, args)
}

/// As a collector returns them.
pub fn values(rows: Vec<Row>) -> Vec<Value> {
    rows.into_iter().map(Value::Object).collect()
}

/// Times of 0 mean that nothing was timed unless it `is_timed`: they are unknown.
pub fn forget_untimed(rows: &mut [Row], is_timed: bool, columns: &[&str]) {
    if is_timed {
        return;
    }
    for row in rows {
        for &column in columns {
            if let Some(value) = row.get_mut(column)
                && value.as_f64() == Some(0.0)
            {
                *value = Value::Null;
            }
        }
    }
}

/// All rows as one: numbers are summed; of times (as text), the latest is kept.
pub fn total(rows: &[Row]) -> Row {
    let mut total = Row::new();
    for (column, value) in rows.iter().flatten() {
        let sum = match (total.get(column), value) {
            (Some(Value::Number(sum)), Value::Number(more)) => {
                match (sum.as_i64(), more.as_i64()) {
                    (Some(sum), Some(more)) => sum.saturating_add(more).into(),
                    _ => (sum.as_f64().unwrap_or(0.0) + more.as_f64().unwrap_or(0.0)).into(),
                }
            }
            (Some(Value::String(one)), Value::String(other)) => one.max(other).clone().into(),
            (None | Some(Value::Null), value) => value.clone(),
            (Some(known), _) => known.clone(),
        };
        total.insert(column.clone(), sum);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(value: Value) -> Vec<Row> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn totals_add_numbers_and_keep_the_latest_time() {
        let total = total(&rows(json!([
            {"n": 1, "t": 0.5, "at": null, "none": null},
            {"n": 2, "t": 1, "at": "2026-01-02T00:00:00+00:00", "none": null},
            {"n": 3, "t": null, "at": "2026-01-01T00:00:00+00:00", "none": null},
        ])));
        assert_eq!(
            Value::Object(total),
            json!({"n": 6, "t": 1.5, "at": "2026-01-02T00:00:00+00:00", "none": null})
        );
    }
}
