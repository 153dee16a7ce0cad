//! Which values are asked for more often than others: where values are in several rows of their table, those of many rows may be the
//! popular ones, or those that nobody asks for. What a call has done on average tells.

use super::scripts::{Part, Pools};
use super::source::Observed;
use super::trial::{Done, FEWEST_TO_CHOOSE, calls, place, quick_times};
use super::values::{Draw, PoolKey, Row};
use crate::error::Result;
use std::collections::BTreeSet;

/// How many calls are tried at most.
const MOST: usize = 1_000;
/// What is so much nearer to what was observed is clearly nearer.
const CLEARLY: f64 = 0.5;
/// The highest power of the number of their rows by which values are preferred, or avoided; in tenths.
const MOST_TENTHS: i32 = 30;

/// Finds out which values of the pools are preferred where the table has some of them in more rows: those such that a call does as much as
/// it did. Without a clear answer all alike. What a call does then; None: it was not tried.
pub fn find(
    part: &Part,
    observed: &Observed,
    pools: &mut Pools,
    types: &[String],
) -> Result<Option<Done>> {
    let before = Done::of(observed);
    let mut does = None;
    // The calls of a slow statement would take longer than the answer is worth.
    let times = quick_times(observed);
    for key in part.plan.pools() {
        let counts = match pools.get(&key) {
            Some((_, pool)) if times >= FEWEST_TO_CHOOSE && !pool.counts.is_empty() => &pool.counts,
            _ => continue,
        };
        let times = times.min(MOST).min(counts.len());
        let Ok(done) = calls(part, pools, types, before, times)? else {
            continue;
        };
        let rows = rows_of(part, &key);
        let tried = (1..).zip(done).map(|(time, done)| {
            let count = |row: &Row| counts[place(row, time, counts.len())];
            (rows.iter().map(count).product(), done)
        });
        let tried: Vec<(f64, Done)> = tried.collect();
        let power = power(&tried, before);
        does = Some(mean(&tried, power.unwrap_or_default()));
        if let Some((_, pool)) = pools.get_mut(&key) {
            match power {
                Some(power) => pool.prefer(power),
                None => pool.counts.clear(),
            }
        }
    }
    Ok(does)
}

/// The rows of a pool that a call has.
fn rows_of(part: &Part, key: &PoolKey) -> BTreeSet<Row> {
    let draws = part.plan.draws.values();
    draws
        .filter_map(|draw| match draw {
            Draw::Value { row, .. } if row.pool == *key => Some(row.clone()),
            _ => None,
        })
        .collect()
}

/// By which power of the number of rows values have to be preferred for a call to do what it did. `tried`: the number of rows of the values,
/// and what a call did with them. None: none is clearly better than 0, or the difference may be one of chance.
fn power(tried: &[(f64, Done)], before: Done) -> Option<f64> {
    let distance = |power: f64| before.distance(mean(tried, power));
    let alike = distance(0.0);
    if alike <= 2.0 * standard_error(tried, before) {
        return None;
    }
    let powers = (-MOST_TENTHS..=MOST_TENTHS).map(|tenths| f64::from(tenths) / 10.0);
    let best = powers.min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
    (distance(best) < CLEARLY * alike).then_some(best)
}

/// What a call does on average, with values preferred by this power of the number of their rows.
fn mean(tried: &[(f64, Done)], power: f64) -> Done {
    let mut mean = Done::default();
    let all: f64 = tried.iter().map(|(count, _)| count.powf(power)).sum();
    for (count, done) in tried {
        let share = count.powf(power) / all;
        mean.rows += share * done.rows;
        mean.blocks += share * done.blocks;
    }
    mean
}

/// That of the distance of the mean.
fn standard_error(tried: &[(f64, Done)], before: Done) -> f64 {
    let (count, mean) = (tried.len() as f64, mean(tried, 0.0));
    let of = |figure: fn(&Done) -> f64| {
        let squares = tried
            .iter()
            .map(|(_, done)| (figure(done) - figure(&mean)).powi(2));
        (squares.sum::<f64>() / (count - 1.0) / count).sqrt() / figure(&before).max(1.0)
    };
    of(|done| done.rows) + of(|done| done.blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call reads two blocks and one for each row of its value; of every four values, one has 4 rows, one 2 and two 1.
    fn tried() -> Vec<(f64, Done)> {
        let call = |count: f64| {
            (
                count,
                Done {
                    rows: count,
                    blocks: count + 2.0,
                },
            )
        };
        [4.0, 2.0, 1.0, 1.0]
            .into_iter()
            .cycle()
            .take(400)
            .map(call)
            .collect()
    }

    #[test]
    fn values_are_preferred_such_that_calls_do_what_they_did() {
        let rows = |rows: f64| Done {
            rows,
            blocks: rows + 2.0,
        };
        // All alike: 2 rows on average; as rows have them: 22 / 8; mostly the most popular; those with fewer rows.
        assert_eq!(mean(&tried(), 0.0), rows(2.0));
        assert_eq!(power(&tried(), rows(2.0)), None);
        assert_eq!(power(&tried(), rows(2.75)), Some(1.0));
        assert!(power(&tried(), rows(3.8)).is_some_and(|it| it > 2.0));
        let power = power(&tried(), rows(1.4)).unwrap();
        assert!(power < -1.0 && (mean(&tried(), power).rows - 1.4).abs() < 0.05);
    }

    #[test]
    fn what_no_preference_explains_changes_nothing() {
        // A difference of chance, and rows that no value has.
        let rows = |rows: f64| Done {
            rows,
            blocks: rows + 2.0,
        };
        assert_eq!(power(&tried(), rows(2.1)), None);
        assert_eq!(power(&tried(), rows(40.0)), None);
        assert_eq!(
            power(
                &tried(),
                Done {
                    rows: 2.0,
                    blocks: 40.0
                }
            ),
            None
        );
        assert_eq!(power(&tried()[..1], rows(3.0)), None);
    }
}
