//! Metrics of the machine.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "The machine",
        sql: include_str!("metrics/host.sql"),
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
        sql: include_str!("metrics/host.sql"),
        labels: &["mode"],
        families: &[counter("host_cpu_seconds", "CPU time of all CPUs together")],
    },
];
