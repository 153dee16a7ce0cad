//! Where the values of a statement's parameters come from.

use super::facts::{Changed, Facts};
use super::new_keys::new_keys;
use super::popularity::Popularity;
use super::ranges::{Step, bounds};
use super::refusals::{check_column, check_statement, uncompared};
use super::rows::{Choice, PoolKey, Row, Rows};
use super::uses::{Column, Command, Use, Uses};
use std::collections::{BTreeMap, BTreeSet};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// A value of a row; `column`: which of the pool's.
    Value { row: Row, column: usize },
    /// So much above another parameter, the lower end of a range.
    Above {
        parameter: usize,
        by: Option<i64>,
        step: Step,
    },
    /// A length of time of so many seconds.
    Period { by: Option<i64> },
    /// A length of time without effect.
    NoTime,
    /// So many rows are skipped.
    Skip { by: Option<i64> },
    /// An array of values of the only column of a pool.
    List { pool: PoolKey, length: Option<i64> },
    /// A small number, negative or positive.
    Small,
    /// As many rows as a call has returned.
    Rows,
    /// A number above the largest one of the pool, another one each time.
    New { pool: PoolKey },
    /// A literal.
    Constant(i64),
    /// Something without effect on the rows.
    Any,
}

impl Draw {
    /// The literal that it is in a script.
    pub fn literal(&self) -> Option<String> {
        match self {
            Draw::Constant(number) => Some(number.to_string()),
            Draw::Period { by } => Some(seconds(by.unwrap_or_default())),
            Draw::NoTime => Some(seconds(0)),
            _ => None,
        }
    }

    /// Whether it has to be found out how wide it is.
    pub fn has_width(&self) -> bool {
        matches!(
            self,
            Draw::Above { .. } | Draw::Period { .. } | Draw::List { .. } | Draw::Skip { .. }
        )
    }
}

fn seconds(count: i64) -> String {
    format!("CAST('{count} seconds' AS pg_catalog.interval)")
}

/// The values of a statement, by the number of the parameter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    pub draws: BTreeMap<usize, Draw>,
    /// Whether the values may be such that a call does far more or less than it did: it has to be tried.
    pub is_uncertain: bool,
    /// A value bounds a range alone, or is excluded: how many rows have it says nothing.
    pub has_bound: bool,
    /// Parameters whose literals have to be found out.
    pub operands: Vec<usize>,
    /// Pools whose rows are taken as they are in the table, one after the other, in a script with a statement that is in order.
    pub in_order: BTreeSet<PoolKey>,
    /// Neighbours were changed for sure.
    pub is_in_order: bool,
    /// What is added to columns: the parameters, and the numbers of the columns.
    pub added: Vec<(usize, i16)>,
    /// Pools of which some rows are popular, in a script that is not in order.
    pub popular: BTreeMap<PoolKey, Popularity>,
}

impl Plan {
    /// The pools that it draws from.
    pub fn pools(&self) -> BTreeSet<PoolKey> {
        let draws = self.draws.values();
        let in_order = self.in_order.iter();
        let in_order = in_order.map(|it| it.choosing(Choice::Neighbours));
        let popular = self.popular.iter();
        let popular = popular.map(|(it, by)| it.choosing(Choice::Popular(by.clone())));
        draws
            .filter_map(|draw| match draw {
                Draw::Value { row, .. } => Some(row.pool.clone()),
                Draw::List { pool, .. } | Draw::New { pool } => Some(pool.clone()),
                _ => None,
            })
            .chain(in_order)
            .chain(popular)
            .collect()
    }

    /// The pools of the rows that an UPDATE of the table looks for.
    pub fn sought(&self, target: u32) -> BTreeSet<PoolKey> {
        let sought = self.draws.values().filter_map(|draw| match draw {
            Draw::Value { row, .. } if !row.is_written => Some(&row.pool),
            _ => None,
        });
        let of_target = |pool: &&PoolKey| target == pool.relation;
        sought.filter(of_target).cloned().collect()
    }

    /// Makes ranges so wide, lists so long, and skips so many rows.
    pub fn set_width(&mut self, width: i64) {
        for draw in self.draws.values_mut() {
            match draw {
                Draw::Above { by, .. } | Draw::Skip { by } | Draw::Period { by } => {
                    *by = Some(width);
                }
                Draw::List { length, .. } => *length = Some(width.max(1)),
                _ => {}
            }
        }
    }

    /// Gives the operands these literals.
    pub fn set_literals(&mut self, literals: &[i64]) {
        for (operand, literal) in self.operands.iter().zip(literals) {
            self.draws.insert(*operand, Draw::Constant(*literal));
        }
    }

    /// Lists of a length that is known are values of a pool of their own. Returns the pools of values, and those of lists.
    pub fn settle_lists(&mut self) -> Vec<(PoolKey, PoolKey)> {
        let mut found = Vec::new();
        for draw in self.draws.values_mut() {
            let Draw::List { pool, length } = draw else {
                continue;
            };
            let lists = PoolKey {
                list: Some(length.unwrap_or(1)),
                ..pool.clone()
            };
            let number = found.len();
            found.push((pool.clone(), lists.clone()));
            let is_written = false;
            *draw = Draw::Value {
                row: Row {
                    pool: lists,
                    is_written,
                    number,
                },
                column: 0,
            };
        }
        found
    }
}

/// Plans the values of a statement with this number of parameters.
///
/// # Errors
/// Why it cannot be made part of a workload.
pub fn plan(uses: &Uses, facts: &Facts, count: usize, writes: bool) -> Result<Plan, String> {
    check_statement(uses, facts, writes)?;
    let new = new_keys(uses, facts)?;
    let mut rows = Rows::default();
    let mut plan = Plan::default();
    let mut lists: Vec<Column> = Vec::new();
    let mut limits: BTreeMap<(usize, Column), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for number in 1..=count {
        let Some(found) = uses.parameters.get(&number) else {
            return Err(format!(
                "parameter ${number} is not in the analyzed statement"
            ));
        };
        match found {
            Use::Unknown(reason) => return Err(reason.clone()),
            Use::Limit => {
                plan.draws.insert(number, Draw::Rows);
            }
            Use::Skip => {
                plan.is_uncertain = true;
                plan.draws.insert(number, Draw::Skip { by: None });
            }
            Use::Argument { function, written } => {
                // Nobody knows what a function does with it.
                plan.is_uncertain |= uses.command == Command::Select;
                let column = written.filter(|_| CUTTING.contains(function));
                let column = column.and_then(|it| facts.columns.get(&(it.relation, it.number)));
                let width = column.and_then(|it| it.width).unwrap_or(1);
                plan.draws.insert(number, Draw::Constant(width.max(1)));
            }
            Use::Operand => {
                plan.is_uncertain = true;
                plan.operands.push(number);
                plan.draws.insert(number, Draw::Constant(1));
            }
            Use::InnerLimit => {
                plan.is_uncertain = true;
                plan.draws.insert(number, Draw::Constant(INNER_LIMIT));
            }
            Use::Period => {
                if plan
                    .draws
                    .values()
                    .any(|it| matches!(it, Draw::Period { .. }))
                {
                    return Err(
                        "it computes with several lengths of time that are not known".to_owned(),
                    );
                }
                plan.is_uncertain = true;
                plan.draws.insert(number, Draw::Period { by: None });
            }
            Use::Offset {
                operator,
                is_interval,
            } => match facts.operator(*operator) {
                "+" | "-" | "*" | "/" if *is_interval => {
                    plan.draws.insert(number, Draw::NoTime);
                }
                "+" | "-" => {
                    plan.draws.insert(number, Draw::Constant(0));
                }
                "*" | "/" => {
                    plan.draws.insert(number, Draw::Constant(1));
                }
                sign => return Err(format!("parameter ${number} is an operand of {sign}")),
            },
            Use::Chosen(column) => {
                check_column(facts, *column)?;
                rows.add(number, *column, false, false);
            }
            Use::Array { column, operator } => {
                check_column(facts, *column)?;
                match facts.comparison(*operator, false) {
                    Ok(EQUAL) => {
                        lists.push(*column);
                        let pool = PoolKey {
                            relation: column.relation,
                            columns: vec![column.number],
                            list: Some(0),
                            ..PoolKey::default()
                        };
                        plan.draws.insert(number, Draw::List { pool, length: None });
                    }
                    other => return Err(uncompared(facts, number, *column, other.err())),
                }
            }
            Use::Output => {
                plan.draws.insert(number, Draw::Any);
            }
            Use::Added { target, operator } => {
                check_column(facts, *target)?;
                let operator = facts.operator(*operator);
                if operator == "+" {
                    plan.added.push((number, target.number));
                }
                let draw = match operator {
                    "*" | "/" | "%" => Draw::Constant(1),
                    _ => Draw::Small,
                };
                plan.draws.insert(number, draw);
            }
            Use::Written(column) => {
                check_column(facts, *column)?;
                match new.contains(&column.number) {
                    true => {
                        let pool = PoolKey {
                            relation: column.relation,
                            columns: vec![column.number],
                            is_top: true,
                            ..PoolKey::default()
                        };
                        plan.draws.insert(number, Draw::New { pool });
                    }
                    false => rows.add(number, *column, true, false),
                }
            }
            Use::Listed { column, operator } => {
                check_column(facts, *column)?;
                match facts.comparison(*operator, false) {
                    Ok(EQUAL) => rows.add(number, *column, false, true),
                    other => return Err(uncompared(facts, number, *column, other.err())),
                }
            }
            Use::Compared {
                column,
                operator,
                column_is_right,
            } => {
                check_column(facts, *column)?;
                match facts.comparison(*operator, *column_is_right) {
                    Ok(EQUAL) => rows.add(number, *column, false, false),
                    Ok(LESS | LESS_OR_EQUAL) => {
                        limits
                            .entry((column.place, *column))
                            .or_default()
                            .1
                            .push(number);
                    }
                    Ok(_) => limits
                        .entry((column.place, *column))
                        .or_default()
                        .0
                        .push(number),
                    Err(name) if name == "<>" => {
                        plan.is_uncertain = true;
                        plan.has_bound = true;
                        rows.add(number, *column, false, false);
                    }
                    Err(name) => return Err(uncompared(facts, number, *column, Some(name))),
                }
            }
        }
    }
    for ((_, column), (lower, upper)) in limits {
        let value = bounds(facts, column, &lower, &upper, &mut plan)?;
        rows.add(value, column, false, false);
    }
    // A list of keys has as many values as a call has rows.
    let is_key = |column: &Column| {
        let known = facts.columns.get(&(column.relation, column.number));
        known.is_some_and(|it| it.is_key)
    };
    plan.is_uncertain |= match lists.as_slice() {
        [] => false,
        [only] if uses.command != Command::Select => !is_key(only),
        _ => true,
    };
    if plan.is_uncertain && uses.command != Command::Select {
        return Err("it writes an unknown share of the rows".to_owned());
    }
    plan.draws.extend(rows.draws());
    let target = uses.target.and_then(|oid| facts.relations.get(&oid));
    if let Some(target) = target.filter(|_| uses.command == Command::Update) {
        let changed = target.changed();
        plan.is_in_order = changed == Changed::Neighbours;
        if changed != Changed::Anywhere {
            plan.in_order = plan.sought(target.oid);
        }
    }
    Ok(plan)
}

/// The oids of the functions left and right: a text that they cut stays as long as those of its column are.
const CUTTING: [u32; 2] = [3060, 3061];
/// The LIMIT of a subquery whose rows are counted: large, since it is mostly meant to change nothing.
const INNER_LIMIT: i64 = 1_000;
const LESS: i16 = 1;
const LESS_OR_EQUAL: i16 = 2;
const EQUAL: i16 = 3;
