//! The check that the tables of a load fit on their disk: without it, a load that is too large may run for hours until its
//! limit stops it.

use super::limits::FreeDisk;
use crate::error::{Result, failure};
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::subject::host::collector::room;
use crate::workload::Step;
use pgrx::PgSqlErrorCode;
use serde::Deserialize;
use std::path::PathBuf;

/// Where tables go that a worker creates, whose settings are those of a new session, and how many bytes of that place come back if others
/// are dropped, at their last VACUUM or ANALYZE (a lock on them would be waited for). $1: the tablespace, if one is named; $2: the schema;
/// $3: tables in it.
const PLACE: &str = "SELECT t.spcname AS tablespace, CASE WHEN t.spcname <> 'pg_default' THEN t.oid::pg_catalog.int8 END AS oid, \
        (SELECT pg_catalog.sum(r.relpages)::pg_catalog.int8 * pg_catalog.current_setting('block_size')::pg_catalog.int8 \
           FROM pg_catalog.pg_class r \
          WHERE r.reltablespace = CASE WHEN t.oid <> d.dattablespace THEN t.oid ELSE 0 END \
            AND r.oid IN (SELECT x.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, \
                                 LATERAL (SELECT c.oid UNION SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) p) l (oid), \
                                 LATERAL (SELECT l.oid UNION SELECT i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid = l.oid) x (oid) \
                           WHERE n.nspname = $2 AND c.relname = ANY ($3::pg_catalog.text[]))) AS dropped \
   FROM pg_catalog.pg_database d, pg_catalog.pg_tablespace t \
  WHERE d.datname = pg_catalog.current_database() \
    AND t.oid = COALESCE((SELECT s.oid FROM pg_catalog.pg_tablespace s \
                           WHERE s.spcname = COALESCE($1, (SELECT g.reset_val FROM pg_catalog.pg_settings g \
                                                            WHERE g.name = 'default_tablespace'))), d.dattablespace)";

#[derive(Deserialize)]
struct TargetTablespace {
    tablespace: String,
    /// None: that of the data directory.
    oid: Option<i64>,
    dropped: Option<i64>,
}

/// Refuses a load whose tables alone would exceed the limit `free_disk`. `dropped`: the tables of the schema that it replaces.
pub fn check_room(
    steps: &[Step],
    limit: Option<FreeDisk>,
    tablespace: Option<&str>,
    schema: &str,
    dropped: &[String],
) -> Result<()> {
    let Some(limit) = limit else {
        return Ok(());
    };
    let args = [tablespace.into(), schema.into(), dropped.to_vec().into()];
    let Some(place) = role::with_settings(|| spi::select_one::<TargetTablespace>(PLACE, &args))?
    else {
        return Ok(());
    };
    // The server works in its data directory.
    let path = place.oid.map_or(PathBuf::from("."), |oid| {
        PathBuf::from(format!("pg_tblspc/{oid}"))
    });
    let Ok(room) = room(&path) else {
        return Ok(());
    };
    let free = room.free + place.dropped.unwrap_or_default().max(0) as u64;
    let usable = free.saturating_sub(limit.bytes(room.total));
    // To make some rows may take a second, which is mostly needless.
    let at_most: Option<u64> = steps.iter().map(Step::bytes_at_most).sum();
    if at_most.is_some_and(|bytes| bytes <= usable) {
        return Ok(());
    }
    let needed: u64 = steps.iter().map(Step::bytes).sum();
    match needed > usable {
        true => Err(failure(
            PgSqlErrorCode::ERRCODE_DISK_FULL,
            format!(
                "limit free_disk: the tables alone need about {}, and tablespace \"{}\" has {} free, of which {} are to stay so",
                mb(needed),
                place.tablespace,
                mb(free),
                mb(free - usable)
            ),
        )
        .hinting(
            "Choose a smaller scale or another tablespace. Whoever knows that they fit lifts the limit: \
             limits => '{\"free_disk\": null}'.",
        )),
        false => Ok(()),
    }
}

fn mb(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}
