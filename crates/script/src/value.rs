//! Values of script variables and expressions, their text form and their conversions.

use std::fmt::{self, Write};
use std::sync::Arc;

use super::error::EvalError;
use super::number::parse_double;

/// What a variable holds or an expression yields.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// SQL's NULL.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A double precision number.
    Double(f64),
    /// Text: from outside (an option, a column), or made by an expression. A variable with it is read in an expression as
    /// whatever type it looks like; substituted into SQL, it stays as it is.
    Text(Arc<str>),
}

impl Value {
    /// Appends the value as pgbench substitutes it: doubles with 15 significant digits, NULL as
    /// the word.
    pub fn write_text(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("NULL"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Int(int) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "{int}");
            }
            Value::Double(double) => write_double(*double, out),
            Value::Text(text) => out.push_str(text),
        }
    }

    /// Appends the same as a literal of SQL: in quotes, and in the form with escapes if it has a backslash, so that it
    /// means the same whatever standard_conforming_strings is.
    pub fn write_literal(&self, out: &mut String) {
        let text = self.to_string();
        let escaped = text.contains('\\');
        out.push_str(if escaped { "E'" } else { "'" });
        for character in text.chars() {
            if matches!(character, '\'' | '\\') {
                out.push(character);
            }
            out.push(character);
        }
        out.push('\'');
    }

    /// The type's name in messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) => "int",
            Value::Double(_) => "double",
            Value::Text(_) => "text",
        }
    }

    /// The type and the value as `debug()` reports them, for instance `int 7` or `null`.
    pub fn describe(&self) -> String {
        match self {
            Value::Null => "null".to_owned(),
            _ => format!("{} {self}", self.type_name()),
        }
    }

    /// Whether it holds as a condition: non-zero numbers do, NULL does not.
    pub(super) fn truth(&self) -> bool {
        match self {
            Value::Null | Value::Text(_) => false,
            Value::Bool(bool) => *bool,
            Value::Int(int) => *int != 0,
            Value::Double(double) => *double != 0.0,
        }
    }

    /// The value as a boolean.
    ///
    /// # Errors
    /// Numbers are not booleans: [`EvalError::Coercion`].
    pub fn to_bool(&self) -> Result<bool, EvalError> {
        match self {
            Value::Bool(bool) => Ok(*bool),
            _ => Err(self.not_coercible("boolean")),
        }
    }

    /// The value as an integer; doubles are rounded, halves to even.
    ///
    /// # Errors
    /// [`EvalError::Coercion`] for other types, [`EvalError::DoubleToInt`] outside 64 bits.
    pub fn to_int(&self) -> Result<i64, EvalError> {
        match self {
            Value::Int(int) => Ok(*int),
            Value::Double(double) => double_to_int(*double),
            _ => Err(self.not_coercible("int")),
        }
    }

    /// The value as a double.
    ///
    /// # Errors
    /// [`EvalError::Coercion`] for anything but a number.
    pub fn to_double(&self) -> Result<f64, EvalError> {
        match self {
            Value::Double(double) => Ok(*double),
            Value::Int(int) => Ok(*int as f64),
            _ => Err(self.not_coercible("double")),
        }
    }

    /// Reads text as the type it looks like: `null`; `true`, `yes` and their prefixes, `on`;
    /// `false`, `no` and their prefixes, `off`; an integer; else a double (pgbench.c,
    /// makeVariableValue).
    ///
    /// # Errors
    /// [`EvalError::MalformedVariable`], naming `variable`; [`EvalError::IntegerOutOfRange`];
    /// [`EvalError::NotAnInteger`] for nothing but a sign or blanks.
    pub fn from_text(text: &str, variable: &str) -> Result<Value, EvalError> {
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        let is_prefix_of = |word: &str| {
            word.as_bytes()
                .get(..text.len())
                .is_some_and(|p| p.eq_ignore_ascii_case(text.as_bytes()))
        };
        let malformed = || EvalError::MalformedVariable {
            variable: variable.to_owned(),
            value: text.to_owned(),
        };

        if text.is_empty() {
            return Err(malformed());
        }
        if is("null") {
            return Ok(Value::Null);
        }
        if is_prefix_of("true") || is_prefix_of("yes") || is("on") {
            return Ok(Value::Bool(true));
        }
        if is_prefix_of("false") || is_prefix_of("no") || is("off") || is("of") {
            return Ok(Value::Bool(false));
        }
        let number = text.trim_start_matches(is_c_space);
        let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
        if digits.is_empty() {
            return Err(EvalError::NotAnInteger(text.to_owned()));
        }
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            return match number.parse() {
                Ok(int) => Ok(Value::Int(int)),
                Err(_) => Err(EvalError::IntegerOutOfRange(text.to_owned())),
            };
        }
        parse_double(number)
            .map(Value::Double)
            .ok_or_else(malformed)
    }

    /// The text.
    ///
    /// # Errors
    /// [`EvalError::Coercion`] for other types.
    pub fn to_text(&self) -> Result<&str, EvalError> {
        match self {
            Value::Text(text) => Ok(text),
            _ => Err(self.not_coercible("text")),
        }
    }

    fn not_coercible(&self, to: &'static str) -> EvalError {
        EvalError::Coercion {
            from: self.type_name(),
            to,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_text(&mut text);
        f.write_str(&text)
    }
}

/// C's `isspace` in the C locale.
pub(super) fn is_c_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C')
}

fn double_to_int(double: f64) -> Result<i64, EvalError> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    let rounded = double.round_ties_even();
    if (-LIMIT..LIMIT).contains(&rounded) {
        Ok(rounded as i64)
    } else {
        Err(EvalError::DoubleToInt(rounded))
    }
}

/// Appends a double as C's `%.15g` does.
fn write_double(double: f64, out: &mut String) {
    const DIGITS: i32 = 15;
    if double.is_nan() {
        return out.push_str("NaN");
    }
    if double.is_infinite() {
        return out.push_str(if double < 0.0 {
            "-Infinity"
        } else {
            "Infinity"
        });
    }
    let scientific = format!("{:.*e}", (DIGITS - 1) as usize, double);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..DIGITS).contains(&exponent) {
        let fixed = format!("{:.*}", (DIGITS - 1 - exponent) as usize, double);
        out.push_str(without_trailing_zeros(&fixed));
    } else {
        out.push_str(without_trailing_zeros(mantissa));
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a String cannot fail.
        let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    }
}

fn without_trailing_zeros(decimal: &str) -> &str {
    if decimal.contains('.') {
        decimal.trim_end_matches('0').trim_end_matches('.')
    } else {
        decimal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match Value::from_text(text, "v") {
            Ok(value) => value.describe(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn doubles_print_like_percent_15_g() {
        let print = |d: f64| Value::Double(d).to_string();
        assert_eq!(print(0.0), "0");
        assert_eq!(print(-0.0), "-0");
        assert_eq!(print(0.1 + 0.2), "0.3");
        assert_eq!(print(100.0), "100");
        assert_eq!(print(1e14), "100000000000000");
        assert_eq!(print(1e15), "1e+15");
        assert_eq!(print(123456789012345678.0), "1.23456789012346e+17");
        assert_eq!(print(0.0001), "0.0001");
        assert_eq!(print(0.00001), "1e-05");
        assert_eq!(print(-1.5e-300), "-1.5e-300");
        assert_eq!(print(999999999999999.9), "1e+15");
        // An exact tie in the sixteenth digit goes to even.
        assert_eq!(print(562949953421312.5), "562949953421312");
        assert_eq!(print(f64::INFINITY), "Infinity");
        assert_eq!(print(f64::NAN), "NaN");
    }

    #[test]
    fn text_is_read_as_what_it_looks_like() {
        assert_eq!(read("NULL"), "null");
        assert_eq!(read("t"), "boolean true");
        assert_eq!(read("YE"), "boolean true");
        assert_eq!(read("on"), "boolean true");
        assert_eq!(read("o"), "malformed variable \"v\" value: \"o\"");
        assert_eq!(read("of"), "boolean false");
        assert_eq!(read("n"), "boolean false");
        assert_eq!(read("007"), "int 7");
        assert_eq!(read(" -12"), "int -12");
        assert_eq!(read("-9223372036854775808"), "int -9223372036854775808");
        assert_eq!(
            read("9223372036854775808"),
            "value \"9223372036854775808\" is out of range for type bigint"
        );
        assert_eq!(read("-"), "invalid input syntax for type bigint: \"-\"");
        assert_eq!(read("1.50"), "double 1.5");
        assert_eq!(read("0x10"), "double 16");
        assert_eq!(read("1e400"), "malformed variable \"v\" value: \"1e400\"");
        assert_eq!(
            read("trueXXX"),
            "malformed variable \"v\" value: \"trueXXX\""
        );
        assert_eq!(read(""), "malformed variable \"v\" value: \"\"");
    }

    #[test]
    fn text_is_substituted_unchanged() {
        assert_eq!(Value::Text("007".into()).to_string(), "007");
    }
}
