//! The rows of a function that returns a table, by the names of its columns, as [`super::arguments`] are read. So the columns are declared
//! once, in SQL, and a row is a struct whose fields have their names.

use crate::error::{Result, invalid};
use crate::pg::encoding;
use pgrx::pg_sys;
use serde::Serialize;
use serde_json::Value;
use std::ffi::{CStr, CString, c_char};

/// Gives these rows to whoever called the function. Fields that no column is named after are left out.
///
/// # Errors
/// A row has no field for a column; the function is called where no rows are expected.
pub fn give<Row: Serialize>(
    fcinfo: pg_sys::FunctionCallInfo,
    rows: impl IntoIterator<Item = Row>,
) -> Result<()> {
    // SAFETY: the server passes valid call information, and makes a place for rows as they are declared, for as long as the query runs.
    let (store, columns, input) = unsafe {
        pg_sys::InitMaterializedSRF(fcinfo, 0);
        let place = (*fcinfo).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        let columns = (*place).setDesc;
        let input = pg_sys::TupleDescGetAttInMetadata(columns);
        ((*place).setResult, columns, input)
    };
    let names = names(columns);
    for row in rows {
        let row = serde_json::to_value(row)?;
        let cells = names.iter().map(|name| encoded(text(&row, name)?));
        let cells: Vec<Option<CString>> = cells.collect::<Result<_>>()?;
        let texts = cells.iter().map(|cell| match cell {
            Some(text) => text.as_ptr().cast_mut(),
            None => std::ptr::null_mut(),
        });
        let mut texts: Vec<*mut c_char> = texts.collect();
        // SAFETY: a text for each column, which lives until the store has a copy of the row.
        unsafe {
            let tuple = pg_sys::BuildTupleFromCStrings(input, texts.as_mut_ptr());
            pg_sys::tuplestore_puttuple(store, tuple);
            pg_sys::heap_freetuple(tuple);
        }
    }
    Ok(())
}

fn names(columns: pg_sys::TupleDesc) -> Vec<String> {
    // SAFETY: a description of rows, which has columns of these numbers; each name is a copy.
    let name =
        |number| unsafe { encoding::from_c(CStr::from_ptr(pg_sys::SPI_fname(columns, number))) };
    // SAFETY: as above.
    let count = unsafe { (*columns).natts };
    (1..=count).map(name).collect()
}

fn encoded(text: Option<String>) -> Result<Option<CString>> {
    let encoded = text.map(|text| encoding::c_string(&text)).transpose();
    encoded.map_err(|error| invalid(error.to_string()))
}

/// From which the server reads a value; None: NULL, which a number that is not finite is, too, as in documents.
fn text(row: &Value, name: &str) -> Result<Option<String>> {
    let missing = || invalid(format!("a row has no \"{name}\""));
    Ok(match row.get(name).ok_or_else(missing)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            Some(format!("{{{}}}", items.join(",")))
        }
        other => Some(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde_json::json;

    #[test]
    fn values_are_texts_that_the_server_reads() {
        let row = json!({"a": 1.5e-7, "b": "it's", "c": [1, 2], "d": null, "e": true, "f": []});
        for (name, expected) in [
            ("a", Some("1.5e-7")),
            ("b", Some("it's")),
            ("c", Some("{1,2}")),
            ("d", None),
            ("e", Some("true")),
            ("f", Some("{}")),
        ] {
            assert_eq!(text(&row, name).unwrap().as_deref(), expected, "{name}");
        }
        assert!(text(&row, "g").is_err());
    }
}
