//! The data set and the scripts without a server.

mod by_month;
mod comments;
mod new_orders;

use super::tables::{Exact, Float, Tables};
use super::words::{COLORS, NATIONS, chosen};
use super::{Tpch, queries, streams};
use crate::pg::bulk::{InsertWriter, Rows};
use crate::workload::plain::tests::expect_consistent;
use crate::workload::{Action, Contents, Family, Params, Scale, Step, load_steps};
use script::{CommandKind, Context, Prng, Script, Symbols, Value, Variables, parse};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use tpchgen::distribution::{Distribution, Distributions};

fn params(scale: f64, given: &Json) -> crate::error::Result<Params> {
    let given = given.as_object().cloned().unwrap_or_default();
    Params::of_load(&Tpch, "s".to_owned(), Scale::new(scale), 2, &given)
}

fn steps(scale: f64, given: Json) -> crate::error::Result<Vec<Step>> {
    load_steps("tpch-like", &params(scale, &given)?)
}

#[test]
fn tables_keys_and_indexes_suit_each_other() {
    expect_consistent(&Tables::<Exact>::DATA_SET);
    expect_consistent(&Tables::<Float>::DATA_SET);
    expect_consistent(&Tables::<Exact>::WITH_REFRESH);
}

#[test]
fn the_options_decide_what_is_built() {
    let titles = |given| -> Vec<&str> {
        let steps = steps(1.0, given).unwrap();
        steps.iter().map(|step| step.title).skip(2).collect()
    };
    assert_eq!(
        titles(json!({"indexes": "keys"})),
        ["bulk generate", "primary keys", "vacuum"]
    );
    assert_eq!(
        titles(json!({"indexes": "none"})),
        ["bulk generate", "vacuum"]
    );
    assert_eq!(
        titles(json!({"foreign_keys": true})),
        [
            "bulk generate",
            "primary keys",
            "indexes",
            "foreign keys",
            "vacuum"
        ]
    );
    let created = |decimals: &str| {
        let steps = steps(1.0, json!({"decimals": decimals})).unwrap();
        let Action::Execute(create) = steps[1].actions[7].clone() else {
            panic!("no statement")
        };
        create.sql
    };
    let lines = created("numeric");
    assert!(lines.starts_with("CREATE TABLE \"s\".\"lineitem\" (l_orderkey bigint NOT NULL, "));
    assert!(lines.contains("l_discount numeric(15, 2) NOT NULL"));
    assert!(created("float").contains("l_discount double precision NOT NULL"));
}

#[test]
fn contradictions_and_scales_without_data_are_refused() {
    for (scale, given, message) in [
        (
            1.0,
            json!({"indexes": "none", "foreign_keys": true}),
            "indexes must be keys or foreign if foreign_keys is true, not \"none\"",
        ),
        (
            0.012,
            json!({}),
            "scale must be one at which the four suppliers of each part differ, not 0.012",
        ),
        (
            0.001,
            json!({}),
            "scale must be a number from 0.01 to 10000 (default 1.0), not 0.001",
        ),
    ] {
        let error = steps(scale, given).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().is_some());
    }
}

/// How many rows each table gets, those of some of its parts, and their sum.
#[test]
fn parts_make_all_rows() {
    let steps = steps(0.01, json!({"decimals": "float"})).unwrap();
    let expected = [5, 25, 100, 2_000, 8_000, 1_500, 15_000, 60_175];
    let fills = steps[2].actions.iter().filter_map(|action| match action {
        Action::Fill(fill) => Some(fill),
        _ => None,
    });
    for (fill, expected) in fills.zip(expected) {
        let Contents::Made {
            columns,
            units,
            sources,
            ..
        } = &fill.contents
        else {
            panic!("{} is not made", fill.table)
        };
        let mut source = sources.begin();
        let mut insert = InsertWriter::new("s", &fill.table, columns);
        let mut rows = Rows::new(columns, &mut insert);
        // In any order.
        (1..=*units as i64)
            .rev()
            .for_each(|unit| source(unit, &mut rows));
        assert_eq!(rows.count(), Ok(expected), "{}", fill.table);
        let estimate = fill.rows as f64 / expected as f64;
        assert!(
            (0.99..1.01).contains(&estimate),
            "{} {estimate}",
            fill.table
        );
    }
}

fn words(distribution: &Distribution) -> BTreeSet<&str> {
    distribution.get_values().iter().copied().collect()
}

/// What parameters are drawn from is what the rows have.
#[test]
fn words_are_those_of_the_rows() {
    let all = Distributions::static_default();
    assert_eq!(all.part_colors().get_values(), COLORS);
    let names: Vec<_> = NATIONS.iter().map(|nation| nation.0).collect();
    assert_eq!(all.nations().get_values(), names);
    for (i, (nation, region)) in NATIONS.iter().enumerate() {
        let number = all.nations().get_weight(i) as usize;
        assert_eq!(all.regions().get_value(number), *region, "{nation}");
    }
    let drawn = draws(3_000, 7);
    for (query, name, distribution) in [
        (2, "region", all.regions()),
        (3, "segment", all.market_segments()),
        (8, "nation", all.nations()),
        (8, "type", all.part_types()),
        (9, "color", all.part_colors()),
        (12, "mode1", all.ship_modes()),
        (12, "mode2", all.ship_modes()),
        (17, "container", all.part_containers()),
        (20, "color", all.part_colors()),
        (21, "nation", all.nations()),
    ] {
        let found: BTreeSet<&str> = drawn[query - 1].iter().map(|d| d[name].as_str()).collect();
        assert_eq!(found, words(distribution), "query {query}, {name}");
    }
}

/// A draw of a query's parameters, by name.
type Draw = BTreeMap<String, String>;

/// So many draws of each query.
fn draws(count: usize, seed: u64) -> Vec<Vec<Draw>> {
    all_draws(count, seed, false)
}

fn all_draws(count: usize, seed: u64, validation: bool) -> Vec<Vec<Draw>> {
    let mut symbols = Symbols::new();
    let scale = symbols.intern("scale");
    let scripts = queries::scripts(validation);
    let parsed = scripts
        .iter()
        .map(|it| parse(&it.name, &it.text, &mut symbols).unwrap());
    let parsed: Vec<Script> = parsed.collect();
    let mut variables = Variables::new(&symbols);
    variables.set(scale, Value::Double(10.0));
    let mut prng = Prng::new(seed);
    let mut draw = |script: &Script, names: &[&str]| {
        let mut drawn = Draw::new();
        for (command, name) in script.commands.iter().zip(names) {
            let CommandKind::Set { variable, expr } = &command.kind else {
                continue;
            };
            let mut context = Context {
                variables: &variables,
                prng: &mut prng,
                debug: &mut |_| (),
            };
            let value = context.eval(expr).unwrap();
            drawn.insert((*name).to_owned(), value.to_string());
            variables.set(*variable, value);
        }
        drawn
    };
    let each = parsed.iter().zip(&scripts);
    each.map(|(script, spec)| {
        let names = names(&spec.text);
        (0..count).map(|_| draw(script, &names)).collect()
    })
    .collect()
}

/// The names of the parameters that a script sets, in their order.
fn names(text: &str) -> Vec<&str> {
    let set = text.lines().filter_map(|line| line.strip_prefix("\\set "));
    set.filter_map(|rest| rest.split(' ').next()).collect()
}

/// The smallest and the largest of a number.
fn range(draws: &[Draw], name: &str) -> (f64, f64) {
    let numbers = draws.iter().map(|draw| draw[name].parse::<f64>().unwrap());
    numbers.fold((f64::MAX, f64::MIN), |(low, high), number| {
        (low.min(number), high.max(number))
    })
}

#[test]
fn parameters_are_within_their_rules() {
    let drawn = draws(1_000, 42);
    let is = |query: usize, name: &str, low: f64, high: f64| {
        assert_eq!(
            range(&drawn[query - 1], name),
            (low, high),
            "query {query}, {name}"
        );
    };
    is(1, "delta", 60.0, 120.0);
    is(2, "size", 1.0, 50.0);
    is(6, "discount", 0.02, 0.09);
    is(6, "quantity", 24.0, 25.0);
    is(11, "fraction", 0.000_01, 0.000_01);
    is(18, "quantity", 312.0, 315.0);
    is(19, "quantity1", 1.0, 10.0);
    is(19, "quantity2", 10.0, 20.0);
    is(19, "quantity3", 20.0, 30.0);
    let dates = |query: usize| -> BTreeSet<&str> {
        drawn[query - 1]
            .iter()
            .map(|draw| draw["date"].as_str())
            .collect()
    };
    let years: BTreeSet<_> = ["1993", "1994", "1995", "1996", "1997"].into();
    for query in [5, 6, 12, 20] {
        assert!(
            dates(query)
                .into_iter()
                .eq(years.iter().map(|year| format!("{year}-01-01")))
        );
    }
    assert_eq!(dates(3).len(), 31);
    for (query, first, last, months) in [
        (4, "1993-1-01", "1997-10-01", 58),
        (10, "1993-2-01", "1995-1-01", 24),
        (14, "1993-1-01", "1997-12-01", 60),
        (15, "1993-1-01", "1997-10-01", 58),
    ] {
        let dates = dates(query);
        assert_eq!(dates.len(), months, "query {query}");
        assert!(
            dates.contains(first) && dates.contains(last),
            "query {query}"
        );
    }
    let regions: BTreeMap<_, _> = NATIONS.into_iter().collect();
    for draw in &drawn[7] {
        assert_eq!(regions[draw["nation"].as_str()], draw["region"]);
    }
    for (query, prefix, count, of) in [
        (7, "nation", 2, 25),
        (12, "mode", 2, 7),
        (16, "size", 8, 50),
        (22, "code", 7, 25),
    ] {
        let mut all = BTreeSet::new();
        for draw in &drawn[query - 1] {
            let of_draw = (1..=count).map(|i| draw[&format!("{prefix}{i}")].as_str());
            let distinct: BTreeSet<_> = of_draw.collect();
            assert_eq!(distinct.len(), count, "query {query}");
            all.extend(distinct);
        }
        assert_eq!(all.len(), of, "query {query}");
    }
    is(16, "size1", 1.0, 50.0);
    is(22, "code7", 10.0, 34.0);
    let brands: BTreeSet<_> = drawn[16]
        .iter()
        .map(|draw| draw["brand"].as_str())
        .collect();
    assert!(brands.len() == 25 && brands.contains("Brand#11") && brands.contains("Brand#55"));
    let pairs: BTreeSet<_> = drawn[12]
        .iter()
        .map(|draw| (&draw["word1"], &draw["word2"]))
        .collect();
    assert_eq!(pairs.len(), 16);
}

#[test]
fn equal_seeds_draw_equal_parameters() {
    assert_eq!(draws(20, 3), draws(20, 3));
    assert_ne!(draws(20, 3), draws(20, 4));
    let validation = all_draws(2, 1, true);
    assert_eq!(validation, all_draws(2, 2, true));
    assert_eq!(validation[15][0]["size8"], "9");
    assert_eq!(validation[21][1]["code7"], "17");
}

#[test]
fn each_variable_of_a_query_is_one_of_its_parameters() {
    for script in queries::scripts(false) {
        let mut symbols = Symbols::new();
        let parsed = parse(&script.name, &script.text, &mut symbols).unwrap();
        let mut known = BTreeSet::new();
        let mut statements = 0;
        for command in &parsed.commands {
            match &command.kind {
                CommandKind::Set { variable, .. } => {
                    known.insert(*variable);
                }
                CommandKind::Sql(sql) => {
                    statements += 1;
                    assert!(!sql.has_names(), "{}", script.name);
                    let is_known = sql.params.iter().all(|param| known.contains(param));
                    assert!(is_known, "{}", script.name);
                }
                _ => panic!("{}", script.name),
            }
        }
        assert_eq!(statements, 1, "{}", script.name);
    }
}

#[test]
fn clients_run_the_streams_one_after_the_other() {
    let run = |clients, stream: Json| {
        let given = json!({"stream": stream});
        let given = given.as_object().cloned().unwrap();
        let none = serde_json::Map::new();
        let params = Params::of_run(&Tpch, "s", 1.into(), &none, &given);
        Tpch.sequences(&params, clients)
    };
    let stream = |number| -> Vec<usize> {
        let queries = streams::queries(number).into_iter();
        queries.map(|query| usize::from(query) - 1).collect()
    };
    assert_eq!(run(1, Json::Null), [stream(0)]);
    assert_eq!(run(2, Json::Null), [stream(1), stream(2)]);
    assert_eq!(run(1, json!(7)), [stream(7)]);
    assert_eq!(run(2, json!(40)), [stream(40), stream(0)]);
    // The 42nd client takes the first stream again.
    let all = run(100, Json::Null);
    assert_eq!(all.len(), 41);
    assert_eq!((&all[0], &all[40]), (&stream(1), &stream(0)));
}

#[test]
fn a_word_is_chosen_from_lists_of_any_length() {
    for length in [1, 2, 15, 16, 25, 30, 31, 92, 225] {
        let words: Vec<String> = (1..=length).map(|i| format!("w{i}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = format!("\\set x {}\n", chosen(":place", &words));
        let mut symbols = Symbols::new();
        let script = parse("x", &text, &mut symbols).unwrap();
        let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
            panic!("not a \\set")
        };
        let mut variables = Variables::new(&symbols);
        for place in 1..=length {
            variables.set(symbols.intern("place"), Value::Int(place));
            let mut context = Context {
                variables: &variables,
                prng: &mut Prng::new(1),
                debug: &mut |_| (),
            };
            let word = context.eval(expr).unwrap();
            assert_eq!(word, Value::Text(format!("w{place}").into()), "of {length}");
        }
    }
}
