//! Runs: a leader and its clients drive load inside the server.
//!
//! | module | contents |
//! |---|---|
//! | [`request`] | the arguments of `start_run` and `start_load`, all checks, the start that belongs to a transaction, and the spec that is stored |
//! | [`leader`] | the life of a run: starts clients, barrier, ticks, end; watches the limits |
//! | [`client`] | one client: a worker that runs [`engine::Client`] over its own session |
//! | [`caches`] | the caches before a run: emptied or filled |
//! | [`disturbance`] | what happens beside the load on purpose |
//! | [`drain`] | the catch-up of standbys and subscribers after the clients' end |
//! | [`side_sql`], [`own_metrics`] | the statements before and after a run, and the queries for its workloads' metrics |
//! | [`load`] | the clients of a load: a data set's steps, tables filled in bulk |
//! | [`shared`] | the run's shared memory: what clients count in it, and reading it |
//! | [`record`] | the rows that the leader stores |
//! | [`resume`] | runs that continue after an interruption |
//! | [`alter`] | another rate for a run that goes on |
//! | [`control`], [`progress`] | stop, wait, delete, pin; the lines that a waiting session shows |

pub mod alter;
pub mod caches;
pub mod client;
pub mod control;
pub mod disturbance;
pub mod drain;
pub mod error;
pub mod leader;
mod load;
mod own_metrics;
pub mod progress;
mod record;
pub mod request;
pub mod resume;
mod shared;
pub mod side_sql;
