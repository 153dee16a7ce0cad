//! Reasons why a worker cannot start, or cannot store.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

/// Worker slots that the hint leaves for parallel queries: the server's default
/// max_parallel_workers.
const PARALLEL_WORKERS: i32 = 8;

/// The limit of max_worker_processes (postmaster.h MAX_BACKENDS).
const MOST_WORKERS: i64 = 0x3FFFF;

#[derive(Debug, Error)]
pub enum ServiceError {
    /// Not enough background workers.
    #[error("not enough free worker slots: {needed} needed, {free} of {limit} seem free")]
    NoWorkerSlots {
        needed: usize,
        free: i32,
        limit: i32,
    },

    /// A worker ended or hung before it had the lock that shows that it is alive.
    #[error("{what} could not start")]
    WorkerDidNotStart { what: &'static str },

    /// A role that cannot have sessions cannot have workers.
    #[error("{message}")]
    RoleCannotConnect { message: String, hint: String },

    /// The caller's rights are not to be used for something that outlives the call.
    #[error("cannot start a {what} inside a security-restricted operation")]
    Restricted { what: &'static str },

    /// Only those to whom a call is granted may have its parts.
    #[error("permission denied for {call}")]
    NoRight { call: &'static str },

    /// A worker's transaction did not store its data.
    #[error("{reason}")]
    NotStored {
        sqlstate: PgSqlErrorCode,
        reason: String,
    },

    /// Settings of the server need more rights than those of a session.
    #[error("{message}")]
    NoServerSettings { message: String, hint: String },

    /// Somebody else changes settings of the server.
    #[error("a sweep or run changes settings of this server")]
    ServerSettingsBusy,

    /// Settings that a run or sweep has changed are as it has left them.
    #[error("{reason}")]
    StillAltered {
        sqlstate: PgSqlErrorCode,
        reason: String,
    },

    /// The file that says what settings were before they were changed.
    #[error("cannot read or write \"{path}\": {reason}")]
    Journal { path: String, reason: String },

    /// A setting of the server that cannot have this value, or none at all from here.
    #[error("setting \"{name}\" cannot be set for the server: {reason}")]
    ServerSetting {
        argument: &'static str,
        name: String,
        sqlstate: PgSqlErrorCode,
        reason: String,
    },
}

impl Problem for ServiceError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            ServiceError::NoWorkerSlots { .. } => ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
            ServiceError::WorkerDidNotStart { .. } => ERRCODE_INSUFFICIENT_RESOURCES,
            ServiceError::RoleCannotConnect { .. } => ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
            ServiceError::Restricted { .. }
            | ServiceError::NoRight { .. }
            | ServiceError::NoServerSettings { .. } => ERRCODE_INSUFFICIENT_PRIVILEGE,
            ServiceError::ServerSettingsBusy => ERRCODE_OBJECT_IN_USE,
            ServiceError::Journal { .. } => ERRCODE_IO_ERROR,
            ServiceError::NotStored { sqlstate, .. }
            | ServiceError::StillAltered { sqlstate, .. }
            | ServiceError::ServerSetting { sqlstate, .. } => *sqlstate,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            ServiceError::NoWorkerSlots {
                needed,
                free,
                limit,
            } => {
                let enough = i64::from(*limit) + *needed as i64 - i64::from(*free) + i64::from(PARALLEL_WORKERS);
                Some(match enough {
                    ..=MOST_WORKERS => format!(
                        "Use fewer clients or jobs, or set max_worker_processes and restart the server: \
                         ALTER SYSTEM SET max_worker_processes = {enough}"
                    ),
                    _ => "Use fewer clients or jobs: no server has so many workers.".to_owned(),
                })
            }
            ServiceError::WorkerDidNotStart { .. } => {
                Some("See the server log for the reason.".to_owned())
            }
            ServiceError::RoleCannotConnect { hint, .. }
            | ServiceError::NoServerSettings { hint, .. } => Some(hint.clone()),
            ServiceError::ServerSettingsBusy => Some(
                "It may be in another database: its worker is in pg_stat_activity as pgperf sweep or pgperf leader. Wait until it has ended."
                    .to_owned(),
            ),
            ServiceError::ServerSetting { argument, .. } => Some(format!(
                "{argument} accepts parameters of a session and those of the server that ALTER SYSTEM can set."
            )),
            ServiceError::StillAltered { .. } => Some(
                "Remove the obstacle and call again: until then the server has the changed value, and this is not over.".to_owned(),
            ),
            ServiceError::Journal { .. } => Some(
                "It has what postgresql.auto.conf had before sweeps or runs changed settings of the server: make it accessible to the server, or \
                 compare the two and remove it.".to_owned(),
            ),
            ServiceError::NoRight { call } => Some(format!("It needs EXECUTE on {call}.")),
            ServiceError::Restricted { .. } | ServiceError::NotStored { .. } => None,
        }
    }

    fn detail(&self) -> Option<String> {
        match self {
            ServiceError::NoWorkerSlots { free, .. } => Some(format!(
                "A run takes one worker for its leader and one for each client, a load one for each of its jobs, \
                 a sweep one more; parallel queries share the rest ({} now).",
                free.max(&0)
            )),
            _ => None,
        }
    }
}
