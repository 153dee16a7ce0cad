//! The resumer: a worker that continues interrupted work after the server's start. If pgperf is preloaded, the launcher
//! starts one in each database. It restores the settings that an interrupted sweep has changed, resumes the runs that the end
//! of the server interrupted, continues a sweep that was waiting for the restart, and exits.

use super::points::tell;
use super::start::{By, resume};
use crate::catalog::node;
use crate::catalog::runs::ExistingRun;
use crate::error::Result;
use crate::pg::error::SqlError;
use crate::pg::process::worker::{self, Worker};
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use crate::service::altered_settings::{self, Pause};
use crate::service::as_owner::{Launch, Target};
use crate::service::store::{LOCK_NOT_AVAILABLE, Unstored, store};
use pgrx::pg_sys::Oid;
use std::time::Duration;

const NAME: &str = "pgperf resumer";
/// How long it retries if resuming is impossible now: other workers start with the server, too.
const PATIENCE_NS: u64 = 15_000_000_000;
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Starts a resumer for a database; None if there is no free worker slot.
pub fn register(database: Oid, target: Option<Target>) -> Option<Worker> {
    let launch = Launch { database, target };
    worker::register(NAME, NAME, "pgperf_resumer_main", &launch.encode())
}

/// The main function of the worker. A connection's role is for life: the first one only looks for the extension, and
/// hands over to one that runs as its owner. `sweeps` resumes those that have waited for the restart.
pub fn main(sweeps: fn() -> Result<()>) {
    match Launch::begin(NAME) {
        Some(Launch {
            database,
            target: None,
        }) => hand_over(database),
        Some(Launch {
            target: Some(target),
            ..
        }) => resume_all(target.extension, sweeps),
        None => {}
    }
}

fn hand_over(database: Oid) {
    let target = match xact::transaction(Target::find) {
        Ok(Ok(Some(target))) => target,
        Ok(Ok(None)) => return put_back_lost(),
        Ok(Err(error)) => return log(&error.to_string()),
        Err(error) => return log(&error.message),
    };
    let until = clock::now() + PATIENCE_NS;
    while register(database, Some(target)).is_none() {
        if clock::now() > until {
            return log("no free worker slot (max_worker_processes)");
        }
        latch::wait(RETRY_INTERVAL);
    }
}

/// The extension of a sweep that has waited for the restart may be gone.
fn put_back_lost() {
    let put_back = xact::transaction(altered_settings::put_back_lost);
    if let Err(error) = put_back
        .map_err(|error| error.message)
        .and_then(|done| done.map_err(|error| error.to_string()))
    {
        log_settings(&error);
    }
}

fn log_settings(trouble: &str) {
    server::log(&format!("{NAME}: cannot put back settings: {trouble}"));
}

fn log(trouble: &str) {
    server::log(&format!(
        "{NAME}: cannot look for interrupted runs: {trouble}"
    ));
}

/// Resumes the runs; one that cannot be resumed gets the reason in its row.
fn resume_all(extension: Oid, sweeps: fn() -> Result<()>) {
    // Before a run goes on: settings that a sweep has left changed.
    let mut again = put_back(extension);
    let runs = match persistently(extension, interrupted) {
        Ok(runs) => runs,
        Err(error) => return log(&error.message),
    };
    for run in runs {
        let run_id = run.run_id;
        match persistently(extension, || resume(&run, By::Server)) {
            Ok(()) => server::log(&format!("pgperf run {run_id}: resumed")),
            Err(error) => {
                let message = &error.message;
                server::log(&format!("pgperf run {run_id} is not resumed: {message}"));
                // If that fails too, the log has it.
                let _ = persistently(extension, || {
                    tell(&run.node_id, run_id, &error.sqlstate, message)
                });
            }
        }
    }
    if let Err(error) = persistently(extension, sweeps) {
        server::log(&format!("{NAME}: cannot resume a sweep: {}", error.message));
    }
    // As long as it takes: on a full disk the server cannot write its configuration.
    let mut pause = Pause::default();
    while again {
        let until = clock::now() + pause.next().as_nanos() as u64;
        while clock::now() < until {
            latch::wait(RETRY_INTERVAL);
            if worker::cancel_requested() || lock::database_is_being_dropped() {
                return;
            }
        }
        again = put_back(extension);
    }
}

/// Puts back what sweeps and runs have left changed; whether it is to be tried again.
fn put_back(extension: Oid) -> bool {
    match persistently(extension, altered_settings::put_back) {
        Ok(left) => left.may_pass(),
        Err(error) => {
            log_settings(&error.message);
            may_pass(&error)
        }
    }
}

/// Whether something may be possible a while later.
fn may_pass(error: &SqlError) -> bool {
    error.sqlstate.starts_with("53") || error.sqlstate == LOCK_NOT_AVAILABLE
}

/// The runs of this node that have not ended and have no leader.
fn interrupted() -> Result<Vec<ExistingRun>> {
    // If this server has no node yet, none of the runs are its own: they came with a dump or pg_upgrade.
    let Some(node) = node::known()? else {
        return Ok(Vec::new());
    };
    let runs: Vec<ExistingRun> = spi::select(
        "SELECT r.node_id, r.run_id, r.role \
           FROM pgperf_internal.stored_runs r JOIN pgperf_internal.resume_points p USING (node_id, run_id) \
          WHERE node_id = $1::pg_catalog.uuid AND r.origin_node_id IS NULL \
            AND r.stored_status NOT IN ('finished', 'stopped', 'failed') ORDER BY run_id",
        &[node.into()],
    )?;
    let gone = |run: &ExistingRun| !lock::leader_lives(run.run_id);
    Ok(runs.into_iter().filter(gone).collect())
}

/// Runs `body` in a transaction, again and again for a while if the extension is locked or resources are missing.
fn persistently<T>(
    extension: Oid,
    body: impl Fn() -> Result<T>,
) -> std::result::Result<T, SqlError> {
    let until = clock::now() + PATIENCE_NS;
    loop {
        let error = match store(extension, &body) {
            Ok(value) => return Ok(value),
            Err(Unstored::Gone) => {
                put_back_lost();
                worker::exit()
            }
            Err(Unstored::Busy) => SqlError::new(LOCK_NOT_AVAILABLE, "the extension is locked"),
            Err(Unstored::Failed(error)) => error,
        };
        if !may_pass(&error) || clock::now() > until || worker::cancel_requested() {
            return Err(error);
        }
        latch::wait(RETRY_INTERVAL);
    }
}
