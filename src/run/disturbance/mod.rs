//! Disturbances: deliberate events alongside the load of a run, such as a backup, an old snapshot or a DDL statement that
//! waits for its lock.
//!
//! | module | what it does |
//! |---|---|
//! | [`request`] | the argument `disturbances` |
//! | [`check`] | the checks of its parts against the server, before the run starts |
//! | [`work`] | the kinds, and the stored data about each |
//! | [`times`] | when a disturbance occurs |
//! | [`following`] | the leader's part: starts sessions when they are due, ends them in time, records their outcome |
//! | [`session`] | the session of a disturbance: a worker of the run's role |
//! | [`wire`] | a session over the server's Unix socket, for tasks that a worker cannot do |
//! | [`rows`] | the stored row of each occurrence |

pub mod check;
pub mod following;
pub mod request;
pub mod rows;
pub mod session;
pub mod times;
mod wire;
pub mod work;
