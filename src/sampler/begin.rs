//! The start and the end of a sampler: its locks, and the reasons for which it leaves.

use super::assignment::Assignment;
use crate::guc;
use crate::pg::catalog::names;
use crate::pg::process::{clock, latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::xact;
use crate::service::as_owner::Target;
use crate::service::starting::await_commit;
use std::time::Duration;

/// How often it checks whether it has to exit.
pub const WATCH_INTERVAL: Duration = Duration::from_millis(500);
/// How long it tries to get a lock: a check of the lock holds it for an instant, and a predecessor is about to exit.
const PATIENCE_NS: u64 = 2_000_000_000;
/// How long it waits for another home to leave, which may be maintaining its history.
const TAKING_OVER_NS: u64 = 12_000_000_000;

/// When to leave.
pub struct Watch {
    assignment: Assignment,
    /// The database, if the setting `pgperf.sampler_databases` has to name it.
    listed_as: Option<String>,
}

impl Watch {
    pub fn new(assignment: Assignment) -> Watch {
        let name = || names::database_name(u32::from(server::database()));
        let listed_as = match assignment.is_listed() {
            true => xact::bare_transaction(name).unwrap_or(None),
            false => None,
        };
        Watch {
            assignment,
            listed_as,
        }
    }

    pub fn assignment(&self) -> Assignment {
        self.assignment
    }

    /// Whether it stays in its database.
    pub fn stays(&self) -> bool {
        matches!(
            self.assignment,
            Assignment::Stay | Assignment::Home { .. } | Assignment::Targets
        )
    }

    /// The CPU time that it may take, as a part of one CPU.
    pub fn budget(&self) -> f64 {
        let databases = guc::sampler_databases().len();
        guc::sampler_budget() * self.assignment.share(databases)
    }

    pub fn leave_if_asked(&self) {
        if let Some(why) = self.reason_to_leave().or_else(|| self.successor()) {
            leave(why);
        }
    }

    fn reason_to_leave(&self) -> Option<&'static str> {
        if worker::cancel_requested() {
            return Some("it was stopped");
        }
        if lock::database_is_being_dropped() {
            return Some("the database is being dropped");
        }
        if !self.stays() && lock::database_is_being_copied() {
            return Some("the database is being copied");
        }
        if let Some(name) = &self.listed_as
            && !guc::sampler_databases().contains(name)
        {
            return Some("pgperf.sampler_databases does not name the database any more");
        }
        None
    }

    /// What takes its place.
    fn successor(&self) -> Option<&'static str> {
        match self.assignment {
            Assignment::Home { .. } if lock::home_is_asked_for() => {
                Some("another database is the home now")
            }
            Assignment::Visit { .. } if lock::sampler_lives(server::database()) => {
                Some("the database has a sampler that stays")
            }
            _ => None,
        }
    }

    /// Takes the locks that show what it is; false: another process has one of them.
    pub fn hold_locks(&self) -> bool {
        match self.assignment {
            Assignment::Stay => self.hold(lock::try_hold_sampler_lock, PATIENCE_NS),
            // In this order: the launcher takes it for the home as soon as it has the sampler's lock.
            Assignment::Home { .. } => {
                self.hold_home_lock() && self.hold(lock::try_hold_sampler_lock, PATIENCE_NS)
            }
            Assignment::Find { .. } | Assignment::Visit { .. } => {
                self.hold(lock::try_hold_visit_lock, PATIENCE_NS)
            }
            Assignment::Targets => self.hold(lock::try_hold_target_sampler_lock, PATIENCE_NS),
            Assignment::FindTargets => true,
        }
    }

    /// Another home is asked to leave.
    fn hold_home_lock(&self) -> bool {
        if lock::try_hold_home_lock() {
            return true;
        }
        let asked = self.hold(lock::try_ask_for_home, PATIENCE_NS);
        let held = asked && self.hold(lock::try_hold_home_lock, TAKING_OVER_NS);
        if asked {
            lock::stop_asking_for_home();
        }
        held
    }

    fn hold(&self, try_hold: impl Fn() -> bool, patience_ns: u64) -> bool {
        let deadline = clock::now() + patience_ns;
        while !try_hold() {
            if clock::now() > deadline {
                return false;
            }
            latch::wait(Duration::from_millis(10));
            if let Some(why) = self.reason_to_leave() {
                leave(why);
            }
        }
        true
    }
}

/// Whether the transaction that starts the sampler, if one does, has committed.
pub fn has_begun(target: &Target, watch: &Watch) -> bool {
    let stays = || {
        watch.leave_if_asked();
        true
    };
    target.xid.is_none_or(|xid| await_commit(xid, stays))
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
