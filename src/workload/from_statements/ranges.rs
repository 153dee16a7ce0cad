//! Ranges: the upper end is so much above the lower one, which is a value of a row.

use super::facts::{ColumnFact, Facts, Relation};
use super::queries;
use super::refusals::no_range;
use super::rows::{Above, Row};
use super::uses::Column;
use super::values::{Draw, Plan};
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::{read_only, subtransaction};
use serde::Deserialize;

/// What lengths of values of a type are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    Whole,
    Days,
    Seconds,
    Decimal,
}

/// By how much a range becomes wider at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub measure: Measure,
    pub length: f64,
}

/// The width of a range is found in such a part of the distance of two rows: a call may have so few rows that whole distances are too coarse.
const PART: f64 = 16.0;
/// A microsecond: times know no less.
const SHORTEST: f64 = 1e-6;
/// Of a table that was never analyzed.
const SOME_ROWS: f64 = 1_000.0;

impl Step {
    pub fn of(measure: Measure) -> Step {
        Step {
            measure,
            length: 1.0,
        }
    }

    /// Whether a script can compute with it.
    pub fn is_whole(&self) -> bool {
        self.measure == Measure::Whole
    }

    /// A part of the distance between two rows, where `span` lies between the smallest and the largest of so many.
    fn between(measure: Measure, span: f64, rows: f64) -> Step {
        let length = span / rows.max(1.0) / PART;
        let length = match measure {
            Measure::Whole => 1.0,
            Measure::Days => length.floor().max(1.0),
            Measure::Seconds => length.max(SHORTEST),
            // All values may be equal, or one without an end.
            Measure::Decimal if length.is_finite() && length > 0.0 => length,
            Measure::Decimal => 1.0,
        };
        Step { measure, length }
    }

    /// So many of them, in SQL.
    pub fn amount(&self, by: i64) -> String {
        let amount = self.length * by as f64;
        match self.measure {
            Measure::Whole => by.to_string(),
            Measure::Days => format!("pg_catalog.make_interval(days => {amount:.0})"),
            Measure::Seconds => format!("pg_catalog.make_interval(secs => {amount:.6})"),
            Measure::Decimal => format!("({amount})"),
        }
    }
}

/// The draws of what bounds a column: the parameters that are below its values, and those above. The lower end, or the only one, is a value
/// of a row, which is returned.
///
/// # Errors
/// Why there are none.
pub fn bounds(
    facts: &Facts,
    column: Column,
    lower: &[usize],
    upper: &[usize],
    plan: &mut Plan,
) -> std::result::Result<usize, String> {
    let known = facts.columns.get(&(column.relation, column.number));
    let measure = known.and_then(|it| it.measure);
    plan.is_uncertain = true;
    match (lower, upper, measure) {
        ([low], [high], Some(measure)) => {
            let draw = Draw::Above {
                parameter: *low,
                by: None,
                step: Step::of(measure),
            };
            plan.draws.insert(*high, draw);
            Ok(*low)
        }
        ([only], [], _) | ([], [only], _) => {
            plan.has_bound = true;
            Ok(*only)
        }
        _ => Err(no_range(facts, column)),
    }
}

/// Finds the steps of ranges: a length of time may be hours or years.
///
/// # Errors
/// Within: why the table cannot be read.
pub fn find_steps(plan: &mut Plan, facts: &Facts) -> Result<std::result::Result<(), String>> {
    for UpperEnd {
        high, low, step, ..
    } in upper_ends(plan)
    {
        let Some((relation, column)) = lower_end(plan, low, facts) else {
            continue;
        };
        match span(relation, column, step.measure)? {
            Ok(span) => {
                let rows = relation.rows.unwrap_or(SOME_ROWS);
                if let Some(Draw::Above { step, .. }) = plan.draws.get_mut(&high) {
                    *step = Step::between(step.measure, span, rows);
                }
            }
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(()))
}

/// A script computes with numbers alone: other upper ends come out of the pools, in the row of their lower ends.
pub fn settle(plan: &mut Plan) {
    for UpperEnd {
        high,
        low,
        by,
        step,
    } in upper_ends(plan)
    {
        let Some(Draw::Value { row, column }) = plan.draws.get(&low) else {
            continue;
        };
        let (old, mut row) = (row.clone(), row.clone());
        row.pool.above.push(Above {
            place: *column,
            amount: step.amount(by),
        });
        let column = row.pool.columns.len() + row.pool.above.len() - 1;
        replace(plan, &old, &row);
        plan.draws.insert(high, Draw::Value { row, column });
    }
}

fn replace(plan: &mut Plan, old: &Row, new: &Row) {
    for draw in plan.draws.values_mut() {
        if let Draw::Value { row, .. } = draw
            && row == old
        {
            *row = new.clone();
        }
    }
}

/// The upper end of a range that no script can compute.
struct UpperEnd {
    high: usize,
    /// The parameter that is the lower end.
    low: usize,
    by: i64,
    step: Step,
}

fn upper_ends(plan: &Plan) -> Vec<UpperEnd> {
    let draws = plan.draws.iter();
    draws
        .filter_map(|(high, draw)| match draw {
            Draw::Above {
                parameter,
                by,
                step,
            } if !step.is_whole() => Some(UpperEnd {
                high: *high,
                low: *parameter,
                by: by.unwrap_or_default(),
                step: *step,
            }),
            _ => None,
        })
        .collect()
}

fn lower_end<'f>(
    plan: &Plan,
    low: usize,
    facts: &'f Facts,
) -> Option<(&'f Relation, &'f ColumnFact)> {
    let Some(Draw::Value { row, column }) = plan.draws.get(&low) else {
        return None;
    };
    let relation = row.pool.relation;
    let number = row.pool.columns.get(*column)?;
    Some((
        facts.relations.get(&relation)?,
        facts.columns.get(&(relation, *number))?,
    ))
}

/// How far the values of a column reach, in days, seconds or as they are.
fn span(
    relation: &Relation,
    column: &ColumnFact,
    measure: Measure,
) -> Result<std::result::Result<f64, String>> {
    let query = queries::span(relation, column, measure);
    let read = || role::with_settings(|| read_only(|| spi::select_cells(&query)));
    Ok(match subtransaction(read) {
        Ok(cells) => {
            let span = cells?.into_iter().flatten().next().flatten();
            Ok(span.and_then(|it| it.parse().ok()).unwrap_or_default())
        }
        Err(error) => Err(error.message),
    })
}

#[cfg(test)]
mod tests {
    use super::super::rows::PoolKey;
    use super::*;

    #[test]
    fn a_step_is_a_part_of_the_distance_of_two_rows() {
        let step = |measure, span, rows| Step::between(measure, span, rows).length;
        assert_eq!(step(Measure::Seconds, 1600.0, 100.0), 1.0);
        assert_eq!(step(Measure::Seconds, 0.0, 100.0), 1e-6);
        assert_eq!(step(Measure::Decimal, f64::NAN, 100.0), 1.0);
        assert_eq!(step(Measure::Days, 3_650.0, 1e6), 1.0);
        assert_eq!(step(Measure::Days, 3_650.0, 10.0), 22.0);
        assert_eq!(step(Measure::Whole, 3_650.0, 10.0), 1.0);
        let amount = |measure, length| Step { measure, length }.amount(3);
        assert_eq!(
            amount(Measure::Seconds, 0.5),
            "pg_catalog.make_interval(secs => 1.500000)"
        );
        assert_eq!(
            amount(Measure::Days, 22.0),
            "pg_catalog.make_interval(days => 66)"
        );
        assert_eq!(amount(Measure::Decimal, 0.5), "(1.5)");
        assert_eq!(
            amount(Measure::Decimal, 2f64.powi(-30)),
            "(0.0000000027939677238464355)"
        );
        assert_eq!(amount(Measure::Whole, 1.0), "3");
    }

    #[test]
    fn upper_ends_come_with_the_row_of_the_lower_ones() {
        let row = Row {
            pool: PoolKey {
                relation: 7,
                columns: vec![1, 4],
                ..PoolKey::default()
            },
            is_written: false,
            number: 0,
        };
        let value = |row: &Row, column| Draw::Value {
            row: row.clone(),
            column,
        };
        let above = |measure| Draw::Above {
            parameter: 2,
            by: Some(3),
            step: Step::of(measure),
        };
        let mut plan = Plan::default();
        plan.draws.insert(1, value(&row, 0));
        plan.draws.insert(2, value(&row, 1));
        plan.draws.insert(3, above(Measure::Days));
        plan.draws.insert(4, above(Measure::Whole));
        settle(&mut plan);
        let mut wide = row.clone();
        wide.pool.above = vec![Above {
            place: 1,
            amount: "pg_catalog.make_interval(days => 3)".to_owned(),
        }];
        let drawn: Vec<Draw> = plan.draws.into_values().collect();
        let wanted = [
            value(&wide, 0),
            value(&wide, 1),
            value(&wide, 2),
            above(Measure::Whole),
        ];
        assert_eq!(drawn, wanted);
    }
}
