//! Statistics of runs: how precise a mean is, whether two differ, and when a rate becomes steady.
//!
//! * [`mean_interval`]: a mean over repeated runs with its 95 % interval;
//! * [`Estimate`]: a mean with its own variance and degrees of freedom, from repeated runs
//!   ([`Estimate::of_runs`]) or from the intervals of one run ([`Estimate::of_series`]), which follow
//!   each other and so are not independent;
//! * [`t_test`], [`welch`], [`paired`]: the relative change between two of them, its 95 % interval
//!   and p-value; [`Scale`]: the same by ratios, for amounts; [`equivalence_p`]: whether they are the same within a margin;
//! * [`Blocks`]: the same of two sides that took turns within one run;
//! * [`benjamini_hochberg`], [`holm`]: corrections for many tests at once;
//! * [`Precision`]: how many repetitions a mean needs; [`Looks`]: how long a series has to be;
//! * [`Race`]: the best of several, without running the bad ones to the end;
//! * [`steady_from`]: where the warm-up ends;
//! * [`trend`]: whether a series grows, and how fast.
//!
//! Student's t comes from the `statrs` crate. Nothing here knows the server.

mod blocks;
mod change;
mod estimate;
mod looks;
mod multiple;
mod precision;
mod race;
mod scale;
mod series;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
mod steady;
mod student;
mod trend;

/// A difference is significant below this probability of chance.
pub const LEVEL: f64 = 0.05;

pub use blocks::{Blocks, TurnValue};
pub use change::{Change, equivalence_p, paired, t_test, welch};
pub use estimate::{Estimate, mean_interval};
pub use looks::{FIRST_LOOK, Looks, last_look, series_width};
pub use multiple::{benjamini_hochberg, holm};
pub use precision::{FEWEST, Precision, width};
pub use race::{Course, Entrant, Race, Standing};
pub use scale::Scale;
pub use series::SHORTEST_SERIES;
pub use steady::steady_from;
pub use student::quantile;
pub use trend::{FEWEST_POINTS, Trend, trend};
