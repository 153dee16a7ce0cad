//! Trials of a statement: if the catalog does not show how many rows some values select, a few executions of the statement
//! do.

use super::calls::{Done, FAR, FEWEST_CALLS, MOST_CALLS, mean_ms, quick_times, run};
use super::preference;
use super::scripts::{IncludedStatement, Pools};
use super::source::Observed;
use super::values::Draw;
use crate::error::{Error, Result};
use std::time::{Duration, Instant};

/// How many times a statement is run with values of one kind.
const TIMES: usize = 16;
/// With one width of a range at most, of which many are tried.
const MOST_OF_A_WIDTH: usize = 64;
/// The widest range that is tried.
const WIDEST: i64 = 1 << 30;
/// A range is as wide as it was if what the calls do differs by less.
const CLOSE: f64 = 0.001;
/// Numbers that statements compute with, of which up to two are found.
const OPERANDS: [i64; 6] = [1, 2, 0, 10, 100, 1000];
const MOST_OPERANDS: usize = 2;
/// How long that may take, going by the calls that were observed, and how long it takes at most.
const SEARCH_MS: f64 = 2_000.0;
const LONGEST_SEARCH: Duration = Duration::from_secs(20);

/// How long all widths of a range may take, and how many are tried of most: slow statements have fewer calls with each.
const LONGEST_RANGE: Duration = Duration::from_secs(60);
const WIDTHS: f64 = 20.0;

/// Finds out how wide ranges have to be, which values are preferred, and whether calls do as much as they did. What a call does.
/// `types`: of the parameters. `pools`: undecided ones are decided, which counts only if this is no error.
///
/// # Errors
/// Within: they do not, or the statement fails.
pub fn settle(
    part: &mut IncludedStatement,
    observed: &Observed,
    pools: &mut Pools,
    types: &[String],
) -> Result<std::result::Result<Done, String>> {
    let before = Done::of(observed);
    if let Err(reason) = find_operands(part, observed, pools, types)? {
        return Ok(Err(reason));
    }
    let has_range = part.plan.draws.values().any(Draw::has_width);
    let is_period = (part.plan.draws.values()).any(|it| matches!(it, Draw::Period { .. }));
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
    let in_time = LONGEST_RANGE.as_millis() as f64 / WIDTHS / mean_ms(observed);
    let fewest = (in_time as usize).clamp(FEWEST_CALLS, TIMES);
    let times = |most: usize| quick_times(observed).clamp(fewest, most);
    let begin = Instant::now();
    let mut widen = |sign: f64| {
        narrow(sign * figure(before), |by| {
            if begin.elapsed() > LONGEST_RANGE {
                let reason = "it takes too long to find by trial how wide its range is";
                return Ok(Err(reason.to_owned()));
            }
            part.plan.set_width(by);
            let done = run(part, pools, types, before, times(MOST_OF_A_WIDTH))?;
            Ok(done.map(|done| (sign * figure(done), done)))
        })
    };
    let done = match has_range {
        false => run(part, pools, types, before, times(MOST_CALLS))?,
        true => match widen(1.0)? {
            // More is done from the beginning: what is older than a length of time is less the longer that is.
            Ok(done) if is_period && figure(done) > (1.0 + CLOSE) * figure(before) => widen(-1.0)?,
            done => done,
        },
    };
    Ok(match done {
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
    part: &mut IncludedStatement,
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
    let is_close = |figure: f64| (figure - wanted).abs() <= CLOSE * wanted.abs();
    let (mut low, mut high) = (-1, 0);
    loop {
        let figure = match compare(high)? {
            Ok(figure) => figure,
            Err(reason) if high == 0 => return Ok(Err(reason)),
            // Beyond the last date or number.
            Err(_) => f64::INFINITY,
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
            Ok(_) | Err(_) => high = middle,
        }
    }
    let (_, width) = best.unwrap_or_default();
    Ok(tried(width)?.map(|(_, done)| done))
}

fn unlike(now: f64, before: f64) -> bool {
    (now - before).abs() > FAR * before.max(1.0)
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
    fn a_width_that_is_an_error_is_too_wide() {
        let mut last = 0;
        let done = narrow(1000.0, |width| {
            last = width;
            Ok(match width > 5 {
                true => Err("out of range".to_owned()),
                false => Ok((width as f64, ())),
            })
        });
        assert_eq!((done.unwrap(), last), (Ok(()), 5));
        let none = narrow(1.0, |_| {
            Ok(Err::<(f64, ()), _>("no such column".to_owned()))
        });
        assert_eq!(none.unwrap(), Err("no such column".to_owned()));
        // The longer, the less.
        assert_eq!(found(-70.0, |width| -100.0 + width as f64).0, 30);
    }

    #[test]
    fn all_combinations_are_tried() {
        assert_eq!(choices(0), [Vec::<i64>::new()]);
        assert_eq!(choices(1)[..3], [[1], [2], [0]]);
        let two = choices(2);
        assert_eq!((two.len(), &two[1]), (36, &vec![1, 2]));
    }

    #[test]
    fn far_is_half_or_more() {
        assert!(!unlike(1.0, 1.4) && unlike(1.6, 1.0) && unlike(40.0, 100.0));
        assert!(!unlike(0.0, 0.4) && !unlike(149.0, 100.0));
    }
}
