//! What a replay has shown, as rows.

use super::spec::ReplaySpec;
use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::error::{SqlError, raise};
use crate::pg::sql::{spi, xact};
use crate::run::record::rows::encoded;
use measure::Latency;
use replay::{Order, Score, Speed};
use serde::Serialize;

/// `pgperf.run_replays`.
#[derive(Debug, Serialize)]
struct ReplayRow {
    node_id: String,
    run_id: i64,
    capture: String,
    speed: Option<f64>,
    commit_order: bool,
    sessions: u64,
    transactions: u64,
    statements: u64,
    transactions_alike: u64,
    transactions_diverged: u64,
    statements_alike: u64,
    statements_diverged: u64,
    statements_left_out: u64,
    transactions_dropped: u64,
    broken_waits: u64,
    late_avg_ms: Option<f64>,
    late_max_ms: Option<f64>,
    lost_sessions: u64,
    refused_settings: u64,
}

/// `pgperf.run_replay_statements`.
#[derive(Debug, Serialize)]
struct StatementRow {
    node_id: String,
    run_id: i64,
    command_no: usize,
    statement: String,
    alike: u64,
    error_new: u64,
    error_gone: u64,
    error_other: u64,
    rows_other: u64,
    not_reached: u64,
    positions: serde_json::Value,
    captured_avg_ms: Option<f64>,
    captured_p50_ms: Option<f64>,
    captured_p95_ms: Option<f64>,
    captured_p99_ms: Option<f64>,
    captured_max_ms: Option<f64>,
    captured_histogram: Option<String>,
}

/// Stores it; outside a transaction.
pub fn store(run_id: i64, spec: &ReplaySpec, score: &Score) -> std::result::Result<(), SqlError> {
    xact::transaction(|| try_store(run_id, spec, score).unwrap_or_else(|error| raise(error)))
}

fn try_store(run_id: i64, spec: &ReplaySpec, score: &Score) -> Result<()> {
    let node_id = node::local_node()?;
    let replay = replay_row(&node_id, run_id, spec, score);
    let named = spec.statements.iter().zip(&score.statements).enumerate();
    let statements = named.map(|(number, (text, counted))| {
        let captured = Latency::new(&counted.captured.moments, &counted.captured.histogram);
        let [error_new, error_gone, error_other, rows_other, not_reached] = counted.diverged;
        Ok(StatementRow {
            node_id: node_id.clone(),
            run_id,
            command_no: number,
            statement: text.clone(),
            alike: counted.alike(),
            error_new,
            error_gone,
            error_other,
            rows_other,
            not_reached,
            positions: serde_json::to_value(counted.first_positions())?,
            captured_avg_ms: captured.latency_avg_ms,
            captured_p50_ms: captured.latency_p50_ms,
            captured_p95_ms: captured.latency_p95_ms,
            captured_p99_ms: captured.latency_p99_ms,
            captured_max_ms: captured.latency_max_ms,
            captured_histogram: encoded(&counted.captured.histogram),
        })
    });
    let statements: Vec<StatementRow> = statements.collect::<Result<_>>()?;
    role::as_owner(|| {
        spi::insert("pgperf.run_replays", &replay)?;
        (statements.iter()).try_for_each(|row| spi::insert("pgperf.run_replay_statements", row))
    })
}

fn replay_row(node_id: &str, run_id: i64, spec: &ReplaySpec, score: &Score) -> ReplayRow {
    let totals = &score.totals;
    let speed = match spec.options.speed {
        Speed::Times(times) => Some(times),
        Speed::Max => None,
    };
    let ended = totals.alike + totals.diverged;
    let statements = || score.statements.iter();
    ReplayRow {
        node_id: node_id.to_owned(),
        run_id,
        capture: spec.capture.clone(),
        speed,
        commit_order: spec.options.order == Order::Commit,
        sessions: spec.size.sessions,
        transactions: spec.size.transactions,
        statements: spec.size.statements,
        transactions_alike: totals.alike,
        transactions_diverged: totals.diverged,
        statements_alike: statements().map(|it| it.alike()).sum(),
        statements_diverged: statements().flat_map(|it| it.diverged).sum(),
        statements_left_out: spec.size.left_out(),
        transactions_dropped: spec.size.dropped,
        broken_waits: totals.broken_waits,
        late_avg_ms: speed
            .filter(|_| ended > 0)
            .map(|_| totals.late_ns as f64 / ended as f64 / 1e6),
        late_max_ms: speed.map(|_| totals.latest_ns as f64 / 1e6),
        lost_sessions: totals.lost_sessions,
        refused_settings: totals.refused_settings,
    }
}
