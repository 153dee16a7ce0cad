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
    /// Ids used per second between the run's first and last sample, by the run and anything else. Null: not known.
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
    per_s: Option<f64>,
    left_s: Option<f64>,
}

/// The limits of the forecast by their number, which begins with 1.
const LIMITS: [&str; 3] = ["autovacuum", "failsafe", "stop"];

/// `database_name`: the run's database.
pub fn load(samples: &Samples, database_name: &str) -> Result<Option<TransactionIds>> {
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
            seconds_left: limit.left_s,
        })
    });
    Ok((!ages.is_empty()).then(|| TransactionIds {
        database_name: database_name.to_owned(),
        ages,
        per_s: forecast.first().and_then(|limit| limit.per_s),
        limits: limits.collect(),
    }))
}
