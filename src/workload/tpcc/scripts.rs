//! The scripts of both workloads. What a transaction draws is the same text in both; then one calls a function, and the other
//! has the statements. Words between two @ stand for what the options and the constants of [`super::random`] say.

use super::options::{Home, RunOptions};
use super::random::{
    A_CUSTOMER, A_ITEM, A_LAST, C_CUSTOMER, C_ITEM, C_LAST_RUN, LAST_NAMES, SYLLABLES,
};
use super::rows::{CUSTOMERS, ITEMS};
use crate::workload::scripts::{Pace, ScriptSpec};

pub(super) const NEW_ORDER: &str = "new order";
pub(super) const INVALID_ITEM: &str = "new order, invalid item";
pub(super) const STOCK_LEVEL: &str = "stock level";

/// Terminals of a warehouse, one in each district.
const TERMINALS: i64 = 10;

/// How a workload runs a transaction after its inputs have been drawn.
pub(super) struct Texts {
    new_order: &'static str,
    payment: &'static str,
    order_status: &'static str,
    delivery: &'static str,
    stock_level: &'static str,
}

pub(super) static STORED: Texts = Texts {
    new_order: include_str!("scripts/stored/new_order.sql"),
    payment: include_str!("scripts/stored/payment.sql"),
    order_status: include_str!("scripts/stored/order_status.sql"),
    delivery: include_str!("scripts/stored/delivery.sql"),
    stock_level: include_str!("scripts/stored/stock_level.sql"),
};

pub(super) static PLAIN: Texts = Texts {
    new_order: include_str!("scripts/plain/new_order.sql"),
    payment: include_str!("scripts/plain/payment.sql"),
    order_status: include_str!("scripts/plain/order_status.sql"),
    delivery: include_str!("scripts/plain/delivery.sql"),
    stock_level: include_str!("scripts/plain/stock_level.sql"),
};

/// The scripts, weighted as 5.2.3 asks: at least 43 percent payments, and four of each of the last three. The one in a
/// hundred new orders that has an invalid item, and is rolled back, is a script of its own: then a run counts it apart.
/// Keying and think times, in seconds, are those of 5.2.5.7.
pub(super) fn scripts(texts: &Texts, options: &RunOptions) -> Vec<ScriptSpec> {
    let item = format!("nurand({A_ITEM}, 1, {ITEMS}, {C_ITEM})");
    let last_item_invalid = format!("CASE WHEN :n = :lines THEN {} ELSE {item} END", ITEMS + 1);
    let new_order = include_str!("scripts/inputs/new_order.sql");
    let script = |name, weight, inputs: &str, text: &str, item: &str, times: (f64, f64)| {
        let text = with_values(&format!("{inputs}{text}"), options, item);
        let pace = options.terminals.map(|terminals| Pace {
            keying_ms: times.0 * 1e3 * terminals.waits,
            think_ms: times.1 * 1e3 * terminals.waits,
        });
        ScriptSpec {
            pace,
            ..ScriptSpec::new(name, &text, weight)
        }
    };
    vec![
        script(
            NEW_ORDER,
            4_455,
            new_order,
            texts.new_order,
            &item,
            (18.0, 12.0),
        ),
        script(
            INVALID_ITEM,
            45,
            new_order,
            texts.new_order,
            &last_item_invalid,
            (18.0, 12.0),
        ),
        script(
            "payment",
            4_300,
            include_str!("scripts/inputs/payment.sql"),
            texts.payment,
            &item,
            (3.0, 12.0),
        ),
        script(
            "order status",
            400,
            include_str!("scripts/inputs/order_status.sql"),
            texts.order_status,
            &item,
            (2.0, 10.0),
        ),
        script(
            "delivery",
            400,
            include_str!("scripts/inputs/delivery.sql"),
            texts.delivery,
            &item,
            (2.0, 5.0),
        ),
        script(
            STOCK_LEVEL,
            400,
            include_str!("scripts/inputs/stock_level.sql"),
            texts.stock_level,
            &item,
            (2.0, 5.0),
        ),
    ]
}

fn with_values(text: &str, options: &RunOptions, item: &str) -> String {
    let (first, last, warehouses) = match options.warehouses {
        None => (1, ":scale".to_owned(), ":scale".to_owned()),
        Some((first, last)) => (first, last.to_string(), (last - first + 1).to_string()),
    };
    let home = match options.home {
        Home::Any if options.terminals.is_some() => {
            format!("{first} + :pgperf_terminal / {TERMINALS} % {warehouses}")
        }
        Home::Any => format!("random({first}, {last})"),
        Home::Fixed => format!("{first} + :client_id % {warehouses}"),
        Home::Zipfian(parameter) => format!("random_zipfian({first}, {last}, {parameter})"),
    };
    let other = format!("{first} + (:w_id - {first} + random(1, {warehouses} - 1)) % {warehouses}");
    let remote = format!("{warehouses} > 1 AND random(1, 100) = 1");
    let district = match options.terminals {
        None => "random(1, 10)".to_owned(),
        Some(_) => format!(":pgperf_terminal % {TERMINALS} + 1"),
    };
    let customer = format!("nurand({A_CUSTOMER}, 1, {CUSTOMERS}, {C_CUSTOMER})");
    let name = format!("nurand({A_LAST}, 0, {}, {C_LAST_RUN})", LAST_NAMES - 1);
    let syllables = SYLLABLES.map(|syllable| format!("'{syllable}'")).join(", ");
    [
        ("@home@", home.as_str()),
        ("@district@", &district),
        ("@warehouses@", &warehouses),
        ("@other@", &other),
        ("@remote@", &remote),
        ("@item@", item),
        ("@syllables@", &syllables),
        ("@customer@", &customer),
        ("@name@", &name),
    ]
    .iter()
    .fold(text.to_owned(), |text, (word, value)| {
        text.replace(word, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::scripts::parse;
    use crate::workload::tpcc::options::Terminals;
    use script::Symbols;

    #[test]
    fn nothing_stays_open_in_a_script() {
        for texts in [&STORED, &PLAIN] {
            for script in scripts(texts, &RunOptions::default()) {
                assert!(!script.text.contains('@'), "{}", script.text);
                assert!(script.text.starts_with("\\set w_id random(1, :scale)\n"));
            }
        }
    }

    #[test]
    fn weights_are_those_of_the_clause() {
        let scripts = scripts(&STORED, &RunOptions::default());
        let all: u32 = scripts.iter().map(|script| script.weight).sum();
        let percent = |name: &str| {
            let of_name = scripts
                .iter()
                .filter(|script| script.name.starts_with(name));
            f64::from(of_name.map(|script| script.weight).sum::<u32>()) * 100.0 / f64::from(all)
        };
        assert_eq!(percent("new order"), 45.0);
        assert_eq!(percent("new order, invalid"), 0.45);
        assert_eq!(percent("payment"), 43.0);
        for rare in ["order status", "delivery", "stock level"] {
            assert_eq!(percent(rare), 4.0);
        }
    }

    #[test]
    fn warehouses_may_be_some_and_fixed() {
        let options = RunOptions {
            warehouses: Some((3, 7)),
            home: Home::Fixed,
            terminals: None,
        };
        let payment = &scripts(&STORED, &options)[2].text;
        assert!(
            payment.starts_with("\\set w_id 3 + :client_id % 5\n"),
            "{payment}"
        );
        assert!(
            payment.contains("\\if 5 > 1\n\\set c_w_id 3 + (:w_id - 3 + random(1, 5 - 1)) % 5\n"),
            "{payment}"
        );
        let options = RunOptions {
            home: Home::Zipfian(1.5),
            ..RunOptions::default()
        };
        let text = &scripts(&PLAIN, &options)[0].text;
        assert!(
            text.starts_with("\\set w_id random_zipfian(1, :scale, 1.5)\n"),
            "{text}"
        );
    }

    #[test]
    fn terminals_keep_their_place_and_have_the_times_of_the_clause() {
        let options = RunOptions {
            terminals: Some(Terminals {
                count: 30,
                waits: 0.5,
            }),
            ..RunOptions::default()
        };
        let scripts = scripts(&STORED, &options);
        for script in &scripts {
            let home = "\\set w_id 1 + :pgperf_terminal / 10 % :scale\n";
            assert!(script.text.starts_with(home), "{}", script.text);
        }
        let stock_level = &scripts[5].text;
        assert!(stock_level.contains("\\set d_id :pgperf_terminal % 10 + 1\n"));
        assert!(scripts[0].text.contains("\\set d_id random(1, 10)\n"));
        let paces = scripts.iter().map(|script| script.pace.unwrap());
        let times: Vec<_> = paces.map(|pace| (pace.keying_ms, pace.think_ms)).collect();
        assert_eq!(times[0], (9_000.0, 6_000.0));
        assert_eq!(times[0], times[1]);
        assert_eq!(times[2], (1_500.0, 6_000.0));
        assert_eq!(times[3], (1_000.0, 5_000.0));
        assert_eq!(times[4..], [(1_000.0, 2_500.0); 2]);
    }

    #[test]
    fn scripts_parse_and_have_no_more_parameters_than_a_statement_may() {
        for texts in [&STORED, &PLAIN] {
            let specs = scripts(texts, &RunOptions::default());
            for script in parse(&specs, &mut Symbols::new()).unwrap() {
                script.check_parameters().unwrap();
            }
        }
    }
}
