//! The way of a transaction through a script, without a server: what can be computed is, and statements are shown, not run.

use super::ast::{CommandKind, Script};
use super::error::EvalError;
use super::eval::Context;
use super::random::Prng;
use super::sql::SqlCommand;
use super::value::Value;
use super::variables::Variables;
use std::ops::ControlFlow;

/// After so many commands the way ends: a loop may never end where no statement is run.
const LONGEST: usize = 10_000;

/// Shows each statement that a transaction comes to, once: `visit` gets the number of its command and the variables as they are
/// there, without those that results of statements would set. `debug` gets what debug() does, with the number of the command.
///
/// # Errors
/// A value that cannot be computed.
pub fn walk(
    script: &Script,
    variables: &mut Variables,
    prng: &mut Prng,
    mut debug: impl FnMut(usize, &Value),
    mut visit: impl FnMut(usize, &SqlCommand, &Variables) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, EvalError> {
    let commands = &script.commands;
    let mut known = vec![false; commands.len()];
    let mut index = 0;
    for _ in 0..LONGEST {
        let Some(command) = commands.get(index) else {
            break;
        };
        let mut next = command.next;
        let mut context = Context {
            variables,
            prng,
            debug: &mut |value| debug(index, value),
        };
        match &command.kind {
            CommandKind::Sql(sql) if !known[index] => {
                known[index] = true;
                if visit(index, sql, variables).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            CommandKind::Set { variable, expr } => {
                let value = context.eval(expr)?;
                variables.set(*variable, value);
            }
            CommandKind::If {
                condition,
                otherwise,
            }
            | CommandKind::While {
                condition,
                otherwise,
            } => match context.holds(condition)? {
                true => {}
                false => next = *otherwise,
            },
            CommandKind::Pool { name, query } => {
                variables.choose_pool(name, &query.text);
            }
            _ => {}
        }
        index = next;
    }
    Ok(ControlFlow::Continue(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Symbols, parse};

    fn way(text: &str) -> (Vec<String>, Result<ControlFlow<()>, EvalError>) {
        let mut symbols = Symbols::new();
        let script = parse("s", text, &mut symbols).unwrap();
        let (mut variables, mut prng) = (Variables::new(&symbols), Prng::new(1));
        let mut seen = Vec::new();
        let end = walk(
            &script,
            &mut variables,
            &mut prng,
            |_, _| (),
            |_, sql, variables| {
                let mut text = String::new();
                sql.interpolate(variables, &mut text);
                seen.push(text);
                match sql.text.starts_with("END") {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        (seen, end)
    }

    #[test]
    fn each_statement_that_is_reached_is_shown_once() {
        let (seen, end) = way(
            "\\set i 0\n\\while :i < 3\nSELECT :i;\n\\set i :i + 1\n\\endwhile\n\\if :i = 3\nSELECT 'then';\n\\else\nSELECT 'else';\n\\endif\nEND;\nSELECT 2;\n",
        );
        assert_eq!(seen, ["SELECT 0;", "SELECT 'then';", "END;"]);
        assert_eq!(end, Ok(ControlFlow::Break(())));
    }

    #[test]
    fn the_way_ends_where_nothing_can_be_computed_and_after_many_commands() {
        let (seen, end) = way("SELECT 1;\n\\set a :none + 1\nSELECT 2;\n");
        assert_eq!((seen.len(), end.is_err()), (1, true));
        let (seen, end) = way("\\while 1 = 1\n\\set a 1\n\\endwhile\nSELECT 1;\n");
        assert_eq!((seen.len(), end), (0, Ok(ControlFlow::Continue(()))));
    }
}
