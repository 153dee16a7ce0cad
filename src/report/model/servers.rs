//! The servers of a run on several.

use super::POINTS;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::report::stored_run::Outcomes;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// A row of `pgperf.run_servers`, with its figures over time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Server {
    pub server_no: i64,
    pub server: String,
    /// In proportion to which it had clients.
    pub weight: i64,
    pub clients: i64,
    /// Clients that an error ended.
    pub aborted: i64,
    /// Until the last of its clients had ended.
    pub seconds: f64,
    pub transactions: i64,
    /// Per second of the run.
    pub tps: f64,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    pub latency_avg_ms: Option<f64>,
    pub latency_stddev_ms: Option<f64>,
    pub latency_p50_ms: Option<f64>,
    pub latency_p90_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
    /// When the run began.
    pub server_version: Option<String>,
    /// Whether it was a standby then.
    pub in_recovery: Option<bool>,
    /// The stored intervals; of a long run stretches of them, the same for all servers.
    #[serde(default)]
    pub intervals: Vec<ServerInterval>,
}

/// What the clients of a server did in a stretch of the measured part.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerInterval {
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    server_no: i64,
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub seconds: f64,
    pub transactions: i64,
    pub tps: f64,
    pub latency_avg_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
    pub failed: i64,
}

/// All of a run; empty: it had but one, or has not ended. `key`: node and run.
pub fn load(key: &[DatumWithOid]) -> Result<Vec<Server>> {
    let mut servers: Vec<Server> = spi::select(
        "SELECT s.server_no, s.server, s.weight, s.clients, s.aborted, s.seconds, s.transactions, s.tps, s.failed, \
                s.serialization_failures, s.deadlock_failures, s.other_failures, s.retried, s.retries, s.skipped, \
                s.latency_avg_ms, s.latency_stddev_ms, s.latency_p50_ms, s.latency_p90_ms, s.latency_p95_ms, s.latency_p99_ms, \
                s.latency_max_ms, s.server_version, s.in_recovery \
         FROM pgperf.run_servers s WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 ORDER BY s.server_no",
        key,
    )?;
    if servers.is_empty() {
        return Ok(servers);
    }
    let intervals: Vec<ServerInterval> = spi::select(
        &format!(
            "SELECT s.server_no, EXTRACT(epoch FROM pg_catalog.min(i.started_at) - b.began)::pg_catalog.float8 AS at_s, \
                    pg_catalog.sum(i.seconds) AS seconds, pg_catalog.sum(s.transactions)::pg_catalog.int8 AS transactions, \
                    pg_catalog.sum(s.transactions) / pg_catalog.sum(i.seconds) AS tps, \
                    pg_catalog.sum(s.transactions * s.latency_avg_ms) \
                        / NULLIF(pg_catalog.sum(s.transactions) FILTER (WHERE s.latency_avg_ms IS NOT NULL), 0)::pg_catalog.float8 \
                        AS latency_avg_ms, \
                    pg_catalog.max(s.latency_max_ms) AS latency_max_ms, pg_catalog.sum(s.failed)::pg_catalog.int8 AS failed \
             FROM pgperf.run_server_intervals s JOIN pgperf.run_intervals i USING (node_id, run_id, interval_no), \
                  (SELECT pg_catalog.min(x.started_at) AS began, pg_catalog.min(x.interval_no) AS first, pg_catalog.max(x.interval_no) AS last \
                   FROM pgperf.run_intervals x WHERE x.node_id = $1::pg_catalog.uuid AND x.run_id = $2) b \
             WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 \
             GROUP BY s.server_no, (s.interval_no - b.first) / ((b.last - b.first) / {POINTS} + 1), b.began \
             HAVING pg_catalog.sum(i.seconds) > 0 ORDER BY 1, 2"
        ),
        key,
    )?;
    for interval in intervals {
        let of = |server: &&mut Server| server.server_no == interval.server_no;
        if let Some(server) = servers.iter_mut().find(of) {
            server.intervals.push(interval);
        }
    }
    Ok(servers)
}
