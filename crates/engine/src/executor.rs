//! A client's statements on their way to its transport: variables, query modes, results, pipelines.

use crate::capture::Targets;
use crate::error::{QUERY_CANCELED, SqlError};
use crate::named::NamedStatements;
use crate::pool;
use crate::transport::{Completion, QueryMode, Transport};
use script::{Capture, CapturedRows, Command, CommandKind, SqlCommand, Symbols, Variables};
use std::sync::Arc;

/// What statements need besides the session.
pub struct Executor {
    pub variables: Variables,
    symbols: Symbols,
    text: String,
}

/// What a client remembers of a statement.
pub struct SqlState<S> {
    /// In prepared mode, once it is.
    pub prepared: Option<S>,
    /// The same of one that has variables in its names.
    named: NamedStatements<S>,
    /// If its results become variables: which.
    targets: Targets,
}

impl<S> Default for SqlState<S> {
    fn default() -> Self {
        SqlState {
            prepared: None,
            named: NamedStatements::default(),
            targets: Targets::default(),
        }
    }
}

impl<S> SqlState<S> {
    /// Gives up what was prepared.
    pub fn forget<T: Transport<Statement = S>>(&mut self, session: &mut T) {
        if let Some(statement) = self.prepared.take() {
            session.forget(statement);
        }
        self.named.forget(session);
    }
}

/// Why a command failed.
pub struct Fault {
    pub error: SqlError,
    /// Whether it is the error of a statement, after which a client may go on; that of a script ends it.
    pub of_statement: bool,
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Fault {
        Fault {
            error,
            of_statement: true,
        }
    }
}

impl Fault {
    /// What is wrong with the script itself.
    pub fn of_script(error: SqlError) -> Fault {
        Fault {
            error,
            of_statement: false,
        }
    }

    /// A command where pgbench does not allow it.
    pub(crate) fn misplaced(message: &str) -> Fault {
        Fault::of_script(SqlError::new("55000", message))
    }
}

impl Executor {
    pub fn new(symbols: Symbols, variables: Variables) -> Executor {
        Executor {
            variables,
            symbols,
            text: String::new(),
        }
    }

    /// Runs a statement in this mode.
    #[inline]
    pub fn execute<T: Transport>(
        &mut self,
        session: &mut T,
        mode: QueryMode,
        sql: &SqlCommand,
        state: &mut SqlState<T::Statement>,
    ) -> Result<Completion, Fault> {
        if session.in_pipeline() {
            return self.pipelined(session, sql, state);
        }
        match &sql.capture {
            None => Ok(self.send(session, mode, sql, state)?),
            Some(capture) => self.captured(session, mode, sql, capture, state),
        }
    }

    #[inline]
    fn send<T: Transport>(
        &mut self,
        session: &mut T,
        mode: QueryMode,
        sql: &SqlCommand,
        state: &mut SqlState<T::Statement>,
    ) -> Result<Completion, SqlError> {
        if mode == QueryMode::Simple {
            self.text.clear();
            sql.interpolate(&self.variables, &mut self.text);
            return session.execute_simple(&self.text);
        }
        if sql.has_names() {
            return self.send_named(session, mode, sql, state);
        }
        let values = sql.arguments(&self.variables);
        if mode == QueryMode::Extended {
            return session.execute_unprepared(&sql.prepared, values);
        }
        let prepared = match &mut state.prepared {
            Some(prepared) => prepared,
            none => none.insert(session.prepare(&sql.prepared, sql.params.len())?),
        };
        session.execute(prepared, values)
    }

    /// Runs a statement that has variables in its names, in extended or prepared mode.
    #[inline(never)]
    fn send_named<T: Transport>(
        &mut self,
        session: &mut T,
        mode: QueryMode,
        sql: &SqlCommand,
        state: &mut SqlState<T::Statement>,
    ) -> Result<Completion, SqlError> {
        if mode == QueryMode::Prepared {
            return (state.named).execute(session, sql, &self.variables, &mut self.text);
        }
        self.fill_names(sql);
        session.execute_unprepared(&self.text, sql.arguments(&self.variables))
    }

    fn fill_names(&mut self, sql: &SqlCommand) {
        self.text.clear();
        sql.fill_names(&self.variables, &mut self.text);
    }

    /// Runs a statement and stores its results in variables.
    fn captured<T: Transport>(
        &mut self,
        session: &mut T,
        mode: QueryMode,
        sql: &SqlCommand,
        capture: &Capture,
        state: &mut SqlState<T::Statement>,
    ) -> Result<Completion, Fault> {
        session.keep_results(true);
        let sent = self.send(session, mode, sql, state);
        session.keep_results(false);
        let completion = sent?;
        state
            .targets
            .store(capture, session, &self.symbols, &mut self.variables)
            .map_err(Fault::of_script)?;
        Ok(completion)
    }

    /// Reads a pool unless it is there, and makes it the one of its name; whether it has read it.
    #[inline]
    pub fn pool<T: Transport>(
        &mut self,
        session: &mut T,
        name: &Arc<str>,
        query: &SqlCommand,
    ) -> Result<bool, Fault> {
        if self.variables.choose_pool(name, &query.text) {
            return Ok(false);
        }
        let pool = pool::read(session, query, &self.variables)?;
        self.variables.set_pool(Arc::clone(name), Arc::new(pool));
        Ok(true)
    }

    /// Begins a pipeline. In prepared mode the statements up to its end are prepared before, since afterwards
    /// a failed one would fail the pipeline, and a snapshot taken for one would forbid to set the isolation.
    pub fn start_pipeline<'a, T: Transport>(
        &mut self,
        session: &mut T,
        mode: QueryMode,
        rest: impl Iterator<Item = (&'a Command, &'a mut SqlState<T::Statement>)>,
    ) -> Result<(), Fault>
    where
        T::Statement: 'a,
    {
        if mode == QueryMode::Simple {
            return Err(Fault::misplaced(
                "cannot use pipeline mode with the simple query protocol",
            ));
        }
        if session.in_pipeline() {
            return Err(Fault::misplaced("already in pipeline mode"));
        }
        if mode == QueryMode::Prepared {
            prepare_pipeline(session, rest)?;
        }
        session.begin_pipeline();
        Ok(())
    }

    /// Runs a statement of a pipeline; its error is raised at the pipeline's end.
    #[cold]
    fn pipelined<T: Transport>(
        &mut self,
        session: &mut T,
        sql: &SqlCommand,
        state: &mut SqlState<T::Statement>,
    ) -> Result<Completion, Fault> {
        match sql.capture.as_ref().map(|capture| capture.rows) {
            Some(CapturedRows::Only) => {
                return Err(Fault::misplaced("\\gset is not allowed in pipeline mode"));
            }
            Some(CapturedRows::LastOfEach) => {
                return Err(Fault::misplaced("\\aset is not allowed in pipeline mode"));
            }
            None => {}
        }
        if sql.has_names() {
            self.fill_names(sql);
            let values = sql.arguments(&self.variables);
            return Ok(session.pipeline_unprepared(&self.text, values));
        }
        let values = sql.arguments(&self.variables);
        Ok(match &state.prepared {
            Some(statement) => session.pipeline(statement, values),
            None => session.pipeline_unprepared(&sql.prepared, values),
        })
    }
}

/// Prepares what is not yet of the statements up to the end of the pipeline. One that cannot be (a table that
/// the pipeline itself makes) is parsed when it is reached; inside a block the failure is the client's, whose
/// block it ends.
fn prepare_pipeline<'a, T: Transport>(
    session: &mut T,
    rest: impl Iterator<Item = (&'a Command, &'a mut SqlState<T::Statement>)>,
) -> Result<(), SqlError>
where
    T::Statement: 'a,
{
    for (command, state) in rest {
        match &command.kind {
            CommandKind::EndPipeline => return Ok(()),
            CommandKind::Sql(sql) if state.prepared.is_none() && !sql.has_names() => {
                match session.prepare(&sql.prepared, sql.params.len()) {
                    Ok(statement) => state.prepared = Some(statement),
                    Err(error)
                        if error.sqlstate == QUERY_CANCELED || session.in_transaction_block() =>
                    {
                        return Err(error);
                    }
                    Err(_) => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// `\syncpipeline`: what it commits is its own work.
pub fn sync_pipeline<T: Transport>(session: &mut T) -> Result<Completion, Fault> {
    if !session.in_pipeline() {
        return Err(Fault::misplaced("not in pipeline mode"));
    }
    Ok(session.sync_pipeline())
}

/// `\endpipeline`; here the client learns of the pipeline's first error.
pub fn end_pipeline<T: Transport>(session: &mut T) -> Result<Completion, Fault> {
    if !session.in_pipeline() {
        return Err(Fault::misplaced("not in pipeline mode"));
    }
    Ok(session.end_pipeline()?)
}
