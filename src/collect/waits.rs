//! What sessions wait for: all of the server's at one look, and a run's own clients at many.

use super::collector::{Collector, Cost, InRuns, Read, Reading, Scope};
use super::rows::{self, Row};
use crate::error::Result;
use crate::pg::waits;
use serde_json::json;
use std::collections::BTreeMap;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "waits",
    cost: Cost::Light,
    sample_interval_s: 10,
    in_runs: InRuns::EveryInterval,
    since_major: None,
    needs: None,
    history_tables: &["wait_history"],
    description: "sessions by kind of process, state and wait event; of a run's clients a look each 10 ms",
    read: Read::AtOnce(read),
};

/// What a run's clients were seen waiting for since the sample before.
#[derive(Debug, Clone, Default)]
pub struct ClientWaits {
    looks: u64,
    /// How often a client was seen at each event; 0: at none, so it was running or about to.
    seen: BTreeMap<u32, u64>,
}

impl ClientWaits {
    /// One look at the clients with these numbers in the server's array of processes.
    pub fn look(&mut self, clients: impl Iterator<Item = u64>) {
        self.looks += 1;
        for event in clients.filter_map(waits::event_of) {
            *self.seen.entry(event).or_default() += 1;
        }
    }

    fn rows(&self) -> Vec<Row> {
        let row = |(&event, seen): (&u32, &u64)| {
            let (event_type, event) = waits::name(event).unzip();
            Row::from_iter([
                ("source".to_owned(), json!("run clients")),
                ("backend_type".to_owned(), json!("pgperf client")),
                ("state".to_owned(), json!("active")),
                ("wait_event_type".to_owned(), json!(event_type)),
                ("wait_event".to_owned(), json!(event)),
                ("looks".to_owned(), json!(self.looks)),
                ("seen".to_owned(), json!(seen)),
            ])
        };
        self.seen.iter().map(row).collect()
    }
}

/// One look at all sessions but this one. Processes that wait for work say nothing.
const ACTIVITY: &str = "SELECT 'activity' AS source, a.backend_type, a.state, a.wait_event_type, a.wait_event, \
            1 AS looks, pg_catalog.count(*) AS seen \
     FROM pg_catalog.pg_stat_activity a \
     WHERE a.pid <> pg_catalog.pg_backend_pid() AND a.wait_event_type IS DISTINCT FROM 'Activity' \
     GROUP BY a.backend_type, a.state, a.wait_event_type, a.wait_event";

fn read(scope: &Scope) -> Result<Reading> {
    let mut all = rows::select(ACTIVITY, &[])?;
    all.extend(scope.client_waits.rows());
    Ok(Reading::of("wait_history", rows::values(all)))
}
