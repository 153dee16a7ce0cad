//! Snapshots of the server's state into history tables.
//!
//! * [`collector`]: the definition of a collector; each has its module, [`registry`] lists them, and [`rows`] has their
//!   common work on rows;
//! * [`sample`]: one sample: runs every collector in a subtransaction, stores its rows and its outcome; or uses many
//!   transactions, without a time limit; also the schedule of a run's collectors;
//! * [`walk`]: a scan of the catalog in several parts;
//! * [`on_demand`]: the SQL functions; [`retention`]: moving rows of the history.
//!
//! A collector reads first and returns its rows; only [`sample`] writes. So a failing collector has written nothing, and
//! collectors that do not read through SQL work in the same way.

mod archiver;
mod autovacuum;
mod bloat;
mod buffers;
mod checkpoints;
mod client_waits;
mod collector;
mod database;
pub mod database_size;
pub mod error;
pub mod hit_curve;
pub mod host;
mod io;
mod locks;
mod on_demand;
mod registry;
mod relations;
pub mod replication;
mod retention;
pub mod rows;
mod sample;
mod settings;
mod slru;
mod statements;
mod tablespaces;
mod waits;
pub mod wal;
mod walk;
mod watched;
mod wraparound;

pub use collector::{Collector, Depth, InRuns, KIND_NAME, ReportTable, SERVER_MAJOR};
pub use database_size::database_size;
pub use registry::ALL;
pub use sample::beginning::LOCK_TIMEOUT;
pub use sample::parts::Steps;
pub use sample::schedule::{Choice, Schedule, of_load, parse as parse_choices, reads_relations};
pub use sample::stepwise::{Part, Request, take_stepwise};
pub use sample::{Sample, take_run_sample};
pub use settings::without_passwords;
pub use watched::Watched;
pub use wraparound::HOLDERS as HORIZON_HOLDERS;
