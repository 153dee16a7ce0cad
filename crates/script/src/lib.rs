//! pgbench's script language: the same scripts, the same numbers from the same seed, and the same
//! words when something is wrong with a script. Beyond it: loops and text.
//!
//! A script is read once, by [`parse`], into a list of [`Command`]s. To run it, start at index 0, do what
//! [`Command::kind`] says, and continue at [`Command::next`] — or, after an `\if` or `\elif`
//! whose condition does not hold, at its `otherwise` — until the index is past the end.
//!
//! | module | what it does |
//! |---|---|
//! | `reader` | the commands of a script, branches resolved |
//! | `scanner` | where a statement ends |
//! | `sql` | a statement's variables, and its text in each query mode |
//! | `meta`, `lexer` | meta-commands |
//! | `parser`, `ast` | expressions |
//! | `eval`, `functions`, `value` | computing expressions |
//! | `text`, `sysbench`, `nurand` | functions that pgbench has not: of text, random integers of other programs |
//! | `literals` | a statement without its constants |
//! | `number` | doubles in text |
//! | `pool` | values that a query has read before a run |
//! | `random` | random numbers equal to those of pgbench of PostgreSQL 15 and later |
//! | `variables` | names as small numbers, values by number |
//! | `walk` | the statements that a transaction comes to, without a server |
//!
//! Nothing here knows of the server: it is plain Rust that can be tested without one.

pub mod ast;
pub mod error;
pub mod eval;
mod expression;
pub mod functions;
mod lexer;
mod literals;
mod meta;
mod number;
mod nurand;
pub mod parser;
pub mod pool;
pub mod random;
mod reader;
mod scanner;
pub mod sql;
mod sysbench;
mod text;
pub mod value;
pub mod variables;
mod walk;

#[cfg(test)]
mod tests;

pub use ast::{Command, CommandKind, Expr, Script};
pub use error::{EvalError, ParseError};
pub use eval::Context;
pub use expression::Expression;
pub use literals::without_literals;
pub use pool::Pool;
pub use random::{Prng, Streams, choose_script, poisson};
pub use reader::parse;
pub use sql::{Capture, CapturedRows, Parameter, SqlCommand};
pub use value::Value;
pub use variables::{Symbols, VarId, Variables, is_valid_variable_name};
pub use walk::walk;
