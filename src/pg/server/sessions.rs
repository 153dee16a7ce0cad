//! The sessions of the server, read from shared memory: what pg_stat_activity shows, without SQL, a snapshot or a lock.
//!
//! The server's own function copies all entries with their texts, and asks for each one's transaction under a lock. Here only a few
//! fields of each entry are read, by the protocol of backend_status.h: its writer makes a counter odd while it changes it.

use super::waits;
use crate::pg::encoding;
use pgrx::pg_sys;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{Ordering, fence};

/// A process that the server shows in pg_stat_activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub pid: i32,
    pub kind: BackendKind,
    /// None: the process keeps no state, as the checkpointer does.
    pub state: Option<State>,
    /// OIDs; 0: it has none.
    pub database: u32,
    pub role: u32,
    pub application: String,
    /// Of the statement that it executes, or executed last; 0: unknown.
    pub query_id: i64,
    /// When the process began, its transaction and its statement, in microseconds as the server counts them; 0: none.
    pub started_at: i64,
    pub transaction_at: i64,
    pub statement_at: i64,
    /// Its wait event as one number; 0: none.
    pub event: u32,
}

/// A kind of process: `pg_stat_activity.backend_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BackendKind(pub pg_sys::BackendType::Type);

/// `pg_stat_activity.state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Idle,
    Active,
    InTransaction,
    InFailedTransaction,
    FastPath,
    /// track_activities is off.
    Disabled,
    #[cfg(feature = "since18")]
    Starting,
}

impl State {
    /// As pg_stat_activity names it.
    pub fn name(self) -> &'static str {
        match self {
            State::Idle => "idle",
            State::Active => "active",
            State::InTransaction => "idle in transaction",
            State::InFailedTransaction => "idle in transaction (aborted)",
            State::FastPath => "fastpath function call",
            State::Disabled => "disabled",
            #[cfg(feature = "since18")]
            State::Starting => "starting",
        }
    }

    fn of(state: pg_sys::BackendState::Type) -> Option<State> {
        use pg_sys::BackendState::*;
        Some(match state {
            STATE_IDLE => State::Idle,
            STATE_RUNNING => State::Active,
            STATE_IDLEINTRANSACTION => State::InTransaction,
            STATE_IDLEINTRANSACTION_ABORTED => State::InFailedTransaction,
            STATE_FASTPATH => State::FastPath,
            STATE_DISABLED => State::Disabled,
            #[cfg(feature = "since18")]
            STATE_STARTING => State::Starting,
            _ => return None,
        })
    }
}

impl BackendKind {
    /// Whether it serves a client's connection.
    pub fn is_client(self) -> bool {
        self.0 == pg_sys::BackendType::B_BACKEND
    }

    /// Whether it is a background worker, whose name its library gives ([`worker_kind`]).
    pub fn is_worker(self) -> bool {
        self.0 == pg_sys::BackendType::B_BG_WORKER
    }

    /// As pg_stat_activity names it, but for background workers.
    pub fn name(self) -> String {
        // SAFETY: returns a constant C string for any value.
        let name = unsafe { CStr::from_ptr(pg_sys::GetBackendTypeDesc(self.0)) };
        encoding::from_c(name)
    }
}

/// How a background worker names its kind; None: it is gone.
pub fn worker_kind(pid: i32) -> Option<String> {
    // SAFETY: returns NULL or a C string in a buffer of its own, copied at once.
    unsafe {
        let name = pg_sys::GetBackgroundWorkerTypeByPid(pid);
        (!name.is_null()).then(|| encoding::from_c(CStr::from_ptr(name)))
    }
}

/// Whether it waits for a lock of the lock manager.
pub fn waits_for_lock(event: u32) -> bool {
    event & CLASS == pg_sys::PG_WAIT_LOCK
}

/// Whether it waits for work, as a background process does in its loop.
pub fn waits_for_work(event: u32) -> bool {
    event & CLASS == pg_sys::PG_WAIT_ACTIVITY
}

/// The part of a wait event that is its type.
const CLASS: u32 = 0xff00_0000;
/// So often it tries to read an entry that is being changed, which takes nanoseconds.
const TRIES: u32 = 1_000;

/// All sessions but this one, at this moment.
pub fn read() -> Vec<Session> {
    // SAFETY: the array and its texts live as long as the server. MyBEEntry is this process's own entry, whose place in the array
    // is the number subtracted.
    let mut sessions: Vec<Session> = unsafe {
        let own = pg_sys::MyBEEntry;
        if own.is_null() {
            return Vec::new();
        }
        let first = own.sub(own_place());
        (0..entries())
            .map(|place| first.add(place).cast_const())
            .filter(|entry| *entry != own.cast_const())
            .filter_map(|entry| session(entry))
            .collect()
    };
    let mut places: HashMap<i32, usize> = (sessions.iter().enumerate())
        .map(|(place, session)| (session.pid, place))
        .collect();
    // SAFETY: the array's entries live as long as the server; a process writes its pid in one store.
    unsafe {
        for number in 0..(*pg_sys::ProcGlobal).allProcCount as usize {
            let process = (*pg_sys::ProcGlobal).allProcs.add(number);
            let pid = (&raw const (*process).pid).read_volatile();
            if pid != 0
                && let Some(place) = places.remove(&pid)
            {
                sessions[place].event = waits::event_of(number as u64).unwrap_or_default();
            }
        }
    }
    sessions
}

/// The place of this process's entry.
unsafe fn own_place() -> usize {
    // SAFETY: set when the process began, never changed.
    #[cfg(not(feature = "since17"))]
    unsafe {
        (pg_sys::MyBackendId - 1) as usize
    }
    // SAFETY: the same.
    #[cfg(feature = "since17")]
    unsafe {
        pg_sys::MyProcNumber as usize
    }
}

/// How many entries there are: sessions, workers, and the server's own processes.
fn entries() -> usize {
    #[cfg(not(feature = "since17"))]
    let own = pg_sys::AuxProcType::NUM_AUXPROCTYPES as usize;
    #[cfg(feature = "since17")]
    let own = pg_sys::NUM_AUXILIARY_PROCS as usize;
    // SAFETY: set when the server started.
    own + unsafe { pg_sys::MaxBackends } as usize
}

/// What an entry says; None: nobody uses it, or its writer did not finish.
///
/// # Safety
/// It is one of the server's array.
// It is unsigned before 18.
#[allow(clippy::unnecessary_cast)]
unsafe fn session(entry: *const pg_sys::PgBackendStatus) -> Option<Session> {
    // SAFETY: the entry is valid as long as the server lives. What is read while it is changed is discarded; every value
    // is one for which all bits are valid.
    unsafe {
        for _ in 0..TRIES {
            let before = (&raw const (*entry).st_changecount).read_volatile();
            fence(Ordering::Acquire);
            let pid = (&raw const (*entry).st_procpid).read_volatile();
            if pid == 0 {
                return None;
            }
            let read = Entry {
                kind: (&raw const (*entry).st_backendType).read_volatile(),
                state: (&raw const (*entry).st_state).read_volatile(),
                database: u32::from((&raw const (*entry).st_databaseid).read_volatile()),
                role: u32::from((&raw const (*entry).st_userid).read_volatile()),
                application: (&raw const (*entry).st_appname)
                    .read_volatile()
                    .cast::<Name>()
                    .read_volatile(),
                query_id: (&raw const (*entry).st_query_id).read_volatile() as i64,
                started_at: (&raw const (*entry).st_proc_start_timestamp).read_volatile(),
                transaction_at: (&raw const (*entry).st_xact_start_timestamp).read_volatile(),
                statement_at: (&raw const (*entry).st_activity_start_timestamp).read_volatile(),
            };
            fence(Ordering::Acquire);
            let after = (&raw const (*entry).st_changecount).read_volatile();
            if before == after && before & 1 == 0 {
                return Some(read.of(pid));
            }
            std::hint::spin_loop();
        }
    }
    None
}

/// The text of a name in shared memory.
type Name = [u8; pg_sys::NAMEDATALEN as usize];

/// The fields of an entry, as they are in memory.
struct Entry {
    kind: pg_sys::BackendType::Type,
    state: pg_sys::BackendState::Type,
    database: u32,
    role: u32,
    application: Name,
    query_id: i64,
    started_at: i64,
    transaction_at: i64,
    statement_at: i64,
}

impl Entry {
    fn of(self, pid: i32) -> Session {
        let application = CStr::from_bytes_until_nul(&self.application);
        Session {
            pid,
            kind: BackendKind(self.kind),
            state: State::of(self.state),
            database: self.database,
            role: self.role,
            application: application.map(encoding::from_c).unwrap_or_default(),
            query_id: self.query_id,
            started_at: self.started_at,
            transaction_at: self.transaction_at,
            statement_at: self.statement_at,
            event: 0,
        }
    }
}
