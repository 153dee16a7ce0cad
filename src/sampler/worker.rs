//! The sampler of a database: a background worker, as the extension's owner.
//!
//! Between samples, and between the steps of a sample, it holds no snapshot and no transaction. As long as it lives it holds
//! a lock, so that others can see that it is alive. It exits when its database or extension is dropped, and when it is
//! cancelled.

use super::begin::{
    WANTED_INTERVAL_NS, WATCH_INTERVAL, Watch, await_extension, has_begun, hold_lock, leave,
    trouble_is_new,
};
use super::buffers::Buffers;
use super::sessions::Sessions;
use super::timetable::{self, Due, Micros, Timetable};
use crate::collect::watched::Followed;
use crate::collect::{
    Collector, Depth, InRuns, LOCK_TIMEOUT, Part, Request, Sample, Steps, Watched, take_stepwise,
};
use crate::error::{Error, Result};
use crate::pg::process::worker::{self, Worker};
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::{spi, xact};
use crate::service::as_owner::Launch;
use crate::service::store::{Unstored, store};
use crate::subject::ALL;
use crate::subject::hit_curve::database_accesses;
use crate::{experiment, guc};
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::HashMap;
use std::time::Duration;

/// How often it makes sure that the extension is still there.
const EXTENSION_INTERVAL_NS: u64 = 1_000_000_000;
/// How often a collector takes all its figures, however often it is taken.
const FULL_INTERVAL: Micros = 60_000_000;

/// When it first maintains the history: a server that is restarted every hour needs that, too.
const FIRST_UPKEEP: Duration = Duration::from_secs(60);
/// Samples wait meanwhile. Remaining work is done the next time.
const MAINTAIN: &str =
    "SELECT pg_catalog.count(*) AS done FROM pgperf.maintain(budget => '10 seconds')";

/// Asks for a sampler; None if there is no free slot.
pub fn register(launch: &Launch) -> Option<Worker> {
    let name = "pgperf sampler";
    worker::register(name, name, "pgperf_sampler_main", &launch.encode())
}

/// The main function of the worker.
pub fn main() {
    let Some(launch) = Launch::begin("pgperf sampler") else {
        return;
    };
    // All its life, so that nothing waits longer: not even for a catalog, before a sample applies its own settings.
    let _ = xact::bare_transaction(|| setting::set("lock_timeout", LOCK_TIMEOUT));
    if !hold_lock() {
        return;
    }
    let watch = Watch::new(&launch);
    match launch.target {
        None => await_extension(launch.database, &watch),
        Some(target) if has_begun(&target, &watch) => Sampler::new(target.extension, watch).run(),
        Some(_) => {}
    }
}

struct Sampler {
    extension: Oid,
    watch: Watch,
    timetable: Timetable,
    buffers: Buffers,
    sessions: Sessions,
    /// The tick of [`FULL_INTERVAL`] at which each collector last took all its figures.
    full_at: HashMap<&'static str, i64>,
    /// When the extension was last seen, and the wanted collectors were last read.
    seen_at: u64,
    read_at: Option<u64>,
    /// When it last maintained the history, or started, and how long that lasts.
    kept_up_at: u64,
    keeps_up_for: Duration,
    /// The last problem logged.
    told: Option<String>,
}

impl Sampler {
    fn new(extension: Oid, watch: Watch) -> Sampler {
        Sampler {
            extension,
            watch,
            timetable: Timetable::default(),
            buffers: Buffers::default(),
            sessions: Sessions::default(),
            full_at: HashMap::new(),
            seen_at: clock::now(),
            read_at: None,
            kept_up_at: clock::now(),
            keeps_up_for: FIRST_UPKEEP,
            told: None,
        }
    }

    fn run(&mut self) {
        // One that the server starts may come after the server's end.
        if self.watch.is_listed()
            && let Err(error) = self.in_transaction(experiment::resume_interrupted)
        {
            server::log(&format!("pgperf sampler: cannot resume a sweep: {error}"));
        }
        loop {
            self.read_wanted();
            self.look_at_sessions();
            for due in self.timetable.due(server::timestamp_now()) {
                self.take(due);
            }
            let budget = guc::sampler_budget() * (1.0 - self.buffers.share());
            self.timetable.keep_within(budget, server::timestamp_now());
            self.keep_up();
            self.rest();
        }
    }

    /// Calls `pgperf.maintain` now and then.
    fn keep_up(&mut self) {
        let Some(interval) = guc::maintain_interval() else {
            return;
        };
        let now = clock::now();
        if now < self.kept_up_at + self.keeps_up_for.min(interval).as_nanos() as u64 {
            return;
        }
        (self.kept_up_at, self.keeps_up_for) = (now, Duration::MAX);
        let done = self.in_transaction(|| {
            latch::report_running("pgperf: maintaining the history");
            spi::select::<IgnoredAny>(MAINTAIN, &[])
        });
        latch::report_idle();
        if let Err(error) = done {
            server::log(&format!("pgperf sampler: history not maintained: {error}"));
        }
    }

    /// Waits until something is due or has to be checked.
    fn rest(&mut self) {
        let now = server::timestamp_now();
        let due_in = self.timetable.next_at().map_or(i64::MAX, |at| at - now);
        let due_in = Duration::from_micros(due_in.max(0) as u64);
        let look_in = self.buffers.look().min(self.sessions.due_in());
        latch::wait(due_in.min(look_in).min(WATCH_INTERVAL));
        self.watch.leave_if_asked();
        if clock::now() >= self.seen_at + EXTENSION_INTERVAL_NS {
            let extension = self.extension;
            let seen = xact::bare_transaction(|| lock::try_lock_extension(extension));
            if let Some(reason) = seen.ok().and_then(|seen| seen.loss()) {
                leave(reason);
            }
            self.seen_at = clock::now();
            latch::report_statistics(false);
        }
    }

    /// The wanted collectors and their intervals.
    fn read_wanted(&mut self) {
        #[derive(Deserialize)]
        struct Wanted {
            name: String,
            seconds: f64,
        }
        let now = clock::now();
        if self.read_at.is_some_and(|at| now < at + WANTED_INTERVAL_NS) {
            return;
        }
        self.read_at = Some(now);
        let read = self.in_transaction(|| {
            spi::select::<Wanted>(
                "SELECT name, EXTRACT(epoch FROM sample_interval)::pg_catalog.float8 AS seconds \
                 FROM pgperf.collectors WHERE enabled AND sample_interval IS NOT NULL",
                &[],
            )
        });
        latch::report_idle();
        match read {
            Ok(rows) => {
                let interval = |collector: &Collector| {
                    let row = rows.iter().find(|row| row.name == collector.name)?;
                    Some(timetable::Wanted {
                        name: collector.name,
                        interval: (row.seconds * 1e6) as Micros,
                        keeps_interval: collector.keeps_interval,
                    })
                };
                let wanted: Vec<_> = ALL
                    .into_iter()
                    .filter(|collector| collector.exists_here())
                    .filter_map(interval)
                    .collect();
                self.timetable.set(&wanted, server::timestamp_now());
                let follow = wanted.iter().any(|wanted| Buffers::are_for(wanted.name));
                self.buffers.follow(follow, guc::sampler_budget());
                let follow = wanted.iter().any(|wanted| Sessions::are_for(wanted.name));
                self.sessions.follow(follow);
                if !self.buffers.have_begun() {
                    self.take_buffers();
                }
            }
            Err(error) => self.tell(&error.to_string()),
        }
    }

    /// Takes a sample. Its cost is recorded even if it could not be stored.
    fn take(&mut self, due: Due) {
        let cpu_before = clock::cpu_time();
        let count = due.collectors.len().max(1) as f64;
        let follows = due
            .collectors
            .iter()
            .any(|(name, _)| Buffers::are_for(name));
        let hit_curve = if follows { self.take_buffers() } else { None };
        let watches = (due.collectors.iter()).any(|(name, _)| Sessions::are_for(name));
        let (sessions, looking) = if watches {
            self.sessions.take()
        } else {
            (None, 0.0)
        };
        let request = Request {
            run_id: None,
            cadence_s: Some(due.cadence as f64 / 1e6),
            whole: false,
            watched: Watched {
                hit_curve,
                sessions,
                ..Watched::default()
            },
            parts: parts(&due, &mut self.full_at, server::timestamp_now()),
        };
        let result = take_stepwise(self, request);
        latch::report_idle();
        let spent = (clock::cpu_time() - cpu_before) as f64 / 1e3;
        let outcomes = match result {
            Ok(Sample { outcomes, .. }) => {
                self.told = None;
                outcomes
            }
            Err(error) => {
                self.tell(&error.to_string());
                Vec::new()
            }
        };
        let own = |name: &str| {
            let outcome = outcomes.iter().find(|outcome| outcome.collector == name);
            outcome.map_or(0.0, |outcome| outcome.cpu_ms * 1e3)
        };
        // What belongs to none of them is shared.
        let owned: f64 = due.collectors.iter().map(|(name, _)| own(name)).sum();
        let common = (spent - owned).max(0.0) / count;
        for (name, _) in &due.collectors {
            let looking = if Sessions::are_for(name) {
                looking
            } else {
                0.0
            };
            self.timetable.spent(name, own(name) + common + looking);
        }
    }

    /// A look at the sessions, if it is due.
    fn look_at_sessions(&mut self) {
        let mut sessions = std::mem::take(&mut self.sessions);
        let looked = sessions.look_if_due(guc::sampler_budget(), |queues| {
            let looked = self.in_transaction(|| queues.look());
            latch::report_idle();
            looked
        });
        self.sessions = sessions;
        if let Err(error) = looked {
            self.tell(&error.to_string());
        }
    }

    /// What was seen of the buffers since the last time.
    fn take_buffers(&mut self) -> Option<Followed> {
        match self.in_transaction(database_accesses) {
            Ok(accesses) => self.buffers.take(accesses),
            Err(error) => {
                self.tell(&error.to_string());
                None
            }
        }
    }

    fn tell(&mut self, trouble: &str) {
        if trouble_is_new(&mut self.told, trouble) {
            server::log(&format!("pgperf sampler: no sample: {trouble}"));
        }
    }
}

/// The contents of a sample: all figures of a collector whose last full sample is from another minute, otherwise the
/// cheap ones.
fn parts(due: &Due, full_at: &mut HashMap<&'static str, i64>, now: Micros) -> Vec<Part> {
    let tick = now.div_euclid(FULL_INTERVAL);
    let part = |&(name, interval): &(&'static str, Micros)| {
        let collector = ALL.into_iter().find(|collector| collector.name == name)?;
        let often = collector.in_runs == InRuns::EveryInterval && due.cadence < FULL_INTERVAL;
        let depth = match full_at.insert(name, tick) {
            Some(last) if often && last == tick => Depth::Tick,
            _ => Depth::Full,
        };
        let seconds = |micros: Micros| micros as f64 / 1e6;
        let stretched = (due.cadence != interval).then(|| {
            format!(
                "taken every {} s instead of {} s, to keep within pgperf.sampler_budget_percent",
                seconds(due.cadence),
                seconds(interval)
            )
        });
        Some(Part {
            collector,
            depth,
            stretched,
        })
    };
    due.collectors.iter().filter_map(part).collect()
}

impl Steps for Sampler {
    fn in_transaction<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.watch.leave_if_asked();
        // A sample may take a while.
        self.look_at_sessions();
        latch::report_running("pgperf: taking a sample");
        match store(self.extension, body) {
            Ok(value) => Ok(value),
            Err(Unstored::Gone) => leave("the extension is gone"),
            Err(unstored) => Err(unstored.into()),
        }
    }

    fn without_snapshot<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.watch.leave_if_asked();
        latch::report_running("pgperf: measuring a relation");
        xact::bare_transaction(body).map_err(|error| Error::from(Unstored::Failed(error)))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_looked_at_once_a_minute() {
        const S: Micros = 1_000_000;
        let due = |seconds| Due {
            cadence: seconds * S,
            collectors: vec![("wal", seconds * S), ("tables", seconds * S)],
        };
        let mut full_at = HashMap::new();
        let mut wal = |seconds, now| {
            let parts = parts(&due(seconds), &mut full_at, now * S);
            assert_eq!(parts[1].depth, Depth::Full);
            parts[0].depth
        };
        // The first one, then at the ticks of the clock, also where the one due was missed.
        let depths: Vec<_> = [35, 45, 55, 60, 70, 80, 130, 140]
            .map(|now| wal(10, now))
            .into_iter()
            .map(|depth| depth == Depth::Full)
            .collect();
        assert_eq!(
            depths,
            [true, false, false, true, false, false, true, false]
        );
        assert_eq!(wal(60, 150), Depth::Full);
    }
}
