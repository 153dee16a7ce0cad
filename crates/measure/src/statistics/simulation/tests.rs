//! The claims of the tests, tried on thousands of made-up runs.

use super::super::*;
use super::*;

fn runs_differ(baseline: &[f64], candidate: &[f64]) -> bool {
    let [baseline, candidate] =
        [baseline, candidate].map(|runs| Estimate::of_runs(runs, 0.0).unwrap());
    t_test(&baseline, &candidate).unwrap().p < LEVEL
}

fn series_differ(baseline: &[f64], candidate: &[f64]) -> bool {
    let [baseline, candidate] =
        [baseline, candidate].map(|series| Estimate::of_series(series).unwrap());
    welch(&baseline, &candidate).unwrap().p < LEVEL
}

fn ratios_differ(baseline: &[f64], candidate: &[f64]) -> bool {
    let [baseline, candidate] = [baseline, candidate].map(|series| {
        let estimate = Estimate::of_short_series(series).unwrap();
        Scale::Ratio.estimate(&estimate).unwrap()
    });
    Scale::Ratio.welch(&baseline, &candidate).unwrap().p < LEVEL
}

fn assert_around_95(no_difference: f64, what: &str) {
    assert!(
        (93.0..=97.0).contains(&no_difference),
        "{what}: {no_difference} %"
    );
}

#[test]
fn repeated_runs_without_a_difference() {
    for (count, deviation) in [(3, 2.0), (5, 2.0), (10, 2.0), (5, 6.0)] {
        let same = percent(|noise| {
            !runs_differ(
                &noise.normals(100.0, 2.0, count),
                &noise.normals(100.0, deviation, count),
            )
        });
        assert_around_95(same, &format!("{count} runs, deviation {deviation}"));
    }
}

#[test]
fn series_without_a_difference() {
    for count in [60, 120, 400] {
        for coefficient in [0.0, 0.3, 0.5, 0.7, 0.9] {
            let same = percent(|noise| {
                !series_differ(
                    &noise.autoregression(coefficient, 100.0, count),
                    &noise.autoregression(coefficient, 100.0, count),
                )
            });
            assert_around_95(same, &format!("{count} values, AR(1) {coefficient}"));
        }
    }
}

/// A run of 60 values against one of 600; few values; slow waves under independent noise, which no
/// first-order autoregression is: joined into batches they become one.
#[test]
fn series_of_other_shapes_without_a_difference() {
    let unequal = percent(|noise| {
        !series_differ(
            &noise.autoregression(0.7, 50.0, 60),
            &noise.autoregression(0.7, 50.0, 600),
        )
    });
    assert_around_95(unequal, "60 and 600 values");
    let few = percent(|noise| {
        !series_differ(
            &noise.autoregression(0.7, 50.0, 20),
            &noise.autoregression(0.7, 50.0, 20),
        )
    });
    assert_around_95(few, "20 values");
    let waves = percent(|noise| {
        let mut run = || -> Vec<f64> {
            let slow = noise.autoregression(0.9, 100.0, 1_000);
            slow.iter()
                .map(|value| value + 2.0 * noise.normal())
                .collect()
        };
        !series_differ(&run(), &run())
    });
    assert!(waves >= 92.0, "slow waves under noise: {waves} %");
}

/// Series as dependent as is believed at all (0.95), up to which they are rarely told apart by the bound on their means, and few values
/// of any dependence. From ten values on, dependence is estimated, and for short series of a strong one too low: that is the larger part.
#[test]
fn short_and_dependent_series_without_a_difference() {
    let same = |coefficient: f64, count: usize| {
        percent(|noise| {
            let mut series = || noise.autoregression(coefficient, 100.0, count);
            let (baseline, candidate) = (series(), series());
            !ratios_differ(&baseline, &candidate)
        })
    };
    for count in [5, 7, 9] {
        for (coefficient, least) in [
            (0.0, 98.0),
            (0.5, 98.0),
            (0.7, 96.5),
            (0.9, 92.0),
            (0.95, 88.0),
        ] {
            let same = same(coefficient, count);
            assert!(
                same >= least,
                "{count} values, AR(1) {coefficient}: {same} %"
            );
        }
    }
    for (count, least) in [(10, 88.0), (20, 90.5), (60, 94.0)] {
        let same = same(0.95, count);
        assert!(same >= least, "{count} values, AR(1) 0.95: {same} %");
    }
}

/// A rate twelve times as high is found although it varies by a tenth, or falls to the half on the way; one of 5 % more is not,
/// where it drifts by a fifth.
#[test]
fn a_rate_twelve_times_as_high_is_found() {
    let drifting = |noise: &mut Noise, mean: f64, share: f64, count: usize| -> Vec<f64> {
        let at = |place: usize| place as f64 / (count - 1) as f64 - 0.5;
        let noise = noise.normals(0.0, 0.03, count).into_iter().enumerate();
        noise
            .map(|(place, noise)| mean * (1.0 - share * at(place) + noise))
            .collect()
    };
    // From 1200 down by a third on both sides of the mean: by half. Of five values a third of the mean is enough to hide it.
    let by_half = 2.0 / 3.0;
    for (count, share) in [(5, 0.3), (10, by_half), (30, by_half), (60, by_half)] {
        let higher = percent(|noise| {
            let baseline = noise.normals(100.0, 3.0, count);
            let falling = drifting(noise, 1200.0, share, count);
            ratios_differ(&baseline, &falling)
        });
        assert!(higher >= 95.0, "{count} values that fall: {higher} %");
        let wandering = percent(|noise| {
            let baseline = noise.normals(100.0, 3.0, count);
            let candidate: Vec<f64> = noise
                .autoregression(0.9, 0.0, count)
                .into_iter()
                // The deviation of such a series is 2.29.
                .map(|value| 1200.0 * (1.0 + 0.1 * value / 2.29))
                .collect();
            ratios_differ(&baseline, &candidate)
        });
        assert!(
            wandering >= 99.0,
            "{count} values that wander: {wandering} %"
        );
        let slightly = percent(|noise| {
            let baseline = drifting(noise, 100.0, 0.2, count);
            let candidate = drifting(noise, 105.0, -0.2, count);
            ratios_differ(&baseline, &candidate)
        });
        assert!(slightly <= 10.0, "{count} values that drift: {slightly} %");
    }
}

/// Without the correction for autocorrelation, more than every third comparison of equals would be wrong.
#[test]
fn independence_would_be_a_mistake() {
    let naive = percent(|noise| {
        runs_differ(
            &noise.autoregression(0.7, 100.0, 120),
            &noise.autoregression(0.7, 100.0, 120),
        )
    });
    assert!(naive > 33.0, "{naive} %");
}

#[test]
fn the_interval_holds_the_true_change() {
    for (count, deviation) in [(8, 3.0), (5, 5.0)] {
        let held = percent(|noise| {
            let baseline = Estimate::of_runs(&noise.normals(100.0, 5.0, 5), 0.0).unwrap();
            let runs = noise.normals(120.0, deviation, count);
            let candidate = Estimate::of_runs(&runs, 0.0).unwrap();
            let (low, high) = t_test(&baseline, &candidate).unwrap().interval.unwrap();
            low < 0.2 && 0.2 < high
        });
        assert_around_95(
            held,
            &format!("interval of a change of 20 %, 5 + {count} runs"),
        );
    }
}

/// Exactly at the margin it is the one in twenty; far inside it is found.
#[test]
fn what_is_off_by_the_margin_is_rarely_called_as_good() {
    let as_good = |mean: f64, count: usize| {
        percent(|noise| {
            let [baseline, candidate] = [(100.0, 5), (mean, count)]
                .map(|(mean, count)| Estimate::of_runs(&noise.normals(mean, 1.5, count), 0.0))
                .map(Option::unwrap);
            equivalence_p(&baseline, &candidate, 0.05).unwrap() < LEVEL
        })
    };
    for count in [3, 5, 8] {
        let wrong = as_good(95.0, count);
        assert!((3.5..=6.5).contains(&wrong), "5 + {count} runs: {wrong} %");
        assert!(as_good(90.0, count) < 0.2, "5 + {count} runs");
    }
    let right = as_good(100.0, 5);
    assert!(right > 97.0, "{right} %");
}

/// After 20 s the rate is still 11 % low, after 60 s 0.4 %: cut in between, or later, where chance has it.
#[test]
fn the_end_of_a_warmup_is_found() {
    let found = percent(|noise| {
        let rates: Vec<f64> = (0..200)
            .map(|second| {
                1000.0 * (1.0 - 0.6 * (-f64::from(second) / 12.0).exp()) + 20.0 * noise.normal()
            })
            .collect();
        let warmup = steady_from(&rates).unwrap().warmup;
        let rest = estimate::mean(&rates[warmup..]);
        (20..=100).contains(&warmup) && (rest / 1000.0 - 1.0).abs() < 0.01
    });
    assert!(found >= 97.0, "{found} %");
}

#[test]
fn a_steady_rate_is_called_steady_and_a_falling_one_is_not() {
    let steady = percent(|noise| {
        steady_from(&noise.autoregression(0.5, 100.0, 120))
            .unwrap()
            .steady
    });
    assert!(steady >= 80.0, "{steady} %");
    let falling = percent(|noise| {
        let rates: Vec<f64> = (0..120)
            .map(|second| 1000.0 - 3.0 * f64::from(second) + 20.0 * noise.normal())
            .collect();
        !steady_from(&rates).unwrap().steady
    });
    assert!(falling >= 95.0, "{falling} %");
    assert_eq!(steady_from(&[1.0; 9]), None);
}
