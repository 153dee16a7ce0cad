//! A line for each interval: its beginning in seconds since 1970; number, sum, sum of squares, shortest and longest of the
//! latencies, µs; with a rate the same of the lag; with a latency limit the number skipped. From 15 on all of these, and
//! numbers of retries and failures, are always there: where the run has no such option they are 0.

use super::{EPOCHS, take_intervals};
use crate::facts::{Interval, Outcomes, Run};
use crate::latencies::{LONGEST_US, Latencies};
use crate::numbers::{count, decimal};
use crate::timeline::{Cell, Timeline};
use std::collections::BTreeMap;

/// So many beginnings are kept until two of them show how long an interval is.
const MOST_PENDING: usize = 1_000;

/// A line.
#[derive(Debug, Clone, Default)]
pub struct AggregatedLine {
    start_s: i64,
    latencies: Latencies,
    shortest_us: Option<u64>,
    lag: Latencies,
    skipped: Option<u64>,
    retried: Option<u64>,
    retries: Option<u64>,
    serialization: Option<u64>,
    deadlock: Option<u64>,
    other: Option<u64>,
}

/// None: it is no such line.
pub fn read(line: &str) -> Option<AggregatedLine> {
    let mut fields = line.split_ascii_whitespace();
    let start = count(fields.next()?).filter(|start| EPOCHS.contains(start))?;
    let (transactions, latencies, shortest) = sums(&mut fields, None)?;
    let mut row = AggregatedLine {
        start_s: i64::try_from(start).ok()?,
        latencies,
        shortest_us: (transactions > 0).then_some(shortest),
        ..AggregatedLine::default()
    };
    let mut more: Vec<&str> = fields.by_ref().take(11).collect();
    // Six fields, or ten, eleven, fifteen, or with other failures sixteen.
    if !matches!(more.len(), 0 | 4 | 5 | 9 | 10) {
        return None;
    }
    if !more.is_empty() {
        let counts = more.split_off(4);
        row.lag = sums(&mut more.into_iter(), Some(transactions))?.1;
        let mut counts = counts.into_iter();
        for place in [
            &mut row.skipped,
            &mut row.retried,
            &mut row.retries,
            &mut row.serialization,
            &mut row.deadlock,
            &mut row.other,
        ] {
            if let Some(field) = counts.next() {
                *place = Some(count(field).filter(|count| *count < 1 << 40)?);
            }
        }
    }
    Some(row)
}

/// Number (unless it is given), sum, sum of squares, shortest and longest.
fn sums<'a>(
    fields: &mut impl Iterator<Item = &'a str>,
    number: Option<u64>,
) -> Option<(u64, Latencies, u64)> {
    let number = match number {
        Some(number) => number,
        None => count(fields.next()?).filter(|count| *count < 1 << 40)?,
    };
    let sum = decimal(fields.next()?).filter(|sum| *sum < 1e24)?;
    let squares = decimal(fields.next()?).filter(|sum| *sum < 1e36)?;
    let shortest = count(fields.next()?).filter(|us| *us <= LONGEST_US)?;
    let longest = count(fields.next()?).filter(|us| *us <= LONGEST_US)?;
    let mut latencies = Latencies::default();
    latencies.sums(number, sum as u128, squares, longest);
    Some((number, latencies, shortest))
}

/// Rows of the same interval, or of several.
#[derive(Debug, Default)]
struct Rows {
    /// The first and the last interval in it.
    extent: Option<(i64, i64)>,
    row: AggregatedLine,
}

impl Cell for Rows {
    fn join(&mut self, later: Rows) {
        self.extent = match (self.extent, later.extent) {
            (Some(own), Some(other)) => Some((own.0.min(other.0), own.1.max(other.1))),
            (own, other) => own.or(other),
        };
        self.row.join(&later.row);
    }
}

impl AggregatedLine {
    fn join(&mut self, other: &AggregatedLine) {
        self.latencies.merge(&other.latencies);
        self.lag.merge(&other.lag);
        self.shortest_us = match (self.shortest_us, other.shortest_us) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        };
        for (own, other) in [
            (&mut self.skipped, other.skipped),
            (&mut self.retried, other.retried),
            (&mut self.retries, other.retries),
            (&mut self.serialization, other.serialization),
            (&mut self.deadlock, other.deadlock),
            (&mut self.other, other.other),
        ] {
            *own = match (*own, other) {
                (Some(own), Some(other)) => Some(own.saturating_add(other)),
                (own, other) => own.or(other),
            };
        }
    }
}

/// All lines.
#[derive(Debug, Default)]
pub struct Aggregated {
    /// Before the length of an interval is known.
    pending: BTreeMap<i64, AggregatedLine>,
    previous_s: Option<i64>,
    /// The length of an interval, and the beginning of the first.
    grid: Option<(i64, i64)>,
    over_time: Timeline<Rows>,
}

impl Aggregated {
    pub fn add(&mut self, row: AggregatedLine) {
        let start = row.start_s;
        if self.grid.is_none() {
            // pgbench also prints intervals in which nothing was done.
            let length = self.previous_s.map_or(0, |previous| start - previous);
            let is_full = self.pending.len() >= MOST_PENDING;
            if length > 0 || is_full {
                self.grid = Some((if length > 0 { length } else { 1 }, start));
                for row in std::mem::take(&mut self.pending).into_values() {
                    self.put(row);
                }
            }
        }
        self.previous_s = Some(start);
        self.put(row);
    }

    fn put(&mut self, row: AggregatedLine) {
        let Some((length, base)) = self.grid else {
            let pending = self.pending.entry(row.start_s).or_default();
            pending.start_s = row.start_s;
            pending.join(&row);
            return;
        };
        // Threads do not begin in the same second.
        let number = (row.start_s - base + (length - 1) / 2).div_euclid(length);
        self.over_time.at(number).join(Rows {
            extent: Some((number, number)),
            row,
        });
    }

    pub fn is_empty(&self) -> bool {
        self.over_time.is_empty() && self.pending.is_empty()
    }

    pub fn into_run(mut self, run: &mut Run, notes: &mut Vec<String>) {
        if self.grid.is_none() {
            // A single interval, of which only the run may say how long it was.
            let start = self.pending.keys().next().copied().unwrap_or(0);
            let length = run.duration_s.unwrap_or(0.0) as i64;
            if length == 0 {
                notes.push("how long the only interval of the log was is not known".into());
            }
            self.grid = Some((length.max(1), start));
            for row in std::mem::take(&mut self.pending).into_values() {
                self.put(row);
            }
            if length == 0 {
                self.finish(run, None, notes);
                return;
            }
        }
        let grid = self.grid;
        self.finish(run, grid, notes);
    }

    /// `grid`: None: without intervals.
    fn finish(self, run: &mut Run, grid: Option<(i64, i64)>, notes: &mut Vec<String>) {
        let cells: Vec<Rows> = (self.over_time.filled().into_iter())
            .map(|(_, rows)| rows)
            .filter(|rows| rows.extent.is_some())
            .collect();
        let mut all = Rows::default();
        let mut sums = AggregatedLine::default();
        for rows in &cells {
            sums.join(&rows.row);
            all.extent = match (all.extent, rows.extent) {
                (Some(own), Some(other)) => Some((own.0, other.1)),
                (own, other) => own.or(other),
            };
        }
        let fields = Fields::of(&sums);
        let first = all.extent.map_or(0, |(first, _)| first);
        let of_output = run.complete;
        if let Some((length, base)) = grid {
            let seconds = |intervals: i64| (intervals * length) as f64;
            let intervals = cells.iter().filter_map(|rows| {
                let (from, to) = rows.extent?;
                Some(fields.interval(&rows.row, seconds(from - first), seconds(to - from + 1)))
            });
            let intervals = intervals.collect();
            // The transactions of the last interval, which is shorter, are not in the log.
            let logged = sums.latencies.count();
            let expected = run.totals.transactions.unwrap_or(logged);
            let is_most = logged < expected && logged >= expected / 2;
            if is_most {
                notes.push(format!(
                    "the intervals of the log have {logged} of {expected} transactions"
                ));
            }
            let counted = if is_most { expected } else { logged };
            if take_intervals(run, intervals, counted, notes) || !of_output {
                run.started_s = Some((base + first * length) as f64);
            }
            if !of_output {
                let intervals = all.extent.map_or(0, |(first, last)| last - first + 1);
                run.totals.seconds = Some(seconds(intervals));
            }
        }
        let totals = &mut run.totals;
        let latency = sums.latencies.latency();
        if !of_output {
            totals.transactions = Some(sums.latencies.count());
            totals.latency = latency;
            totals.outcomes = fields.outcomes(&sums);
            [totals.lag_avg_ms, totals.lag_max_ms] = fields.lag_ms(&sums);
        } else if totals.latency.latency_max_ms.is_none()
            && totals.transactions == Some(sums.latencies.count())
        {
            totals.latency.latency_max_ms = latency.latency_max_ms;
        }
        let is_whole = !of_output || totals.transactions == Some(sums.latencies.count());
        if let Some(us) = sums.shortest_us.filter(|_| is_whole) {
            run.figure("latency_min_ms", us as f64 / 1e3, "ms");
        }
        run.complete = true;
    }
}

/// Which fields mean something: from 15 on those of other options are there too, and 0.
struct Fields {
    lag: bool,
    failures: bool,
}

impl Fields {
    fn of(all: &AggregatedLine) -> Fields {
        let counted = |count: Option<u64>| count.is_some_and(|count| count > 0);
        Fields {
            lag: all
                .lag
                .latency()
                .latency_max_ms
                .is_some_and(|max| max > 0.0),
            // Without --failures-detailed they are 0.
            failures: [all.serialization, all.deadlock, all.other]
                .into_iter()
                .any(counted),
        }
    }

    fn outcomes(&self, row: &AggregatedLine) -> Outcomes {
        let known = |count: Option<u64>| count.filter(|_| self.failures);
        let failed = [row.serialization, row.deadlock, row.other]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add);
        Outcomes {
            failed: self.failures.then_some(failed),
            serialization_failures: known(row.serialization),
            deadlock_failures: known(row.deadlock),
            other_failures: known(row.other),
            retried: row.retried,
            retries: row.retries,
            skipped: row.skipped,
            late: None,
        }
    }

    fn lag_ms(&self, row: &AggregatedLine) -> [Option<f64>; 2] {
        let lag = row.lag.latency();
        [lag.latency_avg_ms, lag.latency_max_ms].map(|ms| ms.filter(|_| self.lag))
    }

    fn interval(&self, row: &AggregatedLine, start_s: f64, seconds: f64) -> Interval {
        let transactions = row.latencies.count();
        let [lag_avg_ms, lag_max_ms] = self.lag_ms(row);
        Interval {
            start_s,
            seconds,
            transactions,
            tps: transactions as f64 / seconds,
            latency: row.latencies.latency(),
            outcomes: self.outcomes(row),
            lag_avg_ms,
            lag_max_ms,
            histogram: None,
        }
    }
}
