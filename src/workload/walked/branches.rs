//! Branches that are drawn: as often as the clauses say.

use super::*;

/// Whether it holds where a statement is sent; None: there is nothing to judge.
type Judge = fn(&str, &VariableValues) -> Option<bool>;

fn at(text: &str, beginning: &str, holds: impl FnOnce() -> bool) -> Option<bool> {
    text.starts_with(beginning).then(holds)
}

#[test]
fn branches_are_taken_as_often_as_the_clauses_say() {
    const CALL: &str = "SELECT * FROM tpcc_";
    let all_local = (5..=15).map(|lines| 0.99_f64.powi(lines)).sum::<f64>() / 11.0;
    let found: Answers = &[
        ("FROM item", &[("i_price", Value::Int(7))]),
        ("new_order", &[("order_id", Value::Int(1))]),
        ("checking", &[("checking", Value::Int(9))]),
        ("savings", &[("savings", Value::Int(99))]),
    ];
    let cases: [(&str, &str, &str, f64, Judge); 12] = [
        (
            "tpcc-like",
            "payment",
            "by last name",
            0.60,
            |text, here| at(text, CALL, || here.int("by_name") == 1),
        ),
        (
            "tpcc-like",
            "payment",
            "remote warehouse",
            0.15,
            |text, here| at(text, CALL, || here.int("c_w_id") != here.int("w_id")),
        ),
        (
            "tpcc-like",
            "payment",
            "remote district",
            0.135,
            |text, here| at(text, CALL, || here.int("c_d_id") != here.int("d_id")),
        ),
        (
            "tpcc-like-sql",
            "payment",
            "by last name",
            0.60,
            |text, here| at(text, "UPDATE warehouse", || here.int("by_name") == 1),
        ),
        (
            "tpcc-like-sql",
            "payment",
            "remote warehouse",
            0.15,
            |text, here| {
                at(text, "UPDATE warehouse", || {
                    here.int("c_w_id") != here.int("w_id")
                })
            },
        ),
        (
            "tpcc-like",
            "order status",
            "by last name",
            0.60,
            |text, here| at(text, CALL, || here.int("by_name") == 1),
        ),
        (
            "tpcc-like-sql",
            "order status",
            "by last name",
            0.60,
            |text, here| at(text, "COMMIT", || here.int("by_name") == 1),
        ),
        (
            "tpcc-like-sql",
            "new order",
            "remote line",
            0.01,
            |text, here| {
                at(text, "UPDATE stock", || {
                    here.int("s_w_id") != here.int("w_id")
                })
            },
        ),
        (
            "tpcc-like-sql",
            "new order",
            "all local",
            all_local,
            |text, here| at(text, "INSERT INTO orders", || here.int("all_local") == 1),
        ),
        (
            "smallbank",
            "send payment",
            "hot spot",
            0.90,
            |text, here| at(text, "BEGIN", || here.int("from") <= 100),
        ),
        ("smallbank", "balance", "hot spot", 0.90, |text, here| {
            at(text, "BEGIN", || here.int("customer") <= 100)
        }),
        (
            "smallbank",
            "transact savings",
            "deposit",
            0.50,
            |text, here| at(text, "COMMIT", || here.number("amount") == 20.20),
        ),
    ];
    for (workload, script, what, share, holds) in cases {
        let mut walker = Walker::new(workload, script, &json!({}));
        let (mut of, mut yes) = (0, 0);
        // A walk of a new order has ten lines.
        let walks = if script == "new order" {
            DRAWS / 10
        } else {
            DRAWS
        };
        for _ in 0..walks {
            walker.walk(found, |text, here| {
                if let Some(holds) = holds(text, here) {
                    of += 1;
                    yes += usize::from(holds);
                }
            });
        }
        assert!(of >= walks, "{what}");
        expect_share(&format!("{workload}, {script}, {what}"), yes, of, share);
    }
}
