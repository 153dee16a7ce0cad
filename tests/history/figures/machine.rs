//! The machine and the files of a server, read from /proc and from its folders.

use crate::common::runs::Runs;
use crate::common::text_of;
use postgres::Client;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A row of a history, by its columns.
pub type Row = Map<String, Value>;

/// The machine, from /proc. Counters of CPU time are in hundredths of a second, memory in kB.
pub fn host(session: &mut Client) -> Vec<Row> {
    let file = |name: &str| fs::read_to_string(format!("/proc/{name}")).expect(name);
    let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text}"));
    let named = |text: &str, name: &str| -> f64 {
        let line = text
            .lines()
            .find(|line| line.split([' ', ':']).next() == Some(name))
            .expect(name)
            .to_owned();
        number(line.split_whitespace().nth(1).expect(name))
    };
    let (stat, memory, counts, load) = (
        file("stat"),
        file("meminfo"),
        file("vmstat"),
        file("loadavg"),
    );
    let cpu: Vec<f64> = stat
        .lines()
        .next()
        .expect("a line")
        .split_whitespace()
        .skip(1)
        .map(number)
        .collect();
    let load: Vec<f64> = load.split_whitespace().take(3).map(number).collect();
    let cpus = stat.lines().filter(|line| line.starts_with("cpu")).count() - 1;
    let mut row: BTreeMap<&str, f64> = BTreeMap::from([
        ("cpus", cpus as f64),
        ("load_1", load[0]),
        ("load_5", load[1]),
        ("load_15", load[2]),
        (
            "memory_cached_bytes",
            1024.0 * (named(&memory, "Cached") + named(&memory, "Buffers")),
        ),
    ]);
    for (column, place) in [
        ("cpu_user_ms", 0),
        ("cpu_nice_ms", 1),
        ("cpu_system_ms", 2),
        ("cpu_idle_ms", 3),
        ("cpu_iowait_ms", 4),
        ("cpu_irq_ms", 5),
        ("cpu_softirq_ms", 6),
        ("cpu_steal_ms", 7),
    ] {
        row.insert(column, 10.0 * cpu[place]);
    }
    for (column, name) in [
        ("memory_total_bytes", "MemTotal"),
        ("memory_free_bytes", "MemFree"),
        ("memory_available_bytes", "MemAvailable"),
        ("memory_dirty_bytes", "Dirty"),
        ("memory_writeback_bytes", "Writeback"),
        ("swap_total_bytes", "SwapTotal"),
        ("swap_free_bytes", "SwapFree"),
    ] {
        row.insert(column, 1024.0 * named(&memory, name));
    }
    for (column, text, name) in [
        ("huge_pages_total", &memory, "HugePages_Total"),
        ("huge_pages_free", &memory, "HugePages_Free"),
        ("context_switches", &stat, "ctxt"),
        ("forks", &stat, "processes"),
        ("processes_running", &stat, "procs_running"),
        ("processes_blocked", &stat, "procs_blocked"),
        ("swap_in_pages", &counts, "pswpin"),
        ("swap_out_pages", &counts, "pswpout"),
        ("major_faults", &counts, "pgmajfault"),
        ("oom_kills", &counts, "oom_kill"),
    ] {
        row.insert(column, named(text, name));
    }
    // Resident pages that are neither shared nor of files.
    let pids = session.value("SELECT string_agg(pid::text, ' ') FROM pg_stat_activity");
    let private = pids.split(' ').map(|pid| {
        let statm = file(&format!("{pid}/statm"));
        let pages: Vec<f64> = statm.split_whitespace().map(number).collect();
        4096.0 * (pages[1] - pages[2])
    });
    let private: Vec<f64> = private.collect();
    row.insert("server_processes", private.len() as f64);
    row.insert("server_private_bytes", private.iter().sum());
    let mut row: Row = row
        .into_iter()
        .map(|(column, value)| (column.to_owned(), value.into()))
        .collect();
    row.insert(
        "boot_id".to_owned(),
        file("sys/kernel/random/boot_id").trim().into(),
    );
    vec![row]
}

/// The bytes of the files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Tablespaces, from their files.
pub fn tablespaces(data: &Path) -> Vec<Row> {
    let of = |(kind, name, folder): (&str, &str, &str)| {
        let folder = data.join(folder);
        let found = text_of(
            Command::new("stat")
                .args(["-f", "-c", "%S %b %a"])
                .arg(&folder),
        );
        let numbers: Vec<u64> = found
            .split_whitespace()
            .map(|n| n.parse().expect("a number"))
            .collect();
        let device = text_of(Command::new("stat").args(["-c", "%Hd:%Ld"]).arg(&folder));
        let row = serde_json::json!({"kind": kind, "name": name, "location": null, "size_bytes": size(&folder), "file_system": device.trim(),
            "file_system_bytes": numbers[0] * numbers[1], "free_bytes": numbers[0] * numbers[2]});
        match row {
            Value::Object(row) => row,
            _ => Row::new(),
        }
    };
    [
        ("tablespace", "pg_default", "base"),
        ("tablespace", "pg_global", "global"),
        ("WAL", "pg_wal", "pg_wal"),
    ]
    .map(of)
    .into()
}
