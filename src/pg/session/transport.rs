//! The in-process session as a client's transport.

use super::params::Params;
use super::{Session, Statement, interrupts};
use crate::pg::encoding;
use crate::pg::error::SqlError;
use crate::pg::process::{latch, usage};
use engine::{Completion, KeptResults, Transport, Usage};
use script::Value;
use std::borrow::Cow;

/// A session with the buffers for its parameters.
pub struct Inside {
    session: Session,
    params: Params,
}

impl Inside {
    /// The transport over a session.
    pub fn new(session: Session) -> Inside {
        Inside {
            session,
            params: Params::default(),
        }
    }
}

impl Transport for Inside {
    type Statement = Statement;

    #[inline]
    fn prepare(&mut self, text: &str, values: usize) -> Result<Statement, SqlError> {
        self.session.prepare(text, values)
    }

    fn forget(&mut self, statement: Statement) {
        self.session.forget(statement);
    }

    fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError> {
        self.session.configure(settings)
    }

    #[inline]
    fn execute<'v>(
        &mut self,
        statement: &Statement,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.params.set(values);
        self.session.execute(statement, &mut self.params)
    }

    #[inline]
    fn execute_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.params.set(values);
        self.session.execute_unprepared(text, &mut self.params)
    }

    #[inline]
    fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        self.session.execute_simple(text)
    }

    fn keep_results(&mut self, keep: bool) {
        self.session.keep_results(keep);
    }

    fn kept(&self) -> &KeptResults {
        self.session.kept()
    }

    fn decode<'t>(&self, text: &'t [u8]) -> Cow<'t, str> {
        encoding::decode(text)
    }

    fn roll_back(&mut self) {
        self.session.roll_back();
    }

    #[inline]
    fn in_transaction_block(&self) -> bool {
        self.session.in_transaction_block()
    }

    #[inline]
    fn in_pipeline(&self) -> bool {
        self.session.in_pipeline()
    }

    fn begin_pipeline(&mut self) {
        self.session.begin_pipeline();
    }

    fn pipeline<'v>(
        &mut self,
        statement: &Statement,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.params.set(values);
        self.session.pipeline(statement, &mut self.params)
    }

    fn pipeline_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.params.set(values);
        self.session.pipeline_unprepared(text, &mut self.params)
    }

    fn sync_pipeline(&mut self) -> Completion {
        self.session.sync_pipeline()
    }

    fn end_pipeline(&mut self) -> Result<Completion, SqlError> {
        self.session.end_pipeline()
    }

    fn abandon_pipeline(&mut self) {
        self.session.abandon_pipeline();
    }

    #[inline]
    fn begin_laps(&mut self, now: u64) {
        self.session.begin_laps(now);
    }

    #[inline]
    fn usage(&self) -> Usage {
        usage::now()
    }

    #[inline]
    fn idle_checks(&mut self) {
        self.session.idle_checks();
    }

    #[inline]
    fn interrupts(&mut self) -> Result<(), SqlError> {
        self.session.interrupts()
    }

    fn report_statistics(&mut self) {
        interrupts::between_messages(|| latch::report_statistics(false));
    }

    fn idle(&mut self) {
        self.session.idle();
    }
}
