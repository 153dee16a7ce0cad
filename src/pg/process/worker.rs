//! Background workers: registering them, watching them, and their initialization.

use crate::pg::server::activity;
use crate::pg::session::setting;
use crate::pg::{encoding, error, raw};
use pgrx::pg_sys;
use std::cell::RefCell;
#[cfg(feature = "since19")]
use std::ffi::c_void;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};

/// The arguments of a worker: as many words as fit into `bgw_extra` (128 bytes).
pub const EXTRA_WORDS: usize = 16;
pub type Extra = [u64; EXTRA_WORDS];

/// A worker as its creator sees it.
pub struct Worker {
    handle: *mut pg_sys::BackgroundWorkerHandle,
}

/// The state of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerStatus {
    NotYetStarted,
    Running(i32),
    Stopped,
    PostmasterDied,
}

/// Whether the postmaster is there: without it nobody notices that a process has died. Costs the reading of a flag.
#[inline]
pub fn postmaster_lives() -> bool {
    // SAFETY: a flag that a signal handler of this process sets; the function asks the kernel.
    unsafe {
        std::ptr::read_volatile(&raw const raw::postmaster_possibly_dead) == 0
            || raw::PostmasterIsAliveInternal()
    }
}

/// Exits if the postmaster is gone, as the server's own processes do where they wait. A worker that never waits would
/// continue without checkpointer and WAL writer, and keep the server from being started again.
#[inline]
pub fn leave_without_postmaster() {
    if !postmaster_lives() {
        exit_after_crash();
    }
}

#[cold]
fn exit_after_crash() -> ! {
    // SAFETY: as in `exit`.
    unsafe { raw::proc_exit(1) }
}

/// Asks the postmaster for a worker that runs `function` of this library; None if no slot is free.
///
/// `name` is cut at 95 bytes by the server. The caller is notified (its latch is set) when the worker
/// starts and ends.
pub fn register(name: &str, kind: &str, function: &str, extra: &Extra) -> Option<Worker> {
    let mut worker = describe(name, kind, function);
    // SAFETY: the process's own number.
    worker.bgw_notify_pid = unsafe { pg_sys::MyProcPid };
    for (bytes, word) in worker.bgw_extra.chunks_exact_mut(8).zip(extra) {
        for (byte, value) in bytes.iter_mut().zip(word.to_ne_bytes()) {
            *byte = value as c_char;
        }
    }
    let mut handle = std::ptr::null_mut();
    // SAFETY: both pointers are valid; the handle is allocated where it lives as long as the process.
    let registered = unsafe {
        let context = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = pg_sys::TopMemoryContext;
        let registered = pg_sys::RegisterDynamicBackgroundWorker(&mut worker, &mut handle);
        pg_sys::CurrentMemoryContext = context;
        registered
    };
    registered.then_some(Worker { handle })
}

/// Makes the postmaster start a worker with the server, and restart it soon after it has ended with an error. Only
/// while the server loads its libraries.
pub fn register_static(name: &str, function: &str, restart_s: c_int) {
    let mut worker = describe(name, name, function);
    worker.bgw_restart_time = restart_s;
    // SAFETY: copied by the server; it refuses, with a line in its log, where there is no room.
    unsafe { pg_sys::RegisterBackgroundWorker(&mut worker) };
}

fn describe(name: &str, kind: &str, function: &str) -> pg_sys::BackgroundWorker {
    let mut worker = pg_sys::BackgroundWorker {
        bgw_flags: (pg_sys::BGWORKER_SHMEM_ACCESS | pg_sys::BGWORKER_BACKEND_DATABASE_CONNECTION)
            as c_int,
        bgw_start_time: pg_sys::BgWorkerStartTime::BgWorkerStart_RecoveryFinished,
        bgw_restart_time: pg_sys::BGW_NEVER_RESTART,
        ..Default::default()
    };
    copy_text(&mut worker.bgw_name, name);
    copy_text(&mut worker.bgw_type, kind);
    copy_text(&mut worker.bgw_library_name, "pgperf");
    copy_text(&mut worker.bgw_function_name, function);
    worker
}

fn copy_text<const N: usize>(target: &mut [c_char; N], text: &str) {
    for (byte, value) in target[..N - 1].iter_mut().zip(text.bytes()) {
        *byte = value as c_char;
    }
}

impl Worker {
    pub fn status(&self) -> WorkerStatus {
        let mut pid = 0;
        // SAFETY: the handle lives as long as the process.
        match unsafe { pg_sys::GetBackgroundWorkerPid(self.handle, &mut pid) } {
            pg_sys::BgwHandleStatus::BGWH_STARTED => WorkerStatus::Running(pid),
            pg_sys::BgwHandleStatus::BGWH_NOT_YET_STARTED => WorkerStatus::NotYetStarted,
            pg_sys::BgwHandleStatus::BGWH_STOPPED => WorkerStatus::Stopped,
            _ => WorkerStatus::PostmasterDied,
        }
    }

    /// Makes the postmaster end it (or not start it at all); does not wait.
    pub fn terminate(&self) {
        // SAFETY: as above.
        unsafe { pg_sys::TerminateBackgroundWorker(self.handle) };
    }

    /// Releases a worker that has ended.
    pub fn forget(self) {
        AT_EXIT.with_borrow_mut(|handles| handles.retain(|&handle| handle != self.handle));
        // SAFETY: allocated by the server when it was registered; nobody else has it now.
        unsafe { pg_sys::pfree(self.handle.cast()) };
    }

    /// Makes the worker end when this process ends, however that happens: on a FATAL error too.
    pub fn terminate_at_exit(&self) {
        AT_EXIT.with_borrow_mut(|handles| {
            if handles.is_empty() {
                // SAFETY: a callback of this library, which stays loaded.
                unsafe { pg_sys::before_shmem_exit(Some(at_exit), pg_sys::Datum::from(0)) };
            }
            handles.push(self.handle);
        });
    }
}

thread_local! {
    static AT_EXIT: RefCell<Vec<*mut pg_sys::BackgroundWorkerHandle>> =
        const { RefCell::new(Vec::new()) };
}

unsafe extern "C-unwind" fn at_exit(_code: c_int, _arg: pg_sys::Datum) {
    AT_EXIT.with_borrow(|handles| {
        for &handle in handles {
            // SAFETY: handles live as long as the process; the slot's generation protects a slot
            // that was given to another worker meanwhile.
            unsafe { pg_sys::TerminateBackgroundWorker(handle) };
        }
    });
}

/// Runs `callback` when this process ends, however that happens, before its transaction is aborted.
pub fn before_exit(callback: fn()) {
    BEFORE_EXIT.with_borrow_mut(|callbacks| {
        if callbacks.is_empty() {
            // SAFETY: a callback of this library, which stays loaded.
            unsafe { pg_sys::before_shmem_exit(Some(run_before_exit), pg_sys::Datum::from(0)) };
        }
        callbacks.push(callback);
    });
}

thread_local! {
    static BEFORE_EXIT: RefCell<Vec<fn()>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C-unwind" fn run_before_exit(_code: c_int, _arg: pg_sys::Datum) {
    BEFORE_EXIT.with_borrow(|callbacks| callbacks.iter().for_each(|callback| callback()));
}

/// Set by SIGINT in a worker that asked for it.
static CANCEL_REQUESTED: AtomicBool = AtomicBool::new(false);

/// The server itself sends SIGINT to a process whose lock_timeout or statement_timeout is over: that ends the statement, and is
/// nobody's request.
unsafe extern "C-unwind" fn note_cancel(
    signal: c_int,
    #[cfg(feature = "since19")] sender: *const c_void,
) {
    // SAFETY: reading a flag, setting flags and one's own latch are safe in a signal handler.
    unsafe {
        if raw::get_timeout_indicator(raw::LOCK_TIMEOUT, false)
            || raw::get_timeout_indicator(raw::STATEMENT_TIMEOUT, false)
        {
            raw::StatementCancelHandler(
                signal,
                #[cfg(feature = "since19")]
                sender,
            );
            return;
        }
        CANCEL_REQUESTED.store(true, Ordering::Relaxed);
        pg_sys::SetLatch(pg_sys::MyLatch);
    }
}

/// What SIGINT (pg_cancel_backend) does in a worker.
pub enum OnCancel {
    /// Ends the running statement, as in a backend.
    CancelStatement,
    /// Is noted for [`cancel_requested`].
    Note,
}

/// First thing in a worker: signals as in a backend (SIGTERM ends even a running statement, SIGHUP
/// notes a changed configuration), then the connection as `role`, with that role's settings but `role` itself. InvalidOid: as
/// the bootstrap superuser.
pub fn start(database: pg_sys::Oid, role: pg_sys::Oid, on_cancel: OnCancel) {
    handle_signals();
    error::watch();
    // SAFETY: the worker has no connection yet.
    unsafe { pg_sys::BackgroundWorkerInitializeConnectionByOid(database, role, 0) };
    if let OnCancel::CancelStatement = on_cancel {
        // Not earlier: there is no statement yet, and an ERROR in the connection ends the worker. From 18 on others see it in
        // pg_stat_activity before.
        cancel_requested();
        // SAFETY: a handler of the server's own.
        unsafe { raw::pqsignal(libc::SIGINT, Some(raw::StatementCancelHandler)) };
    }
    be_oneself();
    encoding::prepare();
}

/// Undoes what ALTER DATABASE or ALTER ROLE ... SET role makes of a session: another user than the one that was asked for.
fn be_oneself() {
    if setting::text("role").is_some_and(|role| role != "none") {
        setting::reset_role();
    }
}

/// First thing in a worker that uses no database, only what all have in common.
pub fn start_without_database() {
    handle_signals();
    // SAFETY: the worker has no connection yet; no names are given.
    unsafe {
        pg_sys::BackgroundWorkerInitializeConnection(std::ptr::null(), std::ptr::null(), 0);
    }
}

/// Forgets variables of the environment that the postmaster was started with. Before the worker starts a thread.
pub fn forget_variables(names: &[String]) {
    for name in names {
        // SAFETY: a worker has no thread but this one before it starts others, and nothing keeps a pointer to a variable's text.
        unsafe { std::env::remove_var(name) };
    }
}

fn handle_signals() {
    // SAFETY: handlers of the server's own for this process.
    unsafe {
        raw::pqsignal(libc::SIGTERM, Some(raw::die));
        raw::pqsignal(libc::SIGHUP, Some(raw::SignalHandlerForConfigReload));
        raw::pqsignal(libc::SIGINT, Some(note_cancel));
        pg_sys::BackgroundWorkerUnblockSignals();
    }
}

/// Loads the libraries of a client's session, which the server leaves out for workers.
pub fn load_session_libraries() {
    // SAFETY: connected, outside a transaction, as in the main loop's start.
    unsafe { pg_sys::process_session_preload_libraries() };
}

/// Whether a cancel came since the last call.
pub fn cancel_requested() -> bool {
    CANCEL_REQUESTED.swap(false, Ordering::Relaxed)
}

/// Whether this process is to end, as soon as it handles interrupts.
pub fn is_ending() -> bool {
    // SAFETY: a flag that a signal handler of this process sets.
    unsafe { std::ptr::read_volatile(&raw const pg_sys::ProcDiePending) != 0 }
}

/// Notes a cancel that came too early for the code that handles it.
pub fn request_cancel() {
    CANCEL_REQUESTED.store(true, Ordering::Relaxed);
}

/// What the creator of this worker passed to [`register`].
pub fn extra() -> Extra {
    let mut words = [0; EXTRA_WORDS];
    // SAFETY: set by the server in every background worker before its main function runs.
    let bytes = unsafe { &(*pg_sys::MyBgworkerEntry).bgw_extra };
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut value = [0; 8];
        for (byte, &from) in value.iter_mut().zip(chunk) {
            *byte = from as u8;
        }
        *word = u64::from_ne_bytes(value);
    }
    words
}

/// The number of worker slots: max_worker_processes.
pub fn slots() -> i32 {
    // SAFETY: set before any process starts.
    unsafe { pg_sys::max_worker_processes }
}

/// Worker slots that seem free now: all less the workers that can be seen.
///
/// An estimate: workers waiting to be started are not visible, and others may come. Only registering a worker shows
/// the truth.
pub fn free_slots() -> i32 {
    let workers = activity::read(|status| {
        (status.st_backendType == pg_sys::BackendType::B_BG_WORKER).then_some(())
    });
    slots() - workers.len() as i32
}

/// Whether pg_upgrade runs this server: then nothing is to be started.
pub fn in_binary_upgrade() -> bool {
    // SAFETY: set before any process starts.
    unsafe { pg_sys::IsBinaryUpgrade }
}

/// Whether the server is loading the libraries of shared_preload_libraries.
pub fn server_is_loading_libraries() -> bool {
    // SAFETY: state of this process.
    unsafe { pg_sys::process_shared_preload_libraries_in_progress }
}

/// Sends a signal to a process of this server, if it still is one.
pub fn signal(pid: i32, signal: c_int) {
    // SAFETY: a process in the server's process array; a signal to one that just ended does nothing.
    unsafe {
        if !pg_sys::BackendPidGetProc(pid).is_null() {
            libc::kill(pid, signal);
        }
    }
}

/// Whether this is the process id of a process of this server.
pub fn lives(pid: i32) -> bool {
    // SAFETY: looks into the server's process array.
    unsafe { !pg_sys::BackendPidGetProc(pid).is_null() }
}

/// SIGINT: cancel.
pub const CANCEL: c_int = libc::SIGINT;

/// Ends this worker at once, in order: exit callbacks run.
pub fn exit() -> ! {
    // SAFETY: the regular way out of a process of the server; an ERROR on it ends the process all the same.
    unsafe { raw::proc_exit(0) }
}
