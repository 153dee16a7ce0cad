//! Age of the database's oldest transaction id, and its forecast.

use super::samples::Samples;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Ids that lie in the past at most; the server stops assigning them this many before.
const HALF_CIRCLE: i64 = 2_147_483_647;
const STOP_MARGIN: i64 = 3_000_000;

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

#[derive(Deserialize)]
struct Row {
    database_name: String,
    frozen_xid_age: Option<i64>,
    multixact_age: Option<i64>,
    freeze_max_age: Option<i64>,
    failsafe_age: Option<i64>,
}

/// A shorter run says nothing about the rate of ids.
const SHORTEST_S: f64 = 1.0;

/// Ids per second: `xids` without pgperf's own from the run's first sample to its last, over its measured part of
/// `seconds`; `before_s`: how long a warm-up before it took, whose ids count as well.
pub fn ids_per_s(xids: Option<f64>, seconds: Option<f64>, before_s: f64) -> Option<f64> {
    let seconds = seconds? + before_s.max(0.0);
    (seconds >= SHORTEST_S).then(|| xids.map(|xids| xids.max(0.0) / seconds))?
}

/// `per_s`: how fast ids are used.
pub fn load(samples: &Samples, per_s: Option<f64>) -> Result<Option<TransactionIds>> {
    let rows = samples.rows::<Row>(
        "wraparound_history",
        "h.database_name, h.frozen_xid_age, h.multixact_age, \
         h.freeze_max_age, h.failsafe_age",
        "h.relation_name IS NULL AND h.database_name = \
         (SELECT d.database_name FROM pgperf.nodes d WHERE d.node_id = $1::pg_catalog.uuid)",
    )?;
    let Some(last) = rows.last() else {
        return Ok(None);
    };
    let Some(age) = last.row.frozen_xid_age else {
        return Ok(None);
    };
    let limits = [
        ("autovacuum", last.row.freeze_max_age),
        ("failsafe", last.row.failsafe_age),
        ("stop", Some(HALF_CIRCLE - STOP_MARGIN)),
    ];
    Ok(Some(TransactionIds {
        database_name: last.row.database_name.clone(),
        per_s,
        limits: limits
            .into_iter()
            .filter_map(|(limit, limit_age)| Some(forecast(limit, limit_age?, age, per_s)))
            .collect(),
        ages: rows
            .iter()
            .filter_map(|at| {
                Some(Age {
                    at_s: at.at_s,
                    frozen_xid_age: at.row.frozen_xid_age?,
                    multixact_age: at.row.multixact_age,
                })
            })
            .collect(),
    }))
}

fn forecast(limit: &'static str, limit_age: i64, age: i64, per_s: Option<f64>) -> Limit {
    let ids_left = (limit_age - age).max(0);
    Limit {
        limit,
        age: limit_age,
        ids_left,
        seconds_left: per_s
            .filter(|rate| *rate > 0.0)
            .map(|rate| ids_left as f64 / rate),
    }
}

#[cfg(test)]
mod tests {
    use super::{forecast, ids_per_s};

    #[test]
    fn how_fast_ids_are_used_is_told_of_the_measured_time() {
        assert_eq!(ids_per_s(Some(500.0), Some(10.0), 0.0), Some(50.0));
        assert_eq!(ids_per_s(Some(500.0), Some(10.0), 15.0), Some(20.0));
        assert_eq!(ids_per_s(Some(0.0), Some(10.0), 0.0), Some(0.0));
        assert_eq!(ids_per_s(Some(10.0), Some(0.001), 0.0), None);
        assert_eq!(ids_per_s(None, Some(10.0), 0.0), None);
    }

    #[test]
    fn a_limit_is_reached_when_its_ids_are_used_up() {
        let limit = forecast("autovacuum", 200_000_000, 50_000_000, Some(1_000.0));
        assert_eq!(
            (limit.ids_left, limit.seconds_left),
            (150_000_000, Some(150_000.0))
        );
        assert_eq!(forecast("stop", 10, 20, Some(1.0)).seconds_left, Some(0.0));
        assert_eq!(forecast("stop", 10, 5, Some(0.0)).seconds_left, None);
        assert_eq!(forecast("stop", 10, 5, None).seconds_left, None);
    }
}
