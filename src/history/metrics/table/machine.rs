//! Caches, I/O and the machine.

use super::{Source, counter, gauge};

pub const SOURCES: &[Source] = &[
    Source {
        topic: "SLRU caches",
        sql: include_str!("../sql/slru.sql"),
        labels: &["slru"],
        families: &[
            counter("slru_blocks_hit", "Blocks found in the cache"),
            counter("slru_blocks_read", "Blocks read"),
            counter("slru_blocks_written", "Blocks written"),
            counter("slru_flushes", "Flushes"),
        ],
    },
    Source {
        topic: "Waits for locks",
        sql: include_str!("../sql/locks.sql"),
        labels: &["lock"],
        families: &[
            counter(
                "lock_waits",
                "Waits for locks that were longer than deadlock_timeout; PostgreSQL 19",
            ),
            counter("lock_wait_seconds", "Their time"),
            counter(
                "lock_fastpath_exceeded",
                "Locks for which the fast path of their session had no room",
            ),
        ],
    },
    Source {
        topic: "I/O",
        sql: include_str!("../sql/io.sql"),
        labels: &["backend_type", "object", "context"],
        families: &[
            counter("io_reads", "Reads"),
            counter("io_read_bytes", "Data read"),
            counter(
                "io_read_seconds",
                "Time spent reading, with track_io_timing",
            ),
            counter("io_writes", "Writes"),
            counter("io_write_bytes", "Data written"),
            counter(
                "io_write_seconds",
                "Time spent writing, with track_io_timing",
            ),
            counter("io_extends", "Extensions of relations"),
            counter("io_extend_bytes", "Data added by extending relations"),
            counter(
                "io_extend_seconds",
                "Time spent extending relations, with track_io_timing",
            ),
            counter("io_hits", "Blocks found in a cache"),
            counter(
                "io_evictions",
                "Blocks evicted for another use of their buffer",
            ),
            counter("io_reuses", "Buffers of a ring used again"),
            counter("io_fsyncs", "Syncs"),
            counter(
                "io_fsync_seconds",
                "Time spent syncing, with track_io_timing",
            ),
        ],
    },
    Source {
        topic: "The machine",
        sql: include_str!("../sql/host.sql"),
        labels: &[],
        families: &[
            gauge("host_cpus", "CPUs"),
            gauge("host_load1", "Load average over 1 minute"),
            gauge("host_load5", "Load average over 5 minutes"),
            gauge("host_load15", "Load average over 15 minutes"),
            gauge(
                "host_processes_running",
                "Processes that run or wait for a CPU",
            ),
            gauge("host_processes_blocked", "Processes that wait for a device"),
            gauge("host_memory_total_bytes", "Memory"),
            gauge("host_memory_free_bytes", "Unused memory"),
            gauge(
                "host_memory_available_bytes",
                "Memory that programs can still get",
            ),
            gauge("host_memory_cached_bytes", "Page cache"),
            gauge(
                "host_memory_dirty_bytes",
                "Part of the page cache that is to be written",
            ),
            gauge("host_swap_total_bytes", "Swap space"),
            gauge("host_swap_free_bytes", "Unused swap space"),
            gauge("host_server_processes", "Processes of the server"),
            gauge(
                "host_server_private_bytes",
                "Private memory of the server's processes",
            ),
            counter("host_context_switches", "Context switches"),
            counter("host_major_faults", "Page faults that read from a device"),
            counter("host_oom_kills", "Processes killed for want of memory"),
        ],
    },
    Source {
        topic: "The machine",
        sql: include_str!("../sql/cpu.sql"),
        labels: &["mode"],
        families: &[counter("host_cpu_seconds", "CPU time of all CPUs together")],
    },
    Source {
        topic: "Devices",
        sql: include_str!("../sql/devices.sql"),
        labels: &["device", "holds"],
        families: &[
            gauge("device_in_flight", "Requests in progress"),
            counter("device_reads", "Reads"),
            counter("device_read_bytes", "Data read"),
            counter("device_read_seconds", "Time of all reads together"),
            counter("device_writes", "Writes"),
            counter("device_write_bytes", "Data written"),
            counter("device_write_seconds", "Time of all writes together"),
            counter("device_flushes", "Flushes of the device's cache"),
            counter("device_flush_seconds", "Time of all flushes together"),
            counter("device_busy_seconds", "Time with a request in progress"),
            counter(
                "device_queue_seconds",
                "Time of all requests together, with that in the queue",
            ),
        ],
    },
];
