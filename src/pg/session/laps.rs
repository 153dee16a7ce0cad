//! Where the time of a message goes. The clock is read only after work that is not done every time: parsing,
//! planning, committing changes. The rest is execution.

use crate::pg::process::clock;

/// The parts of one message, ns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Laps {
    /// When the current part began.
    since: u64,
    /// Raw parse and analysis.
    pub parse_ns: u64,
    /// Planning, and a new analysis after an invalidation.
    pub plan_ns: u64,
    /// When the commit began, which is the last part; 0: nothing was to be committed.
    pub commit_began_at: u64,
}

impl Laps {
    /// For a message that begins now, monotonic ns.
    #[inline]
    pub fn begin(now: u64) -> Laps {
        Laps {
            since: now,
            ..Laps::default()
        }
    }

    /// It was parsed.
    #[inline]
    pub fn parsed(&mut self) {
        self.parse_ns += self.lap();
    }

    /// It was planned.
    #[inline]
    pub fn planned(&mut self) {
        self.plan_ns += self.lap();
    }

    /// A statement of it was executed, and another one follows.
    pub fn executed(&mut self) {
        self.lap();
    }

    /// It is about to commit.
    #[inline]
    pub fn committing(&mut self) {
        self.commit_began_at = clock::now();
    }

    #[inline]
    fn lap(&mut self) -> u64 {
        let now = clock::now();
        let lap = now.saturating_sub(self.since);
        self.since = now;
        lap
    }
}
