//! Runs equal to a compared one: their differences show the variation from run to run.

use crate::catalog::runs::ExistingRun;
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::spi;

/// The number of peers used: those nearest in time, since data and machine change slowly.
const MOST: i64 = 20;

/// What is the same in the options of repetitions.
const SPECIFICATION: &str =
    "(r.spec - '{call,random_seed,limits,resume,segment,source}'::pg_catalog.text[])";

/// Whether r is a finished run of the same kind as m, made by the same role on the same node; its specification may be another one.
const ALIKE: &str = "COALESCE(r.origin_node_id, r.node_id) = COALESCE(m.origin_node_id, m.node_id) \
    AND (r.role, r.kind, r.workload) = (m.role, m.kind, m.workload) \
    AND (r.clients, r.query_mode, r.server_version, r.scale) \
      IS NOT DISTINCT FROM (m.clients, m.query_mode, m.server_version, m.scale) \
    AND r.stored_status = 'finished'";

/// The runs with that label that repeat the run, itself included, the oldest first: finished runs of the same node and role with the same
/// specification and version of the server. None if it has not finished, or has another label.
pub fn repetitions(run: &ExistingRun, label: &str) -> Result<Vec<ExistingRun>> {
    as_owner(|| {
        spi::select(
            &format!(
                "WITH run AS MATERIALIZED ( \
                     SELECT r.*, {SPECIFICATION} AS specification FROM pgperf_internal.stored_runs r \
                     WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 AND r.label = $3 AND r.stored_status = 'finished') \
                 SELECT r.node_id, r.run_id, r.role FROM run m JOIN pgperf_internal.stored_runs r ON {ALIKE} AND {SPECIFICATION} = m.specification \
                 WHERE r.label = m.label ORDER BY r.requested_at, r.run_id"
            ),
            &[run.node_id.as_str().into(), run.run_id.into(), label.into()],
        )
    })
}

/// The finished runs of the same node and role with the same specification and version of the server, under the same settings;
/// without the run itself and `other`, nearest in time first. The current user must be able to read pgperf's tables.
pub fn of(run: &ExistingRun, other: &ExistingRun) -> Result<Vec<ExistingRun>> {
    spi::select(
        &format!(
            "WITH run AS MATERIALIZED ( \
                 SELECT r.*, {SPECIFICATION} AS specification, {settings} AS settings \
                 FROM pgperf_internal.stored_runs r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2) \
             SELECT r.node_id, r.run_id, r.role FROM run m JOIN pgperf_internal.stored_runs r ON {ALIKE} AND {SPECIFICATION} = m.specification \
             WHERE r.run_id NOT IN ($2, $3) AND {settings} IS NOT DISTINCT FROM m.settings \
             ORDER BY pg_catalog.abs(EXTRACT(epoch FROM r.requested_at - m.requested_at)), r.run_id DESC LIMIT {MOST}",
            settings = "(SELECT pg_catalog.string_agg(pg_catalog.concat(s.name, '=', s.setting), E'\\n' ORDER BY s.name) \
                 FROM pgperf.run_settings s WHERE s.node_id = r.node_id AND s.run_id = r.run_id)",
        ),
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            other.run_id.into(),
        ],
    )
}
