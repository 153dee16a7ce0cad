//! The choice of the next rate. It goes up in large steps until a rate fails, then between the highest rate that holds and
//! the lowest that fails. A measured growth decides how far it goes. Pure.

/// From one step to the next, as long as nothing fails.
const UPWARD: f64 = 3.0;
/// Below this part of the first rate nothing is tried.
const LEAST: f64 = 1e-4;
/// How often a growth decides where to go; then the bracket is halved, whatever it says.
const GUESSES: usize = 5;

/// The rates tried so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Bracket {
    first: f64,
    max: Option<f64>,
    /// The largest ratio of the ends of the result, less 1.
    precision: f64,
    /// The highest rate that holds, and the lowest that fails.
    pub low: Option<f64>,
    pub high: Option<f64>,
    guess: Option<f64>,
    guesses: usize,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    Try(f64),
    /// The ends are close enough.
    Found,
    /// The highest rate that may be tried holds.
    MaxHolds,
    /// Even the lowest fails.
    NoneHolds,
}

impl Bracket {
    pub fn new(first: f64, max: Option<f64>, precision: f64) -> Bracket {
        Bracket {
            first: max.map_or(first, |max| first.min(max)),
            max,
            precision,
            low: None,
            high: None,
            guess: None,
            guesses: 0,
        }
    }

    /// A rate holds.
    pub fn holds(&mut self, rate: f64) {
        self.low = Some(self.low.map_or(rate, |low| low.max(rate)));
    }

    /// A rate fails; `growth`: the share of the inflow that stays, if known, so that the rest is what can be sustained.
    pub fn fails(&mut self, rate: f64, growth: Option<f64>) {
        self.high = Some(self.high.map_or(rate, |high| high.min(rate)));
        self.guess = growth
            .filter(|growth| (0.0..0.99).contains(growth))
            .map(|growth| rate * (1.0 - growth));
    }

    pub fn next(&mut self) -> Next {
        match (self.low, self.high) {
            (None, None) => Next::Try(self.first),
            (Some(low), None) => match self.max {
                Some(max) if low >= max => Next::MaxHolds,
                max => Next::Try((low * UPWARD).min(max.unwrap_or(f64::INFINITY))),
            },
            (None, Some(high)) => {
                if high <= self.first * LEAST {
                    return Next::NoneHolds;
                }
                let guess = self
                    .guess()
                    .map(|guess| guess * (1.0 - self.precision / 2.0));
                let guess = guess.filter(|guess| *guess < high * 0.95 && *guess > high / 50.0);
                Next::Try(guess.unwrap_or(high / UPWARD))
            }
            (Some(low), Some(high)) => {
                if high / low <= 1.0 + self.precision {
                    return Next::Found;
                }
                Next::Try(self.between(low, high))
            }
        }
    }

    fn guess(&mut self) -> Option<f64> {
        let guess = self.guess.filter(|_| self.guesses < GUESSES)?;
        self.guesses += 1;
        Some(guess)
    }

    /// Just below the guess, so that it holds; if that is known to hold, just above, so that it fails.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let half = (low * high).sqrt();
        let Some(guess) = self.guess() else {
            return half;
        };
        // Together they are closer than the precision.
        let margin = 0.45 * self.precision;
        let (below, above) = (guess * (1.0 - margin), guess * (1.0 + margin));
        let inside = |rate: f64| rate > low * 1.005 && rate < high * 0.995;
        if inside(below) {
            below
        } else if inside(above) && below <= low * 1.005 {
            above
        } else {
            half
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches a capacity; whether growths are known. Returns how many steps it took.
    fn search(capacity: f64, first: f64, knows_growth: bool) -> (Bracket, usize) {
        let mut bracket = Bracket::new(first, None, 0.05);
        for steps in 0..100 {
            match bracket.next() {
                Next::Try(rate) if rate <= capacity => bracket.holds(rate),
                Next::Try(rate) => {
                    let growth = (rate - capacity) / rate;
                    bracket.fails(rate, Some(growth).filter(|_| knows_growth));
                }
                end => {
                    assert_eq!(end, Next::Found);
                    return (bracket, steps);
                }
            }
        }
        panic!("it does not end: {bracket:?}");
    }

    #[test]
    fn a_capacity_is_found_within_the_precision() {
        for capacity in [1.0, 47.0, 100.0, 199.0, 12_345.0, 1e6] {
            for (knows_growth, most) in [(true, 13), (false, 24)] {
                let (bracket, steps) = search(capacity, 100.0, knows_growth);
                let (low, high) = (bracket.low.unwrap(), bracket.high.unwrap());
                assert!(low <= capacity && capacity < high && high / low <= 1.05);
                assert!(steps <= most, "{steps} steps to {capacity}, {knows_growth}");
            }
        }
    }

    #[test]
    fn wrong_growths_cost_steps_only() {
        let mut bracket = Bracket::new(100.0, None, 0.05);
        let mut steps = 0;
        while let Next::Try(rate) = bracket.next() {
            steps += 1;
            match rate <= 777.0 {
                true => bracket.holds(rate),
                // As a receiver says that does not report while it is behind.
                false => bracket.fails(rate, Some(0.98)),
            }
        }
        assert!(bracket.low.unwrap() <= 777.0 && bracket.high.unwrap() > 777.0);
        assert!(steps < 25, "{steps}");
    }

    #[test]
    fn there_may_be_no_end() {
        let mut bracket = Bracket::new(100.0, Some(500.0), 0.05);
        while let Next::Try(rate) = bracket.next() {
            assert!(rate <= 500.0);
            bracket.holds(rate);
        }
        assert_eq!((bracket.next(), bracket.low), (Next::MaxHolds, Some(500.0)));
        let mut bracket = Bracket::new(100.0, None, 0.05);
        while let Next::Try(rate) = bracket.next() {
            bracket.fails(rate, None);
        }
        assert_eq!((bracket.next(), bracket.low), (Next::NoneHolds, None));
        assert_eq!(
            Bracket::new(100.0, Some(50.0), 0.05).next(),
            Next::Try(50.0)
        );
    }
}
