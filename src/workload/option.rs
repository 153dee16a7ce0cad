//! The options for loading the tables of a family, as data: name, type, range, default, purpose.

use super::{Result, WorkloadError};
use serde_json::Value;

/// An option of a family: an argument of `init`.
#[derive(Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    /// Its value if it is not given.
    pub default: Given,
    /// Its purpose, in words that follow its name.
    pub doc: &'static str,
}

/// The type of an option, with its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Number {
        min: f64,
        max: f64,
        /// Without a fraction.
        is_whole: bool,
    },
    Boolean,
    Text,
    /// The name of an existing tablespace in which the caller may create tables.
    Tablespace,
}

/// A value of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given {
    Number(f64),
    Boolean(bool),
    Text(&'static str),
    /// No value, which has a meaning of its own.
    Nothing,
}

impl Definition {
    /// The default, as the value of an argument.
    pub fn default(&self) -> Value {
        match (self.default, self.kind) {
            (Given::Number(number), Kind::Number { is_whole: true, .. }) => {
                Value::from(number as i64)
            }
            (Given::Number(number), _) => Value::from(number),
            (Given::Boolean(value), _) => Value::from(value),
            (Given::Text(text), _) => Value::from(text),
            (Given::Nothing, _) => Value::Null,
        }
    }

    /// Checks that a value has the option's type and is inside its range.
    ///
    /// # Errors
    /// It has another type, or is outside its range.
    pub fn check(&self, value: &Value) -> Result<()> {
        let (min, max, number) = match self.kind {
            Kind::Boolean if value.is_boolean() => return Ok(()),
            Kind::Text | Kind::Tablespace if value.is_string() => return Ok(()),
            Kind::Number { min, max, is_whole } => {
                let number = value.as_f64();
                let fits = |number: &f64| !is_whole || number.fract() == 0.0;
                (min, max, number.filter(fits))
            }
            Kind::Boolean | Kind::Text | Kind::Tablespace => (0.0, 0.0, None),
        };
        let Some(number) = number else {
            return Err(WorkloadError::WrongType {
                option: self.name,
                expected: self.kind.name(),
                value: value.to_string(),
            });
        };
        in_range(self.name, number, min, max)
    }

    /// Its entry in a list: `fillfactor (integer from 10 to 100, default 100): percent of each page to fill`.
    pub fn describe(&self) -> String {
        let mut kind = self.kind.name().to_owned();
        match self.kind {
            Kind::Number { min, max, .. } => kind += &format!(" from {min} to {max}"),
            Kind::Boolean | Kind::Text | Kind::Tablespace => {}
        }
        if self.default != Given::Nothing {
            kind += &format!(", default {}", self.default());
        }
        format!("{} ({kind}): {}", self.name, self.doc)
    }
}

impl Kind {
    /// An SQL integer.
    pub const fn integer(min: i32, max: i32) -> Kind {
        Kind::Number {
            min: min as f64,
            max: max as f64,
            is_whole: true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Number { is_whole: true, .. } => "integer",
            Kind::Number { .. } => "number",
            Kind::Boolean => "boolean",
            Kind::Text | Kind::Tablespace => "text",
        }
    }
}

/// # Errors
/// The number is outside its range.
pub fn in_range(option: &'static str, value: f64, min: f64, max: f64) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(WorkloadError::OutOfRange {
        option,
        value,
        min,
        max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PERCENT: Definition = Definition {
        name: "percent",
        kind: Kind::integer(10, 100),
        default: Given::Number(90.0),
        doc: "how much",
    };

    #[test]
    fn values_are_checked_by_type_and_range() {
        let message = |value| PERCENT.check(&value).map_err(|error| error.to_string());
        assert_eq!(message(json!(10)), Ok(()));
        assert_eq!(message(json!(100.0)), Ok(()));
        for value in [json!(9), json!(101)] {
            let expected = format!("percent must be between 10 and 100, not {value}");
            assert_eq!(message(value), Err(expected));
        }
        for value in [json!(10.5), json!("x"), json!(true)] {
            let expected = format!("percent must be of type integer, not {value}");
            assert_eq!(message(value), Err(expected));
        }
        let text = Definition {
            kind: Kind::Text,
            default: Given::Nothing,
            ..PERCENT
        };
        assert!(text.check(&json!("x")).is_ok() && text.check(&json!(1)).is_err());
    }

    #[test]
    fn an_option_describes_itself() {
        assert_eq!(
            PERCENT.describe(),
            "percent (integer from 10 to 100, default 90): how much"
        );
    }
}
