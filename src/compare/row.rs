//! A comparison as data: SQL returns it as rows, and texts and pages are made from it.

use super::compared_run::Run;
use super::judge::{CONSTANT, Method};
use crate::show::delta::Delta;
use measure::metrics::{self, Better, OF_WORKLOAD};
use serde::{Serialize, Serializer};
use std::fmt;

/// Common points and differences of two sides of runs.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub baseline: Vec<Run>,
    pub candidate: Vec<Run>,
    /// None: the sides are compared as a whole.
    pub pair_by: Option<PairBy>,
    /// The metric of the summary by which the comparison as a whole is judged.
    pub headline: &'static str,
    /// What the reader has to know before all else.
    pub caution: Option<String>,
    /// Notes on the method for the reader.
    pub notes: Vec<String>,
    /// Differing settings and environment first, then the metrics, summary first.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// The row by which the comparison as a whole is judged.
    pub fn headline(&self) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.category == "summary" && row.metric == self.headline)
    }

    /// The rates that the users of a workload speak of, such as nopm. They stand before the headline, which has a verdict even
    /// for two single runs: it is known by interval.
    pub fn rates(&self) -> impl Iterator<Item = &Row> {
        let of_both = |row: &&Row| row.baseline.is_some() && row.candidate.is_some();
        metrics::rates().filter_map(move |metric| {
            let mut rows = self.rows.iter().filter(of_both);
            rows.find(|row| row.category == OF_WORKLOAD && row.metric == metric.name)
        })
    }
}

/// The property that makes a run of one side the partner of a run of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairBy {
    Node,
    Label,
    /// The first with the first, the second with the second.
    Repetition,
}

impl PairBy {
    pub fn named(name: &str) -> Option<PairBy> {
        match name {
            "node" => Some(PairBy::Node),
            "label" => Some(PairBy::Label),
            "repetition" => Some(PairBy::Repetition),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            PairBy::Node => "node",
            PairBy::Label => "label",
            PairBy::Repetition => "repetition",
        }
    }
}

/// One metric on both sides, or one setting or circumstance that differs.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub category: String,
    pub object: Option<String>,
    pub metric: String,
    pub unit: Option<String>,
    pub direction: Option<Better>,
    /// The mean over the side's runs.
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
    /// Relative to the baseline; for pairs, the mean over them. Its p-value is corrected for the number of metrics tested; the verdict
    /// says whether it is below the method's level.
    #[serde(flatten)]
    pub delta: Delta,
    /// Runs, or intervals or pairs where `method` says so.
    pub n_baseline: Option<usize>,
    pub n_candidate: Option<usize>,
    pub verdict: Verdict,
    pub method: Option<Method>,
    /// For values that are not numbers: settings, environment.
    pub baseline_text: Option<String>,
    pub candidate_text: Option<String>,
}

impl Row {
    /// The p that decides the verdict, as it is shown. None for values that are the same in all runs.
    pub fn p(&self) -> Option<String> {
        self.delta.p().filter(|_| self.method != Some(CONSTANT))
    }

    /// Both values of a setting or circumstance.
    pub fn texts(&self) -> Option<(&str, &str)> {
        self.baseline_text
            .as_deref()
            .zip(self.candidate_text.as_deref())
    }

    /// How much worse the candidate is, in percent of the baseline; below 0: better. None if neither direction is
    /// worse or no change is known.
    pub fn regression_percent(&self) -> Option<f64> {
        let worse = match self.direction? {
            Better::Higher => -1.0,
            Better::Lower => 1.0,
        };
        match (self.delta.change_percent, self.baseline, self.candidate) {
            (Some(change), ..) => Some(worse * change),
            // From nothing to something: beyond any limit.
            (None, Some(baseline), Some(candidate)) => {
                Some(worse * (candidate - baseline).signum() * f64::INFINITY)
                    .filter(|_| candidate != baseline)
                    .or(Some(0.0))
            }
            _ => None,
        }
    }
}

/// The verdict of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Better,
    Worse,
    /// Differs significantly, but neither direction is better; or a setting.
    Differs,
    NoDifference,
    /// There is no basis for estimating the noise.
    SingleObservation,
    NotComparable(String),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Differs => "differs",
            Verdict::NoDifference => "no significant difference",
            Verdict::SingleObservation => "single observation",
            Verdict::NotComparable(_) => "not comparable",
        }
    }

    /// Why the row cannot be compared.
    pub fn obstacle(&self) -> Option<&str> {
        match self {
            Verdict::NotComparable(reason) => Some(reason),
            _ => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.obstacle()
            .map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
