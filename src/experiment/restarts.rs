//! Restarts of the server between two points: a sweep gives settings their values, says that the server has to be restarted, and its
//! worker leaves. What it waits for is in the table `sweep_restarts`. After the restart another worker goes on with the same point, or,
//! where the server has not got its values, with the next one.

use super::server_settings;
use super::tables::{Outcome, Step, Stored, texts};
use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The SQLSTATE of a point whose values the server does not have after a restart: config_file_error.
const NOT_TAKEN: &str = "F0000";

/// What a sweep waits for.
#[derive(Debug, Deserialize)]
pub struct Awaited {
    pub settings: Map<String, Value>,
    /// Whether the server has been restarted since.
    pub restarted: bool,
}

/// Whether a point can be run.
pub enum Ready {
    Yes,
    /// Not before a restart.
    AfterRestart {
        settings: Map<String, Value>,
    },
    /// Not at all.
    Never(Outcome),
}

/// What this sweep waits for; None: for no restart.
pub fn awaited(stored: &Stored) -> Result<Option<Awaited>> {
    role::as_owner(|| {
        spi::select_one(
            "SELECT settings, server_started_at <> pg_catalog.pg_postmaster_start_time() AS restarted \
               FROM pgperf_internal.sweep_restarts \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND settings IS NOT NULL",
            &[stored.node_id.as_str().into(), stored.sweep_id.into()],
        )
    })
}

/// The newest sweep of this node that waits for a restart; `restarted`: that has waited for the one that was.
pub fn waiting(restarted: bool) -> Result<Option<i64>> {
    #[derive(Deserialize)]
    struct Waiting {
        sweep_id: i64,
    }
    let Some(node) = node::known()? else {
        return Ok(None);
    };
    let waiting: Option<Waiting> = role::as_owner(|| {
        spi::select_one(
            "SELECT sweep_id FROM pgperf_internal.sweep_restarts \
              WHERE node_id = $1::pg_catalog.uuid AND settings IS NOT NULL \
                AND (server_started_at <> pg_catalog.pg_postmaster_start_time()) = $2 \
              ORDER BY sweep_id DESC LIMIT 1",
            &[node.into(), restarted.into()],
        )
    })?;
    Ok(waiting.map(|waiting| waiting.sweep_id))
}

/// Why the server has to be restarted for a sweep, if it has to.
pub fn reason(node_id: &str, sweep_id: i64) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Reason {
        reason: String,
    }
    let reason: Option<Reason> = role::as_owner(|| {
        spi::select_one(
            "SELECT reason FROM pgperf_internal.sweep_restarts \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 \
                AND server_started_at = pg_catalog.pg_postmaster_start_time()",
            &[node_id.into(), sweep_id.into()],
        )
    })?;
    Ok(reason.map(|reason| reason.reason))
}

/// From now on the sweep waits for nothing.
pub fn forget(node_id: &str, sweep_id: i64) -> Result<()> {
    // What follows is written to a file, which outlives a crash.
    setting::for_transaction("synchronous_commit", "local");
    role::as_owner(|| {
        spi::execute(
            "DELETE FROM pgperf_internal.sweep_restarts WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
            &[node_id.into(), sweep_id.into()],
        )
    })?;
    Ok(())
}

/// Gives the server the values of a point that need a restart, and says whether it has them. `restarted_for`: what the server was
/// just restarted for. In a transaction.
pub fn prepare(
    stored: &Stored,
    step: &Step,
    restarted_for: Option<&Map<String, Value>>,
) -> Result<Ready> {
    let wanted = step.restart_settings(&stored.spec);
    if let Some(error) = failed_before(stored, &wanted)? {
        return Ok(Ready::Never(Outcome::failed(NOT_TAKEN, &error)));
    }
    let values = texts(&wanted);
    if are_in_force(&values)? {
        return Ok(Ready::Yes);
    }
    if restarted_for == Some(&wanted) {
        let error = not_taken(&values);
        return Ok(Ready::Never(Outcome::failed(NOT_TAKEN, &error)));
    }
    server_settings::write(&values);
    Ok(match are_in_force(&values)? {
        true => Ready::Yes,
        false => Ready::AfterRestart { settings: wanted },
    })
}

fn are_in_force(values: &[(String, String)]) -> Result<bool> {
    for (name, value) in values {
        if !server_settings::is_in_force(name, value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The error of an earlier attempt at these values, since the sweep was started or resumed: they are not tried again.
fn failed_before(stored: &Stored, wanted: &Map<String, Value>) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Failed {
        error: String,
    }
    let failed: Option<Failed> = role::as_owner(|| {
        spi::select_one(
            "SELECT a.error FROM pgperf_internal.sweep_attempts a \
               JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id) \
               JOIN pgperf_internal.stored_sweep_points p USING (node_id, sweep_id, point_no) \
              WHERE a.node_id = $1::pg_catalog.uuid AND a.sweep_id = $2 AND a.sqlstate = $3 AND a.run_id IS NULL \
                AND a.started_at >= coalesce(s.resumed_at, s.requested_at) \
                AND p.settings OPERATOR(pg_catalog.@>) $4 LIMIT 1",
            &[
                stored.node_id.as_str().into(),
                stored.sweep_id.into(),
                NOT_TAKEN.into(),
                Json(Value::Object(wanted.clone())).into(),
            ],
        )
    })?;
    Ok(failed.map(|failed| failed.error))
}

fn not_taken(values: &[(String, String)]) -> String {
    let has = |(name, _): &(String, String)| {
        format!("{name}={}", setting::text(name).unwrap_or_default())
    };
    let has: Vec<String> = values.iter().map(has).collect();
    format!(
        "the server was restarted without {}: it has {}; its log may say why",
        listed(values),
        has.join(", ")
    )
}

fn listed(values: &[(String, String)]) -> String {
    let values: Vec<String> = (values.iter())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    values.join(", ")
}

/// Stores that the sweep waits for a restart; returns what is to be done. In a transaction.
pub fn wait_for_restart(stored: &Stored, settings: &Map<String, Value>) -> Result<String> {
    let values = texts(settings);
    let then = match setting::text("shared_preload_libraries") {
        Some(libraries) if libraries.contains("pgperf") => String::new(),
        _ => format!(
            ", and then go on with SELECT pgperf.resume_sweep({})",
            stored.sweep_id
        ),
    };
    let reason = format!(
        "restart the server for {}{then}. If it does not start, restore its line in postgresql.auto.conf, and start it again: then these \
         runs fail, and the sweep goes on",
        listed(&values)
    );
    // The file outlives a crash, so this has to as well.
    setting::for_transaction("synchronous_commit", "local");
    role::as_owner(|| {
        spi::execute(
            "INSERT INTO pgperf_internal.sweep_restarts (node_id, sweep_id, settings, reason) VALUES ($1::pg_catalog.uuid, $2, $3, $4) \
             ON CONFLICT (node_id, sweep_id) DO UPDATE \
                SET server_started_at = DEFAULT, settings = excluded.settings, reason = excluded.reason",
            &[
                stored.node_id.as_str().into(),
                stored.sweep_id.into(),
                Json(Value::Object(settings.clone())).into(),
                reason.as_str().into(),
            ],
        )
    })?;
    Ok(reason)
}
