//! Scripts and rows without a server; tests/families/sysbench.rs has sysbench itself beside them.

use super::draws::{Filler, draw};
use super::options::SysbenchOptions;
use crate::workload::{Params, Result, Scale, Step, find, load_steps};
use script::{CommandKind, Context, Expression, Prng, Symbols, Variables};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn params(scale: i32, given: Value) -> Params {
    let family = find("oltp_read_only").unwrap().family;
    let mut params = Params::of_tables(family, "s", Scale::from(scale));
    for (name, value) in given.as_object().unwrap() {
        assert!(params.options.contains_key(name), "{name}");
        params.options.insert(name.clone(), value.clone());
    }
    params
}

fn text(workload: &str, given: Value) -> String {
    let scripts = (find(workload).unwrap().scripts)(&params(1, given));
    assert_eq!(scripts.len(), 1);
    scripts[0].text.clone()
}

/// The statements of a transaction, each as often as it is executed.
fn statements(workload: &str, given: Value) -> Vec<String> {
    let script = script::parse(workload, &text(workload, given), &mut Symbols::new()).unwrap();
    let sql = script
        .commands
        .iter()
        .filter_map(|command| match &command.kind {
            CommandKind::Sql(sql) => Some(sql.text.clone()),
            _ => None,
        });
    sql.collect()
}

#[test]
fn a_transaction_has_the_queries_of_its_options() {
    assert_eq!(
        statements("oltp_read_write", json!({})),
        [
            "BEGIN;",
            "SELECT c FROM sbtest1 WHERE id=:id::bigint;",
            "SELECT c FROM sbtest1 WHERE id BETWEEN :id::bigint AND :last::bigint;",
            "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN :id::bigint AND :last::bigint;",
            "SELECT c FROM sbtest1 WHERE id BETWEEN :id::bigint AND :last::bigint ORDER BY c;",
            "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN :id::bigint AND :last::bigint ORDER BY c;",
            "UPDATE sbtest1 SET k=k+1 WHERE id=:id::bigint;",
            "UPDATE sbtest1 SET c=:'c'::varchar WHERE id=:id::bigint;",
            "DELETE FROM sbtest1 WHERE id=:id::bigint;",
            "INSERT INTO sbtest1 (id, k, c, pad) VALUES (:id::bigint, :k::bigint, :'c'::varchar, :'pad'::varchar);",
            "COMMIT;"
        ]
    );
    assert!(text("oltp_read_only", json!({})).contains("\\while :i <= 10\n"));
    let some = json!({"skip_trx": true, "point_selects": 1, "range_selects": false, "tables": 3});
    let read = text("oltp_read_only", some);
    assert_eq!(
        read,
        "\\set t random(1, 3)\n\\set id sysbench_special(1, 10000, 12, 1, 75)\nSELECT c FROM sbtest:t WHERE id=:id::bigint;\n"
    );
    assert_eq!(
        statements(
            "oltp_write_only",
            json!({"index_updates": 0, "delete_inserts": 0})
        )
        .len(),
        3
    );
}

#[test]
fn points_and_ranges_are_a_list() {
    assert_eq!(
        statements("select_random_points", json!({"random_points": 3})),
        ["SELECT id, k, c, pad FROM sbtest1 WHERE k IN (:p1::bigint, :p2::bigint, :p3::bigint);"]
    );
    let ranges = text(
        "select_random_ranges",
        json!({"number_of_ranges": 2, "delta": 7}),
    );
    assert!(ranges.contains("\\set q2 :p2 + 7\n"), "{ranges}");
    assert!(
        ranges.ends_with("WHERE k BETWEEN :p1::bigint AND :q1::bigint OR k BETWEEN :p2::bigint AND :q2::bigint;\n"),
        "{ranges}"
    );
}

#[test]
fn inserts_have_their_values_in_the_text() {
    for name in ["oltp_insert", "oltp_delete"] {
        let scripts = (find(name).unwrap().scripts)(&params(1, json!({})));
        assert_eq!(scripts[0].simple, name == "oltp_insert");
    }
    let numbered = text("oltp_insert", json!({"auto_inc": false}));
    assert!(
        numbered.contains("(id, k, c, pad) VALUES (:id, :k, :'c', :'pad')"),
        "{numbered}"
    );
}

/// The ids that a client of four draws in a part of a run.
fn drawn_ids(text: &str, client: i64, part: i64) -> Vec<i64> {
    let mut symbols = Symbols::new();
    let script = script::parse("insert", text, &mut symbols).unwrap();
    let mut variables = Variables::new(&symbols);
    let mut prng = Prng::new(7);
    for (name, value) in [
        ("client_id", client),
        ("pgperf_clients", 4),
        ("pgperf_part", part),
        ("default_seed", 99),
    ] {
        variables.set(symbols.intern(name), script::Value::Int(value));
    }
    let id = symbols.lookup("id").unwrap();
    let mut draw = || {
        for command in &script.commands {
            if let CommandKind::Set { variable, expr } = &command.kind {
                let mut context = Context {
                    variables: &variables,
                    prng: &mut prng,
                    debug: &mut |_| {},
                };
                let value = context.eval(expr).unwrap();
                variables.set(*variable, value);
            }
        }
        match variables.get(id) {
            Some(script::Value::Int(id)) => *id,
            other => panic!("{other:?}"),
        }
    };
    (0..2_000).map(|_| draw()).collect()
}

#[test]
fn no_id_is_drawn_twice_nor_is_one_of_a_loaded_row() {
    for rows in [10_000, i32::MAX - 1] {
        let text = text(
            "oltp_insert",
            json!({"auto_inc": false, "table_size": rows}),
        );
        let mut all = BTreeSet::new();
        for part in [0, 1, 2, 3, 8] {
            for client in 0..4 {
                let ids = drawn_ids(&text, client, part);
                let loaded = 1..=i64::from(rows);
                assert!(ids.iter().all(|id| !loaded.contains(id)));
                assert!(ids.iter().all(|&id| i32::try_from(id).is_ok()));
                all.extend(ids);
            }
        }
        assert_eq!(all.len(), 5 * 4 * 2_000, "{rows}");
        let negative = all.iter().filter(|id| **id < 0).count();
        assert!(negative > 15_000, "{negative}");
    }
}

#[test]
fn loads_have_rows_in_each_table() {
    let rows = |scale, given| -> Result<u64> {
        let steps = load_steps("oltp_insert", &params(scale, given))?;
        Ok(steps.iter().map(Step::rows).sum())
    };
    assert_eq!(rows(1, json!({})).unwrap(), 10_000);
    let four = rows(3, json!({"tables": 4, "table_size": 500}));
    assert_eq!(four.unwrap(), 6_000);
    let error = rows(100_000, json!({"table_size": 100_000})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "table_size times scale must be at most 2147483647, not 10000000000"
    );
    let steps = load_steps(
        "oltp_insert",
        &params(1, json!({"create_secondary": false})),
    );
    assert!(
        steps
            .unwrap()
            .iter()
            .all(|step| step.title != "secondary indexes")
    );
}

#[test]
fn a_row_depends_on_its_table_and_id_alone() {
    let options = SysbenchOptions::of(&params(1, json!({}))).unwrap();
    let k = Expression::parse(&draw(&options.distribution, "1", "10000")).unwrap();
    let row = |table, id| {
        let mut filler = Filler::new(k.clone(), table);
        let values = filler.row(id);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (values.k, text(values.c), text(values.pad))
    };
    let (k, c, pad) = row(1, 7);
    assert_eq!(row(1, 7), (k, c.clone(), pad.clone()));
    assert_ne!(row(1, 8).1, c);
    assert_ne!(row(2, 7).1, c);
    assert!((1..=10_000).contains(&k));
    let groups = |text: &str| text.split('-').map(str::len).collect::<Vec<_>>();
    assert_eq!(groups(&c), [11; 10]);
    assert_eq!(groups(&pad), [11; 5]);
    assert!(c.chars().all(|c| c == '-' || c.is_ascii_digit()));
}
