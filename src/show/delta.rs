//! a against b: a change in percent with its interval and its p-value, and the one way to write it.

use super::blocks::{Column, figure};
pub use super::number::short_percent;
use measure::statistics::{Change, Estimate, Scale, holm};
use serde::Serialize;

/// How b differs from a.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Delta {
    /// In percent of a; null: it is not known.
    pub change_percent: Option<f64>,
    /// The ends of the change's 95 % interval.
    pub ci_low_percent: Option<f64>,
    pub ci_high_percent: Option<f64>,
    pub p_value: Option<f64>,
    /// Corrected for the number of tests.
    pub p_adjusted: Option<f64>,
}

impl Delta {
    /// What a test found of a figure; `lowest`: below that, as a share, it cannot change.
    pub fn of(test: &Change, lowest: f64) -> Delta {
        let percent = |share: f64| 100.0 * share.max(lowest);
        Delta {
            change_percent: test.change.map(|change| 100.0 * change),
            ci_low_percent: test.interval.map(|(low, _)| percent(low)),
            ci_high_percent: test.interval.map(|(_, high)| 100.0 * high),
            p_value: Some(test.p),
            p_adjusted: None,
        }
    }

    /// Of each pair of repeated measurements of an amount, by their ratio as comparisons have it. The p-values are corrected by Holm's
    /// method for their number. Nothing is known where a side has one value.
    pub fn of_runs(pairs: &[(&[f64], &[f64])]) -> Vec<Delta> {
        let test = |(a, b): &(&[f64], &[f64])| {
            let scale = Scale::of(a.iter().chain(*b).copied());
            let estimate = |values| scale.estimate(&Estimate::of_runs(values, 0.0)?);
            let test = scale.t_test(&estimate(a)?, &estimate(b)?)?;
            Some(Delta::of(&test, -1.0))
        };
        let mut deltas: Vec<Delta> = (pairs.iter())
            .map(|pair| test(pair).unwrap_or_default())
            .collect();
        let p: Vec<f64> = deltas.iter().filter_map(|delta| delta.p_value).collect();
        let tested = deltas.iter_mut().filter(|delta| delta.p_value.is_some());
        for (delta, p) in tested.zip(holm(&p)) {
            delta.p_adjusted = Some(p);
        }
        deltas
    }

    pub fn ends(&self) -> Option<(f64, f64)> {
        self.ci_low_percent.zip(self.ci_high_percent)
    }

    /// The change with its unit.
    pub fn change(&self) -> Option<String> {
        self.change_percent.map(percent)
    }

    /// The ends of the interval in percent, without a unit.
    pub fn interval(&self) -> Option<String> {
        self.ends().map(|(low, high)| interval(low, high))
    }

    /// The p that decides: corrected for the number of tests.
    pub fn p(&self) -> Option<String> {
        self.p_adjusted.or(self.p_value).map(probability)
    }

    /// The columns of a table that show it.
    pub fn columns<'a, T>(of: fn(&T) -> &Delta) -> [Column<'a, T>; 3]
    where
        T: 'a,
    {
        [
            figure("change", move |row| of(row).change()),
            figure("95 % interval", move |row| of(row).interval()),
            figure("p", move |row| of(row).p()),
        ]
    }
}

/// With its unit.
pub fn percent(value: f64) -> String {
    format!("{} %", short_percent(value))
}

/// The ends of an interval in percent, without a unit.
pub fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", short_percent(low), short_percent(high))
}

/// The probability of such a change by chance.
pub fn probability(p: f64) -> String {
    if p < 0.001 {
        return "<0.001".to_owned();
    }
    // Never shown as 0.050 if it lies above or below that.
    match format!("{p:.3}").as_str() {
        "0.050" => format!("{p:.5}"),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_has_no_test() {
        let several: &[f64] = &[1.0, 2.0, 3.0];
        let one: &[f64] = &[2.0];
        let unknown = [(one, several), (several, one), (&[], several)];
        assert_eq!(Delta::of_runs(&unknown), [Delta::default(); 3]);
        assert!(
            Delta::of_runs(&[(several, several)])[0]
                .p_adjusted
                .is_some()
        );
        assert_eq!(Delta::of_runs(&[]), []);
    }
}
