//! Whether two means are compared by their difference or by their ratio.
//!
//! Amounts above 0, such as rates and times, are compared by their ratio, as the difference of their logarithms. Noise grows with an
//! amount, so a rate twelve times as high has twelve times the noise of the other: by differences that noise hides the change, and
//! the time of a transaction, its reciprocal, shows it. Logarithms of a rate and of its reciprocal differ in their sign alone: one of
//! them is significant exactly where the other is, and the interval of a ratio always has two ends. For small changes both are the
//! same.

use super::Estimate;
use super::change::{Change, change, comparable, one_sample, satterthwaite};

/// The scale on which values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Difference,
    Ratio,
}

impl Scale {
    /// That of some values, all that take part: `Ratio` if they are above 0.
    pub fn of(mut values: impl Iterator<Item = f64>) -> Scale {
        match values.all(|value| value > 0.0) {
            true => Scale::Ratio,
            false => Scale::Difference,
        }
    }

    /// An estimate on this scale; None: its mean is not above 0, but has to be.
    pub fn estimate(self, estimate: &Estimate) -> Option<Estimate> {
        match self {
            Scale::Difference => Some(*estimate),
            Scale::Ratio => estimate.logarithm(),
        }
    }

    /// A value on this scale.
    pub fn value(self, value: f64) -> f64 {
        match self {
            Scale::Difference => value,
            Scale::Ratio => value.ln(),
        }
    }

    /// [`super::t_test`] of estimates on this scale.
    pub fn t_test(self, baseline: &Estimate, candidate: &Estimate) -> Option<Change> {
        let (baseline, candidate, freedom) = comparable(baseline, candidate, 1.0);
        self.change(&baseline, &candidate, freedom)
    }

    /// [`super::welch`] of estimates on this scale.
    pub fn welch(self, baseline: &Estimate, candidate: &Estimate) -> Option<Change> {
        let freedom = satterthwaite(baseline, candidate, 1.0);
        self.change(baseline, candidate, freedom)
    }

    /// Of estimates on this scale that take their variance from the same runs ([`Estimate::one_more`]): there are no more degrees of
    /// freedom than in those.
    pub fn against(self, baseline: &Estimate, candidate: &Estimate) -> Option<Change> {
        self.change(baseline, candidate, baseline.freedom)
    }

    fn change(self, baseline: &Estimate, candidate: &Estimate, freedom: f64) -> Option<Change> {
        match self {
            Scale::Difference => change(baseline, candidate, freedom),
            Scale::Ratio => {
                let difference = Estimate {
                    mean: candidate.mean - baseline.mean,
                    variance: candidate.variance + baseline.variance,
                    freedom,
                    count: candidate.count,
                };
                one_sample(difference, f64::exp_m1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() < 1e-9 * expected.abs().max(1.0),
            "{actual} for {expected}"
        );
    }

    fn estimate(mean: f64, deviation: f64, freedom: f64) -> Estimate {
        Estimate {
            mean,
            variance: deviation * deviation,
            freedom,
            count: 5,
        }
    }

    fn compared(baseline: &Estimate, candidate: &Estimate) -> Change {
        let [baseline, candidate] =
            [baseline, candidate].map(|side| Scale::Ratio.estimate(side).unwrap());
        Scale::Ratio.welch(&baseline, &candidate).unwrap()
    }

    #[test]
    fn amounts_are_compared_by_their_ratio() {
        let of = |values: &[f64]| Scale::of(values.iter().copied());
        assert_eq!(of(&[1.0, 0.1]), Scale::Ratio);
        assert_eq!(of(&[1.0, 0.0]), Scale::Difference);
        assert_eq!(of(&[1.0, -2.0]), Scale::Difference);
        assert_eq!(of(&[1.0, f64::NAN]), Scale::Difference);
        assert_eq!(Scale::Ratio.estimate(&estimate(0.0, 1.0, 3.0)), None);
    }

    /// ln 12 = 2.484907; its error is the root of 0.02² + 0.3², with hardly more freedom than that of the second.
    #[test]
    fn a_rate_and_its_reciprocal_have_the_same_p() {
        let rate = compared(&estimate(100.0, 2.0, 9.0), &estimate(1200.0, 360.0, 3.0));
        near(rate.t, 12.0_f64.ln() / (0.02_f64.powi(2) + 0.09).sqrt());
        near(rate.change.unwrap(), 11.0);
        let time = compared(&estimate(10.0, 0.2, 9.0), &estimate(10.0 / 12.0, 0.25, 3.0));
        near(time.p, rate.p);
        near(time.change.unwrap(), 1.0 / 12.0 - 1.0);
        let ((low, high), (shortest, longest)) = (rate.interval.unwrap(), time.interval.unwrap());
        near(1.0 / (1.0 + low) - 1.0, longest);
        near(1.0 / (1.0 + high) - 1.0, shortest);
        assert!(rate.p < 0.01 && low > 0.0 && longest < 0.0, "{rate:?}");
    }

    /// A change of a hundredth is the same on both scales, but for a thousandth of it.
    #[test]
    fn small_changes_are_the_same_on_both_scales() {
        let (before, after) = (estimate(1000.0, 2.0, 8.0), estimate(1010.0, 3.0, 8.0));
        let (ratio, difference) = (
            compared(&before, &after),
            Scale::Difference.welch(&before, &after).unwrap(),
        );
        assert!((ratio.t / difference.t - 1.0).abs() < 1e-2, "{ratio:?}");
        near(ratio.change.unwrap(), difference.change.unwrap());
        let ends = ratio.interval.unwrap().0 - difference.interval.unwrap().0;
        assert!(ends.abs() < 1e-4, "{ends}");
    }

    #[test]
    fn equally_many_share_their_relative_spread() {
        let scale = Scale::Ratio;
        let [before, after] = [estimate(10.0, 1.0, 4.0), estimate(100.0, 30.0, 4.0)]
            .map(|side| scale.estimate(&side).unwrap());
        let pooled = scale.t_test(&before, &after).unwrap();
        near(pooled.t, 10.0_f64.ln() / (0.01_f64 + 0.09).sqrt());
        assert_eq!(pooled.freedom, 8.0);
        let one = before.one_more(scale.value(100.0));
        let against = scale.against(&before, &one).unwrap();
        near(against.t, 10.0_f64.ln() / (0.01_f64 + 0.05).sqrt());
        assert_eq!(against.freedom, 4.0);
    }
}
