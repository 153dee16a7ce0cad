//! Relations whose last row still holds: nothing was written into them since.
//!
//! Measuring them again would store the same figures, and would count as reads of their blocks. Each is measured once a day nevertheless, so that reports find a row of the last day:
//! a page that is read may be rid of its dead rows, which no counter tells.

use super::relations::{CHANGES, Relation};
use crate::collect::files::main_fork_bytes;
use crate::error::Result;
use crate::pg::sql::spi;
use serde::Deserialize;
use std::collections::HashSet;

/// A relation in which nothing was written since its last row, unless a command gave it another file.
#[derive(Deserialize)]
struct Unwritten {
    oid: u32,
    path: Option<String>,
    size_bytes: u64,
}

/// The oids of those that are unchanged.
pub fn among(relations: &[Relation], node_id: &str) -> Result<HashSet<u32>> {
    let oids: Vec<i64> = relations
        .iter()
        .map(|relation| relation.oid.into())
        .collect();
    let unwritten: Vec<Unwritten> = spi::select(&unwritten_sql(), &[oids.into(), node_id.into()])?;
    let is_unchanged = |found: &Unwritten| {
        let size = found.path.as_deref().and_then(main_fork_bytes);
        size == Some(found.size_bytes)
    };
    let unchanged = unwritten.into_iter().filter(is_unchanged);
    Ok(unchanged.map(|found| found.oid).collect())
}

/// Those of the oids $1 that have a young row and, since then, neither changes nor a vacuum of their table. $2: the node.
fn unwritten_sql() -> String {
    format!(
        "SELECT c.oid::pg_catalog.int8 AS oid, pg_catalog.pg_relation_filepath(c.oid) AS path, h.size_bytes \
         FROM pg_catalog.unnest($1) w (oid) \
         JOIN pg_catalog.pg_class c ON c.oid = w.oid::pg_catalog.oid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         LEFT JOIN pg_catalog.pg_index x ON x.indexrelid = c.oid \
         JOIN LATERAL (SELECT b.taken_at, b.changes, b.size_bytes FROM pgperf.bloat_history b \
             WHERE b.node_id = $2::pg_catalog.uuid \
               AND b.schema_name = n.nspname::pg_catalog.text COLLATE pg_catalog.\"default\" \
               AND b.relation_name = c.relname::pg_catalog.text COLLATE pg_catalog.\"default\" \
               AND b.taken_at > pg_catalog.clock_timestamp() - '23 hours'::pg_catalog.interval \
             ORDER BY b.taken_at DESC LIMIT 1) h ON h.changes = {CHANGES} \
         WHERE (GREATEST(pg_catalog.pg_stat_get_last_vacuum_time(COALESCE(x.indrelid, c.oid)), \
                         pg_catalog.pg_stat_get_last_autovacuum_time(COALESCE(x.indrelid, c.oid))) > h.taken_at) IS NOT TRUE"
    )
}
