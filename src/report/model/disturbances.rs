//! The disturbances of the run, and their cost.

use crate::error::{Result, invalid};
use crate::pg::sql::spi;
use crate::report::disturbances::impact::{Impact, impacts};
use crate::report::disturbances::parts::{Interval, Occurred, PARTS, parts};
use measure::Histogram;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// A disturbance of the run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Disturbance {
    pub name: String,
    /// `sql`: statements of the caller.
    pub kind: String,
    pub occurrences: Vec<Occurrence>,
    /// Figures of the run inside, after and outside its occurrences.
    pub impact: Vec<Impact>,
}

/// A row of `pgperf.run_disturbances`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Occurrence {
    pub occurrence_no: i64,
    pub sessions: i64,
    pub began_at: String,
    /// Seconds since the measured part began.
    pub at_s: f64,
    /// Null: it was going on when the server or the leader went away.
    pub duration_s: Option<f64>,
    /// `going on`, `done`, `failed` or `cut off`.
    pub status: String,
    pub sqlstate: Option<String>,
    pub error: Option<String>,
    /// WAL that the whole server wrote meanwhile.
    pub wal_bytes: Option<i64>,
    /// Its place among the intervals, which go on through interruptions.
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    pub chart_s: Option<f64>,
}

impl Occurrence {
    /// When it began and when it ended, as charts show the time.
    pub fn span_s(&self) -> (f64, f64) {
        let from = self.chart_s.unwrap_or(self.at_s);
        (from, from + self.duration_s.unwrap_or(0.0))
    }
}

/// All of a run; empty: it had none. `key`: node and run.
pub fn load(key: &[DatumWithOid]) -> Result<Vec<Disturbance>> {
    #[derive(Deserialize)]
    struct StoredOccurrence {
        disturbance_no: i64,
        name: String,
        kind: String,
        #[serde(flatten)]
        occurrence: Occurrence,
    }
    let rows: Vec<StoredOccurrence> = spi::select(
        "SELECT d.disturbance_no, d.name, d.kind, d.occurrence_no, d.sessions, d.began_at, d.at_s, d.duration_s, d.status, d.sqlstate, \
                d.error, d.wal_bytes, EXTRACT(epoch FROM d.began_at - i.started_at)::pg_catalog.float8 AS chart_s \
         FROM pgperf.run_disturbances d \
         LEFT JOIN (SELECT pg_catalog.min(x.started_at) AS started_at FROM pgperf.run_intervals x \
                    WHERE x.node_id = $1::pg_catalog.uuid AND x.run_id = $2) i ON true \
         WHERE d.node_id = $1::pg_catalog.uuid AND d.run_id = $2 ORDER BY d.disturbance_no, d.occurrence_no",
        key,
    )?;
    let mut all: Vec<Disturbance> = Vec::new();
    let mut last = None;
    for row in rows {
        if last != Some(row.disturbance_no) {
            last = Some(row.disturbance_no);
            all.push(Disturbance {
                name: row.name,
                kind: row.kind,
                occurrences: Vec::new(),
                impact: Vec::new(),
            });
        }
        if let Some(disturbance) = all.last_mut() {
            disturbance.occurrences.push(row.occurrence);
        }
    }
    if !all.is_empty() {
        add_impact(&mut all, key)?;
    }
    Ok(all)
}

fn add_impact(all: &mut [Disturbance], key: &[DatumWithOid]) -> Result<()> {
    let intervals: Vec<Interval> = spi::select(
        "SELECT i.interval_no, EXTRACT(epoch FROM i.started_at - pg_catalog.min(i.started_at) OVER ())::pg_catalog.float8 AS at_s, \
                i.seconds, i.transactions::pg_catalog.float8 AS transactions, i.latency_p50_ms, i.latency_p95_ms, i.latency_p99_ms, \
                i.wal_bytes::pg_catalog.float8 AS wal_bytes \
         FROM pgperf.run_intervals i WHERE i.node_id = $1::pg_catalog.uuid AND i.run_id = $2 AND i.seconds > 0 ORDER BY i.interval_no",
        key,
    )?;
    let occurred: Vec<Occurred> = all
        .iter()
        .enumerate()
        .flat_map(|(disturbance, one)| {
            one.occurrences.iter().map(move |occurrence| {
                let (from_s, to_s) = occurrence.span_s();
                Occurred {
                    disturbance,
                    from_s,
                    to_s,
                }
            })
        })
        .collect();
    for (number, disturbance) in all.iter_mut().enumerate() {
        let parts = parts(number, &occurred, &intervals);
        let part_of = |interval_no: i64| {
            let place = intervals.binary_search_by_key(&interval_no, |one| one.interval_no);
            let part = (*parts.get(place.ok()?)?)?;
            PARTS.iter().position(|known| *known == part)
        };
        let mut latencies = PARTS.map(|_| Histogram::new());
        spi::stream(
            "SELECT i.interval_no::pg_catalog.int8, i.histogram FROM pgperf.run_intervals i \
             WHERE i.node_id = $1::pg_catalog.uuid AND i.run_id = $2 AND i.histogram IS NOT NULL",
            key,
            |interval_no: i64, encoded: &[u8]| {
                let sum = part_of(interval_no).and_then(|part| latencies.get_mut(part));
                sum.map_or(Ok(()), |sum| sum.add_encoded(encoded))
                    .map_err(|error| invalid(error.to_string()))
            },
        )?;
        disturbance.impact = impacts(number, &occurred, &intervals, &latencies);
    }
    Ok(())
}
