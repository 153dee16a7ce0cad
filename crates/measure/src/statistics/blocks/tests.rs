//! The claims of the module, tried on thousands of made-up runs.

use super::super::LEVEL;
use super::super::simulation::Noise;
use super::*;
use crate::turns::side_of;
use statrs::distribution::{ContinuousCDF, Normal};

/// Intervals of a turn: what a run stores.
const INTERVALS: usize = 5;
const MEAN: f64 = 1000.0;

/// The turns of a run whose intervals have this noise, in percent of their mean; side B is faster by `gain` percent.
fn turns(noise: &[f64], gain: f64, seed: u64) -> Vec<TurnValue> {
    (0..)
        .zip(noise.chunks_exact(INTERVALS))
        .map(|(turn, noise)| {
            let side = side_of(turn, seed);
            let factor = match side {
                Side::A => 1.0,
                Side::B => 1.0 + gain / 100.0,
            };
            let value = MEAN * factor * (1.0 + mean(noise) / 100.0);
            TurnValue { turn, side, value }
        })
        .collect()
}

fn intervals(blocks: usize) -> usize {
    blocks * BLOCK as usize * INTERVALS
}

/// The percentage of runs in which the sides seem to differ; `case` has noise of its own.
fn found(
    case: u64,
    blocks: usize,
    gain: f64,
    mut run: impl FnMut(&mut Noise, usize) -> Vec<f64>,
) -> f64 {
    const TRIALS: u64 = 6_000;
    let mut noise = Noise::seeded(1_000_003 * case);
    let hits = (0..TRIALS).filter(|&seed| {
        let turns = turns(&run(&mut noise, intervals(blocks)), gain, seed);
        let change = Blocks::of(&turns).change(0.0).unwrap();
        let (low, high) = change.interval.unwrap();
        assert_eq!(change.p < LEVEL, low > 0.0 || high < 0.0);
        change.p < LEVEL
    });
    100.0 * hits.count() as f64 / TRIALS as f64
}

/// A drift that leaves the mean as it is.
fn drift(step: f64, count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| step * (i as f64 - count as f64 / 2.0))
}

fn sum(series: &[f64], other: impl Iterator<Item = f64>) -> Vec<f64> {
    series.iter().zip(other).map(|(a, b)| a + b).collect()
}

/// A random walk: nothing is as it was before.
fn walk(noise: &mut Noise, step: f64, count: usize) -> Vec<f64> {
    let mut at = 0.0;
    let steps = noise.normals(0.0, step, count);
    steps
        .iter()
        .map(|step| {
            at += step;
            at
        })
        .collect()
}

#[test]
fn sides_that_do_not_differ_seldom_seem_to() {
    let mut case = 0;
    let mut none = |what: &str, blocks: usize, run: &dyn Fn(&mut Noise, usize) -> Vec<f64>| {
        case += 1;
        let share = found(case, blocks, 0.0, run);
        assert!((4.0..=6.0).contains(&share), "{what}, {blocks}: {share} %");
    };
    for blocks in [3, 15, 40] {
        none("independent", blocks, &|noise, count| {
            noise.normals(0.0, 3.0, count)
        });
        for coefficient in [0.5, 0.9, 0.98] {
            none("autocorrelated", blocks, &|noise, count| {
                noise.autoregression(coefficient, 0.0, count)
            });
            none("autocorrelated, with a drift", blocks, &|noise, count| {
                let series = noise.autoregression(coefficient, 0.0, count);
                sum(&series, drift(0.05, count))
            });
        }
        none("a random walk", blocks, &|noise, count| {
            walk(noise, 0.2, count)
        });
    }
}

/// Every minute, as autovacuum, while a block lasts twenty seconds: an interval of one turn in twelve loses half.
#[test]
fn what_comes_back_at_regular_times_is_no_difference() {
    for blocks in [15, 45] {
        let share = found(100, blocks, 0.0, |noise, count| {
            let series = noise.normals(0.0, 3.0, count);
            let lost = |i| {
                if i % (3 * intervals(1)) < 2 {
                    -50.0
                } else {
                    0.0
                }
            };
            sum(&series, (0..count).map(lost))
        });
        assert!(share < 6.5, "{blocks}: {share} %");
    }
}

/// The difference itself comes and goes: its blocks are no independent values.
#[test]
fn a_difference_that_comes_and_goes_is_judged_with_care() {
    const BLOCKS: usize = 60;
    const TRIALS: u64 = 2_000;
    let mut noise = Noise::seeded(7);
    let hits = (0..TRIALS).filter(|&seed| {
        let effect = noise.autoregression(0.7, 0.0, BLOCKS);
        let series = noise.normals(0.0, 1.0, intervals(BLOCKS));
        let turns: Vec<TurnValue> = turns(&series, 0.0, seed)
            .into_iter()
            .map(|turn| match turn.side {
                Side::A => turn,
                Side::B => TurnValue {
                    value: turn.value * (1.0 + effect[(turn.turn / BLOCK) as usize] / 100.0),
                    ..turn
                },
            })
            .collect();
        Blocks::of(&turns).change(0.0).unwrap().p < LEVEL
    });
    let share = 100.0 * hits.count() as f64 / TRIALS as f64;
    assert!(share < 7.5, "{share} %");
}

/// The power of a t test, in percent: `shift` is the mean of the values in standard errors.
fn power(shift: f64, freedom: f64) -> f64 {
    use statrs::distribution::ChiSquared;
    let normal = Normal::standard();
    let chi = ChiSquared::new(freedom).unwrap();
    let quantile = super::super::quantile(LEVEL, freedom).unwrap();
    let steps = 500;
    let total: f64 = (0..steps)
        .map(|step| {
            let spread =
                (chi.inverse_cdf((f64::from(step) + 0.5) / f64::from(steps)) / freedom).sqrt();
            normal.cdf(shift - quantile * spread) + normal.cdf(-shift - quantile * spread)
        })
        .sum();
    100.0 * total / f64::from(steps)
}

/// The variance of a block's difference by theory: the weights of its intervals over the autocovariances of the series.
fn variance_of_difference(coefficient: f64) -> f64 {
    let weight = |i: usize| {
        let sign = match side_of((i / INTERVALS) as u64, 0) {
            Side::A => -1.0,
            Side::B => 1.0,
        };
        sign / (2 * INTERVALS) as f64
    };
    let covariance = |lag: usize| coefficient.powi(lag as i32) / (1.0 - coefficient * coefficient);
    let all = 0..intervals(1);
    all.clone()
        .flat_map(|i| all.clone().map(move |j| (i, j)))
        .map(|(i, j)| weight(i) * weight(j) * covariance(i.abs_diff(j)))
        .sum()
}

#[test]
fn a_difference_is_found_as_often_as_theory_says() {
    for (blocks, coefficient, gain) in [
        (6, 0.0, 0.5),
        (15, 0.0, 0.3),
        (15, 0.8, 1.0),
        (40, 0.8, 0.5),
        (15, 0.95, 1.0),
    ] {
        // In percent of the mean, as the noise is.
        let error = (variance_of_difference(coefficient) / blocks as f64).sqrt();
        let expected = power(gain / error, blocks as f64 - 1.0);
        assert!((20.0..97.0).contains(&expected), "a case that says nothing");
        let share = found(200 + blocks as u64, blocks, gain, |noise, count| {
            let series = noise.autoregression(coefficient, 0.0, count);
            sum(&series, drift(0.01, count))
        });
        assert!(
            (share - expected).abs() < 3.0,
            "{blocks} blocks, {coefficient}: {share} % of {expected} %"
        );
    }
}

#[test]
fn incomplete_blocks_are_left_out() {
    let series = vec![0.0; intervals(3)];
    let mut turns = turns(&series, 10.0, 5);
    assert_eq!(Blocks::of(&turns).count(), 3);
    turns.remove(5);
    turns.pop();
    let blocks = Blocks::of(&turns);
    assert_eq!((blocks.count(), blocks.mean(Side::A)), (1, Some(MEAN)));
    assert_eq!(blocks.change(0.0), None);
    assert_eq!(Blocks::of(&[]).mean(Side::B), None);
}

#[test]
fn equal_values_are_known_to_their_step() {
    let turns = turns(&vec![0.0; intervals(4)], 1.0, 5);
    let blocks = Blocks::of(&turns);
    let sure = blocks.change(0.0).unwrap();
    assert!((sure.change.unwrap() - 0.01).abs() < 1e-9 && sure.p < 1e-6);
    // Both sides are known to half a step of a hundredth only.
    let coarse = blocks.change(MEAN / 100.0).unwrap();
    let (low, high) = coarse.interval.unwrap();
    assert!(low < 0.01 && high > 0.01 && high - low > 0.01, "{coarse:?}");
}

#[test]
fn from_nothing_there_is_no_change_in_percent() {
    let mut turns = turns(&vec![0.0; intervals(4)], 1.0, 5);
    for turn in &mut turns {
        if turn.side == Side::A {
            turn.value = 0.0;
        }
    }
    let change = Blocks::of(&turns).change(1.0).unwrap();
    assert_eq!((change.change, change.interval), (None, None));
    assert!(change.p < 1e-6, "{change:?}");
    for turn in &mut turns {
        turn.value = 0.0;
    }
    assert_eq!(Blocks::of(&turns).change(0.0).unwrap().p, 1.0);
}

/// Their correlation is 0.668, on average lower by a twelfth than the coefficient; one series of twelve in a hundred has 0.671.
#[test]
fn the_bias_of_a_short_series_counts() {
    let series = [6, 7, 8, 9, 7, 4, 2, 0, 1, 4, 6, 2].map(f64::from);
    assert!(depend(&series));
    let turned: Vec<f64> = series
        .iter()
        .zip(0..)
        .map(|(value, place)| value * f64::from(place % 2))
        .collect();
    assert!(!depend(&turned));
}
