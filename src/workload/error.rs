//! Errors of the tables that a workload runs on, and those of scripts that do not parse.

mod scripts;
pub mod tables;
