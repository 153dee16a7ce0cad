//! Safe wrappers over the server: the only place of `unsafe` code in the library.
//!
//! Each module wraps one concern of the server and keeps its rules (locks, snapshots, memory,
//! interrupts) to itself, so the code above them stays free of server details.
//!
//! | folder | what is in it |
//! |---|---|
//! | [`sql`] | calling SQL and being called by it: SPI, transactions, arguments, values, quoting |
//! | [`session`] | a client's session: statements, pipelines, parameters, results, settings |
//! | [`process`] | background workers, latches, locks, shared memory, the clock |
//! | [`server`] | facts about the server: activity, waits, checkpoints, WAL |
//! | [`catalog`] | the extension, roles, names |
//! | [`pages`] | pages of relations, and the buffers that contain them |
//! | [`bulk`] | tables filled with whole pages |
//! | [`encoding`], [`error`] | texts of databases that are not UTF-8; catching and raising errors |
//! | [`capture`](mod@capture) | the capture of sessions' transactions: the server's hooks |
//! | [`numeric`] | the stored form of a numeric |
//! | [`through`](mod@through) | closures behind a reference |

#![allow(unsafe_code)]

pub mod bulk;
pub mod capture;
pub mod catalog;
pub mod encoding;
pub mod error;
mod numeric;
pub mod pages;
pub mod process;
mod raw;
pub mod server;
pub mod session;
pub mod sql;
mod through;
