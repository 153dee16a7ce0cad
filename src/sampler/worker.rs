//! A sampler: a background worker, as the extension's owner. It stays in a database ([`super::permanent`]), or visits it
//! ([`super::visit`]).
//!
//! Between samples, and between the steps of a sample, it holds no snapshot and no transaction. It exits when its database or extension is
//! dropped, and when it is cancelled.

use super::assignment::Assignment;
use super::begin::{Watch, has_begun, leave, trouble_is_new};
use super::buffers::Buffers;
use super::sessions::Sessions;
use super::timetable::{Due, Micros, Timetable};
use super::{permanent, targets, visit};
use crate::collect::watched::Followed;
use crate::collect::{
    Collector, Depth, InRuns, LOCK_TIMEOUT, Part, Request, Sample, SamplerNotes, Steps, Watched,
    take_stepwise,
};
use crate::error::{Error, Result};
use crate::pg::catalog::names;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::{spi, xact};
use crate::service::as_owner::Launch;
use crate::service::store::{Unstored, store};
use crate::subject::ALL;
use crate::subject::hit_curve::database_accesses;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::HashMap;

/// How often a collector takes all its figures, however often it is taken.
const FULL_INTERVAL: Micros = 60_000_000;

/// Samples wait meanwhile. Remaining work is done the next time.
pub const MAINTAIN: &str =
    "SELECT pg_catalog.count(*) AS done FROM pgperf.maintain(budget => '10 seconds')";

/// The main function of the worker.
pub fn main() {
    let assignment = Assignment::own();
    let Some(launch) = Launch::begin(assignment.name()) else {
        return;
    };
    // All its life, so that nothing waits longer: not even for a catalog, before a sample applies its own settings.
    let _ = xact::bare_transaction(|| setting::set("lock_timeout", LOCK_TIMEOUT));
    let watch = Watch::new(assignment);
    if !watch.hold_locks() {
        return;
    }
    match (watch.assignment(), launch.target) {
        (Assignment::Find { page }, _) => visit::find(page),
        (Assignment::Visit { page, .. }, Some(target)) => visit::run(page, target, watch),
        (Assignment::FindTargets, None) => targets::find(launch.database, &watch),
        (Assignment::Targets, Some(target)) => targets::run(target.extension, watch),
        (_, Some(target)) if has_begun(&target, &watch) => permanent::run(target.extension, watch),
        _ => {}
    }
}

/// What every sampler needs for its samples.
pub struct Sampler {
    pub extension: Oid,
    pub watch: Watch,
    pub timetable: Timetable,
    pub buffers: Buffers,
    pub sessions: Sessions,
    /// The tick of [`FULL_INTERVAL`] at which each collector last took all its figures.
    full_at: HashMap<&'static str, i64>,
    /// The database with the figures of the server, if that is another one.
    home: Option<String>,
    /// There was no worker slot for it before.
    was_short: bool,
    /// The CPU time that the next sample has to pay for, in nanoseconds since the process began.
    unpaid_since: Option<u64>,
    /// The last problem logged, or left to the launcher.
    problem: Option<String>,
}

impl Sampler {
    pub fn new(extension: Oid, watch: Watch) -> Sampler {
        let (home, was_short) = match watch.assignment() {
            Assignment::Home { was_short } => (None, was_short),
            Assignment::Visit {
                home, was_short, ..
            } => (home, was_short),
            _ => (None, false),
        };
        let name = |home: Oid| xact::bare_transaction(|| names::database_name(u32::from(home)));
        // That of a visit, the beginning of the process among it.
        let unpaid_since = (!watch.stays()).then_some(0);
        Sampler {
            extension,
            watch,
            timetable: Timetable::default(),
            buffers: Buffers::default(),
            sessions: Sessions::default(),
            full_at: HashMap::new(),
            home: home.and_then(|home| name(home).unwrap_or(None)),
            was_short,
            unpaid_since,
            problem: None,
        }
    }

    /// Calls `pgperf.maintain`.
    pub fn maintain(&mut self) {
        let done = self.in_transaction(|| {
            latch::report_running("pgperf: maintaining the history");
            spi::select::<IgnoredAny>(MAINTAIN, &[])
        });
        latch::report_idle();
        if let Err(error) = done {
            server::log(&format!("pgperf sampler: history not maintained: {error}"));
        }
    }

    /// The wanted collectors and their intervals.
    pub fn wanted(&mut self) -> Result<Vec<(&'static Collector, Micros)>> {
        let read = self.in_transaction(wanted);
        latch::report_idle();
        let mut wanted = read?;
        wanted.retain(|(collector, _)| collector.exists_here());
        Ok(wanted)
    }

    /// Takes a sample. Its cost is recorded even if it could not be stored.
    pub fn take(&mut self, due: Due) {
        let cpu_before = self.unpaid_since.take().unwrap_or_else(clock::cpu_time);
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
            notes: SamplerNotes {
                home: self.home.clone(),
                short_of_workers: std::mem::take(&mut self.was_short) || lock::workers_are_short(),
            },
        };
        let result = take_stepwise(self, request);
        latch::report_idle();
        let spent = (clock::cpu_time() - cpu_before) as f64 / 1e3;
        let outcomes = match result {
            Ok(Sample { outcomes, .. }) => {
                self.problem = None;
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
    pub fn look_at_sessions(&mut self) {
        let mut sessions = std::mem::take(&mut self.sessions);
        let looked = sessions.look_if_due(self.watch.budget(), |queues| {
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
    pub fn take_buffers(&mut self) -> Option<Followed> {
        match self.in_transaction(database_accesses) {
            Ok(accesses) => self.buffers.take(accesses),
            Err(error) => {
                self.tell(&error.to_string());
                None
            }
        }
    }

    /// That a sample could not be taken. After a visit the launcher logs it, which knows of the visits before.
    pub fn tell(&mut self, problem: &str) {
        if trouble_is_new(&mut self.problem, problem) && self.watch.stays() {
            server::log(&format!("pgperf sampler: no sample: {problem}"));
        }
    }

    pub fn problem(self) -> Option<String> {
        self.problem
    }
}

/// The collectors that a sampler is to take, and their intervals. In a transaction.
pub fn wanted() -> Result<Vec<(&'static Collector, Micros)>> {
    #[derive(Deserialize)]
    struct Wanted {
        name: String,
        seconds: f64,
    }
    let rows: Vec<Wanted> = spi::select(
        "SELECT name, EXTRACT(epoch FROM sample_interval)::pg_catalog.float8 AS seconds \
         FROM pgperf.collectors WHERE enabled AND sample_interval IS NOT NULL",
        &[],
    )?;
    let interval = |collector: &'static Collector| {
        let row = rows.iter().find(|row| row.name == collector.name)?;
        Some((collector, (row.seconds * 1e6) as Micros))
    };
    Ok(ALL.into_iter().filter_map(interval).collect())
}

/// The contents of a sample: all figures of a collector whose last full sample is from another minute, otherwise the
/// cheap ones.
pub fn parts(due: &Due, full_at: &mut HashMap<&'static str, i64>, now: Micros) -> Vec<Part> {
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
