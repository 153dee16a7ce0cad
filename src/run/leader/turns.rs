//! The clock of a run's turns.

use crate::pg::process::clock::nanoseconds;
use crate::run::request::alternate::Alternation;
use measure::turns::{Side, side_of};

/// Which turn a run is in, and when that changes; monotonic ns. Turns begin at multiples of their length, so that late ones do
/// not make it drift.
#[derive(Debug)]
pub struct Turns {
    every_ns: u64,
    settle_ns: u64,
    seed: u64,
    began_at: u64,
    ends_at: u64,
    turn: u64,
    /// When the turn's settle time is over.
    settled_at: u64,
    settled: bool,
}

impl Turns {
    /// A clock that has not begun.
    pub fn new(alternation: &Alternation, seed: u64) -> Turns {
        Turns {
            every_ns: nanoseconds(alternation.every_s),
            settle_ns: nanoseconds(alternation.settle_s),
            seed,
            began_at: 0,
            ends_at: 0,
            turn: 0,
            settled_at: u64::MAX,
            settled: false,
        }
    }

    /// The first turn begins. `ends_at`: the end of the run.
    pub fn begin(&mut self, began_at: u64, ends_at: u64) {
        self.began_at = began_at;
        self.ends_at = ends_at;
        self.enter(0, began_at);
    }

    fn enter(&mut self, turn: u64, now: u64) {
        self.turn = turn;
        self.settle_from(now);
    }

    /// The settle time begins.
    pub fn settle_from(&mut self, now: u64) {
        self.settled_at = now + self.settle_ns;
        self.settled = self.settle_ns == 0;
    }

    fn switches_at(&self) -> u64 {
        self.began_at + (self.turn + 1) * self.every_ns
    }

    /// When the settle time ends or the next turn begins: an interval ends there, too.
    pub fn next_at(&self) -> u64 {
        let next = match self.settled {
            true => self.switches_at(),
            false => self.switches_at().min(self.settled_at),
        };
        if next < self.ends_at { next } else { u64::MAX }
    }

    /// Looks at the clock; whether another turn begins. Those that were missed are passed over.
    pub fn advance(&mut self, now: u64) -> bool {
        if now >= self.switches_at() && self.next_at() != u64::MAX {
            self.enter((now - self.began_at) / self.every_ns, now);
            return true;
        }
        self.settled |= now >= self.settled_at;
        false
    }

    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// Whose turn it is; None: the settle time is not over.
    pub fn side(&self) -> Option<Side> {
        self.settled.then(|| self.side_of_turn())
    }

    /// The same, settled or not.
    pub fn side_of_turn(&self) -> Side {
        side_of(self.turn, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn begun(settle_s: f64, ends_at: u64) -> Turns {
        let alternation = Alternation {
            settings: Default::default(),
            of_server: Default::default(),
            scripts: None,
            every_s: 5.0,
            settle_s,
        };
        let mut turns = Turns::new(&alternation, 1);
        turns.begin(10 * SECOND, ends_at);
        turns
    }

    #[test]
    fn each_turn_has_a_settle_time() {
        let mut turns = begun(0.5, u64::MAX);
        for turn in 0..8 {
            let begins = (10 + 5 * turn) * SECOND;
            assert_eq!((turns.turn(), turns.side()), (turn, None));
            assert_eq!(turns.next_at(), begins + SECOND / 2);
            assert!(!turns.advance(begins + SECOND / 2));
            assert_eq!(turns.side(), Some(side_of(turn, 1)));
            assert_eq!(turns.next_at(), begins + 5 * SECOND);
            assert!(!turns.advance(begins + 4 * SECOND));
            assert!(turns.advance(begins + 5 * SECOND));
        }
    }

    #[test]
    fn without_a_settle_time_a_turn_counts_from_its_beginning() {
        let mut turns = begun(0.0, u64::MAX);
        assert_eq!(turns.side(), Some(Side::A));
        assert_eq!(turns.next_at(), 15 * SECOND);
        assert!(turns.advance(15 * SECOND + 3));
        assert_eq!((turns.turn(), turns.side()), (1, Some(Side::B)));
        assert_eq!(turns.next_at(), 20 * SECOND);
    }

    #[test]
    fn what_takes_a_while_to_begin_settles_later() {
        let mut turns = begun(0.5, u64::MAX);
        assert!(turns.advance(15 * SECOND));
        assert_eq!(turns.side_of_turn(), side_of(1, 1));
        turns.settle_from(15 * SECOND + SECOND / 4);
        assert!(!turns.advance(15 * SECOND + SECOND / 2));
        assert_eq!(turns.side(), None);
        assert_eq!(turns.next_at(), 15 * SECOND + 3 * SECOND / 4);
        assert!(!turns.advance(15 * SECOND + 3 * SECOND / 4));
        assert_eq!(turns.side(), Some(side_of(1, 1)));
        assert_eq!(turns.next_at(), 20 * SECOND, "no later than before");
    }

    #[test]
    fn a_late_turn_settles_as_long_and_missed_ones_are_passed_over() {
        let mut turns = begun(0.5, u64::MAX);
        assert!(turns.advance(26 * SECOND));
        assert_eq!(turns.turn(), 3);
        assert_eq!(turns.next_at(), 26 * SECOND + SECOND / 2);
        assert!(turns.advance(34 * SECOND + 900_000_000));
        assert_eq!(turns.next_at(), 35 * SECOND, "no time to settle");
        assert!(turns.advance(35 * SECOND));
        assert_eq!((turns.turn(), turns.side()), (5, None));
    }

    #[test]
    fn no_turn_begins_at_the_end_of_the_run() {
        let mut turns = begun(0.5, 20 * SECOND);
        turns.advance(15 * SECOND);
        turns.advance(16 * SECOND);
        assert_eq!(turns.next_at(), u64::MAX);
        assert!(!turns.advance(20 * SECOND));
        assert_eq!(turns.turn(), 1);
    }
}
