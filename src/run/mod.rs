//! Runs: a leader and its clients drive load inside the server.
//!
//! | module | contents |
//! |---|---|
//! | [`request`] | the arguments of `start_run` and `start_load`, all checks, the transactional start, and the stored spec |
//! | [`leader`] | the life of a run: start of the clients, barrier, ticks, end; and its limits |
//! | [`client`] | one client: a worker that runs [`engine::Client`] over its own session |
//! | [`caches`] | the caches before a run: emptied or filled |
//! | [`disturbance`] | disturbances: backups, old snapshots and the like alongside the load |
//! | [`replay`] | clients that play a capture again |
//! | [`drain`] | the catch-up of standbys and subscribers after the clients' end |
//! | [`side_sql`], [`own_metrics`] | the statements before and after a run, and the queries for its workloads' metrics |
//! | [`load`] | the clients of a load: the steps of a data set, and tables filled in bulk |
//! | [`shared`] | the run's shared memory: the counters of its clients, and reading them |
//! | [`record`] | the rows that the leader stores |
//! | [`nodes`] | runs that have their parts on several servers with pgperf |
//! | [`resume`] | runs that continue after an interruption |
//! | [`alter`] | a new rate for a live run |
//! | [`control`], [`progress`] | stop, wait, delete, pin; the progress lines of a waiting session |

pub mod alter;
pub mod caches;
pub mod client;
pub mod control;
pub mod disturbance;
pub mod drain;
pub mod error;
pub mod leader;
mod load;
pub mod nodes;
mod own_metrics;
pub mod progress;
mod record;
mod replay;
pub mod request;
pub mod resume;
mod shared;
mod side_session;
pub mod side_sql;
