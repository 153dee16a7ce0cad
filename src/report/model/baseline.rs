//! The named baseline with which a run's page compares its scripts.

use crate::catalog::runs::{ExistingRun, may_see_sql};
use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::pg_sys;
use serde::{Deserialize, Serialize};

/// A named baseline of runs of the same workload, with as many clients and at the same scale.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Baseline {
    pub name: String,
    /// How many runs it has.
    pub runs: i64,
    /// What each script took in them, by the script's name.
    pub scripts: Vec<BaselineScript>,
}

/// A script of a baseline.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BaselineScript {
    pub script: String,
    /// The mean of the means of the runs. Null: no run has one.
    pub latency_avg_ms: Option<f64>,
}

/// The baseline that was set last, of those to which this run does not belong; `caller` has to be allowed to see all of its runs.
pub(super) fn load(run: &ExistingRun, caller: pg_sys::Oid) -> Result<Option<Baseline>> {
    let sql = NEWEST.replace("{may see}", &may_see_sql("$3", "r.role"));
    spi::select_one(
        &sql,
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            caller.into(),
        ],
    )
}

const NEWEST: &str = "SELECT b.name, b.runs, \
        (SELECT coalesce(pg_catalog.jsonb_agg(s ORDER BY s.script), '[]') \
           FROM (SELECT s.script, pg_catalog.avg(s.latency_avg_ms) AS latency_avg_ms \
                   FROM pgperf.baselines m JOIN pgperf.run_scripts s USING (node_id, run_id) \
                  WHERE m.name = b.name GROUP BY s.script) AS s) AS scripts \
   FROM (SELECT b.name, pg_catalog.count(*) AS runs, pg_catalog.max(b.created_at) AS created_at \
           FROM pgperf.baselines b \
           JOIN pgperf_internal.stored_runs r USING (node_id, run_id), \
                pgperf_internal.stored_runs o \
          WHERE o.node_id = $1::pg_catalog.uuid AND o.run_id = $2 \
          GROUP BY b.name \
         HAVING pg_catalog.bool_and(r.kind = o.kind AND r.workload = o.workload AND r.clients IS NOT DISTINCT FROM o.clients \
                                    AND r.spec -> 'scale' IS NOT DISTINCT FROM o.spec -> 'scale' \
                                    AND (r.node_id <> o.node_id OR r.run_id <> o.run_id) \
                                    AND ({may see})) \
          ORDER BY 3 DESC, 1 LIMIT 1) AS b";
