//! One metric's values on both sides, tested.

use measure::statistics::{Change, Estimate, Scale, paired};
use serde::{Serialize, Serializer};

/// A metric of one run.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub value: f64,
    /// Its precision as known from the run's own intervals.
    pub series: Option<Estimate>,
}

/// The same metric of runs that equal the single run of a side except in time.
#[derive(Debug, Default)]
pub struct Peers {
    pub baseline: Vec<f64>,
    pub candidate: Vec<f64>,
    /// Whether those of both sides are equal to each other, too.
    pub same: bool,
}

impl Peers {
    /// Whether both runs and all their peers agree.
    fn all_are(&self, one: f64, other: f64) -> bool {
        let peers = self.baseline.iter().chain(&self.candidate).copied();
        is_constant(peers.chain([one, other]))
    }
}

/// Fewer of them are less informative than the run's own intervals.
const FEWEST_PEERS: usize = 4;

/// A change, how it was found, and from how many values on each side.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub change: Change,
    pub method: Method,
    pub counts: (usize, usize),
}

/// How noise was distinguished from change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    pub name: &'static str,
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

const fn method(name: &'static str) -> Method {
    Method { name }
}

pub const STUDENT: Method = method("t test over runs, with the spread of both sides together");
pub const WELCH: Method = method("Welch's t test over runs, more on one side than on the other");
pub const ONE_AGAINST_SEVERAL: Method = method("t test of one run against several");
pub const PEERS: Method =
    method("single runs, with the spread of runs equal to them, n counts these");
pub const INTERVALS: Method =
    method("intervals of single runs, autocorrelation taken into account");
pub const PAIRS: Method = method("paired t test, n counts pairs");
pub const CONSTANT: Method = method("the same in all runs");

/// Whether the candidate differs; None: the noise is unknown.
///
/// Several runs show it best, as they include all variation from run to run; so do, for a single run on each side,
/// other runs equal to them. The intervals of a single run show only the variation within it. `step` is that of the
/// values. Amounts are compared by their ratio ([`Scale`]).
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
    if counts != (1, 1) && is_constant(baseline.iter().chain(candidate).map(|s| s.value)) {
        return Some(constant(baseline.first()?.value, counts));
    }
    let scale = Scale::of(baseline.iter().chain(candidate).map(|s| s.value));
    let (change, method, counts) = match (runs(baseline), runs(candidate), baseline, candidate) {
        (Some(baseline), Some(candidate), ..) => {
            let equally_many = counts.0 == counts.1;
            let method = if equally_many { STUDENT } else { WELCH };
            let (baseline, candidate) = (scale.estimate(&baseline)?, scale.estimate(&candidate)?);
            (scale.t_test(&baseline, &candidate)?, method, counts)
        }
        (Some(several), None, _, [one]) => {
            let several = scale.estimate(&several)?;
            let one = several.one_more(scale.value(one.value));
            (scale.against(&several, &one)?, ONE_AGAINST_SEVERAL, counts)
        }
        (None, Some(several), [one], _) => {
            let several = scale.estimate(&several)?;
            let one = several.one_more(scale.value(one.value));
            (scale.against(&one, &several)?, ONE_AGAINST_SEVERAL, counts)
        }
        (None, None, [one], [other]) => {
            match peers.and_then(|peers| among(peers, one.value, other.value, step)) {
                Some((_, counts)) if peers.is_some_and(|p| p.all_are(one.value, other.value)) => {
                    return Some(constant(one.value, counts));
                }
                Some((change, counts)) => (change, PEERS, counts),
                None => {
                    let (one, other) = (one.series?, other.series?);
                    let counts = (one.count, other.count);
                    if one.variance + other.variance == 0.0 && one.mean == other.mean {
                        return Some(constant(one.mean, counts));
                    }
                    let (one, other) = (
                        scale.estimate(&one.of_step(step))?,
                        scale.estimate(&other.of_step(step))?,
                    );
                    (scale.welch(&one, &other)?, INTERVALS, counts)
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

/// Whether two runs differ by more than equal runs do. The spread is that of each side's own peers if both have
/// enough of them; otherwise it is assumed to be the same on both sides.
fn among(peers: &Peers, one: f64, other: f64, step: f64) -> Option<(Change, (usize, usize))> {
    let all = peers.baseline.iter().chain(&peers.candidate).copied();
    let scale = Scale::of(all.chain([one, other]));
    let spread = |values: &[f64]| {
        let enough = values.len() >= FEWEST_PEERS;
        let spread = enough.then(|| Estimate::of_runs(values, step)).flatten();
        spread.and_then(|spread| scale.estimate(&spread))
    };
    let (one, other) = (scale.value(one), scale.value(other));
    let change = match (spread(&peers.baseline), spread(&peers.candidate)) {
        (Some(before), Some(after)) if !peers.same => {
            scale.welch(&before.one_more(one), &after.one_more(other))
        }
        (before, after) => {
            let spread = before.or(after)?;
            scale.against(&spread.one_more(one), &spread.one_more(other))
        }
    }?;
    Some((change, (peers.baseline.len(), peers.candidate.len())))
}

/// The same for pairs of values.
pub fn judge_pairs(baseline: &[f64], candidate: &[f64], step: f64) -> Option<Judgement> {
    let counts = (baseline.len(), candidate.len());
    let values = || baseline.iter().chain(candidate).copied();
    if counts.0 > 1 && is_constant(values()) {
        return Some(constant(values().next()?, counts));
    }
    Some(Judgement {
        change: paired(baseline, candidate, step)?,
        method: PAIRS,
        counts,
    })
}

fn is_constant(mut values: impl Iterator<Item = f64>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// All runs of both sides agree: there is no change, and no spread that an interval could come from.
fn constant(value: f64, counts: (usize, usize)) -> Judgement {
    Judgement {
        change: Change {
            change: (value != 0.0).then_some(0.0),
            interval: None,
            t: 0.0,
            freedom: (counts.0 + counts.1) as f64 - 2.0,
            p: 1.0,
        },
        method: CONSTANT,
        counts,
    }
}
