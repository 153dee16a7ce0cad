//! Runs: a leader and its clients drive load inside the server.
//!
//! | module | what it does |
//! |---|---|
//! | `options`, `mix`, `preconditions`, `start` | the arguments of `start_run` and `init`, all checks, the transactional start |
//! | `spec`, `launch` | what leader and clients are told |
//! | [`leader`] | the life of a run: starts clients, barrier, ticks, end |
//! | [`client`], `script_runner`, `throttle` | one client: its transactions, commands, schedule |
//! | `load` | the client of a load: a data set's steps |
//! | `shared`, `command`, `reading` | shared memory, what is counted in it, and reading it |
//! | `intervals`, `totals`, `stored`, `store`, `rows` | what the leader stores |
//! | `calls`, [`node`] | stop, wait, delete; the local node |

mod calls;
pub mod client;
mod command;
mod intervals;
mod launch;
pub mod leader;
mod load;
pub mod mix;
pub mod node;
pub mod options;
pub mod preconditions;
mod reading;
mod rows;
mod script_runner;
mod shared;
pub mod spec;
mod start;
mod store;
mod stored;
mod throttle;
mod totals;
