//! Parallel execution of a page's statements, by the session and by parallel workers. One after the other, the statements for
//! a month take seconds.
//!
//! This is only an optimization. Results are kept with the samples ([`super::shared::Known`]) until they are needed. A result
//! that is missing, because there was no worker or something failed, is read at that time.

use super::Span;
use super::samples::{self, Samples};
use super::shared;
use crate::error::{Error, Result};
use crate::pg::error::{raise, say};
use crate::pg::process::helper::{Helper, Work, allows};
use crate::pg::server;
use crate::pg::sql::subxact::subtransaction;
use pgrx::PgLogLevel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ffi::CStr;

/// A statement of a section or of rules, as [`Samples::select`] gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    pub sql: String,
    pub collector: Option<String>,
}

/// What one process reads: statements that make use of the same shared results, or a single one.
type Task = Vec<Statement>;

/// What a session and its worker share.
#[derive(Deserialize)]
struct Order {
    samples: Samples,
    tasks: Vec<Task>,
}

/// The same as it is written.
#[derive(Serialize)]
struct OrderOf<'a> {
    samples: &'a Samples,
    tasks: &'a [Task],
}

/// A worker, and the tasks that the session shares with it.
struct Reader<'a> {
    helper: Helper,
    tasks: &'a [Task],
}

/// A statement's rows.
#[derive(Serialize, Deserialize)]
struct StatementRows {
    task: usize,
    /// Within the task.
    statement: usize,
    rows: Vec<Value>,
}

/// The library's function for the workers.
const MAIN: &CStr = c"pgperf_history_reader_main";

/// The samples of a span, and with them the rows of these statements, as far as they could be read.
pub fn load(span: &Span, statements: Vec<Statement>) -> Result<Samples> {
    // On a standby, a conflict with replay within a subtransaction would end the session.
    if !allows(1) || server::in_recovery() {
        return samples::load(span.clone());
    }
    let read = || by_several(span, statements);
    let reason = match subtransaction(read) {
        Ok(Ok(read)) => return Ok(read),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.message,
    };
    say(
        PgLogLevel::DEBUG1,
        format!("pgperf: not read ahead: {reason}"),
    );
    samples::load(span.clone())
}

fn by_several(span: &Span, statements: Vec<Statement>) -> Result<Samples> {
    let mut tasks = Tasks::of(statements);
    // One worker begins with what needs no samples, which the session reads meanwhile; another one comes then.
    let early = start(&Samples::unread(span.clone()), &tasks.early);
    let samples = samples::load(span.clone())?;
    if early.is_none() {
        tasks.late.append(&mut tasks.early);
    }
    let late = allows(if early.is_some() { 2 } else { 1 });
    let late = late.then(|| start(&samples, &tasks.late)).flatten();
    let tasks_of = [(late, &tasks.late), (early, &tasks.early)].into_iter();
    let mut readers: Vec<Reader> = tasks_of
        .filter_map(|(helper, tasks)| {
            Some(Reader {
                helper: helper?,
                tasks,
            })
        })
        .collect();
    if !readers.is_empty() {
        // What the samples were found in is here already.
        read_task(&tasks.own, &samples)?;
    }
    for number in 0..readers.len() {
        while let Some(task) = readers[number].next() {
            read_task(task, &samples)?;
            for reader in &mut readers {
                reader.receive(&samples, false)?;
            }
        }
    }
    for mut reader in readers {
        reader.receive(&samples, true)?;
        reader.helper.finish();
    }
    Ok(samples)
}

fn start(samples: &Samples, tasks: &[Task]) -> Option<Helper> {
    let order = OrderOf { samples, tasks };
    let document = serde_json::to_vec(&order).ok()?;
    (!tasks.is_empty())
        .then(|| Helper::start(MAIN, &document))
        .flatten()
}

impl<'a> Reader<'a> {
    /// A task for the session.
    fn next(&self) -> Option<&'a Task> {
        self.tasks.get(self.helper.work().take())
    }

    /// Keeps what the worker has read.
    fn receive(&mut self, samples: &Samples, waits: bool) -> Result<()> {
        while let Some(message) = self.helper.receive(waits) {
            let answer: StatementRows = serde_json::from_slice(&message)?;
            let task = self.tasks.get(answer.task);
            if let Some(statement) = task.and_then(|task| task.get(answer.statement)) {
                samples.known.keep(statement.clone(), answer.rows);
            }
        }
        Ok(())
    }
}

/// In the session: reads a task itself.
fn read_task(task: &[Statement], samples: &Samples) -> Result<()> {
    for statement in task {
        let rows = read(statement, samples)?;
        samples.known.keep(statement.clone(), rows);
    }
    Ok(())
}

fn read(statement: &Statement, samples: &Samples) -> Result<Vec<Value>> {
    samples.select(&statement.sql, statement.collector.as_deref())
}

/// The main function of a worker.
pub fn main(work: Work, send: &mut dyn FnMut(&[u8]) -> bool) {
    if let Err(error) = read_tasks(&work, send) {
        raise(error);
    }
}

fn read_tasks(work: &Work, send: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
    let order: Order = serde_json::from_slice(work.document)?;
    loop {
        let number = work.take();
        let Some(task) = order.tasks.get(number) else {
            return Ok(());
        };
        for (place, statement) in task.iter().enumerate() {
            let answer = StatementRows {
                task: number,
                statement: place,
                rows: read(statement, &order.samples)?,
            };
            if !send(&serde_json::to_vec(&answer).map_err(Error::from)?) {
                return Ok(());
            }
        }
    }
}

/// Who may read what, in the order in which it is taken: the long ones come first.
#[derive(Debug, Default)]
struct Tasks {
    /// Needs no samples.
    early: Vec<Task>,
    late: Vec<Task>,
    /// Of the session alone.
    own: Task,
}

impl Tasks {
    fn of(statements: Vec<Statement>) -> Tasks {
        let mut tasks = Tasks::default();
        let mut groups: Vec<(Vec<&str>, Task)> = Vec::new();
        for statement in statements {
            let uses = shared::used(&statement.sql);
            if uses.contains(&shared::OUTCOMES) {
                tasks.own.push(statement);
                continue;
            }
            let shares = |names: &[&str]| names.iter().any(|name| uses.contains(name));
            match groups.iter_mut().find(|(names, _)| shares(names)) {
                Some((names, group)) => {
                    names.extend(uses);
                    group.push(statement);
                }
                None => groups.push((uses, vec![statement])),
            }
        }
        // Whatever is shared took the most to read.
        groups.sort_by_key(|(names, _)| names.is_empty());
        for (_, group) in groups {
            if (group.iter()).any(|statement| shared::needs_samples(&statement.sql)) {
                tasks.late.push(group);
            } else {
                tasks.early.push(group);
            }
        }
        tasks
    }
}

/// How many of these statements are read early, late, and by the session alone.
#[cfg(test)]
pub fn shares(statements: Vec<Statement>) -> [usize; 3] {
    let tasks = Tasks::of(statements);
    let of = |tasks: &[Task]| tasks.iter().map(Vec::len).sum::<usize>();
    [of(&tasks.early), of(&tasks.late), tasks.own.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(sql: &str) -> Statement {
        Statement {
            sql: sql.to_owned(),
            collector: None,
        }
    }

    #[test]
    fn what_is_shared_is_read_by_one_process() {
        let tasks = Tasks::of(vec![
            statement("1"),
            statement("2 {relations}"),
            statement("3 {statements}"),
            statement("4 {outcomes}"),
            statement("5 {relations}"),
            statement("6 {samples}"),
        ]);
        let texts = |tasks: &[Task]| -> Vec<Vec<String>> {
            let task = |task: &Task| task.iter().map(|one| one.sql.clone()).collect();
            tasks.iter().map(task).collect()
        };
        assert_eq!(texts(&tasks.early), [["3 {statements}"], ["1"]]);
        let late = texts(&tasks.late);
        assert_eq!(late[0], ["2 {relations}", "5 {relations}"]);
        assert_eq!(late[1], ["6 {samples}"]);
        assert_eq!(tasks.own, [statement("4 {outcomes}")]);
    }
}
