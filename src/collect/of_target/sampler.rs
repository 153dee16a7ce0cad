//! The conversation with a target: one sample after the other, and nobody waits for the answers.

use super::dialect::Dialect;
use super::source::Asking;
use crate::catalog::target_node::Identity;
use crate::collect::collector::{Collector, Depth, Timing};
use crate::collect::sample::beginning::counting_columns;
use crate::collect::sample::of_target::{TargetPart, TargetSample};
use crate::error::{Result, invalid};
use crate::target::inquiry::{Inquiry, News, Row, Told};
use crate::target::standing::Standing;
use serde::Deserialize;
use serde_json::Value;
use wire::Conninfo;

type Collectors = Vec<(&'static Collector, Depth)>;

/// Takes samples of a target.
pub struct TargetSampler {
    server: String,
    host: Option<String>,
    inquiry: Inquiry,
    /// What is wanted, until it has come.
    wanted: Option<Wanted>,
    /// Of the last sample that was stored.
    counting_since: Option<String>,
}

/// A sample that is wanted.
struct Wanted {
    collectors: Collectors,
    cadence_s: Option<f64>,
    asked: Vec<AskedFor>,
}

/// What was asked for a collector: so many queries, or why none.
struct AskedFor {
    collector: &'static Collector,
    depth: Depth,
    queries: Result<usize>,
}

impl TargetSampler {
    /// For the target at this foreign server. `name`: that of its sessions there.
    ///
    /// # Errors
    /// The system has no thread or no file descriptor left.
    pub fn start(server: &str, info: Conninfo, name: &str) -> Result<TargetSampler> {
        Ok(TargetSampler {
            server: server.to_owned(),
            host: info.get("host").map(str::to_owned),
            inquiry: Inquiry::start(info, name)?,
            wanted: None,
            counting_since: None,
        })
    }

    /// Whether a sample is wanted that has not come.
    pub fn is_busy(&self) -> bool {
        self.wanted.is_some()
    }

    /// Asks for a sample, once the one before has come.
    pub fn ask(&mut self, collectors: Collectors, cadence_s: Option<f64>) {
        self.wanted = Some(Wanted {
            collectors,
            cadence_s,
            asked: Vec::new(),
        });
        match self.inquiry.standing().is_some() {
            true => self.send(),
            false => self.inquiry.ask_for_standing(),
        }
    }

    /// The sample, if it has come, or why there is none.
    pub fn sample(&mut self) -> Option<Result<TargetSample>> {
        match self.inquiry.news()? {
            News::Standing => {
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

    /// All queries: that of the moment, and those of the collectors.
    fn send(&mut self) {
        let (Some(wanted), Some(standing)) = (&mut self.wanted, self.inquiry.standing()) else {
            return;
        };
        let mut queries = vec![moment_sql(standing)];
        wanted.asked.clear();
        for &(collector, depth) in &wanted.collectors {
            let Some(source) = collector.of_target else {
                continue;
            };
            let asked = source.queries(&Asking {
                standing,
                depth,
                counting_since: self.counting_since.as_deref(),
            });
            // What the target lacks is said at the ends of a run.
            if asked.is_err() && depth == Depth::Tick {
                continue;
            }
            let asked = asked.map(|more| {
                let count = more.len();
                queries.extend(more);
                count
            });
            wanted.asked.push(AskedFor {
                collector,
                depth,
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
        let parts = wanted.asked.into_iter().map(|asked| TargetPart {
            collector: asked.collector,
            depth: asked.depth,
            answers: asked.queries.and_then(|count| {
                let all: Vec<Result<Vec<Row>>> = (0..count).map(|_| next()).collect();
                all.into_iter().collect()
            }),
        });
        Ok(TargetSample {
            server: self.server.clone(),
            host: self.host.clone(),
            identity,
            timing,
            counting: row,
            at: told.at,
            took: told.took,
            cadence_s: wanted.cadence_s,
            parts: parts.collect(),
        })
    }
}

fn too_few() -> crate::error::Error {
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
