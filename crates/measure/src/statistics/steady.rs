//! When a rate becomes steady.

use super::change::welch;
use super::estimate::{Estimate, mean, mean_and_variance};
use super::series::SHORTEST_SERIES;

/// Values joined before the search: MSER-5.
const BATCH: usize = 5;
/// Below this many batches single values are searched.
const FEWEST_BATCHES: usize = 10;
/// A drift within the rest counts below this p.
const DRIFT_P: f64 = 0.01;

/// Where a series becomes steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// Number of values of the warm-up at the beginning.
    pub warmup: usize,
    /// Whether the rest is steady: the warm-up ended within the first half, and the halves of the rest do not differ.
    pub steady: bool,
}

/// The warm-up of a series of interval rates; None if it is too short to tell.
///
/// MSER-5 (White, Cobb and Spratt, Winter Simulation Conference 2000): the cut after which the mean of the
/// rest has the smallest standard error, over means of five values; for fewer than fifty values it is MSER (White,
/// Simulation 69, 1997), over the values themselves. At most half is cut off: if the error still falls beyond that, no
/// steady state was reached.
pub fn steady_from(values: &[f64]) -> Option<Steadiness> {
    if values.len() < SHORTEST_SERIES || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let batch = if values.len() >= BATCH * FEWEST_BATCHES {
        BATCH
    } else {
        1
    };
    let batches: Vec<f64> = values.chunks_exact(batch).map(mean).collect();
    let half = batches.len() / 2;
    let cut = (0..=half)
        .min_by(|&a, &b| standard_error(&batches[a..]).total_cmp(&standard_error(&batches[b..])))?;
    // Beyond, so few are left that small errors occur by chance.
    let beyond = half + 1..=batches.len() * 3 / 4;
    let error = standard_error(&batches[cut..]);
    let falls_on = |later: usize| standard_error(&batches[later..]) < error;
    if cut == half && beyond.into_iter().any(falls_on) {
        return Some(Steadiness {
            warmup: 0,
            steady: false,
        });
    }
    let warmup = if stands_out(&batches[..cut], &batches[cut..]) {
        cut * batch
    } else {
        0
    };
    let (first, second) = values[warmup..].split_at((values.len() - warmup) / 2);
    let drift = Estimate::of_series(first)
        .zip(Estimate::of_series(second))
        .and_then(|(first, second)| welch(&first, &second));
    Some(Steadiness {
        warmup,
        steady: drift.is_none_or(|drift| drift.p >= DRIFT_P),
    })
}

/// Whether the part that is cut off really differs from the rest: by chance alone the cut is rarely at 0.
fn stands_out(cut: &[f64], rest: &[f64]) -> bool {
    /// In standard errors of such a difference; many, as batches still resemble their neighbours.
    const FAR: f64 = 4.0;
    mean_and_variance(rest).is_some_and(|(rest_mean, variance)| {
        let error = variance * (1.0 / cut.len() as f64 + 1.0 / rest.len() as f64);
        !cut.is_empty() && (mean(cut) - rest_mean).powi(2) > FAR * FAR * error
    })
}

/// Squared: the variance of the values over how many there are.
fn standard_error(values: &[f64]) -> f64 {
    mean_and_variance(values).map_or(f64::INFINITY, |(_, variance)| {
        variance / values.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the 36 that is neither, 10 of 25 are warm-up; what is cut is at most the half.
    #[test]
    fn a_clean_step_in_the_first_half_is_a_warmup() {
        let rates = [
            9, 10, 9, 10, 10, 10, 10, 10, 10, 36, 49, 46, 48, 48, 47, 48, 47, 48, 48, 48, 48, 47,
            48, 47, 49,
        ]
        .map(f64::from);
        let found = steady_from(&rates).unwrap();
        assert!(
            found.steady && (10..=12).contains(&found.warmup),
            "{found:?}"
        );
    }

    #[test]
    fn a_fall_into_the_second_half_is_none() {
        let rates: Vec<f64> = (0..40)
            .map(|second| f64::from(100 - 2 * second.min(28) + second % 3))
            .collect();
        assert!(!steady_from(&rates).unwrap().steady);
    }

    /// The error falls no further: where nothing varies any more, it is 0.
    #[test]
    fn what_is_constant_from_the_half_on_is_steady() {
        let rates: Vec<f64> = (0..20)
            .map(|second: i32| f64::from(10 * second.min(10)))
            .collect();
        let found = steady_from(&rates).unwrap();
        assert_eq!((found.warmup, found.steady), (10, true));
    }

    /// Three equal values at the end do not mean that it still falls.
    #[test]
    fn the_last_quarter_is_too_short_to_tell() {
        let rates = [
            0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 101, 103, 99, 100, 102, 103, 104, 100, 100, 100,
        ]
        .map(f64::from);
        assert!(steady_from(&rates).unwrap().steady);
    }

    fn warmup(values: &[i32]) -> usize {
        let values: Vec<f64> = values.iter().copied().map(f64::from).collect();
        steady_from(&values).unwrap().warmup
    }

    /// Seven slow values: MSER-5 cuts two means of five, MSER the seven.
    #[test]
    fn from_fifty_values_on_means_of_five_are_searched() {
        let rates: Vec<i32> = (0..50)
            .map(|i| if i < 7 { 10 } else { 100 + (i - 7) * 7 % 5 })
            .collect();
        assert_eq!((warmup(&rates), warmup(&rates[..49])), (10, 7));
    }

    /// The squared difference is 1.03 and 0.998 of the square of four standard errors.
    #[test]
    fn a_warmup_stands_out_by_four_standard_errors() {
        let far = [
            95, 94, 93, 96, 96, 104, 100, 101, 101, 99, 100, 103, 100, 97,
        ];
        assert_eq!(warmup(&far), 6);
        let near = [96, 94, 92, 93, 97, 102, 102, 98, 97, 103, 104, 99, 98, 99];
        assert_eq!(warmup(&near), 0);
    }

    #[test]
    fn short_and_broken_series_tell_nothing() {
        let values: Vec<f64> = (0..10).map(|i| f64::from(i % 3)).collect();
        assert!(steady_from(&values).is_some());
        assert_eq!(steady_from(&values[1..]), None);
        let mut broken = values;
        broken[4] = f64::INFINITY;
        assert_eq!(steady_from(&broken), None);
    }
}
