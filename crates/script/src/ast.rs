//! A script in the form that runs: commands in order, each with the one that comes after it.

use std::sync::Arc;
use std::time::Duration;

use super::error::{EvalError, ParseError};
use super::functions::Function;
use super::sql::{MAX_PARAMETERS, SqlCommand};
use super::value::{Value, is_c_space};
use super::variables::{VarId, Variables};

/// A parsed script.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its name, as in messages and reports.
    pub name: String,
    /// Its commands, at least one. Running starts at the first and continues at [`Command::next`] until that is past
    /// the end.
    pub commands: Vec<Command>,
}

impl Script {
    /// Checks that every statement can be sent with parameters, which only the extended and
    /// prepared query modes need.
    ///
    /// # Errors
    /// A statement with more than [`MAX_PARAMETERS`] variables.
    pub fn check_parameters(&self) -> Result<(), ParseError> {
        for command in &self.commands {
            if let CommandKind::Sql(sql) | CommandKind::Pool { query: sql, .. } = &command.kind
                && sql.params.len() > MAX_PARAMETERS
            {
                return Err(ParseError {
                    script: self.name.clone(),
                    line: command.line,
                    column: None,
                    message: format!(
                        "statement has too many arguments (maximum is {MAX_PARAMETERS}): {}",
                        sql.text
                    ),
                    source_line: None,
                    unsupported: None,
                });
            }
        }
        Ok(())
    }

    /// The variables that its statements are sent with in the extended and prepared modes, each with the line of its statement.
    pub fn parameters(&self) -> impl Iterator<Item = (u32, VarId)> {
        self.commands.iter().flat_map(|command| {
            let sql = match &command.kind {
                CommandKind::Sql(sql) | CommandKind::Pool { query: sql, .. } => Some(sql),
                _ => None,
            };
            let params = sql.into_iter().flat_map(|sql| &sql.params);
            params.map(|variable| (command.line, *variable))
        })
    }

    /// Whether one of its commands may set this variable. What columns a result has is not known here: one with a `\gset` or
    /// `\aset` may set any variable whose name begins with its prefix.
    pub fn may_set(&self, id: VarId, name: &str) -> bool {
        self.commands.iter().any(|command| match &command.kind {
            CommandKind::Set { variable, .. } => *variable == id,
            CommandKind::Sql(SqlCommand {
                capture: Some(capture),
                ..
            }) => name.starts_with(&capture.prefix),
            _ => false,
        })
    }
}

/// One command of a script.
#[derive(Clone, Debug)]
pub struct Command {
    /// The line it starts in, from 1.
    pub line: u32,
    /// What a report per command calls it: the first line of a statement (at most 127 bytes), all
    /// of a meta-command.
    pub text: String,
    /// The index of the command to run after this one; `commands.len()` is the end. It jumps from
    /// the end of a taken branch to its `\endif`, and from an `\endwhile` back to its `\while`.
    pub next: usize,
    /// What to do.
    pub kind: CommandKind,
}

/// What a command does.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// Sends a statement.
    Sql(SqlCommand),
    /// `\set`: gives a variable a value.
    Set {
        /// Which variable.
        variable: VarId,
        /// Its new value.
        expr: Expr,
    },
    /// `\pool`: reads a pool of values with a query, unless the client has it.
    Pool {
        /// What expressions call it.
        name: Arc<str>,
        /// The query.
        query: SqlCommand,
    },
    /// `\sleep`: waits.
    Sleep(Sleep),
    /// `\if` or `\elif`: if the condition does not hold, continues at `otherwise`: the next
    /// `\elif`, `\else` or `\endif`. An `\elif` is only reached this way.
    If {
        /// The condition.
        condition: Expr,
        /// Where to continue if it does not hold.
        otherwise: usize,
    },
    /// `\else`: nothing to do; only reached if no condition before it held.
    Else,
    /// `\endif`: nothing to do.
    EndIf,
    /// `\while`: if the condition does not hold, continues at `otherwise`, which is behind the `\endwhile`.
    While {
        /// The condition.
        condition: Expr,
        /// Where to continue if it does not hold.
        otherwise: usize,
    },
    /// `\endwhile`: nothing to do. Its [`Command::next`] is its `\while`, the only one that is not ahead: here a script
    /// that never ends has to act on a request to end.
    EndWhile,
    /// `\startpipeline`: the statements from here on share a transaction.
    StartPipeline,
    /// `\syncpipeline`: ends the transaction of the statements so far; the pipeline continues.
    SyncPipeline,
    /// `\endpipeline`: ends the transaction and the pipeline; its first error is raised here.
    EndPipeline,
}

impl CommandKind {
    /// Whether the server works for it: a statement, or the commit at a pipeline's sync.
    pub fn runs_on_server(&self) -> bool {
        matches!(
            self,
            CommandKind::Sql(_) | CommandKind::SyncPipeline | CommandKind::EndPipeline
        )
    }
}

/// The argument of a `\sleep`.
#[derive(Clone, Debug)]
pub struct Sleep {
    /// How many units.
    pub amount: SleepAmount,
    /// The unit, in microseconds.
    pub unit: i64,
}

/// How long to sleep, in some unit.
#[derive(Clone, Debug)]
pub enum SleepAmount {
    /// As written in the script.
    Literal(i64),
    /// The value of a variable when the command runs.
    Variable(VarRef),
}

impl Sleep {
    /// How long to wait; negative times are none.
    ///
    /// # Errors
    /// The variable is undefined, or its text does not start with a number.
    pub fn duration(&self, variables: &Variables) -> Result<Duration, EvalError> {
        let amount = match &self.amount {
            SleepAmount::Literal(amount) => *amount,
            SleepAmount::Variable(variable) => match variables.get(variable.id) {
                None => return Err(EvalError::UndefinedSleepVariable(variable.name.to_string())),
                Some(Value::Int(amount)) => *amount,
                Some(value) => amount_from_text(&value.to_string(), variable)?,
            },
        };
        let micros = amount.saturating_mul(self.unit);
        Ok(Duration::from_micros(
            u64::try_from(micros).unwrap_or_default(),
        ))
    }
}

fn amount_from_text(text: &str, variable: &VarRef) -> Result<i64, EvalError> {
    let amount = leading_int(text);
    if amount == 0 && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(EvalError::InvalidSleepTime {
            variable: variable.name.to_string(),
            value: text.to_owned(),
        });
    }
    Ok(amount)
}

/// The integer a text starts with, as C's `atoi`: 0 if there is none.
pub(super) fn leading_int(text: &str) -> i64 {
    let text = text.trim_start_matches(is_c_space);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = digits
        .bytes()
        .take_while(u8::is_ascii_digit)
        .fold(0i64, |sum, digit| {
            sum.saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'))
        });
    if negative { -magnitude } else { magnitude }
}

/// A variable in an expression; the name is for messages only.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// Where its value is.
    pub id: VarId,
    /// What it is called.
    pub name: Arc<str>,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A literal.
    Constant(Value),
    /// A variable's value.
    Variable(VarRef),
    /// Whether a variable has a value, which may be NULL.
    Defined(VarId),
    /// An operator that evaluates both sides, the left one first.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// NOT.
    Not(Box<Expr>),
    /// AND; the right side is evaluated only if the left one is true.
    And(Box<Expr>, Box<Expr>),
    /// OR; the right side is evaluated only if the left one is false.
    Or(Box<Expr>, Box<Expr>),
    /// IS NULL, IS TRUE, IS FALSE: the same type and value as the constant.
    Is(Box<Expr>, Value),
    /// CASE WHEN condition THEN result ... ELSE otherwise END.
    Case {
        /// Pairs of condition and result.
        branches: Vec<(Expr, Expr)>,
        /// The result if no condition holds.
        otherwise: Box<Expr>,
    },
    /// A function's result; the arguments are as many as it takes.
    Call(&'static Function, Vec<Expr>),
    /// The same of a function whose arguments are all literals: no row of a load and no transaction evaluates them again.
    CallOnLiterals(&'static Function, Vec<Value>),
}

/// Operators over two values. `>` and `>=` are the others with the sides exchanged, as in pgbench,
/// where that decides which side draws its random numbers first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%` and mod()
    Mod,
    /// `=`
    Eq,
    /// `<>` and `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `#`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

#[cfg(test)]
mod tests {
    use super::super::variables::Symbols;
    use super::*;

    #[test]
    fn leading_ints() {
        assert_eq!(leading_int("12ms"), 12);
        assert_eq!(leading_int(" -7"), -7);
        assert_eq!(leading_int("+3"), 3);
        assert_eq!(leading_int("x"), 0);
        assert_eq!(leading_int(""), 0);
        assert_eq!(leading_int("99999999999999999999"), i64::MAX);
    }

    #[test]
    fn sleeping() {
        let mut symbols = Symbols::new();
        let id = symbols.intern("v");
        let mut variables = Variables::new(&symbols);
        let sleep = Sleep {
            amount: SleepAmount::Variable(VarRef {
                id,
                name: "v".into(),
            }),
            unit: 1000,
        };
        let mut with = |value| {
            variables.set(id, value);
            sleep
                .duration(&variables)
                .map_err(|error| error.to_string())
        };
        assert_eq!(with(Value::Int(3)), Ok(Duration::from_millis(3)));
        assert_eq!(with(Value::Int(-3)), Ok(Duration::ZERO));
        assert_eq!(with(Value::Double(2.9)), Ok(Duration::from_millis(2)));
        assert_eq!(with(Value::Text("4x".into())), Ok(Duration::from_millis(4)));
        assert_eq!(
            with(Value::Text("x".into())),
            Err("sleep: invalid sleep time \"x\" for variable \"v\"".to_owned())
        );
        assert_eq!(
            sleep
                .duration(&Variables::new(&symbols))
                .unwrap_err()
                .to_string(),
            "sleep: undefined variable \"v\""
        );
        let forever = Sleep {
            amount: SleepAmount::Literal(i64::MAX),
            unit: 1_000_000,
        };
        assert!(forever.duration(&variables).is_ok());
    }
}
