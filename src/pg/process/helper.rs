//! Parallel workers of this session, as a parallel query has them: with its role, its settings, its snapshot and what its transaction
//! has written. The server starts them, hands on their errors and its cancel, and ends them with the (sub)transaction.
//!
//! The session and its workers take tasks by number from one counter, so each task is done once. While a team exists, the session
//! can neither write nor begin a subtransaction.

use pgrx::pg_sys;
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the members find in the shared memory.
const WORK: u64 = 1;
const QUEUES: u64 = 2;
/// So much of a member's messages waits for the session, which may be busy; a member that has more to say waits.
const QUEUE_BYTES: usize = 1 << 20;
/// A piece of the shared memory takes a multiple of this many bytes.
const ALIGNMENT: usize = pg_sys::ALIGNOF_BUFFER as usize;

/// The number of the next task, and the document's length; the document's bytes follow.
#[repr(C)]
struct Header {
    next: AtomicUsize,
    length: usize,
}

/// A document for all members, and the tasks that nobody has taken.
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

/// The session's view of its workers.
pub struct Team {
    context: *mut pg_sys::ParallelContext,
    header: *const Header,
    queues: Vec<*mut pg_sys::shm_mq_handle>,
}

impl Team {
    /// Starts so many workers that run `function` of this library (see [`member`]); None: there is none to be had, no statement is
    /// running whose snapshot they could have, or this process is a parallel worker itself.
    pub fn start(function: &CStr, document: &[u8], workers: usize) -> Option<Team> {
        let bytes = size_of::<Header>() + document.len();
        // SAFETY: the order of calls that the server's parallel queries use, with an active snapshot. Each piece
        // of memory was estimated before. The header and the document are written before any worker is started. On an ERROR the
        // (sub)transaction's abort leaves the parallel mode and destroys the context.
        unsafe {
            let is_worker = pg_sys::ParallelWorkerNumber >= 0;
            if workers == 0 || is_worker || !pg_sys::ActiveSnapshotSet() {
                return None;
            }
            pg_sys::EnterParallelMode();
            let context = pg_sys::CreateParallelContext(
                c"pgperf".as_ptr(),
                function.as_ptr(),
                workers as i32,
            );
            let estimator = &mut (*context).estimator;
            let pieces = bytes.next_multiple_of(ALIGNMENT) + workers * QUEUE_BYTES;
            estimator.space_for_chunks += pieces;
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
            let queues = pg_sys::shm_toc_allocate(toc, workers * QUEUE_BYTES).cast::<u8>();
            for worker in 0..workers {
                let place = queues.add(worker * QUEUE_BYTES);
                let queue = pg_sys::shm_mq_create(place.cast(), QUEUE_BYTES);
                pg_sys::shm_mq_set_receiver(queue, pg_sys::MyProc);
            }
            pg_sys::shm_toc_insert(toc, QUEUES, queues.cast());
            pg_sys::LaunchParallelWorkers(context);
            let launched = (*context).nworkers_launched as usize;
            let attach = |worker: usize| {
                let queue = queues.add(worker * QUEUE_BYTES).cast();
                let handle = (*(*context).worker.add(worker)).bgwhandle;
                pg_sys::shm_mq_attach(queue, (*context).seg, handle)
            };
            let team = Team {
                context,
                header,
                queues: (0..launched).map(attach).collect(),
            };
            (launched > 0).then_some(team)
        }
    }

    /// The session takes part.
    pub fn work(&self) -> Work<'_> {
        // SAFETY: written by `start`; the memory stays until the value is dropped.
        unsafe { work(self.header) }
    }

    /// A message of a worker, in no order among workers. None: there is none now; if the caller waits, all workers have sent all
    /// they had to.
    pub fn receive(&mut self, waits: bool) -> Option<Vec<u8>> {
        let mut number = 0;
        while let Some(&queue) = self.queues.get(number) {
            let (mut length, mut data) = (0, std::ptr::null_mut());
            // SAFETY: attached by `start` and not detached since. The message is valid until the next call, and copied at once.
            let message = unsafe {
                match pg_sys::shm_mq_receive(queue, &mut length, &mut data, !waits) {
                    pg_sys::shm_mq_result::SHM_MQ_SUCCESS => {
                        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), length);
                        Ok(Some(bytes.to_vec()))
                    }
                    pg_sys::shm_mq_result::SHM_MQ_WOULD_BLOCK => Ok(None),
                    _ => Err(()),
                }
            };
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => number += 1,
                Err(()) => {
                    // SAFETY: as above; it is not used again.
                    unsafe { pg_sys::shm_mq_detach(queue) };
                    self.queues.remove(number);
                }
            }
        }
        None
    }

    /// Waits for the workers' end. Raises the error of one that failed.
    pub fn finish(self) {
        // SAFETY: made by `start`, not yet destroyed.
        unsafe { pg_sys::WaitForParallelWorkersToFinish(self.context) };
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        // After an ERROR the (sub)transaction's abort does it.
        if !std::thread::panicking() {
            // SAFETY: made by `start` and destroyed once; workers that still run are ended.
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
pub unsafe fn member(
    segment: *mut pg_sys::dsm_segment,
    toc: *mut pg_sys::shm_toc,
    body: impl FnOnce(Work, &mut dyn FnMut(&[u8]) -> bool),
) {
    // SAFETY: the session has put both there before it started this worker, whose number is below the number of queues; the memory
    // stays mapped until this function has returned.
    let (work, queue) = unsafe {
        let header = pg_sys::shm_toc_lookup(toc, WORK, false).cast::<Header>();
        let queues = pg_sys::shm_toc_lookup(toc, QUEUES, false).cast::<u8>();
        let place = queues.add(pg_sys::ParallelWorkerNumber as usize * QUEUE_BYTES);
        let queue = place.cast::<pg_sys::shm_mq>();
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
