//! The search for the highest rate without a growing backlog, if the run is that of `find_rate`.

use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A search and the rates that it tried.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RateSearch {
    #[serde(flatten)]
    pub result: Outcome,
    pub steps: Vec<Step>,
}

/// A row of `pgperf.rate_searches`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Outcome {
    /// `searching`, `found`, `max_rate holds`, `none holds`, `time over`, `stopped`, `failed` or `interrupted`.
    pub status: String,
    /// The highest rate that holds, in transactions per second. Null: none so far.
    pub rate: Option<f64>,
    /// The highest rate that certainly holds.
    pub rate_low: Option<f64>,
    /// The lowest rate that certainly fails. Null: none did.
    pub rate_high: Option<f64>,
    /// What gives way above it.
    pub criterion: Option<String>,
    /// The arguments of the search.
    pub spec: Value,
}

/// A row of `pgperf.rate_search_steps`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Step {
    pub step_no: i32,
    /// Transactions per second that were scheduled.
    pub rate: f64,
    /// How long it was observed, after it had settled.
    pub seconds: f64,
    /// `holds`, `fails` or `open`.
    pub verdict: String,
    /// Whether the tests decided; otherwise the time of the step was over, and the estimates did.
    pub decided: bool,
    /// The criterion that gave way. Null: all hold.
    pub criterion: Option<String>,
    /// Of that criterion: the share of what comes that stays, with its 99 % interval. Null: it has a bound.
    pub growth_percent: Option<f64>,
    pub growth_low_percent: Option<f64>,
    pub growth_high_percent: Option<f64>,
    /// Transactions per second that were reached.
    pub tps: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    /// Each criterion with its verdict, its last level or mean, and its growth.
    pub observed: Value,
}

/// That of a run; None: it is no search. `key`: node and run. The current user must be able to read pgperf's tables.
pub fn load(key: &[DatumWithOid]) -> Result<Option<RateSearch>> {
    let result: Option<Outcome> = spi::select_one(
        "SELECT s.status, s.rate, s.rate_low, s.rate_high, s.criterion, s.spec FROM pgperf.rate_searches s \
         WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2",
        key,
    )?;
    let Some(result) = result else {
        return Ok(None);
    };
    let steps = spi::select(
        "SELECT t.step_no, t.rate, t.seconds, t.verdict, t.decided, t.criterion, t.growth_percent, t.growth_low_percent, \
                t.growth_high_percent, t.tps, t.latency_p99_ms, t.observed FROM pgperf.rate_search_steps t \
         WHERE t.node_id = $1::pg_catalog.uuid AND t.run_id = $2 ORDER BY t.step_no",
        key,
    )?;
    Ok(Some(RateSearch { result, steps }))
}
