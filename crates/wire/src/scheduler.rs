//! Tasks that share a thread. Each is straight code on a stack of its own, and waits as if the thread were its own: meanwhile the others work.
//!
//! A socket stays in the set of those that are waited for from one wait of its task to the next, so that a wait is no call of the system:
//! only the one is which waits for all.

use crate::ffi;
use crate::wait::{Interest, Wait, Waker, Woken};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io;
use std::mem::take;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The stack of a task.
pub type Stack = DefaultStack;

/// How many sockets one call tells to be ready.
const EVENTS: usize = 256;
/// Where events come from that are no task's: the waker.
const WAKER: u64 = u64::MAX;
/// After so many turns without a wait a task lets the others work: one costs little beside so many.
const TURNS: u32 = 64;

/// What a task waits for.
#[derive(Debug, Clone, Copy)]
enum Awaited {
    /// Its socket, until a moment if there is one, or the waker.
    Socket(Option<Instant>),
    /// A moment, or the waker.
    Pause(Instant),
    /// A moment.
    Moment(Instant),
}

impl Awaited {
    fn until(self) -> Option<Instant> {
        match self {
            Awaited::Socket(until) => until,
            Awaited::Pause(until) | Awaited::Moment(until) => Some(until),
        }
    }
}

/// Why a task goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resumed {
    /// The socket is ready, or broken.
    Ready,
    /// Its moment has come.
    InTime,
    /// Somebody has woken the thread.
    Woken,
}

/// The socket of a task that is in the set, and for what.
type Watched = Cell<Option<(RawFd, Interest)>>;

/// Tasks that others have woken.
type Called = Rc<RefCell<Vec<usize>>>;

struct Task {
    coroutine: Coroutine<Resumed, Awaited, (), Stack>,
    awaited: Awaited,
    watched: Rc<Watched>,
}

/// All that a thread waits for at once: the sockets of its tasks, and its waker.
pub struct Set(OwnedFd);

impl Set {
    /// # Errors
    /// The process has no file descriptor left.
    pub fn new(waker: &Waker) -> io::Result<Set> {
        let set = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&set, waker, EventData::new_u64(WAKER), EventFlags::IN)?;
        Ok(Set(set))
    }
}

/// The tasks of a thread.
pub struct Scheduler {
    waker: Arc<Waker>,
    set: Rc<OwnedFd>,
    /// By their numbers; None: it has ended.
    tasks: Vec<Option<Task>>,
    /// Those that wait until a moment.
    moments: BTreeSet<(Instant, usize)>,
    called: Called,
    left: usize,
}

impl Scheduler {
    /// Without a task.
    pub fn new(waker: Arc<Waker>, set: Set) -> Scheduler {
        Scheduler {
            waker,
            set: Rc::new(set.0),
            tasks: Vec::new(),
            moments: BTreeSet::new(),
            called: Called::default(),
            left: 0,
        }
    }

    /// Adds a task. It must not panic: its error would be that of all.
    pub fn add(&mut self, stack: Stack, work: impl FnOnce(&Seat<'_>) + 'static) {
        let watched = Rc::new(Watched::default());
        let (waker, set) = (Arc::clone(&self.waker), Rc::clone(&self.set));
        let (number, of_task) = (self.tasks.len() as u64, Rc::clone(&watched));
        let called = Rc::clone(&self.called);
        let coroutine = Coroutine::with_stack(stack, move |switch: &Yielder<_, _>, _| {
            work(&Seat {
                switch,
                number,
                answered: Cell::new(0),
                waker,
                set,
                watched: of_task,
                called,
                socket_stays: Cell::new(false),
                turns: Cell::new(0),
            });
        });
        self.tasks.push(Some(Task {
            coroutine,
            awaited: Awaited::Socket(None),
            watched,
        }));
        self.left += 1;
    }

    /// Has the tasks work until all have ended.
    ///
    /// # Errors
    /// The system cannot wait for sockets. Tasks that are left are unwound when this is dropped.
    pub fn run(&mut self) -> io::Result<()> {
        for number in 0..self.tasks.len() {
            self.resume(number, Resumed::Woken);
        }
        self.resume_called();
        let mut events = Vec::with_capacity(EVENTS);
        while self.left > 0 {
            self.wait(&mut events)?;
            let mut woken = false;
            for event in events.drain(..) {
                match event.data.u64() {
                    WAKER => woken = true,
                    number => self.socket_is_ready(number as usize),
                }
            }
            self.moments_have_come();
            if woken {
                self.waker.drain();
                self.wake_all();
            }
            self.resume_called();
        }
        Ok(())
    }

    /// Has those go on that others have woken, until nobody wakes another one.
    fn resume_called(&mut self) {
        loop {
            let called = take(&mut *self.called.borrow_mut());
            if called.is_empty() {
                return;
            }
            for number in called {
                let task = self.tasks.get(number).and_then(Option::as_ref);
                if let Some(Awaited::Pause(_)) = task.map(|it| it.awaited) {
                    self.resume(number, Resumed::Woken);
                }
            }
        }
    }

    /// Waits for all that tasks wait for.
    fn wait(&self, events: &mut Vec<Event>) -> io::Result<()> {
        let first = self.moments.first();
        let left = first.map(|(until, _)| until.saturating_duration_since(Instant::now()));
        // Older kernels know no times of less than a millisecond where they wait for a set.
        if let Some(left) = left.filter(|left| !left.is_zero()) {
            let mut set = [PollFd::new(&*self.set, PollFlags::IN)];
            match poll(&mut set, Timespec::try_from(left).ok().as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let no_time = left.map(|_| Timespec::default());
        match epoll::wait(&*self.set, spare_capacity(events), no_time.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn socket_is_ready(&mut self, number: usize) {
        let Some(Some(task)) = self.tasks.get(number) else {
            return;
        };
        match task.awaited {
            Awaited::Socket(_) => self.resume(number, Resumed::Ready),
            // It would be ready again and again until its task waits for it.
            Awaited::Pause(_) | Awaited::Moment(_) => {
                if let Some((socket, _)) = task.watched.take() {
                    ffi::unwatch(&self.set, socket);
                }
            }
        }
    }

    fn moments_have_come(&mut self) {
        if self.moments.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(&(until, number)) = self.moments.first()
            && until <= now
        {
            self.resume(number, Resumed::InTime);
        }
    }

    fn wake_all(&mut self) {
        for number in 0..self.tasks.len() {
            let awaited = self.tasks.get(number).and_then(Option::as_ref);
            if let Some(Awaited::Socket(_) | Awaited::Pause(_)) = awaited.map(|it| it.awaited) {
                self.resume(number, Resumed::Woken);
            }
        }
    }

    /// Has a task work until it waits again.
    fn resume(&mut self, number: usize, why: Resumed) {
        let Some(place) = self.tasks.get_mut(number) else {
            return;
        };
        let Some(task) = place else {
            return;
        };
        if let Some(until) = task.awaited.until() {
            self.moments.remove(&(until, number));
        }
        match task.coroutine.resume(why) {
            CoroutineResult::Yield(awaited) => {
                task.awaited = awaited;
                if let Some(until) = awaited.until() {
                    self.moments.insert((until, number));
                }
            }
            CoroutineResult::Return(()) => {
                *place = None;
                self.left -= 1;
            }
        }
    }
}

/// A task's place among those of its thread: how it waits.
pub struct Seat<'t> {
    switch: &'t Yielder<Resumed, Awaited>,
    number: u64,
    waker: Arc<Waker>,
    set: Rc<OwnedFd>,
    watched: Rc<Watched>,
    called: Called,
    /// Whether it always waits for the same socket.
    socket_stays: Cell<bool>,
    /// How many cancels it has answered, of those that were wanted of the thread.
    answered: Cell<u64>,
    /// Since it waited last.
    turns: Cell<u32>,
}

impl Seat<'_> {
    /// Whether it waits for the same socket from now on, until this is called again or the socket is closed. Otherwise it may be another one
    /// each time, of the same number.
    pub fn socket_stays(&self, stays: bool) {
        self.socket_stays.set(stays);
        // What was closed has left the set by itself.
        self.watched.take();
    }

    /// Waits for so long, or until somebody wakes the thread.
    pub fn pause(&self, time: Duration) {
        if !self.has_given_up() {
            self.suspend(Awaited::Pause(Instant::now() + time));
        }
    }

    /// Ends the pause of another task of the thread, by its number, if it has one.
    pub fn wake(&self, task: usize) {
        self.called.borrow_mut().push(task);
    }

    /// Whether all is given up.
    pub fn has_given_up(&self) -> bool {
        self.waker.has_given_up()
    }

    fn suspend(&self, awaited: Awaited) -> Resumed {
        self.turns.set(0);
        self.switch.suspend(awaited)
    }

    fn watch(&self, socket: BorrowedFd<'_>, interest: Interest) -> io::Result<()> {
        let wanted = (socket.as_raw_fd(), interest);
        let before = self.watched.replace(Some(wanted));
        if before == Some(wanted) {
            return Ok(());
        }
        let flags = match interest {
            Interest::Read => EventFlags::IN,
            Interest::Write => EventFlags::OUT,
            Interest::Both => EventFlags::IN | EventFlags::OUT,
        };
        let data = EventData::new_u64(self.number);
        match before {
            Some(_) => epoll::modify(&*self.set, socket, data, flags),
            None => epoll::add(&*self.set, socket, data, flags),
        }
        .inspect_err(|_| self.watched.set(None))
        .map_err(io::Error::from)
    }
}

impl Wait for Seat<'_> {
    fn wait(&self, socket: BorrowedFd<'_>, interest: Interest, until: Option<Instant>) -> Woken {
        let woken = loop {
            if let Some(request) = self.requested() {
                break request;
            }
            // Without memory for that nothing can be waited for.
            if self.watch(socket, interest).is_err() {
                break Woken::GiveUp;
            }
            match self.suspend(Awaited::Socket(until)) {
                Resumed::Ready => break Woken::Ready,
                Resumed::InTime => break Woken::TimedOut,
                Resumed::Woken => {}
            }
        };
        if !self.socket_stays.get() && self.watched.take().is_some() {
            // It is in the set, as long as it is open.
            let _ = epoll::delete(&*self.set, socket);
        }
        woken
    }

    fn begin_statement(&self) {
        self.answered.set(self.waker.cancels());
    }

    fn requested(&self) -> Option<Woken> {
        if self.has_given_up() {
            return Some(Woken::GiveUp);
        }
        let cancels = self.waker.cancels();
        (self.answered.replace(cancels) != cancels).then_some(Woken::Cancel)
    }

    fn sleep(&self, time: Duration) {
        self.suspend(Awaited::Moment(Instant::now() + time));
    }

    fn give_way(&self) {
        let turns = self.turns.get() + 1;
        self.turns.set(turns);
        if turns == TURNS {
            self.sleep(Duration::ZERO);
        }
    }
}

#[cfg(test)]
mod tests;
