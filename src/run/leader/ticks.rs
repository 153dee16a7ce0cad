//! The clock of a run's intervals.

/// When intervals end, monotonic ns. It advances by the ideal interval, so that late ticks do not make it drift.
#[derive(Debug, Clone, Copy)]
pub struct Ticks {
    interval_ns: u64,
    next_at: u64,
    /// When the run is to end, as far as that is known.
    ends_at: u64,
}

/// A remainder shorter than an interval divided by this is not an interval of its own.
const SLIVER: u64 = 10;

impl Ticks {
    /// A clock that has not begun.
    pub fn new(interval_ns: u64) -> Ticks {
        Ticks {
            interval_ns,
            next_at: u64::MAX,
            ends_at: u64::MAX,
        }
    }

    pub fn begin(&mut self, began_at: u64, ends_at: u64) {
        self.next_at = began_at + self.interval_ns;
        self.ends_at = ends_at;
    }

    /// The run ends earlier than was known.
    pub fn end(&mut self, at: u64) {
        self.ends_at = at;
    }

    /// How long an interval is to last.
    pub fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// When the next interval ends. If that is just before the run ends, it is not an interval of its own: never.
    pub fn next_at(&self) -> u64 {
        let sliver = self.interval_ns / SLIVER;
        if self.next_at.saturating_add(sliver) > self.ends_at {
            u64::MAX
        } else {
            self.next_at
        }
    }

    /// An interval has ended. Ticks that were missed are not made up for: their time belongs to that interval.
    pub fn advance(&mut self, now: u64) {
        while self.next_at <= now {
            self.next_at += self.interval_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(ends_at: u64) -> Ticks {
        let mut ticks = Ticks::new(1000);
        assert_eq!(ticks.next_at(), u64::MAX, "before it has begun");
        ticks.begin(5000, ends_at);
        ticks
    }

    #[test]
    fn late_ticks_do_not_make_it_drift() {
        let mut ticks = begun(u64::MAX);
        for tick in 1..=1000 {
            let due = 5000 + 1000 * tick;
            assert_eq!(ticks.next_at(), due);
            ticks.advance(due + 7 * tick % 900);
        }
    }

    #[test]
    fn missed_ticks_are_passed_over() {
        let mut ticks = begun(u64::MAX);
        ticks.advance(9300);
        assert_eq!(ticks.next_at(), 10_000);
        ticks.advance(10_000);
        assert_eq!(ticks.next_at(), 11_000);
    }

    #[test]
    fn no_sliver_is_left_at_the_end() {
        assert_eq!(begun(6101).next_at(), 6000);
        assert_eq!(begun(6099).next_at(), u64::MAX);
        assert_eq!(begun(5500).next_at(), u64::MAX);
    }
}
