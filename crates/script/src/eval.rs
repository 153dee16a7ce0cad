//! Computes expressions.

use super::ast::{BinaryOp, Expr};
use super::error::EvalError;
use super::functions::{Function, MAX_ARGUMENTS};
use super::random::Prng;
use super::value::Value;
use super::variables::Variables;

/// What an expression may use.
pub struct Context<'a> {
    /// The client's variables.
    pub variables: &'a Variables,
    /// The client's random numbers.
    pub prng: &'a mut Prng,
    /// Receives the arguments of debug().
    pub debug: &'a mut dyn FnMut(&Value),
}

impl Context<'_> {
    /// Computes an expression.
    ///
    /// # Errors
    /// What pgbench would abort the client for.
    pub fn eval(&mut self, expr: &Expr) -> Result<Value, EvalError> {
        match expr {
            Expr::Constant(value) => Ok(value.clone()),
            Expr::Variable(variable) => match self.variables.get(variable.id) {
                None => Err(EvalError::UndefinedVariable(variable.name.to_string())),
                Some(Value::Text(text)) => Value::from_text(text, &variable.name),
                Some(value) => Ok(value.clone()),
            },
            Expr::Defined(variable) => Ok(Value::Bool(self.variables.get(*variable).is_some())),
            Expr::Binary(op, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                binary(*op, &left, &right)
            }
            Expr::Not(operand) => match self.eval(operand)? {
                Value::Null => Ok(Value::Null),
                value => Ok(Value::Bool(!value.to_bool()?)),
            },
            Expr::And(left, right) => self.connective(false, left, right),
            Expr::Or(left, right) => self.connective(true, left, right),
            Expr::Is(operand, constant) => Ok(Value::Bool(self.eval(operand)? == *constant)),
            Expr::Case {
                branches,
                otherwise,
            } => {
                for (condition, result) in branches {
                    if self.holds(condition)? {
                        return self.eval(result);
                    }
                }
                self.eval(otherwise)
            }
            // Most functions take few arguments: do not pay for all sixteen.
            Expr::Call(function, arguments) if arguments.len() <= 3 => {
                self.call::<3>(function, arguments)
            }
            Expr::Call(function, arguments) => self.call::<MAX_ARGUMENTS>(function, arguments),
            Expr::CallOnLiterals(function, values) => self.apply(function, values),
        }
    }

    /// Whether a condition (`\if`, `\while`, CASE WHEN) holds.
    ///
    /// # Errors
    /// What computing it fails with; a text is no condition.
    pub fn holds(&mut self, condition: &Expr) -> Result<bool, EvalError> {
        match self.eval(condition)? {
            text @ Value::Text(_) => text.to_bool(),
            value => Ok(value.truth()),
        }
    }

    /// AND and OR: `decisive` on the left decides alone. So does NULL, unlike in SQL.
    fn connective(
        &mut self,
        decisive: bool,
        left: &Expr,
        right: &Expr,
    ) -> Result<Value, EvalError> {
        let left = match self.eval(left)? {
            Value::Null => return Ok(Value::Null),
            value => value.to_bool()?,
        };
        if left == decisive {
            return Ok(Value::Bool(decisive));
        }
        match self.eval(right)? {
            Value::Null => Ok(Value::Null),
            value => Ok(Value::Bool(value.to_bool()?)),
        }
    }

    /// The text of an argument that is not to be read as what it looks like.
    fn kept_text(&self, function: &Function, argument: &Expr) -> Option<&Value> {
        match argument {
            Expr::Variable(variable) if function.keeps_text => {
                let value = self.variables.get(variable.id)?;
                matches!(value, Value::Text(_)).then_some(value)
            }
            _ => None,
        }
    }

    /// Calls a function with its arguments on the stack. A frame of its own, so that deep
    /// expressions without calls need little stack.
    #[inline(never)]
    fn call<const ROOM: usize>(
        &mut self,
        function: &Function,
        arguments: &[Expr],
    ) -> Result<Value, EvalError> {
        let mut values = [const { Value::Null }; ROOM];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = match self.kept_text(function, argument) {
                Some(text) => text.clone(),
                None => self.eval(argument)?,
            };
        }
        self.apply(function, &values[..arguments.len().min(ROOM)])
    }

    /// The function's result: most give NULL for any NULL.
    fn apply(&mut self, function: &Function, values: &[Value]) -> Result<Value, EvalError> {
        if !function.takes_null && values.iter().any(|value| matches!(value, Value::Null)) {
            return Ok(Value::Null);
        }
        (function.call)(self, values)
    }
}

/// Applies an operator: NULL if either side is, double if either side is, else integer.
#[inline]
pub(super) fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, EvalError> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => int_binary(op, *left, *right),
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Double(_), _) | (_, Value::Double(_)) if !takes_only_ints(op) => {
            double_binary(op, left.to_double()?, right.to_double()?)
        }
        _ => int_binary(op, left.to_int()?, right.to_int()?),
    }
}

fn takes_only_ints(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Mod | BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight)
}

fn double_binary(op: BinaryOp, left: f64, right: f64) -> Result<Value, EvalError> {
    Ok(match op {
        BinaryOp::Add => Value::Double(left + right),
        BinaryOp::Sub => Value::Double(left - right),
        BinaryOp::Mul => Value::Double(left * right),
        BinaryOp::Div => Value::Double(left / right),
        BinaryOp::Eq => Value::Bool(left == right),
        BinaryOp::Ne => Value::Bool(left != right),
        BinaryOp::Lt => Value::Bool(left < right),
        BinaryOp::Le => Value::Bool(left <= right),
        _ => return int_binary(op, left as i64, right as i64),
    })
}

#[inline]
fn int_binary(op: BinaryOp, left: i64, right: i64) -> Result<Value, EvalError> {
    let in_range = |result: Option<i64>, operation| match result {
        Some(int) => Ok(Value::Int(int)),
        None => Err(EvalError::BigintOutOfRange(operation)),
    };
    match op {
        BinaryOp::Add => in_range(left.checked_add(right), "add"),
        BinaryOp::Sub => in_range(left.checked_sub(right), "sub"),
        BinaryOp::Mul => in_range(left.checked_mul(right), "mul"),
        BinaryOp::Div | BinaryOp::Mod if right == 0 => Err(EvalError::DivisionByZero),
        BinaryOp::Div => in_range(left.checked_div(right), "div"),
        BinaryOp::Mod => Ok(Value::Int(left.wrapping_rem(right))),
        BinaryOp::Eq => Ok(Value::Bool(left == right)),
        BinaryOp::Ne => Ok(Value::Bool(left != right)),
        BinaryOp::Lt => Ok(Value::Bool(left < right)),
        BinaryOp::Le => Ok(Value::Bool(left <= right)),
        BinaryOp::BitAnd => Ok(Value::Int(left & right)),
        BinaryOp::BitOr => Ok(Value::Int(left | right)),
        BinaryOp::BitXor => Ok(Value::Int(left ^ right)),
        // The processor counts shifts modulo 64, and C leaves it at that.
        BinaryOp::ShiftLeft => Ok(Value::Int(left.wrapping_shl(right as u32))),
        BinaryOp::ShiftRight => Ok(Value::Int(left.wrapping_shr(right as u32))),
    }
}
