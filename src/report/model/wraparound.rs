//! Age of the database's oldest transaction id, and its forecast.

use super::samples::rows;
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::wraparound::SECTION;
use serde::{Deserialize, Serialize};

/// Age of the oldest transaction id of the run's database.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TransactionIds {
    pub database_name: String,
    pub ages: Vec<Age>,
    /// Ids used per second of the measured part, by the run and anything else, without pgperf's own. Null: not known,
    /// or the run was too short.
    pub per_s: Option<f64>,
    /// When each limit is reached if ids continue to be used at that rate and nothing is frozen.
    pub limits: Vec<Limit>,
}

/// The number of transactions since the oldest id that is not frozen was assigned.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Age {
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub frozen_xid_age: i64,
    pub multixact_age: Option<i64>,
}

/// An age at which the server does something about it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Limit {
    /// `autovacuum`: it freezes in any case; `failsafe`: vacuum does nothing but freeze; `stop`: no more ids are assigned.
    pub limit: &'static str,
    pub age: i64,
    pub ids_left: i64,
    /// Null: never at that rate, or the rate is not known.
    pub seconds_left: Option<f64>,
}

/// A point of the section's chart.
#[derive(Deserialize)]
struct AgePoint {
    at_s: f64,
    xid_age: Option<i64>,
    multixact_age: Option<i64>,
}

/// A row of the section's forecast.
#[derive(Deserialize)]
struct Forecast {
    id_kind: String,
    /// Which of the limits.
    no: usize,
    limit_age: i64,
    ids_left: i64,
}

/// The limits of the forecast by their number, which begins with 1.
const LIMITS: [&str; 3] = ["autovacuum", "failsafe", "stop"];

/// A shorter run says nothing about the rate of ids.
const SHORTEST_S: f64 = 1.0;

/// Ids per second: `xids` without pgperf's own from the run's first sample to its last, over its measured part of
/// `seconds`; `before_s`: how long a warm-up before it took, whose ids count as well.
pub fn ids_per_s(xids: Option<f64>, seconds: Option<f64>, before_s: f64) -> Option<f64> {
    let seconds = seconds? + before_s.max(0.0);
    (seconds >= SHORTEST_S).then(|| xids.map(|xids| xids.max(0.0) / seconds))?
}

/// `database_name`: the run's database; `per_s`: how fast ids are used.
pub fn load(
    samples: &Samples,
    database_name: &str,
    per_s: Option<f64>,
) -> Result<Option<TransactionIds>> {
    let points: Vec<AgePoint> = rows(samples, &SECTION, "ages")?;
    let mut forecast: Vec<Forecast> = rows(samples, &SECTION, "forecast")?;
    forecast.retain(|limit| limit.id_kind == "xid");
    let ages = points.into_iter().filter_map(|point| {
        Some(Age {
            at_s: point.at_s,
            frozen_xid_age: point.xid_age?,
            multixact_age: point.multixact_age,
        })
    });
    let ages: Vec<Age> = ages.collect();
    let limits = forecast.iter().filter_map(|limit| {
        Some(Limit {
            limit: LIMITS.get(limit.no.checked_sub(1)?)?,
            age: limit.limit_age,
            ids_left: limit.ids_left,
            seconds_left: per_s
                .filter(|rate| *rate > 0.0)
                .map(|rate| limit.ids_left as f64 / rate),
        })
    });
    Ok((!ages.is_empty()).then(|| TransactionIds {
        database_name: database_name.to_owned(),
        ages,
        per_s,
        limits: limits.collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::ids_per_s;

    #[test]
    fn how_fast_ids_are_used_is_told_of_the_measured_time() {
        assert_eq!(ids_per_s(Some(500.0), Some(10.0), 0.0), Some(50.0));
        assert_eq!(ids_per_s(Some(500.0), Some(10.0), 15.0), Some(20.0));
        assert_eq!(ids_per_s(Some(0.0), Some(10.0), 0.0), Some(0.0));
        assert_eq!(ids_per_s(Some(10.0), Some(0.001), 0.0), None);
        assert_eq!(ids_per_s(None, Some(10.0), 0.0), None);
    }
}
