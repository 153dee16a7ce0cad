//! One metric's values on both sides, tested.

use crate::measure::statistics::{Change, Estimate, paired, welch};
use serde::{Serialize, Serializer};

/// A metric of one run.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub value: f64,
    /// How well the run's own intervals know it.
    pub series: Option<Estimate>,
}

/// The same metric of runs that are equal to the single run of a side but for the time.
#[derive(Debug, Default)]
pub struct Peers {
    pub baseline: Vec<f64>,
    pub candidate: Vec<f64>,
    /// Whether those of both sides are equal to each other, too.
    pub same: bool,
}

/// Fewer of them tell less than the run's own intervals do.
const FEWEST_PEERS: usize = 4;

/// A change, how it was found, and from how many values on each side.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub change: Change,
    pub method: Method,
    pub counts: (usize, usize),
}

/// How noise was told from change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    pub name: &'static str,
    /// Below this p, corrected for the number of metrics, a change is no chance.
    pub level: f64,
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

const fn usual(name: &'static str) -> Method {
    Method { name, level: 0.05 }
}

pub const WELCH: Method = usual("Welch's t test over runs");
/// Of equal runs without a difference Welch's test takes fewer apart than its level says, the fewer there are (at 0.05,
/// 4.4 % of 5 + 5 and 3.5 % of 3 + 3), and so misses more real differences than it has to. At this level it takes 3.8 %
/// (2 + 2) to 6.6 % (5 + 5) apart, and finds 95 % of changes by 5 % over 5 + 5 runs that vary by 2 % (standard deviation):
/// see `tests::simulation`. Below 0.072 it would find fewer, above 0.077 take more than 7 % apart.
pub const WELCH_OF_FEW: Method = Method {
    name: "Welch's t test over few runs, significant below p = 0.073",
    level: 0.073,
};
pub const ONE_AGAINST_SEVERAL: Method = usual("t test of one run against several");
pub const PEERS: Method =
    usual("single runs, with the spread of runs equal to them, n counts these");
pub const INTERVALS: Method = usual("intervals of single runs, autocorrelation taken into account");
pub const PAIRS: Method = usual("paired t test, n counts pairs");

/// Up to so many on each side are few.
pub const FEW: usize = 5;

/// Welch's test for so many runs on each side. With more of them on one side than on the other it is not as cautious.
fn welch_over((baseline, candidate): (usize, usize)) -> Method {
    if baseline == candidate && baseline <= FEW {
        WELCH_OF_FEW
    } else {
        WELCH
    }
}

/// Whether the candidate differs; None: nothing tells how much would be noise.
///
/// Several runs tell it best, as they differ by all that differs from run to run; so do, for a single run on each side, other
/// runs equal to them. The intervals of a single run know only of what differs within it. `step` is that of the values.
pub fn judge(
    baseline: &[Sample],
    candidate: &[Sample],
    peers: Option<&Peers>,
    step: f64,
) -> Option<Judgement> {
    let runs = |samples: &[Sample]| {
        let values: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
        Estimate::of_runs(&values, step)
    };
    let counts = (baseline.len(), candidate.len());
    let (change, method, counts) = match (runs(baseline), runs(candidate), baseline, candidate) {
        (Some(baseline), Some(candidate), ..) => {
            (welch(&baseline, &candidate)?, welch_over(counts), counts)
        }
        (Some(several), None, _, [one]) => (
            several.against(&several.one_more(one.value))?,
            ONE_AGAINST_SEVERAL,
            counts,
        ),
        (None, Some(several), [one], _) => (
            several.one_more(one.value).against(&several)?,
            ONE_AGAINST_SEVERAL,
            counts,
        ),
        (None, None, [one], [other]) => {
            match peers.and_then(|peers| among(peers, one.value, other.value, step)) {
                Some((change, counts)) => (change, PEERS, counts),
                None => {
                    let (one, other) = (one.series?.of_step(step), other.series?.of_step(step));
                    (welch(&one, &other)?, INTERVALS, (one.count, other.count))
                }
            }
        }
        _ => return None,
    };
    Some(Judgement {
        change,
        method,
        counts,
    })
}

/// Whether two runs differ by more than equal runs do. The spread is that of each side's own peers if both have enough of
/// them, else it is taken to be the same on both sides.
fn among(peers: &Peers, one: f64, other: f64, step: f64) -> Option<(Change, (usize, usize))> {
    let spread = |values: &[f64]| {
        let enough = values.len() >= FEWEST_PEERS;
        enough.then(|| Estimate::of_runs(values, step)).flatten()
    };
    let change = match (spread(&peers.baseline), spread(&peers.candidate)) {
        (Some(before), Some(after)) if !peers.same => {
            welch(&before.one_more(one), &after.one_more(other))
        }
        (before, after) => {
            let spread = before.or(after)?;
            spread.one_more(one).against(&spread.one_more(other))
        }
    }?;
    Some((change, (peers.baseline.len(), peers.candidate.len())))
}

/// The same for pairs of values.
pub fn judge_pairs(baseline: &[f64], candidate: &[f64], step: f64) -> Option<Judgement> {
    Some(Judgement {
        change: paired(baseline, candidate, step)?,
        method: PAIRS,
        counts: (baseline.len(), candidate.len()),
    })
}
