//! Disturbances: what happens beside the load of a run on purpose, such as a backup, an old snapshot or a DDL that waits for its lock.
//!
//! | module | what it does |
//! |---|---|
//! | [`request`] | the argument `disturbances` |
//! | [`check`] | its parts, checked against the server before anything starts |
//! | [`work`] | the kinds, and what is stored of each |
//! | [`times`] | when a disturbance occurs |
//! | [`following`] | the leader's part: starts sessions when they are due, ends them in time, notes what became of them |
//! | [`session`] | the session of a disturbance: a worker of the run's role |
//! | [`wire`] | a session over the server's own socket, for what a worker cannot do |
//! | [`rows`] | what is stored about each occurrence |

pub mod check;
pub mod following;
pub mod request;
pub mod rows;
pub mod session;
pub mod times;
mod wire;
pub mod work;
