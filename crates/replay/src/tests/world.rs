//! A server for replays: its clients share the time of the test, and wait for one another's locks.

use crate::{Company, Connected, Plan, Player, Score, Session, Stage};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use engine::{
    Altered, ClientError, CommandStats, Completion, Entry, FailureKind, KeptResults, Phase,
    ScriptStats, Sink, Spent, SqlError, Surroundings, Transport, Usage,
};
use script::Value;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// When the replay begins, and what a statement takes, ns.
pub const BEGIN: u64 = 1_000_000;
pub const STATEMENT_NS: u64 = 1_000;

/// What a statement is answered with.
pub type Reply = Result<u64, &'static str>;

type Respond = Box<dyn Fn(usize, &str) -> Reply>;

/// The server and the run.
pub struct World {
    now: Cell<u64>,
    pub stopped_from: Cell<u64>,
    /// What reached the server: the client, and `kind text [values]`.
    pub sent: RefCell<Vec<(usize, String)>>,
    pub sent_at: RefCell<Vec<u64>>,
    pub settings: RefCell<Vec<(String, String)>>,
    respond: Respond,
    /// The client that has the lock of a name.
    locks: RefCell<HashMap<String, usize>>,
    /// Who waits for the lock of whom.
    blocked: RefCell<HashMap<usize, usize>>,
    /// When each client goes on.
    until: RefCell<Vec<u64>>,
    pub transactions: RefCell<Vec<u64>>,
    pub failed: RefCell<Vec<FailureKind>>,
    pub errors: RefCell<Vec<ClientError>>,
    pub lags: RefCell<Vec<u64>>,
    pub received: Cell<(u64, u64)>,
    pub commands: Cell<usize>,
}

/// A client's place in the world.
#[derive(Clone)]
pub struct Seat<'t> {
    world: Rc<World>,
    client: usize,
    switch: &'t Yielder<(), u64>,
}

/// Plays a plan; all statements are answered so.
pub fn play(plan: Plan, respond: impl Fn(usize, &str) -> Reply + 'static) -> (Rc<World>, Score) {
    play_until(plan, u64::MAX, respond)
}

/// Plays a plan for so long.
pub fn play_until(
    plan: Plan,
    ns: u64,
    respond: impl Fn(usize, &str) -> Reply + 'static,
) -> (Rc<World>, Score) {
    let clients = plan.clients.len();
    let world = Rc::new(World {
        now: Cell::new(BEGIN),
        stopped_from: Cell::new(BEGIN.saturating_add(ns)),
        sent: RefCell::default(),
        sent_at: RefCell::default(),
        settings: RefCell::default(),
        respond: Box::new(respond),
        locks: RefCell::default(),
        blocked: RefCell::default(),
        until: RefCell::new(vec![BEGIN; clients]),
        transactions: RefCell::default(),
        failed: RefCell::default(),
        errors: RefCell::default(),
        lags: RefCell::default(),
        received: Cell::default(),
        commands: Cell::default(),
    });
    let stage = Rc::new(Stage::new(plan));
    let score = Rc::new(RefCell::new(None));
    let mut tasks: Vec<_> = (0..clients)
        .map(|client| {
            let (world, stage, score) = (world.clone(), stage.clone(), score.clone());
            Some(Coroutine::new(move |switch: &Yielder<(), u64>, ()| {
                let seat = Seat {
                    world,
                    client,
                    switch,
                };
                let sink = Counts(seat.world.clone());
                let player = Player::new(&stage, client, seat.clone(), sink);
                let session = FakeSession::new(&seat);
                let connect = |_: &Session| Ok(FakeSession::new(&seat));
                if let Some(last) = player.play(session, connect) {
                    *score.borrow_mut() = Some(last);
                }
            }))
        })
        .collect();
    for _ in 0..100_000 {
        let next = {
            let until = world.until.borrow();
            let left = (0..clients).filter(|&client| tasks[client].is_some());
            left.min_by_key(|&client| until[client])
        };
        let Some(client) = next else {
            let score = score.take().unwrap();
            return (world, score);
        };
        let moment = world.until.borrow()[client];
        assert!(moment < u64::MAX, "all wait for ever");
        world.now.set(moment.max(world.now.get()));
        match tasks[client].as_mut().unwrap().resume(()) {
            CoroutineResult::Yield(until) => world.until.borrow_mut()[client] = until,
            CoroutineResult::Return(()) => tasks[client] = None,
        }
    }
    panic!("the replay does not end");
}

impl World {
    /// What a client sent.
    pub fn sent_by(&self, client: usize) -> Vec<String> {
        let sent = self.sent.borrow();
        let own = sent.iter().filter(|(by, _)| *by == client);
        own.map(|(_, text)| text.clone()).collect()
    }

    /// What all sent, in its order.
    pub fn all_sent(&self) -> Vec<String> {
        let sent = self.sent.borrow();
        sent.iter()
            .map(|(by, text)| format!("{by}: {text}"))
            .collect()
    }

    /// When each statement was sent, since the beginning.
    pub fn moments(&self) -> Vec<u64> {
        self.sent_at.borrow().iter().map(|at| at - BEGIN).collect()
    }
}

impl Surroundings for Seat<'_> {
    fn now(&self) -> u64 {
        self.world.now.get()
    }

    fn timestamp(&self) -> i64 {
        0
    }

    fn phase(&self) -> Phase {
        match self.world.now.get() >= self.world.stopped_from.get() {
            true => Phase::Stopping,
            false => Phase::Running,
        }
    }

    fn began_at(&self) -> u64 {
        BEGIN
    }

    fn deadline(&self) -> u64 {
        u64::MAX
    }

    fn rate_revision(&self) -> u64 {
        0
    }

    fn altered(&self) -> Altered {
        Altered::default()
    }

    fn turn(&self) -> u64 {
        0
    }

    fn has_failed_enough(&self) -> bool {
        false
    }

    fn wake_leader(&self) {}

    fn pause(&self, ns: u64) {
        self.switch.suspend(self.now().saturating_add(ns));
    }

    fn log(&self, _: &str) {}
}

impl Company for Seat<'_> {
    fn wake(&self, client: usize) {
        self.world.until.borrow_mut()[client] = self.now();
    }
}

/// A session. `UPDATE name` locks what is called so until its transaction ends; `… slowly` takes a second.
struct FakeSession<'t> {
    seat: Seat<'t>,
    open: bool,
    failed: bool,
    lost: bool,
    kept: KeptResults,
}

impl<'t> FakeSession<'t> {
    fn new(seat: &Seat<'t>) -> FakeSession<'t> {
        FakeSession {
            seat: seat.clone(),
            open: false,
            failed: false,
            lost: false,
            kept: KeptResults::default(),
        }
    }

    fn send(&mut self, kind: &str, text: &str) -> Result<Completion, SqlError> {
        let (world, client) = (self.seat.world.clone(), self.seat.client);
        let sent = format!("{kind} {text}").trim().to_owned();
        world.sent.borrow_mut().push((client, sent));
        world.sent_at.borrow_mut().push(world.now.get());
        let takes = match text.ends_with("slowly") {
            true => 1_000_000_000,
            false => STATEMENT_NS,
        };
        self.seat.pause(takes);
        let ends = text.starts_with("COMMIT") || text.starts_with("ROLLBACK");
        if self.failed && !ends {
            return Err(SqlError::new("25P02", "current transaction is aborted"));
        }
        if let Some(name) = text.strip_prefix("UPDATE ") {
            let holder = || world.locks.borrow().get(name).copied();
            while let Some(by) = holder().filter(|&by| by != client) {
                world.blocked.borrow_mut().insert(client, by);
                self.seat.pause(1_000_000);
            }
            world.blocked.borrow_mut().remove(&client);
            world.locks.borrow_mut().insert(name.to_owned(), client);
        }
        let reply = (world.respond)(client, text);
        if text.starts_with("BEGIN") {
            self.open = true;
        } else if ends {
            (self.open, self.failed) = (false, false);
        }
        self.failed |= reply.is_err() && self.open;
        self.lost |= reply == Err("57P01");
        if !self.open || self.failed {
            world.locks.borrow_mut().retain(|_, by| *by != client);
        }
        let processed = reply.map_err(|sqlstate| SqlError::new(sqlstate, "secret"))?;
        Ok(Completion {
            processed,
            rows: processed,
            bytes: 10 * processed,
            ..Completion::default()
        })
    }
}

fn with_values<'v>(text: &str, values: impl Iterator<Item = Option<&'v Value>>) -> String {
    let values = values.map(|value| value.map_or("NULL".to_owned(), Value::to_string));
    let values: Vec<String> = values.collect();
    format!("{text} [{}]", values.join(", "))
}

impl Connected for FakeSession<'_> {
    fn pid(&self) -> i32 {
        self.seat.client as i32
    }

    fn blocks(&mut self, pid: i32) -> bool {
        self.seat.pause(STATEMENT_NS);
        let blocked = self.seat.world.blocked.borrow();
        blocked.get(&(pid as usize)) == Some(&self.seat.client)
    }

    fn prepare_typed(&mut self, text: &str, types: &[u32]) -> Result<String, SqlError> {
        self.send("prepare", &format!("{text} {types:?}"))?;
        Ok(text.to_owned())
    }

    fn execute_typed<'v>(
        &mut self,
        text: &str,
        types: &[u32],
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        let text = format!("{text} {types:?}");
        self.send("typed", &with_values(&text, values))
    }
}

impl Transport for FakeSession<'_> {
    type Statement = String;

    fn prepare(&mut self, _: &str, _: usize) -> Result<String, SqlError> {
        unreachable!()
    }

    fn forget(&mut self, _: String) {}

    fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError> {
        let world = &self.seat.world;
        world.settings.borrow_mut().extend_from_slice(settings);
        match settings.iter().any(|(_, value)| value == "refused") {
            true => Err(SqlError::new("42501", "permission denied")),
            false => Ok(()),
        }
    }

    fn execute<'v>(
        &mut self,
        statement: &String,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.send("execute", &with_values(statement, values))
    }

    fn execute_unprepared<'v>(
        &mut self,
        _: &str,
        _: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        unreachable!()
    }

    fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        self.send("", text)
    }

    fn keep_results(&mut self, _: bool) {}

    fn kept(&self) -> &KeptResults {
        &self.kept
    }

    fn in_transaction_block(&self) -> bool {
        self.open
    }

    fn is_lost(&self) -> bool {
        self.lost
    }

    fn in_pipeline(&self) -> bool {
        false
    }

    fn begin_pipeline(&mut self) {}

    fn pipeline<'v>(
        &mut self,
        _: &String,
        _: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        unreachable!()
    }

    fn pipeline_unprepared<'v>(
        &mut self,
        _: &str,
        _: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        unreachable!()
    }

    fn sync_pipeline(&mut self) -> Completion {
        unreachable!()
    }

    fn end_pipeline(&mut self) -> Result<Completion, SqlError> {
        unreachable!()
    }

    fn abandon_pipeline(&mut self) {}
}

struct Counts(Rc<World>);

impl Sink for Counts {
    fn transaction(&mut self, latency_ns: u64) {
        self.0.transactions.borrow_mut().push(latency_ns);
    }

    fn late(&mut self) {}

    fn lag(&mut self, ns: u64) {
        self.0.lags.borrow_mut().push(ns);
    }

    fn failed(&mut self, kind: FailureKind) {
        self.0.failed.borrow_mut().push(kind);
    }

    fn retried(&mut self, _: u64) {}

    fn retry_time(&mut self, _: u64) {}

    fn skipped(&mut self) {}

    fn usage(&mut self, _: &Usage) {}

    fn lost(&mut self, _: &Spent) {}

    fn received(&mut self, rows: u64, bytes: u64) {
        self.0.received.set((rows, bytes));
    }

    fn warmup_transaction(&mut self) {}

    fn followed(&mut self, _: u64) {}

    fn reconnected(&mut self, _: u64) {}

    fn log(&mut self, _: &Entry) -> u64 {
        0
    }

    fn error(&mut self, error: &ClientError) -> u64 {
        self.0.errors.borrow_mut().push(error.clone());
        0
    }

    fn command(&mut self, _: usize, _: &CommandStats) {
        self.0.commands.set(self.0.commands.get() + 1);
    }

    fn script(&mut self, _: usize, _: &ScriptStats) {}
}
