//! Makes a workload out of statements: reads them, finds out where their values come from, writes the scripts, and stores them.

use super::analyzed::{analyzed, is_begin, is_control};
use super::facts::{Facts, Wanted};
use super::pools::Pool;
use super::scripts::{self, Part, Pools, fresh};
use super::source::{self, Observed};
use super::transactions::{Counted, Evidence, group};
use super::trial;
use super::uses::{Command, Use, Uses};
use super::values::{PoolKey, plan};
use crate::error::{Result, hinted, invalid};
use crate::pg::session::setting;
use crate::workload::own::Own;
use crate::workload::scripts::ScriptSpec;
use crate::workload::stored::{self, Definition};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Given {
    name: Option<String>,
    top: Option<i32>,
    by: Option<String>,
    from_time: Option<String>,
    to_time: Option<String>,
    writes: bool,
    transactions: Option<bool>,
    pool_rows: Option<i32>,
    replace: bool,
    description: Option<String>,
}

/// What became of a statement.
#[derive(Debug)]
pub struct Outcome {
    /// None: hidden from the caller.
    pub queryid: Option<i64>,
    /// Of the time, or of the calls, of all statements. None: they took none.
    pub share_percent: Option<f64>,
    pub calls: i64,
    /// The script that has it.
    pub script: Option<String>,
    /// `included`, or why it is not.
    pub outcome: String,
    pub statement: Option<String>,
}

/// Where a workload comes from, as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    pub seconds: Option<f64>,
    /// Transactions per second, of the statements that the workload has.
    pub rate: Option<f64>,
    pub statements: Vec<OriginStatement>,
}

/// A statement of a workload, as it was observed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OriginStatement {
    /// The number of its script and of its command, from 0.
    pub script: usize,
    pub command: usize,
    /// How often it is run in a transaction of the script.
    pub times: u32,
    #[serde(flatten)]
    pub observed: Observed,
}

/// The largest weight of a script: fine enough, and far from the limit of weights.
const MAX_WEIGHT: f64 = 1e6;
const MAX_TOP: i32 = 100;
const MAX_POOL_ROWS: i32 = 1_000_000;

/// A statement whose values are being sought.
struct Candidate {
    observed: Observed,
    uses: Uses,
    types: Vec<u32>,
}

/// See [`super`].
///
/// # Errors
/// A wrong argument; a name that is taken; no statement that could be part of a workload.
pub fn create(given: Given) -> Result<Vec<Outcome>> {
    let name = given
        .name
        .clone()
        .ok_or_else(|| invalid("name must not be NULL".to_owned()))?;
    stored::check_name(&name)?;
    stored::check_free(&name, given.replace)?;
    let top = in_range("top", given.top.unwrap_or(20), MAX_TOP)?;
    let pool_rows = in_range(
        "pool_rows",
        given.pool_rows.unwrap_or(10_000),
        MAX_POOL_ROWS,
    )?;
    let by_time = match given.by.as_deref().unwrap_or("time") {
        "time" => true,
        "calls" => false,
        other => {
            return Err(hinted(
                format!("by must be time or calls, not \"{other}\""),
                "It decides which statements come first.",
            ));
        }
    };
    let window = source::read(given.from_time.as_deref(), given.to_time.as_deref())?;
    let begins: f64 = (window.statements.iter())
        .filter(|it| it.query.as_deref().is_some_and(is_begin))
        .map(|it| it.calls)
        .sum();
    let weight = |it: &Observed| if by_time { it.total_ms } else { it.calls };
    let all: f64 = window.statements.iter().map(weight).sum();
    let mut observed = window.statements;
    observed.retain(|it| !it.query.as_deref().is_some_and(is_control));
    observed.sort_by(|a, b| {
        weight(b)
            .total_cmp(&weight(a))
            .then(a.queryid.cmp(&b.queryid))
    });
    observed.truncate(top as usize);

    let mut reasons: Vec<Option<String>> = Vec::new();
    let mut candidates: BTreeMap<usize, Candidate> = BTreeMap::new();
    for (number, statement) in observed.iter().enumerate() {
        reasons.push(match analyzed(statement) {
            Ok((uses, types)) => {
                let observed = statement.clone();
                let candidate = Candidate {
                    observed,
                    uses,
                    types,
                };
                candidates.insert(number, candidate);
                None
            }
            Err(reason) => Some(reason),
        });
    }
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    let facts = Facts::find(&wanted(candidates.values()))?;
    let mut pools = Pools::new();
    for (number, candidate) in &candidates {
        match part(
            candidate,
            &facts,
            &mut pools,
            given.writes,
            i64::from(pool_rows),
        )? {
            Ok(part) => {
                parts.insert(*number, part);
            }
            Err(reason) => reasons[*number] = Some(reason),
        }
    }
    let numbers: Vec<usize> = parts.keys().copied().collect();
    let listed: Vec<Part> = parts.into_values().collect();
    let counted: Vec<Counted> = (numbers.iter())
        .map(|number| Counted {
            calls: observed[*number].calls,
            order: order(&candidates[number], &facts),
        })
        .collect();
    let evidence = match given.transactions {
        None => Evidence::Begins(begins),
        Some(true) => Evidence::Calls,
        Some(false) => Evidence::None,
    };
    let groups = group(&counted, evidence);
    let heaviest = groups.iter().map(|it| it.calls).fold(1.0, f64::max);
    let mut specs = Vec::new();
    let mut origin = Origin {
        seconds: window.seconds,
        rate: window
            .seconds
            .filter(|seconds| *seconds > 0.0)
            .map(|seconds| groups.iter().map(|it| it.calls).sum::<f64>() / seconds),
        statements: Vec::new(),
    };
    let mut script_of: BTreeMap<usize, String> = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        let text = scripts::script(group, &listed, &pools);
        let title = match groups.len() {
            1 => name.clone(),
            _ => format!("{name} {}", number + 1),
        };
        let weight = (group.calls / heaviest * MAX_WEIGHT).round().max(1.0);
        for ((member, times), command) in group.members.iter().zip(scripts::places(&text)) {
            let statement = numbers[*member];
            script_of.insert(statement, title.clone());
            origin.statements.push(OriginStatement {
                script: number,
                command,
                times: *times,
                observed: observed[statement].clone(),
            });
        }
        specs.push(ScriptSpec::new(&title, &text, weight as u32));
    }
    let outcomes: Vec<Outcome> = (observed.into_iter().zip(reasons).enumerate())
        .map(|(number, (statement, reason))| Outcome {
            share_percent: (all > 0.0).then(|| 100.0 * weight(&statement) / all),
            queryid: statement.queryid,
            calls: statement.calls as i64,
            script: script_of.get(&number).cloned(),
            outcome: reason.unwrap_or_else(|| "included".to_owned()),
            statement: statement.query,
        })
        .collect();
    if specs.is_empty() {
        return Err(nothing(&outcomes));
    }
    stored::keep(
        Definition {
            own: Own {
                name,
                ..Own::default()
            },
            role: String::new(),
            description: given.description,
            scripts: specs,
            variables: BTreeMap::new(),
            settings: settings(),
            origin: Some(serde_json::to_value(origin)?),
        },
        given.replace,
    )?;
    Ok(outcomes)
}

/// Runs find the tables as the statements did when they were analyzed.
fn settings() -> BTreeMap<String, String> {
    let path = setting::text("search_path");
    path.map(|path| ("search_path".to_owned(), path))
        .into_iter()
        .collect()
}

fn in_range(name: &str, value: i32, most: i32) -> Result<i32> {
    match value {
        1.. if value <= most => Ok(value),
        _ => Err(invalid(format!(
            "{name} must be from 1 to {most}, not {value}"
        ))),
    }
}

fn nothing(outcomes: &[Outcome]) -> crate::error::Error {
    let first = outcomes.first();
    let hint = match first {
        None => "pg_stat_statements has no statements of this database, apart from pgperf's own: run some first.".to_owned(),
        Some(first) => format!(
            "For instance: {}: {}.",
            first.statement.as_deref().unwrap_or("a statement of another role"),
            first.outcome
        ),
    };
    hinted("no statement can be part of a workload".to_owned(), &hint)
}

fn wanted<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> Wanted {
    let mut wanted = Wanted::default();
    let wide =
        |oids: &BTreeSet<u32>| -> Vec<i64> { oids.iter().map(|oid| i64::from(*oid)).collect() };
    for candidate in candidates {
        wanted.relations.extend(wide(&candidate.uses.relations));
        wanted.functions.extend(wide(&candidate.uses.functions));
        wanted
            .types
            .extend(candidate.types.iter().map(|oid| i64::from(*oid)));
        for found in candidate.uses.parameters.values() {
            if let Use::Compared { operator, .. }
            | Use::Listed { operator, .. }
            | Use::Array { operator, .. }
            | Use::Offset { operator } = found
            {
                wanted.operators.insert(i64::from(*operator));
            }
        }
    }
    wanted
}

/// A statement with the values of its parameters, or why it has none.
fn part(
    candidate: &Candidate,
    facts: &Facts,
    pools: &mut Pools,
    writes: bool,
    pool_rows: i64,
) -> Result<std::result::Result<Part, String>> {
    let types: Option<Vec<_>> = candidate
        .types
        .iter()
        .map(|oid| facts.types.get(oid))
        .collect();
    let Some(types) = types else {
        return Ok(Err("the type of a parameter is not known".to_owned()));
    };
    let plan = match plan(&candidate.uses, facts, types.len(), writes) {
        Ok(plan) => plan,
        Err(reason) => return Ok(Err(reason)),
    };
    for key in plan.pools() {
        if pools.contains_key(&key) {
            continue;
        }
        match Pool::make(&key, facts, pool_rows)? {
            Ok(pool) => add(pools, key, pool, facts),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    let observed = &candidate.observed;
    let mut part = Part {
        text: observed.query.clone().unwrap_or_default(),
        plan,
        rows: observed.rows_per_call().round() as i64,
        take_zero: types.iter().map(|it| it.takes_zero).collect(),
    };
    if let Err(reason) = scripts::check(&part, pools) {
        return Ok(Err(reason));
    }
    let functions = candidate.uses.functions.iter();
    let mut called = functions.filter_map(|oid| facts.functions.get(oid));
    let foreign = called.find(|it| it.is_foreign);
    let names: Vec<String> = types.iter().map(|it| it.name.clone()).collect();
    if part.plan.is_uncertain {
        if let Some(foreign) = foreign {
            return Ok(Err(format!(
                "its values would have to be tried, which calls the function {} of another role",
                foreign.name
            )));
        }
        if let Err(reason) = trial::settle(&mut part, observed, pools, &names)? {
            return Ok(Err(reason));
        }
    } else if candidate.uses.command == Command::Select && foreign.is_none() {
        for key in part.plan.pools() {
            trial::choose(&part, observed, &key, pools, &names)?;
        }
    } else {
        part.plan.set_width(part.rows);
    }
    for (of, key) in part.plan.settle_lists() {
        if let Some(lists) = pools.get(&of).map(|(_, pool)| pool.lists(key.clone())) {
            add(pools, key, lists, facts);
        }
    }
    Ok(Ok(part))
}

/// Gives a pool a name, unless it has one.
fn add(pools: &mut Pools, key: PoolKey, pool: Pool, facts: &Facts) {
    if !pools.contains_key(&key) {
        let mut taken: BTreeSet<String> = pools.values().map(|(name, _)| name.clone()).collect();
        let relation = facts.relations.get(&key.relation);
        let name = fresh(relation.map_or("", |it| &it.name), &mut taken);
        pools.insert(key, (name, pool));
    }
}

/// From so many reads from disk per call on, a statement is the first of its transaction to touch its rows.
const FIRST_TOUCH: f64 = 0.05;

/// Its place in a transaction: when it was first seen, if that is known. Otherwise what reads from disk comes first, then
/// other reads, then changes of large tables, so that rows that many wait for are locked late.
fn order(candidate: &Candidate, facts: &Facts) -> f64 {
    if let Some(since) = candidate.observed.since {
        return since;
    }
    let reads = candidate.observed.read / candidate.observed.calls.max(1.0);
    if reads >= FIRST_TOUCH {
        return -reads;
    }
    let target = candidate
        .uses
        .target
        .and_then(|oid| facts.relations.get(&oid));
    let pages = target.map_or(0.0, |it| it.pages);
    match candidate.uses.command {
        Command::Select => 0.0,
        Command::Update | Command::Merge => 1.0 + 1.0 / (1.0 + pages),
        Command::Insert => 3.0,
        Command::Delete => 4.0,
    }
}
