//! What shared_buffers holds: buffers by relation, fork and usage count, through pg_buffercache's view.

use super::collector::{Collector, Cost, KIND_NAME, Reading, Scope, extension_schema};
use crate::error::Result;
use crate::pg::spi;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "buffers",
    cost: Cost::Medium,
    every_interval: false,
    needs: Some("pg_buffercache"),
    history_tables: &["buffer_usage_history"],
    description: "buffers by relation, fork, usage count, dirty and pinned",
    read,
};

/// One pass over the buffers, grouped before anything is joined: the catalog is looked at once.
///
/// A file is known by database, tablespace and file number together; pg_class has neither the file
/// number of mapped catalogs nor the tablespace where that is the database's default.
fn read(_: &Scope) -> Result<Reading> {
    let schema = extension_schema("pg_buffercache")?;
    let sql = format!(
        "SELECT CASE WHEN b.usagecount IS NOT NULL THEN d.datname END AS database_name, \
                n.nspname AS schema_name, c.relname AS relation_name, {KIND_NAME} AS relation_kind, \
                CASE b.relforknumber WHEN 0 THEN 'main' WHEN 1 THEN 'fsm' WHEN 2 THEN 'vm' \
                                     WHEN 3 THEN 'init' END AS fork, \
                b.usagecount AS usage_count, pg_catalog.sum(b.buffers)::pg_catalog.int8 AS buffers, \
                pg_catalog.sum(b.dirty)::pg_catalog.int8 AS dirty, \
                pg_catalog.sum(b.pinned)::pg_catalog.int8 AS pinned \
         FROM (SELECT reldatabase, reltablespace, relfilenode, relforknumber, usagecount, \
                      pg_catalog.count(*) AS buffers, \
                      pg_catalog.count(*) FILTER (WHERE isdirty) AS dirty, \
                      pg_catalog.count(*) FILTER (WHERE pinning_backends > 0) AS pinned \
               FROM {schema}.pg_buffercache GROUP BY 1, 2, 3, 4, 5) b \
         CROSS JOIN (SELECT oid, dattablespace FROM pg_catalog.pg_database \
                     WHERE datname = pg_catalog.current_database()) here \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = b.reldatabase \
         LEFT JOIN (SELECT r.relname, r.relnamespace, r.relkind, r.relisshared, r.reltablespace, \
                           COALESCE(NULLIF(r.relfilenode, 0), pg_catalog.pg_relation_filenode(r.oid)) AS file \
                    FROM pg_catalog.pg_class r \
                    WHERE r.relkind IN ('r', 'i', 't', 'm', 'S') AND r.relpersistence <> 't') c \
           ON c.file = b.relfilenode \
          AND COALESCE(NULLIF(c.reltablespace, 0), here.dattablespace) = b.reltablespace \
          AND CASE WHEN c.relisshared THEN 0 ELSE here.oid END = b.reldatabase \
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         GROUP BY 1, 2, 3, 4, 5, 6"
    );
    Ok(Reading::of("buffer_usage_history", spi::select(&sql, &[])?))
}
