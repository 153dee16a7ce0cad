//! What was counted at one size, in parts whose differences show the error.

/// Pages belong to one of these by their hash.
const BUCKETS: usize = 32;
/// A first share is taken from this many parts of a window at most.
const STRETCHES: usize = 16;

/// Accesses that missed in the server, and those that missed at this size.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    arrivals: u64,
    misses: u64,
}

/// The counts of one size.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    buckets: [Count; BUCKETS],
}

/// A share between 0 and 1 with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    pub value: f64,
    pub error: f64,
}

fn bucket(page: u64) -> usize {
    (page >> 48) as usize % BUCKETS
}

impl Tally {
    /// A page was read in by the server; `missed`: also at this size.
    pub fn arrival(&mut self, page: u64, missed: bool) {
        let count = &mut self.buckets[bucket(page)];
        count.arrivals += 1;
        count.misses += u64::from(missed);
    }

    /// A page that the server held was used, and this size lacked it.
    pub fn miss(&mut self, page: u64) {
        self.buckets[bucket(page)].misses += 1;
    }

    /// The arrivals counted.
    pub fn arrivals(&self) -> u64 {
        self.buckets.iter().map(|count| count.arrivals).sum()
    }

    /// The share of the server's misses that would have been hits at this size; None without any arrival. The error is that of
    /// the jackknife over parts of the pages, at least that of as many independent draws.
    pub fn saved(&self) -> Option<Share> {
        let without = |left_out: Option<usize>| {
            let counted = self.buckets.iter().enumerate();
            let (arrivals, misses) = counted
                .filter(|(place, _)| Some(*place) != left_out)
                .fold((0, 0), |(arrivals, misses), (_, count)| {
                    (arrivals + count.arrivals, misses + count.misses)
                });
            (arrivals > 0).then(|| 1.0 - misses as f64 / arrivals as f64)
        };
        let value = without(None)?;
        let parts: Vec<f64> = (0..BUCKETS)
            .filter_map(|part| without(Some(part)))
            .collect();
        let mean = parts.iter().sum::<f64>() / parts.len() as f64;
        let spread: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
        let jackknife = spread * (parts.len() as f64 - 1.0) / parts.len() as f64;
        let error = jackknife.max(drawn(value, self.arrivals())).sqrt();
        Some(Share { value, error })
    }
}

/// The variance of a share of independent draws, which is not 0 where all were alike.
fn drawn(value: f64, draws: u64) -> f64 {
    let (draws, such) = (draws as f64, value.clamp(0.0, 1.0) * draws as f64);
    (such + 1.0) * (draws - such + 1.0) / (draws + 2.0).powi(3)
}

/// How many arrivals were the first of their page, over the course of a window: stretches of equally many arrivals.
#[derive(Debug, Clone)]
pub struct Firsts {
    /// Arrivals, and the first ones among them.
    stretches: Vec<(u64, u64)>,
    length: u64,
}

impl Default for Firsts {
    fn default() -> Self {
        Firsts {
            stretches: vec![(0, 0)],
            length: 8,
        }
    }
}

impl Firsts {
    /// A page was read in, for the first time or not.
    pub fn arrival(&mut self, first: bool) {
        if let Some((arrivals, firsts)) = self.stretches.last_mut() {
            *arrivals += 1;
            *firsts += u64::from(first);
            if *arrivals < self.length {
                return;
            }
        }
        if self.stretches.len() == STRETCHES {
            let joined = |two: &[(u64, u64)]| {
                let sum = |(a, b), (c, d)| (a + c, b + d);
                two.iter().copied().fold((0, 0), sum)
            };
            self.stretches = self.stretches.chunks(2).map(joined).collect();
            self.length *= 2;
        }
        self.stretches.push((0, 0));
    }

    /// Of the arrivals in the second half of the window, the share that were not the first of their page, and what it may come
    /// to when all pages have been seen: the first ones become fewer as fast as they did before, or not at all.
    pub fn returns(&self) -> Option<(Share, f64)> {
        let all: u64 = self.stretches.iter().map(|(arrivals, _)| arrivals).sum();
        let (mut early, mut late, mut passed) = ((0, 0), (0, 0), 0);
        for &(arrivals, firsts) in &self.stretches {
            let part = if 2 * passed < all {
                &mut early
            } else {
                &mut late
            };
            *part = (part.0 + arrivals, part.1 + firsts);
            passed += arrivals;
        }
        if late.0 == 0 {
            late = early;
        }
        let share = |(arrivals, firsts): (u64, u64)| {
            (arrivals > 0).then(|| firsts as f64 / arrivals as f64)
        };
        let (before, now) = (share(early)?, share(late)?);
        let value = 1.0 - now;
        let error = drawn(value, late.0).sqrt();
        let at_last = (2.0 * now - before).max(0.0).min(now);
        Some((Share { value, error }, 1.0 - at_last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_alike_pages_has_the_error_of_draws() {
        let mut tally = Tally::default();
        assert_eq!(tally.saved(), None);
        for number in 0..3200u64 {
            tally.arrival(number << 48, number % 4 == 0);
        }
        let saved = tally.saved().unwrap();
        // Each fourth page missed, so the parts are as unlike as can be.
        assert_eq!(saved.value, 0.75);
        assert!((0.05..0.15).contains(&saved.error), "{saved:?}");

        let mut alike = Tally::default();
        for number in 0..3200u64 {
            alike.arrival(number << 48, (number / 32) % 4 == 0);
        }
        let saved = alike.saved().unwrap();
        let of_draws = (0.75 * 0.25 / 3200.0f64).sqrt();
        assert!((saved.error / of_draws - 1.0).abs() < 0.01, "{saved:?}");
    }

    /// Worked out apart from this code.
    #[test]
    fn errors_have_known_answers() {
        let near = |value: f64, known: f64| assert!((value - known).abs() < 1e-12, "{value}");
        near(drawn(0.75, 3_200), 5.858_152_773_853_842e-5);
        near(drawn(1.0, 20), 0.001_972_201_352_366_641_8);
        // Of 100 arrivals of each part, as many missed as its number says.
        let mut tally = Tally::default();
        for part in 0..BUCKETS as u64 {
            (0..100).for_each(|number| tally.arrival(part << 48, number < part));
        }
        let saved = tally.saved().unwrap();
        near(saved.value, 0.845);
        near(saved.error, 0.016_583_123_951_777_034);
    }

    #[test]
    fn halves_of_a_window_are_told_apart() {
        let mut firsts = Firsts::default();
        (0..16).for_each(|number| firsts.arrival(number < 8));
        assert_eq!(firsts.stretches, [(8, 8), (8, 0), (0, 0)]);
        assert_eq!(firsts.returns().unwrap().0.value, 1.0);
    }

    #[test]
    fn few_arrivals_without_a_miss_are_no_certainty() {
        let mut tally = Tally::default();
        for number in 0..20u64 {
            tally.arrival(number << 48, false);
        }
        let saved = tally.saved().unwrap();
        assert!(saved.value == 1.0 && saved.error > 0.04, "{saved:?}");
    }

    #[test]
    fn misses_of_pages_that_the_server_holds_count_against_the_size() {
        let mut tally = Tally::default();
        for number in 0..100u64 {
            tally.arrival(number << 48, true);
        }
        tally.miss(1 << 48);
        assert_eq!(tally.saved().unwrap().value, 1.0 - 1.01);
        assert_eq!(tally.arrivals(), 100);
    }

    #[test]
    fn first_arrivals_that_stay_as_many_are_no_doubt() {
        let mut steady = Firsts::default();
        assert!(steady.returns().is_none());
        for number in 0..10_000 {
            steady.arrival(number % 5 == 0);
        }
        let (share, at_last) = steady.returns().unwrap();
        assert!((share.value - 0.8).abs() < 0.01 && (at_last - 0.8).abs() < 0.01);
    }

    #[test]
    fn first_arrivals_that_become_fewer_may_vanish() {
        let mut learning = Firsts::default();
        for number in 0..10_000 {
            learning.arrival(number % 100 < 90 - number / 100);
        }
        let (share, at_last) = learning.returns().unwrap();
        assert!((0.7..0.95).contains(&share.value), "{share:?}");
        assert_eq!(at_last, 1.0);
        assert_eq!(
            learning.stretches.iter().map(|(all, _)| all).sum::<u64>(),
            10_000
        );
        assert!(learning.stretches.len() <= STRETCHES);
    }
}
