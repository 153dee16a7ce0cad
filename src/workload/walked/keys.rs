//! Warehouses, customers and ranges of keys that a transaction draws together, or not uniformly.

use super::*;

#[test]
fn a_remote_warehouse_is_any_other_one_and_a_line_has_its_values() {
    let mut walker = Walker::new("tpcc-like", "payment", &json!({}));
    let mut others = Vec::new();
    while others.len() < DRAWS / 10 {
        walker.walk(NONE, |_, here| {
            let distance = (here.int("c_w_id") - here.int("w_id")).rem_euclid(SCALE);
            others.extend((distance > 0).then_some(distance));
        });
    }
    expect_uniform("the other warehouse", &others, (1, SCALE - 1, 1));
    // The lists of a new order: as many as it has lines, of which one in a hundred is remote.
    for (script, is_invalid) in [("new order", false), ("new order, invalid item", true)] {
        let mut walker = Walker::new("tpcc-like", script, &json!({}));
        let order: Answers = &[("new_order", &[("order_id", Value::Int(0))])];
        let (mut lines, mut remote, mut quantities) = (0, 0, Vec::new());
        while lines < DRAWS {
            walker.walk(order, |text, here| {
                if !text.starts_with("SELECT * FROM tpcc_new_order") {
                    return;
                }
                let [items, suppliers, ordered] =
                    ["items", "suppliers", "quantities"].map(|name| here.list(name));
                let count = here.int("lines") as usize;
                assert_eq!([items.len(), suppliers.len(), ordered.len()], [count; 3]);
                let (last, first) = items.split_last().unwrap();
                assert!(first.iter().all(|item| (1..=100_000).contains(item)));
                assert_eq!(*last == 100_001, is_invalid);
                lines += count;
                let home = here.int("w_id");
                remote += suppliers
                    .iter()
                    .filter(|supplier| **supplier != home)
                    .count();
                quantities.extend(ordered);
            });
        }
        expect_share("remote lines", remote, lines, 0.01);
        expect_uniform("quantity", &quantities, (1, 10, 1));
    }
    // The same in plain statements.
    let mut walker = Walker::new("tpcc-like-sql", "new order", &json!({}));
    let found: Answers = &[("FROM item", &[("i_price", Value::Int(7))])];
    let mut quantities = Vec::new();
    for _ in 0..DRAWS / 10 {
        let (mut wanted, mut inserted) = (0, 0);
        walker.walk(found, |text, here| match text {
            text if text.starts_with("INSERT INTO orders") => wanted = here.int("lines"),
            text if text.starts_with("INSERT INTO order_line") => {
                inserted += 1;
                assert_eq!(here.int("n"), inserted);
                quantities.push(here.int("quantity"));
            }
            _ => {}
        });
        assert_eq!(inserted, wanted);
    }
    expect_uniform("quantity", &quantities, (1, 10, 1));
}

/// How often NURand, as clause 2.1.6 defines it, is each value from `first` to `last`, of all equally likely cases.
fn nurand_shares(a: i64, first: i64, last: i64, c: i64) -> Vec<f64> {
    let number = last - first + 1;
    let mut counts = vec![0_u32; number as usize];
    for low in 0..=a {
        for high in first..=last {
            counts[(((low | high) + c) % number) as usize] += 1;
        }
    }
    let cases = ((a + 1) * number) as f64;
    counts
        .iter()
        .map(|&count| f64::from(count) / cases)
        .collect()
}

#[test]
fn customers_and_last_names_are_drawn_as_nurand_says() {
    // The constants of the clause, and those that a run has chosen.
    let (customers, names) = (
        nurand_shares(1_023, 1, 3_000, 731),
        nurand_shares(255, 0, 999, 142),
    );
    for script in ["payment", "order status"] {
        let mut walker = Walker::new("tpcc-like", script, &json!({}));
        let (mut ids, mut last) = (vec![0; 3_000], vec![0; 1_000]);
        for _ in 0..DRAWS {
            walker.walk(NONE, |_, here| match here.int("by_name") {
                1 => last[here.int("name") as usize] += 1,
                _ => ids[here.int("c_id") as usize - 1] += 1,
            });
        }
        expect_shares(&format!("{script}, customers"), &ids, &customers);
        expect_shares(&format!("{script}, last names"), &last, &names);
    }
}

#[test]
fn two_customers_of_a_transaction_differ() {
    for script in ["amalgamate", "send payment"] {
        // A hot spot of two: half of the draws are equal at first.
        let mut walker = Walker::new("smallbank", script, &json!({"hotspot_customers": 2}));
        for _ in 0..DRAWS / 10 {
            walker.walk(
                &[("checking", &[("checking", Value::Int(9))])],
                |_, here| {
                    assert_ne!(here.int("from"), here.int("to"));
                },
            );
        }
    }
}

#[test]
fn ranges_of_sysbench_have_their_size() {
    for size in [1, 100] {
        let given = json!({"range_size": size});
        let mut walker = Walker::new("oltp_read_only", "oltp_read_only", &given);
        let mut ranges = 0;
        for _ in 0..1_000 {
            walker.walk(NONE, |text, here| {
                if text.contains("BETWEEN") {
                    ranges += 1;
                    assert_eq!(here.int("last") - here.int("id") + 1, size);
                }
            });
        }
        assert_eq!(ranges, 4_000);
    }
}
