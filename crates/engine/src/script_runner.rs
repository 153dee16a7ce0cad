//! Runs a client's scripts: variables, random numbers, statements, and what each command took.

use crate::command::{CommandStats, Spent};
use crate::error::{QUERY_CANCELED, SqlError};
use crate::executor::{self, Executor, Fault, SqlState};
use crate::handover::ScriptState;
use crate::script_start::ScriptStart;
use crate::sink::Sink;
use crate::spec::{RunSpec, parse_scripts};
use crate::surroundings::Surroundings;
use crate::transport::{QueryMode, Transport};
use crate::usage::Usage;
use script::{
    CommandKind, Context, EvalError, Expr, ParseError, Prng, Script, Symbols, Value, Variables,
    choose_script,
};
use std::mem::{replace, take};
use std::time::Duration;

/// Why a script did not come to its end.
pub struct Failure {
    pub error: SqlError,
    /// Index over all commands of the run.
    pub command: Option<usize>,
    /// Whether a statement failed, not a meta-command or the script as a whole.
    pub of_statement: bool,
}

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
    /// The run's scripts, then those of a warm-up that has its own.
    scripts: Vec<PreparedScript<T::Statement>>,
    /// How many are the run's.
    counted: usize,
    /// Number of the first one to choose from, and the weights of those to choose from.
    first: usize,
    weights: Vec<u32>,
    /// Where the measured part begins, whatever the warm-up has drawn and set; None: it has begun.
    start: Option<Box<ScriptStart>>,
    current: usize,
    measured: bool,
    /// The wait after each statement that leaves a transaction block open.
    round_trip: Duration,
    choice: Prng,
    prng: Prng,
    /// The random state when the transaction began, for a retry.
    prng_at_begin: Prng,
    exec: Executor,
}

struct PreparedScript<S> {
    script: Script,
    statements: Vec<SqlState<S>>,
    stats: Vec<CommandStats>,
    /// Number of its first command over all scripts.
    first_command: usize,
}

impl<T: Transport> ScriptRunner<T> {
    /// The scripts of a run as client number `client` runs them: its random stream is the one that pgbench
    /// gives that client for the same seed.
    pub fn new(
        spec: &RunSpec,
        client: usize,
        session: T,
        now: u64,
    ) -> Result<ScriptRunner<T>, ParseError> {
        let mut symbols = Symbols::new();
        let mut scripts = parse_scripts(&spec.scripts, &mut symbols)?;
        let counted = scripts.len();
        let mut first_of_warmup = 0;
        if let Some(own) = spec.warmup.as_ref().map(|warmup| &warmup.scripts)
            && !own.is_empty()
        {
            first_of_warmup = counted;
            scripts.extend(parse_scripts(own, &mut symbols)?);
        }
        let start = ScriptStart::new(spec, client, &mut symbols);
        let warmup = spec
            .warmup
            .as_ref()
            .map(|warmup| start.of_warmup(spec, warmup, client, &mut symbols));
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
            now,
            used: session.usage(),
            session,
            received: (0, 0),
            spent: Spent::default(),
            scripts,
            counted,
            first: 0,
            weights: start.weights,
            start: None,
            current: 0,
            measured: false,
            round_trip: spec.round_trip,
            choice: start.choice,
            prng: start.prng,
            prng_at_begin: start.prng,
            exec: Executor::new(spec.query_mode, symbols, start.variables),
        };
        if let Some(warmup) = warmup {
            let measured = runner.go_to(warmup);
            runner.start = Some(Box::new(measured));
            runner.first = first_of_warmup;
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
        'scripts: for script in &mut self.scripts {
            for (command, state) in script.script.commands.iter().zip(&mut script.statements) {
                if let CommandKind::Sql(sql) = &command.kind {
                    state.prepared = match self.session.prepare(&sql.prepared) {
                        Ok(statement) => Some(statement),
                        // Asked to stop waiting for a lock: what is left is prepared when it is run.
                        Err(error) if error.sqlstate == QUERY_CANCELED => break 'scripts,
                        Err(_) => None,
                    };
                }
            }
        }
        // No statement has used that.
        self.used = self.session.usage();
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
    pub fn run(&mut self, around: &impl Surroundings) -> Result<(), Failure> {
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
                    evaluate(expr, &self.exec.variables, &mut self.prng, place, around)
                        .map(|value| {
                            self.exec.variables.set(*variable, value);
                            None
                        })
                        .map_err(script_error)
                }
                CommandKind::If {
                    condition,
                    otherwise,
                } => evaluate(
                    condition,
                    &self.exec.variables,
                    &mut self.prng,
                    place,
                    around,
                )
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
                        around.sleep(duration);
                        None
                    })
                    .map_err(script_error),
                CommandKind::Else | CommandKind::EndIf => Ok(None),
                CommandKind::StartPipeline => {
                    let commands = script.script.commands.iter().skip(index);
                    let states = script.statements.iter_mut().skip(index);
                    self.exec
                        .start_pipeline(&mut self.session, commands.zip(states))
                        .map(|()| None)
                }
                CommandKind::SyncPipeline => executor::sync_pipeline(&mut self.session).map(Some),
                CommandKind::EndPipeline => executor::end_pipeline(&mut self.session).map(Some),
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
                        self.session.report_idle_in_transaction();
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

    /// What is wrong with a script that leaves a pipeline or a transaction open.
    #[cold]
    fn unfinished(&mut self, around: &impl Surroundings) -> Failure {
        let message = if self.session.in_pipeline() {
            "end of script reached with pipeline open"
        } else {
            "end of script reached without completing the last transaction"
        };
        self.roll_back(around);
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
    fn roll_back(&mut self, around: &impl Surroundings) {
        self.session.abandon_pipeline();
        if self.session.in_transaction_block() {
            // It cannot fail in a way that leaves the block open: an error aborts it just as well.
            let _ = self.session.execute_simple("ROLLBACK");
        }
        self.used = self.session.usage();
        self.now = around.now();
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

    /// Reports what this client's commands did since the last time.
    pub fn publish(&mut self, sink: &mut impl Sink) {
        for script in self.scripts.iter_mut().take(self.counted) {
            for (i, stats) in script.stats.iter_mut().enumerate() {
                sink.command(script.first_command + i, &take(stats));
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

/// Computes an expression; debug() reports to the log.
fn evaluate(
    expr: &Expr,
    variables: &Variables,
    prng: &mut Prng,
    place: Place,
    around: &impl Surroundings,
) -> Result<Value, EvalError> {
    Context {
        variables,
        prng,
        debug: &mut |value| around.debug(place.script, place.command, value),
    }
    .eval(expr)
}

fn script_error(error: EvalError) -> Fault {
    Fault::of_script(SqlError::new("22000", &error.to_string()))
}
