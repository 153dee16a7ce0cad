//! The launcher's work on samplers: the home of the server's sampler gets one that stays, and each other database of the setting is visited
//! when something is due there. A worker is started only where no other of these is being started or under way, so two at most live at
//! a time, and none waits for a slot while it has one.
//!
//! What is known of databases is lost with the launcher. Its successor finds a sampler that stays by its lock, and looks at each other
//! database again.

use super::assignment::Assignment;
use super::page::{Page, Visited};
use super::rounds::{Database, Rounds};
use crate::guc;
use crate::pg::process::worker::{Worker, WorkerStatus};
use crate::pg::process::{clock, lock};
use crate::pg::server;
use crate::pg::sql::xact;
use crate::service::as_owner::{Launch, Target};
use pgrx::pg_sys::{Oid, TimestampTz};
use std::time::Duration;

/// How often it looks at the setting and at samplers that stay. Also how soon one that ended is started again.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
const LOOK_INTERVAL_NS: u64 = LOOK_INTERVAL.as_nanos() as u64;
/// With nothing to check it waits for a reload.
const FOR_A_RELOAD: Duration = Duration::from_secs(3600);
/// While a sampler that stays begins, nobody announces that it holds its lock.
const BEGINNING: Duration = Duration::from_millis(50);
/// Nor that a worker slot is free again.
const SLOT_INTERVAL: Duration = Duration::from_secs(1);
/// How long a visit may wait for its database, which somebody may be about to drop or copy.
const PATIENCE_NS: u64 = 5_000_000_000;
/// The same of a sampler that stays, which also waits for another home to leave.
const HOME_PATIENCE_NS: u64 = 20_000_000_000;

const NO_SLOT: &str = "no free worker slot (max_worker_processes)";

/// A worker of the launcher's.
struct Started {
    worker: Worker,
    database: Oid,
    at: u64,
}

#[derive(Default)]
pub struct Visits {
    rounds: Rounds,
    /// Names of the setting that cannot be visited.
    missing: Vec<String>,
    read_at: Option<u64>,
    reloaded_at: TimestampTz,
    page: Option<Page>,
    /// Why there is none.
    no_page: Option<String>,
    last_home: Option<Oid>,
    /// The sampler of the home, if this launcher has started it.
    home: Option<Started>,
    visit: Option<Started>,
    /// Whether there was no free worker slot the last time.
    short: bool,
}

impl Visits {
    /// Starts what has to be started now; returns how long there is nothing to do, unless a worker's end or a reload wakes the launcher.
    pub fn go_on(&mut self) -> Duration {
        self.read_setting();
        if self.rounds.is_empty() && self.home.is_none() && self.visit.is_none() {
            self.set_short(false);
            return match self.missing.is_empty() {
                true => FOR_A_RELOAD,
                false => LOOK_INTERVAL,
            };
        }
        self.end_home();
        self.end_visit();
        let home = self.rounds.home(lock::sampler_lives);
        let home = home.map(|database| database.oid);
        // Between two samplers of the home, visits still belong to it.
        self.last_home = home.or(self.last_home);
        if self.visit.is_none() {
            if self.home_begins() {
                return BEGINNING;
            }
            match home.filter(|home| !lock::sampler_lives(*home)) {
                Some(home) => self.start_home(home),
                None => self.start_visit(home),
            }
        }
        let next_at = self.rounds.next_at(home);
        if next_at.is_none() && home.is_some_and(lock::sampler_lives) {
            self.set_short(false);
        }
        match (&self.visit, next_at) {
            _ if self.short => SLOT_INTERVAL,
            (None, Some(next_at)) => {
                let pause = Duration::from_nanos(next_at.saturating_sub(clock::now()));
                pause.clamp(BEGINNING, LOOK_INTERVAL)
            }
            _ => LOOK_INTERVAL,
        }
    }

    /// Each reason for which a database has no samples.
    pub fn troubles(&self) -> Vec<String> {
        let missing = self
            .missing
            .iter()
            .map(|name| format!("database \"{name}\" does not exist, or accepts no connections"));
        let short = self.short.then(|| NO_SLOT.to_owned());
        let mut troubles: Vec<_> = missing.chain(self.rounds.problems()).collect();
        troubles.extend(short.into_iter().chain(self.no_page.clone()));
        troubles
    }

    /// Takes over the setting, now and then and after each reload.
    fn read_setting(&mut self) {
        let (now, reloaded_at) = (clock::now(), server::reloaded_at());
        let is_new = reloaded_at != self.reloaded_at;
        if !is_new && self.read_at.is_some_and(|at| now < at + LOOK_INTERVAL_NS) {
            return;
        }
        (self.read_at, self.reloaded_at) = (Some(now), reloaded_at);
        let names = guc::sampler_databases();
        let oids = xact::bare_transaction(|| {
            let oid = |name: &String| server::connectable_database(name);
            names.iter().map(oid).collect::<Vec<_>>()
        });
        let Ok(oids) = oids else {
            return;
        };
        let (mut listed, mut missing) = (Vec::new(), Vec::new());
        for (name, oid) in names.into_iter().zip(oids) {
            match oid {
                Some(oid) => listed.push((name, oid)),
                None => missing.push(name),
            }
        }
        self.rounds.set(listed);
        self.missing = missing;
        if is_new {
            self.rounds.look_again(now);
        }
    }

    /// A sampler that ended is started again soon, if its extension still is as it was.
    fn end_home(&mut self) {
        if let Some(home) = &self.home
            && clock::now() > home.at + HOME_PATIENCE_NS
            && self.home_begins()
        {
            home.worker.terminate();
        }
        let ended = |home: &mut Started| home.worker.status() == WorkerStatus::Stopped;
        if let Some(home) = self.home.take_if(ended) {
            if let Some(database) = self.rounds.get(home.database) {
                database.broke_off(clock::now());
            }
            home.worker.forget();
        }
    }

    /// Whether the sampler of the home does not hold its lock yet.
    fn home_begins(&self) -> bool {
        let begins = |home: &Started| !lock::sampler_lives(home.database);
        self.home.as_ref().is_some_and(begins)
    }

    fn start_home(&mut self, home: Oid) {
        let Some(target) = self.rounds.get(home).and_then(|home| home.target()) else {
            return;
        };
        // It may be another one's, which is about to leave.
        if let Some(before) = self.home.take() {
            before.worker.forget();
        }
        let was_short = self.short;
        self.home = self.start(Assignment::Home { was_short }, home, Some(target));
    }

    /// What a visit has brought, when it is over.
    fn end_visit(&mut self) {
        let (Some(page), Some(visit)) = (&self.page, &self.visit) else {
            return;
        };
        let (now, visited) = (clock::now(), page.visited());
        if visit.worker.status() != WorkerStatus::Stopped {
            if visited == Visited::NotYet && now > visit.at + PATIENCE_NS {
                visit.worker.terminate();
            }
            return;
        }
        if let Some(database) = self.rounds.get(visit.database) {
            note(database, visited, now);
        }
        if let Some(visit) = self.visit.take() {
            visit.worker.forget();
        }
    }

    fn start_visit(&mut self, home: Option<Oid>) {
        let now = clock::now();
        let Some(database) = self.rounds.due(home, now) else {
            return;
        };
        let (oid, target) = (database.oid, database.target());
        let wait = |rounds: &mut Rounds| {
            if let Some(database) = rounds.get(oid) {
                database.wait(now);
            }
        };
        if lock::sampler_lives(oid) {
            return wait(&mut self.rounds);
        }
        let state = database.state.clone();
        let Some(page) = self.page() else {
            return wait(&mut self.rounds);
        };
        page.prepare(&state);
        let page = page.handle();
        let assignment = match target {
            None => Assignment::Find { page },
            Some(_) => Assignment::Visit {
                page,
                home: home.or(self.last_home),
                was_short: self.short,
            },
        };
        self.visit = self.start(assignment, oid, target);
        if self.visit.is_none() {
            wait(&mut self.rounds);
        }
    }

    /// The memory for visits; it stays for the launcher's life.
    fn page(&mut self) -> Option<&Page> {
        if self.page.is_none() {
            match Page::create() {
                Ok(page) => (self.page, self.no_page) = (Some(page), None),
                Err(error) => self.no_page = Some(error.message),
            }
        }
        self.page.as_ref()
    }

    fn start(
        &mut self,
        assignment: Assignment,
        database: Oid,
        target: Option<Target>,
    ) -> Option<Started> {
        let worker = assignment.register(&Launch { database, target });
        self.set_short(worker.is_none());
        Some(Started {
            worker: worker?,
            database,
            at: clock::now(),
        })
    }

    fn set_short(&mut self, short: bool) {
        if self.short != short {
            lock::show_worker_shortage(short);
        }
        self.short = short;
    }
}

fn note(database: &mut Database, visited: Visited, now: u64) {
    match visited {
        Visited::Found(target) => database.found(target, now),
        Visited::Absent => database.lacks(None, now),
        Visited::Failed(problem) => database.lacks(Some(problem), now),
        Visited::Done {
            state,
            next_in,
            problem,
        } => {
            let next_in_ns = (next_in.max(0) as u64).saturating_mul(1_000);
            database.visited(state, next_in_ns, problem, now);
        }
        Visited::NotYet | Visited::UnderWay | Visited::Changed => database.broke_off(now),
    }
}
