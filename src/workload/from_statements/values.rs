//! Where the values of a statement's parameters come from.

use super::facts::{ColumnFact, Facts, Function};
use super::uses::{Column, Command, Use, Uses};
use std::collections::{BTreeMap, BTreeSet};

/// The columns of a table whose values are drawn together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PoolKey {
    pub relation: u32,
    pub columns: Vec<i16>,
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
    /// A small number, negative or positive.
    Small,
    /// As many rows as a call has returned.
    Rows,
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
                _ => None,
            })
            .collect()
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
    if plan.is_uncertain && uses.command != Command::Select {
        return Err("it writes an unknown share of the rows".to_owned());
    }
    plan.draws.extend(rows.draws());
    Ok(plan)
}

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
