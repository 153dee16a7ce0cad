//! Restarts of the server between two points. A sweep writes the values of its settings, reports that the server needs a
//! restart, and its worker exits. The table `sweep_restarts` has the values that it waits for. After the restart another
//! worker continues with the same point. If the server does not have these values, it continues with the next point.

use super::server_settings;
use super::tables::{Outcome, Step, Stored, texts};
use crate::catalog::node;
use crate::error::{Result, failure};
use crate::guc;
use crate::pg::catalog::role;
use crate::pg::process::lock;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use crate::pg::sql::text::Json;
use crate::run::caches;
use crate::service::altered_settings::LAST_RESTART;
use crate::service::guards::{self, Failed, Failure};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
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

/// The command that restarts the server, where there is one, and somebody who lets the sweep go on after it.
pub fn command() -> Option<String> {
    guc::restart_command().filter(|_| is_preloaded())
}

/// Fails where a command would restart the server, and nobody would let the sweep go on, or where it would not start it again.
pub fn check_command() -> Result<()> {
    let Some(command) = guc::restart_command() else {
        return Ok(());
    };
    let refused = |message: &str, hint: &str| {
        failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            message,
        )
        .hinting(hint)
    };
    if !is_preloaded() {
        return Err(refused(
            "pgperf.restart_command needs pgperf in shared_preload_libraries",
            "After a restart the preloaded library resumes the sweep. Preload it, or empty pgperf.restart_command: then \
             the sweep waits until somebody has restarted the server.",
        ));
    }
    match relative_directory(&command, &server::started_with()) {
        Some(directory) => Err(refused(
            &format!(
                "pgperf.restart_command would not start the server again: it was started with the relative data directory \"{directory}\""
            ),
            "pg_ctl restart repeats the arguments of the start. Stop the server, and start it once with the whole path after -D.",
        )),
        None => Ok(()),
    }
}

/// The data directory with which pg_ctl would not start the server again: it repeats the server's arguments, from another directory.
fn relative_directory(command: &str, arguments: &[String]) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = command.split(|c| !is_word(c)).collect();
    let has = |word: &str| words.contains(&word);
    let place = arguments.iter().rposition(|it| it.starts_with("-D"))?;
    let directory = match arguments[place].strip_prefix("-D") {
        Some("") | None => arguments.get(place + 1)?,
        Some(directory) => directory,
    };
    let repeats = has("pg_ctl") && has("restart") && !has("cd");
    (repeats && !directory.starts_with('/')).then(|| directory.to_owned())
}

fn is_preloaded() -> bool {
    setting::text("shared_preload_libraries").is_some_and(|list| list.contains("pgperf"))
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

/// The sweep waits for nothing any more. The restart after which the server has again what it had before the sweep stays due.
pub fn give_up(node_id: &str, sweep_id: i64) -> Result<()> {
    // What follows is written to a file, which outlives a crash.
    setting::for_transaction("synchronous_commit", "local");
    role::as_owner(|| {
        spi::execute(
            "DELETE FROM pgperf_internal.sweep_restarts \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND settings IS NOT NULL AND in_force IS NULL",
            &[node_id.into(), sweep_id.into()],
        )?;
        spi::execute(
            "UPDATE pgperf_internal.sweep_restarts SET settings = NULL, reason = $3 \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND settings IS NOT NULL",
            &[node_id.into(), sweep_id.into(), LAST_RESTART.into()],
        )
    })?;
    Ok(())
}

/// The sweep goes on, and remembers for itself what it has changed.
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

/// Lets the guards of this database leave, unless a sweep goes on or waits; after one more restart, if what a sweep has found is not
/// in force without it.
pub fn release_guards() -> Result<()> {
    let needed = lock::any_sweep_lives() || waiting(true)?.is_some() || waiting(false)?.is_some();
    if !needed && guards::are_of_database() {
        let restarts = command().is_some() && is_last_due(None)?;
        if !restarts || guards::request().is_err() {
            guards::end_of_database();
        }
    }
    Ok(())
}

/// What has become of restarts so far.
#[derive(Debug, Default)]
pub struct Restarted {
    /// The settings that the server was just restarted for, or was to be.
    pub settings: Option<Map<String, Value>>,
    /// Why it has not got them.
    pub failure: Option<Failure>,
    /// Why nobody could restart it now.
    pub unguarded: Option<String>,
}

/// Gives the server the values of a point that need a restart, and says whether it has them. In a transaction.
pub fn prepare(stored: &Stored, step: &Step, restarted: &Restarted) -> Result<Ready> {
    let wanted = step.restart_settings(&stored.spec);
    if let Some(error) = failed_before(stored, &wanted)? {
        return Ok(Ready::Never(Outcome::failed(NOT_TAKEN, &error)));
    }
    let values = texts(&wanted);
    let restarted_for_it =
        restarted.settings.as_ref() == Some(&wanted) && restarted.failure.is_none();
    let may_run = restarted_for_it || !needs_restart_each(step)?;
    if may_run && are_in_force(&values)? {
        return Ok(Ready::Yes);
    }
    let never = |error: String| Ok(Ready::Never(Outcome::failed(NOT_TAKEN, &error)));
    if restarted.settings.as_ref() == Some(&wanted) {
        return never(not_taken(&values, restarted.failure.as_ref()));
    }
    if let Some(why) = &restarted.unguarded {
        return never(format!("the guards of the restarts do not run: {why}"));
    }
    server_settings::write(&values);
    Ok(match may_run && are_in_force(&values)? {
        true => Ready::Yes,
        false => Ready::AfterRestart { settings: wanted },
    })
}

/// Whether only a restart gives each run of the point the caches that it asks for, and a command makes it.
fn needs_restart_each(step: &Step) -> Result<bool> {
    Ok(command().is_some() && step.starts_cold() && caches::eviction()?.is_err())
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

fn not_taken(values: &[(String, String)], failure: Option<&Failure>) -> String {
    if let Some(Failure { what, why }) = failure {
        let listed = listed(values);
        let what = match what {
            Failed::Start => format!("the server did not start with {listed}"),
            Failed::Command => {
                format!("pgperf.restart_command did not restart the server for {listed}")
            }
            Failed::Sweep => format!(
                "the server started with {listed}, but the sweep did not go on; its log may say why"
            ),
        };
        return match why.as_str() {
            "" => what,
            why => format!("{what}: {why}"),
        };
    }
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

/// Stores that the sweep waits for a restart; returns what is to be done. No settings: the last one, with those that it has found. `alone`:
/// nobody has to do anything. In a transaction.
pub fn wait_for_restart(
    stored: &Stored,
    settings: &Map<String, Value>,
    alone: bool,
) -> Result<String> {
    let values = texts(settings);
    let reason = match settings.is_empty() {
        true => "restart of the server with the settings that the sweep has found".to_owned(),
        false if alone => format!("restart of the server for {}", listed(&values)),
        false => demand(stored.sweep_id, &values),
    };
    store_wait(stored, Some(settings), &reason)?;
    Ok(reason)
}

/// What somebody has to do.
fn demand(sweep_id: i64, values: &[(String, String)]) -> String {
    let then = match is_preloaded() {
        true => String::new(),
        false => format!(", and then go on with SELECT pgperf.resume_sweep({sweep_id})"),
    };
    format!(
        "restart the server for {}{then}. If it does not start, restore what postgresql.auto.conf had before, and start it again: then these \
         runs fail, and the sweep goes on",
        listed(values)
    )
}

/// Whether the settings that the sweep has found are in force only after one more restart.
pub fn last_is_due(stored: &Stored) -> Result<bool> {
    is_last_due(Some(stored.sweep_id))
}

/// The same of any sweep of this node.
fn is_last_due(sweep_id: Option<i64>) -> Result<bool> {
    role::as_owner(|| {
        let Some(node) = node::known()? else {
            return Ok(false);
        };
        spi::holds(
            "EXISTS (SELECT FROM pgperf_internal.sweep_restarts \
                      WHERE node_id = $1::pg_catalog.uuid AND sweep_id = coalesce($2, sweep_id) AND settings IS NULL \
                        AND server_started_at = pg_catalog.pg_postmaster_start_time())",
            &[node.into(), sweep_id.into()],
        )
    })
}

/// The sweep does not wait for the last restart any more: it is for somebody else. In a transaction.
pub fn leave_last(stored: &Stored) -> Result<()> {
    store_wait(stored, None, LAST_RESTART)
}

fn store_wait(stored: &Stored, settings: Option<&Map<String, Value>>, reason: &str) -> Result<()> {
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
                settings.map(|it| Json(Value::Object(it.clone()))).into(),
                reason.into(),
            ],
        )
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::relative_directory;

    #[test]
    fn pg_ctl_repeats_the_arguments_of_the_server() {
        let found = |command: &str, arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
            relative_directory(command, &arguments)
        };
        let pg_ctl = "/usr/lib/postgresql/15/bin/pg_ctl restart -D /data";
        assert_eq!(found(pg_ctl, &["-D", "data"]).as_deref(), Some("data"));
        assert_eq!(found(pg_ctl, &["-Ddata"]).as_deref(), Some("data"));
        // The last one counts.
        assert_eq!(found(pg_ctl, &["-D", "data", "-D", "/data"]), None);
        assert_eq!(found(pg_ctl, &["-c", "port=5433"]), None);
        assert_eq!(
            found("pg_ctlcluster 15 main restart", &["-D", "data"]),
            None
        );
        let anew = "pg_ctl stop -D /data && pg_ctl start -D /data";
        assert_eq!(found(anew, &["-D", "data"]), None);
        let there = "cd / && pg_ctl restart -D data";
        assert_eq!(found(there, &["-D", "data"]), None);
        assert_eq!(found("systemctl restart postgresql", &["-D", "data"]), None);
    }
}
