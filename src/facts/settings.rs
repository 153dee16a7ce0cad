//! The settings that a run's clients had: `pgperf.run_settings`.
//!
//! They are those of the database, of the role and of the call besides the server's, so only a client knows them.
//! The first one reads them before it is ready, but does not write (its session may be read-only, or wait for a
//! standby at each commit): it hands them to the leader, which stores them.

use super::store_rows;
use crate::collect::without_passwords;
use crate::pg::error::SqlError;
use crate::pg::{role, setting, spi, xact};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row of `pgperf.run_settings`, without the run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    name: String,
    setting: Option<String>,
    unit: Option<String>,
    source: String,
    default_setting: Option<String>,
}

/// This session's settings, of which the call has `given` some, read as the extension's owner, who may see all of them.
///
/// In a worker outside a transaction.
pub fn read(given: &BTreeMap<String, String>) -> Result<Vec<Setting>, SqlError> {
    // The owner gets a search_path of its own.
    let search_path = setting::text("search_path");
    let given: Vec<String> = given.keys().map(|name| name.to_lowercase()).collect();
    let settings = xact::transaction(|| {
        role::as_owner(|| spi::select(&sql(), &[search_path.as_deref().into(), given.into()]))
    })?;
    settings.map_err(|error| SqlError::new("XX000", &error.to_string()))
}

/// Stores what [`read`] has read.
pub fn store(node_id: &str, run_id: i64, settings: &[Setting]) -> crate::error::Result<()> {
    store_rows(
        "pgperf.run_settings",
        node_id,
        run_id,
        settings.iter().collect(),
    )
}

/// Those that somebody has set to something else than their defaults (which may be computed: wal_buffers), or given. What cannot be changed in a built cluster is part of the
/// environment; a name and the state of one transaction are no settings of a run.
fn sql() -> String {
    let setting = without_passwords("s.name", "v.setting");
    format!(
        "SELECT s.name, {setting} AS setting, s.unit, \
                CASE WHEN g.given THEN 'run' ELSE s.source END AS source, s.boot_val AS default_setting \
         FROM pg_catalog.pg_settings s, \
              LATERAL (SELECT CASE s.name WHEN 'search_path' THEN $1 ELSE s.setting END AS setting) v, \
              LATERAL (SELECT pg_catalog.lower(s.name) = ANY ($2) AS given) g \
         WHERE (s.source <> 'default' AND v.setting IS DISTINCT FROM s.boot_val OR g.given) AND s.context <> 'internal' \
           AND s.name NOT IN ('application_name', 'transaction_isolation', 'transaction_read_only', \
                              'transaction_deferrable')"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_left_out_of_every_value() {
        assert!(sql().contains("password=********"));
    }
}
