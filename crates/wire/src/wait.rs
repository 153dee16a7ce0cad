//! How a connection waits for its socket, and how somebody else ends that.

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::{Errno, read, write};
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    Read,
    Write,
    Both,
}

/// Why a wait has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// The socket is ready, or broken, which its next use tells.
    Ready,
    TimedOut,
    /// Somebody wants the statement to be cancelled.
    Cancel,
    /// Somebody wants the connection to be given up at once.
    GiveUp,
}

/// A way to wait for a socket.
pub trait Wait {
    /// Waits for a socket until a moment; None: for as long as it takes.
    fn wait(&self, socket: BorrowedFd<'_>, interest: Interest, until: Option<Instant>) -> Woken;

    /// A statement begins: a cancel that came before is not for it.
    fn begin_statement(&self) {}

    /// What somebody wants at the moment.
    fn requested(&self) -> Option<Woken> {
        None
    }

    /// Lets so much time pass, whatever somebody wants.
    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Lets others work that share the thread: called again and again where nothing may have to be waited for.
    fn give_way(&self) {}
}

/// A pointer to one.
impl<P: Deref<Target: Wait>> Wait for P {
    fn wait(&self, socket: BorrowedFd<'_>, interest: Interest, until: Option<Instant>) -> Woken {
        (**self).wait(socket, interest, until)
    }

    fn begin_statement(&self) {
        (**self).begin_statement();
    }

    fn requested(&self) -> Option<Woken> {
        (**self).requested()
    }

    fn sleep(&self, time: Duration) {
        (**self).sleep(time);
    }

    fn give_way(&self) {
        (**self).give_way();
    }
}

/// What other threads want of one that waits. It is also the way to wait of a thread that has one connection.
#[derive(Debug)]
pub struct Waker {
    event: OwnedFd,
    /// How often statements were to be cancelled.
    cancels: AtomicU64,
    /// How many of these were answered by the waits of this.
    answered: AtomicU64,
    give_up: AtomicBool,
}

impl Waker {
    /// # Errors
    /// The process has no file descriptor left.
    pub fn new() -> std::io::Result<Waker> {
        Ok(Waker {
            event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            cancels: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            give_up: AtomicBool::new(false),
        })
    }

    /// Has those look around that pause; whoever waits for a socket goes on with that.
    pub fn wake(&self) {
        // It fails only where it is awake already.
        let _ = write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Has the statements cancelled that run.
    pub fn cancel(&self) {
        self.cancels.fetch_add(1, Ordering::AcqRel);
        self.wake();
    }

    /// How often that was wanted.
    pub fn cancels(&self) -> u64 {
        self.cancels.load(Ordering::Acquire)
    }

    /// Ends this wait and all further ones.
    pub fn give_up(&self) {
        self.give_up.store(true, Ordering::Release);
        self.wake();
    }

    /// Whether all is given up.
    pub fn has_given_up(&self) -> bool {
        self.give_up.load(Ordering::Acquire)
    }

    /// From now on it is awake only once it is woken again.
    pub fn drain(&self) {
        let _ = read(&self.event, &mut [0_u8; 8]);
    }
}

impl AsFd for Waker {
    /// Readable when it was woken.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

impl Wait for Waker {
    fn wait(&self, socket: BorrowedFd<'_>, interest: Interest, until: Option<Instant>) -> Woken {
        let events = match interest {
            Interest::Read => PollFlags::IN,
            Interest::Write => PollFlags::OUT,
            Interest::Both => PollFlags::IN | PollFlags::OUT,
        };
        let mut fds = [
            PollFd::from_borrowed_fd(socket, events),
            PollFd::new(&self.event, PollFlags::IN),
        ];
        loop {
            if let Some(request) = self.requested() {
                return request;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut fds, timeout.as_ref()) {
                Ok(0) => return Woken::TimedOut,
                Ok(_) if !fds[1].revents().is_empty() => self.drain(),
                Ok(_) | Err(Errno::INTR) => {}
                // The socket's own error comes up when it is used.
                Err(_) => return Woken::Ready,
            }
            if !fds[0].revents().is_empty() {
                return Woken::Ready;
            }
        }
    }

    fn begin_statement(&self) {
        self.answered.store(self.cancels(), Ordering::Relaxed);
    }

    fn requested(&self) -> Option<Woken> {
        if self.has_given_up() {
            return Some(Woken::GiveUp);
        }
        let cancels = self.cancels();
        let answered = self.answered.swap(cancels, Ordering::Relaxed);
        (answered != cancels).then_some(Woken::Cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    fn pair() -> (UnixStream, UnixStream) {
        UnixStream::pair().unwrap()
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(20))
    }

    #[test]
    fn a_wait_ends_when_the_socket_is_ready_or_it_is_time() {
        let (here, mut there) = pair();
        let waker = Waker::new().unwrap();
        let wait = |interest| waker.wait(here.as_fd(), interest, soon());
        assert_eq!(wait(Interest::Read), Woken::TimedOut);
        assert_eq!(wait(Interest::Both), Woken::Ready);
        there.write_all(b"x").unwrap();
        assert_eq!(wait(Interest::Read), Woken::Ready);
    }

    #[test]
    fn a_closed_socket_is_ready() {
        let (here, there) = pair();
        drop(there);
        let waker = Waker::new().unwrap();
        assert_eq!(waker.wait(here.as_fd(), Interest::Read, None), Woken::Ready);
    }

    #[test]
    fn others_end_a_wait() {
        let (here, _there) = pair();
        let waker = Arc::new(Waker::new().unwrap());
        let other = Arc::clone(&waker);
        let thread = std::thread::spawn(move || other.cancel());
        assert_eq!(
            waker.wait(here.as_fd(), Interest::Read, None),
            Woken::Cancel
        );
        thread.join().unwrap();
        // It was answered.
        assert_eq!(
            waker.wait(here.as_fd(), Interest::Read, soon()),
            Woken::TimedOut
        );
        waker.give_up();
        for _ in 0..2 {
            assert_eq!(
                waker.wait(here.as_fd(), Interest::Read, None),
                Woken::GiveUp
            );
        }
    }

    #[test]
    fn a_wake_up_alone_ends_no_wait() {
        let (here, _there) = pair();
        let waker = Waker::new().unwrap();
        waker.wake();
        assert_eq!(
            waker.wait(here.as_fd(), Interest::Read, soon()),
            Woken::TimedOut
        );
    }

    #[test]
    fn a_cancel_between_two_statements_is_discarded() {
        let (here, _there) = pair();
        let waker = Waker::new().unwrap();
        waker.cancel();
        waker.begin_statement();
        assert_eq!(
            waker.wait(here.as_fd(), Interest::Read, soon()),
            Woken::TimedOut
        );
    }
}
