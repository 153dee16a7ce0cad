//! A connection that asks a target about itself.
//!
//! Each question is a transaction of its own that writes nothing, with settings that neither the target's role nor its database decides: a
//! pooler may answer the next one by another session. Nothing waits for a target that hangs for longer than its timeout.

use super::servers::connection;
use crate::error::{Error, Result, failure, sqlstate_code};
use crate::pg::error::SqlError;
use crate::pg::process::clock;
use crate::pg::process::socket::{self, Readiness};
use crate::pg::process::worker;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::quote::quote_literal;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::os::fd::BorrowedFd;
use std::sync::Once;
use std::time::{Duration, Instant};
use wire::{Connection, Conninfo, Interest, Wait, Woken};

/// How long an answer may take; the target cancels the statement by itself before that.
const PATIENCE: Duration = Duration::from_secs(6);
/// No more of connect_timeout counts here: nobody wants to know later.
const LONGEST_CONNECT: Duration = Duration::from_secs(10);

/// Its statements have this word in them, so that pg_stat_statements tells them from those of others.
pub const MARK: &str = "pgperf_control";

const STATEMENT_TIMEOUT: &str = "5s";
const SEARCH_PATH: &str = "pg_catalog, pg_temp";

/// For the time of a transaction.
const SETTINGS: [(&str, &str); 6] = [
    setting::ALL_RELATIONS,
    ("lock_timeout", "1s"),
    ("standard_conforming_strings", "on"),
    ("extra_float_digits", "3"),
    ("DateStyle", "ISO"),
    ("TimeZone", "UTC"),
];

/// Whether this process does what [`leave_before_exit`] wants.
static LEAVES: Once = Once::new();

/// Has this process end what its threads do before it exits.
pub(super) fn leave_before_exit() {
    LEAVES.call_once(|| worker::before_exit(wire::leave));
}

/// Begins a transaction that writes nothing.
pub(super) fn begin() -> String {
    begin_with(SEARCH_PATH, STATEMENT_TIMEOUT)
}

fn begin_with(search_path: &str, timeout: &str) -> String {
    let set = |(name, value)| {
        format!(
            "pg_catalog.set_config('{name}', {}, true)",
            quote_literal(value)
        )
    };
    let of_question = [("search_path", search_path), ("statement_timeout", timeout)];
    let settings = SETTINGS.into_iter().chain(of_question);
    let settings: Vec<String> = settings.map(set).collect();
    format!(
        "BEGIN TRANSACTION READ ONLY; SELECT {} AS {MARK}",
        settings.join(", ")
    )
}

/// A session of the target.
pub struct Control {
    connection: Connection<Latch>,
}

/// A cancel of the process that waits for an answer is one of the statement there.
impl Drop for Control {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.connection.leave_statement();
        }
    }
}

/// Waits as a process of the server does: for its latch, too.
pub(super) struct Latch;

impl Wait for Latch {
    fn wait(&self, socket: BorrowedFd<'_>, interest: Interest, until: Option<Instant>) -> Woken {
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if socket::wait(socket, readiness(interest), left.unwrap_or(PATIENCE)) {
                return Woken::Ready;
            }
            if until.is_some() {
                return Woken::TimedOut;
            }
        }
    }
}

/// What a wait of a process of the server has to look at.
pub(super) fn readiness(interest: Interest) -> Readiness {
    Readiness {
        to_read: interest != Interest::Write,
        to_write: interest != Interest::Read,
    }
}

impl Control {
    /// Connects as the current role.
    ///
    /// # Errors
    /// Those of [`connection`]; 08001: the target cannot be reached in time, or refuses; 2F003: it has not asked for the password that the
    /// role needs.
    pub fn open(server: &str) -> Result<Control> {
        Control::connect(server, &connection(server)?)
    }

    /// The same with what [`connection`] has told.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn connect(server: &str, info: &Conninfo) -> Result<Control> {
        let within = info.connect_timeout().min(LONGEST_CONNECT);
        leave_before_exit();
        let mut connection =
            Connection::open(info, Latch, within).map_err(|error| match &error.detail {
                Some(_) => ours(error),
                None => failure(
                    sqlstate_code(&error.sqlstate),
                    format!("could not connect to server \"{server}\""),
                )
                .detailed(error.message),
            })?;
        connection.set_patience(Some(PATIENCE));
        Ok(Control { connection })
    }

    /// The rows of a query, each as a struct: the names of its columns are those of the fields. It sees names of pg_catalog alone.
    ///
    /// # Errors
    /// The target's, those of the connection, and rows that are not such structs.
    pub fn select<T: DeserializeOwned>(&mut self, sql: &str) -> Result<Vec<T>> {
        self.select_with(sql, &[])
    }

    /// The same of a query with parameters `$1`, `$2` and so on.
    ///
    /// # Errors
    /// The same.
    pub fn select_with<T: DeserializeOwned>(
        &mut self,
        sql: &str,
        values: &[&str],
    ) -> Result<Vec<T>> {
        self.select_under(SEARCH_PATH, sql, values)
    }

    /// The same under another search_path, by which the target looks up names that the query gives it as values. The query itself names the
    /// schemas of all that it uses.
    ///
    /// # Errors
    /// The same.
    pub fn select_under<T: DeserializeOwned>(
        &mut self,
        search_path: &str,
        sql: &str,
        values: &[&str],
    ) -> Result<Vec<T>> {
        let sql = format!("SELECT pg_catalog.to_json(q)::pg_catalog.text AS {MARK} FROM ({sql}) q");
        let began = begin_with(search_path, STATEMENT_TIMEOUT);
        self.in_transaction(&began, &sql, values)
    }

    /// The rows of somebody's query, as texts. It may take as long as it takes. `search_path`: that under which it runs; None: it names the
    /// schemas of all that it uses.
    ///
    /// # Errors
    /// The same.
    pub fn cells(
        &mut self,
        sql: &str,
        search_path: Option<&str>,
    ) -> Result<Vec<Vec<Option<String>>>> {
        // A column may have any name, also that of a row.
        let sql = format!(
            "SELECT pg_catalog.to_json(ARRAY(SELECT e.value FROM pg_catalog.json_each_text(pg_catalog.row_to_json(pgperf_row.*)) AS e))\
                 ::pg_catalog.text AS {MARK} FROM (\n{sql}\n) AS pgperf_row"
        );
        self.connection.set_patience(None);
        let began = begin_with(search_path.unwrap_or(SEARCH_PATH), "0");
        let rows = self.in_transaction(&began, &sql, &[]);
        self.connection.set_patience(Some(PATIENCE));
        rows
    }

    /// The only row of a query.
    ///
    /// # Errors
    /// As [`Control::select`]; there is none.
    pub fn select_one<T: DeserializeOwned>(&mut self, sql: &str) -> Result<T> {
        let rows = self.select(sql)?;
        let none = || SqlError::new("02000", "a target's answer has no rows");
        rows.into_iter().next().ok_or_else(|| ours(none()))
    }

    /// The rows of a query that has one column of JSON.
    fn in_transaction<T: DeserializeOwned>(
        &mut self,
        began: &str,
        sql: &str,
        values: &[&str],
    ) -> Result<Vec<T>> {
        let rows = self.ask(began, sql, values);
        if rows.is_err() && self.connection.is_usable() {
            // What there is to say is said.
            let _ = self.connection.execute("ROLLBACK");
        }
        let rows = rows.map_err(ours)?;
        let parsed = |row: &String| Ok(serde_json::from_str(row)?);
        rows.iter().map(parsed).collect()
    }

    fn ask(
        &mut self,
        began: &str,
        sql: &str,
        values: &[&str],
    ) -> std::result::Result<Vec<String>, SqlError> {
        self.connection.execute(began)?;
        let values: Vec<Option<&str>> = values.iter().copied().map(Some).collect();
        let answer = self.connection.query(sql, &values)?;
        let rows = (0..answer.rows()).filter_map(|row| answer.text(row, 0).map(str::to_owned));
        let rows = rows.collect();
        self.connection.execute("COMMIT")?;
        Ok(rows)
    }

    /// The search_path that a session of the role begins with.
    ///
    /// # Errors
    /// As [`Control::select`].
    pub fn search_path(&mut self) -> Result<String> {
        #[derive(Deserialize)]
        struct Path {
            path: String,
        }
        let sql = "SELECT reset_val AS path FROM pg_settings WHERE name = 'search_path'";
        let Path { path } = self.select_one(sql)?;
        Ok(path)
    }

    /// Tries a setting of a session.
    ///
    /// # Errors
    /// The target's: it has no such setting, or not with this value, or not for this role.
    pub fn try_setting(&mut self, name: &str, value: &str) -> Result<()> {
        let sql = "SELECT set_config($1, $2, true) AS value";
        self.select_with::<IgnoredAny>(sql, &[name, value])
            .map(drop)
    }

    /// The shortest of some ways there and back, in milliseconds.
    ///
    /// # Errors
    /// As [`Control::select`].
    pub fn round_trip_ms(&mut self) -> Result<f64> {
        let mut shortest = u64::MAX;
        for _ in 0..5 {
            let began = clock::now();
            self.connection.query("SELECT 1", &[]).map_err(ours)?;
            shortest = shortest.min(clock::now() - began);
        }
        Ok(shortest as f64 / 1e6)
    }

    /// How far the target's clock is ahead of the one here, by the shortest of some ways there and back, and that way; in milliseconds.
    ///
    /// # Errors
    /// As [`Control::select`].
    pub fn clock_ahead_ms(&mut self) -> Result<(f64, f64)> {
        const NOW: &str =
            "SELECT pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())::pg_catalog.text";
        let mut found = (0.0, f64::INFINITY);
        for _ in 0..5 {
            let (began, began_at) = (clock::now(), epoch_ms());
            let answer = self.connection.query(NOW, &[]).map_err(ours)?;
            let way_ms = (clock::now() - began) as f64 / 1e6;
            let there_s: Option<f64> = answer.text(0, 0).and_then(|text| text.parse().ok());
            if let Some(there_s) = there_s.filter(|_| way_ms < found.1) {
                found = (there_s * 1e3 - (began_at + way_ms / 2.0), way_ms);
            }
        }
        Ok(found)
    }

    /// The target's version, as 100023.
    pub fn version(&self) -> u32 {
        self.connection.server_version().unsigned_abs()
    }

    /// The process that the target has named as this session's when it let it in.
    pub fn named_pid(&self) -> i32 {
        self.connection.backend_pid()
    }
}

/// The time here since 1970.
fn epoch_ms() -> f64 {
    const FROM_1970_TO_2000_S: f64 = 946_684_800.0;
    server::timestamp_now() as f64 / 1e3 + FROM_1970_TO_2000_S * 1e3
}

/// The same error as pgperf's own.
pub(super) fn ours(error: SqlError) -> Error {
    let failure = failure(sqlstate_code(&error.sqlstate), error.message);
    match error.detail {
        Some(detail) => failure.detailed(detail),
        None => failure,
    }
}
