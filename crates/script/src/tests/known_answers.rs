//! What pgbench 15 itself answers: each expression was run as `\set v debug(expression)`, the values
//! in one script and in this order, with `--random-seed=5432 -s 3` and the variables below.

use super::super::*;
use super::eval;

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

/// Expressions and their values.
const VALUES: &[(&str, &str)] = &[
    ("random(10, 19)", "int 17"),
    ("random_exponential(100, 199, 10.0)", "int 104"),
    ("random_gaussian(1000, 1999, 10.0)", "int 1498"),
    ("abs(-4)", "int 4"),
    ("greatest(5, 4, 3, 2)", "int 5"),
    ("11 + least(-5, -4, -3, -2)", "int 6"),
    ("int(7.3)", "int 7"),
    ("17 / (4|1) + ( 4 + (7 >> 2))", "int 8"),
    ("- (3 * 4 - (-(~ 1) + -(~ 0))) / -1 + 3 % -1", "int 9"),
    ("10 + (0 + 0 * 0 - 0 / 1)", "int 10"),
    ("10 + :scale", "int 13"),
    (
        "64 % (((2 + 1 * 2 + (1 # 2) | 4 * (2 & 11)) - (1 << 2)) + 2)",
        "int 12",
    ),
    ("sqrt(+1.5 * 2.0) * abs(-0.8E1)", "double 13.856406460551"),
    ("double(1 + 1) * (-75.0 / :foo)", "double 14.8514851485149"),
    ("pi() * 4.9", "double 15.39380400259"),
    ("greatest(4, 2, -1.17) * 4.0 * Ln(Exp(1.0))", "double 16"),
    ("least(-5.18, .0E0, 1.0/0) * -3.3", "double 17.094"),
    ("random_zipfian(1, 9, 1.3)", "int 3"),
    ("pow(-3,3)", "double -27"),
    ("pow(2.0,10)", "double 1024"),
    ("pow(0,0)", "double 1"),
    ("pow(, 2, 3)", "double 8"),
    ("pow(-2,-3)", "double -0.125"),
    ("power(-5.0,-5.0)", "double -0.00032"),
    ("pow(9223372036854775807, 2)", "double 8.50705917302346e+37"),
    ("pow(10,30)", "double 1e+30"),
    ("1.0 = 0.0 and 1.0 != 0.0", "boolean false"),
    ("0 = 1 Or 1.0 = 1", "boolean true"),
    ("case when 0 < 1 then 32 else 0 end", "int 32"),
    (
        "case when false THEN -1 when 1 = 1 then 13 + 19 + 2.0 end",
        "double 34",
    ),
    (
        "CASE WHEN NOT FALSE THEN 3 * 12.3333334 END",
        "double 37.0000002",
    ),
    ("case when false then 0 end", "null"),
    (
        "10 + mod(13 * 7 + 12, 13) - mod(-19 * 11 - 17, 19)",
        "int 39",
    ),
    (
        "NOT (0 > 1) AND (1 <= 1) AND NOT (0 >= 1) AND (0 < 1) AND NOT (false and true) AND (false OR TRUE) AND (NOT :f) AND (NOT FALSE) AND NOT (NOT TRUE)",
        "boolean true",
    ),
    ("NULL + NULL * exp(NULL)", "null"),
    ("NOT (NULL IS NOT NULL OR FALSE IS NULL)", "boolean true"),
    (
        "NULL IS NULL AND :f IS NOT NULL AND :f NOTNULL",
        "boolean true",
    ),
    (
        "NULL ISNULL AND NOT NULL IS TRUE AND NULL IS NOT FALSE",
        "boolean true",
    ),
    ("CASE WHEN :n IS NULL THEN 46 ELSE NULL END", "int 46"),
    (":n IS NULL AND NOT :f AND :t", "boolean true"),
    (
        "CASE WHEN 1 THEN TRUE END AND CASE WHEN 1.0 THEN TRUE END AND CASE WHEN :n THEN NULL ELSE TRUE END",
        "boolean true",
    ),
    ("hash(10, 5432)", "int -5817877081768721676"),
    ("hash_murmur2(10, 5432)", "int -5817877081768721676"),
    ("hash_fnv1a(10, 5432)", "int -7793829335365542153"),
    ("hash(10)", "int 4313776982099445391"),
    ("hash_fnv1a(-1)", "int 6988642826123056505"),
    ("hash(0.5)", "int -6037318374080380516"),
    (
        "hash_fnv1a(9223372036854775807, -1)",
        "int 9116682525541297170",
    ),
    (":default_seed", "int 7590783070443337668"),
    ("permute(0, 2) + permute(1, 2)", "int 1"),
    ("permute(123456, 1000000)", "int 532452"),
    ("permute(-1, 1000000)", "int 9840"),
    ("permute(0, 1)", "int 0"),
    (
        "permute(9223372036854775796, 9223372036854775797, 5432)",
        "int 520382784483822430",
    ),
    ("permute(7, 10, 1.4)", "int 8"),
    ("permute(1, 3, -9223372036854775808)", "int 0"),
    ("-9223372036854775808", "int -9223372036854775808"),
    ("- 9223372036854775808 + 1", "int -9223372036854775807"),
    ("0 - 9223372036854775807", "int -9223372036854775807"),
    ("~ 1 + 2", "int -4"),
    ("~1 | 2", "int -2"),
    ("~1 = -2", "boolean true"),
    ("1 * ~ 2 + 3", "int -6"),
    ("1 << 65", "int 2"),
    ("1 << -1", "int -9223372036854775808"),
    ("-8 >> 1", "int -4"),
    ("-8 >> 64", "int -8"),
    ("-7 / 2", "int -3"),
    ("-7 % 2", "int -1"),
    ("7 % -2", "int 1"),
    ("-9223372036854775808 % -1", "int 0"),
    ("-9223372036854775808 / 1", "int -9223372036854775808"),
    ("abs(-9223372036854775807 - 1)", "int -9223372036854775808"),
    ("abs(-0.0)", "double 0"),
    ("-0.0", "double 0"),
    ("0.0 * -1", "double -0"),
    ("int(0.5)", "int 0"),
    ("int(1.5)", "int 2"),
    ("int(2.5)", "int 2"),
    ("int(-0.5)", "int 0"),
    ("int(9223372036854774784.0)", "int 9223372036854774784"),
    ("7.5 % 2", "int 0"),
    ("7.5 & 3", "int 0"),
    ("7.0 / 2", "double 3.5"),
    ("7 / 2.0", "double 3.5"),
    ("1 = 1.0", "boolean true"),
    ("1.0/0", "double Infinity"),
    ("-1.0/0", "double -Infinity"),
    ("0.0/0", "double NaN"),
    ("sqrt(-1)", "double NaN"),
    ("ln(0)", "double -Infinity"),
    ("ln(-1)", "double NaN"),
    ("exp(1000)", "double Infinity"),
    ("exp(-1000)", "double 0"),
    ("1e15", "double 1e+15"),
    ("1e14", "double 100000000000000"),
    ("123456789012345.6", "double 123456789012346"),
    ("999999999999999.9", "double 1e+15"),
    ("562949953421312.5", "double 562949953421312"),
    ("0.1 + 0.2", "double 0.3"),
    ("1/3.0", "double 0.333333333333333"),
    ("2e-5", "double 2e-05"),
    ("1e-4", "double 0.0001"),
    ("1e300 * 1e10", "double Infinity"),
    ("123456789012345678", "int 123456789012345678"),
    ("NULL AND FALSE", "null"),
    ("FALSE AND NULL", "boolean false"),
    ("NULL OR TRUE", "null"),
    ("TRUE OR NULL", "boolean true"),
    ("TRUE AND NULL", "null"),
    ("NULL = NULL", "null"),
    ("NULL IS NULL IS NULL", "boolean false"),
    ("1 IS TRUE", "boolean false"),
    ("1 = 2 IS FALSE", "boolean true"),
    ("NOT 1 = 2", "boolean true"),
    ("NOT NOT TRUE", "boolean true"),
    ("NOT :n", "null"),
    ("1 + 2 * 3 - 4 / 2 % 3", "int 5"),
    ("2 - 3 - 4", "int -5"),
    ("1 < 2 AND 2 < 3 OR FALSE", "boolean true"),
    ("1 | 2 + 4", "int 7"),
    ("1 << 2 | 1", "int 5"),
    ("7 & 3 << 1", "int 6"),
    ("5 # 3 & 1", "int 0"),
    ("1 >= 1 AND 2 > 1", "boolean true"),
    (
        "case when null then 1 when 0 then 2 when 0.0 then 3 when 0.1 then 4 end",
        "int 4",
    ),
    (
        "case when true then case when false then 1 else 2 end end",
        "int 2",
    ),
    ("least(1, 2.0)", "double 1"),
    ("greatest(1.5, 1)", "double 1.5"),
    ("greatest(1)", "int 1"),
    ("least(NULL, 1)", "null"),
    ("least(0.0/0, 1)", "double 1"),
    ("least(1, 0.0/0)", "double NaN"),
    ("greatest(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)", "int 16"),
    (":foo + 1", "double -9.1"),
    (":int7 + 1", "int 8"),
    (":dbl", "double 1.5"),
    (":yes", "boolean true"),
    (":off", "boolean false"),
    (":min", "int -9223372036854775808"),
    (":client_id", "int 0"),
    (":random_seed", "int 5432"),
    ("- - 1", "int 1"),
    ("+ - + 1", "int -1"),
    ("1 - -1", "int 2"),
    ("1-1", "int 0"),
    ("2*-3", "int -6"),
    ("-2*-3", "int 6"),
    (":foo*-:foo", "double -102.01"),
    ("mod(-7, 2)", "int -1"),
    ("MOD(7, -2)", "int 1"),
    ("power(2, 0.5)", "double 1.4142135623731"),
    ("double(9223372036854775807)", "double 9.22337203685478e+18"),
    ("debug(1) + debug(NULL)", "null"),
    ("random(1, 1)", "int 1"),
    ("random(-5000, 5000)", "int 814"),
    ("random(1, 100000)", "int 70066"),
    ("random(1, 3)", "int 1"),
    (
        "random(-9223372036854775808, -2)",
        "int -5183373854253645117",
    ),
    ("random(0, 9223372036854775806)", "int 8935116231834532338"),
    ("random(1.4, 2.6)", "int 3"),
    ("random_exponential(1, 100000, 0.5)", "int 67334"),
    ("random_exponential(1, 10, 50)", "int 1"),
    ("random_exponential(-10, -1, 1)", "int -4"),
    ("random_gaussian(1, 100000, 2.0)", "int 23572"),
    ("random_gaussian(1, 100, 2.5)", "int 41"),
    ("random_gaussian(-5, 5, 30)", "int 0"),
    ("random_zipfian(1, 1000000, 1.001)", "int 309036"),
    ("random_zipfian(1, 100000, 1.1)", "int 3"),
    ("random_zipfian(1, 100, 2)", "int 1"),
    ("random_zipfian(1, 100, 1000)", "int 1"),
    ("random_zipfian(5, 5, 1.5)", "int 5"),
    ("random(1, 1000) > random(1, 1000)", "boolean false"),
    ("random(1, 1000) - random(1, 1000)", "int -570"),
    (
        "case when random(1,2) = 1 then random(1,1000) else -random(1,1000) end",
        "int -409",
    ),
    ("random(1, 1000000)", "int 414219"),
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
    for (expression, answer) in VALUES {
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
