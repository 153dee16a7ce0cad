//! A capture: the transactions of real sessions, as the server ran them.
//!
//! * [`record`]: what a session leaves: who it is, its statements with their values, the ends of its transactions;
//! * [`code`]: records as bytes;
//! * [`area`], [`ring`]: the shared memory: what is captured, and the way of each session's bytes to the writer;
//! * [`recorder`]: what a session does, made into records;
//! * [`segment`]: the files: compressed blocks, each with a checksum;
//! * [`bundle`]: a capture in one piece, for another server;
//! * [`sessions`]: files read again: each session with its transactions.
//!
//! Pure Rust, no server.

pub mod area;
pub mod bundle;
pub mod code;
pub mod record;
pub mod recorder;
pub mod ring;
pub mod segment;
pub mod sessions;

pub use record::{Protocol, Record, Statement, Unrecorded, Value, Visible};
pub use sessions::{Capture, Part, Session, Step, each};
