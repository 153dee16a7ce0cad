//! The list of the targets that are sampled, and what became of each: `pgperf_internal.sampled_targets`. It is stored, so that the server's
//! start finds it. Servers and roles are there by their oids: another one of the same name is not the one that somebody asked for.

use crate::catalog::node;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A target of the list.
#[derive(Deserialize)]
pub struct Listed {
    pub server: u32,
    /// Of the server; None: it was dropped.
    pub name: Option<String>,
    /// Whose user mapping is used.
    pub role: u32,
    /// As text.
    pub started_at: String,
}

/// Those of this installation. In a transaction, as the extension's owner.
pub fn read() -> Result<Vec<Listed>> {
    let Some(node) = node::known()? else {
        return Ok(Vec::new());
    };
    spi::select(
        "SELECT t.server::pg_catalog.int8 AS server, t.role::pg_catalog.int8 AS role, t.started_at::pg_catalog.text AS started_at, s.srvname AS name \
           FROM pgperf_internal.sampled_targets t LEFT JOIN pg_catalog.pg_foreign_server s ON s.oid = t.server \
          WHERE t.node_id = $1::pg_catalog.uuid ORDER BY t.server",
        &[node.into()],
    )
}

/// Adds a server for a role, or gives it to that role; false: it was there, and is not taken from the role that has it.
pub fn add(node_id: &str, server: &str, role: Oid, takes_over: bool) -> Result<bool> {
    let added = spi::execute(
        "INSERT INTO pgperf_internal.sampled_targets AS t (node_id, server, role) \
         SELECT $1::pg_catalog.uuid, s.oid, $3::pg_catalog.oid FROM pg_catalog.pg_foreign_server s WHERE s.srvname = $2 \
         ON CONFLICT (node_id, server) DO UPDATE SET role = excluded.role WHERE $4",
        &[
            node_id.into(),
            server.into(),
            role.into(),
            takes_over.into(),
        ],
    )?;
    Ok(added > 0)
}

/// Removes a server; false: it was not there.
pub fn remove(node_id: &str, server: &str) -> Result<bool> {
    let removed = spi::execute(
        "DELETE FROM pgperf_internal.sampled_targets t USING pg_catalog.pg_foreign_server s \
          WHERE t.node_id = $1::pg_catalog.uuid AND s.oid = t.server AND s.srvname = $2",
        &[node_id.into(), server.into()],
    )?;
    Ok(removed > 0)
}

/// Removes those whose server was dropped.
pub fn forget_dropped() -> Result<()> {
    spi::execute(
        "DELETE FROM pgperf_internal.sampled_targets t \
          WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_foreign_server s WHERE s.oid = t.server)",
        &[],
    )?;
    Ok(())
}

/// A sampler begins: it is connected to none.
pub fn begin() -> Result<()> {
    if let Some(node) = node::known()? {
        spi::execute(
            "UPDATE pgperf_internal.sampled_targets t SET connected = false, since = pg_catalog.clock_timestamp() \
              WHERE t.node_id = $1::pg_catalog.uuid AND t.connected",
            &[node.into()],
        )?;
    }
    Ok(())
}

/// What became of a target: a sample has come, or an error.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// Under this node; what the target cannot tell, with the reasons.
    Sampled {
        node_id: String,
        unknown: Map<String, Value>,
    },
    Failed(String),
}

impl News {
    /// Stores it in the target's row.
    pub fn note(&self, server: u32) -> Result<()> {
        let Some(node) = node::known()? else {
            return Ok(());
        };
        let (node_id, unknown, error) = match self {
            News::Sampled { node_id, unknown } => {
                (Some(node_id.as_str()), Some(unknown.clone()), None)
            }
            News::Failed(error) => (None, None, Some(error.as_str())),
        };
        spi::execute(
            "UPDATE pgperf_internal.sampled_targets t \
                SET connected = $3 IS NULL, \
                    since = CASE WHEN t.connected = ($3 IS NULL) THEN t.since ELSE pg_catalog.clock_timestamp() END, \
                    target_node_id = COALESCE($4::pg_catalog.uuid, t.target_node_id), unknown = COALESCE($5, t.unknown), \
                    error = COALESCE($3, t.error), \
                    failed_at = CASE WHEN $3 IS NULL THEN t.failed_at ELSE pg_catalog.clock_timestamp() END \
              WHERE t.node_id = $1::pg_catalog.uuid AND t.server = $2::pg_catalog.oid",
            &[
                node.into(),
                i64::from(server).into(),
                error.into(),
                node_id.into(),
                unknown.map(|unknown| Json(Value::Object(unknown))).into(),
            ],
        )?;
        Ok(())
    }
}
