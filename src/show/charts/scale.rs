//! Axes: positions of values, and labels.

use crate::show::number::{Unit, number};

/// An axis of values: from 0 or a bit below the lowest, linear or logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// The values at the grid lines.
    pub ticks: Vec<f64>,
}

impl Scale {
    /// From 0 (or the lowest, if that is below) to a round value at or above the highest.
    pub fn linear(lowest: f64, highest: f64, unit: Unit) -> Scale {
        let low = lowest.min(0.0);
        // Rounding can leave a little more than all.
        let highest = match unit {
            Unit::Percent if highest < 100.5 => highest.min(100.0),
            _ => highest,
        };
        let span = if highest > low { highest - low } else { 1.0 };
        let step = step(span / 5.0, unit.is_binary());
        let (first, last) = ((low / step).floor(), (highest / step).ceil());
        let last = last.max(first + 1.0);
        Scale {
            low: first * step,
            high: last * step,
            log: false,
            ticks: (0..=(last - first) as u32)
                .map(|tick| (first + f64::from(tick)) * step)
                .collect(),
        }
    }

    /// Around the values, labelled at powers of ten, or at 1, 2 and 5 times those if they are few. Values of 0
    /// and less lie at the bottom.
    pub fn logarithmic(lowest: f64, highest: f64) -> Scale {
        let (low, high) = if lowest > 0.0 && highest >= lowest {
            (lowest, highest)
        } else {
            (0.1, 10.0)
        };
        let decades = high.log10() - low.log10();
        let factors: &[f64] = if decades > 3.5 {
            &[1.0]
        } else if decades > 1.6 {
            &[1.0, 3.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let candidates: Vec<f64> = (low.log10().floor() as i32 - 1..=high.log10().ceil() as i32)
            .flat_map(|power| {
                factors
                    .iter()
                    .map(move |factor| factor * 10_f64.powi(power))
            })
            .collect();
        let bottom = candidates
            .iter()
            .copied()
            .rfind(|tick| *tick <= low)
            .unwrap_or(low);
        let top = candidates
            .iter()
            .copied()
            .find(|tick| *tick >= high && *tick > bottom)
            .unwrap_or(high * 1.1);
        Scale {
            low: bottom,
            high: top,
            log: true,
            ticks: candidates
                .into_iter()
                .filter(|tick| (bottom..=top).contains(tick))
                .collect(),
        }
    }

    /// The share of the axis below the value, 0 to 1.
    pub fn position(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        share.clamp(0.0, 1.0)
    }
}

/// A round step that is at least this large.
fn step(at_least: f64, binary: bool) -> f64 {
    if binary && at_least >= 1.0 {
        // A power of two, so that 512 kB and 512 kB are 1 MB.
        return (at_least * 0.999_999).log2().ceil().exp2();
    }
    let power = 10_f64.powf(at_least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= at_least * 0.999_999)
        .unwrap_or(at_least)
}

/// Where a time axis is labelled: seconds, and the labels.
pub fn time_ticks(start_s: f64, end_s: f64) -> Vec<(f64, String)> {
    /// Units with their seconds, and the steps in each.
    const UNITS: [(&str, f64, &[f64]); 4] = [
        ("s", 1.0, &[0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0]),
        ("min", 60.0, &[1.0, 2.0, 5.0, 10.0, 15.0, 30.0]),
        ("h", 3_600.0, &[1.0, 2.0, 6.0, 12.0]),
        ("d", 86_400.0, &[1.0, 2.0, 5.0]),
    ];
    let span = (end_s - start_s).max(0.0);
    let mut steps = (UNITS.into_iter())
        .flat_map(|(unit, size, steps)| steps.iter().map(move |step| (step * size, size, unit)));
    let (step, size, unit) = steps
        .find(|(step, _, _)| span / step <= 6.0)
        .unwrap_or_else(|| (step(span / 6.0 / 86_400.0, false) * 86_400.0, 86_400.0, "d"));
    let first = (start_s / step).ceil() as i64;
    let last = (end_s / step).floor() as i64;
    (first..=last)
        .map(|tick| tick as f64 * step)
        .map(|at| (at, format!("{} {unit}", number(at / size))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_begins_at_zero_and_ends_at_a_round_value() {
        let scale = Scale::linear(3.0, 8_200.0, Unit::Count(""));
        assert_eq!(
            scale.ticks,
            [0.0, 2_000.0, 4_000.0, 6_000.0, 8_000.0, 10_000.0]
        );
        assert_eq!(scale.position(5_000.0), 0.5);
        let sizes = Scale::linear(0.0, 900.0 * 1024.0, Unit::Bytes);
        assert_eq!(sizes.ticks.get(1), Some(&(256.0 * 1024.0)));
        let across_units = Scale::linear(0.0, 1.1 * 1024.0 * 1024.0, Unit::Bytes);
        let labels = across_units
            .ticks
            .iter()
            .map(|tick| Unit::Bytes.tick(*tick));
        assert_eq!(
            labels.collect::<Vec<_>>(),
            ["0 B", "256 kB", "512 kB", "768 kB", "1 MB", "1.25 MB"]
        );
        assert_eq!(Scale::linear(0.0, 0.0, Unit::Percent).ticks, [0.0, 0.2]);
        let below = Scale::linear(-5.0, 10.0, Unit::Count(""));
        assert_eq!((below.position(-5.0), below.position(10.0)), (0.0, 1.0));
    }

    #[test]
    fn a_logarithmic_axis_holds_its_values() {
        let scale = Scale::logarithmic(0.07, 900.0);
        assert_eq!(scale.ticks, [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert!(scale.position(0.07) > 0.0 && scale.position(900.0) < 1.0);
        assert_eq!(scale.position(0.0), 0.0);
        let narrow = Scale::logarithmic(1.1, 4.0);
        assert_eq!(narrow.ticks, [1.0, 2.0, 5.0]);
        assert!(Scale::logarithmic(0.0, 0.0).ticks.len() > 1);
    }

    #[test]
    fn times_are_labelled_in_the_step_s_unit() {
        let labels = |end| -> Vec<String> {
            time_ticks(0.0, end)
                .into_iter()
                .map(|(_, label)| label)
                .collect()
        };
        assert_eq!(labels(10.0), ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"]);
        assert_eq!(
            labels(3_600.0),
            [
                "0 min", "10 min", "20 min", "30 min", "40 min", "50 min", "60 min"
            ]
        );
        assert_eq!(labels(950_400.0).last().unwrap(), "10 d");
        assert!(labels(1e9).len() <= 8);
    }
}
