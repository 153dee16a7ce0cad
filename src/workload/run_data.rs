//! What a run knows of its data: of each family whose workloads it has, the options in effect, and how its tables were loaded.

use super::family::Family;
use super::given::{self, Given};
use super::option::{Definition, STEPS, When};
use super::params::Params;
use super::place::Place;
use super::registered::{self, Registered};
use super::scale::Scale;
use super::{Named, families, named};
use crate::error::Result;
use crate::pg::encoding::line::one_line;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The data of a run, as it was when the run started; stored with the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunData {
    /// The first workload of the run that uses it.
    pub workload: String,
    pub family: String,
    /// The schema of its tables.
    pub schema: String,
    /// The options in effect; of tables that pgperf did not load only those of the run, since the others are not known.
    pub options: Map<String, Value>,
    /// How pgperf had loaded its tables; None: it had not.
    pub load: Option<DataLoad>,
}

/// The load of the tables of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataLoad {
    pub scale: Scale,
    pub options: Map<String, Value>,
    /// The rows that it inserts; None: not known before it.
    pub rows: Option<u64>,
}

/// The data of a run of these workloads on the tables that were found, each family once.
pub fn of(place: &mut dyn Place, workloads: &[Named], found: &[Params]) -> Result<Vec<RunData>> {
    let mut all: Vec<RunData> = Vec::new();
    for (workload, params) in workloads.iter().zip(found) {
        let family = workload.family();
        let is_known = all.iter().any(|data| data.family == family.name());
        if is_known || params.options.is_empty() && !family.has_data_set() {
            continue;
        }
        let load = load(place, workload, params)?;
        let is_known = |name: &str| {
            let option = given::find(family, name);
            load.is_some() || option.is_some_and(|option| option.applies(When::Run))
        };
        let options = plain(&params.options).into_iter();
        all.push(RunData {
            workload: workload.name().to_owned(),
            family: family.name().to_owned(),
            schema: params.schema.clone(),
            options: options
                .filter(|(name, _)| is_known(name) && name != STEPS)
                .collect(),
            load,
        });
    }
    Ok(all)
}

/// How the tables of a run with these parameters were loaded.
fn load(place: &mut dyn Place, workload: &Named, params: &Params) -> Result<Option<DataLoad>> {
    let family = workload.family();
    let registered = place.data_set(family, &params.schema)?;
    let registered = registered.filter(|registered| registered.has_all(family, params));
    let Some((registered, scale)) = registered.and_then(|it| it.scale().map(|scale| (it, scale)))
    else {
        return Ok(None);
    };
    let options = load_options(&registered, family, &params.schema);
    let rows = match workload {
        Named::BuiltIn(_) => rows(family, scale, &options),
        Named::Stored(_) => None,
    };
    Ok(Some(DataLoad {
        scale,
        options,
        rows,
    }))
}

/// The options with which tables were loaded, without the steps: these say how, not what.
fn load_options(registered: &Registered, family: &dyn Family, schema: &str) -> Map<String, Value> {
    let all = registered.params(family, schema).options;
    let mut options = given::of_load(family, &plain(&all));
    options.remove(STEPS);
    options
}

fn rows(family: &dyn Family, scale: Scale, options: &Given) -> Option<u64> {
    let none = Given::new();
    let params = Params::of_run(family, "", scale, options, &none);
    let steps = family.data_set(&params).ok()?;
    Some(steps.iter().map(super::Step::rows).sum()).filter(|&rows| rows > 0)
}

/// Options with whole numbers spelled alike: 1 and 1.0 are the same.
fn plain(options: &Map<String, Value>) -> Map<String, Value> {
    let options = options.iter();
    options
        .map(|(name, value)| (name.clone(), plain_value(value)))
        .collect()
}

fn plain_value(value: &Value) -> Value {
    let number = value.as_f64().filter(|number| number.fract() == 0.0);
    match number.filter(|number| number.abs() < 1e15) {
        Some(number) => Value::from(number as i64),
        None => value.clone(),
    }
}

/// Why a run that was interrupted must not go on with this data; None: it is as it was, as far as pgperf knows.
pub fn change(data: &RunData) -> Result<Option<String>> {
    let (Some(before), Ok(workload)) = (&data.load, named(&data.workload)) else {
        return Ok(None);
    };
    let family = workload.family();
    if family.name() != data.family {
        return Ok(None);
    }
    let registered = registered::find(family, &data.schema)?;
    let (now, params) = match registered {
        Some(registered) => {
            let params = registered.params_of_run(family, &data.schema, &data.options);
            let is_own = registered.has_all(family, &params);
            (Some(registered).filter(|_| is_own), params)
        }
        None => {
            let (none, schema) = (Given::new(), data.schema.as_str());
            let params = Params::of_run(family, schema, Scale::NONE, &before.options, &none);
            (None, params)
        }
    };
    let Some(now) = now else {
        // Somebody has replaced them, or they are gone.
        let exist = exist(&family.tables(&params), &data.schema)?;
        return Ok((!exist).then(|| "its tables no longer exist".to_owned()));
    };
    let Some(scale) = now.scale() else {
        return Ok(Some(
            "a load of its tables has not been completed".to_owned(),
        ));
    };
    if scale != before.scale {
        return Ok(Some(format!(
            "its tables have been loaded again at scale {scale}, not {}",
            before.scale
        )));
    }
    let options = load_options(&now, family, &data.schema);
    let mut others = before.options.iter();
    let other = others.find(|(name, value)| options.get(name.as_str()) != Some(*value));
    Ok(other.map(|(name, _)| format!("its tables have been loaded again with another {name}")))
}

/// Whether all tables of these names exist in a schema.
fn exist(tables: &[String], schema: &str) -> Result<bool> {
    #[derive(Deserialize)]
    struct ExistingTables {
        count: usize,
    }
    let found: Option<ExistingTables> = spi::select_one(
        "SELECT pg_catalog.count(*) AS count FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
          WHERE n.nspname = $1::pg_catalog.name AND c.relname = ANY ($2::pg_catalog.name[])",
        &[schema.into(), tables.to_vec().into()],
    )?;
    Ok(found.is_some_and(|found| found.count == tables.len()))
}

impl RunData {
    /// The options that are not what they are by default; all of them where the library does not know the family, as those of
    /// stored workloads.
    pub fn chosen<'a>(
        &'a self,
        options: &'a Map<String, Value>,
    ) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let chosen = options.iter().filter(|(name, value)| {
            let default = self
                .known(name)
                .map(|option| plain_value(&option.default()));
            match default {
                Some(default) => default != **value,
                None => !value.is_null(),
            }
        });
        chosen.map(|(name, value)| (name.as_str(), value))
    }

    /// The chosen options with which the tables were loaded.
    pub fn of_load(&self) -> Option<(Scale, Map<String, Value>)> {
        let load = self.load.as_ref()?;
        let chosen = self.chosen(&load.options);
        let chosen: Map<String, Value> = chosen
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        Some((load.scale, chosen)).filter(|(_, chosen)| !chosen.is_empty())
    }

    fn known(&self, option: &str) -> Option<&'static Definition> {
        let mut all = families().iter();
        let family = all.find(|family| family.name() == self.family)?;
        given::find(*family, option)
    }
}

/// The longest line that tells options.
const LONGEST: usize = 400;

/// The chosen options of all data of a run, as a reader sees them: `table_size 1000, tables 2`. Of several, with their families.
pub fn describe(data: &[RunData]) -> Option<String> {
    let several = data.len() > 1;
    let all = data.iter().flat_map(|data| {
        let family = several.then(|| format!("{} ", data.family));
        let option = move |(name, value): (&str, &Value)| {
            let family = family.as_deref().unwrap_or_default();
            match value {
                Value::String(text) => format!("{family}{name} {text}"),
                value => format!("{family}{name} {value}"),
            }
        };
        data.chosen(&data.options).map(option)
    });
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| one_line(&all.join(", "), LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::find;
    use serde_json::json;

    fn map(options: Value) -> Map<String, Value> {
        options.as_object().cloned().unwrap_or_default()
    }

    /// Of tables that were loaded with these options, in a run with those.
    fn data(name: &str, loaded: Value, given: Value) -> RunData {
        let Ok(workload) = find(name) else {
            panic!("no workload {name}");
        };
        let (family, scale) = (workload.family, Scale::from(2));
        let (loaded, given) = (map(loaded), map(given));
        let options = Params::of_run(family, "s", scale, &loaded, &given).options;
        RunData {
            family: family.name().to_owned(),
            options: plain(&options),
            load: Some(DataLoad {
                scale,
                rows: rows(family, scale, &loaded),
                options: loaded,
            }),
            ..RunData::default()
        }
    }

    #[test]
    fn options_of_load_and_run_are_told_if_they_are_chosen() {
        let data = data(
            "oltp_read_only",
            json!({"tables": 2, "create_secondary": false}),
            json!({"range_size": 7, "tables": 1}),
        );
        // Those of the run are not those of the load.
        let of_load = json!({"create_secondary": false, "tables": 2});
        assert_eq!(data.of_load(), Some((Scale::from(2), map(of_load))));
        let rows = data.load.as_ref().and_then(|load| load.rows);
        assert_eq!(rows, Some(2 * 2 * 10_000));
        assert_eq!(data.options.get("table_size"), Some(&json!(10_000)));
        assert_eq!(
            describe(std::slice::from_ref(&data)).as_deref(),
            Some("create_secondary false, range_size 7")
        );
        assert_eq!(
            describe(&[data.clone(), data]).as_deref(),
            Some(
                "sysbench create_secondary false, sysbench range_size 7, \
                 sysbench create_secondary false, sysbench range_size 7"
            )
        );
    }

    #[test]
    fn nothing_is_told_of_defaults_and_everything_of_unknown_families() {
        let defaults = data("tpcb-like", json!({}), json!({}));
        assert_eq!(defaults.of_load(), None);
        assert_eq!(
            defaults.load.as_ref().and_then(|load| load.rows),
            Some(200_022)
        );
        assert_eq!(describe(&[defaults]), None);
        let own = RunData {
            family: "mine".to_owned(),
            options: map(json!({"customers": 10, "word": "a\nb"})),
            ..RunData::default()
        };
        assert_eq!(describe(&[own]).as_deref(), Some("customers 10, word a b"));
    }

    #[test]
    fn a_whole_number_is_the_same_however_it_is_spelled() {
        let options = plain(&map(json!({"a": 1.0, "b": 0.5, "c": "1.0", "d": true})));
        assert_eq!(
            Value::Object(options),
            json!({"a": 1, "b": 0.5, "c": "1.0", "d": true})
        );
    }
}
