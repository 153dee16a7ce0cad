//! Tables of a target: each loading worker has a connection there.
//!
//! Rows go there by COPY in its binary form, from the sources that fill pages inside. Other sessions have to see a table that they fill, so
//! that it is truncated in a transaction before, and its data set is incomplete until all of its tables have their rows.

mod catalog;
mod copying;
mod rows;

use super::crew;
use super::destination::{DataSet, Destination, Filling};
use super::fill::refuse_rule;
use super::setup::Seen;
use crate::pg::error::SqlError;
use crate::pg::process::{latch, worker};
use crate::pg::session::interrupts;
use crate::run::shared::Shared;
use crate::target::session::Session;
use crate::workload::{self, Effect, Family, Fill, Label, OnTarget, Params, Relation, Step};

/// A session of a target.
pub struct OverWire {
    session: Session,
    /// The numbers of the fills of the current step whose tables have their rows.
    filled: Vec<u64>,
}

impl OverWire {
    pub fn new(session: Session) -> OverWire {
        OverWire {
            session,
            filled: Vec::new(),
        }
    }

    /// The relations of a schema that have labels, and those with these names.
    fn labelled(&mut self, schema: &str, names: &[String]) -> Result<OnTarget, SqlError> {
        Ok(OnTarget::new(
            self.session.select(&OnTarget::query(schema, names))?,
        ))
    }

    /// Runs statements in one message.
    fn execute_all(&mut self, statements: &[String]) -> Result<(), SqlError> {
        if !statements.is_empty() {
            self.session.execute(&statements.join("; "))?;
        }
        Ok(())
    }
}

impl Destination for OverWire {
    fn between_statements(&mut self) {
        worker::leave_without_postmaster();
        interrupts::between_messages(latch::interrupts);
    }

    fn execute(&mut self, sql: &str) -> Result<u64, SqlError> {
        latch::report_running(sql);
        let processed = self.session.execute(sql);
        latch::report_idle();
        processed
    }

    fn in_transaction_block(&self) -> bool {
        self.session.in_transaction_block()
    }

    /// Where that fails, the end of the connection does it.
    fn roll_back(&mut self) {
        let _ = self.session.execute("ROLLBACK");
    }

    fn end_task(&mut self, shared: &Shared) -> Result<(), SqlError> {
        crew::end_task(shared)
    }

    /// Nobody here knows how many processors there are.
    fn share_processors(&mut self, _sessions: u64) -> Result<(), SqlError> {
        Ok(())
    }

    fn relations(&mut self, schema: &str) -> Result<Vec<Seen>, SqlError> {
        self.session.select(&catalog::relations(schema))
    }

    fn replaced(
        &mut self,
        family: &dyn Family,
        params: &Params,
    ) -> Result<Vec<Relation>, SqlError> {
        let there = self.labelled(&params.schema, &[])?;
        let registered = there.registered(family.name());
        Ok(workload::replaced(registered.as_ref(), family, params))
    }

    fn register(&mut self, effect: Effect, set: &DataSet) -> Result<(), SqlError> {
        let schema = set.params.schema.as_str();
        let labels = match effect {
            // Labels go with their relations.
            Effect::Drops | Effect::Keeps => return Ok(()),
            Effect::Creates => {
                let label = Label {
                    data_set: set.name.clone(),
                    scale: None,
                    options: set.params.options.clone(),
                };
                let there = self.labelled(schema, &set.relations)?;
                there.label(schema, &set.relations, &label)
            }
            Effect::Fills => {
                let there = self.labelled(schema, &[])?;
                there.rescale(schema, &set.name, Some(set.params.scale))
            }
        };
        self.execute_all(&labels)
    }

    fn fill(&mut self, filling: &Filling, step: &Step, fill: &Fill) -> Result<bool, SqlError> {
        // All tables of a step get their rows together.
        if step
            .fills()
            .next()
            .is_some_and(|first| std::ptr::eq(first, fill))
        {
            self.filled.clear();
            self.fill_all(filling, step)?;
        }
        Ok(self.filled.contains(&filling.fills.number(fill)))
    }

    fn help(&mut self, filling: &Filling, number: u64) -> Result<(), SqlError> {
        self.take_rows(filling, number)
    }

    fn refuse_rules(&mut self, schema: &str, table: &str) -> Result<(), SqlError> {
        #[derive(serde::Deserialize)]
        struct Rule {
            name: String,
        }
        let rules: Vec<Rule> = self.session.select(&catalog::insert_rules(schema, table))?;
        refuse_rule(schema, table, rules.first().map(|rule| rule.name.as_str()))
    }
}
