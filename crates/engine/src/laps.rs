//! Where the time of a message goes. The clock is to be read only after work that is not done every time: parsing,
//! planning, committing what was written. What is left is execution.

use crate::command::Parts;

/// The parts of one message; moments of the monotonic clock and times in ns. All zero where a transport cannot tell them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Laps {
    /// When the part that goes on began.
    since: u64,
    /// Raw parse and analysis.
    parse_ns: u64,
    /// Planning, and a new analysis after an invalidation.
    plan_ns: u64,
    /// When the commit began, which is the last part; 0: nothing was to be committed.
    commit_began_at: u64,
}

impl Laps {
    /// Of a message that begins now.
    #[inline]
    pub fn begin(now: u64) -> Laps {
        Laps {
            since: now,
            ..Laps::default()
        }
    }

    /// It was parsed.
    #[inline]
    pub fn parsed(&mut self, now: u64) {
        self.parse_ns += self.lap(now);
    }

    /// It was planned.
    #[inline]
    pub fn planned(&mut self, now: u64) {
        self.plan_ns += self.lap(now);
    }

    /// A statement of it was executed, and another one follows.
    #[inline]
    pub fn executed(&mut self, now: u64) {
        self.lap(now);
    }

    /// It is about to commit.
    #[inline]
    pub fn committing(&mut self, now: u64) {
        self.commit_began_at = now;
    }

    /// The parts of a message that ended now.
    #[inline]
    pub fn parts(&self, now: u64) -> Parts {
        let commit_ns = match self.commit_began_at {
            0 => 0,
            began_at => now.saturating_sub(began_at),
        };
        Parts {
            parse_ns: self.parse_ns,
            plan_ns: self.plan_ns,
            commit_ns,
        }
    }

    #[inline]
    fn lap(&mut self, now: u64) -> u64 {
        let lap = now.saturating_sub(self.since);
        self.since = now;
        lap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_parts() {
        let mut laps = Laps::begin(100);
        laps.parsed(110);
        laps.planned(130);
        // Of a text of two statements: their parts add up, and what was executed between them is no part.
        laps.executed(170);
        laps.parsed(175);
        laps.planned(176);
        laps.committing(190);
        let parts = Parts {
            parse_ns: 10 + 5,
            plan_ns: 20 + 1,
            commit_ns: 9,
        };
        assert_eq!(laps.parts(199), parts);
    }

    #[test]
    fn without_a_commit_there_is_no_time_for_it() {
        let mut laps = Laps::begin(100);
        laps.parsed(90);
        assert_eq!(laps.parts(500), Parts::default());
        assert_eq!(Laps::default().parts(500), Parts::default());
    }
}
