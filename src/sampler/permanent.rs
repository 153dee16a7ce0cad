//! A sampler that stays: in the home of the server's sampler, or because a session has started it.
//!
//! As long as it lives it holds a lock, so that others can see that it is alive.

use super::begin::{WATCH_INTERVAL, Watch, leave};
use super::buffers::Buffers;
use super::sessions::Sessions;
use super::timetable::Wanted;
use super::upkeep::Upkeep;
use super::worker::Sampler;
use crate::collect::Steps;
use crate::experiment;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::sql::xact;
use pgrx::pg_sys::Oid;
use std::time::Duration;

/// How often it reads the wanted collectors and their intervals.
const WANTED_INTERVAL_NS: u64 = 5_000_000_000;
/// How often it makes sure that the extension is still there.
const EXTENSION_INTERVAL_NS: u64 = 1_000_000_000;

struct Permanent {
    sampler: Sampler,
    /// When the extension was last seen, and the wanted collectors were last read.
    seen_at: u64,
    read_at: Option<u64>,
    upkeep: Upkeep,
}

/// Takes samples until it has to leave.
pub fn run(extension: Oid, watch: Watch) {
    let mut permanent = Permanent {
        sampler: Sampler::new(extension, watch),
        seen_at: clock::now(),
        read_at: None,
        upkeep: Upkeep::begin(),
    };
    permanent.run();
}

/// Goes on with a sweep: a sampler that the server starts may come after the server's end.
pub fn resume_sweep(sampler: &mut Sampler) {
    if let Err(error) = sampler.in_transaction(experiment::resume_interrupted) {
        server::log(&format!("pgperf sampler: cannot resume a sweep: {error}"));
    }
}

impl Permanent {
    fn run(&mut self) {
        if self.sampler.watch.assignment().is_listed() {
            resume_sweep(&mut self.sampler);
        }
        loop {
            self.read_wanted();
            let sampler = &mut self.sampler;
            sampler.look_at_sessions();
            for due in sampler.timetable.due(server::timestamp_now()) {
                sampler.take(due);
            }
            let budget = sampler.watch.budget() * (1.0 - sampler.buffers.share());
            (sampler.timetable).keep_within(budget, server::timestamp_now());
            if self.upkeep.take_if_due() {
                sampler.maintain();
            }
            self.rest();
        }
    }

    /// Waits until something is due or has to be checked.
    fn rest(&mut self) {
        let sampler = &mut self.sampler;
        let now = server::timestamp_now();
        let due_in = (sampler.timetable.next_at()).map_or(i64::MAX, |at| at - now);
        let due_in = Duration::from_micros(due_in.max(0) as u64);
        let look_in = sampler.buffers.look().min(sampler.sessions.due_in());
        latch::wait(due_in.min(look_in).min(WATCH_INTERVAL));
        sampler.watch.leave_if_asked();
        if clock::now() >= self.seen_at + EXTENSION_INTERVAL_NS {
            let extension = sampler.extension;
            let seen = xact::bare_transaction(|| lock::try_lock_extension(extension));
            if let Some(reason) = seen.ok().and_then(|seen| seen.loss()) {
                leave(reason);
            }
            self.seen_at = clock::now();
            latch::report_statistics(false);
        }
    }

    fn read_wanted(&mut self) {
        let now = clock::now();
        if self.read_at.is_some_and(|at| now < at + WANTED_INTERVAL_NS) {
            return;
        }
        self.read_at = Some(now);
        let sampler = &mut self.sampler;
        let wanted = match sampler.wanted() {
            Ok(wanted) => wanted,
            Err(error) => return sampler.tell(&error.to_string()),
        };
        let entries: Vec<_> = (wanted.iter())
            .map(|(collector, interval)| Wanted {
                name: collector.name,
                interval: *interval,
                keeps_interval: collector.keeps_interval,
            })
            .collect();
        sampler.timetable.set(&entries, server::timestamp_now());
        let follow = entries.iter().any(|wanted| Buffers::are_for(wanted.name));
        sampler.buffers.follow(follow, sampler.watch.budget());
        let follow = entries.iter().any(|wanted| Sessions::are_for(wanted.name));
        sampler.sessions.follow(follow);
        if !sampler.buffers.have_begun() {
            sampler.take_buffers();
        }
    }
}
