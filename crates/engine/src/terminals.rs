//! Terminals: many users on few clients. Each user chooses a transaction, needs time to key it in, waits for its end, and
//! thinks; a client serves several terminals, always the one that is due first. TPC-C, clause 5.2.5.

use crate::spec::{Pace, RunSpec};
use script::Prng;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No think time is longer than so many times the mean.
const LONGEST: f64 = 10.0;

/// A terminal whose user has chosen a transaction. The order of turns is that in which they are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Turn {
    /// When the user has keyed it in: a moment of the monotonic clock, ns.
    pub due: u64,
    /// The number of the terminal, from 0.
    pub terminal: u32,
    /// The number of the script.
    pub script: usize,
}

/// Where the terminals of a client are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TerminalsState {
    prng: Prng,
    waiting: Vec<Turn>,
    begun: bool,
}

/// The terminals of a client.
pub struct Terminals {
    numbers: Vec<u32>,
    /// Of each script, those of a warm-up behind the run's.
    paces: Vec<Pace>,
    /// The longest time from one transaction of a terminal to its next, ns.
    longest_ns: f64,
    /// Where the waits of the measured part start from, whatever the warm-up has drawn.
    start: Prng,
    prng: Prng,
    waiting: BinaryHeap<Reverse<Turn>>,
    /// Whether a part of the run has begun.
    begun: bool,
}

impl Terminals {
    /// Those of a client: every n-th, of n clients. None: the run has no terminals.
    pub fn new(spec: &RunSpec, client: usize) -> Option<Terminals> {
        let count = spec.terminals?;
        let streams = spec.streams(spec.random_seed);
        let prng = streams.threads.get(client)?.throttle;
        let own = spec.warmup.iter().flat_map(|warmup| &warmup.scripts);
        let paces = spec.scripts.iter().chain(own);
        let paces: Vec<Pace> = paces.map(|it| it.pace.unwrap_or_default()).collect();
        let longest = |time: fn(&Pace) -> f64| paces.iter().map(time).fold(0.0, f64::max) * 1e6;
        Some(Terminals {
            numbers: (client as u32..count).step_by(spec.clients).collect(),
            longest_ns: LONGEST * longest(|pace| pace.think_ms) + longest(|pace| pace.keying_ms),
            paces,
            start: prng,
            prng,
            waiting: BinaryHeap::new(),
            begun: false,
        })
    }

    /// Starts a part of the run. Users are somewhere between two transactions, as if they had worked for long: the rate is that of
    /// the whole run from the first moment. `choose` gives the script that comes next.
    pub fn begin(&mut self, at: u64, mut choose: impl FnMut() -> usize) {
        self.prng = self.start;
        self.begun = true;
        self.waiting.clear();
        for terminal in self.numbers.clone() {
            let (script, left_ns) = self.between(&mut choose);
            self.waiting.push(Reverse(Turn {
                due: at.saturating_add(left_ns as u64),
                terminal,
                script,
            }));
        }
    }

    /// Where they are, for the client's next session.
    pub fn state(&self) -> TerminalsState {
        TerminalsState {
            prng: self.prng,
            waiting: self.waiting.iter().map(|Reverse(turn)| *turn).collect(),
            begun: self.begun,
        }
    }

    /// Go on where they were in another session.
    pub fn resume(&mut self, state: TerminalsState) {
        self.prng = state.prng;
        self.waiting = state.waiting.into_iter().map(Reverse).collect();
        self.begun = state.begun;
    }

    /// Whether a part of the run has begun.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// The terminal that is due first. It comes back with [`Terminals::ended`].
    pub fn next(&mut self) -> Option<Turn> {
        self.waiting.pop().map(|Reverse(turn)| turn)
    }

    /// The user has got the answer, thinks about it, then keys in what a script takes.
    pub fn ended(&mut self, turn: Turn, now: u64, script: usize) {
        let wait_ns = self.wait_ns(turn.script, script);
        self.waiting.push(Reverse(Turn {
            due: now.saturating_add(wait_ns as u64),
            terminal: turn.terminal,
            script,
        }));
    }

    /// The time from the end of a transaction until the next of its terminal is due, by their scripts.
    fn wait_ns(&mut self, before: usize, next: usize) -> f64 {
        let pace = |script: usize| self.paces.get(script).copied().unwrap_or_default();
        let (think_ms, keying_ms) = (pace(before).think_ms, pace(next).keying_ms);
        thought(&mut self.prng, think_ms * 1e6) + keying_ms * 1e6
    }

    /// Where a user is who has worked for long: the script that comes next, and the time until it is due, ns. The longer the time
    /// between two transactions is, the more often a user is met in it; where in it, is as good as anywhere.
    fn between(&mut self, choose: &mut impl FnMut() -> usize) -> (usize, f64) {
        loop {
            let before = choose();
            let script = choose();
            let wait_ns = self.wait_ns(before, script);
            if self.prng.next_double() * self.longest_ns <= wait_ns {
                return (script, self.prng.next_double() * wait_ns);
            }
        }
    }
}

/// A think time with this mean: exponentially distributed, and no longer than ten times the mean.
fn thought(prng: &mut Prng, mean: f64) -> f64 {
    let uniform = 1.0 - prng.next_double();
    (-uniform.ln()).min(LONGEST) * mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn think_times_have_their_mean_and_their_limit() {
        let mut prng = Prng::new(3);
        let times: Vec<f64> = (0..200_000).map(|_| thought(&mut prng, 12.0)).collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert!((mean - 12.0).abs() < 0.1, "{mean}");
        assert!(times.iter().all(|time| (0.0..=120.0).contains(time)));
        // Half of them are shorter than the median of the distribution.
        let shorter = times
            .iter()
            .filter(|&&time| time < 12.0 * 2f64.ln())
            .count();
        assert!((99_000..101_000).contains(&shorter), "{shorter}");
    }
}
