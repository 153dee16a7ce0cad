//! A loading worker: the first runs a data set's steps through a session like any other client's; the others
//! help it to fill the tables.

mod crew;
mod fill;
mod inserts;
mod settings;
mod setup;
mod statements;

use self::crew::Helper;
use self::fill::Fills;
use self::inserts::Inserts;
use super::request::spec::{LoadSpec, Spec, Work};
use super::shared::slot::{Counter, Slot};
use super::shared::{Phase, Shared};
use super::shared::{Published, board};
use crate::pg::catalog::role;
use crate::pg::error::{SqlError, raise};
use crate::pg::process::usage;
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::session::Session;
use crate::pg::sql::text::Json;
use crate::pg::sql::{spi, xact};
use crate::workload::{
    self, Action, Contents, Effect, Efforts, Family, Fill, LoadStatement, Params, Relation, Step,
};
use engine::{ClientError, CommandStats};
use std::sync::atomic::Ordering::SeqCst;

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
    let planned = load
        .family()
        .and_then(|family| Ok((family, family.data_set(&load.options)?)));
    let (family, steps) =
        planned.map_err(|error| failed_at(None, SqlError::new("22023", &error.to_string())))?;
    let mut loader = Loader {
        shared,
        slot: shared.slot(client),
        session,
        load,
        family,
        run_id,
        created: Vec::new(),
        steps: &steps,
        fills: Fills::of(&steps, &load.options),
        efforts: Efforts::of(&steps),
    };
    if client > 0 {
        return loader.help();
    }
    let result = loader.run_steps();
    crew::release(shared);
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
    /// The tables, if the family does not know them: those that the author's statements have created.
    created: Vec<Relation>,
    steps: &'a [Step],
    fills: Fills<'a>,
    efforts: Efforts,
}

impl Loader<'_> {
    fn run_steps(&mut self) -> std::result::Result<(), ClientError> {
        let steps = self.steps;
        self.slot
            .set(Counter::LoadTotal, steps.iter().map(Step::rows).sum());
        self.slot.set(Counter::LoadFills, self.efforts.of_fills());
        self.slot.set(Counter::LoadOthers, self.efforts.of_others());
        let last_shared = steps.iter().rposition(is_shared);
        for (number, step) in steps.iter().enumerate() {
            if last_shared.is_none_or(|last| number > last) {
                crew::release(self.shared);
            }
            self.slot.set(Counter::LoadStep, number as u64);
            self.shared.begin_step(number, server::timestamp_now());
            let mut stats = CommandStats::default();
            let result = self.run_step(step, &mut stats);
            stats.publish(self.shared.command(number));
            result.map_err(|error| failed_at(Some(number), error))?;
            latch::report_statistics(true);
        }
        Ok(())
    }

    /// Helps with what is for all workers. What a helper does counts for the step that the first worker is at.
    fn help(&mut self) -> std::result::Result<(), ClientError> {
        let (shared, slot) = (self.shared, self.slot);
        let mut helper = Helper::new(shared, slot);
        while let Some(number) = helper.next_task(&mut self.session) {
            let used = usage::now();
            let done = slot.get(Counter::LoadDone);
            let result = match shared.board()[board::FILL].load(SeqCst) {
                board::STATEMENTS => self.take_statements(number),
                _ => fill::help(shared, slot, &mut self.session, &self.fills, number),
            };
            let stats = CommandStats {
                usage: usage::now().since(&used),
                rows: slot.get(Counter::LoadDone) - done,
                ..CommandStats::default()
            };
            slot.record_usage(&stats.usage);
            let step = self.current_step();
            stats.publish(shared.command(step));
            helper.finish(&result);
            result.map_err(|error| failed_at(Some(step), error))?;
        }
        Ok(())
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
                    self.session.roll_back();
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
        for (place, action) in step.actions.iter().enumerate() {
            match action {
                Action::Execute(statement) => self.insert(statement)?,
                Action::Fill(fill) => self.fill(fill)?,
                Action::Create(statements) => self.set_up(statements)?,
                Action::Parts(parts) => self.share(place, parts.count)?,
                Action::Each(statements) => self.share(place, statements.len() as u64)?,
                Action::Vacuum => self.vacuum()?,
            }
        }
        if step.in_transaction {
            // Together with the tables, so that none is left that nobody knows.
            let (set, run_id) = (self.set(), self.run_id);
            let register = || xact::with_latest_snapshot(|| register(step.effect, &set, run_id));
            self.session.perform("registering the tables", register)?;
            self.session.execute_simple("COMMIT")?;
            return Ok(());
        }
        match step.effect {
            Effect::Keeps => Ok(()),
            effect => {
                let (set, run_id) = (self.set(), self.run_id);
                xact::transaction(|| register(effect, &set, run_id))?
            }
        }
    }

    /// Runs the statements of a workload's author that create the tables, in the open transaction block.
    fn set_up(&mut self, statements: &[String]) -> std::result::Result<(), SqlError> {
        let schema = self.load.options.schema.as_str();
        let before = setup::relations(&mut self.session, schema)?;
        for statement in statements {
            self.execute(statement)?;
            if !self.session.in_transaction_block() {
                let message = "setup_sql must not end its transaction";
                return Err(SqlError::new("2D000", message));
            }
        }
        let after = setup::relations(&mut self.session, schema)?;
        self.created = setup::created(&before, &after, schema)?;
        Ok(())
    }

    fn vacuum(&mut self) -> std::result::Result<(), SqlError> {
        let tables = self.created.iter().filter(|relation| relation.is_table());
        let params = Params {
            tables: tables.map(|table| table.name.clone()).collect(),
            ..self.load.options.clone()
        };
        for statement in self.family.vacuum(&params, true) {
            self.execute(&statement)?;
        }
        Ok(())
    }

    fn fill(&mut self, fill: &Fill) -> std::result::Result<(), SqlError> {
        let fills = &self.fills;
        if fill::fill(self.shared, self.slot, &mut self.session, fills, fill)? {
            return Ok(());
        }
        fill::refuse_rules(&mut self.session, &self.load.options.schema, &fill.table)?;
        let more = self.efforts.of_inserting(fill);
        self.slot.add(Counter::LoadFills, more);
        match &fill.contents {
            Contents::Alike { instead, .. } => {
                instead.iter().try_for_each(|insert| self.insert(insert))
            }
            Contents::Made {
                columns,
                units,
                sources,
                ..
            } => {
                let schema = self.load.options.schema.as_str();
                let inserts = Inserts::new(schema, &fill.table, columns, *units, sources);
                for insert in inserts {
                    self.insert(&insert.map_err(fill::wrong_row)?)?;
                }
                Ok(())
            }
        }
    }

    /// Drops of the data set that was there before what the new one's own steps do not drop.
    fn drop_replaced(&mut self) -> std::result::Result<(), SqlError> {
        let (family, params) = (self.family, &self.load.options);
        let relations = xact::transaction(|| {
            workload::replaced(family, params).unwrap_or_else(|error| raise(error))
        })?;
        for sql in workload::drop_statements(&relations, &params.schema) {
            self.execute(&sql)?;
        }
        Ok(())
    }

    /// The data set as it is to be registered.
    fn set(&self) -> DataSet {
        let params = &self.load.options;
        let created = self.created.iter().map(|relation| relation.name.clone());
        DataSet {
            name: self.family.name().to_owned(),
            params: params.clone(),
            relations: self
                .family
                .tables(params)
                .into_iter()
                .chain(created)
                .collect(),
        }
    }

    /// Executes a statement and counts the rows that it inserts, which have to be all of them.
    fn insert(&mut self, statement: &LoadStatement) -> std::result::Result<(), SqlError> {
        let processed = self.execute(&statement.sql)?;
        if statement.rows > 0 {
            self.slot.add(Counter::LoadDone, processed);
            if processed != statement.rows {
                return Err(statements::incomplete(statement, processed));
            }
        }
        Ok(())
    }

    /// Executes a statement unless the load is being stopped; returns how many rows it processed.
    fn execute(&mut self, sql: &str) -> std::result::Result<u64, SqlError> {
        self.session.idle_checks();
        if self.shared.phase() == Phase::Stopping {
            return Err(crew::stopped());
        }
        let effort = self.efforts.of_statement(sql);
        self.slot.set(Counter::LoadCurrent, effort);
        let done = self.session.execute_simple(sql);
        self.slot.set(Counter::LoadCurrent, 0);
        self.slot.add(Counter::LoadEnded, effort);
        Ok(done?.processed)
    }

    /// The number of the step that the first worker is at.
    fn current_step(&self) -> usize {
        self.shared.slot(0).get(Counter::LoadStep) as usize
    }
}

/// A data set in a schema.
struct DataSet {
    name: String,
    params: Params,
    relations: Vec<String>,
}

/// Remembers which tables are pgperf's own. They are known by oid, so that a table of the same name that somebody creates
/// later is not taken for one of them. Called at the end of each step that creates, fills or drops tables; until they are
/// filled, their scale is 0.
fn register(effect: Effect, set: &DataSet, run_id: i64) -> std::result::Result<(), SqlError> {
    let sql = match effect {
        Effect::Drops => FORGET,
        Effect::Creates => REMEMBER,
        Effect::Fills => REFILLED,
        Effect::Keeps => return Ok(()),
    };
    role::as_owner(|| {
        spi::execute(
            sql,
            &[
                crate::catalog::node::local_node()?.into(),
                set.params.schema.as_str().into(),
                set.name.as_str().into(),
                set.params.scale.rounded().into(),
                set.relations.clone().into(),
                run_id.into(),
                Json(set.params.options.clone().into()).into(),
                set.params.scale.fraction().into(),
            ],
        )
    })
    .unwrap_or_else(|error| raise(error));
    Ok(())
}

/// Whether all workers work on a step.
fn is_shared(step: &Step) -> bool {
    step.actions.iter().any(|action| match action {
        Action::Fill(_) | Action::Parts(_) | Action::Each(_) => true,
        Action::Execute(_) | Action::Create(_) | Action::Vacuum => false,
    })
}

/// Each statement takes node, schema, data set, scale, names of the relations, run, options, and the scale if it has a fraction: the
/// column has integers, so the options hold it.
const FORGET: &str = "DELETE FROM pgperf.data_sets \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
const REMEMBER: &str = "INSERT INTO pgperf.data_sets \
        (node_id, schema_name, data_set, scale, relations, run_id, options, relation_names) \
     SELECT $1::pg_catalog.uuid, $2, $3, 0, pg_catalog.array_agg(c.oid), $6, $7, \
            pg_catalog.array_agg(c.relname::pg_catalog.text ORDER BY c.oid) FILTER (WHERE c.relkind IN ('r', 'p', 'm')) \
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
      WHERE n.nspname = $2 AND c.relname = ANY ($5) \
     ON CONFLICT (node_id, schema_name, data_set) DO UPDATE \
        SET scale = EXCLUDED.scale, relations = EXCLUDED.relations, run_id = EXCLUDED.run_id, \
            created_at = EXCLUDED.created_at, options = EXCLUDED.options, relation_names = EXCLUDED.relation_names";
const REFILLED: &str = "UPDATE pgperf.data_sets \
        SET scale = $4, run_id = $6, \
            options = (options - 'scale') || CASE WHEN $8 IS NULL THEN '{}' ELSE pg_catalog.jsonb_build_object('scale', $8) END \
     WHERE node_id = $1::pg_catalog.uuid AND schema_name = $2 AND data_set = $3";
