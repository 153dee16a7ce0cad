//! The form of the rules: what each option promises, whatever it meets.

use super::case::Case;
use super::evidence::Evidence;
use std::fmt::Display;

/// What a rule looks at.
pub struct Given<'a> {
    pub case: &'a Case,
    pub seen: &'a Evidence,
    pub run: i64,
    /// Its leader was terminated while it measured, and it was resumed.
    pub interrupted: bool,
    /// What pgbench draws with the seed: the values of each client.
    pub drawn: &'a [Vec<i64>],
    /// The facts about caches before the interruption.
    pub caches_before: Option<&'a str>,
    /// The window of the history by the run's label: from, to.
    pub window: Option<(f64, f64)>,
}

pub type Rule = fn(&Given) -> Result<(), String>;

pub fn equal<T: PartialEq + Display>(what: &str, found: T, expected: T) -> Result<(), String> {
    holds(
        &format!("{what}: {found}, not {expected}"),
        found == expected,
    )
}

pub fn holds(what: &str, it_does: bool) -> Result<(), String> {
    if it_does {
        Ok(())
    } else {
        Err(what.to_owned())
    }
}

/// Inclusive.
pub fn between<T: PartialOrd + Display>(
    what: &str,
    found: T,
    (low, high): (T, T),
) -> Result<(), String> {
    holds(
        &format!("{what}: {found}, not from {low} to {high}"),
        found >= low && found <= high,
    )
}

/// Six standard deviations of a count with this mean: one of a billion is farther away.
pub fn spread(variance: f64) -> f64 {
    6.0 * variance.sqrt() + 1.0
}

impl Given<'_> {
    /// Attempts that may have counted as nothing: those of a time that was over. Each client may have one.
    pub fn unfinished(&self) -> i64 {
        match self.case.transactions() {
            Some(_) => 0,
            None => self.case.clients(),
        }
    }

    /// Whether every transaction of the run is in its figures.
    pub fn whole(&self) -> bool {
        !self.interrupted
    }

    /// Conflicts that were raised in the measured part, by the numbers of the attempts.
    pub fn conflicts(&self) -> i64 {
        if !self.case.has("conflicts") {
            return 0;
        }
        let scripts = 0..self.case.scripts() as i64;
        scripts
            .map(|script| self.seen.tried_by(script) / super::case::CONFLICT)
            .sum()
    }
}
