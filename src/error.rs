//! Every error that pgperf raises itself: one enum, each variant with its SQLSTATE, message, and a
//! hint where the user can do something.

use crate::pg::error::report;
use crate::{sweep, workload};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use thiserror::Error;

/// What went wrong, in terms of the user's call.
#[derive(Debug, Error)]
pub enum Error {
    /// An argument has a value outside its range or in a wrong form.
    #[error("{message}")]
    InvalidArgument {
        message: String,
        hint: Option<String>,
    },

    /// No run of that id, label or `node name/run_id`; None: there is none at all.
    #[error("{}", match run {
        Some(run) => format!("run {run} does not exist"),
        None => "there is no run yet".to_owned(),
    })]
    UnknownRun { run: Option<String> },

    /// Neither a run nor a baseline.
    #[error("run or baseline \"{0}\" does not exist")]
    UnknownName(String),

    /// The caller has neither the privileges of the run's role nor those of pg_monitor.
    #[error("permission denied for run {run_id}")]
    RunNotVisible { run_id: i64, role: String },

    /// A procedure that waits was called where it cannot commit.
    #[error("CALL {call} cannot run inside a transaction block or a function")]
    WaitInTransaction { call: String },

    /// Nothing can be written here: a standby, or a read-only transaction.
    #[error("{message}")]
    ReadOnly { message: String, hint: String },

    /// A relation of a kind that has nothing to measure.
    #[error("{message}")]
    WrongObjectType { message: String, hint: String },

    /// What this server, or an extension of it, does not offer.
    #[error("{message}")]
    Unsupported {
        message: String,
        hint: Option<String>,
    },

    /// A relation that does not exist, or not any more.
    #[error("relation with OID {oid} does not exist")]
    UndefinedRelation { oid: u32 },

    /// Somebody holds a lock that even a reader would have to wait for.
    #[error("it is locked by another session")]
    RelationLocked,

    /// A page that the server let pass, but whose content does not fit together.
    #[error("invalid page in block {block}")]
    CorruptPage { block: u32 },

    /// A collector could not run, with the reason and SQLSTATE of what stopped it.
    #[error("collector \"{collector}\" could not run: {reason}")]
    Collector {
        collector: &'static str,
        sqlstate: PgSqlErrorCode,
        reason: String,
    },

    /// A sample as a whole could not be taken or stored.
    #[error("{reason}")]
    Sample {
        sqlstate: PgSqlErrorCode,
        reason: String,
    },

    /// A built-in workload or one of its load options is not known.
    #[error(transparent)]
    Workload(#[from] workload::Error),

    /// A call about a sweep.
    #[error(transparent)]
    Sweep(#[from] sweep::Error),

    /// A stored workload of that name is there already.
    #[error("workload \"{0}\" already exists")]
    WorkloadExists(String),

    /// Another node has this name.
    #[error("another node is named \"{0}\"")]
    NodeNameTaken(String),

    /// Replacing and dropping is for the workload's role.
    #[error("must be a member of role \"{role}\" to replace or drop workload \"{name}\"")]
    WorkloadNotControllable { name: String, role: String },

    /// A script that does not parse.
    #[error(transparent)]
    Script(#[from] script::ParseError),

    /// A statement of a script that the server does not accept.
    #[error("script \"{script}\", line {line}: {message}")]
    Statement {
        script: String,
        line: u32,
        sqlstate: String,
        message: String,
        hint: Option<&'static str>,
    },

    /// A statement before or after a run that the server does not accept.
    #[error("{argument}: {message}")]
    SideStatement {
        argument: &'static str,
        sqlstate: String,
        message: String,
    },

    /// A setting that a client's session cannot have.
    #[error("setting \"{name}\" cannot be set for a run: {reason}")]
    Setting {
        name: String,
        sqlstate: String,
        reason: String,
    },

    /// A workload's table is not there.
    #[error("relation \"{relation}\" of workload \"{workload}\" does not exist or is empty")]
    MissingTable {
        relation: String,
        workload: &'static str,
        schema: Option<String>,
    },

    /// `init` would drop or truncate a table that pgperf did not make.
    #[error("relation \"{relation}\" already exists and was not made by pgperf")]
    ForeignTable { relation: String },

    /// `init` would put a local table in the place of one that Citus distributes.
    #[error(
        "relation \"{relation}\" is distributed by Citus, and cannot be replaced by a local table"
    )]
    DistributedTable { relation: String },

    #[error("schema \"{schema}\" does not exist")]
    MissingSchema { schema: String },

    #[error("{}", if *exists {
        format!("permission denied for tablespace {tablespace}")
    } else {
        format!("tablespace \"{tablespace}\" does not exist")
    })]
    TablespaceUnusable { tablespace: String, exists: bool },

    #[error("permission denied to create tables in schema \"{schema}\"")]
    NoCreatePrivilege { schema: String },

    /// Not enough background workers.
    #[error("not enough free worker slots: {needed} needed, {free} of {limit} seem free")]
    NoWorkerSlots {
        needed: usize,
        free: i32,
        limit: i32,
    },

    /// Scripts that are too large.
    #[error("{message}")]
    ProgramLimit { message: String, hint: String },

    /// A limit of the run or a setting of the server stands against it.
    #[error("{message}")]
    Forbidden {
        sqlstate: PgSqlErrorCode,
        message: String,
        hint: String,
    },

    /// A worker ended or hung before it had the lock that shows it to live.
    #[error("{what} could not start")]
    WorkerDidNotStart { what: &'static str },

    /// A role that cannot have sessions cannot have workers.
    #[error("{message}")]
    RoleCannotConnect { message: String, hint: String },

    /// The caller's rights are not to be used for something that outlives the call.
    #[error("cannot start a {what} inside a security-restricted operation")]
    Restricted { what: &'static str },

    /// Stopping and deleting is for the run's role.
    #[error("must be a member of role \"{role}\" to control run {run_id}")]
    RunNotControllable { run_id: i64, role: String },

    /// Replacing and dropping is for the baseline's role.
    #[error("must be a member of role \"{role}\" to replace or drop baseline \"{name}\"")]
    BaselineNotControllable { name: String, role: String },

    /// What `expect` or `gate` demands was not reached; the lines tell all that was checked.
    #[error("{what} {}", if *total == 0 {
        "has nothing that can be checked".to_owned()
    } else {
        format!("fails {failed} of {total} checks")
    })]
    NotMet {
        what: String,
        failed: usize,
        total: usize,
        lines: Vec<String>,
    },

    /// A run that still runs cannot be deleted.
    #[error("run {run_id} cannot be deleted: it is {status}")]
    RunIsActive { run_id: i64, status: String },

    /// What a baseline consists of is not deleted behind its back.
    #[error("run {run_id} cannot be deleted: it is part of baseline \"{baseline}\"")]
    RunInBaseline { run_id: i64, baseline: String },

    /// An interrupted run that cannot go on, or one that was not interrupted.
    #[error("run {run_id} cannot be resumed: {reason}")]
    NotResumable {
        run_id: i64,
        sqlstate: PgSqlErrorCode,
        reason: String,
        hint: String,
    },

    /// A load that was waited for came to another end.
    #[error("run {run_id} {}{}", match status.as_str() {
        "failed" => "failed",
        "stopped" => "was stopped",
        _ => "was interrupted",
    }, reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    RunDidNotFinish {
        run_id: i64,
        status: String,
        sqlstate: Option<String>,
        reason: Option<String>,
    },

    /// Bytes that are no histogram, or one that cannot be written.
    #[error(transparent)]
    Histogram(measure::HistogramError),

    /// Reading or writing pgperf's own tables failed below SQL.
    #[error("could not access pgperf's tables: {0}")]
    Spi(#[from] pgrx::spi::Error),

    /// A stored document does not have the shape this version writes.
    #[error("a stored value of pgperf has an unexpected form: {0}")]
    Json(#[from] serde_json::Error),

    /// The SQL objects are of another release than the library.
    #[error(
        "the extension \"pgperf\" in this database is of version {extension}, its library of version {library}"
    )]
    OtherVersion {
        library: &'static str,
        extension: String,
        extension_is_older: bool,
    },

    /// The extension is being dropped or is gone.
    #[error("extension \"pgperf\" is not installed in this database")]
    NotInstalled,
}

/// Worker slots that the hint leaves for parallel queries: the server's default
/// max_parallel_workers.
const PARALLEL_WORKERS: i32 = 8;

/// The result of everything that can fail with pgperf's own error.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The SQLSTATE that the user's program sees.
    pub fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            Error::InvalidArgument { .. } => ERRCODE_INVALID_PARAMETER_VALUE,
            Error::WaitInTransaction { .. } => ERRCODE_ACTIVE_SQL_TRANSACTION,
            Error::ReadOnly { .. } => ERRCODE_READ_ONLY_SQL_TRANSACTION,
            Error::WrongObjectType { .. } => ERRCODE_WRONG_OBJECT_TYPE,
            Error::Unsupported { .. } | Error::DistributedTable { .. } => {
                ERRCODE_FEATURE_NOT_SUPPORTED
            }
            Error::UndefinedRelation { .. } => ERRCODE_UNDEFINED_TABLE,
            Error::RelationLocked => ERRCODE_LOCK_NOT_AVAILABLE,
            Error::CorruptPage { .. } => ERRCODE_DATA_CORRUPTED,
            Error::Collector { sqlstate, .. } | Error::Sample { sqlstate, .. } => *sqlstate,
            Error::Workload(
                workload::Error::UnknownWorkload { .. } | workload::Error::AmbiguousWorkload(_),
            ) => ERRCODE_UNDEFINED_OBJECT,
            Error::Workload(_) => ERRCODE_INVALID_PARAMETER_VALUE,
            Error::Script(error) if error.unsupported.is_some() => ERRCODE_FEATURE_NOT_SUPPORTED,
            Error::Sweep(error) => error.sqlstate(),
            Error::WorkloadExists(_) | Error::NodeNameTaken(_) => ERRCODE_DUPLICATE_OBJECT,
            Error::Script(_) => ERRCODE_SYNTAX_ERROR,
            Error::Statement { sqlstate, .. }
            | Error::SideStatement { sqlstate, .. }
            | Error::Setting { sqlstate, .. } => sqlstate_code(sqlstate),
            Error::MissingTable { .. } => ERRCODE_UNDEFINED_TABLE,
            Error::ForeignTable { .. } => ERRCODE_DUPLICATE_TABLE,
            Error::MissingSchema { .. } => ERRCODE_INVALID_SCHEMA_NAME,
            Error::NoWorkerSlots { .. } => ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
            Error::ProgramLimit { .. } => ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            Error::Forbidden { sqlstate, .. } | Error::NotResumable { sqlstate, .. } => *sqlstate,
            Error::WorkerDidNotStart { .. } => ERRCODE_INSUFFICIENT_RESOURCES,
            Error::RoleCannotConnect { .. } => ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
            Error::TablespaceUnusable { exists: false, .. } => ERRCODE_UNDEFINED_OBJECT,
            Error::TablespaceUnusable { .. }
            | Error::NoCreatePrivilege { .. }
            | Error::Restricted { .. }
            | Error::WorkloadNotControllable { .. }
            | Error::BaselineNotControllable { .. }
            | Error::RunNotControllable { .. } => ERRCODE_INSUFFICIENT_PRIVILEGE,
            Error::RunIsActive { .. } | Error::RunInBaseline { .. } => ERRCODE_OBJECT_IN_USE,
            Error::OtherVersion { .. } => ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            // A handler of OTHERS in PL/pgSQL does not catch it.
            Error::NotMet { .. } => ERRCODE_ASSERT_FAILURE,
            Error::RunDidNotFinish { sqlstate, .. } => sqlstate
                .as_deref()
                .map_or(ERRCODE_QUERY_CANCELED, sqlstate_code),
            Error::Histogram(measure::HistogramError::Encode(_)) => {
                ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
            }
            Error::Histogram(measure::HistogramError::Layout { .. }) => {
                ERRCODE_FEATURE_NOT_SUPPORTED
            }
            Error::Histogram(_) => ERRCODE_INVALID_BINARY_REPRESENTATION,
            Error::Spi(_) | Error::Json(_) => ERRCODE_INTERNAL_ERROR,
            Error::UnknownRun { .. } | Error::UnknownName(_) | Error::NotInstalled => {
                ERRCODE_UNDEFINED_OBJECT
            }
            Error::RunNotVisible { .. } => ERRCODE_INSUFFICIENT_PRIVILEGE,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::InvalidArgument { hint, .. } | Error::Unsupported { hint, .. } => hint.clone(),
            Error::ReadOnly { hint, .. } | Error::WrongObjectType { hint, .. } => Some(hint.clone()),
            Error::UnknownRun { run: Some(_) } => Some(
                "A run is named by its run_id, its label, or 'node name/run_id'; the view pgperf.runs lists them."
                    .to_owned(),
            ),
            Error::UnknownName(_) => Some(
                "A run is named by its run_id, its label, or 'node name/run_id' (pgperf.runs), a baseline by its name \
                 (pgperf.baselines)."
                    .to_owned(),
            ),
            Error::UnknownRun { run: None } => {
                Some("Start one with SELECT pgperf.start_run(...) or CALL pgperf.run(...).".to_owned())
            }
            Error::Workload(error) => error.hint(),
            Error::Sweep(error) => error.hint(),
            Error::Script(error) => error.unsupported.map(str::to_owned),
            Error::Statement { hint, .. } => hint.map(str::to_owned),
            Error::NodeNameTaken(_) => {
                Some("pgperf.nodes has them all; rename that one, or choose another name.".to_owned())
            }
            Error::WorkloadExists(_) => Some("replace => true replaces it.".to_owned()),
            Error::Setting { .. } => Some(
                "settings takes what SET could set in a session of the role that starts the run."
                    .to_owned(),
            ),
            Error::MissingTable { workload, schema, .. } => Some(match schema {
                Some(schema) => {
                    format!("Create it: CALL pgperf.init('{workload}', scale => 1, schema => '{schema}')")
                }
                None => format!(
                    "Create it: CALL pgperf.init('{workload}', scale => 1), or say where it is: \
                     schema => '...'"
                ),
            }),
            Error::ForeignTable { .. } => Some(
                "Use another schema => '...', or replace => true to drop the table.".to_owned(),
            ),
            Error::DistributedTable { .. } => Some(
                "Use another schema => '...', or drop the table, or make it local by undistribute_table()."
                    .to_owned(),
            ),
            Error::MissingSchema { schema } => {
                Some(format!("CREATE SCHEMA {}", workload::quote_ident(schema)))
            }
            Error::NoWorkerSlots { needed, free, limit } => Some(format!(
                "Use fewer clients, or set max_worker_processes and restart the server: \
                 ALTER SYSTEM SET max_worker_processes = {}",
                limit + (*needed as i32 - free) + PARALLEL_WORKERS
            )),
            Error::WorkerDidNotStart { .. } => Some("The server log says why.".to_owned()),
            Error::RoleCannotConnect { hint, .. }
            | Error::Forbidden { hint, .. }
            | Error::ProgramLimit { hint, .. }
            | Error::NotResumable { hint, .. } => Some(hint.clone()),
            Error::RunIsActive { run_id, .. } => {
                Some(format!("Stop it first: SELECT pgperf.stop_run({run_id})"))
            }
            Error::RunInBaseline { baseline, .. } => Some(format!(
                "Forget the baseline first: SELECT pgperf.drop_baseline({})",
                workload::quote_literal(baseline)
            )),
            Error::OtherVersion { extension_is_older: true, .. } => {
                Some("Update it: ALTER EXTENSION pgperf UPDATE".to_owned())
            }
            Error::OtherVersion { .. } => Some(
                "Connect anew, so that the session loads the library that belongs to it. A server that has pgperf in \
                 shared_preload_libraries has to be restarted."
                    .to_owned(),
            ),
            Error::RunNotVisible { role, .. } => Some(format!(
                "It runs as role \"{role}\": its members see it, and those of pg_monitor."
            )),
            Error::WaitInTransaction { .. } => Some(
                "It commits before it waits, so that it holds no snapshot: call it on its own, \
                 outside BEGIN and outside functions."
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Further facts, for the DETAIL line.
    pub fn detail(&self) -> Option<String> {
        match self {
            Error::Script(error) => {
                let caret = error.caret_detail()?;
                Some(match error.column {
                    Some(column) => format!("at column {column}:\n{caret}"),
                    None => caret,
                })
            }
            Error::NotMet { lines, .. } => Some(lines.join("\n")),
            Error::NoWorkerSlots { free, .. } => Some(format!(
                "A run takes one worker for its leader and one for each client; parallel queries \
                 share the rest ({} now).",
                free.max(&0)
            )),
            _ => None,
        }
    }
}

/// A SQLSTATE from its five characters (the server's MAKE_SQLSTATE: six bits a character); one that the
/// server does not know is an internal error.
pub fn sqlstate_code(text: &str) -> PgSqlErrorCode {
    let packed = text.bytes().rev().fold(0, |code, byte| {
        (code << 6) | i32::from(byte.wrapping_sub(b'0') & 0x3f)
    });
    PgSqlErrorCode::from(packed)
}

impl From<Error> for ErrorReport {
    fn from(error: Error) -> Self {
        let (detail, hint) = (error.detail(), error.hint());
        report(error.sqlstate(), error.to_string(), detail, hint)
    }
}
