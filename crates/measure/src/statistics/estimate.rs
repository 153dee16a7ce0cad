//! A mean and how well it is known.

use super::series;
use super::student::quantile_95;

/// A mean with the variance of that mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    /// Of the mean, not of the values.
    pub variance: f64,
    /// Degrees of freedom of `variance`.
    pub freedom: f64,
    /// How many values it comes from.
    pub count: usize,
}

impl Estimate {
    /// From independent values, such as one per repeated run; None below two.
    ///
    /// `resolution` is the step of the values (1 for a count, 0 for a measured value): equal values are known no
    /// better than rounding allows, whose variance is a twelfth of the step's square.
    pub fn of_runs(values: &[f64], resolution: f64) -> Option<Self> {
        let (mean, variance) = mean_and_variance(values)?;
        let count = values.len() as f64;
        Some(Self {
            mean,
            variance: variance.max(resolution * resolution / 12.0) / count,
            freedom: count - 1.0,
            count: values.len(),
        })
    }

    /// From the values of one run's intervals of equal length, in order. The correlation of neighbours is taken into
    /// account; see [`series`]. None if there are too few.
    pub fn of_series(values: &[f64]) -> Option<Self> {
        series::estimate(values)
    }

    /// The same, also from five to nine values, which say little of their correlation: it is taken to be at least a moderate one.
    pub fn of_short_series(values: &[f64]) -> Option<Self> {
        series::estimate_of_few(values)
    }

    /// The logarithm of a mean above 0, as well known as that: a factor becomes a difference.
    pub fn logarithm(&self) -> Option<Self> {
        (self.mean > 0.0).then(|| Self {
            mean: self.mean.ln(),
            variance: self.variance / self.mean.powi(2),
            ..*self
        })
    }

    /// The same, but known no better than values that come in steps of `resolution` allow.
    pub fn of_step(self, resolution: f64) -> Self {
        Self {
            variance: self.variance.max(resolution * resolution / 12.0),
            ..self
        }
    }

    /// One further run with that value, assumed to vary like the runs of this estimate.
    pub fn one_more(&self, value: f64) -> Self {
        Self {
            mean: value,
            variance: self.variance * self.count as f64,
            freedom: self.freedom,
            count: 1,
        }
    }

    /// The same, `factor` times as large.
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            mean: self.mean * factor,
            variance: self.variance * factor * factor,
            ..self
        }
    }

    /// The mean between the ends of its 95 % interval.
    pub fn interval(&self) -> Option<MeanInterval> {
        let margin = quantile_95(self.freedom)? * self.variance.sqrt();
        Some(MeanInterval {
            mean: self.mean,
            low: self.mean - margin,
            high: self.mean + margin,
            count: self.count,
        })
    }
}

/// A mean between the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// How many values it comes from.
    pub count: usize,
}

/// The mean of repeated measurements with its 95 % interval by Student's t; None below two values.
pub fn mean_interval(values: &[f64]) -> Option<MeanInterval> {
    Estimate::of_runs(values, 0.0)?.interval()
}

/// Mean and sample variance (divided by n - 1); None below two values or if one is not finite.
pub(super) fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, squares / (values.len() - 1) as f64))
}

/// The mean; not a number for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first group of Student's sleep data (Biometrika 1908), R: `t.test(sleep$extra[1:10])`
    /// gives mean 0.75 and the 95 percent confidence interval -0.5297804 to 2.0297804.
    #[test]
    fn the_sleep_data_has_rs_interval() {
        let group = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let interval = mean_interval(&group).unwrap();
        assert!((interval.mean - 0.75).abs() < 1e-9);
        assert!((interval.low + 0.529_780_4).abs() < 1e-6);
        assert!((interval.high - 2.029_780_4).abs() < 1e-6);
        assert_eq!(interval.count, 10);
    }

    #[test]
    fn one_value_says_nothing_about_its_error() {
        assert_eq!(mean_interval(&[]), None);
        assert_eq!(mean_interval(&[1.0]), None);
        assert_eq!(mean_interval(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn equal_counts_are_known_to_half_a_step() {
        let counts = Estimate::of_runs(&[3.0, 3.0, 3.0, 3.0], 1.0).unwrap();
        assert_eq!((counts.mean, counts.variance), (3.0, 1.0 / 48.0));
        let wide = Estimate::of_runs(&[1.0, 5.0], 1.0).unwrap();
        assert_eq!(wide.variance, 4.0);
    }

    #[test]
    fn a_coarse_step_widens_and_a_factor_scales() {
        let estimate = Estimate {
            mean: 2.0,
            variance: 0.25,
            freedom: 3.0,
            count: 4,
        };
        assert_eq!(estimate.of_step(6.0).variance, 3.0);
        assert_eq!(estimate.of_step(1.0), estimate);
        let tripled = Estimate {
            mean: 6.0,
            variance: 2.25,
            ..estimate
        };
        assert_eq!(estimate.scaled(3.0), tripled);
        let further = estimate.one_more(7.0);
        assert_eq!(
            (further.mean, further.variance, further.count),
            (7.0, 1.0, 1)
        );
    }
}
