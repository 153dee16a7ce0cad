//! Questions to a target whose answers nobody waits for: a thread asks, and its process looks from time to time whether there are answers.

use super::control::{MARK, begin, leave_before_exit, ours};
use super::standing::{self, Standing};
use crate::error::{Error, Result, failure};
use crate::pg::server;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use wire::{Answers, Asker, Conninfo, Patience, Questions, Reply, Rows, Waker, timestamp};

const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(10),
    answer: Duration::from_secs(6),
};

/// A row by its columns' names.
pub type Row = Map<String, Value>;

/// A conversation with a target.
pub struct Inquiry {
    asker: Asker,
    /// Of the connection that is known.
    connection: u64,
    version: u32,
    standing: Option<Standing>,
    asked: Option<Subject>,
}

/// What was asked last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Standing,
    /// So many.
    Queries(usize),
}

/// What has come.
pub enum News {
    /// It is known who the role is there, once it was asked, or anew because there is another connection: nothing else was answered.
    Standing,
    Told(Told),
    Failed(Error),
}

/// The answers to queries.
pub struct Told {
    /// When they were asked, as the server here writes a time.
    pub at: String,
    pub took: Duration,
    /// Of that, what the target has worked, as far as it can be told from the way there and back.
    pub worked: Duration,
    /// The rows of each, or why it has none.
    pub answers: Vec<Result<Vec<Row>>>,
}

impl Inquiry {
    /// Begins one. `name`: that of its sessions; `told`: woken where there may be news.
    ///
    /// # Errors
    /// The system has no thread or no file descriptor left.
    pub fn start(info: Conninfo, name: &str, told: Option<Arc<Waker>>) -> Result<Inquiry> {
        leave_before_exit();
        let asker = Asker::start(info, name, PATIENCE, told).map_err(|error| {
            failure(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_RESOURCES,
                format!("could not start a thread: {error}"),
            )
        })?;
        Ok(Inquiry {
            asker,
            connection: 0,
            version: 0,
            standing: None,
            asked: None,
        })
    }

    /// Who the role is there; None: that is to be asked first.
    pub fn standing(&self) -> Option<&Standing> {
        self.standing.as_ref()
    }

    /// Asks who the role is there.
    pub fn ask_for_standing(&mut self) {
        self.ask(Subject::Standing, &[standing::sql(self.version)]);
    }

    /// Asks queries, each of which sees names of pg_catalog alone, once it is known who the role is there.
    pub fn ask_queries(&mut self, queries: &[String]) {
        self.ask(Subject::Queries(queries.len()), queries);
    }

    fn ask(&mut self, subject: Subject, queries: &[String]) {
        self.asked = Some(subject);
        let rows = |(number, sql): (usize, &String)| {
            format!("SELECT {number} AS {MARK}, row_to_json(q.*)::text FROM ({sql}) q")
        };
        let rows: Vec<String> = queries.iter().enumerate().map(rows).collect();
        self.asker.ask(Questions {
            connection: self.connection,
            begin: begin(),
            together: rows.join(" UNION ALL "),
            alone: match subject {
                Subject::Queries(_) => rows,
                Subject::Standing => Vec::new(),
            },
        });
    }

    /// What has come since it was asked; None: nothing so far.
    pub fn news(&mut self) -> Option<News> {
        let news = match (self.asker.reply()?, self.asked.take()) {
            (
                Reply::Connected {
                    connection,
                    version,
                },
                _,
            ) => {
                (self.connection, self.version) = (connection, version);
                self.standing = None;
                self.ask_for_standing();
                return None;
            }
            (Reply::Failed(error), _) => {
                self.standing = None;
                Err(ours(error))
            }
            (Reply::Told(told), Some(Subject::Standing)) => {
                standing_of(&told.answers).map(|standing| {
                    self.standing = Some(standing);
                    News::Standing
                })
            }
            (Reply::Told(told), Some(Subject::Queries(count))) => Ok(News::Told(Told {
                at: time(told.at),
                took: told.took,
                worked: told.took.saturating_sub(told.on_the_way),
                answers: rows_of(told.answers, count),
            })),
            (Reply::Told(_), None) => return None,
        };
        Some(news.unwrap_or_else(News::Failed))
    }
}

fn time(at: SystemTime) -> String {
    server::timestamp_text(timestamp(at))
}

fn standing_of(answers: &Answers) -> Result<Standing> {
    let Answers::Together(rows) = answers else {
        return Err(without_form());
    };
    let (_, text) = rows.first().ok_or_else(without_form)?;
    Ok(serde_json::from_str(text)?)
}

fn without_form() -> Error {
    failure(
        PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
        "a target's answer has an unexpected form",
    )
}

/// Those of each of so many queries.
fn rows_of(answers: Answers, count: usize) -> Vec<Result<Vec<Row>>> {
    match answers {
        Answers::Together(rows) => {
            let mut all: Vec<Result<Vec<Row>>> = (0..count).map(|_| Ok(Vec::new())).collect();
            for (number, text) in rows {
                if let Some(Ok(rows)) = all.get_mut(number) {
                    match serde_json::from_str(&text) {
                        Ok(row) => rows.push(row),
                        Err(error) => all[number] = Err(error.into()),
                    }
                }
            }
            all
        }
        Answers::Alone(all) => {
            let parsed = |rows: Rows| -> Result<Vec<Row>> {
                let rows = rows.iter().map(|(_, text)| serde_json::from_str(text));
                Ok(rows.collect::<std::result::Result<_, _>>()?)
            };
            let rows = |answer: std::result::Result<Rows, _>| parsed(answer.map_err(ours)?);
            all.into_iter().map(rows).collect()
        }
    }
}
