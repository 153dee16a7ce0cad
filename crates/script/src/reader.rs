//! Reads a whole script: statements and meta-commands in order, branches and loops resolved.

use super::ast::{Command, CommandKind, Script};
use super::error::ParseError;
use super::meta::{Meta, MetaCommand, MetaError};
use super::scanner::{Scanner, Statement, Stop};
use super::sql::{Capture, SqlCommand};
use super::value::is_c_space;
use super::variables::Symbols;

/// How many bytes of a statement's first line are kept for reports.
const MAX_LABEL: usize = 127;

/// Parses a script. `name` is what messages call it.
///
/// # Errors
/// Whatever pgbench refuses at its start, in its words; SQL itself is left to the server.
pub fn parse(name: &str, text: &str, symbols: &mut Symbols) -> Result<Script, ParseError> {
    let mut reader = Reader {
        name,
        text,
        symbols,
        commands: Vec::new(),
        blocks: Vec::new(),
        counted: 0,
        line: 1,
    };
    let mut scanner = Scanner::new(text);
    loop {
        let (stop, statement) = scanner.statement();
        reader.statement(&statement);
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
    /// The conditionals and loops that are open, the innermost last.
    blocks: Vec<Block>,
    /// Where line numbers have been counted to, and the line there.
    counted: usize,
    line: u32,
}

/// What is open.
enum Block {
    /// An \if, whose \endif is not seen yet.
    If(Conditional),
    /// A \while: the index of its command.
    While(usize),
}

/// An \if whose \endif is not seen yet.
#[derive(Default)]
struct Conditional {
    /// The last \if or \elif, which does not know yet where to continue if it does not hold.
    pending: Option<usize>,
    /// The \elif and \else commands: a taken branch before them continues at the \endif.
    joints: Vec<usize>,
    has_else: bool,
}

impl<'a> Reader<'a, '_> {
    /// The line of a position; positions only grow.
    fn line_at(&mut self, position: usize) -> u32 {
        let passed = self
            .text
            .as_bytes()
            .get(self.counted..position)
            .unwrap_or_default();
        let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
        self.line = self
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.counted = self.counted.max(position);
        self.line
    }

    fn push(&mut self, line: u32, text: String, kind: CommandKind, next: usize) {
        self.commands.push(Command {
            line,
            text,
            next,
            kind,
        });
    }

    fn statement(&mut self, statement: &Statement) {
        let text = without_leading_comments(&statement.text);
        if text.is_empty() {
            return;
        }
        let left_out = statement.text.len() - text.len();
        let literals = statement
            .literals
            .iter()
            .map(|at| at.saturating_sub(left_out));
        let literals: Vec<usize> = literals.collect();
        let line = self.line_at(statement.start);
        let label = &text[..text.floor_char_boundary(MAX_LABEL)];
        let label = label
            .split(['\n', '\r'])
            .next()
            .unwrap_or_default()
            .to_owned();
        let sql = SqlCommand::new(text.to_owned(), &literals, self.symbols);
        let next = self.commands.len() + 1;
        self.push(line, label, CommandKind::Sql(sql), next);
    }

    /// Reads the meta-command whose backslash is just before `position`; yields where it ends.
    fn meta_command(&mut self, position: usize) -> Result<usize, ParseError> {
        let mut meta = match Meta::new(self.text, position) {
            Ok(meta) => meta,
            Err(end) => return Ok(end),
        };
        let line = self.line_at(meta.start);
        match meta.read(self.symbols) {
            Ok(MetaCommand::Command(kind)) => {
                let next = self.open_or_close(&kind, meta.is_elif())?;
                self.push(line, meta.source().to_owned(), kind, next);
            }
            Ok(MetaCommand::Capture(capture)) => self.capture(line, capture)?,
            Err(error) => return Err(self.meta_error(&mut meta, error)),
        }
        Ok(meta.cursor.pos)
    }

    /// Gives a `\gset` or `\aset` to the statement before it, which can have only one. pgbench's
    /// words say `\gset` for both.
    fn capture(&mut self, line: u32, capture: Capture) -> Result<(), ParseError> {
        let previous = match self.commands.last_mut() {
            Some(Command {
                kind: CommandKind::Sql(sql @ SqlCommand { capture: None, .. }),
                ..
            }) => {
                sql.capture = Some(capture);
                return Ok(());
            }
            None
            | Some(Command {
                kind: CommandKind::Sql(_),
                ..
            }) => String::new(),
            Some(meta_command) => format!(" ({})", meta_command.text),
        };
        let message = format!(
            "{}:{line}: \\gset must follow an SQL command{previous}",
            self.name
        );
        Err(self.error(line, message))
    }

    /// Keeps track of conditionals and loops: `kind` is about to become the next command. Returns the index
    /// of the one to run after it.
    fn open_or_close(&mut self, kind: &CommandKind, is_elif: bool) -> Result<usize, ParseError> {
        let here = self.commands.len();
        match kind {
            CommandKind::If { .. } if !is_elif => {
                self.blocks.push(Block::If(Conditional {
                    pending: Some(here),
                    ..Conditional::default()
                }));
            }
            CommandKind::If { .. } => {
                self.joint(
                    "\\elif without matching \\if",
                    "\\elif after \\else",
                    Some(here),
                )?;
            }
            CommandKind::Else => {
                self.joint("\\else without matching \\if", "\\else after \\else", None)?;
                if let Some(Block::If(conditional)) = self.blocks.last_mut() {
                    conditional.has_else = true;
                }
            }
            CommandKind::EndIf => {
                let Some(Block::If(conditional)) = self.blocks.pop() else {
                    return Err(self.condition_error(here, "\\endif without matching \\if"));
                };
                self.resolve(conditional.pending, here);
                for joint in conditional.joints {
                    self.leave(joint - 1, here);
                }
            }
            CommandKind::While { .. } => self.blocks.push(Block::While(here)),
            CommandKind::EndWhile => {
                let Some(Block::While(start)) = self.blocks.pop() else {
                    return Err(self.condition_error(here, "\\endwhile without matching \\while"));
                };
                self.resolve(Some(start), here + 1);
                return Ok(start);
            }
            _ => {}
        }
        Ok(here + 1)
    }

    /// A new branch of the innermost block, which has to be a conditional: the condition before it leads here.
    fn joint(
        &mut self,
        unmatched: &'static str,
        misplaced: &'static str,
        pending: Option<usize>,
    ) -> Result<(), ParseError> {
        let here = self.commands.len();
        match self.blocks.last_mut() {
            None | Some(Block::While(_)) => Err(self.condition_error(here, unmatched)),
            Some(Block::If(conditional)) if conditional.has_else => {
                Err(self.condition_error(here, misplaced))
            }
            Some(Block::If(conditional)) => {
                conditional.joints.push(here);
                let previous = std::mem::replace(&mut conditional.pending, pending);
                self.resolve(previous, here);
                Ok(())
            }
        }
    }

    /// Where a condition that does not hold leads to.
    fn resolve(&mut self, pending: Option<usize>, target: usize) {
        if let Some(command) = pending.and_then(|index| self.commands.get_mut(index))
            && let CommandKind::If { otherwise, .. } | CommandKind::While { otherwise, .. } =
                &mut command.kind
        {
            *otherwise = target;
        }
    }

    /// Where the last command of a branch leads to. From a loop it is the \while that leads on.
    fn leave(&mut self, last: usize, target: usize) {
        match self.commands.get_mut(last) {
            Some(Command {
                kind: CommandKind::EndWhile,
                next,
                ..
            }) => {
                let start = *next;
                self.resolve(Some(start), target);
            }
            Some(command) => command.next = target,
            None => {}
        }
    }

    fn finish(self) -> Result<Script, ParseError> {
        if self.commands.is_empty() {
            let message = format!("empty command list for script \"{}\"", self.name);
            return Err(self.error(1, message));
        }
        let unmatched = self.blocks.last().map(|block| match block {
            Block::If(_) => "\\if without matching \\endif",
            Block::While(_) => "\\while without matching \\endwhile",
        });
        if let Some(unmatched) = unmatched {
            return Err(self.condition_error(self.commands.len(), unmatched));
        }
        Ok(Script {
            name: self.name.to_owned(),
            commands: self.commands,
        })
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
            unsupported: None,
        }
    }

    fn meta_error(&self, meta: &mut Meta<'a>, error: MetaError) -> ParseError {
        let MetaError {
            error,
            at,
            unsupported,
        } = error;
        meta.cursor.skip_command();
        let source = meta.source();
        let subject = error
            .subject
            .map(|subject| format!(" ({subject})"))
            .unwrap_or_default();
        let message = format!(
            "{}:{}: {}{subject} in command \"{}\"",
            self.name, self.line, error.message, meta.name
        );
        let column = at.map(|at| {
            let before = self.text.get(meta.start..at).unwrap_or(source);
            before.chars().count() + 1
        });
        let source_line = Some(source.to_owned());
        ParseError {
            column,
            source_line,
            unsupported,
            ..self.error(self.line, message)
        }
    }
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
