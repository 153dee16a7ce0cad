//! `pgperf.export_capture`, `pgperf.import_capture`: a capture as one value or one file of the server, for another server.

use super::files;
use super::request::{Row, check_name, next_id, refuse_prepare, remove_files_at_abort};
use super::stored::{Stored, check_reads_all};
use crate::catalog::node;
use crate::error::{Error, Result, failure, invalid};
use crate::pg::catalog::role;
use crate::pg::process::{latch, lock};
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use ::capture::area::Scope;
use ::capture::bundle;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The server returns no value that is longer.
const VALUE_BYTES: u64 = 1 << 30;

/// What a bundle's head says.
#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
    node: String,
    scope: Scope,
    duration_s: f64,
    max_bytes: i64,
    started_at: Option<String>,
    ended_at: Option<String>,
    reason: Option<String>,
    sessions: i64,
    sessions_left_out: i64,
    transactions: i64,
    statements: i64,
    dropped: i64,
}

/// `pgperf.export_capture(name text)`.
#[pg_extern(sql = false)]
fn export_capture(name: Text) -> Called<Vec<u8>> {
    let stored = exported(&name)?;
    if stored.bytes()? >= VALUE_BYTES {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            format!("capture \"{}\" is longer than a value can be", &*name),
        )
        .hinting("Write it to a file of the server: export_capture(name, file).")
        .into());
    }
    let mut bytes = Vec::new();
    write(&stored, &mut bytes)?;
    Ok(bytes)
}

/// `pgperf.export_capture(name text, file text)`.
#[pg_extern(sql = false)]
fn export_capture_to_file(name: Text, file: Text) -> Called<i64> {
    check_file(&file, "pg_write_server_files")?;
    let stored = exported(&name)?;
    // An error before there is a file.
    stored.bytes()?;
    let unwritable = |error: io::Error| file_error("write", &file, &error);
    let open = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&*file);
    let mut to = BufWriter::new(open.map_err(unwritable)?);
    let written =
        write(&stored, &mut to).and_then(|()| to.get_ref().sync_all().map_err(unwritable));
    if written.is_err() {
        // What there is of it is of no use.
        let _ = std::fs::remove_file(&*file);
    }
    written?;
    let length = to.get_ref().metadata().map_err(unwritable)?.len();
    Ok(length as i64)
}

/// The capture, if the caller may read it and it has ended.
fn exported(name: &str) -> Result<Stored> {
    let stored = Stored::named(name)?;
    stored.check_control()?;
    check_reads_all("export a capture")?;
    stored.check_ended()?;
    Ok(stored)
}

fn write(stored: &Stored, to: impl Write) -> Result<()> {
    let head: Option<Head> = role::as_owner(|| {
        spi::select_one(
            "SELECT c.name, COALESCE(n.name, c.node_id::pg_catalog.text) AS node, c.scope, c.duration_s, c.max_bytes, c.started_at, c.ended_at, \
                    c.reason, c.sessions, c.sessions_left_out, c.transactions, c.statements, c.dropped \
               FROM pgperf_internal.stored_captures c LEFT JOIN pgperf.nodes n ON n.node_id = c.node_id WHERE c.capture_id = $1",
            &[stored.capture_id.into()],
        )
    })?;
    let head = serde_json::to_vec(&head.ok_or(Error::NotInstalled)?)?;
    let failed = |error: io::Error| {
        failure(
            PgSqlErrorCode::ERRCODE_IO_ERROR,
            format!("cannot export capture \"{}\": {error}", stored.name),
        )
    };
    bundle::write(&files::folder(stored.capture_id), &head, to).map_err(failed)
}

/// `pgperf.import_capture(document bytea, name text)`.
#[pg_extern(sql = false)]
fn import_capture(document: Option<&[u8]>, name: Option<Text>) -> Called<i64> {
    let document = document.ok_or_else(|| invalid("document must not be NULL"))?;
    Ok(import(document, name.as_deref())?)
}

/// `pgperf.import_capture(file text, name text)`.
#[pg_extern(sql = false)]
fn import_capture_from_file(file: Option<Text>, name: Option<Text>) -> Called<i64> {
    let file = file.ok_or_else(|| invalid("file must not be NULL"))?;
    check_file(&file, "pg_read_server_files")?;
    let from = File::open(&*file).map_err(|error| file_error("read", &file, &error))?;
    Ok(import(BufReader::new(from), name.as_deref())?)
}

/// An imported capture belongs to the caller, since its own role exists elsewhere.
fn import(from: impl Read, name: Option<&str>) -> Result<i64> {
    if server::in_recovery() || server::transaction_is_read_only() {
        return Err(crate::error::read_only(
            "cannot import a capture in a read-only transaction",
        ));
    }
    refuse_prepare();
    let capture_id = next_id()?;
    // Its files are not yet of any row that others see.
    lock::hold_import(capture_id);
    let folder = files::create(capture_id).map_err(|error| not_imported(&error))?;
    remove_files_at_abort(capture_id);
    let head = bundle::read(from, &folder).map_err(|error| not_imported(&error))?;
    let head: Head = serde_json::from_slice(&head)
        .map_err(|_| invalid("this is no capture: its head cannot be read"))?;
    // It has to be one that can be read.
    let readable = capture::each(&folder, |_| {
        latch::statement_interrupts();
        Ok(())
    });
    readable.map_err(|error| not_imported(&error))?;
    let bytes = files::bytes(&folder).map_err(|error| not_imported(&error))? as i64;
    let name = name.map_or(head.name.clone(), str::to_owned);
    check_name(&name)?;
    #[derive(Serialize)]
    struct Imported {
        #[serde(flatten)]
        row: Row,
        stored_status: &'static str,
        started_at: Option<String>,
        ended_at: Option<String>,
        reason: Option<String>,
        bytes: i64,
        sessions: i64,
        sessions_left_out: i64,
        transactions: i64,
        statements: i64,
        dropped: i64,
        imported_from: String,
    }
    let row = Imported {
        row: Row {
            node_id: node::local_node()?,
            capture_id,
            name,
            role: server::role_name(server::current_role()).unwrap_or_default(),
            scope: head.scope,
            duration_s: head.duration_s,
            max_bytes: head.max_bytes,
        },
        stored_status: "finished",
        started_at: head.started_at,
        ended_at: head.ended_at,
        reason: head.reason,
        bytes,
        sessions: head.sessions,
        sessions_left_out: head.sessions_left_out,
        transactions: head.transactions,
        statements: head.statements,
        dropped: head.dropped,
        imported_from: head.node,
    };
    role::as_owner(|| spi::insert("pgperf_internal.stored_captures", &row))?;
    Ok(capture_id)
}

fn not_imported(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidData => invalid(format!("this is no capture: {error}")),
        io::ErrorKind::UnexpectedEof => invalid("this is no whole capture: its end is missing"),
        _ => failure(
            PgSqlErrorCode::ERRCODE_IO_ERROR,
            format!("cannot import the capture: {error}"),
        ),
    }
}

/// As COPY and pg_read_file ask.
fn check_file(file: &str, needed: &str) -> Result<()> {
    if !Path::new(file).is_absolute() {
        return Err(invalid(format!(
            "file must be an absolute path, not \"{file}\""
        )));
    }
    let caller = server::current_role();
    if server::role_oid(needed).is_some_and(|role| server::has_rights_of(caller, role)) {
        return Ok(());
    }
    Err(failure(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        "permission denied for files of the server",
    )
    .hinting(format!(
        "It takes a superuser or a role with the rights of {needed}."
    )))
}

fn file_error(what: &str, file: &str, error: &io::Error) -> Error {
    let sqlstate = match error.kind() {
        io::ErrorKind::NotFound => PgSqlErrorCode::ERRCODE_UNDEFINED_FILE,
        io::ErrorKind::AlreadyExists => PgSqlErrorCode::ERRCODE_DUPLICATE_FILE,
        _ => PgSqlErrorCode::ERRCODE_IO_ERROR,
    };
    failure(
        sqlstate,
        format!("could not {what} file \"{file}\": {error}"),
    )
}
