use super::*;
use crate::workload::given::{self, Given};
use crate::workload::option::When;
use crate::workload::scale::Scale;
use serde_json::json;
use std::collections::BTreeMap;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn mine() -> Own {
    Own {
        name: "mine".to_owned(),
        options: map(json!({"rows": 10, "share": 1.0, "word": "it's", "full": true})),
        setup_sql: Some("CREATE TABLE a (n int);\n CREATE TABLE a:rows ();".to_owned()),
        load_sql: Some("INSERT INTO a VALUES (:part), (:parts), (:scale), (:'word')".to_owned()),
        ..Own::default()
    }
}

fn load(given: Value) -> Result<Params> {
    Params::of_load(&mine(), "s".to_owned(), 5.into(), 2, &map(given))
}

#[test]
fn types_of_options_follow_from_their_defaults() {
    let descriptions: Vec<String> = mine().options().iter().map(Definition::describe).collect();
    assert_eq!(
        descriptions,
        [
            "scale (integer from 1 to 2147483647, default 1): size of the data set, :scale in its SQL",
            "full (boolean, default true)",
            "rows (integer, default 10)",
            "share (number, default 1.0)",
            "word (text, default \"it's\")",
        ]
    );
    assert!(std::ptr::eq(mine().options(), mine().options()));
    let options = load(json!({"rows": 2.0, "share": 2, "word": "", "full": null})).unwrap();
    assert_eq!(
        options.options,
        map(json!({"full": true, "rows": 2, "share": 2, "word": ""}))
    );
    for (wrong, expected) in [
        (
            json!({"rows": 1.5}),
            "rows must be an integer (default 10), not 1.5",
        ),
        (
            json!({"word": 1}),
            "word must be a text (default \"it's\"), not 1",
        ),
        (
            json!({"row": 1}),
            "the tables of \"mine\" have no option row",
        ),
    ] {
        assert_eq!(load(wrong).unwrap_err().to_string(), expected);
    }
    let hint = load(json!({"row": 1}))
        .unwrap_err()
        .hint()
        .unwrap_or_default();
    assert!(hint.contains("rows (integer, default 10)"), "{hint}");
}

#[test]
fn a_workload_without_tables_has_options_of_runs() {
    let scripts = Own {
        setup_sql: None,
        ..mine()
    };
    assert!(!scripts.has_data_set() && mine().has_data_set());
    assert_eq!(scripts.options().len(), 4);
    assert!(
        scripts
            .options()
            .iter()
            .all(|option| option.applies(When::Run))
    );
    let families: [&dyn Family; 2] = [&scripts, &Own::default()];
    assert!(given::check_run(&families, &map(json!({"rows": 3}))).is_ok());
    assert!(given::check_run(&families, &map(json!({"row": 3}))).is_err());
    assert!(given::check_run(&families[1..], &map(json!({"rows": 3}))).is_err());
    assert!(given::check_run(&families[1..], &Given::new()).is_ok());
}

#[test]
fn defaults_are_checked() {
    let check = |options: Value| {
        let variables = BTreeMap::from([("n".to_owned(), "1".to_owned())]);
        options::check(Some(&options), &variables)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(check(json!({"rows": 1, "größe": "x", "m": false})), Ok(()));
    assert_eq!(check(Value::Null), Ok(()));
    for (options, error) in [
        (
            json!("rows"),
            "options must be a JSON object of names and defaults",
        ),
        (json!({"a-b": 1}), "invalid name of an option: \"a-b\""),
        (json!({"part": 1}), "an option must not be called \"part\""),
        (
            json!({"schema": 1}),
            "an option must not be called \"schema\"",
        ),
        (json!({"n": 1}), "n is both an option and a variable"),
        (
            json!({"rows": [1]}),
            "the default of option rows must be a number, a text or a boolean",
        ),
    ] {
        assert_eq!(check(options), Err(error.to_owned()));
    }
}

#[test]
fn a_load_drops_sets_up_fills_and_vacuums() {
    let params = load(json!({"rows": 3})).unwrap();
    let steps = mine().data_set(&params).unwrap();
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step.title, step.effect, step.in_transaction))
        .collect();
    assert_eq!(
        told,
        [
            ("drop tables", Effect::Drops, false),
            ("set up", Effect::Creates, true),
            ("load", Effect::Fills, false),
            ("vacuum", Effect::Keeps, false),
        ]
    );
    let [Action::Create(statements)] = steps[1].actions.as_slice() else {
        panic!("{:?}", steps[1]);
    };
    assert_eq!(
        statements[..],
        ["CREATE TABLE a (n int);", "CREATE TABLE a3 ();"]
    );
    let [Action::Parts(parts)] = steps[2].actions.as_slice() else {
        panic!("{:?}", steps[2]);
    };
    assert_eq!(parts.count, 2);
    assert_eq!(
        parts.statements(2),
        ["INSERT INTO a VALUES (2), (2), (5), ('it''s')"]
    );
    // Without load_sql, the step only says that all is there.
    let set_up_only = Own {
        load_sql: None,
        ..mine()
    };
    assert!(set_up_only.data_set(&params).unwrap()[2].actions.is_empty());
}

#[test]
fn its_tables_are_those_of_the_load() {
    let own = mine();
    let params = Params {
        tables: vec!["A".to_owned(), "b".to_owned()],
        ..Params::of_tables(&own, "s", Scale::NONE)
    };
    assert_eq!(own.tables(&params), ["A", "b"]);
    assert_eq!(
        own.vacuum(&params, false),
        ["VACUUM \"s\".\"A\"", "VACUUM \"s\".\"b\""]
    );
    assert_eq!(own.vacuum(&params, true)[1], "VACUUM (ANALYZE) \"s\".\"b\"");
}

#[test]
fn sql_has_statements_and_variables_only() {
    let values = mine().values(&load(json!({})).unwrap());
    let query = |text| AuthorSql::parse("check_sql", text).map(|sql| sql.query(&values));
    assert_eq!(
        query("SELECT :rows, '12:30', x::int ;\n-- the end").unwrap(),
        "SELECT 10, '12:30', x::int "
    );
    assert_eq!(
        query("SELECT :nothing, :scale").unwrap(),
        "SELECT :nothing, 5"
    );
    for (text, message) in [
        (" \n", "check_sql must not be empty"),
        (
            "SELECT 1;\n\\set a 1",
            "check_sql, line 2: meta-commands are for scripts: \\set a 1",
        ),
        (
            "SELECT 1 AS a \\gset",
            "check_sql, line 1: meta-commands are for scripts: SELECT 1 AS a ",
        ),
    ] {
        assert_eq!(query(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn definitions_are_stored_whole() {
    let stored = serde_json::to_value(mine()).unwrap();
    assert_eq!(serde_json::from_value::<Own>(stored).unwrap(), mine());
    // As a release before stored them.
    let before: Own = serde_json::from_value(json!({"name": "w"})).unwrap();
    assert!(!before.has_data_set() && before.options().is_empty());
}
