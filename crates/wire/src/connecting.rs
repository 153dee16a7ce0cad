//! Making a connection, by waits that can be ended.

use crate::aside::Aside;
use crate::conninfo::Conninfo;
use crate::ffi::{Conn, Polling};
use crate::threads;
use crate::wait::{Interest, Wait, Woken};
use engine::SqlError;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The stack of a thread that connects.
const STACK: usize = 256 * 1024;
const TOO_LATE: &str = "could not connect to the server in time";

fn connection_error(message: &str) -> SqlError {
    SqlError::new("08001", message)
}

pub fn cancelled(message: &str) -> SqlError {
    SqlError::new(engine::QUERY_CANCELED, message)
}

/// Connects, within this time to each host.
pub fn connect(info: &Conninfo, wait: &impl Wait, within: Duration) -> Result<Conn, SqlError> {
    match info.has_names() {
        true => establish_aside(info, wait, within),
        false => establish(info, wait, within),
    }
}

/// As [`Wait::wait`], and ends in time also where the socket is ready again and again: a server may never stop sending.
pub fn wait_in_time(
    wait: &impl Wait,
    socket: BorrowedFd<'_>,
    interest: Interest,
    until: Option<Instant>,
) -> Woken {
    match until {
        Some(until) if until <= Instant::now() => Woken::TimedOut,
        _ => wait.wait(socket, interest, until),
    }
}

/// What has become of an attempt to connect.
enum Attempt {
    Done(Conn),
    /// The host of this number has not answered in time.
    TooLate(usize),
}

/// Connects. It may also wait for a name server. Where a host does not answer, the others are left: libpq itself would not go on to them, since
/// the time is not its own.
fn establish(info: &Conninfo, wait: &impl Wait, within: Duration) -> Result<Conn, SqlError> {
    let mut info = info.clone();
    loop {
        match attempt(&info, wait, within)? {
            Attempt::Done(raw) => return Ok(raw),
            Attempt::TooLate(host) => {
                info = info
                    .without_host(host)
                    .ok_or_else(|| connection_error(TOO_LATE))?;
            }
        }
    }
}

fn attempt(info: &Conninfo, wait: &impl Wait, within: Duration) -> Result<Attempt, SqlError> {
    let mut raw = Conn::start(info)?;
    if raw.is_bad() {
        return Err(connection_error(&raw.message()));
    }
    let mut interest = Interest::Write;
    let (mut place, mut until) = (raw.place(), Instant::now() + within);
    loop {
        let Some(socket) = raw.socket() else {
            return Err(connection_error(&raw.message()));
        };
        match wait_in_time(wait, socket, interest, Some(until)) {
            Woken::Ready => {}
            Woken::TimedOut => return Ok(Attempt::TooLate(info.number_of_host(&place))),
            Woken::Cancel | Woken::GiveUp => return Err(given_up()),
        }
        interest = match raw.poll() {
            Polling::Reading => Interest::Read,
            Polling::Writing => Interest::Write,
            Polling::Done => break,
            Polling::Failed => return Err(connection_error(&raw.message())),
        };
        let next = raw.place();
        if next != place {
            (place, until) = (next, Instant::now() + within);
        }
    }
    match raw.set_nonblocking() {
        true => Ok(Attempt::Done(raw)),
        false => Err(connection_error(&raw.message())),
    }
}

/// As [`establish`] in a thread of its own, for which nobody waits longer than until it is woken.
fn establish_aside(info: &Conninfo, wait: &impl Wait, within: Duration) -> Result<Conn, SqlError> {
    let out_of = |error: std::io::Error| connection_error(&error.to_string());
    let aside = Aside::new().map_err(out_of)?;
    let (sender, receiver) = mpsc::channel();
    let work = {
        let (info, aside) = (info.clone(), aside.clone());
        move || {
            // Where nobody wants it any more, the connection ends here.
            let _ = sender.send(establish(&info, &aside.ends, within));
            aside.done.wake();
        }
    };
    threads::spawn("connect", STACK, work).map_err(out_of)?;
    {
        let aside = aside.begin();
        let until = Instant::now() + within * info.hosts() as u32;
        match wait_in_time(wait, aside.done.as_fd(), Interest::Read, Some(until)) {
            Woken::Ready => {}
            Woken::TimedOut => return Err(connection_error(TOO_LATE)),
            Woken::Cancel | Woken::GiveUp => return Err(given_up()),
        }
    }
    receiver
        .recv()
        .unwrap_or_else(|_| Err(connection_error("the connection could not be made")))
}

fn given_up() -> SqlError {
    cancelled("the attempt to connect was canceled")
}
