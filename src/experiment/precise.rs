//! Repetitions until each point is precise enough. The runs of the grid come first. Then the points that are not precise
//! enough take turns, one run at a time, the least precise first. Each run is added to the sweep's order of runs, so that the
//! sweep can be resumed. Also here: the texts of reports about that. Pure.

use super::plan::State;
use crate::show::number::integer;
use crate::show::text::count;
use measure::statistics::Precision;
use serde::{Deserialize, Serialize};

/// The form of `until_precise`.
pub const HINT: &str = "Say how far the mean tps of a point may be off: until_precise => '2%'.";
/// The default of `max_repetitions`.
pub const MOST: i32 = 30;

/// The point that the next further run is for, once the planned runs are over; None: none needs any. A point with a run
/// that could not be done gets no further ones: what failed as often as it may is not tried for ever.
pub fn further(precision: &Precision, state: &State, points: &[(i32, Vec<f64>)]) -> Option<i32> {
    // A run may have finished without a value: what counts is how many there were.
    let may_run = |point_no: i32| {
        let runs = || state.runs.iter().filter(|run| run.point_no == point_no);
        runs().count() < precision.most && runs().all(|run| run.done)
    };
    let (open, values): (Vec<i32>, Vec<Vec<f64>>) = points
        .iter()
        .filter(|(point_no, _)| may_run(*point_no))
        .cloned()
        .unzip();
    open.get(precision.next(&values)?).copied()
}

/// How well a sweep wants to know its points, as reports and the page show it; all None: it does not say.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Until {
    wanted_percent: Option<f64>,
    max_repetitions: Option<i64>,
    /// The metric of a race.
    #[serde(default)]
    race_metric: Option<String>,
    /// About how many runs are still to be planned.
    further_runs: Option<i64>,
}

impl Until {
    /// The percentage within which each mean is to be known, as text.
    pub fn wanted(&self) -> Option<String> {
        // Without the noise of a product of fractions.
        let rounded = |percent: f64| (percent * 1e6).round() / 1e6;
        self.wanted_percent
            .map(|percent| format!("{} %", rounded(percent)))
    }

    /// `5 repetitions`, or what decides on their number.
    pub fn repetitions(&self, repetitions: i64) -> String {
        if let Some(metric) = &self.race_metric {
            return format!("a race by {metric} of at most {repetitions} rounds,");
        }
        match (self.wanted(), self.max_repetitions) {
            (Some(wanted), Some(most)) => {
                format!("{repetitions} to {most} repetitions, until within {wanted},")
            }
            _ => count(repetitions, "repetition"),
        }
    }

    /// The number of runs of the sweep, as far as it is known.
    pub fn runs(&self, planned: i64) -> String {
        match self.further_runs {
            Some(further) if further > 0 => format!("about {}", integer(planned + further)),
            _ => integer(planned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::plan::PlannedRun;

    /// Runs of these points that are done or not.
    fn state(runs: &[(i32, bool)]) -> State {
        let run = |(i, &(point_no, done)): (usize, &(i32, bool))| PlannedRun {
            position: i as i32 + 1,
            point_no,
            repetition: 1,
            attempts: 1,
            tries: 1,
            done,
        };
        State {
            runs: runs.iter().enumerate().map(run).collect(),
        }
    }

    #[test]
    fn the_point_known_worst_runs_again_unless_a_run_of_it_is_missing() {
        let precision = Precision {
            wanted: 0.02,
            fewest: 4,
            most: 30,
        };
        let further = |runs: &[(i32, bool)], points: &[(i32, Vec<f64>)]| {
            super::further(&precision, &state(runs), points)
        };
        let points = [
            (1, vec![100.0, 100.5, 99.5, 100.0]),
            (2, vec![100.0, 110.0, 90.0, 100.0]),
            (3, vec![100.0, 105.0, 95.0, 100.0]),
        ];
        assert_eq!(further(&[(1, true), (2, true)], &points), Some(2));
        assert_eq!(further(&[(1, true), (2, false)], &points), Some(3));
        assert_eq!(further(&[(1, true)], &points[..1]), None);
        // Thirty runs without a value are enough.
        let none = [(1, Vec::new())];
        assert_eq!(further(&[(1, true); 29], &none), Some(1));
        assert_eq!(further(&[(1, true); 30], &none), None);
    }

    #[test]
    fn reports_tell_what_decides_on_the_number_of_runs() {
        let none = Until::default();
        assert_eq!(none.repetitions(1), "1 repetition");
        assert_eq!(none.runs(12), "12");
        let until = |further| Until {
            wanted_percent: Some(0.07 * 100.0),
            max_repetitions: Some(30),
            further_runs: further,
            race_metric: None,
        };
        let race = Until {
            race_metric: Some("tps".to_owned()),
            ..Until::default()
        };
        assert_eq!(race.repetitions(10), "a race by tps of at most 10 rounds,");
        assert_eq!(until(None).wanted().as_deref(), Some("7 %"));
        assert_eq!(
            until(None).repetitions(5),
            "5 to 30 repetitions, until within 7 %,"
        );
        assert_eq!(until(Some(4)).runs(12), "about 16");
        assert_eq!(until(Some(0)).runs(12), "12");
    }
}
