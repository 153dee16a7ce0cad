use super::*;
use crate::statistics::simulation::{Noise, percent_of};

/// How often the interval of the last look holds the mean, which is 100, in percent. No look comes after the longest of a series.
fn coverage(mut series: impl FnMut(&mut Noise, usize) -> Vec<f64>) -> f64 {
    const LONGEST: usize = 1_500;
    percent_of(1_000, |noise| {
        let all = series(noise, LONGEST);
        let mut looks = Looks::new(0.02);
        let end = (1..=LONGEST).find(|&count| looks.look(&all[..count]));
        let values = &all[..end.unwrap_or(LONGEST)];
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean - 100.0).abs() <= series_width(values).unwrap() * mean
    })
}

#[test]
fn the_interval_at_the_end_holds_the_mean_in_spite_of_the_looks() {
    for noise in [1.0, 3.0, 8.0, 20.0] {
        let covered = coverage(|random, count| random.normals(100.0, noise, count));
        assert!(covered >= 94.0, "independent, {noise}: {covered} %");
    }
    for coefficient in [0.3, 0.6, 0.8, 0.9] {
        for scale in [1.0, 3.0] {
            let covered = coverage(|random, count| {
                let values = random.autoregression(coefficient, 0.0, count);
                values.iter().map(|value| 100.0 + scale * value).collect()
            });
            assert!(covered >= 94.0, "AR(1) {coefficient}, {scale}: {covered} %");
        }
    }
}

/// Around 100, by so much, without a resemblance of neighbours.
fn scattered(by: f64, count: usize) -> Vec<f64> {
    Noise::seeded(7).normals(100.0, by, count)
}

#[test]
fn a_look_that_never_comes_is_none() {
    let values = scattered(1.0, 40);
    for wanted in [0.0, -1.0, 1e-15, f64::NAN] {
        assert_eq!(last_look(&values, wanted), None, "{wanted}");
    }
    assert!(last_look(&values, 1e-3).is_some_and(|count| count > 40));
}

#[test]
fn a_series_ends_as_soon_as_it_is_precise() {
    let end = |values: &[f64]| {
        let mut looks = Looks::new(0.02);
        (1..=values.len()).find(|&count| looks.look(&values[..count]))
    };
    assert_eq!(end(&scattered(0.5, 60)), Some(FIRST_LOOK));
    assert_eq!(end(&scattered(50.0, 60)), None);
    assert_eq!(end(&[0.0; 60]), None);
}

#[test]
fn the_last_look_follows_from_the_width() {
    assert_eq!(last_look(&[100.0; 5], 0.02), None);
    let values = scattered(1.0, 28);
    assert_eq!(last_look(&values, 0.5), Some(FIRST_LOOK));
    let width = series_width(&values).unwrap();
    // Twice as precise takes four times as many; the looks are at 30, 38, 48, 60, 75, 94, 118.
    assert_eq!(last_look(&values, width / 2.0), Some(118));
    assert_eq!(last_look(&scattered(1.0, 36), 0.5), Some(38));
    // A series that resembles its neighbours has to be longer than its width alone would say.
    let waves: Vec<f64> = (0..40).map(|i| 100.0 + f64::from(i / 5 % 2)).collect();
    assert!(last_look(&waves, 0.5).unwrap() > 48);
}
