//! The outcome of a collector in a sample.

use crate::collect::error::CollectorFailed;
use crate::error::{Error, Result};
use crate::pg::process::clock;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Serialize;
use std::time::{Duration, Instant};

/// The outcome of a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    /// It cannot run here or now: a privilege, extension, version or lock is missing.
    Skipped,
    /// Anything else went wrong.
    Failed,
    /// It has stored a part of its rows, and continues or was broken off.
    Incomplete,
}

impl Status {
    /// As stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Skipped => "skipped",
            Status::Failed => "failed",
            Status::Incomplete => "incomplete",
        }
    }
}

/// When something began, on the clock and on this process's CPU.
#[derive(Clone, Copy)]
pub struct Stopwatch {
    at: Instant,
    cpu_ns: u64,
}

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch {
            at: Instant::now(),
            cpu_ns: clock::cpu_time(),
        }
    }

    /// It began so long ago, in another process.
    pub fn started_before(time: Duration) -> Self {
        let now = Stopwatch::start();
        Stopwatch {
            at: now.at.checked_sub(time).unwrap_or(now.at),
            ..now
        }
    }

    pub fn started_at(&self) -> Instant {
        self.at
    }

    /// In whole microseconds: more digits mean nothing.
    pub fn elapsed_ms(&self) -> f64 {
        self.at.elapsed().as_micros() as f64 / 1e3
    }

    /// Time on a CPU, in milliseconds.
    pub fn cpu_ms(&self) -> f64 {
        (clock::cpu_time() - self.cpu_ns) as f64 / 1e6
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
    /// Of that, on a CPU: what counts against the sampler's budget.
    #[serde(skip)]
    pub cpu_ms: f64,
    /// Why it did not run, or what it left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// That the sampler takes it less often than asked, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretched: Option<String>,
    /// Of the error, unless status is ok.
    #[serde(skip)]
    pub sqlstate: Option<PgSqlErrorCode>,
}

impl Outcome {
    /// For a collector that began then and stored that many rows: a remark, or an error.
    pub fn new(
        collector: &'static str,
        started: Stopwatch,
        rows: u64,
        result: Result<Option<String>>,
    ) -> Self {
        let (status, reason, sqlstate) = match result {
            Ok(note) => (Status::Ok, note, None),
            Err(error) => {
                let sqlstate = error.sqlstate();
                let reason = match error.downcast_ref() {
                    Some(CollectorFailed { reason, .. }) => reason.clone(),
                    _ => error.to_string(),
                };
                (status_of(sqlstate), Some(reason), Some(sqlstate))
            }
        };
        Outcome {
            collector,
            status,
            rows,
            elapsed_ms: started.elapsed_ms(),
            cpu_ms: started.cpu_ms(),
            reason,
            stretched: None,
            sqlstate,
        }
    }

    /// For a collector that has stored that many rows so far.
    pub fn under_way(collector: &'static str, started: Stopwatch, rows: u64) -> Self {
        Outcome {
            status: Status::Incomplete,
            ..Outcome::new(collector, started, rows, Ok(None))
        }
    }

    /// For a collector whose rows were read but could not be stored.
    pub fn lost(collector: &'static str, started: Stopwatch, error: Error) -> Self {
        Outcome {
            status: Status::Failed,
            ..Outcome::new(collector, started, 0, Err(error))
        }
    }

    /// Adds a remark on its interval.
    pub fn stretch(&mut self, note: String) {
        self.reason = Some(match self.reason.take() {
            Some(reason) => format!("{reason}; {note}"),
            None => note.clone(),
        });
        self.stretched = Some(note);
    }
}

/// Whether an error means that the collector cannot run here or now: a feature of another version, a
/// library that is not preloaded, no privilege, a missing object of an extension, or a lock that was not free.
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
    use crate::error::sqlstate_code;

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
