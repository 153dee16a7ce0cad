//! Runs: a leader and its clients drive load inside the server.
//!
//! | module | what it does |
//! |---|---|
//! | `options`, `mix`, `preconditions`, `start`, `start_load`, [`starting`] | the arguments of `start_run` and `init`, all checks, the transactional start |
//! | `spec`, `launch` | what leader and clients are told |
//! | `limits`, `guard`, `script_limits` | what a run must not pass, and who watches over it; how large its scripts may be |
//! | [`leader`], `clients` | the life of a run: starts clients, barrier, ticks, end; the clients' processes |
//! | [`client`], `transactions`, `script_runner`, `script_start`, `throttle`, `failure` | one client: its transactions, commands, schedule, failures |
//! | `executor`, `capture` | a client's statements and pipelines, `\gset` and `\aset` |
//! | [`side_sql`] | the statements before and after a run |
//! | `load`, `fill` | the clients of a load: a data set's steps; filling tables in bulk |
//! | `shared`, `slot`, `errors`, `command`, `outcomes`, `per_script`, `latencies`, `log_ring`, `handover`, `reading`, `session_settings` | shared memory, what is counted in it, and reading it |
//! | `intervals`, `ticks`, `totals`, `error_rows`, `log_store`, `stored`, `store`, `rows` | what the leader stores |
//! | [`resume`] | runs that go on after an interruption |
//! | `calls`, [`waiting`], [`node`] | stop, wait, delete; the local node |

pub mod calls;
mod capture;
pub mod client;
mod clients;
mod command;
mod error_rows;
mod errors;
mod executor;
mod failure;
mod fill;
mod guard;
mod handover;
mod intervals;
mod latencies;
pub mod launch;
pub mod leader;
mod limits;
mod load;
mod log_ring;
mod log_store;
pub mod mix;
pub mod node;
pub mod options;
mod outcomes;
mod per_script;
pub mod preconditions;
mod reading;
pub mod resume;
mod rows;
mod script_limits;
mod script_runner;
mod script_start;
mod session_settings;
mod shared;
pub mod side_sql;
mod slot;
pub mod spec;
pub mod start;
pub mod start_load;
pub mod starting;
pub mod store;
mod stored;
mod throttle;
mod ticks;
mod totals;
mod transactions;
pub mod waiting;
