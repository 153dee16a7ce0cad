//! The toy family's options, tables and scripts.

use crate::workload::{Params, Result, Step, find, load_steps};
use serde_json::{Value, json};

fn params(scale: f64, given: Value) -> Result<Params> {
    let family = find("toy")?.family;
    let scale = crate::workload::Scale::new(scale);
    let given = given.as_object().cloned().unwrap_or_default();
    Params::of_load(family, "s".to_owned(), scale, 2, &given)
}

#[test]
fn a_scale_may_have_a_fraction() {
    let loads = |scale| -> u64 {
        let steps = load_steps("toy-read", &params(scale, json!({})).unwrap()).unwrap();
        steps.iter().map(Step::rows).sum()
    };
    assert_eq!((loads(0.5), loads(3.0)), (500, 3_000));
    let checks = (find("toy-read").unwrap().checks)(&params(0.5, json!({})).unwrap());
    assert_eq!(checks[0].name, "toy_items has 500 rows at scale 0.5");
}

#[test]
fn options_are_its_own() {
    let with = |given| params(1.0, given).map(|params| params.options);
    // Without that of runs.
    assert_eq!(
        with(json!({})).map(Value::Object).unwrap(),
        json!({"fillfactor": 100, "logs": true, "log_tables": 1, "parts": 0, "create": true})
    );
    let error = with(json!({"partitions": 3})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tables of \"toy\" have no option partitions"
    );
    assert!(error.hint().unwrap().contains(
        "fillfactor (integer from 10 to 100, default 100): percent of each page of items to fill; logs"
    ));
    let error = with(json!({"reads": 3})).unwrap_err();
    assert_eq!(error.to_string(), "option reads applies only to runs");
    for given in [json!({"fillfactor": 5}), json!({"logs": 1})] {
        with(given).unwrap_err();
    }
}

#[test]
fn tables_and_scripts_depend_on_options() {
    let workload = find("toy").unwrap();
    let map = |value: Value| value.as_object().unwrap().clone();
    let params = Params::of_run(
        workload.family,
        "s",
        2.into(),
        &map(json!({"log_tables": 2, "reads": 9})),
        &map(json!({"reads": 5, "logs": false})),
    );
    assert_eq!(
        workload.family.tables(&params),
        ["toy_items", "toy_log", "toy_log2"]
    );
    let scripts = (workload.scripts)(&params);
    let scripts: Vec<_> = scripts
        .iter()
        .map(|script| (script.name.as_str(), script.weight))
        .collect();
    assert_eq!(
        scripts,
        [("toy read", 10), ("toy write", 1), ("toy write2", 1)]
    );
    // An option of loads is that of the load, whatever a run is given.
    assert_eq!(params.options["logs"], json!(true));
}

#[test]
fn a_workload_may_have_several_scripts() {
    let workload = find("toy").unwrap();
    let params = Params::of_tables(workload.family, "", 1.into());
    let weights: Vec<_> = (workload.scripts)(&params)
        .into_iter()
        .map(|script| (script.name, script.weight))
        .collect();
    assert_eq!(
        weights,
        [("toy read".to_owned(), 3), ("toy write".to_owned(), 1)]
    );
}
