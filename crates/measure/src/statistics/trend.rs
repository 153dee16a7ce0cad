//! Whether a series grows: the slope of Theil and Sen, the median of the slopes between all pairs of points, with an interval.
//!
//! The interval is that of Sen (Journal of the American Statistical Association 63, 1968): it counts how many pairs may rise by
//! chance, by the variance of Kendall's S. Points that resemble their neighbours say less than independent ones. That variance
//! is therefore larger by the factor for a first-order autoregression (Yue and Wang, Water Resources Management 18, 2004), whose
//! coefficient comes from the residuals, without its bias in short series (Kendall, Biometrika 41, 1954).
//!
//! A backlog near the limit wanders like a random walk: no point is independent of the one before, and that interval is endless.
//! But the steps of a walk are independent, or nearly so, and their mean has an interval, too ([`Estimate::of_series`]). It is valid
//! for other series as well, only wider. The narrower of the two is taken.

use super::Estimate;
use super::student::quantile;

/// Below this many points nothing can be said.
pub const FEWEST_POINTS: usize = 8;
/// Of more points, every second or third and so on is looked at: all pairs of thousands would take seconds.
const MOST_POINTS: usize = 400;
/// The strongest dependence that is believed: beyond it, hardly any point is independent of another.
const LARGEST_COEFFICIENT: f64 = 0.97;

/// The slope of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Per unit of time.
    pub slope: f64,
    /// The ends of its interval; infinite if the points are too few for their dependence.
    pub low: f64,
    pub high: f64,
    /// How many independent points the series is worth.
    pub effective: f64,
}

/// The trend of points (time, value) in the order of time; the interval has the slope but for a share `p` of all series. None:
/// too few points, one that is not finite, or times that do not rise.
pub fn trend(points: &[(f64, f64)], p: f64) -> Option<Trend> {
    let is_finite = |&(at, value): &(f64, f64)| at.is_finite() && value.is_finite();
    let rises = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if points.len() < FEWEST_POINTS || !points.iter().all(is_finite) || !rises {
        return None;
    }
    let points = &thinned(points);
    let count = points.len();
    let mut slopes = Vec::with_capacity(count * (count - 1) / 2);
    for (i, (at, value)) in points.iter().enumerate() {
        slopes.extend(
            points[..i]
                .iter()
                .map(|(before, from)| (value - from) / (at - before)),
        );
    }
    slopes.sort_by(f64::total_cmp);
    let slope = median(&slopes);
    let residuals: Vec<f64> = points
        .iter()
        .map(|(at, value)| value - slope * at)
        .collect();
    let effective = effective_count(&residuals);
    let n = count as f64;
    let variance = kendall_variance(points) * n / effective;
    // With few independent points the normal quantile would promise too much.
    let reach = quantile(p, (effective - 2.0).max(1.0))? * variance.sqrt();
    let pairs = slopes.len() as f64;
    let by_pairs = if reach >= pairs {
        (f64::NEG_INFINITY, f64::INFINITY)
    } else {
        let below = ((pairs - reach) / 2.0).floor() as usize;
        let above = ((pairs + reach) / 2.0).ceil() as usize;
        (slopes[below], slopes[above.min(slopes.len() - 1)])
    };
    let width = |(low, high): (f64, f64)| high - low;
    let (low, high) = match by_steps(points, p) {
        Some(by_steps) if width(by_steps) < width(by_pairs) => by_steps,
        _ => by_pairs,
    };
    Some(Trend {
        slope,
        low,
        high,
        effective,
    })
}

/// No more points than can be compared with each other, the last one among them.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let from_the_last = points.iter().rev().step_by(step);
    from_the_last.rev().copied().collect()
}

/// The interval of the mean step from one point to the next; None: too few.
fn by_steps(points: &[(f64, f64)], p: f64) -> Option<(f64, f64)> {
    let steps: Vec<f64> = points
        .windows(2)
        .map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0))
        .collect();
    let mean = Estimate::of_series(&steps)?;
    let margin = quantile(p, mean.freedom)? * mean.variance.sqrt();
    Some((mean.mean - margin, mean.mean + margin))
}

/// The middle of sorted values.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => (sorted[half - 1] + sorted[half]) / 2.0,
        _ => sorted[half],
    }
}

/// The variance of Kendall's S where nothing rises, less what equal values take from it.
fn kendall_variance(points: &[(f64, f64)]) -> f64 {
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    let ties: f64 = values
        .chunk_by(|a, b| a == b)
        .map(|equal| term(equal.len() as f64))
        .sum();
    (term(values.len() as f64) - ties).max(0.0) / 18.0
}

/// How many independent values residuals that resemble their neighbours are worth.
fn effective_count(residuals: &[f64]) -> f64 {
    let n = residuals.len() as f64;
    let mean = residuals.iter().sum::<f64>() / n;
    let product = |lag: usize| {
        let pairs = residuals.iter().zip(&residuals[lag..]);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>()
    };
    let variance = product(0);
    if variance <= 0.0 {
        return n;
    }
    let measured = product(1) / variance;
    // A line was taken out of the residuals as well.
    let coefficient = (measured + (1.0 + 4.0 * measured) / n).clamp(0.0, LARGEST_COEFFICIENT);
    let mut factor = 1.0;
    let mut power = 1.0;
    for lag in 1..residuals.len() {
        power *= coefficient;
        factor += 2.0 * (1.0 - lag as f64 / n) * power;
    }
    (n / factor).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::simulation::Noise;
    use super::*;

    fn series(values: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
        (0..).map(f64::from).zip(values).collect()
    }

    #[test]
    fn a_line_has_its_slope() {
        let points = series((0..20).map(|i| 5.0 + 3.0 * f64::from(i)));
        let trend = trend(&points, 0.05).unwrap();
        assert!((trend.slope - 3.0).abs() < 1e-12);
        assert!((trend.low - 3.0).abs() < 1e-9 && (trend.high - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_constant_does_not_grow() {
        let trend = trend(&series([7.0; 12]), 0.05).unwrap();
        assert_eq!((trend.slope, trend.low, trend.high), (0.0, 0.0, 0.0));
    }

    #[test]
    fn of_many_points_some_are_compared() {
        let points = series((0..10_001).map(|i| 5.0 + 3.0 * f64::from(i)));
        let some = thinned(&points);
        assert_eq!((some.len(), some.last()), (385, points.last()));
        let trend = trend(&points, 0.05).unwrap();
        assert!((trend.slope - 3.0).abs() < 1e-9, "{trend:?}");
        assert_eq!(thinned(&points[..MOST_POINTS]), points[..MOST_POINTS]);
    }

    #[test]
    fn outliers_do_not_move_it() {
        let mut points = series((0..30).map(f64::from));
        for outlier in [3, 11, 25] {
            points[outlier].1 = 1e6;
        }
        let trend = trend(&points, 0.05).unwrap();
        assert!((trend.slope - 1.0).abs() < 0.05, "{}", trend.slope);
    }

    #[test]
    fn what_is_no_series_has_no_trend() {
        assert_eq!(trend(&series([1.0; 7]), 0.05), None);
        assert_eq!(trend(&series([f64::NAN; 20]), 0.05), None);
        let mut points = series([1.0; 20]);
        points[7].0 = 6.0;
        assert_eq!(trend(&points, 0.05), None);
    }

    /// Made-up values whose residuals alternate, so that no dependence is found.
    #[test]
    fn independent_points_have_sens_interval() {
        let noise = [
            0.9, -1.1, 0.4, -0.6, 1.3, -0.8, 0.7, -1.2, 0.5, -0.3, 1.0, -0.9,
        ];
        let points = series((0..).map(f64::from).zip(noise).map(|(i, e)| 2.0 * i + e));
        let trend = trend(&points, 0.05).unwrap();
        assert_eq!(trend.effective, 12.0);
        assert!((trend.slope - 2.0).abs() < 0.1, "{trend:?}");
        assert!(trend.low < 2.0 && trend.low > 1.6, "{trend:?}");
        assert!(trend.high > 2.0 && trend.high < 2.4, "{trend:?}");
    }

    /// Worked out apart from this code, as the other known answers here.
    #[test]
    fn the_parts_of_the_interval_have_known_answers() {
        let near = |value: f64, known: f64| assert!((value - known).abs() < 1e-9, "{value}");
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 5.0, 9.0]), 3.5);
        let of_values = |values: [f64; 8]| kendall_variance(&series(values));
        near(
            of_values([3.0, 1.0, 2.0, 5.0, 4.0, 7.0, 6.0, 8.0]),
            196.0 / 3.0,
        );
        // Two values that occur twice and three times.
        near(
            of_values([1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0]),
            182.0 / 3.0,
        );
        near(effective_count(&RESIDUALS), 9.915_926_062_257_867);
        let waves = [1.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, -1.0, 0.0];
        near(effective_count(&waves), 1.758_629_514_959_743);
    }

    const RESIDUALS: [f64; 12] = [
        1.0, -0.5, 0.8, 1.2, -1.0, -1.1, 0.3, 0.2, -0.6, 0.9, 1.1, 0.4,
    ];

    #[test]
    fn residuals_are_those_of_the_line_at_the_times_of_the_points() {
        let points = RESIDUALS.iter().zip(0..).map(|(residual, number)| {
            let at = 2.0 * f64::from(number);
            (at, 3.0 * at + residual)
        });
        let points: Vec<_> = points.collect();
        let trend = trend(&points, 0.05).unwrap();
        assert!((trend.slope - 3.006_071_428_571_428_5).abs() < 1e-9);
        assert!((trend.effective - 10.195_834_080_130_878).abs() < 1e-9);
        assert!(trend.low < 3.0 && trend.high > 3.0);
        assert_eq!(super::trend(&points[..FEWEST_POINTS - 1], 0.05), None);
        assert!(super::trend(&points[..FEWEST_POINTS], 0.05).is_some());
    }

    /// The steps, over two units of time each, are those of a series whose mean has a known estimate (see [`Estimate::of_series`]).
    #[test]
    fn the_mean_step_has_the_interval_of_the_mean_of_a_series() {
        let steps = [
            10.0, 12.0, 9.0, 11.0, 10.0, 13.0, 8.0, 12.0, 11.0, 9.0, 10.0,
        ];
        let mut points = vec![(0.0, 5.0)];
        for step in steps {
            let (at, value) = points[points.len() - 1];
            points.push((at + 2.0, value + 2.0 * step));
        }
        let (low, high) = by_steps(&points, 0.05).unwrap();
        let margin = quantile(0.05, 11.0 / 1.5).unwrap() * 0.206_611_570_247_933_86_f64.sqrt();
        assert!((low - (115.0 / 11.0 - margin)).abs() < 1e-9, "{low}");
        assert!((high - (115.0 / 11.0 + margin)).abs() < 1e-9, "{high}");
    }

    /// How often an interval of 95 % misses the slope, in percent.
    fn misses(slope: f64, count: usize, mut values: impl FnMut() -> Vec<f64>) -> f64 {
        let tries = 1000;
        let missed = (0..tries)
            .filter(|_| {
                let rising = (0..count).map(|i| slope * i as f64);
                let points = series(rising.zip(values()).map(|(a, b)| a + b));
                let trend = trend(&points, 0.05).unwrap();
                trend.low > slope || trend.high < slope
            })
            .count();
        missed as f64 * 100.0 / f64::from(tries)
    }

    #[test]
    fn the_interval_holds_where_points_depend_on_each_other() {
        let mut noise = Noise::seeded(1);
        for count in [12, 20, 60, 120] {
            let share = misses(0.3, count, || noise.normals(0.0, 1.0, count));
            assert!(share < 7.0, "independent, {count}: {share} %");
            for coefficient in [0.5, 0.8] {
                let share = misses(0.3, count, || noise.autoregression(coefficient, 0.0, count));
                assert!(share < 11.0, "{coefficient}, {count}: {share} %");
            }
        }
    }

    #[test]
    fn a_random_walk_seldom_looks_like_a_trend() {
        let mut noise = Noise::seeded(2);
        for count in [12, 30, 120] {
            let share = misses(0.0, count, || {
                let mut at = 0.0;
                let steps = noise.normals(0.0, 1.0, count);
                steps
                    .iter()
                    .map(|step| {
                        at += step;
                        at
                    })
                    .collect()
            });
            assert!(share < 20.0, "{count}: {share} %");
        }
    }

    #[test]
    fn a_backlog_that_grows_is_found() {
        let mut noise = Noise::seeded(3);
        // A fifth more comes than goes, with the noise of arrivals: 1000 and 800 a second.
        let found = (0..50).filter(|_| {
            let mut at = 0.0;
            let steps = noise.normals(200.0, 32.0, 12);
            let points = series(steps.iter().map(|step| {
                at += step;
                at
            }));
            let trend = trend(&points, 0.05).unwrap();
            assert!((150.0..250.0).contains(&trend.slope), "{trend:?}");
            trend.low > 0.0
        });
        assert!(found.count() >= 48);
    }
}
