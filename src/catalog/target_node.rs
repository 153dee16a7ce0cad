//! The nodes of targets. A node is an installation of pgperf, or a server that one of them samples over a connection: as its role there sees
//! it, and with numbers of samples from here. So a target has a node of its own also where pgperf is installed there, and where it is this
//! very server.

use crate::error::{Error, Result};
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::xact::with_latest_snapshot;
use serde::Deserialize;

/// What a target says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Identity {
    /// None: the role may not read it there.
    pub system_identifier: Option<i64>,
    pub database_oid: u32,
    pub database_name: String,
}

#[derive(Deserialize)]
struct NodeRow {
    node_id: String,
    database_name: Option<String>,
}

/// The id of the node under which installation `sampler` stores what the target at foreign server `server` tells, as text. It is made when it
/// is needed first. `host`: where the server is.
///
/// The identifier of a server is not enough: its standbys and its copies have it, too, and count for themselves.
///
/// # Errors
/// Nothing can be written.
pub fn of_target(
    sampler: &str,
    server: &str,
    host: Option<&str>,
    identity: &Identity,
) -> Result<String> {
    let identifier = identity
        .system_identifier
        .map_or_else(|| "unknown".to_owned(), |it| it.to_string());
    let key = format!("{sampler}/{identifier}/{}/{server}", identity.database_oid);
    role::as_owner(|| {
        let known = match find(&key)? {
            Some(known) => known,
            None => {
                insert(&key, sampler, server, host, identity)?;
                with_latest_snapshot(|| find(&key))?.ok_or(Error::NotInstalled)?
            }
        };
        if known.database_name.as_ref() != Some(&identity.database_name) {
            spi::execute(
                "UPDATE pgperf.nodes SET database_name = $2 WHERE node_id = $1::pg_catalog.uuid",
                &[
                    known.node_id.as_str().into(),
                    identity.database_name.as_str().into(),
                ],
            )?;
        }
        Ok(known.node_id)
    })
}

fn find(key: &str) -> Result<Option<NodeRow>> {
    spi::select_one(
        "SELECT node_id, database_name FROM pgperf.nodes WHERE first_of = $1",
        &[key.into()],
    )
}

/// Of two sessions that make it at the same time, one waits for the other, and takes the other's.
fn insert(
    key: &str,
    sampler: &str,
    server: &str,
    host: Option<&str>,
    identity: &Identity,
) -> Result<()> {
    spi::execute(
        "INSERT INTO pgperf.nodes (first_of, sampled_by, name, host, system_identifier, database_oid, database_name) \
         VALUES ($1, $2::pg_catalog.uuid, $3, $4, $5, $6::pg_catalog.oid, $7) ON CONFLICT (first_of) DO NOTHING",
        &[
            key.into(),
            sampler.into(),
            server.into(),
            host.into(),
            identity.system_identifier.into(),
            i64::from(identity.database_oid).into(),
            identity.database_name.as_str().into(),
        ],
    )?;
    Ok(())
}

/// The node whose samples tell of a run: of one on a target that target's, where it was sampled; of one on several the first
/// one's.
///
/// # Errors
/// Those of SQL.
pub fn sampled_in(node_id: &str, run_id: i64) -> Result<String> {
    #[derive(Deserialize)]
    struct Sampled {
        node_id: String,
    }
    let found: Option<Sampled> = spi::select_one(
        "SELECT s.node_id FROM pgperf.nodes n JOIN pgperf.samples s ON s.node_id = n.node_id AND s.run_id = $2 \
           LEFT JOIN pgperf.run_servers v ON v.node_id = n.sampled_by AND v.run_id = $2 AND v.server = n.name \
          WHERE n.sampled_by = $1::pg_catalog.uuid ORDER BY v.server_no, s.sample_id LIMIT 1",
        &[node_id.into(), run_id.into()],
    )?;
    Ok(found.map_or_else(|| node_id.to_owned(), |found| found.node_id))
}
