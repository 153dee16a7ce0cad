//! One sample: each collector reads in its own subtransaction, so that one that cannot does not cost
//! the others; what they read is stored, and what became of each is the sample's own row.

use super::collector::{ALL, Collector, Depth, Reading, SERVER_MAJOR, Scope};
use super::waits::ClientWaits;
use crate::error::{Error, Result, sqlstate_code};
use crate::pg::spi;
use crate::pg::subxact::subtransaction;
use crate::pg::usage::Usage;
use pgrx::JsonB;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Instant;

/// What became of a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    /// It cannot run here or now: a privilege, extension, version or lock is missing.
    Skipped,
    /// Anything else went wrong.
    Failed,
}

impl Status {
    /// As stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Skipped => "skipped",
            Status::Failed => "failed",
        }
    }
}

/// A collector's part of a sample.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    #[serde(skip)]
    pub collector: &'static str,
    pub status: Status,
    /// Rows written to its history tables.
    pub rows: u64,
    pub elapsed_ms: f64,
    /// Why it did not run, or what it left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of the error, unless status is ok.
    #[serde(skip)]
    pub sqlstate: Option<PgSqlErrorCode>,
}

/// A sample that was stored.
#[derive(Debug)]
pub struct Sample {
    pub sample_id: i64,
    pub outcomes: Vec<Outcome>,
}

/// Takes one sample with everything the collectors can read, on demand, and stores it.
///
/// Runs as the extension's owner inside a transaction with an active snapshot.
///
/// # Errors
/// Only what concerns the sample as a whole; a collector's failure is in its outcome.
pub fn take_sample(collectors: &[&'static Collector]) -> Result<Sample> {
    let mut sample = Draft::begin(None, None, None)?;
    for collector in collectors {
        sample.collect(collector.name, collector.read);
    }
    sample.store()
}

/// Takes a sample of a run: at its start, its end or after an interval of `cadence_s` seconds.
///
/// # Errors
/// As [`take_sample`].
pub fn take_run_sample(
    run_id: i64,
    cadence_s: Option<f64>,
    collectors: &[(&'static Collector, Depth)],
    client_waits: &ClientWaits,
) -> Result<Sample> {
    let mut sample = Draft::begin(Some(run_id), cadence_s, None)?;
    sample.scope.client_waits = client_waits.clone();
    for (collector, depth) in collectors {
        sample.scope.depth = *depth;
        sample.collect(collector.name, collector.read);
    }
    sample.store()
}

/// Takes a sample of one collector whose reading the caller directs.
///
/// # Errors
/// Also that the collector did not run, with its own SQLSTATE and reason; then nothing is stored.
pub fn take_one(
    collector: &'static str,
    read: impl FnOnce(&Scope) -> Result<Reading>,
) -> Result<Sample> {
    let mut sample = Draft::begin(None, None, None)?;
    let outcome = sample.collect(collector, read);
    if outcome.status != Status::Ok {
        return Err(Error::Collector {
            collector,
            sqlstate: outcome
                .sqlstate
                .unwrap_or(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR),
            reason: outcome.reason.clone().unwrap_or_default(),
        });
    }
    sample.store()
}

/// Deletes the samples of a run with all their history; the number of samples.
pub fn delete_run_samples(node_id: &str, run_id: i64) -> Result<u64> {
    for table in ALL.iter().flat_map(|collector| collector.history_tables) {
        spi::execute(
            &format!(
                "DELETE FROM pgperf.{table} h USING pgperf.samples s \
                 WHERE h.node_id = s.node_id AND h.sample_id = s.sample_id AND h.taken_at = s.taken_at \
                 AND s.node_id = $1::pg_catalog.uuid AND s.run_id = $2"
            ),
            &[node_id.into(), run_id.into()],
        )?;
    }
    spi::execute(
        "DELETE FROM pgperf.samples WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[node_id.into(), run_id.into()],
    )
}

/// How long a collector waits for a lock: whoever holds one is not to be queued behind.
const LOCK_TIMEOUT: &str = "100ms";

/// A sample in the making.
pub(super) struct Draft {
    header: Header,
    scope: Scope,
    cadence_s: Option<f64>,
    callers: Settings,
    started: Instant,
    used_before: Usage,
    outcomes: Vec<Outcome>,
}

/// The caller's settings that a sample changes for its time.
///
/// Its queries are planned each time and soon done: compiling them took several times as long as running them,
/// and the compiler's memory stays with the session.
#[derive(Deserialize)]
struct Settings {
    lock_timeout: String,
    jit: String,
}

impl Settings {
    fn of_samples() -> Settings {
        Settings {
            lock_timeout: LOCK_TIMEOUT.to_owned(),
            jit: "off".to_owned(),
        }
    }

    /// For the rest of the transaction.
    fn set(&self) -> Result<()> {
        spi::select::<Value>(
            "SELECT pg_catalog.set_config('lock_timeout', $1, true) AS lock_timeout, \
                    pg_catalog.set_config('jit', $2, true) AS jit",
            &[self.lock_timeout.as_str().into(), self.jit.as_str().into()],
        )?;
        Ok(())
    }
}

/// The columns with which every row of the sample begins.
#[derive(Serialize)]
struct Header {
    node_id: String,
    sample_id: i64,
    taken_at: String,
    run_id: Option<i64>,
    #[serde(skip)]
    epoch: i64,
}

impl Draft {
    /// `sample_id`: a number that was drawn for it already.
    pub(super) fn begin(
        run_id: Option<i64>,
        cadence_s: Option<f64>,
        sample_id: Option<i64>,
    ) -> Result<Self> {
        #[derive(Deserialize)]
        struct Begin {
            sample_id: i64,
            taken_at: String,
            epoch: i64,
            partitions_missing: bool,
            #[serde(flatten)]
            callers: Settings,
        }
        let (started, used_before) = (Instant::now(), Usage::now());
        let node_id = crate::run::node::local_node()?;
        let begin: Begin = spi::select_one(&begin_sql(), &[LOCK_TIMEOUT.into(), sample_id.into()])?
            .ok_or(Error::NotInstalled)?;
        if begin.partitions_missing {
            make_partitions();
        }
        Ok(Draft {
            header: Header {
                node_id: node_id.clone(),
                sample_id: begin.sample_id,
                taken_at: begin.taken_at,
                run_id,
                epoch: begin.epoch,
            },
            scope: Scope {
                node_id,
                depth: Depth::Full,
                client_waits: ClientWaits::default(),
            },
            cadence_s,
            callers: begin.callers,
            started,
            used_before,
            outcomes: Vec::new(),
        })
    }

    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// How much the next collector looks at.
    pub(super) fn look_at(&mut self, depth: Depth) {
        self.scope.depth = depth;
    }

    /// Adds a remark to what became of the last collector.
    pub(super) fn note(&mut self, note: String) {
        if let Some(outcome) = self.outcomes.last_mut() {
            outcome.reason = Some(match outcome.reason.take() {
                Some(reason) => format!("{reason}; {note}"),
                None => note,
            });
        }
    }

    /// For a sample of several transactions: what [`Draft::begin`] has set for the first.
    pub(super) fn enter_transaction(&self) -> Result<()> {
        Settings::of_samples().set()
    }

    /// Reads and stores one collector's rows, or undoes that and remembers why.
    pub(super) fn collect(
        &mut self,
        collector: &'static str,
        read: impl FnOnce(&Scope) -> Result<Reading>,
    ) -> &Outcome {
        let started = Instant::now();
        let read_and_store = || {
            let reading = read(&self.scope)?;
            let rows = self.store_rows(reading.tables)?;
            Ok((rows, reading.note))
        };
        let result: Result<_> = match subtransaction(read_and_store) {
            Ok(result) => result,
            Err(caught) => Err(Error::Collector {
                collector,
                sqlstate: sqlstate_code(&caught.sqlstate),
                reason: caught.message,
            }),
        };
        self.remember(collector, started, result)
    }

    /// Adds rows to the history; their number.
    pub(super) fn store_rows(&self, tables: Vec<(&'static str, Vec<Value>)>) -> Result<u64> {
        tables
            .into_iter()
            .map(|(table, new)| store(table, &self.header, new))
            .sum()
    }

    /// What became of a collector: the number of its rows with a remark, or an error.
    pub(super) fn remember(
        &mut self,
        collector: &'static str,
        started: Instant,
        result: Result<(u64, Option<String>)>,
    ) -> &Outcome {
        let (status, rows, reason, sqlstate) = match result {
            Ok((rows, note)) => (Status::Ok, rows, note, None),
            Err(error) => {
                let sqlstate = error.sqlstate();
                let reason = match error {
                    Error::Collector { reason, .. } => reason,
                    other => other.to_string(),
                };
                (status_of(sqlstate), 0, Some(reason), Some(sqlstate))
            }
        };
        self.outcomes.push(Outcome {
            collector,
            status,
            rows,
            elapsed_ms: milliseconds_since(started),
            reason,
            sqlstate,
        });
        &self.outcomes[self.outcomes.len() - 1]
    }

    /// Writes the sample's own row.
    pub(super) fn store(self) -> Result<Sample> {
        #[derive(Serialize)]
        struct Row<'a> {
            #[serde(flatten)]
            header: &'a Header,
            epoch: i64,
            cadence: Option<String>,
            elapsed_ms: f64,
            rows: u64,
            pages: u64,
            wal_bytes: u64,
            outcomes: Map<String, Value>,
        }
        let used = Usage::now().since(&self.used_before);
        let outcomes = self
            .outcomes
            .iter()
            .map(|outcome| Ok((outcome.collector.to_owned(), serde_json::to_value(outcome)?)))
            .collect::<Result<_>>()?;
        spi::insert(
            "pgperf.samples",
            &Row {
                header: &self.header,
                epoch: self.header.epoch,
                cadence: self.cadence_s.map(|seconds| format!("{seconds} seconds")),
                elapsed_ms: milliseconds_since(self.started),
                rows: self.outcomes.iter().map(|outcome| outcome.rows).sum(),
                pages: used.shared_blks_hit + used.shared_blks_read,
                wal_bytes: used.wal_bytes,
                outcomes,
            },
        )?;
        self.callers.set()?;
        Ok(Sample {
            sample_id: self.header.sample_id,
            outcomes: self.outcomes,
        })
    }
}

/// Makes the history's partitions of today and tomorrow. Where that cannot be (a lock, say), the rows go to the
/// default partition, until the next sample or `pgperf.maintain` makes up for it.
fn make_partitions() {
    let _ = subtransaction(|| {
        spi::execute(
            "SELECT pg_catalog.count(*) FROM pgperf.make_partitions(1)",
            &[],
        )
    });
}

/// Everything a sample begins with, in one read. Statistics that the transaction has looked at before
/// are forgotten first: a sample is of now.
///
/// The epoch: a crash sets the reset times of all statistics that are kept once for the server, a reset
/// those or the database's, a restart the server's start. No single one of them shows all three.
fn begin_sql() -> String {
    let io_reset = match SERVER_MAJOR {
        ..=15 => "NULL",
        _ => "(SELECT pg_catalog.max(stats_reset) FROM pg_catalog.pg_stat_io)",
    };
    let checkpointer_reset = match SERVER_MAJOR {
        ..=16 => "NULL",
        _ => "(SELECT stats_reset FROM pg_catalog.pg_stat_checkpointer)",
    };
    let seconds = |time: &str| {
        format!("COALESCE(EXTRACT(epoch FROM {time}::pg_catalog.timestamptz)::pg_catalog.text, '')")
    };
    let parts = [
        "pg_catalog.pg_postmaster_start_time()",
        "(SELECT stats_reset FROM pg_catalog.pg_stat_wal)",
        "(SELECT stats_reset FROM pg_catalog.pg_stat_bgwriter)",
        "pg_catalog.pg_stat_get_db_stat_reset_time(d.oid)",
        checkpointer_reset,
        io_reset,
    ]
    .map(seconds)
    .join(", ");
    format!(
        "SELECT pg_catalog.pg_stat_clear_snapshot()::pg_catalog.text AS cleared, \
                COALESCE($2, pg_catalog.nextval('pgperf.sample_id_seq'::pg_catalog.regclass)) AS sample_id, \
                pg_catalog.clock_timestamp() AS taken_at, \
                pg_catalog.to_regclass('pgperf.samples_' || pg_catalog.to_char(\
                    pg_catalog.clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL AS partitions_missing, \
                pg_catalog.hashtextextended(pg_catalog.concat_ws(' ', {parts}), 0) AS epoch, \
                pg_catalog.current_setting('lock_timeout') AS lock_timeout, \
                pg_catalog.set_config('lock_timeout', $1, true) AS now, \
                pg_catalog.current_setting('jit') AS jit, \
                pg_catalog.set_config('jit', 'off', true) AS jit_now \
         FROM pg_catalog.pg_database d \
         WHERE d.datname = pg_catalog.current_database()"
    )
}

/// In whole microseconds: more digits mean nothing.
fn milliseconds_since(start: Instant) -> f64 {
    start.elapsed().as_micros() as f64 / 1e3
}

/// Adds rows to a history table: each is the header's columns and its own.
fn store(table: &'static str, header: &Header, rows: Vec<Value>) -> Result<u64> {
    if rows.is_empty() {
        return Ok(0);
    }
    spi::execute(
        &format!(
            "INSERT INTO pgperf.{table} SELECT r.* FROM pg_catalog.jsonb_populate_recordset(\
             pg_catalog.jsonb_populate_record(NULL::pgperf.{table}, $1), $2) r"
        ),
        &[
            JsonB(serde_json::to_value(header)?).into(),
            JsonB(Value::Array(rows)).into(),
        ],
    )
}

/// Whether an error means that the collector cannot run here or now: a feature of another version, a
/// library that is not preloaded, no privilege, an extension's object that is not there, or a lock that
/// was not to be had.
fn status_of(sqlstate: PgSqlErrorCode) -> Status {
    use PgSqlErrorCode::*;
    match sqlstate {
        ERRCODE_FEATURE_NOT_SUPPORTED
        | ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
        | ERRCODE_INSUFFICIENT_PRIVILEGE
        | ERRCODE_UNDEFINED_FUNCTION
        | ERRCODE_UNDEFINED_TABLE
        | ERRCODE_UNDEFINED_COLUMN
        | ERRCODE_INVALID_SCHEMA_NAME
        | ERRCODE_LOCK_NOT_AVAILABLE => Status::Skipped,
        _ => Status::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_skipped_and_what_is_broken_failed() {
        for sqlstate in ["42501", "55P03", "0A000", "55000"] {
            assert_eq!(status_of(sqlstate_code(sqlstate)), Status::Skipped);
        }
        for sqlstate in ["XX001", "53100", "22012"] {
            assert_eq!(status_of(sqlstate_code(sqlstate)), Status::Failed);
        }
    }
}
