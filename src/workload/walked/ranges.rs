//! Values that are drawn from a range: each as often as the others.

use super::*;

/// Workload, script, the beginning of a statement, a variable when it is sent, and its first value, last value and step.
type Uniform = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    (i64, i64, i64),
);

static UNIFORM: [Uniform; 42] = [
    (
        "tpcb-like",
        "tpcb-like",
        "END",
        "aid",
        (1, 100_000 * SCALE, 1),
    ),
    ("tpcb-like", "tpcb-like", "END", "bid", (1, SCALE, 1)),
    ("tpcb-like", "tpcb-like", "END", "tid", (1, 10 * SCALE, 1)),
    ("tpcb-like", "tpcb-like", "END", "delta", (-5000, 5000, 1)),
    (
        "simple-update",
        "simple-update",
        "END",
        "aid",
        (1, 100_000 * SCALE, 1),
    ),
    (
        "simple-update",
        "simple-update",
        "END",
        "delta",
        (-5000, 5000, 1),
    ),
    (
        "select-only",
        "select-only",
        "SELECT",
        "aid",
        (1, 100_000 * SCALE, 1),
    ),
    ("tpcc-like", "new order", "SELECT", "w_id", (1, SCALE, 1)),
    ("tpcc-like", "new order", "SELECT", "d_id", (1, 10, 1)),
    ("tpcc-like", "new order", "SELECT", "lines", (5, 15, 1)),
    ("tpcc-like", "payment", "SELECT", "w_id", (1, SCALE, 1)),
    ("tpcc-like", "payment", "SELECT", "d_id", (1, 10, 1)),
    ("tpcc-like", "payment", "SELECT", "c_d_id", (1, 10, 1)),
    ("tpcc-like", "payment", "SELECT", "c_w_id", (1, SCALE, 1)),
    ("tpcc-like", "order status", "SELECT", "w_id", (1, SCALE, 1)),
    ("tpcc-like", "order status", "SELECT", "d_id", (1, 10, 1)),
    ("tpcc-like", "delivery", "SELECT", "w_id", (1, SCALE, 1)),
    ("tpcc-like", "delivery", "SELECT", "carrier", (1, 10, 1)),
    ("tpcc-like", "stock level", "SELECT", "d_id", (1, 10, 1)),
    (
        "tpcc-like",
        "stock level",
        "SELECT",
        "threshold",
        (10, 20, 1),
    ),
    (
        "tpcc-like-sql",
        "stock level",
        "COMMIT",
        "threshold",
        (10, 20, 1),
    ),
    ("tpcc-like-sql", "delivery", "COMMIT", "carrier", (1, 10, 1)),
    (
        "tatp",
        "get new destination",
        "SELECT",
        "sf_type",
        (1, 4, 1),
    ),
    (
        "tatp",
        "get new destination",
        "SELECT",
        "start_time",
        (0, 16, 8),
    ),
    (
        "tatp",
        "get new destination",
        "SELECT",
        "end_time",
        (1, 24, 1),
    ),
    ("tatp", "get access data", "SELECT", "ai_type", (1, 4, 1)),
    (
        "tatp",
        "update subscriber data",
        "BEGIN",
        "bit_1",
        (0, 1, 1),
    ),
    (
        "tatp",
        "update subscriber data",
        "BEGIN",
        "data_a",
        (0, 255, 1),
    ),
    (
        "tatp",
        "update subscriber data",
        "BEGIN",
        "sf_type",
        (1, 4, 1),
    ),
    (
        "tatp",
        "update location",
        "UPDATE",
        "vlr_location",
        (1, 4_294_967_295, 1),
    ),
    (
        "tatp",
        "insert call forwarding",
        "COMMIT",
        "sf_type",
        (1, 4, 1),
    ),
    (
        "tatp",
        "insert call forwarding",
        "COMMIT",
        "start_time",
        (0, 16, 8),
    ),
    (
        "tatp",
        "insert call forwarding",
        "COMMIT",
        "end_time",
        (1, 24, 1),
    ),
    (
        "tatp",
        "delete call forwarding",
        "COMMIT",
        "sf_type",
        (1, 4, 1),
    ),
    (
        "tatp",
        "delete call forwarding",
        "COMMIT",
        "start_time",
        (0, 16, 8),
    ),
    ("ycsb-a", "update", "UPDATE", "n", (0, 9, 1)),
    ("ycsb-f", "read-modify-write", "UPDATE", "n", (0, 9, 1)),
    ("ycsb-e", "scan", "SELECT", "length", (1, 100, 1)),
    (
        "oltp_read_only",
        "oltp_read_only",
        "SELECT SUM",
        "t",
        (1, 8, 1),
    ),
    (
        "oltp_update_index",
        "oltp_update_index",
        "UPDATE",
        "t",
        (1, 8, 1),
    ),
    (
        "oltp_update_index",
        "oltp_update_index",
        "UPDATE",
        "id",
        (1, 10_000 * SCALE, 1),
    ),
    (
        "oltp_point_select",
        "oltp_point_select",
        "SELECT",
        "id",
        (1, 10_000 * SCALE, 1),
    ),
];

#[test]
fn each_value_of_a_range_is_drawn_as_often_as_the_others() {
    for (workload, script, at, variable, range) in UNIFORM {
        let mut walker = Walker::new(workload, script, &options(workload));
        let mut values = Vec::with_capacity(DRAWS);
        let order = [("new_order", [("order_id", Value::Int(1))])];
        let order = order.each_ref().map(|(part, values)| (*part, &values[..]));
        while values.len() < DRAWS / 4 {
            walker.walk(&order, |text, here| {
                if text.starts_with(at) {
                    values.push(here.int(variable));
                }
            });
        }
        expect_uniform(&format!("{workload}, {script}, {variable}"), &values, range);
    }
}
