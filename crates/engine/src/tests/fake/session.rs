//! A session that answers as the test says.

use super::{Reply, STATEMENT_NS, Table, World};
use crate::*;
use script::Value;
use std::rc::Rc;

pub type Respond = Box<dyn FnMut(&World, &str) -> Reply>;

/// What a session ends with.
pub const TERMINATED: &str = "57P01";

/// A session that answers as the test says.
pub struct FakeSession {
    world: Rc<World>,
    respond: Respond,
    open: bool,
    failed: bool,
    lost: bool,
    pipeline: Option<FakePipeline>,
    keeps: bool,
    kept: KeptResults,
    used: Usage,
    began_at: u64,
}

#[derive(Default)]
struct FakePipeline {
    skipping: bool,
    error: Option<SqlError>,
}

fn ends_block(text: &str) -> bool {
    ["END", "COMMIT", "ROLLBACK"]
        .iter()
        .any(|word| text.starts_with(word))
}

impl FakeSession {
    /// A session that has done nothing so far.
    pub fn new(world: Rc<World>, respond: Respond) -> FakeSession {
        FakeSession {
            world,
            respond,
            open: false,
            failed: false,
            lost: false,
            pipeline: None,
            keeps: false,
            kept: KeptResults::default(),
            used: Usage::default(),
            began_at: 0,
        }
    }

    fn note(&self, kind: &str, text: &str) {
        self.world.sent.borrow_mut().push(format!("{kind} {text}"));
        self.world.sent_at.borrow_mut().push(self.world.now.get());
    }

    /// The statement in a text that has its values behind it.
    fn send(&mut self, kind: &str, text: &str) -> Result<Completion, SqlError> {
        self.note(kind, text);
        if self.failed && !ends_block(text) {
            self.world.pass(STATEMENT_NS);
            return Err(SqlError::new("25P02", "current transaction is aborted"));
        }
        let reply = (self.respond)(&self.world, text);
        let began_at = self.began_at.max(self.world.now.get());
        self.world.pass(reply.takes_ns);
        let answer = match reply.result {
            Ok(answer) => answer,
            Err(error) => {
                self.failed = self.open;
                self.lost = error.sqlstate == TERMINATED;
                return Err(error);
            }
        };
        if text.starts_with("BEGIN") {
            self.open = true;
        } else if ends_block(text) {
            (self.open, self.failed) = (false, false);
        }
        self.used.add(&answer.usage);
        if self.keeps {
            self.keep(&answer.results);
        }
        let mut laps = Laps::begin(began_at);
        laps.parsed(began_at + answer.parse_ns);
        laps.planned(began_at + answer.parse_ns + answer.plan_ns);
        if answer.commit_ns > 0 {
            laps.committing(self.world.now.get() - answer.commit_ns);
        }
        if answer.first_byte_ns > 0 {
            laps.answered(began_at + answer.first_byte_ns);
        }
        Ok(Completion {
            processed: answer.processed,
            rows: answer.rows,
            bytes: answer.bytes,
            laps,
        })
    }

    fn keep(&mut self, results: &[Option<Table>]) {
        let text = |text: &str| std::ffi::CString::new(text).unwrap();
        self.kept.clear();
        for result in results {
            self.kept.begin_query();
            let Some((names, rows)) = result else {
                continue;
            };
            let names: Vec<_> = names.iter().map(|name| text(name)).collect();
            self.kept.begin_result(names.iter().map(|name| &**name));
            for row in rows {
                self.kept.begin_row();
                row.iter().for_each(|value| self.kept.push(&text(value)));
            }
        }
    }

    /// A commit that takes as long as the world says.
    fn sync(&self) -> Completion {
        let mut laps = Laps::begin(self.began_at);
        let began_at = self.world.now.get();
        self.world.pass(self.world.sync_ns.get());
        laps.committing(began_at);
        Completion {
            laps,
            ..Completion::default()
        }
    }

    fn pipelined(&mut self, text: &str) -> Completion {
        if self
            .pipeline
            .as_ref()
            .is_none_or(|pipeline| pipeline.skipping)
        {
            self.note("skipped", text);
            return Completion::default();
        }
        match self.send("pipelined", text) {
            Ok(completion) => completion,
            Err(error) => {
                if let Some(pipeline) = &mut self.pipeline {
                    pipeline.skipping = true;
                    pipeline.error.get_or_insert(error);
                }
                Completion::default()
            }
        }
    }
}

fn with_values<'v>(text: &str, values: impl Iterator<Item = Option<&'v Value>>) -> String {
    let values: Vec<String> = values
        .map(|value| value.map_or("NULL".to_owned(), Value::to_string))
        .collect();
    if values.is_empty() {
        text.to_owned()
    } else {
        format!("{text} [{}]", values.join(", "))
    }
}

impl Transport for FakeSession {
    type Statement = String;

    fn prepare(&mut self, text: &str, _values: usize) -> Result<String, SqlError> {
        self.note("prepare", text);
        let reply = (self.respond)(&self.world, &format!("prepare {text}"));
        match reply.result {
            Ok(answer) => {
                self.used.add(&answer.usage);
                Ok(text.to_owned())
            }
            Err(error) => {
                self.failed = self.open;
                Err(error)
            }
        }
    }

    fn forget(&mut self, statement: String) {
        self.note("forget", &statement);
    }

    fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError> {
        assert!(!self.open, "settings inside a transaction");
        for (name, value) in settings {
            self.note("set", &format!("{name} = {value}"));
            (self.respond)(&self.world, &format!("set {name}")).result?;
        }
        Ok(())
    }

    fn execute<'v>(
        &mut self,
        statement: &String,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.send("execute", &with_values(statement, values))
    }

    fn execute_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.send("unprepared", &with_values(text, values))
    }

    fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        self.send("simple", text)
    }

    fn keep_results(&mut self, keep: bool) {
        self.keeps = keep;
    }

    fn kept(&self) -> &KeptResults {
        &self.kept
    }

    fn in_transaction_block(&self) -> bool {
        self.open
    }

    fn is_lost(&self) -> bool {
        self.lost
    }

    fn in_pipeline(&self) -> bool {
        self.pipeline.is_some()
    }

    fn begin_pipeline(&mut self) {
        self.note("begin", "pipeline");
        self.pipeline = Some(FakePipeline::default());
    }

    fn pipeline<'v>(
        &mut self,
        statement: &String,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.pipelined(&format!("prepared {}", with_values(statement, values)))
    }

    fn pipeline_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.pipelined(&with_values(text, values))
    }

    fn sync_pipeline(&mut self) -> Completion {
        self.note("sync", "pipeline");
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.skipping = false;
        }
        self.sync()
    }

    fn end_pipeline(&mut self) -> Result<Completion, SqlError> {
        self.note("end", "pipeline");
        match self.pipeline.take().and_then(|pipeline| pipeline.error) {
            Some(error) => Err(error),
            None => Ok(self.sync()),
        }
    }

    fn abandon_pipeline(&mut self) {
        if self.pipeline.take().is_some() {
            self.note("abandon", "pipeline");
        }
    }

    fn begin_laps(&mut self, now: u64) {
        self.began_at = now;
    }

    fn usage(&self) -> Usage {
        self.world.usage_reads.set(self.world.usage_reads.get() + 1);
        self.used
    }

    fn idle_checks(&mut self) {
        self.world.idle_checks.set(self.world.idle_checks.get() + 1);
    }

    fn interrupts(&mut self) -> Result<(), SqlError> {
        let number = self.world.interrupts.get() + 1;
        self.world.interrupts.set(number);
        if number == self.world.cancel_at.get() {
            self.failed = self.open;
            return Err(SqlError::new(
                "57014",
                "canceling statement due to user request",
            ));
        }
        Ok(())
    }

    fn report_statistics(&mut self) {
        self.world.reported.borrow_mut().push("statistics");
    }

    fn idle(&mut self) {
        let state = match self.open {
            true => "idle in transaction",
            false => "idle",
        };
        self.world.reported.borrow_mut().push(state);
    }
}
