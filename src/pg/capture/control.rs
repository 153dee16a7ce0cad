//! Which capture is under way, in the server's shared memory.

use pgrx::pg_sys;
use std::cell::Cell;
use std::sync::atomic::{
    AtomicPtr, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// In shared memory, zeroed.
struct Shared {
    /// The number of the capture that is under way; 0: none.
    number: AtomicU64,
    /// That of the last one.
    last: AtomicU64,
    /// The segment with the rings, and the process that empties them.
    segment: AtomicU64,
    writer: AtomicU64,
}

static SHARED: AtomicPtr<Shared> = AtomicPtr::new(std::ptr::null_mut());

/// A capture that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Announced {
    /// Of the captures since the server's start, from 1.
    pub number: u64,
    /// The handle of its memory.
    pub segment: u32,
    /// By which its writer is woken.
    pub writer: u64,
}

thread_local! {
    static REQUESTED_BEFORE: Cell<pg_sys::shmem_request_hook_type> = const { Cell::new(None) };
    static STARTED_BEFORE: Cell<pg_sys::shmem_startup_hook_type> = const { Cell::new(None) };
}

/// While the server loads its libraries.
pub fn ask_for_memory() {
    // SAFETY: variables of this process, for functions of this library, which stays loaded and calls those that were there before.
    unsafe {
        REQUESTED_BEFORE.set(pg_sys::shmem_request_hook);
        pg_sys::shmem_request_hook = Some(request);
        STARTED_BEFORE.set(pg_sys::shmem_startup_hook);
        pg_sys::shmem_startup_hook = Some(start);
    }
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn request() {
    // SAFETY: as the server would have called it; then at the moment for this function.
    unsafe {
        if let Some(before) = REQUESTED_BEFORE.get() {
            before();
        }
        pg_sys::RequestAddinShmemSpace(size_of::<Shared>());
    }
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn start() {
    // SAFETY: as the server would have called it; then memory of this size, which lives as long as the server and is zeroed when it is
    // made: no other process is there yet.
    unsafe {
        if let Some(before) = STARTED_BEFORE.get() {
            before();
        }
        let mut found = false;
        let shared =
            pg_sys::ShmemInitStruct(c"pgperf capture".as_ptr(), size_of::<Shared>(), &mut found);
        if !found {
            std::ptr::write_bytes(shared.cast::<Shared>(), 0, 1);
        }
        SHARED.store(shared.cast(), Release);
    }
}

fn shared() -> Option<&'static Shared> {
    // SAFETY: null, or memory that lives as long as the server, made of atomic words.
    unsafe { SHARED.load(Relaxed).as_ref() }
}

/// Whether sessions of this server can be captured: the library was preloaded.
pub fn is_possible() -> bool {
    shared().is_some()
}

/// The number of the capture that is under way; 0: none.
#[inline]
pub fn number() -> u64 {
    shared().map_or(0, |shared| shared.number.load(Relaxed))
}

/// The capture that is under way.
pub fn announced() -> Option<Announced> {
    let shared = shared()?;
    match shared.number.load(Acquire) {
        0 => None,
        number => Some(Announced {
            number,
            segment: shared.segment.load(Relaxed) as u32,
            writer: shared.writer.load(Relaxed),
        }),
    }
}

/// Sessions take part from now on. The caller holds the lock of captures. False: the library was not preloaded.
pub fn announce(segment: u32, writer: u64) -> bool {
    let Some(shared) = shared() else {
        return false;
    };
    shared.segment.store(u64::from(segment), Relaxed);
    shared.writer.store(writer, Relaxed);
    let number = shared.last.load(Relaxed) + 1;
    shared.last.store(number, Relaxed);
    shared.number.store(number, Release);
    true
}

/// No session begins another transaction of it.
pub fn end() {
    if let Some(shared) = shared() {
        shared.number.store(0, Release);
    }
}
