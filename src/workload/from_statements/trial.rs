//! Trials: where the catalog does not say how many rows some values mean, the statement says it, run a few times by the caller
//! in a transaction that can write nothing.

use super::preference;
use super::scripts::{Part, Pools};
use super::source::Observed;
use super::text::replaced;
use super::values::{Draw, PoolKey, Row};
use crate::error::{Error, Result};
use crate::pg::process::usage;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};
use std::time::{Duration, Instant};

/// How many times a statement is run with values of one kind.
const TIMES: usize = 16;
/// The widest range that is tried.
const WIDEST: i64 = 1 << 30;
/// A range is as wide as it was if what the calls do differs by less.
const CLOSE: f64 = 0.001;
/// From there on the calls do something else.
const FAR: f64 = 0.5;

/// A query that has so many times as many blocks as it has alone follows a change of its rows.
const OWN_CHANGES: f64 = 1.25;
const SAME_ROWS: f64 = 0.1;

/// Numbers that statements compute with, of which up to two are found.
const OPERANDS: [i64; 6] = [1, 2, 0, 10, 100, 1000];
const MOST_OPERANDS: usize = 2;
/// How long that may take, going by the calls that were observed, and how long it takes at most.
const SEARCH_MS: f64 = 2_000.0;
const LONGEST_SEARCH: Duration = Duration::from_secs(20);

/// How long the calls of a trial may take, going by those that were observed.
const TRIAL_MS: f64 = 200.0;
/// The calls of a slower statement would take longer than the answer is worth.
pub const FEWEST_CALLS: usize = 4;
const MOST_CALLS: usize = 100;

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

/// Finds out how wide ranges have to be, which values are preferred, and whether calls do as much as they did. What a call does.
/// `types`: of the parameters. `pools`: undecided ones are decided, which counts only if this is no error.
///
/// # Errors
/// Within: they do not, or the statement fails.
pub fn settle(
    part: &mut Part,
    observed: &Observed,
    pools: &mut Pools,
    types: &[String],
) -> Result<std::result::Result<Done, String>> {
    let before = Done::of(observed);
    if let Err(reason) = find_operands(part, observed, pools, types)? {
        return Ok(Err(reason));
    }
    let draws = part.plan.draws.values();
    let has_range = draws.into_iter().any(|it| {
        matches!(
            it,
            Draw::Above { .. } | Draw::List { .. } | Draw::Skip { .. }
        )
    });
    // Of a range, the number of rows of a value says nothing.
    if !has_range && !part.plan.has_bound {
        preference::find(part, observed, pools, types)?;
    }
    // Of these, a call has as many rows whatever it reads.
    let mut draws = part.plan.draws.values();
    let has_limit = draws.any(|it| matches!(it, Draw::Rows | Draw::Skip { .. }));
    // The rows, unless there is always one, or none.
    let by_rows = before.rows >= 2.0 && !has_limit;
    let figure = |done: Done| if by_rows { done.rows } else { done.blocks };
    // What calls do may differ a lot: where they are quick, more of them are tried.
    let times = quick_times(observed).clamp(TIMES, MOST_CALLS);
    let done = match has_range {
        false => run(part, pools, types, before, times),
        true => narrow(figure(before), |by| {
            part.plan.set_width(by);
            let done = run(part, pools, types, before, TIMES)?;
            Ok(done.map(|done| (figure(done), done)))
        }),
    };
    Ok(match done? {
        Err(reason) => Err(reason),
        Ok(done) if unlike(done.rows, before.rows) || unlike(done.blocks, before.blocks) => {
            Err(format!(
                "with values of the table a call has {:.1} rows and {:.1} blocks, but it had {:.1} and {:.1}",
                done.rows, done.blocks, before.rows, before.blocks
            ))
        }
        Ok(done) => Ok(done),
    })
}

/// Finds the literals of the numbers that are computed with: those with which a call is most like what it was.
fn find_operands(
    part: &mut Part,
    observed: &Observed,
    pools: &Pools,
    types: &[String],
) -> Result<std::result::Result<(), String>> {
    let count = part.plan.operands.len();
    if count == 0 {
        return Ok(Ok(()));
    }
    if count > MOST_OPERANDS {
        return Ok(Err(format!(
            "it computes with {count} numbers that are not known, and {MOST_OPERANDS} can be found by trial"
        )));
    }
    let choices = choices(count);
    let before = Done::of(observed);
    let times = (SEARCH_MS / mean_ms(observed) / choices.len() as f64) as usize;
    let too_slow = || {
        Ok(Err(
            "it takes too long to find the numbers by trial that it computes with".to_owned(),
        ))
    };
    if times < FEWEST_CALLS {
        return too_slow();
    }
    let begin = Instant::now();
    let mut best: Option<(f64, Vec<i64>)> = None;
    for literals in choices {
        if begin.elapsed() > LONGEST_SEARCH {
            return too_slow();
        }
        part.plan.set_literals(&literals);
        if let Ok(done) = run(part, pools, types, before, times.min(TIMES))? {
            let distance = before.distance(done);
            if best.as_ref().is_none_or(|(known, _)| distance < *known) {
                best = Some((distance, literals));
            }
        }
    }
    if let Some((_, literals)) = best {
        part.plan.set_literals(&literals);
    }
    Ok(Ok(()))
}

/// All combinations of so many of them.
fn choices(count: usize) -> Vec<Vec<i64>> {
    (0..count).fold(vec![Vec::new()], |known, _| {
        let with = |chosen: Vec<i64>| OPERANDS.map(|next| [chosen.as_slice(), &[next]].concat());
        known.into_iter().flat_map(with).collect()
    })
}

fn mean_ms(observed: &Observed) -> f64 {
    (observed.total_ms / observed.calls.max(1.0)).max(0.001)
}

/// How many calls are quickly done.
pub fn quick_times(observed: &Observed) -> usize {
    (TRIAL_MS / mean_ms(observed)) as usize
}

/// The width at which a call does as much as it did: doubled until it does more, then halved in between. The last call of
/// `tried` is with the width that is best.
fn narrow<T: Copy>(
    wanted: f64,
    mut tried: impl FnMut(i64) -> Result<std::result::Result<(f64, T), String>>,
) -> Result<std::result::Result<T, String>> {
    let mut best: Option<(f64, i64)> = None;
    let mut compare = |width: i64| {
        let figure = tried(width)?.map(|(figure, _)| figure);
        if let Ok(figure) = figure {
            let distance = (figure - wanted).abs();
            if best.is_none_or(|(known, _)| distance < known) {
                best = Some((distance, width));
            }
        }
        Ok::<_, Error>(figure)
    };
    let is_close = |figure: f64| (figure - wanted).abs() <= CLOSE * wanted;
    let (mut low, mut high) = (-1, 0);
    loop {
        let figure = match compare(high)? {
            Ok(figure) => figure,
            Err(reason) => return Ok(Err(reason)),
        };
        if is_close(figure) {
            low = high;
        }
        if figure >= wanted || low == high || high >= WIDEST {
            break;
        }
        (low, high) = (high, (high * 2).max(1));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match compare(middle)? {
            Ok(figure) if is_close(figure) => break,
            Ok(figure) if figure < wanted => low = middle,
            Ok(_) => high = middle,
            Err(reason) => return Ok(Err(reason)),
        }
    }
    let (_, width) = best.unwrap_or_default();
    Ok(tried(width)?.map(|(_, done)| done))
}

fn unlike(now: f64, before: f64) -> bool {
    (now - before).abs() > FAR * before.max(1.0)
}

/// What a call does with values as they are drawn. None: it takes long, or fails.
pub fn does(
    part: &Part,
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
fn run(
    part: &Part,
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
    Ok(calls.map(|_| Done {
        rows: all.rows / count as f64,
        blocks: all.blocks / count as f64,
    }))
}

/// Runs it a few times, as long as `goes_on` with what a call did; what each call does. One call before finds what the session does not
/// know yet. Up to `most_rows` of a call are counted.
pub fn calls(
    part: &Part,
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
            let before = usage::now();
            let rows = spi::count_rows(&text, most_rows)? as f64;
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
fn with_values(part: &Part, pools: &Pools, types: &[String], time: usize) -> String {
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
    replaced(&part.text, |parameter| {
        if let Some(text) = part.literal(parameter) {
            return text;
        }
        let literal = match part.plan.draws.get(&parameter) {
            Some(Draw::Above { parameter: low, by }) => {
                let low = part.plan.draws.get(low).and_then(value);
                let low: Option<i64> = low.and_then(|low| low.parse().ok());
                low.map(|low| low.saturating_add(by.unwrap_or_default()).to_string())
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
            Some(Draw::Constant(_) | Draw::Any) | None => None,
        };
        let literal = literal.map_or("NULL".to_owned(), |text| quote_literal(&text));
        let type_name = types.get(parameter - 1).map_or("text", String::as_str);
        format!("CAST({literal} AS {type_name})")
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

    /// The width that is found where a call does this, and how many widths were tried.
    fn found(wanted: f64, does: impl Fn(i64) -> f64) -> (i64, usize) {
        let (mut last, mut count) = (0, 0);
        let done = narrow(wanted, |width| {
            (last, count) = (width, count + 1);
            Ok(Ok((does(width), ())))
        });
        assert_eq!(done.unwrap(), Ok(()));
        (last, count)
    }

    #[test]
    fn the_width_is_found_by_doubling_and_halving() {
        let rows = |width: i64| (width + 1) as f64;
        for wanted in [1.0, 2.0, 3.0, 7.0, 100.0, 12_345.0] {
            let (width, tried) = found(wanted, rows);
            assert!(
                (rows(width) - wanted).abs() <= CLOSE * wanted,
                "{wanted}: {width}"
            );
            assert!(tried < 45, "{tried}");
        }
        // More is done even by the narrowest, and never enough by the widest.
        assert_eq!(found(3.0, |width| 5.0 + width as f64).0, 0);
        assert_eq!(found(3.0, |_| 1.0).0, 0);
        // In steps, the nearest one.
        let (width, _) = found(4.4, |width| 3.0 + (width / 35) as f64);
        assert!((35..70).contains(&width), "{width}");
    }

    #[test]
    fn all_combinations_are_tried() {
        assert_eq!(choices(0), [Vec::<i64>::new()]);
        assert_eq!(choices(1)[..3], [[1], [2], [0]]);
        let two = choices(2);
        assert_eq!((two.len(), &two[1]), (36, &vec![1, 2]));
    }

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

    #[test]
    fn far_is_half_or_more() {
        assert!(!unlike(1.0, 1.4) && unlike(1.6, 1.0) && unlike(40.0, 100.0));
        assert!(!unlike(0.0, 0.4) && !unlike(149.0, 100.0));
    }
}
