//! The leader of a run: one background worker, as the extension's owner.
//!
//! It waits for the commit of the transaction that stored the run, creates the segment, starts the clients, and opens the
//! barrier. It stores an interval at each tick, decides when the run ends, and stores the totals. Between ticks it holds no
//! snapshot. As long as it lives it holds a lock, so that others can see that it is alive. Its clients end with it.

mod altering;
mod caching;
mod clients;
mod disturbing;
mod draining;
mod ending;
pub mod guard;
pub mod precision;
mod server_sides;
mod side;
mod starting;
mod targets;
pub mod ticks;
pub mod turns;
mod watching;

use super::disturbance::following::Disturbances;
use super::drain::receivers::Receivers;
use super::record::error_rows::store_side_errors;
use super::record::intervals::Intervals;
use super::record::run_row::{End, Milestone, StoredRun, Told};
use super::record::totals::{self, Ending};
use super::record::transaction_log::LogStore;
use super::request::spec::Spec;
use super::resume::points::{DETAILS_INTERVAL_NS, keep_details, tell};
use super::shared::slot::Counter;
use super::shared::{Phase, Shared, first_client};
use super::side_sql::SideError;
use crate::pg::error::SqlError;
use crate::pg::process::clock;
use crate::pg::process::lock::{self, Starting};
use crate::pg::process::worker::{self, OnCancel};
use crate::pg::server;
use crate::service::launch::LeaderLaunch;
use crate::service::{self, store};
use crate::subject::{Schedule, hit_curve::Looks};
use clients::Clients;
use guard::Guard;
use server_sides::ServerSides;
use std::time::Duration;
use targets::SampledTarget;
use watching::Sessions;

/// How often it tries to store a milestone that fails.
const MILESTONE_TRIES: usize = 10;
/// How often, at least, the leader looks at its clients and for sessions that wait for the database.
const WATCH_INTERVAL: Duration = Duration::from_millis(100);
/// How often it checks that the extension still exists, and is the one it knows.
const EXTENSION_INTERVAL_NS: u64 = 500_000_000;
/// How long ended clients may take to exit before the leader continues without them.
const EXIT_GRACE_NS: u64 = 10_000_000_000;

/// The main function of the worker. `conduct`: leads a run whose clients are on other nodes.
pub fn main(conduct: fn(LeaderLaunch, StoredRun)) {
    let launch = LeaderLaunch::decode(&worker::extra());
    worker::start(launch.database, launch.owner, OnCancel::Note);
    store::configure_owner(&format!("pgperf run {} leader", launch.run_id));
    lock::hold_leader_lock(launch.run_id);
    let Some(stored) = await_run(&launch) else {
        return;
    };
    if !stored.spec.nodes.is_empty() {
        return conduct(launch, stored);
    }
    let mut spec = stored.spec.clone();
    spec.segment = stored.carried.segments;
    spec.elapsed_s = stored.carried.seconds;
    match Leader::new(launch, stored, spec) {
        Ok(mut leader) => leader.lead(),
        Err((mut stored, error)) => {
            stored.end(&End::Failed {
                sqlstate: error.sqlstate,
                message: error.message,
            });
        }
    }
}

/// Waits for the starting transaction; None if it was rolled back, if the leader has to leave before, or if the
/// extension is gone.
fn await_run(launch: &LeaderLaunch) -> Option<StoredRun> {
    // A resumed run has its row in any case.
    if !service::starting::await_start(Starting::Run, launch) {
        return None;
    }
    store::wait_for_no_lock();
    StoredRun::read(launch.extension, launch.run_id)
}

struct Leader {
    launch: LeaderLaunch,
    spec: Spec,
    stored: StoredRun,
    shared: Shared,
    clients: Clients,
    /// The segment of the session that runs the statements before or after the clients, while it lives.
    side: Option<Shared>,
    side_errors: Vec<SideError>,
    /// Set once; the status of the run when its clients have ended.
    end: Option<End>,
    stopping_since: Option<u64>,
    extension_seen_at: u64,
    guard: Guard,
    log: LogStore,
    /// When the details were stored last.
    details_at: u64,
    /// Whether to read the clients' wait events.
    watches_waits: bool,
    sessions: Sessions,
    /// Follows the buffers, while the load lasts.
    looks: Option<Looks>,
    /// Whether the run's row lacks the rate as it was altered.
    rate_unstored: bool,
    /// Those that have to catch up after the clients' end.
    receivers: Option<Receivers>,
    receivers_seen_at: u64,
    /// What happens beside the load.
    disturbances: Option<Disturbances>,
    /// The settings of the server that take turns, while they do.
    server_sides: Option<ServerSides>,
    /// The targets that the clients work on, while they are sampled.
    targets: Vec<SampledTarget>,
}

impl Leader {
    /// Makes the segment. Hands the stored run back with the error if there is no memory for it.
    fn new(
        launch: LeaderLaunch,
        stored: StoredRun,
        spec: Spec,
    ) -> Result<Leader, (StoredRun, SqlError)> {
        let (shared, segment) = match starting::segment(launch.run_id, &spec) {
            Ok(made) => made,
            Err(error) => return Err((stored, error)),
        };
        for (slot, ended) in shared.slots().zip(&stored.carried.reading.ended) {
            slot.set(Counter::EndedBefore, *ended);
        }
        if let Some(limit) = spec.limits.errors {
            let before = stored.carried.reading.outcomes().failed();
            shared.set_max_failed(limit.saturating_sub(before));
        }
        Ok(Leader {
            log: LogStore::new(&spec, &shared),
            guard: Guard::new(&spec.limits, &stored.carried),
            details_at: clock::now(),
            launch,
            stored,
            shared,
            clients: Clients::new(launch, segment, shared, &spec),
            side: None,
            side_errors: Vec::new(),
            end: None,
            stopping_since: None,
            extension_seen_at: clock::now(),
            watches_waits: false,
            sessions: Sessions::default(),
            looks: None,
            rate_unstored: false,
            receivers: spec.drain.as_ref().map(Receivers::new),
            receivers_seen_at: 0,
            disturbances: None,
            server_sides: None,
            targets: Vec::new(),
            spec,
        })
    }

    fn lead(&mut self) {
        self.reach(&Milestone::Preparing);
        // Statements before the first segment are not repeated: they may drop data that it has written.
        let prepared = self.end.is_none() && (self.spec.segment > 0 || self.run_before());
        if prepared {
            self.take_server_settings();
        }
        let launched_at = clock::now();
        if prepared {
            self.start_clients();
        }
        let ready = self.await_clients();
        let connect_ns = clock::now() - launched_at;
        if ready {
            let told = first_client::take(&self.shared);
            self.stored
                .begin_facts(&told.unwrap_or_default(), self.launch.caller);
            self.begin_target_samples();
            self.prepare_caches();
            self.follow_buffers();
            self.await_start();
            self.warm_up();
        }
        let mut intervals = Intervals::new(&self.spec, &self.stored, &self.shared);
        if ready && self.end.is_none() {
            if self.stored.carried.segments == 0 {
                self.stored.carried.connect_ns = connect_ns;
            }
            // Stored before the barrier opens: no transaction of ours in the clients' first moments.
            self.reach(&Milestone::Running {
                warmed_up: self.spec.warmup_s > 0.0,
            });
        }
        if ready {
            self.prepare_disturbances();
            self.await_moment(self.spec.warmup_s);
        }
        if ready && self.end.is_none() {
            self.stored.carried.segments += u32::from(self.spec.resume);
            let left = (self.spec.duration_s).map(|s| self.stored.carried.seconds_left(s));
            let began = self.open(Phase::Running, left);
            intervals.begin(&self.stored, began);
            self.begin_receivers(began);
            self.begin_hit_curve();
            self.begin_disturbances(began);
            self.drive(&mut intervals);
        }
        let measured = intervals.began_at() > 0;
        self.shared.set_phase(Phase::Stopping);
        self.clients.wake();
        if measured {
            self.end_for_receivers();
        }
        self.await_exit();
        self.put_back_server_settings();
        self.end_disturbances();
        self.end_hit_curve(measured);
        self.log.finish(&mut self.stored);
        let end = self.end.clone().unwrap_or(End::Finished);
        let ending = Ending { end, connect_ns };
        self.store_rate();
        let mut closing = totals::store(
            &self.spec,
            &mut self.stored,
            &self.shared,
            intervals,
            &ending,
        );
        if self.spec.segment > 0
            && !measured
            && let End::Failed { sqlstate, message } = &closing.end
        {
            // Somebody may remove the obstacle to a further segment, so the run is not lost.
            let run_id = self.launch.run_id;
            log(&format!("pgperf run {run_id} is not resumed: {message}"));
            self.stored
                .store(|run| tell(&run.node_id, run_id, sqlstate, message));
            return;
        }
        self.drain(&mut closing);
        if closing.measured.is_some() {
            let is_early = !matches!(closing.end, End::Finished);
            self.stored.end_facts(self.launch.caller, is_early);
            self.end_target_samples(is_early);
        }
        if prepared {
            self.run_after(closing.measured);
        }
        store_side_errors(&mut self.stored, closing.errors, &self.side_errors);
        self.stored.end(&closing.end);
    }

    /// Stores a point in the run's life, as soon as nobody locks its row. It keeps watching meanwhile: clients may be
    /// warming up.
    fn reach(&mut self, milestone: &Milestone) {
        let mut failures = 0;
        while self.end.is_none() && failures < MILESTONE_TRIES {
            match self.stored.milestone(milestone) {
                Told::Yes => return,
                Told::NotYet => {}
                Told::Failed => failures += 1,
            }
            self.watch(WATCH_INTERVAL);
        }
    }

    /// The measured part: stores an interval at each tick until no client works any more.
    fn drive(&mut self, intervals: &mut Intervals) {
        self.watches_waits = self.spec.work.has_waits()
            && self.spec.watches_sessions()
            && Schedule::new(self.spec.collectors.as_deref()).watches_waits();
        while self.clients.some_work() {
            let now = clock::now();
            let wait = Duration::from_nanos(intervals.next_at().saturating_sub(now));
            self.watch(wait.min(self.until_disturbance(now)));
            if clock::now() >= intervals.next_at() && self.clients.some_work() {
                let now = clock::now();
                if intervals.tick(now, self.server_is_ready()) {
                    // Those that wait for a moment of their schedule.
                    self.clients.wake();
                    self.begin_turn(intervals);
                }
                if let Some(elapsed_s) = intervals.store(&mut self.stored, now) {
                    self.sample_targets(elapsed_s);
                }
                self.end_if_precise(intervals);
                self.look_at_receivers();
                self.log.store(&mut self.stored);
                self.keep_details();
                self.leave_if_gone();
            }
        }
        self.watches_waits = false;
    }

    /// Stores from time to time the figures that a further segment needs and intervals lack.
    fn keep_details(&mut self) {
        if !self.spec.resume || clock::now() < self.details_at + DETAILS_INTERVAL_NS {
            return;
        }
        self.details_at = clock::now();
        let details = totals::details(&self.spec, &self.stored, &self.shared);
        self.stored.try_store(|run| keep_details(run, &details));
    }

    /// Waits for at most `limit`, then handles everything that does not follow the clock.
    fn watch(&mut self, limit: Duration) {
        self.nap(limit.min(WATCH_INTERVAL));
        if worker::cancel_requested() {
            self.stop(None);
        }
        if lock::database_is_being_dropped() {
            log(&format!(
                "pgperf run {}: leaving, the database is being dropped",
                self.launch.run_id
            ));
            self.leave();
        }
        self.alter_rate();
        let now = clock::now();
        if now >= self.extension_seen_at + EXTENSION_INTERVAL_NS {
            self.extension_seen_at = now;
            self.stored.check_extension();
            self.leave_if_gone();
            self.stop_if_updated();
            self.store_rate();
        }
        if self.log.is_due() {
            self.log.store(&mut self.stored);
        }
        if let Err(error) = self.clients.restart(now) {
            self.fail_for_want_of_slots(&error);
        }
        self.clients.notice_deaths();
        self.follow_receivers(now);
        self.follow_disturbances(now);
        self.follow_targets();
        self.watch_server_settings(now);
        self.exit_on_abort();
        self.keep_limits(now);
        self.cancel_laggards(now);
    }

    /// Waits until the clients' processes have ended, so that their worker slots are free again when the run
    /// shows as ended.
    fn await_exit(&mut self) {
        let deadline = clock::now() + EXIT_GRACE_NS;
        let mut terminated = false;
        loop {
            if self.clients.all_are_gone() || clock::now() > deadline + EXIT_GRACE_NS {
                return;
            }
            let stuck = self.end.is_some() && !self.clients.some_work();
            if !terminated && stuck && clock::now() > deadline {
                self.clients.terminate();
                terminated = true;
            }
            self.watch(WATCH_INTERVAL);
        }
    }

    fn leave_if_gone(&self) {
        if self.stored.extension_is_gone() {
            log(&format!(
                "pgperf run {}: leaving, the extension is gone",
                self.launch.run_id
            ));
            self.leave();
        }
    }

    /// Ends at once; the clients follow, since they are terminated when this process exits.
    fn leave(&self) -> ! {
        worker::exit()
    }
}

/// A line in the server's log.
pub fn log(message: &str) {
    server::log(message);
}
