//! The leader's stored data about a run: its row ([`run_row`]), [`intervals`], [`totals`], errors and the log of
//! transactions.

pub mod error_rows;
mod fairness;
pub mod intervals;
pub mod of_workload;
pub mod rows;
pub mod run_row;
mod servers;
pub mod totals;
pub mod transaction_log;
