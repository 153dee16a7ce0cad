//! Scripts, draws, keys and rows without a server.

use super::data_set::{DATA_SET, FIELD_LENGTH, USERTABLE, record};
use super::keys::{chosen, key};
use super::options::{Distribution, ITEMS, InsertOrder, YcsbOptions};
use crate::pg::bulk::{InsertWriter, Rows};
use crate::workload::plain::tests::expect_consistent;
use crate::workload::scripts::parse;
use crate::workload::{Action, Params, Step, find, load_steps};
use script::random::hash_fnv1a;
use script::{CommandKind, Expression, Prng, Symbols};
use serde_json::{Value, json};

fn params(scale: i32, given: Value) -> Params {
    let family = find("ycsb-a").unwrap().family;
    let mut params = Params::of_tables(family, "s", scale.into());
    for (name, value) in given.as_object().unwrap() {
        assert!(params.options.contains_key(name), "{name}");
        params.options.insert(name.clone(), value.clone());
    }
    params
}

/// The statements of a workload's scripts, with the names and shares of these.
fn statements(workload: &str, given: Value) -> Vec<(String, u32, Vec<String>)> {
    let specs = (find(workload).unwrap().scripts)(&params(2, given));
    let scripts = parse(&specs, &mut Symbols::new()).unwrap();
    let statements = |script: &script::Script| {
        script.check_parameters().unwrap();
        let commands = script.commands.iter();
        let texts = commands.filter_map(|command| match &command.kind {
            CommandKind::Sql(sql) => Some(sql.text.trim_end().to_owned()),
            _ => None,
        });
        texts.collect()
    };
    specs
        .iter()
        .zip(&scripts)
        .map(|(spec, script)| (spec.name.clone(), spec.weight, statements(script)))
        .collect()
}

#[test]
fn defaults_are_those_of_the_definitions() {
    let options = YcsbOptions::of(&params(1, json!({}))).unwrap();
    let expected = YcsbOptions {
        schema: "s".to_owned(),
        ..YcsbOptions::default()
    };
    assert_eq!(options, expected);
}

#[test]
fn workloads_have_the_operations_and_shares_of_the_core_workloads() {
    for (workload, shares) in [
        ("ycsb-a", vec![("read", 50), ("update", 50)]),
        ("ycsb-b", vec![("read", 95), ("update", 5)]),
        ("ycsb-c", vec![("read", 100)]),
        ("ycsb-d", vec![("read", 95), ("insert", 5)]),
        ("ycsb-e", vec![("scan", 95), ("insert", 5)]),
        ("ycsb-f", vec![("read", 50), ("read-modify-write", 50)]),
    ] {
        for given in [json!({}), json!({"requestdistribution": "uniform"})] {
            let scripts = statements(workload, given);
            let found: Vec<_> = scripts
                .iter()
                .map(|(name, share, _)| (name.as_str(), *share))
                .collect();
            assert_eq!(found, shares);
        }
    }
}

#[test]
fn operations_are_those_statements() {
    const READ: &str = "SELECT * FROM usertable WHERE ycsb_key = :'key';";
    const NEWEST: &str = "SELECT last_value AS newest FROM usertable_keynum";
    let of = |workload, given, script: usize| statements(workload, given)[script].2.clone();
    assert_eq!(of("ycsb-a", json!({}), 0), [READ]);
    assert_eq!(
        of("ycsb-f", json!({}), 1),
        [
            READ,
            "UPDATE usertable SET field:n = :'value' WHERE ycsb_key = :'key';"
        ]
    );
    // Only the choice of the latest records needs to know them.
    assert_eq!(of("ycsb-d", json!({}), 0), [NEWEST, READ]);
    let zipfian = json!({"requestdistribution": "zipfian"});
    assert_eq!(of("ycsb-d", zipfian, 0), [READ]);
    let latest = json!({"requestdistribution": "latest"});
    assert_eq!(of("ycsb-c", latest, 0), [NEWEST, READ]);
    let insert = of("ycsb-e", json!({}), 1);
    assert_eq!(insert.len(), 2);
    assert!(insert[1].starts_with("INSERT INTO usertable (ycsb_key, field0, "));
    let text = |given| {
        (find("ycsb-e").unwrap().scripts)(&params(2, given))[0]
            .text
            .clone()
    };
    assert!(text(json!({})).contains("\\set length random(1, 100)\n"));
    assert!(text(json!({"maxscanlength": 7})).contains("\\set length random(1, 7)\n"));
    assert!(text(json!({})).contains("\\set key concat('user', abs(hash_fnv1a(:keynum, 0)))\n"));
    assert!(
        text(json!({"insertorder": "ordered"})).contains("\\set key concat('user', :keynum)\n")
    );
    assert!(!text(json!({})).contains('{'));
}

#[test]
fn keys_are_those_of_ycsb() {
    for (number, expected) in [
        (0, "user6284781860667377211"),
        (1, "user8517097267634966620"),
    ] {
        assert_eq!(key(InsertOrder::Hashed, number), expected);
    }
    assert_eq!(key(InsertOrder::Ordered, 7), "user7");
}

/// The sum of (found - expected)^2 / expected.
fn chi_square(found: &[usize], expected: &[f64]) -> f64 {
    let cells = found.iter().zip(expected);
    cells
        .map(|(&found, expected)| (found as f64 - expected).powi(2) / expected)
        .sum()
}

const DRAWS: usize = 100_000;

/// Draws numbers of so many records, and counts each. The newest one is the last.
fn draw(distribution: Distribution, constant: f64, records: usize) -> Vec<usize> {
    let options = YcsbOptions {
        records: records as i64,
        zipfianconstant: constant,
        ..YcsbOptions::default()
    };
    let newest = (records - 1).to_string();
    let expression = Expression::parse(&chosen(distribution, &options, &newest)).unwrap();
    let mut prng = Prng::new(11);
    let mut counts = vec![0; records];
    for _ in 0..DRAWS {
        counts[expression.int(&mut prng).unwrap() as usize] += 1;
    }
    counts
}

#[test]
fn zipfian_scatters_items_of_which_the_first_come_most_often() {
    const RECORDS: usize = 50;
    // The items of each record: the first million one by one, the others evenly.
    let weight = |rank: i64| (rank as f64).powf(-0.99);
    let first = 1_000_000;
    let integral = |x: f64| x.powf(0.01) / 0.01;
    let others = integral(ITEMS as f64 + 0.5) - integral(first as f64 + 0.5);
    let mut weights = vec![others / RECORDS as f64; RECORDS];
    for rank in 1..=first {
        let item = hash_fnv1a(rank - 1, 0).wrapping_abs();
        weights[(item % RECORDS as i64) as usize] += weight(rank);
    }
    let all: f64 = weights.iter().sum();
    // What YCSB divides by.
    assert!((all - 26.469).abs() < 0.001, "{all}");
    let expected: Vec<_> = weights
        .iter()
        .map(|weight| DRAWS as f64 * weight / all)
        .collect();
    // With 49 degrees of freedom it is larger in one of a thousand cases.
    let counts = draw(Distribution::Zipfian, 0.99, RECORDS);
    let distance = chi_square(&counts, &expected);
    assert!(distance < 85.4, "{distance}");
    let counts = draw(Distribution::Zipfian, 0.5, RECORDS);
    assert!(chi_square(&counts, &expected) > 500.0);
}

#[test]
fn latest_requests_the_newest_record_most_often() {
    const RECORDS: usize = 100;
    for constant in [0.99, 0.4] {
        let weights = (0..RECORDS).map(|number| ((RECORDS - number) as f64).powf(-constant));
        let all: f64 = weights.clone().sum();
        let expected: Vec<_> = weights.map(|weight| DRAWS as f64 * weight / all).collect();
        let counts = draw(Distribution::Latest, constant, RECORDS);
        let distance = chi_square(&counts, &expected);
        // With 99 degrees of freedom.
        assert!(distance < 148.3, "{constant}: {distance}");
        assert_eq!(counts.iter().max(), counts.last());
    }
}

#[test]
fn uniform_requests_all_records_equally_often() {
    let counts = draw(Distribution::Uniform, 0.99, 100);
    let distance = chi_square(&counts, &[DRAWS as f64 / 100.0; 100]);
    assert!(distance < 148.3, "{distance}");
}

/// The values of a record, as literals.
fn values(order: InsertOrder, number: i64) -> Vec<String> {
    let mut insert = InsertWriter::new("s", USERTABLE.name, USERTABLE.columns);
    let mut rows = Rows::new(USERTABLE.columns, &mut insert);
    record(order, number, &mut rows);
    assert_eq!(rows.count(), Ok(1));
    let statement = insert.into_statement().unwrap();
    let (_, values) = statement.split_once(" VALUES (").unwrap();
    let values = values.trim_end_matches(')').split(", ");
    values
        .map(|value| value.trim_matches('\'').to_owned())
        .collect()
}

#[test]
fn a_record_has_ten_fields_of_letters() {
    let mut letters = [0; 26];
    for number in 0..200 {
        let values = values(InsertOrder::Hashed, number);
        assert_eq!(values[0], key(InsertOrder::Hashed, number));
        assert_eq!(values.len(), 11);
        for value in &values[1..] {
            assert_eq!(value.len(), FIELD_LENGTH);
            for letter in value.bytes() {
                letters[usize::from(letter - b'a')] += 1;
            }
        }
    }
    // With 25 degrees of freedom.
    let distance = chi_square(&letters, &[200_000.0 / 26.0; 26]);
    assert!(distance < 52.6, "{distance}");
    assert_eq!(
        values(InsertOrder::Hashed, 7),
        values(InsertOrder::Hashed, 7)
    );
    let (hashed, ordered) = (
        values(InsertOrder::Hashed, 7),
        values(InsertOrder::Ordered, 7),
    );
    assert_eq!(hashed[1..], ordered[1..]);
    assert_ne!(hashed[1..], values(InsertOrder::Hashed, 8)[1..]);
}

#[test]
fn a_load_has_scale_times_recordcount_records() {
    let steps = |scale, given| load_steps("ycsb-a", &params(scale, given));
    let rows = |steps: Vec<Step>| steps.iter().map(Step::rows).sum::<u64>();
    assert_eq!(steps(5, json!({})).map(rows).unwrap(), 5_000);
    let plan = steps(3, json!({"recordcount": 20, "fillfactor": 70})).unwrap();
    let texts: String = (plan.iter().flat_map(|step| &step.actions))
        .filter_map(|action| match action {
            Action::Execute(statement) => Some(format!("{};\n", statement.sql)),
            _ => None,
        })
        .collect();
    assert!(texts.contains("fillfactor = 70"), "{texts}");
    assert!(texts.contains("usertable_keynum\"', 59)"), "{texts}");
    assert_eq!(rows(plan), 60);
    assert_eq!(
        steps(1_000_000, json!({"recordcount": 100_000}))
            .unwrap_err()
            .to_string(),
        "recordcount times scale must be at most 10000000000, not 100000000000"
    );
}

#[test]
fn keys_and_indexes_are_of_columns_that_exist() {
    expect_consistent(&DATA_SET);
}
