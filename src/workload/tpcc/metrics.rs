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
    metrics
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
    use super::*;

    fn script(name: &'static str, transactions: u64, p90_ms: f64) -> MeasuredScript<'static> {
        MeasuredScript {
            name,
            transactions,
            p90_ms: Some(p90_ms),
        }
    }

    #[test]
    fn new_orders_per_minute_are_the_committed_ones() {
        let measured = Measured {
            seconds: 30.0,
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
            scripts: vec![script(STOCK_LEVEL, 3, 20_001.0)],
        };
        assert_eq!(
            of(&measured),
            [("nopm", 0.0), ("tpm", 3.0), ("slow_types", 1.0)]
        );
    }
}
