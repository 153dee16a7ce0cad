//! The choice of an experiment's next run. A plan is a file beside this one that implements [`Plan`], and a line in [`of`].
//! It has no memory: the outcomes of its runs are in the tables, so that any worker can continue it. Further runs to choose
//! from are added between rounds, by `race` and `precise`.

use super::grid::Grid;
use super::points::SweepSpec;
use serde::Deserialize;

/// Decides on the next run from everything that has been done.
pub trait Plan {
    /// The run to make; None if the experiment is complete.
    fn next(&self, state: &State) -> Option<Next>;
}

/// The progress of an experiment.
#[derive(Debug, Default)]
pub struct State {
    /// All of its runs, in the order of their positions.
    pub runs: Vec<PlannedRun>,
}

/// A place for a run: a repetition of a point.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PlannedRun {
    pub position: i32,
    pub point_no: i32,
    pub repetition: i32,
    /// How many attempts there have been.
    pub attempts: i32,
    /// How many of them count towards the number that is allowed.
    pub tries: i32,
    /// One of them finished.
    pub done: bool,
}

/// A run to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    pub position: i32,
    pub point_no: i32,
    pub repetition: i32,
    /// Counted from 1.
    pub attempt: i32,
}

impl PlannedRun {
    /// The next attempt at it.
    pub fn next(&self) -> Next {
        Next {
            position: self.position,
            point_no: self.point_no,
            repetition: self.repetition,
            attempt: self.attempts + 1,
        }
    }
}

/// The plan of a stored experiment.
pub fn of(spec: &SweepSpec) -> Box<dyn Plan> {
    Box::new(Grid {
        run_tries: spec.run_tries,
        runs_per_restart: spec.restarts.as_ref().map_or(i32::MAX, |it| it.runs),
    })
}
