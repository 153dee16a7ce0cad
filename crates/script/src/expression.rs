//! An expression by itself, for values outside of scripts that are to be drawn as scripts draw them.

use super::ast::{CommandKind, Expr};
use super::error::{EvalError, ParseError};
use super::eval::Context;
use super::random::Prng;
use super::reader::parse;
use super::variables::{Symbols, Variables};

/// An expression without variables.
#[derive(Clone, Debug)]
pub struct Expression {
    expr: Expr,
}

impl Expression {
    /// Parses what may follow `\set name`.
    ///
    /// # Errors
    /// Those of a script with it.
    pub fn parse(text: &str) -> Result<Expression, ParseError> {
        let script = parse(
            "expression",
            &format!("\\set v {text}\n"),
            &mut Symbols::new(),
        )?;
        let line = script.commands.first().map_or(1, |command| command.line);
        match script
            .commands
            .into_iter()
            .next()
            .map(|command| command.kind)
        {
            Some(CommandKind::Set { expr, .. }) => Ok(Expression { expr }),
            _ => Err(ParseError {
                script: script.name,
                line,
                column: None,
                message: "expression expected".to_owned(),
                source_line: None,
                unsupported: None,
            }),
        }
    }

    /// Its value as an integer, with these random numbers.
    ///
    /// # Errors
    /// As in a script; a variable is undefined.
    pub fn int(&self, prng: &mut Prng) -> Result<i64, EvalError> {
        let variables = Variables::default();
        let mut context = Context {
            variables: &variables,
            prng,
            debug: &mut |_| {},
        };
        context.eval(&self.expr)?.to_int()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_draws_as_a_script_does() {
        let value = |text: &str| {
            let expression = Expression::parse(text).map_err(|error| error.message)?;
            let value = expression.int(&mut Prng::new(5432));
            value.map_err(|error| error.to_string())
        };
        assert_eq!(value("1 + 2 * 3"), Ok(7));
        let drawn = value("random(1, 1000000)").unwrap();
        assert_eq!(value("random(1, 1000000) + 1"), Ok(drawn + 1));
        assert!(value("1 +").unwrap_err().contains("syntax error"));
        assert!(value(":v").unwrap_err().contains("undefined variable"));
        assert!(value("'a'").is_err());
    }
}
