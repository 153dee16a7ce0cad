use super::*;
use crate::workload;
use crate::workload::own::Own;
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
        relations: relations.iter().map(|name| relation(name, "r")).collect(),
        tables: None,
    }
}

fn relation(name: &str, kind: &str) -> Relation {
    Relation {
        name: name.to_owned(),
        kind: kind.to_owned(),
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
    let replaced = |old: &Registered, logs| -> Vec<String> {
        let relations = super::replaced(Some(old), toy(), &new(logs)).into_iter();
        relations.map(|relation| relation.name).collect()
    };
    assert_eq!(replaced(&two, 1), THREE);
    assert_eq!(replaced(&two, 2), [""; 0]);
    assert_eq!(replaced(&two, 3), [""; 0]);
    let renamed = row(
        5.0,
        json!({"log_tables": 2}),
        &["toy_items", "toy_log", "kept"],
    );
    assert_eq!(replaced(&renamed, 1), [""; 0]);
}

fn mine() -> Own {
    Own {
        name: "mine".to_owned(),
        setup_sql: Some("CREATE TABLE a ();".to_owned()),
        options: map(json!({"rows": 10})),
        ..Own::default()
    }
}

#[test]
fn a_stored_workload_has_the_tables_that_its_load_has_registered() {
    let mut loaded_before = row(5.0, json!({"rows": 20}), &["a", "b"]);
    loaded_before.tables = Some(vec!["a".to_owned(), "b".to_owned()]);
    let judged = |registered: Option<&Registered>| {
        let loaded = loaded(registered, &mine(), "s", &Given::new());
        let params = loaded.params().clone();
        let is_here = matches!(loaded, Loaded::Here { .. });
        (
            is_here,
            params.tables.join(" "),
            params.options["rows"].clone(),
        )
    };
    let all = "a b".to_owned();
    assert_eq!(judged(Some(&loaded_before)), (true, all.clone(), json!(20)));
    // One of them has been dropped or renamed.
    loaded_before.relations[0].name = "c".to_owned();
    assert_eq!(judged(Some(&loaded_before)), (false, all, json!(10)));
    assert_eq!(judged(None), (false, String::new(), json!(10)));
}

#[test]
fn a_load_of_a_stored_workload_replaces_everything_of_its_own() {
    let mut old = row(5.0, json!({}), &["b", "renamed", "a"]);
    old.tables = Some(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    old.relations.insert(0, relation("v2", "v"));
    old.relations.insert(1, relation("m", "m"));
    old.relations.push(relation("v1", "v"));
    old.relations.push(relation("n", "S"));
    if let Some(tables) = &mut old.tables {
        tables.push("m".to_owned());
    }
    let params = Params::of_load(&mine(), "S".to_owned(), 1.into(), 1, &Given::new()).unwrap();
    assert_eq!(
        drop_statements(&super::replaced(Some(&old), &mine(), &params), "S"),
        [
            "DROP VIEW \"S\".\"v2\"",
            "DROP MATERIALIZED VIEW \"S\".\"m\"",
            "DROP VIEW \"S\".\"v1\"",
            "DROP TABLE IF EXISTS \"S\".\"b\", \"S\".\"a\"",
            "DROP SEQUENCE IF EXISTS \"S\".\"n\"",
        ]
    );
}
