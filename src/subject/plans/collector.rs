//! Plans of the statements that take most of the time.
//!
//! A statement is planned when it comes to the top, again a day later, and when its mean time or its blocks per call leave their spread,
//! which the rows of `statement_history` tell (`due.sql`). [`generic_plan`] plans it with the rights and settings of its role; again with the index
//! that the plan lacks ([`super::candidate`]), where hypopg can show it to the planner.

use super::candidate::{self, Candidate, Planned};
use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use crate::pg::error::SqlError;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::{generic_plan, spi, xact};
use crate::show::plan;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "plans",
    cost: Cost::Medium,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::IfNamed,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: Some("pg_stat_statements"),
    watches_clients: false,
    report: None,
    history_tables: &["plan_history"],
    description: "plans of the statements with most time: when they come to the top, and when their time or blocks change",
    of_target: None,
    read: Read::InParts(read),
};

/// So many statements are planned in a sample at most, none after this time, and none for longer than that.
const MAX_PLANS: usize = 10;
const BUDGET: Duration = Duration::from_millis(250);
const LIMIT: Duration = Duration::from_millis(500);
/// Most characters of a text.
const MAX_TEXT: usize = 10_000;
/// So many relations of a plan are named.
const MAX_RELATIONS: usize = 20;
/// Somebody has locked a table: another sample may have more luck.
const LOCKED: [&str; 2] = ["55P03", "40P01"];

/// A statement to plan, and the columns of its row that are known before.
#[derive(Deserialize)]
struct Due {
    query: String,
    queryid: i64,
    userid: u32,
    blocks_per_call: f64,
    rows_per_call: f64,
    reason: Option<String>,
    #[serde(flatten)]
    row: Row,
}

/// The text of a plan, and what the planner expected of it.
struct Plan {
    text: String,
    total_cost: Option<f64>,
    plan_rows: Option<f64>,
    /// Their schemas, and their names.
    relations: (Vec<String>, Vec<String>),
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let node = scope.node_id.as_str();
    let due: Vec<Due> = parts.part(|| {
        let args = [node.into(), server::database().into()];
        // The rows of this sample, too, where all of it is one transaction.
        xact::with_latest_snapshot(|| spi::select(include_str!("due.sql"), &args))
    })?;
    let (began, count) = (Instant::now(), due.len());
    let (mut planned, mut texts, mut known) = (Vec::new(), Vec::new(), HashSet::new());
    let (mut tried, mut locked) = (0, 0);
    let mut unreadable = BTreeSet::new();
    for due in due.into_iter().take(MAX_PLANS) {
        if began.elapsed() > BUDGET {
            break;
        }
        tried += 1;
        let Some(made) = parts.part(|| one(node, due))? else {
            locked += 1;
            continue;
        };
        if let Some(text) = made.new_text
            && known.insert(text.get("plan_hash").and_then(Value::as_i64))
        {
            texts.push(text);
        }
        planned.push(made.row);
        unreadable.extend(made.notes);
    }
    let left = count - tried;
    let mut notes: Vec<String> = unreadable.into_iter().collect();
    if left > 0 {
        notes.push(format!("plans of {left} statements will follow"));
    }
    if locked > 0 {
        notes.push(format!("tables of {locked} statements are locked"));
    }
    Ok(Reading {
        tables: vec![
            ("plan_texts", rows::values(texts).into()),
            ("plan_history", rows::values(planned).into()),
        ],
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    })
}

/// What the server and the history know of a plan.
#[derive(Default, Deserialize)]
struct Known {
    /// As SQL names them.
    relations: Option<String>,
    is_known: bool,
}

const KNOWN: &str = "SELECT (SELECT pg_catalog.string_agg(pg_catalog.format('%I.%I', r.schema, r.name), ', ' ORDER BY r.no) \
        FROM ROWS FROM (pg_catalog.unnest($3), pg_catalog.unnest($4)) WITH ORDINALITY r (schema, name, no)) AS relations, \
     EXISTS (SELECT FROM pgperf.plan_texts t WHERE t.node_id = $1::pg_catalog.uuid AND t.plan_hash = $2) AS is_known";

/// A row, and its plan if that has no text yet.
struct Made {
    row: Row,
    new_text: Option<Row>,
    /// Why other extensions cannot be read.
    notes: Vec<String>,
}

/// None: a table is locked.
fn one(node: &str, due: Due) -> Result<Option<Made>> {
    let Due {
        query,
        queryid,
        userid,
        blocks_per_call,
        rows_per_call,
        reason,
        mut row,
    } = due;
    row.insert("queryid".to_owned(), queryid.into());
    row.insert("userid".to_owned(), userid.into());
    row.insert("blocks_per_call".to_owned(), blocks_per_call.into());
    let role = Oid::from(userid);
    let plan = match reason {
        Some(reason) => Err(reason),
        None => match explain(&query, role, Seen::Existing)? {
            Ok(text) => read_plan(&text),
            Err(error) if LOCKED.contains(&error.sqlstate.as_str()) => return Ok(None),
            Err(error) => Err(error.message),
        },
    };
    let (mut new_text, mut notes) = (None, Vec::new());
    match plan {
        Err(reason) => {
            row.insert("reason".to_owned(), reason.into());
        }
        Ok(plan) => {
            let hash = plan::hash(&plan.text);
            row.insert("plan_hash".to_owned(), hash.into());
            row.insert("total_cost".to_owned(), plan.total_cost.into());
            row.insert("plan_rows".to_owned(), plan.plan_rows.into());
            let (schemas, names) = plan.relations;
            let args = [node.into(), hash.into(), schemas.into(), names.into()];
            let Known {
                relations,
                is_known,
            } = spi::select_one(KNOWN, &args)?.unwrap_or_default();
            row.insert("relations".to_owned(), relations.into());
            if !is_known {
                let text: String = plan.text.chars().take(MAX_TEXT).collect();
                let text = json!({"plan_hash": hash, "plan": text});
                new_text = text.as_object().cloned();
            }
            let planned = Planned {
                queryid,
                userid: role,
                dbid: server::database(),
                plan: &plan.text,
                blocks: blocks_per_call,
                rows: rows_per_call,
            };
            notes = add_candidate(&mut row, &planned, &query)?;
        }
    }
    Ok(Some(Made {
        row,
        new_text,
        notes,
    }))
}

/// The columns of the index that the plan lacks. Why something of it is not known.
fn add_candidate(row: &mut Row, planned: &Planned, query: &str) -> Result<Vec<String>> {
    let (candidate, unread) = candidate::of_plan(planned)?;
    let mut notes: Vec<String> = unread.into_iter().collect();
    if let Some(candidate) = candidate {
        let (cost, unread) = candidate
            .while_seen(|| cost_with(query, planned.userid))?
            .split();
        notes.extend(unread);
        let Candidate {
            index_relation,
            index_columns,
            index_rows,
            ..
        } = candidate;
        row.insert("index_relation".to_owned(), index_relation.into());
        row.insert("index_columns".to_owned(), index_columns.into());
        row.insert("index_rows".to_owned(), index_rows.into());
        row.insert("index_cost".to_owned(), cost.flatten().into());
    }
    Ok(notes)
}

/// The cost of the plan that the statement's role would get.
fn cost_with(query: &str, role: Oid) -> Result<Option<f64>> {
    let text = explain(query, role, Seen::Hypothetical)?.ok();
    Ok(text.and_then(|text| read_plan(&text).ok()?.total_cost))
}

/// The indexes that the planner sees.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Existing,
    /// Those of hypopg, too.
    Hypothetical,
}

/// Where hypopg is loaded, whether the planner sees its indexes.
const HYPOTHETICAL: &str = "hypopg.enabled";

/// The plan of a statement as its role would get it, in the server's words.
fn explain(query: &str, role: Oid, seen: Seen) -> Result<std::result::Result<String, SqlError>> {
    #[derive(Deserialize)]
    struct Setting {
        name: String,
        value: String,
    }
    let settings: Vec<Setting> = spi::select(
        include_str!("settings.sql"),
        &[role.into(), server::database().into()],
    )?;
    let mut settings: Vec<(String, String)> = settings
        .into_iter()
        .map(|Setting { name, value }| match name.as_str() {
            // Nobody's temporary tables take the place of others.
            "search_path" if value.trim().is_empty() => (name, "pg_temp".to_owned()),
            "search_path" => (name, format!("{value}, pg_temp")),
            _ => (name, value),
        })
        .collect();
    // A setting that there is not would be one from now on.
    if setting::text(HYPOTHETICAL).is_some() {
        let is_on = (seen == Seen::Hypothetical).to_string();
        settings.push((HYPOTHETICAL.to_owned(), is_on));
    }
    Ok(generic_plan::explain(query, role, &settings, LIMIT))
}

fn read_plan(text: &str) -> std::result::Result<Plan, String> {
    let explained: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let (total_cost, plan_rows) = plan::estimates(&explained);
    let relations = plan::relations(&explained).into_iter();
    Ok(Plan {
        text: plan::with_conditions(&explained),
        relations: relations.take(MAX_RELATIONS).unzip(),
        total_cost,
        plan_rows,
    })
}
