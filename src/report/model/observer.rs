//! What measuring cost.

use super::samples::Samples;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// The cost of the run's samples.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Observer {
    pub samples: i64,
    /// Time that taking and storing them took; one worker at a time.
    pub elapsed_ms: f64,
    /// Of that, time on a CPU; null: not known for all of them.
    pub cpu_ms: Option<f64>,
    /// Rows that they wrote to the history.
    pub rows: i64,
    /// Pages that they accessed in shared_buffers, or read.
    pub pages: i64,
    pub wal_bytes: i64,
    pub stretches: Vec<Cost>,
    pub collectors: Vec<CollectorCost>,
}

/// The samples of a stretch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// Seconds since the measured part began, of the last of them.
    pub at_s: f64,
    pub samples: i64,
    pub elapsed_ms: f64,
    pub wal_bytes: i64,
}

/// One collector's part.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectorCost {
    pub collector: String,
    /// Samples in which it took part, of those that were evaluated.
    pub samples: i64,
    pub elapsed_avg_ms: Option<f64>,
    pub elapsed_max_ms: Option<f64>,
    pub rows: Option<i64>,
    /// Samples in which it could not run, or failed.
    pub missed: i64,
    /// The reason, the last time.
    pub reason: Option<String>,
}

pub fn load(samples: &Samples) -> Result<Observer> {
    let stretches = &samples.stretches;
    Ok(Observer {
        samples: stretches.iter().map(|s| s.samples).sum(),
        elapsed_ms: stretches.iter().map(|s| s.elapsed_ms).sum(),
        cpu_ms: stretches.iter().map(|s| s.cpu_ms).sum(),
        rows: stretches.iter().map(|s| s.rows).sum(),
        pages: stretches.iter().map(|s| s.pages).sum(),
        wal_bytes: stretches.iter().map(|s| s.wal_bytes).sum(),
        stretches: stretches
            .iter()
            .map(|s| Cost {
                at_s: s.at_s,
                samples: s.samples,
                elapsed_ms: s.elapsed_ms,
                wal_bytes: s.wal_bytes,
            })
            .collect(),
        collectors: samples.over_all(
            "SELECT c.key AS collector, pg_catalog.count(*) AS samples, \
                    pg_catalog.avg((c.value ->> 'elapsed_ms')::pg_catalog.float8) AS elapsed_avg_ms, \
                    pg_catalog.max((c.value ->> 'elapsed_ms')::pg_catalog.float8) AS elapsed_max_ms, \
                    pg_catalog.sum((c.value ->> 'rows')::pg_catalog.int8)::pg_catalog.int8 AS rows, \
                    pg_catalog.count(*) FILTER (WHERE c.value ->> 'status' <> 'ok') AS missed, \
                    (pg_catalog.array_agg(c.value ->> 'reason' ORDER BY h.sample_id DESC) \
                        FILTER (WHERE c.value ->> 'status' <> 'ok'))[1] AS reason \
             FROM pgperf.samples h, LATERAL pg_catalog.jsonb_each(h.outcomes) c WHERE {run} \
             GROUP BY 1 ORDER BY pg_catalog.sum((c.value ->> 'elapsed_ms')::pg_catalog.float8) DESC NULLS LAST",
        )?,
    })
}
