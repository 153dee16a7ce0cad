//! Reads a whole script: statements and meta-commands in order, branches resolved.

use super::ast::{Command, CommandKind, Script, Sleep, SleepAmount, VarRef, leading_int};
use super::error::ParseError;
use super::lexer::{Cursor, SyntaxError, Word};
use super::parser::parse_expression;
use super::scanner::{Scanner, Stop};
use super::sql::SqlCommand;
use super::value::is_c_space;
use super::variables::{Symbols, is_valid_variable_name};

/// How many words a meta-command may have, its name included.
const MAX_WORDS: usize = 256;

/// How many bytes of a statement's first line are kept for reports.
const MAX_LABEL: usize = 127;

/// Parses a script. `name` is what messages call it.
///
/// # Errors
/// What pgbench refuses at its start, in its words; SQL itself is left to the server.
pub fn parse(name: &str, text: &str, symbols: &mut Symbols) -> Result<Script, ParseError> {
    let mut reader = Reader {
        name,
        text,
        symbols,
        commands: Vec::new(),
        branches: Vec::new(),
        counted: 0,
        line: 1,
    };
    let mut scanner = Scanner::new(text);
    loop {
        let (stop, statement, start) = scanner.statement();
        reader.statement(&statement, start);
        match stop {
            Stop::Semicolon => {}
            Stop::Backslash => scanner.pos = reader.meta_command(scanner.pos)?,
            Stop::End => break,
        }
    }
    reader.finish()
}

struct Reader<'a, 's> {
    name: &'a str,
    text: &'a str,
    symbols: &'s mut Symbols,
    commands: Vec<Command>,
    /// The conditionals that are open.
    branches: Vec<Conditional>,
    /// Where line numbers have been counted to, and the line there.
    counted: usize,
    line: u32,
}

/// An \if whose \endif is not seen yet.
#[derive(Default)]
struct Conditional {
    /// The last \if or \elif, which does not know yet where to go on if it does not hold.
    pending: Option<usize>,
    /// The \elif and \else commands: a taken branch before them goes on at the \endif.
    joints: Vec<usize>,
    has_else: bool,
}

/// A meta-command while it is read.
struct Meta<'a> {
    name: Word<'a>,
    /// Where its backslash is.
    start: usize,
    line: u32,
    cursor: Cursor<'a>,
}

/// What is wrong with a meta-command, and where in the script that is if the user should be shown.
struct MetaError {
    error: SyntaxError,
    at: Option<usize>,
}

impl From<&'static str> for MetaError {
    fn from(message: &'static str) -> Self {
        MetaError { error: SyntaxError::new(message), at: None }
    }
}

impl<'a> Reader<'a, '_> {
    /// The line of a position; positions only grow.
    fn line_at(&mut self, position: usize) -> u32 {
        let passed = self.text.as_bytes().get(self.counted..position).unwrap_or_default();
        let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.counted = self.counted.max(position);
        self.line
    }

    fn push(&mut self, line: u32, text: String, kind: CommandKind) {
        let next = self.commands.len() + 1;
        self.commands.push(Command { line, text, next, kind });
    }

    fn statement(&mut self, text: &str, start: usize) {
        let text = without_leading_comments(text);
        if text.is_empty() {
            return;
        }
        let line = self.line_at(start);
        let label = &text[..text.floor_char_boundary(MAX_LABEL)];
        let label = label.split(['\n', '\r']).next().unwrap_or_default().to_owned();
        let sql = SqlCommand::new(text.to_owned(), self.symbols);
        self.push(line, label, CommandKind::Sql(sql));
    }

    /// Reads the meta-command whose backslash is just before `position`; yields where it ends.
    fn meta_command(&mut self, position: usize) -> Result<usize, ParseError> {
        let start = position - 1;
        let line = self.line_at(start);
        let mut cursor = Cursor { text: self.text, pos: position };
        let Some(name) = cursor.word() else {
            return Ok(cursor.pos);
        };
        let mut meta = Meta { name, start, line, cursor };
        let kind = match name.text.to_ascii_lowercase().as_str() {
            "set" => self.set(&mut meta),
            "sleep" => self.sleep(&mut meta),
            "if" | "elif" => self.condition(&mut meta),
            "else" => meta.no_arguments().map(|()| CommandKind::Else),
            "endif" => meta.no_arguments().map(|()| CommandKind::EndIf),
            "shell" | "setshell" => Err("running programs is not supported inside the server".into()),
            "gset" | "aset" => {
                Err("storing results is not supported by this version of pgperf".into())
            }
            "startpipeline" | "syncpipeline" | "endpipeline" => {
                Err("pipelining is not supported by this version of pgperf".into())
            }
            _ => Err("invalid command".into()),
        };
        let kind = kind.map_err(|error| self.meta_error(&mut meta, error))?;
        let text = meta.source();
        self.open_or_close(name.text, &kind)?;
        self.push(line, text.to_owned(), kind);
        Ok(meta.cursor.pos)
    }

    fn set(&mut self, meta: &mut Meta<'a>) -> Result<CommandKind, MetaError> {
        let variable = meta.cursor.word().ok_or("missing argument")?;
        if !is_valid_variable_name(variable.text) {
            return Err(MetaError {
                error: SyntaxError::about("invalid variable name", variable.text),
                at: Some(variable.start),
            });
        }
        let variable = self.symbols.intern(variable.text);
        let expr = self.expression(meta)?;
        Ok(CommandKind::Set { variable, expr })
    }

    fn condition(&mut self, meta: &mut Meta<'a>) -> Result<CommandKind, MetaError> {
        let condition = self.expression(meta)?;
        Ok(CommandKind::If { condition, otherwise: 0 })
    }

    fn expression(&mut self, meta: &mut Meta<'a>) -> Result<super::ast::Expr, MetaError> {
        parse_expression(&mut meta.cursor, self.symbols)
            .map_err(|error| MetaError { error, at: Some(meta.cursor.pos.saturating_sub(1)) })
    }

    fn sleep(&mut self, meta: &mut Meta<'a>) -> Result<CommandKind, MetaError> {
        let words = meta.arguments()?;
        let (amount, unit) = match words[..] {
            [] => return Err("missing argument".into()),
            [amount] => split_unit(amount),
            [amount, unit] => (amount, Some(unit)),
            [_, _, excess, ..] => {
                return Err(MetaError {
                    error: SyntaxError::new("too many arguments"),
                    at: Some(excess.start),
                });
            }
        };
        let amount = if let Some(name) = amount.text.strip_prefix(':') {
            SleepAmount::Variable(VarRef { id: self.symbols.intern(name), name: name.into() })
        } else if is_integer(amount.text) {
            SleepAmount::Literal(leading_int(amount.text))
        } else {
            return Err(MetaError {
                error: SyntaxError::about("invalid sleep time, must be an integer", amount.text),
                at: Some(amount.start),
            });
        };
        let unit = match unit.map(|unit| (unit, unit.text.to_ascii_lowercase())) {
            None => 1_000_000,
            Some((unit, name)) => match name.as_str() {
                "us" => 1,
                "ms" => 1_000,
                "s" => 1_000_000,
                _ => {
                    let message = "unrecognized time unit, must be us, ms or s";
                    return Err(MetaError {
                        error: SyntaxError::about(message, unit.text),
                        at: Some(unit.start),
                    });
                }
            },
        };
        Ok(CommandKind::Sleep(Sleep { amount, unit }))
    }

    /// Keeps track of conditionals: `kind` is about to become the next command.
    fn open_or_close(&mut self, name: &str, kind: &CommandKind) -> Result<(), ParseError> {
        let here = self.commands.len();
        match kind {
            CommandKind::If { .. } if name.eq_ignore_ascii_case("if") => {
                self.branches.push(Conditional { pending: Some(here), ..Conditional::default() });
            }
            CommandKind::If { .. } => {
                self.joint("\\elif without matching \\if", "\\elif after \\else", Some(here))?;
            }
            CommandKind::Else => {
                self.joint("\\else without matching \\if", "\\else after \\else", None)?;
                if let Some(conditional) = self.branches.last_mut() {
                    conditional.has_else = true;
                }
            }
            CommandKind::EndIf => {
                let Some(conditional) = self.branches.pop() else {
                    return Err(self.condition_error(here, "\\endif without matching \\if"));
                };
                self.resolve(conditional.pending, here);
                for joint in conditional.joints {
                    self.commands[joint - 1].next = here;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A new branch of the innermost conditional: the condition before it leads here.
    fn joint(
        &mut self,
        unmatched: &'static str,
        misplaced: &'static str,
        pending: Option<usize>,
    ) -> Result<(), ParseError> {
        let here = self.commands.len();
        match self.branches.last_mut() {
            None => Err(self.condition_error(here, unmatched)),
            Some(conditional) if conditional.has_else => Err(self.condition_error(here, misplaced)),
            Some(conditional) => {
                conditional.joints.push(here);
                let previous = std::mem::replace(&mut conditional.pending, pending);
                self.resolve(previous, here);
                Ok(())
            }
        }
    }

    fn resolve(&mut self, pending: Option<usize>, target: usize) {
        if let Some(command) = pending.and_then(|index| self.commands.get_mut(index))
            && let CommandKind::If { otherwise, .. } = &mut command.kind
        {
            *otherwise = target;
        }
    }

    fn finish(self) -> Result<Script, ParseError> {
        if self.commands.is_empty() {
            let message = format!("empty command list for script \"{}\"", self.name);
            return Err(self.error(1, message));
        }
        if !self.branches.is_empty() {
            let end = self.commands.len();
            return Err(self.condition_error(end, "\\if without matching \\endif"));
        }
        Ok(Script { name: self.name.to_owned(), commands: self.commands })
    }

    fn condition_error(&self, command: usize, message: &str) -> ParseError {
        let name = self.name;
        let number = command + 1;
        let message = format!("condition error in script \"{name}\" command {number}: {message}");
        self.error(self.line, message)
    }

    fn error(&self, line: u32, message: String) -> ParseError {
        ParseError {
            script: self.name.to_owned(),
            line,
            column: None,
            message,
            source_line: None,
        }
    }

    fn meta_error(&self, meta: &mut Meta<'a>, MetaError { error, at }: MetaError) -> ParseError {
        meta.cursor.skip_command();
        let source = meta.source();
        let subject = error.subject.map(|subject| format!(" ({subject})")).unwrap_or_default();
        let message = format!(
            "{}:{}: {}{subject} in command \"{}\"",
            self.name, meta.line, error.message, meta.name.text
        );
        let column = at.map(|at| {
            let before = self.text.get(meta.start..at).unwrap_or(source);
            before.chars().count() + 1
        });
        let source_line = Some(source.to_owned());
        ParseError { column, source_line, ..self.error(meta.line, message) }
    }
}

impl<'a> Meta<'a> {
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

    fn no_arguments(&mut self) -> Result<(), MetaError> {
        if self.arguments()?.is_empty() { Ok(()) } else { Err("unexpected argument".into()) }
    }

    /// The command as written, up to where it has been read.
    fn source(&self) -> &'a str {
        self.cursor.text[self.start..self.cursor.pos].trim_end_matches(['\n', '\r'])
    }
}

/// Splits `10ms` into its number and its unit. What does not start with a number stays whole.
fn split_unit<'a>(word: Word<'a>) -> (Word<'a>, Option<Word<'a>>) {
    let sign = usize::from(word.text.starts_with(['+', '-']));
    let digits = word.text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let end = sign + digits;
    if digits == 0 || end == word.text.len() {
        return (word, None);
    }
    let amount = Word { text: &word.text[..end], start: word.start };
    let unit = Word { text: &word.text[end..], start: word.start + end };
    (amount, Some(unit))
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text from its first character that is neither blank nor in a line comment.
fn without_leading_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(is_c_space);
        if !text.starts_with("--") {
            return text;
        }
        text = text.split_once('\n').map_or("", |(_, rest)| rest);
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
