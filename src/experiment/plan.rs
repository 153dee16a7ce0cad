//! Which run an experiment makes next. A plan is a file beside this one that implements [`Plan`], and a line in [`of`]. It
//! remembers nothing: what has become of its runs is in the tables, so that any worker can go on with it.

use super::grid::Grid;
use super::points::SweepSpec;
use serde::Deserialize;

/// Decides, from all that has been done, what is to be done.
pub trait Plan {
    /// The run to make; None: the experiment is at its end.
    fn next(&self, state: &State) -> Option<Next>;
}

/// What has become of an experiment so far.
#[derive(Debug, Default)]
pub struct State {
    /// By position.
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
    /// How many of them count, of those that are allowed.
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
    /// From 1.
    pub attempt: i32,
}

impl PlannedRun {
    /// Makes it, once more if need be.
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
    })
}
