//! When the server's WAL reached a position.

use std::collections::VecDeque;

/// So many moments are remembered; then every second of them is forgotten.
const MOST: usize = 4_096;

/// Moments, and where WAL was inserted then.
#[derive(Debug, Default)]
pub struct History {
    moments: VecDeque<(u64, u64)>,
}

impl History {
    /// The position at a moment, in monotonic ns.
    pub fn note(&mut self, at: u64, position: u64) {
        if self
            .moments
            .back()
            .is_some_and(|&(_, last)| last == position)
        {
            // Nothing was written: the next byte is written after this moment.
            if let Some(last) = self.moments.back_mut() {
                last.0 = at;
            }
            return;
        }
        if self.moments.len() == MOST {
            let kept = self.moments.iter().step_by(2).copied();
            self.moments = kept.collect();
        }
        self.moments.push_back((at, position));
    }

    /// How long ago everything up to the position had been written, in seconds; of a position before all that is remembered, at
    /// least so long.
    pub fn behind_s(&self, now: u64, position: u64) -> f64 {
        let later = self
            .moments
            .partition_point(|&(_, known)| known <= position);
        let since = match (
            later.checked_sub(1).and_then(|at| self.moments.get(at)),
            self.moments.get(later),
        ) {
            (_, None) => return 0.0,
            (None, Some(&(first, _))) => first,
            (Some(&(from, lower)), Some(&(to, upper))) => {
                let share = (position - lower) as f64 / (upper - lower) as f64;
                from + (share * (to - from) as f64) as u64
            }
        };
        now.saturating_sub(since) as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn lag_is_the_age_of_what_is_next() {
        let mut history = History::default();
        for second in 0..10 {
            history.note(second * SECOND, 1_000 * second);
        }
        let behind = |position| history.behind_s(9 * SECOND, position);
        assert_eq!(behind(9_000), 0.0);
        assert_eq!(behind(20_000), 0.0);
        assert_eq!(behind(7_000), 2.0);
        assert_eq!(behind(6_500), 2.5);
        assert_eq!(history.behind_s(12 * SECOND, 6_500), 5.5);
    }

    #[test]
    fn an_idle_server_makes_nobody_late() {
        let mut history = History::default();
        history.note(0, 1_000);
        history.note(100 * SECOND, 1_000);
        history.note(101 * SECOND, 2_000);
        assert_eq!(history.behind_s(102 * SECOND, 1_000), 2.0);
    }

    #[test]
    fn a_long_run_is_remembered_coarsely() {
        let mut history = History::default();
        for moment in 0..100_000_u64 {
            history.note(moment * SECOND, moment * 10);
        }
        assert!(history.moments.len() <= MOST);
        let behind = history.behind_s(99_999 * SECOND, 500_005);
        assert!((behind - 49_998.5).abs() < 1e-6, "{behind}");
    }
}
