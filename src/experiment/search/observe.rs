//! What a search looks at: the backlogs of the server, and the intervals of its run.

use super::criteria::Subject;
use super::judge::Point;
use crate::error::Result;
use crate::pg::sql::spi;
use serde::Deserialize;

/// All backlogs at once, each with what has flowed into it: WAL in bytes, rows that died, transaction ids.
/// Not of pg_stat_user_tables: that has a regular expression, in which a cancel that is held back is an error before PostgreSQL 16.
const BACKLOGS: &str = "WITH w AS (SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0') AS at), \
     s AS (SELECT pg_catalog.min(pg_catalog.pg_wal_lsn_diff(l.lsn, '0/0')) AS least \
             FROM (SELECT coalesce(r.replay_lsn, r.flush_lsn, r.sent_lsn) FROM pg_catalog.pg_stat_replication r \
                    WHERE r.state <> 'backup' \
                    UNION ALL SELECT coalesce(o.confirmed_flush_lsn, o.restart_lsn) FROM pg_catalog.pg_replication_slots o \
                    WHERE NOT o.active AND NOT o.temporary) l (lsn)), \
     k AS (SELECT pg_catalog.min(pg_catalog.pg_wal_lsn_diff(o.restart_lsn, '0/0')) AS least FROM pg_catalog.pg_replication_slots o), \
     d AS (SELECT pg_catalog.sum(t.n_dead_tup)::pg_catalog.float8 AS dead, \
                  pg_catalog.sum(t.n_tup_upd + t.n_tup_del)::pg_catalog.float8 AS died \
             FROM pg_catalog.pg_stat_all_tables t \
            WHERE t.schemaname NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'information_schema') \
              AND NOT pg_catalog.starts_with(t.schemaname, 'pg_toast')), \
     x AS (SELECT pg_catalog.max(h.age)::pg_catalog.float8 AS age \
             FROM (SELECT pg_catalog.age(a.backend_xmin) FROM pg_catalog.pg_stat_activity a WHERE a.pid <> pg_catalog.pg_backend_pid() \
                    UNION ALL SELECT greatest(pg_catalog.age(o.xmin), pg_catalog.age(o.catalog_xmin)) FROM pg_catalog.pg_replication_slots o \
                    UNION ALL SELECT pg_catalog.age(p.transaction) FROM pg_catalog.pg_prepared_xacts p) h (age)) \
     SELECT greatest(w.at - s.least, 0)::pg_catalog.float8 AS replication_lag, \
            greatest(w.at - k.least, 0)::pg_catalog.float8 AS wal_kept, w.at::pg_catalog.float8 AS wal, \
            d.dead AS dead_rows, d.died, x.age AS oldest_xid, \
            pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::pg_catalog.text::pg_catalog.float8 AS xids \
       FROM w, s, k, d, x";

/// Levels are None where there is nothing to pile up.
#[derive(Debug, Clone, Deserialize)]
pub struct Backlogs {
    replication_lag: Option<f64>,
    wal_kept: Option<f64>,
    pub wal: f64,
    dead_rows: Option<f64>,
    died: Option<f64>,
    oldest_xid: Option<f64>,
    xids: f64,
}

impl Backlogs {
    /// Reads them, as the extension's owner.
    pub fn read() -> Result<Option<Backlogs>> {
        spi::select_one(BACKLOGS, &[])
    }

    /// How far receivers are behind.
    pub fn lag(&self) -> f64 {
        self.replication_lag.unwrap_or(0.0)
    }

    /// That of a subject.
    pub fn point(&self, subject: Subject, at_s: f64) -> Option<Point> {
        let (level, inflow) = match subject {
            Subject::ReplicationLag => (self.replication_lag, self.wal),
            Subject::WalKept => (self.wal_kept, self.wal),
            Subject::DeadRows => (self.dead_rows, self.died.unwrap_or(0.0)),
            Subject::OldestXid => (self.oldest_xid, self.xids),
            _ => return None,
        };
        Some(Point {
            at_s,
            level: level.unwrap_or(0.0),
            inflow,
        })
    }
}

/// An interval of the run.
#[derive(Debug, Clone, Deserialize)]
pub struct Interval {
    pub interval_no: i32,
    pub seconds: f64,
    pub transactions: f64,
    lag_avg_ms: Option<f64>,
    latency_avg_ms: Option<f64>,
    latency_p50_ms: Option<f64>,
    latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    latency_p999_ms: Option<f64>,
    latency_max_ms: Option<f64>,
}

impl Interval {
    /// Those from this number on, as the extension's owner.
    pub fn read(node_id: &str, run_id: i64, from: i32) -> Result<Vec<Interval>> {
        spi::select(
            "SELECT interval_no, seconds, transactions::pg_catalog.float8 AS transactions, lag_avg_ms, latency_avg_ms, \
                    latency_p50_ms, latency_p95_ms, latency_p99_ms, latency_p999_ms, latency_max_ms \
               FROM pgperf.run_intervals \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 AND interval_no >= $3 ORDER BY interval_no",
            &[node_id.into(), run_id.into(), from.into()],
        )
    }

    /// The value of a subject; None: nothing ended in it.
    pub fn value(&self, subject: Subject) -> Option<f64> {
        match subject {
            Subject::ScheduleLag => self.lag_avg_ms,
            Subject::LatencyAvg => self.latency_avg_ms,
            Subject::LatencyP50 => self.latency_p50_ms,
            Subject::LatencyP95 => self.latency_p95_ms,
            Subject::LatencyP99 => self.latency_p99_ms,
            Subject::LatencyP999 => self.latency_p999_ms,
            Subject::LatencyMax => self.latency_max_ms,
            _ => None,
        }
    }
}
