//! Scripts, draws and rows without a server.

use super::options::{TatpOptions, subscribers};
use super::rows;
use super::scripts::{scripts, sub_nbr, subscriber};
use super::tables::{ACCESS_INFO, CALL_FORWARDING, DATA_SET, SPECIAL_FACILITY, SUBSCRIBER};
use crate::pg::bulk::{InsertWriter, Rows};
use crate::workload::plain::Table;
use crate::workload::plain::tests::expect_consistent;
use crate::workload::scripts::parse;
use crate::workload::{Action, Params, find, load_steps};
use script::{Expression, Prng, Symbols};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn params(scale: i32, given: Value) -> Params {
    let family = find("tatp").unwrap().family;
    let mut params = Params::of_tables(family, "s", scale.into());
    params.options.extend(given.as_object().unwrap().clone());
    params
}

#[test]
fn defaults_are_those_of_the_definitions() {
    let options = TatpOptions::of(&params(1, json!({}))).unwrap();
    assert_eq!(options, TatpOptions::default());
}

#[test]
fn scripts_parse_and_have_their_shares() {
    let scripts = scripts(&params(1, json!({})));
    let weights: Vec<_> = scripts.iter().map(|script| script.weight).collect();
    assert_eq!(weights, [35, 10, 35, 2, 14, 2, 2]);
    assert!(scripts.iter().all(|script| !script.text.contains('@')));
    for script in parse(&scripts, &mut Symbols::new()).unwrap() {
        script.check_parameters().unwrap();
    }
}

#[test]
fn reads_name_all_columns_that_there_are() {
    let texts: String = (scripts(&params(1, json!({}))).into_iter())
        .map(|script| script.text)
        .collect();
    for table in DATA_SET.tables {
        for column in table.columns {
            // Nothing reads or writes this one.
            let is_used = texts.contains(column.name);
            assert_eq!(is_used, !["error_cntrl", "data_b"].contains(&column.name));
        }
    }
    let columns: Vec<_> = SUBSCRIBER
        .columns
        .iter()
        .map(|column| column.name)
        .collect();
    assert!(texts.contains(&format!("SELECT {} FROM subscriber", columns.join(", "))));
}

#[test]
fn the_second_draw_of_a_subscriber_grows_with_their_number() {
    let draw = |scale, given| {
        let params = params(scale, given);
        subscriber(&TatpOptions::of(&params).unwrap(), subscribers(&params))
    };
    assert_eq!(draw(1, json!({})), "nurand(65535, 1, 100000, 0)");
    assert_eq!(draw(10, json!({})), "nurand(65535, 1, 1000000, 0)");
    assert_eq!(draw(11, json!({})), "nurand(1048575, 1, 1100000, 0)");
    assert_eq!(draw(100, json!({})), "nurand(1048575, 1, 10000000, 0)");
    assert_eq!(draw(101, json!({})), "nurand(2097151, 1, 10100000, 0)");
    assert_eq!(draw(2, json!({"uniform": true})), "random(1, 200000)");
}

/// The sum of (found - expected)^2 / expected.
fn chi_square(found: &[usize], expected: impl Iterator<Item = f64>) -> f64 {
    let cells = found.iter().zip(expected);
    cells
        .map(|(&found, expected)| (found as f64 - expected).powi(2) / expected)
        .sum()
}

#[test]
fn subscribers_are_drawn_as_specified() {
    const N: usize = 100;
    const DRAWS: usize = 100_000;
    let count = |uniform| {
        let options = TatpOptions {
            uniform,
            ..TatpOptions::default()
        };
        let expression = Expression::parse(&subscriber(&options, N as i64)).unwrap();
        let mut prng = Prng::new(3);
        let mut counts = vec![0; N];
        for _ in 0..DRAWS {
            counts[expression.int(&mut prng).unwrap() as usize - 1] += 1;
        }
        counts
    };
    // ((random(0, A) | random(1, N)) % N) + 1, all pairs.
    let mut weights = vec![0_u32; N];
    for a in 0..=65_535 {
        for b in 1..=N {
            weights[(a | b) % N] += 1;
        }
    }
    let all = 65_536.0 * N as f64;
    let expected = || weights.iter().map(|&n| DRAWS as f64 * f64::from(n) / all);
    // With 99 degrees of freedom it is larger in one of a thousand cases.
    let distance = chi_square(&count(false), expected());
    assert!(distance < 148.3, "{distance}");
    let even = || std::iter::repeat_n(DRAWS as f64 / N as f64, N);
    let distance = chi_square(&count(true), even());
    assert!(distance < 148.3, "{distance}");
    assert!(chi_square(&count(false), even()) > 1_000.0);
}

#[test]
fn numbers_have_fifteen_digits() {
    for (s_id, number) in [
        (1, "000000000000001"),
        (1_234_567_890, "000001234567890"),
        (100_000, "000000000100000"),
    ] {
        // Expressions have numbers alone as values: the digits are read as one.
        let concat = sub_nbr(&s_id.to_string());
        let script = format!("\\set n {concat}\n");
        script::parse("n", &script, &mut Symbols::new()).unwrap();
        let digits: Vec<_> = concat
            .trim_start_matches("concat('00000', ")
            .trim_end_matches(')')
            .split(", ")
            .map(|digit| {
                let value = Expression::parse(digit).unwrap();
                value.int(&mut Prng::new(1)).unwrap().to_string()
            })
            .collect();
        assert_eq!(format!("00000{}", digits.concat()), number);
    }
}

/// The rows of a subscriber, with their values as literals. Fails if they do not suit the columns.
fn make(table: &'static Table, source: fn(i64, &mut Rows), s_id: i64) -> Vec<Vec<String>> {
    let mut insert = InsertWriter::new("s", table.name, table.columns);
    let mut rows = Rows::new(table.columns, &mut insert);
    source(s_id, &mut rows);
    let count = rows.count().unwrap() as usize;
    let statement = insert.into_statement().unwrap_or_default();
    let Some((_, values)) = statement.split_once(" VALUES (") else {
        return Vec::new();
    };
    let rows = values.trim_end_matches(')').split("), (");
    let rows: Vec<Vec<_>> = rows
        .map(|row| row.split(", ").map(str::to_owned).collect())
        .collect();
    assert_eq!(rows.len(), count);
    rows
}

/// The rows of a table for the first subscribers.
fn all(table: &'static Table, source: fn(i64, &mut Rows), subscribers: i64) -> Vec<Vec<String>> {
    (1..=subscribers)
        .flat_map(|s_id| make(table, source, s_id))
        .collect()
}

/// Fails if a share is more than four standard deviations away from what is expected.
fn is_share(found: usize, of: usize, expected: f64) {
    let (found, of) = (found as f64, of as f64);
    let deviation = (of * expected * (1.0 - expected)).sqrt();
    assert!(
        (found - of * expected).abs() < 4.0 * deviation,
        "{found} of {of}, not {expected}"
    );
}

const N: i64 = 10_000;

fn number(value: &str) -> i64 {
    value.parse().unwrap()
}

#[test]
fn a_subscriber_has_numbers_in_their_ranges() {
    let rows = all(&SUBSCRIBER, rows::subscriber, N);
    assert_eq!(rows.len() as i64, N);
    assert_eq!(rows[41][..2], ["42", "'000000000000042'"]);
    for (columns, max) in [(2..12, 1), (12..22, 15), (22..32, 255)] {
        for column in columns {
            let values: Vec<_> = rows.iter().map(|row| number(&row[column])).collect();
            assert_eq!(values.iter().min(), Some(&0));
            assert_eq!(values.iter().max(), Some(&max));
            let zeros = values.iter().filter(|value| **value == 0).count();
            is_share(zeros, rows.len(), 1.0 / (max + 1) as f64);
        }
    }
    for column in [32, 33] {
        let large = |row: &&Vec<String>| number(&row[column]) > i64::from(i32::MAX);
        is_share(rows.iter().filter(large).count(), rows.len(), 0.5);
    }
    assert_eq!(
        make(&SUBSCRIBER, rows::subscriber, 2_000_000_000)[0][1],
        "'000002000000000'"
    );
}

#[test]
fn rows_depend_on_the_subscriber_alone() {
    for (table, source) in [
        (&SUBSCRIBER, rows::subscriber as fn(i64, &mut Rows)),
        (&ACCESS_INFO, rows::access_info),
        (&SPECIAL_FACILITY, rows::special_facility),
        (&CALL_FORWARDING, rows::call_forwarding),
    ] {
        let several = all(table, source, 50);
        let of_last = several.iter().filter(|row| row[0] == "50");
        assert!(of_last.eq(&make(table, source, 50)), "{}", table.name);
    }
}

#[test]
fn subscribers_have_one_to_four_rows_each_number_equally_often() {
    for (table, source) in [
        (&ACCESS_INFO, rows::access_info as fn(i64, &mut Rows)),
        (&SPECIAL_FACILITY, rows::special_facility),
    ] {
        let mut counts = [0; 5];
        let mut types = [0; 4];
        for s_id in 1..=N {
            let rows = make(table, source, s_id);
            counts[rows.len()] += 1;
            assert!(rows.is_sorted_by(|a, b| a[1] < b[1]));
            for row in rows {
                types[number(&row[1]) as usize - 1] += 1;
            }
        }
        assert_eq!(counts[0], 0);
        let distance = chi_square(&counts[1..], std::iter::repeat_n(N as f64 / 4.0, 4));
        // With 3 degrees of freedom.
        assert!(distance < 16.3, "{}: {counts:?}", table.name);
        // Five of eight subscribers have each type.
        for count in types {
            is_share(count, N as usize, 0.625);
        }
    }
    let facilities = all(&SPECIAL_FACILITY, rows::special_facility, N);
    let active = facilities.iter().filter(|row| row[2] == "1").count();
    is_share(active, facilities.len(), 0.85);
}

#[test]
fn calls_of_facilities_are_forwarded_at_none_to_three_times() {
    let facilities: BTreeSet<_> = all(&SPECIAL_FACILITY, rows::special_facility, N)
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let rows = all(&CALL_FORWARDING, rows::call_forwarding, N);
    let mut times = BTreeMap::new();
    let mut hours = [0; 8];
    for row in &rows {
        let facility = (row[0].clone(), row[1].clone());
        assert!(facilities.contains(&facility), "{row:?}");
        *times.entry(facility).or_insert(0) += 1;
        assert!(["0", "8", "16"].contains(&row[2].as_str()));
        hours[(number(&row[3]) - number(&row[2])) as usize - 1] += 1;
        assert!(row[4].len() == 17 && row[4].trim_matches('\'').parse::<u64>().is_ok());
    }
    let mut counts = [facilities.len() - times.len(), 0, 0, 0];
    for times in times.into_values() {
        counts[times] += 1;
    }
    let even = std::iter::repeat_n(facilities.len() as f64 / 4.0, 4);
    let distance = chi_square(&counts, even);
    assert!(distance < 16.3, "{counts:?}");
    let even = std::iter::repeat_n(rows.len() as f64 / 8.0, 8);
    let distance = chi_square(&hours, even);
    // With 7 degrees of freedom.
    assert!(distance < 24.4, "{hours:?}");
}

#[test]
fn a_load_fills_the_four_tables() {
    let steps = load_steps("tatp", &params(3, json!({}))).unwrap();
    let filled: Vec<_> = (steps.iter().flat_map(|step| &step.actions))
        .filter_map(|action| match action {
            Action::Fill(fill) => Some((fill.table.as_str(), fill.rows)),
            _ => None,
        })
        .collect();
    assert_eq!(
        filled,
        [
            ("subscriber", 300_000),
            ("access_info", 750_000),
            ("special_facility", 750_000),
            ("call_forwarding", 1_125_000)
        ]
    );
}

#[test]
fn keys_and_indexes_are_of_columns_that_exist() {
    expect_consistent(&DATA_SET);
}
