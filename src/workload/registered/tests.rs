use super::*;
use crate::workload;
use serde_json::{Value, json};

fn toy() -> &'static dyn Family {
    workload::find("toy").unwrap().family
}

fn map(value: Value) -> Given {
    value.as_object().unwrap().clone()
}

fn row(scale: f64, options: Value, relations: &[&str]) -> Registered {
    Registered {
        scale,
        options: map(options),
        relations: relations.iter().map(|name| name.to_string()).collect(),
    }
}

/// Who loaded the tables, at which scale, and how many log tables a run takes.
fn judged(row: Option<&Registered>, given: Value) -> (&'static str, Option<f64>, Value) {
    let loaded = loaded(row, toy(), "s", &map(given));
    let logs = loaded.params().options["log_tables"].clone();
    match loaded {
        Loaded::Here { scale, .. } => ("here", scale.map(Scale::value), logs),
        Loaded::InPart(_) => ("in part", None, logs),
        Loaded::Elsewhere(_) => ("elsewhere", None, logs),
    }
}

const THREE: [&str; 3] = ["toy_items", "toy_log", "toy_log2"];

#[test]
fn a_run_takes_the_options_of_its_call_then_those_of_the_load() {
    let two = row(5.0, json!({"log_tables": 2}), &THREE);
    let judged = |given| judged(Some(&two), given);
    assert_eq!(judged(json!({})), ("here", Some(5.0), json!(2)));
    assert_eq!(
        judged(json!({"log_tables": null})),
        ("here", Some(5.0), json!(2))
    );
    assert_eq!(
        judged(json!({"log_tables": 1})),
        ("here", Some(5.0), json!(1))
    );
    // More tables than pgperf has loaded.
    assert_eq!(
        judged(json!({"log_tables": 3})),
        ("in part", None, json!(3))
    );
}

#[test]
fn the_scale_of_half_loaded_tables_is_not_known() {
    let half = row(0.0, json!({"log_tables": 2}), &THREE);
    assert_eq!(judged(Some(&half), json!({})), ("here", None, json!(2)));
}

#[test]
fn tables_of_others_have_no_options() {
    assert_eq!(judged(None, json!({})), ("elsewhere", None, json!(1)));
    let gone = row(5.0, json!({"log_tables": 2}), &[]);
    assert_eq!(
        judged(Some(&gone), json!({})),
        ("elsewhere", None, json!(1))
    );
    let one_left = row(5.0, json!({"log_tables": 2}), &["toy_log"]);
    assert_eq!(
        judged(Some(&one_left), json!({})),
        ("in part", None, json!(1))
    );
}

#[test]
fn a_smaller_data_set_replaces_all_tables_of_the_larger_one() {
    let new = |logs: i32| {
        let options = map(json!({"log_tables": logs}));
        Params::of_load(toy(), "s".to_owned(), 1.into(), 1, &options).unwrap()
    };
    let two = row(5.0, json!({"log_tables": 2}), &THREE);
    assert_eq!(replaced_by(&two, toy(), &new(1)), THREE);
    assert_eq!(replaced_by(&two, toy(), &new(2)), [""; 0]);
    assert_eq!(replaced_by(&two, toy(), &new(3)), [""; 0]);
    let renamed = row(
        5.0,
        json!({"log_tables": 2}),
        &["toy_items", "toy_log", "kept"],
    );
    assert_eq!(replaced_by(&renamed, toy(), &new(1)), [""; 0]);
}
