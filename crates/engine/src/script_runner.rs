//! Runs a client's scripts: variables, random numbers, statements, and what each command took.

mod failing;

pub use self::failing::Failure;
use crate::choice::Choice;
use crate::command::Spent;
use crate::error::{QUERY_CANCELED, SqlError};
use crate::executor::{self, Executor, Fault};
use crate::handover::ScriptState;
use crate::script_list::ScriptList;
use crate::script_start::ScriptStart;
use crate::sink::Sink;
use crate::spec::RunSpec;
use crate::surroundings::Surroundings;
use crate::transport::Transport;
use crate::usage::Usage;
use script::{CommandKind, Context, EvalError, ParseError, Prng, Symbols, Value, VarId, Variables};
use std::mem::{replace, take};
use std::time::Duration;

/// The variable with the number of the terminal that a transaction belongs to, from 0.
const TERMINAL: &str = "pgperf_terminal";

/// The state of a client's scripts.
pub struct ScriptRunner<T: Transport> {
    pub session: T,
    /// The monotonic clock when the last command ended, ns: the end of one is the start of the next.
    pub now: u64,
    /// What the session had used when the last statement ended: like the clock, it is read once a statement.
    pub used: Usage,
    /// Rows and bytes received so far.
    pub received: (u64, u64),
    /// What the statements took that succeeded since the script was last begun.
    pub spent: Spent,
    pub(crate) scripts: ScriptList<T::Statement>,
    /// Number of the first one to choose from, and how it is chosen.
    first: usize,
    choice: Choice,
    /// Where the measured part begins, whatever the warm-up has drawn and set; None: it has begun.
    start: Option<Box<ScriptStart>>,
    /// The variable with the number of the terminal.
    terminal: VarId,
    current: usize,
    measured: bool,
    /// The wait after each statement that leaves a transaction block open.
    round_trip: Duration,
    prng: Prng,
    /// The random state when the transaction began, for a retry.
    prng_at_begin: Prng,
    exec: Executor,
}

impl<T: Transport> ScriptRunner<T> {
    /// The scripts of a run as client number `client` runs them: its random stream is the one that pgbench
    /// gives that client for the same seed. `ended`: measured transactions of earlier segments.
    pub fn new(
        spec: &RunSpec,
        client: usize,
        ended: u64,
        session: T,
        now: u64,
    ) -> Result<ScriptRunner<T>, ParseError> {
        let mut symbols = Symbols::new();
        let scripts = ScriptList::new(spec, &mut symbols)?;
        let start = ScriptStart::new(spec, client, ended, &mut symbols);
        let warmup = spec
            .warmup
            .as_ref()
            .map(|warmup| start.of_warmup(spec, warmup, client, &mut symbols));
        let terminal = symbols.intern(TERMINAL);
        let mut runner = ScriptRunner {
            now,
            used: session.usage(),
            session,
            received: (0, 0),
            spent: Spent::default(),
            scripts,
            first: 0,
            choice: start.choice,
            start: None,
            terminal,
            current: 0,
            measured: false,
            round_trip: Duration::from_nanos((spec.round_trip_s * 1e9) as u64),
            prng: start.prng,
            prng_at_begin: start.prng,
            exec: Executor::new(symbols, start.variables),
        };
        if let Some(warmup) = warmup {
            let measured = runner.go_to(warmup);
            runner.start = Some(Box::new(measured));
            runner.first = runner.scripts.first_of_warmup;
        }
        Ok(runner)
    }

    /// Ends the warm-up, if there was one: the measured part is the same with and without it.
    pub fn begin_measuring(&mut self) {
        if let Some(start) = self.start.take() {
            self.go_to(*start);
            self.first = 0;
        }
    }

    /// Goes on from there; returns where it would have gone on.
    fn go_to(&mut self, start: ScriptStart) -> ScriptStart {
        ScriptStart {
            choice: replace(&mut self.choice, start.choice),
            prng: replace(&mut self.prng, start.prng),
            variables: replace(&mut self.exec.variables, start.variables),
        }
    }

    /// The variables and the random state with which the measured part begins.
    pub(crate) fn before_measuring(&self) -> (Variables, Prng) {
        match &self.start {
            Some(start) => (start.variables.clone(), start.prng),
            None => (self.exec.variables.clone(), self.prng),
        }
    }

    /// Prepares what can be prepared before the barrier.
    ///
    /// # Errors
    /// With the number of its command: one whose values can never fit.
    pub fn prepare(&mut self) -> Result<(), (usize, SqlError)> {
        self.scripts.prepare(&mut self.session)?;
        self.read_pools();
        // No statement has used that.
        self.used = self.session.usage();
        Ok(())
    }

    /// Gives the session other settings. Statements are prepared anew: their plans are those of the settings that they run with.
    ///
    /// # Errors
    /// The server's.
    pub fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError> {
        self.scripts.forget(&mut self.session);
        self.session.configure(settings)?;
        let prepared = self.scripts.prepare(&mut self.session);
        prepared.map_err(|(_, error)| error)?;
        // No statement has used that.
        self.used = self.session.usage();
        Ok(())
    }

    /// Reads the pools of all scripts. One that cannot be read (a table that the script itself makes) is tried again where
    /// the script comes to it, and where its error counts.
    fn read_pools(&mut self) {
        let commands = self.scripts.all.iter().flat_map(|it| &it.script.commands);
        for command in commands {
            if let CommandKind::Pool { name, query } = &command.kind
                && let Err(fault) = self.exec.pool(&mut self.session, name, query)
                && fault.error.sqlstate == QUERY_CANCELED
            {
                break;
            }
        }
        if let Some(start) = &mut self.start {
            start.variables.share_pools(&self.exec.variables);
        }
    }

    /// Chooses scripts by other weights from now on; not in a warm-up that has scripts of its own.
    pub fn weigh(&mut self, weights: &[u32]) {
        if self.first == 0 {
            self.choice.weigh(weights);
        }
        if let Some(measured) = &mut self.start {
            measured.choice.weigh(weights);
        }
    }

    /// Chooses the script of a transaction.
    #[inline]
    pub fn choose(&mut self) -> usize {
        self.first + self.choice.next()
    }

    /// Begins a transaction with this script.
    #[inline]
    pub fn begin(&mut self, script: usize, measured: bool) {
        self.current = script;
        self.measured = measured;
        self.prng_at_begin = self.prng;
    }

    /// Sets the variable that says which terminal a transaction belongs to.
    pub fn set_terminal(&mut self, terminal: u32) {
        let value = Value::Int(i64::from(terminal));
        self.exec.variables.set(self.terminal, value);
    }

    /// The number of the script that was chosen.
    #[inline]
    pub fn script(&self) -> usize {
        self.current
    }

    /// Goes back to where the transaction began: the same values will be drawn again.
    pub fn again(&mut self) {
        self.prng = self.prng_at_begin;
    }

    /// Runs the chosen script once. After a failure its transaction is rolled back.
    #[inline]
    pub fn run(&mut self, around: &impl Surroundings) -> Result<(), Failure> {
        let Some(script) = self.scripts.all.get_mut(self.current) else {
            return Ok(());
        };
        self.spent = Spent::default();
        let mut index = 0;
        while let Some(command) = script.script.commands.get(index) {
            let started = self.now;
            let mut next = command.next;
            let place = CommandPlace {
                script: self.current,
                command: index,
            };
            let result = match &command.kind {
                CommandKind::Sql(sql) => {
                    self.session.begin_laps(started);
                    self.exec
                        .execute(
                            &mut self.session,
                            script.mode,
                            sql,
                            &mut script.statements[index],
                        )
                        .map(Some)
                }
                CommandKind::Set { variable, expr } => {
                    let mut debug = place.debug(around);
                    let value =
                        context(&self.exec.variables, &mut self.prng, &mut debug).eval(expr);
                    value
                        .map(|value| {
                            self.exec.variables.set(*variable, value);
                            None
                        })
                        .map_err(script_error)
                }
                CommandKind::Pool { name, query } => {
                    let read = self.exec.pool(&mut self.session, name, query);
                    if let Ok(true) = read {
                        // It is no statement of the load.
                        self.used = self.session.usage();
                    }
                    read.map(|_| None)
                }
                CommandKind::If {
                    condition,
                    otherwise,
                }
                | CommandKind::While {
                    condition,
                    otherwise,
                } => {
                    let mut debug = place.debug(around);
                    let holds =
                        context(&self.exec.variables, &mut self.prng, &mut debug).holds(condition);
                    holds
                        .map(|holds| {
                            if !holds {
                                next = *otherwise;
                            }
                            None
                        })
                        .map_err(script_error)
                }
                CommandKind::Sleep(sleep) => sleep
                    .duration(&self.exec.variables)
                    .map(|duration| {
                        self.session.idle();
                        around.sleep(duration);
                        None
                    })
                    .map_err(script_error),
                CommandKind::Else | CommandKind::EndIf => Ok(None),
                // A loop without statements has no other place where the session could be reached.
                CommandKind::EndWhile => self
                    .session
                    .interrupts()
                    .map(|()| None)
                    .map_err(Fault::from),
                CommandKind::StartPipeline => {
                    let commands = script.script.commands.iter().skip(index);
                    let states = script.statements.iter_mut().skip(index);
                    self.exec
                        .start_pipeline(&mut self.session, script.mode, commands.zip(states))
                        .map(|()| None)
                }
                CommandKind::SyncPipeline => {
                    self.session.begin_laps(started);
                    executor::sync_pipeline(&mut self.session).map(Some)
                }
                CommandKind::EndPipeline => {
                    self.session.begin_laps(started);
                    executor::end_pipeline(&mut self.session).map(Some)
                }
            };
            self.now = around.now();
            let stats = &mut script.stats[index];
            match result {
                Ok(None) => {
                    if self.measured {
                        stats.record(self.now - started);
                    }
                }
                Ok(Some(completion)) => {
                    let used = self.session.usage();
                    if self.measured {
                        let latency = self.now - started;
                        let parts = completion.laps.parts(self.now);
                        self.spent.add(latency, &parts);
                        stats.record(latency);
                        stats.parts.merge(&parts);
                        stats.usage.add(&used.since(&self.used));
                        stats.rows += completion.processed;
                        self.received.0 += completion.rows;
                        self.received.1 += completion.bytes;
                    }
                    self.used = used;
                    // Within a pipeline nobody waits for the network.
                    if !self.round_trip.is_zero()
                        && self.session.in_transaction_block()
                        && !self.session.in_pipeline()
                    {
                        self.session.idle();
                        around.sleep(self.round_trip);
                        self.now = around.now();
                    }
                }
                Err(Fault {
                    error,
                    of_statement,
                }) => {
                    let command = Some(script.first_command + index);
                    self.roll_back(around);
                    return Err(Failure {
                        error,
                        command,
                        of_statement,
                    });
                }
            }
            index = next;
        }
        if self.session.in_pipeline() || self.session.in_transaction_block() {
            return Err(self.unfinished(around));
        }
        Ok(())
    }

    /// Where the scripts are, for the client's next session.
    pub fn state(&self) -> ScriptState {
        let values = self.exec.variables.values().iter();
        let (choice, chosen) = self.choice.state();
        ScriptState {
            choice,
            chosen,
            prng: self.prng,
            variables: values.map(|value| value.as_ref().map(Into::into)).collect(),
        }
    }

    /// Goes on where another session has left off.
    pub fn resume(&mut self, state: ScriptState) {
        self.choice.resume((state.choice, state.chosen));
        self.prng = state.prng;
        let values = state.variables.into_iter();
        self.exec
            .variables
            .replace(values.map(|value| value.map(Into::into)).collect());
    }

    /// Reports what this client's commands did since the last time.
    pub fn publish(&mut self, sink: &mut impl Sink) {
        for script in self.scripts.all.iter_mut().take(self.scripts.counted) {
            for (i, stats) in script.stats.iter_mut().enumerate() {
                sink.command(script.first_command + i, &take(stats));
            }
        }
    }
}

/// A command of a run: numbers from 0.
#[derive(Clone, Copy)]
struct CommandPlace {
    script: usize,
    command: usize,
}

impl CommandPlace {
    /// What debug() does there: it reports to the log.
    fn debug(self, around: &impl Surroundings) -> impl FnMut(&Value) {
        move |value| around.debug(self.script, self.command, value)
    }
}

fn context<'a>(
    variables: &'a Variables,
    prng: &'a mut Prng,
    debug: &'a mut dyn FnMut(&Value),
) -> Context<'a> {
    Context {
        variables,
        prng,
        debug,
    }
}

fn script_error(error: EvalError) -> Fault {
    Fault::of_script(SqlError::new("22000", &error.to_string()))
}
