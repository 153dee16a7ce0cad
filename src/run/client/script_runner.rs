//! Runs a client's scripts: variables, random numbers, statements, and what each command took.

use super::executor::{self, Executor, Fault, SqlState};
use super::script_start::ScriptStart;
use crate::pg::error::SqlError;
use crate::pg::process::clock::{self, nanoseconds};
use crate::pg::process::latch;
use crate::pg::process::usage::Usage;
use crate::pg::server;
use crate::pg::session::{QueryMode, Session};
use crate::run::request::spec::Spec;
use crate::run::shared::command::{CommandStats, Parts, Spent};
use crate::run::shared::reconnect::ScriptState;
use crate::run::shared::{Phase, Shared};
use crate::workload::scripts::parse;
use script::{
    CommandKind, Context, EvalError, Expr, ParseError, Prng, Script, Value, Variables,
    choose_script,
};
use std::mem::replace;
use std::time::Duration;

/// The error that a cancelled statement raises.
pub const QUERY_CANCELED: &str = "57014";

/// Why a script did not come to its end.
pub struct Failure {
    pub error: SqlError,
    /// Index over all commands of the run.
    pub command: Option<usize>,
    /// Whether a statement failed, not a meta-command or the script as a whole.
    pub of_statement: bool,
}

/// The state of a client's scripts.
pub struct ScriptRunner {
    pub session: Session,
    /// The monotonic clock when the last command ended, ns: the end of one is the start of the next.
    pub now: u64,
    /// What the session had used when the last statement ended: like the clock, it is read once a statement.
    pub used: Usage,
    /// Rows and bytes received so far.
    pub received: (u64, u64),
    /// What the statements took that succeeded since the script was last begun.
    pub spent: Spent,
    /// The run's scripts, then those of a warm-up that has its own.
    scripts: Vec<PreparedScript>,
    /// How many are the run's.
    counted: usize,
    /// Number of the first one to choose from, and the weights of those to choose from.
    first: usize,
    weights: Vec<u32>,
    /// Where the measured part begins, whatever the warm-up has drawn and set; None: it has begun.
    start: Option<Box<ScriptStart>>,
    current: usize,
    measured: bool,
    shared: Shared,
    /// The wait after each statement that leaves a transaction block open.
    round_trip: Duration,
    choice: Prng,
    prng: Prng,
    /// The random state when the transaction began, for a retry.
    prng_at_begin: Prng,
    exec: Executor,
}

struct PreparedScript {
    script: Script,
    statements: Vec<SqlState>,
    stats: Vec<CommandStats>,
    /// Number of its first command over all scripts.
    first_command: usize,
}

impl ScriptRunner {
    /// The scripts of a run as client number `client` runs them: its random stream is the one that pgbench
    /// gives that client for the same seed.
    pub fn new(
        spec: &Spec,
        client: usize,
        session: Session,
        shared: Shared,
    ) -> Result<ScriptRunner, ParseError> {
        let (mut scripts, mut symbols) = spec.parse_scripts()?;
        let counted = scripts.len();
        scripts.extend(parse(&spec.warmup_scripts, &mut symbols)?);
        let start = ScriptStart::new(spec, client, &mut symbols);
        let warmup = (spec.warmup_s > 0.0).then(|| start.of_warmup(spec, client, &mut symbols));
        let mut first_command = 0;
        let scripts = scripts
            .into_iter()
            .map(|script| {
                let count = script.commands.len();
                let prepared = PreparedScript {
                    statements: (0..count).map(|_| SqlState::default()).collect(),
                    stats: (0..count).map(|_| CommandStats::default()).collect(),
                    first_command,
                    script,
                };
                first_command += count;
                prepared
            })
            .collect();
        let mut runner = ScriptRunner {
            session,
            now: clock::now(),
            used: Usage::now(),
            received: (0, 0),
            spent: Spent::default(),
            scripts,
            counted,
            first: 0,
            weights: start.weights,
            start: None,
            current: 0,
            measured: false,
            shared,
            round_trip: Duration::from_nanos(nanoseconds(spec.round_trip_s)),
            choice: start.choice,
            prng: start.prng,
            prng_at_begin: start.prng,
            exec: Executor::new(spec.query_mode, symbols, start.variables),
        };
        if let Some(warmup) = warmup {
            let measured = runner.go_to(warmup);
            runner.start = Some(Box::new(measured));
            runner.first = if spec.warmup_scripts.is_empty() {
                0
            } else {
                counted
            };
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
            weights: replace(&mut self.weights, start.weights),
            choice: replace(&mut self.choice, start.choice),
            prng: replace(&mut self.prng, start.prng),
            variables: replace(&mut self.exec.variables, start.variables),
        }
    }

    /// Prepares what can be prepared before the barrier. What cannot (a table that the script itself makes)
    /// is tried again at its first use, where its error counts.
    pub fn prepare(&mut self) {
        if self.exec.mode != QueryMode::Prepared {
            return;
        }
        for script in &mut self.scripts {
            for (command, state) in script.script.commands.iter().zip(&mut script.statements) {
                if let CommandKind::Sql(sql) = &command.kind {
                    state.prepared = match self.session.prepare(&sql.prepared) {
                        Ok(statement) => Some(statement),
                        // Asked to stop waiting for a lock: what is left is prepared when it is run.
                        Err(error) if error.sqlstate == QUERY_CANCELED => return,
                        Err(_) => None,
                    };
                }
            }
        }
    }

    /// Chooses the script of the next transaction.
    #[inline]
    pub fn begin(&mut self, measured: bool) {
        self.current = self.first + choose_script(&mut self.choice, &self.weights);
        self.measured = measured;
        self.prng_at_begin = self.prng;
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
    pub fn run(&mut self) -> Result<(), Failure> {
        let Some(script) = self.scripts.get_mut(self.current) else {
            return Ok(());
        };
        self.spent = Spent::default();
        let mut index = 0;
        while let Some(command) = script.script.commands.get(index) {
            let started = self.now;
            let mut next = command.next;
            let place = Place {
                script: self.current,
                command: index,
            };
            let result = match &command.kind {
                CommandKind::Sql(sql) => {
                    self.session.begin_laps(started);
                    self.exec
                        .execute(&mut self.session, sql, &mut script.statements[index])
                        .map(Some)
                }
                CommandKind::Set { variable, expr } => {
                    evaluate(expr, &self.exec.variables, &mut self.prng, place)
                        .map(|value| {
                            self.exec.variables.set(*variable, value);
                            None
                        })
                        .map_err(script_error)
                }
                CommandKind::If {
                    condition,
                    otherwise,
                } => evaluate(condition, &self.exec.variables, &mut self.prng, place)
                    .map(|value| {
                        if !value.truth() {
                            next = *otherwise;
                        }
                        None
                    })
                    .map_err(script_error),
                CommandKind::Sleep(sleep) => sleep
                    .duration(&self.exec.variables)
                    .map(|duration| {
                        let shared = self.shared;
                        latch::sleep(duration, || shared.phase() == Phase::Stopping);
                        None
                    })
                    .map_err(script_error),
                CommandKind::Else | CommandKind::EndIf => Ok(None),
                CommandKind::StartPipeline => {
                    let rest = index + 1;
                    let commands = script.script.commands.iter().skip(rest);
                    let states = script.statements.iter_mut().skip(rest);
                    self.exec
                        .start_pipeline(&mut self.session, commands.zip(states))
                        .map(|()| None)
                }
                CommandKind::SyncPipeline => executor::sync_pipeline(&mut self.session).map(Some),
                CommandKind::EndPipeline => executor::end_pipeline(&mut self.session).map(Some),
            };
            self.now = clock::now();
            let stats = &mut script.stats[index];
            match result {
                Ok(None) => {
                    if self.measured {
                        stats.record(self.now - started);
                    }
                }
                Ok(Some(completion)) => {
                    let used = Usage::now();
                    if self.measured {
                        let latency = self.now - started;
                        let parts = Parts::of(&completion.laps, self.now);
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
                        latch::report_idle_in_transaction();
                        let shared = self.shared;
                        latch::sleep(self.round_trip, || shared.phase() == Phase::Stopping);
                        self.now = clock::now();
                    }
                }
                Err(Fault {
                    error,
                    of_statement,
                }) => {
                    let command = Some(script.first_command + index);
                    self.roll_back();
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
            return Err(self.unfinished());
        }
        Ok(())
    }

    /// What is wrong with a script that leaves a pipeline or a transaction open.
    #[cold]
    fn unfinished(&mut self) -> Failure {
        let message = if self.session.in_pipeline() {
            "end of script reached with pipeline open"
        } else {
            "end of script reached without completing the last transaction"
        };
        self.roll_back();
        Failure {
            error: SqlError::new("25001", message),
            command: None,
            of_statement: false,
        }
    }

    /// Counts that a command's error was answered with another try.
    pub fn count_retry(&mut self, failure: &Failure) {
        if let Some(stats) = self.stats_of(failure) {
            stats.retries += 1;
        }
    }

    /// Counts that a command's error ended its transaction.
    pub fn count_failure(&mut self, failure: &Failure) {
        if let Some(stats) = self.stats_of(failure) {
            stats.failed += 1;
        }
    }

    /// Where a failed command of the current script is counted; None outside the measured part.
    fn stats_of(&mut self, failure: &Failure) -> Option<&mut CommandStats> {
        let command = failure.command.filter(|_| self.measured)?;
        let script = self.scripts.get_mut(self.current)?;
        script.stats.get_mut(command - script.first_command)
    }

    /// A real ROLLBACK, as a client sends it, if a block is open; a pipeline is left.
    fn roll_back(&mut self) {
        self.session.abandon_pipeline();
        if self.session.in_transaction_block() {
            // It cannot fail in a way that leaves the block open: an error aborts it just as well.
            let _ = self.session.execute_simple("ROLLBACK");
        }
        self.used = Usage::now();
        self.now = clock::now();
    }

    /// Where the scripts are, for the client's next session.
    pub fn state(&self) -> ScriptState {
        let values = self.exec.variables.values().iter();
        ScriptState {
            choice: self.choice,
            prng: self.prng,
            variables: values.map(|value| value.as_ref().map(Into::into)).collect(),
        }
    }

    /// Goes on where another session has left off.
    pub fn resume(&mut self, state: ScriptState) {
        self.choice = state.choice;
        self.prng = state.prng;
        let values = state.variables.into_iter();
        self.exec
            .variables
            .replace(values.map(|value| value.map(Into::into)).collect());
    }

    /// Adds what this client's commands did since the last time to the run's.
    pub fn publish(&mut self) {
        for script in self.scripts.iter_mut().take(self.counted) {
            for (i, stats) in script.stats.iter_mut().enumerate() {
                std::mem::take(stats).publish(self.shared.command(script.first_command + i));
            }
        }
    }
}

/// A command of a run: numbers from 0.
#[derive(Clone, Copy)]
struct Place {
    script: usize,
    command: usize,
}

/// Computes an expression; debug() reports to the server's log.
fn evaluate(
    expr: &Expr,
    variables: &Variables,
    prng: &mut Prng,
    place: Place,
) -> Result<Value, EvalError> {
    Context {
        variables,
        prng,
        debug: &mut |value| report_debug(place, value),
    }
    .eval(expr)
}

/// In pgbench's words: it counts scripts from 0, and commands from 1.
fn report_debug(Place { script, command }: Place, value: &Value) {
    server::log(&format!(
        "pgperf debug(script={script},command={}): {}",
        command + 1,
        value.describe()
    ));
}

fn script_error(error: EvalError) -> Fault {
    Fault::of_script(SqlError::new("22000", &error.to_string()))
}
