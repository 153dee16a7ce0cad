//! Captures: the transactions of a server's sessions, recorded while they run.
//!
//! Where pgperf is preloaded, each session leaves its statements in a ring of its own ([`crate::pg::capture`]); one background worker empties
//! the rings into files ([`capture::segment`]).
//!
//! * [`request`]: start, stop, drop; [`writer`]: the worker; [`files`]: where a capture's files are;
//! * [`exchange`]: a capture in one piece, for another server;
//! * [`stored`]: a capture that a call names, and who may see what of it; [`report`]: what it has; [`trial`]: its statements under two
//!   configurations.

mod exchange;
mod files;
mod report;
mod request;
mod stored;
mod trial;
pub mod writer;

use crate::error::Result;
use ::capture::Capture;

/// What a capture has, with all values.
///
/// # Errors
/// There is none of this name, its files cannot be read, or the caller may not read values: he is neither a superuser nor has he both the
/// rights of the role that started it and those of pg_read_all_data.
pub fn read(name: &str) -> Result<Capture> {
    let stored = stored::Stored::named(name)?;
    stored.check_control()?;
    stored::check_reads_all("read a capture")?;
    stored.read()
}
