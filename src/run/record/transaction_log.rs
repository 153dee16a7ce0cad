//! The leader's end of the transaction log: it empties the clients' rings into `pgperf.run_transactions`.

use super::run_row::StoredRun;
use crate::error::Result;
use crate::pg::process::clock;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::run::request::spec::Spec;
use crate::run::shared::Shared;
use engine::{Entry, LoggedOutcome};

/// Entries on their way to the table, by column.
#[derive(Default)]
struct Columns {
    clients: Vec<i32>,
    transactions: Vec<i64>,
    scripts: Vec<i32>,
    outcomes: Vec<i32>,
    /// Microseconds since 2000-01-01.
    ended_at: Vec<i64>,
    latencies_ms: Vec<Option<f64>>,
    lags_ms: Vec<Option<f64>>,
    retries: Vec<i32>,
}

/// The log of a run. It does nothing for a run without a log.
pub struct LogStore {
    shared: Shared,
    has_schedule: bool,
    /// One moment on the monotonic clock, ns, and on the server's, µs.
    base: (u64, i64),
    /// Entries not stored so far: while there are any, the rings are not emptied.
    pending: Columns,
}

/// In the order of [`LoggedOutcome::code`].
const INSERT: &str = "INSERT INTO pgperf.run_transactions \
        (node_id, run_id, client_id, transaction_no, script_no, outcome, ended_at, latency_ms, lag_ms, retries) \
     SELECT $1::pg_catalog.uuid, $2, u.client_id, u.transaction_no, u.script_no, \
            ('{done,skipped,serialization,deadlock,other}'::pg_catalog.text[])[u.outcome + 1], \
            '2000-01-01 00:00:00+00'::pg_catalog.timestamptz + u.ended_at * '1 microsecond'::pg_catalog.interval, \
            u.latency_ms, u.lag_ms, u.retries \
     FROM ROWS FROM (pg_catalog.unnest($3), pg_catalog.unnest($4), pg_catalog.unnest($5), \
            pg_catalog.unnest($6), pg_catalog.unnest($7), pg_catalog.unnest($8), pg_catalog.unnest($9), \
            pg_catalog.unnest($10)) \
          AS u (client_id, transaction_no, script_no, outcome, ended_at, latency_ms, lag_ms, retries)";

impl LogStore {
    pub fn new(spec: &Spec, shared: &Shared) -> LogStore {
        LogStore {
            shared: *shared,
            has_schedule: spec.is_scheduled(),
            base: (clock::now(), server::timestamp_now()),
            pending: Columns::default(),
        }
    }

    /// Whether a ring asks to be emptied.
    pub fn is_due(&self) -> bool {
        self.shared.logs().any(|ring| ring.is_half_full())
    }

    /// Empties the rings and stores their entries.
    pub fn store(&mut self, run: &mut StoredRun) {
        if self.pending.clients.is_empty() {
            for (client, ring) in self.shared.logs().enumerate() {
                ring.drain(|entry| {
                    self.pending
                        .push(client, &entry, self.has_schedule, self.base)
                });
            }
        }
        if !self.pending.clients.is_empty() && run.try_store(|run| self.pending.insert(run)) {
            self.pending = Columns::default();
        }
    }

    /// Stores the entries that the clients have left.
    pub fn finish(&mut self, run: &mut StoredRun) {
        run.keep_trying(|run| {
            // Pending entries keep the rings from being emptied.
            if !self.pending.clients.is_empty() {
                self.store(run);
            }
            self.store(run);
            self.pending.clients.is_empty() && self.shared.logs().all(|ring| ring.is_empty())
        });
    }
}

impl Columns {
    fn push(&mut self, client: usize, entry: &Entry, has_schedule: bool, base: (u64, i64)) {
        let done = entry.outcome == LoggedOutcome::Done;
        let milliseconds = |ns: u64| ns as f64 / 1e6;
        self.clients.push(client as i32);
        self.transactions.push(entry.transaction_no as i64);
        self.scripts.push(entry.script_no as i32);
        self.outcomes.push(entry.outcome.code() as i32);
        self.ended_at
            .push(base.1 + (entry.ended_at as i64 - base.0 as i64) / 1000);
        self.latencies_ms
            .push(done.then(|| milliseconds(entry.latency_ns)));
        self.lags_ms
            .push((done && has_schedule).then(|| milliseconds(entry.lag_ns)));
        self.retries.push(entry.retries as i32);
    }

    fn insert(&self, run: &StoredRun) -> Result<()> {
        spi::execute(
            INSERT,
            &[
                run.node_id.as_str().into(),
                run.run_id.into(),
                self.clients.clone().into(),
                self.transactions.clone().into(),
                self.scripts.clone().into(),
                self.outcomes.clone().into(),
                self.ended_at.clone().into(),
                self.latencies_ms.clone().into(),
                self.lags_ms.clone().into(),
                self.retries.clone().into(),
            ],
        )?;
        Ok(())
    }
}
