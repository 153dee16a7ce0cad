//! Postponed rows: the sampler stores no row of a statement whose calls since its last row hardly matter. Counters are cumulative, so a later row has
//! them.
//!
//! A row is due once any of the [`AMOUNTS`] since the last row is at least a [`PARTS`]th of what all statements came to since the
//! sample before, and after [`LONGEST`] samples in any case. So a report lacks less than that part of one interval.

use super::Counted;
use crate::collect::collector::Scope;
use crate::collect::rows::Row;
use serde_json::Value;

/// What a statement may matter by: calls and time, blocks read, WAL, temporary files.
pub const AMOUNTS: [&str; 6] = [
    "calls",
    "total_exec_time",
    "shared_blks_read",
    "wal_bytes",
    "temp_blks_read",
    "temp_blks_written",
];
/// Their values, those of temporary files added up.
pub type Amounts = [f64; 5];

const PARTS: f64 = 50.0;
const LONGEST: f64 = 10.0;

/// [`Amounts`] of a row in SQL.
pub fn array(row: &str) -> String {
    let [calls, time, read, wal, temp_read, temp_written] =
        AMOUNTS.map(|column| format!("COALESCE({row}.{column}, 0)"));
    format!(
        "ARRAY[{calls}, {time}, {read}, {wal}, {temp_read} + {temp_written}]::pg_catalog.float8[]"
    )
}

/// [`Amounts`] of a row that was read.
pub fn of_row(row: &Row) -> Amounts {
    let amounts = AMOUNTS.map(|column| row.get(column).and_then(Value::as_f64).unwrap_or(0.0));
    let [calls, time, read, wal, temp_read, temp_written] = amounts;
    [calls, time, read, wal, temp_read + temp_written]
}

/// For how many seconds a row is postponed at most; None: not at all.
pub fn longest_s(scope: &Scope) -> Option<f64> {
    // Half an interval less: samples are early and late.
    Some((LONGEST - 0.5) * scope.sampler_cadence_s?)
}

/// Below what the row of a statement is postponed.
#[derive(Default)]
pub struct Limits {
    pub longest_s: Option<f64>,
    /// None: nothing is postponed.
    least: Option<Amounts>,
}

impl Limits {
    pub fn of(scope: &Scope, counted: &Counted) -> Limits {
        let mut sums = Amounts::default();
        let of_callers = counted.amounts.iter().zip(&counted.toplevel);
        for (amounts, _) in of_callers.filter(|(_, toplevel)| **toplevel) {
            for (sum, amount) in sums.iter_mut().zip(amounts) {
                *sum += amount;
            }
        }
        let longest_s = longest_s(scope);
        let before = counted.together.filter(|_| longest_s.is_some());
        let least = before.map(|before| {
            let mut least = sums;
            for (sum, before) in least.iter_mut().zip(before) {
                *sum = (*sum - before) / PARTS;
            }
            least
        });
        // Where the sums fell, statements began again or were evicted.
        let least = least.filter(|least| least.iter().all(|amount| *amount >= 0.0));
        Limits { longest_s, least }
    }

    /// Whether rows are postponed at all.
    pub fn are_known(&self) -> bool {
        self.least.is_some()
    }

    /// Whether what a statement did since its last row is too little for another one. What fell is no amount.
    pub fn are_little(&self, last: &Amounts, now: &Amounts) -> bool {
        let Some(least) = &self.least else {
            return false;
        };
        let mut amounts = now.iter().zip(last).zip(least);
        amounts.all(|((now, last), least)| now == last || now > last && now - last < *least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hardly_matters_waits() {
        let limits = Limits {
            longest_s: None,
            least: Some([2.0, 10.0, 0.0, 1.0, 1.0]),
        };
        let last = [5.0, 100.0, 7.0, 0.0, 0.0];
        let little = |now| limits.are_little(&last, &now);
        assert!(little([6.0, 109.0, 7.0, 0.0, 0.0]));
        assert!(!little([7.0, 100.5, 7.0, 0.0, 0.0]), "many calls");
        assert!(!little([6.0, 110.0, 7.0, 0.0, 0.0]), "much time");
        assert!(!little([6.0, 100.5, 8.0, 0.0, 0.0]), "it alone read");
        assert!(!little([6.0, 100.5, 6.0, 0.0, 0.0]), "it began again");
        let none = Limits::default();
        assert!(!none.are_little(&last, &[6.0, 100.0, 7.0, 0.0, 0.0]));
    }
}
