//! Two sides of runs: the pairs to compare, and whether they may be compared at all.

use super::compared_run::{Facts, Run};
use super::programs;
use super::row::PairBy;
use crate::run::request::spec::is_scheduled;

/// Both sides' runs.
pub struct Sides<'a> {
    pub baseline: &'a [Facts],
    pub candidate: &'a [Facts],
    /// The pairs of baseline and candidate runs; None: all are compared with all.
    pub pairs: Option<Vec<Pair>>,
    /// Runs of different programs are compared, too.
    pub across_programs: bool,
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
        broken
            .or_else(|| self.unlike_programs().filter(|_| !self.across_programs))
            .or_else(|| self.of_groups(|runs| unlike(runs.iter().copied())))
    }

    /// The caution that the reader needs: the runs come from different programs, or over different ways.
    pub fn caution(&self) -> Option<String> {
        let unlike = self.unlike_programs()?;
        Some(programs::caution(&unlike, self.across_programs))
    }

    fn unlike_programs(&self) -> Option<String> {
        self.of_groups(|runs| programs::unlike(runs.iter().copied()))
    }

    /// The first answer of those who are compared with each other: all, or each pair.
    fn of_groups<T>(&self, answer: impl Fn(&[&Run]) -> Option<T>) -> Option<T> {
        match &self.pairs {
            None => {
                let all = self.baseline.iter().chain(self.candidate);
                answer(&all.map(|facts| &facts.run).collect::<Vec<_>>())
            }
            Some(pairs) => pairs.iter().find_map(|pair| {
                let baseline = pair.baseline.iter().filter_map(|&i| self.baseline.get(i));
                let candidate = pair.candidate.iter().filter_map(|&i| self.candidate.get(i));
                let both = baseline.chain(candidate);
                answer(&both.map(|facts| &facts.run).collect::<Vec<_>>())
            }),
        }
    }

    /// Whether the clients on both sides are equally many, and each begins its next transaction when the one before is done: then
    /// the rate times the mean latency is their number (Little's law), and both are the same figure.
    pub fn is_closed_loop(&self) -> bool {
        /// Time outside of transactions, or in those that failed, is in no latency.
        const ABOUT: f64 = 0.1;
        let holds = |facts: &Facts| {
            let number = |name: &str| facts.summary.get(name)?.as_f64();
            let busy = number("tps")? * number("latency_avg_ms")? / 1e3;
            let clients = facts.run.clients.filter(|&clients| clients > 0)? as f64;
            let is_scheduled = is_scheduled(facts.run.spec.rate.as_ref(), facts.run.spec.terminals);
            (!is_scheduled && (busy / clients - 1.0).abs() <= ABOUT).then_some(clients)
        };
        let mut all = self.baseline.iter().chain(self.candidate).map(holds);
        match all.next().flatten() {
            Some(first) => all.all(|clients| clients == Some(first)),
            None => false,
        }
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

/// The one of two runs that is a result of another program, which did not print the scale, beside one of a known scale.
fn lacking_scale<'a>(one: &'a Run, other: &'a Run) -> Option<&'a Run> {
    one.scale.or(other.scale)?;
    let lacks = |run: &&Run| run.scale.is_none() && run.spec.results.is_some();
    [one, other].into_iter().find(lacks)
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
        } else if let Some(unknown) = lacking_scale(first, run) {
            Some(format!(
                "the scale of run {} is not known: delete it, and import it again with scale => ...",
                unknown.run_id
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
