//! A loading worker: the first runs a data set's steps through a session like any other client's; the others
//! help it to fill the tables.

mod crew;
mod destination;
mod fill;
mod inserts;
mod inside;
mod on_target;
mod settings;
mod setup;
mod statements;

use self::crew::Helper;
use self::destination::{DataSet, Destination, Filling};
use self::fill::Fills;
use self::inserts::Inserts;
pub use self::inside::Inside;
pub use self::on_target::OverWire;
use super::request::spec::{LoadSpec, Spec, Work};
use super::shared::slot::{Counter, Slot};
use super::shared::{Phase, Shared};
use super::shared::{Published, board};
use crate::pg::error::SqlError;
use crate::pg::process::usage;
use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::workload::{
    self, Action, Contents, Effect, Efforts, Family, Fill, LoadStatement, Params, Relation, Step,
    distribution,
};
use engine::{ClientError, CommandStats};
use std::sync::atomic::Ordering::SeqCst;

/// Runs the part of worker number `client`. The statistics of a step are stored like those of a command.
pub fn run(
    shared: &Shared,
    client: usize,
    spec: &Spec,
    run_id: i64,
    destination: impl Destination,
) -> std::result::Result<(), ClientError> {
    let Work::Load(load) = &spec.work else {
        return Ok(());
    };
    let planned = load.family().and_then(|family| {
        let steps = family.data_set(&load.options)?;
        Ok((family, distribution::keeping(steps, &load.options)))
    });
    let (family, steps) =
        planned.map_err(|error| failed_at(None, SqlError::new("22023", &error.to_string())))?;
    let mut loader = Loader {
        shared,
        slot: shared.slot(client),
        destination,
        load,
        family,
        run_id,
        created: Vec::new(),
        steps: &steps,
        filling: Filling {
            shared,
            slot: shared.slot(client),
            fills: Fills::of(&steps, &load.options),
            data_set: family.name(),
        },
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

struct Loader<'a, D> {
    shared: &'a Shared,
    slot: Slot,
    destination: D,
    load: &'a LoadSpec,
    family: &'a dyn Family,
    run_id: i64,
    /// The tables, if the family does not know them: those that the author's statements have created.
    created: Vec<Relation>,
    steps: &'a [Step],
    filling: Filling<'a>,
    efforts: Efforts,
}

impl<D: Destination> Loader<'_, D> {
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
        while let Some(number) = helper.next_task(&mut self.destination) {
            let used = usage::now();
            let done = slot.get(Counter::LoadDone);
            let result = match shared.board()[board::FILL].load(SeqCst) {
                board::STATEMENTS => self.take_statements(number),
                _ => self.destination.help(&self.filling, number),
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
                if self.destination.in_transaction_block() {
                    self.destination.roll_back();
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
            self.destination.execute("BEGIN")?;
        }
        for (place, action) in step.actions.iter().enumerate() {
            match action {
                Action::Execute(statement) => self.insert(statement)?,
                Action::Fill(fill) => self.fill(step, fill)?,
                Action::Create(statements) => self.set_up(statements)?,
                Action::Parts(parts) => self.share(place, parts.count)?,
                Action::Each(statements) => self.share(place, statements.len() as u64)?,
                Action::Vacuum => self.vacuum()?,
            }
        }
        let set = self.set();
        self.destination.register(step.effect, &set)?;
        if step.in_transaction {
            self.destination.execute("COMMIT")?;
        }
        Ok(())
    }

    /// Runs the statements of a workload's author that create the tables, in the open transaction block.
    fn set_up(&mut self, statements: &[String]) -> std::result::Result<(), SqlError> {
        let schema = self.load.options.schema.as_str();
        let before = self.destination.relations(schema)?;
        for statement in statements {
            self.execute(statement)?;
            if !self.destination.in_transaction_block() {
                let message = "setup_sql must not end its transaction";
                return Err(SqlError::new("2D000", message));
            }
        }
        let after = self.destination.relations(schema)?;
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

    fn fill(&mut self, step: &Step, fill: &Fill) -> std::result::Result<(), SqlError> {
        if self.destination.fill(&self.filling, step, fill)? {
            return Ok(());
        }
        let schema = &self.load.options.schema;
        self.destination.refuse_rules(schema, &fill.table)?;
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
        let relations = self.destination.replaced(family, params)?;
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
            run_id: self.run_id,
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
        self.destination.between_statements();
        if self.shared.phase() == Phase::Stopping {
            return Err(crew::stopped());
        }
        let effort = self.efforts.of_statement(sql);
        self.slot.set(Counter::LoadCurrent, effort);
        let done = self.destination.execute(sql);
        self.slot.set(Counter::LoadCurrent, 0);
        self.slot.add(Counter::LoadEnded, effort);
        done
    }

    /// The number of the step that the first worker is at.
    fn current_step(&self) -> usize {
        self.shared.slot(0).get(Counter::LoadStep) as usize
    }
}

/// Whether all workers work on a step.
fn is_shared(step: &Step) -> bool {
    step.actions.iter().any(|action| match action {
        Action::Fill(_) | Action::Parts(_) | Action::Each(_) => true,
        Action::Execute(_) | Action::Create(_) | Action::Vacuum => false,
    })
}
