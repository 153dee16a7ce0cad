//! The machine: CPU, memory, load, and the block devices under the server's files.
//!
//! * [`system`]: the machine as a whole, from `/proc`;
//! * [`devices`]: the device of a path, the devices beneath it, and their counters.
//!
//! All is read as the server's OS user, in its mount namespace. In a container, CPU and memory are those of the host.

mod devices;
pub mod room;
mod system;

pub use devices::{Device, Place, places, under};
pub use room::{Room, room};

use crate::collect::collector::{Collector, Cost, Depth, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::rows::{self, Row};
use crate::error::{Result, unsupported};
use serde_json::Value;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "host",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: false,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["host_history", "device_history"],
    description: "CPU, memory and load of the machine; the devices under data, WAL and tablespaces, and the devices beneath these",
    of_target: None,
    read: Read::AtOnce(read),
};

fn read(scope: &Scope) -> Result<Reading> {
    let unreadable =
        |error: procfs::ProcError| unsupported(format!("/proc could not be read: {error}"));
    let boot_id = system::boot_id();
    let mut host = system::row().map_err(unreadable)?;
    if scope.depth == Depth::Full {
        host.extend(system::server_memory(&processes()?));
    }
    let found = under(&places(&tablespaces()?));
    let mut devices: Vec<Row> = devices::rows(&found.devices).map_err(unreadable)?;
    for row in devices.iter_mut().chain([&mut host]) {
        row.insert("boot_id".to_owned(), boot_id.clone().into());
    }
    Ok(Reading {
        tables: vec![
            ("host_history", rows::values(vec![host]).into()),
            ("device_history", rows::values(devices).into()),
        ],
        note: found.note(),
    })
}

/// Tablespaces besides the data directory: the folder's name is their oid.
pub fn tablespaces() -> Result<Vec<(String, String)>> {
    let rows = rows::select(
        "SELECT t.oid::pg_catalog.text AS folder, t.spcname AS name FROM pg_catalog.pg_tablespace t \
         WHERE t.spcname NOT IN ('pg_default', 'pg_global')",
        &[],
    )?;
    let text = |row: &Row, column: &str| {
        row.get(column)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Ok(rows
        .iter()
        .map(|row| (text(row, "folder"), text(row, "name")))
        .collect())
}

/// The server's processes that have an entry in pg_stat_activity: all but the postmaster and the logger. By the function, since
/// the view looks up databases and roles.
fn processes() -> Result<Vec<i64>> {
    let rows = rows::select(
        "SELECT a.pid FROM pg_catalog.pg_stat_get_activity(NULL) a",
        &[],
    )?;
    Ok(rows
        .iter()
        .filter_map(|row| row.get("pid")?.as_i64())
        .collect())
}
