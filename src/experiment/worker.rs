//! The worker of a sweep: a session of the role that called `start_sweep`, which starts one run after the other as that
//! role would. Before each run it reads from the tables what is left to do, so that any worker can continue a sweep.
//!
//! It holds no snapshot and no transaction, neither between nor during runs. As long as it lives it holds locks, so that
//! others can see that it is alive. It exits when its database or extension is dropped, or the extension is updated. If only
//! the worker ends, its current run continues to its end.

mod restart;

use super::plan;
use super::restarts::{self, Awaited, Ready, Restarted};
use super::server_settings;
use super::tables::{Open, Outcome, Part, Step, Stored};
use crate::error::Result;
use crate::pg::error::SqlError;
use crate::pg::process::lock::{self, Starting};
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::server::checkpoint::{self, Checkpoint};
use crate::pg::session::setting;
use crate::pg::sql::xact;
use crate::run::request::options::Options;
use crate::run::request::{start, start_load};
use crate::service::altered_settings::{self, Altered, Changer};
use crate::service::launch::LeaderLaunch;
use crate::service::starting;
use crate::service::store::{self, Unstored};
use crate::target;
use pgrx::pg_sys::Oid;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often it checks whether its run has ended, and whether it has to leave.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);
/// How often it checks that the extension still exists.
const EXTENSION_INTERVAL_NS: u64 = 500_000_000;
/// How often it tries again while the extension is locked.
const BUSY_INTERVAL: Duration = Duration::from_millis(200);
/// How often it checks that the guards of restarts are there.
const GUARDS_INTERVAL_NS: u64 = 1_000_000_000;

/// The main function of the worker.
pub fn main() {
    let launch = LeaderLaunch::decode(&worker::extra());
    let sweep_id = launch.run_id;
    worker::start(launch.database, launch.caller, OnCancel::Note);
    store::configure(&format!("pgperf sweep {sweep_id}"));
    latch::report_idle();
    if !lock::try_hold_sweep_locks(sweep_id) {
        return;
    }
    if !starting::await_start(Starting::Sweep, &launch) {
        return;
    }
    let mut watch = Watch::new(sweep_id, launch.extension);
    let done = watch.store(|| Stored::read(sweep_id)).and_then(|stored| {
        let Some(stored) = stored else {
            return Ok(());
        };
        let path = stored.spec.search_path.clone();
        xact::bare_transaction(|| setting::set("search_path", &path))?;
        let mut sweeper = Sweeper {
            stored,
            watch,
            loaded: BTreeMap::new(),
            altered: Vec::new(),
            restarted: Restarted::default(),
            awaited: None,
            guarded_at: None,
        };
        sweeper.run()
    });
    if let Err(error) = done {
        server::log(&format!("pgperf sweep {sweep_id} ends: {}", error.message));
    }
}

/// Watches for requests to stop and for reasons to leave.
struct Watch {
    sweep_id: i64,
    extension: Oid,
    seen_at: u64,
    stopping: bool,
}

impl Watch {
    fn new(sweep_id: i64, extension: Oid) -> Watch {
        Watch {
            sweep_id,
            extension,
            seen_at: clock::now(),
            stopping: false,
        }
    }

    fn look(&mut self) {
        self.stopping |= worker::cancel_requested();
        if lock::database_is_being_dropped() {
            self.leave_for_good("the database is being dropped");
        }
        if clock::now() >= self.seen_at + EXTENSION_INTERVAL_NS {
            let extension = self.extension;
            let seen = xact::bare_transaction(|| lock::try_lock_extension(extension));
            if let Some((seen, reason)) = seen.ok().and_then(|seen| Some((seen, seen.loss()?))) {
                match seen {
                    lock::Extension::Gone => self.leave_for_good(reason),
                    _ => self.leave(reason),
                }
            }
            self.seen_at = clock::now();
        }
    }

    fn wait(&mut self, limit: Duration) {
        latch::wait(limit);
        self.look();
    }

    /// Runs `body` in a transaction. While the extension is locked, it tries again.
    fn store<T>(&mut self, body: impl Fn() -> Result<T>) -> std::result::Result<T, SqlError> {
        loop {
            match store::store(self.extension, &body) {
                Ok(value) => return Ok(value),
                Err(Unstored::Busy) => self.wait(BUSY_INTERVAL),
                Err(Unstored::Gone) => self.leave_for_good("the extension is gone"),
                Err(Unstored::Failed(error)) => return Err(error),
            }
        }
    }

    /// Nobody will go on with the sweep, nor can anybody read in a table what it has changed.
    fn leave_for_good(&self, why: &str) -> ! {
        altered_settings::put_back_at_exit_for_good(Changer::Sweep(self.sweep_id));
        self.leave(why)
    }

    fn leave(&self, why: &str) -> ! {
        server::log(&format!("pgperf sweep {}: leaving, {why}", self.sweep_id));
        worker::exit()
    }
}

/// The target that arguments of a run or load name.
fn server_of(arguments: &Map<String, Value>) -> Option<String> {
    arguments.get("server")?.as_str().map(str::to_owned)
}

struct Sweeper {
    stored: Stored,
    watch: Watch,
    /// By target (None: this server) the arguments of the last load, if it finished.
    loaded: BTreeMap<Option<String>, Map<String, Value>>,
    /// The settings of the server that it changes.
    altered: Vec<Altered>,
    restarted: Restarted,
    /// What the worker before this one has waited for.
    awaited: Option<Awaited>,
    /// When the guards of restarts were looked at; None: there are none.
    guarded_at: Option<u64>,
}

impl Sweeper {
    fn run(&mut self) -> std::result::Result<(), SqlError> {
        let plan = plan::of(&self.stored.spec);
        self.store(Stored::begin)?;
        self.take_settings()?;
        for open in self.store(Stored::open_attempts)? {
            self.close(&open)?;
        }
        if let Some(settings) = self.still_waits()
            && self.restart(&settings)?
        {
            return Ok(());
        }
        if self.has_waited_for_the_last_restart() {
            let state = self.store(Stored::state)?;
            return self.finish(plan.next(&state).is_some());
        }
        loop {
            let state = self.store(Stored::state)?;
            let Some(run) = plan.next(&state) else {
                // Also if it is being stopped: then a run is missing, so that it can be resumed.
                if self.store(|stored| stored.extend(&state))? {
                    continue;
                }
                break;
            };
            if self.watch.stopping {
                break;
            }
            let Some(step) = self.store(|stored| stored.step(run))? else {
                break;
            };
            let never = match self.prepare(&step) {
                Ready::Yes => {
                    // The next run comes after this one, not after the restart.
                    self.restarted.settings = None;
                    None
                }
                Ready::AfterRestart { settings } => match self.restart(&settings)? {
                    true => return Ok(()),
                    false => continue,
                },
                Ready::Never(outcome) => Some(outcome),
            };
            self.store(|stored| stored.begin_attempt(&step))?;
            let outcome = match never {
                Some(outcome) => outcome,
                None => self.attempt(&step).unwrap_or_else(|outcome| outcome),
            };
            self.store(|stored| stored.end_attempt(&step, &outcome))?;
        }
        self.finish(self.watch.stopping)
    }

    /// Puts back what an earlier sweep may have left, and remembers what this one will change.
    fn take_settings(&mut self) -> std::result::Result<(), SqlError> {
        if self.stored.spec.server_settings.is_empty() {
            return self.store(|_| altered_settings::put_back().map(drop));
        }
        while !lock::try_hold_server_settings() {
            if self.watch.stopping {
                return Ok(());
            }
            self.watch.wait(BUSY_INTERVAL);
        }
        self.store(|_| altered_settings::put_back().map(drop))?;
        self.awaited = self.store(restarts::awaited)?;
        let goes_on = self.awaited.is_some();
        let altered = self.store(|stored| {
            let (node_id, sweep_id, spec) = (&stored.node_id, stored.sweep_id, &stored.spec);
            if goes_on {
                return altered_settings::of(node_id, Changer::Sweep(sweep_id));
            }
            let restart = spec.restarts.as_ref().map(|it| it.settings.clone());
            let restart = restart.unwrap_or_default();
            let changer = Changer::Sweep(sweep_id);
            altered_settings::remember(node_id, changer, &spec.server_settings, &restart)
        })?;
        self.altered = altered;
        self.begin_guards();
        self.take_over()
    }

    /// Closes an attempt that the previous worker left open: its run may have continued without that worker.
    fn close(&mut self, open: &Open) -> std::result::Result<(), SqlError> {
        if let Some(load_run_id) = open.load_run_id {
            self.await_end(load_run_id)?;
        }
        let outcome = match open.run_id {
            // The end of that worker has put the settings back, in the middle of the run.
            Some(run_id) if !self.stored.spec.server_settings.is_empty() => {
                self.cancel(run_id)?;
                self.await_end(run_id)?;
                Outcome::of("interrupted")
            }
            Some(run_id) => self.await_end(run_id)?,
            None => Outcome::of("interrupted"),
        };
        self.store(|stored| stored.close_attempt(open, &outcome))
    }

    /// Makes one run, with its load and checkpoint. An error is an outcome, too.
    fn attempt(&mut self, step: &Step) -> std::result::Result<Outcome, Outcome> {
        self.set_server(step)?;
        if let Some(load) = step.load() {
            self.load(step, load)?;
        }
        if self.stored.spec.checkpoint {
            self.checkpoint(server_of(&self.stored.run_arguments(step)))?;
        }
        if self.watch.stopping {
            return Ok(Outcome::of("stopped"));
        }
        let run_id = self.start(step, Part::Run, |stored| {
            start::run(Options::new(stored.run_arguments(step))?)
        })?;
        Ok(self.await_end(run_id)?)
    }

    /// Gives the server the settings of the point, and waits until it has them.
    fn set_server(&mut self, step: &Step) -> std::result::Result<(), Outcome> {
        let settings = step.server_settings(&self.stored.spec);
        let expected = xact::transaction(|| {
            let expected = server_settings::expected(&settings);
            server_settings::write(&settings);
            expected
        })?;
        let deadline = clock::now() + server_settings::RELOAD_NS;
        while let Some(name) = server_settings::missing(&expected) {
            if self.watch.stopping {
                return Ok(());
            }
            if clock::now() > deadline {
                return Err(Outcome::failed("55000", &server_settings::not_taken(name)));
            }
            self.watch.wait(WATCH_INTERVAL);
        }
        Ok(())
    }

    fn load(&mut self, step: &Step, load: &Map<String, Value>) -> std::result::Result<(), Outcome> {
        let server = server_of(load);
        if !self.stored.loads(load, self.loaded.get(&server)) {
            return Ok(());
        }
        self.loaded.remove(&server);
        let run_id = self.start(step, Part::Load, |stored| {
            start_load::load(stored.load_arguments(step, load))
        })?;
        let outcome = self.await_end(run_id)?;
        if outcome.status != "finished" {
            return Err(outcome);
        }
        self.loaded.insert(server, load.clone());
        Ok(())
    }

    /// Starts a run or load of a step, and stores that it is the step's, in one transaction.
    fn start(
        &mut self,
        step: &Step,
        part: Part,
        start: impl Fn(&Stored) -> Result<i64>,
    ) -> std::result::Result<i64, SqlError> {
        self.store(|stored| {
            let run_id = start(stored)?;
            stored.attempt_runs(step, part, run_id)?;
            Ok(run_id)
        })
    }

    /// On a target, or here.
    fn checkpoint(&mut self, server: Option<String>) -> std::result::Result<(), Outcome> {
        if let Some(server) = server {
            let name = format!("pgperf sweep {}", self.watch.sweep_id);
            let mut session = target::session::Session::open(&server, &name, &[])?;
            session.execute("CHECKPOINT")?;
            return Ok(());
        }
        // The role may have lost the privilege since the sweep began.
        let allowed = xact::bare_transaction(|| checkpoint::may_request(server::current_role()))?;
        if !allowed {
            return Err(Outcome::failed(
                "42501",
                "permission denied to request checkpoints",
            ));
        }
        let position = checkpoint::request()?;
        while !self.watch.stopping
            && !Checkpoint::now().is_some_and(|now| now.is_complete_since(position))
        {
            self.watch.wait(WATCH_INTERVAL);
        }
        Ok(())
    }

    /// Waits for the end of a run; a sweep that is stopped stops its run.
    fn await_end(&mut self, run_id: i64) -> std::result::Result<Outcome, SqlError> {
        let mut told = false;
        while lock::leader_lives(run_id) {
            if self.watch.stopping && !told {
                told = true;
                self.cancel(run_id)?;
            }
            self.keep_guards();
            self.watch.wait(WATCH_INTERVAL);
        }
        self.store(|stored| stored.run_outcome(run_id))
    }

    /// Stops a run, if it goes on.
    fn cancel(&mut self, run_id: i64) -> std::result::Result<(), SqlError> {
        if let Some(leader) = self.store(|stored| stored.leader(run_id))?
            && lock::leader_lives(run_id)
        {
            worker::signal(leader, worker::CANCEL);
        }
        Ok(())
    }

    fn store<T>(
        &mut self,
        body: impl Fn(&Stored) -> Result<T>,
    ) -> std::result::Result<T, SqlError> {
        let stored = &self.stored;
        self.watch.store(|| body(stored))
    }
}

impl From<SqlError> for Outcome {
    fn from(error: SqlError) -> Outcome {
        Outcome::failed(&error.sqlstate, &error.message)
    }
}
