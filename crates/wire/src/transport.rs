//! A connection as a client's transport: the messages that pgbench sends.

mod replayed;

use crate::connection::{Connection, no_copy};
use crate::ffi::{Answer, ResultSet, Texts, TransactionStatus};
use crate::wait::Wait;
use engine::{Completion, KeptResults, Laps, SqlError, Transport};
use script::Value;
use std::ffi::{CStr, CString};
use std::mem::take;

/// A row's header in the protocol: one byte of type, four of length, two for the number of columns.
const ROW_HEADER_BYTES: u64 = 7;
/// A column's length word.
const COLUMN_HEADER_BYTES: u64 = 4;

/// A statement that the server has under a name.
pub struct Prepared {
    name: CString,
}

/// A pipeline that is open.
#[derive(Default)]
struct Pipeline {
    /// Parts whose results were not taken.
    syncs: usize,
    /// Why it could not be sent.
    error: Option<SqlError>,
}

/// A connection, with the buffers for what it sends and gets.
pub struct Wire<W> {
    connection: Connection<W>,
    values: Texts,
    written: String,
    /// The text of a statement, with a NUL byte at its end.
    text: Vec<u8>,
    /// Prepared statements so far: each has a name of its own.
    prepared: u64,
    /// Those that are not needed any more, once the session can give them up.
    forgotten: Vec<CString>,
    keeps: bool,
    kept: KeptResults,
    pipeline: Option<Pipeline>,
    /// The time of the statement that runs.
    laps: Laps,
}

impl<W: Wait> Wire<W> {
    /// The transport over a connection.
    pub fn new(connection: Connection<W>) -> Wire<W> {
        Wire {
            connection,
            values: Texts::default(),
            written: String::new(),
            text: Vec::new(),
            prepared: 0,
            forgotten: Vec::new(),
            keeps: false,
            kept: KeptResults::default(),
            pipeline: None,
            laps: Laps::default(),
        }
    }

    fn set_values<'v>(&mut self, values: impl Iterator<Item = Option<&'v Value>>) {
        self.values.clear();
        for value in values {
            match value {
                None => self.values.push_null(),
                Some(value) => {
                    self.written.clear();
                    value.write_text(&mut self.written);
                    let text = self.written.as_bytes();
                    self.values.push(|bytes| bytes.extend_from_slice(text));
                }
            }
        }
    }

    /// Prepares a statement with parameters of these types, 0 where the server finds the type.
    fn prepare_as(&mut self, text: &str, types: &[u32]) -> Result<Prepared, SqlError> {
        self.deallocate();
        self.set_text(text);
        self.prepared += 1;
        let name = CString::new(format!("P{}", self.prepared)).unwrap_or_default();
        let text = c_text(&self.text);
        self.connection
            .send(|raw| raw.send_prepare(&name, text, types))?;
        self.connection.collect(drop)?;
        Ok(Prepared { name })
    }

    /// Runs a statement with parameters of these types.
    #[inline]
    fn execute_as<'v>(
        &mut self,
        text: &str,
        types: &[u32],
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.set_values(values);
        self.set_text(text);
        let (text, values) = (c_text(&self.text), &self.values);
        self.connection
            .send(|raw| raw.send_query_params(text, types, values))?;
        self.receive()
    }

    /// A NUL byte ends a text early, as it would for a program in C.
    fn set_text(&mut self, text: &str) {
        self.text.clear();
        self.text.extend_from_slice(text.as_bytes());
        self.text.push(0);
    }

    /// Takes the results of the statement that was sent.
    fn receive(&mut self) -> Result<Completion, SqlError> {
        let mut completion = Completion::default();
        let mut kept = self.keeps.then_some(&mut self.kept);
        if let Some(kept) = &mut kept {
            kept.clear();
        }
        self.connection.collect(|result| {
            if let Some(kept) = &mut kept {
                keep(kept, &result);
            }
            count(&mut completion, &result);
        })?;
        completion.laps = self.laps;
        completion.laps.answered(self.connection.first_byte_at());
        Ok(completion)
    }

    /// Gives up the statements that are not needed any more, unless a failed transaction keeps the session from it.
    fn deallocate(&mut self) {
        if self.forgotten.is_empty() || self.status() == TransactionStatus::InFailedBlock {
            return;
        }
        for name in take(&mut self.forgotten) {
            let text = format!("DEALLOCATE {}", name.to_string_lossy());
            // One that stays takes some memory of the server; its name is never used again.
            let _ = self.connection.execute(&text);
        }
    }

    fn status(&self) -> TransactionStatus {
        self.connection.transaction_status()
    }

    /// Queues a message of the pipeline; what cannot be sent is the error at its end.
    fn queue(
        &mut self,
        send: impl FnOnce(&mut Connection<W>, &Texts, &[u8]) -> Result<(), SqlError>,
    ) {
        let sent = send(&mut self.connection, &self.values, &self.text);
        if let (Err(error), Some(pipeline)) = (sent, &mut self.pipeline) {
            pipeline.error.get_or_insert(error);
        }
    }

    /// Sends the end of a part of the pipeline.
    fn sync(&mut self) {
        self.queue(|connection, _, _| connection.send(|raw| raw.sync()));
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.syncs += 1;
        }
    }

    /// Takes all results of the pipeline, and ends it.
    fn finish_pipeline(&mut self) -> Result<Completion, SqlError> {
        let mut completion = Completion::default();
        let Some(Pipeline {
            mut syncs,
            mut error,
        }) = self.pipeline.take()
        else {
            return Ok(completion);
        };
        // Two in a row: there is no statement left.
        let mut ends = 0;
        while syncs > 0 && ends < 2 {
            let result = match self.connection.next() {
                Ok(Some(result)) => result,
                Ok(None) => {
                    ends += 1;
                    continue;
                }
                // As of a single statement.
                Err(lost) => return Err(error.unwrap_or(lost)),
            };
            ends = 0;
            match result.answer() {
                Answer::Sync => syncs -= 1,
                Answer::Error => {
                    error.get_or_insert_with(|| result.error());
                }
                // libpq cannot leave a COPY within a pipeline: it would return its result again and again.
                Answer::CopyIn | Answer::CopyOut | Answer::Other => {
                    self.connection.abandon();
                    return Err(error.unwrap_or_else(no_copy));
                }
                _ => count(&mut completion, &result),
            }
        }
        let left = self.connection.queue(|raw| raw.exit_pipeline());
        match error {
            Some(error) => Err(error),
            None => left.map(|()| completion),
        }
    }
}

/// The text as libpq wants it.
fn c_text(text: &[u8]) -> &CStr {
    CStr::from_bytes_until_nul(text).unwrap_or_default()
}

fn count(completion: &mut Completion, result: &ResultSet) {
    completion.processed += result.processed();
    if result.answer() == Answer::Rows {
        let (rows, columns) = (result.rows() as u64, result.columns() as u64);
        completion.rows += rows;
        completion.bytes +=
            rows * (ROW_HEADER_BYTES + columns * COLUMN_HEADER_BYTES) + result.value_bytes();
    }
}

fn keep(kept: &mut KeptResults, result: &ResultSet) {
    kept.begin_query();
    if result.answer() != Answer::Rows {
        return;
    }
    kept.begin_result((0..result.columns()).map(|column| result.name(column)));
    for _ in 0..result.rows() {
        kept.begin_row();
    }
    let Some(last) = result.rows().checked_sub(1) else {
        return;
    };
    for column in 0..result.columns() {
        kept.push(result.value(last, column).unwrap_or_default());
    }
}

impl<W: Wait> Transport for Wire<W> {
    type Statement = Prepared;

    fn prepare(&mut self, text: &str, _values: usize) -> Result<Prepared, SqlError> {
        self.prepare_as(text, &[])
    }

    fn forget(&mut self, statement: Prepared) {
        self.forgotten.push(statement.name);
    }

    fn configure(&mut self, settings: &[(String, String)]) -> Result<(), SqlError> {
        self.deallocate();
        self.connection.configure(settings)
    }

    #[inline]
    fn execute<'v>(
        &mut self,
        statement: &Prepared,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.set_values(values);
        let values = &self.values;
        self.connection
            .send(|raw| raw.send_prepared(&statement.name, values))?;
        self.receive()
    }

    #[inline]
    fn execute_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<Completion, SqlError> {
        self.execute_as(text, &[], values)
    }

    #[inline]
    fn execute_simple(&mut self, text: &str) -> Result<Completion, SqlError> {
        self.set_text(text);
        let text = c_text(&self.text);
        self.connection.send(|raw| raw.send_query(text))?;
        self.receive()
    }

    fn keep_results(&mut self, keep: bool) {
        self.keeps = keep;
        if keep {
            self.kept.clear();
        }
    }

    fn kept(&self) -> &KeptResults {
        &self.kept
    }

    fn in_transaction_block(&self) -> bool {
        matches!(
            self.status(),
            TransactionStatus::InBlock | TransactionStatus::InFailedBlock
        )
    }

    fn is_lost(&self) -> bool {
        !self.connection.is_usable()
    }

    #[inline]
    fn in_pipeline(&self) -> bool {
        self.pipeline.is_some()
    }

    fn begin_pipeline(&mut self) {
        let entered = self.connection.queue(|raw| raw.enter_pipeline());
        self.pipeline = Some(Pipeline {
            syncs: 0,
            error: entered.err(),
        });
    }

    /// As with pgbench its results are taken at the end of the pipeline, and counted there.
    fn pipeline<'v>(
        &mut self,
        statement: &Prepared,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.set_values(values);
        self.queue(|connection, values, _| {
            connection.queue(|raw| raw.send_prepared(&statement.name, values))
        });
        Completion::default()
    }

    fn pipeline_unprepared<'v>(
        &mut self,
        text: &str,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Completion {
        self.set_values(values);
        self.set_text(text);
        self.queue(|connection, values, text| {
            connection.queue(|raw| raw.send_query_params(c_text(text), &[], values))
        });
        Completion::default()
    }

    fn sync_pipeline(&mut self) -> Completion {
        self.sync();
        Completion::default()
    }

    fn end_pipeline(&mut self) -> Result<Completion, SqlError> {
        self.sync();
        self.finish_pipeline()
    }

    /// What was not committed is rolled back; after an error it was skipped.
    fn abandon_pipeline(&mut self) {
        if self.pipeline.is_none() {
            return;
        }
        self.pipeline_unprepared("ROLLBACK", std::iter::empty());
        // Whatever it says, the pipeline is over.
        let _ = self.end_pipeline();
    }

    #[inline]
    fn begin_laps(&mut self, now: u64) {
        self.laps = Laps::begin(now);
    }

    /// A transaction may have no statement.
    #[inline]
    fn idle_checks(&mut self) {
        self.connection.wait.give_way();
    }

    /// A connection that was given up ends the client here.
    fn interrupts(&mut self) -> Result<(), SqlError> {
        self.connection.wait.give_way();
        self.connection.check()
    }
}

#[cfg(test)]
mod tests;
