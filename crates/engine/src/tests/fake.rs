//! A run without a server: session, surroundings and counts of one client.

mod counts;
mod session;

use crate::*;
pub use counts::{Counted, Counts};
use script::Value;
pub use session::{FakeSession, TERMINATED};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// When the fake clock begins, and what a statement takes unless the test says otherwise, ns.
pub const START: u64 = 1_000_000;
pub const STATEMENT_NS: u64 = 1_000;

const ENDLESS: &str = "the client does not end";

/// What a statement is answered with.
pub struct Reply {
    pub takes_ns: u64,
    pub result: Result<Answer, SqlError>,
}

/// What a statement that succeeds did.
#[derive(Default, Clone)]
pub struct Answer {
    pub processed: u64,
    pub rows: u64,
    pub bytes: u64,
    pub usage: Usage,
    /// Time of parsing, planning, and how long before its end the commit began (0: none), ns.
    pub parse_ns: u64,
    pub plan_ns: u64,
    pub commit_ns: u64,
    /// How long after its beginning the first byte of the answer came, ns; 0: that is not known.
    pub first_byte_ns: u64,
    /// Names of the columns and the rows of each result; None: a query without a result.
    pub results: Vec<Option<Table>>,
}

pub type Table = (Vec<&'static str>, Vec<Vec<&'static str>>);

impl Reply {
    pub fn done() -> Reply {
        Reply::after(STATEMENT_NS)
    }

    pub fn after(takes_ns: u64) -> Reply {
        Reply {
            takes_ns,
            result: Ok(Answer::default()),
        }
    }

    pub fn answer(answer: Answer) -> Reply {
        Reply {
            takes_ns: STATEMENT_NS,
            result: Ok(answer),
        }
    }

    pub fn error(sqlstate: &str) -> Reply {
        Reply {
            takes_ns: STATEMENT_NS,
            result: Err(SqlError::new(sqlstate, &format!("error {sqlstate}"))),
        }
    }
}

/// What session and surroundings share.
pub struct World {
    pub now: Cell<u64>,
    /// When the measured part begins, ends, and when the run is stopped.
    pub measured_from: Cell<u64>,
    pub deadline: Cell<u64>,
    pub stopped_from: Cell<u64>,
    /// How the rate is altered, from that moment on.
    pub alterations: RefCell<Vec<Altered>>,
    /// How long a turn lasts; 0: there are none.
    pub turn_ns: Cell<u64>,
    /// How often the run still says that enough has failed.
    pub enough: Cell<u32>,
    pub woken: Cell<u32>,
    /// A pause is never longer.
    pub longest_pause: Cell<u64>,
    pub pauses: RefCell<Vec<u64>>,
    pub logged: RefCell<Vec<String>>,
    pub debugged: RefCell<Vec<(usize, usize, Value)>>,
    /// What reached the session, as `kind text [values]`.
    pub sent: RefCell<Vec<String>>,
    /// When each of those came.
    pub sent_at: RefCell<Vec<u64>>,
    pub reported: RefCell<Vec<&'static str>>,
    pub idle_checks: Cell<u32>,
    /// What the commit at a sync of a pipeline takes, ns.
    pub sync_ns: Cell<u64>,
    /// In loops, and at which of them a cancel comes; 0: none does.
    pub interrupts: Cell<u32>,
    pub cancel_at: Cell<u32>,
    /// At the phase of the run.
    pub looks: Cell<u32>,
    pub clock_reads: Cell<u32>,
    pub usage_reads: Cell<u32>,
}

/// Surroundings of a client in that world.
pub struct Around(Rc<World>);

impl Surroundings for Around {
    fn now(&self) -> u64 {
        self.0.clock_reads.set(self.0.clock_reads.get() + 1);
        assert!(self.0.clock_reads.get() < 100_000, "{ENDLESS}");
        self.0.now.get()
    }

    fn timestamp(&self) -> i64 {
        -(self.0.now.get() as i64)
    }

    fn phase(&self) -> Phase {
        self.0.phase()
    }

    fn began_at(&self) -> u64 {
        let measured_from = self.0.measured_from.get();
        if self.0.now.get() < measured_from {
            START
        } else {
            measured_from
        }
    }

    fn deadline(&self) -> u64 {
        self.0.deadline.get()
    }

    fn rate_revision(&self) -> u64 {
        self.altered().revision
    }

    fn altered(&self) -> Altered {
        let now = self.0.now.get();
        let alterations = self.0.alterations.borrow();
        let last = alterations.iter().rev().find(|altered| altered.at <= now);
        last.copied().unwrap_or_default()
    }

    fn turn(&self) -> u64 {
        let since = self.0.now.get() - START;
        since.checked_div(self.0.turn_ns.get()).unwrap_or(0)
    }

    fn has_failed_enough(&self) -> bool {
        let left = self.0.enough.get();
        self.0.enough.set(left.saturating_sub(1));
        left > 0
    }

    fn wake_leader(&self) {
        self.0.woken.set(self.0.woken.get() + 1);
    }

    fn pause(&self, ns: u64) {
        let ns = ns.min(self.0.longest_pause.get());
        self.0.pauses.borrow_mut().push(ns);
        self.0.pass(ns);
    }

    fn log(&self, text: &str) {
        self.0.logged.borrow_mut().push(text.to_owned());
    }

    fn debug(&self, script: usize, command: usize, value: &Value) {
        self.0
            .debugged
            .borrow_mut()
            .push((script, command, value.clone()));
    }
}

impl World {
    pub fn phase(&self) -> Phase {
        // A client that does not end looks here all the time.
        self.looks.set(self.looks.get() + 1);
        assert!(self.looks.get() < 100_000, "{ENDLESS}");
        let now = self.now.get();
        if now >= self.stopped_from.get() {
            Phase::Stopping
        } else if now < self.measured_from.get() {
            Phase::WarmingUp
        } else {
            Phase::Running
        }
    }

    pub fn pass(&self, ns: u64) {
        self.now.set(self.now.get() + ns);
    }
}

/// A run of one script without any option, by client 0.
pub fn spec(script: &str) -> RunSpec {
    RunSpec {
        scripts: scripts(&[(script, 1)]),
        sequences: Vec::new(),
        warmup: None,
        clients: 1,
        share: None,
        random_seed: 42,
        segment: 0,
        script_scale: Value::Int(1),
        variables: BTreeMap::new(),
        query_mode: QueryMode::Simple,
        rate: None,
        elapsed_s: 0.0,
        terminals: None,
        latency_limit_ms: None,
        max_tries: 1,
        continue_on_error: false,
        transactions_per_client: None,
        think_time_s: 0.0,
        round_trip_s: 0.0,
        reconnect: None,
        reconnect_on_loss: false,
        sampling_rate: None,
        sides: None,
        resume: false,
    }
}

/// Scripts with their weights.
pub fn scripts(scripts: &[(&str, u32)]) -> Vec<ScriptSpec> {
    let text = |(number, &(text, weight)): (usize, &(&str, u32))| {
        ScriptSpec::new(&format!("script {number}"), text, weight)
    };
    scripts.iter().enumerate().map(text).collect()
}

/// A client with what surrounds it. The world and what is counted outlive its sessions.
pub struct Run {
    pub spec: RunSpec,
    pub number: usize,
    pub ended: u64,
    pub world: Rc<World>,
    pub counted: Rc<RefCell<Counted>>,
}

pub type FakeClient = Client<FakeSession, Around, Counts>;

impl Run {
    /// So many transactions of a script.
    pub fn of(script: &str, transactions: u64) -> Run {
        Run::new(RunSpec {
            transactions_per_client: Some(transactions),
            ..spec(script)
        })
    }

    pub fn new(spec: RunSpec) -> Run {
        Run {
            spec,
            number: 0,
            ended: 0,
            world: Rc::new(World {
                now: Cell::new(START),
                measured_from: Cell::new(0),
                deadline: Cell::new(u64::MAX),
                stopped_from: Cell::new(u64::MAX),
                alterations: RefCell::default(),
                turn_ns: Cell::new(0),
                enough: Cell::new(0),
                woken: Cell::new(0),
                longest_pause: Cell::new(u64::MAX),
                pauses: RefCell::default(),
                logged: RefCell::default(),
                debugged: RefCell::default(),
                sent: RefCell::default(),
                sent_at: RefCell::default(),
                reported: RefCell::default(),
                idle_checks: Cell::new(0),
                sync_ns: Cell::new(0),
                interrupts: Cell::new(0),
                cancel_at: Cell::new(0),
                looks: Cell::new(0),
                clock_reads: Cell::new(0),
                usage_reads: Cell::new(0),
            }),
            counted: Rc::default(),
        }
    }

    pub fn with(mut self, change: impl FnOnce(&mut RunSpec)) -> Run {
        change(&mut self.spec);
        self
    }

    /// A client whose statements are answered so.
    pub fn client(&self, respond: impl FnMut(&World, &str) -> Reply + 'static) -> FakeClient {
        let session = FakeSession::new(self.world.clone(), Box::new(respond));
        let start = ClientStart {
            number: self.number,
            name: "the client".to_owned(),
            ended: self.ended,
            turn: 0,
        };
        Client::new(
            self.spec.clone(),
            start,
            session,
            Around(self.world.clone()),
            Counts(self.world.clone(), self.counted.clone()),
        )
        .unwrap()
    }

    /// Runs the client to its end.
    pub fn ends(
        &self,
        respond: impl FnMut(&World, &str) -> Reply + 'static,
    ) -> Result<SessionEnd, ClientError> {
        let mut client = self.client(respond);
        client.prepare().unwrap();
        client.run()
    }

    /// Runs the client to its end, which is in order.
    pub fn runs(&self, respond: impl FnMut(&World, &str) -> Reply + 'static) -> &Run {
        assert_eq!(self.ends(respond), Ok(SessionEnd::Done));
        self
    }

    /// What reached the session.
    pub fn sent(&self) -> Vec<String> {
        self.world.sent.borrow().clone()
    }

    /// The time that has passed.
    pub fn passed(&self) -> u64 {
        self.world.now.get() - START
    }

    /// The calls that succeeded, and the failures and retries of a command.
    pub fn command(&self, index: usize) -> (u64, u64, u64) {
        let counted = self.counted.borrow();
        let stats = &counted.commands[&index];
        (stats.latencies.moments.count, stats.failed, stats.retries)
    }
}

/// Answers the statements that start with `text` with an error, as often as said, and all others well.
pub fn failing(
    text: &'static str,
    sqlstate: &'static str,
    times: u32,
) -> impl FnMut(&World, &str) -> Reply {
    let mut left = times;
    move |_, statement| {
        if left > 0 && statement.starts_with(text) {
            left -= 1;
            return Reply::error(sqlstate);
        }
        Reply::done()
    }
}

/// Answers everything well.
pub fn all_well(_: &World, _: &str) -> Reply {
    Reply::done()
}
