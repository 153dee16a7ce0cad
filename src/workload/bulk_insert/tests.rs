//! Options, steps, the script and its metrics without a server; tests/families/bulk_insert.rs has sysbench itself beside them.

use super::options::BulkInsertOptions;
use crate::workload::family::{MeasuredCommand, MeasuredScript};
use crate::workload::{Measured, Params, Step, find, load_steps};
use script::{CommandKind, Context, Prng, Symbols, Variables};
use serde_json::{Value, json};

fn params(given: Value) -> Params {
    let family = find("bulk_insert").unwrap().family;
    let mut params = Params::of_tables(family, "s", 1.into());
    params.options.extend(given.as_object().unwrap().clone());
    params
}

#[test]
fn defaults_are_those_of_the_definitions() {
    assert_eq!(
        BulkInsertOptions::of(&params(json!({}))),
        BulkInsertOptions::default()
    );
}

#[test]
fn a_load_creates_a_table_for_each_client() {
    let steps = load_steps("bulk_insert", &params(json!({"tables": 3}))).unwrap();
    let titles: Vec<_> = steps.iter().map(|step| step.title).collect();
    assert_eq!(titles, ["drop tables", "create tables", "primary keys"]);
    let counts: Vec<_> = steps.iter().map(|step| step.actions.len()).collect();
    assert_eq!(counts, [1, 3, 3]);
    assert_eq!(steps.iter().map(Step::rows).sum::<u64>(), 0);
}

#[test]
fn clients_without_a_table_are_refused() {
    let family = find("bulk_insert").unwrap().family;
    let of = |tables, clients| family.check_clients(&params(json!({"tables": tables})), clients);
    assert!(of(4, 4).is_ok());
    let error = of(4, 5).unwrap_err();
    assert_eq!(error.to_string(), "clients must be at most 4, not 5");
    let hint = error.hint().unwrap();
    assert!(hint.contains("options => '{\"tables\": 5}'"), "{hint}");
}

/// The statements of two transactions of client 2, whose table has these many rows.
fn sent(given: Value, rows: i64) -> Vec<String> {
    let scripts = (find("bulk_insert").unwrap().scripts)(&params(given));
    assert!(scripts[0].simple);
    let mut symbols = Symbols::new();
    let script = script::parse("b", &scripts[0].text, &mut symbols).unwrap();
    let mut variables = Variables::new(&symbols);
    variables.set(symbols.lookup("client_id").unwrap(), script::Value::Int(2));
    let last = symbols.lookup("bulk_last").unwrap();
    let mut prng = Prng::new(1);
    let mut sent = Vec::new();
    for _ in 0..2 {
        let mut index = 0;
        while let Some(command) = script.commands.get(index) {
            index = command.next;
            match &command.kind {
                CommandKind::Sql(sql) => {
                    let mut text = String::new();
                    sql.interpolate(&variables, &mut text);
                    sent.push(text.trim_end().to_owned());
                    if sql.capture.is_some() {
                        variables.set(last, script::Value::Text(rows.to_string().into()));
                    }
                }
                CommandKind::Set { variable, expr } => {
                    let mut context = Context {
                        variables: &variables,
                        prng: &mut prng,
                        debug: &mut |_| {},
                    };
                    let value = context.eval(expr).unwrap();
                    variables.set(*variable, value);
                }
                CommandKind::If {
                    condition,
                    otherwise,
                } => {
                    let mut context = Context {
                        variables: &variables,
                        prng: &mut prng,
                        debug: &mut |_| {},
                    };
                    if !context.holds(condition).unwrap() {
                        index = *otherwise;
                    }
                }
                _ => {}
            }
        }
    }
    sent
}

#[test]
fn a_client_goes_on_after_the_rows_of_its_table() {
    let select = "SELECT coalesce(max(id), 0) AS bulk_last FROM sbtest3";
    assert_eq!(
        sent(json!({"rows": 2}), 0),
        [
            select,
            "INSERT INTO sbtest3 VALUES (1,1),(2,2);",
            "INSERT INTO sbtest3 VALUES (3,3),(4,4);"
        ]
    );
    assert_eq!(
        sent(json!({"rows": 1}), 70)[1..],
        [
            "INSERT INTO sbtest3 VALUES (71,71);",
            "INSERT INTO sbtest3 VALUES (72,72);"
        ]
    );
}

#[test]
fn rows_are_events() {
    let command = |text, rows| MeasuredCommand {
        text,
        calls: 3,
        rows,
    };
    let script = |name, transactions, commands| MeasuredScript {
        name,
        transactions,
        failed: 0,
        mean_ms: None,
        p90_ms: None,
        commands,
    };
    let insert = "INSERT INTO sbtest:bulk_table VALUES :bulk_rows;";
    let of_own = vec![command("SELECT coalesce", 4), command(insert, 600)];
    let measured = Measured {
        seconds: 2.0,
        clients: 1,
        scale: None,
        scripts: vec![
            script("bulk_insert", 3, of_own),
            script("mine", 7, vec![command("INSERT INTO mine", 7)]),
        ],
    };
    let family = find("bulk_insert").unwrap().family;
    assert_eq!(
        family.metrics(&measured),
        [("rows_per_second", Some(300.0)), ("events", Some(607.0))]
    );
}
