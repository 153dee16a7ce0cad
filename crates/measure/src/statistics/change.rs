//! Whether a candidate differs from its baseline, and by how much.
//!
//! The change is relative, so both means are uncertain. Its interval holds the ratios r for which a t test
//! of `candidate - r * baseline` does not refuse 0 (Fieller, "Some problems in interval estimation", Journal
//! of the Royal Statistical Society B 16, 1954). At r = 1 that is the test of the difference itself: so the
//! interval excludes 0 exactly where p is below 0.05.

use super::Estimate;
use super::estimate::{mean, mean_and_variance};
use super::student::{quantile_95, two_sided_p, upper_p};
use std::f64::consts::SQRT_2;

/// The change from a baseline to a candidate. Fractions: 0.05 is 5 % more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// None if the baseline is 0.
    pub change: Option<f64>,
    /// The ends of the 95 % interval; None where the baseline cannot be distinguished from 0, so that any change is
    /// possible.
    pub interval: Option<(f64, f64)>,
    /// The test's statistic.
    pub t: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// Two-sided.
    pub p: f64,
}

impl Change {
    /// The interval of a figure that cannot be negative: it does not fall by more than 100 %.
    pub fn interval_of_amounts(&self) -> Option<(f64, f64)> {
        self.interval
            .map(|(low, high)| (if low < -1.0 { -1.0 } else { low }, high))
    }
}

/// The t test of repeated runs. With equally many runs on both sides it is Student's, with pooled variance: it
/// rejects a true hypothesis as often as it claims, however few the runs, and nearly so even where the variances
/// differ. Otherwise it is Welch's, the safe one for unequal numbers.
pub fn t_test(baseline: &Estimate, candidate: &Estimate) -> Option<Change> {
    let (baseline, candidate, freedom) = comparable(baseline, candidate, 1.0);
    change(&baseline, &candidate, freedom)
}

/// Welch's t test: two estimates whose variances may differ, with Satterthwaite's degrees of freedom.
/// For estimates from repeated runs as well as from series, as each brings its own freedom.
pub fn welch(baseline: &Estimate, candidate: &Estimate) -> Option<Change> {
    change(baseline, candidate, satterthwaite(baseline, candidate, 1.0))
}

/// The probability that a candidate seems this near its baseline although it is further away than `margin` (a share
/// of the baseline) on one side: below 0.05 it is as good as its baseline within that margin.
///
/// Two one-sided t tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987) of the ratio of the means (Sasabuchi):
/// of `candidate - (1 - margin) * baseline` and `(1 + margin) * baseline - candidate`. So it is below 0.05 exactly where the 90 %
/// interval of the change lies within the margin. As for [`t_test`], equally many runs share a pooled variance.
pub fn equivalence_p(baseline: &Estimate, candidate: &Estimate, margin: f64) -> Option<f64> {
    let above = |ratio: f64, sign: f64| {
        let (baseline, candidate, freedom) = comparable(baseline, candidate, ratio);
        let difference = sign * (candidate.mean - ratio * baseline.mean);
        let variance = candidate.variance + ratio * ratio * baseline.variance;
        upper_p(statistic(difference, variance), freedom)
    };
    Some(above(1.0 - margin, 1.0)?.max(above(1.0 + margin, -1.0)?))
}

/// Both sides with the variances and degrees of freedom for a test of `candidate - ratio * baseline`.
pub(super) fn comparable(
    baseline: &Estimate,
    candidate: &Estimate,
    ratio: f64,
) -> (Estimate, Estimate, f64) {
    if baseline.count != candidate.count {
        let freedom = satterthwaite(baseline, candidate, ratio);
        return (*baseline, *candidate, freedom);
    }
    let variance = (baseline.variance + candidate.variance) / 2.0;
    let pooled = |side: &Estimate| Estimate { variance, ..*side };
    let freedom = baseline.freedom + candidate.freedom;
    (pooled(baseline), pooled(candidate), freedom)
}

pub(super) fn satterthwaite(baseline: &Estimate, candidate: &Estimate, ratio: f64) -> f64 {
    let (before, after) = (ratio * ratio * baseline.variance, candidate.variance);
    if before + after > 0.0 {
        (before + after).powi(2)
            / (before.powi(2) / baseline.freedom + after.powi(2) / candidate.freedom)
    } else {
        baseline.freedom + candidate.freedom
    }
}

/// The paired t test: each candidate beside the baseline of the same pair, so that what differs between
/// pairs drops out. Positive values are compared by their ratios, that is by differences of logarithms, and
/// the change is the geometric mean of the ratios; others by differences, relative to the baselines' mean.
/// None below two pairs. `resolution` is the step of the values, as in [`Estimate::of_runs`]; a difference has two of
/// them.
pub fn paired(baseline: &[f64], candidate: &[f64], resolution: f64) -> Option<Change> {
    of_pairs(baseline, candidate, resolution, Estimate::of_runs)
}

/// The same with another estimate of the mean of what the pairs give, in their order.
pub(super) fn of_pairs(
    baseline: &[f64],
    candidate: &[f64],
    resolution: f64,
    estimate: impl Fn(&[f64], f64) -> Option<Estimate>,
) -> Option<Change> {
    let pairs = || baseline.iter().zip(candidate);
    if pairs().all(|(&before, &after)| before > 0.0 && after > 0.0) {
        let logarithms: Vec<f64> = pairs()
            .map(|(before, after)| (after / before).ln())
            .collect();
        let (before, after) = (mean(baseline), mean(candidate));
        let step = resolution * before.recip().hypot(after.recip());
        one_sample(estimate(&logarithms, step)?, |shift| shift.exp_m1())
    } else {
        let differences: Vec<f64> = pairs().map(|(before, after)| after - before).collect();
        let (mean, _) = mean_and_variance(baseline)?;
        let estimate = estimate(&differences, resolution * SQRT_2)?;
        let mut change = one_sample(estimate, |shift| shift / mean)?;
        if mean == 0.0 {
            (change.change, change.interval) = (None, None);
        } else if mean < 0.0 {
            change.interval = change.interval.map(|(low, high)| (high, low));
        }
        Some(change)
    }
}

/// Whether a mean is 0.
pub(super) fn one_sample(estimate: Estimate, relative: impl Fn(f64) -> f64) -> Option<Change> {
    let t = statistic(estimate.mean, estimate.variance);
    let interval = estimate.interval()?;
    Some(Change {
        change: Some(relative(estimate.mean)),
        interval: Some((relative(interval.low), relative(interval.high))),
        t,
        freedom: estimate.freedom,
        p: two_sided_p(t, estimate.freedom)?,
    })
}

pub(super) fn change(baseline: &Estimate, candidate: &Estimate, freedom: f64) -> Option<Change> {
    let t = statistic(
        candidate.mean - baseline.mean,
        candidate.variance + baseline.variance,
    );
    Some(Change {
        change: (baseline.mean != 0.0).then(|| candidate.mean / baseline.mean - 1.0),
        interval: ratio_interval(baseline, candidate, quantile_95(freedom)?),
        t,
        freedom,
        p: two_sided_p(t, freedom)?,
    })
}

/// A difference in its standard errors; equal values without any spread do not differ.
fn statistic(difference: f64, variance: f64) -> f64 {
    if difference == 0.0 {
        0.0
    } else {
        difference / variance.sqrt()
    }
}

/// Fieller's interval for candidate / baseline - 1: between the roots of
/// `(candidate - r baseline)² = q² (variance of candidate + r² variance of baseline)`.
fn ratio_interval(baseline: &Estimate, candidate: &Estimate, quantile: f64) -> Option<(f64, f64)> {
    let square = quantile * quantile;
    let a = baseline.mean.powi(2) - square * baseline.variance;
    let c = candidate.mean.powi(2) - square * candidate.variance;
    let b = baseline.mean * candidate.mean;
    if a <= 0.0 || !a.is_finite() {
        return None;
    }
    // Rounding can leave a root just below 0 where neither varies.
    let root = (b * b - a * c).max(0.0).sqrt();
    Some(((b - root) / a - 1.0, (b + root) / a - 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    fn near(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() < 1e-6 * expected.abs().max(1e-3),
            "{actual} for {expected}"
        );
    }

    #[test]
    fn an_amount_does_not_fall_by_more_than_all_of_it() {
        let change = welch_of(&[100.0, 110.0, 120.0], &[10.0, 80.0, 150.0, 5.0]);
        let (low, high) = change.interval.unwrap();
        assert!(low < -1.0, "{low}");
        assert_eq!(change.interval_of_amounts(), Some((-1.0, high)));
        let change = welch_of(&[100.0, 101.0], &[90.0, 91.0]);
        assert_eq!(change.interval_of_amounts(), change.interval);
    }

    fn welch_of(baseline: &[f64], candidate: &[f64]) -> Change {
        welch(
            &Estimate::of_runs(baseline, 0.0).unwrap(),
            &Estimate::of_runs(candidate, 0.0).unwrap(),
        )
        .unwrap()
    }

    /// SciPy 1.17 `ttest_ind(candidate, baseline, equal_var=False)`: statistic 3.2345451641643326, pvalue
    /// 0.0029751907937615647, df 29.822294927188537; the interval by `scipy.optimize.brentq` over the ratio.
    #[test]
    fn welch_is_that_of_scipy() {
        let change = welch_of(
            &[
                27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
                21.4,
            ],
            &[
                27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5,
                31.4, 22.8, 30.2,
            ],
        );
        near(change.t, 3.2345451641643326);
        near(change.freedom, 29.822294927188537);
        near(change.p, 0.0029751907937615647);
        near(change.change.unwrap(), 0.1719500480307399);
        let (low, high) = change.interval.unwrap();
        near(low, 0.0604945308815679);
        near(high, 0.2953004988145715);
    }

    /// SciPy 1.17 `ttest_ind(candidate, baseline)`: statistic 3.310263053592527, pvalue 0.010694019380333536, df 8; the interval by
    /// `scipy.optimize.brentq` over the ratio.
    #[test]
    fn equally_many_have_their_variance_in_common_as_in_scipy() {
        let [baseline, candidate] = five_and_five();
        let change = t_test(&baseline, &candidate).unwrap();
        near(change.t, 3.310263053592527);
        assert_eq!(change.freedom, 8.0);
        near(change.p, 0.010694019380333536);
        near(change.change.unwrap(), 0.0228);
        let (low, high) = change.interval.unwrap();
        near(low, 0.006862413151680791);
        near(high, 0.03899564070037065);
    }

    /// Welch's test has no more than Student's of equal numbers, and it is the one for unequal ones.
    #[test]
    fn unequally_many_are_compared_by_welch() {
        let [baseline, _] = five_and_five();
        let three = Estimate::of_runs(&[1023.0, 1031.0, 1008.0], 0.0).unwrap();
        assert_eq!(t_test(&baseline, &three), welch(&baseline, &three));
    }

    /// SciPy 1.17: the larger of `t.sf` of both one-sided statistics, of three candidates the larger p of `ttest_ind(candidate,
    /// 0.95 * baseline, equal_var=False, alternative='greater')` and its counterpart.
    #[test]
    fn equivalence_is_that_of_scipy() {
        let [baseline, candidate] = five_and_five();
        near(
            equivalence_p(&baseline, &candidate, 0.03).unwrap(),
            0.166618115999907,
        );
        near(
            equivalence_p(&baseline, &candidate, 0.05).unwrap(),
            0.0024331688863026097,
        );
        let three = Estimate::of_runs(&[1023.0, 1031.0, 1008.0], 0.0).unwrap();
        near(
            equivalence_p(&baseline, &three, 0.03).unwrap(),
            0.15263676288163355,
        );
        near(
            equivalence_p(&baseline, &three, 0.05).unwrap(),
            0.01379979817038507,
        );
        // A quarter of the peak is never as good, however few the runs.
        let peak = Estimate::of_runs(&[43_856.0, 40_000.0, 47_712.0], 0.0).unwrap();
        let slow = Estimate::of_runs(&[11_407.0, 11_000.0, 11_814.0], 0.0).unwrap();
        near(
            equivalence_p(&peak, &slow, 0.05).unwrap(),
            0.9999213944762145,
        );
    }

    fn five_and_five() -> [Estimate; 2] {
        [
            [1000.0, 1010.0, 990.0, 1005.0, 995.0],
            [1023.0, 1031.0, 1008.0, 1040.0, 1012.0],
        ]
        .map(|rates| Estimate::of_runs(&rates, 0.0).unwrap())
    }

    /// Student's sleep data, R: `t.test(extra ~ group, data = sleep, paired = TRUE)` gives t = -4.0621,
    /// df = 9, p-value = 0.002833, and -2.4598858 to -0.7001142 (of a mean of 0.75).
    #[test]
    fn paired_differences_are_those_of_r() {
        let change = paired(
            &[0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
            &[1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
            0.0,
        )
        .unwrap();
        near(change.t, 4.062127683382037);
        assert_eq!(change.freedom, 9.0);
        near(change.p, 0.002832890197384273);
        let (low, high) = change.interval.unwrap();
        near(low, 0.7001142 / 0.75);
        near(high, 2.4598858 / 0.75);
    }

    /// SciPy 1.17: `ttest_1samp(log(candidate / baseline), 0)` and the exponentials of its interval.
    #[test]
    fn paired_ratios_do_not_see_how_hosts_differ() {
        let (baseline, candidate) = ([100.0, 140.0, 90.0, 200.0], [105.0, 149.0, 93.0, 212.0]);
        let change = paired(&baseline, &candidate, 0.0).unwrap();
        near(change.p, 0.004543700108192976);
        near(change.change.unwrap(), 0.051837037096504744);
        let (low, high) = change.interval.unwrap();
        assert!((low - 0.0301087).abs() < 1e-7 && (high - 0.0740237).abs() < 1e-7);
        assert!(welch_of(&baseline, &candidate).p > 0.7);
    }

    /// SciPy 1.17: t = 40 / (s √(1 + 1/5)) with 4 degrees of freedom.
    #[test]
    fn one_run_against_five() {
        let baseline = Estimate::of_runs(&[1000.0, 1010.0, 990.0, 1005.0, 995.0], 0.0).unwrap();
        let scale = Scale::Difference;
        let change = scale
            .against(&baseline, &baseline.one_more(1040.0))
            .unwrap();
        near(change.t, 4.618802153517007);
        near(change.p, 0.00988999066389132);
        near(change.change.unwrap(), 0.04);
    }

    #[test]
    fn the_interval_excludes_zero_where_p_says_so() {
        for shift in 0..40 {
            let shift = f64::from(shift) / 10.0;
            let change = welch_of(
                &[10.0, 11.0, 9.0, 10.5],
                &[10.2 + shift, 9.1 + shift, 9.9 + shift],
            );
            let (low, high) = change.interval.unwrap();
            assert_eq!(low > 0.0 || high < 0.0, change.p < 0.05, "{shift}");
            let [before, after] = [
                [10.0, 11.0, 9.0, 10.5],
                [10.2 + shift, 9.1 + shift, 9.9 + shift, 11.3 + shift],
            ]
            .map(|values| Estimate::of_runs(&values, 0.0).unwrap());
            let change = t_test(&before, &after).unwrap();
            let (low, high) = change.interval.unwrap();
            assert_eq!(low > 0.0 || high < 0.0, change.p < 0.05, "pooled, {shift}");
        }
    }

    #[test]
    fn values_without_spread_differ_or_do_not() {
        let same = welch_of(&[5.0, 5.0], &[5.0, 5.0]);
        assert_eq!(
            (same.p, same.change, same.interval),
            (1.0, Some(0.0), Some((0.0, 0.0)))
        );
        assert_eq!(welch_of(&[5.0, 5.0], &[6.0, 6.0]).p, 0.0);
        let from_nothing = welch_of(&[0.0, 0.0], &[1.0, 3.0]);
        assert_eq!((from_nothing.change, from_nothing.interval), (None, None));
        assert!(from_nothing.p > 0.05);
    }

    #[test]
    fn what_does_not_vary_has_no_part_in_the_degrees_of_freedom() {
        let side = |variance: f64, freedom: f64| Estimate {
            mean: 10.0,
            variance,
            freedom,
            count: 5,
        };
        near(satterthwaite(&side(0.0, 3.0), &side(2.0, 7.0), 1.0), 7.0);
        near(satterthwaite(&side(2.0, 3.0), &side(0.0, 7.0), 1.0), 3.0);
        near(satterthwaite(&side(0.0, 3.0), &side(0.0, 7.0), 1.0), 10.0);
    }

    #[test]
    fn a_change_of_negative_values_has_its_lower_end_first() {
        let change = paired(&[-10.0, -11.0, -9.0, -10.0], &[-8.0, -8.5, -7.5, -8.2], 0.0).unwrap();
        let (low, high) = change.interval.unwrap();
        assert!(low < change.change.unwrap() && change.change.unwrap() < high);
        assert!(high < 0.0, "{change:?}");
    }

    #[test]
    fn two_equal_counts_do_not_prove_a_difference() {
        let count = |value| Estimate::of_runs(&[value, value], 1.0).unwrap();
        assert!(welch(&count(1.0), &count(2.0)).unwrap().p > 0.05);
        assert!(welch(&count(1.0), &count(9.0)).unwrap().p < 0.05);
        let pairs = |before: f64, after: f64| paired(&[before; 2], &[after; 2], 1.0).unwrap().p;
        assert!(pairs(1.0, 0.0) > 0.05 && pairs(1.0, 2.0) > 0.05);
        assert!(pairs(100.0, 200.0) < 0.05);
    }

    /// Equal differences of counts: each is known to two steps, so its variance is a sixth.
    #[test]
    fn equal_differences_are_known_to_two_steps() {
        let change = paired(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0], 1.0).unwrap();
        assert!((change.t - 18.0f64.sqrt()).abs() < 1e-9, "{change:?}");
    }
}
