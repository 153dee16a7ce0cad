//! Where a run's receivers are, and when each has caught up.

use super::history::History;
use super::request::{Drain, Receiver, ReceiverKind, Until};
use super::rows::{LagRow, Phase};
use crate::error::Result;
use crate::pg::server::{self, insert_position};
use crate::pg::sql::spi;
use serde::Deserialize;

/// The receivers of a run, watched by its leader.
pub struct Receivers {
    drain: Drain,
    all: Vec<Watched>,
    history: History,
    /// When the measured part began, monotonic ns, and the seconds measured before.
    began: Option<(u64, f64)>,
    end: Option<Ended>,
}

/// The end of the clients' work, which receivers have to reach.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Monotonic ns.
    pub at: u64,
    /// The end of their WAL.
    pub position: u64,
}

/// A receiver and what is known of it.
#[derive(Debug, Clone)]
pub struct Watched {
    pub receiver: Receiver,
    /// How many had its name at the first look, of standbys that share one; None: it has not been looked at yet.
    pub members: Option<i64>,
    /// None: it has not been looked at yet.
    pub last: Option<ReceiverObservation>,
    /// As of the first look after the clients' end.
    pub at_end: Option<ReceiverObservation>,
    pub max_lag_bytes: Option<u64>,
    pub max_lag_s: Option<f64>,
    /// When it had reached the clients' end, monotonic ns.
    pub caught_up_at: Option<u64>,
}

/// A look at a receiver.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReceiverObservation {
    /// Whether the server knows it; of a slot, whether it is in use.
    pub active: bool,
    /// Whether it is gone: a standby, or one of those of its name, is not connected, a slot was dropped or has lost its WAL.
    pub gone: bool,
    pub lag_bytes: Option<u64>,
    pub lag_s: Option<f64>,
    /// The server's own replay_lag.
    pub server_lag_ms: Option<f64>,
}

/// A row of [`LOOK`].
#[derive(Deserialize)]
struct ReceiverState {
    kind: ReceiverKind,
    name: String,
    active: bool,
    members: i64,
    position: Option<i64>,
    server_lag_ms: Option<f64>,
}

/// Of standbys that share a name the slowest counts.
const LOOK: &str = "SELECT 'standby' AS kind, r.application_name AS name, true AS active, pg_catalog.count(*) AS members, \
            pg_catalog.pg_wal_lsn_diff(pg_catalog.min(CASE $3 WHEN 'flush' THEN r.flush_lsn ELSE r.replay_lsn END), '0/0')::pg_catalog.int8 AS position, \
            (1000 * EXTRACT(epoch FROM pg_catalog.max(r.replay_lag)))::pg_catalog.float8 AS server_lag_ms \
     FROM pg_catalog.pg_stat_replication r \
     WHERE r.application_name = ANY ($1) AND r.state <> 'backup' \
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_replication_slots l WHERE l.active_pid = r.pid AND l.slot_type = 'logical') \
     GROUP BY r.application_name \
     UNION ALL \
     SELECT 'slot', s.slot_name, s.active, 1::pg_catalog.int8, \
            pg_catalog.pg_wal_lsn_diff(s.confirmed_flush_lsn, '0/0')::pg_catalog.int8, \
            (1000 * EXTRACT(epoch FROM r.replay_lag))::pg_catalog.float8 \
     FROM pg_catalog.pg_replication_slots s LEFT JOIN pg_catalog.pg_stat_replication r ON r.pid = s.active_pid \
     WHERE s.slot_name = ANY ($2) AND s.slot_type = 'logical' AND s.wal_status IS DISTINCT FROM 'lost'";

impl Receivers {
    pub fn new(drain: &Drain) -> Receivers {
        let watched = |receiver| Watched {
            receiver,
            members: None,
            last: None,
            at_end: None,
            max_lag_bytes: None,
            max_lag_s: None,
            caught_up_at: None,
        };
        Receivers {
            all: drain.all().into_iter().map(watched).collect(),
            drain: drain.clone(),
            history: History::default(),
            began: None,
            end: None,
        }
    }

    pub fn drain(&self) -> &Drain {
        &self.drain
    }

    pub fn all(&self) -> &[Watched] {
        &self.all
    }

    pub fn end(&self) -> Option<Ended> {
        self.end
    }

    /// The measured part began; `before_s`: the seconds of earlier segments.
    pub fn begin(&mut self, began_at: u64, before_s: f64) {
        self.began = Some((began_at, before_s));
        self.note(began_at);
    }

    /// Remembers how far the server has written.
    pub fn note(&mut self, now: u64) {
        if self.began.is_some() {
            self.history.note(now, insert_position());
        }
    }

    /// The clients have ended.
    pub fn end_at(&mut self, end: Ended) {
        self.end = Some(end);
    }

    /// Seconds since the measured part began.
    pub fn elapsed_s(&self, now: u64) -> f64 {
        self.began.map_or(0.0, |(began_at, before_s)| {
            before_s + now.saturating_sub(began_at) as f64 / 1e9
        })
    }

    /// Asks the server where all are, in the current transaction, and returns a row for each that has a position.
    ///
    /// # Errors
    /// The query failed; then the earlier answers still count.
    pub fn look(&mut self, now: u64) -> Result<Vec<LagRow>> {
        let of = |kind: ReceiverKind| -> Vec<&str> {
            let receivers = self.drain.receivers.iter();
            let those = receivers.filter(|receiver| receiver.kind == kind);
            those.map(|receiver| receiver.name.as_str()).collect()
        };
        let until: &str = Until::name(self.drain.until);
        let answers: Vec<ReceiverState> = spi::select(
            LOOK,
            &[
                of(ReceiverKind::Standby).into(),
                of(ReceiverKind::Slot).into(),
                until.into(),
            ],
        )?;
        let inserted = insert_position();
        self.history.note(now, inserted);
        for watched in &mut self.all {
            if watched.receiver.kind == ReceiverKind::Sql {
                continue;
            }
            let answer = answers.iter().find(|answer| {
                answer.kind == watched.receiver.kind && answer.name == watched.receiver.name
            });
            // Of those of one name none may be missing: the others would hide it.
            let there = answer.map_or(0, |answer| answer.members);
            let is_whole = there >= *watched.members.get_or_insert(there.max(1));
            let position = answer
                .filter(|_| is_whole)
                .and_then(|answer| answer.position)
                .and_then(|position| u64::try_from(position).ok());
            // After the clients' end, what others write meanwhile is no lag of theirs.
            let upto = self.end.map_or(inserted, |end| end.position);
            watched.take(
                ReceiverObservation {
                    active: answer.is_some_and(|answer| answer.active),
                    gone: !is_whole,
                    lag_bytes: position.map(|position| upto.saturating_sub(position)),
                    lag_s: position.map(|position| match position >= upto {
                        true => 0.0,
                        false => self.history.behind_s(now, position),
                    }),
                    server_lag_ms: answer.and_then(|answer| answer.server_lag_ms),
                },
                now,
                self.end.is_some(),
            );
        }
        Ok(self.rows(now))
    }

    /// A receiver without a position has caught up.
    pub fn sql_caught_up(&mut self, at: u64) {
        for watched in &mut self.all {
            if watched.receiver.kind == ReceiverKind::Sql {
                watched.caught_up_at.get_or_insert(at);
            }
        }
    }

    pub fn all_caught_up(&self) -> bool {
        let mut all = self.all.iter();
        all.all(|watched| watched.caught_up_at.is_some())
    }

    /// The same without that of `drain_sql`.
    pub fn positions_caught_up(&self) -> bool {
        let mut all = self.all.iter();
        all.all(|watched| {
            watched.caught_up_at.is_some() || watched.receiver.kind == ReceiverKind::Sql
        })
    }

    /// The last look at each, as rows.
    fn rows(&self, now: u64) -> Vec<LagRow> {
        let at_s = self.elapsed_s(now);
        let taken_at = server::timestamp_text(server::timestamp_now());
        let phase = match self.end {
            None => Phase::Run,
            Some(_) => Phase::Drain,
        };
        let seen = self.all.iter().enumerate();
        seen.filter_map(|(number, watched)| {
            Some(LagRow::new(
                number,
                &taken_at,
                at_s,
                phase,
                watched.last.as_ref()?,
            ))
        })
        .collect()
    }
}

impl Watched {
    fn take(&mut self, seen: ReceiverObservation, now: u64, has_ended: bool) {
        self.max_lag_bytes = self.max_lag_bytes.max(seen.lag_bytes);
        self.max_lag_s = match (self.max_lag_s, seen.lag_s) {
            (Some(before), Some(lag)) => Some(before.max(lag)),
            (before, lag) => lag.or(before),
        };
        if has_ended {
            self.at_end.get_or_insert(seen);
            if seen.lag_bytes == Some(0) {
                self.caught_up_at.get_or_insert(now);
            }
        }
        self.last = Some(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched() -> Watched {
        let drain = Drain {
            receivers: vec![Receiver {
                kind: ReceiverKind::Slot,
                name: "s".to_owned(),
            }],
            until: Until::Replay,
            sql: None,
            timeout_s: 1.0,
        };
        Receivers::new(&drain).all.remove(0)
    }

    fn behind(lag_bytes: u64, lag_s: f64) -> ReceiverObservation {
        ReceiverObservation {
            active: true,
            lag_bytes: Some(lag_bytes),
            lag_s: Some(lag_s),
            ..ReceiverObservation::default()
        }
    }

    #[test]
    fn it_catches_up_once_after_the_end() {
        let mut slot = watched();
        slot.take(behind(0, 0.0), 1, false);
        assert_eq!(slot.caught_up_at, None, "the clients still write");
        slot.take(behind(700, 2.0), 2, true);
        slot.take(behind(300, 3.0), 3, true);
        slot.take(behind(0, 0.0), 4, true);
        slot.take(behind(0, 0.0), 5, true);
        assert_eq!(slot.caught_up_at, Some(4));
        assert_eq!(slot.max_lag_bytes, Some(700));
        assert_eq!(slot.max_lag_s, Some(3.0));
        assert_eq!(slot.at_end.and_then(|seen| seen.lag_bytes), Some(700));
    }

    #[test]
    fn one_that_is_gone_has_not_caught_up() {
        let mut slot = watched();
        slot.take(
            ReceiverObservation {
                gone: true,
                ..ReceiverObservation::default()
            },
            1,
            true,
        );
        assert_eq!((slot.caught_up_at, slot.max_lag_bytes), (None, None));
    }
}
