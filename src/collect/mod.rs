//! The taking of samples: the server's state goes into history tables. What is taken, the collectors, are part of [`crate::subject`].
//!
//! * [`collector`]: the definition of a collector; [`rows`]: their common work on rows;
//! * [`sample`]: one sample: runs every collector in a subtransaction, stores its rows and its outcome; or uses many
//!   transactions, without a time limit;
//! * [`walk`]: a scan of the catalog in several parts; [`watched`]: what is observed between two samples;
//! * [`of_target`]: samples of other servers;
//! * [`optional`]: what other extensions know, where they are installed;
//! * [`on_demand`]: the samples that somebody asks for; [`retention`]: moving rows of the history.
//!
//! A collector reads first and returns its rows; only [`sample`] writes. So a failing collector has written nothing, and
//! collectors that do not read through SQL work in the same way.

mod client_waits;
pub mod collector;
pub mod database_size;
pub mod error;
pub mod files;
pub mod lock_queues;
pub mod of_target;
pub mod on_demand;
pub mod optional;
mod retention;
pub mod rows;
pub mod sample;
mod session_looks;
pub mod walk;
pub mod watched;

pub use collector::{Collector, Depth, InRuns, InVisits, KIND_NAME, ReportTable, SERVER_MAJOR};
pub use database_size::database_size;
pub use sample::beginning::LOCK_TIMEOUT;
pub use sample::parts::Steps;
pub use sample::stepwise::{Part, Request, SamplerNotes, take_stepwise};
pub use sample::{Sample, take_run_sample};
pub use watched::Watched;
