//! Trials: where the catalog does not say how many rows some values mean, the statement says it, run a few times by the caller
//! in a transaction that can write nothing.

use super::scripts::{Part, Pools};
use super::source::Observed;
use super::text::replaced;
use super::values::Draw;
use crate::error::{Error, Result};
use crate::pg::process::usage;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};

/// How many times a statement is run with values of one kind.
const TIMES: usize = 16;
/// The widest range that is tried.
const WIDEST: i64 = 1 << 30;
/// A range is as wide as it was if what the calls do differs by less.
const CLOSE: f64 = 0.001;
/// From there on the calls do something else.
const FAR: f64 = 0.5;

/// What a call does on average.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Done {
    rows: f64,
    blocks: f64,
}

/// Finds out how wide ranges have to be, and whether calls do as much as they did. `types`: of the parameters.
///
/// # Errors
/// Within: they do not, or the statement fails.
pub fn settle(
    part: &mut Part,
    observed: &Observed,
    pools: &Pools,
    types: &[String],
) -> Result<std::result::Result<(), String>> {
    let before = Done {
        rows: observed.rows_per_call(),
        blocks: observed.blocks_per_call(),
    };
    let draws = part.plan.draws.values();
    let has_range = draws.into_iter().any(|it| matches!(it, Draw::Above { .. }));
    let has_limit = part.plan.draws.values().any(|it| *it == Draw::Rows);
    // The rows, unless there is always one, or none.
    let by_rows = before.rows >= 2.0 && !has_limit;
    let figure = |done: Done| if by_rows { done.rows } else { done.blocks };
    let done = match has_range {
        false => run(part, pools, types, before),
        true => narrow(figure(before), |by| {
            set_width(part, by);
            let done = run(part, pools, types, before)?;
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
        Ok(_) => Ok(()),
    })
}

fn set_width(part: &mut Part, width: i64) {
    for draw in part.plan.draws.values_mut() {
        if let Draw::Above { by, .. } = draw {
            *by = Some(width);
        }
    }
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

/// Runs it a few times; what a call does on average. One call before finds what the session does not know yet. It ends where the
/// calls do so much more than `wanted` that the others do not matter: a range may be half of a large table.
fn run(
    part: &Part,
    pools: &Pools,
    types: &[String],
    wanted: Done,
) -> Result<std::result::Result<Done, String>> {
    let times = TIMES as f64;
    let most = |before: f64| (1.0 + FAR) * before.max(1.0) * times + 1.0;
    let (most_rows, most_blocks) = (most(wanted.rows), most(wanted.blocks));
    let calls = || -> Result<Done> {
        let mut done = Done::default();
        for time in 0..=TIMES {
            let text = with_values(part, pools, types, time);
            let before = usage::now();
            let rows = spi::count_rows(&text, most_rows.ceil() as i64)?;
            let used = usage::now().since(&before);
            if time > 0 {
                done.rows += rows as f64 / times;
                let blocks = used.shared_blks_hit + used.shared_blks_read;
                done.blocks += blocks as f64 / times;
                if done.rows * times >= most_rows || done.blocks * times >= most_blocks {
                    break;
                }
            }
        }
        Ok(done)
    };
    match subtransaction(|| read_only(calls)) {
        Ok(done) => Ok(Ok(done?)),
        Err(error) => Ok(Err(error.message)),
    }
}

/// The text with literals of some rows.
fn with_values(part: &Part, pools: &Pools, types: &[String], time: usize) -> String {
    let value = |draw: &Draw| -> Option<String> {
        let Draw::Value { row, column } = draw else {
            return None;
        };
        let sample = &pools.get(&row.pool)?.1.sample;
        let at = time * 5 + row.number * 3 + usize::from(row.is_written);
        sample.get(at % sample.len().max(1))?.get(*column)?.clone()
    };
    replaced(&part.text, |parameter| {
        let literal = match part.plan.draws.get(&parameter) {
            Some(Draw::Above { parameter: low, by }) => {
                let low = part.plan.draws.get(low).and_then(value);
                let low: Option<i64> = low.and_then(|low| low.parse().ok());
                low.map(|low| low.saturating_add(by.unwrap_or_default()).to_string())
            }
            Some(Draw::Small) => Some("1".to_owned()),
            Some(Draw::Rows) => Some(part.rows.max(1).to_string()),
            Some(Draw::Any) if part.take_zero.get(parameter - 1) == Some(&true) => {
                Some("0".to_owned())
            }
            Some(draw) => value(draw),
            None => None,
        };
        let literal = literal.map_or("NULL".to_owned(), |text| quote_literal(&text));
        let type_name = types.get(parameter - 1).map_or("text", String::as_str);
        format!("CAST({literal} AS {type_name})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn far_is_half_or_more() {
        assert!(!unlike(1.0, 1.4) && unlike(1.6, 1.0) && unlike(40.0, 100.0));
        assert!(!unlike(0.0, 0.4) && !unlike(149.0, 100.0));
    }
}
