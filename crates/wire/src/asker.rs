//! A thread that asks a server questions in place of its process, which goes on meanwhile: a server may be slow, hang or be away.

use crate::aside::{Aside, Awaited};
use crate::connection::Connection;
use crate::conninfo::Conninfo;
use crate::threads;
use crate::wait::Waker;
use engine::SqlError;
use rustix::event::{PollFd, PollFlags, poll};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The stack of the thread, which may also connect.
const STACK: usize = 256 * 1024;

/// What is asked in one transaction.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// The number of the connection that they were made for: another one may lead to another server.
    pub connection: u64,
    /// Begins the transaction.
    pub begin: String,
    /// One query with the rows of all: the number of the question, and the row as a text.
    pub together: String,
    /// The same one by one, for where that fails.
    pub alone: Vec<String>,
}

/// The answers to them.
#[derive(Debug)]
pub enum Reply {
    /// There is a connection of this number now, to a server of this version: nothing was asked.
    Connected {
        connection: u64,
        version: u32,
    },
    Told(Told),
    /// There is no connection, or it was lost.
    Failed(SqlError),
}

/// What the server has told.
#[derive(Debug)]
pub struct Told {
    /// When it was asked.
    pub at: SystemTime,
    pub took: Duration,
    /// Of that, what the way there and back has taken, as far as the beginning of a transaction tells.
    pub on_the_way: Duration,
    pub answers: Answers,
}

/// The rows, in the order in which they came: in one value they would need their size at once, and the connection would keep that.
#[derive(Debug)]
pub enum Answers {
    Together(Rows),
    Alone(Vec<Result<Rows, SqlError>>),
}

/// Each with the number of its question.
pub type Rows = Vec<(usize, String)>;

/// How long it has patience.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// With each host of the server, until it is connected.
    pub connect: Duration,
    /// With the answer to each query.
    pub answer: Duration,
}

/// The thread, until this is dropped.
pub struct Asker {
    aside: Awaited,
    desk: Arc<Desk>,
}

/// What lies between it and its process.
#[derive(Default)]
struct Desk {
    asked: Mutex<Option<Questions>>,
    reply: Mutex<Option<Reply>>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panics has changed all of it, or nothing.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asker {
    /// Starts the thread, which connects when it is asked first. `name`: that of its sessions; `told`: woken by each reply.
    ///
    /// # Errors
    /// The system has no thread or no file descriptor left.
    pub fn start(
        info: Conninfo,
        name: &str,
        patience: Patience,
        told: Option<Arc<Waker>>,
    ) -> std::io::Result<Asker> {
        let aside = Aside::new()?;
        let desk = Arc::new(Desk::default());
        let mut thread = Thread {
            ends: Arc::clone(&aside.ends),
            desk: Arc::clone(&desk),
            told,
            info,
            name: name.to_owned(),
            patience,
            connection: None,
            number: 0,
        };
        let done = Arc::clone(&aside.done);
        threads::spawn("asker", STACK, move || {
            thread.serve();
            drop(thread);
            done.wake();
        })?;
        Ok(Asker {
            aside: aside.begin(),
            desk,
        })
    }

    /// Asks, once the reply to what was asked before was taken.
    pub fn ask(&self, questions: Questions) {
        *held(&self.desk.asked) = Some(questions);
        self.aside.ends.wake();
    }

    /// The reply, if it has come.
    pub fn reply(&self) -> Option<Reply> {
        held(&self.desk.reply).take()
    }
}

struct Thread {
    ends: Arc<Waker>,
    desk: Arc<Desk>,
    told: Option<Arc<Waker>>,
    info: Conninfo,
    name: String,
    patience: Patience,
    connection: Option<Connection<Arc<Waker>>>,
    /// Of the connection.
    number: u64,
}

impl Thread {
    fn serve(&mut self) {
        while let Some(questions) = self.next() {
            let reply = self.answer(&questions).unwrap_or_else(Reply::Failed);
            *held(&self.desk.reply) = Some(reply);
            if let Some(told) = &self.told {
                told.wake();
            }
        }
    }

    /// What is asked next; None: it has to end.
    fn next(&self) -> Option<Questions> {
        loop {
            if self.ends.has_given_up() {
                return None;
            }
            if let Some(questions) = held(&self.desk.asked).take() {
                return Some(questions);
            }
            let mut fds = [PollFd::new(&*self.ends, PollFlags::IN)];
            let _ = poll(&mut fds, None);
            self.ends.drain();
        }
    }

    fn answer(&mut self, questions: &Questions) -> Result<Reply, SqlError> {
        let is_new = self.connect()?;
        let number = self.number;
        let Some(connection) = self.connection.as_mut() else {
            return Err(SqlError::new("08003", "there is no connection"));
        };
        if is_new || questions.connection != number {
            return Ok(Reply::Connected {
                connection: number,
                version: connection.server_version().unsigned_abs(),
            });
        }
        let (at, began) = (SystemTime::now(), Instant::now());
        let mut way = Duration::ZERO;
        let answers = match rows(connection, &questions.begin, &questions.together, &mut way) {
            Ok(rows) => Answers::Together(rows),
            Err(error) if connection.is_usable() && !self.ends.has_given_up() => {
                match &questions.alone[..] {
                    [] => return Err(error),
                    alone => Answers::Alone(each(connection, &questions.begin, alone, &mut way)?),
                }
            }
            Err(error) => return Err(error),
        };
        Ok(Reply::Told(Told {
            at,
            took: began.elapsed(),
            on_the_way: way,
            answers,
        }))
    }

    /// Connects if it has to; whether it had.
    fn connect(&mut self) -> Result<bool, SqlError> {
        if self.connection.as_ref().is_some_and(Connection::is_usable) {
            return Ok(false);
        }
        self.connection = None;
        let wait = Arc::clone(&self.ends);
        let mut connection =
            Connection::open_session(&self.info, &self.name, &[], wait, self.patience.connect)?;
        connection.set_patience(Some(self.patience.answer));
        self.connection = Some(connection);
        self.number += 1;
        Ok(true)
    }
}

/// One by one. What one of them lacks is no loss of the others, but that of the connection is.
fn each(
    connection: &mut Connection<Arc<Waker>>,
    begin: &str,
    alone: &[String],
    way: &mut Duration,
) -> Result<Vec<Result<Rows, SqlError>>, SqlError> {
    let mut answers = Vec::new();
    for query in alone {
        let answer = rows(connection, begin, query, way);
        if !connection.is_usable() {
            return Err(answer.err().unwrap_or_else(lost));
        }
        answers.push(answer);
    }
    Ok(answers)
}

/// The rows of a query, in a transaction of its own; what it has spent on the way is added to `way`.
fn rows(
    connection: &mut Connection<Arc<Waker>>,
    begin: &str,
    query: &str,
    way: &mut Duration,
) -> Result<Rows, SqlError> {
    let asked = ask(connection, begin, query, way);
    if asked.is_err() && connection.is_usable() {
        // What there is to say is said.
        let _ = connection.execute("ROLLBACK");
    }
    asked
}

/// Three statements, of which the first has nothing to do.
const STATEMENTS: u32 = 3;

fn ask(
    connection: &mut Connection<Arc<Waker>>,
    begin: &str,
    query: &str,
    way: &mut Duration,
) -> Result<Rows, SqlError> {
    let began = Instant::now();
    connection.execute(begin)?;
    *way += began.elapsed() * STATEMENTS;
    let answer = connection.query(query, &[])?;
    let row = |row| {
        let number = answer.text(row, 0)?.parse().ok()?;
        Some((number, answer.text(row, 1)?.to_owned()))
    };
    let rows = (0..answer.rows()).filter_map(row).collect();
    connection.execute("COMMIT")?;
    Ok(rows)
}

fn lost() -> SqlError {
    SqlError::new("08006", "the connection is lost")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Server, bound, complete, error, parsed, ready, row};

    const LONG: Duration = Duration::from_secs(3600);
    const PATIENCE: Patience = Patience {
        connect: LONG,
        answer: LONG,
    };

    fn questions(connection: u64) -> Questions {
        let text = |text: &str| text.to_owned();
        Questions {
            connection,
            begin: text("BEGIN"),
            together: text("SELECT all"),
            alone: vec![text("SELECT one"), text("SELECT two")],
        }
    }

    fn reply(asker: &Asker, questions: Questions) -> Reply {
        asker.ask(questions);
        loop {
            if let Some(reply) = asker.reply() {
                return reply;
            }
            std::thread::yield_now();
        }
    }

    fn done(tag: &str, status: u8) -> Vec<u8> {
        [complete(tag), ready(status)].concat()
    }

    fn told(value: &str) -> Vec<u8> {
        let row = row(&["number", "row"], &[Some("0"), Some(value)]);
        [parsed(), bound(), row, done("SELECT 1", b'T')].concat()
    }

    fn failed() -> Vec<u8> {
        [error("42501"), ready(b'E')].concat()
    }

    fn begun() -> Vec<u8> {
        done("BEGIN", b'T')
    }

    fn ended() -> Vec<u8> {
        done("COMMIT", b'I')
    }

    #[test]
    fn a_new_connection_is_told_before_it_is_asked() {
        let server = Server::new(vec![begun(), told("{}"), ended()]);
        let bell = Arc::new(Waker::new().unwrap());
        let rung = Some(Arc::clone(&bell));
        let asker = Asker::start(server.info(), "asker", PATIENCE, rung).unwrap();
        let Reply::Connected { connection, .. } = reply(&asker, questions(0)) else {
            panic!("not connected");
        };
        let Reply::Told(told) = reply(&asker, questions(connection)) else {
            panic!("nothing told");
        };
        let expected = [(0, "{}".to_owned())];
        assert!(matches!(told.answers, Answers::Together(rows) if rows == expected));
        assert!(told.on_the_way > Duration::ZERO);
        poll(&mut [PollFd::new(&*bell, PollFlags::IN)], None).unwrap();
        drop(asker);
        let asked = server.asked();
        assert!(asked[1].contains("SELECT all"), "{asked:?}");
    }

    #[test]
    fn what_fails_together_is_asked_one_by_one() {
        let script = [
            begun(),
            failed(),
            ended(),
            begun(),
            told("1"),
            ended(),
            begun(),
            failed(),
            ended(),
        ];
        let server = Server::new(script.into());
        let asker = Asker::start(server.info(), "asker", PATIENCE, None).unwrap();
        reply(&asker, questions(0));
        let Reply::Told(Told {
            answers: Answers::Alone(answers),
            ..
        }) = reply(&asker, questions(1))
        else {
            panic!("not one by one");
        };
        let [Ok(one), Err(two)] = &answers[..] else {
            panic!("{answers:?}");
        };
        assert_eq!((one[0].1.as_str(), two.sqlstate.as_str()), ("1", "42501"));
    }

    #[test]
    fn a_lost_connection_is_told() {
        let server = Server::new(vec![begun()]);
        let asker = Asker::start(server.info(), "asker", PATIENCE, None).unwrap();
        reply(&asker, questions(0));
        assert!(matches!(reply(&asker, questions(1)), Reply::Failed(_)));
    }
}
