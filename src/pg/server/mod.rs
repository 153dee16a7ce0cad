//! Facts about the server and this session that need no SQL.

pub mod activity;
pub mod alter_system;
pub mod checkpoint;
pub mod multixact;
pub mod page_cache;
pub mod progress;
pub mod sessions;
pub mod waits;
pub mod wal;
pub mod xfs;

use super::catalog::extension;
use super::encoding;
use super::error::say;
use crate::error::{Error, Result};
use pgrx::PgLogLevel;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::str::FromStr;

/// The number that initdb gave the cluster, the same on its standbys and copies.
pub fn system_identifier() -> i64 {
    // SAFETY: read from shared memory that never changes.
    unsafe { pg_sys::GetSystemIdentifier() as i64 }
}

pub fn in_recovery() -> bool {
    // SAFETY: reads shared state.
    unsafe { pg_sys::RecoveryInProgress() }
}

/// Whether the current transaction may not write.
pub fn transaction_is_read_only() -> bool {
    // SAFETY: state of this process.
    unsafe { pg_sys::XactReadOnly }
}

/// The data directory.
pub fn data_directory() -> PathBuf {
    // SAFETY: a path that the postmaster has set for all its children.
    let path = unsafe { CStr::from_ptr(pg_sys::DataDir) };
    PathBuf::from(OsStr::from_bytes(path.to_bytes()))
}

/// The arguments that the server was started with, of `postmaster.opts`; empty where that cannot be read.
pub fn started_with() -> Vec<String> {
    let text = fs::read(data_directory().join("postmaster.opts")).unwrap_or_default();
    // The program, then each argument in quotation marks.
    let text = encoding::decode(&text);
    let parts = text.split('"').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

/// This session's database.
pub fn database() -> pg_sys::Oid {
    // SAFETY: set at connection.
    unsafe { pg_sys::MyDatabaseId }
}

/// How many sessions clients may have at once.
pub fn max_connections() -> u64 {
    // SAFETY: set before any process starts.
    u64::try_from(unsafe { pg_sys::MaxConnections }).unwrap_or(0)
}

/// When this process last read the server's configuration.
pub fn reloaded_at() -> pg_sys::TimestampTz {
    // SAFETY: state of this process.
    unsafe { pg_sys::PgReloadTime }
}

/// The oid of a database that accepts connections. Needs no database itself, but a transaction.
pub fn connectable_database(name: &str) -> Option<pg_sys::Oid> {
    let mut databases = Vec::new();
    each_database(|database, row| {
        // SAFETY: the name in a row of pg_database ends with a NUL.
        let own = unsafe { CStr::from_ptr(row.datname.data.as_ptr()) };
        if is_connectable(row) && own.to_bytes() == &*encoding::encode(name) {
            databases.push(database);
        }
    });
    databases.pop()
}

/// All databases that accept connections, except templates: nobody must be connected to those when they are copied.
/// Needs no
/// database itself, but a transaction.
pub fn connectable_databases() -> Vec<pg_sys::Oid> {
    let mut databases = Vec::new();
    each_database(|database, row| {
        if is_connectable(row) && !row.datistemplate {
            databases.push(database);
        }
    });
    databases
}

/// Whether there is this database. Needs no database itself, but a transaction.
pub fn has_database(oid: pg_sys::Oid) -> bool {
    let mut found = false;
    each_database(|database, _| found |= database == oid);
    found
}

/// A limit of -2 marks a database whose drop was interrupted.
fn is_connectable(row: &pg_sys::FormData_pg_database) -> bool {
    row.datallowconn && row.datconnlimit != -2
}

fn each_database(mut each: impl FnMut(pg_sys::Oid, &pg_sys::FormData_pg_database)) {
    // SAFETY: a scan of a shared catalog by the server's own functions; a tuple is looked at only until the next one.
    unsafe {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        let relation = pg_sys::table_open(pg_sys::DatabaseRelationId, lock);
        // Not through the index: without a database its description may not be at hand.
        let scan = pg_sys::systable_beginscan(
            relation,
            pg_sys::InvalidOid,
            false,
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
        );
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            let row = &*(pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_database);
            each(row.oid, row);
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, lock);
    }
}

/// The timeline of the server's WAL: another one after a promotion.
pub fn timeline() -> u32 {
    // SAFETY: reads shared state; not in recovery.
    unsafe { pg_sys::GetWALInsertionTimeLine() }
}

/// The role whose rights apply now: inside SECURITY DEFINER the definer's.
pub fn current_role() -> pg_sys::Oid {
    // SAFETY: state of this process.
    unsafe { pg_sys::GetUserId() }
}

/// Inside an index expression, a materialized view's query and the like, where the caller's rights
/// must not be used to start something that outlives it.
pub fn in_restricted_operation() -> bool {
    // SAFETY: state of this process.
    unsafe { pg_sys::InSecurityRestrictedOperation() }
}

/// Whether `role` has the rights of `of`: it is that role, a member of it, or a superuser.
pub fn has_rights_of(role: pg_sys::Oid, of: pg_sys::Oid) -> bool {
    // SAFETY: catalog lookup inside a transaction.
    unsafe { pg_sys::has_privs_of_role(role, of) }
}

/// A role's name, if it exists.
pub fn role_name(role: pg_sys::Oid) -> Option<String> {
    // SAFETY: with `noerr` the result is null or a palloc'd C string.
    unsafe {
        let name = pg_sys::GetUserNameFromId(role, true);
        (!name.is_null()).then(|| encoding::from_c(CStr::from_ptr(name)))
    }
}

/// A role's oid, if it exists.
pub fn role_oid(name: &str) -> Option<pg_sys::Oid> {
    let name = encoding::c_string(name).ok()?;
    // SAFETY: with `missing_ok` an unknown name gives InvalidOid.
    let oid = unsafe { pg_sys::get_role_oid(name.as_ptr(), true) };
    (oid != pg_sys::InvalidOid).then_some(oid)
}

/// The role that had this name when something was stored, if it still has it. `oid`: which that was; None: unknown.
pub fn role_named(name: &str, oid: Option<u32>) -> Option<pg_sys::Oid> {
    role_oid(name).filter(|found| oid.is_none_or(|oid| u32::from(*found) == oid))
}

/// The extension's own oid.
///
/// # Errors
/// It is not installed, or has another version than this library.
pub fn extension_oid() -> Result<pg_sys::Oid> {
    let installed = extension::find().ok_or(Error::NotInstalled)?;
    installed.check_version()?;
    Ok(installed.oid)
}

/// The position of each statement in a text, in bytes; raises the server's own syntax error.
pub fn statement_spans(sql: &CStr) -> Vec<Range<usize>> {
    let end = sql.to_bytes().len();
    // SAFETY: the raw parser only allocates in the current memory context; every element of the list is a raw statement.
    unsafe {
        let list = pg_sys::pg_parse_query(sql.as_ptr());
        let count = if list.is_null() { 0 } else { (*list).length };
        (0..count as usize)
            .map(|i| {
                let statement = (*(*list).elements.add(i))
                    .ptr_value
                    .cast::<pg_sys::RawStmt>();
                // A location that is not known is that of the only statement; no length: up to the end.
                let start = (*statement).stmt_location.max(0) as usize;
                match (*statement).stmt_len {
                    0 => start..end,
                    length => start..start + length as usize,
                }
            })
            .collect()
    }
}

/// Whether the caller may change a role's objects: as that role, a member of it, or a superuser.
pub fn caller_controls(role: &str) -> bool {
    is_superuser(current_role()) || role_oid(role).is_some_and(caller_has_rights_of)
}

/// The same of a role's oid.
pub fn caller_has_rights_of(role: pg_sys::Oid) -> bool {
    let caller = current_role();
    is_superuser(caller) || has_rights_of(caller, role)
}

/// Whether the role is a superuser.
pub fn is_superuser(role: pg_sys::Oid) -> bool {
    // SAFETY: catalog lookup inside a transaction.
    unsafe { pg_sys::superuser_arg(role) }
}

/// A name in double quotes where SQL needs them.
pub fn quote_identifier(name: &str) -> String {
    pgrx::spi::quote_identifier(name)
}

/// Microseconds since 2000-01-01 UTC, as the server counts time.
pub fn timestamp_now() -> i64 {
    // SAFETY: reads the clock.
    unsafe { pg_sys::GetCurrentTimestamp() }
}

/// A timestamp in a form that the server reads back, whatever the session's DateStyle.
pub fn timestamp_text(timestamp: i64) -> String {
    // SAFETY: the result is a buffer of the server's, copied at once.
    encoding::from_c(unsafe { CStr::from_ptr(pg_sys::timestamptz_to_str(timestamp)) })
}

/// The timestamp of such a text; None: it is none.
pub fn timestamp_of(text: &str) -> Option<i64> {
    let timestamp = TimestampWithTimeZone::from_str(text).ok()?;
    Some(timestamp.into_inner())
}

/// Where WAL is inserted now, as text of type pg_lsn.
pub fn insert_lsn() -> String {
    let lsn = insert_position();
    format!("{:X}/{:X}", lsn >> 32, lsn as u32)
}

/// Where WAL is inserted now, in bytes since the cluster began.
pub fn insert_position() -> u64 {
    // SAFETY: reads shared state; not in recovery.
    unsafe { pg_sys::GetXLogInsertRecPtr() }
}

/// The next transaction id with its epoch, as text of type xid8.
pub fn next_full_xid() -> String {
    next_xid().to_string()
}

/// The next transaction id with its epoch.
pub fn next_xid() -> u64 {
    // SAFETY: reads shared state.
    unsafe { pg_sys::ReadNextFullTransactionId() }.value
}

/// A line in the server's log.
pub fn log(message: &str) {
    say(PgLogLevel::LOG, message.to_owned());
}
