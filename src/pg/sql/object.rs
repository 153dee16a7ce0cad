//! Arguments that are JSON objects, read key by key.

use super::interval::MAX_SECONDS;
use crate::error::{Error, Result, hinted, invalid};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// The members of an argument, with the name and the hint of its messages. A key that is null is as one that is missing.
#[derive(Debug)]
pub struct Object<'a> {
    pub name: String,
    pub members: &'a Map<String, Value>,
    hint: &'a str,
}

impl<'a> Object<'a> {
    /// # Errors
    /// The value is no object. `of`: what it must hold, in words that follow "a JSON object"; may be empty.
    pub fn of(name: &str, of: &str, value: &'a Value, hint: &'a str) -> Result<Object<'a>> {
        match value {
            Value::Object(members) => Ok(Object::named(name, members, hint)),
            _ => Err(no_object(name, of, hint)),
        }
    }

    /// An object whose name in messages is known after its members.
    pub fn named(name: &str, members: &'a Map<String, Value>, hint: &'a str) -> Object<'a> {
        Object {
            name: name.to_owned(),
            members,
            hint,
        }
    }

    /// The error of this argument for this reason.
    pub fn refused(&self, reason: impl Display) -> Error {
        hinted(format!("{}: {reason}", self.name), self.hint)
    }

    /// # Errors
    /// It has a key that is none of these. `hint`: which are known.
    pub fn only(&self, known: &[&str], hint: &str) -> Result<()> {
        let is_unknown = |key: &&String| !known.contains(&key.as_str());
        match self.members.keys().find(is_unknown) {
            None => Ok(()),
            Some(key) => Err(hinted(
                format!("{} has an unknown key \"{key}\"", self.name),
                hint,
            )),
        }
    }

    /// The value of a key; None: it is missing.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    /// # Errors
    /// The key is missing.
    pub fn needed<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| self.refused(format_args!("\"{key}\" is missing")))
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.read(key, "a string", Value::as_str)
    }

    /// A number in this range.
    pub fn number(&self, key: &str, range: RangeInclusive<f64>) -> Result<Option<f64>> {
        let what = format!("a number from {} to {}", range.start(), range.end());
        let fits = |value: &Value| value.as_f64().filter(|number| range.contains(number));
        self.read(key, &what, fits)
    }

    /// A whole number in this range.
    pub fn count(&self, key: &str, range: RangeInclusive<u64>) -> Result<Option<u64>> {
        let what = format!("a whole number from {} to {}", range.start(), range.end());
        let fits = |value: &Value| value.as_u64().filter(|number| range.contains(number));
        self.read(key, &what, fits)
    }

    /// The seconds of an interval that lasts at least `least`; `interval` reads its text.
    pub fn interval(
        &self,
        key: &str,
        least: f64,
        interval: &impl Fn(&str) -> Result<f64>,
    ) -> Result<Option<f64>> {
        let text = self.read(key, "an interval such as \"10 s\"", Value::as_str)?;
        let Some(text) = text else {
            return Ok(None);
        };
        let limit = match interval(text) {
            Err(error) => return Err(self.refused(format_args!("\"{key}\": {error}"))),
            Ok(seconds) if seconds > MAX_SECONDS => format!("most {MAX_SECONDS}"),
            Ok(seconds) if seconds >= least => return Ok(Some(seconds)),
            Ok(_) => format!("least {least}"),
        };
        Err(self.refused(format_args!(
            "\"{key}\" must be at {limit} s, not \"{text}\""
        )))
    }

    fn read<T>(
        &self,
        key: &str,
        what: &str,
        fits: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let wrong = || self.refused(format_args!("\"{key}\" must be {what}, not {value}"));
        fits(value).map(Some).ok_or_else(wrong)
    }
}

fn no_object(name: &str, of: &str, hint: &str) -> Error {
    let space = if of.is_empty() { "" } else { " " };
    hinted(format!("{name} must be a JSON object{space}{of}"), hint)
}

/// The members of an argument; none where it is not given. See [`Object::of`].
pub fn members(
    name: &str,
    of: &str,
    value: Option<&Value>,
    hint: &str,
) -> Result<Map<String, Value>> {
    match value {
        None => Ok(Map::new()),
        Some(value) => Object::of(name, of, value, hint).map(|object| object.members.clone()),
    }
}

/// Those of an argument that must have some.
pub fn some_members<'a>(
    name: &str,
    of: &str,
    value: &'a Value,
    hint: &str,
) -> Result<&'a Map<String, Value>> {
    let members = value.as_object().filter(|members| !members.is_empty());
    members.ok_or_else(|| no_object(name, of, hint))
}

/// The arguments of `call` in an argument. `set`: those that the caller sets itself, and why.
///
/// # Errors
/// It has one of these.
pub fn arguments(
    name: &str,
    call: &str,
    value: Option<&Value>,
    set: &[&str],
    hints: [&str; 2],
) -> Result<Map<String, Value>> {
    let [hint, why] = hints;
    let given = members(name, &format!("of arguments of {call}"), value, hint)?;
    match set.iter().find(|set| given.contains_key(**set)) {
        None => Ok(given),
        Some(set) => Err(hinted(format!("{name} must not have \"{set}\""), why)),
    }
}

/// Settings by name; the server does not tell upper from lower case in a name.
pub fn settings(value: Option<&Value>) -> Result<BTreeMap<String, String>> {
    let settings = texts("settings", value)?.into_iter();
    Ok(settings
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect())
}

/// Names and texts.
pub fn texts(argument: &str, value: Option<&Value>) -> Result<BTreeMap<String, String>> {
    let members = members(argument, "", value, "For example: '{\"name\": \"value\"}'.")?;
    members
        .iter()
        .map(|(name, value)| Ok((name.clone(), text(argument, name, value)?)))
        .collect()
}

/// The value of a name as text.
pub fn text(argument: &str, name: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        _ => Err(invalid(format!(
            "{argument}: the value of \"{name}\" must be a string, number or boolean"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seconds(text: &str) -> Result<f64> {
        let number = text.strip_suffix(" s").and_then(|text| text.parse().ok());
        number.ok_or_else(|| invalid(format!("no interval: {text}")))
    }

    #[test]
    fn a_value_has_a_type_and_a_range() {
        let value = json!({"n": 5, "text": "x", "time": "5 s", "long": "1e9 s", "null": null});
        let object = Object::of("it", "", &value, "").unwrap();
        let said = |result: Result<()>| result.unwrap_err().to_string();
        assert_eq!(object.number("n", 0.5..=5.0).unwrap(), Some(5.0));
        assert_eq!(object.count("n", 1..=5).unwrap(), Some(5));
        assert_eq!(object.text("text").unwrap(), Some("x"));
        assert_eq!(object.interval("time", 5.0, &seconds).unwrap(), Some(5.0));
        assert_eq!(object.text("null").unwrap(), None);
        assert_eq!(object.count("missing", 1..=5).unwrap(), None);
        assert_eq!(
            said(object.number("n", 0.5..=4.0).map(drop)),
            "it: \"n\" must be a number from 0.5 to 4, not 5"
        );
        assert_eq!(
            said(object.count("text", 1..=4).map(drop)),
            "it: \"text\" must be a whole number from 1 to 4, not \"x\""
        );
        assert_eq!(
            said(object.text("n").map(drop)),
            "it: \"n\" must be a string, not 5"
        );
        assert_eq!(
            said(object.interval("n", 0.0, &seconds).map(drop)),
            "it: \"n\" must be an interval such as \"10 s\", not 5"
        );
        assert_eq!(
            said(object.interval("time", 6.0, &seconds).map(drop)),
            "it: \"time\" must be at least 6 s, not \"5 s\""
        );
        assert_eq!(
            said(object.interval("long", 0.0, &seconds).map(drop)),
            "it: \"long\" must be at most 315360000 s, not \"1e9 s\""
        );
        assert_eq!(
            said(object.interval("text", 0.0, &seconds).map(drop)),
            "it: \"text\": no interval: x"
        );
        assert_eq!(
            said(object.needed("at", None::<u8>).map(drop)),
            "it: \"at\" is missing"
        );
    }

    #[test]
    fn unknown_keys_and_other_values_are_refused() {
        let value = json!({"a": 1, "b": 2});
        let object = Object::of("it", "", &value, "").unwrap();
        assert!(object.only(&["b", "a"], "").is_ok());
        let error = object.only(&["a"], "Keys are: a.").unwrap_err();
        assert_eq!(error.to_string(), "it has an unknown key \"b\"");
        assert_eq!(error.hint().as_deref(), Some("Keys are: a."));
        let error = members("it", "of names", Some(&json!([])), "").unwrap_err();
        assert_eq!(error.to_string(), "it must be a JSON object of names");
        assert!(members("it", "", None, "").unwrap().is_empty());
        assert!(some_members("it", "", &json!({}), "").is_err());
        let error = arguments("options", "f", Some(&value), &["b"], ["", "why"]).unwrap_err();
        assert_eq!(error.to_string(), "options must not have \"b\"");
    }
}
