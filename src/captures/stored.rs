//! A capture that a call names, and who may see what of it.

use super::files;
use crate::error::{Error, Result, failure};
use crate::pg::catalog::role;
use crate::pg::process::{latch, lock};
use crate::pg::server;
use crate::pg::sql::spi;
use capture::segment::Rest;
use capture::{Capture, Part};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use std::io;

/// Files of a capture that is read at once: in memory they are some ten times as long.
const MOST_BYTES: u64 = 256 << 20;

/// Its row, as far as calls need it.
#[derive(Debug, Deserialize)]
pub struct Stored {
    pub capture_id: i64,
    pub name: String,
    pub role: String,
}

impl Stored {
    /// # Errors
    /// There is none of this name: 42704.
    pub fn named(name: &str) -> Result<Stored> {
        let found: Option<Stored> = role::as_owner(|| {
            spi::select_one(
                "SELECT c.capture_id, c.name, c.role FROM pgperf_internal.stored_captures c WHERE c.name = $1",
                &[name.into()],
            )
        })?;
        found.ok_or_else(|| {
            failure(
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
                format!("there is no capture \"{name}\""),
            )
            .hinting(
                "SELECT name, status FROM pgperf.captures lists the captures of this database.",
            )
        })
    }

    /// Whether its writer is alive.
    fn lives(&self) -> bool {
        lock::capture_lives(self.capture_id)
    }

    /// # Errors
    /// The caller is neither a superuser nor has the rights of the role that started it: 42501.
    pub fn check_control(&self) -> Result<()> {
        if server::caller_controls(&self.role) {
            return Ok(());
        }
        Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!(
                "capture \"{}\" belongs to role \"{}\"",
                self.name, self.role
            ),
        )
        .hinting("Only that role, its members and superusers control it."))
    }

    /// Shows what it has part by part.
    ///
    /// # Errors
    /// Its files cannot be read.
    pub fn each(&self, mut see: impl FnMut(Part)) -> Result<(u64, Rest)> {
        let read = capture::each(&files::folder(self.capture_id), |part| {
            latch::statement_interrupts();
            see(part);
            Ok(())
        });
        read.map_err(|error| self.unreadable(&error))
    }

    /// All that it has.
    ///
    /// # Errors
    /// Its files cannot be read, or are too long.
    pub fn read(&self) -> Result<Capture> {
        let bytes = self.bytes()?;
        if bytes > MOST_BYTES {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
                format!("capture \"{}\" has {} MB, too much to be held in memory", self.name, bytes >> 20),
            )
            .hinting("Capture a shorter time, or a part of the sessions: up to 256 MB can be replayed and tested."));
        }
        let folder = files::folder(self.capture_id);
        Capture::read(&folder, latch::statement_interrupts).map_err(|error| self.unreadable(&error))
    }

    /// # Errors
    /// It is under way: 55006.
    pub fn check_ended(&self) -> Result<()> {
        if !self.lives() {
            return Ok(());
        }
        Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
            format!("capture \"{}\" is under way", self.name),
        )
        .hinting("Stop it first: SELECT pgperf.stop_capture()."))
    }

    /// Bytes of its files.
    ///
    /// # Errors
    /// They cannot be read, or are not on this server.
    pub fn bytes(&self) -> Result<u64> {
        files::bytes(&files::folder(self.capture_id)).map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> Error {
        if error.kind() == io::ErrorKind::NotFound {
            return failure(
                PgSqlErrorCode::ERRCODE_UNDEFINED_FILE,
                format!(
                    "the files of capture \"{}\" are not on this server",
                    self.name
                ),
            )
            .hinting("Base backups, dumps and pg_upgrade leave them out.");
        }
        failure(
            PgSqlErrorCode::ERRCODE_IO_ERROR,
            format!(
                "cannot read the files of capture \"{}\": {error}",
                self.name
            ),
        )
    }
}

/// Whether the caller may read data of all tables, as a capture has it.
///
/// # Errors
/// It may not: 42501.
pub fn check_reads_all(what: &str) -> Result<()> {
    let caller = server::current_role();
    let reads_all = server::role_oid("pg_read_all_data")
        .is_some_and(|role| server::has_rights_of(caller, role));
    if reads_all {
        return Ok(());
    }
    Err(failure(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!("permission denied to {what}"),
    )
    .hinting("A capture has values of all tables: it takes a superuser or a role with the rights of pg_read_all_data."))
}
