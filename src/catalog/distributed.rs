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

/// Whether this database has Citus.
pub fn is_possible() -> Result<bool> {
    let catalog: Option<Catalog> = spi::select_one(CATALOG, &[])?;
    Ok(catalog.is_some_and(|catalog| catalog.is_there))
}

/// The answer of [`CATALOG`].
#[derive(Deserialize)]
pub struct Catalog {
    pub is_there: bool,
}

/// Whether a database has Citus.
pub const CATALOG: &str =
    "SELECT pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS is_there";

/// The first of these tables of a schema that is one of [`tables`].
pub fn first_of(tables: &[String], schema: &str) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct DistributedTable {
        relation: String,
    }
    let distributed = self::tables()?;
    if distributed.is_empty() {
        return Ok(None);
    }
    let found: Option<DistributedTable> = spi::select_one(
        "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
            AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[]) \
            AND c.oid::pg_catalog.int8 OPERATOR(pg_catalog.=) ANY ($3) \
          ORDER BY c.relname",
        &[schema.into(), tables.to_vec().into(), distributed.into()],
    )?;
    Ok(found.map(|found| found.relation))
}

/// The distributed, reference and managed local tables of this database, by oid. Citus's catalog is the proof: nobody but a
/// superuser who changes system tables can make a table in pg_catalog.
pub fn tables() -> Result<Vec<i64>> {
    #[derive(Deserialize)]
    struct DistributedTable {
        oid: i64,
    }
    if !is_possible()? {
        return Ok(Vec::new());
    }
    let tables: Vec<DistributedTable> = spi::select(
        "SELECT p.logicalrelid::pg_catalog.oid::pg_catalog.int8 AS oid FROM pg_catalog.pg_dist_partition p",
        &[],
    )?;
    Ok(tables.into_iter().map(|table| table.oid).collect())
}
