//! How many repetitions a mean needs until it is known well enough.
//!
//! Who looks after every repetition and stops as soon as an interval is narrow enough, stops where chance made it narrow:
//! an ordinary 95 % interval then misses more often than it says. So each look takes a wider interval, of [`LEVEL`],
//! and there are at least [`FEWEST`] repetitions. The mean is then as near as was asked for in at least 94 % of all
//! cases (the tests try it). This is simpler than spending a share of the error at each look, and does not need
//! to know how many looks there will be.

use super::Estimate;
use super::student::quantile;
use serde::{Deserialize, Serialize};

/// The fewest repetitions that can be judged: the spread of fewer is too often small by chance.
pub const FEWEST: usize = 4;
/// The share of intervals of a single look that miss.
const LEVEL: f64 = 0.02;

/// How well each of several means is to be known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// How far a mean may be off, as a share of it.
    pub wanted: f64,
    /// The repetitions that each has in any case; fewer than [`FEWEST`] count as that many.
    pub fewest: usize,
    /// The repetitions that none exceeds.
    pub most: usize,
}

impl Precision {
    /// Which of the points needs the next repetition; None: none needs any. Of those that have the fewest it is the one
    /// known worst. So those not known well enough take turns, and a drift affects them alike.
    pub fn next(&self, points: &[Vec<f64>]) -> Option<usize> {
        let width = |values: &[f64]| width(values).unwrap_or(f64::INFINITY);
        let wanting = points.iter().enumerate();
        wanting
            .filter(|(_, values)| self.wants(values))
            .min_by(|(_, a), (_, b)| {
                let fewer = a.len().cmp(&b.len());
                fewer.then_with(|| width(b).total_cmp(&width(a)))
            })
            .map(|(i, _)| i)
    }

    /// Whether a point needs a further repetition.
    pub fn wants(&self, values: &[f64]) -> bool {
        values.len() < self.least() || values.len() < self.most && !self.holds(values)
    }

    /// Whether a point is known as well as is wanted.
    pub fn holds(&self, values: &[f64]) -> bool {
        values.len() >= self.least() && width(values).is_some_and(|width| width <= self.wanted)
    }

    /// About how many repetitions a point still needs, if they vary as those so far; None if nothing is known yet.
    pub fn missing(&self, values: &[f64]) -> Option<usize> {
        if !self.wants(values) {
            return Some(0);
        }
        let estimate = Estimate::of_runs(values, 0.0).filter(|estimate| estimate.mean > 0.0)?;
        let spread = (estimate.variance * estimate.count as f64).sqrt() / estimate.mean;
        let is_enough = |count: usize| {
            let reach = quantile(LEVEL, count as f64 - 1.0).unwrap_or(f64::INFINITY);
            reach * spread <= self.wanted * (count as f64).sqrt()
        };
        // With more it is enough, too: half of what is left is looked at each time.
        let (mut low, mut high) = (
            self.least().max(values.len() + 1),
            self.most.max(self.least()),
        );
        while low < high {
            let middle = low + (high - low) / 2;
            match is_enough(middle) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Some(high - values.len())
    }

    fn least(&self) -> usize {
        self.fewest.max(FEWEST)
    }
}

/// How far the mean of repeated values may be off, as a share of it, the looks in between heeded; None: fewer than
/// two values, or a mean that is not above 0.
pub fn width(values: &[f64]) -> Option<f64> {
    let estimate = Estimate::of_runs(values, 0.0)?;
    let margin = quantile(LEVEL, estimate.freedom)? * estimate.variance.sqrt();
    (estimate.mean > 0.0).then(|| margin / estimate.mean)
}

#[cfg(test)]
mod tests;
