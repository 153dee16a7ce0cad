//! The SQL functions that start, stop and drop captures.

use super::files;
use super::stored::{Stored, check_reads_all};
use super::writer;
use crate::catalog::node;
use crate::error::{Result, failure, hinted, invalid, unsupported};
use crate::pg::capture::control;
use crate::pg::catalog::role;
use crate::pg::process::{latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::interval::{Seconds, in_range};
use crate::pg::sql::text::Text;
use crate::pg::sql::{arguments, size, spi, xact};
use crate::service::as_owner::Launch;
use crate::service::preconditions::{check_login, check_session, no_slots};
use crate::service::start::{await_start, refuse_two_phase_commit};
use ::capture::area::{Scope, ShareOf};
use pgrx::PgXactCallbackEvent;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How long `stop_capture` waits for the writer to leave.
const STOP_NS: u64 = 10_000_000_000;
/// A capture with less room would end with its first block.
const LEAST_BYTES: i64 = 1 << 20;

/// The arguments of `start_capture`.
#[derive(Deserialize)]
struct Arguments {
    name: Option<String>,
    duration: Option<Seconds>,
    roles: Option<Vec<String>>,
    application_names: Option<Vec<String>>,
    share: Option<f64>,
    share_of: Option<String>,
    max_bytes: Option<String>,
}

/// Its row.
#[derive(Serialize)]
pub struct Row {
    pub node_id: String,
    pub capture_id: i64,
    pub name: String,
    pub role: String,
    pub scope: Scope,
    pub duration_s: f64,
    pub max_bytes: i64,
}

/// `pgperf.start_capture`.
#[pg_extern(sql = false)]
fn start_capture(fcinfo: pg_sys::FunctionCallInfo) -> Called<i64> {
    Ok(start(arguments::read(arguments::by_name(fcinfo)?)?)?)
}

fn start(given: Arguments) -> Result<i64> {
    check_session("capture")?;
    check_reads_all("start a capture")?;
    if !control::is_possible() {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "sessions can be captured only where pgperf is preloaded",
        )
        .hinting("Add pgperf to shared_preload_libraries, and restart the server."));
    }
    let owner = role::extension_owner();
    check_login(owner)?;
    let mut row = given.check()?;
    check_alone()?;
    refuse_two_phase_commit("capture");
    row.capture_id = next_id()?;
    role::as_owner(|| spi::insert("pgperf_internal.stored_captures", &row))?;
    let launch = Launch::here(owner, Some(xact::current_subtransaction_id()))?;
    let writer =
        writer::register(&launch, row.capture_id).ok_or_else(|| no_slots(1, 0, worker::slots()))?;
    await_start(&writer, "the writer of the capture", || {
        lock::capture_lives(row.capture_id)
    })?;
    Ok(row.capture_id)
}

impl Arguments {
    fn check(self) -> Result<Row> {
        let name = self.name.unwrap_or_default();
        check_name(&name)?;
        let duration_s = in_range("duration", self.duration, 1.0)?;
        let share = self.share.unwrap_or(1.0);
        if !(share > 0.0 && share <= 1.0) {
            return Err(invalid(format!(
                "share must be above 0 and at most 1, not {share}"
            )));
        }
        let share_of = match self.share_of.as_deref().unwrap_or("sessions") {
            "sessions" => ShareOf::Sessions,
            "transactions" => ShareOf::Transactions,
            other => {
                return Err(hinted(
                    format!("share_of must not be \"{other}\""),
                    "It is sessions or transactions.",
                ));
            }
        };
        let max_bytes = size::read(self.max_bytes.as_deref().unwrap_or("1GB"))?;
        if max_bytes < LEAST_BYTES {
            return Err(invalid(format!(
                "max_bytes must be at least 1 MB, not {max_bytes} bytes"
            )));
        }
        let roles = self.roles.unwrap_or_default();
        if let Some(unknown) = roles.iter().find(|name| server::role_oid(name).is_none()) {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
                format!("role \"{unknown}\" does not exist"),
            ));
        }
        Ok(Row {
            node_id: node::local_node()?,
            capture_id: 0,
            name,
            role: server::role_name(server::current_role()).unwrap_or_default(),
            scope: Scope {
                database: u32::from(server::database()),
                roles,
                applications: self.application_names.unwrap_or_default(),
                share,
                share_of,
            },
            // Ten minutes by default; NULL is none.
            duration_s: duration_s.ok_or_else(|| {
                hinted(
                    "duration must not be NULL",
                    "A capture ends by itself: after duration, at max_bytes, or when the disk is nearly full.",
                )
            })?,
            max_bytes,
        })
    }
}

/// # Errors
/// It is empty, or there is a capture of this name.
pub fn check_name(name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(hinted(
            "name must not be empty or NULL",
            "A capture is called by its name: start_capture('monday').",
        ));
    }
    let taken = "EXISTS (SELECT FROM pgperf_internal.stored_captures c WHERE c.name = $1)";
    if role::as_owner(|| spi::holds(taken, &[name.into()]))? {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT,
            format!("there is a capture \"{name}\" already"),
        )
        .hinting("pgperf.drop_capture() removes it."));
    }
    Ok(())
}

/// # Errors
/// Another capture of this server is under way: 55006.
fn check_alone() -> Result<()> {
    if !lock::any_capture_lives() {
        return Ok(());
    }
    Err(failure(
        PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
        "a capture is under way on this server",
    )
    .hinting("There is one at a time: pgperf.stop_capture(), in its database, ends it."))
}

/// The number of the next one.
pub fn next_id() -> Result<i64> {
    #[derive(Deserialize)]
    struct Id {
        id: i64,
    }
    let id: Option<Id> = role::as_owner(|| {
        spi::select_one(
            "SELECT pg_catalog.nextval('pgperf_internal.capture_id_seq') AS id",
            &[],
        )
    })?;
    Ok(id.map_or(0, |it| it.id))
}

/// `pgperf.stop_capture`.
#[pg_extern(sql = false)]
fn stop_capture() -> Called<bool> {
    Ok(stop()?)
}

fn stop() -> Result<bool> {
    #[derive(Deserialize)]
    struct Writer {
        pid: i32,
        capture_id: i64,
    }
    let found: Option<Writer> = role::as_owner(|| spi::select_one(&lock::capture_pid_sql(), &[]))?;
    let Some(writer) = found else {
        return Ok(false);
    };
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    // Its row may be newer than the transaction's snapshot.
    let named: Option<Named> = xact::with_latest_snapshot(|| {
        role::as_owner(|| {
            spi::select_one(
                "SELECT c.name FROM pgperf_internal.stored_captures c WHERE c.capture_id = $1",
                &[writer.capture_id.into()],
            )
        })
    })?;
    match named {
        Some(Named { name }) => Stored::named(&name)?.check_control()?,
        // Another session has yet to commit its start.
        None => check_reads_all("stop a capture")?,
    }
    worker::signal(writer.pid, worker::CANCEL);
    latch::wait_until(STOP_NS, || !worker::lives(writer.pid));
    Ok(true)
}

/// `pgperf.drop_capture`. The files go when the transaction commits.
#[pg_extern(sql = false)]
fn drop_capture(name: Text) -> Called<bool> {
    Ok(remove(&name)?)
}

fn remove(name: &str) -> Result<bool> {
    let stored = Stored::named(name)?;
    stored.check_control()?;
    stored.check_ended()?;
    let capture_id = stored.capture_id;
    role::as_owner(|| {
        spi::execute(
            "DELETE FROM pgperf_internal.stored_captures c WHERE c.capture_id = $1",
            &[capture_id.into()],
        )
    })?;
    refuse_prepare();
    remove_files_at_commit(capture_id);
    Ok(true)
}

/// What becomes of the files is decided when the transaction ends here.
pub fn refuse_prepare() {
    pgrx::register_xact_callback(PgXactCallbackEvent::PrePrepare, || {
        let refused =
            unsupported("cannot PREPARE a transaction that has imported or dropped a capture")
                .hinting("Commit it instead.");
        ErrorReport::from(refused).report(PgLogLevel::ERROR);
    });
}

/// Unless this part of the transaction is rolled back.
fn remove_files_at_commit(capture_id: i64) {
    let xid = xact::current_subtransaction_id();
    let is_dropped = Arc::new(AtomicBool::new(false));
    let known_before = is_dropped.clone();
    pgrx::register_xact_callback(PgXactCallbackEvent::PreCommit, move || {
        known_before.store(xact::is_current(xid), Relaxed);
    });
    pgrx::register_xact_callback(PgXactCallbackEvent::Commit, move || {
        if is_dropped.load(Relaxed) {
            // What cannot be removed now is removed with the next capture.
            let _ = files::remove(capture_id);
        }
    });
}

/// Those of a capture whose row goes with this part of the transaction.
pub fn remove_files_at_abort(capture_id: i64) {
    let remove = move || {
        // What cannot be removed now is removed with the next capture.
        let _ = files::remove(capture_id);
    };
    pgrx::register_xact_callback(PgXactCallbackEvent::Abort, remove);
    let xid = xact::current_subtransaction_id();
    pgrx::register_xact_callback(PgXactCallbackEvent::PreCommit, move || {
        if !xact::is_current(xid) {
            remove();
        }
    });
}

/// `pgperf_internal.capture_alive`.
#[pg_extern(sql = false)]
fn capture_alive(capture_id: i64) -> bool {
    lock::capture_lives(capture_id)
}
