//! A loading worker: the first runs a data set's steps through a session like any other client's; the others
//! help it to fill the tables.

pub mod fill;
mod inserts;

use self::fill::Fills;
use self::inserts::Inserts;
use super::request::spec::{LoadSpec, Spec, Work};
use super::shared::Published;
use super::shared::slot::{Counter, Slot};
use super::shared::{Phase, Shared};
use crate::pg::catalog::role;
use crate::pg::error::{SqlError, raise};
use crate::pg::process::usage;
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::session::Session;
use crate::pg::sql::quote::qualified;
use crate::pg::sql::text::Json;
use crate::pg::sql::{spi, xact};
use crate::workload::{self, Action, Contents, Effect, Family, Fill, LoadStatement, Params, Step};
use engine::{ClientError, CommandStats};

/// Runs the part of worker number `client`. The statistics of a step are stored like those of a command.
pub fn run(
    shared: &Shared,
    client: usize,
    spec: &Spec,
    run_id: i64,
    session: Session,
) -> std::result::Result<(), ClientError> {
    let Work::Load(load) = &spec.work else {
        return Ok(());
    };
    let planned = workload::find(&load.workload)
        .and_then(|workload| Ok((workload.family, workload.family.data_set(&load.options)?)));
    let (family, steps) =
        planned.map_err(|error| failed_at(None, SqlError::new("22023", &error.to_string())))?;
    let mut loader = Loader {
        shared,
        slot: shared.slot(client),
        session,
        load,
        family,
        run_id,
        steps: &steps,
        fills: Fills::of(&steps, &load.options),
    };
    if client > 0 {
        return loader.help();
    }
    let result = loader.run_steps();
    fill::release(shared);
    result
}

fn failed_at(step: Option<usize>, error: SqlError) -> ClientError {
    ClientError::new(error, step, server::timestamp_now())
}

struct Loader<'a> {
    shared: &'a Shared,
    slot: Slot,
    session: Session,
    load: &'a LoadSpec,
    family: &'a dyn Family,
    run_id: i64,
    steps: &'a [Step],
    fills: Fills<'a>,
}

impl Loader<'_> {
    fn run_steps(&mut self) -> std::result::Result<(), ClientError> {
        let steps = self.steps;
        self.slot
            .set(Counter::LoadTotal, steps.iter().map(Step::rows).sum());
        let last_fill = steps.iter().rposition(fills);
        for (number, step) in steps.iter().enumerate() {
            if last_fill.is_none_or(|last| number > last) {
                fill::release(self.shared);
            }
            self.slot.set(Counter::LoadStep, number as u64);
            let mut stats = CommandStats::default();
            let result = self.run_step(step, &mut stats);
            stats.publish(self.shared.command(number));
            result.map_err(|error| failed_at(Some(number), error))?;
            register(step.effect, self.family, &self.load.options, self.run_id)
                .map_err(|error| failed_at(Some(number), error))?;
            latch::report_statistics(true);
        }
        Ok(())
    }

    /// Helps to fill tables. The resources that a helper uses are counted for the step that fills.
    fn help(&mut self) -> std::result::Result<(), ClientError> {
        let Some(step) = self.steps.iter().position(fills) else {
            return Ok(());
        };
        let used = usage::now();
        let result = fill::help(self.shared, self.slot, &mut self.session, &self.fills);
        let stats = CommandStats {
            usage: usage::now().since(&used),
            rows: self.slot.get(Counter::LoadDone),
            ..CommandStats::default()
        };
        self.slot.record_usage(&stats.usage);
        stats.publish(self.shared.command(step));
        result.map_err(|error| failed_at(Some(step), error))
    }

    fn run_step(
        &mut self,
        step: &Step,
        stats: &mut CommandStats,
    ) -> std::result::Result<(), SqlError> {
        let started = clock::now();
        let used = usage::now();
        let done = self.slot.get(Counter::LoadDone);
        let result = self.run_actions(step);
        let usage = usage::now().since(&used);
        stats.usage.add(&usage);
        stats.rows = self.slot.get(Counter::LoadDone) - done;
        self.slot.record_usage(&usage);
        match &result {
            Ok(()) => {
                let elapsed = clock::now() - started;
                stats.record(elapsed);
            }
            Err(_) => {
                stats.failed += 1;
                if self.session.in_transaction_block() {
                    // This cannot leave the block open: an error aborts the block, too.
                    let _ = self.session.execute_simple("ROLLBACK");
                }
            }
        }
        result
    }

    fn run_actions(&mut self, step: &Step) -> std::result::Result<(), SqlError> {
        if step.effect == Effect::Drops {
            self.drop_replaced()?;
        }
        if step.in_transaction {
            self.session.execute_simple("BEGIN")?;
        }
        if fills(step) {
            fill::prepare(&mut self.session)?;
        }
        for action in &step.actions {
            match action {
                Action::Execute(statement) => self.execute(statement)?,
                Action::Fill(fill) => self.fill(fill)?,
            }
        }
        if step.in_transaction {
            self.session.execute_simple("COMMIT")?;
        }
        Ok(())
    }

    fn fill(&mut self, fill: &Fill) -> std::result::Result<(), SqlError> {
        let fills = &self.fills;
        if fill::fill(self.shared, self.slot, &mut self.session, fills, fill)? {
            return Ok(());
        }
        match &fill.contents {
            Contents::Alike { instead, .. } => {
                instead.iter().try_for_each(|insert| self.execute(insert))
            }
            Contents::Made {
                columns,
                units,
                sources,
            } => {
                let schema = self.load.options.schema.as_str();
                let inserts = Inserts::new(schema, &fill.table, columns, *units, sources);
                for insert in inserts {
                    self.execute(&insert.map_err(fill::wrong_row)?)?;
                }
                Ok(())
            }
        }
    }

    /// Drops the data set that was there before, if it has tables that the new one lacks.
    fn drop_replaced(&mut self) -> std::result::Result<(), SqlError> {
        let (family, params) = (self.family, &self.load.options);
        let tables = xact::transaction(|| {
            workload::replaced(family, params).unwrap_or_else(|error| raise(error))
        })?;
        if tables.is_empty() {
            return Ok(());
        }
        let names = tables.iter().map(|table| qualified(&params.schema, table));
        let names = names.collect::<Vec<_>>().join(", ");
        self.execute(&LoadStatement {
            sql: format!("DROP TABLE IF EXISTS {names}"),
            rows: 0,
        })
    }

    fn execute(&mut self, statement: &LoadStatement) -> std::result::Result<(), SqlError> {
        self.session.idle_checks();
        if self.shared.phase() == Phase::Stopping {
            return Err(fill::stopped());
        }
        let done = self.session.execute_simple(&statement.sql)?;
        if statement.rows > 0 {
            self.slot.add(Counter::LoadDone, done.processed);
        }
        Ok(())
    }
}

fn fills(step: &Step) -> bool {
    step.actions
        .iter()
        .any(|action| matches!(action, Action::Fill(_)))
}

/// Remembers which tables are pgperf's own. They are known by oid, so that a table of the same name that
/// somebody creates later is not taken for one of them. Called after each step that creates, fills or drops
/// tables, once it is committed; until they are filled, their scale is 0.
fn register(
    effect: Effect,
    family: &dyn Family,
    params: &Params,
    run_id: i64,
) -> std::result::Result<(), SqlError> {
    let sql = match effect {
        Effect::Drops => FORGET,
        Effect::Creates => REMEMBER,
        Effect::Fills => REFILLED,
        Effect::Keeps => return Ok(()),
    };
    xact::transaction(|| {
        role::as_owner(|| {
            spi::execute(
                sql,
                &[
                    crate::catalog::node::local_node()?.into(),
                    params.schema.as_str().into(),
                    family.name().into(),
                    params.scale.rounded().into(),
                    family.tables(params).into(),
                    run_id.into(),
                    Json(params.options.clone().into()).into(),
                ],
            )
        })
        .unwrap_or_else(|error| raise(error));
    })
}

/// Each statement takes node, schema, data set, scale, names of the tables, run, and options.
const FORGET: &str = "DELETE FROM pgperf.data_sets \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
const REMEMBER: &str = "INSERT INTO pgperf.data_sets \
        (node_id, schema_name, data_set, scale, relations, run_id, options) \
     SELECT $1::pg_catalog.uuid, $2, $3, 0, pg_catalog.array_agg(c.oid), $6, $7 \
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = $2 AND c.relname = ANY ($5) \
     ON CONFLICT (node_id, schema_name, data_set) DO UPDATE \
        SET scale = EXCLUDED.scale, relations = EXCLUDED.relations, run_id = EXCLUDED.run_id, \
            created_at = EXCLUDED.created_at, options = EXCLUDED.options";
const REFILLED: &str = "UPDATE pgperf.data_sets SET scale = $4, run_id = $6 \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
