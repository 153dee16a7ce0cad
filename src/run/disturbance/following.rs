//! The disturbances of a run, followed by its leader: those that are due, those that are running, and their outcomes.
//!
//! Each occurrence has separate sessions, which end with it. They also end with the leader, for whatever reason it ends.

use super::rows::{OccurrenceRow, Status};
use super::session::{Job, Jobs};
use super::work::Disturbance;
use crate::pg::process::clock::nanoseconds;
use crate::pg::process::latch;
use crate::pg::process::worker::{self, Worker, WorkerStatus};
use crate::pg::server;
use crate::run::client::launch::ClientLaunch;
use crate::run::request::spec::Spec;
use crate::run::shared::slot::{ClientState, Counter, Slot};
use crate::run::shared::{Phase, Shared};

/// How long sessions may take to end after they should have: then their statements are cancelled, again and again.
const SLACK_NS: u64 = 50_000_000;
/// How long they may take after that; then they are terminated.
const GRACE_NS: u64 = 5_000_000_000;
/// How often, at most, rows are stored.
const STORE_NS: u64 = 500_000_000;

/// All disturbances of a run.
pub struct Disturbances {
    /// The launch of a session, but for its number.
    launch: ClientLaunch,
    shared: Shared,
    /// When the measured part began, monotonic ns, and the seconds measured before.
    began_at: u64,
    before_s: f64,
    all: Vec<Followed>,
    /// Rows that are not stored as they are now.
    unstored: Vec<OccurrenceRow>,
    tried_at: u64,
}

struct Followed {
    disturbance: Disturbance,
    job: Job,
    /// The next occurrence, counted from 0.
    next: u32,
    going: Option<Going>,
}

/// An occurrence that is going on.
struct Going {
    workers: Vec<Worker>,
    began_at: u64,
    /// The same as the server's timestamp.
    began_time: i64,
    /// When it was told to end before its time.
    stopped_at: Option<u64>,
    wal_at: u64,
    /// There were too few worker slots.
    has_no_slot: bool,
    row: OccurrenceRow,
}

/// What the sessions of a run need to know.
pub fn jobs(spec: &Spec, run_id: i64) -> Jobs {
    let mut first = 0;
    let job = |one: &Disturbance| {
        let job = Job {
            application_name: format!("pgperf run {run_id} disturbance {}", one.name),
            work: one.work.clone(),
            for_s: one.times.for_s,
            first,
            sessions: one.sessions,
        };
        first += one.sessions;
        job
    };
    Jobs {
        search_path: spec.search_path.clone(),
        settings: spec.settings.clone(),
        all: spec.disturbances.iter().map(job).collect(),
    }
}

impl Disturbances {
    /// Those of a run, none of which is due before the measured part begins. `shared`: the segment of their sessions.
    pub fn new(spec: &Spec, jobs: Jobs, launch: ClientLaunch, shared: Shared) -> Disturbances {
        let both = spec.disturbances.iter().zip(jobs.all);
        let followed = |(disturbance, job): (&Disturbance, Job)| Followed {
            disturbance: disturbance.clone(),
            job,
            next: 0,
            going: None,
        };
        Disturbances {
            launch,
            shared,
            began_at: u64::MAX,
            before_s: 0.0,
            all: both.map(followed).collect(),
            unstored: Vec::new(),
            tried_at: 0,
        }
    }

    /// The measured part began at `began_at`; `before_s`: the seconds of earlier segments.
    pub fn begin(&mut self, began_at: u64, before_s: f64) {
        (self.began_at, self.before_s) = (began_at, before_s);
        for one in &mut self.all {
            one.next = one.disturbance.times.first_from(before_s);
        }
    }

    fn elapsed_s(&self, now: u64) -> f64 {
        self.before_s + now.saturating_sub(self.began_at) as f64 / 1e9
    }

    /// When something is due next, monotonic ns.
    pub fn next_at(&self) -> u64 {
        let due = |one: &Followed| {
            let due_s = one.disturbance.times.due_s(one.next)? - self.before_s;
            Some(self.began_at.saturating_add(nanoseconds(due_s.max(0.0))))
        };
        self.all.iter().filter_map(due).min().unwrap_or(u64::MAX)
    }

    /// Whether sessions are at work.
    pub fn some_go_on(&self) -> bool {
        self.all.iter().any(|one| one.going.is_some())
    }

    /// Starts what is due, and ends what has lasted long enough.
    pub fn follow(&mut self, now: u64) {
        if now < self.began_at {
            return;
        }
        let now_s = self.elapsed_s(now);
        for number in 0..self.all.len() {
            self.look_at(number, now);
            let one = &self.all[number];
            if let Some(last) = one.disturbance.times.last_due(one.next, now_s) {
                // One that is due while the one before is still going on is passed over.
                if one.going.is_none() {
                    self.start(number, last, now);
                }
                self.all[number].next = last + 1;
            }
        }
    }

    /// The run ends: nothing is started any more, and everything that goes on has to end.
    pub fn stop(&mut self, now: u64) {
        self.shared.set_phase(Phase::Stopping);
        for number in 0..self.all.len() {
            if let Some(going) = &mut self.all[number].going {
                going.stopped_at.get_or_insert(now);
            }
            self.look_at(number, now);
        }
    }

    fn start(&mut self, number: usize, occurrence: u32, now: u64) {
        let at_s = self.elapsed_s(now);
        let Some(one) = self.all.get_mut(number) else {
            return;
        };
        // Before its sessions do anything.
        let began_time = server::timestamp_now();
        let wal_at = server::insert_position();
        let mut workers = Vec::new();
        for client in one.job.first..one.job.first + one.job.sessions {
            self.shared.slot(client).clear();
            let launch = ClientLaunch {
                client: client as u32,
                ..self.launch
            };
            let name = &one.job.application_name;
            let kind = "pgperf disturbance";
            match worker::register(name, kind, "pgperf_disturbance_main", &launch.encode()) {
                Some(worker) => {
                    worker.terminate_at_exit();
                    workers.push(worker);
                }
                None => break,
            }
        }
        let has_no_slot = workers.len() < one.job.sessions;
        if has_no_slot {
            workers.iter().for_each(Worker::terminate);
        }
        let row = OccurrenceRow {
            disturbance_no: number as i32,
            occurrence_no: occurrence as i32,
            name: one.disturbance.name.clone(),
            kind: one.disturbance.work.kind(),
            sessions: one.job.sessions as i32,
            began_at: server::timestamp_text(began_time),
            at_s,
            ended_at: None,
            duration_s: None,
            status: Status::GoingOn,
            sqlstate: None,
            error: None,
            wal_bytes: None,
        };
        note(&mut self.unstored, row.clone());
        one.going = Some(Going {
            workers,
            began_at: now,
            began_time,
            stopped_at: None,
            wal_at,
            has_no_slot,
            row,
        });
    }

    /// Notices the end of an occurrence; ends one that has lasted long enough.
    fn look_at(&mut self, number: usize, now: u64) {
        let Some(one) = self.all.get_mut(number) else {
            return;
        };
        let Some(going) = &one.going else {
            return;
        };
        let slots = || {
            let numbers = one.job.first..one.job.first + one.job.sessions;
            numbers.map(|client| self.shared.slot(client))
        };
        let has_ended = |worker: &Worker| worker.status() == WorkerStatus::Stopped;
        if !going.workers.iter().all(has_ended) {
            let ends_at = one
                .job
                .for_s
                .map(|for_s| going.began_at + nanoseconds(for_s) + SLACK_NS);
            let limit = match (going.stopped_at, ends_at) {
                (Some(stopped), Some(ends)) => stopped.min(ends),
                (stopped, ends) => stopped.or(ends).unwrap_or(u64::MAX),
            };
            if now >= limit {
                slots().for_each(end);
            }
            if now >= limit.saturating_add(GRACE_NS) {
                going.workers.iter().for_each(Worker::terminate);
            }
            return;
        }
        let ended = outcome(going, one.job.for_s, slots().collect(), now);
        if let Some(going) = one.going.take() {
            going.workers.into_iter().for_each(Worker::forget);
        }
        note(&mut self.unstored, ended);
    }

    /// Whether the measured part has begun.
    pub fn has_begun(&self) -> bool {
        self.began_at < u64::MAX
    }

    /// Whether there are rows to store, and it is time to try.
    pub fn has_to_store(&mut self, now: u64) -> bool {
        let is_due = !self.unstored.is_empty() && now >= self.tried_at.saturating_add(STORE_NS);
        if is_due {
            self.tried_at = now;
        }
        is_due
    }

    /// The rows that have to be stored, the newest of each occurrence.
    pub fn unstored(&self) -> &[OccurrenceRow] {
        &self.unstored
    }

    /// They are stored.
    pub fn stored(&mut self) {
        self.unstored.clear();
    }
}

/// Keeps a row instead of an older one of the same occurrence.
fn note(rows: &mut Vec<OccurrenceRow>, row: OccurrenceRow) {
    let key = |row: &OccurrenceRow| (row.disturbance_no, row.occurrence_no);
    rows.retain(|other| key(other) != key(&row));
    rows.push(row);
}

/// Tells a session to end; whatever it does meanwhile.
fn end(slot: Slot) {
    slot.set(Counter::ToldToEnd, 1);
    if slot.state() == ClientState::Working {
        worker::signal(slot.get(Counter::Pid) as i32, worker::CANCEL);
        latch::wake(slot.get(Counter::Proc));
    }
}

/// The row of an occurrence whose sessions have ended.
fn outcome(going: &Going, for_s: Option<f64>, slots: Vec<Slot>, now: u64) -> OccurrenceRow {
    let ended = slots.iter().map(|slot| slot.get(Counter::FinishedAt));
    let ended_at = ended.max().filter(|&at| at > going.began_at).unwrap_or(now);
    let seconds = ended_at.saturating_sub(going.began_at) as f64 / 1e9;
    let cut_off = going.stopped_at.is_some() && for_s.is_none_or(|for_s| seconds < 0.95 * for_s);
    let error = slots
        .iter()
        .find_map(|slot| error(slot, going))
        // Whatever a session that is stopped complains about comes from that.
        .filter(|(sqlstate, _)| !cut_off || !["57014", "57P01"].contains(&sqlstate.as_str()));
    let status = match (&error, cut_off) {
        (Some(_), _) => Status::Failed,
        (None, true) => Status::CutOff,
        (None, false) => Status::Done,
    };
    let (sqlstate, error) = error.unzip();
    let wal = server::insert_position().saturating_sub(going.wal_at);
    OccurrenceRow {
        ended_at: Some(server::timestamp_text(
            going.began_time + (seconds * 1e6) as i64,
        )),
        duration_s: Some(seconds),
        status,
        sqlstate,
        error,
        wal_bytes: i64::try_from(wal).ok(),
        ..going.row.clone()
    }
}

/// Why a session has failed.
fn error(slot: &Slot, going: &Going) -> Option<(String, String)> {
    if going.has_no_slot {
        let message = "all worker slots (max_worker_processes) are in use";
        return Some(("53400".to_owned(), message.to_owned()));
    }
    let kinds = slot.errors().kinds();
    match (slot.state(), kinds.into_iter().next()) {
        (ClientState::Done, _) => None,
        (ClientState::Aborted, Some(kind)) => Some((kind.last.sqlstate, kind.last.message)),
        _ => Some((
            "57P01".to_owned(),
            "the session was terminated or could not connect (see the server log)".to_owned(),
        )),
    }
}
