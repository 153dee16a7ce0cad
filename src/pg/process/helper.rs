//! A parallel worker of this session, like that of a parallel query: it has the session's role, settings and snapshot, and
//! sees the writes of its transaction. The server starts it, propagates errors and cancels, and ends it with the
//! (sub)transaction.
//!
//! The session and its worker take tasks by number from one counter, so each task is done once. While there is a worker, the session
//! can neither write nor begin a subtransaction.

use pgrx::pg_sys;
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What both find in the shared memory.
const WORK: u64 = 1;
const QUEUE: u64 = 2;
/// So much of the worker's messages waits for the session, which may be busy; with more to say, the worker waits.
const QUEUE_BYTES: usize = 1 << 20;
/// A piece of the shared memory takes a multiple of this many bytes.
const ALIGNMENT: usize = pg_sys::ALIGNOF_BUFFER as usize;

/// The number of the next task, and the document's length; the document's bytes follow.
#[repr(C)]
struct Header {
    next: AtomicUsize,
    length: usize,
}

/// A document for both, and the tasks that nobody has taken.
pub struct Work<'a> {
    next: &'a AtomicUsize,
    pub document: &'a [u8],
}

impl Work<'_> {
    /// The number of a task for the caller alone, from 0. The document says how many there are.
    pub fn take(&self) -> usize {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// The session's view of its worker.
pub struct Helper {
    context: *mut pg_sys::ParallelContext,
    header: *const Header,
    /// None: the worker has sent all it had to.
    queue: Option<*mut pg_sys::shm_mq_handle>,
}

impl Helper {
    /// Starts a worker that runs `function` of this library (see [`main`]); None: there is none to be had, no statement is running
    /// whose snapshot it could have, or this process is a parallel worker itself.
    pub fn start(function: &CStr, document: &[u8]) -> Option<Helper> {
        let bytes = size_of::<Header>() + document.len();
        // SAFETY: the order of calls that the server's parallel queries use, with an active snapshot. Each piece
        // of memory was estimated before. The header and the document are written before the worker is started. On an ERROR the
        // (sub)transaction's abort leaves the parallel mode and destroys the context.
        unsafe {
            let is_worker = pg_sys::ParallelWorkerNumber >= 0;
            if is_worker || !pg_sys::ActiveSnapshotSet() {
                return None;
            }
            pg_sys::EnterParallelMode();
            let context = pg_sys::CreateParallelContext(c"pgperf".as_ptr(), function.as_ptr(), 1);
            let estimator = &mut (*context).estimator;
            estimator.space_for_chunks += bytes.next_multiple_of(ALIGNMENT) + QUEUE_BYTES;
            estimator.number_of_keys += 2;
            pg_sys::InitializeParallelDSM(context);
            let toc = (*context).toc;
            let header = pg_sys::shm_toc_allocate(toc, bytes).cast::<Header>();
            header.write(Header {
                next: AtomicUsize::new(0),
                length: document.len(),
            });
            let place = header.add(1).cast::<u8>();
            place.copy_from_nonoverlapping(document.as_ptr(), document.len());
            pg_sys::shm_toc_insert(toc, WORK, header.cast());
            let place = pg_sys::shm_toc_allocate(toc, QUEUE_BYTES);
            let queue = pg_sys::shm_mq_create(place, QUEUE_BYTES);
            pg_sys::shm_mq_set_receiver(queue, pg_sys::MyProc);
            pg_sys::shm_toc_insert(toc, QUEUE, place);
            pg_sys::LaunchParallelWorkers(context);
            let mut helper = Helper {
                context,
                header,
                queue: None,
            };
            if (*context).nworkers_launched == 0 {
                return None;
            }
            let worker = (*(*context).worker).bgwhandle;
            helper.queue = Some(pg_sys::shm_mq_attach(queue, (*context).seg, worker));
            Some(helper)
        }
    }

    /// The session takes part.
    pub fn work(&self) -> Work<'_> {
        // SAFETY: written by `start`; the memory stays until the value is dropped.
        unsafe { work(self.header) }
    }

    /// A message of the worker. None: there is none now; if the caller waits, it has sent all it had to.
    pub fn receive(&mut self, waits: bool) -> Option<Vec<u8>> {
        let queue = self.queue?;
        let (mut length, mut data) = (0, std::ptr::null_mut());
        // SAFETY: attached by `start` and not detached since. The message is valid until the next call, and copied at once.
        unsafe {
            match pg_sys::shm_mq_receive(queue, &mut length, &mut data, !waits) {
                pg_sys::shm_mq_result::SHM_MQ_SUCCESS => {
                    Some(std::slice::from_raw_parts(data.cast::<u8>(), length).to_vec())
                }
                pg_sys::shm_mq_result::SHM_MQ_WOULD_BLOCK => None,
                _ => {
                    pg_sys::shm_mq_detach(queue);
                    self.queue = None;
                    None
                }
            }
        }
    }

    /// Waits for the worker's end. Raises its error if it failed.
    pub fn finish(self) {
        // SAFETY: made by `start`, not yet destroyed.
        unsafe { pg_sys::WaitForParallelWorkersToFinish(self.context) };
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // After an ERROR the (sub)transaction's abort does it.
        if !std::thread::panicking() {
            // SAFETY: made by `start` and destroyed once; a worker that still runs is ended.
            unsafe {
                pg_sys::DestroyParallelContext(self.context);
                pg_sys::ExitParallelMode();
            }
        }
    }
}

/// The main function of a worker: `body` gets the work, and sends messages to the session; false: nobody reads them any more.
///
/// # Safety
/// The arguments are those of the function that the server calls.
pub unsafe fn main(
    segment: *mut pg_sys::dsm_segment,
    toc: *mut pg_sys::shm_toc,
    body: impl FnOnce(Work, &mut dyn FnMut(&[u8]) -> bool),
) {
    // SAFETY: the session has put both there before it started this worker; the memory stays mapped until this function has returned.
    let (work, queue) = unsafe {
        let header = pg_sys::shm_toc_lookup(toc, WORK, false).cast::<Header>();
        let queue = pg_sys::shm_toc_lookup(toc, QUEUE, false).cast::<pg_sys::shm_mq>();
        pg_sys::shm_mq_set_sender(queue, pg_sys::MyProc);
        let queue = pg_sys::shm_mq_attach(queue, segment, std::ptr::null_mut());
        (work(header), queue)
    };
    body(work, &mut |message| {
        // SAFETY: attached above; the message is copied before the call returns.
        let sent = unsafe {
            pg_sys::shm_mq_send(queue, message.len(), message.as_ptr().cast(), false, true)
        };
        sent == pg_sys::shm_mq_result::SHM_MQ_SUCCESS
    });
    // SAFETY: attached above; not used again.
    unsafe { pg_sys::shm_mq_detach(queue) };
}

/// # Safety
/// The header was written, with its document behind it, and outlives the result.
unsafe fn work<'a>(header: *const Header) -> Work<'a> {
    // SAFETY: as the caller promises.
    unsafe {
        let document = header.add(1).cast::<u8>();
        Work {
            next: &(*header).next,
            document: std::slice::from_raw_parts(document, (*header).length),
        }
    }
}

/// Whether a parallel query of this session may have so many workers.
pub fn allows(workers: usize) -> bool {
    // SAFETY: settings of this process.
    unsafe { pg_sys::max_parallel_workers_per_gather as usize >= workers }
}
