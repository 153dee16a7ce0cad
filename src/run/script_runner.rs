//! Runs a client's scripts: variables, random numbers, statements, and what each command took.

use super::command::CommandStats;
use super::shared::Shared;
use super::spec::Spec;
use crate::pg::error::SqlError;
use crate::pg::params::Params;
use crate::pg::session::{Completion, QueryMode, Session, Statement};
use crate::pg::usage::Usage;
use crate::pg::{clock, latch, server};
use crate::script::{
    CommandKind, Context, EvalError, Expr, ParseError, Prng, Script, SqlCommand, Value, Variables,
    choose_script,
};

/// The error that a cancelled statement raises.
pub const QUERY_CANCELED: &str = "57014";

/// Why a script did not come to its end.
pub struct Failure {
    pub error: SqlError,
    /// Index over all commands of the run.
    pub command: Option<usize>,
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
    /// Whether the transaction that just ended has failed for good.
    pub outcome_failed: bool,
    scripts: Vec<PreparedScript>,
    weights: Vec<u32>,
    current: usize,
    measured: bool,
    choice: Prng,
    prng: Prng,
    /// The random state when the transaction began, for a retry.
    prng_at_begin: Prng,
    exec: Executor,
}

struct PreparedScript {
    script: Script,
    statements: Vec<Option<Statement>>,
    stats: Vec<CommandStats>,
    /// Number of its first command over all scripts.
    first_command: usize,
}

/// What statements need besides the session.
struct Executor {
    mode: QueryMode,
    variables: Variables,
    params: Params,
    text: String,
}

impl ScriptRunner {
    /// The scripts of a run as client number `client` runs them: its random stream is the one that pgbench
    /// gives that client for the same seed.
    pub fn new(spec: &Spec, client: usize, session: Session) -> Result<ScriptRunner, ParseError> {
        let (scripts, mut symbols) = spec.parse_scripts()?;
        let streams = spec.streams();
        let mut variables = Variables::new(&symbols);
        let built_in = [
            ("scale", Value::Int(i64::from(spec.scale.unwrap_or(1)))),
            ("client_id", Value::Int(client as i64)),
            ("default_seed", Value::Int(streams.default_seed)),
            ("random_seed", Value::Int(spec.random_seed)),
        ];
        for (name, value) in built_in {
            variables.set(symbols.intern(name), value);
        }
        for (name, value) in &spec.variables {
            variables.set(symbols.intern(name), Value::Text(value.as_str().into()));
        }
        let mut first_command = 0;
        let scripts = scripts
            .into_iter()
            .map(|script| {
                let count = script.commands.len();
                let prepared = PreparedScript {
                    statements: (0..count).map(|_| None).collect(),
                    stats: (0..count).map(|_| CommandStats::default()).collect(),
                    first_command,
                    script,
                };
                first_command += count;
                prepared
            })
            .collect();
        let prng = streams
            .clients
            .get(client)
            .copied()
            .unwrap_or(Prng::new(spec.random_seed as u64));
        Ok(ScriptRunner {
            session,
            now: clock::now(),
            used: Usage::now(),
            received: (0, 0),
            outcome_failed: false,
            scripts,
            weights: spec.scripts.iter().map(|script| script.weight).collect(),
            current: 0,
            measured: false,
            choice: streams
                .threads
                .get(client)
                .map_or(prng, |thread| thread.choice),
            prng,
            prng_at_begin: prng,
            exec: Executor {
                mode: spec.query_mode,
                variables,
                params: Params::default(),
                text: String::new(),
            },
        })
    }

    /// Prepares what can be prepared before the barrier. What cannot (a table that the script itself makes)
    /// is tried again at its first use, where its error counts.
    pub fn prepare(&mut self) {
        if self.exec.mode != QueryMode::Prepared {
            return;
        }
        for script in &mut self.scripts {
            for (command, slot) in script.script.commands.iter().zip(&mut script.statements) {
                if let CommandKind::Sql(sql) = &command.kind {
                    *slot = match self.session.prepare(&sql.prepared) {
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
        self.current = choose_script(&mut self.choice, &self.weights);
        self.measured = measured;
        self.prng_at_begin = self.prng;
        self.outcome_failed = false;
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
        let mut index = 0;
        while let Some(command) = script.script.commands.get(index) {
            let started = self.now;
            let mut next = command.next;
            let result = match &command.kind {
                CommandKind::Sql(sql) => self
                    .exec
                    .execute(&mut self.session, sql, &mut script.statements[index])
                    .map(Some),
                CommandKind::Set { variable, expr } => {
                    evaluate(expr, &self.exec.variables, &mut self.prng)
                        .map(|value| {
                            self.exec.variables.set(*variable, value);
                            None
                        })
                        .map_err(script_error)
                }
                CommandKind::If {
                    condition,
                    otherwise,
                } => evaluate(condition, &self.exec.variables, &mut self.prng)
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
                        latch::sleep(duration);
                        None
                    })
                    .map_err(script_error),
                CommandKind::Else | CommandKind::EndIf => Ok(None),
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
                        stats.record(self.now - started);
                        stats.usage.add(&used.since(&self.used));
                        stats.rows += completion.processed;
                        self.received.0 += completion.rows;
                        self.received.1 += completion.bytes;
                    }
                    self.used = used;
                }
                Err(error) => {
                    stats.failed += u64::from(self.measured);
                    let command = Some(script.first_command + index);
                    self.roll_back();
                    return Err(Failure { error, command });
                }
            }
            index = next;
        }
        if self.session.in_transaction_block() {
            self.roll_back();
            let message = "end of script reached without completing the last transaction";
            return Err(Failure {
                error: SqlError::new("25001", message),
                command: None,
            });
        }
        Ok(())
    }

    /// A real ROLLBACK, as a client sends it, if a block is open.
    fn roll_back(&mut self) {
        if self.session.in_transaction_block() {
            // It cannot fail in a way that leaves the block open: an error aborts it just as well.
            let _ = self.session.execute_simple("ROLLBACK");
        }
        self.used = Usage::now();
        self.now = clock::now();
    }

    /// Adds what this client's commands did to the run's.
    pub fn publish(&self, shared: &Shared) {
        for script in &self.scripts {
            for (i, stats) in script.stats.iter().enumerate() {
                stats.publish(shared.command(script.first_command + i));
            }
        }
    }
}

/// Computes an expression; debug() reports to the server's log.
fn evaluate(expr: &Expr, variables: &Variables, prng: &mut Prng) -> Result<Value, EvalError> {
    Context {
        variables,
        prng,
        debug: &mut report_debug,
    }
    .eval(expr)
}

fn report_debug(value: &Value) {
    server::log(&format!("pgperf script debug: {}", value.describe()));
}

fn script_error(error: EvalError) -> SqlError {
    SqlError::new("22000", &error.to_string())
}

impl Executor {
    #[inline]
    fn execute(
        &mut self,
        session: &mut Session,
        sql: &SqlCommand,
        statement: &mut Option<Statement>,
    ) -> Result<Completion, SqlError> {
        if self.mode == QueryMode::Simple {
            self.text.clear();
            sql.interpolate(&self.variables, &mut self.text);
            return session.execute_simple(&self.text);
        }
        self.bind(sql);
        if self.mode == QueryMode::Extended {
            return session.execute_unprepared(&sql.prepared, &mut self.params);
        }
        let prepared = match statement {
            Some(prepared) => prepared,
            None => statement.insert(session.prepare(&sql.prepared)?),
        };
        session.execute(prepared, &mut self.params)
    }

    #[inline]
    fn bind(&mut self, sql: &SqlCommand) {
        self.params.clear();
        for value in sql.arguments(&self.variables) {
            match value {
                None => self.params.push_null(),
                Some(Value::Int(value)) => self.params.push_int(*value),
                Some(value) => {
                    self.text.clear();
                    value.write_text(&mut self.text);
                    self.params.push_text(&self.text);
                }
            }
        }
    }
}
