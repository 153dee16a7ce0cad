//! The data that the leader of a run with `resume` stores so that another may continue.

use super::state::{Carried, Details};
use crate::catalog::node;
use crate::error::Result;
use crate::pg::server;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use crate::run::record::run_row::StoredRun;
use pgrx::pg_sys::Oid;

/// How often the details are stored, at most: they take some kilobytes per command.
pub const DETAILS_INTERVAL_NS: u64 = 10_000_000_000;

/// Creates the row of a resumable run, together with the run's own.
pub fn make_point(node_id: &str, run_id: i64, role: Oid) -> Result<()> {
    spi::execute(
        "INSERT INTO pgperf_internal.resume_points (node_id, run_id, place, role_oid) VALUES ($1::pg_catalog.uuid, $2, $3, $4)",
        &[
            node_id.into(),
            run_id.into(),
            node::place().into(),
            role.into(),
        ],
    )?;
    Ok(())
}

/// Stores that a segment begins: from now on the run no longer starts from its beginning.
pub fn begin_segment(run: &StoredRun) -> Result<()> {
    let now = server::timestamp_text(server::timestamp_now());
    spi::execute(
        "INSERT INTO pgperf_internal.stored_segments \
            (node_id, run_id, segment_no, started_at, first_interval_no, server_started_at) \
         VALUES ($1::pg_catalog.uuid, $2, $3, $4::pg_catalog.timestamptz, $5, \
            pg_catalog.pg_postmaster_start_time())",
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            (run.carried.segments as i32).into(),
            now.as_str().into(),
            run.carried.intervals.into(),
        ],
    )?;
    let begun = Carried {
        segments: run.carried.segments + 1,
        ..run.carried.clone()
    };
    keep(run, &begun)
}

/// Stores the sums of the run. As long as that happens, its segments are not futile attempts.
pub fn keep(run: &StoredRun, state: &Carried) -> Result<()> {
    spi::execute(
        "UPDATE pgperf_internal.resume_points SET state = $3, \
            tries = CASE WHEN $4 > coalesce((state ->> 'intervals')::pg_catalog.int4, 0) THEN 0 ELSE tries END \
         WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            Json(serde_json::to_value(state)?).into(),
            state.intervals.into(),
        ],
    )?;
    Ok(())
}

/// Stores the details.
pub fn keep_details(run: &StoredRun, details: &Details) -> Result<()> {
    spi::execute(
        "UPDATE pgperf_internal.resume_points SET details = $3 \
         WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            Json(serde_json::to_value(details)?).into(),
        ],
    )?;
    Ok(())
}

/// Records in the row of a run that stays interrupted why it is not resumed.
pub fn tell(node_id: &str, run_id: i64, sqlstate: &str, message: &str) -> Result<()> {
    spi::execute(
        "UPDATE pgperf_internal.stored_runs SET sqlstate = $3, error = $4 \
          WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 \
            AND stored_status NOT IN ('finished', 'stopped', 'failed')",
        &[
            node_id.into(),
            run_id.into(),
            sqlstate.into(),
            message.into(),
        ],
    )?;
    Ok(())
}

/// A run that has ended no longer needs any of that.
pub fn forget(node_id: &str, run_id: i64) -> Result<()> {
    spi::execute(
        "DELETE FROM pgperf_internal.resume_points WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[node_id.into(), run_id.into()],
    )?;
    Ok(())
}
