//! Wait events in which sessions were observed.

use super::samples::rows;
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::waits::SECTION;
use serde::{Deserialize, Serialize};

/// Wait events of sessions, over the whole run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Waits {
    /// `run clients`: the run's own clients, observed every 10 ms; `activity`: all active sessions, one look per sample.
    pub source: String,
    /// The number of looks.
    pub looks: i64,
    /// The share of the run's samples that was evaluated: all of them, 1.
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
    #[serde(rename(deserialize = "sessions"))]
    pub average_sessions: f64,
}

pub fn load(samples: &Samples) -> Result<Option<Waits>> {
    #[derive(Deserialize)]
    struct SampledWait {
        looks: i64,
        #[serde(flatten)]
        wait: Wait,
    }
    let sources = [("run clients", "run_clients"), ("activity", "events")];
    for (source, table) in sources {
        if !SECTION.shows(table, &samples.span) {
            continue;
        }
        let rows: Vec<SampledWait> = rows(samples, &SECTION, table)?;
        if let Some(first) = rows.first() {
            return Ok(Some(Waits {
                source: source.to_owned(),
                looks: first.looks,
                share_of_samples: 1.0,
                events: rows.into_iter().map(|row| row.wait).collect(),
            }));
        }
    }
    Ok(None)
}
