//! What the clients of a replay share.

use crate::commits::Commits;
use crate::plan::Plan;
use crate::score::Score;
use std::cell::{Cell, RefCell};

/// The plan, how far it is played, and what was counted.
pub struct Stage {
    pub plan: Plan,
    pub commits: RefCell<Commits>,
    pub score: RefCell<Score>,
    /// Clients that still play.
    left: Cell<usize>,
}

impl Stage {
    /// Nothing is played yet.
    pub fn new(plan: Plan) -> Stage {
        Stage {
            commits: RefCell::new(Commits::new(plan.of_commits.clone(), plan.clients.len())),
            score: RefCell::new(Score::new(plan.shown.len())),
            left: Cell::new(plan.clients.len()),
            plan,
        }
    }

    /// How many clients still play.
    pub fn left(&self) -> usize {
        self.left.get()
    }

    /// A client is through. Whether it was the last one.
    pub fn leave(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() == 0
    }
}
