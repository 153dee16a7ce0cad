//! `pgperf.findings`: what stands out in a window of the history, and what to do about it.
//!
//! * [`rule`]: what a rule is; [`subjects`]: all rules, with their SQL beside them;
//! * [`settings`]: what users change about them; [`judge`]: rules applied to a window; [`ties`]: findings about the same thing; [`functions`]: the calls; [`shown`]: the head of a report.
//!
//! A rule whose source is missing (no samples of a collector, a column that the server's version lacks) says nothing.

pub mod functions;
mod judge;
mod rule;
mod settings;
pub mod shown;
mod subjects;
mod ties;

#[cfg(test)]
mod docs_test;

pub use functions::last_hour;
pub use judge::{Finding, judge, statements};
pub use rule::Severity;
pub use settings::Thresholds;
