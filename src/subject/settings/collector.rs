//! Settings that are not at their defaults, and every change of one.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::of_target::TargetSource;
use crate::collect::rows::{self, Row};
use crate::collect::sample::beginning;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::sql::text::Json;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "settings",
    cost: Cost::Light,
    sample_interval_s: 600,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["settings_history"],
    description: "settings of the server, its databases and roles: those that are not at their defaults, then each change",
    of_target: Some(TargetSource {
        since_major: None,
        queries: |_| Ok(vec![of_target()]),
        reading: reading_of_target,
    }),
    read: Read::AtOnce(read),
};

fn read(scope: &Scope) -> Result<Reading> {
    let node = scope.node_id.as_str();
    Ok(Reading::of(
        "settings_history",
        rows::values(rows::select(&changed(&here()), &[node.into()])?),
    ))
}

/// SQL for the value of a setting without the passwords of connection strings, also in URIs, and without settings
/// that an extension calls a password.
pub fn without_passwords(name: &str, value: &str) -> String {
    format!(
        "CASE WHEN {name} ~* '\\..*(password|passwd|secret|token)' THEN '********' ELSE \
         pg_catalog.regexp_replace(pg_catalog.regexp_replace({value}, \
            'password\\s*=\\s*(''(\\\\.|[^''\\\\])*''|\\S+)', 'password=********', 'gi'), \
            '(://[^:/@\\s]*:)[^@\\s]*@', '\\1********@', 'g') END"
    )
}

/// Those of the server `s` that are its own: values that come from a session, its client, role or database say nothing about it.
const OF_SERVER: &str = "s.source IN ('default', 'environment variable', 'configuration file', 'command line', 'global') \
    OR s.source = 'override' AND s.context IN ('internal', 'postmaster', 'sighup')";

/// Settings of databases and roles.
const OF_OTHERS: &str = "SELECT pg_catalog.split_part(c.setting, '=', 1) AS name, d.datname AS database_name, r.rolname AS role_name, \
               pg_catalog.substr(c.setting, pg_catalog.strpos(c.setting, '=') + 1) AS value, NULL AS unit, \
               CASE WHEN r.rolname IS NULL THEN 'database' WHEN d.datname IS NULL THEN 'user' \
                    ELSE 'database user' END AS source, false AS pending_restart \
        FROM pg_catalog.pg_db_role_setting o \
        CROSS JOIN LATERAL pg_catalog.unnest(o.setconfig) c(setting) \
        LEFT JOIN pg_catalog.pg_database d ON d.oid = o.setdatabase \
        LEFT JOIN pg_catalog.pg_roles r ON r.oid = o.setrole";

/// Settings of this server, its databases and roles, with passwords. Settings of the sample itself ([`beginning::SETTINGS`],
/// [`role::SETTINGS`]) are taken with the values they would otherwise have, unless those are the database's or the role's, or were when
/// this session began.
fn here() -> String {
    let own = beginning::SETTINGS
        .iter()
        .chain(&role::SETTINGS)
        .map(|(name, _)| format!("'{name}'"))
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "SELECT s.name, NULL::pg_catalog.text AS database_name, NULL::pg_catalog.text AS role_name, \
               s.setting AS value, s.unit, s.source, s.pending_restart \
        FROM ( \
            SELECT p.name, p.setting, p.unit, p.source, p.context, p.pending_restart \
            FROM pg_catalog.pg_settings p \
            WHERE p.source <> 'session' \
            UNION ALL \
            SELECT p.name, p.reset_val, p.unit, \
                   CASE WHEN p.reset_val = p.boot_val THEN 'default' ELSE 'configuration file' END, \
                   p.context, p.pending_restart \
            FROM pg_catalog.pg_settings p \
            WHERE p.source = 'session' AND p.name IN ({own}) \
              AND NOT EXISTS (SELECT FROM pg_catalog.pg_db_role_setting o, pg_catalog.unnest(o.setconfig) c(setting) \
                              WHERE o.setdatabase IN (0, (SELECT d.oid FROM pg_catalog.pg_database d \
                                                          WHERE d.datname = pg_catalog.current_database())) \
                                AND o.setrole IN (0, (SELECT r.oid FROM pg_catalog.pg_roles r \
                                                      WHERE r.rolname = SESSION_USER)) \
                                AND pg_catalog.split_part(c.setting, '=', 1) = p.name) \
              AND NOT EXISTS (SELECT FROM (SELECT DISTINCT ON (h.database_name, h.role_name) h.value, h.taken_at \
                                             FROM pgperf.settings_history h \
                                            WHERE h.node_id = $1::pg_catalog.uuid AND h.name = p.name \
                                              AND (h.database_name = pg_catalog.current_database() OR h.role_name = SESSION_USER) \
                                            ORDER BY h.database_name, h.role_name, h.sample_id DESC) o \
                               WHERE o.value IS NOT NULL \
                                  OR o.taken_at >= (SELECT a.backend_start FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) a))) s \
        WHERE {OF_SERVER} \
        UNION ALL {OF_OTHERS}"
    )
}

/// The same of a target, without passwords, as far as the role may see them. Those that the connection sets itself are left out: a session
/// does not tell where their other values come from.
fn of_target() -> String {
    let masked = without_passwords("n.name", "n.value");
    format!(
        "SELECT n.name, n.database_name, n.role_name, n.unit, n.source, n.pending_restart, {masked} AS value FROM (\
            SELECT s.name, NULL::pg_catalog.text AS database_name, NULL::pg_catalog.text AS role_name, \
                   s.setting AS value, s.unit, s.source, s.pending_restart \
            FROM pg_catalog.pg_settings s WHERE {OF_SERVER} UNION ALL {OF_OTHERS}) n"
    )
}

fn reading_of_target(scope: &Scope, answers: Vec<Vec<Row>>) -> Result<Reading> {
    let told = rows::values(answers.into_iter().flatten().collect());
    let now = "SELECT * FROM pg_catalog.jsonb_to_recordset($2) AS t(name pg_catalog.text, database_name pg_catalog.text, \
               role_name pg_catalog.text, value pg_catalog.text, unit pg_catalog.text, source pg_catalog.text, pending_restart pg_catalog.bool)";
    let arguments = [scope.node_id.as_str().into(), Json(told.into()).into()];
    let changed = rows::select(&changed(now), &arguments)?;
    Ok(Reading::of("settings_history", rows::values(changed)))
}

/// Settings that differ from their last row or, without one, are not at their defaults. `now`: those of the moment; $1: the node.
///
/// Settings of databases and roles have rows of their own; a removed one has a row without a value.
fn changed(now: &str) -> String {
    let masked = without_passwords("n.name", "n.value");
    format!(
        "WITH now AS ({now}), \
     masked AS (\
        SELECT n.name, n.database_name, n.role_name, n.unit, n.source, n.pending_restart, {masked} AS value \
        FROM now n), \
     last AS (\
        SELECT DISTINCT ON (h.name, h.database_name, h.role_name) \
               h.name, h.database_name, h.role_name, h.value, h.unit, h.source, h.pending_restart \
        FROM pgperf.settings_history h WHERE h.node_id = $1::pg_catalog.uuid \
        ORDER BY h.name, h.database_name, h.role_name, h.sample_id DESC) \
     SELECT n.name, n.database_name, n.role_name, n.value, n.unit, n.source, n.pending_restart \
     FROM masked n \
     LEFT JOIN last l ON l.name = n.name AND l.database_name IS NOT DISTINCT FROM n.database_name \
                     AND l.role_name IS NOT DISTINCT FROM n.role_name \
     WHERE CASE WHEN l.name IS NULL THEN n.source <> 'default' OR n.pending_restart \
                ELSE (l.value, l.source, l.pending_restart) IS DISTINCT FROM (n.value, n.source, n.pending_restart) END \
     UNION ALL \
     SELECT l.name, l.database_name, l.role_name, NULL, NULL, l.source, false \
     FROM last l \
     WHERE l.source IN ('database', 'user', 'database user') AND l.value IS NOT NULL \
       AND NOT EXISTS (SELECT FROM masked n WHERE n.name = l.name \
                         AND n.database_name IS NOT DISTINCT FROM l.database_name \
                         AND n.role_name IS NOT DISTINCT FROM l.role_name)"
    )
}
