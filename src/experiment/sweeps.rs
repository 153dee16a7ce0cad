//! The sweep that a call names by its number or, with [`names`], otherwise, and the caller's rights on it.

pub mod names;

use super::error::UnknownSweep;
use crate::catalog::node;
use crate::catalog::runs::may_see;
use crate::error::{Result, failure};
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;

/// An existing sweep: its key, the role it runs as, and its status.
#[derive(Debug, Clone, Deserialize)]
pub struct ExistingSweep {
    /// uuid as text.
    pub node_id: String,
    pub sweep_id: i64,
    pub role: String,
    /// As `pgperf.sweeps` shows it.
    pub status: String,
    pub worker_pid: Option<i32>,
    /// The oid of the role that started it; None: it is not known.
    pub role_oid: Option<u32>,
    /// Whether a document brought it.
    imported: bool,
}

/// The sweep of that number here, see `pgperf_internal.find_sweep`; None: the newest of this node.
pub fn by_id(sweep_id: Option<i64>) -> Result<ExistingSweep> {
    let found = all(
        "SELECT f.node_id, f.found_id AS sweep_id FROM pgperf_internal.find_sweep($1) f",
        &[sweep_id.into()],
    )?;
    let found = found.into_iter().next();
    Ok(found.ok_or(UnknownSweep(sweep_id))?)
}

/// The sweeps whose keys a query returns, in its order; whether the current user may see them is left to the caller.
pub fn all(keys: &str, args: &[DatumWithOid]) -> Result<Vec<ExistingSweep>> {
    role::as_owner(|| {
        spi::select(
            &format!(
                "SELECT w.node_id, w.sweep_id, w.role, w.status, s.worker_pid, s.role_oid::pg_catalog.int8 AS role_oid, s.origin_node_id IS NOT NULL AS imported \
                   FROM (SELECT k.node_id, k.sweep_id, pg_catalog.row_number() OVER () AS place FROM ({keys}) k) k \
                   JOIN pgperf.sweeps w ON w.node_id = k.node_id AND w.sweep_id = k.sweep_id \
                   JOIN pgperf_internal.stored_sweeps s ON s.node_id = k.node_id AND s.sweep_id = k.sweep_id \
                  ORDER BY k.place"
            ),
            args,
        )
    })
}

impl ExistingSweep {
    /// Whether it has finished, was stopped or has failed.
    pub fn has_ended(&self) -> bool {
        matches!(self.status.as_str(), "finished" | "stopped" | "failed")
    }

    /// Whether it ran on another node: a document, a dump or pg_upgrade brought it.
    pub fn is_from_elsewhere(&self) -> Result<bool> {
        Ok(self.imported || !node::is_local(&self.node_id)?)
    }

    /// Whether it waits for a restart of the server.
    pub fn needs_restart(&self) -> bool {
        self.status == "needs restart"
    }

    /// Fails unless the current user may see it.
    pub fn check_visible(&self) -> Result<()> {
        if may_see(&self.role)? {
            return Ok(());
        }
        Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("permission denied for sweep {}", self.sweep_id),
        )
        .hinting(format!(
            "It runs as role \"{}\": members of that role and of pg_monitor can see it.",
            self.role
        )))
    }

    /// A sweep belongs to its role: that role, its members and superusers may stop, resume and delete it.
    pub fn check_control(&self) -> Result<()> {
        if server::caller_controls(&self.role) {
            return Ok(());
        }
        Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!(
                "must be a member of role \"{}\" to control sweep {}",
                self.role, self.sweep_id
            ),
        ))
    }
}
