//! A run without a server: session, surroundings and counts of one client.

use crate::*;
use script::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

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
        self.0.measured_from.get()
    }

    fn deadline(&self) -> u64 {
        self.0.deadline.get()
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

type Respond = Box<dyn FnMut(&World, &str) -> Reply>;

/// A session that answers as the test says.
pub struct FakeSession {
    world: Rc<World>,
    respond: Respond,
    open: bool,
    failed: bool,
    pipeline: Option<FakePipeline>,
    keeps: bool,
    kept: KeptResults,
    used: Usage,
    began_at: u64,
}

#[derive(Default)]
struct FakePipeline {
    skipping: bool,
    error: Option<SqlError>,
}

fn ends_block(text: &str) -> bool {
    ["END", "COMMIT", "ROLLBACK"]
        .iter()
        .any(|word| text.starts_with(word))
}

impl FakeSession {
    fn note(&self, kind: &str, text: &str) {
        self.world.sent.borrow_mut().push(format!("{kind} {text}"));
        self.world.sent_at.borrow_mut().push(self.world.now.get());
    }

    /// The statement in a text that has its values behind it.
    fn send(&mut self, kind: &str, text: &str) -> Result<Completion, SqlError> {
        self.note(kind, text);
        if self.failed && !ends_block(text) {
            self.world.pass(STATEMENT_NS);
            return Err(SqlError::new("25P02", "current transaction is aborted"));
        }
        let reply = (self.respond)(&self.world, text);
        let began_at = self.began_at.max(self.world.now.get());
        self.world.pass(reply.takes_ns);
        let answer = match reply.result {
            Ok(answer) => answer,
            Err(error) => {
                self.failed = self.open;
                return Err(error);
            }
        };
        if text.starts_with("BEGIN") {
            self.open = true;
        } else if ends_block(text) {
            (self.open, self.failed) = (false, false);
        }
        self.used.add(&answer.usage);
        if self.keeps {
            self.keep(&answer.results);
        }
        let mut laps = Laps::begin(began_at);
        laps.parsed(began_at + answer.parse_ns);
        laps.planned(began_at + answer.parse_ns + answer.plan_ns);
        if answer.commit_ns > 0 {
            laps.committing(self.world.now.get() - answer.commit_ns);
        }
        Ok(Completion {
            processed: answer.processed,
            rows: answer.rows,
            bytes: answer.bytes,
            laps,
        })
    }

    fn keep(&mut self, results: &[Option<Table>]) {
        let text = |text: &str| std::ffi::CString::new(text).unwrap();
        self.kept.clear();
        for result in results {
            self.kept.begin_query();
            let Some((names, rows)) = result else {
                continue;
            };
            let names: Vec<_> = names.iter().map(|name| text(name)).collect();
            self.kept.begin_result(names.iter().map(|name| &**name));
            for row in rows {
                self.kept.begin_row();
                row.iter().for_each(|value| self.kept.push(&text(value)));
            }
        }
    }

    fn pipelined(&mut self, text: &str) -> Completion {
        if self
            .pipeline
            .as_ref()
            .is_none_or(|pipeline| pipeline.skipping)
        {
            self.note("skipped", text);
            return Completion::default();
        }
        match self.send("pipelined", text) {
            Ok(completion) => completion,
            Err(error) => {
                if let Some(pipeline) = &mut self.pipeline {
                    pipeline.skipping = true;
                    pipeline.error.get_or_insert(error);
                }
                Completion::default()
            }
        }
    }
}

fn with_values<'v>(text: &str, values: impl Iterator<Item = Option<&'v Value>>) -> String {
    let values: Vec<String> = values
        .map(|value| value.map_or("NULL".to_owned(), Value::to_string))
        .collect();
    if values.is_empty() {
        text.to_owned()
    } else {
        format!("{text} [{}]", values.join(", "))
    }
}

impl Transport for FakeSession {
    type Statement = String;

    fn prepare(&mut self, text: &str) -> Result<String, SqlError> {
        self.note("prepare", text);
        let reply = (self.respond)(&self.world, &format!("prepare {text}"));
        match reply.result {
            Ok(_) => Ok(text.to_owned()),
            Err(error) => {
                self.failed = self.open;
                Err(error)
            }
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
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.send("unprepared", &with_values(text, values))
    }

    fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        self.send("simple", text)
    }

    fn keep_results(&mut self, keep: bool) {
        self.keeps = keep;
    }

    fn kept(&self) -> &KeptResults {
        &self.kept
    }

    fn in_transaction_block(&self) -> bool {
        self.open
    }

    fn in_pipeline(&self) -> bool {
        self.pipeline.is_some()
    }

    fn begin_pipeline(&mut self) {
        self.note("begin", "pipeline");
        self.pipeline = Some(FakePipeline::default());
    }

    fn pipeline<'v>(
        &mut self,
        statement: &String,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.pipelined(&format!("prepared {}", with_values(statement, values)))
    }

    fn pipeline_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.pipelined(&with_values(text, values))
    }

    fn sync_pipeline(&mut self) {
        self.note("sync", "pipeline");
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.skipping = false;
        }
    }

    fn end_pipeline(&mut self) -> Result<(), SqlError> {
        self.note("end", "pipeline");
        match self.pipeline.take().and_then(|pipeline| pipeline.error) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn abandon_pipeline(&mut self) {
        if self.pipeline.take().is_some() {
            self.note("abandon", "pipeline");
        }
    }

    fn begin_laps(&mut self, now: u64) {
        self.began_at = now;
    }

    fn usage(&self) -> Usage {
        self.world.usage_reads.set(self.world.usage_reads.get() + 1);
        self.used
    }

    fn idle_checks(&mut self) {
        self.world.idle_checks.set(self.world.idle_checks.get() + 1);
    }

    fn report_statistics(&mut self) {
        self.world.reported.borrow_mut().push("statistics");
    }

    fn report_idle(&mut self) {
        self.world.reported.borrow_mut().push("idle");
    }

    fn report_idle_in_transaction(&mut self) {
        self.world.reported.borrow_mut().push("idle in transaction");
    }
}

/// What a client has counted.
#[derive(Default)]
pub struct Counted {
    pub latencies: Vec<u64>,
    pub late: u64,
    pub lags: Vec<u64>,
    pub failed: Vec<FailureKind>,
    pub retried: Vec<u64>,
    pub retry_times: Vec<u64>,
    pub skipped: u64,
    pub used: Usage,
    pub lost: Vec<Spent>,
    pub received: (u64, u64),
    pub warmup: u64,
    pub reconnected: Vec<u64>,
    pub entries: Vec<Entry>,
    pub errors: Vec<ClientError>,
    pub commands: BTreeMap<usize, CommandStats>,
    pub scripts: BTreeMap<usize, ScriptStats>,
    /// How often commands were reported.
    pub reports: usize,
    /// How long an entry of the log waits.
    pub log_waits_ns: u64,
}

/// Where it counts.
pub struct Counts(Rc<World>, Rc<RefCell<Counted>>);

impl Sink for Counts {
    fn transaction(&mut self, latency_ns: u64) {
        self.1.borrow_mut().latencies.push(latency_ns);
    }

    fn late(&mut self) {
        self.1.borrow_mut().late += 1;
    }

    fn lag(&mut self, ns: u64) {
        self.1.borrow_mut().lags.push(ns);
    }

    fn failed(&mut self, kind: FailureKind) {
        self.1.borrow_mut().failed.push(kind);
    }

    fn retried(&mut self, retries: u64) {
        self.1.borrow_mut().retried.push(retries);
    }

    fn retry_time(&mut self, ns: u64) {
        self.1.borrow_mut().retry_times.push(ns);
    }

    fn skipped(&mut self) {
        self.1.borrow_mut().skipped += 1;
    }

    fn usage(&mut self, usage: &Usage) {
        self.1.borrow_mut().used.add(usage);
    }

    fn lost(&mut self, spent: &Spent) {
        self.1.borrow_mut().lost.push(*spent);
    }

    fn received(&mut self, rows: u64, bytes: u64) {
        self.1.borrow_mut().received = (rows, bytes);
    }

    fn warmup_transaction(&mut self) {
        self.1.borrow_mut().warmup += 1;
    }

    fn reconnected(&mut self, took_ns: u64) {
        self.1.borrow_mut().reconnected.push(took_ns);
    }

    fn log(&mut self, entry: &Entry) -> u64 {
        let mut counted = self.1.borrow_mut();
        counted.entries.push(*entry);
        self.0.pass(counted.log_waits_ns);
        counted.log_waits_ns
    }

    fn error(&mut self, error: &ClientError) -> u64 {
        let mut counted = self.1.borrow_mut();
        let same = |other: &&ClientError| other.sqlstate == error.sqlstate;
        let before = counted.errors.iter().filter(same).count() as u64;
        counted.errors.push(error.clone());
        before
    }

    fn command(&mut self, index: usize, stats: &CommandStats) {
        let mut counted = self.1.borrow_mut();
        counted.reports += usize::from(index == 0);
        counted.commands.entry(index).or_default().merge(stats);
    }

    fn script(&mut self, number: usize, stats: &ScriptStats) {
        let mut counted = self.1.borrow_mut();
        counted.scripts.entry(number).or_default().merge(stats);
    }
}

/// A run of one script without any option, by client 0.
pub fn spec(script: &str) -> RunSpec {
    RunSpec {
        scripts: scripts(&[(script, 1)]),
        warmup: None,
        clients: 1,
        random_seed: 42,
        segment: 0,
        scale: Value::Int(1),
        variables: BTreeMap::new(),
        query_mode: QueryMode::Simple,
        rate: None,
        latency_limit_ns: None,
        max_tries: 1,
        continue_on_error: false,
        transactions_per_client: None,
        think_time: Duration::ZERO,
        round_trip: Duration::ZERO,
        reconnect: None,
        sampling_rate: None,
        reports_often: false,
    }
}

/// Scripts with their weights.
pub fn scripts(scripts: &[(&str, u32)]) -> Vec<ScriptText> {
    let text = |(number, &(text, weight)): (usize, &(&str, u32))| ScriptText {
        name: format!("script {number}"),
        text: text.to_owned(),
        weight,
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
        let session = FakeSession {
            world: self.world.clone(),
            respond: Box::new(respond),
            open: false,
            failed: false,
            pipeline: None,
            keeps: false,
            kept: KeptResults::default(),
            used: Usage::default(),
            began_at: 0,
        };
        let start = ClientStart {
            number: self.number,
            name: "the client".to_owned(),
            ended: self.ended,
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
        client.prepare();
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
