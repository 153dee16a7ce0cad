//! The session that searches: it waits without a snapshot, polls the backlogs, and alters the rate of the run.

use super::bracket::{Bracket, Next};
use super::criteria::{self, Condition, Criterion};
use super::judge::{self, Judged, Point, Series, Verdict};
use super::observe::{Backlogs, Interval, Known};
use super::record::{self, End, SearchSpec, Step};
use super::report::lines_of;
use crate::catalog::runs::{ExistingRun, by_id};
use crate::error::{Result, invalid};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::procedure::NonAtomic;
use crate::run::alter::alter;
use crate::run::control;
use pgrx::prelude::*;
use std::time::Duration;

/// How often it looks at the backlogs, and for a reason to end.
const LOOK_NS: u64 = 500_000_000;
const WATCH: Duration = Duration::from_millis(20);
/// Where so many transactions are due on average and none has ended, that is no chance: less than 1 % of such steps have none by chance.
const DUE: f64 = 5.0;
/// A rate while receivers catch up after a step that failed: this part of that step's.
const CALM: f64 = 0.02;
/// They have caught up where they are no further behind than in the beginning and what comes in so many seconds.
const NEAR_S: f64 = 0.25;

/// `pgperf_internal.drive_rate_search`: commits, then searches until the end.
#[pg_extern(sql = false)]
fn drive_rate_search(run_id: Option<i64>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let procedure = NonAtomic::check(fcinfo, "pgperf.find_rate")?;
    let run = by_id(run_id)?;
    run.check_control()?;
    let run_id = run.run_id;
    let spec = role::as_owner(|| record::spec(&run.node_id, run_id))?
        .ok_or_else(|| invalid(format!("run {run_id} is no search of a rate")))?;
    procedure.commit();
    let mut search = Search {
        criteria: criteria::parse(spec.criteria.as_ref())?,
        bracket: Bracket::new(
            spec.start_rate,
            spec.max_rate,
            spec.precision_percent / 100.0,
        ),
        began: clock::now(),
        steps: 0,
        lag_before: 0.0,
        known: Known::default(),
        stopping: false,
        timed_out: false,
        procedure,
        run,
        spec,
    };
    let outcome = search.search();
    let end = match &outcome {
        Ok(end) => *end,
        Err(_) => End::Failed,
    };
    let end = search.end(end)?;
    outcome?;
    if search.timed_out {
        latch::cancel_now();
    }
    if end == End::Failed {
        search.ask(|| control::check_finished(&search.run))?;
    }
    Ok(())
}

struct Search {
    procedure: NonAtomic,
    run: ExistingRun,
    spec: SearchSpec,
    criteria: Vec<Criterion>,
    bracket: Bracket,
    began: u64,
    steps: i32,
    /// How far receivers were behind before anything began, in bytes.
    lag_before: f64,
    known: Known,
    stopping: bool,
    /// It ends because of `statement_timeout`, which is an error of the call.
    timed_out: bool,
}

/// What a step observed.
struct Observed {
    series: Vec<Series>,
    /// Of the intervals so far.
    seconds: f64,
    transactions: f64,
    p99_weighted: f64,
    next_interval: i32,
    wal_per_s: f64,
}

impl Search {
    fn search(&mut self) -> Result<End> {
        self.await_running()?;
        if self.stopping {
            return Ok(End::Stopped);
        }
        if let Some(backlogs) = self.look()? {
            self.lag_before = backlogs.lag();
        }
        loop {
            let rate = match self.bracket.next() {
                Next::Try(rate) => rate,
                Next::Found => return Ok(End::Found),
                Next::MaxHolds => return Ok(End::MaxHolds),
                Next::NoneHolds => return Ok(End::NoneHolds),
            };
            if self.seconds() + self.spec.settle_s + self.spec.step_s > self.spec.max_time_s {
                return Ok(End::TimeOver);
            }
            match self.step(rate)? {
                None => return Ok(End::Stopped),
                Some(Verdict::Open) => return Ok(End::TimeOver),
                Some(_) => {}
            }
        }
    }

    fn seconds(&self) -> f64 {
        clock::now().saturating_sub(self.began) as f64 / 1e9
    }

    /// Waits until the run measures.
    fn await_running(&mut self) -> Result<()> {
        while !self.stopping && lock::leader_lives(self.run.run_id) {
            if self.ask(|| control::status(&self.run))? == "running" {
                break;
            }
            self.pause(100_000_000)?;
        }
        self.began = clock::now();
        Ok(())
    }

    /// Waits for so long; false if the search is to end: the run has ended, or somebody has pressed Ctrl-C.
    fn pause(&mut self, ns: u64) -> Result<bool> {
        let until = clock::now() + ns;
        while clock::now() < until && !self.stopping {
            latch::pause_for_workers(WATCH);
            if self.take_cancel() {
                self.stopping = true;
            }
            latch::interrupts();
            if !lock::leader_lives(self.run.run_id) {
                self.stopping = true;
            }
        }
        Ok(!self.stopping)
    }

    /// Whether somebody has pressed Ctrl-C, or `statement_timeout` is over: once for each time.
    fn take_cancel(&mut self) -> bool {
        let is_canceled = latch::cancel_pending();
        if is_canceled {
            latch::forget_cancel();
            self.timed_out |= latch::timed_out();
        }
        is_canceled
    }

    /// Reads or writes with a snapshot. Ctrl-C waits for [`Search::pause`], which stops the run.
    fn ask<T>(&self, body: impl FnOnce() -> T) -> T {
        latch::holding_cancel(|| self.procedure.with_snapshot(body))
    }

    fn look(&mut self) -> Result<Option<Backlogs>> {
        let backlogs = self.ask(|| role::as_owner(Backlogs::read))?;
        Ok(backlogs.map(|it| it.following(&mut self.known)))
    }

    fn intervals(&self, from: i32) -> Result<Vec<Interval>> {
        let (node_id, run_id) = (&self.run.node_id, self.run.run_id);
        self.ask(|| role::as_owner(|| Interval::read(node_id, run_id, from)))
    }

    /// Alters the rate; false: somebody has stopped the run meanwhile.
    fn alter(&self, rate: f64) -> Result<bool> {
        match self.ask(|| alter(&self.run, Some(rate))) {
            Ok(()) => Ok(true),
            Err(_) if !lock::leader_lives(self.run.run_id) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// One rate, until the criteria are judged or the time of a step is over. None: the search is to end.
    fn step(&mut self, rate: f64) -> Result<Option<Verdict>> {
        let began_at = server::timestamp_now();
        if !self.alter(rate)? || !self.pause((self.spec.settle_s * 1e9) as u64)? {
            return Ok(None);
        }
        let last = self.intervals(0)?.last().map_or(-1, |it| it.interval_no);
        let mut observed = Observed {
            series: self.criteria.iter().map(empty).collect(),
            seconds: 0.0,
            transactions: 0.0,
            p99_weighted: 0.0,
            next_interval: last + 2,
            wal_per_s: 0.0,
        };
        let began = clock::now();
        let mut first: Option<Backlogs> = None;
        let (judged, verdict, decided) = loop {
            if !self.pause(LOOK_NS)? {
                return Ok(None);
            }
            let seconds = (clock::now() - began) as f64 / 1e9;
            if let Some(backlogs) = self.look()? {
                let first = first.get_or_insert_with(|| backlogs.clone());
                observed.wal_per_s = (backlogs.wal - first.wal) / seconds.max(0.1);
                self.add_backlogs(&mut observed, &backlogs, seconds);
            }
            self.add_intervals(&mut observed)?;
            let judged: Vec<Judged> = self
                .criteria
                .iter()
                .zip(&observed.series)
                .map(|(criterion, series)| {
                    judge::judge(criterion, series, seconds >= self.spec.step_s)
                })
                .collect();
            let is_over = seconds >= self.spec.max_step_s || self.seconds() >= self.spec.max_time_s;
            let is_idle = observed.transactions == 0.0;
            match judge::step(&judged, false) {
                Verdict::Fails => break (judged, Verdict::Fails, true),
                Verdict::Holds if !is_idle => break (judged, Verdict::Holds, true),
                _ if !is_over => {}
                _ if is_idle => break (judged, Verdict::Fails, rate * seconds >= DUE),
                _ => {
                    let verdict = judge::step(&judged, true);
                    break (judged, verdict, false);
                }
            }
        };
        self.steps += 1;
        let seconds = (clock::now() - began) as f64 / 1e9;
        let step = Step {
            number: self.steps,
            rate,
            began_at,
            seconds,
            verdict,
            decided,
            tps: (observed.seconds > 0.0).then(|| observed.transactions / observed.seconds),
            latency_p99_ms: (observed.transactions > 0.0)
                .then(|| observed.p99_weighted / observed.transactions),
            judged: &judged,
        };
        let (node_id, run_id) = (&self.run.node_id, self.run.run_id);
        self.ask(|| role::as_owner(|| record::store_step(node_id, run_id, &step)))?;
        self.tell(&step);
        match verdict {
            Verdict::Fails => {
                let growth = judge::gave_way(&judged).and_then(|it| it.growth);
                self.bracket.fails(rate, growth);
                if !self.recover(rate, observed.wal_per_s)? {
                    return Ok(None);
                }
            }
            _ => self.bracket.holds(rate),
        }
        Ok(Some(verdict))
    }

    fn add_backlogs(&self, observed: &mut Observed, backlogs: &Backlogs, at_s: f64) {
        for (criterion, series) in self.criteria.iter().zip(&mut observed.series) {
            if let (Series::Backlog(points), Some(point)) =
                (series, backlogs.point(criterion.subject, at_s))
            {
                points.push(point);
            }
        }
    }

    /// Adds the intervals that have been stored since the last time.
    fn add_intervals(&self, observed: &mut Observed) -> Result<()> {
        for interval in self.intervals(observed.next_interval)? {
            observed.next_interval = interval.interval_no + 1;
            observed.seconds += interval.seconds;
            observed.transactions += interval.transactions;
            observed.p99_weighted += interval.latency_p99_ms.unwrap_or(0.0) * interval.transactions;
            for (criterion, series) in self.criteria.iter().zip(&mut observed.series) {
                let Some(value) = interval.value(criterion.subject) else {
                    continue;
                };
                match series {
                    Series::Values(values) => values.push(value),
                    // The lag behind the schedule grows by the time that passes where nothing is done.
                    Series::Backlog(points) => points.push(Point {
                        at_s: observed.seconds,
                        level: value,
                        inflow: observed.seconds * 1000.0,
                    }),
                }
            }
        }
        Ok(())
    }

    /// After a step that failed: lets receivers catch up, so that the next step begins like the first one. A receiver may
    /// report nothing while it is behind. False: the search is to end.
    fn recover(&mut self, rate: f64, wal_per_s: f64) -> Result<bool> {
        let lags = self
            .criteria
            .iter()
            .any(|it| it.subject == criteria::Subject::ReplicationLag);
        if !lags {
            return Ok(!self.stopping);
        }
        if !self.alter(rate * CALM)? {
            return Ok(false);
        }
        let near = self.lag_before + wal_per_s * NEAR_S;
        let until = clock::now() + (self.spec.max_step_s * 1e9) as u64;
        while clock::now() < until && self.seconds() < self.spec.max_time_s {
            if !self.pause(LOOK_NS)? {
                return Ok(false);
            }
            if self.look()?.is_none_or(|backlogs| backlogs.lag() <= near) {
                break;
            }
        }
        Ok(true)
    }

    fn tell(&self, step: &Step) {
        let nothing = match step.tps {
            Some(0.0) | None if step.verdict == Verdict::Fails => ": no transaction has ended",
            _ => "",
        };
        let reason = step.culprit().map_or(nothing.to_owned(), |it| {
            let growth = it.growth.map_or(String::new(), |growth| {
                format!(", {:.1} % of what comes stays", 100.0 * growth)
            });
            format!(": {}{growth}", it.criterion)
        });
        let verdict = match (step.verdict, step.decided) {
            (Verdict::Fails, true) => "fails",
            (Verdict::Fails, false) => "rather fails",
            (_, true) => "holds",
            (_, false) => "rather holds",
        };
        say(
            PgLogLevel::INFO,
            format!(
                "step {}: rate {:.1}, {:.0} s, {verdict}{reason}",
                step.number, step.rate, step.seconds
            ),
        );
    }

    /// Stops the run, waits for its end, and stores the result, which is returned: a run that failed is none that somebody stopped.
    fn end(&mut self, mut end: End) -> Result<End> {
        let run_id = self.run.run_id;
        if lock::leader_lives(run_id) {
            self.ask(|| control::stop(&self.run))?;
        }
        while lock::leader_lives(run_id) {
            latch::pause_for_workers(WATCH);
            // Once more: its statements are cancelled.
            if self.take_cancel() {
                self.ask(|| control::stop(&self.run))?;
            }
            latch::interrupts();
        }
        let run = &self.run;
        let status = self.ask(|| control::status(run))?;
        if end == End::Stopped && matches!(status.as_str(), "failed" | "interrupted") {
            end = End::Failed;
        }
        let (low, high) = (self.bracket.low, self.bracket.high);
        let node_id = &run.node_id;
        self.ask(|| role::as_owner(|| record::end(node_id, run_id, end, low, high)))?;
        let lines = self.ask(|| lines_of(run))?;
        say(PgLogLevel::INFO, lines.join("\n"));
        Ok(end)
    }
}

fn empty(criterion: &Criterion) -> Series {
    let is_lag = criterion.subject == criteria::Subject::ScheduleLag
        && criterion.condition == Condition::Steady;
    match criterion.subject.is_backlog() || is_lag {
        true => Series::Backlog(Vec::new()),
        false => Series::Values(Vec::new()),
    }
}
