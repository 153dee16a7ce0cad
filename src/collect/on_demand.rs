//! Samples that somebody asks for: they check their arguments first, then write as the extension's owner, so that a member of
//! pg_monitor needs no rights on the history.

use super::collector::{Collector, Reading, Scope};
use super::sample::beginning::hardly_waiting;
use super::sample::take_one;
use crate::error::{Result, read_only};
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::sql::spi;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

/// One collector's sample, with everything it can read; its sample_id.
pub fn complete(collector: &'static Collector) -> std::result::Result<i64, ErrorReport> {
    let snapshot = || {
        refuse_where_nothing_can_be_stored()?;
        alone(collector, |scope| collector.read_here(scope))
    };
    Ok(hardly_waiting(|| as_owner(snapshot))?)
}

/// As [`take_one`], with a notice of what was left out.
pub fn alone(
    collector: &'static Collector,
    read: impl FnOnce(&Scope) -> Result<Reading>,
) -> Result<i64> {
    let sample = take_one(collector.name, read)?;
    for reason in sample
        .outcomes
        .iter()
        .filter_map(|outcome| outcome.reason.as_deref())
    {
        say(PgLogLevel::NOTICE, format!("{}: {reason}", collector.name));
    }
    Ok(sample.sample_id)
}

/// Before anything is measured.
pub fn refuse_where_nothing_can_be_stored() -> Result<()> {
    #[derive(Deserialize)]
    struct ServerState {
        in_recovery: bool,
        read_only: bool,
    }
    let state: Option<ServerState> = spi::select_one(
        "SELECT pg_catalog.pg_is_in_recovery() AS in_recovery, \
                pg_catalog.current_setting('transaction_read_only') = 'on' AS read_only",
        &[],
    )?;
    match state {
        Some(ServerState {
            in_recovery: true, ..
        }) => Err(read_only("cannot store a snapshot on a server in recovery")
            .hinting("Take it on the primary: the history reaches the standby by replication.")),
        Some(ServerState {
            read_only: true, ..
        }) => Err(
            read_only("cannot store a snapshot in a read-only transaction")
                .hinting("Use a transaction that is READ WRITE."),
        ),
        _ => Ok(()),
    }
}
