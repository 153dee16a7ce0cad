//! The options of a family, as data: name, type, range, default, when they apply, purpose.

use super::family::Family;
use crate::error::{Error, Result, hinted};
use serde_json::Value;
use std::fmt::Display;

/// The option of every family that is an argument of its own.
pub const SCALE: &str = "scale";

/// The option of a load that says which of its steps to do, and nothing of the tables that come of them.
pub const STEPS: &str = "steps";

/// All whole numbers up to this one can be told apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// An option of a family. Calls give it in their argument `options`; those of the first family are also arguments of
/// `init`.
#[derive(Debug, Clone)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    /// Its value if it is not given.
    pub default: Given,
    pub when: When,
    /// Its purpose, in words that follow its name; may be empty.
    pub doc: &'static str,
}

/// When an option applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// While the tables are loaded.
    Load,
    /// In the scripts of a run.
    Run,
    /// In both: a run takes the value with which its tables were loaded, unless it is given another one.
    #[cfg_attr(not(any(test, feature = "toy")), allow(dead_code))]
    Both,
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
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The first and the last of consecutive whole numbers, `3-7`, or a single one.
    Span {
        min: i64,
        max: i64,
    },
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

    /// Whether it applies to loads (`When::Load`) or to runs (`When::Run`).
    pub fn applies(&self, when: When) -> bool {
        self.when == when || self.when == When::Both
    }

    /// A given value, in the form in which it is stored. `family`: the one that has the option.
    ///
    /// # Errors
    /// It has another type, or is outside its range.
    pub fn read(&self, value: &Value, family: &dyn Family, when: When) -> Result<Value> {
        let known = || describe(&[family], when);
        self.accepted(value)
            .ok_or_else(|| bad_value(self.name, &self.range(), value, &known()))
    }

    /// The value if it has the option's type and is inside its range.
    pub fn accepted(&self, value: &Value) -> Option<Value> {
        let fits = match self.kind {
            Kind::Boolean => value.is_boolean(),
            Kind::Text | Kind::Tablespace => value.is_string(),
            Kind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Span { min, max } => value
                .as_str()
                .and_then(span)
                .is_some_and(|(first, last)| min <= first && last <= max),
            Kind::Number { min, max, is_whole } => {
                let number = value.as_f64();
                let number = number.filter(|number| (min..=max).contains(number));
                let number = number.filter(|number| !is_whole || number.fract() == 0.0);
                // A whole number may be written as 8.0.
                return match (number?, is_whole) {
                    (number, true) => Some(Value::from(number as i64)),
                    (_, false) => Some(value.clone()),
                };
            }
        };
        fits.then(|| value.clone())
    }

    /// Its type, range and default: `an integer from 10 to 100 (default 100)`.
    fn range(&self) -> String {
        let article = match self.kind {
            Kind::Number { is_whole: true, .. } => "an ",
            Kind::Choice(_) => "",
            _ => "a ",
        };
        let default = match self.default {
            Given::Nothing => String::new(),
            _ => format!(" (default {})", self.default_text()),
        };
        format!("{article}{}{default}", self.kind.describe())
    }

    /// Its entry in a list: `fillfactor (integer from 10 to 100, default 100): percent of each page to fill`.
    pub fn describe(&self) -> String {
        let default = match self.default {
            Given::Nothing => String::new(),
            _ => format!(", default {}", self.default_text()),
        };
        let kind = self.kind.describe();
        let doc = match self.doc {
            "" => String::new(),
            doc => format!(": {doc}"),
        };
        format!("{} ({kind}{default}){doc}", self.name)
    }

    fn default_text(&self) -> String {
        match (self.kind, self.default) {
            (Kind::Choice(_), Given::Text(word)) => word.to_owned(),
            _ => self.default().to_string(),
        }
    }
}

/// The error for a value of an option. `known`: what the user can do about it.
pub fn bad_value(option: &str, expected: &str, value: impl Display, known: &str) -> Error {
    hinted(format!("{option} must be {expected}, not {value}"), known)
}

/// The options of these families, as a hint: those that apply to loads or to runs, then the others.
pub fn describe(families: &[&dyn Family], when: When) -> String {
    let all = || families.iter().flat_map(|family| family.options());
    let list = |applies: bool| {
        let options = all().filter(|option| option.applies(when) == applies);
        options.map(Definition::describe).collect::<Vec<_>>()
    };
    let (here, elsewhere) = (list(true), list(false));
    let (these, others) = match when {
        When::Run => ("runs", "loads"),
        When::Load | When::Both => ("loads", "runs"),
    };
    let mut text = match here.is_empty() {
        true => format!("They have no options of {these}."),
        false => format!("Their options are: {}.", here.join("; ")),
    };
    if !elsewhere.is_empty() {
        text += &format!(" Options of {others} only: {}.", elsewhere.join("; "));
    }
    text
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

    /// A number without a range of its own.
    pub fn any_number(is_whole: bool) -> Kind {
        let max = if is_whole { EXACT } else { f64::MAX };
        Kind::Number {
            min: -max,
            max,
            is_whole,
        }
    }

    /// The type of an SQL argument with such a value.
    pub fn sql_type(self) -> &'static str {
        match self {
            Kind::Number { is_whole: true, .. } => "integer",
            Kind::Number { .. } => "double precision",
            Kind::Boolean => "boolean",
            Kind::Text | Kind::Choice(_) | Kind::Span { .. } | Kind::Tablespace => "text",
        }
    }

    /// The type and its range, in words.
    fn describe(self) -> String {
        match self {
            Kind::Number { min, max, is_whole } => {
                let name = if is_whole { "integer" } else { "number" };
                match max >= EXACT {
                    true => name.to_owned(),
                    false => format!("{name} from {min} to {max}"),
                }
            }
            Kind::Boolean => "boolean".to_owned(),
            Kind::Text | Kind::Tablespace => "text".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Span { min, max } => format!("text 'first-last' from {min} to {max}"),
        }
    }
}

/// The first and the last number of a [`Kind::Span`]; None if it is none.
pub fn span(text: &str) -> Option<(i64, i64)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.trim().parse().ok().filter(|_| is_number(text.trim()));
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests;
