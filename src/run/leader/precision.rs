//! The end of a run with `until_precise`: it ends as if its duration were over, as soon as its mean tps is known with that
//! precision.

use super::Leader;
use crate::pg::process::clock;
use crate::run::record::intervals::Intervals;
use measure::statistics::{Looks, series_width};

/// The rates of the intervals of such a run.
pub struct Precision {
    looks: Looks,
    rates: Vec<f64>,
    is_reached: bool,
}

impl Precision {
    /// `wanted`: how far the mean may be off, as a share of it.
    pub fn new(wanted: f64) -> Precision {
        Precision {
            looks: Looks::new(wanted),
            rates: Vec::new(),
            is_reached: false,
        }
    }

    /// The next interval has ended.
    pub fn add(&mut self, tps: f64) {
        self.rates.push(tps);
        self.is_reached |= self.looks.look(&self.rates);
    }

    /// Whether the mean is known well enough.
    pub fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// How far the mean may be off, in percent; None: nothing is known of that.
    pub fn percent(&self) -> Option<f64> {
        series_width(&self.rates).map(|width| 100.0 * width)
    }
}

impl Leader {
    /// Ends the run if its mean is known well enough.
    pub(super) fn end_if_precise(&self, intervals: &mut Intervals) {
        let now = clock::now();
        if intervals.are_precise() && now < self.shared.deadline() {
            self.shared.set_deadline(now);
            intervals.end(now);
            self.clients.wake();
        }
    }
}
