//! The non-uniform random integers of TPC-C.

use super::error::EvalError;
use super::eval::Context;
use super::functions::bounds;
use super::random::uniform;
use super::value::Value;

/// nurand(a, x, y, c), NURand of the TPC-C specification, clause 2.1.6: from x to y, where values whose bits are the
/// more frequent ones of a bitwise OR come more often; c shifts which ones those are.
///
/// # Errors
/// An empty or too large range from 0 to a or from x to y, a negative x or c, or a c too large to be added.
pub(super) fn nurand(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let [a, x, y, c] = arguments else {
        return Ok(Value::Null);
    };
    let (_, a) = bounds(&[Value::Int(0), a.clone()])?;
    let (x, y) = bounds(&[x.clone(), y.clone()])?;
    let c = c.to_int()?;
    for (name, given) in [("nurand x", x), ("nurand c", c)] {
        if given < 0 {
            return Err(EvalError::int_argument(name, 0, i64::MAX, given));
        }
    }
    let drawn = uniform(context.prng, 0, a) | uniform(context.prng, x, y);
    let sum = drawn
        .checked_add(c)
        .ok_or(EvalError::BigintOutOfRange("add"))?;
    Ok(Value::Int(sum % (y - x + 1) + x))
}
