//! The rows of a search.

use super::judge::{Judged, Verdict, gave_way};
use crate::error::Result;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What decides how a search goes, stored with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchSpec {
    pub criteria: Option<Value>,
    pub start_rate: f64,
    pub max_rate: Option<f64>,
    pub precision_percent: f64,
    pub step_s: f64,
    pub max_step_s: f64,
    pub settle_s: f64,
    pub max_time_s: f64,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Found,
    MaxHolds,
    NoneHolds,
    TimeOver,
    Stopped,
    Failed,
}

impl End {
    fn name(self) -> &'static str {
        match self {
            End::Found => "found",
            End::MaxHolds => "max_rate holds",
            End::NoneHolds => "none holds",
            End::TimeOver => "time over",
            End::Stopped => "stopped",
            End::Failed => "failed",
        }
    }
}

/// Stores a search that begins, with its run.
pub fn begin(node_id: &str, run_id: i64, spec: &SearchSpec) -> Result<()> {
    spi::execute(
        "INSERT INTO pgperf_internal.stored_rate_searches (node_id, run_id, spec) VALUES ($1::pg_catalog.uuid, $2, $3)",
        &[
            node_id.into(),
            run_id.into(),
            Json(serde_json::to_value(spec)?).into(),
        ],
    )?;
    Ok(())
}

/// The spec of a search; None: the run is none.
pub fn spec(node_id: &str, run_id: i64) -> Result<Option<SearchSpec>> {
    #[derive(Deserialize)]
    struct StoredSearch {
        spec: SearchSpec,
    }
    let row: Option<StoredSearch> = spi::select_one(
        "SELECT spec FROM pgperf_internal.stored_rate_searches WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[node_id.into(), run_id.into()],
    )?;
    Ok(row.map(|row| row.spec))
}

/// A step that has ended.
pub struct Step<'a> {
    pub number: i32,
    pub rate: f64,
    pub began_at: i64,
    pub seconds: f64,
    pub verdict: Verdict,
    /// Whether the tests decided, not the end of the time.
    pub decided: bool,
    pub tps: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub judged: &'a [Judged],
}

impl Step<'_> {
    /// The criterion for which it fails.
    pub fn culprit(&self) -> Option<&Judged> {
        gave_way(self.judged).filter(|_| self.verdict == Verdict::Fails)
    }
}

/// Stores it.
pub fn store_step(node_id: &str, run_id: i64, step: &Step) -> Result<()> {
    #[derive(Serialize)]
    struct SearchStepRow<'a> {
        node_id: &'a str,
        run_id: i64,
        step_no: i32,
        rate: f64,
        began_at: String,
        seconds: f64,
        verdict: Verdict,
        decided: bool,
        criterion: Option<&'a str>,
        growth_percent: Option<f64>,
        growth_low_percent: Option<f64>,
        growth_high_percent: Option<f64>,
        tps: Option<f64>,
        latency_p99_ms: Option<f64>,
        observed: Value,
    }
    let culprit = step.culprit();
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let row = SearchStepRow {
        node_id,
        run_id,
        step_no: step.number,
        rate: step.rate,
        began_at: server::timestamp_text(step.began_at),
        seconds: step.seconds,
        verdict: step.verdict,
        decided: step.decided,
        criterion: culprit.map(|it| it.criterion),
        growth_percent: percent(culprit.and_then(|it| it.growth)),
        growth_low_percent: percent(culprit.and_then(|it| it.growth_low)),
        growth_high_percent: percent(culprit.and_then(|it| it.growth_high)),
        tps: step.tps,
        latency_p99_ms: step.latency_p99_ms,
        observed: serde_json::to_value(step.judged)?,
    };
    spi::insert("pgperf.rate_search_steps", &row)
}

/// Stores the result: the ends are those of steps that the tests have decided, where there are such.
pub fn end(
    node_id: &str,
    run_id: i64,
    end: End,
    low: Option<f64>,
    high: Option<f64>,
) -> Result<()> {
    spi::execute(
        "UPDATE pgperf_internal.stored_rate_searches s SET outcome = $3, rate = $4, ended_at = pg_catalog.clock_timestamp(), \
            rate_low = coalesce((SELECT pg_catalog.max(t.rate) FROM pgperf.rate_search_steps t WHERE t.node_id = s.node_id \
                AND t.run_id = s.run_id AND t.verdict = 'holds' AND t.decided AND t.rate <= $4), $4), \
            rate_high = coalesce((SELECT pg_catalog.min(t.rate) FROM pgperf.rate_search_steps t WHERE t.node_id = s.node_id \
                AND t.run_id = s.run_id AND t.verdict = 'fails' AND t.decided AND t.rate >= $5), $5), \
            criterion = (SELECT t.criterion FROM pgperf.rate_search_steps t WHERE t.node_id = s.node_id \
                AND t.run_id = s.run_id AND t.verdict = 'fails' AND t.rate = $5 ORDER BY t.step_no DESC LIMIT 1) \
          WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 AND outcome IS NULL",
        &[
            node_id.into(),
            run_id.into(),
            end.name().into(),
            low.into(),
            high.into(),
        ],
    )?;
    Ok(())
}
