//! A session that a worker has with the pgperf of another server, for the user of a role: each question is a statement of its own, which may
//! write, and nothing waits for a server that hangs for longer than its patience.

use super::control::{Latch, leave_before_exit, ours};
use super::servers::connection_of;
use crate::error::{Error, Result};
use crate::pg::error::{SqlError, raise};
use crate::pg::sql::xact;
use pgrx::pg_sys::Oid;
use serde::de::DeserializeOwned;
use std::time::Duration;
use wire::Connection;

/// How long connecting may take: the run goes on meanwhile.
const LONGEST_CONNECT: Duration = Duration::from_secs(10);

/// A session on another server.
pub struct Conversation {
    connection: Connection<Latch>,
}

/// A worker that ends leaves no statement behind.
impl Drop for Conversation {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.connection.leave_statement();
        }
    }
}

impl Conversation {
    /// Connects as this role does, with this name. Outside a transaction.
    ///
    /// # Errors
    /// Those of [`connection_of`]; the server cannot be reached in time, or refuses.
    pub fn open(server: &str, role: Oid, name: &str) -> Result<Conversation> {
        let info =
            xact::transaction(|| connection_of(role, server).unwrap_or_else(|error| raise(error)));
        let info = info.map_err(ours)?;
        leave_before_exit();
        let within = info.connect_timeout().min(LONGEST_CONNECT);
        let opened = Connection::open_session(&info, name, &[], Latch, within);
        Ok(Conversation {
            connection: opened.map_err(ours)?,
        })
    }

    /// The value of one column of a query's only row, as text.
    ///
    /// # Errors
    /// The server's, those of the connection, and an answer without a value.
    pub fn ask(&mut self, sql: &str, values: &[&str], patience: Duration) -> Result<String> {
        self.connection.set_patience(Some(patience));
        let values: Vec<Option<&str>> = values.iter().copied().map(Some).collect();
        let answer = self.connection.query(sql, &values).map_err(ours)?;
        let text = answer.text(0, 0).filter(|_| answer.rows() == 1);
        text.map(str::to_owned).ok_or_else(without_value)
    }

    /// The same of a document.
    ///
    /// # Errors
    /// The same, and another form.
    pub fn ask_for<T: DeserializeOwned>(
        &mut self,
        sql: &str,
        values: &[&str],
        patience: Duration,
    ) -> Result<T> {
        Ok(serde_json::from_str(&self.ask(sql, values, patience)?)?)
    }
}

fn without_value() -> Error {
    ours(SqlError::new(
        "02000",
        "the answer of the other server has no value",
    ))
}
