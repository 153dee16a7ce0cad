//! The scripts and statements of a run on several nodes, made of those of its parts.

use super::figures::{Pooled, mean, per_second, sum};
use super::member::Member;
use super::whole::key;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::run::record::rows::{ScriptRow, StatementRow, StatementUsage, TimeSplit, encoded};
use crate::run::record::run_row::StoredRun;
use engine::Outcomes;
use measure::Latency;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What a script did on a node.
#[derive(Debug, Clone, Deserialize)]
struct PartScript {
    script_no: usize,
    script: String,
    weight: u32,
    transactions: u64,
    #[serde(flatten)]
    outcomes: Outcomes,
    #[serde(flatten)]
    latency: Latency,
    digits: Option<String>,
}

/// Of those that are here.
///
/// # Errors
/// A row cannot be read.
pub fn scripts(run: &StoredRun, members: &[Member], seconds: f64) -> Result<Vec<ScriptRow>> {
    let mut rows: BTreeMap<usize, (ScriptRow, Pooled)> = BTreeMap::new();
    for (node_id, run_id) in members.iter().filter_map(key) {
        let parts: Vec<PartScript> = spi::select(
            "SELECT s.*, pg_catalog.encode(s.histogram, 'hex') AS digits FROM pgperf.run_scripts s \
              WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2",
            &[node_id.into(), run_id.into()],
        )?;
        for part in parts {
            let (row, pooled) = rows.entry(part.script_no).or_insert_with(|| {
                let row = ScriptRow {
                    node_id: run.node_id.clone(),
                    run_id: run.run_id,
                    script_no: part.script_no,
                    script: part.script.clone(),
                    weight: part.weight,
                    transactions: 0,
                    tps: 0.0,
                    failed: 0,
                    outcomes: Outcomes::default(),
                    latency: Latency::default(),
                    histogram: None,
                };
                (row, Pooled::default())
            });
            row.transactions += part.transactions;
            row.outcomes.merge(&part.outcomes);
            pooled.add(part.transactions, &part.latency, part.digits.as_deref())?;
        }
    }
    let whole = rows.into_values().map(|(row, pooled)| ScriptRow {
        tps: per_second(row.transactions, seconds),
        failed: row.outcomes.failed(),
        latency: pooled.latency(),
        histogram: encoded(&pooled.histogram),
        ..row
    });
    Ok(whole.collect())
}

/// What a command did on a node.
#[derive(Debug, Clone, Deserialize)]
struct PartStatement {
    script_no: usize,
    script: String,
    command_no: usize,
    statement: String,
    is_sql: bool,
    calls: u64,
    failed: u64,
    retries: u64,
    #[serde(flatten)]
    latency: Latency,
    #[serde(flatten)]
    time: TimeSplit,
    #[serde(flatten)]
    usage: StatementUsage,
    digits: Option<String>,
}

/// The same of statements.
///
/// # Errors
/// A row cannot be read.
pub fn statements(run: &StoredRun, members: &[Member]) -> Result<Vec<StatementRow>> {
    let mut commands: BTreeMap<(usize, usize), Vec<PartStatement>> = BTreeMap::new();
    for (node_id, run_id) in members.iter().filter_map(key) {
        let parts: Vec<PartStatement> = spi::select(
            "SELECT s.*, pg_catalog.encode(s.histogram, 'hex') AS digits FROM pgperf.run_statements s \
              WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2",
            &[node_id.into(), run_id.into()],
        )?;
        for part in parts {
            let place = (part.script_no, part.command_no);
            commands.entry(place).or_default().push(part);
        }
    }
    let whole = commands
        .into_values()
        .filter_map(|parts| statement(run, &parts).transpose());
    whole.collect()
}

fn statement(run: &StoredRun, parts: &[PartStatement]) -> Result<Option<StatementRow>> {
    let Some(first) = parts.first() else {
        return Ok(None);
    };
    let mut pooled = Pooled::default();
    for part in parts {
        pooled.add(part.calls, &part.latency, part.digits.as_deref())?;
    }
    let all = |value: fn(&StatementUsage) -> Option<u64>| {
        sum(parts.iter().map(|part| value(&part.usage)))
    };
    Ok(Some(StatementRow {
        node_id: run.node_id.clone(),
        run_id: run.run_id,
        script_no: first.script_no,
        script: first.script.clone(),
        command_no: first.command_no,
        statement: first.statement.clone(),
        is_sql: first.is_sql,
        calls: parts.iter().map(|part| part.calls).sum(),
        failed: parts.iter().map(|part| part.failed).sum(),
        retries: parts.iter().map(|part| part.retries).sum(),
        latency: pooled.latency(),
        time: split(parts.iter().map(|part| (part.time, part.calls))),
        usage: StatementUsage {
            rows: all(|it| it.rows),
            shared_blks_hit: all(|it| it.shared_blks_hit),
            shared_blks_read: all(|it| it.shared_blks_read),
            shared_blks_dirtied: all(|it| it.shared_blks_dirtied),
            shared_blks_written: all(|it| it.shared_blks_written),
            wal_records: all(|it| it.wal_records),
            wal_fpi: all(|it| it.wal_fpi),
            wal_bytes: all(|it| it.wal_bytes),
        },
        histogram: encoded(&pooled.histogram),
        started_at: None,
    }))
}

/// The parts of the average of all, from averages of so many.
pub fn split(parts: impl Iterator<Item = (TimeSplit, u64)> + Clone) -> TimeSplit {
    let of_each = |value: fn(&TimeSplit) -> Option<f64>| {
        mean(parts.clone().map(|(time, count)| (value(&time), count)))
    };
    TimeSplit {
        parse_ms: of_each(|it| it.parse_ms),
        plan_ms: of_each(|it| it.plan_ms),
        execute_ms: of_each(|it| it.execute_ms),
        commit_ms: of_each(|it| it.commit_ms),
        first_byte_ms: of_each(|it| it.first_byte_ms),
        receive_ms: of_each(|it| it.receive_ms),
    }
}
