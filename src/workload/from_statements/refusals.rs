//! Why a statement cannot be part of a workload, as far as the catalog tells.

use super::facts::{ColumnFact, Facts, Function, Key};
use super::uses::{Column, Command, Uses};

/// What concerns a statement as a whole.
pub fn check_statement(uses: &Uses, facts: &Facts, writes: bool) -> Result<(), String> {
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
    let types = uses.types.iter().filter_map(|oid| facts.types.get(oid));
    let mut checked = types.filter(|it| it.has_volatile_checks && uses.command == Command::Select);
    if let Some(checked) = checked.next() {
        return Err(format!(
            "the checks of type {} call a volatile function",
            checked.name
        ));
    }
    if uses.writes && !writes {
        return Err("it writes or locks rows: writes => true includes it".to_owned());
    }
    let Some(target) = uses.target else {
        return Ok(());
    };
    let is_changed = |key: &&Key| {
        let mut changed = uses.from_parameters.iter();
        key.relation == target && changed.any(|column| key.depends_on(*column))
    };
    match facts.keys.iter().find(is_changed) {
        Some(key) if uses.command == Command::Update => Err(format!(
            "it would write keys that exist, or rows into a unique index (\"{}\")",
            key.name
        )),
        _ => Ok(()),
    }
}

/// Whether values can be drawn from a column.
pub fn check_column(facts: &Facts, column: Column) -> Result<(), String> {
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

pub fn uncompared(
    facts: &Facts,
    number: usize,
    column: Column,
    operator: Option<String>,
) -> String {
    let operator = operator.unwrap_or_default();
    format!(
        "parameter ${number} is compared with {} by {operator}",
        name(facts, column)
    )
}

pub fn no_range(facts: &Facts, column: Column) -> String {
    format!(
        "{} has bounds that are no range of numbers, dates or times",
        name(facts, column)
    )
}

fn name(facts: &Facts, column: Column) -> String {
    let relation = facts.relations.get(&column.relation);
    let relation = relation.map_or("", |it| it.name.as_str());
    let known = facts.columns.get(&(column.relation, column.number));
    format!("{relation}.{}", known.map_or("", |it| it.name.as_str()))
}
