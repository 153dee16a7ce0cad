//! The observations of a search: the backlogs of the server, and the intervals of its run.

use super::criteria::Subject;
use super::judge::Point;
use crate::error::Result;
use crate::pg::sql::spi;
use serde::Deserialize;
use std::collections::BTreeMap;

/// All backlogs at once, each with what has flowed into it: WAL in bytes, rows that died, transaction ids.
/// Not of pg_stat_user_tables: that has a regular expression, in which a cancel that is held back is an error before PostgreSQL 16.
const BACKLOGS: &str = "WITH w AS (SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0') AS at), \
     s AS (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', l.name, 'number', l.number, 'at', l.at, 'lasts', l.lasts)), '[]') \
                  AS receivers \
             FROM (SELECT n.name, pg_catalog.row_number() OVER (PARTITION BY n.name ORDER BY n.lsn) AS number, \
                          pg_catalog.pg_wal_lsn_diff(n.lsn, '0/0')::pg_catalog.float8 AS at, n.lasts \
                     FROM (SELECT coalesce('slot ' || a.slot_name, pg_catalog.concat_ws(' ', r.application_name, r.client_addr)), \
                                  coalesce(r.replay_lsn, r.flush_lsn, r.sent_lsn), r.replay_lsn IS NOT NULL \
                             FROM pg_catalog.pg_stat_replication r LEFT JOIN pg_catalog.pg_replication_slots a ON a.active_pid = r.pid \
                            WHERE r.state <> 'backup' \
                            UNION ALL SELECT 'slot ' || o.slot_name, coalesce(o.confirmed_flush_lsn, o.restart_lsn), false \
                             FROM pg_catalog.pg_replication_slots o WHERE NOT o.active AND NOT o.temporary) n (name, lsn, lasts) \
                    WHERE n.lsn IS NOT NULL) l), \
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
     SELECT s.receivers, CASE WHEN k.least IS NOT NULL THEN greatest(w.at - k.least, 0) END::pg_catalog.float8 AS wal_kept, w.at::pg_catalog.float8 AS wal, \
            d.dead AS dead_rows, d.died, x.age AS oldest_xid, \
            pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::pg_catalog.text::pg_catalog.float8 AS xids \
       FROM w, s, k, d, x";

/// Levels are None where there is nothing to pile up.
#[derive(Debug, Clone, Deserialize)]
pub struct Backlogs {
    receivers: Vec<Receiver>,
    #[serde(skip)]
    replication_lag: Option<f64>,
    wal_kept: Option<f64>,
    pub wal: f64,
    dead_rows: Option<f64>,
    died: Option<f64>,
    oldest_xid: Option<f64>,
    xids: f64,
}

/// What receives WAL, by the name of its slot, or its own, of which there may be several.
#[derive(Debug, Clone, Deserialize)]
struct Receiver {
    name: String,
    number: i64,
    /// How far it is, in bytes.
    at: f64,
    /// It replays what it receives, as a standby or a subscription: it is behind until it comes back.
    lasts: bool,
}

/// How far the receivers are of which one may be gone, in bytes.
#[derive(Debug, Default)]
pub struct Known(BTreeMap<(String, i64), f64>);

impl Known {
    /// The least position of those that are there, and of those that were and replay.
    fn least(&mut self, receivers: &[Receiver]) -> Option<f64> {
        // One that reconnects may be there twice for a while.
        self.0.retain(|(name, number), _| {
            let same = receivers.iter().filter(|it| it.name == *name);
            let count = same.count() as i64;
            count == 0 || *number <= count
        });
        for it in receivers {
            let key = (it.name.clone(), it.number);
            // A worker that copies a table for a subscription ends when it has.
            let copies = it.name.starts_with("slot pg_") && it.name.contains("_sync_");
            if it.lasts && !copies || self.0.contains_key(&key) {
                self.0.insert(key, it.at);
            }
        }
        let there = receivers.iter().map(|it| it.at);
        there.chain(self.0.values().copied()).min_by(f64::total_cmp)
    }
}

impl Backlogs {
    /// Reads them, as the extension's owner.
    pub fn read() -> Result<Option<Backlogs>> {
        spi::select_one(BACKLOGS, &[])
    }

    /// With the lag of receivers that are gone: it grows with the WAL.
    pub fn following(mut self, known: &mut Known) -> Backlogs {
        let least = known.least(&self.receivers);
        self.replication_lag = least.map(|least| (self.wal - least).max(0.0));
        self
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standby_that_is_gone_is_behind_and_an_archiver_is_not() {
        let receiver = |name: &str, at, lasts| Receiver {
            name: name.to_owned(),
            number: 1,
            at,
            lasts,
        };
        let mut known = Known::default();
        let both = [
            receiver("standby", 90.0, true),
            receiver("pg_receivewal", 80.0, false),
        ];
        assert_eq!(known.least(&both), Some(80.0));
        assert_eq!(known.least(&[]), Some(90.0));
        assert_eq!(
            known.least(&[receiver("standby", 200.0, true)]),
            Some(200.0)
        );
        // For a while it is there twice.
        let mut twice = vec![
            receiver("standby", 210.0, true),
            receiver("standby", 220.0, true),
        ];
        twice[1].number = 2;
        assert_eq!(known.least(&twice), Some(210.0));
        assert_eq!(
            known.least(&[receiver("standby", 300.0, true)]),
            Some(300.0)
        );
        assert_eq!(
            known.least(&[receiver("slot pg_1_sync_2_3", 50.0, true)]),
            Some(50.0)
        );
        assert_eq!(known.least(&[]), Some(300.0));
        // Its slot is there without it.
        assert_eq!(
            known.least(&[receiver("standby", 150.0, false)]),
            Some(150.0)
        );
        assert_eq!(Known::default().least(&[]), None);
    }
}
