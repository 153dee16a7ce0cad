//! A loading worker: runs a data set's steps through a session like any other client's.

use super::command::CommandStats;
use super::errors::ClientError;
use super::shared::{Phase, Shared};
use super::slot::{Counter, Slot};
use super::spec::{LoadSpec, Spec};
use crate::pg::error::SqlError;
use crate::pg::session::Session;
use crate::pg::usage::Usage;
use crate::pg::{clock, latch, role, server, spi, xact};
use crate::run::store::raise;
use crate::workload::{self, Step, Workload};

/// Runs all steps; what a step took and did is counted as a command's.
pub fn run(
    shared: &Shared,
    slot: Slot,
    spec: &Spec,
    run_id: i64,
    mut session: Session,
) -> std::result::Result<(), ClientError> {
    let Some(load) = &spec.load else {
        return Ok(());
    };
    let at = |command| {
        move |error: SqlError| ClientError {
            sqlstate: error.sqlstate,
            message: error.message,
            detail: error.detail,
            command,
            at: server::timestamp_now(),
        }
    };
    let planned = workload::find(&load.workload)
        .and_then(|workload| Ok((workload, workload.data_set.plan(&load.options)?)));
    let (workload, steps) =
        planned.map_err(|error| at(None)(SqlError::new("22023", &error.to_string())))?;
    slot.set(Counter::LoadTotal, steps.iter().map(Step::rows).sum());
    for (number, step) in steps.iter().enumerate() {
        slot.set(Counter::LoadStep, number as u64);
        let mut stats = CommandStats::default();
        let result = run_step(shared, slot, &mut session, step, &mut stats);
        stats.publish(shared.command(number));
        result.map_err(at(Some(number)))?;
        register(step.code, workload, load, run_id).map_err(at(Some(number)))?;
        latch::report_statistics(true);
    }
    Ok(())
}

fn run_step(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    step: &Step,
    stats: &mut CommandStats,
) -> std::result::Result<(), SqlError> {
    let started = clock::now();
    let used = Usage::now();
    let result = run_statements(shared, slot, session, step, stats);
    let usage = Usage::now().since(&used);
    stats.usage.add(&usage);
    slot.record_usage(&usage);
    match &result {
        Ok(()) => {
            let elapsed = clock::now() - started;
            stats.record(elapsed);
        }
        Err(_) => {
            stats.failed += 1;
            if session.in_transaction_block() {
                // It cannot leave the block open: an error aborts it just as well.
                let _ = session.execute_simple("ROLLBACK");
            }
        }
    }
    result
}

fn run_statements(
    shared: &Shared,
    slot: Slot,
    session: &mut Session,
    step: &Step,
    stats: &mut CommandStats,
) -> std::result::Result<(), SqlError> {
    if step.in_transaction {
        session.execute_simple("BEGIN")?;
    }
    for statement in &step.statements {
        session.idle_checks();
        if shared.phase() == Phase::Stopping {
            return Err(SqlError::new("57014", "the load was stopped"));
        }
        let done = session.execute_simple(&statement.sql)?;
        if statement.rows > 0 {
            stats.rows += done.processed;
            slot.add(Counter::LoadDone, done.processed);
        }
    }
    if step.in_transaction {
        session.execute_simple("COMMIT")?;
    }
    Ok(())
}

/// Remembers which tables are pgperf's own: by oid, so that a table of the same name that somebody makes
/// later is not taken for one. Done after each step that makes, fills or drops them.
fn register(
    step: char,
    workload: &Workload,
    load: &LoadSpec,
    run_id: i64,
) -> std::result::Result<(), SqlError> {
    let sql = match step {
        'd' => FORGET,
        't' => REMEMBER,
        'g' | 'G' => REFILLED,
        _ => return Ok(()),
    };
    xact::transaction(|| {
        role::as_owner(|| {
            let tables: Vec<&str> = workload.data_set.tables.to_vec();
            spi::execute(
                sql,
                &[
                    super::node::local_node()?.into(),
                    load.options.schema.as_str().into(),
                    workload.data_set.name.into(),
                    load.options.scale.into(),
                    tables.into(),
                    run_id.into(),
                ],
            )
        })
        .unwrap_or_else(|error| raise(error));
    })
}

/// Each takes node, schema, data set, scale, names of the tables, and run.
const FORGET: &str = "DELETE FROM pgperf.data_sets \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
const REMEMBER: &str = "INSERT INTO pgperf.data_sets \
        (node_id, schema_name, data_set, scale, relations, run_id) \
     SELECT $1::pg_catalog.uuid, $2, $3, $4, pg_catalog.array_agg(c.oid), $6 \
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = $2 AND c.relname = ANY ($5) \
     ON CONFLICT (node_id, schema_name, data_set) DO UPDATE \
        SET scale = EXCLUDED.scale, relations = EXCLUDED.relations, run_id = EXCLUDED.run_id, \
            created_at = EXCLUDED.created_at";
const REFILLED: &str = "UPDATE pgperf.data_sets SET scale = $4, run_id = $6 \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
