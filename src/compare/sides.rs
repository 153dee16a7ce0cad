//! Two sides of runs: who pairs with whom, and whether they may be compared at all.

use super::compared_run::{Facts, Run};
use super::row::PairBy;

/// Both sides' runs.
pub struct Sides<'a> {
    pub baseline: &'a [Facts],
    pub candidate: &'a [Facts],
    /// The pairs of baseline and candidate runs; None: all are compared with all.
    pub pairs: Option<Vec<Pair>>,
}

/// Places in the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub baseline: Vec<usize>,
    pub candidate: Vec<usize>,
}

/// Pairs the runs of two sides, in the order of the baseline; partners that are missing leave their runs out,
/// which `left_out` then counts.
///
/// # Errors
/// The problem, in words.
pub fn pairs(
    baseline: &[Facts],
    candidate: &[Facts],
    by: PairBy,
) -> Result<(Vec<Pair>, usize), String> {
    if by == PairBy::Repetition {
        if baseline.len() != candidate.len() {
            return Err(format!(
                "pairs of repetitions need equally many runs on both sides, not {} and {}",
                baseline.len(),
                candidate.len()
            ));
        }
        let pair = |i| Pair {
            baseline: vec![i],
            candidate: vec![i],
        };
        return Ok(((0..baseline.len()).map(pair).collect(), 0));
    }
    let name = |facts: &Facts| match by {
        PairBy::Node => Some(facts.run.node_id.clone()),
        _ => facts.run.label.clone(),
    };
    let places = |side: &[Facts], wanted: &str| -> Vec<usize> {
        let named = side.iter().enumerate();
        named
            .filter(|(_, facts)| name(facts).as_deref() == Some(wanted))
            .map(|(place, _)| place)
            .collect()
    };
    let mut names: Vec<String> = Vec::new();
    for name in baseline.iter().filter_map(&name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let pairs: Vec<Pair> = names
        .iter()
        .map(|name| Pair {
            baseline: places(baseline, name),
            candidate: places(candidate, name),
        })
        .filter(|pair| !pair.candidate.is_empty())
        .collect();
    if pairs.is_empty() {
        return Err(format!("no {} has runs on both sides", by.name()));
    }
    let used: usize = pairs
        .iter()
        .map(|pair| pair.baseline.len() + pair.candidate.len())
        .sum();
    Ok((pairs, baseline.len() + candidate.len() - used))
}

impl Sides<'_> {
    /// Why none of their figures can be compared.
    pub fn obstacle(&self) -> Option<String> {
        let all = || self.baseline.iter().chain(self.candidate);
        let broken = all()
            .map(|facts| &facts.run)
            .find_map(|run| Some(format!("run {} {}", run.run_id, unusable(&run.status)?)));
        broken.or_else(|| match &self.pairs {
            None => unlike(all().map(|facts| &facts.run)),
            Some(pairs) => pairs.iter().find_map(|pair| {
                let baseline = pair.baseline.iter().filter_map(|&i| self.baseline.get(i));
                let candidate = pair.candidate.iter().filter_map(|&i| self.candidate.get(i));
                unlike(baseline.chain(candidate).map(|facts| &facts.run))
            }),
        })
    }

    /// Whether the runs were as long as each other: sums over a run can be compared only then. Runs by count were if
    /// they had the same count, and loads always are: they do a given amount of work, and the time it takes is their
    /// result.
    pub fn equally_long(&self) -> bool {
        /// Shares by which lengths may differ: a run ends when its last transactions do.
        const ABOUT: f64 = 0.02;
        let by_count = |facts: &Facts| facts.run.spec.transactions_per_client.is_some();
        let mut all = self.baseline.iter().chain(self.candidate);
        if all.clone().all(|facts| facts.run.work().is_of_fixed_size) {
            return true;
        }
        if all.clone().all(by_count) {
            let count = |facts: &Facts| facts.run.spec.transactions_per_client;
            let first = self.baseline.first().and_then(count);
            return all.all(|facts| count(facts) == first);
        }
        let lengths = all.filter_map(|facts| facts.summary.get("duration_s")?.as_f64());
        let (shortest, longest) = lengths.fold((f64::INFINITY, 0.0), |(low, high), seconds| {
            (f64::min(low, seconds), f64::max(high, seconds))
        });
        longest <= shortest * (1.0 + ABOUT)
    }
}

/// Why a run with that status cannot be compared; None: it can.
pub fn unusable(status: &str) -> Option<String> {
    match status {
        "finished" | "stopped" => None,
        "failed" => Some("failed".to_owned()),
        "interrupted" => Some("was interrupted".to_owned()),
        status => Some(format!("is {status}")),
    }
}

/// A property in which the runs differ, though they must not.
fn unlike<'a>(mut runs: impl Iterator<Item = &'a Run>) -> Option<String> {
    let first = runs.next()?;
    let scale = |run: &Run| {
        run.scale
            .map_or_else(|| "none".to_owned(), |s| s.to_string())
    };
    let rows = |run: &Run| -> Option<u64> {
        let rows = run.spec.data.iter().map(|data| data.load.as_ref()?.rows);
        rows.sum::<Option<u64>>().filter(|&rows| rows > 0)
    };
    runs.find_map(|run| {
        if run.kind != first.kind {
            Some("a run and a load".to_owned())
        } else if run.workload != first.workload {
            Some(format!(
                "different workload ({}, {})",
                first.workload, run.workload
            ))
        } else if run.scale != first.scale {
            Some(format!(
                "different scale ({}, {})",
                scale(first),
                scale(run)
            ))
        } else {
            let (first, other) = rows(first).zip(rows(run))?;
            (first != other).then(|| format!("different numbers of rows ({first}, {other})"))
        }
    })
}
