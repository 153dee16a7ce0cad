//! A client of a replay: it plays its sessions one after the other, each statement when it may.
//!
//! A statement is due so long after the one before as it was in the capture, if times are kept, and may run when the commits that it could see
//! are done. A session begins at its moment of the capture.

mod counting;
mod waiting;

use crate::divergence::Divergence;
use crate::plan::Session;
use crate::score::Score;
use crate::stage::Stage;
use crate::transactions::{Planned, Transaction};
use capture::Protocol;
use capture::record::Work;
use engine::{
    ClientError, Completion, FailureKind, QUERY_CANCELED, Sink, SqlError, Surroundings, Transport,
};
use script::Value;
use std::collections::HashMap;

/// A session that can be told the types of parameters, and asked who waits for it.
pub trait Connected: Transport {
    /// The process of the server.
    fn pid(&self) -> i32;

    /// Whether that other process waits, maybe by way of others, for a lock of this session. Where that cannot be told, it does not.
    fn blocks(&mut self, pid: i32) -> bool;

    /// As [`Transport::prepare`]; 0: the server finds the type.
    ///
    /// # Errors
    /// The server's.
    fn prepare_typed(&mut self, text: &str, types: &[u32]) -> Result<Self::Statement, SqlError>;

    /// As [`Transport::execute_unprepared`], the same way.
    ///
    /// # Errors
    /// The server's.
    fn execute_typed<'v>(
        &mut self,
        text: &str,
        types: &[u32],
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError>;
}

/// What a client of a replay sees: its run, and the other clients.
pub trait Company: Surroundings {
    /// Has another client look again at what it waits for.
    fn wake(&self, client: usize);
}

/// What became of a part of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Played {
    Through,
    /// The run is over.
    Stopped,
    /// The session is gone.
    Lost,
}

/// The client.
pub struct Player<'p, S, K> {
    stage: &'p Stage,
    client: usize,
    around: S,
    sink: K,
    /// Rows and bytes.
    received: (u64, u64),
}

/// A session that is played.
struct OnStage<'s, T: Transport> {
    session: &'s Session,
    transport: T,
    /// Its prepared statements, by text and types.
    prepared: HashMap<(usize, &'s [u32]), T::Statement>,
    /// The last statement's end: in the capture, µs since the session began, and now, ns.
    last: Option<(i64, u64)>,
}

/// A transaction that is played.
#[derive(Default)]
struct Course {
    /// When it began, and how far behind the timetable.
    begun: Option<u64>,
    late_ns: u64,
    /// In its statements, ns.
    spent_ns: u64,
    /// A wait of its was broken: it waits no more.
    excused: bool,
    /// It may have locks: it has run more than its BEGIN.
    has_run: bool,
    diverged: bool,
    /// A statement failed that had not failed, or otherwise, or was not reached.
    failed: Option<FailureKind>,
    /// One did not fail that had.
    error_gone: bool,
}

impl<'p, S: Company, K: Sink> Player<'p, S, K> {
    /// A client that has not begun.
    pub fn new(stage: &'p Stage, client: usize, around: S, sink: K) -> Self {
        Player {
            stage,
            client,
            around,
            sink,
            received: (0, 0),
        }
    }

    /// Plays all sessions of the client, the first one over this connection, which is made. Returns the score if it is the last client.
    pub fn play<T: Connected>(
        mut self,
        first: T,
        mut connect: impl FnMut(&'p Session) -> Result<T, ClientError>,
    ) -> Option<Score> {
        let mut ready = Some(first);
        let mut played = Played::Through;
        let stage = self.stage;
        let numbers = stage.plan.clients.get(self.client);
        for &number in numbers.into_iter().flatten() {
            let session = &stage.plan.sessions[number];
            if played != Played::Stopped {
                played = match self.await_session(session) {
                    true => {
                        let connected = ready.take().map_or_else(|| connect(session), Ok);
                        self.session(session, connected)
                    }
                    false => Played::Stopped,
                };
            }
            // What it has not committed will never be.
            let places = session.transactions.iter().flat_map(|it| &it.commits);
            places.for_each(|&place| self.commit(place));
        }
        if !stage.leave() {
            return None;
        }
        let score = stage.score.take();
        for (number, statement) in score.statements.iter().enumerate() {
            self.sink.command(number, &statement.stats);
        }
        Some(score)
    }

    fn session<T: Connected>(
        &mut self,
        session: &'p Session,
        connected: Result<T, ClientError>,
    ) -> Played {
        let mut left = session.transactions.iter();
        let error = match connected {
            Err(error) => error,
            Ok(mut transport) => {
                self.configure(session, &mut transport);
                let mut on_stage = OnStage {
                    session,
                    transport,
                    prepared: HashMap::new(),
                    last: None,
                };
                loop {
                    let Some(transaction) = left.next() else {
                        return Played::Through;
                    };
                    match self.transaction(&mut on_stage, transaction) {
                        Played::Through => {}
                        Played::Stopped => return Played::Stopped,
                        Played::Lost => break self.error(session_lost(), None),
                    }
                }
            }
        };
        if self.is_over() {
            return Played::Stopped;
        }
        self.sink.error(&error);
        self.stage.score.borrow_mut().totals.lost_sessions += 1;
        for transaction in left {
            self.not_reached(session, &transaction.statements);
            self.ended_diverged(FailureKind::Other);
        }
        Played::Lost
    }

    /// Gives a session the role and the settings that it had, as far as it may have them.
    fn configure<T: Connected>(&self, session: &Session, transport: &mut T) {
        // Texts and values are sent as the server of the capture had them, not as its clients. A role may be another one than that of the login.
        let is_kept = |(name, value): &&(String, String)| match name.as_str() {
            "client_encoding" => false,
            "role" => value != "none",
            name => !self.stage.plan.options.gives(name),
        };
        let role = ("role".to_owned(), session.start.role.clone());
        let settings = session.start.settings.iter().filter(is_kept);
        for setting in [&role].into_iter().chain(settings) {
            if transport.configure(std::slice::from_ref(setting)).is_err() {
                self.stage.score.borrow_mut().totals.refused_settings += 1;
            }
        }
    }

    fn transaction<T: Connected>(
        &mut self,
        on_stage: &mut OnStage<'p, T>,
        transaction: &'p Transaction,
    ) -> Played {
        on_stage.transport.idle_checks();
        let mut course = Course::default();
        for (at, statement) in transaction.statements.iter().enumerate() {
            let played = self.statement(on_stage, transaction, statement, &mut course);
            if played == Played::Lost {
                let rest = &transaction.statements[at + 1..];
                self.not_reached(on_stage.session, rest);
                self.ended_diverged(FailureKind::Other);
            }
            if played != Played::Through {
                return played;
            }
        }
        self.end_block(on_stage, transaction, &mut course);
        for &place in &transaction.commits {
            self.commit(place);
        }
        if !transaction.statements.is_empty() {
            self.ended(&course);
        }
        Played::Through
    }

    /// Ends what no statement ends.
    fn end_block<T: Connected>(
        &mut self,
        on_stage: &mut OnStage<'p, T>,
        transaction: &'p Transaction,
        course: &mut Course,
    ) {
        if !on_stage.transport.in_transaction_block() {
            return;
        }
        if transaction.aborted {
            on_stage.transport.roll_back();
        } else if transaction.implicit
            && let Err(error) = on_stage.transport.execute_simple("COMMIT")
            && let Some(last) = transaction.statements.last()
        {
            self.diverged(on_stage.session, last, Divergence::ErrorNew, course);
            self.failed(last, &error, course);
        }
    }

    fn statement<T: Connected>(
        &mut self,
        on_stage: &mut OnStage<'p, T>,
        transaction: &Transaction,
        statement: &'p Planned,
        course: &mut Course,
    ) -> Played {
        if !self.wait_until(self.due(on_stage, statement)) {
            return Played::Stopped;
        }
        if !self.await_commits(&mut on_stage.transport, statement.after, course) {
            return Played::Stopped;
        }
        if course.begun.is_none() {
            let now = self.around.now();
            course.begun = Some(now);
            course.late_ns = self.lateness(on_stage.session, statement, now);
            if transaction.implicit {
                // What is wrong with it, its statements show.
                let _ = on_stage.transport.execute_simple("BEGIN");
            }
        }
        let began = self.around.now();
        let pid = on_stage.transport.pid();
        (self.stage.commits.borrow_mut()).begins(self.client, began, pid);
        on_stage.transport.begin_laps(began);
        // Where an error is gone, what it had aborted must not be committed.
        let result = match course.error_gone && statement.work == Work::Ends {
            true => on_stage.transport.execute_simple("ROLLBACK"),
            false => self.run(on_stage, statement),
        };
        let now = self.around.now();
        self.stage.commits.borrow_mut().ends(self.client);
        course.has_run |= statement.work != Work::Begins;
        on_stage.last = Some((statement.started + statement.took, now));
        if let Err(error) = &result
            && error.sqlstate == QUERY_CANCELED
            && self.is_over()
        {
            return Played::Stopped;
        }
        let took = now.saturating_sub(began);
        course.spent_ns += took;
        self.compare(on_stage.session, statement, &result, took, course);
        match on_stage.transport.is_lost() {
            true => Played::Lost,
            false => Played::Through,
        }
    }

    /// Sends a statement in the way in which it came.
    fn run<T: Connected>(
        &self,
        on_stage: &mut OnStage<'p, T>,
        statement: &'p Planned,
    ) -> Result<Completion, SqlError> {
        let text = &self.stage.plan.texts[statement.text].text;
        let (transport, types) = (&mut on_stage.transport, &statement.types[..]);
        let values = statement.values.iter().map(Option::as_ref);
        match statement.protocol {
            Protocol::Simple => {
                let result = transport.execute_simple(text);
                if statement.work == Work::Utility && gives_up_prepared(text) {
                    on_stage.prepared.clear();
                }
                result
            }
            Protocol::Extended => transport.execute_typed(text, types, values),
            Protocol::Prepared => {
                let key = (statement.text, types);
                let prepared = match on_stage.prepared.remove(&key) {
                    Some(prepared) => prepared,
                    None => transport.prepare_typed(text, types)?,
                };
                let result = transport.execute(&prepared, values);
                on_stage.prepared.insert(key, prepared);
                result
            }
        }
    }

    /// A place of the order of commits is done.
    fn commit(&self, place: u64) {
        let free = self.stage.commits.borrow_mut().done(place);
        for client in free {
            self.around.wake(client);
        }
    }
}

/// Whether a statement gives up those that are prepared.
fn gives_up_prepared(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ';');
    let first = words.next().unwrap_or_default();
    first.eq_ignore_ascii_case("DISCARD") || first.eq_ignore_ascii_case("DEALLOCATE")
}

fn session_lost() -> SqlError {
    SqlError::new("08006", "a session of the replay was lost")
}
