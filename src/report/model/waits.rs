//! Wait events in which sessions were observed.

use super::samples::Samples;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Wait events of sessions, over the whole run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Waits {
    /// `run clients`: the run's own clients, observed every 10 ms; `activity`: all active sessions, one look per sample.
    pub source: String,
    /// The number of looks.
    pub looks: i64,
    /// The share of the run's samples that was evaluated.
    pub share_of_samples: f64,
    pub events: Vec<Wait>,
}

/// Sessions that waited for something, or ran.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wait {
    /// Null, like the event: they did not wait.
    pub wait_event_type: Option<String>,
    pub wait_event: Option<String>,
    /// Their mean number.
    pub average_sessions: f64,
}

pub fn load(samples: &Samples) -> Result<Option<Waits>> {
    #[derive(Deserialize)]
    struct Row {
        source: String,
        looks: i64,
        #[serde(flatten)]
        wait: Wait,
    }
    // A sample has one row for each state seen; each of them has the number of looks.
    let rows: Vec<Row> = samples.over_all(
        "WITH w AS MATERIALIZED (SELECT h.source, h.sample_id, h.wait_event_type, h.wait_event, h.looks, h.seen \
                FROM pgperf.wait_history h WHERE {run} AND (h.source = 'run clients' OR h.state = 'active')), \
         l AS (SELECT d.source, pg_catalog.sum(d.looks)::pg_catalog.int8 AS looks \
               FROM (SELECT DISTINCT w.source, w.sample_id, w.looks FROM w) d GROUP BY 1) \
         SELECT w.source, l.looks, w.wait_event_type, w.wait_event, \
                (pg_catalog.sum(w.seen) / l.looks)::pg_catalog.float8 AS average_sessions \
         FROM w JOIN l USING (source) GROUP BY 1, 2, 3, 4 HAVING pg_catalog.sum(w.seen) > 0 \
         ORDER BY w.source DESC, average_sessions DESC",
    )?;
    let Some(Row { source, looks, .. }) = rows.first() else {
        return Ok(None);
    };
    Ok(Some(Waits {
        source: source.clone(),
        looks: *looks,
        share_of_samples: samples.looked_at_share(),
        events: rows
            .iter()
            .filter(|row| row.source == *source)
            .map(|row| row.wait.clone())
            .collect(),
    }))
}
