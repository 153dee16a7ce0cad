//! The statements before and after a run. `vacuum` and `before_sql` come before its clients start. When they have ended, the
//! queries for the metrics of its workloads, the statements that undo its changes, and `after_sql` follow. A separate worker
//! executes them, in a session of the run's role, so that they are not in the run's figures. No transaction block surrounds
//! them, so that VACUUM or CHECKPOINT are possible.

use super::client::{self, client_error};
use super::drain::until_true;
use super::error::refused_statement;
use super::own_metrics;
use super::request::spec::Spec;
use super::shared::slot::{ClientState, Slot};
use super::shared::{Phase, Shared};
use super::side_session::SideSession;
use crate::error::Result;
use crate::pg::error::SqlError;
use crate::pg::process::latch;
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::session::receiver::ResultMode;
use crate::pg::session::{Session, refusal};
use crate::pg::sql::subxact::subtransaction;
use crate::pg::{encoding, server};
use crate::target;
use engine::ClientError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The side of the run that the statements are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    Before,
    /// After the clients, for the metrics.
    Metrics,
    /// While the receivers catch up.
    Drain,
    After,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Before => "before",
            Side::Metrics => "metrics",
            Side::Drain => "drain",
            Side::After => "after",
        })
    }
}

/// The worker's arguments.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub side: Side,
    pub application_name: String,
    /// The target of the run; None: this server.
    #[serde(default)]
    pub server: Option<String>,
    search_path: String,
    settings: BTreeMap<String, String>,
    pub statements: Vec<SideStatement>,
}

/// One statement, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideStatement {
    /// The argument of `start_run`.
    pub argument: String,
    /// Its number among that argument's statements.
    pub number: usize,
    sql: String,
}

impl Job {
    /// The vacuum is that of each server; all else is done on the first.
    pub fn before(spec: &Spec, run_id: i64) -> Vec<Job> {
        let (vacuum, before) = (spec.vacuum_sql.clone(), spec.before_sql.clone());
        let all = [("vacuum", vacuum), ("before_sql", before)];
        let first = Job::new(spec, run_id, Side::Before, &all);
        let others = Job::on_others(spec, run_id, Side::Before, &all[..1]);
        others.chain([first]).collect()
    }

    /// `queries`: with their variables replaced.
    pub fn metrics(spec: &Spec, run_id: i64, queries: Vec<String>) -> Job {
        Job::new(spec, run_id, Side::Metrics, &[("metrics_sql", queries)])
    }

    /// `query`: what is repeated until it is true.
    pub fn drain(spec: &Spec, run_id: i64, query: String) -> Job {
        Job::new(spec, run_id, Side::Drain, &[("drain_sql", vec![query])])
    }

    /// On each server.
    pub fn undo(spec: &Spec, run_id: i64) -> Vec<Job> {
        let undo = [("undo", spec.undo_sql.clone())];
        let first = Job::new(spec, run_id, Side::After, &undo);
        let others = Job::on_others(spec, run_id, Side::After, &undo);
        others.chain([first]).collect()
    }

    pub fn after(spec: &Spec, run_id: i64) -> Job {
        let statements = [("after_sql", spec.after_sql.clone())];
        Job::new(spec, run_id, Side::After, &statements)
    }

    fn new(spec: &Spec, run_id: i64, side: Side, sources: &[(&str, Vec<String>)]) -> Job {
        let statements = sources.iter().flat_map(|(argument, texts)| {
            texts
                .iter()
                .enumerate()
                .map(move |(number, sql)| SideStatement {
                    argument: (*argument).to_owned(),
                    number,
                    sql: sql.clone(),
                })
        });
        Job {
            side,
            application_name: format!("pgperf run {run_id} {side}"),
            server: spec.targets.first().map(str::to_owned),
            search_path: spec.search_path.clone(),
            settings: spec.settings.clone(),
            statements: statements.collect(),
        }
    }

    /// The same on each target but the first.
    fn on_others(
        spec: &Spec,
        run_id: i64,
        side: Side,
        sources: &[(&str, Vec<String>)],
    ) -> impl Iterator<Item = Job> {
        let others = spec.targets.all().iter().skip(1);
        others.map(move |target| Job {
            server: Some(target.server.clone()),
            search_path: target.search_path.clone(),
            ..Job::new(spec, run_id, side, sources)
        })
    }
}

/// An error on one side of a run.
#[derive(Debug)]
pub struct SideError {
    side: Side,
    /// None if it occurred before or after all statements.
    pub statement: Option<SideStatement>,
    pub error: ClientError,
}

impl SideError {
    pub fn new(side: Side, statement: Option<SideStatement>, error: ClientError) -> Self {
        SideError {
            side,
            statement,
            error,
        }
    }
}

impl fmt::Display for SideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.statement {
            Some(statement) => write!(
                f,
                "statement {} of {} failed: {}",
                statement.number + 1,
                statement.argument,
                self.error.message
            ),
            None => {
                let place = match self.side {
                    Side::Before => "before the clients",
                    Side::Metrics => "for the metrics",
                    Side::Drain => "for drain_sql",
                    Side::After => "after the clients",
                };
                write!(f, "the session {place} failed: {}", self.error.message)
            }
        }
    }
}

/// The statements of an argument's text. They are parsed as far as possible without access to tables, which may exist
/// only when they run.
pub fn statements(argument: &'static str, text: Option<&str>) -> Result<Vec<String>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let refused = |error: SqlError| refused_statement(argument, &error.sqlstate, &error.message);
    let sql = encoding::c_string(text)
        .map_err(|_| refused(SqlError::new("22021", "a text must not contain a NUL byte")))?;
    subtransaction(|| refusal::check_command(&sql, false))
        .and_then(|refusal| refusal.map_err(|(error, _)| error))
        .map_err(refused)?;
    let spans = subtransaction(|| server::statement_spans(&sql)).map_err(refused)?;
    Ok(spans
        .into_iter()
        .filter_map(|span| sql.to_bytes().get(span))
        .map(|statement| encoding::decode(statement).trim().to_owned())
        .collect())
}

/// The main function of the worker.
pub fn main() {
    live(OnCancel::CancelStatement);
}

/// The same where the run is on a target.
pub fn main_on_target() {
    worker::forget_variables(&wire::variables());
    live(OnCancel::Note);
}

fn live(on_cancel: OnCancel) {
    let Some((launch, shared, slot)) = client::enter(on_cancel) else {
        return;
    };
    slot.set_state(ClientState::Working);
    let end = match serde_json::from_slice::<Job>(&shared.spec()) {
        Ok(job) => run(&shared, slot, &job, launch.run_id),
        Err(error) => Err(client_error(
            SqlError::new("XX000", &error.to_string()),
            None,
        )),
    };
    slot.set_state(match end {
        Ok(()) => ClientState::Done,
        Err(error) => {
            slot.errors().store(&error);
            ClientState::Aborted
        }
    });
    latch::wake(shared.leader());
}

fn run(
    shared: &Shared,
    slot: Slot,
    job: &Job,
    run_id: i64,
) -> std::result::Result<(), ClientError> {
    let mut session = open(job).map_err(|error| client_error(error, None))?;
    let session = &mut *session;
    for (index, statement) in job.statements.iter().enumerate() {
        session.between_statements();
        if shared.phase() == Phase::Stopping {
            let stopped = SqlError::new("57014", "the run was stopped");
            return Err(client_error(stopped, Some(index)));
        }
        let result = match job.side {
            Side::Metrics => own_metrics::measure(session, run_id, &statement.sql),
            Side::Drain => until_true::repeat(session, shared, slot, &statement.sql),
            Side::Before | Side::After => session.execute(&statement.sql),
        };
        result.map_err(|error| client_error(error, Some(index)))?;
    }
    if session.in_transaction_block() {
        let open = SqlError::new("25001", "the last transaction was not completed");
        return Err(client_error(open, job.statements.len().checked_sub(1)));
    }
    latch::report_statistics(true);
    Ok(())
}

/// Its session, with the run's settings.
fn open(job: &Job) -> std::result::Result<Box<dyn SideSession>, SqlError> {
    let Some(server) = &job.server else {
        client::configure(&job.application_name, &job.search_path, &job.settings)?;
        return Ok(Box::new(Session::new(ResultMode::Format)));
    };
    client::configure(&job.application_name, "", &BTreeMap::new())?;
    let path = Some(("search_path".to_owned(), job.search_path.clone()));
    let path = path.filter(|(_, path)| !path.is_empty());
    let settings: Vec<(String, String)> = path.into_iter().chain(job.settings.clone()).collect();
    let session = target::session::Session::open(server, &job.application_name, &settings)?;
    Ok(Box::new(session))
}
