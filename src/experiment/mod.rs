//! Experiments are runs one after the other: each point of a grid several times (a sweep), or the best points more often than
//! others (a race). Also here: the search for a rate within one run.
//!
//! | module | what it does |
//! |---|---|
//! | `plan`, [`grid`] | the choice of the next run; the grid and the order of its points |
//! | `options`, `points`, `start` | the arguments of `start_sweep`, the checks of its points, the transactional start |
//! | [`worker`], `tables` | the worker that starts the runs; its queries and updates |
//! | `server_settings`, `restarts` | settings of the server at the points, which the worker changes by ALTER SYSTEM; waiting for restarts |
//! | [`control`], `sweeps` | stop, delete, wait; the sweep that a call names, and who may see it |
//! | `statistics`, `peak` | functions behind the views: intervals, the scalability law; the numbers of clients as good as the peak |
//! | `metrics` | the metrics of workloads at the points |
//! | `current`, `values` | the values that settings had before; the figures at the values that vary, beside each other |
//! | `race` | the best point, in rounds from which bad points drop out |
//! | [`search`] | the highest rate without a growing backlog, within one run |
//! | `side_by_side` | several sweeps in one report, and point by point |
//! | [`report`] | the results as text, as a comment and as a page |
//!
//! The plan is in the tables, and the worker has no essential state in memory. So an interrupted sweep can be resumed with
//! the missing runs.

mod control;
mod current;
pub mod error;
pub mod grid;
mod metrics;
pub mod options;
mod peak;
mod plan;
mod points;
mod precise;
mod race;
mod receivers;
pub mod report;
mod restarts;
mod search;
mod server_settings;
mod side_by_side;
mod start;
mod statistics;
pub mod sweeps;
mod tables;
mod values;
pub mod worker;

pub use start::{resume_interrupted, resume_restarted};
