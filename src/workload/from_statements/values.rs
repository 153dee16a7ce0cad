//! Where the values of a statement's parameters come from.

use super::facts::{ColumnFact, Facts, Function};
use super::uses::{Column, Command, Use, Uses};
use std::collections::{BTreeMap, BTreeSet};

/// The columns of a table whose values are drawn together.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PoolKey {
    pub relation: u32,
    pub columns: Vec<i16>,
    /// Arrays of so many values of the only column; 0: of a number that is not known yet.
    pub list: Option<i64>,
    /// The values are only written, so that nothing is known of how many rows have them.
    pub is_written: bool,
}

/// Which of the rows that are drawn from a pool. Statements of one transaction share those that are alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub pool: PoolKey,
    /// Its values are written, so they are not those of the row that is looked for.
    pub is_written: bool,
    pub number: usize,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// A value of a row; `column`: which of the pool's.
    Value { row: Row, column: usize },
    /// So much above another parameter, the lower end of a range.
    Above { parameter: usize, by: Option<i64> },
    /// So many rows are skipped.
    Skip { by: Option<i64> },
    /// An array of values of the only column of a pool.
    List { pool: PoolKey, length: Option<i64> },
    /// A small number, negative or positive.
    Small,
    /// As many rows as a call has returned.
    Rows,
    /// A literal.
    Constant(i64),
    /// Something without effect on the rows.
    Any,
}

/// The values of a statement, by the number of the parameter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    pub draws: BTreeMap<usize, Draw>,
    /// Whether the values may be such that a call does far more or less than it did: it has to be tried.
    pub is_uncertain: bool,
}

impl Plan {
    /// The pools that it draws from.
    pub fn pools(&self) -> BTreeSet<PoolKey> {
        let draws = self.draws.values();
        draws
            .filter_map(|draw| match draw {
                Draw::Value { row, .. } => Some(row.pool.clone()),
                Draw::List { pool, .. } => Some(pool.clone()),
                _ => None,
            })
            .collect()
    }

    /// Makes ranges so wide, lists so long, and skips so many rows.
    pub fn set_width(&mut self, width: i64) {
        for draw in self.draws.values_mut() {
            match draw {
                Draw::Above { by, .. } | Draw::Skip { by } => *by = Some(width),
                Draw::List { length, .. } => *length = Some(width.max(1)),
                _ => {}
            }
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
    check(uses, facts, writes)?;
    let mut rows = Rows::default();
    let mut plan = Plan::default();
    let mut lists: Vec<Column> = Vec::new();
    let mut bounds: BTreeMap<(usize, Column), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
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
            Use::InnerLimit => {
                plan.is_uncertain = true;
                plan.draws.insert(number, Draw::Constant(INNER_LIMIT));
            }
            Use::Offset { operator } => match facts.operator(*operator) {
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
            Use::Added(column) => {
                check_column(facts, *column)?;
                plan.draws.insert(number, Draw::Small);
            }
            Use::Written(column) => {
                check_column(facts, *column)?;
                rows.add(number, *column, true, false);
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
                        bounds
                            .entry((column.place, *column))
                            .or_default()
                            .1
                            .push(number);
                    }
                    Ok(_) => bounds
                        .entry((column.place, *column))
                        .or_default()
                        .0
                        .push(number),
                    Err(name) if name == "<>" => {
                        plan.is_uncertain = true;
                        rows.add(number, *column, false, false);
                    }
                    Err(name) => return Err(uncompared(facts, number, *column, Some(name))),
                }
            }
        }
    }
    for ((_, column), (lower, upper)) in bounds {
        let is_integer = facts
            .columns
            .get(&(column.relation, column.number))
            .is_some_and(|it| it.is_integer);
        plan.is_uncertain = true;
        match (lower.as_slice(), upper.as_slice()) {
            ([low], [high]) if is_integer => {
                rows.add(*low, column, false, false);
                let by = None;
                plan.draws.insert(
                    *high,
                    Draw::Above {
                        parameter: *low,
                        by,
                    },
                );
            }
            ([only], []) | ([], [only]) => rows.add(*only, column, false, false),
            _ => {
                return Err(format!(
                    "{} is compared with a range, and is no integer",
                    name(facts, column)
                ));
            }
        }
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
    Ok(plan)
}

/// The LIMIT of a subquery whose rows are counted: large, since it is mostly meant to change nothing.
const INNER_LIMIT: i64 = 1_000;
const LESS: i16 = 1;
const LESS_OR_EQUAL: i16 = 2;
const EQUAL: i16 = 3;

/// What concerns a statement as a whole.
fn check(uses: &Uses, facts: &Facts, writes: bool) -> Result<(), String> {
    let relations = || {
        uses.relations
            .iter()
            .filter_map(|oid| facts.relations.get(oid))
    };
    let is_system = |schema: &str| ["pg_catalog", "information_schema"].contains(&schema);
    if let Some(own) = relations().find(|it| it.schema.starts_with("pgperf")) {
        return Err(format!("it reads {}, which is pgperf's own", own.qualified));
    }
    if relations().next().is_some() && relations().all(|it| is_system(&it.schema)) {
        return Err("it reads system catalogs alone".to_owned());
    }
    if let Some(temporary) = relations().find(|it| it.is_temporary) {
        return Err(format!("{} is a temporary table", temporary.name));
    }
    if uses.command == Command::Merge {
        return Err("it is a MERGE".to_owned());
    }
    let mut volatile = uses
        .functions
        .iter()
        .filter_map(|oid| facts.functions.get(oid));
    let is_allowed = |it: &&Function| it.is_nextval && uses.command == Command::Insert;
    if let Some(function) = volatile.find(|it| it.is_volatile && !is_allowed(it)) {
        return Err(format!("it calls the volatile function {}", function.name));
    }
    if uses.writes && !writes {
        return Err("it writes or locks rows: writes => true includes it".to_owned());
    }
    let Some(target) = uses.target else {
        return Ok(());
    };
    let keys = || facts.keys.iter().filter(|key| key.relation == target);
    let written = |number: &i16| match uses.command {
        Command::Insert => uses.given.contains(number),
        _ => false,
    };
    let collides = keys().find(|key| key.columns.iter().all(written));
    if let Some(key) = collides.filter(|_| !uses.resolves_conflicts) {
        return Err(format!(
            "it would insert keys that exist (\"{}\")",
            key.name
        ));
    }
    let updated = uses.parameters.values().filter_map(|it| match it {
        Use::Written(column) if uses.command == Command::Update => Some(column.number),
        _ => None,
    });
    for number in updated {
        if let Some(key) = keys().find(|key| key.columns.contains(&number)) {
            return Err(format!("it would write keys that exist (\"{}\")", key.name));
        }
    }
    Ok(())
}

/// Whether values can be drawn from a column.
fn check_column(facts: &Facts, column: Column) -> Result<(), String> {
    let relation = facts
        .relations
        .get(&column.relation)
        .cloned()
        .unwrap_or_default();
    let known = facts.columns.get(&(column.relation, column.number));
    match known {
        _ if !["r", "p", "m"].contains(&relation.kind.as_str()) => {
            Err(format!("{} is no table", relation.qualified))
        }
        Some(ColumnFact {
            is_readable: true, ..
        }) => Ok(()),
        _ => Err(format!("permission denied for {}", name(facts, column))),
    }
}

fn uncompared(facts: &Facts, number: usize, column: Column, operator: Option<String>) -> String {
    let operator = operator.unwrap_or_default();
    format!(
        "parameter ${number} is compared with {} by {operator}",
        name(facts, column)
    )
}

fn name(facts: &Facts, column: Column) -> String {
    let relation = facts.relations.get(&column.relation);
    let relation = relation.map_or("", |it| it.name.as_str());
    let known = facts.columns.get(&(column.relation, column.number));
    format!("{relation}.{}", known.map_or("", |it| it.name.as_str()))
}

/// The rows that a statement needs: parameters for different columns of one table come from one row.
#[derive(Default)]
struct Rows {
    /// By role, place in the statement, and how many times the same column came before: parameters and their columns.
    groups: BTreeMap<(bool, usize, usize), Vec<(usize, Column)>>,
}

impl Rows {
    fn add(&mut self, parameter: usize, column: Column, is_written: bool, is_alone: bool) {
        let mut number = 0;
        loop {
            let group = self
                .groups
                .entry((is_written, column.place, number))
                .or_default();
            let is_free = group.is_empty() || !is_alone;
            if is_free && group.iter().all(|(_, known)| known.number != column.number) {
                group.push((parameter, column));
                return;
            }
            number += 1;
        }
    }

    fn draws(self) -> Vec<(usize, Draw)> {
        let mut counts: BTreeMap<(bool, PoolKey), usize> = BTreeMap::new();
        let mut draws = Vec::new();
        for ((is_written, ..), members) in self.groups {
            let columns: BTreeSet<i16> = members.iter().map(|(_, column)| column.number).collect();
            let pool = PoolKey {
                relation: members.first().map_or(0, |(_, column)| column.relation),
                columns: columns.into_iter().collect(),
                is_written,
                ..PoolKey::default()
            };
            let count = counts.entry((is_written, pool.clone())).or_default();
            let row = Row {
                pool,
                is_written,
                number: *count,
            };
            *count += 1;
            for (parameter, column) in members {
                let place = row.pool.columns.iter().position(|it| *it == column.number);
                let column = place.unwrap_or_default();
                let row = row.clone();
                draws.push((parameter, Draw::Value { row, column }));
            }
        }
        draws
    }
}
