//! Student's t distribution, in the forms that tests need.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The share of the distribution that an interval covers.
const CONFIDENCE: f64 = 0.95;

/// With more, the library's quantiles are wrong, and from 1e8 on they take for ever.
const MOST_FREEDOM: f64 = 1e4;

fn distribution(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}

/// How many standard errors the 95 % interval reaches to either side; None without any freedom.
pub fn quantile_95(freedom: f64) -> Option<f64> {
    quantile(1.0 - CONFIDENCE, freedom)
}

/// The `t` at which a two-sided test has that `p`; None without any freedom.
pub fn quantile(p: f64, freedom: f64) -> Option<f64> {
    let below = 1.0 - p / 2.0;
    if freedom > MOST_FREEDOM {
        // Abramowitz and Stegun 26.7.5.
        let z = Normal::standard().inverse_cdf(below);
        let first = (z.powi(3) + z) / 4.0;
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
        return Some(z + first / freedom + second / freedom.powi(2));
    }
    Some(distribution(freedom)?.inverse_cdf(below))
}

/// The probability of a `t` at least that far from 0 to either side; None without any freedom or if `t` is
/// not a number. An infinite `t` is impossible: 0.
pub fn two_sided_p(t: f64, freedom: f64) -> Option<f64> {
    if t.is_nan() {
        return None;
    }
    if t.is_infinite() {
        return Some(0.0);
    }
    Some((2.0 * distribution(freedom)?.sf(t.abs())).clamp(0.0, 1.0))
}

/// The probability of a value above `t`; None without any freedom or if `t` is not a number.
pub fn upper_p(t: f64, freedom: f64) -> Option<f64> {
    let below = two_sided_p(t, freedom)? / 2.0;
    Some(if t >= 0.0 { below } else { 1.0 - below })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17: `scipy.stats.t.ppf(0.975, [1, 1.5, 2, 3.3, 8, 30, 1e4])`.
    #[test]
    fn quantiles_are_those_of_scipy() {
        for (freedom, quantile) in [
            (1.0, 12.706204736174694),
            (1.5, 6.016663104427929),
            (2.0, 4.302652729749462),
            (3.3, 3.024874461840807),
            (8.0, 2.306004135204166),
            (30.0, 2.0422724563012378),
            (1e4, 1.960201239890626),
            // That of the normal distribution.
            (1e18, 1.959963984540054),
        ] {
            assert!((quantile_95(freedom).unwrap() / quantile - 1.0).abs() < 1e-7);
        }
    }

    #[test]
    fn with_much_freedom_quantiles_go_on_where_the_library_ends() {
        let near = |freedom: f64| quantile_95(freedom).unwrap();
        assert!((near(MOST_FREEDOM) - near(MOST_FREEDOM + 1e-6)).abs() < 1e-9);
        assert!(near(1e5) < near(1e4) && near(1e7) < near(1e6));
    }

    /// SciPy 1.17: `2 * scipy.stats.t.sf(t, freedom)`.
    #[test]
    fn probabilities_are_those_of_scipy() {
        for (t, freedom, p) in [
            (1.0, 1.0, 0.5),
            (2.5, 3.3, 0.08005283630835447),
            (4.0, 8.0, 0.003949772803445323),
            (12.5, 4.0, 0.00023561604689269973),
            (40.0, 60.0, 5.755480486627385e-45),
            (1.96, 1e4, 0.05002352023183303),
        ] {
            assert!((two_sided_p(t, freedom).unwrap() / p - 1.0).abs() < 1e-7);
            assert_eq!(two_sided_p(-t, freedom), two_sided_p(t, freedom));
        }
    }

    /// SciPy 1.17: `scipy.stats.t.sf(t, freedom)`.
    #[test]
    fn upper_tails_are_those_of_scipy() {
        for (t, freedom, p) in [
            (1.5, 8.0, 0.08600164597595561),
            (-2.0, 3.3, 0.9345205677802753),
        ] {
            assert!((upper_p(t, freedom).unwrap() / p - 1.0).abs() < 1e-7);
        }
        assert_eq!(upper_p(f64::NEG_INFINITY, 3.0), Some(1.0));
        assert_eq!(upper_p(f64::INFINITY, 3.0), Some(0.0));
        assert_eq!(upper_p(f64::NAN, 3.0), None);
    }

    #[test]
    fn the_edges_have_answers() {
        assert_eq!(two_sided_p(f64::INFINITY, 3.0), Some(0.0));
        assert_eq!(two_sided_p(0.0, 3.0), Some(1.0));
        assert_eq!(two_sided_p(f64::NAN, 3.0), None);
        assert_eq!(two_sided_p(1.0, 0.0), None);
        assert_eq!(quantile_95(0.0), None);
    }
}
