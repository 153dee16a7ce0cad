//! Connections to servers by libpq, without a server around: no code here may call one, since most of it runs in threads.
//!
//! | module | what it does |
//! |---|---|
//! | `conninfo` | where to connect, and as whom |
//! | `connecting`, `aside` | making a connection, by waits that can be ended; threads that do so for others |
//! | `connection` | a connection: statements and their results, cancels, and giving it up at any moment |
//! | `transport` | a connection as the session of a client |
//! | `asker` | a thread that asks a server questions in place of its process |
//! | `client` | a client of a run, over connections |
//! | `replaying` | one of a replay |
//! | `crew` | the clients of a worker, in a thread |
//! | `scheduler` | tasks that share a thread, each with a stack of its own |
//! | `bell` | what the clients of a worker tell its main thread |
//! | `clock` | the clock of statements |
//! | `wait` | how a connection waits for its socket |
//! | `threads` | threads beside a process of the server |
//! | `ffi` | libpq, and the only unsafe code |
//!
//! No call blocks for longer than its caller wants: sockets are non-blocking, every wait is one of [`Wait`], and what libpq itself
//! waits for (names of hosts, the delivery of a cancel) is done in threads that nobody has to wait for.

mod aside;
mod asker;
mod bell;
mod client;
mod clock;
mod connecting;
mod connection;
mod conninfo;
mod crew;
#[cfg(test)]
mod fake;
mod ffi;
mod replaying;
mod scheduler;
mod threads;
mod transport;
mod wait;

pub use aside::leave;
pub use asker::{Answers, Asker, Patience, Questions, Reply, Rows, Told};
pub use bell::{Bell, Note};
pub use client::{Destination, Job};
pub use clock::timestamp;
pub use connection::Connection;
pub use conninfo::Conninfo;
pub use crew::Crew;
pub use ffi::{Answer, Keyword, ResultSet, TransactionStatus, keywords, variables};
pub use threads::spawn;
pub use transport::{Prepared, Wire};
pub use wait::{Interest, Wait, Waker, Woken};
