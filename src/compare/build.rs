//! The rows of a comparison.

use super::compared_run::{Facts, common_work};
use super::conditions;
use super::devices;
use super::figures::{Figure, Key, figures, unknown};
use super::judge::{Peers, Sample, judge, judge_pairs};
use super::meaning::Meaning;
use super::row::{Comparison, PairBy, Row, Verdict};
use super::sides::{Sides, pairs};
use super::statements::{self, Common};
use super::verdicts::{self, Question};
use crate::run::request::spec::is_scheduled;
use crate::show::delta::Delta;
use std::collections::{BTreeMap, BTreeSet};

/// What the caller asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    pub pair_by: Option<PairBy>,
    /// Runs of different programs are compared, too.
    pub across_programs: bool,
}

impl From<Option<PairBy>> for Terms {
    fn from(pair_by: Option<PairBy>) -> Terms {
        Terms {
            pair_by,
            ..Terms::default()
        }
    }
}

/// Compares two sides of at least one run each.
///
/// # Errors
/// The runs cannot be paired; says why.
pub fn compare(
    mut baseline: Vec<Facts>,
    mut candidate: Vec<Facts>,
    terms: impl Into<Terms>,
) -> Result<Comparison, String> {
    let Terms {
        pair_by,
        across_programs,
    } = terms.into();
    devices::split(&mut baseline, &mut candidate);
    let mut notes = Vec::new();
    let pairs = match pair_by {
        None => None,
        Some(by) => {
            let (pairs, left_out) = pairs(&baseline, &candidate, by)?;
            if left_out > 0 {
                notes.push(format!("{left_out} runs have no partner and are left out"));
            }
            Some(pairs)
        }
    };
    let sides = Sides {
        baseline: &baseline,
        candidate: &candidate,
        pairs,
        across_programs,
    };
    let headline = headline(&sides);
    let mut rows = conditions::rows(&sides);
    let (of_metrics, common) = metrics(&sides);
    rows.extend(of_metrics);
    notes.extend(common.note());
    let question = Question {
        headline,
        is_closed_loop: sides.is_closed_loop(),
    };
    notes.extend(verdicts::decide(&mut rows, &question));
    let caution = sides.caution();
    let runs = |side: Vec<Facts>| side.into_iter().map(|facts| facts.run).collect();
    Ok(Comparison {
        headline,
        pair_by,
        caution,
        notes,
        rows,
        baseline: runs(baseline),
        candidate: runs(candidate),
    })
}

/// The headline metric of speed: the rate, or the latency if transactions had a schedule; for a load or a run by count, the time.
fn headline(sides: &Sides) -> &'static str {
    let all = sides.baseline.iter().chain(sides.candidate);
    let has_schedule = |facts: &Facts| {
        let spec = &facts.run.spec;
        is_scheduled(spec.rate.as_ref(), spec.terminals)
    };
    if all.clone().all(has_schedule) {
        "latency_avg_ms"
    } else {
        common_work(all.map(|facts| &facts.run)).headline
    }
}

/// A metric's values by run, in the order of the side's runs.
struct MetricValues<'a> {
    meaning: Meaning,
    /// The coarsest step of all runs.
    step: f64,
    title: Option<&'a str>,
    made_of: &'a [String],
    /// Another statement stands at this place in some run, or a sum is over other relations.
    mixed: bool,
    baseline: Vec<Option<Sample>>,
    candidate: Vec<Option<Sample>>,
}

fn metrics(sides: &Sides) -> (Vec<Row>, Common) {
    let obstacle = sides.obstacle();
    let equally_long = sides.equally_long();
    let of_side = |side: &[Facts]| -> Vec<Vec<Figure>> { side.iter().map(figures).collect() };
    let (mut baseline, mut candidate) = (of_side(sides.baseline), of_side(sides.candidate));
    let common = statements::common(&baseline, &candidate);
    statements::add_mean(&mut baseline, &common);
    statements::add_mean(&mut candidate, &common);
    let (order, found) = gather(&baseline, &candidate);
    let peers = peers(sides, &common);
    let rows = order
        .into_iter()
        .filter_map(|key| {
            let found = found.get(key)?;
            let reason = obstacle
                .clone()
                .or_else(|| reason(key, found, &common, sides, equally_long).map(str::to_owned));
            Some(row(key, found, peers.get(key), sides, reason))
        })
        .collect();
    (rows, common)
}

/// The figures of the single runs' peers, by key.
fn peers(sides: &Sides, common: &Common) -> BTreeMap<Key, Peers> {
    let same = have_common_peers(sides);
    let mut peers: BTreeMap<Key, Peers> = BTreeMap::new();
    let mut add = |side: &[Facts], values: fn(&mut Peers) -> &mut Vec<f64>| {
        let runs = side.iter().flat_map(|facts| &facts.peers);
        let of_run = |run| {
            let figures = figures(run);
            let mean = common.mean(&figures);
            figures.into_iter().chain(mean)
        };
        for figure in runs.flat_map(|run| of_run(run)) {
            let of_key = peers.entry(figure.key).or_insert_with(|| Peers {
                same,
                ..Peers::default()
            });
            values(of_key).push(figure.value);
        }
    };
    add(sides.baseline, |peers| &mut peers.baseline);
    add(sides.candidate, |peers| &mut peers.candidate);
    peers
}

/// Whether the single runs are equal to each other: then, and only then, they have peers in common.
fn have_common_peers(sides: &Sides) -> bool {
    let peers = |side: &[Facts]| -> BTreeSet<(String, i64)> {
        let runs = side.iter().flat_map(|facts| &facts.peers);
        runs.map(|facts| (facts.run.node_id.clone(), facts.run.run_id))
            .collect()
    };
    !peers(sides.baseline).is_disjoint(&peers(sides.candidate))
}

/// All figures of both sides, by key, and the keys in order: categories by first appearance, within each the order of
/// the baseline.
fn gather<'a>(
    baseline: &'a [Vec<Figure>],
    candidate: &'a [Vec<Figure>],
) -> (Vec<&'a Key>, BTreeMap<&'a Key, MetricValues<'a>>) {
    let mut order: Vec<&Key> = Vec::new();
    let mut found: BTreeMap<&Key, MetricValues> = BTreeMap::new();
    let sides = [baseline, candidate];
    for (side, runs) in sides.into_iter().enumerate() {
        for (place, figure) in runs
            .iter()
            .enumerate()
            .flat_map(|(place, run)| run.iter().map(move |figure| (place, figure)))
        {
            let entry = found.entry(&figure.key).or_insert_with(|| {
                order.push(&figure.key);
                MetricValues {
                    meaning: figure.meaning.clone(),
                    step: 0.0,
                    title: figure.title.as_deref(),
                    made_of: &figure.made_of,
                    mixed: false,
                    baseline: vec![None; baseline.len()],
                    candidate: vec![None; candidate.len()],
                }
            });
            entry.step = entry.step.max(figure.step);
            entry.mixed |=
                entry.title != figure.title.as_deref() || entry.made_of != figure.made_of;
            let samples = if side == 0 {
                &mut entry.baseline
            } else {
                &mut entry.candidate
            };
            if let Some(sample) = samples.get_mut(place) {
                *sample = Some(Sample {
                    value: figure.value,
                    series: figure.series,
                });
            }
        }
    }
    let mut categories: Vec<&str> = Vec::new();
    for key in &order {
        if !categories.contains(&key.category.as_str()) {
            categories.push(&key.category);
        }
    }
    let rank = |key: &Key| categories.iter().position(|name| *name == key.category);
    order.sort_by_key(|key| rank(key));
    (order, found)
}

/// Why this metric cannot be compared.
fn reason(
    key: &Key,
    found: &MetricValues,
    common: &Common,
    sides: &Sides,
    equally_long: bool,
) -> Option<&'static str> {
    let lacks = |samples: &[Option<Sample>]| samples.iter().all(Option::is_none);
    // It is stored, but without a value.
    let unknown = |side: &[Facts]| side.iter().flat_map(unknown).any(|other| other == *key);
    if lacks(&found.baseline) && unknown(sides.baseline) {
        Some("not known of the baseline, as after a reset of counters")
    } else if lacks(&found.baseline) {
        Some("not in the baseline")
    } else if lacks(&found.candidate) && unknown(sides.candidate) {
        Some("not known of the candidate, as after a reset of counters")
    } else if lacks(&found.candidate) {
        Some("not in the candidate")
    } else if found.mixed && found.title.is_none() {
        Some("not the sum of the same relations")
    } else if found.mixed {
        Some("different statement")
    } else if found.meaning.total && !equally_long && !never_happened(found) {
        Some("different length of the runs")
    } else if key.object.as_deref() == Some(statements::ALL) {
        common.obstacle()
    } else {
        None
    }
}

/// Events that never happened on either side can be compared, however long the runs were.
fn never_happened(found: &MetricValues) -> bool {
    let mut samples = found.baseline.iter().chain(&found.candidate).flatten();
    samples.all(|sample| sample.value == 0.0)
}

fn row(
    key: &Key,
    found: &MetricValues,
    peers: Option<&Peers>,
    sides: &Sides,
    reason: Option<String>,
) -> Row {
    let (before, after) = partners(found, sides);
    let (baseline, candidate) = (mean(&before), mean(&after));
    let judgement = match (&reason, &sides.pairs) {
        (Some(_), _) => None,
        (None, None) => judge(&before, &after, peers, found.step),
        (None, Some(_)) => judge_pairs(&values(&before), &values(&after), found.step),
    };
    // What cannot be compared has no change, either.
    let plain = baseline
        .zip(candidate)
        .filter(|(baseline, _)| *baseline != 0.0 && reason.is_none())
        .map(|(baseline, candidate)| candidate / baseline - 1.0);
    // A figure that cannot be negative does not fall by more than 100 %.
    let negative = |sample: &Sample| sample.value < 0.0;
    let lowest = if before.iter().chain(&after).any(negative) {
        f64::NEG_INFINITY
    } else {
        -1.0
    };
    let delta = match &judgement {
        Some(judgement) => Delta::of(&judgement.change, lowest),
        None => Delta {
            change_percent: plain.map(|share| 100.0 * share),
            ..Delta::default()
        },
    };
    let counts = judgement
        .as_ref()
        .map_or((before.len(), after.len()), |judgement| judgement.counts);
    Row {
        category: key.category.clone(),
        object: found
            .title
            .map(str::to_owned)
            .or_else(|| key.object.clone()),
        metric: key.metric.clone(),
        unit: found.meaning.unit.clone(),
        direction: found.meaning.direction,
        baseline,
        candidate,
        delta,
        n_baseline: Some(counts.0),
        n_candidate: Some(counts.1),
        // Tested rows are judged when all p-values are known.
        verdict: reason.map_or(Verdict::SingleObservation, Verdict::NotComparable),
        method: judgement.map(|judgement| judgement.method),
        baseline_text: None,
        candidate_text: None,
    }
}

/// The values of both sides; with pairs, the mean of each pair's runs, where both have one.
fn partners(found: &MetricValues, sides: &Sides) -> (Vec<Sample>, Vec<Sample>) {
    let Some(pairs) = &sides.pairs else {
        let known = |side: &[Option<Sample>]| side.iter().flatten().copied().collect();
        return (known(&found.baseline), known(&found.candidate));
    };
    let of_pair = |side: &[Option<Sample>], places: &[usize]| -> Option<Sample> {
        let samples: Vec<Sample> = places
            .iter()
            .filter_map(|&place| side.get(place).copied().flatten())
            .collect();
        Some(Sample {
            value: mean(&samples)?,
            series: None,
        })
    };
    pairs
        .iter()
        .filter_map(|pair| {
            Some((
                of_pair(&found.baseline, &pair.baseline)?,
                of_pair(&found.candidate, &pair.candidate)?,
            ))
        })
        .unzip()
}

fn values(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.value).collect()
}

fn mean(samples: &[Sample]) -> Option<f64> {
    (!samples.is_empty()).then(|| values(samples).iter().sum::<f64>() / samples.len() as f64)
}
