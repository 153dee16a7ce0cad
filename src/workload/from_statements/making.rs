//! Makes a workload out of statements: reads them, finds out where their values come from, writes the scripts, and stores them.

use super::analyzed::{analyzed, is_begin, is_control};
use super::candidate::{Candidate, Look, order, part, wanted};
use super::facts::Facts;
use super::scripts::{self, IncludedStatement, Pools};
use super::source::{self, Observed};
use super::transactions::{Counted, Evidence, group};
use crate::error::{Result, hinted, invalid};
use crate::pg::error::say;
use crate::pg::session::setting;
use crate::workload::own::Own;
use crate::workload::script_limits::MAX_COMMANDS;
use crate::workload::scripts::ScriptSpec;
use crate::workload::stored::{self, Definition};
use pgrx::PgLogLevel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
pub struct StatementOutcome {
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
/// A workload of less than this share of all statements is not the application's load.
const MOST_OF_ALL: f64 = 80.0;
const MAX_POOL_ROWS: i32 = 1_000_000;

/// See [`super`].
///
/// # Errors
/// A wrong argument; a name that is taken; no statement that could be part of a workload.
pub fn create(given: Given) -> Result<Vec<StatementOutcome>> {
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
    let mut observed = window.statements;
    observed.retain(|it| !it.query.as_deref().is_some_and(is_control));
    let all: f64 = observed.iter().map(weight).sum();
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
            Ok((text, uses, types)) => {
                let observed = statement.clone();
                let candidate = Candidate {
                    observed,
                    text,
                    uses,
                    types,
                };
                candidates.insert(number, candidate);
                None
            }
            Err(reason) => Some(reason),
        });
    }
    let mut parts: BTreeMap<usize, IncludedStatement> = BTreeMap::new();
    let facts = Facts::find(&wanted(candidates.values()))?;
    let mut pools = Pools::new();
    let look = Look::new(
        candidates.values(),
        &facts,
        given.writes,
        i64::from(pool_rows),
    );
    let mut commands = 0;
    for (number, candidate) in &candidates {
        match part(candidate, &look, &mut pools)? {
            Ok(part) if commands + part.most_commands() > MAX_COMMANDS => {
                reasons[*number] = Some(format!(
                    "the scripts would have more than {MAX_COMMANDS} commands"
                ));
            }
            Ok(part) => {
                commands += part.most_commands();
                parts.insert(*number, part);
            }
            Err(reason) => reasons[*number] = Some(reason),
        }
    }
    let numbers: Vec<usize> = parts.keys().copied().collect();
    let listed: Vec<IncludedStatement> = parts.into_values().collect();
    let counted: Vec<Counted> = (numbers.iter().zip(&listed))
        .map(|(number, part)| Counted {
            calls: observed[*number].calls,
            order: order(&candidates[number], part, &facts),
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
                times: times * group.rounds,
                observed: observed[statement].clone(),
            });
        }
        specs.push(ScriptSpec::new(&title, &text, weight as u32));
    }
    let outcomes: Vec<StatementOutcome> = (observed.into_iter().zip(reasons).enumerate())
        .map(|(number, (statement, reason))| StatementOutcome {
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
    let included = outcomes.iter().filter(|it| it.script.is_some());
    let share: f64 = included.filter_map(|it| it.share_percent).sum();
    if all > 0.0 && share < MOST_OF_ALL {
        let of = if by_time { "time" } else { "calls" };
        say(
            PgLogLevel::NOTICE,
            format!(
                "the workload has statements with {share:.1} % of the {of} of all; outcome says why others are left out"
            ),
        );
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

fn nothing(outcomes: &[StatementOutcome]) -> crate::error::Error {
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
