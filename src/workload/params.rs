//! The parameters of a data set, wanted or existing: its schema, its scale, and the options of its family.

use super::family::Family;
use super::option::{Definition, in_range};
use super::{Result, Scale, WorkloadError, families};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a data set is loaded; stored with the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Params {
    /// The schema that the tables are in. It must exist.
    pub schema: String,
    pub scale: Scale,
    /// How many processes fill the tables.
    pub jobs: i32,
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
            options: Map::new(),
        }
    }
}

impl Params {
    /// The parameters of a load: the given arguments, checked against the family's options.
    ///
    /// # Errors
    /// An argument has the wrong type, is outside its range, or is no option of this family.
    pub fn of_load(
        family: &dyn Family,
        schema: String,
        scale: Scale,
        jobs: i32,
        given: &Map<String, Value>,
    ) -> Result<Params> {
        in_range("jobs", f64::from(jobs), 1.0, f64::from(i32::MAX))?;
        let mut options = Map::new();
        for option in family.options() {
            if option.name == SCALE {
                option.check(&Value::from(scale.value()))?;
                continue;
            }
            let value = given.get(option.name).filter(|value| !value.is_null());
            if let Some(value) = value {
                option.check(value)?;
            }
            let value = value.cloned().unwrap_or_else(|| option.default());
            options.insert(option.name.to_owned(), value);
        }
        let foreign =
            |name: &&String| !options.contains_key(*name) && !is_default(name, &given[*name]);
        if let Some(name) = given.keys().find(foreign) {
            return Err(WorkloadError::ForeignOption {
                option: name.clone(),
                family: family.name(),
                known: family.options().iter().map(Definition::describe).collect(),
            });
        }
        Ok(Params {
            schema,
            scale,
            jobs,
            options,
        })
    }

    /// The parameters of existing tables, as far as they are known.
    pub fn of_tables(family: &dyn Family, schema: &str, scale: Scale) -> Params {
        let options = family.options().iter();
        Params {
            schema: schema.to_owned(),
            scale,
            jobs: 1,
            options: options
                .filter(|option| option.name != SCALE)
                .map(|option| (option.name.to_owned(), option.default()))
                .collect(),
        }
    }

    /// The family's own options as its struct, which has a default for each.
    ///
    /// # Errors
    /// The struct does not accept a value.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(Value::Object(self.options.clone()))
            .map_err(|error| WorkloadError::BadOptions(error.to_string()))
    }
}

/// The option of every family that is an argument of its own.
const SCALE: &str = "scale";

/// Whether some family has an option of this name.
pub fn is_known(name: &str) -> bool {
    options().any(|option| option.name == name)
}

/// Whether an argument has its default as declared in SQL, which is that of the first family with this option. Such an
/// argument counts as not given.
pub fn is_default(name: &str, value: &Value) -> bool {
    options()
        .find(|option| option.name == name)
        .is_some_and(|option| option.default() == *value)
}

fn options() -> impl Iterator<Item = &'static Definition> {
    families().iter().flat_map(|family| family.options())
}
