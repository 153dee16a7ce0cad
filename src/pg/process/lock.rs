//! Locks of the server's lock manager that show which workers are alive, and which objects are being dropped.

use super::{clock, latch, worker};
use crate::pg::catalog::extension;
use crate::pg::sql::xact;
use pgrx::pg_sys;
use std::time::Duration;

/// The meaning of an advisory lock of pgperf: one class for each kind, so numbers of different kinds never collide.
/// Users' functions have the classes 1 and 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
enum Class {
    /// A run's leader is alive; the number is the run's.
    Run = 0x7067,
    /// A sweep's worker is alive; the number is the sweep's.
    Sweep,
    /// Some sweep of the database is alive.
    AnySweep,
    /// The database's sampler is alive.
    Sampler,
    /// Somebody moves a bloat cursor; the number is 1 for tables only, otherwise 0.
    BloatCursor,
    /// A leader waits for the transaction that starts its run. The number has the caller's role and the leader's process.
    StartingRun,
    /// The same of a sweep's worker.
    StartingSweep,
    /// A leader has made a segment; the number is its handle.
    Segment,
    /// Somebody changes settings of the server.
    ServerSettings,
    /// Somebody changes partitions of the history.
    Partitions,
    /// The home of the server's sampler is alive.
    Home,
    /// Another home waits for that one to leave.
    NextHome,
    /// A visit of a database is under way.
    Visit,
    /// The launcher of samplers waits for a free worker slot.
    WorkerShortage,
    /// The sampler of the database's targets is alive.
    TargetSampler,
    /// Somebody adds a target to those that are sampled.
    NewTarget,
    /// The writer of a capture is alive; the number is the capture's.
    Capture,
    /// That of any capture of the server.
    AnyCapture,
    /// A capture is being imported; the number is the capture's.
    Import,
}

const DEFAULT_LOCKMETHOD: u8 = 1;
const USER_LOCKMETHOD: u8 = 2;

/// Of this process's database.
fn advisory_tag(class: Class, number: i64) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: the process's own database.
        locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
        locktag_field2: (number >> 32) as u32,
        locktag_field3: number as u32,
        locktag_field4: class as u16,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: USER_LOCKMETHOD,
    }
}

fn run_tag(run_id: i64) -> pg_sys::LOCKTAG {
    advisory_tag(Class::Run, run_id)
}

fn sweep_tag(sweep_id: i64) -> pg_sys::LOCKTAG {
    advisory_tag(Class::Sweep, sweep_id)
}

fn any_sweep_tag() -> pg_sys::LOCKTAG {
    advisory_tag(Class::AnySweep, 0)
}

fn sampler_tag(database: pg_sys::Oid) -> pg_sys::LOCKTAG {
    tag_of(database, Class::Sampler)
}

fn target_sampler_tag(database: pg_sys::Oid) -> pg_sys::LOCKTAG {
    tag_of(database, Class::TargetSampler)
}

/// Of another database.
fn tag_of(database: pg_sys::Oid, class: Class) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        locktag_field1: database.into(),
        ..advisory_tag(class, 0)
    }
}

/// Of the server, whatever the process's database.
fn server_tag(class: Class) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        locktag_field1: 0,
        ..advisory_tag(class, 0)
    }
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

/// Takes the lock that shows that a run's leader is alive; the server releases it when the process ends,
/// however it ends.
pub fn hold_leader_lock(run_id: i64) {
    hold(&run_tag(run_id));
}

/// Shows the handle of a leader's segment until the process ends.
pub fn show_segment(handle: u32) {
    hold(&advisory_tag(Class::Segment, i64::from(handle)));
}

/// The segment of the leader with the process id $1, in SQL: column handle.
pub fn segment_sql() -> String {
    format!(
        "SELECT l.objid::pg_catalog.int8 AS handle {} AND l.pid = $1",
        holders(Class::Segment)
    )
}

/// Whether a leader of this run is alive, in this database.
pub fn leader_lives(run_id: i64) -> bool {
    !try_lock(&run_tag(run_id), pg_sys::ShareLock as i32)
}

/// Takes the locks that show that a sweep is alive, until the process ends, if no other sweep of this database is.
pub fn try_hold_sweep_locks(sweep_id: i64) -> bool {
    let is_only = try_hold_patiently(&any_sweep_tag());
    if is_only {
        hold(&sweep_tag(sweep_id));
    }
    is_only
}

fn try_hold_patiently(tag: &pg_sys::LOCKTAG) -> bool {
    let deadline = clock::now() + ATTEMPTS_NS;
    while !try_hold(tag) {
        if clock::now() >= deadline {
            return false;
        }
        latch::wait(Duration::from_millis(2));
    }
    true
}

/// Who looks whether a lock is free has it for an instant: one attempt may fail without any sweep.
const ATTEMPTS_NS: u64 = 1_000_000_000;

/// Whether the worker of this sweep is alive, in this database.
pub fn sweep_lives(sweep_id: i64) -> bool {
    !try_lock(&sweep_tag(sweep_id), pg_sys::ShareLock as i32)
}

/// Whether the worker of any sweep of this database is alive.
pub fn any_sweep_lives() -> bool {
    !try_lock(&any_sweep_tag(), pg_sys::ShareLock as i32)
}

/// Takes the locks that show that a capture is alive, until the process ends, if no other capture of the server is.
pub fn try_hold_capture_locks(capture_id: i64) -> bool {
    let is_only = try_hold_patiently(&server_tag(Class::AnyCapture));
    if is_only {
        hold(&advisory_tag(Class::Capture, capture_id));
    }
    is_only
}

/// Whether the writer of this capture is alive, in this database.
pub fn capture_lives(capture_id: i64) -> bool {
    !try_lock(
        &advisory_tag(Class::Capture, capture_id),
        pg_sys::ShareLock as i32,
    )
}

/// Whether that of any capture of the server is.
pub fn any_capture_lives() -> bool {
    !try_lock(&server_tag(Class::AnyCapture), pg_sys::ShareLock as i32)
}

/// Shows until the transaction ends that it imports a capture.
pub fn hold_import(capture_id: i64) {
    try_lock_for_transaction(
        &advisory_tag(Class::Import, capture_id),
        pg_sys::ExclusiveLock,
    );
}

/// Whether somebody imports this capture.
pub fn import_lives(capture_id: i64) -> bool {
    !try_lock(
        &advisory_tag(Class::Import, capture_id),
        pg_sys::ShareLock as i32,
    )
}

/// The writer of this database's capture, in SQL: columns pid and capture_id.
pub fn capture_pid_sql() -> String {
    format!(
        "SELECT l.pid, l.classid::pg_catalog.int8 << 32 | l.objid::pg_catalog.int8 AS capture_id {}",
        holders(Class::Capture)
    )
}

/// Takes the lock that shows that a database's sampler is alive, until the process ends, if no other has it.
pub fn try_hold_sampler_lock() -> bool {
    // SAFETY: the process's own database.
    try_hold(&sampler_tag(unsafe { pg_sys::MyDatabaseId }))
}

/// The same of the sampler of its targets.
pub fn try_hold_target_sampler_lock() -> bool {
    // SAFETY: the process's own database.
    try_hold(&target_sampler_tag(unsafe { pg_sys::MyDatabaseId }))
}

/// Does not show it as alive any more.
pub fn release_target_sampler_lock() {
    // SAFETY: the process's own database.
    release(&target_sampler_tag(unsafe { pg_sys::MyDatabaseId }));
}

/// Whether the sampler of that database's targets is alive.
pub fn target_sampler_lives(database: pg_sys::Oid) -> bool {
    !try_lock(&target_sampler_tag(database), pg_sys::ShareLock as i32)
}

/// Shows until the transaction ends that it adds a target to those that are sampled. Waits while the sampler of targets decides that it has
/// nothing to do.
pub fn announce_target() {
    let tag = advisory_tag(Class::NewTarget, 0);
    // SAFETY: inside a transaction, which releases it.
    unsafe {
        pg_sys::LockAcquire(&tag, pg_sys::ShareLock as i32, false, false);
    }
}

/// Keeps others from adding a target until the transaction ends; false: somebody is about to.
pub fn try_close_targets() -> bool {
    try_lock_for_transaction(&advisory_tag(Class::NewTarget, 0), pg_sys::ExclusiveLock)
}

/// Takes the lock that shows that the home of the server's sampler is alive, until the process ends, if no other has it.
pub fn try_hold_home_lock() -> bool {
    try_hold(&server_tag(Class::Home))
}

/// Asks the home to leave until this process ends; false: another process does.
pub fn try_ask_for_home() -> bool {
    try_hold(&server_tag(Class::NextHome))
}

/// Does not ask it any more.
pub fn stop_asking_for_home() {
    release(&server_tag(Class::NextHome));
}

/// Whether the home is asked to leave. If the lock table is full, that is unknown: false.
pub fn home_is_asked_for() -> bool {
    is_held_against(&server_tag(Class::NextHome), pg_sys::ShareLock)
}

/// Takes the lock of the one worker that visits databases, until the process ends, if no other has it.
pub fn try_hold_visit_lock() -> bool {
    try_hold(&server_tag(Class::Visit))
}

/// The worker that visits this database now, in SQL: column pid.
pub fn visit_pid_sql() -> String {
    format!(
        "SELECT l.pid {} AND l.pid IN (SELECT a.pid FROM pg_catalog.pg_stat_activity a \
                                       WHERE a.datname = pg_catalog.current_database())",
        all_holders(Class::Visit)
    )
}

/// Shows, until the process ends or says otherwise, that a sampler cannot be started for want of a worker slot.
pub fn show_worker_shortage(is_short: bool) {
    let tag = server_tag(Class::WorkerShortage);
    match is_short {
        true => hold(&tag),
        false => release(&tag),
    }
}

/// Whether a sampler cannot be started for want of a worker slot. If the lock table is full, that is unknown: false.
pub fn workers_are_short() -> bool {
    is_held_against(&server_tag(Class::WorkerShortage), pg_sys::ShareLock)
}

/// Whether somebody holds a lock that does not go with this mode. If the lock table is full, that is unknown: false.
fn is_held_against(tag: &pg_sys::LOCKTAG, mode: u32) -> bool {
    matches!(xact::catch(|| try_lock(tag, mode as i32)), Ok(false))
}

/// Takes the lock of who changes settings of the server, until the process ends, if nobody else has it.
pub fn try_hold_server_settings() -> bool {
    try_hold(&server_tag(Class::ServerSettings))
}

/// The same until the transaction ends.
pub fn try_lock_server_settings() -> bool {
    let deadline = clock::now() + ATTEMPTS_NS;
    while !try_lock_for_transaction(&server_tag(Class::ServerSettings), pg_sys::ExclusiveLock) {
        if clock::now() >= deadline {
            return false;
        }
        latch::wait(Duration::from_millis(2));
    }
    true
}

/// Whether somebody changes settings of the server.
pub fn server_settings_are_held() -> bool {
    !try_lock(&server_tag(Class::ServerSettings), pg_sys::ShareLock as i32)
}

/// Takes a lock until the process ends. Nobody else holds it that long.
fn hold(tag: &pg_sys::LOCKTAG) {
    // SAFETY: a session lock; readers hold theirs for an instant only, so this does not wait long.
    unsafe {
        pg_sys::LockAcquire(tag, pg_sys::ExclusiveLock as i32, true, false);
    }
}

/// Takes a lock until the process ends, without waiting; whether it succeeded.
fn try_hold(tag: &pg_sys::LOCKTAG) -> bool {
    // SAFETY: a session lock, not waited for; the server releases it when the process ends.
    unsafe {
        let result = pg_sys::LockAcquire(tag, pg_sys::ExclusiveLock as i32, true, true);
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }
}

/// Releases what this process holds until its end.
fn release(tag: &pg_sys::LOCKTAG) {
    // SAFETY: a session lock of this process.
    unsafe {
        pg_sys::LockRelease(tag, pg_sys::ExclusiveLock as i32, true);
    }
}

/// Takes the lock on a bloat cursor until the transaction ends, if nobody else has it.
pub fn try_lock_bloat_cursor(tables_only: bool) -> bool {
    let tag = advisory_tag(Class::BloatCursor, i64::from(tables_only));
    try_lock_for_transaction(&tag, pg_sys::ExclusiveLock)
}

/// How long to wait for who changes partitions of the history; then it is tried all the same. No longer than `pgperf.maintain()` may take by
/// default.
const PARTITIONS_NS: u64 = 30_000_000_000;

/// Makes samples of other sessions wait until the transaction ends, since it is about to lock tables of the history. Whether no other session
/// does the same.
pub fn claim_partitions() -> bool {
    let tag = advisory_tag(Class::Partitions, 0);
    await_partitions(|| try_lock_for_transaction(&tag, pg_sys::ExclusiveLock))
}

/// Whether nobody has claimed the partitions of the history at the moment.
pub fn partitions_are_free() -> bool {
    try_lock(
        &advisory_tag(Class::Partitions, 0),
        pg_sys::ShareLock as i32,
    )
}

/// Waits until nobody has claimed the partitions of the history; whether that is so.
pub fn await_free_partitions() -> bool {
    let tag = advisory_tag(Class::Partitions, 0);
    await_partitions(|| try_lock(&tag, pg_sys::ShareLock as i32))
}

/// Nobody queues: a worker sees meanwhile that it has to leave.
fn await_partitions(is_free: impl Fn() -> bool) -> bool {
    let deadline = clock::now() + PARTITIONS_NS;
    while !is_free() {
        if clock::now() >= deadline || worker::cancel_requested() || database_is_being_dropped() {
            return false;
        }
        latch::wait(Duration::from_millis(10));
    }
    true
}

fn try_lock_for_transaction(tag: &pg_sys::LOCKTAG, mode: u32) -> bool {
    // SAFETY: inside a transaction, which releases it; not waited for.
    unsafe {
        let result = pg_sys::LockAcquire(tag, mode as i32, false, true);
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }
}

/// Whether a sampler of that database is alive.
pub fn sampler_lives(database: pg_sys::Oid) -> bool {
    !try_lock(&sampler_tag(database), pg_sys::ShareLock as i32)
}

/// The holder of the lock of this database's sampler, in SQL: column pid.
pub fn sampler_pid_sql() -> String {
    format!(
        "SELECT l.pid {} AND l.classid = 0 AND l.objid = 0",
        holders(Class::Sampler)
    )
}

/// The leader of the run of this database with the number $1, in SQL: column pid.
pub fn leader_pid_sql() -> String {
    format!(
        "SELECT l.pid {} AND (l.classid::pg_catalog.int8 << 32 | l.objid::pg_catalog.int8) = $1",
        holders(Class::Run)
    )
}

/// The workers that wait in this database for the transaction that starts them, in SQL: columns pid, role (oid of the
/// caller) and
/// is_run (false: a sweep).
pub fn starting_sql() -> String {
    let [runs, sweeps] = [Class::StartingRun, Class::StartingSweep].map(|class| {
        let is_run = class == Class::StartingRun;
        format!(
            "SELECT l.pid, l.classid::pg_catalog.int8 AS role, {is_run} AS is_run {}",
            holders(class)
        )
    });
    format!("{runs} UNION ALL {sweeps}")
}

/// The rest of a query of who holds locks of a class in this database.
fn holders(class: Class) -> String {
    format!(
        "{} AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d \
                              WHERE d.datname = pg_catalog.current_database())",
        all_holders(class)
    )
}

/// The same of all databases and of the server.
fn all_holders(class: Class) -> String {
    format!(
        "FROM pg_catalog.pg_locks l \
         WHERE l.locktype = 'advisory' AND l.objsubid = {} \
           AND l.mode = 'ExclusiveLock' AND l.granted",
        class as u16
    )
}

/// The kind of work of a worker that another session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starting {
    Run,
    Sweep,
}

/// Runs `body` under the lock that shows that this worker waits for the transaction of `caller` that starts it: until
/// that commits, no other session can see its row.
pub fn shown_as_starting<T>(what: Starting, caller: pg_sys::Oid, body: impl FnOnce() -> T) -> T {
    let class = match what {
        Starting::Run => Class::StartingRun,
        Starting::Sweep => Class::StartingSweep,
    };
    // SAFETY: the process's own number.
    let pid = unsafe { pg_sys::MyProcPid };
    let tag = advisory_tag(class, i64::from(u32::from(caller)) << 32 | i64::from(pid));
    // If the lock table is full, it goes without.
    let held = xact::catch(|| try_hold(&tag)).unwrap_or(false);
    let value = body();
    if held {
        release(&tag);
    }
    value
}

/// Whether somebody waits to drop this database. If the lock table is full, that is unknown: false.
///
/// DROP DATABASE first locks the database's entry, then waits for its sessions to leave.
pub fn database_is_being_dropped() -> bool {
    database_is_locked_against(pg_sys::AccessShareLock)
}

/// The same of CREATE DATABASE ... TEMPLATE, which waits in the same way, or of a drop.
pub fn database_is_being_copied() -> bool {
    database_is_locked_against(pg_sys::RowExclusiveLock)
}

fn database_is_locked_against(mode: u32) -> bool {
    // SAFETY: the process's own database.
    let database = unsafe { pg_sys::MyDatabaseId };
    let class = pg_sys::DatabaseRelationId;
    is_held_against(&object_tag(pg_sys::InvalidOid, class, database), mode)
}

/// Takes a lock if it is free, and releases it again; whether it succeeded. A session lock, so it needs no
/// transaction.
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

/// The state of the extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// It exists, and is locked against being dropped until the transaction ends.
    Present,
    /// Somebody holds it locked: it is being dropped.
    Busy,
    /// It is gone, or another has taken its place.
    Gone,
    /// It exists and is locked, but was updated to another release than this library's.
    Updated,
}

impl Extension {
    /// Why a worker of this library has no more work here; None: it has.
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

/// Whether a (sub)transaction has committed; None: it is in progress. Inside a transaction.
pub fn has_committed(xid: u32) -> Option<bool> {
    let xid = pg_sys::TransactionId::from(xid);
    // SAFETY: the transaction id of a transaction that is or was running. Asked in this order, since a transaction is
    // marked as committed before it stops showing as running.
    unsafe {
        (!pg_sys::TransactionIdIsInProgress(xid)).then(|| pg_sys::TransactionIdDidCommit(xid))
    }
}
