//! The start and the end of a sampler. It waits for its extension and its lock, and stops waiting at once when it is asked to
//! exit.

use super::worker::register;
use crate::guc;
use crate::pg::catalog::names;
use crate::pg::process::{clock, latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::xact;
use crate::service::as_owner::{Launch, Target};
use crate::service::starting::await_commit;
use pgrx::pg_sys::Oid;
use std::time::Duration;

/// How often it checks whether it has to exit.
pub const WATCH_INTERVAL: Duration = Duration::from_millis(500);
/// How often it reads the wanted collectors and their intervals.
pub const WANTED_INTERVAL_NS: u64 = 5_000_000_000;
/// How long it tries to get its lock: a check of the lock holds it for an instant, and a predecessor is about to exit.
const LOCK_PATIENCE_NS: u64 = 2_000_000_000;

/// When to leave.
pub struct Watch {
    /// The database, if the setting `pgperf.sampler_databases` has to name it.
    listed_as: Option<String>,
}

impl Watch {
    pub fn new(launch: &Launch) -> Watch {
        let by_session = launch.target.is_some_and(|target| target.xid.is_some());
        let name = xact::bare_transaction(|| names::database_name(u32::from(launch.database)));
        Watch {
            listed_as: name.unwrap_or(None).filter(|_| !by_session),
        }
    }

    /// Whether the server starts it, not a session.
    pub fn is_listed(&self) -> bool {
        self.listed_as.is_some()
    }

    pub fn leave_if_asked(&self) {
        if worker::cancel_requested() {
            leave("it was stopped");
        }
        if lock::database_is_being_dropped() {
            leave("the database is being dropped");
        }
        if let Some(name) = &self.listed_as
            && !guc::sampler_databases().contains(name)
        {
            leave("pgperf.sampler_databases does not name the database any more");
        }
    }
}

/// False: there is another sampler.
pub fn hold_lock() -> bool {
    let deadline = clock::now() + LOCK_PATIENCE_NS;
    while !lock::try_hold_sampler_lock() {
        if clock::now() > deadline {
            return false;
        }
        latch::wait(Duration::from_millis(10));
    }
    true
}

/// Whether the transaction that starts the sampler, if one does, has committed.
pub fn has_begun(target: &Target, watch: &Watch) -> bool {
    let stays = || {
        watch.leave_if_asked();
        true
    };
    target.xid.is_none_or(|xid| await_commit(xid, stays))
}

/// Waits until the extension is there, and registers a sampler that runs as its owner: a connection's role is for life.
pub fn await_extension(database: Oid, watch: &Watch) {
    let mut told = None;
    loop {
        let trouble = match xact::transaction(Target::find) {
            Ok(Ok(Some(target))) => {
                let launch = Launch {
                    database,
                    target: Some(target),
                };
                if register(&launch).is_some() {
                    return;
                }
                Some("no free worker slot (max_worker_processes)".to_owned())
            }
            Ok(Ok(None)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(error) => Some(error.message),
        };
        if let Some(trouble) = &trouble
            && trouble_is_new(&mut told, trouble)
        {
            server::log(&format!("pgperf sampler cannot start: {trouble}"));
        }
        latch::report_statistics(false);
        let until = clock::now() + WANTED_INTERVAL_NS;
        while clock::now() < until {
            latch::wait(WATCH_INTERVAL);
            watch.leave_if_asked();
        }
    }
}

/// Whether a problem differs from the last one logged.
pub fn trouble_is_new(told: &mut Option<String>, trouble: &str) -> bool {
    if told.as_deref() == Some(trouble) {
        return false;
    }
    *told = Some(trouble.to_owned());
    true
}

pub fn leave(why: &str) -> ! {
    server::log(&format!("pgperf sampler: leaving, {why}"));
    worker::exit()
}
