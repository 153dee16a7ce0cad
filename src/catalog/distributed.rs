//! Tables that Citus distributes: this server has a shell of each, empty or with its earlier rows, and the rows are
//! in shards, most of them on other servers. Counters here say nothing about them.

use crate::error::Result;
use crate::pg::sql::spi;
use serde::Deserialize;

/// Why a figure of such a table is NULL.
pub const REASON: &str = "distributed by Citus: its rows are in shards, also on other servers";

/// Why figures of a run are NULL where there are such tables.
pub const REASON_OF_RUN: &str = "tables distributed by Citus: WAL, buffers, growth and what happened to these tables are on \
     other servers too, and unknown here";

/// The distributed, reference and managed local tables of this database, by oid. Citus's catalog is the proof: nobody but a
/// superuser who changes system tables can make a table in pg_catalog.
pub fn tables() -> Result<Vec<i64>> {
    #[derive(Deserialize)]
    struct Catalog {
        is_there: bool,
    }
    #[derive(Deserialize)]
    struct DistributedTable {
        oid: i64,
    }
    let catalog: Option<Catalog> = spi::select_one(
        "SELECT pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS is_there",
        &[],
    )?;
    if !catalog.is_some_and(|catalog| catalog.is_there) {
        return Ok(Vec::new());
    }
    let tables: Vec<DistributedTable> = spi::select(
        "SELECT p.logicalrelid::pg_catalog.oid::pg_catalog.int8 AS oid FROM pg_catalog.pg_dist_partition p",
        &[],
    )?;
    Ok(tables.into_iter().map(|table| table.oid).collect())
}
