//! The mean of a series whose values depend on their neighbours, such as the rates of a run's intervals.
//!
//! Values that resemble their neighbours carry less information than as many independent ones. The loss is estimated
//! in two steps: batch means (Law, Simulation Modeling and Analysis, chapter 9), where neighbours are joined in pairs
//! until the remaining correlation decays as fast as that of a first-order autoregression, and then the variance of
//! the mean of such a process. Its coefficient comes from the
//! lag-1 correlation, whose bias in short series is removed (Kendall, Biometrika 41, 1954).
//!
//! A series that drifts looks as dependent as is believed at all, and its estimated dependence leaves hardly a degree of
//! freedom: by Student's t alone, its mean would be off by twenty-six standard deviations of the values. But there is a strongest
//! dependence that is believed, so the mean is never taken to be known worse than of a series that has it ([`WIDEST`]).

use super::estimate::{Estimate, mean, mean_and_variance};
use super::student::quantile_95;

/// Below this many values nothing can be said about how they depend on each other.
pub const SHORTEST_SERIES: usize = 10;
/// Below this many, even their spread says too little.
const FEWEST_VALUES: usize = 5;
/// The coefficient that fewer than [`SHORTEST_SERIES`] values are taken to have at least: then true hypotheses are rejected in at most
/// 3 % of cases up to a coefficient of 0.7, and in at most 10 % up to 0.95, no more often than with ten values (the tests).
const LEAST_OF_FEW: f64 = 0.5;
/// Batches are not joined further if fewer would be left.
const FEWEST_BATCHES: usize = 10;
/// The strongest dependence that is believed: beyond it, hardly any value is independent of another.
const LARGEST_COEFFICIENT: f64 = 0.95;
/// A measured variance is corrected for the dependence at most by this factor.
const SMALLEST_SHARE: f64 = 0.2;
/// Degrees of freedom per effective batch. The coefficient is estimated too,
/// which costs some; the value is found by simulation (see the tests) over coefficients 0 to 0.9 and 20
/// to 1,200 values, where rejections of a true hypothesis then stay near 5 %.
const FREEDOM_SHARE: f64 = 1.0 / 1.5;
/// How far the mean of n values of the strongest dependence is off at most, in their standard deviations divided by the root of n:
/// by simulation, of two such series of 5 to 60 values the means lie within this of each other in 99 of 100 cases (the tests).
const WIDEST: f64 = 27.0;
/// Of an estimate by [`WIDEST`]: its tails are those of Student's t with so many degrees of freedom.
const FREEDOM_OF_WIDEST: f64 = 5.0;

/// The estimate of the mean of a series; None if it is too short or has a value that is not finite.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    (values.len() >= SHORTEST_SERIES).then(|| bounded(values, 0.0))?
}

/// The same, also of a series that is too short to tell its dependence: then it is taken to be one of some strength at least.
pub fn estimate_of_few(values: &[f64]) -> Option<Estimate> {
    match values.len() {
        ..FEWEST_VALUES => None,
        FEWEST_VALUES..SHORTEST_SERIES => bounded(values, LEAST_OF_FEW),
        _ => estimate(values),
    }
}

/// By the dependence that the values show, which is `least` at least, but no worse than by the strongest.
fn bounded(values: &[f64], least: f64) -> Option<Estimate> {
    let estimated = by_dependence(values, least)?;
    let widest = widest(values)?;
    let margin = |of: &Estimate| Some(quantile_95(of.freedom)? * of.variance.sqrt());
    Some(match margin(&estimated)? > margin(&widest)? {
        true => widest,
        false => estimated,
    })
}

/// Of values that depend on each other as strongly as is believed.
fn widest(values: &[f64]) -> Option<Estimate> {
    let (mean, variance) = mean_and_variance(values)?;
    let margin = WIDEST * (variance / values.len() as f64).sqrt();
    Some(Estimate {
        mean,
        variance: (margin / quantile_95(FREEDOM_OF_WIDEST)?).powi(2),
        freedom: FREEDOM_OF_WIDEST,
        count: values.len(),
    })
}

fn by_dependence(values: &[f64], least: f64) -> Option<Estimate> {
    mean_and_variance(values)?;
    let mut batches = values.to_vec();
    while joinable(&batches) {
        batches = join(&batches);
    }
    let (_, variance) = mean_and_variance(&batches)?;
    let count = batches.len() as f64;
    let coefficient = coefficient(&batches).max(least);
    let tau = (1.0 + coefficient) / (1.0 - coefficient);
    // The variance of a mean of `count` neighbours, in variances of one of them, times `count`.
    let inflation = tau
        - 2.0 * coefficient * (1.0 - coefficient.powf(count))
            / (count * (1.0 - coefficient).powi(2));
    // Around their own mean, values that resemble each other vary less than in the long run.
    let share = (1.0 - (inflation - 1.0) / (count - 1.0)).max(SMALLEST_SHARE);
    Some(Estimate {
        mean: mean(values),
        variance: variance / share * inflation / count,
        freedom: (count * FREEDOM_SHARE / tau).clamp(1.0, count - 1.0),
        count: values.len(),
    })
}

/// Whether the correlation lasts longer than that of a first-order autoregression (by more than chance),
/// and there are enough batches to join them.
fn joinable(batches: &[f64]) -> bool {
    let lasting = correlation(batches, 2) - correlation(batches, 1).max(0.0).powi(2);
    batches.len() >= 2 * FEWEST_BATCHES && lasting > 1.0 / (batches.len() as f64).sqrt()
}

/// Means of two neighbours each; an odd first one is left out, as it is the one nearest to the warm-up.
fn join(batches: &[f64]) -> Vec<f64> {
    batches.rchunks_exact(2).rev().map(mean).collect()
}

/// The autocorrelation at a lag; 0 for values that do not vary.
pub(super) fn correlation(values: &[f64], lag: usize) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values
        .iter()
        .zip(values.iter().skip(lag))
        .map(|(value, later)| (value - mean) * (later - mean))
        .sum();
    if squares > 0.0 {
        products / squares
    } else {
        0.0
    }
}

/// The coefficient of a first-order autoregression. The lag-1 correlation is on average lower by
/// (1 + 3 coefficient) / n; negative ones, which would only narrow the interval, are not believed.
fn coefficient(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    ((correlation(values, 1) * count + 1.0) / (count - 3.0)).clamp(0.0, LARGEST_COEFFICIENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks variance and degrees of freedom against values worked out apart from this code.
    fn assert_estimate(values: &[i32], variance: f64, freedom: f64) {
        let values: Vec<f64> = values.iter().copied().map(f64::from).collect();
        let estimate = estimate(&values).unwrap();
        let near = |value: f64, known: f64| (value - known).abs() < 1e-9;
        assert!(near(estimate.variance, variance), "{estimate:?}");
        assert!(near(estimate.freedom, freedom), "{estimate:?}");
        assert!(near(estimate.mean, mean(&values)));
        assert_eq!(estimate.count, values.len());
    }

    #[test]
    fn independent_values_are_taken_as_they_are() {
        let values = [10, 12, 9, 11, 10, 13, 8, 12, 11, 9, 10];
        assert_estimate(&values, 0.206_611_570_247_933_86, 11.0 / 1.5);
    }

    #[test]
    fn dependent_values_widen_the_interval() {
        let values = [0, 1, 2, 0, 2, 3, 1, 2, 4, 2, 3, 4, 3, 4, 5, 3, 5, 6, 4, 5];
        assert_estimate(&values, 0.692_108_932_942_009_4, 2.958_263_845_742_999_3);
        // By their dependence, with one degree of freedom, these would be off by more than the strongest dependence allows:
        // 27² s² / n, divided by the square of t with 5 degrees of freedom.
        let rising = [3, 5, 4, 6, 7, 6, 8, 7, 9, 8];
        assert_estimate(&rising, 39.348409505352, 5.0);
        let straight = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_estimate(&straight, 101.129089850204, 5.0);
    }

    #[test]
    fn no_mean_is_known_worse_than_that_of_the_strongest_dependence() {
        let straight: Vec<f64> = (0..40).map(f64::from).collect();
        for values in [&straight[..5], &straight[..9], &straight[..10], &straight] {
            let estimate = estimate_of_few(values).unwrap();
            let (_, variance) = mean_and_variance(values).unwrap();
            let margin = estimate.interval().unwrap().high - estimate.mean;
            let widest = WIDEST * (variance / values.len() as f64).sqrt();
            assert!((margin / widest - 1.0).abs() < 1e-9, "{margin}, {widest}");
        }
        assert_eq!(estimate_of_few(&straight[..4]), None);
        assert_eq!(estimate_of_few(&[1.0, 2.0, f64::NAN, 1.0, 2.0]), None);
        // Independent values are known better.
        let values: Vec<f64> = (0..40).map(|place| f64::from(place * 17 % 40)).collect();
        assert_eq!(estimate_of_few(&values), by_dependence(&values, 0.0));
    }

    /// Forty-one values, of which the first is left out: twenty pairs.
    #[test]
    fn lasting_dependence_joins_neighbours() {
        let values = [
            0, 2, 4, 1, 3, 0, 6, 8, 5, 7, 4, 6, 12, 9, 11, 8, 10, 12, 1, 3, 0, 2, 4, 1, 7, 4, 6, 8,
            5, 7, 8, 10, 12, 9, 11, 8, 2, 4, 1, 3, 0,
        ];
        assert_estimate(&values, 4.208_986_568_548_044_5, 1.661_303_599_491_133);
    }

    #[test]
    fn values_that_do_not_vary_are_not_correlated() {
        assert_eq!(correlation(&[2.0; 12], 1), 0.0);
    }

    #[test]
    fn few_batches_are_not_joined() {
        // They rise halfway, and alternate: the correlation at two is above that at one.
        let values: Vec<f64> = (0..20)
            .map(|place: i32| f64::from(4 * (place / 10) + 4 * (place % 2)))
            .collect();
        for count in [12, 19, 20] {
            let values = &values[..count];
            let lasting = correlation(values, 2) - correlation(values, 1).max(0.0).powi(2);
            assert!(lasting > 1.0 / (count as f64).sqrt(), "{count}: {lasting}");
            assert_eq!(joinable(values), count == 20, "{count}");
        }
    }

    #[test]
    fn short_series_have_no_estimate() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        assert!(estimate(&values).is_some());
        assert_eq!(estimate(&values[1..]), None);
        let mut broken = values;
        broken[3] = f64::NAN;
        assert_eq!(estimate(&broken), None);
    }
}
