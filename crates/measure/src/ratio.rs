//! The error of a share that was found in a sample of windows.

/// Half the width of the 95 % interval of `sum(parts) / sum(wholes)`, where each pair is one of the windows
/// drawn at random: the ratio estimator with Student's t. None below two windows or if all are empty.
///
/// Cochran, Sampling Techniques, chapter 6. The population is taken as infinite.
pub fn ratio_margin(parts: &[f64], wholes: &[f64]) -> Option<f64> {
    let count = parts.len().min(wholes.len());
    let (part, whole): (f64, f64) = (parts.iter().sum(), wholes.iter().sum());
    if count < 2 || whole <= 0.0 {
        return None;
    }
    let ratio = part / whole;
    let squares: f64 = parts
        .iter()
        .zip(wholes)
        .map(|(part, whole)| (part - ratio * whole).powi(2))
        .sum();
    let n = count as f64;
    Some(student_95(n - 1.0) * (n / (n - 1.0) * squares).sqrt() / whole)
}

/// The two-sided 95 % quantile of Student's t: an expansion in the degrees of freedom (Abramowitz and Stegun
/// 26.7.5), within 2 % from 3 on; below from the table.
fn student_95(freedom: f64) -> f64 {
    if freedom < 1.5 {
        return 12.706;
    }
    if freedom < 2.5 {
        return 4.303;
    }
    1.960 + 2.372 / freedom + 2.823 / freedom.powi(2) + 2.556 / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_is_near_the_table() {
        for (freedom, quantile) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (5.0, 2.571),
            (30.0, 2.042),
        ] {
            assert!(
                (student_95(freedom) / quantile - 1.0).abs() < 0.02,
                "{freedom}"
            );
        }
    }

    #[test]
    fn equal_shares_have_no_error_whatever_the_sizes() {
        assert_eq!(
            ratio_margin(&[1.0, 2.0, 4.0], &[10.0, 20.0, 40.0]),
            Some(0.0)
        );
        assert_eq!(ratio_margin(&[1.0], &[10.0]), None);
        assert_eq!(ratio_margin(&[0.0, 0.0], &[0.0, 0.0]), None);
    }

    /// By hand: of three windows the deviations are -2, -1 and 3, and t of two degrees of freedom is 4.303.
    #[test]
    fn the_margin_of_a_few_windows_is_that_of_the_book() {
        let near = |margin: Option<f64>, expected: f64| (margin.unwrap() - expected).abs() < 1e-9;
        let tens = [10.0; 3];
        assert!(near(ratio_margin(&[1.0, 3.0], &tens[..2]), 1.2706));
        let three = 4.303 * 21.0_f64.sqrt() / 30.0;
        assert!(near(ratio_margin(&[1.0, 2.0, 6.0], &tens), three));
    }

    #[test]
    fn nine_of_ten_samples_hold_the_truth() {
        // Windows whose share is 0 or 1 at random with mean 0.3, from a fixed sequence.
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        let mut held = 0;
        for _ in 0..500 {
            let wholes: Vec<f64> = (0..32).map(|_| 0.8 + 0.4 * random()).collect();
            let parts: Vec<f64> = wholes.iter().map(|whole| whole * 0.6 * random()).collect();
            let ratio = parts.iter().sum::<f64>() / wholes.iter().sum::<f64>();
            if (ratio - 0.3).abs() <= ratio_margin(&parts, &wholes).unwrap() {
                held += 1;
            }
        }
        assert!((460..=490).contains(&held), "{held} of 500");
    }
}
