//! Distributions of random integers: drawn values against the exact probabilities.

use super::super::*;
use super::eval;

/// How many values are drawn.
const DRAWS: usize = 100_000;

/// What an expression yields, so many times, from one seed.
fn values(expression: &str, count: usize) -> Vec<i64> {
    let mut symbols = Symbols::new();
    let text = format!("\\set x {expression}");
    let script = parse("x.sql", &text, &mut symbols).unwrap();
    let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
        panic!("not a \\set");
    };
    let variables = Variables::new(&symbols);
    let mut prng = Prng::new(20);
    (0..count)
        .map(|_| match eval(expr, &variables, &mut prng) {
            Ok(Value::Int(int)) => int,
            other => panic!("{expression}: {other:?}"),
        })
        .collect()
}

fn message(expression: &str) -> String {
    let mut symbols = Symbols::new();
    let text = format!("\\set x {expression}");
    let script = parse("x.sql", &text, &mut symbols).unwrap();
    let CommandKind::Set { expr, .. } = &script.commands[0].kind else {
        panic!("not a \\set");
    };
    match eval(expr, &Variables::new(&symbols), &mut Prng::new(1)) {
        Ok(value) => value.describe(),
        Err(error) => error.to_string(),
    }
}

/// Asserts that the values from `min` on come with these probabilities: a chi-square test.
#[track_caller]
fn expect(expression: &str, min: i64, probabilities: &[f64]) {
    let total: f64 = probabilities.iter().sum();
    assert!((total - 1.0).abs() < 1e-9, "{expression}: {total}");
    let mut counts = vec![0u32; probabilities.len()];
    for value in values(expression, DRAWS) {
        let place = usize::try_from(value - min).ok();
        match place.and_then(|place| counts.get_mut(place)) {
            Some(count) => *count += 1,
            None => panic!("{expression}: {value}"),
        }
    }
    let mut statistic = 0.0;
    let mut cells = 0;
    for (&count, &probability) in counts.iter().zip(probabilities) {
        let expected = probability * DRAWS as f64;
        if probability == 0.0 {
            assert_eq!(count, 0, "{expression}: {counts:?}");
            continue;
        }
        assert!(expected >= 5.0, "{expression}: too rare");
        statistic += (f64::from(count) - expected).powi(2) / expected;
        cells += 1;
    }
    let limit = quantile(cells - 1);
    assert!(
        statistic < limit,
        "{expression}: {statistic} of {limit}: {counts:?}"
    );
}

/// What a chi-square statistic exceeds in 1 of 1,000 cases, by the approximation of Wilson and Hilferty.
fn quantile(freedom: i32) -> f64 {
    let freedom = f64::from(freedom);
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + 3.0902 * part.sqrt()).powi(3)
}

/// The probability that the mean of `count` uniform draws of [0, 1) is below x (Irwin and Hall).
fn mean_below(x: f64, count: i32) -> f64 {
    let sum = (x * f64::from(count)).clamp(0.0, f64::from(count));
    let mut total = 0.0;
    let mut binomial = 1.0;
    for k in 0..=count {
        let base = sum - f64::from(k);
        if base > 0.0 {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            total += sign * binomial * base.powi(count);
        }
        binomial *= f64::from(count - k) / f64::from(k + 1);
    }
    let factorial: f64 = (1..=count).map(f64::from).product();
    (total / factorial).min(1.0)
}

/// The probabilities of 0, 1, ... from a distribution function.
fn cells(count: usize, below: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..count)
        .map(|place| below(place as f64 + 1.0) - below(place as f64))
        .collect()
}

#[test]
fn gaussian_is_a_mean_of_draws() {
    for iter in [1, 2, 3, 5] {
        expect(
            &format!("sysbench_gaussian(5, 10, {iter})"),
            5,
            &cells(6, |x| mean_below(x / 6.0, iter)),
        );
    }
}

#[test]
fn pareto_is_a_power_of_a_draw() {
    for h in [0.2f64, 0.5, 0.6] {
        let power = h.ln() / (1.0 - h).ln();
        expect(
            &format!("sysbench_pareto(-3, 6, {h})"),
            -3,
            &cells(10, |x| (x / 10.0).powf(1.0 / power)),
        );
    }
}

#[test]
fn zipfian_weights_fall_with_the_rank() {
    for exponent in [0.0, 0.3, 0.8, 1.0, 1.2, 2.0] {
        for count in [2, 3, 10, 50] {
            let weights: Vec<f64> = (1..=count)
                .map(|rank| f64::from(rank).powf(-exponent))
                .collect();
            let total: f64 = weights.iter().sum();
            let probabilities: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
            expect(
                &format!("sysbench_zipfian(1, {count}, {exponent})"),
                1,
                &probabilities,
            );
        }
    }
}

#[test]
fn special_has_a_middle_that_comes_more_often() {
    // Of 11 values (t is 10) with 20 percent in the middle: width 2, from 10 / 2 - 1 = 4 on.
    let (iter, pct, res) = (3, 20.0, 75.0);
    let (t, share): (f64, f64) = (10.0, 1.0 - res / 100.0);
    let middle_from = t / 2.0 - t * pct / 200.0;
    let width = t * pct / 100.0 + 1.0;
    let probabilities: Vec<f64> = cells(11, |x| {
        // A draw below the share gives a mean of draws over t; one above, itself, over the width of the middle.
        let of_mean = share * mean_below(x / t, iter);
        let draw = ((x - middle_from) / width).clamp(share, 1.0);
        of_mean + (draw - share)
    });
    expect("sysbench_special(1, 11, 3, 20, 75)", 1, &probabilities);
    // Without a middle, and with all of the range as the middle.
    expect(
        "sysbench_special(1, 11, 3, 1, 0)",
        1,
        &cells(11, |x| mean_below(x / t, iter)),
    );
    let all: Vec<f64> = cells(11, |x| {
        share * mean_below(x / t, 1) + ((x / 11.0).clamp(share, 1.0) - share)
    });
    expect("sysbench_special(0, 10, 1, 100, 75)", 0, &all);
}

/// How often 1 to 11 came in 200,000 draws of sysbench 1.0.20 from 1 to 11, with its defaults.
const OF_SYSBENCH: [(&str, [u32; 11]); 3] = [
    (
        "sysbench_gaussian(1, 11, 12)",
        [0, 5, 521, 9700, 48771, 81945, 48946, 9575, 532, 5, 0],
    ),
    (
        "sysbench_special(1, 11, 12, 1, 75)",
        [0, 1, 390, 5403, 19368, 160004, 14446, 383, 5, 0, 0],
    ),
    (
        "sysbench_pareto(1, 11, 0.2)",
        [
            143568, 14331, 9052, 6854, 5414, 4555, 3930, 3545, 3176, 2947, 2628,
        ],
    ),
];

#[test]
fn draws_are_spread_as_those_of_sysbench() {
    for (expression, theirs) in OF_SYSBENCH {
        let mut ours = [0u32; 11];
        for value in values(expression, 200_000) {
            ours[value as usize - 1] += 1;
        }
        let cells = || ours.iter().zip(&theirs).filter(|&(a, b)| a + b >= 10);
        let statistic: f64 = cells()
            .map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2) / f64::from(a + b))
            .sum();
        let limit = quantile(cells().count() as i32 - 1);
        assert!(statistic < limit, "{expression}: {statistic}: {ours:?}");
    }
}

#[test]
fn nurand_is_an_or_of_draws() {
    let (a, x, y, c) = (15, 1, 20, 7);
    let mut probabilities = vec![0.0; 20];
    for first in 0..=a {
        for second in x..=y {
            let value = ((first | second) + c) % (y - x + 1) + x;
            probabilities[(value - x) as usize] += 1.0 / f64::from((a + 1) * (y - x + 1));
        }
    }
    expect("nurand(15, 1, 20, 7)", 1, &probabilities);
    // With a of 0 it is uniform.
    expect("nurand(0, 5, 9, 0)", 5, &[0.2; 5]);
}

#[test]
fn a_range_of_one_has_one_value() {
    for expression in [
        "sysbench_gaussian(7, 7, 12)",
        "sysbench_special(7, 7, 12, 1, 75)",
        "sysbench_pareto(7, 7, 0.2)",
        "sysbench_zipfian(7, 7, 0.8)",
        "sysbench_zipfian(7, 7, 1)",
        "nurand(255, 7, 7, 3)",
    ] {
        assert!(
            values(expression, 1000).iter().all(|&v| v == 7),
            "{expression}"
        );
    }
}

#[test]
fn bounds_hold_where_numbers_are_large() {
    for function in [
        "sysbench_gaussian(MIN, MAX, 2)",
        "sysbench_gaussian(MIN, MAX, 1000)",
        "sysbench_special(MIN, MAX, 1, 100, 99)",
        "sysbench_special(MIN, MAX, 12, 1, 75)",
        "sysbench_pareto(MIN, MAX, 0.2)",
        // A power so small that nearly all draws come to 1.
        "sysbench_pareto(MIN, MAX, 0.9999999999999999)",
        "sysbench_pareto(MIN, MAX, 1e-300)",
        "sysbench_zipfian(MIN, MAX, 0)",
        "sysbench_zipfian(MIN, MAX, 0.5)",
        "sysbench_zipfian(MIN, MAX, 1)",
        "sysbench_zipfian(MIN, MAX, 1.0000000001)",
        "sysbench_zipfian(MIN, MAX, 3)",
        "sysbench_zipfian(MIN, MAX, 60)",
        "sysbench_zipfian(MIN, MAX, 1000)",
    ] {
        for (min, max) in [
            (-5, 4),
            (1, 2),
            (0, 1 << 53),
            (-9_223_372_036_854_775_808, -2),
            (0, i64::MAX - 1),
        ] {
            let expression = function
                .replace("MIN", &min.to_string())
                .replace("MAX", &max.to_string());
            for value in values(&expression, 200) {
                assert!((min..=max).contains(&value), "{expression}: {value}");
            }
        }
    }
}

#[test]
fn the_same_seed_draws_the_same() {
    assert_eq!(
        values("sysbench_special(1, 1000, 12, 1, 75)", 20),
        values("sysbench_special(1, 1000, 12, 1, 75)", 20)
    );
}

#[test]
fn arguments_have_ranges() {
    for (expression, expected) in [
        (
            "sysbench_gaussian(1, 2, 0)",
            "sysbench_gaussian iter must be in range [1, 1000] (not 0)",
        ),
        (
            "sysbench_gaussian(1, 2, 1001)",
            "sysbench_gaussian iter must be in range [1, 1000] (not 1001)",
        ),
        ("sysbench_gaussian(2, 1, 1)", "empty range given to random"),
        (
            "sysbench_gaussian(-1, 9223372036854775806, 1)",
            "random range is too large",
        ),
        (
            "sysbench_special(1, 2, 0, 1, 75)",
            "sysbench_special iter must be in range [1, 1000] (not 0)",
        ),
        (
            "sysbench_special(1, 2, 1, 0, 75)",
            "sysbench_special pct must be in range [1, 100] (not 0)",
        ),
        (
            "sysbench_special(1, 2, 1, 101, 75)",
            "sysbench_special pct must be in range [1, 100] (not 101)",
        ),
        (
            "sysbench_special(1, 2, 1, 1, -1)",
            "sysbench_special res must be in range [0, 99] (not -1)",
        ),
        (
            "sysbench_special(1, 2, 1, 1, 100)",
            "sysbench_special res must be in range [0, 99] (not 100)",
        ),
        (
            "sysbench_pareto(1, 2, 0)",
            "sysbench_pareto h must be greater than 0 and less than 1 (not 0.000000)",
        ),
        (
            "sysbench_pareto(1, 2, 1.0)",
            "sysbench_pareto h must be greater than 0 and less than 1 (not 1.000000)",
        ),
        (
            "sysbench_pareto(1, 2, 0.0/0)",
            "sysbench_pareto h must be greater than 0 and less than 1 (not NaN)",
        ),
        (
            "sysbench_zipfian(1, 2, -0.1)",
            "sysbench_zipfian exponent must be in range [0, 1000] (not -0.100000)",
        ),
        (
            "sysbench_zipfian(1, 2, 1000.5)",
            "sysbench_zipfian exponent must be in range [0, 1000] (not 1000.500000)",
        ),
        (
            "sysbench_zipfian(1, 2, 0.0/0)",
            "sysbench_zipfian exponent must be in range [0, 1000] (not NaN)",
        ),
        ("nurand(-1, 1, 2, 0)", "empty range given to random"),
        ("nurand(1, 2, 1, 0)", "empty range given to random"),
        (
            "nurand(1, -1, 2, 0)",
            "nurand x must be in range [0, 9223372036854775807] (not -1)",
        ),
        (
            "nurand(1, 1, 2, -1)",
            "nurand c must be in range [0, 9223372036854775807] (not -1)",
        ),
        (
            "nurand(0, 1, 2, 9223372036854775807)",
            "bigint add out of range",
        ),
        ("sysbench_gaussian(NULL, 2, 0)", "null"),
        ("sysbench_pareto('a', 2, 0.5)", "cannot coerce text to int"),
    ] {
        assert_eq!(message(expression), expected, "{expression}");
    }
}
