//! The metrics of a run: new orders per minute, and how the run compares with what the clauses ask for.

use super::scripts::{INVALID_ITEM, NEW_ORDER, STOCK_LEVEL};
use crate::workload::family::{Measured, MeasuredScript};

/// The limits of clause 5.2.5.7 for the 90th percentile, and of stock level.
const LIMIT_MS: f64 = 5_000.0;
const STOCK_LEVEL_LIMIT_MS: f64 = 20_000.0;

pub(super) fn of(measured: &Measured) -> Vec<(&'static str, f64)> {
    let scripts = measured.scripts.iter();
    let count = |name: &str| -> u64 {
        let of_name = scripts.clone().filter(|script| script.name == name);
        of_name.map(|script| script.transactions).sum()
    };
    let per_minute = |count: u64| count as f64 * 60.0 / measured.seconds;
    let (orders, invalid) = (count(NEW_ORDER), count(INVALID_ITEM));
    let all = scripts.clone().map(|script| script.transactions).sum();
    let slow = scripts.filter(|script| is_slow(script)).count();
    let mut metrics = vec![
        ("nopm", per_minute(orders)),
        ("tpm", per_minute(all)),
        ("slow_types", slow as f64),
    ];
    if orders + invalid > 0 {
        let percent = 100.0 * invalid as f64 / (orders + invalid) as f64;
        metrics.push(("invalid_orders_percent", percent));
    }
    let metrics_of_draws = [
        (
            "remote_payments_percent",
            remote_percent(measured, &["c_w_id"]),
        ),
        (
            "remote_lines_percent",
            remote_percent(measured, &["supplier", "s_w_id"]),
        ),
        ("by_last_name_percent", by_name_percent(measured)),
    ];
    let known = metrics_of_draws.into_iter();
    metrics.extend(known.filter_map(|(name, percent)| Some((name, percent?))));
    metrics
}

/// How often the commands were executed that assign such a value to a variable. Branches of the scripts count what they draw: that
/// costs nothing.
fn assigned(measured: &Measured, variable: &str, has: impl Fn(&str) -> bool) -> u64 {
    let commands = measured.scripts.iter().flat_map(|script| &script.commands);
    let of_variable = commands.filter(|command| {
        let value = command.text.strip_prefix("\\set ");
        let value = value.and_then(|text| text.strip_prefix(variable)?.strip_prefix(' '));
        value.is_some_and(&has)
    });
    of_variable.map(|command| command.calls).sum()
}

fn percent(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| 100.0 * part as f64 / all as f64)
}

/// How often these variables, which first get the home warehouse, then get another one.
fn remote_percent(measured: &Measured, variables: &[&str]) -> Option<f64> {
    const HOME: &str = ":w_id";
    let count = |has: fn(&str) -> bool| -> u64 {
        let each = variables.iter();
        each.map(|variable| assigned(measured, variable, has)).sum()
    };
    percent(count(|value| value != HOME), count(|value| value == HOME))
}

fn by_name_percent(measured: &Measured) -> Option<f64> {
    let count = |variable| assigned(measured, variable, |_| true);
    percent(count("name"), count("by_name"))
}

fn is_slow(script: &MeasuredScript) -> bool {
    let limit_ms = match script.name {
        STOCK_LEVEL => STOCK_LEVEL_LIMIT_MS,
        _ => LIMIT_MS,
    };
    script.p90_ms.is_some_and(|p90_ms| p90_ms > limit_ms)
}

#[cfg(test)]
mod tests {
    use super::super::options::RunOptions;
    use super::super::scripts::{PLAIN, STORED, scripts};
    use super::*;
    use crate::workload::family::MeasuredCommand;
    use crate::workload::scripts::ScriptSpec;

    fn script(name: &'static str, transactions: u64, p90_ms: f64) -> MeasuredScript<'static> {
        MeasuredScript {
            name,
            transactions,
            failed: 0,
            mean_ms: None,
            p90_ms: Some(p90_ms),
            commands: Vec::new(),
        }
    }

    /// A script of which each command was executed so often as the function says for its text.
    fn executed<'a>(script: &'a ScriptSpec, calls: fn(&str) -> u64) -> MeasuredScript<'a> {
        let commands = script.text.lines().map(|text| MeasuredCommand {
            text,
            calls: calls(text),
            rows: 0,
        });
        MeasuredScript {
            name: &script.name,
            transactions: 0,
            failed: 0,
            mean_ms: None,
            p90_ms: None,
            commands: commands.collect(),
        }
    }

    #[test]
    fn the_branches_of_both_workloads_count_what_is_drawn() {
        for texts in [&STORED, &PLAIN] {
            let scripts = scripts(texts, &RunOptions::default());
            let calls = |text: &str| match text {
                "\\set c_w_id :w_id" => 1_000,
                "\\set supplier :w_id" | "\\set s_w_id :w_id" => 200,
                text if text.starts_with("\\set c_w_id ") => 149,
                text if text.starts_with("\\set supplier ") => 3,
                text if text.starts_with("\\set s_w_id ") => 3,
                text if text.starts_with("\\set by_name ") => 500,
                text if text.starts_with("\\set name ") => 301,
                _ => 7,
            };
            let measured = Measured {
                seconds: 60.0,
                clients: 1,
                scale: None,
                scripts: scripts
                    .iter()
                    .map(|script| executed(script, calls))
                    .collect(),
            };
            assert_eq!(
                of(&measured)[3..],
                [
                    ("remote_payments_percent", 14.9),
                    ("remote_lines_percent", 1.5),
                    ("by_last_name_percent", 60.2)
                ]
            );
        }
    }

    #[test]
    fn new_orders_per_minute_are_the_committed_ones() {
        let measured = Measured {
            seconds: 30.0,
            clients: 1,
            scale: None,
            scripts: vec![
                script(NEW_ORDER, 495, 5_000.1),
                script(INVALID_ITEM, 5, 4_999.0),
                script("payment", 500, 5_000.0),
                script(STOCK_LEVEL, 40, 19_000.0),
            ],
        };
        assert_eq!(
            of(&measured),
            [
                ("nopm", 990.0),
                ("tpm", 2_080.0),
                ("slow_types", 1.0),
                ("invalid_orders_percent", 1.0)
            ]
        );
    }

    #[test]
    fn a_run_without_orders_has_no_share_of_them() {
        let measured = Measured {
            seconds: 60.0,
            clients: 1,
            scale: None,
            scripts: vec![script(STOCK_LEVEL, 3, 20_001.0)],
        };
        assert_eq!(
            of(&measured),
            [("nopm", 0.0), ("tpm", 3.0), ("slow_types", 1.0)]
        );
    }
}
