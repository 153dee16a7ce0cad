//! A session of a target that a worker has for statements of its role, which take as long as they take. A cancel of the worker, which notes
//! it ([`OnCancel::Note`](crate::pg::process::worker::OnCancel)), cancels the statement there, and so does the end of the worker.

use super::control::readiness;
use super::servers::connection;
use crate::pg::error::{SqlError, raise};
use crate::pg::process::{latch, socket, worker};
use crate::pg::sql::xact;
use serde::de::DeserializeOwned;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};
use wire::{Connection, Interest, TransactionStatus, Wait, Woken};

/// How often it looks for a cancel, whatever wakes it.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A session of the current role's user on a target.
pub struct Session {
    connection: Connection<Noted>,
}

/// Waits as a worker that notes cancels.
pub struct Noted;

impl Wait for Noted {
    fn wait(&self, socket: BorrowedFd<'_>, interest: Interest, until: Option<Instant>) -> Woken {
        loop {
            if let Some(request) = self.requested() {
                return request;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let look = left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN);
            let is_ready = socket::pause(socket, readiness(interest), look);
            if !worker::is_ending() {
                latch::interrupts();
            }
            if is_ready {
                return Woken::Ready;
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Woken::TimedOut;
            }
        }
    }

    fn begin_statement(&self) {
        worker::cancel_requested();
    }

    /// Before the process ends, the statement is to be cancelled.
    fn requested(&self) -> Option<Woken> {
        if worker::is_ending() {
            return Some(Woken::GiveUp);
        }
        worker::cancel_requested().then_some(Woken::Cancel)
    }
}

impl Session {
    /// Connects with a name and settings.
    ///
    /// # Errors
    /// Those of [`connection`], and of the target.
    pub fn open(
        server: &str,
        name: &str,
        settings: &[(String, String)],
    ) -> Result<Session, SqlError> {
        let info = xact::transaction(|| connection(server).unwrap_or_else(|error| raise(error)))?;
        let within = info.connect_timeout();
        let connection = Connection::open_session(&info, name, settings, Noted, within)?;
        Ok(Session { connection })
    }

    /// Executes a text of one or several statements; how many rows the last one has processed.
    ///
    /// # Errors
    /// The target's, or those of the connection.
    pub fn execute(&mut self, sql: &str) -> Result<u64, SqlError> {
        self.connection.execute(sql)
    }

    /// The rows of a query, each as a struct: the names of its columns are those of the fields.
    ///
    /// # Errors
    /// The same, and rows that are not such structs.
    pub fn select<T: DeserializeOwned>(&mut self, sql: &str) -> Result<Vec<T>, SqlError> {
        let sql = format!("SELECT pg_catalog.to_json(q)::pg_catalog.text FROM ({sql}) q");
        let answer = self.connection.query(&sql, &[])?;
        let texts = (0..answer.rows()).filter_map(|row| answer.text(row, 0));
        let parsed = texts.map(|text| {
            serde_json::from_str(text).map_err(|error| {
                let message = format!("a target's answer has an unexpected form: {error}");
                SqlError::new("XX000", &message)
            })
        });
        parsed.collect()
    }

    /// The connection, for a COPY.
    pub fn connection(&mut self) -> &mut Connection<Noted> {
        &mut self.connection
    }

    /// The rows of a query, as texts.
    ///
    /// # Errors
    /// The same.
    pub fn rows(&mut self, query: &str) -> Result<Vec<Vec<Option<String>>>, SqlError> {
        let answer = self.connection.query(query, &[])?;
        let cell = |row, column| answer.text(row, column).map(str::to_owned);
        let row = |row| {
            (0..answer.columns())
                .map(|column| cell(row, column))
                .collect()
        };
        Ok((0..answer.rows()).map(row).collect())
    }

    /// Whether a transaction block is open.
    pub fn in_transaction_block(&self) -> bool {
        self.connection.transaction_status() != TransactionStatus::Idle
    }
}
