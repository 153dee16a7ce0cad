//! Locks of the server's lock manager that pgperf uses to know who lives and what is being dropped.

use super::{extension, xact};
use pgrx::pg_sys;

/// Tells pgperf's advisory locks from those of users, whose functions use 1 and 2.
const CLASS: u16 = 0x7067;

const DEFAULT_LOCKMETHOD: u8 = 1;
const USER_LOCKMETHOD: u8 = 2;

fn run_tag(run_id: i64) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: the process's own database.
        locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
        locktag_field2: (run_id >> 32) as u32,
        locktag_field3: run_id as u32,
        locktag_field4: CLASS,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: USER_LOCKMETHOD,
    }
}

/// Runs are numbered from 1, so the numbers below are free.
fn sweep_tag(sweep_id: i64) -> pg_sys::LOCKTAG {
    run_tag(-sweep_id)
}

/// Shows that some sweep of this database lives.
fn sweeping_tag() -> pg_sys::LOCKTAG {
    run_tag(i64::MIN)
}

fn sampler_tag(database: pg_sys::Oid) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        locktag_field1: database.into(),
        ..run_tag(0)
    }
}

/// Of the local node's `pgperf.bloat_cursor`; no run has a number below zero.
fn cursor_tag(tables_only: bool) -> pg_sys::LOCKTAG {
    run_tag(-1 - i64::from(tables_only))
}

fn object_tag(database: pg_sys::Oid, class: pg_sys::Oid, object: pg_sys::Oid) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        locktag_field1: database.into(),
        locktag_field2: class.into(),
        locktag_field3: object.into(),
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_OBJECT as u8,
        locktag_lockmethodid: DEFAULT_LOCKMETHOD,
    }
}

/// Takes the lock that shows a run's leader to live; the server releases it when the process ends,
/// however it ends.
pub fn hold_leader_lock(run_id: i64) {
    // SAFETY: a session lock; readers hold theirs for an instant only, so this does not wait long.
    unsafe {
        pg_sys::LockAcquire(&run_tag(run_id), pg_sys::ExclusiveLock as i32, true, false);
    }
}

/// Whether a leader of this run lives, in this database.
pub fn leader_lives(run_id: i64) -> bool {
    !try_lock(&run_tag(run_id), pg_sys::ShareLock as i32)
}

/// Takes the locks that show a sweep to live, for life, if no other sweep of this database does.
pub fn try_hold_sweep_locks(sweep_id: i64) -> bool {
    try_hold(&sweeping_tag()) && try_hold(&sweep_tag(sweep_id))
}

/// Whether the worker of this sweep lives, in this database.
pub fn sweep_lives(sweep_id: i64) -> bool {
    !try_lock(&sweep_tag(sweep_id), pg_sys::ShareLock as i32)
}

/// Whether the worker of any sweep of this database lives.
pub fn any_sweep_lives() -> bool {
    !try_lock(&sweeping_tag(), pg_sys::ShareLock as i32)
}

/// Takes the lock that shows a database's sampler to live, for life, if no other has it.
pub fn try_hold_sampler_lock() -> bool {
    // SAFETY: the process's own database.
    try_hold(&sampler_tag(unsafe { pg_sys::MyDatabaseId }))
}

/// Takes a lock for life, without waiting; whether that went.
fn try_hold(tag: &pg_sys::LOCKTAG) -> bool {
    // SAFETY: a session lock, not waited for; the server releases it when the process ends.
    unsafe {
        let result = pg_sys::LockAcquire(tag, pg_sys::ExclusiveLock as i32, true, true);
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }
}

/// Takes the lock on a bloat cursor until the transaction ends, if nobody else has it.
pub fn try_lock_bloat_cursor(tables_only: bool) -> bool {
    // SAFETY: inside a transaction, which releases it; not waited for.
    unsafe {
        let tag = cursor_tag(tables_only);
        let result = pg_sys::LockAcquire(&tag, pg_sys::ExclusiveLock as i32, false, true);
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }
}

/// Whether a sampler of that database lives.
pub fn sampler_lives(database: pg_sys::Oid) -> bool {
    !try_lock(&sampler_tag(database), pg_sys::ShareLock as i32)
}

/// Who holds the lock of this database's sampler, in SQL: column pid.
pub fn sampler_pid_sql() -> String {
    holder_sql("0")
}

/// Who leads the run of this database with the number $1, in SQL: column pid.
pub fn leader_pid_sql() -> String {
    holder_sql("$1")
}

fn holder_sql(number: &str) -> String {
    format!(
        "SELECT l.pid FROM pg_catalog.pg_locks l \
         WHERE l.locktype = 'advisory' AND l.objsubid = {CLASS} \
           AND (l.classid::pg_catalog.int8 << 32 | l.objid::pg_catalog.int8) = {number} \
           AND l.mode = 'ExclusiveLock' AND l.granted \
           AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d \
                             WHERE d.datname = pg_catalog.current_database())"
    )
}

/// Whether somebody waits to drop this database. Where the table of locks is full nobody can tell: then not.
///
/// DROP DATABASE first locks the database's entry, then waits for its sessions to leave.
pub fn database_is_being_dropped() -> bool {
    // SAFETY: the process's own database.
    let database = unsafe { pg_sys::MyDatabaseId };
    let class = pg_sys::DatabaseRelationId;
    let tag = object_tag(pg_sys::InvalidOid, class, database);
    matches!(
        xact::catch(|| try_lock(&tag, pg_sys::AccessShareLock as i32)),
        Ok(false)
    )
}

/// Takes a lock if nobody is in the way, and lets it go again; whether that went. As a session's lock,
/// so that it needs no transaction.
fn try_lock(tag: &pg_sys::LOCKTAG, mode: i32) -> bool {
    // SAFETY: what is acquired is released at once; nothing in between can raise an ERROR. To acquire it can, where the
    // table of locks is full: then nothing was acquired.
    unsafe {
        use pg_sys::LockAcquireResult::*;
        match pg_sys::LockAcquire(tag, mode, true, true) {
            LOCKACQUIRE_NOT_AVAIL => false,
            _ => {
                pg_sys::LockRelease(tag, mode, true);
                true
            }
        }
    }
}

/// What became of the extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// It is there, and locked against being dropped until the transaction ends.
    Present,
    /// Somebody holds it locked: it is being dropped.
    Busy,
    /// It is gone, or another has taken its place.
    Gone,
    /// It is there and locked, but was updated to another release than this library's.
    Updated,
}

impl Extension {
    /// Why a worker of this library has nothing to do here any more; None: it has.
    pub fn loss(&self) -> Option<&'static str> {
        match self {
            Extension::Present | Extension::Busy => None,
            Extension::Gone => Some("the extension is gone"),
            Extension::Updated => Some("the extension was updated"),
        }
    }
}

/// Locks the extension against DROP for the current transaction, without waiting. Taken before any of
/// its tables, since DROP EXTENSION locks in that order.
pub fn try_lock_extension(extension: pg_sys::Oid) -> Extension {
    // SAFETY: inside a transaction, which releases the lock; then the caches are brought up to date,
    // so that a drop that has committed is seen.
    unsafe {
        let class = pg_sys::ExtensionRelationId;
        let tag = object_tag(pg_sys::MyDatabaseId, class, extension);
        let result = pg_sys::LockAcquire(&tag, pg_sys::AccessShareLock as i32, false, true);
        if result == pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL {
            return Extension::Busy;
        }
        pg_sys::AcceptInvalidationMessages();
    }
    match extension::find() {
        Some(installed) if installed.oid == extension => match installed.check_version() {
            Ok(()) => Extension::Present,
            Err(_) => Extension::Updated,
        },
        _ => Extension::Gone,
    }
}

/// Waits until the (sub)transaction that registered this worker has ended. Inside a transaction, without
/// a snapshot.
pub fn wait_for_transaction(xid: u32) {
    // SAFETY: the transaction id of a transaction that is or was running; holds nothing while waiting.
    unsafe {
        pg_sys::XactLockTableWait(
            pg_sys::TransactionId::from(xid),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            pg_sys::XLTW_Oper::XLTW_None,
        );
    }
}

/// Whether a (sub)transaction has committed; None: it goes on. Inside a transaction.
pub fn has_committed(xid: u32) -> Option<bool> {
    let xid = pg_sys::TransactionId::from(xid);
    // SAFETY: the transaction id of a transaction that is or was running. Asked in this order, since a transaction
    // is marked as committed before it stops to show as running.
    unsafe {
        (!pg_sys::TransactionIdIsInProgress(xid)).then(|| pg_sys::TransactionIdDidCommit(xid))
    }
}
