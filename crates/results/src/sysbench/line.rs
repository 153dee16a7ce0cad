//! A line of `--report-interval`: an interval.

use super::percentile;
use crate::facts::Interval;
use crate::numbers::{count, decimal, with_unit};

/// A line of `--report-interval`.
pub struct Line {
    pub end_s: f64,
    tps: f64,
    /// Which percentile, and its latency in ms.
    percentile: Option<(u64, f64)>,
    errors_per_s: Option<f64>,
}

impl Line {
    /// 0.5: `[  2s] threads: 32, tps: 13802.16, reads: 1.0, writes: 0.00, response time: 2.50ms (95%), errors: 0.00, …`;
    /// 1.0: `[ 1s ] thds: 2 tps: 45.94 qps: 918.87 (r/w/o: 643.21/183.77/91.89) lat (ms,95%): 3.55 err/s: 0.00 …`;
    /// sysbench-tpcc: the same without a colon behind `err/s`.
    pub fn read(line: &str) -> Option<Line> {
        let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
        let end_s = with_unit(time, "s").filter(|end| *end < 1e9)?;
        let value = |name: &str| {
            let (_, value) = rest.split_once(name)?;
            decimal(value.split_whitespace().next()?.trim_end_matches(','))
        };
        let of_1 = || {
            let (_, rest) = rest.split_once("lat (ms,")?;
            let (percent, value) = rest.split_once("%): ")?;
            Some((count(percent)?, decimal(value.split_whitespace().next()?)?))
        };
        let of_0 = || {
            let (_, rest) = rest.split_once("response time: ")?;
            let (value, rest) = rest.split_once("ms (")?;
            let (percent, _) = rest.split_once("%)")?;
            Some((count(percent)?, decimal(value)?))
        };
        Some(Line {
            end_s,
            tps: value("tps: ").filter(|tps| *tps < 1e9)?,
            percentile: of_1().or_else(of_0),
            errors_per_s: value("err/s: ")
                .or_else(|| value("err/s "))
                .or_else(|| value("errors: ")),
        })
    }

    /// It begins where the one before ended.
    pub fn interval(self, begin: f64) -> Interval {
        let mut interval = Interval {
            start_s: begin,
            seconds: self.end_s - begin,
            tps: self.tps,
            ..Interval::default()
        };
        let seconds = interval.seconds;
        let count = |rate: f64| (rate * seconds).round() as u64;
        let errors = self.errors_per_s.filter(|rate| *rate < 1e9);
        interval.outcomes.failed = errors.map(count);
        interval.transactions = count(self.tps);
        if let Some((percent, ms)) = self.percentile
            && interval.transactions > 0
            && let Some(place) = percentile(&mut interval.latency, percent)
        {
            *place = Some(ms);
        }
        interval
    }
}
