//! Replays: runs whose clients play a capture again, `start_run('capture:NAME', transport => 'wire')`.
//!
//! * [`start`]: the arguments, checked against the capture; [`spec`]: what is stored of it;
//! * [`play`]: the worker's part; [`record`]: what has differed, as rows.

pub mod play;
mod record;
pub mod spec;
pub mod start;
