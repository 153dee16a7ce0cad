//! The server and machine of a run: `pgperf.run_environment`.
//!
//! * [`server`]: the server's build, the database, extensions;
//! * [`machine`]: kernel, processors, memory; [`storage`]: file systems and block devices;
//! * [`fact`]: a row, and the kernel's small files.

pub mod fact;
pub mod machine;
mod server;
mod storage;

use super::store_rows;
use crate::error::Result;
use crate::subject::host::collector as host;
use fact::Fact;

/// Stores the environment of this run.
pub fn store(node_id: &str, run_id: i64) -> Result<()> {
    let places = host::places(&host::tablespaces()?);
    let devices = host::under(&places);
    let facts = [
        server::facts()?,
        machine::facts(),
        storage::facts(&places, &devices.devices),
    ];
    let facts: Vec<Fact> = facts.into_iter().flatten().collect();
    store_rows("pgperf.run_environment", node_id, run_id, facts)
}
