//! Settings that a load chooses for its sessions, unless somebody has set them.

use crate::error::Result;
use crate::facts::environment::machine;
use crate::pg::session::setting;
use crate::pg::sql::{spi, xact};
use serde::Deserialize;

/// Turns on compression of the pages that this transaction writes to the WAL. It is for pages of rows that are alike, which hold
/// little but blanks: compressed, a tenth of their size goes to the disk before the commit. Random rows do not shrink.
pub(super) fn compress_wal() -> Result<()> {
    if undecided("wal_compression")?.is_some_and(|it| it.allowed.iter().any(|name| name == METHOD))
    {
        setting::impose("wal_compression", METHOD);
    }
    Ok(())
}

/// Leaves each of so many sessions its share of the processors for building an index: more processes than processors take longer.
pub(super) fn share_processors(sessions: u64) -> Result<()> {
    let name = "max_parallel_maintenance_workers";
    let helpers = (machine::cpus() as u64 / sessions.max(1)).saturating_sub(1);
    let current = undecided(name)?.and_then(|it| it.current.parse().ok());
    if current.is_some_and(|current: u64| current > helpers) {
        setting::set(name, &helpers.to_string());
    }
    Ok(())
}

/// The method that takes less time than writing the bytes that it saves. A server may have been built without it.
const METHOD: &str = "lz4";

#[derive(Deserialize)]
struct Undecided {
    current: String,
    /// Of a setting with named values.
    allowed: Vec<String>,
}

/// A setting that has its default; none if somebody has set it.
fn undecided(name: &str) -> Result<Option<Undecided>> {
    xact::with_latest_snapshot(|| spi::select_one(UNDECIDED, &[name.into()]))
}

const UNDECIDED: &str = "SELECT setting AS current, coalesce(enumvals, '{}') AS allowed FROM pg_catalog.pg_settings \
  WHERE name OPERATOR(pg_catalog.=) $1 AND source OPERATOR(pg_catalog.=) 'default'";
