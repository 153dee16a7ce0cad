//! The argument `options` of calls: options of workload families by name. Pure.

use super::family::Family;
use super::option::{Definition, SCALE, When, describe};
use crate::error::{Error, Result, hinted};
use crate::pg::sql::object::members;
use serde_json::{Map, Value};

/// What is said where the argument is something else than an object.
const NO_OBJECT: &str = "For example: options => '{\"name\": 1}'.";

/// Options by name.
pub type Given = Map<String, Value>;

/// The argument as it is given; no options if it is not.
///
/// # Errors
/// It is no JSON object.
pub fn parse(argument: Option<&Value>) -> Result<Given> {
    let given = argument.filter(|value| !value.is_null());
    members("options", "", given, NO_OBJECT)
}

/// The error for an option that a load of this family does not have.
pub(super) fn not_of_load(family: &dyn Family, name: &str) -> Error {
    match find(family, name) {
        Some(option) => other_time(option),
        None => hinted(
            format!("the tables of \"{}\" have no option {name}", family.name()),
            &describe(&[family], When::Load),
        ),
    }
}

/// That for an option of loads in a run, or of runs in a load.
fn other_time(option: &Definition) -> Error {
    let (calls, hint) = match option.when {
        When::Run => (
            "runs",
            "Give it to pgperf.run, pgperf.start_run or pgperf.start_sweep.",
        ),
        _ => (
            "loads",
            "Give it to pgperf.init when the tables are loaded.",
        ),
    };
    let name = option.name;
    hinted(format!("option {name} applies only to {calls}"), hint)
}

/// That for the scale, which has an argument of its own.
pub(super) fn scale_as_option() -> Error {
    hinted(
        "options must not have scale",
        "It is an argument of its own: scale => 10.",
    )
}

/// Checks the options of a run whose workloads belong to these families. Each family takes those that it knows.
///
/// # Errors
/// An option applies to no run of any of them, has the wrong type or is outside its range; they have no options.
pub fn check_run(families: &[&dyn Family], given: &Given) -> Result<()> {
    let mut all = families.iter().flat_map(|family| family.options());
    if all.next().is_none() && !given.is_empty() {
        return Err(hinted(
            "options needs a workload that has options",
            "Scripts, and stored workloads without options, have variables instead.",
        ));
    }
    for (name, value) in given {
        if name == SCALE {
            return Err(scale_as_option());
        }
        let mut known = false;
        for family in families {
            if let Some(option) = find(*family, name).filter(|option| option.applies(When::Run)) {
                known = true;
                if !value.is_null() {
                    option.read(value, *family, When::Run)?;
                }
            }
        }
        if known {
            continue;
        }
        let of_loads = families.iter().find_map(|family| find(*family, name));
        return Err(match of_loads {
            Some(option) => other_time(option),
            None => hinted(
                format!("no workload of the run has an option {name}"),
                &describe(&distinct(families), When::Run),
            ),
        });
    }
    Ok(())
}

/// Divides the options of a sweep that loads the tables of `data`, the first of the families of its runs: into those of
/// the loads and those of the runs. One that nobody knows is left to the runs, which refuse it.
pub fn divide(data: &dyn Family, of_runs: &[&dyn Family], given: &Given) -> (Given, Given) {
    let pick = |keep: &dyn Fn(&str) -> bool| {
        let options = given.iter().filter(|(name, _)| keep(name));
        let options = options.map(|(name, value)| (name.clone(), value.clone()));
        options.collect::<Given>()
    };
    let loads = |name: &str| find(data, name).is_some_and(|option| option.applies(When::Load));
    let runs = |name: &str| {
        let mut options = of_runs.iter().filter_map(|family| find(*family, name));
        options.any(|option| option.applies(When::Run))
    };
    (
        pick(&|name| loads(name)),
        pick(&|name| runs(name) || !loads(name)),
    )
}

/// Those options of a run that at least one of these families has.
pub fn known_to(families: &[&dyn Family], mut given: Given) -> Given {
    given.retain(|name, _| families.iter().any(|family| find(*family, name).is_some()));
    given
}

/// Those that apply to loads of this family.
pub fn of_load(family: &dyn Family, given: &Given) -> Given {
    let applies = |name: &str| find(family, name).is_some_and(|option| option.applies(When::Load));
    let options = given.iter().filter(|(name, _)| applies(name));
    options
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Each family once.
fn distinct<'a>(families: &[&'a dyn Family]) -> Vec<&'a dyn Family> {
    let mut all: Vec<&dyn Family> = Vec::new();
    for family in families {
        if all.iter().all(|known| known.name() != family.name()) {
            all.push(*family);
        }
    }
    all
}

pub fn find(family: &dyn Family, name: &str) -> Option<&'static Definition> {
    let mut options = family.options().iter();
    options.find(|option| option.name == name)
}

#[cfg(test)]
mod tests;
