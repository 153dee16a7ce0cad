//! The parameters of a data set, wanted or existing: its schema, its scale, and the options of its family.

use super::family::Family;
use super::given;
use super::option::{SCALE, When};
use super::scale::Scale;
use crate::catalog::distributed::Placement;
use crate::error::{Error, Result, invalid};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Display;

/// How a data set is loaded; stored with the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Params {
    /// The schema that the tables are in. It must exist.
    pub schema: String,
    pub scale: Scale,
    /// How many processes fill the tables.
    pub jobs: i32,
    /// The tables, of a family that does not know them by their names: those that the load has registered.
    #[serde(skip)]
    pub tables: Vec<String>,
    /// The version of the target that has them, as 100023; None: this server has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_version: Option<u32>,
    /// The tables that stay distributed when the load makes them anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distributed: Vec<Placement>,
    /// All of the family's own options.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            schema: "public".to_owned(),
            scale: Scale::from(1),
            jobs: 1,
            tables: Vec::new(),
            target_version: None,
            distributed: Vec::new(),
            options: Map::new(),
        }
    }
}

impl Params {
    /// The parameters of a load with the given options of the family.
    ///
    /// # Errors
    /// An option has the wrong type, is outside its range, does not apply to loads, or is none of this family.
    pub fn of_load(
        family: &dyn Family,
        schema: String,
        scale: Scale,
        jobs: i32,
        given: &Map<String, Value>,
    ) -> Result<Params> {
        check_jobs(jobs)?;
        let known = family.options().iter();
        let loads = known.filter(|option| option.applies(When::Load));
        let mut options = Map::new();
        for option in loads {
            if option.name == SCALE {
                let value = scale.whole().map(Value::from);
                let value = value.unwrap_or_else(|| scale.value().into());
                option.read(&value, family, When::Load)?;
                continue;
            }
            let value = given.get(option.name).filter(|value| !value.is_null());
            let value = value.map(|value| option.read(value, family, When::Load));
            let value = value.transpose()?.unwrap_or_else(|| option.default());
            options.insert(option.name.to_owned(), value);
        }
        if let Some(name) = given.keys().find(|name| !options.contains_key(*name)) {
            return Err(given::not_of_load(family, name));
        }
        Ok(Params {
            schema,
            scale,
            jobs,
            tables: Vec::new(),
            target_version: None,
            distributed: Vec::new(),
            options,
        })
    }

    /// The parameters of existing tables about which nothing else is known.
    pub fn of_tables(family: &dyn Family, schema: &str, scale: Scale) -> Params {
        Params::of_run(family, schema, scale, &Map::new(), &Map::new())
    }

    /// The parameters of existing tables: an option of runs has the value that is given, otherwise the one with which the
    /// tables were loaded, otherwise its default. The values of a stored load are ignored where the option has changed
    /// since.
    pub fn of_run(
        family: &dyn Family,
        schema: &str,
        scale: Scale,
        loaded: &Map<String, Value>,
        given: &Map<String, Value>,
    ) -> Params {
        let options = family.options().iter();
        let options = options.filter(|option| option.name != SCALE).map(|option| {
            let given = given.get(option.name).filter(|_| option.applies(When::Run));
            let loaded = loaded
                .get(option.name)
                .filter(|_| option.applies(When::Load));
            let accepted = |value: Option<&Value>| option.accepted(value?);
            let value = accepted(given).or_else(|| accepted(loaded));
            let value = value.unwrap_or_else(|| option.default());
            (option.name.to_owned(), value)
        });
        Params {
            schema: schema.to_owned(),
            scale,
            jobs: 1,
            tables: Vec::new(),
            target_version: None,
            distributed: Vec::new(),
            options: options.collect(),
        }
    }

    /// The family's own options as its struct, which has a default for each.
    ///
    /// # Errors
    /// The struct does not accept a value.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(Value::Object(self.options.clone()))
            .map_err(|error| bad_options(&error))
    }
}

/// The error for options that the family of a stored load does not read.
pub fn bad_options(reason: &dyn Display) -> Error {
    invalid(format!("the options of the load cannot be read: {reason}"))
}

fn check_jobs(jobs: i32) -> Result<()> {
    match jobs {
        1.. => Ok(()),
        _ => Err(invalid(format!(
            "jobs must be between 1 and {}, not {jobs}",
            i32::MAX
        ))),
    }
}
