//! pgperf beside pgbench: the same values, data, WAL, statistics and reports.

mod case_lists;
mod continue_on_error;
mod differential;
mod generator;
mod own_cases;
mod parameters;
mod referee;
mod same_data;
mod same_load;
mod same_report;
mod same_scripts;
mod same_statistics;
mod same_wal;
