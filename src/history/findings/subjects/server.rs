//! Rules about the server, its sessions, its surroundings and the history itself.

use super::super::rule::Severity::{Critical, Note, Warning};
use super::super::rule::{Rule, Subject, at};

pub static SERVER: Subject = Subject {
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
            sql: include_str!("../server/setting_changed.sql"),
        },
        Rule {
            name: "requested_checkpoints",
            threshold: Some(at(3.0, "checkpoints")),
            severity: Warning,
            title: "max_wal_size forces checkpoints",
            advice: "Raise max_wal_size, so that checkpoints come by checkpoint_timeout: each one makes pages be written whole to WAL again.",
            sql: include_str!("../server/requested_checkpoints.sql"),
        },
        Rule {
            name: "page_images",
            threshold: None,
            severity: Note,
            title: "most of the WAL are full-page images",
            advice: "Raise checkpoint_timeout and max_wal_size, and set wal_compression: fewer checkpoints write fewer images.",
            sql: include_str!("../server/page_images.sql"),
        },
        Rule {
            name: "backend_writes",
            threshold: None,
            severity: Note,
            title: "sessions write the pages that they displace",
            advice: "Raise shared_buffers, or let the background writer be ahead of them (bgwriter_lru_maxpages, bgwriter_delay). pgperf.checkpoint_history and pgperf.io_history have who wrote how much.",
            sql: include_str!("../server/backend_writes.sql"),
        },
    ],
};

pub static SESSIONS: Subject = Subject {
    #[cfg(test)]
    title: "Sessions",
    source: include_str!("../server/waits.sql"),
    rules: &[
        Rule {
            name: "blocking",
            threshold: Some(at(30.0, "s")),
            severity: Warning,
            title: "sessions waited for one that held a lock",
            advice: "Let the head of the queue end its transaction sooner: idle_in_transaction_session_timeout, transaction_timeout (from PostgreSQL 17 on), lock_timeout for ALTER TABLE, so that it does not stop all others while it waits.",
            sql: include_str!("../server/blocking.sql"),
        },
        Rule {
            name: "lock_waits",
            threshold: None,
            severity: Warning,
            title: "sessions wait for locks",
            advice: "pg_blocking_pids() names who is waited for; keep transactions short, change rows in one order, set lock_timeout for ALTER TABLE.",
            sql: include_str!("../server/lock_waits.sql"),
        },
        Rule {
            name: "long_lock_waits",
            threshold: None,
            severity: Note,
            title: "waits for locks were long",
            advice: "log_lock_waits writes each to the server's log, with who held the lock; keep transactions short, set lock_timeout for ALTER TABLE.",
            sql: include_str!("../server/long_lock_waits.sql"),
        },
        Rule {
            name: "connections",
            threshold: Some(at(90.0, "% of max_connections")),
            severity: Warning,
            title: "connections run out",
            advice: "Use a pool, and let idle sessions end (idle_session_timeout); raise max_connections only if they work.",
            sql: include_str!("../server/connections.sql"),
        },
    ],
};

pub static DATABASE: Subject = Subject {
    #[cfg(test)]
    title: "Database",
    source: include_str!("../server/source.sql"),
    rules: &[
        Rule {
            name: "deadlocks",
            threshold: None,
            severity: Warning,
            title: "transactions were in a deadlock",
            advice: "The server's log has the statements: lock rows in one order in all transactions.",
            sql: include_str!("../server/deadlocks.sql"),
        },
        Rule {
            name: "rollbacks",
            threshold: Some(at(5.0, "%")),
            severity: Note,
            title: "more transactions than before are rolled back",
            advice: "The server's log and the application's have the errors.",
            sql: include_str!("../server/rollbacks.sql"),
        },
        Rule {
            name: "hit_ratio_drop",
            threshold: Some(at(5.0, "percentage points")),
            severity: Note,
            title: "shared buffers hold less of what is asked for",
            advice: "Find what reads (pgperf.statement_rates, by shared_blks_read; pgperf.buffer_usage_history for what fills the buffers); pgperf.working_set() for a useful shared_buffers.",
            sql: include_str!("../server/hit_ratio_drop.sql"),
        },
        Rule {
            name: "checksum_failures",
            threshold: None,
            severity: Critical,
            title: "a page failed its checksum",
            advice: "Suspect the storage: move away from it, and restore from a backup made before.",
            sql: include_str!("../server/checksum_failures.sql"),
        },
    ],
};

pub static REPLICATION: Subject = Subject {
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
            sql: include_str!("../replication/standby_lag.sql"),
        },
        Rule {
            name: "slot_holds_wal",
            threshold: Some(at(1.0, "times max_wal_size")),
            severity: Warning,
            title: "a replication slot keeps WAL",
            advice: "Start its consumer or drop it; max_slot_wal_keep_size limits what slots may keep.",
            sql: include_str!("../replication/slot_holds_wal.sql"),
        },
        Rule {
            name: "subscription_errors",
            threshold: None,
            severity: Warning,
            title: "a subscription could not apply changes",
            advice: "The subscriber's log has the error: remove the row in conflict, or skip the transaction (ALTER SUBSCRIPTION ... SKIP).",
            sql: include_str!("../replication/subscription_errors.sql"),
        },
    ],
};

pub static STORAGE: Subject = Subject {
    #[cfg(test)]
    title: "Archive and file systems",
    source: include_str!("../storage/source.sql"),
    rules: &[
        Rule {
            name: "archive_failures",
            threshold: None,
            severity: Warning,
            title: "WAL could not be archived",
            advice: "The server's log has the reason. Until archiving succeeds, WAL stays in pg_wal and fills its disk.",
            sql: include_str!("../storage/archive_failures.sql"),
        },
        Rule {
            name: "archive_behind",
            threshold: Some(at(600.0, "s")),
            severity: Warning,
            title: "the archive falls behind",
            advice: "Let archive_command take several files at a time or compress less, or give the archive's target more bandwidth: what waits is in no backup, and stays in pg_wal.",
            sql: include_str!("../storage/archive_behind.sql"),
        },
        Rule {
            name: "file_system_full",
            threshold: None,
            severity: Warning,
            title: "a file system fills up",
            advice: "Find what grows (the report's tablespaces and tables, retained WAL, files of other programs); make room, or move a tablespace, before the server stops at a full disk.",
            sql: include_str!("../storage/file_system_full.sql"),
        },
    ],
};

pub static MACHINE: Subject = Subject {
    #[cfg(test)]
    title: "Machine",
    source: include_str!("../machine/source.sql"),
    rules: &[
        Rule {
            name: "cpu_saturated",
            threshold: None,
            severity: Warning,
            title: "all CPUs are busy",
            advice: "Find the statements that take the time; look for other programs on the machine; steal is time that other machines on the same host took.",
            sql: include_str!("../machine/cpu_saturated.sql"),
        },
        Rule {
            name: "device_saturated",
            threshold: Some(at(90.0, "%")),
            severity: Warning,
            title: "a disk is saturated",
            advice: "See who reads and writes (pgperf.io_history, statements by blocks): missing indexes, checkpoints too close together, shared_buffers too small.",
            sql: include_str!("../machine/device_saturated.sql"),
        },
        Rule {
            name: "swapping",
            threshold: Some(at(104_857_600.0, "bytes an hour")),
            severity: Warning,
            title: "the machine swaps",
            advice: "Lower what the server may take (shared_buffers, work_mem times sessions), or add memory.",
            sql: include_str!("../machine/swapping.sql"),
        },
        Rule {
            name: "oom_kills",
            threshold: None,
            severity: Critical,
            title: "the kernel killed processes for want of memory",
            advice: "Lower what the server may take, and set vm.overcommit_memory = 2.",
            sql: include_str!("../machine/oom_kills.sql"),
        },
    ],
};

pub static RECORD: Subject = Subject {
    #[cfg(test)]
    title: "The history itself",
    source: include_str!("../record/source.sql"),
    rules: &[
        Rule {
            name: "no_samples",
            threshold: None,
            severity: Warning,
            title: "nothing is known of the window",
            advice: "Let the sampler run: add the database to pgperf.sampler_databases.",
            sql: include_str!("../record/no_samples.sql"),
        },
        Rule {
            name: "gap",
            threshold: Some(at(60.0, "s")),
            severity: Note,
            title: "the history has gaps",
            advice: "pgperf.sampler_gaps has the reasons: no sampler, a busy machine, a collector that waited for a lock.",
            sql: include_str!("../record/gap.sql"),
        },
        Rule {
            name: "restart",
            threshold: None,
            severity: Note,
            title: "the server was restarted, or crashed",
            advice: "The server's log has the reason.",
            sql: include_str!("../record/restart.sql"),
        },
        Rule {
            name: "statistics_reset",
            threshold: None,
            severity: Note,
            title: "statistics of the server were reset",
            advice: "Find out who resets them: a job, or a monitoring tool that needs it no more. Figures of the server's own views begin again there, too, and autovacuum forgets what it has counted.",
            sql: include_str!("../record/statistics_reset.sql"),
        },
        Rule {
            name: "collector_failed",
            threshold: None,
            severity: Note,
            title: "a part of the samples is missing",
            advice: "The reason stands in pgperf.sample_outcomes.",
            sql: include_str!("../record/collector_failed.sql"),
        },
        Rule {
            name: "worker_slots",
            threshold: None,
            severity: Warning,
            title: "the sampler lacks a worker slot",
            advice: "Raise max_worker_processes, which takes a restart: runs, parallel queries, replication and other extensions take slots, too.",
            sql: include_str!("../record/worker_slots.sql"),
        },
        Rule {
            name: "observer",
            threshold: Some(at(2.0, "%")),
            severity: Warning,
            title: "pgperf itself costs more than it should",
            advice: "Take the expensive collectors less often: UPDATE pgperf.collectors SET sample_interval = ...; pgperf.sample_outcomes has the time of each.",
            sql: include_str!("../record/observer.sql"),
        },
    ],
};
