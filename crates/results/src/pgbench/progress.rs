//! Lines of progress (`-P`), each an interval.

use crate::facts::{Interval, Run};
use crate::numbers::{count, decimal};

/// From this second on it is one since 1970 (`--progress-timestamp`), not since the run began.
const TIMESTAMP: f64 = 1e9;

/// Later seconds, and higher rates, are not believed.
const LATEST: f64 = 1e11;
const FASTEST: f64 = 1e9;

/// The most intervals that are kept: a second each of a long test.
const MOST: usize = 1_000_000;

/// The intervals so far.
#[derive(Debug, Default)]
pub struct Progress {
    ends_s: Vec<f64>,
    intervals: Vec<Interval>,
}

impl Progress {
    /// Takes the line behind `progress: `; whether it was understood.
    pub fn line(&mut self, line: &str) -> bool {
        let Some((end, interval)) = read(line) else {
            return false;
        };
        let is_later = self.ends_s.last().is_none_or(|last| *last < end);
        if !is_later || self.intervals.len() == MOST {
            return false;
        }
        self.ends_s.push(end);
        self.intervals.push(interval);
        true
    }

    /// The intervals with their times; with timestamps the run also gets its beginning.
    pub fn finish(self, run: &mut Run) -> Vec<Interval> {
        let mut begin = 0.0;
        if let Some(&first) = self.ends_s.first()
            && first >= TIMESTAMP
        {
            // The first interval is as long as the second: nothing says when it began.
            let length = match self.ends_s.get(1) {
                Some(second) => second - first,
                None => run.duration_s.unwrap_or(0.0),
            };
            begin = first - length;
            run.started_s = Some(begin);
        }
        let started_s = begin;
        let mut intervals = self.intervals;
        for (interval, end) in intervals.iter_mut().zip(self.ends_s) {
            interval.start_s = begin - started_s;
            interval.seconds = end - begin;
            interval.transactions = (interval.tps * interval.seconds).round() as u64;
            begin = end;
        }
        intervals.retain(|interval| interval.seconds > 0.0);
        intervals
    }
}

/// `1.0 s, 294.0 tps, lat 0.412 ms stddev 0.569, 0 failed, lag 0.138 ms, 0 skipped, 0 retried, 0 retries`.
fn read(line: &str) -> Option<(f64, Interval)> {
    let mut parts = line.split(", ");
    let end = decimal(parts.next()?.strip_suffix(" s")?).filter(|end| *end < LATEST)?;
    let mut interval = Interval {
        tps: decimal(parts.next()?.strip_suffix(" tps")?).filter(|tps| *tps < FASTEST)?,
        ..Interval::default()
    };
    for part in parts {
        let words: Vec<&str> = part.split_whitespace().collect();
        let outcomes = &mut interval.outcomes;
        match words.as_slice() {
            // Where nothing was done there is no mean, which is printed as "nan" or 0.
            ["lat", average, "ms", "stddev", deviation] => {
                let is_known = interval.tps > 0.0;
                let known = |text| decimal(text).filter(|_| is_known);
                interval.latency.latency_avg_ms = known(average);
                interval.latency.latency_stddev_ms = known(deviation);
            }
            ["lag", average, "ms"] => interval.lag_avg_ms = decimal(average),
            [number, "failed"] => outcomes.failed = Some(count(number)?),
            [number, "skipped"] => outcomes.skipped = Some(count(number)?),
            [number, "retried"] => outcomes.retried = Some(count(number)?),
            [number, "retries"] => outcomes.retries = Some(count(number)?),
            _ => return None,
        }
    }
    Some((end, interval))
}
