//! The values that are requested more often than others. If a value occurs in many rows of its table, it may be a popular
//! one, or one that is never requested. The average effect of an observed call decides.

use super::calls::{Done, FEWEST_CALLS, calls, place, quick_times};
use super::pools::Value;
use super::rows::{PoolKey, Row};
use super::scripts::{IncludedStatement, Pools};
use super::source::Observed;
use super::values::Draw;
use crate::error::Result;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long a trial takes at most: other values than before may take longer, and each call is planned anew.
const LONGEST: Duration = Duration::from_secs(1);
/// So many times as many rows of a call as it had are counted, and so many in any case.
const MOST_ROWS: f64 = 100.0;
const ROWS_IN_ANY_CASE: f64 = 10_000.0;
/// What is so much nearer to what was observed is clearly nearer.
const CLEARLY: f64 = 0.5;
/// The highest power of the number of their rows by which values are preferred, or avoided; in tenths.
const MOST_TENTHS: i32 = 30;

/// A call with a value that so many rows have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tried {
    rows: f64,
    /// How many values of the table it stands for.
    stands_for: f64,
    done: Done,
}

/// Decides which values of the pools are preferred where the table has some of them in more rows: those such that a call does as much as
/// it did. Without a clear answer all alike. Where it cannot be tried, another statement may decide.
pub fn find(
    part: &IncludedStatement,
    observed: &Observed,
    pools: &mut Pools,
    types: &[String],
) -> Result<()> {
    let times = quick_times(observed);
    for key in part.plan.pools() {
        let Some(undecided) = pools
            .get(&key)
            .and_then(|(_, pool)| pool.undecided.as_ref())
        else {
            continue;
        };
        let drawn: Vec<Row> = rows_drawn(part, &key).into_iter().collect();
        let ([row], true) = (drawn.as_slice(), times >= FEWEST_CALLS) else {
            continue;
        };
        let Some(tried) = tried(part, observed, pools, types, row, &undecided.values, times)?
        else {
            continue;
        };
        let power = power(&tried, Done::of(observed), observed.calls);
        if let Some((_, pool)) = pools.get_mut(&key) {
            pool.decide(power);
        }
    }
    Ok(())
}

/// The rows of a pool that a call has.
fn rows_drawn(part: &IncludedStatement, key: &PoolKey) -> BTreeSet<Row> {
    let draws = part.plan.draws.values();
    draws
        .filter_map(|draw| match draw {
            Draw::Value { row, .. } if row.pool == *key => Some(row.clone()),
            _ => None,
        })
        .collect()
}

/// What calls do with the values. None: they fail.
fn tried(
    part: &IncludedStatement,
    observed: &Observed,
    pools: &Pools,
    types: &[String],
    row: &Row,
    values: &[Value],
    times: usize,
) -> Result<Option<Vec<Tried>>> {
    // All have as many rows.
    if values.iter().all(|value| value.rows == values[0].rows) {
        return Ok(Some(Vec::new()));
    }
    let mut with_all = pools.clone();
    if let Some((_, pool)) = with_all.get_mut(&row.pool) {
        pool.sample = values.iter().map(|value| value.row.clone()).collect();
    }
    let begin = Instant::now();
    let most_rows = (MOST_ROWS * observed.rows_per_call()).max(ROWS_IN_ANY_CASE);
    let done = calls(
        part,
        &with_all,
        types,
        times.min(values.len()),
        most_rows as i64,
        |_| begin.elapsed() < LONGEST,
    )?;
    let Ok(done) = done else {
        return Ok(None);
    };
    let each_stands_for = values.len() as f64 / done.len().max(1) as f64;
    let tried = (1..).zip(done).map(|(time, done)| {
        let Value {
            rows, stands_for, ..
        } = values[place(row, time, values.len())];
        Tried {
            rows,
            stands_for: stands_for * each_stands_for,
            done,
        }
    });
    Ok(Some(tried.collect()))
}

/// By which power of the number of rows values have to be preferred for a call to do what it did in so many calls. None: none is clearly
/// better than 0, or the difference may be one of chance.
fn power(tried: &[Tried], before: Done, calls: f64) -> Option<f64> {
    let distance = |power: f64| before.distance(mean(tried, power));
    let alike = distance(0.0);
    if tried.is_empty() || alike <= 2.0 * standard_error(tried, before, calls) {
        return None;
    }
    let powers = (-MOST_TENTHS..=MOST_TENTHS).map(|tenths| f64::from(tenths) / 10.0);
    let best = powers.min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
    (distance(best) < CLEARLY * alike).then_some(best)
}

/// What a call does on average, with values preferred by this power of the number of their rows.
fn mean(tried: &[Tried], power: f64) -> Done {
    let weight = |it: &Tried| it.stands_for * it.rows.powf(power);
    let all: f64 = tried.iter().map(weight).sum();
    let mut mean = Done::default();
    for it in tried {
        let share = weight(it) / all;
        mean.rows += share * it.done.rows;
        mean.blocks += share * it.done.blocks;
    }
    mean
}

/// That of the distance of the mean, with values all alike: of a sample in which each value was with the probability 1 / `stands_for`
/// (Horvitz and Thompson 1952, independently drawn), and of the calls that were observed, which had values of their own.
fn standard_error(tried: &[Tried], before: Done, calls: f64) -> f64 {
    let all: f64 = tried.iter().map(|it| it.stands_for).sum();
    let mean = mean(tried, 0.0);
    let of = |figure: fn(&Done) -> f64| {
        let variances = tried.iter().map(|it| {
            let weight = it.stands_for / all;
            let square = (figure(&it.done) - figure(&mean)).powi(2);
            square * (weight * (it.stands_for - 1.0).max(0.0) / all + weight / calls.max(1.0))
        });
        variances.sum::<f64>().sqrt() / figure(&before).max(1.0)
    };
    of(|done| done.rows) + of(|done| done.blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY_CALLS: f64 = 10_000.0;

    /// What a call of these rows does: it reads two blocks, and one for each row.
    fn done(rows: f64) -> Done {
        let blocks = rows + 2.0;
        Done { rows, blocks }
    }

    fn tried(values: &[(f64, f64)]) -> Vec<Tried> {
        let one = |(rows, stands_for): &(f64, f64)| Tried {
            rows: *rows,
            stands_for: *stands_for,
            done: done(*rows),
        };
        values.iter().map(one).collect()
    }

    /// Of every four values of the table, one has 4 rows, one 2 and two 1; one in ten was tried.
    fn mixed() -> Vec<Tried> {
        let values = [(4.0, 10.0), (2.0, 10.0), (1.0, 10.0), (1.0, 10.0)];
        tried(&values.repeat(100))
    }

    #[test]
    fn values_are_preferred_such_that_calls_do_what_they_did() {
        // All alike: 2 rows on average; as rows have them: 22 / 8; mostly the most popular; those with fewer rows.
        assert!(mean(&mixed(), 0.0).distance(done(2.0)) < 1e-9);
        assert_eq!(power(&mixed(), done(2.0), MANY_CALLS), None);
        assert_eq!(power(&mixed(), done(2.75), MANY_CALLS), Some(1.0));
        assert!(power(&mixed(), done(3.8), MANY_CALLS).is_some_and(|it| it > 2.0));
        let power = power(&mixed(), done(1.4), MANY_CALLS).unwrap();
        assert!(power < -1.0 && (mean(&mixed(), power).rows - 1.4).abs() < 0.05);
    }

    #[test]
    fn few_values_may_have_most_rows() {
        // Two values, both known. What ten calls did may be chance.
        let two = tried(&[(9000.0, 1.0), (1000.0, 1.0)]);
        assert_eq!(power(&two, done(8200.0), MANY_CALLS), Some(1.0));
        assert_eq!(power(&two, done(5800.0), 10.0), None);
        // One of a hundred thousand, which stand behind nine hundred.
        let mut values = vec![(1.0, 111.0); 900];
        values.push((100_000.0, 1.0));
        let popular = power(&tried(&values), done(50_000.5), MANY_CALLS);
        assert_eq!(popular, Some(1.0));
        // That none of ten thousand calls asked for it may be chance, but not if one value in a hundred has two thousand rows.
        assert_eq!(power(&tried(&values), done(1.0), MANY_CALLS), None);
        let values = [vec![(1.0, 111.0); 891], vec![(2000.0, 111.0); 9]].concat();
        let avoided = power(&tried(&values), done(1.0), MANY_CALLS);
        assert!(avoided.is_some_and(|it| it < 0.0), "{avoided:?}");
    }

    #[test]
    fn what_no_preference_explains_changes_nothing() {
        // A difference of chance, in the sample or in the calls, and rows that no value has.
        assert_eq!(power(&mixed(), done(2.1), MANY_CALLS), None);
        assert_eq!(power(&mixed(), done(2.5), 10.0), None);
        assert_eq!(power(&mixed(), done(40.0), MANY_CALLS), None);
        let blocks = 40.0;
        assert_eq!(
            power(&mixed(), Done { rows: 2.0, blocks }, MANY_CALLS),
            None
        );
        assert_eq!(power(&mixed()[..1], done(3.0), MANY_CALLS), None);
        assert_eq!(power(&[], done(3.0), MANY_CALLS), None);
    }
}
