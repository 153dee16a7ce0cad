//! Pools: values that a query has read before the run, for `\set` to draw from.

use super::error::EvalError;
use super::eval::Context;
use super::functions::{first, pair, third};
use super::value::Value;

/// The rows of a `\pool`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    /// As the script has it, with its variables.
    query: String,
    columns: usize,
    /// Row by row.
    values: Vec<Value>,
}

impl Pool {
    /// The rows of a query as texts; `None` is NULL. A text that is an integer in its usual form becomes one: in a
    /// statement it is the same, and it needs no input function there.
    pub fn new(query: &str, rows: Vec<Vec<Option<String>>>) -> Pool {
        let columns = rows.first().map_or(0, Vec::len);
        let values = rows.into_iter().flat_map(|mut row| {
            row.resize(columns, None);
            row.into_iter()
                .map(|text| text.map_or(Value::Null, value_of))
        });
        Pool {
            query: query.to_owned(),
            columns,
            values: values.collect(),
        }
    }

    /// The query that has read it.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// How many rows there are.
    pub fn rows(&self) -> i64 {
        self.values.len().checked_div(self.columns).unwrap_or(0) as i64
    }

    /// A value; row and column count from 1.
    fn get(&self, row: i64, column: i64) -> Result<&Value, EvalError> {
        let index = |name, number: i64, count: i64| match number {
            1.. if number <= count => Ok(number as usize - 1),
            _ => Err(EvalError::int_argument(name, 1, count, number)),
        };
        let column = index("pool column", column, self.columns as i64)?;
        let row = index("pool row", row, self.rows())?;
        Ok(&self.values[row * self.columns + column])
    }
}

fn value_of(text: String) -> Value {
    match text.parse::<i64>() {
        Ok(int) if int.to_string() == text => Value::Int(int),
        _ => Value::Text(text.into()),
    }
}

/// pool(name, row, column): a value of a pool, counted from 1.
///
/// # Errors
/// No pool of the name, no such row or column.
pub(super) fn value(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    let [name, row] = pair(arguments);
    let pool = find(context, name)?;
    pool.get(row.to_int()?, third(arguments).to_int()?).cloned()
}

/// pool_rows(name): how many rows a pool has.
///
/// # Errors
/// No pool of the name.
pub(super) fn rows(context: &mut Context<'_>, arguments: &[Value]) -> Result<Value, EvalError> {
    Ok(Value::Int(find(context, first(arguments))?.rows()))
}

fn find<'c>(context: &'c Context<'_>, name: &Value) -> Result<&'c Pool, EvalError> {
    let name = name.to_text()?;
    let pool = context.variables.pool(name);
    Ok(pool.ok_or_else(|| EvalError::UnknownPool(name.to_owned()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::eval;
    use crate::{CommandKind, Prng, Symbols, Variables, parse};
    use std::sync::Arc;

    fn pool() -> Pool {
        let row = |values: [Option<&str>; 2]| values.map(|value| value.map(str::to_owned)).to_vec();
        let rows = vec![
            row([Some("7"), Some("it's")]),
            row([Some("007"), None]),
            row([Some("-12"), Some("1e3")]),
        ];
        Pool::new("SELECT", rows)
    }

    fn computed(expression: &str) -> Result<Value, String> {
        let mut symbols = Symbols::new();
        let script = parse("x", &format!("\\set x {expression}"), &mut symbols).unwrap();
        let mut variables = Variables::new(&symbols);
        variables.set_pool("p".into(), Arc::new(pool()));
        variables.set_pool("none".into(), Arc::new(Pool::new("SELECT", Vec::new())));
        let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
            panic!("not a \\set");
        };
        eval(expr, &variables, &mut Prng::new(1)).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_found_by_row_and_column() {
        assert_eq!(computed("pool('p', 1, 1)"), Ok(Value::Int(7)));
        assert_eq!(computed("pool('p', 1, 2)"), Ok(Value::Text("it's".into())));
        assert_eq!(computed("pool('p', 2, 1)"), Ok(Value::Text("007".into())));
        assert_eq!(computed("pool('p', 2, 2)"), Ok(Value::Null));
        assert_eq!(computed("pool('p', 3, 1) + 2"), Ok(Value::Int(-10)));
        assert_eq!(computed("pool_rows('p')"), Ok(Value::Int(3)));
        assert_eq!(computed("pool_rows('none')"), Ok(Value::Int(0)));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let error = |expression| computed(expression).unwrap_err();
        assert_eq!(
            error("pool('p', 4, 1)"),
            "pool row must be in range [1, 3] (not 4)"
        );
        assert_eq!(
            error("pool('p', 0, 1)"),
            "pool row must be in range [1, 3] (not 0)"
        );
        assert_eq!(
            error("pool('p', 1, 3)"),
            "pool column must be in range [1, 2] (not 3)"
        );
        assert_eq!(
            error("pool('none', 1, 1)"),
            "pool column must be in range [1, 0] (not 1)"
        );
        assert_eq!(error("pool('q', 1, 1)"), "no pool \"q\"");
        assert_eq!(error("pool_rows(1)"), "cannot coerce int to text");
    }

    #[test]
    fn the_command_has_a_name_and_a_query_in_its_line() {
        let mut symbols = Symbols::new();
        let text = "\\pool p SELECT a, b FROM t TABLESAMPLE system (5) REPEATABLE (:client_id);\nSELECT 1;";
        let script = parse("x", text, &mut symbols).unwrap();
        assert_eq!(script.commands.len(), 2);
        let CommandKind::Pool { name, query } = &script.commands[0].kind else {
            panic!("not a \\pool");
        };
        assert_eq!(&**name, "p");
        assert_eq!(
            query.prepared,
            "SELECT a, b FROM t TABLESAMPLE system (5) REPEATABLE ($1)"
        );
        assert!(!script.commands[0].kind.runs_on_server());
        let error = |text| parse("x", text, &mut Symbols::new()).unwrap_err().message;
        assert_eq!(error("\\pool"), "x:1: missing argument in command \"pool\"");
        assert_eq!(
            error("\\pool p\nSELECT 1;"),
            "x:1: missing query in command \"pool\""
        );
        assert_eq!(
            error("\\pool p ;\n"),
            "x:1: missing query in command \"pool\""
        );
        assert_eq!(
            error("\\pool 1p SELECT 1"),
            "x:1: invalid name of a pool (1p) in command \"pool\""
        );
    }
}
