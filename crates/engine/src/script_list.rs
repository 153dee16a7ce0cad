//! The scripts of a client, with what it keeps of each: prepared statements and statistics.

use crate::command::CommandStats;
use crate::error::{QUERY_CANCELED, SqlError, WRONG_VALUES};
use crate::executor::SqlState;
use crate::spec::{RunSpec, parse_scripts};
use crate::transport::{QueryMode, Transport};
use script::{CommandKind, ParseError, Script, Symbols};

/// A script, and what became of its commands.
pub struct ListedScript<S> {
    pub script: Script,
    /// How its statements reach the server.
    pub mode: QueryMode,
    /// The SQLSTATEs that fail a transaction, not its client.
    pub survives: Vec<String>,
    pub statements: Vec<SqlState<S>>,
    pub stats: Vec<CommandStats>,
    /// Number of its first command over all scripts.
    pub first_command: usize,
}

/// The run's scripts, then those of a warm-up that has its own.
pub struct ScriptList<S> {
    pub all: Vec<ListedScript<S>>,
    /// How many are the run's.
    pub counted: usize,
    /// Number of the first one that the warm-up chooses from.
    pub first_of_warmup: usize,
}

impl<S> ScriptList<S> {
    /// Reads the scripts of a run.
    ///
    /// # Errors
    /// The first one that cannot be parsed.
    pub fn new(spec: &RunSpec, symbols: &mut Symbols) -> Result<ScriptList<S>, ParseError> {
        let mut scripts = parse_scripts(&spec.scripts, symbols)?;
        let counted = scripts.len();
        let own = spec.warmup.iter().flat_map(|warmup| &warmup.scripts);
        let first_of_warmup = own.clone().next().map_or(0, |_| counted);
        if let Some(warmup) = &spec.warmup {
            scripts.extend(parse_scripts(&warmup.scripts, symbols)?);
        }
        let mut first_command = 0;
        let all = scripts
            .into_iter()
            .zip(spec.scripts.iter().chain(own))
            .map(|(script, given)| {
                let count = script.commands.len();
                let listed = ListedScript {
                    statements: (0..count).map(|_| SqlState::default()).collect(),
                    stats: (0..count).map(|_| CommandStats::default()).collect(),
                    first_command,
                    mode: given.query_mode(spec.query_mode),
                    survives: given.survives.clone(),
                    script,
                };
                first_command += count;
                listed
            })
            .collect();
        Ok(ScriptList {
            all,
            counted,
            first_of_warmup,
        })
    }

    /// Gives up what was prepared.
    pub fn forget<T: Transport<Statement = S>>(&mut self, session: &mut T) {
        for state in self.all.iter_mut().flat_map(|it| &mut it.statements) {
            state.forget(session);
        }
    }

    /// Prepares what can be prepared before the barrier. What cannot (a table that the script itself makes)
    /// is tried again at its first use, where its error counts. Names with variables in them are not known yet.
    ///
    /// # Errors
    /// With the number of its command: one whose values can never fit.
    pub fn prepare<T: Transport<Statement = S>>(
        &mut self,
        session: &mut T,
    ) -> Result<(), (usize, SqlError)> {
        let prepared = |script: &&mut ListedScript<S>| script.mode == QueryMode::Prepared;
        for script in self.all.iter_mut().filter(prepared) {
            let states = script.statements.iter_mut().enumerate();
            for (command, (index, state)) in script.script.commands.iter().zip(states) {
                if let CommandKind::Sql(sql) = &command.kind
                    && !sql.has_names()
                {
                    state.prepared = match session.prepare(&sql.prepared, sql.params.len()) {
                        Ok(statement) => Some(statement),
                        // Asked to stop waiting for a lock: what is left is prepared when it is run.
                        Err(error) if error.sqlstate == QUERY_CANCELED => return Ok(()),
                        Err(error) if error.sqlstate == WRONG_VALUES => {
                            return Err((script.first_command + index, error));
                        }
                        Err(_) => None,
                    };
                }
            }
        }
        Ok(())
    }
}
