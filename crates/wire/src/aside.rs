//! Threads that connect for others, which may have to wait for a name server. Nobody waits for that; but the libraries that a connection
//! needs clean up when the process exits, and none of them may be at work then.

use crate::wait::Waker;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a thread gets to leave a connection that is being made. One that waits for a name server has none.
const PATIENCE: Duration = Duration::from_millis(200);

/// Those for which somebody waits.
static AWAITED: Mutex<Vec<Aside>> = Mutex::new(Vec::new());

/// A thread that connects.
#[derive(Clone)]
pub struct Aside {
    /// Ends its waits.
    pub ends: Arc<Waker>,
    /// Woken by it at its end.
    pub done: Arc<Waker>,
}

/// As long as somebody waits for it, however that ends: it may be a panic.
pub struct Awaited(Aside);

impl Aside {
    /// # Errors
    /// The process has no file descriptor left.
    pub fn new() -> std::io::Result<Aside> {
        Ok(Aside {
            ends: Arc::new(Waker::new()?),
            done: Arc::new(Waker::new()?),
        })
    }

    /// It has begun.
    pub fn begin(self) -> Awaited {
        awaited().push(self.clone());
        Awaited(self)
    }

    fn give_up(&self) {
        self.ends.give_up();
        let mut fds = [PollFd::new(&*self.done, PollFlags::IN)];
        let _ = poll(&mut fds, Timespec::try_from(PATIENCE).ok().as_ref());
    }
}

impl Deref for Awaited {
    type Target = Aside;

    fn deref(&self) -> &Aside {
        &self.0
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        awaited().retain(|other| !Arc::ptr_eq(&other.ends, &self.0.ends));
        self.0.give_up();
    }
}

/// Ends what the threads of this process do that connect for others. Before it exits in the middle of such a wait.
pub fn leave() {
    end(std::mem::take(&mut *awaited()));
}

fn end(all: Vec<Aside>) {
    all.iter().for_each(Aside::give_up);
}

fn awaited() -> MutexGuard<'static, Vec<Aside>> {
    // A thread that panics has changed all of it, or nothing.
    AWAITED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::{Interest, Wait, Woken};
    use std::os::fd::AsFd;

    /// A thread that waits for as long as it may.
    fn start() -> (Awaited, std::thread::JoinHandle<Woken>) {
        let aside = Aside::new().unwrap();
        let own = aside.clone();
        let thread = std::thread::spawn(move || {
            let nothing = Waker::new().unwrap();
            let woken = own.ends.wait(nothing.as_fd(), Interest::Read, None);
            own.done.wake();
            woken
        });
        (aside.begin(), thread)
    }

    #[test]
    fn a_thread_has_ended_its_work_when_nobody_waits_any_more() {
        let (awaited, thread) = start();
        let aside = awaited.clone();
        drop(awaited);
        assert!(aside.ends.has_given_up());
        assert_eq!(thread.join().unwrap(), Woken::GiveUp);
        // Also where the process exits in the middle of it: here with those of this test alone, for others have theirs in the process.
        let (awaited, thread) = start();
        let is_own = |other: &Aside| Arc::ptr_eq(&other.ends, &awaited.ends);
        assert!(super::awaited().iter().any(is_own));
        end(vec![awaited.clone()]);
        assert!(awaited.ends.has_given_up());
        assert_eq!(thread.join().unwrap(), Woken::GiveUp);
    }
}
