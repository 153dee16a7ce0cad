//! Waits as pg_wait_sampling counts them, where it is installed: it looks at all processes every 10 ms by default.
//!
//! Its profile has a row for each event and statement, by default of each process that ever was; the history has one for each event.
//! pgperf never resets it: it belongs to the user.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::{optional, rows};
use crate::error::Result;

pub const EXTENSION: &str = "pg_wait_sampling";

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "wait_profile",
    cost: Cost::Medium,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["wait_profile_history"],
    description: "waits by event, as pg_wait_sampling counts them; without it no rows",
    of_target: None,
    read: Read::AtOnce(read),
};

fn read(_: &Scope) -> Result<Reading> {
    let profile = optional::read(EXTENSION, |schema| rows::select(&profile_sql(schema), &[]))?;
    let (rows, note) = profile.split();
    Ok(Reading {
        note,
        ..Reading::of(
            "wait_profile_history",
            rows::values(rows.unwrap_or_default()),
        )
    })
}

/// Processes that wait for work (type Activity) are left out. Only executors set the statement: between two of them, and in a process
/// that has none, it is 0.
fn profile_sql(schema: &str) -> String {
    format!(
        "SELECT p.event_type AS wait_event_type, p.event AS wait_event, p.queryid <> 0 AS in_statement, \
                pg_catalog.current_setting('pg_wait_sampling.profile_period')::pg_catalog.int4 AS period_ms, \
                pg_catalog.sum(p.count)::pg_catalog.int8 AS samples \
         FROM {schema}.pg_wait_sampling_get_profile() p \
         WHERE p.event_type IS DISTINCT FROM 'Activity' \
         GROUP BY 1, 2, 3"
    )
}

/// A row of it, which says whether it can be read.
pub fn probe_sql(schema: &str) -> String {
    format!("{} LIMIT 1", profile_sql(schema))
}
