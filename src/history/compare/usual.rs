//! The usual: figures of the same hour on earlier days.
//!
//! A new figure is compared with the prediction interval of the earlier ones, in which it lies with 99 % probability if nothing has changed.

use super::identity::{Identity, identified, of_parts};
use super::rows::is_figure;
use crate::error::Result;
use crate::history::window::Window;
use crate::show::contents::Together;
use crate::show::section::{Table, read};
use crate::show::span::samples::{self, Samples};
use measure::statistics::quantile;
use serde::Serialize;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// So many days are looked at.
const DAYS: i32 = 14;
/// So many are needed: with fewer, the interval is so wide that nothing lies beyond it.
pub const NEEDED: usize = 4;
/// The share of figures beyond the usual although nothing has changed.
const P: f64 = 0.01;
/// A smaller difference, as a part of the median, is none: figures may be the same on all days.
const SMALL: f64 = 0.05;
/// Rows of a table, or of each of its lists, on an earlier day: those that matter today may have been further down.
const READ: usize = 200;
/// So long the days of a table are read, the nearest first, beyond those that are needed: a table of many objects is slow.
const BUDGET: Duration = Duration::from_secs(1);
/// A longer window has no hour.
const LONGEST_S: f64 = 86_400.0;

/// The samples of the same hour on earlier days.
pub struct Days {
    days: Vec<Samples>,
    why: Option<String>,
}

impl Days {
    /// Those before a window. The window of a run has no hour of the day, nor has one longer than a day.
    pub fn before(window: &Window) -> Result<Days> {
        let mut days = Vec::new();
        let why = if window.name.is_some() {
            Some("a run has no usual hour".to_owned())
        } else if window.span.seconds > LONGEST_S {
            Some("a window longer than a day has no usual hour".to_owned())
        } else {
            for day in 1..=DAYS {
                let earlier = samples::load(window.days_earlier(day)?.span)?;
                if earlier.count > 0 {
                    days.push(earlier);
                }
            }
            let few = days.len() < NEEDED;
            few.then(|| {
                format!(
                    "samples at this hour are known of {} of the last {DAYS} days, {NEEDED} are needed",
                    days.len()
                )
            })
        };
        Ok(Days { days, why })
    }

    pub fn count(&self) -> usize {
        self.days.len()
    }

    /// Why nothing is known.
    pub fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    /// The figures of a table on those days, of the parts that the windows have of what its objects hold.
    pub fn of(&self, table: &'static Table, together: Option<&Together>) -> Result<Values> {
        let mut values = Values::default();
        if self.why.is_some() {
            return Ok(values);
        }
        let began = Instant::now();
        for (day, samples) in self.days.iter().enumerate() {
            if day >= NEEDED && began.elapsed() > BUDGET {
                break;
            }
            let rows = of_parts(read::further_rows(table, READ, samples)?, together);
            for (identity, row) in identified(table, rows) {
                let columns = values.by_row.entry(identity).or_default();
                for column in table.columns.iter().filter(|column| is_figure(column)) {
                    if let Some(value) = row.get(column.name).and_then(serde_json::Value::as_f64) {
                        columns.entry(column.name).or_default().push(value);
                    }
                }
            }
        }
        Ok(values)
    }
}

/// The values of each figure of each row.
#[derive(Default)]
pub struct Values {
    by_row: HashMap<Identity, HashMap<&'static str, Vec<f64>>>,
}

impl Values {
    /// Of a figure; None: it is known of too few days.
    pub fn range(&self, identity: &Identity, column: &str) -> Option<Range> {
        Range::of(self.by_row.get(identity)?.get(column)?)
    }
}

/// Where a figure usually lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// Days from which it is known.
    pub days: usize,
    pub median: f64,
    /// The next day's figure lies between these with 99 % probability.
    pub low: f64,
    pub high: f64,
}

impl Range {
    fn of(values: &[f64]) -> Option<Range> {
        let days = values.len();
        if days < NEEDED {
            return None;
        }
        let count = days as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (count - 1.0)).sqrt();
        let half = quantile(P, count - 1.0)? * deviation * (1.0 + 1.0 / count).sqrt();
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let median = (sorted.get((days - 1) / 2)? + sorted.get(days / 2)?) / 2.0;
        let half = half.max(SMALL * median.abs());
        // What never was below 0 will not be.
        let least = sorted
            .first()
            .map_or(f64::MIN, |first| if *first >= 0.0 { 0.0 } else { f64::MIN });
        Some(Range {
            days,
            median,
            low: (mean - half).max(least),
            high: mean + half,
        })
    }

    /// How far a value lies from the middle, in halves of the range; above 1: beyond it.
    pub fn distance(&self, value: f64) -> f64 {
        if value >= self.low && value <= self.high {
            return 0.0;
        }
        let nearest = if value < self.low {
            self.low
        } else {
            self.high
        };
        let half = (self.high - self.low) / 2.0;
        if half > 0.0 {
            1.0 + (value - nearest).abs() / half
        } else {
            f64::MAX
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_needs_some_days_and_holds_what_was() {
        assert_eq!(Range::of(&[1.0, 2.0, 3.0]), None);
        let range = Range::of(&[100.0, 110.0, 90.0, 105.0, 95.0]).unwrap();
        assert_eq!(range.median, 100.0);
        // scipy.stats.t.ppf(0.995, 4) = 4.6040948713, s = 7.9056941504, sqrt(1.2) = 1.0954451150
        assert!((range.high - 139.8721).abs() < 0.001, "{range:?}");
        assert!((range.low - 60.1279).abs() < 0.001, "{range:?}");
        assert_eq!(range.distance(120.0), 0.0);
        assert!((range.distance(139.8721 + 39.8721) - 2.0).abs() < 0.001);
    }

    #[test]
    fn what_never_varied_may_vary_a_little_and_zero_not_at_all() {
        let range = Range::of(&[200.0; 6]).unwrap();
        assert!(
            (range.low - 190.0).abs() < 1e-9 && (range.high - 210.0).abs() < 1e-9,
            "{range:?}"
        );
        let never = Range::of(&[0.0; 6]).unwrap();
        assert_eq!((never.low, never.high), (0.0, 0.0));
        assert_eq!(never.distance(0.0), 0.0);
        assert!(never.distance(3.0) > 1.0);
    }

    #[test]
    fn a_count_is_not_expected_below_zero() {
        let range = Range::of(&[0.0, 10.0, 0.0, 10.0]).unwrap();
        assert_eq!(range.low, 0.0);
        let range = Range::of(&[-1.0, 10.0, 0.0, 10.0]).unwrap();
        assert!(range.low < -1.0);
    }
}
