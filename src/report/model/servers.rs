//! The servers of a run on several.

use crate::error::Result;
use crate::pg::sql::spi;
use crate::run::request::nodes::Node;
use crate::run::request::targets::{Target, Targets};
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// Stretches that the intervals are condensed into, at most.
const POINTS: i64 = 180;

/// A row of `pgperf.run_servers`, with its figures over time; of a run that has none, what the intervals say.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Server {
    pub server_no: i64,
    pub server: String,
    /// In proportion to which it had clients.
    pub weight: i64,
    pub clients: i64,
    /// Clients that an error ended; null, as versions and percentiles: not known of a run that has not come to its end.
    pub aborted: Option<i64>,
    /// Until the last of its clients had ended.
    pub seconds: f64,
    pub transactions: i64,
    /// Per second of the run.
    pub tps: f64,
    pub failed: Option<i64>,
    pub serialization_failures: Option<i64>,
    pub deadlock_failures: Option<i64>,
    pub other_failures: Option<i64>,
    pub retried: Option<i64>,
    pub retries: Option<i64>,
    pub skipped: Option<i64>,
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

/// All targets or nodes of a run; empty: it had but one target. `key`: node and run.
pub fn load(
    (targets, nodes): (&Targets, &[Node]),
    clients: Option<i64>,
    key: &[DatumWithOid],
) -> Result<Vec<Server>> {
    if !targets.are_several() && nodes.is_empty() {
        return Ok(Vec::new());
    }
    let mut servers: Vec<Server> = spi::select(
        "SELECT s.server_no, s.server, s.weight, s.clients, s.aborted, s.seconds, s.transactions, s.tps, s.failed, \
                s.serialization_failures, s.deadlock_failures, s.other_failures, s.retried, s.retries, s.skipped, \
                s.latency_avg_ms, s.latency_stddev_ms, s.latency_p50_ms, s.latency_p90_ms, s.latency_p95_ms, s.latency_p99_ms, \
                s.latency_max_ms, s.server_version, s.in_recovery \
         FROM pgperf.run_servers s WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 ORDER BY s.server_no",
        key,
    )?;
    let has_totals = !servers.is_empty();
    if !has_totals {
        servers = match nodes.is_empty() {
            true => without_figures(targets, clients.unwrap_or(0)),
            false => nodes.iter().enumerate().map(of_node).collect(),
        };
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
    if !has_totals {
        servers.iter_mut().for_each(Server::add_up);
    }
    Ok(servers)
}

/// A node of which no figures are known.
fn of_node((number, node): (usize, &Node)) -> Server {
    Server {
        server_no: number as i64,
        server: node.node.clone(),
        weight: i64::from(node.weight),
        clients: node.clients as i64,
        ..Server::default()
    }
}

/// Those that the run was to have.
fn without_figures(targets: &Targets, clients: i64) -> Vec<Server> {
    let of_clients = targets.of_clients(usize::try_from(clients).unwrap_or(0));
    let targets = targets.all().iter().enumerate();
    let server = |(number, target): (usize, &Target)| Server {
        server_no: number as i64,
        server: target.server.clone(),
        weight: i64::from(target.weight),
        clients: of_clients.iter().filter(|it| **it == number).count() as i64,
        ..Server::default()
    };
    targets.map(server).collect()
}

impl Server {
    /// Fills in what its intervals say.
    fn add_up(&mut self) {
        let all = || self.intervals.iter();
        let transactions: i64 = all().map(|it| it.transactions).sum();
        let seconds: f64 = all().map(|it| it.seconds).sum();
        let known = || all().filter_map(|it| Some((it.transactions as f64, it.latency_avg_ms?)));
        let counted: f64 = known().map(|(count, _)| count).sum();
        let time: f64 = known().map(|(count, mean)| count * mean).sum();
        let failed = all().map(|it| it.failed).sum();
        let longest = all().filter_map(|it| it.latency_max_ms).reduce(f64::max);
        self.tps = if seconds > 0.0 {
            transactions as f64 / seconds
        } else {
            0.0
        };
        self.latency_avg_ms = (counted > 0.0).then(|| time / counted);
        self.latency_max_ms = longest;
        self.failed = Some(failed);
        (self.transactions, self.seconds) = (transactions, seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn intervals_add_up() {
        let interval = |transactions: i64, mean: Option<f64>| {
            json!({"server_no": 0, "at_s": 0.0, "seconds": 2.0, "transactions": transactions, "tps": 0.0,
                "latency_avg_ms": mean, "latency_max_ms": mean, "failed": 1})
        };
        let intervals = [
            interval(30, Some(1.0)),
            interval(10, Some(5.0)),
            interval(0, None),
        ];
        let mut server = Server {
            intervals: serde_json::from_value(json!(intervals)).unwrap(),
            ..Server::default()
        };
        server.add_up();
        assert_eq!((server.transactions, server.seconds), (40, 6.0));
        assert_eq!((server.tps * 6.0).round(), 40.0);
        let latency = (server.latency_avg_ms, server.latency_max_ms);
        assert_eq!(latency, (Some(2.0), Some(5.0)));
        assert_eq!((server.failed, server.aborted), (Some(3), None));
    }
}
