//! The loads of a sweep's points.

use crate::error::{Result, hinted};
use crate::pg::sql::object;
use crate::run::request::mix::Mix;
use crate::run::request::options::Options;
use crate::run::request::spec::Work;
use crate::run::request::start::Checked;
use crate::run::request::start_load;
use crate::workload::arguments;
use crate::workload::given::{self, Given};
use crate::workload::{self, Named};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The data set that each table of the loads belongs to.
pub type Owners = BTreeMap<String, String>;

/// The arguments of the load of a point's tables, checked. `run`: the arguments that all runs of the sweep have.
pub fn load(
    run: &Map<String, Value>,
    checked: &Checked,
    mut load: Map<String, Value>,
    owners: &mut Owners,
) -> Result<Map<String, Value>> {
    let data = checked.data_workload().unwrap_or(workload::default().name);
    load.insert("workload".to_owned(), data.into());
    for common in ["schema", "limits"] {
        if let Some(value) = run.get(common) {
            load.insert(common.to_owned(), value.clone());
        }
    }
    if let Some(server) = checked.spec.targets.first() {
        load.insert("server".to_owned(), server.into());
    }
    let (spec, ..) = start_load::check(load.clone())?;
    let replaces = load.get("replace").and_then(Value::as_bool);
    if !replaces.unwrap_or(false) {
        check_owners(owners, &spec.work)?;
    }
    Ok(load)
}

/// Further arguments of the loads.
pub fn load_options(init_options: Option<&Value>) -> Result<Map<String, Value>> {
    const HINT: &str = "They are arguments of pgperf.init: '{\"unlogged\": true, \"jobs\": 2}'.";
    let own = [
        "workload",
        "scale",
        "partitions",
        "fillfactor",
        "schema",
        "limits",
        "label",
        "options",
    ];
    let why = "The sweep's own arguments set it.";
    let options = object::arguments(
        "init_options",
        "pgperf.init",
        init_options,
        &own,
        [HINT, why],
    )?;
    start_load::check_arguments(&options)
        .map_err(|reason| hinted(format!("init_options: {reason}"), HINT))?;
    Ok(options)
}

/// Refuses loads of data sets that have a table in common: a load does not drop the tables of another data set.
fn check_owners(owners: &mut Owners, work: &Work) -> Result<()> {
    let Work::Load(load) = work else {
        return Ok(());
    };
    let family = load.family()?;
    for table in family.tables(&load.options) {
        let owner = owners
            .entry(table)
            .or_insert_with(|| family.name().to_owned());
        if owner != family.name() {
            return Err(hinted(
                format!(
                    "the data sets \"{owner}\" and \"{}\" have tables of the same names",
                    family.name()
                ),
                "Make a sweep for each of them, or let each load drop the other's tables: init_options => '{\"replace\": true}'.",
            ));
        }
    }
    Ok(())
}

/// Gives the loads of a point, whose tables have these properties, those of its options that apply to them, and leaves
/// the others to its runs.
pub fn divide_options(
    arguments: &mut Map<String, Value>,
    load: &mut Map<String, Value>,
    of_tables: Map<String, Value>,
) -> Result<()> {
    let options = Options::new(arguments.clone())?;
    let (given, none) = (given::parse(options.options.as_ref())?, Given::new());
    let (mix, warmup) = (Mix::of(&options, &none)?, Mix::of_warmup(&options, &none)?);
    let data = mix.data_workload().map(Named::family);
    let data = data.unwrap_or(workload::default().family);
    let of_runs = [mix.families(), warmup.families()].concat();
    let (mut of_loads, of_runs) = given::divide(data, &of_runs, &given);
    if arguments::has_arguments(data) {
        load.extend(of_tables);
    } else {
        if let Some(name) = of_tables.keys().find(|name| of_loads.contains_key(*name)) {
            return Err(arguments::given_twice(name));
        }
        of_loads.extend(of_tables);
    }
    arguments.remove("options");
    for (map, options) in [(arguments, of_runs), (load, of_loads)] {
        if !options.is_empty() {
            map.insert("options".to_owned(), options.into());
        }
    }
    Ok(())
}
