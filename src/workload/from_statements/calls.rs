//! Calls of a statement with values of the pools, to measure how much they do. They run with the caller's rights, in a
//! read-only transaction.

use super::rows::{PoolKey, Row};
use super::scripts::{IncludedStatement, Pools};
use super::source::Observed;
use super::text::replaced;
use super::values::Draw;
use crate::error::Result;
use crate::pg::process::usage;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};

/// From there on the calls do something else.
pub const FAR: f64 = 0.5;

/// A query that has so many times as many blocks as it has alone follows a change of its rows.
const OWN_CHANGES: f64 = 1.25;
const SAME_ROWS: f64 = 0.1;

/// How long the calls of a trial may take, going by those that were observed.
const TRIAL_MS: f64 = 200.0;
/// The calls of a slower statement would take longer than the answer is worth.
pub const FEWEST_CALLS: usize = 4;
pub const MOST_CALLS: usize = 100;

/// What a call does, or calls do on average.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Done {
    pub rows: f64,
    pub blocks: f64,
}

impl Done {
    pub fn of(observed: &Observed) -> Done {
        Done {
            rows: observed.rows_per_call(),
            blocks: observed.blocks_per_call(),
        }
    }

    /// Whether this one has found clearly more than another one with as many rows finds: versions that its own transaction had changed before.
    pub fn finds_changes(self, alone: Done) -> bool {
        let same_rows = (self.rows - alone.rows).abs() <= SAME_ROWS * self.rows.max(1.0);
        same_rows && self.blocks > OWN_CHANGES * alone.blocks.max(1.0)
    }

    /// How far another one is from it, in parts of it.
    pub fn distance(self, other: Done) -> f64 {
        let part = |a: f64, b: f64| (a - b).abs() / a.max(1.0);
        part(self.rows, other.rows) + part(self.blocks, other.blocks)
    }
}

/// Of the calls that were observed, in milliseconds; never 0.
pub fn mean_ms(observed: &Observed) -> f64 {
    (observed.total_ms / observed.calls.max(1.0)).max(0.001)
}

/// How many calls are quickly done.
pub fn quick_times(observed: &Observed) -> usize {
    (TRIAL_MS / mean_ms(observed)) as usize
}

/// What a call does with values as they are drawn. None: it takes long, or fails.
pub fn does(
    part: &IncludedStatement,
    observed: &Observed,
    pools: &Pools,
    types: &[String],
) -> Result<Option<Done>> {
    let times = quick_times(observed).min(MOST_CALLS);
    match times < FEWEST_CALLS {
        true => Ok(None),
        false => Ok(run(part, pools, types, Done::of(observed), times)?.ok()),
    }
}

/// Runs it a few times; what a call does on average. It ends where the calls do so much more than `wanted` that the others do not
/// matter: a range may be half of a large table.
pub fn run(
    part: &IncludedStatement,
    pools: &Pools,
    types: &[String],
    wanted: Done,
    count: usize,
) -> Result<std::result::Result<Done, String>> {
    let most = |before: f64| (1.0 + FAR) * before.max(1.0) * count as f64 + 1.0;
    let (most_rows, most_blocks) = (most(wanted.rows), most(wanted.blocks));
    let mut all = Done::default();
    let goes_on = |done: Done| {
        all.rows += done.rows;
        all.blocks += done.blocks;
        all.rows < most_rows && all.blocks < most_blocks
    };
    let calls = calls(part, pools, types, count, most_rows.ceil() as i64, goes_on)?;
    Ok(calls.map(|calls| Done {
        rows: all.rows / calls.len().max(1) as f64,
        blocks: all.blocks / calls.len().max(1) as f64,
    }))
}

/// Runs it a few times, as long as `goes_on` with what a call did; what each call does. One call before finds what the session does not
/// know yet. Up to `most_rows` of a call are counted.
pub fn calls(
    part: &IncludedStatement,
    pools: &Pools,
    types: &[String],
    count: usize,
    most_rows: i64,
    mut goes_on: impl FnMut(Done) -> bool,
) -> Result<std::result::Result<Vec<Done>, String>> {
    let calls = || -> Result<Vec<Done>> {
        let mut calls = Vec::new();
        for time in 0..=count {
            let text = with_values(part, pools, types, time);
            let mut before = usage::now();
            // As pg_stat_statements does, without what planning reads.
            let rows = spi::count_rows(&text, most_rows, || before = usage::now())? as f64;
            let used = usage::now().since(&before);
            if time > 0 {
                let blocks = (used.shared_blks_hit + used.shared_blks_read) as f64;
                let done = Done { rows, blocks };
                calls.push(done);
                if !goes_on(done) {
                    break;
                }
            }
        }
        Ok(calls)
    };
    match subtransaction(|| read_only(calls)) {
        Ok(done) => Ok(Ok(done?)),
        Err(error) => Ok(Err(error.message)),
    }
}

/// Which of so many rows of a sample a call has: calls that follow each other are spread over all of it, and all of it is used.
pub fn place(row: &Row, time: usize, count: usize) -> usize {
    let count = count.max(1);
    let divisor = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // The golden section, or the next number that has no divisor in common.
    let golden = (count as f64 * 0.618) as usize;
    let step = (golden.max(1)..).find(|step| divisor(*step, count) == 1);
    let first = row.number * 3 + usize::from(row.is_written);
    (time * step.unwrap_or(1) + first) % count
}

/// The text with literals of some rows.
fn with_values(part: &IncludedStatement, pools: &Pools, types: &[String], time: usize) -> String {
    let value = |draw: &Draw| -> Option<String> {
        let Draw::Value { row, column } = draw else {
            return None;
        };
        let sample = &pools.get(&row.pool)?.1.sample;
        let row = sample.get(place(row, time, sample.len()))?;
        row.get(*column)?.clone()
    };
    let list = |key: &PoolKey, length: i64, time: usize| -> Option<String> {
        let sample = &pools.get(key)?.1.sample;
        let length = usize::try_from(length).ok()?.min(sample.len());
        let at = (0..length).map(|place| (time * length + place) % sample.len());
        let texts: Option<Vec<String>> = at
            .map(|at| sample[at].first()?.as_deref().map(quoted))
            .collect();
        Some(format!("{{{}}}", texts?.join(",")))
    };
    let above = |key: &PoolKey| -> Option<String> {
        let largest = pools.get(key)?.1.sample.first()?.first()?.as_deref()?;
        let largest: i64 = largest.parse().ok()?;
        Some(largest.saturating_add(1 + time as i64).to_string())
    };
    let type_of = |parameter: usize| types.get(parameter - 1).map_or("text", String::as_str);
    let quoted_or_null =
        |text: Option<String>| text.map_or("NULL".to_owned(), |text| quote_literal(&text));
    let cast = |text: Option<String>, parameter: usize| {
        format!("CAST({} AS {})", quoted_or_null(text), type_of(parameter))
    };
    let type_of_value = |parameter: usize| match part.plan.draws.get(&parameter) {
        Some(Draw::Value { row, column }) => {
            let types = pools.get(&row.pool).map(|(_, pool)| &pool.types);
            types
                .and_then(|types| types.get(*column))
                .map_or("text", String::as_str)
        }
        _ => type_of(parameter),
    };
    replaced(&part.text, |parameter| {
        if let Some(text) = part.literal(parameter) {
            return text;
        }
        let literal = match part.plan.draws.get(&parameter) {
            Some(Draw::Above {
                parameter: low,
                by,
                step,
            }) => {
                let value = part.plan.draws.get(low).and_then(value);
                let by = by.unwrap_or_default();
                if !step.is_whole() {
                    // As the pool will, in the type of the column.
                    let low = format!("CAST({} AS {})", quoted_or_null(value), type_of_value(*low));
                    let sum = format!("{low} OPERATOR(pg_catalog.+) {}", step.amount(by));
                    return format!("CAST(({sum}) AS {})", type_of(parameter));
                }
                let low: Option<i64> = value.and_then(|low| low.parse().ok());
                low.map(|low| low.saturating_add(by).to_string())
            }
            Some(Draw::List { pool, length }) => list(pool, length.unwrap_or(1), time),
            Some(Draw::Skip { by }) => Some(by.unwrap_or_default().to_string()),
            Some(Draw::Small) => Some("1".to_owned()),
            Some(Draw::Rows) => Some(part.rows.max(1).to_string()),
            Some(Draw::Any) if part.take_zero.get(parameter - 1) == Some(&true) => {
                Some("0".to_owned())
            }
            Some(Draw::New { pool }) => above(pool),
            Some(draw @ Draw::Value { .. }) => value(draw),
            Some(Draw::Constant(_) | Draw::Period { .. } | Draw::NoTime | Draw::Any) | None => None,
        };
        cast(literal, parameter)
    })
}

/// An element of an array's text.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_query_of_changed_rows_has_more_blocks() {
        let done = |rows: f64, blocks: f64| Done { rows, blocks };
        assert!(done(1.0, 8.0).finds_changes(done(1.0, 4.2)));
        assert!(!done(1.0, 5.0).finds_changes(done(1.0, 4.2)));
        assert!(!done(0.0, 1.1).finds_changes(done(0.0, 0.0)));
        // Other values explain it.
        assert!(!done(40.0, 44.0).finds_changes(done(2.0, 4.0)));
    }

    #[test]
    fn all_of_a_sample_is_used_evenly() {
        let row = Row {
            pool: PoolKey::default(),
            is_written: false,
            number: 0,
        };
        for count in [1, 2, 3, 7, 10, 100, 700, 1000] {
            let used: BTreeSet<usize> = (1..=count).map(|time| place(&row, time, count)).collect();
            assert_eq!(used.len(), count);
            // Of four calls in a row, not all are in the same half.
            for time in (0..count).filter(|_| count >= 100) {
                let halves = (time..time + 4).map(|time| place(&row, time, count) * 2 / count);
                assert_ne!(halves.sum::<usize>() % 4, 0, "{count} {time}");
            }
        }
    }
}
