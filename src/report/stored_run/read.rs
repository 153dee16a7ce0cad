//! Reading what is stored about one run.

use super::{Facts, Run, StepDevice};
use crate::catalog::error::UnknownRun;
use crate::catalog::runs::ExistingRun;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::report::conditions::Conditions;
use crate::report::model::{
    Key, alternation, disturbances, hit_curve, rate_search, receivers, replay, servers, tables,
};
use pgrx::datum::DatumWithOid;
use serde::Deserialize;

/// The most stretches of time whose rates are reported.
const RATES: i64 = 64;

/// Reads the run with its totals; the current user must be able to read pgperf's tables.
pub fn run(found: &ExistingRun) -> Result<Run> {
    let run = spi::select_one(
        "SELECT s.*, n.name AS node_name, n.database_name, r.role, r.origin_run_id, r.random_seed, r.spec, r.server_version, r.sqlstate, r.error, r.history_error, \
             (SELECT e.note FROM pgperf.run_environment e WHERE e.node_id = s.node_id AND e.run_id = s.run_id \
                 AND e.category = 'server' AND e.name = 'distributed_tables') AS unknown_because \
         FROM pgperf.run_summary s JOIN pgperf.runs r USING (node_id, run_id) \
         LEFT JOIN pgperf.nodes n USING (node_id) \
         WHERE s.node_id = $1::uuid AND s.run_id = $2",
        &[found.node_id.as_str().into(), found.run_id.into()],
    )?;
    run.ok_or_else(|| {
        let run = Some(found.run_id.to_string());
        UnknownRun { run }.into()
    })
}

/// Reads them all; the current user must be able to read pgperf's tables.
pub fn load(found: &ExistingRun) -> Result<Facts> {
    let key = [found.node_id.as_str().into(), found.run_id.into()];
    let alone = Key {
        node_id: &found.node_id,
        run_id: found.run_id,
    };
    let run = run(found)?;
    let step_devices = match run.work().has_steps {
        true => step_devices(&key)?,
        false => Vec::new(),
    };
    Ok(Facts {
        alternation: alternation::load(&run, &key)?,
        servers: servers::load((&run.spec.targets, &run.spec.nodes), run.clients, &key)?,
        run,
        scripts: spi::select(
            "SELECT s.script_no, s.script, s.weight, s.transactions, s.tps, s.failed, s.serialization_failures, \
             s.deadlock_failures, s.other_failures, s.retried, s.retries, s.skipped, \
             s.latency_avg_ms, s.latency_stddev_ms, s.latency_p50_ms, s.latency_p90_ms, s.latency_p95_ms, s.latency_p99_ms, \
             s.latency_max_ms \
             FROM pgperf.run_scripts s WHERE s.node_id = $1::uuid AND s.run_id = $2 ORDER BY s.script_no",
            &key,
        )?,
        statements: spi::select(
            "SELECT s.script_no, s.script, s.command_no, s.statement, s.is_sql, s.calls, s.failed, s.retries, s.latency_avg_ms, \
             s.latency_p50_ms, s.latency_p95_ms, s.latency_p99_ms, s.latency_max_ms, s.first_byte_ms, s.receive_ms, s.rows, s.shared_blks_hit, s.shared_blks_read, \
             s.shared_blks_dirtied, s.wal_bytes, \
             EXTRACT(epoch FROM s.started_at - (SELECT pg_catalog.min(i.started_at) FROM pgperf.run_intervals i \
                 WHERE i.node_id = $1::uuid AND i.run_id = $2))::pg_catalog.float8 AS at_s \
             FROM pgperf.run_statements s WHERE s.node_id = $1::uuid AND s.run_id = $2 \
             ORDER BY s.script_no, s.command_no",
            &key,
        )?,
        step_devices,
        metrics: spi::select(
            "SELECT m.metric, m.value, m.unit FROM pgperf.run_metrics m \
             WHERE m.node_id = $1::uuid AND m.run_id = $2 \
             AND (m.category = 'workload' OR m.metric = 'transaction_log_wait_ms') ORDER BY m.metric",
            &key,
        )?,
        errors: spi::select(
            "SELECT pg_catalog.min(e.client_id) AS client_id, pg_catalog.count(*) AS clients, \
             e.script, e.command_no, e.sqlstate, \
             (pg_catalog.array_agg(e.message ORDER BY e.occurred_at DESC))[1] AS message, \
             pg_catalog.sum(e.occurrences)::pg_catalog.int8 AS occurrences \
             FROM pgperf.run_errors e WHERE e.node_id = $1::uuid AND e.run_id = $2 \
             GROUP BY e.client_id IS NULL, e.script, e.command_no, e.sqlstate \
             ORDER BY pg_catalog.min(e.error_no)",
            &key,
        )?,
        segments: spi::select(
            "SELECT s.segment_no, s.started_at, s.ended_at, s.seconds, s.transactions, s.gap_s, s.ended_by, s.reason \
             FROM pgperf.run_segments s WHERE s.node_id = $1::uuid AND s.run_id = $2 ORDER BY s.segment_no",
            &key,
        )?,
        rates: rates(found)?,
        tables: tables::load(&key)?,
        hit_curve: hit_curve::load(&key)?,
        rate_search: rate_search::load(&key)?,
        receivers: receivers::load(&key)?,
        disturbances: disturbances::load(&key)?,
        replay: replay::load(&key)?,
        conditions: Conditions::load([[alone].as_slice()])?,
        caches: spi::select(
            "SELECT e.name, e.value, e.note FROM pgperf.run_environment e \
             WHERE e.node_id = $1::uuid AND e.run_id = $2 AND e.category = 'memory' AND e.name ~ '^caches' ORDER BY e.name COLLATE \"C\"",
            &key,
        )?,
    })
}

fn step_devices(key: &[DatumWithOid]) -> Result<Vec<StepDevice>> {
    spi::select(
        "SELECT d.* FROM pgperf.load_devices d WHERE d.node_id = $1::pg_catalog.uuid AND d.run_id = $2 \
         ORDER BY d.level, d.holds, d.device, d.step_no",
        key,
    )
}

fn rates(found: &ExistingRun) -> Result<Vec<f64>> {
    #[derive(Deserialize)]
    struct Stretch {
        tps: f64,
    }
    let stretches: Vec<Stretch> = spi::select(
        "SELECT pg_catalog.sum(i.transactions) / pg_catalog.sum(i.seconds) AS tps \
         FROM pgperf.run_intervals i, \
              (SELECT pg_catalog.min(x.interval_no) AS first, pg_catalog.max(x.interval_no) AS last \
               FROM pgperf.run_intervals x WHERE x.node_id = $1::uuid AND x.run_id = $2) e \
         WHERE i.node_id = $1::uuid AND i.run_id = $2 \
         GROUP BY (i.interval_no - e.first) / ((e.last - e.first) / $3 + 1) HAVING pg_catalog.sum(i.seconds) > 0 \
         ORDER BY pg_catalog.min(i.interval_no)",
        &[
            found.node_id.as_str().into(),
            found.run_id.into(),
            RATES.into(),
        ],
    )?;
    Ok(stretches.into_iter().map(|stretch| stretch.tps).collect())
}
