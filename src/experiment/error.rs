//! The errors of calls on sweeps.

use crate::error::{Error, Problem};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum SweepError {
    /// There is no sweep with that id; None: there is no sweep at all.
    #[error("{}", match .0 {
        Some(sweep_id) => format!("sweep {sweep_id} does not exist"),
        None => "this node has no sweep yet".to_owned(),
    })]
    Unknown(Option<i64>),

    /// No sweep has that label, or that number on a node of that name.
    #[error("sweep \"{0}\" does not exist")]
    UnknownName(String),

    /// The caller has neither the privileges of the sweep's role nor those of pg_monitor.
    #[error("permission denied for sweep {sweep_id}")]
    NotVisible { sweep_id: i64, role: String },

    /// The sweep has runs of another role, which the caller may not see.
    #[error("permission denied for runs of sweep {sweep_id}")]
    RunsNotVisible { sweep_id: i64, role: String },

    /// Only members of the sweep's role may stop, resume or delete it.
    #[error("must be a member of role \"{role}\" to control sweep {sweep_id}")]
    NotControllable { sweep_id: i64, role: String },

    /// A database runs one sweep at a time. This one is in the way; None: it is just being started.
    #[error("{}", match .0 {
        Some(sweep_id) => format!("sweep {sweep_id} is running in this database"),
        None => "another sweep is being started in this database".to_owned(),
    })]
    Busy(Option<i64>),

    /// A sweep waits for a restart of the server, with settings that are to be in force then.
    #[error("sweep {0} waits for a restart of the server")]
    NeedsRestart(i64),

    /// A restart of the server would end the sweep for good.
    #[error("pgperf.restart_command needs pgperf in shared_preload_libraries")]
    NotPreloaded,

    /// The server would stay down: pg_ctl starts it with the arguments that it had, from another directory.
    #[error(
        "pgperf.restart_command would not start the server again: it was started with the relative data directory \"{0}\""
    )]
    RelativeDirectory(String),

    /// A sweep that still runs cannot be deleted.
    #[error("sweep {sweep_id} cannot be deleted: it is {status}")]
    Active { sweep_id: i64, status: String },

    /// A sweep of another node has no worker here.
    #[error("sweep {0} cannot be resumed: it ran on another node")]
    Elsewhere(i64),

    /// The role of a sweep no longer exists.
    #[error("role \"{role}\" of sweep {sweep_id} does not exist any more")]
    NoRole { sweep_id: i64, role: String },

    /// Only superusers and members of pg_checkpoint may request checkpoints.
    #[error("permission denied to request checkpoints")]
    NoCheckpoint,
}

impl Problem for SweepError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            SweepError::Unknown(_) | SweepError::UnknownName(_) | SweepError::NoRole { .. } => {
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
            }
            SweepError::NotVisible { .. }
            | SweepError::RunsNotVisible { .. }
            | SweepError::NotControllable { .. }
            | SweepError::NoCheckpoint => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            SweepError::Busy(_) | SweepError::NeedsRestart(_) | SweepError::Active { .. } => {
                PgSqlErrorCode::ERRCODE_OBJECT_IN_USE
            }
            SweepError::Elsewhere(_)
            | SweepError::NotPreloaded
            | SweepError::RelativeDirectory(_) => {
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
            }
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            SweepError::Unknown(Some(_)) => Some("The view pgperf.sweeps lists them.".to_owned()),
            SweepError::UnknownName(_) => Some(
                "A sweep is named by its label, 'node name/sweep_id', or its sweep_id; the view pgperf.sweeps lists them."
                    .to_owned(),
            ),
            SweepError::Unknown(None) => {
                Some("Start one with SELECT pgperf.start_sweep(...). Name a sweep of another node by its number or label: the view pgperf.sweeps lists them.".to_owned())
            }
            SweepError::NotVisible { role, .. } => Some(format!(
                "It runs as role \"{role}\": members of that role and of pg_monitor can see it."
            )),
            SweepError::RunsNotVisible { role, .. } => Some(format!(
                "Some were imported as role \"{role}\": members of that role and of pg_monitor can see them."
            )),
            SweepError::Busy(Some(sweep_id)) => Some(format!(
                "Two at a time would disturb each other. Wait for it, CALL pgperf.wait_sweep({sweep_id}), \
                 or stop it: SELECT pgperf.stop_sweep({sweep_id})"
            )),
            SweepError::NeedsRestart(sweep_id) => Some(format!(
                "Restart the server, or stop the sweep: SELECT pgperf.stop_sweep({sweep_id})"
            )),
            SweepError::NotPreloaded => Some(
                "After a restart the preloaded library resumes the sweep. Preload it, or empty pgperf.restart_command: then \
                 the sweep waits until somebody has restarted the server."
                    .to_owned(),
            ),
            SweepError::RelativeDirectory(_) => Some(
                "pg_ctl restart repeats the arguments of the start. Stop the server, and start it once with the whole path after -D."
                    .to_owned(),
            ),
            SweepError::Active { sweep_id, .. } => Some(format!(
                "Stop it first: SELECT pgperf.stop_sweep({sweep_id})"
            )),
            SweepError::Elsewhere(_) => Some(
                "A sweep can be resumed only on the node where it was started."
                    .to_owned(),
            ),
            SweepError::NoCheckpoint => Some(
                "checkpoint => true is for superusers and members of pg_checkpoint.".to_owned(),
            ),
            _ => None,
        }
    }
}

/// Whether an error says that there is no such sweep.
pub fn is_unknown(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(SweepError::Unknown(_)))
}
