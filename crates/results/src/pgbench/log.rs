//! Logs (`-l`): a line for each transaction, or for each interval (`--aggregate-interval`). The files of all threads may
//! follow one another.

mod aggregated;
mod single;

use crate::facts::Run;
use aggregated::Aggregated;
use single::Single;

/// Seconds since 1970 that are believed: since 2001.
const EPOCHS: std::ops::Range<u64> = 1_000_000_000..100_000_000_000;

/// Whether it is a line of a log.
pub fn is_line(line: &str) -> bool {
    single::read(line).is_some() || aggregated::read(line).is_some()
}

/// The lines so far, condensed.
#[derive(Debug, Default)]
pub struct Log {
    single: Single,
    aggregated: Aggregated,
}

impl Log {
    /// Takes a line; whether it was understood.
    pub fn line(&mut self, line: &str) -> bool {
        if let Some(transaction) = single::read(line) {
            self.single.add(&transaction);
        } else if let Some(row) = aggregated::read(line) {
            self.aggregated.add(row);
        } else {
            return false;
        }
        true
    }

    pub fn is_empty(&self) -> bool {
        self.single.is_empty() && self.aggregated.is_empty()
    }

    /// Adds what the log has to a run, of which the output may be known.
    pub fn into_run(self, run: &mut Run, notes: &mut Vec<String>) {
        match (self.single.is_empty(), self.aggregated.is_empty()) {
            (false, true) => self.single.into_run(run, notes),
            (true, false) => self.aggregated.into_run(run, notes),
            (true, true) => {}
            (false, false) => {
                notes
                    .push("the log of intervals was left out: there is one of transactions".into());
                self.single.into_run(run, notes);
            }
        }
    }
}

/// The intervals of the log in place of those of the lines of progress; only if the log is of all transactions.
fn take_intervals(
    run: &mut Run,
    intervals: Vec<crate::facts::Interval>,
    logged: u64,
    notes: &mut Vec<String>,
) -> bool {
    let expected = run.totals.transactions;
    if let Some(expected) = expected.filter(|expected| *expected != logged) {
        notes.push(format!(
            "the log has {logged} of {expected} transactions: its intervals were left out"
        ));
        return false;
    }
    if !run.intervals.is_empty() {
        notes.push("the intervals are those of the log, not of the lines of progress".into());
    }
    run.intervals = intervals;
    true
}
