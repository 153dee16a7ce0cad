//! Tests of the whole module; answers come from pgbench 15 itself.

use super::*;

mod commands;
mod draws;
mod exercise;
mod known_answers;
mod known_values;
mod limits;
mod loops;
mod mutations;
mod refusals;
mod runs;
mod scanning;
mod texts;

fn fails(text: &str) -> ParseError {
    parse("x.sql", text, &mut Symbols::new()).unwrap_err()
}

/// Computes an expression; debug() reports to nobody.
pub(super) fn eval(
    expr: &Expr,
    variables: &Variables,
    prng: &mut Prng,
) -> Result<Value, EvalError> {
    Context {
        variables,
        prng,
        debug: &mut |_| (),
    }
    .eval(expr)
}
