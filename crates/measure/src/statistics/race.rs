//! The best of several candidates that run in rounds, each once a round, without running the bad ones to the end.
//!
//! After each round those that are significantly behind the leader leave. What a round has in common (drift, a warmer
//! cache) cancels, since candidates are compared within rounds. Values count by their logarithms: noise is a share of a
//! value. All candidates are taken to be equally noisy, which gives the first rounds enough degrees of freedom.
//!
//! The best leaves only if some other seems better at some look. So the level of a comparison is [`LEVEL`] divided by
//! the number of the others, and by the looks to the power of 2/3: looks at what was mostly seen before are
//! not independent, and Pocock's boundaries (Biometrika 64, 1977) fall about so. The tests try that the best is lost in at
//! most 5 % of all races, even if all are equally good.

use super::LEVEL;
use super::estimate::mean;
use super::student::{quantile, upper_p};
use serde::{Deserialize, Serialize};

/// Rounds before the first look.
const FIRST: usize = 2;
/// What is not above 0 has no logarithm: it counts as this.
const SMALLEST: f64 = 1e-9;

/// The rules of a race.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// The rounds after which it ends in any case.
    pub rounds: usize,
    /// More is better, as with tps; false for a latency.
    pub more_is_better: bool,
    /// Who is worse by at most this share is as good as the winner.
    pub margin: f64,
}

/// A candidate's part in a race.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entrant {
    /// Its values in the order of rounds.
    pub values: Vec<f64>,
    /// It could not run in the round after these, and is out.
    pub failed: bool,
}

/// What has become of a race so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Rounds that all who were in the race have run.
    pub rounds: usize,
    /// Who is in the race; at its end the winner is among them.
    pub running: Vec<usize>,
    /// The best of these; None: there is none.
    pub leader: Option<usize>,
    /// One for each candidate.
    pub standings: Vec<Standing>,
    /// Nobody needs a further round.
    pub is_over: bool,
}

/// A candidate beside the leader, over the rounds that both ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// The round after which it was significantly worse; None: it never was.
    pub left_after: Option<usize>,
    /// The difference from the leader's value, as a share of it.
    pub change: Option<f64>,
    /// The difference is no worse than this, with 95 % confidence; None: there are too few rounds.
    pub worst: Option<f64>,
}

impl Race {
    /// Where the race stands. It follows from the values alone, so nothing else has to be kept.
    pub fn course(&self, entrants: &[Entrant]) -> Course {
        let logs: Vec<Vec<f64>> = entrants.iter().map(|it| self.logs(&it.values)).collect();
        let mut running: Vec<usize> = (0..logs.len()).collect();
        let mut standings = vec![Standing::default(); logs.len()];
        let mut rounds = 0;
        let mut looks = Vec::new();
        let is_over = loop {
            running.retain(|&i| !entrants[i].failed || logs[i].len() > rounds);
            if running.len() < 2 || rounds >= self.rounds {
                break true;
            }
            if running.iter().any(|&i| logs[i].len() <= rounds) {
                break false;
            }
            rounds += 1;
            if rounds < FIRST {
                continue;
            }
            let look = Look::at(&logs, &running, rounds);
            let level = self.level(entrants.len());
            for (&i, &behind) in running.iter().zip(&look.behind) {
                if look.is_behind(behind, level) {
                    standings[i].left_after = Some(rounds);
                }
            }
            let margin = self.log(1.0) - self.log(self.worse_by(self.margin));
            let alike = (look.behind.iter()).all(|&behind| {
                look.at_most(behind, level)
                    .is_some_and(|most| most <= margin)
            });
            running.retain(|&i| standings[i].left_after.is_none());
            looks.push(look);
            if alike {
                break true;
            }
        };
        let mean_of = |i: usize| mean(&logs[i][..rounds.min(logs[i].len())]);
        let leader = (running.iter().copied())
            .filter(|_| rounds > 0)
            .max_by(|&a, &b| mean_of(a).total_cmp(&mean_of(b)));
        if let Some(leader) = leader {
            for (i, standing) in standings.iter_mut().enumerate() {
                self.compare(standing, &logs[i], &logs[leader], rounds, &looks);
            }
        }
        Course {
            rounds,
            running,
            leader,
            standings,
            is_over,
        }
    }

    /// Compares a candidate with the leader, with the error of the last look at it.
    fn compare(
        &self,
        standing: &mut Standing,
        candidate: &[f64],
        leader: &[f64],
        rounds: usize,
        looks: &[Look],
    ) {
        let common = standing.left_after.unwrap_or(rounds).min(candidate.len());
        if common == 0 {
            return;
        }
        let behind = mean(&leader[..common]) - mean(&candidate[..common]);
        let change = |behind: f64| match self.more_is_better {
            true => (-behind).exp() - 1.0,
            false => behind.exp() - 1.0,
        };
        standing.change = Some(change(behind));
        let look = common.checked_sub(FIRST).and_then(|look| looks.get(look));
        standing.worst = look
            .and_then(|look| look.at_most(behind, LEVEL))
            .map(change);
    }

    /// Values that are the better the larger they are.
    fn logs(&self, values: &[f64]) -> Vec<f64> {
        values.iter().map(|&value| self.log(value)).collect()
    }

    fn log(&self, value: f64) -> f64 {
        let log = value.max(SMALLEST).ln();
        if self.more_is_better { log } else { -log }
    }

    /// What is worse than 1 by a share.
    fn worse_by(&self, share: f64) -> f64 {
        match self.more_is_better {
            true => 1.0 - share,
            false => 1.0 + share,
        }
    }

    /// The level of one comparison.
    fn level(&self, candidates: usize) -> f64 {
        let looks = (self.rounds.saturating_sub(FIRST) + 1) as f64;
        LEVEL / (looks.powf(2.0 / 3.0) * candidates.saturating_sub(1).max(1) as f64)
    }
}

/// The candidates after a round.
struct Look {
    /// How far each is behind the leader, in the order of the running ones.
    behind: Vec<f64>,
    /// The standard error of such a difference.
    error: f64,
    freedom: f64,
}

impl Look {
    fn at(logs: &[Vec<f64>], running: &[usize], rounds: usize) -> Look {
        let values: Vec<&[f64]> = running.iter().map(|&i| &logs[i][..rounds]).collect();
        let means: Vec<f64> = values.iter().map(|values| mean(values)).collect();
        let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let freedom = ((rounds - 1) * (running.len() - 1)) as f64;
        Look {
            behind: means.iter().map(|mean| best - mean).collect(),
            error: (2.0 * residual(&values, &means) / freedom / rounds as f64).sqrt(),
            freedom,
        }
    }

    fn is_behind(&self, behind: f64, level: f64) -> bool {
        behind > 0.0 && upper_p(behind / self.error, self.freedom).is_none_or(|p| p < level)
    }

    /// The upper end of the one-sided interval of a difference.
    fn at_most(&self, behind: f64, level: f64) -> Option<f64> {
        Some(behind + quantile(2.0 * level, self.freedom)? * self.error)
    }
}

/// The sum of squares that neither candidates nor rounds explain.
fn residual(values: &[&[f64]], means: &[f64]) -> f64 {
    let all = mean(means);
    let rounds = values.first().map_or(0, |values| values.len());
    (0..rounds)
        .map(|round| {
            let column: Vec<f64> = values.iter().map(|values| values[round]).collect();
            let common = mean(&column) - all;
            let squares = column.iter().zip(means);
            squares
                .map(|(value, own)| (value - own - common).powi(2))
                .sum::<f64>()
        })
        .sum()
}

#[cfg(test)]
mod tests;
