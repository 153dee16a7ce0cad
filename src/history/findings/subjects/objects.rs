//! Rules about statements, tables and what vacuum does.

use super::super::rule::Severity::{Note, Warning};
use super::super::rule::{Rule, Subject, at};

pub static STATEMENTS: Subject = Subject {
    #[cfg(test)]
    title: "Statements and WAL",
    source: include_str!("../statements/source.sql"),
    rules: &[
        Rule {
            name: "new_statement",
            threshold: Some(at(5.0, "%")),
            severity: Note,
            title: "a statement appeared and takes a share of the time",
            advice: "Find out which release or user brought it; EXPLAIN (ANALYZE, BUFFERS) shows its plan.",
            sql: include_str!("../statements/new_statement.sql"),
        },
        Rule {
            name: "slower_statement",
            threshold: Some(at(2.0, "times")),
            severity: Note,
            title: "a statement became slower than before",
            advice: "With another plan: ANALYZE the tables, and see whether an index is gone or a setting changed. With the same plan: more blocks are a table that grew or bloats, as many blocks are locks, a slow disk or a busy machine.",
            sql: include_str!("../statements/slower_statement.sql"),
        },
        Rule {
            name: "missing_index",
            threshold: Some(at(5.0, "%")),
            severity: Note,
            title: "statements search a table without an index",
            advice: "Create it, if writes can bear it, and compare EXPLAIN (ANALYZE, BUFFERS) of the statement before and after; without a gain, drop it again. Where few rows of many are searched, a condition (CREATE INDEX ... WHERE) keeps it small.",
            sql: include_str!("../statements/missing_index.sql"),
        },
        Rule {
            name: "temp_files",
            threshold: Some(at(1_073_741_824.0, "bytes an hour")),
            severity: Note,
            title: "sorts and hashes spill to disk",
            advice: "Raise work_mem for the role or statement that does it (SET LOCAL), or give it an index that keeps the order.",
            sql: include_str!("../statements/temp_files.sql"),
        },
        Rule {
            name: "wal_jump",
            threshold: None,
            severity: Note,
            title: "the volume of WAL jumped",
            advice: "Do such work in quiet hours and in smaller parts; standbys, archive and backups have to take all of it.",
            sql: include_str!("../statements/wal_jump.sql"),
        },
        Rule {
            name: "evicted_statements",
            threshold: None,
            severity: Note,
            title: "pg_stat_statements has no room for all statements",
            advice: "Raise pg_stat_statements.max (at the server's start), and let applications send parameters instead of texts that differ each time.",
            sql: include_str!("../statements/evicted_statements.sql"),
        },
    ],
};

pub static TABLES: Subject = Subject {
    #[cfg(test)]
    title: "Tables and indexes",
    source: include_str!("../tables/source.sql"),
    rules: &[
        Rule {
            name: "bulk_delete",
            threshold: Some(at(10_000.0, "rows")),
            severity: Note,
            title: "many rows were deleted in a short time",
            advice: "Vacuum the table; its file shrinks only by VACUUM FULL. What is deleted regularly belongs into partitions that are dropped.",
            sql: include_str!("../tables/bulk_delete.sql"),
        },
        Rule {
            name: "bulk_load",
            threshold: Some(at(134_217_728.0, "bytes")),
            severity: Note,
            title: "a table grew by a large part of the database in a short time",
            advice: "Load in quiet hours and in parts that standbys, archive and backups can take; ANALYZE after it, or plans are made for the table as it was.",
            sql: include_str!("../tables/bulk_load.sql"),
        },
        Rule {
            name: "unused_index",
            threshold: Some(at(8_388_608.0, "bytes")),
            severity: Note,
            title: "an index is not used",
            advice: "Drop it, after a look at standbys, at jobs of the month's end, and at foreign keys that need it: it costs time with each write, WAL, memory and vacuum.",
            sql: include_str!("../tables/unused_index.sql"),
        },
        Rule {
            name: "duplicate_index",
            threshold: None,
            severity: Note,
            title: "an index does what another one does as well",
            advice: "Drop it: the other index serves the same searches.",
            sql: include_str!("../tables/duplicate_index.sql"),
        },
        Rule {
            name: "invalid_index",
            threshold: None,
            severity: Warning,
            title: "an index is invalid",
            advice: "Build it anew (REINDEX INDEX CONCURRENTLY), or drop it: until then each write pays for it, and no query gains. Of a unique one, look for the rows that are not before it is built again.",
            sql: include_str!("../tables/invalid_index.sql"),
        },
        Rule {
            name: "unindexed_foreign_key",
            threshold: None,
            severity: Warning,
            title: "deleted rows are looked for without an index",
            advice: "Give the columns of the foreign key an index: each row that is deleted from the referenced table reads the whole referencing one.",
            sql: include_str!("../tables/unindexed_foreign_key.sql"),
        },
        Rule {
            name: "sequence_exhaustion",
            threshold: Some(at(90.0, "%")),
            severity: Warning,
            title: "a sequence comes to its end",
            advice: "At the limit every INSERT that takes a value fails. Change the column to bigint while there is time: a new column, filled in parts, is exchanged in a moment, while ALTER TABLE ... TYPE bigint rewrites the table under lock.",
            sql: include_str!("../tables/sequence_exhaustion.sql"),
        },
        Rule {
            name: "sequential_scans",
            threshold: Some(at(67_108_864.0, "bytes")),
            severity: Note,
            title: "a large table is read from end to end, again and again",
            advice: "Find the statement (pgperf.statement_rates, by rows and blocks) and give it an index, or more selective conditions.",
            sql: include_str!("../tables/sequential_scans.sql"),
        },
        Rule {
            name: "few_hot_updates",
            threshold: None,
            severity: Note,
            title: "updates write into all indexes",
            advice: "Drop indexes on columns that are updated, or leave room on pages (ALTER TABLE ... SET (fillfactor = 90)).",
            sql: include_str!("../tables/few_hot_updates.sql"),
        },
        Rule {
            name: "autovacuum_behind",
            threshold: Some(at(10_000.0, "rows")),
            severity: Warning,
            title: "autovacuum does not keep up with a table",
            advice: "See whether autovacuum is switched off for it, works on other tables or is cancelled by locks; lower its scale factor, raise autovacuum_vacuum_cost_limit.",
            sql: include_str!("../tables/autovacuum_behind.sql"),
        },
        Rule {
            name: "autovacuum_queue",
            threshold: None,
            severity: Note,
            title: "tables wait for autovacuum",
            advice: "Its workers work on other tables, or too slowly: raise autovacuum_max_workers or autovacuum_vacuum_cost_limit. pgperf.autovacuum_history has their order.",
            sql: include_str!("../tables/autovacuum_queue.sql"),
        },
    ],
};

pub static BLOAT: Subject = Subject {
    #[cfg(test)]
    title: "Bloat",
    source: include_str!("../vacuum/bloat.sql"),
    rules: &[
        Rule {
            name: "table_bloat",
            threshold: Some(at(30.0, "%")),
            severity: Warning,
            title: "a table bloats",
            advice: "Let autovacuum come earlier (autovacuum_vacuum_scale_factor of the table) and see what holds it back. Space that is free already comes back by VACUUM FULL (locks the table) or pg_repack.",
            sql: include_str!("../vacuum/table_bloat.sql"),
        },
        Rule {
            name: "index_bloat",
            threshold: Some(at(40.0, "%")),
            severity: Warning,
            title: "an index bloats",
            advice: "REINDEX INDEX CONCURRENTLY gives the space back; it returns if vacuum does not come often enough.",
            sql: include_str!("../vacuum/index_bloat.sql"),
        },
    ],
};

pub static HORIZON: Subject = Subject {
    #[cfg(test)]
    title: "Vacuum and transaction ids",
    source: include_str!("../vacuum/horizon.sql"),
    rules: &[
        Rule {
            name: "horizon_held",
            threshold: Some(at(10.0, "min")),
            severity: Warning,
            title: "vacuum could not remove dead rows, because somebody might still see them",
            advice: "End the transaction, or keep it shorter; commit or roll back prepared ones; drop slots without a consumer. idle_in_transaction_session_timeout ends sessions that wait in a transaction.",
            sql: include_str!("../vacuum/horizon_held.sql"),
        },
        Rule {
            name: "idle_in_transaction",
            threshold: Some(at(5.0, "min")),
            severity: Note,
            title: "a session stayed idle in a transaction",
            advice: "Let the application commit before it waits for somebody; idle_in_transaction_session_timeout ends such sessions.",
            sql: include_str!("../vacuum/idle_in_transaction.sql"),
        },
        Rule {
            name: "wraparound",
            threshold: None,
            severity: Warning,
            title: "transaction ids or multixacts are not frozen in time",
            advice: "Look for what holds the horizon back, then VACUUM (FREEZE) the oldest tables: pgperf.wraparound_history names them, pgperf.wraparound_forecast() the time that is left.",
            sql: include_str!("../vacuum/wraparound.sql"),
        },
    ],
};
