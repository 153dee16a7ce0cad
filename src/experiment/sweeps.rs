//! The sweep that a user means, and what the user may do with it.

use super::error::SweepError;
use crate::catalog::runs::may_see;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::spi;
use serde::Deserialize;

/// An existing sweep: its key, the role it runs as, and its status.
#[derive(Debug, Clone, Deserialize)]
pub struct Found {
    /// uuid as text.
    pub node_id: String,
    pub sweep_id: i64,
    pub role: String,
    /// As `pgperf.sweeps` shows it.
    pub status: String,
    pub worker_pid: Option<i32>,
}

/// The sweep of this node with that id; None: the newest.
pub fn by_id(sweep_id: Option<i64>) -> Result<Found> {
    let found = role::as_owner(|| {
        spi::select_one(
            "SELECT node_id, sweep_id, w.role, w.status, s.worker_pid \
               FROM pgperf.sweeps w JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id) \
              WHERE node_id = (SELECT pgperf.local_node()) \
                AND sweep_id = coalesce($1, (SELECT pg_catalog.max(n.sweep_id) FROM pgperf_internal.stored_sweeps n \
                                              WHERE n.node_id = (SELECT pgperf.local_node())))",
            &[sweep_id.into()],
        )
    })?;
    Ok(found.ok_or(SweepError::Unknown(sweep_id))?)
}

impl Found {
    /// Whether it has finished, was stopped or has failed.
    pub fn has_ended(&self) -> bool {
        matches!(self.status.as_str(), "finished" | "stopped" | "failed")
    }

    /// Fails unless the current user may see it.
    pub fn check_visible(&self) -> Result<()> {
        if may_see(&self.role)? {
            return Ok(());
        }
        Err(SweepError::NotVisible {
            sweep_id: self.sweep_id,
            role: self.role.clone(),
        }
        .into())
    }

    /// A sweep belongs to its role: that role, its members and superusers may stop, resume and delete it.
    pub fn check_control(&self) -> Result<()> {
        if server::caller_controls(&self.role) {
            return Ok(());
        }
        Err(SweepError::NotControllable {
            sweep_id: self.sweep_id,
            role: self.role.clone(),
        }
        .into())
    }
}
