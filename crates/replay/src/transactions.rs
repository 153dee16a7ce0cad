//! The steps of a session as transactions. A capture has the end of each, and every statement for itself.

use crate::divergence::Expected;
use crate::texts::Texts;
use capture::record::{Ending, Outcome, Statement, Work};
use capture::{Protocol, Step, Unrecorded, Value};
use script::Value as Given;
use std::collections::HashMap;
use std::mem::take;

/// Types up to here have the same number on every server, and with every major.
const FIXED_TYPES: u32 = 10_000;
/// The error of a statement of a block that has failed.
const IN_FAILED_BLOCK: &[u8; 5] = b"25P02";
/// The type of a literal whose type is not known.
const UNKNOWN: u32 = 705;

/// A transaction of a session.
#[derive(Debug, Default, PartialEq)]
pub struct Transaction {
    pub statements: Vec<Planned>,
    /// Whether nothing begins or ends it, but it is one: its statements came in one message, without a BEGIN, or the only one had an error.
    pub implicit: bool,
    /// Whether it was aborted.
    pub aborted: bool,
    /// The places of its commits. A procedure may have several.
    pub commits: Vec<u64>,
}

/// A statement.
#[derive(Debug, PartialEq)]
pub struct Planned {
    /// Its number in the session, from 1.
    pub number: u64,
    /// Of its text.
    pub text: usize,
    pub protocol: Protocol,
    /// Whether it begins, ends, or neither.
    pub work: Work,
    /// Since the session was first seen, µs.
    pub started: i64,
    pub took: i64,
    /// It may run when so many commits are done.
    pub after: u64,
    /// 0: the server finds the type.
    pub types: Vec<u32>,
    /// None is NULL.
    pub values: Vec<Option<Given>>,
    pub expected: Expected,
}

/// Why a statement is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// COPY FROM STDIN: the capture does not have its rows.
    CopyFrom,
    /// COPY TO STDOUT: nobody takes its rows.
    CopyTo,
    /// Its text may have had a password.
    Secret,
    /// The capture does not have its text or a value of it, or that is no UTF-8.
    Unreadable,
    /// The capture ended within its transaction.
    Unfinished,
}

/// How many reasons there are.
pub const REASONS: usize = 5;

/// Statements that are left out, by reason.
pub type LeftOut = [u64; REASONS];

/// A session's steps while they become transactions.
pub struct Reading<'c> {
    texts: &'c mut Texts,
    captured: &'c HashMap<u64, Vec<u8>>,
    left_out: &'c mut LeftOut,
    transactions: Vec<Transaction>,
    /// The one that is read.
    open: Transaction,
    /// Statements so far.
    number: u64,
}

impl<'c> Reading<'c> {
    pub fn new(
        texts: &'c mut Texts,
        captured: &'c HashMap<u64, Vec<u8>>,
        left_out: &'c mut LeftOut,
    ) -> Reading<'c> {
        Reading {
            texts,
            captured,
            left_out,
            transactions: Vec::new(),
            open: Transaction::default(),
            number: 0,
        }
    }

    /// All transactions of a session.
    pub fn read(mut self, steps: Vec<Step>) -> Vec<Transaction> {
        for step in steps {
            match step {
                Step::Statement { statement, after } => self.statement(statement, after),
                Step::End { end, commit } => {
                    // One without a statement is of a procedure, whose own statement has come before, or of what is left out.
                    match self.transactions.last_mut() {
                        Some(last) if self.open.statements.is_empty() => {
                            last.commits.extend(commit);
                        }
                        _ => self.open.commits.extend(commit),
                    }
                    if !self.open.statements.is_empty() {
                        self.end(end.ending == Ending::Aborted);
                    }
                }
                Step::Closed { .. } => {}
            }
        }
        self.left_out[Reason::Unfinished as usize] += self.open.statements.len() as u64;
        if self.transactions.is_empty() && !self.open.commits.is_empty() {
            self.transactions.push(Transaction {
                commits: self.open.commits,
                ..Transaction::default()
            });
        }
        self.transactions
    }

    fn end(&mut self, aborted: bool) {
        let mut ended = take(&mut self.open);
        ended.implicit = match &ended.statements[..] {
            // One that had an error must not be committed, should it have none now. Others than these may not run in a block.
            [only] => aborted && matches!(only.work, Work::Reads | Work::Changes),
            [first, ..] => first.work != Work::Begins,
            [] => false,
        };
        self.push(ended, aborted);
    }

    fn push(&mut self, mut ended: Transaction, aborted: bool) {
        ended.aborted = aborted;
        if let Some(last) = ended.statements.last_mut() {
            last.expected.aborted = aborted;
        }
        self.transactions.push(ended);
    }

    fn statement(&mut self, statement: Statement, after: u64) {
        self.number += 1;
        let planned = match self.planned(statement, after) {
            Ok(planned) => planned,
            Err(reason) => {
                self.left_out[reason as usize] += 1;
                return;
            }
        };
        // An error ends a transaction at once, and its block only later: until then nothing else is accepted.
        let is_refused = planned.expected.sqlstate.as_ref() == Some(IN_FAILED_BLOCK);
        let is_of_block = is_refused || planned.work == Work::Ends;
        let may_be_of_last = is_of_block && self.open.statements.is_empty();
        match self.transactions.last_mut() {
            Some(last) if may_be_of_last && last.has_open_block() => {
                last.statements.push(planned);
            }
            _ => self.open.statements.push(planned),
        }
    }

    fn planned(&mut self, statement: Statement, after: u64) -> Result<Planned, Reason> {
        let Outcome {
            took,
            rows,
            sqlstate,
            unrecorded,
        } = statement.outcome;
        match unrecorded {
            Some(Unrecorded::CopyFrom) => return Err(Reason::CopyFrom),
            Some(Unrecorded::Secret) => return Err(Reason::Secret),
            None => {}
        }
        let types = statement.parameters.iter().map(|it| it.type_oid);
        let types = types.map(|oid| match oid {
            UNKNOWN | FIXED_TYPES.. => 0,
            fixed => fixed,
        });
        let types = types.collect();
        let values = statement.parameters.into_iter().map(|it| given(it.value));
        let values = values.collect::<Option<_>>().ok_or(Reason::Unreadable)?;
        let text = self.texts.number(statement.hash, self.captured, took);
        let text = text.ok_or(Reason::Unreadable)?;
        if statement.work == Work::Utility && self.texts.is_copy_to(text) {
            return Err(Reason::CopyTo);
        }
        Ok(Planned {
            number: self.number,
            text,
            protocol: statement.protocol,
            work: statement.work,
            started: statement.started,
            took,
            after,
            types,
            values,
            expected: Expected {
                rows,
                sqlstate,
                aborted: false,
            },
        })
    }
}

/// A value as it is sent; None: it is no UTF-8.
fn given(value: Value) -> Option<Option<Given>> {
    Some(match value {
        Value::Null => None,
        Value::Integer(number) => Some(Given::Int(number)),
        Value::Text(text) => Some(Given::Text(String::from_utf8(text).ok()?.into())),
    })
}

impl Transaction {
    /// Whether it was aborted within a block, whose end comes later.
    fn has_open_block(&self) -> bool {
        let works = || self.statements.iter().map(|it| it.work);
        self.aborted && works().any(|it| it == Work::Begins) && works().all(|it| it != Work::Ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::capture::{Row, session, text};

    fn read(rows: &[Row]) -> (Vec<Transaction>, LeftOut) {
        let mut texts = Texts::default();
        let (session, captured) = session(rows);
        let mut left_out = LeftOut::default();
        let read = Reading::new(&mut texts, &captured, &mut left_out);
        (read.read(session.steps), left_out)
    }

    /// Numbers of statements, whether they share a transaction without a BEGIN, whether it was aborted, and the places of commits.
    fn shape(transactions: &[Transaction]) -> Vec<(Vec<u64>, bool, bool, Vec<u64>)> {
        let shape = |it: &Transaction| {
            let numbers = it.statements.iter().map(|it| it.number).collect();
            (numbers, it.implicit, it.aborted, it.commits.clone())
        };
        transactions.iter().map(shape).collect()
    }

    #[test]
    fn statements_up_to_an_end_are_a_transaction() {
        let (transactions, left_out) = read(&[
            text("SELECT 1"),
            Row::Commit(None),
            text("BEGIN"),
            text("UPDATE t"),
            text("COMMIT"),
            Row::Commit(Some(4)),
            // In one message.
            text("INSERT a"),
            text("INSERT b"),
            Row::Commit(Some(5)),
        ]);
        let expected = [
            (vec![1], false, false, vec![]),
            (vec![2, 3, 4], false, false, vec![4]),
            (vec![5, 6], true, false, vec![5]),
        ];
        assert_eq!(shape(&transactions), expected);
        assert_eq!(left_out, [0; REASONS]);
    }

    #[test]
    fn the_end_of_a_failed_block_belongs_to_it() {
        let (transactions, _) = read(&[
            text("BEGIN"),
            text("UPDATE t").error(b"40001"),
            Row::Abort,
            text("SELECT 1").error(b"25P02"),
            text("ROLLBACK"),
            Row::Abort,
            text("BEGIN"),
            text("ROLLBACK"),
            Row::Abort,
            // Outside of a block nothing is left open.
            text("UPDATE t").error(b"40001"),
            Row::Abort,
            text("ROLLBACK"),
            Row::Commit(None),
        ]);
        let expected = [
            (vec![1, 2, 3, 4], false, true, vec![]),
            (vec![5, 6], false, true, vec![]),
            (vec![7], true, true, vec![]),
            (vec![8], false, false, vec![]),
        ];
        assert_eq!(shape(&transactions), expected);
        let aborted = |it: &Transaction| {
            let all = it.statements.iter();
            all.map(|it| it.expected.aborted).collect::<Vec<_>>()
        };
        assert_eq!(aborted(&transactions[0]), [false, true, false, false]);
        assert_eq!(aborted(&transactions[1]), [false, true]);
    }

    #[test]
    fn commits_of_a_procedure_are_done_with_its_call() {
        let (transactions, _) = read(&[
            text("CALL p()"),
            Row::Commit(Some(1)),
            Row::Commit(Some(2)),
            Row::Commit(Some(3)),
            text("SELECT 1"),
            Row::Commit(Some(9)),
        ]);
        let expected = [
            (vec![1], false, false, vec![1, 2, 3]),
            (vec![2], false, false, vec![9]),
        ];
        assert_eq!(shape(&transactions), expected);
        let (transactions, _) = read(&[Row::Commit(Some(1))]);
        assert_eq!(shape(&transactions), [(vec![], false, false, vec![1])]);
    }

    #[test]
    fn what_cannot_be_run_is_left_out() {
        let (transactions, left_out) = read(&[
            text("BEGIN"),
            text("COPY t").unrecorded(Unrecorded::CopyFrom),
            text("COPY t TO stdout;"),
            text("COMMIT"),
            Row::Commit(Some(1)),
            text("").unrecorded(Unrecorded::Secret),
            Row::Commit(Some(2)),
            text("BEGIN"),
            text("UPDATE t"),
        ]);
        let expected = [(vec![1, 4], false, false, vec![1, 2])];
        assert_eq!(shape(&transactions), expected);
        assert_eq!(left_out, [1, 1, 1, 0, 2]);
    }

    #[test]
    fn types_are_named_where_they_are_the_same_everywhere() {
        let (transactions, left_out) = read(&[
            text("SELECT $1, $2, $3").values(&[
                (23, Value::Integer(-5)),
                (16_500, Value::Text(b"a".to_vec())),
                (UNKNOWN, Value::Null),
            ]),
            text("SELECT $1").values(&[(25, Value::Text(vec![0xff]))]),
            Row::Commit(None),
        ]);
        let statement = &transactions[0].statements[0];
        assert_eq!(statement.types, [23, 0, 0]);
        let values = [Some(Given::Int(-5)), Some(Given::Text("a".into())), None];
        assert_eq!(statement.values, values);
        assert_eq!(left_out, [0, 0, 0, 1, 0]);
    }
}
