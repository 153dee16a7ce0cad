//! What a run knows of its data: of each family whose tables it runs on, the options in effect and the size.

use super::family::Family;
use super::given::{self, Given};
use super::option::{Definition, SCALE, When};
use super::params::Params;
use super::registered;
use super::scale::Scale;
use super::{Named, families, named};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The data set of a run, as it was when the run started; stored with the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunData {
    /// The first workload of the run that uses it.
    pub workload: String,
    pub family: String,
    /// All options of the family: those of the run, and those with which the tables were loaded.
    pub options: Map<String, Value>,
    /// The schema of its tables.
    pub schema: String,
    /// The scale at which pgperf had loaded it; None: it had not.
    pub loaded_at: Option<Scale>,
    /// The rows that a load with these options inserts; None: not known before it.
    pub rows: Option<u64>,
}

/// The data of a run of these workloads on the tables that were found, each family once.
pub fn of(workloads: &[Named], found: &[Params]) -> Result<Vec<RunData>> {
    let mut all: Vec<RunData> = Vec::new();
    for (workload, params) in workloads.iter().zip(found) {
        let family = workload.family();
        if all.iter().any(|data| data.family == family.name()) {
            continue;
        }
        if params.options.is_empty() && !family.has_data_set() {
            continue;
        }
        all.push(RunData {
            workload: workload.name().to_owned(),
            family: family.name().to_owned(),
            options: params.options.clone(),
            schema: params.schema.clone(),
            loaded_at: loaded_at(family, params)?,
            rows: rows(family, params),
        });
    }
    Ok(all)
}

fn loaded_at(family: &dyn Family, params: &Params) -> Result<Option<Scale>> {
    let registered = registered::find(family, &params.schema)?;
    let registered = registered.filter(|registered| registered.has_all(family, params));
    Ok(registered.and_then(|registered| registered.scale()))
}

/// Why a run that was interrupted must not go on with this data; None: it is as it was, as far as pgperf knows. `given`: the
/// options of the run's call, which may differ from those of the load.
pub fn change(data: &RunData, given: &Given) -> Result<Option<String>> {
    let (Some(before), Ok(workload)) = (data.loaded_at, named(&data.workload)) else {
        return Ok(None);
    };
    let family = workload.family();
    let registered = registered::find(family, &data.schema)?;
    let now = registered.map(|registered| {
        let params = registered.params(family, &data.schema);
        let complete = registered.has_all(family, &params);
        (complete, registered.scale(), params.options)
    });
    Ok(match now {
        None | Some((false, _, _)) => Some("its tables no longer exist".to_owned()),
        Some((_, None, _)) => Some("a load of its tables has not been completed".to_owned()),
        Some((_, Some(scale), _)) if scale != before => Some(format!(
            "its tables have been loaded at scale {scale} meanwhile, not {before}"
        )),
        Some((_, _, options)) => {
            let differs =
                |(name, value): &(&String, &Value)| options.get(name.as_str()) != Some(*value);
            let of_load = data.options.iter().filter(|(name, _)| {
                let option = given::find(family, name);
                option.is_some_and(|option| option.applies(When::Load))
                    && !given.contains_key(*name)
            });
            // The options of a stored workload are spelled out in its scripts and variables.
            let of_load = of_load.filter(|_| workload.stored().is_none());
            let mut others = of_load.filter(differs);
            let other = others.next();
            other.map(|(name, _)| {
                format!("its tables have been loaded with another {name} meanwhile")
            })
        }
    })
}

fn rows(family: &dyn Family, params: &Params) -> Option<u64> {
    let steps = family.data_set(params).ok()?;
    Some(steps.iter().map(super::Step::rows).sum()).filter(|&rows| rows > 0)
}

impl RunData {
    /// The options that are not what they are by default; all of them where the library does not know the family, as those of
    /// stored workloads.
    pub fn chosen(&self) -> impl Iterator<Item = (&str, &Value)> {
        let options = self.options.iter();
        let chosen = options.filter(|(name, value)| match self.known(name) {
            Some(option) => option.default() != **value,
            None => !value.is_null(),
        });
        chosen.map(|(name, value)| (name.as_str(), value))
    }

    /// The chosen options with which the tables were loaded.
    pub fn of_load(&self) -> Map<String, Value> {
        let is_of_load = |name: &str| {
            let option = self.known(name);
            option.is_none_or(|option| option.applies(When::Load)) && name != SCALE
        };
        let chosen = self.chosen().filter(|(name, _)| is_of_load(name));
        chosen
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }

    fn known(&self, option: &str) -> Option<&'static Definition> {
        let mut all = families().iter();
        let family = all.find(|family| family.name() == self.family)?;
        given::find(*family, option)
    }
}

/// The chosen options of all data of a run, as a reader sees them: `table_size 1000, tables 2`.
pub fn describe(data: &[RunData]) -> Option<String> {
    let option = |(name, value): (&str, &Value)| match value {
        Value::String(text) => format!("{name} {text}"),
        value => format!("{name} {value}"),
    };
    let all: Vec<String> = data.iter().flat_map(RunData::chosen).map(option).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Scale, find};
    use serde_json::json;

    fn data(name: &str, loaded: Value, given: Value) -> Vec<RunData> {
        let Ok(workload) = find(name) else {
            panic!("no workload {name}");
        };
        let of = |options: Value| options.as_object().cloned().unwrap_or_default();
        let params = Params::of_run(
            workload.family,
            "s",
            Scale::from(2),
            &of(loaded),
            &of(given),
        );
        vec![RunData {
            workload: name.to_owned(),
            family: workload.family.name().to_owned(),
            rows: rows(workload.family, &params),
            options: params.options,
            ..RunData::default()
        }]
    }

    #[test]
    fn options_of_load_and_run_are_told_if_they_are_chosen() {
        let data = data(
            "oltp_read_only",
            json!({"tables": 2, "create_secondary": false}),
            json!({"range_size": 7, "tables": 1}),
        );
        let [one] = data.as_slice() else {
            panic!("{data:?}");
        };
        assert_eq!(
            describe(&data).as_deref(),
            Some("create_secondary false, range_size 7")
        );
        assert_eq!(
            Value::Object(one.of_load()),
            json!({"create_secondary": false})
        );
        assert_eq!(one.rows, Some(2 * 10_000));
        assert_eq!(one.options.get("table_size"), Some(&json!(10_000)));
    }

    #[test]
    fn nothing_is_told_of_defaults_and_everything_of_unknown_families() {
        let defaults = data("tpcb-like", json!({}), json!({}));
        assert_eq!(describe(&defaults), None);
        assert_eq!(defaults.first().and_then(|data| data.rows), Some(200_022));
        let own = RunData {
            family: "mine".to_owned(),
            options: json!({"customers": 10})
                .as_object()
                .cloned()
                .unwrap_or_default(),
            ..RunData::default()
        };
        assert_eq!(describe(&[own]).as_deref(), Some("customers 10"));
    }
}
