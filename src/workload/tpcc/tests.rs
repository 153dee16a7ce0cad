//! The rows of a freshly loaded warehouse: how many, with which shares, and that they meet the conditions.

use super::orders::*;
use super::random::{self, Draws, last_name};
use super::rows::{CUSTOMERS, Customer, DISTRICTS, History, ITEMS, Item, ORDERS, Stock, Warehouse};
use super::scripts::{PLAIN, STORED, scripts};
use super::tables::{self, DATA_SET, TABLES};
use super::{RunOptions, checks};
use crate::pg::bulk::Row;
use crate::workload::plain::Table;
use crate::workload::plain::tests::expect_consistent;
use crate::workload::{Action, Params, Scale, Step, find, load_steps};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Not the first, so that numbers of warehouses matter.
const WAREHOUSE: i64 = 3;

/// The numbers of the rows of that warehouse, in a table with so many rows for each.
fn numbers(rows: i32) -> impl Iterator<Item = i64> {
    let rows = i64::from(rows);
    (WAREHOUSE - 1) * rows + 1..=WAREHOUSE * rows
}

fn params(scale: i32, given: Value) -> Params {
    let family = find("tpcc-like").unwrap().family;
    let given = given.as_object().cloned().unwrap_or_default();
    Params::of_load(family, "s".to_owned(), scale.into(), 2, &given).unwrap()
}

/// What the conditions compare, of one district or one customer.
#[derive(Default)]
struct District {
    ytd: i64,
    paid: i64,
    next_order: i32,
    orders: BTreeMap<i32, (Option<i32>, i32)>,
    new: BTreeSet<i32>,
    lines: i64,
    deliveries: i64,
}

#[test]
fn a_fresh_warehouse_meets_the_twelve_conditions() {
    let mut districts: BTreeMap<i32, District> = BTreeMap::new();
    let mut customers: BTreeMap<(i32, i32), (i64, i64)> = BTreeMap::new();
    let mut paid: BTreeMap<(i32, i32), i64> = BTreeMap::new();
    let mut delivered: BTreeMap<(i32, i32), i64> = BTreeMap::new();
    for row in numbers(DISTRICTS).map(super::rows::District::number) {
        assert_eq!(i64::from(row.warehouse), WAREHOUSE);
        let district = districts.entry(row.id).or_default();
        (district.ytd, district.next_order) = (row.ytd, row.next_order);
    }
    for row in numbers(DISTRICTS * CUSTOMERS).map(Customer::number) {
        districts.entry(row.district).or_default().deliveries += i64::from(row.deliveries);
        customers.insert((row.district, row.id), (row.balance, row.ytd_payment));
    }
    for row in numbers(DISTRICTS * CUSTOMERS).map(History::number) {
        assert_eq!(i64::from(row.warehouse), WAREHOUSE);
        districts.entry(row.district).or_default().paid += row.amount;
        *paid.entry((row.district, row.customer)).or_default() += row.amount;
    }
    for row in numbers(DISTRICTS * NEW_ORDERS).map(NewOrder::number) {
        assert_eq!(i64::from(row.warehouse), WAREHOUSE);
        let is_new = districts
            .entry(row.district)
            .or_default()
            .new
            .insert(row.order);
        assert!(is_new);
    }
    for order in numbers(DISTRICTS * ORDERS).map(Order::number) {
        let district = districts.entry(order.district).or_default();
        district
            .orders
            .insert(order.id, (order.carrier, order.lines));
        let (carrier, lines, customer) =
            (order.carrier, order.lines, (order.district, order.customer));
        assert!((5..=15).contains(&lines));
        let mut count = 0;
        for line in order.into_lines() {
            count += 1;
            assert_eq!(line.number, count);
            // 7
            assert_eq!(line.delivered.is_none(), carrier.is_none());
            if line.delivered.is_some() {
                *delivered.entry(customer).or_default() += line.amount;
            }
            assert_eq!(line.amount == 0, line.delivered.is_some());
        }
        // 6
        assert_eq!(count, lines);
        district.lines += i64::from(count);
    }
    assert_eq!((districts.len(), customers.len()), (10, 30_000));
    let warehouse = Warehouse::number(WAREHOUSE);
    let sum = |of: fn(&District) -> i64| districts.values().map(of).sum::<i64>();
    // 1 and 8
    assert_eq!(warehouse.ytd, sum(|district| district.ytd));
    assert_eq!(warehouse.ytd, sum(|district| district.paid));
    for district in districts.values() {
        // 2
        let last = district.next_order - 1;
        assert_eq!(district.orders.keys().next_back(), Some(&last));
        assert_eq!(district.new.last(), Some(&last));
        // 3
        let first = district.new.first().unwrap();
        assert_eq!((last - first + 1) as usize, district.new.len());
        assert_eq!(district.new.len(), 900);
        // 4
        let lines = district.orders.values().map(|(_, lines)| i64::from(*lines));
        assert_eq!(lines.sum::<i64>(), district.lines);
        // 5
        for (id, (carrier, _)) in &district.orders {
            assert_eq!(carrier.is_none(), district.new.contains(id));
            assert!(carrier.is_none_or(|carrier| (1..=10).contains(&carrier)));
        }
        // 9
        assert_eq!(district.ytd, district.paid);
        // 11
        assert_eq!(district.orders.len() - district.new.len(), 2_100);
        assert_eq!(district.deliveries, 0);
    }
    for (customer, (balance, ytd_payment)) in customers {
        let delivered = delivered.get(&customer).copied().unwrap_or_default();
        // 10 and 12
        assert_eq!(balance, delivered - paid[&customer]);
        assert_eq!(balance + ytd_payment, delivered);
    }
}

#[test]
fn every_customer_has_one_of_the_first_orders() {
    let mut permutations = BTreeSet::new();
    let orders: Vec<_> = numbers(DISTRICTS * ORDERS).map(Order::number).collect();
    for district in orders.chunks(ORDERS as usize) {
        let order: Vec<_> = district.iter().map(|order| order.customer).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(1..=CUSTOMERS));
        permutations.insert(order);
    }
    assert_eq!(permutations.len(), 10);
    // Dates are in the order of the numbers.
    assert!(orders.is_sorted_by(|a, b| a.district != b.district || a.entered < b.entered));
}

/// Whether a share is within 4 standard deviations of what is expected: rows are always the same, so this never fails by
/// chance.
fn is_share(found: usize, of: usize, expected: f64) {
    let (n, found) = (of as f64, found as f64);
    let deviation = (n * expected * (1.0 - expected)).sqrt();
    assert!(
        (found - n * expected).abs() < 4.0 * deviation,
        "{found} of {n}, not {expected}"
    );
}

#[test]
fn a_tenth_is_original_and_a_tenth_has_bad_credit() {
    let items: Vec<_> = (1..=i64::from(ITEMS)).map(Item::number).collect();
    let original = items
        .iter()
        .filter(|item| item.data.as_str().contains("ORIGINAL"));
    is_share(original.count(), items.len(), 0.1);
    let mut places = BTreeSet::new();
    for item in &items {
        assert!((1..=10_000).contains(&item.image) && (100..=10_000).contains(&item.price));
        assert!((14..=24).contains(&item.name.as_str().len()));
        assert!((26..=50).contains(&item.data.as_str().len()));
        places.extend(item.data.as_str().find("ORIGINAL"));
    }
    assert!(places.into_iter().eq(0..=42));
    let stock = numbers(ITEMS).step_by(10).map(Stock::number);
    let stock: Vec<_> = stock
        .inspect(|stock| assert!((10..=100).contains(&stock.quantity)))
        .collect();
    assert!(
        stock
            .iter()
            .all(|stock| i64::from(stock.warehouse) == WAREHOUSE)
    );
    assert!(
        stock
            .iter()
            .map(|stock| stock.item)
            .eq((1..=ITEMS).step_by(10))
    );
    let original = stock
        .iter()
        .filter(|stock| stock.data.as_str().contains("ORIGINAL"));
    is_share(original.count(), stock.len(), 0.1);
    let customers = numbers(DISTRICTS * CUSTOMERS).map(Customer::number);
    let bad = customers
        .inspect(|customer| {
            assert!((300..=500).contains(&customer.data.as_str().len()));
            assert!((0..=5_000).contains(&customer.discount));
        })
        .filter(|customer| customer.has_bad_credit);
    is_share(bad.count(), 30_000, 0.1);
}

/// How often NURand with A = 255 is each value below 1,000, of 256,000.
fn weights(c: i32) -> Vec<u32> {
    let mut weights = vec![0; 1_000];
    for a in 0..=random::A_LAST {
        for b in 0..random::LAST_NAMES {
            weights[((a | b) + c) as usize % 1_000] += 1;
        }
    }
    weights
}

#[test]
fn last_names_are_in_order_and_then_drawn() {
    let names: BTreeMap<String, usize> = (0..1_000).map(|n| (last_name(n as i32), n)).collect();
    assert_eq!(names.len(), 1_000);
    assert_eq!(last_name(371), "PRICALLYOUGHT");
    let mut counts = vec![0_u32; 1_000];
    for customer in numbers(DISTRICTS * CUSTOMERS).map(Customer::number) {
        let number = names[&customer.last];
        match customer.id {
            id @ ..=1_000 => assert_eq!(number, id as usize - 1),
            _ => counts[number] += 1,
        }
    }
    let distance = |c: i32| -> f64 {
        let expected = weights(c)
            .into_iter()
            .map(|weight| f64::from(weight) * 20_000.0 / 256_000.0);
        let cells = counts.iter().zip(expected);
        cells
            .map(|(&count, expected)| (f64::from(count) - expected).powi(2) / expected.max(0.01))
            .sum()
    };
    // Chi square with fewer than 1,000 degrees of freedom.
    assert!(
        distance(random::C_LAST_LOAD) < 1_200.0,
        "{}",
        distance(random::C_LAST_LOAD)
    );
    assert!(distance(random::C_LAST_RUN) > 2_000.0);
}

#[test]
fn constants_of_load_and_run_have_the_distance_that_the_clause_asks_for() {
    let distance = random::C_LAST_RUN.abs_diff(random::C_LAST_LOAD);
    assert!((65..=119).contains(&distance) && distance != 96 && distance != 112);
    for (c, a) in [
        (random::C_LAST_LOAD, random::A_LAST),
        (random::C_LAST_RUN, random::A_LAST),
        (random::C_CUSTOMER, random::A_CUSTOMER),
        (random::C_ITEM, random::A_ITEM),
    ] {
        assert!((0..=a).contains(&c));
    }
    // The scripts have the same.
    let texts: String = [&STORED, &PLAIN]
        .map(|texts| scripts(texts, &RunOptions::default()))
        .concat()
        .into_iter()
        .map(|script| script.text)
        .collect();
    for (call, count) in [
        (format!("nurand(255, 0, 999, {})", random::C_LAST_RUN), 4),
        (format!("nurand(1023, 1, 3000, {})", random::C_CUSTOMER), 8),
        (format!("nurand(8191, 1, 100000, {})", random::C_ITEM), 6),
    ] {
        assert_eq!(texts.matches(&call).count(), count, "{call}");
    }
    assert_eq!(texts.matches("nurand(").count(), 18);
}

/// Packs a row of a table, which fails if the values do not suit its columns.
fn pack(table: &Table, write: impl Fn(&mut Row)) -> Vec<u8> {
    let (mut row, mut bytes) = (Row::new(table.columns), Vec::new());
    write(&mut row);
    row.pack(7, 1, &mut bytes).unwrap();
    bytes
}

#[test]
fn rows_suit_their_columns_and_depend_on_their_number_alone() {
    for n in [1, 2, 30_001, 3_000_000_000] {
        let all = || {
            let order = Order::number(n);
            let lines = Order::number(n).into_lines();
            let lines: Vec<u8> = lines
                .flat_map(|line| pack(&tables::ORDER_LINE, |row| line.write(row)))
                .collect();
            [
                pack(&tables::ITEM, |row| Item::number(n).write(row)),
                pack(&tables::WAREHOUSE, |row| Warehouse::number(n).write(row)),
                pack(&tables::DISTRICT, |row| {
                    super::rows::District::number(n).write(row)
                }),
                pack(&tables::STOCK, |row| Stock::number(n).write(row)),
                pack(&tables::CUSTOMER, |row| Customer::number(n).write(row)),
                pack(&tables::HISTORY, |row| History::number(n).write(row)),
                pack(&tables::ORDERS, |row| order.write(row)),
                pack(&tables::NEW_ORDER, |row| NewOrder::number(n).write(row)),
                lines,
            ]
        };
        assert_eq!(all(), all());
    }
    assert_ne!(
        pack(&tables::STOCK, |row| Stock::number(1).write(row))[24..],
        pack(&tables::STOCK, |row| Stock::number(2).write(row))[24..]
    );
}

#[test]
fn characters_are_drawn_evenly() {
    let mut draws = Draws::of(1, 1);
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for _ in 0..2_000 {
        for character in draws.characters::<31>(31).as_str().chars() {
            *counts.entry(character).or_default() += 1;
        }
    }
    assert_eq!(counts.len(), 62);
    for count in counts.into_values() {
        is_share(count, 62_000, 1.0 / 62.0);
    }
    let zip = draws.zip();
    assert!(zip.as_str().len() == 9 && zip.as_str().ends_with("11111"));
}

#[test]
fn a_load_fills_all_tables_and_makes_what_its_options_say() {
    let steps = |given| load_steps("tpcc-like", &params(2, given)).unwrap();
    let texts = |steps: &[Step]| -> String {
        let actions = steps.iter().flat_map(|step| &step.actions);
        let texts = actions.filter_map(|action| match action {
            Action::Execute(statement) => Some(format!("{};\n", statement.sql)),
            _ => None,
        });
        texts.collect()
    };
    let plain = steps(json!({}));
    let filled: BTreeMap<_, _> = (plain.iter().flat_map(|step| &step.actions))
        .filter_map(|action| match action {
            Action::Fill(fill) => Some((fill.table.as_str(), fill.rows)),
            _ => None,
        })
        .collect();
    assert_eq!(filled.len(), TABLES.len());
    assert_eq!((filled["item"], filled["stock"]), (100_000, 200_000));
    assert_eq!((filled["orders"], filled["new_order"]), (60_000, 18_000));
    let text = texts(&plain);
    assert!(!text.contains("FOREIGN KEY") && text.contains("fillfactor = 100"));
    let text = texts(&steps(json!({"foreign_keys": true, "fillfactor": 70})));
    assert_eq!(text.matches("FOREIGN KEY").count(), 10);
    assert_eq!(text.matches("fillfactor = 70").count(), 6);
}

#[test]
fn checks_are_row_counts_and_the_twelve_conditions() {
    let checks = checks::checks(&params(2, json!({})));
    let names: Vec<_> = checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names[4], "customer has 60000 rows at scale 2");
    for number in 1..=12 {
        let prefix = format!("condition {number}: ");
        assert!(names[4 + number].starts_with(&prefix), "{names:?}");
    }
    assert_eq!(names.len(), 17);
    for check in checks {
        assert!(!check.sql.contains(['{', '}']), "{}", check.sql);
    }
    assert_eq!(params(7, json!({})).scale, Scale::from(7));
}

#[test]
fn keys_and_indexes_are_of_columns_that_exist() {
    expect_consistent(&DATA_SET);
}
