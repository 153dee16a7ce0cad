//! Who the role of a control connection is on its target, and what it may read there.

use crate::error::Result;
use crate::target::control::Control;
use serde::Deserialize;

/// What decides how everything else is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Standing {
    /// As server_version_num.
    pub version: u32,
    /// The process that has answered.
    pub pid: i32,
    pub in_recovery: bool,
    pub is_superuser: bool,
    /// Whether it has the rights of pg_monitor. None: this server has no such role.
    pub is_monitor: Option<bool>,
    /// Whether it sees the statements and sessions of others.
    pub reads_stats: bool,
    /// Whether it may read the control file.
    pub reads_control: bool,
    /// pg_stat_statements. None: it is not in this database.
    pub statements: Option<Statements>,
    /// pgstattuple. None: the same.
    pub tuples: Option<Installed>,
}

/// pg_stat_statements of the target.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Statements {
    #[serde(flatten)]
    pub installed: Installed,
    /// Whether it counts.
    pub is_preloaded: bool,
    /// Whether it tells planning and execution apart, and counts WAL: from its version 1.8 on.
    pub has_wal: bool,
    /// Whether it tells nested statements apart, and what it has forgotten: from its version 1.9 on.
    pub has_toplevel: bool,
}

/// An extension of the target, as far as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Installed {
    /// Quoted.
    pub schema: String,
    /// Whether the role may read its view, or call its function.
    pub is_readable: bool,
}

impl Standing {
    /// # Errors
    /// Those of the connection; the server is older than 9.6.
    pub fn read(control: &mut Control) -> Result<Standing> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } =
            control.select_one("SELECT current_setting('server_version_num')::int AS version")?;
        control.select_one(&sql(version))
    }

    /// Whether it is the same as before; a pooler may have given another process.
    pub fn is_as(&self, before: &Standing) -> bool {
        let pid = before.pid;
        Standing {
            pid,
            ..self.clone()
        } == *before
    }

    /// The first number of its version; of 9.6 both, as it was a major.
    pub fn major(&self) -> String {
        match self.version {
            ..100_000 => format!("{}.{}", self.version / 10_000, self.version / 100 % 100),
            _ => (self.version / 10_000).to_string(),
        }
    }
}

/// Its only row is a [`Standing`].
pub fn sql(version: u32) -> String {
    // Names of roles that are not there are errors.
    let (is_monitor, reads_stats) = match version {
        ..100_000 => ("NULL::bool", "r.rolsuper"),
        _ => (
            "pg_has_role('pg_monitor', 'USAGE')",
            "pg_has_role('pg_read_all_stats', 'USAGE')",
        ),
    };
    format!(
        "SELECT {version} AS version, pg_backend_pid() AS pid, pg_is_in_recovery() AS in_recovery, r.rolsuper AS is_superuser, \
                {is_monitor} AS is_monitor, {reads_stats} AS reads_stats, \
                has_function_privilege('pg_control_system()', 'EXECUTE') AS reads_control, \
                (SELECT row_to_json(s) FROM (\
                    SELECT quote_ident(n.nspname) AS schema, \
                           has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS is_readable, \
                           current_setting('pg_stat_statements.max', true) IS NOT NULL AS is_preloaded, \
                           EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'wal_bytes') AS has_wal, \
                           EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'toplevel') AS has_toplevel \
                      FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
                      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'pg_stat_statements' \
                     WHERE e.extname = 'pg_stat_statements' AND {view_of_extension}) s) AS statements, \
                (SELECT row_to_json(s) FROM (\
                    SELECT quote_ident(n.nspname) AS schema, \
                           has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') \
                               AND ({version} >= 100000 OR r.rolsuper) AS is_readable \
                      FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
                      JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = 'pgstattuple_approx' \
                     WHERE e.extname = 'pgstattuple' AND {function_of_extension}) s) AS tuples \
           FROM pg_roles r WHERE r.rolname = current_user",
        view_of_extension = is_of_extension("pg_class", "c"),
        function_of_extension = is_of_extension("pg_proc", "p"),
    )
}

/// Whether an object, `one` of a catalog, is the extension's `e` own: others may have objects of its name beside it.
fn is_of_extension(catalog: &str, one: &str) -> String {
    format!(
        "EXISTS (SELECT FROM pg_depend m WHERE m.classid = '{catalog}'::regclass AND m.objid = {one}.oid \
                 AND m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid AND m.deptype = 'e')"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_10_no_role_is_named_that_is_not_there() {
        assert!(!sql(90_624).contains("pg_monitor"));
        assert!(sql(100_023).contains("pg_monitor"));
    }

    #[test]
    fn majors_have_their_name() {
        let standing = |version| Standing {
            version,
            pid: 1,
            in_recovery: false,
            is_superuser: false,
            is_monitor: None,
            reads_stats: false,
            reads_control: false,
            statements: None,
            tuples: None,
        };
        assert_eq!(standing(90_624).major(), "9.6");
        assert_eq!(standing(100_023).major(), "10");
        assert_eq!(standing(190_001).major(), "19");
    }
}
