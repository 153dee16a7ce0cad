//! Experiments: plans of runs. Today there is one, the sweep: a grid of runs, one after the other, each point several times.
//!
//! | module | what it does |
//! |---|---|
//! | `plan`, [`grid`] | which run comes next; the grid, and in which order its points run |
//! | `options`, `points`, `start` | the arguments of `start_sweep`, its points and how they are checked, the transactional start |
//! | [`worker`], `tables` | the worker that starts the runs; what it reads and writes |
//! | [`control`], `sweeps` | stop, delete, wait; which sweep is meant and who may see it |
//! | `statistics`, `peak` | what the views ask for: intervals, the scalability law; which numbers of clients are as good as the peak |
//! | `report`, `markdown`, [`page`] | the results as text, as a comment and as a page |
//!
//! What is to be done is in the tables, and the worker remembers nothing that cannot be lost: so a sweep that was
//! interrupted goes on with the runs that are missing.

mod control;
mod error;
pub mod grid;
mod markdown;
pub mod options;
pub mod page;
mod peak;
mod plan;
mod points;
mod report;
mod start;
mod statistics;
mod sweeps;
mod tables;
pub mod worker;

pub use start::resume_interrupted;
