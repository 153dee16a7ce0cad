//! The orders that refresh functions insert and delete.

use super::super::{Tpch, refresh};
use super::steps;
use crate::workload::{Family, Params};
use serde_json::json;
use std::collections::BTreeSet;
use tpchgen::generators::OrderGenerator;

/// New orders go on with the same random numbers, by the same rules, and have keys in the gaps of those of the load.
#[test]
fn new_orders_are_like_those_of_the_load() {
    for (scale, expected) in [(0.01, 15), (0.0237, 35)] {
        let loaded: BTreeSet<i64> = OrderGenerator::new(scale, 1, 1)
            .iter()
            .map(|order| order.o_orderkey)
            .collect();
        let orders: Vec<_> = refresh::orders(scale).collect();
        assert_eq!(orders.len(), expected);
        assert_eq!(refresh::count(scale), expected as i64);
        let keys: Vec<i64> = orders.iter().map(|order| order.o_orderkey).collect();
        assert_eq!(keys[..9], [9, 10, 11, 12, 13, 14, 15, 40, 41]);
        let mut lines = refresh::lines(scale).peekable();
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
            let customers = (150_000.0 * scale) as i64;
            assert!((1..=customers).contains(&order.o_custkey) && order.o_custkey % 3 != 0);
            assert!(!loaded.contains(&order.o_orderkey));
            assert!(order.o_orderkey < *loaded.last().unwrap());
        }
        assert!(lines.next().is_none());
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), expected);
    }
}

fn params(given: serde_json::Value, loaded: serde_json::Value) -> Params {
    let map = |value: serde_json::Value| value.as_object().cloned().unwrap();
    Params::of_run(&Tpch, "s", 1.into(), &map(loaded), &map(given))
}

#[test]
fn refreshes_come_around_one_stream_and_beside_several() {
    let run = |clients| {
        let params = params(json!({"refresh": true}), json!({"refresh_orders": true}));
        Tpch.sequences(&params, clients)
    };
    let without = |clients| Tpch.sequences(&params(json!({}), json!({})), clients);
    let power = run(1);
    assert_eq!(power.len(), 1);
    assert_eq!((power[0][0], power[0].len(), power[0][23]), (22, 24, 23));
    assert_eq!(power[0][1..23], without(1)[0]);
    let throughput = run(3);
    assert_eq!(throughput[..3], without(3));
    assert_eq!(throughput[3..], [vec![22, 23, 22, 23, 22, 23]]);
    // The refresh stream is that of the last client, however many there are.
    let many = run(50);
    assert_eq!((many.len(), many[50].len()), (51, 100));
    assert_eq!(many[41], many[0]);
}

#[test]
fn only_runs_with_refreshes_need_and_change_new_orders() {
    let loaded = || json!({"refresh_orders": true});
    let with = params(json!({"refresh": true}), loaded());
    let scripts = |params: &Params| (Tpch.workloads()[0].scripts)(params);
    let tables = |params: &Params| (Tpch.workloads()[0].relations)(params).len();
    assert_eq!((scripts(&with).len(), tables(&with)), (24, 10));
    assert_eq!(
        Tpch.undo(&with),
        [
            "DELETE FROM \"s\".\"lineitem\" WHERE l_orderkey IN (SELECT o_orderkey FROM \"s\".\"refresh_orders\")",
            "DELETE FROM \"s\".\"orders\" WHERE o_orderkey IN (SELECT o_orderkey FROM \"s\".\"refresh_orders\")",
        ]
    );
    let without = params(json!({}), loaded());
    assert_eq!((scripts(&without).len(), tables(&without)), (22, 8));
    assert_eq!(Tpch.undo(&without), [""; 0]);
    assert_eq!(Tpch.tables(&without).len(), 10);
    assert!(Tpch.check_run(&with).is_ok());
    let refused = Tpch.check_run(&params(json!({"refresh": true}), json!({})));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "refresh must be false on tables without new orders, not true"
    );
    let steps = steps(0.01, loaded()).unwrap();
    assert_eq!(steps[1].actions.len(), 10);
    let rows: u64 = steps[2].rows();
    assert_eq!(
        rows,
        5 + 25 + 100 + 2_000 + 8_000 + 1_500 + 15_000 + 60_000 + 15 + 60
    );
}
