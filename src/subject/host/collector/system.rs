//! The machine as a whole, from `/proc`.

use crate::collect::rows::Row;
use procfs::{Current, CurrentSI, KernelStats, LoadAverage, Meminfo, ProcResult};
use serde_json::{Value, json};
use std::fs;

/// Identifies the time since the kernel was started: counters begin again with it.
pub fn boot_id() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

/// A row of `host_history`, without the server's own memory.
pub fn row() -> ProcResult<Row> {
    let stat = KernelStats::current()?;
    let load = LoadAverage::current()?;
    let memory = Meminfo::current()?;
    let cpu = &stat.total;
    let columns = [
        ("cpus", json!(stat.cpu_time.len())),
        ("cpu_user_ms", json!(cpu.user_ms())),
        ("cpu_nice_ms", json!(cpu.nice_ms())),
        ("cpu_system_ms", json!(cpu.system_ms())),
        ("cpu_idle_ms", json!(cpu.idle_ms())),
        ("cpu_iowait_ms", json!(cpu.iowait_ms())),
        ("cpu_irq_ms", json!(cpu.irq_ms())),
        ("cpu_softirq_ms", json!(cpu.softirq_ms())),
        ("cpu_steal_ms", json!(cpu.steal_ms())),
        ("context_switches", json!(stat.ctxt)),
        ("forks", json!(stat.processes)),
        ("processes_running", json!(stat.procs_running)),
        ("processes_blocked", json!(stat.procs_blocked)),
        ("load_1", rounded(load.one)),
        ("load_5", rounded(load.five)),
        ("load_15", rounded(load.fifteen)),
        ("memory_total_bytes", json!(memory.mem_total)),
        ("memory_free_bytes", json!(memory.mem_free)),
        ("memory_available_bytes", json!(memory.mem_available)),
        ("memory_cached_bytes", json!(memory.buffers + memory.cached)),
        ("memory_dirty_bytes", json!(memory.dirty)),
        ("memory_writeback_bytes", json!(memory.writeback)),
        ("huge_pages_total", json!(memory.hugepages_total)),
        ("huge_pages_free", json!(memory.hugepages_free)),
        ("swap_total_bytes", json!(memory.swap_total)),
        ("swap_free_bytes", json!(memory.swap_free)),
    ];
    let mut row = Row::from_iter(columns.map(|(column, value)| (column.to_owned(), value)));
    let counts = procfs::vmstat()?;
    for (column, count) in [
        ("swap_in_pages", "pswpin"),
        ("swap_out_pages", "pswpout"),
        ("major_faults", "pgmajfault"),
        ("oom_kills", "oom_kill"),
    ] {
        row.insert(column.to_owned(), json!(counts.get(count)));
    }
    Ok(row)
}

/// The kernel gives two digits.
fn rounded(load: f32) -> Value {
    json!((f64::from(load) * 100.0).round() / 100.0)
}

/// Private memory of the server's processes: resident pages that belong neither to files nor to shared memory.
/// Processes that have ended meanwhile do not count.
pub fn server_memory(pids: &[i64]) -> Row {
    let private: Vec<u64> = pids.iter().filter_map(|&pid| private_pages(pid)).collect();
    let bytes = private.iter().sum::<u64>() * procfs::page_size();
    Row::from_iter([
        ("server_processes".to_owned(), json!(private.len())),
        ("server_private_bytes".to_owned(), json!(bytes)),
    ])
}

/// From `/proc/PID/statm`: size, resident, shared, …
fn private_pages(pid: i64) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut pages = text.split_ascii_whitespace().skip(1);
    let (resident, shared): (u64, u64) = (pages.next()?.parse().ok()?, pages.next()?.parse().ok()?);
    Some(resident.saturating_sub(shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_read() {
        let row = row().unwrap();
        assert!(row["cpus"].as_u64().unwrap() > 0);
        assert!(row["cpu_idle_ms"].as_u64().unwrap() > 0);
        assert!(row["memory_total_bytes"].as_u64() > row["memory_free_bytes"].as_u64());
        assert!(boot_id().is_some());
    }

    #[test]
    fn a_process_that_has_ended_does_not_count() {
        let own = i64::from(std::process::id());
        let memory = server_memory(&[own, i64::MAX]);
        assert_eq!(memory["server_processes"], json!(1));
        assert!(memory["server_private_bytes"].as_u64().unwrap() > 0);
    }
}
