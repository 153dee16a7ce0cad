use super::*;
use crate::statistics::simulation::percent;

const TWO_PERCENT: Precision = Precision {
    wanted: 0.02,
    fewest: 5,
    most: 30,
};

/// How often the interval at the end holds the true mean, in percent.
fn coverage(precision: Precision, noise: f64) -> f64 {
    percent(|random| {
        let mut values = Vec::new();
        while precision.wants(&values) {
            values.extend(random.normals(100.0, noise, 1));
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean - 100.0).abs() <= width(&values).unwrap() * mean
    })
}

#[test]
fn the_interval_at_the_end_holds_the_mean_in_spite_of_the_looks() {
    for fewest in [1, 5, 8] {
        for noise in [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0] {
            let covered = coverage(
                Precision {
                    fewest,
                    ..TWO_PERCENT
                },
                noise,
            );
            assert!(
                covered >= 94.0,
                "fewest {fewest}, noise {noise}: {covered} %"
            );
        }
    }
}

#[test]
fn repetitions_go_where_they_are_needed() {
    let steady = vec![100.0, 100.5, 99.5, 100.2, 99.8];
    let loose = vec![100.0, 105.0, 95.0, 102.0, 98.0];
    let looser = vec![100.0, 115.0, 85.0, 102.0, 98.0];
    let next = |points: &[&Vec<f64>]| {
        let points: Vec<Vec<f64>> = points.iter().map(|values| (*values).clone()).collect();
        TWO_PERCENT.next(&points)
    };
    assert_eq!(next(&[&steady, &loose, &looser]), Some(2));
    assert_eq!(next(&[&looser, &steady[..3].to_vec()]), Some(1));
    assert_eq!(next(&[&looser, &loose, &loose[..4].to_vec()]), Some(2));
    assert_eq!(next(&[&steady, &steady]), None);
    assert_eq!(next(&[&vec![], &vec![1.0]]), Some(0));
    assert_eq!(next(&[]), None);
}

#[test]
fn no_point_exceeds_the_most_or_falls_short_of_the_fewest() {
    let wild: Vec<f64> = (0..30).map(|i| f64::from(50 + i % 2 * 100)).collect();
    assert!(TWO_PERCENT.wants(&wild[..29]));
    assert!(!TWO_PERCENT.wants(&wild));
    assert!(TWO_PERCENT.wants(&[7.0; 4]));
    assert!(!TWO_PERCENT.wants(&[7.0; 5]));
    // Nothing can be said about a mean of 0.
    assert!(TWO_PERCENT.wants(&[0.0; 29]));
    assert_eq!(width(&[0.0; 29]), None);
    assert_eq!(width(&[1.0]), None);
}

#[test]
fn what_is_missing_follows_from_the_spread() {
    assert_eq!(TWO_PERCENT.missing(&[7.0; 5]), Some(0));
    assert_eq!(TWO_PERCENT.missing(&[7.0; 3]), Some(2));
    assert_eq!(TWO_PERCENT.missing(&[7.0]), None);
    assert_eq!(TWO_PERCENT.missing(&[50.0, 150.0, 50.0, 150.0]), Some(26));
    // However many there may be, it is found at once.
    let many = |wanted| Precision {
        wanted,
        fewest: 4,
        most: usize::MAX / 2,
    };
    let spread = [100.0, 200.0, 300.0, 101.0];
    assert!(many(1e-6).missing(&spread).is_some_and(|it| it > 1_000_000));
    assert_eq!(many(0.0).missing(&spread), Some(usize::MAX / 2 - 4));
    let missing = TWO_PERCENT.missing(&[98.0, 102.0, 98.0, 102.0, 100.0]);
    assert!((1..=8).contains(&missing.unwrap()), "{missing:?}");
}
