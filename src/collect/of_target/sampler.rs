//! The conversation with a target: one sample after the other, and nobody waits for the answers.

use super::dialect::Dialect;
use super::source::Asking;
use crate::catalog::target_node::Identity;
use crate::collect::Part;
use crate::collect::collector::Timing;
use crate::collect::sample::beginning::counting_columns;
use crate::collect::sample::of_target::{TargetPart, TargetSample};
use crate::error::{Error, Result, invalid};
use crate::target::inquiry::{Inquiry, News, Row, Told};
use crate::target::standing::Standing;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::{Conninfo, Waker};

/// Takes samples of a target.
pub struct TargetSampler {
    server: String,
    host: Option<String>,
    inquiry: Inquiry,
    /// What is wanted, until it has come.
    wanted: Option<Wanted>,
    /// Of the last sample that was stored.
    counting_since: Option<String>,
    /// The standing of the role there that is in force, and when it was asked for.
    standing: Option<(Standing, Instant)>,
    lacking: Lacking,
}

/// What collectors cannot have, and why: that is said in one sample, and not asked for again, until the standing is another one or
/// [`SAY_AGAIN`] has passed.
struct Lacking {
    since: Instant,
    reasons: BTreeMap<&'static str, String>,
}

/// How old the standing of the role may be: a standby may be promoted, rights may be granted, extensions made.
const STANDING_AGE: Duration = Duration::from_secs(60);
const SAY_AGAIN: Duration = Duration::from_secs(3600);

/// A sample that is wanted.
struct Wanted {
    parts: Vec<Part>,
    cadence_s: Option<f64>,
    asked: Vec<AskedFor>,
}

/// What was asked for a collector: so many queries, or why none.
struct AskedFor {
    part: Part,
    queries: Result<usize>,
}

impl TargetSampler {
    /// For the target at this foreign server. `name`: that of its sessions there; `told`: woken where it may have told something.
    ///
    /// # Errors
    /// The system has no thread or no file descriptor left.
    pub fn start(
        server: &str,
        info: Conninfo,
        name: &str,
        told: Option<Arc<Waker>>,
    ) -> Result<TargetSampler> {
        Ok(TargetSampler {
            server: server.to_owned(),
            host: info.get("host").map(str::to_owned),
            inquiry: Inquiry::start(info, name, told)?,
            wanted: None,
            counting_since: None,
            standing: None,
            lacking: Lacking::begin(),
        })
    }

    /// Whether a sample is wanted that has not come.
    pub fn is_busy(&self) -> bool {
        self.wanted.is_some()
    }

    /// Asks for a sample, once the one before has come.
    pub fn ask(&mut self, parts: Vec<Part>, cadence_s: Option<f64>) {
        self.wanted = Some(Wanted {
            parts,
            cadence_s,
            asked: Vec::new(),
        });
        let is_fresh = |(_, at): &(Standing, Instant)| at.elapsed() < STANDING_AGE;
        match self.inquiry.standing().is_some() && self.standing.as_ref().is_some_and(is_fresh) {
            true => self.send(),
            false => self.inquiry.ask_for_standing(),
        }
    }

    /// The sample, if it has come, or why there is none.
    pub fn sample(&mut self) -> Option<Result<TargetSample>> {
        match self.inquiry.news()? {
            News::Standing => {
                self.note_standing();
                self.send();
                None
            }
            News::Told(told) => Some(self.made(told)),
            News::Failed(error) => {
                self.wanted = None;
                Some(Err(error))
            }
        }
    }

    /// Its counters count since then: known once it is stored.
    pub fn count_since(&mut self, counting_since: String) {
        self.counting_since = Some(counting_since);
    }

    fn note_standing(&mut self) {
        let Some(now) = self.inquiry.standing().cloned() else {
            return;
        };
        let is_same = (self.standing.as_ref()).is_some_and(|(before, _)| now.is_as(before));
        if !is_same || self.lacking.since.elapsed() >= SAY_AGAIN {
            self.lacking = Lacking::begin();
        }
        self.standing = Some((now, Instant::now()));
    }

    /// What the target cannot tell over this connection, each with its reason: by collector, and of all others' sessions and statements.
    pub fn unknown(&self) -> Map<String, Value> {
        let reads_stats = (self.inquiry.standing()).is_none_or(|standing| standing.reads_stats);
        let rights = (!reads_stats).then_some(("rights", NO_RIGHTS));
        let lacking = (self.lacking.reasons.iter()).map(|(name, reason)| (*name, reason.as_str()));
        let all = lacking.chain(rights);
        all.map(|(name, reason)| (name.to_owned(), reason.into()))
            .collect()
    }

    /// All queries: that of the moment, and those of the collectors.
    fn send(&mut self) {
        let (Some(wanted), Some(standing)) = (&mut self.wanted, self.inquiry.standing()) else {
            return;
        };
        let mut queries = vec![moment_sql(standing)];
        wanted.asked.clear();
        for part in &wanted.parts {
            let name = part.collector.name;
            let Some(source) =
                (part.collector.of_target).filter(|_| !self.lacking.reasons.contains_key(name))
            else {
                continue;
            };
            let asked = source.queries(&Asking {
                standing,
                depth: part.depth,
                counting_since: self.counting_since.as_deref(),
            });
            if let Err(error) = &asked {
                self.lacking.reasons.insert(name, error.to_string());
            }
            let asked = asked.map(|more| {
                let count = more.len();
                queries.extend(more);
                count
            });
            wanted.asked.push(AskedFor {
                part: part.clone(),
                queries: asked,
            });
        }
        self.inquiry.ask_queries(&queries);
    }

    fn made(&mut self, told: Told) -> Result<TargetSample> {
        let mut answers = told.answers.into_iter();
        let mut next = || answers.next().unwrap_or_else(|| Err(too_few()));
        let wanted = self.wanted.take().ok_or_else(too_few)?;
        let row = next()?.into_iter().next().ok_or_else(too_few)?;
        let row = Value::Object(row);
        let Moment { identity, timing } = serde_json::from_value(row.clone())?;
        let mut parts = Vec::new();
        for AskedFor { part, queries } in wanted.asked {
            let answers = queries.and_then(|count| {
                let all: Vec<Result<Vec<Row>>> = (0..count).map(|_| next()).collect();
                all.into_iter().collect()
            });
            if let Some(error) = answers.as_ref().err().filter(|error| is_for_good(error)) {
                let reason = error.to_string();
                self.lacking.reasons.insert(part.collector.name, reason);
            }
            parts.push(TargetPart {
                collector: part.collector,
                depth: part.depth,
                stretched: part.stretched,
                answers,
            });
        }
        Ok(TargetSample {
            server: self.server.clone(),
            host: self.host.clone(),
            identity,
            timing,
            counting: row,
            at: told.at,
            took: told.took,
            worked: told.worked,
            cadence_s: wanted.cadence_s,
            parts,
        })
    }
}

impl Lacking {
    fn begin() -> Lacking {
        Lacking {
            since: Instant::now(),
            reasons: BTreeMap::new(),
        }
    }
}

const NO_RIGHTS: &str = "the role has no rights of pg_monitor there: statements and sessions of others are hidden from it";

/// Whether a query would fail again: for want of a right, or of what it reads.
fn is_for_good(error: &Error) -> bool {
    use PgSqlErrorCode::*;
    matches!(
        error.sqlstate(),
        ERRCODE_INSUFFICIENT_PRIVILEGE
            | ERRCODE_UNDEFINED_FUNCTION
            | ERRCODE_UNDEFINED_TABLE
            | ERRCODE_UNDEFINED_COLUMN
            | ERRCODE_FEATURE_NOT_SUPPORTED
    )
}

fn too_few() -> Error {
    invalid("a target has given too few answers")
}

/// What every sample asks.
#[derive(Deserialize)]
struct Moment {
    #[serde(flatten)]
    identity: Identity,
    #[serde(flatten)]
    timing: Timing,
}

fn moment_sql(standing: &Standing) -> String {
    let dialect = Dialect::from(standing);
    let identifier = match standing.reads_control {
        true => "(SELECT c.system_identifier FROM pg_catalog.pg_control_system() c)",
        false => "NULL::pg_catalog.int8",
    };
    let counting = counting_columns(&dialect, "d.oid");
    format!(
        "SELECT {identifier} AS system_identifier, d.oid::pg_catalog.int8 AS database_oid, d.datname AS database_name, \
                pg_catalog.current_setting('track_io_timing') = 'on' AS times_io, \
                COALESCE(pg_catalog.current_setting('track_wal_io_timing', true) = 'on', false) AS times_wal, {counting} \
           FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_moment_has_an_identity_and_what_is_timed() {
        let moment: Moment = serde_json::from_value(json!({
            "system_identifier": 7_400_000_000_000_000_001_i64, "database_oid": 16384, "database_name": "bench",
            "times_io": true, "times_wal": false, "server": "1.5", "transactions": 7
        }))
        .unwrap();
        assert_eq!(
            moment.identity.system_identifier,
            Some(7_400_000_000_000_000_001)
        );
        assert!(moment.timing.io && !moment.timing.wal);
    }
}
