//! How often the verdicts are right, tried on thousands of made-up runs with a known truth.

use super::{Facts, Verdict, compare, row, run, runs, with_rates};
use crate::compare::judge::{self, Sample};
use crate::measure::statistics::benjamini_hochberg;
use crate::measure::statistics::simulation::{Noise, percent, percent_of};

const MEAN: f64 = 1000.0;
/// From run to run: 2 %.
const DEVIATION: f64 = 20.0;

fn same(baseline: Vec<Facts>, candidate: Vec<Facts>) -> bool {
    let comparison = compare(baseline, candidate, None).unwrap();
    row(&comparison, "tps").verdict == Verdict::NoDifference
}

/// Whether `count` runs around each mean get the verdict that there is no difference.
fn same_runs(noise: &mut Noise, means: (f64, f64), count: usize) -> bool {
    let mut side = |id, mean| runs(id, &noise.normals(mean, DEVIATION, count));
    same(side(1, means.0), side(11, means.1))
}

/// Of so many trials a share of 95 % is known to 0.15 points: no promise is kept or broken by luck.
const TRIALS: u32 = 20_000;

#[test]
fn equal_runs_do_not_differ_in_95_percent_of_comparisons() {
    for count in [3, 4, 5, 6, 10] {
        let same = percent_of(TRIALS, |noise| same_runs(noise, (MEAN, MEAN), count));
        assert!(
            (93.0..=97.0).contains(&same),
            "{count} + {count} runs: {same} %"
        );
    }
}

#[test]
fn nor_do_single_runs_whose_intervals_resemble_their_neighbours() {
    for count in [60, 120] {
        for coefficient in [0.0, 0.7] {
            let same = percent(|noise| {
                let mut single = |id| {
                    let rates = noise.autoregression(coefficient, MEAN, count);
                    let tps = rates.iter().sum::<f64>() / rates.len() as f64;
                    vec![with_rates(run(id, tps), &rates)]
                };
                same(single(1), single(2))
            });
            assert!(
                (93.0..=97.0).contains(&same),
                "{count} intervals, AR(1) {coefficient}: {same} %"
            );
        }
    }
}

/// SciPy, a million trials: 95.2 % of 5 + 5 at the level of few runs; at 0.05 it would be 91.9 %.
#[test]
fn five_percent_are_found_in_95_percent_of_comparisons_of_five_runs() {
    for candidate in [0.95 * MEAN, 1.05 * MEAN] {
        for count in [5, 6] {
            let found = percent_of(TRIALS, |noise| !same_runs(noise, (MEAN, candidate), count));
            assert!(found >= 95.0, "{candidate}, {count} + {count}: {found} %");
        }
    }
}

#[test]
fn one_in_twenty_comparisons_of_eighty_equal_metrics_shows_any() {
    for count in [5, 6] {
        let silent = percent(|noise| {
            let mut side = || -> Vec<Sample> {
                let values = noise.normals(MEAN, DEVIATION, count).into_iter();
                let series = None;
                values.map(|value| Sample { value, series }).collect()
            };
            let judgements: Vec<_> = (0..80)
                .filter_map(|_| judge::judge(&side(), &side(), None, 0.0))
                .collect();
            let p: Vec<f64> = judgements.iter().map(|j| j.change.p).collect();
            let corrected = benjamini_hochberg(&p).into_iter();
            corrected.zip(judgements).all(|(p, j)| p >= j.method.level)
        });
        assert!(silent >= 94.0, "{count} + {count} runs: {silent} %");
    }
}
