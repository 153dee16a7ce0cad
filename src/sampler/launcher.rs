//! The launcher, if pgperf is preloaded. It makes sure that the home of the server's sampler has one, visits the other databases of the
//! setting ([`Visits`]), has targets sampled ([`Supervision`]) and, after the server's start, interrupted runs resumed.

use super::targets::supervision::{LAUNCHER as NAME, Supervision};
use super::visits::Visits;
use crate::pg::process::worker::{self, WorkerStatus};
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::xact;
use crate::run::resume;
use crate::service::altered_settings;
use pgrx::pg_sys::Oid;
use std::time::Duration;

/// How often it checks that worker; its end wakes it.
const RESUMER_INTERVAL: Duration = Duration::from_millis(100);
/// Seconds until the server restarts it after an error.
const RESTART_S: i32 = 5;

/// How long it waits for a free worker slot, and for the worker that looks for interrupted runs in a database.
const RESUMER_PATIENCE_NS: u64 = 30_000_000_000;

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
    let (mut visits, mut targets) = (Visits::default(), Supervision::begin());
    let mut known = Vec::new();
    loop {
        let pause = visits.go_on().min(targets.go_on());
        let troubles = visits.troubles();
        if known != troubles && !troubles.is_empty() {
            let all = troubles.join("; ");
            server::log(&format!("{NAME}: no samples: {all}"));
        }
        known = troubles;
        latch::wait(pause);
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
