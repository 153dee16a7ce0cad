//! The launcher, if pgperf is preloaded. It makes sure that every database of the setting has a sampler and, after the
//! server's start, that interrupted runs are resumed.
//!
//! It keeps no state: a database whose sampler's lock is free gets one. So a sampler that ended by a crash or an error is
//! started again, and changes of the list take effect. A database that was dropped and created again gets one, too.

use super::worker as sampler;
use crate::guc;
use crate::pg::process::worker::{self, WorkerStatus};
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::xact;
use crate::run::resume;
use crate::service::altered_settings;
use crate::service::as_owner::Launch;
use pgrx::pg_sys::Oid;
use std::time::Duration;

/// How often it checks. Also how soon a failing sampler is tried again.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// With nothing to check it waits for a reload.
const FOR_A_RELOAD: Duration = Duration::from_secs(3600);
/// How often it checks that worker; its end wakes it.
const RESUMER_INTERVAL: Duration = Duration::from_millis(100);
/// Seconds until the server restarts it after an error.
const RESTART_S: i32 = 5;

/// How long it waits for a free worker slot, and for the worker that looks for interrupted runs in a database.
const RESUMER_PATIENCE_NS: u64 = 30_000_000_000;

const NAME: &str = "pgperf launcher";

/// Makes the server start it, while it loads its libraries.
pub fn register() {
    worker::register_static(NAME, "pgperf_launcher_main", RESTART_S);
}

/// The main function of the worker.
pub fn main() {
    worker::start_without_database();
    // Where this fails, it goes without.
    let _ = xact::bare_transaction(|| setting::set("application_name", NAME));
    latch::report_idle();
    resume_runs();
    let mut told = Vec::new();
    loop {
        let databases = guc::sampler_databases();
        let troubles: Vec<String> = databases
            .iter()
            .filter_map(|name| start_where_missing(name).err())
            .collect();
        if told != troubles && !troubles.is_empty() {
            let all = troubles.join("; ");
            server::log(&format!("{NAME}: cannot start a sampler: {all}"));
        }
        told = troubles;
        if databases.is_empty() {
            latch::wait(FOR_A_RELOAD);
        } else {
            // Whatever wakes it: the end of a sampler must not start the next at once, time after time.
            latch::sleep(LOOK_INTERVAL, || guc::sampler_databases() != databases);
        }
    }
}

/// Sends a worker to one database after the other: only there is it known whether runs were interrupted.
fn resume_runs() {
    let databases = xact::bare_transaction(server::connectable_databases);
    for database in databases.unwrap_or_default() {
        if !look_for_runs(database) {
            server::log(&format!(
                "{NAME}: cannot look for interrupted runs in database with OID {}",
                u32::from(database)
            ));
        }
    }
    // Databases that are gone have nobody to do it.
    let put_back = xact::bare_transaction(altered_settings::put_back_lost);
    if let Ok(Err(error)) = put_back {
        server::log(&format!("{NAME}: cannot put back settings: {error}"));
    }
}

/// Whether the worker for that has finished.
fn look_for_runs(database: Oid) -> bool {
    let until = clock::now() + RESUMER_PATIENCE_NS;
    let mut worker = None;
    while clock::now() < until {
        worker = worker.or_else(|| resume::worker::register(database, None));
        if let Some(resumer) = worker.take_if(|resumer| resumer.status() == WorkerStatus::Stopped) {
            resumer.forget();
            return true;
        }
        latch::wait(RESUMER_INTERVAL);
    }
    false
}

/// Starts a sampler unless there is one; otherwise returns the obstacle.
fn start_where_missing(name: &str) -> Result<(), String> {
    let database = xact::bare_transaction(|| server::connectable_database(name));
    let database = database.map_err(|error| error.message)?;
    let database = database
        .ok_or_else(|| format!("database \"{name}\" does not exist, or accepts no connections"))?;
    if lock::sampler_lives(database) {
        return Ok(());
    }
    let launch = Launch {
        database,
        target: None,
    };
    let sampler = sampler::register(&launch);
    let sampler = sampler.ok_or_else(|| "no free worker slot (max_worker_processes)".to_owned())?;
    sampler.forget();
    Ok(())
}
