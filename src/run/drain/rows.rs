//! What is stored about receivers: a row for each, their lag over run and drain, and the metrics.

use super::receivers::{Ended, ReceiverObservation, Watched};
use super::request::{Receiver, ReceiverKind, Until};
use crate::error::Result;
use crate::facts::metrics::{self, Metric};
use crate::facts::store_rows;
use crate::pg::server::wal::lsn_text;
use crate::pg::sql::spi;
use crate::run::own_metrics::Measured;
use serde::Serialize;

/// A row of `pgperf.run_receiver_lag`, without the run.
#[derive(Debug, Clone, Serialize)]
pub struct LagRow {
    receiver_no: i32,
    taken_at: String,
    at_s: f64,
    phase: Phase,
    active: bool,
    lag_bytes: Option<i64>,
    lag_s: Option<f64>,
    server_lag_ms: Option<f64>,
}

/// Whether clients were at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Run,
    Drain,
}

impl LagRow {
    pub fn new(
        number: usize,
        taken_at: &str,
        at_s: f64,
        phase: Phase,
        seen: &ReceiverObservation,
    ) -> LagRow {
        LagRow {
            receiver_no: number as i32,
            taken_at: taken_at.to_owned(),
            at_s,
            phase,
            active: seen.active,
            lag_bytes: seen.lag_bytes.map(|bytes| bytes as i64),
            lag_s: seen.lag_s,
            server_lag_ms: seen.server_lag_ms,
        }
    }
}

/// Stores the lag of all receivers at a moment.
pub fn store_lag(node_id: &str, run_id: i64, rows: Vec<LagRow>) -> Result<()> {
    store_rows("pgperf.run_receiver_lag", node_id, run_id, rows)
}

/// What has become of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Status {
    #[serde(rename = "waiting")]
    Waiting,
    #[serde(rename = "caught up")]
    CaughtUp,
    /// Not within the timeout.
    #[serde(rename = "behind")]
    Behind,
    /// Not within the timeout, and the server did not know it any more.
    #[serde(rename = "lost")]
    Lost,
    /// `drain_sql` failed.
    #[serde(rename = "failed")]
    Failed,
    /// The run ended before.
    #[serde(rename = "stopped")]
    Stopped,
}

/// A row of `pgperf.run_receivers`, without the run.
#[derive(Debug, Clone, Serialize)]
pub struct ReceiverRow {
    receiver_no: i32,
    kind: ReceiverKind,
    name: String,
    until: &'static str,
    pub status: Status,
    end_lsn: Option<String>,
    run_s: Option<f64>,
    transactions: Option<i64>,
    pub catch_up_s: Option<f64>,
    pub sustainable_tps: Option<f64>,
    end_lag_bytes: Option<i64>,
    end_lag_s: Option<f64>,
    end_server_lag_ms: Option<f64>,
    max_lag_bytes: Option<i64>,
    max_lag_s: Option<f64>,
    last_lag_bytes: Option<i64>,
}

impl ReceiverRow {
    /// `otherwise`: the status of one that has not caught up.
    pub fn new(
        number: usize,
        watched: &Watched,
        until: Until,
        end: Option<Ended>,
        measured: Option<Measured>,
        otherwise: Status,
    ) -> ReceiverRow {
        let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as i64);
        let catch_up_s = end
            .zip(watched.caught_up_at)
            .map(|(end, at)| at.saturating_sub(end.at) as f64 / 1e9);
        let is_gone = watched.last.is_some_and(|seen| seen.gone);
        ReceiverRow {
            receiver_no: number as i32,
            kind: watched.receiver.kind,
            name: watched.receiver.name.clone(),
            until: match watched.receiver.kind {
                ReceiverKind::Standby => until.name(),
                ReceiverKind::Slot => "confirmed flush",
                ReceiverKind::Sql => "true",
            },
            status: match (catch_up_s, otherwise) {
                (Some(_), _) => Status::CaughtUp,
                (None, Status::Behind) if is_gone => Status::Lost,
                (None, otherwise) => otherwise,
            },
            end_lsn: end.map(|end| lsn_text(end.position)),
            run_s: measured.map(|measured| measured.seconds),
            transactions: measured.map(|measured| measured.transactions as i64),
            catch_up_s,
            sustainable_tps: measured
                .zip(catch_up_s)
                .and_then(|(measured, catch_up_s)| sustainable_tps(measured, catch_up_s)),
            end_lag_bytes: bytes(watched.at_end.and_then(|seen| seen.lag_bytes)),
            end_lag_s: watched.at_end.and_then(|seen| seen.lag_s),
            end_server_lag_ms: watched.at_end.and_then(|seen| seen.server_lag_ms),
            max_lag_bytes: bytes(watched.max_lag_bytes),
            max_lag_s: watched.max_lag_s,
            last_lag_bytes: bytes(watched.last.and_then(|seen| seen.lag_bytes)),
        }
    }

    fn receiver(&self) -> Receiver {
        Receiver {
            kind: self.kind,
            name: self.name.clone(),
        }
    }

    /// Half a sentence on one that has not caught up.
    pub fn why(&self) -> Option<String> {
        let receiver = self.receiver();
        match (self.status, self.last_lag_bytes) {
            (Status::Lost, _) => Some(format!("{receiver} is gone")),
            (Status::Behind, Some(bytes)) => Some(format!("{receiver} is {bytes} bytes behind")),
            (Status::Behind, None) => Some(format!("{receiver} has not caught up")),
            _ => None,
        }
    }
}

/// The rate that a receiver would have kept up with: transactions over the time until it had them all.
fn sustainable_tps(measured: Measured, catch_up_s: f64) -> Option<f64> {
    let seconds = measured.seconds + catch_up_s;
    (seconds > 0.0).then(|| measured.transactions as f64 / seconds)
}

/// Stores the rows of a run's receivers instead of those it has.
pub fn store(node_id: &str, run_id: i64, rows: &[ReceiverRow]) -> Result<()> {
    spi::execute(
        "DELETE FROM pgperf.run_receivers WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[node_id.into(), run_id.into()],
    )?;
    store_rows(
        "pgperf.run_receivers",
        node_id,
        run_id,
        rows.iter().collect(),
    )
}

/// Stores the metrics of receivers, by name and over all: the slowest decides.
pub fn store_metrics(node_id: &str, run_id: i64, rows: &[ReceiverRow]) -> Result<()> {
    let mut all: Vec<Metric> = Vec::new();
    for (name, value) in [
        (
            "sustainable_tps",
            (|row| row.sustainable_tps) as fn(&ReceiverRow) -> Option<f64>,
        ),
        ("catch_up_s", |row| row.catch_up_s),
        ("receiver_lag_bytes", |row| {
            row.max_lag_bytes.map(|bytes| bytes as f64)
        }),
    ] {
        for row in rows {
            let name = format!("{name}.{}", row.receiver());
            all.extend(value(row).map(|value| Metric::new(&name, Some(value))));
        }
        // Of receivers that have not caught up nothing is known, and so nothing of all.
        let known: Option<Vec<f64>> = rows.iter().map(value).collect();
        let worst = known.and_then(|known| {
            known.into_iter().reduce(|a, b| match name {
                "sustainable_tps" => a.min(b),
                _ => a.max(b),
            })
        });
        all.extend(worst.map(|worst| Metric::new(name, Some(worst))));
    }
    metrics::store(node_id, run_id, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(kind: ReceiverKind, caught_up_at: Option<u64>, gone: bool) -> Watched {
        let seen = ReceiverObservation {
            gone,
            lag_bytes: (!gone).then_some(500),
            ..ReceiverObservation::default()
        };
        Watched {
            receiver: Receiver {
                kind,
                name: "r".to_owned(),
            },
            members: Some(1),
            last: Some(seen),
            at_end: Some(seen),
            max_lag_bytes: Some(900),
            max_lag_s: Some(1.0),
            caught_up_at,
        }
    }

    fn row(watched: &Watched) -> ReceiverRow {
        let end = Ended {
            at: 10_000_000_000,
            position: 0x1_0000_0010,
        };
        let measured = Measured {
            seconds: 10.0,
            transactions: 1_250,
        };
        ReceiverRow::new(
            3,
            watched,
            Until::Flush,
            Some(end),
            Some(measured),
            Status::Behind,
        )
    }

    #[test]
    fn the_rate_is_that_over_run_and_catch_up() {
        let row = row(&watched(ReceiverKind::Standby, Some(12_500_000_000), false));
        assert_eq!(row.status, Status::CaughtUp);
        assert_eq!(
            (row.catch_up_s, row.sustainable_tps),
            (Some(2.5), Some(100.0))
        );
        assert_eq!(row.end_lsn.as_deref(), Some("1/10"));
        assert_eq!((row.until, row.why()), ("flush", None));
    }

    #[test]
    fn one_that_does_not_catch_up_has_a_reason() {
        let why = |kind, gone| row(&watched(kind, None, gone)).why().unwrap_or_default();
        assert_eq!(why(ReceiverKind::Standby, true), "standby r is gone");
        assert_eq!(why(ReceiverKind::Slot, false), "slot r is 500 bytes behind");
        let slow = row(&watched(ReceiverKind::Sql, None, false));
        assert_eq!((slow.sustainable_tps, slow.until), (None, "true"));
    }
}
