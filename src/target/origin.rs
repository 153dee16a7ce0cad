//! A session by which a subscription begins: a replication slot on a target, and the rows as they were when it began.

use super::control::{Latch, leave_before_exit, ours};
use crate::error::{Error, Result, failure, sqlstate_code};
use crate::pg::sql::quote::quote_literal;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{ERRCODE_LOCK_NOT_AVAILABLE, ERRCODE_QUERY_CANCELED};
use std::time::Duration;
use wire::{Connection, Conninfo};

/// How long a slot may take: it waits for the transactions that are open there.
const SLOT_PATIENCE: Duration = Duration::from_secs(60);
/// How values are written; everything is looked up in pg_catalog.
const SETTINGS: &str = "SET search_path = pg_catalog, pg_temp; SET statement_timeout = 0; SET lock_timeout = '10s'; \
    SET DateStyle = ISO; SET IntervalStyle = postgres; SET TimeZone = UTC; SET bytea_output = hex; SET extra_float_digits = 1; SET jit = off";
const TEMPORARY: &str = "pgperf_copy";

/// A connection for replication. It knows the simple protocol only.
pub struct Origin {
    connection: Connection<Latch>,
    /// Of the slot for as long as the session lasts.
    name: String,
}

/// A session whose user has cancelled leaves no statement behind.
impl Drop for Origin {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.connection.leave_statement();
        }
    }
}

impl Origin {
    /// Connects, and begins a transaction that sees what a new slot will not send. The slot ends with the session, unless it is kept.
    ///
    /// # Errors
    /// Those of the connection; 55P03: transactions there are open for long, and the slot waits for them.
    pub fn begin(server: &str, info: &Conninfo) -> Result<Origin> {
        leave_before_exit();
        let info = info.clone().with("replication", "database");
        let within = info.connect_timeout();
        let connection = Connection::open(&info, Latch, within).map_err(|error| {
            failure(
                sqlstate_code(&error.sqlstate),
                format!("could not connect to server \"{server}\" for replication"),
            )
            .detailed(error.message)
        })?;
        let name = format!("{TEMPORARY}_{}", connection.backend_pid());
        let mut origin = Origin { connection, name };
        origin.run(SETTINGS)?;
        origin.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        origin.connection.set_patience(Some(SLOT_PATIENCE));
        let slot = format!(
            "CREATE_REPLICATION_SLOT {} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'use')",
            origin.name
        );
        origin.run(&slot).map_err(waited_for)?;
        origin.connection.set_patience(None);
        Ok(origin)
    }

    /// The rows of a query, as texts.
    ///
    /// # Errors
    /// The target's, or those of the connection.
    pub fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        let answer = self.connection.simple(sql).map_err(ours)?;
        let cell = |row, column| answer.text(row, column).map(str::to_owned);
        let row = |row| {
            (0..answer.columns())
                .map(|column| cell(row, column))
                .collect()
        };
        Ok((0..answer.rows()).map(row).collect())
    }

    /// The first column of a query.
    ///
    /// # Errors
    /// The same.
    pub fn column(&mut self, sql: &str) -> Result<Vec<String>> {
        let rows = self.rows(sql)?.into_iter();
        Ok(rows
            .filter_map(|row| row.into_iter().next().flatten())
            .collect())
    }

    /// Executes a text.
    ///
    /// # Errors
    /// The same.
    pub fn run(&mut self, sql: &str) -> Result<()> {
        self.connection.simple(sql).map(drop).map_err(ours)
    }

    /// Makes a slot of this name at the same place, which stays: the last step, since nothing undoes it.
    ///
    /// # Errors
    /// The target's: there is such a slot, or no free one.
    pub fn keep_slot(&mut self, slot: &str) -> Result<()> {
        self.run(&format!(
            "COMMIT; SELECT pg_copy_logical_replication_slot({}, {}, false)",
            quote_literal(&self.name),
            quote_literal(slot)
        ))
    }
}

fn waited_for(error: Error) -> Error {
    match error.sqlstate() {
        ERRCODE_QUERY_CANCELED => failure(
            ERRCODE_LOCK_NOT_AVAILABLE,
            "the replication slot was not ready within a minute: it waits for transactions that are open on the source",
        )
        .hinting("There, SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start shows them. If the source is another database of this server, this transaction may be one: call nothing else in it."),
        _ => error,
    }
}
