//! What the clients of a worker tell its main thread, which alone may call the server.

use crate::wait::Waker;
use engine::Explained;
use replay::Score;
use std::mem::take;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A message to the main thread.
#[derive(Debug)]
pub enum Note {
    /// A line for the server's log.
    Line(String),
    /// A client waits at the barrier; the plans of its statements, if it was to ask for them.
    Ready {
        client: usize,
        plans: Vec<Explained>,
    },
    /// All clients of a replay are through; what was counted.
    Played(Box<Score>),
    /// A client has ended: it has done its work, or an error has ended it.
    Ended,
}

/// The bell that clients ring.
#[derive(Debug)]
pub struct Bell {
    rung: Waker,
    leader_is_wanted: AtomicBool,
    notes: Mutex<Vec<Note>>,
}

impl Bell {
    /// # Errors
    /// The process has no file descriptor left.
    pub fn new() -> std::io::Result<Bell> {
        Ok(Bell {
            rung: Waker::new()?,
            leader_is_wanted: AtomicBool::new(false),
            notes: Mutex::default(),
        })
    }

    /// Leaves a message.
    pub fn tell(&self, note: Note) {
        self.notes().push(note);
        self.rung.wake();
    }

    /// Has the leader of the run woken.
    pub fn wake_leader(&self) {
        self.leader_is_wanted.store(true, Ordering::Release);
        self.rung.wake();
    }

    /// The messages since the last time, and whether the leader is to be woken.
    pub fn answer(&self) -> (Vec<Note>, bool) {
        // Whatever comes from now on rings again.
        self.rung.drain();
        let leader_is_wanted = self.leader_is_wanted.swap(false, Ordering::AcqRel);
        (take(&mut *self.notes()), leader_is_wanted)
    }

    fn notes(&self) -> std::sync::MutexGuard<'_, Vec<Note>> {
        // One that panics has pushed all of its message, or nothing.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Bell {
    /// Readable when it was rung.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.rung.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_answered_once() {
        let bell = Bell::new().unwrap();
        assert!(matches!(bell.answer(), (notes, false) if notes.is_empty()));
        bell.tell(Note::Line("one".to_owned()));
        bell.tell(Note::Line("two".to_owned()));
        bell.wake_leader();
        let (notes, leader_is_wanted) = bell.answer();
        assert!(leader_is_wanted);
        assert!(
            matches!(&notes[..], [Note::Line(one), Note::Line(two)] if one == "one" && two == "two")
        );
        assert!(matches!(bell.answer(), (notes, false) if notes.is_empty()));
    }
}
