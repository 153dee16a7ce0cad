use super::*;
use crate::workload::arguments::of_load;
use crate::workload::find;
use serde_json::json;

fn family(workload: &str) -> &'static dyn Family {
    find(workload).unwrap().family
}

fn map(value: Value) -> Given {
    parse(Some(&value)).unwrap()
}

fn said(result: Result<()>) -> (String, String) {
    let error = result.unwrap_err();
    (error.to_string(), error.hint().unwrap_or_default())
}

#[test]
fn options_are_an_object() {
    assert_eq!(parse(None).unwrap(), Given::new());
    assert_eq!(parse(Some(&json!({"a": 1}))).unwrap(), map(json!({"a": 1})));
    for wrong in [json!([1]), json!("tables"), json!(8)] {
        assert!(parse(Some(&wrong)).is_err());
    }
}

#[test]
fn arguments_are_options_of_the_first_family() {
    let load = |arguments, options| {
        of_load(family("tpcb-like"), &map(arguments), &map(options))
            .map(Value::Object)
            .map_err(|error| error.to_string())
    };
    let declared = json!({"steps": "dtgvp", "fillfactor": 100, "tablespace": null});
    assert_eq!(load(declared.clone(), json!({})), Ok(json!({})));
    assert_eq!(
        load(declared, json!({"fillfactor": 80})),
        Ok(json!({"fillfactor": 80}))
    );
    assert_eq!(
        load(
            json!({"partitions": 3}),
            json!({"fillfactor": 80, "partitions": null})
        ),
        Ok(json!({"fillfactor": 80, "partitions": 3}))
    );
    assert_eq!(
        load(json!({"fillfactor": 80}), json!({"fillfactor": 80})).unwrap_err(),
        "fillfactor is both an argument and in options"
    );
    assert_eq!(
        load(json!({}), json!({"scale": 3})).unwrap_err(),
        "options must not have scale"
    );
}

#[test]
fn options_of_other_families_are_no_arguments() {
    let load = |arguments, options| of_load(family("toy"), &map(arguments), &map(options));
    assert_eq!(
        load(json!({"fillfactor": 100}), json!({"fillfactor": 50})).unwrap(),
        map(json!({"fillfactor": 50}))
    );
    let (message, hint) = said(load(json!({"fillfactor": 50}), json!({})).map(|_| ()));
    assert_eq!(
        message,
        "fillfactor is not an argument for the tables of \"toy\""
    );
    assert_eq!(hint, "Give it in options => '{\"fillfactor\": 50}'.");
    let (message, hint) = said(load(json!({"partitions": 3}), json!({})).map(|_| ()));
    assert_eq!(message, "the tables of \"toy\" have no option partitions");
    assert!(hint.contains("fillfactor (integer from 10 to 100, default 100)"));
    assert!(
        hint.contains("Options of runs only: reads (integer"),
        "{hint}"
    );
}

#[test]
fn each_family_takes_the_options_that_it_knows() {
    let both = [family("tpcb-like"), family("toy"), family("toy-read")];
    let check = |given| check_run(&both, &map(given));
    assert!(check(json!({"reads": 5, "log_tables": 2})).is_ok());
    assert!(check(json!({"reads": null})).is_ok());
    let (message, hint) = said(check(json!({"reads": -1})));
    assert_eq!(
        message,
        "reads must be an integer from 0 to 100 (default 3), not -1"
    );
    assert!(
        hint.contains("log_tables (integer from 1 to 8, default 1)"),
        "{hint}"
    );
    let (message, hint) = said(check(json!({"partitions": 1})));
    assert_eq!(message, "option partitions applies only to loads");
    assert_eq!(hint, "Give it to pgperf.init when the tables are loaded.");
    let (message, hint) = said(check(json!({"sizes": null})));
    assert_eq!(message, "no workload of the run has an option sizes");
    assert!(hint.starts_with("Their options are: log_tables"), "{hint}");
    assert_eq!(hint.matches("log_tables").count(), 1, "{hint}");
    let (message, _) = said(check(json!({"scale": 1})));
    assert_eq!(message, "options must not have scale");
    let (message, _) = said(check_run(&[], &map(json!({"reads": 5}))));
    assert_eq!(message, "options needs a workload that has options");
    assert!(check_run(&[], &Given::new()).is_ok());
}

#[test]
fn a_sweep_divides_its_options() {
    let given = map(json!({"logs": false, "reads": 5, "log_tables": 2, "nosuch": 1}));
    let toy = family("toy");
    let (loads, runs) = divide(toy, &[toy], &given);
    assert_eq!(loads, map(json!({"logs": false, "log_tables": 2})));
    assert_eq!(runs, map(json!({"reads": 5, "log_tables": 2, "nosuch": 1})));
    let kept = known_to(&[toy], given);
    assert!(kept.contains_key("reads") && !kept.contains_key("nosuch"));
}
