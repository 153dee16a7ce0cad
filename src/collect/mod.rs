//! Snapshots of the server's state into history tables.
//!
//! * [`collector`]: what a collector is; each has a module of its own, [`registry`] lists them, and
//!   [`rows`] what several do to the rows they read;
//! * [`sample`]: one sample: every collector in its own subtransaction, what it read stored, its
//!   [`outcome`] remembered; [`beginning`] what it begins with, [`history`] how rows are written;
//! * [`schedule`]: which collectors a run takes when;
//! * [`stepwise`]: a sample in many transactions, for as long as it takes; [`parts`]: how a collector reads in several of
//!   them, [`walk`] of which goes through the catalog;
//! * [`on_demand`]: the SQL functions; [`retention`]: moving rows of the history.
//!
//! A collector reads first and returns its rows; only [`sample`] writes. So a collector that fails
//! has written nothing, and one that does not read through SQL fits in just as well.

mod beginning;
mod bloat;
mod buffers;
mod checkpoints;
mod client_waits;
mod collector;
mod database;
pub mod database_size;
pub mod error;
mod history;
pub mod host;
mod io;
pub mod on_demand;
mod outcome;
mod parts;
mod registry;
mod relations;
mod replication;
mod retention;
pub mod rows;
mod sample;
mod schedule;
mod settings;
mod statements;
mod stepwise;
mod waits;
mod wal;
mod walk;
mod wraparound;

pub use beginning::LOCK_TIMEOUT;
pub use bloat::DEFAULT_BUDGET as BLOAT_BUDGET;
pub use client_waits::ClientWaits;
pub use collector::{Collector, Depth, InRuns, KIND_NAME, SERVER_MAJOR};
pub use database_size::database_size;
pub use parts::Steps;
pub use registry::ALL;
pub use sample::{Sample, take_run_sample};
pub use schedule::{Choice, Schedule, parse as parse_choices};
pub use settings::without_passwords;
pub use stepwise::{Part, Request, take_stepwise};
pub use wraparound::HOLDERS as HORIZON_HOLDERS;
