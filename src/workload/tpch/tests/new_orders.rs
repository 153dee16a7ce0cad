//! The orders that refresh functions will insert.

use std::collections::BTreeSet;
use tpchgen::generators::{LineItemGenerator, OrderGenerator};

/// Parts after the last one go on with the same random numbers: such are the orders that a refresh function inserts, 0.1 % of all
/// in each set, with keys in the gaps of those of the load.
#[test]
fn parts_after_the_last_one_are_sets_of_new_orders() {
    const SETS_OF_A_LOAD: i32 = 1_000;
    const SCALE: f64 = 0.01;
    let in_gap = |key: i64| key + 8;
    let loaded: BTreeSet<i64> = OrderGenerator::new(SCALE, 1, 1)
        .iter()
        .map(|order| order.o_orderkey)
        .collect();
    let mut new = BTreeSet::new();
    for set in 1..=40 {
        let part = SETS_OF_A_LOAD + set;
        let orders: Vec<_> = OrderGenerator::new(SCALE, part, SETS_OF_A_LOAD)
            .iter()
            .collect();
        assert_eq!(orders.len(), 15);
        let mut lines = LineItemGenerator::new(SCALE, part, SETS_OF_A_LOAD)
            .iter()
            .peekable();
        for order in &orders {
            let mut price = 0;
            let mut statuses = BTreeSet::new();
            while let Some(line) = lines.next_if(|line| line.l_orderkey == order.o_orderkey) {
                let (discount, tax) = (line.l_discount.0, line.l_tax.0);
                price += line.l_extendedprice.0 * (100 - discount) / 100 * (100 + tax) / 100;
                statuses.insert(line.l_linestatus);
            }
            assert_eq!(order.o_totalprice.0, price);
            let status = match (statuses.len(), statuses.first()) {
                (1, Some(only)) => only.to_string(),
                _ => "P".to_owned(),
            };
            assert_eq!(order.o_orderstatus.to_string(), status);
            assert!((1..=1_500).contains(&order.o_custkey) && order.o_custkey % 3 != 0);
            assert!(!loaded.contains(&order.o_orderkey));
            assert!(!loaded.contains(&in_gap(order.o_orderkey)));
            assert!(new.insert(in_gap(order.o_orderkey)));
        }
        assert!(lines.next().is_none());
    }
}
