//! What the launcher does for samplers of targets: it starts them with the server, and again where one ended that still has targets.
//!
//! Only in a database is it known whether it has targets, and who owns the extension. So a worker looks, and starts the sampler as the
//! owner: a connection's role is for life.

use super::super::assignment::Assignment;
use super::super::begin::Watch;
use super::list;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::process::worker::{Worker, WorkerStatus};
use crate::pg::process::{clock, latch, lock};
use crate::pg::server::sessions::worker_kind;
use crate::pg::server::{self, activity};
use crate::pg::sql::xact;
use crate::service::as_owner::{Launch, Target};
use pgrx::pg_sys::Oid;
use std::collections::VecDeque;
use std::time::Duration;

/// How often it looks whether samplers of targets have ended; one that has is started again.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// How long a worker tries to find a free slot for the sampler, and how often.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// The name that the launcher has in pg_stat_activity.
pub const LAUNCHER: &str = "pgperf launcher";

pub struct Supervision {
    /// The databases with a sampler of targets, since somebody looked for those that have ended.
    living: Vec<Oid>,
    /// Databases in which somebody has to look.
    unknown: VecDeque<Oid>,
    /// Who looks.
    looking: Option<Worker>,
    looked_at: Option<u64>,
}

impl Supervision {
    /// At the launcher's start: all databases have to be looked at.
    pub fn begin() -> Supervision {
        Supervision {
            living: Vec::new(),
            unknown: databases().unwrap_or_default().into(),
            looking: None,
            looked_at: None,
        }
    }

    /// Starts what has to be started now; returns how long there is nothing to do, unless a worker's end wakes the launcher.
    pub fn go_on(&mut self) -> Duration {
        let has_ended = |worker: &mut Worker| worker.status() == WorkerStatus::Stopped;
        if let Some(worker) = self.looking.take_if(has_ended) {
            worker.forget();
        }
        self.look();
        if self.looking.is_none()
            && let Some(&database) = self.unknown.front()
        {
            let target = None;
            self.looking = Assignment::FindTargets.register(&Launch { database, target });
            if self.looking.is_some() {
                self.unknown.pop_front();
            }
        }
        match self.living.is_empty() && self.unknown.is_empty() && self.looking.is_none() {
            true => Duration::MAX,
            false => LOOK_INTERVAL,
        }
    }

    /// Which of them live, and which have ended.
    fn look(&mut self) {
        let Some(databases) = databases() else {
            return;
        };
        let lives = |database: &Oid| lock::target_sampler_lives(*database);
        let (living, others): (Vec<Oid>, Vec<Oid>) = databases.into_iter().partition(lives);
        let now = clock::now();
        let is_due = |at| now >= at + LOOK_INTERVAL.as_nanos() as u64;
        if self.looked_at.is_none_or(is_due) {
            self.looked_at = Some(now);
            let before = std::mem::take(&mut self.living);
            let has_ended = |database: &Oid| before.contains(database);
            self.unknown.extend(others.into_iter().filter(has_ended));
        }
        let is_new = |database: &Oid| !self.living.contains(database);
        let new: Vec<Oid> = living.into_iter().filter(is_new).collect();
        self.living.extend(new);
    }
}

fn databases() -> Option<Vec<Oid>> {
    xact::bare_transaction(server::connectable_databases).ok()
}

/// Has the launcher notice that there is a sampler of targets.
pub fn wake_launcher() {
    let is_launcher = |pid: &i32| worker_kind(*pid).as_deref() == Some(LAUNCHER);
    let launcher = activity::read(|process| Some(process.st_procpid).filter(is_launcher));
    for number in launcher.into_iter().filter_map(latch::proc_number) {
        latch::wake(number);
    }
}

/// Starts the sampler of this database's targets, if there are any, as soon as there is a free worker slot.
pub fn find(database: Oid, watch: &Watch) {
    let target = match xact::transaction(find_owner) {
        Ok(Ok(Some(target))) => target,
        Ok(Ok(None)) => return,
        Ok(Err(error)) => return log(&error.to_string()),
        Err(error) => return log(&error.message),
    };
    let launch = Launch {
        database,
        target: Some(target),
    };
    let mut was_told = false;
    while !lock::target_sampler_lives(database) && Assignment::Targets.register(&launch).is_none() {
        if !was_told {
            log("no free worker slot (max_worker_processes)");
        }
        was_told = true;
        latch::wait(RETRY_INTERVAL);
        watch.leave_if_asked();
    }
}

/// The extension and its owner, if there are targets to sample.
fn find_owner() -> Result<Option<Target>> {
    match Target::find()? {
        Some(target) if !role::as_owner(list::read)?.is_empty() => Ok(Some(target)),
        _ => Ok(None),
    }
}

fn log(trouble: &str) {
    server::log(&format!("pgperf sampler: cannot sample targets: {trouble}"));
}
