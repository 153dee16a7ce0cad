//! The local node, under which this installation's history is stored.

use super::timeline;
use crate::error::{Error, Result, failure, invalid};
use crate::guc;
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::pg::sql::xact::with_latest_snapshot;
use pgrx::datum::Uuid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT;
use serde::Deserialize;

/// Bytes of a node's name, at most: it is in an index, and in the heads of reports.
const LONGEST_NAME: usize = 200;

#[derive(Deserialize)]
struct NodeRow {
    node_id: String,
}

/// The local node.
#[derive(Deserialize)]
struct LocalNode {
    node_id: String,
    name: String,
    /// The timeline on which it began; None: it was made by a version that did not store that.
    first_timeline: Option<i64>,
    /// The timeline on which it was last in use.
    timeline: Option<i64>,
}

/// The id of this installation's node, as text. Creates the node on first use, and again when the database
/// turns out to be a copy: a restored dump or clone has another system identifier or database oid. A promoted standby
/// goes on under the node of its former primary, unless `pgperf.new_node_on_promotion` is on.
///
/// Inside a transaction; on a standby an existing node is found, none created.
pub fn local_node() -> Result<String> {
    role::as_owner(|| {
        let node = match latest()? {
            Some(node) => node,
            None => {
                insert(FIRST)?;
                with_latest_snapshot(find)?.ok_or(Error::NotInstalled)?
            }
        };
        match timeline::changed(node.timeline) {
            Some(timeline) => after_promotion(node, timeline),
            None => Ok(node.node_id),
        }
    })
}

/// The local node as it is, created or changed by whomever.
fn latest() -> Result<Option<LocalNode>> {
    match find()? {
        Some(node) => Ok(Some(node)),
        // Another session may have created it since this transaction's snapshot.
        None => with_latest_snapshot(find),
    }
}

/// The id of the node under which this server goes on, which has been promoted since its node was last in use.
fn after_promotion(node: LocalNode, timeline: i64) -> Result<String> {
    if guc::new_node_on_promotion() && node.timeline.is_some() {
        let is_new = insert(FIRST_OF_TIMELINE)?;
        let new = with_latest_snapshot(find)?.ok_or(Error::NotInstalled)?;
        if is_new {
            timeline::warn_of_a_new_node(timeline, &new.name, &node.name);
        }
        return Ok(new.node_id);
    }
    let range = timeline::range_of_numbers(node.first_timeline);
    if timeline::note(&node.node_id, timeline)? && range > 0 {
        timeline::warn_of_the_same_node(timeline, &node.name, range);
    }
    Ok(node.node_id)
}

/// What the present timeline adds to the numbers of runs, sweeps and samples of the local node.
///
/// # Errors
/// Those of SQL.
pub fn range_of_numbers() -> Result<i64> {
    let node = role::as_owner(latest)?;
    Ok(timeline::range_of_numbers(
        node.and_then(|node| node.first_timeline),
    ))
}

/// The node of this name or id, as text; None: the local one.
///
/// # Errors
/// There is none: 22023.
pub fn named(name: Option<&str>) -> Result<String> {
    let Some(name) = name else {
        return local_node();
    };
    let found: Option<NodeRow> = role::as_owner(|| {
        spi::select_one(
            "SELECT node_id FROM pgperf.nodes WHERE name = $1 OR node_id::pg_catalog.text = pg_catalog.lower($1) \
             ORDER BY name = $1 DESC, created_at DESC LIMIT 1",
            &[name.into()],
        )
    })?;
    found.map(|node| node.node_id).ok_or_else(|| {
        invalid(format!("there is no node \"{name}\""))
            .hinting("SELECT node_id, name FROM pgperf.nodes lists the nodes.")
    })
}

/// The same as [`local_node`] if there is one: nothing is created.
pub fn known() -> Result<Option<String>> {
    let node = role::as_owner(find)?;
    Ok(node.map(|node| node.node_id))
}

/// The name of a node's database; empty: not known.
pub fn database_name(node_id: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Named {
        database_name: Option<String>,
    }
    let found: Option<Named> = spi::select_one(
        "SELECT database_name FROM pgperf.nodes WHERE node_id = $1::pg_catalog.uuid",
        &[node_id.into()],
    )?;
    Ok(found.and_then(|it| it.database_name).unwrap_or_default())
}

/// Whether this is the node of this installation.
pub fn is_local(node_id: &str) -> Result<bool> {
    Ok(known()?.as_deref() == Some(node_id))
}

/// Whether this is the node of this installation, or was before [`create`].
pub fn is_of_this_server(node_id: &str) -> Result<bool> {
    role::as_owner(|| {
        spi::holds(
            "EXISTS (SELECT FROM pgperf.nodes n WHERE n.node_id = $1::pg_catalog.uuid \
                AND n.system_identifier = $2 AND n.database_oid = $3 AND n.sampled_by IS NULL)",
            &[
                node_id.into(),
                server::system_identifier().into(),
                server::database().into(),
            ],
        )
    })
}

/// The key of the first node. Of two sessions that create it at the same time, one waits for the other, and takes the
/// other's. Ids are random all the same: servers made from one image share a system identifier.
const FIRST: &str = "pg_catalog.concat_ws('/', $2, $3)";

/// The same of a node that begins by a promotion.
const FIRST_OF_TIMELINE: &str = "pg_catalog.concat_ws('/', $2, $3, 'timeline', $4)";

fn find() -> Result<Option<LocalNode>> {
    spi::select_one(
        "SELECT node_id, name, first_timeline, timeline FROM pgperf.nodes \
         WHERE system_identifier = $1 AND database_oid = $2 AND sampled_by IS NULL \
         ORDER BY created_at DESC, node_id LIMIT 1",
        &[
            server::system_identifier().into(),
            server::database().into(),
        ],
    )
}

/// The text form of a node's id as a value of type uuid.
pub fn uuid(text: &str) -> Result<Uuid> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = std::str::from_utf8(pair)
            .ok()
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
            .ok_or(Error::NotInstalled)?;
    }
    Ok(Uuid::from_bytes(bytes))
}

/// Stores the name that this database has now, if it was renamed. The node keeps its own. Reads pg_database.
pub fn note_database_name(node_id: &str) -> Result<()> {
    spi::execute(
        "UPDATE pgperf.nodes SET database_name = pg_catalog.current_database() \
         WHERE node_id = $1::pg_catalog.uuid AND database_name <> pg_catalog.current_database()",
        &[node_id.into()],
    )?;
    Ok(())
}

/// Adds a node for this installation; later history belongs to it.
pub fn create() -> Result<()> {
    insert("NULL")?;
    Ok(())
}

/// Names the local node, which is created if there is none; its id, as text.
///
/// # Errors
/// The name is missing or empty, or another node has it; nothing can be written here.
pub fn rename(name: Option<&str>) -> Result<String> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| {
        invalid("name must not be null or empty")
            .hinting("Give the node the name by which you know this server, such as 'db1'.")
    })?;
    check_length("name", name)?;
    let node = local_node()?;
    role::as_owner(|| {
        let taken: Option<NodeRow> = with_latest_snapshot(|| {
            spi::select_one(
                "SELECT node_id FROM pgperf.nodes WHERE name = $1 AND node_id <> $2::pg_catalog.uuid",
                &[name.into(), node.as_str().into()],
            )
        })?;
        if taken.is_some() {
            return Err(failure(
                ERRCODE_DUPLICATE_OBJECT,
                format!("another node is named \"{name}\""),
            )
            .hinting("Choose another name, or rename that node; pgperf.nodes lists them all."));
        }
        spi::execute(
            "UPDATE pgperf.nodes SET name = $1 WHERE node_id = $2::pg_catalog.uuid",
            &[name.into(), node.as_str().into()],
        )
    })?;
    Ok(node)
}

/// Adds a node to a group, in place of the one that it was in; none or an empty name: to no group.
///
/// # Errors
/// The name is too long; nothing can be written here.
pub fn regroup(node_id: &str, group_name: Option<&str>) -> Result<()> {
    let group_name = group_name.map(str::trim).filter(|name| !name.is_empty());
    check_length("group_name", group_name.unwrap_or_default())?;
    role::as_owner(|| {
        spi::execute(
            "UPDATE pgperf.nodes SET group_name = $2 WHERE node_id = $1::pg_catalog.uuid",
            &[node_id.into(), group_name.into()],
        )
    })?;
    Ok(())
}

/// Checks that a text can be the name of a node or group, as the argument with this name gives it.
///
/// # Errors
/// It is too long for an index.
pub fn check_length(argument: &str, name: &str) -> Result<()> {
    match name.len() {
        ..=LONGEST_NAME => Ok(()),
        bytes => Err(invalid(format!(
            "{argument} must have at most {LONGEST_NAME} bytes, but has {bytes}"
        ))),
    }
}

/// The place of this server, as far as it can be known: a copy that starts elsewhere, and a promoted standby, have
/// another place.
pub fn place() -> String {
    let directory = std::env::current_dir().unwrap_or_default();
    format!(
        "{}:{}, timeline {}",
        host().as_deref().unwrap_or("localhost"),
        // Every process of the server works in its data directory.
        directory.display(),
        server::timeline()
    )
}

fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned())
}

/// It is named `host:port/database`, with a number if another node is; see [`rename`].
/// The newest is the local one, also where the clock was put back. False if there is one with that key.
fn insert(first_sql: &'static str) -> Result<bool> {
    let host = host();
    let host = host.as_deref();
    let inserted = spi::execute(
        &format!(
            "INSERT INTO pgperf.nodes (first_of, name, system_identifier, database_oid, database_name, host, first_timeline, timeline, timeline_since, created_at) \
             SELECT {first_sql}, \
                    pg_catalog.format('%s:%s/%s', coalesce($1, 'localhost'), \
                        pg_catalog.current_setting('port'), pg_catalog.current_database()), \
                    $2, $3, pg_catalog.current_database(), $1, $4, $4, pg_catalog.clock_timestamp(), \
                    GREATEST(pg_catalog.clock_timestamp(), (SELECT pg_catalog.max(n.created_at) + '1 microsecond'::pg_catalog.interval \
                        FROM pgperf.nodes n WHERE n.system_identifier = $2 AND n.database_oid = $3)) \
             ON CONFLICT (first_of) DO NOTHING"
        ),
        &[
            host.into(),
            server::system_identifier().into(),
            server::database().into(),
            timeline::current().into(),
        ],
    )?;
    Ok(inserted > 0)
}
