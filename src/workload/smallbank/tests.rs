//! Scripts, draws and rows without a server.

use super::data_set::{DATA_SET, ROWS, balance};
use super::options::{SmallbankOptions, check_run, customers};
use super::scripts::{customer, scripts};
use crate::pg::bulk::Row;
use crate::workload::plain::tests::expect_consistent;
use crate::workload::scripts::parse;
use crate::workload::{Params, Step, find, load_steps};
use script::{Expression, Prng, Symbols};
use serde_json::{Value, json};

fn params(scale: i32, given: Value) -> Params {
    let family = find("smallbank").unwrap().family;
    let mut params = Params::of_tables(family, "s", scale.into());
    params.options.extend(given.as_object().unwrap().clone());
    params
}

#[test]
fn defaults_are_those_of_the_definitions() {
    let options = SmallbankOptions::of(&params(1, json!({}))).unwrap();
    assert_eq!(options, SmallbankOptions::default());
}

#[test]
fn scripts_parse_and_have_their_shares() {
    let scripts = scripts(&params(1, json!({})));
    let shares: Vec<_> = scripts
        .iter()
        .map(|script| (script.name.as_str(), script.weight))
        .collect();
    assert_eq!(
        shares,
        [
            ("amalgamate", 15),
            ("balance", 15),
            ("deposit checking", 15),
            ("send payment", 25),
            ("transact savings", 15),
            ("write check", 15)
        ]
    );
    assert!(scripts.iter().all(|script| !script.text.contains('@')));
    for script in parse(&scripts, &mut Symbols::new()).unwrap() {
        script.check_parameters().unwrap();
    }
}

/// Draws customers, and returns how many there are of each of the hot spot, then of all others.
fn draw(hotspot: (i64, i32), customers: i64, draws: usize) -> Vec<usize> {
    let options = SmallbankOptions {
        hotspot_customers: hotspot.0,
        hotspot_percent: hotspot.1,
        ..SmallbankOptions::default()
    };
    let expression = Expression::parse(&customer(&options, customers)).unwrap();
    let mut prng = Prng::new(7);
    let mut counts = vec![0; hotspot.0 as usize + 1];
    for _ in 0..draws {
        let drawn = expression.int(&mut prng).unwrap();
        assert!((1..=customers).contains(&drawn));
        let last = counts.len() - 1;
        counts[(drawn as usize - 1).min(last)] += 1;
    }
    counts
}

#[test]
fn nine_of_ten_customers_are_of_the_hot_spot() {
    let draws = 200_000;
    let counts = draw((100, 90), 300_000, draws);
    let expected = |bin: usize| draws as f64 * if bin < 100 { 0.009 } else { 0.1 };
    let distance: f64 = (counts.iter().enumerate())
        .map(|(bin, &count)| (count as f64 - expected(bin)).powi(2) / expected(bin))
        .sum();
    // Chi square with 100 degrees of freedom is larger in one of a thousand cases.
    assert!(distance < 149.5, "{distance}");
    assert_eq!(draw((10, 100), 300_000, 1_000)[10], 0);
    // Without a hot spot its customers are as rare as any.
    let counts = draw((100, 0), 100_000, draws);
    assert!((120..280).contains(&(draws - counts[100])), "{counts:?}");
    // A hot spot of all customers is none.
    assert_eq!(draw((1_000, 90), 1_000, draws)[1_000], 0);
}

#[test]
fn the_hot_spot_is_not_larger_than_the_bank() {
    let large = |scale| check_run(&params(scale, json!({"hotspot_customers": 150_000})));
    assert!(large(2).is_ok());
    assert_eq!(
        large(1).unwrap_err().to_string(),
        "hotspot_customers must be at most the 100000 customers of the tables, not 150000"
    );
}

#[test]
fn balances_are_normal_between_their_limits_and_depend_on_the_customer_alone() {
    let n = 50_000;
    let all: Vec<i64> = (1..=n).map(|customer| balance(1, customer)).collect();
    assert!(
        all.iter()
            .all(|cents| (1_000_000..=5_000_000).contains(cents))
    );
    assert!(all.iter().all(|cents| cents % 100 == 0));
    let within = |deviations: f64| {
        let distance = deviations * 800_000.0;
        let near = |cents: &&i64| (**cents as f64 - 3_000_000.0).abs() <= distance;
        all.iter().filter(near).count() as f64 / n as f64
    };
    // Of the normal distribution that ends at 2.5 deviations: erf(1 / sqrt 2) and erf(2 / sqrt 2), by erf(2.5 / sqrt 2).
    assert!((within(1.0) - 0.6912).abs() < 0.008, "{}", within(1.0));
    assert!((within(2.0) - 0.9665).abs() < 0.004, "{}", within(2.0));
    assert_eq!(balance(1, 7), all[6]);
    assert_ne!(balance(2, 7), all[6]);
}

#[test]
fn rows_suit_their_columns() {
    for (table, write) in ROWS {
        // Fails if the values do not suit the columns.
        let pack = |customer| {
            let (mut row, mut bytes) = (Row::new(table.columns), Vec::new());
            write(customer, &mut row);
            row.pack(7, 1, &mut bytes).unwrap();
            bytes
        };
        for customer in [1, 100_000, 1_000_000_000] {
            assert_eq!(pack(customer), pack(customer));
            assert_ne!(pack(customer), pack(customer + 1));
        }
    }
}

#[test]
fn a_load_has_a_row_of_each_table_for_each_customer() {
    let steps = load_steps("smallbank", &params(3, json!({}))).unwrap();
    assert_eq!(steps.iter().map(Step::rows).sum::<u64>(), 900_000);
    assert_eq!(customers(&params(3, json!({}))), 300_000);
}

#[test]
fn keys_and_indexes_are_of_columns_that_exist() {
    expect_consistent(&DATA_SET);
}
