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
