//! The options of a stored workload: its author gives names and defaults; types follow from the defaults.

use super::sql::Values;
use crate::error::{Result, hinted, invalid};
use crate::pg::sql::object::members;
use crate::workload::option::{Definition, Given, Kind, SCALE, When};
use script::is_valid_variable_name;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// Names of other variables of scripts and SQL, and of a load's own parameters.
const RESERVED: [&str; 10] = [
    "client_id",
    "default_seed",
    "jobs",
    "part",
    "parts",
    "random_seed",
    SCALE,
    "schema",
    "seconds",
    "transactions",
];

static SIZE: Definition = Definition {
    name: SCALE,
    kind: Kind::integer(1, i32::MAX),
    default: Given::Number(1.0),
    when: When::Load,
    doc: "size of the data set, :scale in its SQL",
};

/// Checks the argument `options` of `create_workload`. `variables`: the workload's.
pub fn check(
    argument: Option<&Value>,
    variables: &BTreeMap<String, String>,
) -> Result<Map<String, Value>> {
    let example = "For example: options => '{\"rows\": 1000}'.";
    let options = members(
        "options",
        "of names and defaults",
        argument.filter(|value| !value.is_null()),
        example,
    )?;
    for (name, default) in &options {
        if !is_valid_variable_name(name) {
            return Err(hinted(
                format!("invalid name of an option: \"{name}\""),
                "It is the name of a variable: letters, digits and underscores.",
            ));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(hinted(
                format!("an option must not be called \"{name}\""),
                &format!(
                    "Names with a meaning of their own are: {}.",
                    RESERVED.join(", ")
                ),
            ));
        }
        if variables.contains_key(name) {
            return Err(invalid(format!("{name} is both an option and a variable")));
        }
        if kind(default).is_none() {
            return Err(hinted(
                format!("the default of option {name} must be a number, a text or a boolean"),
                "Its type is that of the option; a number with a decimal point, such as 1.0, allows fractions.",
            ));
        }
    }
    Ok(options)
}

fn kind(default: &Value) -> Option<Kind> {
    match default {
        Value::Bool(_) => Some(Kind::Boolean),
        Value::String(_) => Some(Kind::Text),
        Value::Number(number) => Some(Kind::any_number(!number.is_f64())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

thread_local! {
    static KEPT: RefCell<HashMap<String, &'static [Definition]>> = RefCell::default();
}

/// The definitions of the options with these defaults. Never freed, like the plans of a session: there are as many as
/// workloads that it has used.
pub fn of(defaults: &Map<String, Value>, has_data_set: bool) -> &'static [Definition] {
    let key = format!("{has_data_set} {}", Value::Object(defaults.clone()));
    if let Some(kept) = KEPT.with_borrow(|all| all.get(&key).copied()) {
        return kept;
    }
    let size = has_data_set.then_some(SIZE.clone());
    let own = defaults.iter().filter_map(|(name, default)| {
        Some(Definition {
            name: name.clone().leak(),
            kind: kind(default)?,
            default: match default {
                Value::Bool(value) => Given::Boolean(*value),
                Value::String(text) => Given::Text(text.clone().leak()),
                other => Given::Number(other.as_f64()?),
            },
            when: When::Both,
            doc: "",
        })
    });
    let made = Vec::leak(size.into_iter().chain(own).collect());
    KEPT.with_borrow_mut(|all| all.insert(key, made));
    made
}

/// Values of options as variables of scripts.
pub fn variables(options: &Map<String, Value>) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let options = options.iter();
    options
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}

/// The same as variables of SQL.
pub fn values(options: &Map<String, Value>) -> Values {
    let value = |text: String| script::Value::Text(text.into());
    let variables = variables(options).into_iter();
    variables.map(|(name, text)| (name, value(text))).collect()
}
