//! Meta-commands: what may follow a backslash.

use super::ast::{CommandKind, Expr, Sleep, SleepAmount, VarRef, leading_int};
use super::lexer::{Cursor, SyntaxError, Word};
use super::parser::parse_expression;
use super::sql::{Capture, CapturedRows, SqlCommand};
use super::variables::{Symbols, is_valid_variable_name};

/// How many words a meta-command may have, its name included.
const MAX_WORDS: usize = 256;

/// The hint for places where pgbench would run a program.
const NO_PROGRAMS: &str = "A script runs inside the server, which must not run programs for it: \
    compute values with \\set, or in SQL and store them with \\gset.";

/// A meta-command while it is read.
pub(super) struct Meta<'a> {
    /// Its name, as written.
    pub name: &'a str,
    /// Where its backslash is.
    pub start: usize,
    /// How far it has been read.
    pub cursor: Cursor<'a>,
}

/// What a meta-command turns out to be.
pub(super) enum MetaCommand {
    /// A command of its own.
    Command(CommandKind),
    /// A part of the statement before it.
    Capture(Capture),
}

/// What is wrong with a meta-command, and its place in the script if the message shows one.
pub(super) struct MetaError {
    pub error: SyntaxError,
    pub at: Option<usize>,
    /// See [`super::ParseError::unsupported`].
    pub unsupported: Option<&'static str>,
}

impl From<&'static str> for MetaError {
    fn from(message: &'static str) -> Self {
        MetaError {
            error: SyntaxError::new(message),
            at: None,
            unsupported: None,
        }
    }
}

impl MetaError {
    fn about(message: &'static str, word: Word<'_>) -> Self {
        MetaError {
            error: SyntaxError::about(message, word.text),
            at: Some(word.start),
            unsupported: None,
        }
    }
}

impl<'a> Meta<'a> {
    /// Starts to read the meta-command whose backslash is just before `position`; `Err` is where the line continues
    /// if there is none.
    pub fn new(text: &'a str, position: usize) -> Result<Self, usize> {
        let mut cursor = Cursor {
            text,
            pos: position,
        };
        match cursor.word() {
            Some(name) => Ok(Meta {
                name: name.text,
                start: position - 1,
                cursor,
            }),
            None => Err(cursor.pos),
        }
    }

    /// Reads the arguments. Where an `\if` or `\while` leads to is not known yet.
    pub fn read(&mut self, symbols: &mut Symbols) -> Result<MetaCommand, MetaError> {
        let name = self.name.to_ascii_lowercase();
        let captured = match name.as_str() {
            "gset" => CapturedRows::Only,
            "aset" => CapturedRows::LastOfEach,
            name => return self.command(name, symbols).map(MetaCommand::Command),
        };
        self.capture(captured).map(MetaCommand::Capture)
    }

    fn command(&mut self, name: &str, symbols: &mut Symbols) -> Result<CommandKind, MetaError> {
        match name {
            "set" => self.set(symbols),
            "pool" => self.pool(symbols),
            "sleep" => self.sleep(symbols),
            "if" | "elif" => {
                let condition = self.expression(symbols)?;
                Ok(CommandKind::If {
                    condition,
                    otherwise: 0,
                })
            }
            "else" => self.no_arguments(CommandKind::Else),
            "endif" => self.no_arguments(CommandKind::EndIf),
            "while" => {
                let condition = self.expression(symbols)?;
                Ok(CommandKind::While {
                    condition,
                    otherwise: 0,
                })
            }
            "endwhile" => self.no_arguments(CommandKind::EndWhile),
            "startpipeline" => self.no_arguments(CommandKind::StartPipeline),
            "syncpipeline" => self.no_arguments(CommandKind::SyncPipeline),
            "endpipeline" => self.no_arguments(CommandKind::EndPipeline),
            "shell" | "setshell" => Err(MetaError {
                unsupported: Some(NO_PROGRAMS),
                ..MetaError::from("running programs is not supported inside the server")
            }),
            _ => Err("invalid command".into()),
        }
    }

    /// Whether this is an `\elif`, which is a condition like `\if`, but continues one.
    pub fn is_elif(&self) -> bool {
        self.name.eq_ignore_ascii_case("elif")
    }

    /// The command as written, up to where it has been read.
    pub fn source(&self) -> &'a str {
        self.cursor.text[self.start..self.cursor.pos].trim_end_matches(['\n', '\r'])
    }

    fn set(&mut self, symbols: &mut Symbols) -> Result<CommandKind, MetaError> {
        let variable = self.cursor.word().ok_or("missing argument")?;
        let expr = self.expression(symbols)?;
        // pgbench looks at the name only when the command is run: an error in the expression is first.
        if !is_valid_variable_name(variable.text) {
            return Err(MetaError::about("invalid variable name", variable));
        }
        let variable = symbols.intern(variable.text);
        Ok(CommandKind::Set { variable, expr })
    }

    fn pool(&mut self, symbols: &mut Symbols) -> Result<CommandKind, MetaError> {
        let name = self.cursor.word().ok_or("missing argument")?;
        if !is_valid_variable_name(name.text) {
            return Err(MetaError::about("invalid name of a pool", name));
        }
        let text = self.cursor.rest_of_line().trim_end_matches(';').trim_end();
        if text.is_empty() {
            return Err("missing query".into());
        }
        Ok(CommandKind::Pool {
            name: name.text.into(),
            query: SqlCommand::new(text.to_owned(), &[], symbols),
        })
    }

    fn expression(&mut self, symbols: &mut Symbols) -> Result<Expr, MetaError> {
        parse_expression(&mut self.cursor, symbols).map_err(|error| MetaError {
            error,
            at: Some(self.cursor.pos.saturating_sub(1)),
            unsupported: None,
        })
    }

    fn capture(&mut self, rows: CapturedRows) -> Result<Capture, MetaError> {
        let words = self.arguments()?;
        let prefix = match words[..] {
            [] => String::new(),
            [prefix] => prefix.text.to_owned(),
            _ => return Err("too many arguments".into()),
        };
        Ok(Capture { rows, prefix })
    }

    fn sleep(&mut self, symbols: &mut Symbols) -> Result<CommandKind, MetaError> {
        let words = self.arguments()?;
        let (amount, unit) = match words[..] {
            [] => return Err("missing argument".into()),
            [amount] => split_unit(amount),
            [amount, unit] => (amount, Some(unit)),
            [_, _, excess, ..] => {
                return Err(MetaError {
                    at: Some(excess.start),
                    ..MetaError::from("too many arguments")
                });
            }
        };
        let amount = if let Some(name) = amount.text.strip_prefix(':') {
            SleepAmount::Variable(VarRef {
                id: symbols.intern(name),
                name: name.into(),
            })
        } else if is_integer(amount.text) {
            SleepAmount::Literal(leading_int(amount.text))
        } else {
            return Err(MetaError::about(
                "invalid sleep time, must be an integer",
                amount,
            ));
        };
        let unit = unit.map_or(Ok(1_000_000), microseconds)?;
        Ok(CommandKind::Sleep(Sleep { amount, unit }))
    }

    /// The remaining words.
    fn arguments(&mut self) -> Result<Vec<Word<'a>>, MetaError> {
        let mut words = Vec::new();
        while let Some(word) = self.cursor.word() {
            if words.len() + 1 >= MAX_WORDS {
                return Err("too many arguments".into());
            }
            words.push(word);
        }
        Ok(words)
    }

    fn no_arguments(&mut self, kind: CommandKind) -> Result<CommandKind, MetaError> {
        if self.arguments()?.is_empty() {
            Ok(kind)
        } else {
            Err("unexpected argument".into())
        }
    }
}

/// Splits `10ms` into its number and its unit. What does not start with a number stays whole.
fn split_unit(word: Word<'_>) -> (Word<'_>, Option<Word<'_>>) {
    let sign = usize::from(word.text.starts_with(['+', '-']));
    let digits = word.text[sign..]
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let end = sign + digits;
    if digits == 0 || end == word.text.len() {
        return (word, None);
    }
    let amount = Word {
        text: &word.text[..end],
        start: word.start,
    };
    let unit = Word {
        text: &word.text[end..],
        start: word.start + end,
    };
    (amount, Some(unit))
}

fn microseconds(unit: Word<'_>) -> Result<i64, MetaError> {
    let is = |name| unit.text.eq_ignore_ascii_case(name);
    if is("us") {
        Ok(1)
    } else if is("ms") {
        Ok(1_000)
    } else if is("s") {
        Ok(1_000_000)
    } else {
        Err(MetaError::about(
            "unrecognized time unit, must be us, ms or s",
            unit,
        ))
    }
}

/// Whether a text is a sign, if any, and digits, which may be missing.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}
