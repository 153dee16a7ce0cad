//! The parts of a message's time. Within the server the clock is read only after work that is not done for every message: parsing,
//! planning, and committing writes; the rest is execution. Over a connection it is read when the answer begins.

use crate::command::{Answers, Parts};

/// The parts of one message; moments of the monotonic clock and times in ns. All zero where a transport cannot tell them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Laps {
    /// When the part that goes on began.
    since: u64,
    /// Raw parse and analysis.
    parse_ns: u64,
    /// Planning, and a new analysis after an invalidation.
    plan_ns: u64,
    /// Commits that have ended.
    commit_ns: u64,
    /// When the commit began that goes on; 0: none does.
    commit_began_at: u64,
    /// When the first byte of the answer came; 0: not known.
    first_byte_at: u64,
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

    /// A statement of it was executed, perhaps committed, and another one follows.
    #[inline]
    pub fn executed(&mut self, now: u64) {
        self.commit_ns += self.commit_until(now);
        self.commit_began_at = 0;
        self.lap(now);
    }

    /// A commit began then, which ends the statement.
    #[inline]
    pub fn committing(&mut self, began_at: u64) {
        self.commit_began_at = began_at;
    }

    /// The statement has committed before its end, as a procedure does: that took so long, ns.
    #[inline]
    pub fn committed(&mut self, took_ns: u64) {
        self.commit_ns += took_ns;
    }

    /// The first byte of its answer came then, over a connection; 0: that is not known.
    #[inline]
    pub fn answered(&mut self, first_byte_at: u64) {
        self.first_byte_at = first_byte_at;
    }

    /// The parts of a message that ended now.
    #[inline]
    pub fn parts(&self, now: u64) -> Parts {
        Parts {
            parse_ns: self.parse_ns,
            plan_ns: self.plan_ns,
            commit_ns: self.commit_ns + self.commit_until(now),
            answers: self.answers(now),
        }
    }

    #[inline]
    fn answers(&self, now: u64) -> Answers {
        match self.first_byte_at {
            0 => Answers::default(),
            first_byte_at => Answers {
                count: 1,
                first_byte_ns: first_byte_at.saturating_sub(self.since),
                receive_ns: now.saturating_sub(first_byte_at),
            },
        }
    }

    #[inline]
    fn commit_until(&self, now: u64) -> u64 {
        match self.commit_began_at {
            0 => 0,
            began_at => now.saturating_sub(began_at),
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
            ..Parts::default()
        };
        assert_eq!(laps.parts(199), parts);
    }

    #[test]
    fn commits_add_up() {
        let mut laps = Laps::begin(100);
        // A statement that commits twice by itself, and at its end; another one; one that commits.
        laps.committed(3);
        laps.committed(4);
        laps.committing(120);
        laps.executed(125);
        laps.parsed(126);
        laps.executed(130);
        laps.committing(140);
        let parts = laps.parts(150);
        assert_eq!((parts.commit_ns, parts.parse_ns), (3 + 4 + 5 + 10, 1));
    }

    #[test]
    fn an_answer_has_a_beginning_and_a_rest() {
        let mut laps = Laps::begin(100);
        laps.answered(130);
        let parts = laps.parts(135);
        let expected = Answers {
            count: 1,
            first_byte_ns: 30,
            receive_ns: 5,
        };
        assert_eq!(parts.answers, expected);
        assert_eq!((parts.parse_ns, parts.plan_ns, parts.commit_ns), (0, 0, 0));
        // In a pipeline it is not known.
        laps.answered(0);
        assert_eq!(laps.parts(135), Parts::default());
    }

    #[test]
    fn without_a_commit_there_is_no_time_for_it() {
        let mut laps = Laps::begin(100);
        laps.parsed(90);
        assert_eq!(laps.parts(500), Parts::default());
        assert_eq!(Laps::default().parts(500), Parts::default());
    }
}
