//! The rows of a table that are changed more often than others. A column to which each change adds 1, such as the number of a
//! customer's payments, shows that for each row, even in a copy of the database.

use super::facts::{FEWEST_CHANGES, FEWEST_PAGES, Facts, Relation};
use super::queries;
use super::values::{Draw, Plan};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};

/// A row is as popular as its count says, and any row a little: in proportion to what is expected of the next changes, where counts are
/// of a Poisson distribution whose mean differs from row to row as in a gamma distribution (Greenwood and Yule 1920).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Popularity {
    /// The name of the column, quoted.
    pub count: String,
    /// What it has in rows that were never changed.
    pub least: i64,
    /// What is added to each count, in SQL: the shape of the gamma distribution.
    pub of_any: String,
}

/// A count of all calls is so many times as many as were observed, or more.
const OF_ALL_CALLS: f64 = 0.5;
/// So many times as many rows, or as few, as the distribution has, may have been changed never, and once.
const NEAR: f64 = 2.0;
/// Standard errors of the variance, from where on it is not chance that it is larger than the mean.
const CLEARLY: f64 = 4.0;

/// What a column of some rows has.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Counts {
    rows: f64,
    least: f64,
    /// Of what is above the least.
    mean: f64,
    variance: f64,
    /// Rows that have the least, and 1 more.
    never: f64,
    once: f64,
}

/// How rows differ.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Alike,
    /// That of the gamma distribution.
    Gamma(f64),
}

impl Counts {
    /// How changes are distributed, if it counts changes of one row each. What adds any amount has too few rows with 1.
    fn shape(&self) -> Option<Shape> {
        let Counts {
            rows,
            mean,
            variance,
            never,
            once,
            ..
        } = *self;
        if mean * rows < FEWEST_CHANGES {
            return None;
        }
        let excess = variance - mean;
        let (shape, none, one) = match excess > CLEARLY * mean * (2.0 / rows).sqrt() {
            true => {
                let shape = mean * mean / excess;
                let none = (shape / (shape + mean)).powf(shape);
                (
                    Shape::Gamma(shape),
                    none,
                    none * shape * mean / (shape + mean),
                )
            }
            false => {
                let none = (-mean).exp();
                (Shape::Alike, none, none * mean)
            }
        };
        let is_near =
            |found: f64, expected: f64| found <= NEAR * expected && expected <= NEAR * found;
        (is_near(never, none * rows) && is_near(once, one * rows)).then_some(shape)
    }
}

/// Finds the columns that count how often an UPDATE of the table `target` has changed a row, which then get 1 more, and draws rows in
/// proportion to the one that has counted most, if they differ by more than chance.
pub fn find(plan: &mut Plan, target: u32, calls: f64, facts: &Facts) -> Result<()> {
    let Some(relation) = facts.relations.get(&target) else {
        return Ok(());
    };
    let mut rows = plan.sought(target);
    rows.retain(|pool| facts.has_key(target, &pool.columns));
    if rows.is_empty() || relation.kind != "r" || relation.pages < FEWEST_PAGES {
        return Ok(());
    }
    let mut most: Option<(f64, Popularity)> = None;
    for (parameter, number) in std::mem::take(&mut plan.added) {
        let column = facts.columns.get(&(target, number));
        let Some(column) = column.filter(|it| it.is_integer() && it.is_readable) else {
            continue;
        };
        let Some(counts) = counts(relation, &column.quoted)? else {
            continue;
        };
        let all = counts.mean * relation.rows.unwrap_or(counts.rows);
        let Some(shape) = counts.shape().filter(|_| all >= OF_ALL_CALLS * calls) else {
            continue;
        };
        plan.draws.insert(parameter, Draw::Constant(1));
        let Shape::Gamma(shape) = shape else {
            continue;
        };
        if most.as_ref().is_none_or(|(most, _)| all > *most) {
            let popularity = Popularity {
                count: column.quoted.clone(),
                least: counts.least as i64,
                of_any: format!("{shape:e}"),
            };
            most = Some((all, popularity));
        }
    }
    if let Some((_, popularity)) = most {
        // That is why changes find room in the pages of others, and no order of theirs.
        plan.is_in_order = false;
        plan.in_order.clear();
        let each = rows.into_iter().map(|pool| (pool, popularity.clone()));
        plan.popular = each.collect();
    }
    Ok(())
}

/// Counts of some rows. None: it cannot be read.
fn counts(relation: &Relation, column: &str) -> Result<Option<Counts>> {
    let query = queries::counts(relation, column);
    let read = || role::with_settings(|| read_only(|| spi::select_cells(&query)));
    let Ok(rows) = subtransaction(read) else {
        return Ok(None);
    };
    let rows = rows?;
    let cells = rows.iter().flatten();
    let numbers: Vec<f64> = cells.filter_map(|it| it.as_ref()?.parse().ok()).collect();
    Ok(match numbers.as_slice() {
        &[rows, least, mean, variance, never, once] => Some(Counts {
            rows,
            least,
            mean,
            variance,
            never,
            once,
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rows: f64, mean: f64, variance: f64, never: f64, once: f64) -> Option<Shape> {
        let least = 1.0;
        let counts = Counts {
            rows,
            least,
            mean,
            variance,
            never,
            once,
        };
        counts.shape()
    }

    #[test]
    fn a_count_is_known_by_its_distribution() {
        // Of a TPC-C-derived load: payments of customers, deliveries to them, orders of stock.
        let found = shape(60_000.0, 0.026683, 0.041372, 58_815.0, 806.0);
        assert!(
            matches!(found, Some(Shape::Gamma(it)) if (it - 0.0485).abs() < 1e-3),
            "{found:?}"
        );
        let found = shape(60_000.0, 0.023167, 0.02263, 58_610.0, 1_390.0);
        assert_eq!(found, Some(Shape::Alike));
        let found = shape(200_000.0, 0.088135, 0.261159, 189_873.0, 5_939.0);
        assert!(
            matches!(found, Some(Shape::Gamma(it)) if (it - 0.0449).abs() < 1e-3),
            "{found:?}"
        );
        // Pieces that were sold of it are from 1 to 10 at once.
        let found = shape(200_000.0, 0.483115, 8.85191, 189_873.0, 598.0);
        assert_eq!(found, None);
        // Balances, with a smallest one that nobody else has.
        assert_eq!(shape(100_000.0, 5_000.0, 9e6, 1.0, 0.0), None);
        // Too few changes.
        assert_eq!(shape(60_000.0, 0.001, 0.001, 59_940.0, 60.0), None);
    }
}
