//! The threads of the clients of a worker. None of them is left when it has ended, however that happens.

use crate::bell::Bell;
use crate::client::{Job, Member};
use crate::threads;
use crate::wait::Waker;
use engine::{ClientError, SqlError, Surroundings};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::any::Any;
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The stack of a client: scripts nest, but not without end.
const STACK: usize = 1024 * 1024;
/// File descriptors of a client, with some to spare: its connection, its event, and those of a cancel.
const FILES: u64 = 4;

/// The clients of a worker.
pub struct Crew {
    bell: Arc<Bell>,
    wakers: Vec<Arc<Waker>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Crew {
    /// Starts the threads of these clients.
    ///
    /// # Errors
    /// The system has no thread or no file descriptor left; then none is left.
    pub fn start(job: Job, clients: &[usize]) -> std::io::Result<Crew> {
        raise_limit_of_files(clients.len() as u64 * FILES);
        let mut crew = Crew {
            bell: Arc::new(Bell::new()?),
            wakers: Vec::new(),
            threads: Mutex::default(),
        };
        let job = Arc::new(job);
        for &number in clients {
            let waker = Arc::new(Waker::new()?);
            let member = Member {
                job: Arc::clone(&job),
                number,
                waker: Arc::clone(&waker),
                bell: Arc::clone(&crew.bell),
            };
            let thread = threads::spawn(&format!("client {number}"), STACK, || work(member))?;
            crew.wakers.push(waker);
            crew.threads().push(thread);
        }
        Ok(crew)
    }

    /// What they tell.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Has those look at their run that pause.
    pub fn wake(&self) {
        self.wakers.iter().for_each(|waker| waker.wake());
    }

    /// Cancels their statements.
    pub fn cancel(&self) {
        self.wakers.iter().for_each(|waker| waker.cancel());
    }

    /// Ends them, wherever they are.
    pub fn end(&self) {
        self.wakers.iter().for_each(|waker| waker.give_up());
        for thread in take(&mut *self.threads()) {
            // A panic was caught, and told.
            let _ = thread.join();
        }
    }

    fn threads(&self) -> std::sync::MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.end();
    }
}

/// A client, from its beginning to its end. A panic is its error alone.
fn work(member: Member) {
    let result = catch_unwind(AssertUnwindSafe(|| member.live())).unwrap_or_else(|panic| {
        let error = SqlError::new("XX000", &message_of(&*panic));
        Err(ClientError::new(error, None, member.timestamp()))
    });
    member.end(result);
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("internal error: {}", text.unwrap_or("a panic"))
}

/// Lets this process have so many files more, as far as the system allows. Where that is too few, clients cannot connect.
fn raise_limit_of_files(more: u64) {
    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current else {
        return;
    };
    let wanted = current.saturating_add(more);
    let raised = Rlimit {
        current: Some(limit.maximum.map_or(wanted, |maximum| wanted.min(maximum))),
        maximum: limit.maximum,
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_have_a_message() {
        let caught = |panic: Box<dyn Any + Send>| message_of(&*panic);
        assert_eq!(caught(Box::new("a")), "internal error: a");
        assert_eq!(caught(Box::new("b".to_owned())), "internal error: b");
        assert_eq!(caught(Box::new(1)), "internal error: a panic");
    }
}
