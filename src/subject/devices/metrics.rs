//! Metrics of devices.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Devices",
    sql: include_str!("metrics/devices.sql"),
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
}];
