//! Whether two sides differ that took turns within one run: by blocks of four turns ([`crate::turns`]).
//!
//! Each block gives one ratio, the mean of side B's turns to that of side A's, and the change is the geometric mean of these.
//! Neighbouring turns resemble each other, but that hardly concerns the ratios: both sides have the same middle in a block, so
//! what drifts evenly cancels, ratios of a series that resembles its neighbours are nearly independent of each other, and those
//! of a random walk are entirely. So Student's t of the ratios has its level, and the power of as many independent values.
//! Where the ratios do depend on each other, because the difference itself comes and goes, their interval is that of a series.

use super::change::{Change, of_pairs};
use super::estimate::{Estimate, mean};
use super::series::{SHORTEST_SERIES, correlation};
use crate::turns::{BLOCK, Side};
use std::collections::BTreeMap;

/// A value of one turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnValue {
    /// The turn's number, from 0.
    pub turn: u64,
    pub side: Side,
    pub value: f64,
}

/// The means of both sides in the blocks of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

impl Blocks {
    /// The blocks that have two turns of each side; others are left out.
    pub fn of(turns: &[TurnValue]) -> Blocks {
        let mut by_block: BTreeMap<u64, [Vec<f64>; 2]> = BTreeMap::new();
        for turn in turns.iter().filter(|turn| turn.value.is_finite()) {
            by_block.entry(turn.turn / BLOCK).or_default()[turn.side as usize].push(turn.value);
        }
        let mut blocks = Blocks::default();
        for [a, b] in by_block.values() {
            if (a.len(), b.len()) == (2, 2) {
                blocks.a.push(mean(a));
                blocks.b.push(mean(b));
            }
        }
        blocks
    }

    pub fn count(&self) -> usize {
        self.a.len()
    }

    /// The mean of a side over its blocks; None: there are none.
    pub fn mean(&self, side: Side) -> Option<f64> {
        let means = match side {
            Side::A => &self.a,
            Side::B => &self.b,
        };
        (!means.is_empty()).then(|| mean(means))
    }

    /// The change from side A to side B, as [`super::paired`] has it; None below two blocks.
    pub fn change(&self, resolution: f64) -> Option<Change> {
        of_pairs(&self.a, &self.b, resolution, estimate)
    }
}

/// The mean of values in the order of time, that are independent unless they show otherwise.
fn estimate(values: &[f64], resolution: f64) -> Option<Estimate> {
    let independent = Estimate::of_runs(values, resolution)?;
    match depend(values) {
        true => Estimate::of_series(values).map(|series| Estimate {
            variance: series.variance.max(independent.variance),
            ..series
        }),
        false => Some(independent),
    }
}

/// Whether neighbours resemble each other more than one in a hundred independent series would.
fn depend(values: &[f64]) -> bool {
    const ONE_IN_A_HUNDRED: f64 = 2.326;
    let count = values.len() as f64;
    values.len() >= SHORTEST_SERIES
        && correlation(values, 1) + 1.0 / count > ONE_IN_A_HUNDRED / count.sqrt()
}

#[cfg(test)]
mod tests;
