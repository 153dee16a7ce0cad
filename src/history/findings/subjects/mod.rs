//! All rules, by what they read.

mod objects;
mod server;

use super::rule::Subject;
use objects::{BLOAT, HORIZON, STATEMENTS, TABLES};
use server::{DATABASE, MACHINE, RECORD, REPLICATION, SERVER, SESSIONS, STORAGE};

/// All of them, in the order of the documentation.
pub static SUBJECTS: [&Subject; 11] = [
    &STATEMENTS,
    &TABLES,
    &BLOAT,
    &HORIZON,
    &SERVER,
    &SESSIONS,
    &DATABASE,
    &REPLICATION,
    &STORAGE,
    &MACHINE,
    &RECORD,
];
