//! Wait events of a run's own clients, observed many times between two samples.

use super::rows::Row;
use crate::pg::server::waits;
use serde_json::json;
use std::collections::BTreeMap;

/// Wait events of a run's clients since the previous sample.
#[derive(Debug, Clone, Default)]
pub struct ClientWaits {
    looks: u64,
    /// How often a client was seen at each event; 0: none, so it was running or about to.
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

    /// A row for each event.
    pub fn rows(&self) -> Vec<Row> {
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
