//! A client's statements on their way to its session: variables, query modes, results, pipelines.

use super::capture::Targets;
use super::script_runner::QUERY_CANCELED;
use crate::pg::error::SqlError;
use crate::pg::session::params::Params;
use crate::pg::session::{Completion, QueryMode, Session, Statement};
use script::{Capture, CapturedRows, Command, CommandKind, SqlCommand, Symbols, Value, Variables};

/// What statements need besides the session.
pub struct Executor {
    pub variables: Variables,
    pub mode: QueryMode,
    symbols: Symbols,
    params: Params,
    text: String,
}

/// What a client remembers of a statement.
#[derive(Default)]
pub struct SqlState {
    /// In prepared mode, once it is.
    pub prepared: Option<Statement>,
    /// If its results become variables: which.
    targets: Targets,
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
    fn misplaced(message: &str) -> Fault {
        Fault::of_script(SqlError::new("55000", message))
    }
}

impl Executor {
    pub fn new(mode: QueryMode, symbols: Symbols, variables: Variables) -> Executor {
        Executor {
            mode,
            variables,
            symbols,
            params: Params::default(),
            text: String::new(),
        }
    }

    /// Runs a statement.
    #[inline]
    pub fn execute(
        &mut self,
        session: &mut Session,
        sql: &SqlCommand,
        state: &mut SqlState,
    ) -> Result<Completion, Fault> {
        if session.in_pipeline() {
            return self.pipelined(session, sql, state);
        }
        match &sql.capture {
            None => Ok(self.send(session, sql, &mut state.prepared)?),
            Some(capture) => self.captured(session, sql, capture, state),
        }
    }

    #[inline]
    fn send(
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

    /// Runs a statement and stores its results in variables.
    fn captured(
        &mut self,
        session: &mut Session,
        sql: &SqlCommand,
        capture: &Capture,
        state: &mut SqlState,
    ) -> Result<Completion, Fault> {
        let completion = session.keeping(|session| self.send(session, sql, &mut state.prepared))?;
        state
            .targets
            .store(capture, session.kept(), &self.symbols, &mut self.variables)
            .map_err(Fault::of_script)?;
        Ok(completion)
    }

    /// Begins a pipeline. In prepared mode the statements up to its end are prepared before, since afterwards
    /// a failed one would fail the pipeline, and a snapshot taken for one would forbid to set the isolation.
    pub fn start_pipeline<'a>(
        &mut self,
        session: &mut Session,
        rest: impl Iterator<Item = (&'a Command, &'a mut SqlState)>,
    ) -> Result<(), Fault> {
        if self.mode == QueryMode::Simple {
            return Err(Fault::misplaced(
                "cannot use pipeline mode with the simple query protocol",
            ));
        }
        if session.in_pipeline() {
            return Err(Fault::misplaced("already in pipeline mode"));
        }
        if self.mode == QueryMode::Prepared {
            prepare_pipeline(session, rest)?;
        }
        session.begin_pipeline();
        Ok(())
    }

    /// Runs a statement of a pipeline; its error is raised at the pipeline's end.
    #[cold]
    fn pipelined(
        &mut self,
        session: &mut Session,
        sql: &SqlCommand,
        state: &mut SqlState,
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
        self.bind(sql);
        Ok(match &state.prepared {
            Some(statement) => session.pipeline(statement, &mut self.params),
            None => session.pipeline_unprepared(&sql.prepared, &mut self.params),
        })
    }
}

/// Prepares what is not yet of the statements up to the end of the pipeline. One that cannot be (a table that
/// the pipeline itself makes) is parsed when it is reached; inside a block the failure is the client's, whose
/// block it ends.
fn prepare_pipeline<'a>(
    session: &mut Session,
    rest: impl Iterator<Item = (&'a Command, &'a mut SqlState)>,
) -> Result<(), SqlError> {
    for (command, state) in rest {
        match &command.kind {
            CommandKind::EndPipeline => return Ok(()),
            CommandKind::Sql(sql) if state.prepared.is_none() => {
                match session.prepare(&sql.prepared) {
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
pub fn sync_pipeline(session: &mut Session) -> Result<Completion, Fault> {
    if !session.in_pipeline() {
        return Err(Fault::misplaced("not in pipeline mode"));
    }
    session.sync_pipeline();
    Ok(Completion::default())
}

/// `\endpipeline`; here the client learns of the pipeline's first error.
pub fn end_pipeline(session: &mut Session) -> Result<Completion, Fault> {
    if !session.in_pipeline() {
        return Err(Fault::misplaced("not in pipeline mode"));
    }
    session.end_pipeline()?;
    Ok(Completion::default())
}
