//! How far the databases and their oldest relations are from wraparound, and what holds them back.

use super::collector::{Collector, Cost, Depth, Reading, Scope};
use crate::error::Result;
use crate::pg::spi;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "wraparound",
    cost: Cost::Light,
    every_interval: true,
    needs: None,
    history_tables: &["wraparound_history"],
    description: "transaction id and multixact ages, and what holds vacuum's horizon back",
    read,
};

fn read(scope: &Scope) -> Result<Reading> {
    let sql = match scope.depth {
        Depth::Tick => format!("{CURRENT} {DATABASES} WHERE d.is_local OR d.is_oldest"),
        Depth::Full => format!("{CURRENT} {DATABASES} UNION ALL {OLDEST_RELATIONS}"),
    };
    Ok(Reading::of("wraparound_history", spi::select(&sql, &[])?))
}

/// The next ids, and everything that may hold a horizon back but this session.
///
/// age() and mxid_age() count from the next id, 32 bits wide; the snapshot's xmax gives the epoch and
/// lies behind the next id only by what has not ended yet. Lazy vacuums show an xmin that nobody heeds.
/// database is NULL for what holds back all of them.
const CURRENT: &str = "WITH xmax AS (\
        SELECT x.xmax, pg_catalog.age(x.xmax::pg_catalog.xid) AS behind \
        FROM (SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) AS xmax) x), \
     next AS (\
        SELECT (x.xmax::pg_catalog.text::pg_catalog.int8 + GREATEST(x.behind, 0))::pg_catalog.text AS xid, \
               (d.datminmxid::pg_catalog.text::pg_catalog.int8 + pg_catalog.mxid_age(d.datminmxid)) \
                   % 4294967296 AS multixid \
        FROM xmax x, pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()), \
     holders AS (\
        SELECT CASE WHEN a.backend_type = 'walsender' AND a.datid IS NULL \
                    THEN 'standby feedback ' || a.application_name ELSE 'backend pid ' || a.pid END AS holder, \
               a.datid AS database, \
               GREATEST(pg_catalog.age(a.backend_xmin), pg_catalog.age(a.backend_xid)) AS age \
        FROM pg_catalog.pg_stat_activity a \
        WHERE (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) \
          AND a.pid <> pg_catalog.pg_backend_pid() \
          AND a.pid NOT IN (SELECT v.pid FROM pg_catalog.pg_stat_progress_vacuum v) \
        UNION ALL \
        SELECT 'prepared transaction ' || p.gid, o.oid, pg_catalog.age(p.transaction) \
        FROM pg_catalog.pg_prepared_xacts p JOIN pg_catalog.pg_database o ON o.datname = p.database \
        UNION ALL \
        SELECT 'replication slot ' || s.slot_name, NULL, \
               GREATEST(pg_catalog.age(s.xmin), pg_catalog.age(s.catalog_xmin)) \
        FROM pg_catalog.pg_replication_slots s \
        WHERE s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL)";

/// Every database with its own oldest holder.
const DATABASES: &str = "SELECT d.datname AS database_name, NULL AS schema_name, NULL AS relation_name, \
            next.xid AS next_xid, d.xid_age AS frozen_xid_age, next.multixid AS next_multixid, \
            d.mxid_age AS multixact_age, h.holder AS horizon_holder, h.age AS horizon_age \
     FROM next, \
          (SELECT b.oid, b.datname, pg_catalog.age(b.datfrozenxid) AS xid_age, \
                  pg_catalog.mxid_age(b.datminmxid) AS mxid_age, \
                  b.datname = pg_catalog.current_database() AS is_local, \
                  pg_catalog.row_number() OVER (ORDER BY pg_catalog.age(b.datfrozenxid) DESC, \
                      b.datname = pg_catalog.current_database() DESC) = 1 AS is_oldest \
           FROM pg_catalog.pg_database b) d \
     LEFT JOIN LATERAL (SELECT o.holder, o.age FROM holders o \
                        WHERE o.database IS NULL OR o.database = d.oid \
                        ORDER BY o.age DESC LIMIT 1) h ON true";

/// The relation with the oldest relfrozenxid and the one with the oldest relminmxid (often the same).
/// It reads all of pg_class, so not at every tick.
const OLDEST_RELATIONS: &str = "SELECT pg_catalog.current_database(), n.nspname, c.relname, next.xid, \
            c.xid_age, next.multixid, c.mxid_age, NULL, NULL \
     FROM next, \
          (SELECT r.relnamespace, r.relname, pg_catalog.age(r.relfrozenxid) AS xid_age, \
                  pg_catalog.mxid_age(r.relminmxid) AS mxid_age, \
                  pg_catalog.row_number() OVER (ORDER BY pg_catalog.age(r.relfrozenxid) DESC, r.oid) AS by_xid, \
                  pg_catalog.row_number() OVER (ORDER BY pg_catalog.mxid_age(r.relminmxid) DESC, \
                      pg_catalog.age(r.relfrozenxid) DESC, r.oid) AS by_mxid \
           FROM pg_catalog.pg_class r WHERE r.relkind IN ('r', 't', 'm')) c \
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE c.by_xid = 1 OR c.by_mxid = 1";
