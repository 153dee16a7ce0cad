//! The sampler of targets: one background worker for all foreign servers of a database that are sampled, as the extension's owner.
//!
//! * [`list`]: which ones these are; it is stored, so the server's start finds it;
//! * [`sampled`]: one of them; a thread talks to it ([`crate::collect::of_target`]), so one that hangs or is away costs the others nothing;
//! * [`control`]: the SQL functions; [`supervision`]: what the launcher does for it.
//!
//! It holds a lock as long as it lives, as other samplers do, and leaves when its list is empty.

mod control;
mod list;
mod sampled;
pub mod supervision;

use super::begin::{WATCH_INTERVAL, Watch, leave, trouble_is_new};
use super::timetable::Wanted;
use super::upkeep::Upkeep;
use super::worker::{MAINTAIN, wanted};
use crate::collect::sample::of_target;
use crate::error::{Error, Result};
use crate::pg::process::{clock, latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use crate::service::store::{Unstored, store};
use list::News;
use pgrx::pg_sys::Oid;
use sampled::Sampled;
use serde::de::IgnoredAny;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;
pub use supervision::find;
use wire::{Conninfo, Waker};

/// How often it reads its list, the wanted collectors, and how roles may connect.
const LIST_INTERVAL_NS: u64 = 1_000_000_000;
const WANTED_INTERVAL_NS: u64 = 5_000_000_000;
const RIGHTS_INTERVAL_NS: u64 = 10_000_000_000;

struct Targets {
    extension: Oid,
    watch: Watch,
    all: Vec<Sampled>,
    wanted: Vec<Wanted>,
    /// Woken by answers.
    told: Arc<Waker>,
    list: Regularly,
    collectors: Regularly,
    rights: Regularly,
    upkeep: Upkeep,
    /// The last problem logged.
    problem: Option<String>,
}

/// What is done every so often.
struct Regularly {
    interval_ns: u64,
    at: Option<u64>,
}

impl Regularly {
    fn every(interval_ns: u64) -> Regularly {
        Regularly {
            interval_ns,
            at: None,
        }
    }

    /// Whether it is due; then it is taken as done.
    fn take_if_due(&mut self) -> bool {
        let now = clock::now();
        let is_due = self.at.is_none_or(|at| now >= at + self.interval_ns);
        if is_due {
            self.at = Some(now);
        }
        is_due
    }
}

/// Samples targets until there are none.
pub fn run(extension: Oid, watch: Watch) {
    // Threads connect.
    worker::forget_variables(&wire::variables());
    let told = match Waker::new() {
        Ok(told) => Arc::new(told),
        Err(error) => return server::log(&format!("pgperf sampler: no samples: {error}")),
    };
    let mut targets = Targets {
        extension,
        watch,
        all: Vec::new(),
        wanted: Vec::new(),
        told,
        list: Regularly::every(LIST_INTERVAL_NS),
        collectors: Regularly::every(WANTED_INTERVAL_NS),
        rights: Regularly::every(RIGHTS_INTERVAL_NS),
        upkeep: Upkeep::begin(),
        problem: None,
    };
    supervision::wake_launcher();
    targets
        .in_transaction(list::begin)
        .unwrap_or_else(|error| targets.tell(&error));
    loop {
        targets.read();
        targets.go_on();
        targets.maintain();
        targets.rest();
    }
}

impl Targets {
    /// What somebody may have changed.
    fn read(&mut self) {
        if self.list.take_if_due() {
            self.leave_without_extension();
            match self.in_transaction(read_list) {
                Ok(Some(listed)) => self.set(listed),
                Ok(None) => leave("it has no target"),
                Err(error) => self.tell(&error),
            }
            latch::report_statistics(false);
        }
        if self.collectors.take_if_due() {
            match self.in_transaction(wanted) {
                Ok(wanted) => {
                    let readable = wanted.iter().filter(|(it, _)| it.of_target.is_some());
                    let wanted = readable.map(|(collector, interval)| Wanted {
                        name: collector.name,
                        interval: *interval,
                        keeps_interval: collector.keeps_interval,
                    });
                    self.wanted = wanted.collect();
                }
                Err(error) => self.tell(&error),
            }
            for target in &mut self.all {
                target.set_wanted(&self.wanted);
            }
        }
        if self.rights.take_if_due() {
            self.check_rights();
        }
    }

    /// Also where it was updated: then the library may be another one.
    fn leave_without_extension(&self) {
        let seen = xact::bare_transaction(|| lock::try_lock_extension(self.extension));
        if let Some(reason) = seen.ok().and_then(|seen| seen.loss()) {
            leave(reason);
        }
    }

    /// Takes over the list. What is known of targets stays.
    fn set(&mut self, listed: Vec<list::Listed>) {
        let mut known = std::mem::take(&mut self.all);
        for entry in listed {
            let place = known.iter().position(|target| target.is(&entry));
            let target = match (place, entry.name.clone()) {
                (Some(place), _) => known.swap_remove(place),
                (None, Some(name)) => {
                    let mut target = Sampled::new(name, entry);
                    target.set_wanted(&self.wanted);
                    target
                }
                (None, None) => continue,
            };
            self.all.push(target);
        }
    }

    /// Roles may have lost their rights, mappings and servers may have changed.
    fn check_rights(&mut self) {
        let connections = self
            .in_transaction(|| Ok(self.all.iter().map(Sampled::connection).collect::<Vec<_>>()));
        let connections: Vec<Result<Conninfo>> = match connections {
            Ok(connections) => connections,
            Err(error) => return self.tell(&error),
        };
        let mut all = std::mem::take(&mut self.all);
        for (target, connection) in all.iter_mut().zip(connections) {
            match connection {
                Ok(info) if target.is_reached_by(&info) => {}
                Ok(_) => target.reconnect(),
                Err(error) => self.fail(target, &error),
            }
        }
        self.all = all;
    }

    /// Takes what has come, and asks for what is due.
    fn go_on(&mut self) {
        let mut all = std::mem::take(&mut self.all);
        let budget = self.watch.budget();
        for target in &mut all {
            if target.wants_session() {
                self.connect(target);
            }
            // Samples wait for who makes partitions.
            if lock::partitions_are_free() {
                match target.sample() {
                    Some(Ok(sample)) => self.keep(target, sample),
                    Some(Err(error)) => self.fail(target, &error),
                    None => {}
                }
            }
            target.ask(budget);
        }
        self.all = all;
    }

    fn connect(&mut self, target: &mut Sampled) {
        let begun = self
            .in_transaction(|| target.connection())
            .and_then(|info| target.begin(info, &self.told));
        if let Err(error) = begun {
            self.fail(target, &error);
        }
    }

    fn keep(&mut self, target: &mut Sampled, sample: of_target::TargetSample) {
        latch::report_running("pgperf: storing a sample");
        let stored = self.in_transaction(|| of_target::store(sample, None));
        latch::report_idle();
        match stored {
            Ok((sample, counting_since)) => {
                if let Some(news) = target.stored(sample.node_id, counting_since) {
                    self.note(target, &news);
                }
            }
            Err(error) => target.tell(&format!("a sample was not stored: {error}")),
        }
    }

    fn fail(&mut self, target: &mut Sampled, error: &Error) {
        let news = target.fail(error);
        self.note(target, &news);
    }

    /// In the target's row, if it is news.
    fn note(&mut self, target: &mut Sampled, news: &News) {
        if target.is_new(news) {
            match self.in_transaction(|| news.note(target.server)) {
                Ok(()) => target.is_noted(news),
                Err(error) => self.tell(&error),
            }
        }
    }

    /// A sampler of this database maintains the history, if there is one: samples of targets would wait meanwhile.
    fn maintain(&mut self) {
        if self.upkeep.take_if_due() && !lock::sampler_lives(server::database()) {
            latch::report_running("pgperf: maintaining the history");
            let done = self.in_transaction(|| spi::select::<IgnoredAny>(MAINTAIN, &[]));
            latch::report_idle();
            if let Err(error) = done {
                self.tell(&error);
            }
        }
    }

    /// Waits until something is due, has come or has to be checked.
    fn rest(&mut self) {
        let now = server::timestamp_now();
        let next_at = self.all.iter().filter_map(Sampled::next_at).min();
        let due_in = next_at.map_or(i64::MAX, |at| at - now).max(0) as u64;
        let pause = Duration::from_micros(due_in).min(WATCH_INTERVAL);
        latch::wait_for(self.told.as_fd(), pause);
        self.told.drain();
        self.watch.leave_if_asked();
    }

    fn in_transaction<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.watch.leave_if_asked();
        match store(self.extension, body) {
            Ok(value) => Ok(value),
            Err(Unstored::Gone) => leave("the extension is gone"),
            Err(unstored) => Err(unstored.into()),
        }
    }

    fn tell(&mut self, error: &Error) {
        let problem = error.to_string();
        if trouble_is_new(&mut self.problem, &problem) {
            server::log(&format!("pgperf sampler of targets: {problem}"));
        }
    }
}

/// The list; None: it is empty, and nobody is about to add a target. Then the sampler shows itself as gone before somebody can.
fn read_list() -> Result<Option<Vec<list::Listed>>> {
    let mut listed = list::read()?;
    if listed.iter().any(|entry| entry.name.is_none()) {
        list::forget_dropped()?;
        listed.retain(|entry| entry.name.is_some());
    }
    if !listed.is_empty() || !lock::try_close_targets() {
        return Ok(Some(listed));
    }
    let listed = xact::with_latest_snapshot(list::read)?;
    if listed.is_empty() {
        lock::release_target_sampler_lock();
        return Ok(None);
    }
    Ok(Some(listed))
}
