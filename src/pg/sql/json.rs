//! jsonb arguments. The server's numbers have any size; here they are 64-bit integers and doubles. Any other number
//! is refused rather than rounded to another value, or to 0.

use crate::error::{Result, invalid};
use crate::pg::encoding;
use pgrx::{fcinfo, pg_sys};
use serde_json::Value;
use std::ffi::CStr;

/// How many characters of a number a message repeats.
const SHOWN: usize = 20;

/// The value of a jsonb argument of that name.
///
/// # Errors
/// A number that is out of range; more than 127 levels.
///
/// # Safety
/// The datum is a jsonb value that is not NULL.
pub unsafe fn argument(name: &str, datum: pg_sys::Datum) -> Result<Value> {
    // SAFETY: as the caller promises; the text lives as long as the call.
    let text = unsafe { fcinfo::direct_function_call::<&CStr>(pg_sys::jsonb_out, &[Some(datum)]) };
    read(name, &encoding::decode(text.unwrap_or_default().to_bytes()))
}

/// Reads what the server writes of a jsonb value.
pub fn read(name: &str, text: &str) -> Result<Value> {
    if let Some(number) = numbers(text).find(|number| !fits(number)) {
        return Err(invalid(format!("{name}: the number {} is out of range", shown(number))).hinting("Numbers have at most 64 bits, as bigint or double precision; write other numbers as text, in double quotes."));
    }
    // The text is valid, and its numbers fit: only its depth is left.
    serde_json::from_str(text).map_err(|_| {
        invalid(format!("{name} is nested too deeply"))
            .hinting("A JSON value of an argument may have 127 levels.")
    })
}

/// The numbers of a JSON text, as they are written.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut quoted = false;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b'-' | b'0'..=b'9' if !quoted => {
                    let of_number =
                        |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                    at += bytes[at..].iter().take_while(of_number).count();
                    return Some(&text[start..at]);
                }
                _ => {}
            }
        }
        None
    })
}

fn fits(number: &str) -> bool {
    if !number.contains(['.', 'e', 'E']) {
        return number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    }
    let is_zero = !number.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    number
        .parse::<f64>()
        .is_ok_and(|value| value.is_finite() && (value != 0.0 || is_zero))
}

fn shown(number: &str) -> String {
    if number.len() <= 2 * SHOWN {
        return number.to_owned();
    }
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    format!("{}... ({digits} digits)", &number[..SHOWN])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let huge = format!("1{}", "0".repeat(400));
        let tiny = format!("0.{}1", "0".repeat(400));
        for number in [
            huge.as_str(),
            &format!("-{huge}"),
            &tiny,
            &format!("-{tiny}"),
            "18446744073709551616",
            "-9223372036854775809",
        ] {
            for text in [
                number.to_owned(),
                format!("{{\"a\": {number}}}"),
                format!("[1, {{\"a\\\"b\": [\"1\", {number}]}}]"),
            ] {
                let error = read("limits", &text).unwrap_err();
                let message = error.to_string();
                assert!(message.starts_with("limits: the number "), "{message}");
                assert!(
                    message.ends_with("is out of range") && message.len() < 90,
                    "{message}"
                );
                assert!(error.hint().is_some());
            }
        }
    }

    #[test]
    fn what_fits_is_read_and_texts_are_left_alone() {
        for (text, value) in [
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("0.000", json!(0.0)),
            ("[1.5, -0.25]", json!([1.5, -0.25])),
            (
                "{\"1e400\": \"-1\\\"999999999999999999999999\"}",
                json!({"1e400": "-1\"999999999999999999999999"}),
            ),
        ] {
            assert_eq!(read("x", text).unwrap(), value, "{text}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read("x", &nested(127)).is_ok());
        let error = read("expect", &nested(10_000)).unwrap_err();
        assert_eq!(error.to_string(), "expect is nested too deeply");
    }
}
