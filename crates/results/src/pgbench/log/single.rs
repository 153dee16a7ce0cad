//! A line for each transaction: client, number, latency in µs or how it failed, script, end in seconds and µs, and then
//! the lag in µs behind a schedule (with a rate), and the number of retries (if there may be any).

use super::{EPOCHS, take_intervals};
use crate::facts::{Interval, Outcomes, Run, Script};
use crate::latencies::{LONGEST_US, Latencies};
use crate::numbers::count;
use crate::timeline::{Cell, Timeline};

/// pgbench takes 128 scripts.
const SCRIPTS: u64 = 128;
const US_PER_S: u64 = 1_000_000;

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoggedOutcome {
    /// After so many µs.
    Done(u64),
    Skipped,
    Failed,
    Serialization,
    Deadlock,
    Other,
}

/// A line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    client: u64,
    outcome: LoggedOutcome,
    script: usize,
    /// µs since 1970.
    end_us: u64,
    /// The seventh field, and the eighth: lag and retries if both are there, otherwise one of them.
    more: [Option<u64>; 2],
}

/// None: it is no such line.
pub fn read(line: &str) -> Option<Transaction> {
    let mut fields = line.split_ascii_whitespace();
    let client = count(fields.next()?).filter(|client| *client < EPOCHS.start)?;
    count(fields.next()?)?;
    let outcome = match fields.next()? {
        "skipped" => LoggedOutcome::Skipped,
        "failed" => LoggedOutcome::Failed,
        "serialization" => LoggedOutcome::Serialization,
        "deadlock" => LoggedOutcome::Deadlock,
        "other" => LoggedOutcome::Other,
        latency => LoggedOutcome::Done(count(latency).filter(|us| *us <= LONGEST_US)?),
    };
    let script = usize::try_from(count(fields.next()?).filter(|script| *script < SCRIPTS)?).ok()?;
    let second = count(fields.next()?).filter(|second| EPOCHS.contains(second))?;
    let us = count(fields.next()?).filter(|us| *us < US_PER_S)?;
    let mut more = [None; 2];
    for (place, field) in more.iter_mut().zip(fields.by_ref()) {
        *place = Some(count(field).filter(|value| *value <= LONGEST_US)?);
    }
    fields.next().is_none().then_some(Transaction {
        client,
        outcome,
        script,
        end_us: second * US_PER_S + us,
        more,
    })
}

/// Transactions, of an interval or of all.
#[derive(Debug, Default)]
struct Transactions {
    latencies: Latencies,
    failed: u64,
    serialization: u64,
    deadlock: u64,
    other: u64,
    skipped: u64,
    /// The seventh field of transactions that were done, as a lag.
    lag: Latencies,
    /// The last field as a number of retries, of all that were tried.
    retries: u64,
    retried: u64,
}

impl Cell for Transactions {
    fn join(&mut self, later: Transactions) {
        self.latencies.merge(&later.latencies);
        self.lag.merge(&later.lag);
        self.failed += later.failed;
        self.serialization += later.serialization;
        self.deadlock += later.deadlock;
        self.other += later.other;
        self.skipped += later.skipped;
        self.retries = self.retries.saturating_add(later.retries);
        self.retried += later.retried;
    }
}

impl Transactions {
    fn add(&mut self, transaction: &Transaction) {
        let [seventh, eighth] = transaction.more;
        match transaction.outcome {
            LoggedOutcome::Done(us) => {
                self.latencies.record(us);
                if let Some(lag) = seventh {
                    self.lag.sums(1, u128::from(lag), 0.0, lag);
                }
            }
            LoggedOutcome::Skipped => self.skipped += 1,
            LoggedOutcome::Failed => self.failed += 1,
            LoggedOutcome::Serialization => self.serialization += 1,
            LoggedOutcome::Deadlock => self.deadlock += 1,
            LoggedOutcome::Other => self.other += 1,
        }
        if transaction.outcome != LoggedOutcome::Skipped
            && let Some(retries) = eighth.or(seventh)
        {
            self.retries = self.retries.saturating_add(retries);
            self.retried += u64::from(retries > 0);
        }
    }

    fn outcomes(&self, fields: &Fields) -> Outcomes {
        let known = |count: u64| fields.kinds.then_some(count);
        Outcomes {
            failed: Some(self.failed + self.serialization + self.deadlock + self.other),
            serialization_failures: known(self.serialization),
            deadlock_failures: known(self.deadlock),
            other_failures: known(self.other),
            retried: fields.retries.then_some(self.retried),
            retries: fields.retries.then_some(self.retries),
            skipped: Some(self.skipped),
            late: None,
        }
    }

    fn lag_ms(&self, fields: &Fields) -> [Option<f64>; 2] {
        let lag = self.lag.latency();
        [lag.latency_avg_ms, lag.latency_max_ms].map(|ms| ms.filter(|_| fields.lag))
    }
}

/// Which fields the lines have.
#[derive(Debug, Default)]
struct Fields {
    lag: bool,
    retries: bool,
    /// Failures are told apart (`--failures-detailed`), or there is none.
    kinds: bool,
}

/// All lines.
#[derive(Debug, Default)]
pub struct Single {
    over_time: Timeline<Transactions>,
    scripts: Vec<Latencies>,
    clients: u64,
    begin_us: Option<u64>,
    end_us: Option<u64>,
    shortest_us: Option<u64>,
    has_seventh: bool,
    has_eighth: bool,
}

impl Single {
    pub fn add(&mut self, transaction: &Transaction) {
        let second = i64::try_from(transaction.end_us / US_PER_S).unwrap_or(i64::MAX);
        self.over_time.at(second).add(transaction);
        self.clients = self.clients.max(transaction.client + 1);
        self.end_us = self.end_us.max(Some(transaction.end_us));
        let mut begin = transaction.end_us;
        if let LoggedOutcome::Done(us) = transaction.outcome {
            begin = begin.saturating_sub(us);
            self.shortest_us = Some(self.shortest_us.map_or(us, |shortest| shortest.min(us)));
            if self.scripts.len() <= transaction.script {
                self.scripts
                    .resize_with(transaction.script + 1, Latencies::default);
            }
            if let Some(script) = self.scripts.get_mut(transaction.script) {
                script.record(us);
            }
        }
        self.begin_us = Some(self.begin_us.map_or(begin, |first| first.min(begin)));
        self.has_seventh |= transaction.more[0].is_some();
        self.has_eighth |= transaction.more[1].is_some();
    }

    pub fn is_empty(&self) -> bool {
        self.over_time.is_empty()
    }

    pub fn into_run(self, run: &mut Run, notes: &mut Vec<String>) {
        let (Some(begin_us), Some(end_us)) = (self.begin_us, self.end_us) else {
            return;
        };
        let width = self.over_time.width().unsigned_abs();
        let mut cells = self.over_time.filled();
        // What ended in the very moment between two intervals belongs to the one before.
        if let Some((second, cell)) =
            cells.pop_if(|(second, _)| *second as u64 * US_PER_S >= end_us)
        {
            match cells.last_mut() {
                Some((_, before)) => before.join(cell),
                None => cells.push((second, cell)),
            }
        }
        let sum =
            |of: fn(&Transactions) -> u64| cells.iter().map(|(_, cell)| of(cell)).sum::<u64>();
        let mut fields = fields(
            run,
            self.has_seventh,
            self.has_eighth,
            sum(|c| c.skipped) > 0,
        );
        fields.kinds = sum(|c| c.failed) == 0;
        if self.has_seventh && !fields.lag && !fields.retries {
            notes.push(
                "the last field of the log is a lag or a number of retries, and was left out: \
                 the output of the run would tell which"
                    .into(),
            );
        }
        // From µs, as the difference of two large numbers of seconds is not exact.
        let since = |us: u64| us.saturating_sub(begin_us) as f64 / US_PER_S as f64;
        let end = since(end_us);
        let last = cells.len().saturating_sub(1);
        let intervals = cells.iter().enumerate().map(|(number, (second, cell))| {
            // The first and the last one are as long as there were transactions.
            let second = u64::try_from(*second).unwrap_or(0);
            let from = if number == 0 {
                begin_us
            } else {
                second * US_PER_S
            };
            let to = if number == last {
                end_us
            } else {
                (second + width) * US_PER_S
            };
            let seconds = to.saturating_sub(from) as f64 / US_PER_S as f64;
            interval(cell, &fields, since(from), seconds)
        });
        // One that did not succeed took no time that is known.
        let intervals = intervals.filter(|interval| interval.seconds > 0.0);
        let intervals: Vec<Interval> = intervals.collect();
        let mut all = Transactions::default();
        for (_, cell) in cells {
            all.join(cell);
        }
        let logged = all.latencies.count();
        let of_output = run.complete;
        let is_whole = take_intervals(run, intervals, logged, notes);
        if is_whole || !of_output {
            run.started_s = Some(begin_us as f64 / US_PER_S as f64);
        }
        run.clients = run.clients.or(Some(self.clients));
        if let Some(us) = self.shortest_us.filter(|_| is_whole) {
            run.figure("latency_min_ms", us as f64 / 1e3, "ms");
        }
        totals(run, &all, &fields, end, of_output);
        scripts(run, &self.scripts, end, of_output);
        run.complete = true;
    }
}

/// With eight fields there are both. A seventh alone is a lag or a number of retries.
fn fields(run: &Run, has_seventh: bool, has_eighth: bool, skips: bool) -> Fields {
    // Only with a rate transactions are skipped.
    let has_lag = skips || run.totals.lag_avg_ms.is_some();
    let may_retry = run.max_tries.is_some_and(|tries| tries != 1);
    // Before 15 nothing was retried, nor is it with one try.
    let never_retries = run.complete && !may_retry;
    Fields {
        lag: has_eighth || has_seventh && (has_lag || never_retries),
        retries: has_eighth || has_seventh && !has_lag && may_retry,
        kinds: false,
    }
}

fn interval(cell: &Transactions, fields: &Fields, start_s: f64, seconds: f64) -> Interval {
    let transactions = cell.latencies.count();
    let [lag_avg_ms, lag_max_ms] = cell.lag_ms(fields);
    Interval {
        start_s,
        seconds,
        transactions,
        tps: if seconds > 0.0 {
            transactions as f64 / seconds
        } else {
            0.0
        },
        latency: cell.latencies.latency(),
        outcomes: cell.outcomes(fields),
        lag_avg_ms,
        lag_max_ms,
        histogram: cell.latencies.histogram(),
    }
}

/// What the output does not say; all of it where there is none.
fn totals(run: &mut Run, all: &Transactions, fields: &Fields, seconds: f64, of_output: bool) {
    let totals = &mut run.totals;
    let mut latency = all.latencies.latency();
    let printed = totals.latency;
    latency.latency_avg_ms = printed.latency_avg_ms.or(latency.latency_avg_ms);
    latency.latency_stddev_ms = printed.latency_stddev_ms.or(latency.latency_stddev_ms);
    totals.latency = latency;
    totals.histogram = all.latencies.histogram();
    if !of_output {
        totals.seconds = Some(seconds).filter(|seconds| *seconds > 0.0);
        totals.transactions = Some(all.latencies.count());
        totals.outcomes = all.outcomes(fields);
        [totals.lag_avg_ms, totals.lag_max_ms] = all.lag_ms(fields);
    }
}

/// The distribution of each script's latencies, where there are several.
fn scripts(run: &mut Run, scripts: &[Latencies], seconds: f64, of_output: bool) {
    if of_output {
        for (script, latencies) in run.scripts.iter_mut().zip(scripts) {
            let printed = script.latency;
            script.latency = latencies.latency();
            let own = &mut script.latency;
            own.latency_avg_ms = printed.latency_avg_ms.or(own.latency_avg_ms);
            own.latency_stddev_ms = printed.latency_stddev_ms.or(own.latency_stddev_ms);
            script.histogram = latencies.histogram();
        }
    } else if scripts.len() > 1 {
        run.scripts = (1..)
            .zip(scripts)
            .map(|(number, latencies)| Script {
                name: format!("script {number}"),
                transactions: Some(latencies.count()),
                tps: (seconds > 0.0).then(|| latencies.count() as f64 / seconds),
                latency: latencies.latency(),
                histogram: latencies.histogram(),
                ..Script::default()
            })
            .collect();
    }
}
