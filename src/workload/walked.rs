//! Transactions of built-in workloads without a server, for the tests: scripts are walked as often as it takes to judge what they
//! draw, and where they branch, by the exact shares of the clauses. The results of their statements are made up.

use super::find;
use super::params::Params;
use super::scripts::parse;
use script::{CommandKind, Context, Prng, Script, Symbols, Value, Variables};
use serde_json::{Value as Json, json};

/// The results of statements: one that contains the text sets these variables.
type Answers<'a> = &'a [(&'a str, &'a [(&'a str, Value)])];

const NONE: Answers = &[];

/// The values of variables where a transaction is.
struct Values<'a> {
    symbols: &'a Symbols,
    variables: &'a Variables,
}

impl Values<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(self.symbols.lookup(name)?)
    }

    fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(Value::Int(value)) => *value,
            Some(Value::Bool(value)) => (*value).into(),
            other => panic!("{name}: {other:?}"),
        }
    }

    fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Value::Double(value)) => *value,
            _ => self.int(name) as f64,
        }
    }

    /// The elements of a list such as `{1,2}`.
    fn list(&self, name: &str) -> Vec<i64> {
        let Some(Value::Text(text)) = self.get(name) else {
            panic!("{name}");
        };
        let elements = text.trim_matches(['{', '}']).split(',');
        elements.map(|element| element.parse().unwrap()).collect()
    }
}

/// A script of a workload, ready to be walked.
struct Walker {
    script: Script,
    symbols: Symbols,
    prng: Prng,
}

/// The scale of the tables.
const SCALE: i64 = 10;

impl Walker {
    fn new(workload: &str, script: &str, options: &Json) -> Walker {
        let workload = find(workload).unwrap();
        let mut params = Params::of_tables(workload.family, "s", (SCALE as i32).into());
        params.options.extend(options.as_object().unwrap().clone());
        let specs = (workload.scripts)(&params);
        let spec = specs.iter().find(|spec| spec.name == script);
        let spec = spec.unwrap_or_else(|| panic!("{script}"));
        let mut symbols = Symbols::new();
        let mut scripts = parse(std::slice::from_ref(spec), &mut symbols).unwrap();
        Walker {
            script: scripts.remove(0),
            symbols,
            prng: Prng::new(5),
        }
    }

    /// Shows each statement that is sent.
    fn walk(&mut self, answers: Answers, mut visit: impl FnMut(&str, &Values)) {
        let results = answers.iter().flat_map(|(_, values)| *values);
        let given = [("scale", Value::Int(SCALE)), ("client_id", Value::Int(0))];
        for (name, _) in results.chain(&given) {
            self.symbols.intern(name);
        }
        let symbols = &self.symbols;
        let mut variables = Variables::new(symbols);
        let set = |variables: &mut Variables, values: &[(&str, Value)]| {
            for (name, value) in values {
                variables.set(symbols.lookup(name).unwrap(), value.clone());
            }
        };
        set(&mut variables, &given);
        let mut index = 0;
        while let Some(command) = self.script.commands.get(index) {
            index = command.next;
            let mut context = Context {
                variables: &variables,
                prng: &mut self.prng,
                debug: &mut |_| (),
            };
            match &command.kind {
                CommandKind::Set { variable, expr } => {
                    let value = context.eval(expr).unwrap();
                    variables.set(*variable, value);
                }
                CommandKind::If {
                    condition,
                    otherwise,
                }
                | CommandKind::While {
                    condition,
                    otherwise,
                } if !context.holds(condition).unwrap() => {
                    index = *otherwise;
                }
                CommandKind::Sql(sql) => {
                    let here = Values {
                        symbols,
                        variables: &variables,
                    };
                    visit(sql.text.trim(), &here);
                    for (_, values) in answers.iter().filter(|(part, _)| sql.text.contains(part)) {
                        set(&mut variables, values);
                    }
                }
                _ => {}
            }
        }
    }

    /// The beginnings of the statements of one transaction.
    fn way(&mut self, answers: Answers) -> Vec<String> {
        let mut way = Vec::new();
        self.walk(answers, |text, _| {
            let words: Vec<_> = text.trim_end_matches(';').split_whitespace().collect();
            way.push(words[..words.len().min(2)].join(" "));
        });
        way
    }
}

/// Draws of each case; seeds are fixed, so that no test fails now and then.
const DRAWS: usize = 200_000;

/// Fails if these counts are too far from their shares: by more than four deviations of chi square.
#[track_caller]
fn expect_shares(what: &str, counts: &[usize], shares: &[f64]) {
    let draws = counts.iter().sum::<usize>() as f64;
    let all: f64 = shares.iter().sum();
    assert!((all - 1.0).abs() < 1e-9, "{what}: {all}");
    let cells = counts.iter().zip(shares);
    let distance: f64 = cells
        .map(|(&count, share)| (count as f64 - draws * share).powi(2) / (draws * share))
        .sum();
    let freedom = counts.len() as f64 - 1.0;
    let most = freedom + 4.0 * (2.0 * freedom).sqrt() + 8.0;
    assert!(distance < most, "{what}: {distance} > {most}, {counts:?}");
}

#[track_caller]
fn expect_share(what: &str, found: usize, of: usize, share: f64) {
    expect_shares(what, &[found, of - found], &[share, 1.0 - share]);
}

/// Fails unless these are all values from the first to the last in these steps, each as often as the others.
#[track_caller]
fn expect_uniform(what: &str, values: &[i64], (first, last, step): (i64, i64, i64)) {
    let number = (last - first) / step + 1;
    let cells = number.min(40);
    let mut counts = vec![0; cells as usize];
    let mut sizes = vec![0; cells as usize];
    let cell = |place: i64| (i128::from(place) * i128::from(cells) / i128::from(number)) as usize;
    for value in values {
        let place = (value - first) / step;
        assert!(
            (first..=last).contains(value) && (value - first) % step == 0,
            "{what}: {value}"
        );
        counts[cell(place)] += 1;
    }
    for place in 0..cells {
        // The first places of this cell and of the next.
        let begin = |cell: i64| (cell * number + cells - 1) / cells;
        sizes[place as usize] = begin(place + 1) - begin(place);
    }
    let shares: Vec<_> = sizes
        .iter()
        .map(|&size| size as f64 / number as f64)
        .collect();
    expect_shares(what, &counts, &shares);
}

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

/// What the runs of these tests are given.
fn options(workload: &str) -> Json {
    match workload {
        "tatp" => json!({"uniform": true}),
        oltp if oltp.starts_with("oltp_") => {
            json!({"tables": 8, "table_size": 10_000, "rand_type": "uniform"})
        }
        _ => json!({}),
    }
}

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

/// Whether it holds where a statement is sent; None: there is nothing to judge.
type Judge = fn(&str, &Values) -> Option<bool>;

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
fn branches_end_where_the_results_say() {
    let double = Value::Double;
    let money = |savings: f64, checking: f64| {
        [("savings", double(savings)), ("checking", double(checking))]
    };
    // What is taken from checking.
    for (savings, checking, taken) in [
        (10.0, 0.0, "5.00"),
        (0.0, 10.0, "5.00"),
        (2.5, 2.5, "5.00"),
        (0.0, 4.99, "6.00"),
        (4.99, 0.0, "6.00"),
        (10.0, -5.01, "6.00"),
        (0.0, 0.0, "6.00"),
    ] {
        let mut walker = Walker::new("smallbank", "write check", &json!({}));
        let mut updates = Vec::new();
        let balances = money(savings, checking);
        walker.walk(&[("bal AS", &balances)], |text, _| {
            updates.extend(
                text.split_once("bal = bal - ")
                    .map(|(_, rest)| rest[..4].to_owned()),
            );
        });
        assert_eq!(updates, [taken], "{savings} and {checking}");
    }
    // Workload, script, results, and the end of the transaction.
    let cases: [(&str, &str, Answers, &[&str]); 12] = [
        (
            "smallbank",
            "send payment",
            &[("bal AS", &[("checking", double(5.0))])],
            &["UPDATE checking", "UPDATE checking", "COMMIT"],
        ),
        (
            "smallbank",
            "send payment",
            &[("bal AS", &[("checking", double(4.99))])],
            &["SELECT bal", "ROLLBACK"],
        ),
        (
            "smallbank",
            "transact savings",
            &[("bal AS", &[("savings", double(20.20))])],
            &["UPDATE savings", "COMMIT"],
        ),
        (
            "smallbank",
            "transact savings",
            &[("bal AS", &[("savings", double(-20.21))])],
            &["SELECT bal", "ROLLBACK"],
        ),
        (
            "tatp",
            "update subscriber data",
            &[("AS found", &[("found", Value::Int(1))])],
            &["UPDATE special_facility", "COMMIT"],
        ),
        (
            "tatp",
            "update subscriber data",
            NONE,
            &["UPDATE special_facility", "ROLLBACK"],
        ),
        (
            "tpcc-like",
            "new order",
            &[("new_order", &[("order_id", Value::Int(1))])],
            &["SELECT *", "COMMIT"],
        ),
        (
            "tpcc-like",
            "new order",
            &[("new_order", &[("order_id", Value::Int(0))])],
            &["SELECT *", "ROLLBACK"],
        ),
        (
            "tpcc-like-sql",
            "new order",
            &[("FROM item", &[("i_price", Value::Int(1))])],
            &["INSERT INTO", "COMMIT"],
        ),
        (
            "tpcc-like-sql",
            "new order",
            NONE,
            &["SELECT i_price,", "ROLLBACK"],
        ),
        (
            "tpcc-like-sql",
            "order status",
            &[("FROM orders", &[("o_id", Value::Int(1))])],
            &["SELECT o_id,", "SELECT ol_i_id,", "COMMIT"],
        ),
        // Of a customer without an order: tables of other programs have such.
        (
            "tpcc-like-sql",
            "order status",
            NONE,
            &["SELECT c_first,", "SELECT o_id,", "COMMIT"],
        ),
    ];
    for (workload, script, answers, end) in cases {
        let mut walker = Walker::new(workload, script, &json!({}));
        for _ in 0..100 {
            let way = walker.way(answers);
            let way: Vec<_> = way.iter().map(String::as_str).collect();
            assert!(way.ends_with(end), "{workload}, {script}: {way:?}");
        }
    }
    // A delivery takes an order of each district that has one.
    for (answers, orders) in [
        (NONE, 0),
        (
            &[("FROM new_order", &[("no_o_id", Value::Int(7))][..])][..],
            10,
        ),
    ] {
        let way = Walker::new("tpcc-like-sql", "delivery", &json!({})).way(answers);
        let count = |what: &str| way.iter().filter(|sent| *sent == what).count();
        assert_eq!(
            (count("SELECT no_o_id"), count("DELETE FROM")),
            (10, orders)
        );
        assert_eq!(count("UPDATE customer"), orders);
        assert_eq!(way.last().map(String::as_str), Some("COMMIT"));
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
