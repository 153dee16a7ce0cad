//! Hit ratios from counts, with their error.

use super::follower::Window;
use super::tally::Share;
use super::{SIZES, TIMES};

/// Fewer arrivals say nothing.
const LEAST_ARRIVALS: u64 = 100;
/// With fewer looks in one round of the hand, pages come and go unseen.
const LEAST_LOOKS_A_ROUND: f64 = 0.5;
/// Nor is a hit ratio given whose bounds are further apart, in points.
const WIDEST: f64 = 20.0;
/// Standard errors on each side: 95 %.
const ERRORS: f64 = 2.0;
/// Reads that were seen, as a share of all of them: below it, some pages came and went between two looks.
const ALL_SEEN: f64 = 0.9;

/// The accesses of a window, as the server counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Accesses {
    /// Blocks found in shared_buffers.
    pub hits: u64,
    /// Blocks read.
    pub reads: u64,
    /// Whether `reads` has blocks added to files, as the statistics views before PostgreSQL 16.
    pub reads_have_extensions: bool,
}

/// One size of the curve. All None: it cannot be said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Multiples of the present size.
    pub times: f64,
    /// None: the bounds are too far apart.
    pub hit_percent: Option<f64>,
    /// The bounds of a 95 % confidence interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Something to know of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Remark {
    /// No page had to leave: everything fits into the present size.
    EverythingFits,
    /// Only that many of the followed pages were read.
    FewArrivals(u64),
    /// Only that many looks in a round of the hand.
    FewLooks(f64),
    /// This percentage of the reads was of pages that left before the next look: scans and vacuums, which go
    /// round in few buffers.
    Unseen(f64),
}

/// The hit ratio at [`TIMES`] the present size.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub points: [Point; SIZES],
    pub remark: Option<Remark>,
}

/// Shares of the server's misses.
struct Saved {
    value: f64,
    low: f64,
    high: f64,
}

impl Window {
    /// The curve of a window with these accesses. The present size has the ratio that was counted, without bounds.
    pub fn curve(&self, accesses: &Accesses) -> Curve {
        let all = accesses.hits + accesses.reads;
        let present = (all > 0).then(|| 100.0 * accesses.hits as f64 / all as f64);
        let mut points = TIMES.map(|times| Point {
            times,
            hit_percent: None,
            low: None,
            high: None,
        });
        points[0].hit_percent = present;
        let Some(present) = present else {
            return Curve {
                points,
                remark: None,
            };
        };
        // Since 19 the hand of the clock also passes buffers without a page, to fill them.
        if self.replaced == 0 && self.looks > 0 {
            for point in &mut points {
                point.hit_percent = Some(present);
            }
            return Curve {
                points,
                remark: Some(Remark::EverythingFits),
            };
        }
        if let Some(remark) = self.obstacle() {
            return Curve {
                points,
                remark: Some(remark),
            };
        }
        let (seen, kept_share) = self.seen(accesses);
        for (size, point) in points.iter_mut().enumerate().skip(1) {
            let Some(saved) = self.saved(size) else {
                continue;
            };
            let percent = |share: f64| (present + (100.0 - present) * share).clamp(0.0, 100.0);
            let low = percent(saved.low * kept_share * seen);
            let high = percent(saved.high * kept_share * seen + (1.0 - seen));
            (point.low, point.high) = (Some(low), Some(high));
            point.hit_percent =
                (high - low <= WIDEST).then(|| percent(saved.value * kept_share * seen));
        }
        Curve {
            points,
            remark: (seen < 1.0).then_some(Remark::Unseen(100.0 * (1.0 - seen))),
        }
    }

    /// Looks in one round of the hand through all buffers.
    pub fn looks_a_round(&self) -> f64 {
        self.looks as f64 * f64::from(self.buffers) / (self.passed as f64).max(1.0)
    }

    fn obstacle(&self) -> Option<Remark> {
        let looks = self.looks_a_round();
        if looks < LEAST_LOOKS_A_ROUND {
            return Some(Remark::FewLooks(looks));
        }
        (self.arrivals < LEAST_ARRIVALS).then_some(Remark::FewArrivals(self.arrivals))
    }

    /// The share of the reads that looks saw, 1 where only chance makes it less; and, of what they saw, the share that a
    /// larger size can save: no size saves an extension.
    fn seen(&self, accesses: &Accesses) -> (f64, f64) {
        let scale = f64::from(1u32 << self.shift);
        let arrivals = self.before[0] + self.arrivals as f64 * scale;
        let added = match accesses.reads_have_extensions {
            true => self.before[1] + self.extensions as f64 * scale,
            false => 0.0,
        };
        let seen = arrivals + added;
        let share = seen / accesses.reads.max(1) as f64;
        let share = if share < ALL_SEEN { share } else { 1.0 };
        (share, arrivals / seen.max(1.0))
    }

    /// The share of the arrivals that would have been hits at a size.
    fn saved(&self, size: usize) -> Option<Saved> {
        if !self.filled[size] {
            // Nothing has left it: only first accesses miss.
            let (share, at_last) = self.firsts.returns()?;
            return Some(Saved {
                value: share.value,
                low: share.value - ERRORS * share.error,
                high: at_last.max(share.value + ERRORS * share.error).min(1.0),
            });
        }
        let tally = &self.tallies[size];
        if tally.arrivals() < LEAST_ARRIVALS {
            return None;
        }
        let Share { value, error } = tally.saved()?;
        let error = ERRORS
            * (error.powi(2) + self.of_model().powi(2) + self.of_sample(size).powi(2)).sqrt();
        Some(Saved {
            value,
            low: value - error,
            high: (value + error).min(1.0),
        })
    }

    /// How wrong the miniature of the present size is, where the truth is known: all arrivals miss.
    fn of_model(&self) -> f64 {
        let known = self.tallies[0].saved().filter(|_| self.filled[0]);
        known.map_or(0.0, |share| share.value.abs() / ERRORS)
    }

    /// The error from the size of a miniature: how many of the followed pages a larger shared_buffers would hold is up to chance.
    fn of_sample(&self, size: usize) -> f64 {
        let saved = |size: usize| self.tallies[size].saved().map_or(0.0, |share| share.value);
        let (before, here) = (self.entries[size - 1] as f64, self.entries[size] as f64);
        let slope = (saved(size) - saved(size - 1)) / (here / before).ln();
        let chance = (here - self.entries[0] as f64).max(1.0).sqrt() / here;
        (slope * chance).abs()
    }
}

#[cfg(test)]
mod tests;
