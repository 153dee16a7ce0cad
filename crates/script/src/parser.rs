//! Expressions: pgbench's grammar (exprparse.y) by precedence climbing.

use super::ast::{BinaryOp, Expr, VarRef};
use super::eval::binary;
use super::functions::{Arity, Function, MAX_ARGUMENTS, find_function};
use super::lexer::{Cursor, SyntaxError, Token};
use super::value::Value;
use super::variables::Symbols;

/// How deep an expression may nest: reading, running and dropping one are recursive, and a server
/// process must not run out of stack. A level takes about 1 kB (8 kB without optimization).
pub const MAX_DEPTH: usize = 256;

const SYNTAX_ERROR: SyntaxError = SyntaxError {
    message: "syntax error",
    subject: None,
};

/// Binding strengths, weakest first.
mod level {
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const IS: u8 = 4;
    pub const COMPARISON: u8 = 5;
    pub const BITS: u8 = 6;
    pub const SUM: u8 = 7;
    pub const PRODUCT: u8 = 8;
    pub const SIGN: u8 = 9;
}

/// What can stand after an operand.
#[derive(Clone, Copy)]
enum Infix {
    Or,
    And,
    /// IS [NOT] NULL, TRUE, FALSE
    Is,
    /// ISNULL, NOTNULL; true for the latter.
    NullTest(bool),
    Plain(BinaryOp),
    /// An operator that is another one with its sides exchanged.
    Exchanged(BinaryOp),
}

/// A parsed part and how deep it is.
struct Node {
    expr: Expr,
    depth: usize,
}

/// Reads the rest of a command as an expression. On an error, the cursor is just after what the
/// error is about.
pub(super) fn parse_expression(
    cursor: &mut Cursor<'_>,
    symbols: &mut Symbols,
) -> Result<Expr, SyntaxError> {
    let mut parser = Parser {
        cursor,
        symbols,
        peeked: None,
        nesting: 0,
    };
    let node = parser.expression(level::OR)?;
    match parser.next()? {
        Token::End => Ok(node.expr),
        _ => Err(SYNTAX_ERROR),
    }
}

struct Parser<'a, 'p> {
    cursor: &'p mut Cursor<'a>,
    symbols: &'p mut Symbols,
    peeked: Option<Token<'a>>,
    nesting: usize,
}

impl<'a> Parser<'a, '_> {
    fn next(&mut self) -> Result<Token<'a>, SyntaxError> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.cursor.token(),
        }
    }

    fn peek(&mut self) -> Result<Token<'a>, SyntaxError> {
        let token = self.next()?;
        self.peeked = Some(token);
        Ok(token)
    }

    fn expect(&mut self, expected: Token<'static>) -> Result<(), SyntaxError> {
        if self.next()? == expected {
            Ok(())
        } else {
            Err(SYNTAX_ERROR)
        }
    }

    /// An expression whose operators bind at least as strongly as `weakest`.
    fn expression(&mut self, weakest: u8) -> Result<Node, SyntaxError> {
        self.nesting += 1;
        check_depth(self.nesting)?;
        let mut left = self.operand()?;
        let mut after_comparison = false;
        while let Some((strength, infix)) = infix(self.peek()?) {
            if strength < weakest {
                break;
            }
            self.next()?;
            let is_comparison = strength == level::COMPARISON;
            if is_comparison && after_comparison {
                // Comparisons do not associate: neither a = b = c nor a < b < c has a meaning.
                return Err(SYNTAX_ERROR);
            }
            after_comparison = is_comparison;
            left = match infix {
                Infix::Is => self.is_test(left)?,
                Infix::NullTest(negated) => is_node(left, Value::Null, negated)?,
                Infix::Or => self.join(left, strength, Expr::Or)?,
                Infix::And => self.join(left, strength, Expr::And)?,
                Infix::Plain(op) => self.join(left, strength, |l, r| Expr::Binary(op, l, r))?,
                Infix::Exchanged(op) => self.join(left, strength, |l, r| Expr::Binary(op, r, l))?,
            };
        }
        self.nesting -= 1;
        Ok(left)
    }

    /// The right side of an operator, put together with the left one.
    fn join(
        &mut self,
        left: Node,
        strength: u8,
        make: impl FnOnce(Box<Expr>, Box<Expr>) -> Expr,
    ) -> Result<Node, SyntaxError> {
        let right = self.expression(strength + 1)?;
        node(
            make(Box::new(left.expr), Box::new(right.expr)),
            left.depth.max(right.depth),
        )
    }

    /// What follows IS.
    fn is_test(&mut self, operand: Node) -> Result<Node, SyntaxError> {
        let mut token = self.next()?;
        let negated = token == Token::Keyword("not");
        if negated {
            token = self.next()?;
        }
        let constant = match token {
            Token::Keyword("null") => Value::Null,
            Token::Keyword("true") => Value::Bool(true),
            Token::Keyword("false") => Value::Bool(false),
            _ => return Err(SYNTAX_ERROR),
        };
        is_node(operand, constant, negated)
    }

    /// A literal, a variable, a call, CASE, an expression in parentheses, or a prefix operator with
    /// its operand.
    fn operand(&mut self) -> Result<Node, SyntaxError> {
        let constant = |value| node(Expr::Constant(value), 0);
        match self.next()? {
            Token::Int(int) => constant(Value::Int(int)),
            Token::Double(double) => constant(Value::Double(double)),
            Token::Text(text) => constant(Value::Text(text.replace("''", "'").into())),
            Token::Keyword("null") => constant(Value::Null),
            Token::Keyword("true") => constant(Value::Bool(true)),
            Token::Keyword("false") => constant(Value::Bool(false)),
            Token::Variable(name) => node(self.variable(name), 0),
            Token::Defined(name) => node(Expr::Defined(self.symbols.intern(name)), 0),
            Token::Name(name) => self.call(name),
            Token::Keyword("case") => self.case(),
            Token::Symbol("(") => {
                let inner = self.expression(level::OR)?;
                self.expect(Token::Symbol(")"))?;
                Ok(inner)
            }
            Token::Symbol("+") => self.expression(level::SIGN),
            Token::Symbol("-") if self.peek()? == Token::MinIntMagnitude => {
                self.next()?;
                constant(Value::Int(i64::MIN))
            }
            // -x is 0 - x, and ~x is -1 # x.
            Token::Symbol("-") => self.prefixed(0, BinaryOp::Sub, level::SIGN),
            Token::Symbol("~") => self.prefixed(-1, BinaryOp::BitXor, level::BITS + 1),
            Token::Keyword("not") => {
                let operand = self.expression(level::NOT)?;
                node(Expr::Not(Box::new(operand.expr)), operand.depth)
            }
            _ => Err(SYNTAX_ERROR),
        }
    }

    fn prefixed(&mut self, left: i64, op: BinaryOp, weakest: u8) -> Result<Node, SyntaxError> {
        let right = self.expression(weakest)?;
        let left = Value::Int(left);
        // A signed number is a number: most expressions have some, and run often.
        if let Expr::Constant(operand) = &right.expr
            && let Ok(value) = binary(op, &left, operand)
        {
            return node(Expr::Constant(value), 0);
        }
        let left = Box::new(Expr::Constant(left));
        node(Expr::Binary(op, left, Box::new(right.expr)), right.depth)
    }

    fn variable(&mut self, name: &str) -> Expr {
        Expr::Variable(VarRef {
            id: self.symbols.intern(name),
            name: name.into(),
        })
    }

    /// What follows CASE.
    fn case(&mut self) -> Result<Node, SyntaxError> {
        let mut branches = Vec::new();
        let mut depth = 0;
        self.expect(Token::Keyword("when"))?;
        let otherwise = loop {
            let condition = self.expression(level::OR)?;
            self.expect(Token::Keyword("then"))?;
            let result = self.expression(level::OR)?;
            depth = depth.max(condition.depth).max(result.depth);
            branches.push((condition.expr, result.expr));
            match self.next()? {
                Token::Keyword("when") => {}
                Token::Keyword("end") => break Expr::Constant(Value::Null),
                Token::Keyword("else") => {
                    let otherwise = self.expression(level::OR)?;
                    self.expect(Token::Keyword("end"))?;
                    depth = depth.max(otherwise.depth);
                    break otherwise.expr;
                }
                _ => return Err(SYNTAX_ERROR),
            }
        };
        node(
            Expr::Case {
                branches,
                otherwise: Box::new(otherwise),
            },
            depth,
        )
    }

    /// What follows a function's name.
    fn call(&mut self, name: &str) -> Result<Node, SyntaxError> {
        let Some(function) = find_function(name) else {
            return Err(SyntaxError::about("unexpected function name", name));
        };
        self.expect(Token::Symbol("("))?;
        let mut arguments = Vec::new();
        let mut depth = 0;
        if self.peek()? == Token::Symbol(")") {
            self.next()?;
        } else {
            // In pgbench's grammar the list's first place may be empty: pow(, 2, 3) is pow(2, 3).
            if self.peek()? == Token::Symbol(",") {
                self.next()?;
            }
            loop {
                let argument = self.expression(level::OR)?;
                depth = depth.max(argument.depth);
                arguments.push(argument.expr);
                match self.next()? {
                    Token::Symbol(",") => {}
                    Token::Symbol(")") => break,
                    _ => return Err(SYNTAX_ERROR),
                }
            }
        }
        self.complete_arguments(function, &mut arguments)?;
        let literals: Option<Vec<Value>> = arguments
            .iter()
            .map(|argument| match argument {
                Expr::Constant(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        let call = match literals {
            Some(values) => Expr::CallOnLiterals(function, values),
            None => Expr::Call(function, arguments),
        };
        node(call, depth)
    }

    /// Checks the number of arguments, and adds the seed where it is left out.
    fn complete_arguments(
        &mut self,
        function: &Function,
        arguments: &mut Vec<Expr>,
    ) -> Result<(), SyntaxError> {
        let given = arguments.len();
        let fits = match function.arity {
            Arity::Exactly(count) => given == count,
            Arity::AtLeastOne if given == 0 => {
                return Err(SyntaxError::about(
                    "at least one argument expected",
                    function.name,
                ));
            }
            Arity::AtLeastTwo if given < 2 => {
                return Err(SyntaxError::about(
                    "at least two arguments expected",
                    function.name,
                ));
            }
            Arity::AtLeastOne | Arity::AtLeastTwo if given > MAX_ARGUMENTS => {
                return Err(SyntaxError::new(
                    "too many function arguments, maximum is 16",
                ));
            }
            Arity::AtLeastOne | Arity::AtLeastTwo => true,
            Arity::Seeded(count) => given == count || given == count + 1,
        };
        if !fits {
            return Err(SyntaxError::about(
                "unexpected number of arguments",
                function.name,
            ));
        }
        if function.arity == Arity::Seeded(given) {
            let seed = self.variable("default_seed");
            arguments.push(seed);
        }
        Ok(())
    }
}

fn infix(token: Token<'_>) -> Option<(u8, Infix)> {
    use BinaryOp::*;
    use Infix::*;
    Some(match token {
        Token::Keyword("or") => (level::OR, Or),
        Token::Keyword("and") => (level::AND, And),
        Token::Keyword("is") => (level::IS, Is),
        Token::Keyword("isnull") => (level::IS, NullTest(false)),
        Token::Keyword("notnull") => (level::IS, NullTest(true)),
        Token::Symbol("=") => (level::COMPARISON, Plain(Eq)),
        Token::Symbol("<>" | "!=") => (level::COMPARISON, Plain(Ne)),
        Token::Symbol("<") => (level::COMPARISON, Plain(Lt)),
        Token::Symbol("<=") => (level::COMPARISON, Plain(Le)),
        Token::Symbol(">") => (level::COMPARISON, Exchanged(Lt)),
        Token::Symbol(">=") => (level::COMPARISON, Exchanged(Le)),
        Token::Symbol("|") => (level::BITS, Plain(BitOr)),
        Token::Symbol("#") => (level::BITS, Plain(BitXor)),
        Token::Symbol("&") => (level::BITS, Plain(BitAnd)),
        Token::Symbol("<<") => (level::BITS, Plain(ShiftLeft)),
        Token::Symbol(">>") => (level::BITS, Plain(ShiftRight)),
        Token::Symbol("+") => (level::SUM, Plain(Add)),
        Token::Symbol("-") => (level::SUM, Plain(Sub)),
        Token::Symbol("*") => (level::PRODUCT, Plain(Mul)),
        Token::Symbol("/") => (level::PRODUCT, Plain(Div)),
        Token::Symbol("%") => (level::PRODUCT, Plain(Mod)),
        _ => return None,
    })
}

fn is_node(operand: Node, constant: Value, negated: bool) -> Result<Node, SyntaxError> {
    let test = node(Expr::Is(Box::new(operand.expr), constant), operand.depth)?;
    if negated {
        node(Expr::Not(Box::new(test.expr)), test.depth)
    } else {
        Ok(test)
    }
}

/// An expression over parts of which the deepest has `parts_depth`.
fn node(expr: Expr, parts_depth: usize) -> Result<Node, SyntaxError> {
    let depth = parts_depth + 1;
    check_depth(depth)?;
    Ok(Node { expr, depth })
}

fn check_depth(depth: usize) -> Result<(), SyntaxError> {
    if depth > MAX_DEPTH {
        return Err(SyntaxError::new("expression is nested too deeply"));
    }
    Ok(())
}
