//! What pgbench 15 itself answers: each expression was run as `\set v debug(expression)`, the values
//! in one script and in this order, with `--random-seed=5432 -s 3` and the variables below.

use super::super::*;
use super::eval;
use super::known_values::{COMPARISONS, VALUES};

const VARIABLES: [(&str, &str); 11] = [
    ("foo", "-10.1"),
    ("n", "null"),
    ("f", "of"),
    ("t", "t"),
    ("int7", "007"),
    ("dbl", "1.50"),
    ("yes", "YE"),
    ("off", "off"),
    ("min", "-9223372036854775808"),
    ("bla", "bla"),
    ("big", "99999999999999999999"),
];

/// Expressions that fail when they are computed.
const FAILURES: &[(&str, &str)] = &[
    ("1/0", "division by zero"),
    ("1 % 0", "division by zero"),
    ("9223372036854775807 + 1", "bigint add out of range"),
    ("-9223372036854775808 - 1", "bigint sub out of range"),
    ("- -9223372036854775808", "bigint sub out of range"),
    ("4611686018427387904 * 2", "bigint mul out of range"),
    ("-9223372036854775808 / -1", "bigint div out of range"),
    (
        "int(1E32)",
        "double to int overflow for 100000000000000005366162204393472.000000",
    ),
    ("int(1.0/0)", "double to int overflow for Infinity"),
    ("int(0.0/0)", "double to int overflow for NaN"),
    (
        "int(9223372036854775807.0)",
        "double to int overflow for 9223372036854775808.000000",
    ),
    (":nosuch", "undefined variable \"nosuch\""),
    (":9x", "undefined variable \"9x\""),
    (":bla + 1", "malformed variable \"bla\" value: \"bla\""),
    (
        ":big",
        "value \"99999999999999999999\" is out of range for type bigint",
    ),
    ("NOT 0.0", "cannot coerce double to boolean"),
    ("NOT 1", "cannot coerce int to boolean"),
    ("TRUE + 2", "cannot coerce boolean to int"),
    ("TRUE < 2.0", "cannot coerce boolean to double"),
    ("TRUE = TRUE", "cannot coerce boolean to int"),
    ("ln(TRUE)", "cannot coerce boolean to double"),
    ("1 AND TRUE", "cannot coerce int to boolean"),
    ("TRUE AND 1", "cannot coerce int to boolean"),
    ("FALSE OR 0.5", "cannot coerce double to boolean"),
    ("random(5,3)", "empty range given to random"),
    (
        "random(-9223372036854775808, 9223372036854775807)",
        "random range is too large",
    ),
    (
        "random(-1, 9223372036854775806)",
        "random range is too large",
    ),
    ("random(FALSE, TRUE)", "cannot coerce boolean to int"),
    (
        "random_gaussian(0, 10, 1.0)",
        "gaussian parameter must be at least 2.000000 (not 1.000000)",
    ),
    (
        "random_exponential(0, 10, 0.0)",
        "exponential parameter must be greater than zero (not 0.000000)",
    ),
    (
        "random_exponential(0, 10, -1)",
        "exponential parameter must be greater than zero (not -1.000000)",
    ),
    (
        "random_zipfian(0, 10, 1)",
        "zipfian parameter must be in range [1.001, 1000] (not 1.000000)",
    ),
    (
        "random_zipfian(0, 10, 1000000)",
        "zipfian parameter must be in range [1.001, 1000] (not 1000000.000000)",
    ),
    (
        "permute(0, 0)",
        "permute size parameter must be greater than zero",
    ),
    (
        "permute(0, -5)",
        "permute size parameter must be greater than zero",
    ),
    (
        "permute(1e30, 5)",
        "double to int overflow for 1000000000000000019884624838656.000000",
    ),
    (
        "hash(1e30)",
        "double to int overflow for 1000000000000000019884624838656.000000",
    ),
    ("least(TRUE, 1)", "cannot coerce boolean to int"),
    ("greatest(1.0, TRUE)", "cannot coerce boolean to double"),
    (
        "1.5 | 1e30",
        "double to int overflow for 1000000000000000019884624838656.000000",
    ),
    ("TRUE | 1", "cannot coerce boolean to int"),
    // pgbench itself loops for ever here.
    (
        "random_zipfian(0, 10, 0.0/0)",
        "zipfian parameter must be in range [1.001, 1000] (not NaN)",
    ),
    (
        "random_gaussian(0, 10, 0.0/0)",
        "gaussian parameter must be at least 2.000000 (not NaN)",
    ),
];

/// A client's state as pgbench would have it.
struct Client {
    symbols: Symbols,
    variables: Variables,
    prng: Prng,
}

impl Client {
    fn new() -> Self {
        let mut symbols = Symbols::new();
        let mut variables = Variables::new(&symbols);
        let streams = Streams::derive(5432, 1, 1, None);
        for (name, text) in VARIABLES {
            variables.set(symbols.intern(name), Value::Text(text.into()));
        }
        for (name, int) in [
            ("scale", 3),
            ("client_id", 0),
            ("random_seed", 5432),
            ("default_seed", streams.default_seed),
        ] {
            variables.set(symbols.intern(name), Value::Int(int));
        }
        Client {
            symbols,
            variables,
            prng: streams.clients[0],
        }
    }

    fn compute(&mut self, expression: &str) -> Result<Value, String> {
        let text = format!("\\set v {expression}");
        let script = parse("e.sql", &text, &mut self.symbols).map_err(|e| e.to_string())?;
        let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
            return Err("not a \\set".into());
        };
        eval(expr, &self.variables, &mut self.prng).map_err(|error| error.to_string())
    }
}

#[test]
fn values_are_those_of_pgbench() {
    let mut client = Client::new();
    for (expression, answer) in VALUES.iter().chain(COMPARISONS) {
        let value = client.compute(expression).map(|value| value.describe());
        assert_eq!(value.as_deref(), Ok(*answer), "{expression}");
    }
}

#[test]
fn failures_are_those_of_pgbench() {
    for (expression, message) in FAILURES {
        let result = Client::new().compute(expression);
        assert_eq!(result, Err((*message).to_owned()), "{expression}");
    }
}

#[test]
fn debug_reports_and_passes_on() {
    let mut client = Client::new();
    let script = parse(
        "e.sql",
        "\\set v debug(1) + debug(2.5)",
        &mut client.symbols,
    )
    .unwrap();
    let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
        panic!("not a \\set");
    };
    let mut reported = Vec::new();
    let mut debug = |value: &Value| reported.push(value.describe());
    let mut context = Context {
        variables: &client.variables,
        prng: &mut client.prng,
        debug: &mut debug,
    };
    assert_eq!(context.eval(expr), Ok(Value::Double(3.5)));
    assert_eq!(reported, ["int 1", "double 2.5"]);
}
