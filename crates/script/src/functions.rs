//! The functions of expressions: one table with everything about them.

use super::ast::BinaryOp;
use super::error::EvalError;
use super::eval::{Context, binary};
use super::nurand::nurand;
use super::pool;
use super::random;
use super::sysbench;
use super::text;
use super::value::Value;

/// How many arguments a function takes at most.
pub const MAX_ARGUMENTS: usize = 16;

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// So many.
    Exactly(usize),
    /// One or more.
    AtLeastOne,
    /// Two or more.
    AtLeastTwo,
    /// So many, and a seed that is `:default_seed` if left out.
    Seeded(usize),
}

/// A function of expressions.
#[derive(Debug)]
pub struct Function {
    /// Its name; case does not matter.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: Arity,
    /// Whether it is called with NULL arguments too; the others then yield NULL.
    pub(super) takes_null: bool,
    /// Whether an argument that is nothing but a variable keeps the text that the variable has.
    pub(super) keeps_text: bool,
    pub(super) call: Body,
}

/// Computes a function; the number of arguments has been checked.
pub(super) type Body = fn(&mut Context<'_>, &[Value]) -> Result<Value, EvalError>;

/// Finds a function by its name, in any case.
pub fn find_function(name: &str) -> Option<&'static Function> {
    FUNCTIONS
        .iter()
        .find(|function| function.name.eq_ignore_ascii_case(name))
}

const fn strict(name: &'static str, arity: Arity, call: Body) -> Function {
    Function {
        name,
        arity,
        takes_null: false,
        keeps_text: false,
        call,
    }
}

/// All functions, by name.
pub static FUNCTIONS: &[Function] = &[
    strict(
        "abs",
        Arity::Exactly(1),
        // absolute value, of the argument's type
        |_, arguments| {
            match first(arguments) {
                Value::Int(int) => Ok(Value::Int(int.wrapping_abs())),
                // C's comparison, which leaves the sign of a zero as it is.
                other => double(
                    std::slice::from_ref(other),
                    |x| if x < 0.0 { -x } else { x },
                ),
            }
        },
    ),
    Function {
        name: "choose",
        arity: Arity::AtLeastTwo,
        // the value at a place, which may be NULL
        takes_null: true,
        keeps_text: false,
        call: text::choose,
    },
    Function {
        name: "concat",
        arity: Arity::AtLeastOne,
        takes_null: false,
        // so that a loop can add to a text
        keeps_text: true,
        // the texts of the arguments joined
        call: text::concat,
    },
    Function {
        name: "debug",
        arity: Arity::Exactly(1),
        // The argument, after reporting its type and value.
        takes_null: true,
        keeps_text: false,
        call: |context, arguments| {
            let value = first(arguments);
            (context.debug)(value);
            Ok(value.clone())
        },
    },
    strict(
        "double",
        Arity::Exactly(1),
        // the argument as a double
        |_, arguments| double(arguments, |x| x),
    ),
    strict(
        "exp",
        Arity::Exactly(1),
        // e raised to the argument
        |_, arguments| double(arguments, f64::exp),
    ),
    strict(
        "greatest",
        Arity::AtLeastOne,
        // the largest argument
        |_, arguments| extremum(arguments, |a, b| a > b, |a, b| a > b),
    ),
    strict(
        "hash",
        Arity::Seeded(1),
        // the same as hash_murmur2
        |_, arguments| hash(arguments, random::hash_murmur2),
    ),
    strict(
        "hash_fnv1a",
        Arity::Seeded(1),
        // FNV-1a hash of an integer
        |_, arguments| hash(arguments, random::hash_fnv1a),
    ),
    strict(
        "hash_murmur2",
        Arity::Seeded(1),
        // MurmurHash2 of an integer
        |_, arguments| hash(arguments, random::hash_murmur2),
    ),
    strict(
        "int",
        Arity::Exactly(1),
        // the argument as an integer, rounded
        |_, arguments| Ok(Value::Int(first(arguments).to_int()?)),
    ),
    strict(
        "least",
        Arity::AtLeastOne,
        // the smallest argument
        |_, arguments| extremum(arguments, |a, b| a < b, |a, b| a < b),
    ),
    strict(
        "ln",
        Arity::Exactly(1),
        // natural logarithm
        |_, arguments| double(arguments, f64::ln),
    ),
    strict(
        "mod",
        Arity::Exactly(2),
        // remainder, with the dividend's sign
        |_, arguments| {
            let [dividend, divisor] = pair(arguments);
            binary(BinaryOp::Mod, dividend, divisor)
        },
    ),
    // the non-uniform random integer of TPC-C
    strict("nurand", Arity::Exactly(4), nurand),
    strict(
        "permute",
        Arity::Seeded(2),
        // place of an integer in a pseudo-random permutation of so many
        |_, arguments| {
            let [value, size] = pair(arguments);
            let (value, size) = (value.to_int()?, size.to_int()?);
            let seed = third(arguments).to_int()?;
            if size <= 0 {
                return Err(EvalError::PermuteSize);
            }
            Ok(Value::Int(random::permute(value, size, seed)))
        },
    ),
    strict("pi", Arity::Exactly(0), /* the number pi */ |_, _| {
        Ok(Value::Double(std::f64::consts::PI))
    }),
    // a value of a pool
    strict("pool", Arity::Exactly(3), pool::value),
    // how many rows a pool has
    strict("pool_rows", Arity::Exactly(1), pool::rows),
    strict(
        "pow",
        Arity::Exactly(2),
        // power, always a double
        |_, arguments| power(arguments),
    ),
    strict(
        "power",
        Arity::Exactly(2),
        // power, always a double
        |_, arguments| power(arguments),
    ),
    strict(
        "random",
        Arity::Exactly(2),
        // uniform random integer
        |context, arguments| {
            let (min, max) = bounds(arguments)?;
            Ok(Value::Int(random::uniform(context.prng, min, max)))
        },
    ),
    strict(
        "random_exponential",
        Arity::Exactly(3),
        // exponentially distributed random integer
        |context, arguments| {
            let (min, max, parameter) = distribution(arguments)?;
            if parameter.is_nan() || parameter <= 0.0 {
                return Err(EvalError::ExponentialParameter(parameter));
            }
            Ok(Value::Int(random::exponential(
                context.prng,
                min,
                max,
                parameter,
            )))
        },
    ),
    strict(
        "random_gaussian",
        Arity::Exactly(3),
        // gaussian distributed random integer
        |context, arguments| {
            let (min, max, parameter) = distribution(arguments)?;
            // With NaN, no draw would ever be accepted.
            if parameter.is_nan() || parameter < random::MIN_GAUSSIAN_PARAMETER {
                return Err(EvalError::GaussianParameter(parameter));
            }
            Ok(Value::Int(random::gaussian(
                context.prng,
                min,
                max,
                parameter,
            )))
        },
    ),
    // a text with random digits and letters in the places of # and @
    strict("random_string", Arity::Exactly(1), text::random_string),
    strict(
        "random_zipfian",
        Arity::Exactly(3),
        // zipfian distributed random integer
        |context, arguments| {
            const RANGE: std::ops::RangeInclusive<f64> =
                random::MIN_ZIPFIAN_PARAMETER..=random::MAX_ZIPFIAN_PARAMETER;
            let (min, max, parameter) = distribution(arguments)?;
            if !RANGE.contains(&parameter) {
                return Err(EvalError::ZipfianParameter(parameter));
            }
            Ok(Value::Int(random::zipfian(
                context.prng,
                min,
                max,
                parameter,
            )))
        },
    ),
    // a pattern for each of some numbers, joined by commas
    strict("series", Arity::Exactly(3), text::series),
    strict(
        "sqrt",
        Arity::Exactly(1),
        /* square root */ |_, arguments| double(arguments, f64::sqrt),
    ),
    // random integers with the distributions of sysbench
    strict("sysbench_gaussian", Arity::Exactly(3), sysbench::gaussian),
    strict("sysbench_pareto", Arity::Exactly(3), sysbench::pareto),
    strict("sysbench_special", Arity::Exactly(5), sysbench::special),
    strict("sysbench_zipfian", Arity::Exactly(3), sysbench::zipfian),
];

const NULL: &Value = &Value::Null;

pub(super) fn first(arguments: &[Value]) -> &Value {
    arguments.first().unwrap_or(NULL)
}

pub(super) fn pair(arguments: &[Value]) -> [&Value; 2] {
    [first(arguments), arguments.get(1).unwrap_or(NULL)]
}

pub(super) fn third(arguments: &[Value]) -> &Value {
    arguments.get(2).unwrap_or(NULL)
}

fn double(arguments: &[Value], function: fn(f64) -> f64) -> Result<Value, EvalError> {
    Ok(Value::Double(function(first(arguments).to_double()?)))
}

fn power(arguments: &[Value]) -> Result<Value, EvalError> {
    let [base, exponent] = pair(arguments);
    Ok(Value::Double(base.to_double()?.powf(exponent.to_double()?)))
}

fn hash(arguments: &[Value], function: fn(i64, i64) -> i64) -> Result<Value, EvalError> {
    let [value, seed] = pair(arguments);
    Ok(Value::Int(function(value.to_int()?, seed.to_int()?)))
}

/// The argument that ranks before all others: a double if any of them is.
fn extremum(
    arguments: &[Value],
    int_before: fn(i64, i64) -> bool,
    double_before: fn(f64, f64) -> bool,
) -> Result<Value, EvalError> {
    if arguments
        .iter()
        .any(|argument| matches!(argument, Value::Double(_)))
    {
        let mut best = first(arguments).to_double()?;
        for argument in &arguments[1..] {
            let double = argument.to_double()?;
            best = if double_before(best, double) {
                best
            } else {
                double
            };
        }
        Ok(Value::Double(best))
    } else {
        let mut best = first(arguments).to_int()?;
        for argument in &arguments[1..] {
            let int = argument.to_int()?;
            best = if int_before(best, int) { best } else { int };
        }
        Ok(Value::Int(best))
    }
}

/// The bounds of a random function: not empty, and less than 2^63 values.
pub(super) fn bounds(arguments: &[Value]) -> Result<(i64, i64), EvalError> {
    let [min, max] = pair(arguments);
    let (min, max) = (min.to_int()?, max.to_int()?);
    if min > max {
        return Err(EvalError::EmptyRandomRange);
    }
    match max.checked_sub(min).and_then(|range| range.checked_add(1)) {
        Some(_) => Ok((min, max)),
        None => Err(EvalError::RandomRangeTooLarge),
    }
}

fn distribution(arguments: &[Value]) -> Result<(i64, i64, f64), EvalError> {
    let (min, max) = bounds(arguments)?;
    Ok((min, max, third(arguments).to_double()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        assert_eq!(FUNCTIONS.len(), 32);
        for function in FUNCTIONS {
            if let Arity::Exactly(count) | Arity::Seeded(count) = function.arity {
                assert!(count < MAX_ARGUMENTS);
            }
        }
    }

    #[test]
    fn all_are_documented() {
        let page = include_str!("../../../docs/reference/scripts.md");
        for function in FUNCTIONS {
            let name = function.name;
            let listed = [format!("`{name}`"), format!("`{name}(")];
            assert!(listed.iter().any(|text| page.contains(text)), "{name}");
        }
    }

    #[test]
    fn names_have_no_case() {
        assert_eq!(
            find_function("Random_GAUSSIAN").map(|f| f.name),
            Some("random_gaussian")
        );
        assert!(find_function("nosuchfunction").is_none());
    }
}
