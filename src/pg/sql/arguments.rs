//! The arguments of a call from SQL, by name. So a function with many options is declared once, in SQL, and its arguments are
//! read as one struct.

use super::json;
use super::text::{Text, strings};
use crate::error::{Result, invalid, unsupported};
use crate::pg::encoding;
use pgrx::datum::Interval;
use pgrx::pg_sys;
use pgrx::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::ffi::{CStr, c_char};

/// The arguments of a call: each one that is not NULL, as JSON. Intervals become texts such as `1.5 s`,
/// a month being 30 days.
///
/// # Errors
/// A number that is not finite, which JSON cannot hold; one in a jsonb value that is out of range; an array of several
/// dimensions.
pub fn by_name(fcinfo: pg_sys::FunctionCallInfo) -> Result<Map<String, Value>> {
    let mut given = Map::new();
    for (i, (name, type_oid)) in declared(fcinfo).into_iter().enumerate() {
        if let Some(datum) = datum(fcinfo, i)
            && let Some(value) = value(&name, datum, type_oid)?
        {
            given.insert(name, value);
        }
    }
    Ok(given)
}

/// The arguments of a call as a struct whose fields have their names.
///
/// # Errors
/// A value that the field does not take, such as an array with a NULL in it.
pub fn read<T: DeserializeOwned>(given: Map<String, Value>) -> Result<T> {
    let alone = |name: &String, value: &Value| {
        serde_json::from_value::<T>(Map::from_iter([(name.clone(), value.clone())]).into())
    };
    serde_json::from_value(Value::Object(given.clone())).map_err(|error| {
        let wrong = (given.iter()).find(|(name, value)| alone(name, value).is_err());
        invalid(match wrong {
            Some((name, Value::Array(items))) if items.contains(&Value::Null) => {
                format!("{name} must not hold NULL")
            }
            Some((name, value)) => format!("{name} must not be {value}"),
            None => error.to_string(),
        })
    })
}

/// The number of seconds of an interval that [`by_name`] wrote.
pub fn seconds(text: &str) -> Option<f64> {
    text.strip_suffix(" s")?.parse().ok()
}

/// Names and types of the function's input arguments.
fn declared(fcinfo: pg_sys::FunctionCallInfo) -> Vec<(String, pg_sys::Oid)> {
    let mut types: *mut pg_sys::Oid = std::ptr::null_mut();
    let mut names: *mut *mut c_char = std::ptr::null_mut();
    let mut modes: *mut c_char = std::ptr::null_mut();
    // SAFETY: the server passes valid call information, and the function that runs is in the catalog; the
    // arrays have as many elements as the call returns, in the current memory context.
    unsafe {
        let function = (*(*fcinfo).flinfo).fn_oid;
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::PROCOID as i32,
            pg_sys::Datum::from(function),
        );
        if tuple.is_null() {
            return Vec::new();
        }
        let count = pg_sys::get_func_arg_info(tuple, &mut types, &mut names, &mut modes).max(0);
        let is_input =
            |i: usize| modes.is_null() || matches!(*modes.add(i) as u8, b'i' | b'b' | b'v');
        let arguments = (0..count as usize)
            .filter(|&i| !names.is_null() && is_input(i))
            .map(|i| {
                let name = encoding::from_c(CStr::from_ptr(*names.add(i)));
                (name, *types.add(i))
            })
            .collect();
        pg_sys::ReleaseSysCache(tuple);
        arguments
    }
}

/// Argument number `i`; None: NULL.
fn datum(fcinfo: pg_sys::FunctionCallInfo, i: usize) -> Option<pg_sys::Datum> {
    // SAFETY: as many arguments are passed as are declared; the index is checked all the same.
    unsafe {
        if i >= usize::try_from((*fcinfo).nargs).unwrap_or(0) {
            return None;
        }
        let argument = (*fcinfo).args.as_ptr().add(i);
        (!(*argument).isnull).then(|| (*argument).value)
    }
}

/// Arrays of more dimensions would be read as one long list.
fn check_dimensions(name: &str, datum: pg_sys::Datum, type_oid: pg_sys::Oid) -> Result<()> {
    if !matches!(
        type_oid,
        pg_sys::TEXTARRAYOID | pg_sys::INT4ARRAYOID | pg_sys::INTERVALARRAYOID
    ) {
        return Ok(());
    }
    // SAFETY: the datum is an array that is not NULL; the detoasted copy lives in the current memory context.
    let dimensions = unsafe {
        let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
        (*array.cast::<pg_sys::ArrayType>()).ndim
    };
    if dimensions > 1 {
        return Err(invalid(format!(
            "{name} must be an array of one dimension, not of {dimensions}"
        )));
    }
    Ok(())
}

fn value(name: &str, datum: pg_sys::Datum, type_oid: pg_sys::Oid) -> Result<Option<Value>> {
    check_dimensions(name, datum, type_oid)?;
    // SAFETY: the datum is not NULL and of this type, as declared in the catalog.
    let value = unsafe {
        match type_oid {
            pg_sys::TEXTOID => Text::from_datum(datum, false).map(|Text(text)| text.into()),
            pg_sys::INT4OID => i32::from_datum(datum, false).map(Value::from),
            pg_sys::INT8OID => i64::from_datum(datum, false).map(Value::from),
            pg_sys::BOOLOID => bool::from_datum(datum, false).map(Value::from),
            pg_sys::FLOAT8OID => match f64::from_datum(datum, false) {
                Some(number) if !number.is_finite() => {
                    return Err(invalid(format!(
                        "{name} must be a finite number, not {number}"
                    )));
                }
                number => number.map(Value::from),
            },
            pg_sys::JSONBOID => Some(json::argument(name, datum)?),
            other if is_rate(other) => Some(json::argument(name, datum)?),
            pg_sys::INTERVALOID => Interval::from_datum(datum, false).map(in_seconds),
            pg_sys::INTERVALARRAYOID => Vec::<Option<Interval>>::from_datum(datum, false)
                .map(|items| items.into_iter().map(|item| item.map(in_seconds)).collect()),
            pg_sys::TIMESTAMPTZOID => Some(moment(datum).into()),
            pg_sys::TEXTARRAYOID => {
                Vec::<Option<Text>>::from_datum(datum, false).map(|texts| strings(texts).into())
            }
            pg_sys::INT4ARRAYOID => Vec::<Option<i32>>::from_datum(datum, false).map(Value::from),
            _ => {
                return Err(unsupported(format!(
                    "argument {name} has a type that pgperf cannot read"
                )));
            }
        }
    };
    Ok(value)
}

/// A text such as `1.5 s`.
fn in_seconds(interval: Interval) -> Value {
    format!("{} s", interval.as_micros() as f64 / 1e6).into()
}

/// Whether it is the type `pgperf.rate`, whose values are those of jsonb.
fn is_rate(type_oid: pg_sys::Oid) -> bool {
    // SAFETY: a type of the catalog; the text is allocated in the current memory context.
    let name = unsafe {
        let qualified = pg_sys::FORMAT_TYPE_FORCE_QUALIFY as u16;
        encoding::from_c(CStr::from_ptr(pg_sys::format_type_extended(
            type_oid, -1, qualified,
        )))
    };
    name == "pgperf.rate"
}

/// A timestamptz as ISO 8601 with the offset of its zone in numbers, whatever DateStyle is; or `infinity`.
fn moment(datum: pg_sys::Datum) -> String {
    let no_zone = std::ptr::null();
    // SAFETY: a value of this type; without a buffer, the server allocates the text in the current memory context.
    unsafe {
        let text = pg_sys::JsonEncodeDateTime(
            std::ptr::null_mut(),
            datum,
            pg_sys::TIMESTAMPTZOID,
            no_zone,
        );
        encoding::from_c(CStr::from_ptr(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{read, seconds};
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Arguments {
        clients: Vec<i32>,
        label: String,
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let read = |given: serde_json::Value| {
            let given = given.as_object().cloned().unwrap();
            read::<Arguments>(given).map_err(|error| error.to_string())
        };
        let fine = read(json!({"clients": [1, 2], "label": "x"})).unwrap();
        assert_eq!((fine.clients, fine.label.as_str()), (vec![1, 2], "x"));
        let error = |given| read(given).unwrap_err();
        assert_eq!(
            error(json!({"label": "x", "clients": [1, null]})),
            "clients must not hold NULL"
        );
        assert_eq!(
            error(json!({"clients": [], "label": 7})),
            "label must not be 7"
        );
    }

    #[test]
    fn intervals_are_read_back() {
        assert_eq!(seconds("1.5 s"), Some(1.5));
        assert_eq!(seconds("-1 s"), Some(-1.0));
        assert_eq!(seconds("1 min"), None);
    }
}
