//! What was counted, by what is shown of a statement.

use crate::divergence::{Divergence, KINDS, NAMES};
use engine::{CommandStats, Latencies};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// So many places of each kind of divergence of a statement are kept.
const POSITIONS: usize = 3;

/// A statement in the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Its session, from 1, in the order in which they began.
    pub session: u64,
    /// Its number in that, from 1.
    pub statement: u64,
}

/// A statement: all that are shown alike.
#[derive(Default)]
pub struct OfStatement {
    /// Those that were run.
    pub stats: CommandStats,
    /// What the same executions took in the capture.
    pub captured: Latencies,
    /// What differed, by kind.
    pub diverged: [u64; KINDS],
    /// The first of each kind.
    pub positions: [Vec<Position>; KINDS],
}

impl OfStatement {
    /// Executions without a divergence.
    pub fn alike(&self) -> u64 {
        let run = self.stats.latencies.moments.count + self.stats.failed;
        let not_reached = self.diverged[Divergence::NotReached as usize];
        let diverged: u64 = self.diverged.iter().sum();
        run.saturating_sub(diverged - not_reached)
    }

    /// Where it diverged first, by kind; kinds that it has not are left out.
    pub fn first_positions(&self) -> BTreeMap<&'static str, &[Position]> {
        let all = NAMES
            .into_iter()
            .zip(self.positions.iter().map(Vec::as_slice));
        all.filter(|(_, positions)| !positions.is_empty()).collect()
    }

    /// Notes a divergence.
    pub fn diverges(&mut self, how: Divergence, position: Position) {
        self.diverged[how as usize] += 1;
        let positions = &mut self.positions[how as usize];
        if positions.len() < POSITIONS {
            positions.push(position);
        }
    }
}

/// Of all statements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Transactions that ended as in the capture; those with a statement that diverged.
    pub alike: u64,
    pub diverged: u64,
    /// How far behind the timetable transactions began, ns: sum and longest; 0 without a timetable.
    pub late_ns: u64,
    pub latest_ns: u64,
    /// Settings and roles of sessions that the server did not take.
    pub refused_settings: u64,
    /// Sessions that were lost.
    pub lost_sessions: u64,
    /// Waits for commits that were broken, since a lock was waited for the other way round.
    pub broken_waits: u64,
}

/// All counts of a replay.
#[derive(Default)]
pub struct Score {
    pub statements: Vec<OfStatement>,
    pub totals: Totals,
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Score");
        shown.field("totals", &self.totals).finish_non_exhaustive()
    }
}

impl Score {
    /// Of so many statements.
    pub fn new(statements: usize) -> Score {
        Score {
            statements: (0..statements).map(|_| OfStatement::default()).collect(),
            totals: Totals::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_places_of_each_kind_are_kept() {
        let mut statement = OfStatement::default();
        for number in 1..=9 {
            statement.stats.record(1_000);
            let how = match number % 2 {
                0 => Divergence::RowsOther,
                _ => Divergence::NotReached,
            };
            statement.diverges(
                how,
                Position {
                    session: 1,
                    statement: number,
                },
            );
        }
        assert_eq!(statement.diverged, [0, 0, 0, 4, 5]);
        assert_eq!(statement.alike(), 5);
        let numbers = |kind: usize| {
            let positions = statement.positions[kind].iter();
            positions.map(|it| it.statement).collect::<Vec<_>>()
        };
        assert_eq!((numbers(3), numbers(4)), (vec![2, 4, 6], vec![1, 3, 5]));
        let first = statement.first_positions().into_keys();
        assert_eq!(first.collect::<Vec<_>>(), ["not_reached", "rows_other"]);
    }
}
