//! All rules, by what they read.

use super::rule::Severity::{Critical, Note, Warning};
use super::rule::{Rule, Subject, at};

/// All of them, in the order of the documentation.
pub static SUBJECTS: [&Subject; 11] = [
    &STATEMENTS,
    &TABLES,
    &BLOAT,
    &HORIZON,
    &SERVER,
    &SESSIONS,
    &DATABASE,
    &REPLICATION,
    &STORAGE,
    &MACHINE,
    &RECORD,
];

static STATEMENTS: Subject = Subject {
    #[cfg(test)]
    title: "Statements and WAL",
    source: include_str!("statements/source.sql"),
    rules: &[
        Rule {
            name: "new_statement",
            threshold: Some(at(5.0, "%")),
            severity: Note,
            title: "a statement appeared and takes a share of the time",
            advice: "Find out which release or user brought it; EXPLAIN (ANALYZE, BUFFERS) shows its plan.",
            sql: include_str!("statements/new_statement.sql"),
        },
        Rule {
            name: "slower_statement",
            threshold: Some(at(2.0, "times")),
            severity: Note,
            title: "a statement became slower than before",
            advice: "Compare its plan and its blocks per call with before: a changed plan, old statistics, bloat, locks, a table that grew.",
            sql: include_str!("statements/slower_statement.sql"),
        },
        Rule {
            name: "temp_files",
            threshold: Some(at(1_073_741_824.0, "bytes an hour")),
            severity: Note,
            title: "sorts and hashes spill to disk",
            advice: "Raise work_mem for the role or statement that does it (SET LOCAL), or give it an index that keeps the order.",
            sql: include_str!("statements/temp_files.sql"),
        },
        Rule {
            name: "wal_jump",
            threshold: None,
            severity: Note,
            title: "the volume of WAL jumped",
            advice: "Do such work in quiet hours and in smaller parts; standbys, archive and backups have to take all of it.",
            sql: include_str!("statements/wal_jump.sql"),
        },
        Rule {
            name: "evicted_statements",
            threshold: None,
            severity: Note,
            title: "pg_stat_statements has no room for all statements",
            advice: "Raise pg_stat_statements.max (at the server's start), and let applications send parameters instead of texts that differ each time.",
            sql: include_str!("statements/evicted_statements.sql"),
        },
    ],
};

static TABLES: Subject = Subject {
    #[cfg(test)]
    title: "Tables and indexes",
    source: include_str!("tables/source.sql"),
    rules: &[
        Rule {
            name: "bulk_delete",
            threshold: Some(at(10_000.0, "rows")),
            severity: Note,
            title: "many rows were deleted in a short time",
            advice: "Vacuum the table; its file shrinks only by VACUUM FULL. What is deleted regularly belongs into partitions that are dropped.",
            sql: include_str!("tables/bulk_delete.sql"),
        },
        Rule {
            name: "unused_index",
            threshold: Some(at(8_388_608.0, "bytes")),
            severity: Note,
            title: "an index is not used",
            advice: "Drop it, after a look at standbys, at jobs of the month's end, and at foreign keys that need it: it costs time with each write, WAL, memory and vacuum.",
            sql: include_str!("tables/unused_index.sql"),
        },
        Rule {
            name: "duplicate_index",
            threshold: None,
            severity: Note,
            title: "an index does what another one does as well",
            advice: "Drop it: the other index serves the same searches.",
            sql: include_str!("tables/duplicate_index.sql"),
        },
        Rule {
            name: "invalid_index",
            threshold: None,
            severity: Warning,
            title: "an index is invalid",
            advice: "Build it anew (REINDEX INDEX CONCURRENTLY), or drop it: until then each write pays for it, and no query gains.",
            sql: include_str!("tables/invalid_index.sql"),
        },
        Rule {
            name: "unindexed_foreign_key",
            threshold: None,
            severity: Warning,
            title: "deleted rows are looked for without an index",
            advice: "Give the columns of the foreign key an index: each row that is deleted from the referenced table reads the whole referencing one.",
            sql: include_str!("tables/unindexed_foreign_key.sql"),
        },
        Rule {
            name: "sequence_exhaustion",
            threshold: Some(at(90.0, "%")),
            severity: Warning,
            title: "a sequence comes to its end",
            advice: "At the limit every INSERT that takes a value fails. Change the column to bigint while there is time: a new column, filled in parts, is exchanged in a moment, while ALTER TABLE ... TYPE bigint rewrites the table under lock.",
            sql: include_str!("tables/sequence_exhaustion.sql"),
        },
        Rule {
            name: "sequential_scans",
            threshold: Some(at(67_108_864.0, "bytes")),
            severity: Note,
            title: "a large table is read from end to end, again and again",
            advice: "Find the statement (pgperf.statement_rates, by rows and blocks) and give it an index, or more selective conditions.",
            sql: include_str!("tables/sequential_scans.sql"),
        },
        Rule {
            name: "few_hot_updates",
            threshold: None,
            severity: Note,
            title: "updates write into all indexes",
            advice: "Drop indexes on columns that are updated, or leave room on pages (ALTER TABLE ... SET (fillfactor = 90)).",
            sql: include_str!("tables/few_hot_updates.sql"),
        },
        Rule {
            name: "autovacuum_behind",
            threshold: Some(at(10_000.0, "rows")),
            severity: Warning,
            title: "autovacuum does not keep up with a table",
            advice: "See whether autovacuum is switched off for it, works on other tables or is cancelled by locks; lower its scale factor, raise autovacuum_vacuum_cost_limit.",
            sql: include_str!("tables/autovacuum_behind.sql"),
        },
        Rule {
            name: "autovacuum_queue",
            threshold: None,
            severity: Note,
            title: "tables wait for autovacuum",
            advice: "Its workers work on other tables, or too slowly: raise autovacuum_max_workers or autovacuum_vacuum_cost_limit. pgperf.autovacuum_history has their order.",
            sql: include_str!("tables/autovacuum_queue.sql"),
        },
    ],
};

static BLOAT: Subject = Subject {
    #[cfg(test)]
    title: "Bloat",
    source: include_str!("vacuum/bloat.sql"),
    rules: &[
        Rule {
            name: "table_bloat",
            threshold: Some(at(30.0, "%")),
            severity: Warning,
            title: "a table bloats",
            advice: "Let autovacuum come earlier (autovacuum_vacuum_scale_factor of the table) and see what holds it back. Space that is free already comes back by VACUUM FULL (locks the table) or pg_repack.",
            sql: include_str!("vacuum/table_bloat.sql"),
        },
        Rule {
            name: "index_bloat",
            threshold: Some(at(40.0, "%")),
            severity: Warning,
            title: "an index bloats",
            advice: "REINDEX INDEX CONCURRENTLY gives the space back; it returns if vacuum does not come often enough.",
            sql: include_str!("vacuum/index_bloat.sql"),
        },
    ],
};

static HORIZON: Subject = Subject {
    #[cfg(test)]
    title: "Vacuum and transaction ids",
    source: include_str!("vacuum/horizon.sql"),
    rules: &[
        Rule {
            name: "horizon_held",
            threshold: Some(at(10.0, "min")),
            severity: Warning,
            title: "vacuum could not remove dead rows, because somebody might still see them",
            advice: "End the transaction, or keep it shorter; commit or roll back prepared ones; drop slots without a consumer. idle_in_transaction_session_timeout ends sessions that wait in a transaction.",
            sql: include_str!("vacuum/horizon_held.sql"),
        },
        Rule {
            name: "idle_in_transaction",
            threshold: Some(at(5.0, "min")),
            severity: Note,
            title: "a session stayed idle in a transaction",
            advice: "Let the application commit before it waits for somebody; idle_in_transaction_session_timeout ends such sessions.",
            sql: include_str!("vacuum/idle_in_transaction.sql"),
        },
        Rule {
            name: "wraparound",
            threshold: None,
            severity: Warning,
            title: "transaction ids or multixacts are not frozen in time",
            advice: "Look for what holds the horizon back, then VACUUM (FREEZE) the oldest tables: pgperf.wraparound_history names them, pgperf.wraparound_forecast() the time that is left.",
            sql: include_str!("vacuum/wraparound.sql"),
        },
    ],
};

static SERVER: Subject = Subject {
    #[cfg(test)]
    title: "Settings and checkpoints",
    source: "",
    rules: &[
        Rule {
            name: "setting_changed",
            threshold: None,
            severity: Note,
            title: "a setting was changed",
            advice: "If something else changed at that time, it may be the cause.",
            sql: include_str!("server/setting_changed.sql"),
        },
        Rule {
            name: "requested_checkpoints",
            threshold: Some(at(3.0, "checkpoints")),
            severity: Warning,
            title: "max_wal_size forces checkpoints",
            advice: "Raise max_wal_size, so that checkpoints come by checkpoint_timeout: each one makes pages be written whole to WAL again.",
            sql: include_str!("server/requested_checkpoints.sql"),
        },
        Rule {
            name: "page_images",
            threshold: None,
            severity: Note,
            title: "most of the WAL are full-page images",
            advice: "Raise checkpoint_timeout and max_wal_size, and set wal_compression: fewer checkpoints write fewer images.",
            sql: include_str!("server/page_images.sql"),
        },
        Rule {
            name: "backend_writes",
            threshold: None,
            severity: Note,
            title: "sessions write the pages that they displace",
            advice: "Raise shared_buffers, or let the background writer be ahead of them (bgwriter_lru_maxpages, bgwriter_delay). pgperf.checkpoint_history and pgperf.io_history have who wrote how much.",
            sql: include_str!("server/backend_writes.sql"),
        },
    ],
};

static SESSIONS: Subject = Subject {
    #[cfg(test)]
    title: "Sessions",
    source: include_str!("server/waits.sql"),
    rules: &[
        Rule {
            name: "blocking",
            threshold: Some(at(30.0, "s")),
            severity: Warning,
            title: "sessions waited for one that held a lock",
            advice: "Let the head of the queue end its transaction sooner: idle_in_transaction_session_timeout, transaction_timeout (from PostgreSQL 17 on), lock_timeout for ALTER TABLE, so that it does not stop all others while it waits.",
            sql: include_str!("server/blocking.sql"),
        },
        Rule {
            name: "lock_waits",
            threshold: None,
            severity: Warning,
            title: "sessions wait for locks",
            advice: "pg_blocking_pids() names who is waited for; keep transactions short, change rows in one order, set lock_timeout for ALTER TABLE.",
            sql: include_str!("server/lock_waits.sql"),
        },
        Rule {
            name: "long_lock_waits",
            threshold: None,
            severity: Note,
            title: "waits for locks were long",
            advice: "log_lock_waits writes each to the server's log, with who held the lock; keep transactions short, set lock_timeout for ALTER TABLE.",
            sql: include_str!("server/long_lock_waits.sql"),
        },
        Rule {
            name: "connections",
            threshold: Some(at(90.0, "% of max_connections")),
            severity: Warning,
            title: "connections run out",
            advice: "Use a pool, and let idle sessions end (idle_session_timeout); raise max_connections only if they work.",
            sql: include_str!("server/connections.sql"),
        },
    ],
};

static DATABASE: Subject = Subject {
    #[cfg(test)]
    title: "Database",
    source: include_str!("server/source.sql"),
    rules: &[
        Rule {
            name: "deadlocks",
            threshold: None,
            severity: Warning,
            title: "transactions were in a deadlock",
            advice: "The server's log has the statements: lock rows in one order in all transactions.",
            sql: include_str!("server/deadlocks.sql"),
        },
        Rule {
            name: "rollbacks",
            threshold: Some(at(5.0, "%")),
            severity: Note,
            title: "more transactions than before are rolled back",
            advice: "The server's log and the application's have the errors.",
            sql: include_str!("server/rollbacks.sql"),
        },
        Rule {
            name: "hit_ratio_drop",
            threshold: Some(at(5.0, "percentage points")),
            severity: Note,
            title: "shared buffers hold less of what is asked for",
            advice: "Find what reads (pgperf.statement_rates, by shared_blks_read; pgperf.buffer_usage_history for what fills the buffers); pgperf.working_set() for a useful shared_buffers.",
            sql: include_str!("server/hit_ratio_drop.sql"),
        },
        Rule {
            name: "checksum_failures",
            threshold: None,
            severity: Critical,
            title: "a page failed its checksum",
            advice: "Suspect the storage: move away from it, and restore from a backup made before.",
            sql: include_str!("server/checksum_failures.sql"),
        },
    ],
};

static REPLICATION: Subject = Subject {
    #[cfg(test)]
    title: "Replication",
    source: "",
    rules: &[
        Rule {
            name: "standby_lag",
            threshold: Some(at(60.0, "s")),
            severity: Warning,
            title: "a standby is behind",
            advice: "See whether sending, writing or replaying lags (pgperf.replication_history): the network, the standby's disk, or a query there that replay waits for.",
            sql: include_str!("replication/standby_lag.sql"),
        },
        Rule {
            name: "slot_holds_wal",
            threshold: Some(at(1_073_741_824.0, "bytes")),
            severity: Warning,
            title: "a replication slot keeps WAL",
            advice: "Start its consumer or drop it; max_slot_wal_keep_size limits what slots may keep.",
            sql: include_str!("replication/slot_holds_wal.sql"),
        },
        Rule {
            name: "subscription_errors",
            threshold: None,
            severity: Warning,
            title: "a subscription could not apply changes",
            advice: "The subscriber's log has the error: remove the row in conflict, or skip the transaction (ALTER SUBSCRIPTION ... SKIP).",
            sql: include_str!("replication/subscription_errors.sql"),
        },
    ],
};

static STORAGE: Subject = Subject {
    #[cfg(test)]
    title: "Archive and file systems",
    source: include_str!("storage/source.sql"),
    rules: &[
        Rule {
            name: "archive_failures",
            threshold: None,
            severity: Warning,
            title: "WAL could not be archived",
            advice: "The server's log has the reason. Until archiving succeeds, WAL stays in pg_wal and fills its disk.",
            sql: include_str!("storage/archive_failures.sql"),
        },
        Rule {
            name: "archive_behind",
            threshold: Some(at(600.0, "s")),
            severity: Warning,
            title: "the archive falls behind",
            advice: "Let archive_command take several files at a time or compress less, or give the archive's target more bandwidth: what waits is in no backup, and stays in pg_wal.",
            sql: include_str!("storage/archive_behind.sql"),
        },
        Rule {
            name: "file_system_full",
            threshold: None,
            severity: Warning,
            title: "a file system fills up",
            advice: "Find what grows (the report's tablespaces and tables, retained WAL, files of other programs); make room, or move a tablespace, before the server stops at a full disk.",
            sql: include_str!("storage/file_system_full.sql"),
        },
    ],
};

static MACHINE: Subject = Subject {
    #[cfg(test)]
    title: "Machine",
    source: include_str!("machine/source.sql"),
    rules: &[
        Rule {
            name: "cpu_saturated",
            threshold: None,
            severity: Warning,
            title: "all CPUs are busy",
            advice: "Find the statements that take the time; look for other programs on the machine; steal is time that other machines on the same host took.",
            sql: include_str!("machine/cpu_saturated.sql"),
        },
        Rule {
            name: "device_saturated",
            threshold: Some(at(90.0, "%")),
            severity: Warning,
            title: "a disk is saturated",
            advice: "See who reads and writes (pgperf.io_history, statements by blocks): missing indexes, checkpoints too close together, shared_buffers too small.",
            sql: include_str!("machine/device_saturated.sql"),
        },
        Rule {
            name: "swapping",
            threshold: Some(at(104_857_600.0, "bytes an hour")),
            severity: Warning,
            title: "the machine swaps",
            advice: "Lower what the server may take (shared_buffers, work_mem times sessions), or add memory.",
            sql: include_str!("machine/swapping.sql"),
        },
        Rule {
            name: "oom_kills",
            threshold: None,
            severity: Critical,
            title: "the kernel killed processes for want of memory",
            advice: "Lower what the server may take, and set vm.overcommit_memory = 2.",
            sql: include_str!("machine/oom_kills.sql"),
        },
    ],
};

static RECORD: Subject = Subject {
    #[cfg(test)]
    title: "The history itself",
    source: include_str!("record/source.sql"),
    rules: &[
        Rule {
            name: "no_samples",
            threshold: None,
            severity: Warning,
            title: "nothing is known of the window",
            advice: "Let the sampler run: add the database to pgperf.sampler_databases.",
            sql: include_str!("record/no_samples.sql"),
        },
        Rule {
            name: "gap",
            threshold: Some(at(60.0, "s")),
            severity: Note,
            title: "the history has gaps",
            advice: "pgperf.sampler_gaps has the reasons: no sampler, a busy machine, a collector that waited for a lock.",
            sql: include_str!("record/gap.sql"),
        },
        Rule {
            name: "restart",
            threshold: None,
            severity: Note,
            title: "the server was restarted, or crashed",
            advice: "The server's log has the reason.",
            sql: include_str!("record/restart.sql"),
        },
        Rule {
            name: "statistics_reset",
            threshold: None,
            severity: Note,
            title: "statistics of the server were reset",
            advice: "Find out who resets them: a job, or a monitoring tool that needs it no more. Figures of the server's own views begin again there, too, and autovacuum forgets what it has counted.",
            sql: include_str!("record/statistics_reset.sql"),
        },
        Rule {
            name: "collector_failed",
            threshold: None,
            severity: Note,
            title: "a part of the samples is missing",
            advice: "The reason stands in pgperf.sample_outcomes.",
            sql: include_str!("record/collector_failed.sql"),
        },
        Rule {
            name: "observer",
            threshold: Some(at(2.0, "%")),
            severity: Warning,
            title: "pgperf itself costs more than it should",
            advice: "Take the expensive collectors less often: UPDATE pgperf.collectors SET sample_interval = ...; pgperf.sample_outcomes has the time of each.",
            sql: include_str!("record/observer.sql"),
        },
    ],
};
