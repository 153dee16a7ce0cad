//! The settings that a run's clients had: `pgperf.run_settings`.
//!
//! They come from the server, the database, the role and the call, so only a client knows them.
//! The first one reads them before it is ready, but does not write (its session may be read-only, or wait for a
//! standby at each commit): it hands them to the leader, which stores them.

use super::store_rows;
use crate::error::Error;
use crate::pg::catalog::role;
use crate::pg::error::SqlError;
use crate::pg::session::setting;
use crate::pg::sql::text::Json;
use crate::pg::sql::{spi, xact};
use crate::subject::settings::without_passwords;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A row of `pgperf.run_settings`, without the run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    pub name: String,
    setting: Option<String>,
    unit: Option<String>,
    source: String,
    default_setting: Option<String>,
}

impl Setting {
    /// One that the call of a run gives, of which nothing else is known.
    pub fn given(name: String, value: &str) -> Setting {
        Setting {
            name,
            setting: Some(value.to_owned()),
            unit: None,
            source: GIVEN.to_owned(),
            default_setting: None,
        }
    }

    /// The call gives it another value, which has its unit with it.
    pub fn give(&mut self, value: &str) {
        self.setting = Some(value.to_owned());
        self.unit = None;
        GIVEN.clone_into(&mut self.source);
    }

    /// For rows of another kind: name, value, unit.
    pub fn into_parts(self) -> (String, Option<String>, Option<String>) {
        (self.name, self.setting, self.unit)
    }
}

/// The source of a setting that the call gives.
const GIVEN: &str = "run";

/// This session's settings, of which the call has `given` some. The extension's owner names them all; their values are those
/// that the run's role may see: its report must not reveal more.
///
/// In a worker outside a transaction.
pub fn read(given: &BTreeMap<String, String>) -> Result<Vec<Setting>, SqlError> {
    #[derive(Deserialize)]
    struct Visible {
        name: String,
    }
    // The owner gets its own, and what is read has exact numbers.
    let exact = (!setting::numbers_are_exact()).then_some(setting::EXACT_NUMBERS);
    let changed: BTreeMap<&str, Option<String>> = (role::unlike_settings().chain(exact))
        .map(|(name, _)| (name, setting::text(name)))
        .collect();
    let given: Vec<String> = given.keys().map(|name| name.to_lowercase()).collect();
    let settings = xact::transaction(|| {
        let visible: Vec<Visible> =
            spi::select("SELECT s.name FROM pg_catalog.pg_settings s", &[])?;
        let visible: Vec<String> = visible.into_iter().map(|visible| visible.name).collect();
        let changed = Json(serde_json::to_value(changed)?);
        role::as_owner(|| spi::select(&sql(), &[changed.into(), given.into(), visible.into()]))
    })?;
    settings.map_err(|error: Error| SqlError::new("XX000", &error.to_string()))
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

/// Those set to values other than their defaults (which may be computed: wal_buffers), or given. Settings that cannot
/// be changed in an existing cluster are part of the environment; names and the state of one transaction are not
/// settings of a run. $1: the values of those that the owner has otherwise; $2: those given; $3: those that the role
/// may see.
fn sql() -> String {
    let setting = without_passwords("s.name", "v.setting");
    // Names that no loaded library knows: pg_settings leaves them out.
    let unknown = without_passwords("n.name", "v.setting");
    format!(
        "SELECT s.name, CASE WHEN s.name = ANY ($3) THEN {setting} END AS setting, s.unit, \
                CASE WHEN g.given THEN 'run' ELSE s.source END AS source, s.boot_val AS default_setting \
         FROM pg_catalog.pg_settings s, \
              LATERAL (SELECT CASE WHEN $1 ? s.name THEN $1 ->> s.name ELSE s.setting END AS setting) v, \
              LATERAL (SELECT pg_catalog.lower(s.name) = ANY ($2) AS given) g \
         WHERE (s.source <> 'default' AND v.setting IS DISTINCT FROM s.boot_val OR g.given) AND s.context <> 'internal' \
           AND s.name NOT IN ('application_name', 'transaction_isolation', 'transaction_read_only', \
                              'transaction_deferrable') \
         UNION ALL \
         SELECT n.name, {unknown}, NULL, CASE WHEN n.given THEN 'run' ELSE 'database or user' END, NULL \
         FROM (SELECT m.name, pg_catalog.bool_or(m.given) AS given \
               FROM (SELECT pg_catalog.unnest($2), true \
                     UNION ALL \
                     SELECT pg_catalog.lower(pg_catalog.split_part(c.entry, '=', 1)), false \
                     FROM pg_catalog.pg_db_role_setting r, pg_catalog.unnest(r.setconfig) c (entry) \
                     WHERE r.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())) \
                       AND r.setrole IN (0, (SELECT u.oid FROM pg_catalog.pg_roles u WHERE u.rolname = session_user))) m (name, given) \
               GROUP BY m.name) n, \
              LATERAL (SELECT pg_catalog.current_setting(n.name, true) AS setting) v \
         WHERE v.setting IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_settings s WHERE pg_catalog.lower(s.name) = n.name)"
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
