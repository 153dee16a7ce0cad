//! What is measured, and how latencies are counted and summed up: pure Rust, no server.
//!
//! * [`Histogram`]: where quantiles come from, and what an interval stores;
//! * [`hit_curve`]: the hit ratio that larger shared_buffers would have;
//! * [`HistogramError`]: why bytes are not a histogram;
//! * [`Moments`]: pgbench's average and standard deviation;
//! * [`Latency`]: both of them as the `latency_*_ms` columns of the run tables;
//! * [`metrics`]: what the figures of a run are called, and mean;
//! * [`ratio_margin`]: the error of a share found in a sample;
//! * [`scalability`]: how throughput grows with the number of clients;
//! * [`statistics`]: how precise means are, and whether two of them differ;
//! * [`turns`]: which side's turn it is, where two change places within one run.

mod encoding;
mod histogram;
pub mod hit_curve;
mod latency;
pub mod metrics;
mod moments;
mod ratio;
pub mod scalability;
pub mod statistics;
pub mod turns;

pub use encoding::HistogramError;
pub use histogram::{COUNTERS, Histogram, Range, index_of};
pub use latency::Latency;
pub use moments::Moments;
pub use ratio::ratio_margin;
