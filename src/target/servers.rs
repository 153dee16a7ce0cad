//! How a role connects to a target: the options of the foreign server, those of the role's user mapping, and what postgres_fdw asks of both.

use super::options::{PASSWORD_REQUIRED, boolean};
use crate::error::{Result, failure, invalid};
use crate::pg::catalog::foreign;
use crate::pg::server::{current_role, is_superuser};
use crate::pg::sql::spi;
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::spi::quote_identifier;
use serde::Deserialize;
use std::collections::BTreeMap;
use wire::Conninfo;

const WRAPPER: &str = "pgperf_target";
/// How long connecting may take, unless the server's option `connect_timeout` says otherwise.
const CONNECT_TIMEOUT_S: &str = "10";

/// How the current role connects to a target.
///
/// # Errors
/// 42704: there is no such server, or no user mapping for the role; 42809: it is no target; 42501: the role has no USAGE on it; 2F003:
/// the role needs a password for it.
pub fn connection(server: &str) -> Result<Conninfo> {
    connection_of(current_role(), server)
}

/// The same of another role.
///
/// # Errors
/// The same.
pub fn connection_of(role: Oid, server: &str) -> Result<Conninfo> {
    let found: Option<Found> = spi::select_one(FOUND, &[server.into(), role.into()])?;
    let found = found.ok_or_else(|| {
        failure(
            PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
            format!("server \"{server}\" does not exist"),
        )
        .hinting(format!(
            "Make one: CREATE SERVER {} FOREIGN DATA WRAPPER {WRAPPER} OPTIONS (host …, dbname …).",
            quote_identifier(server)
        ))
    })?;
    found.check(server)?;
    let mapping = foreign::mapping_options(role, Oid::from(found.oid));
    let needs_password = needs_password(&mapping, is_superuser(role))?;
    Ok(assembled(found, mapping, needs_password))
}

/// A server, seen by a role.
#[derive(Deserialize)]
struct Found {
    oid: u32,
    wrapper: String,
    options: BTreeMap<String, String>,
    may_use: bool,
    is_mapped: bool,
    role: String,
    database: String,
}

const FOUND: &str = "SELECT s.oid::pg_catalog.int8 AS oid, w.fdwname AS wrapper, \
        (SELECT COALESCE(pg_catalog.jsonb_object_agg(o.option_name, o.option_value), '{}') \
           FROM pg_catalog.pg_options_to_table(s.srvoptions) o) AS options, \
        pg_catalog.has_server_privilege(r.oid, s.oid, 'USAGE') AS may_use, \
        EXISTS (SELECT FROM pg_catalog.pg_user_mappings m \
                WHERE m.srvid = s.oid AND m.umuser IN (r.oid, 0)) AS is_mapped, \
        r.rolname AS role, pg_catalog.current_database() AS database \
     FROM pg_catalog.pg_foreign_server s \
     JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw \
     CROSS JOIN pg_catalog.pg_roles r \
     WHERE s.srvname = $1 AND r.oid = $2";

impl Found {
    /// Whether the role may use it.
    fn check(&self, server: &str) -> Result<()> {
        if self.wrapper != WRAPPER {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
                format!(
                    "server \"{server}\" belongs to the wrapper {}",
                    self.wrapper
                ),
            )
            .hinting(format!("Targets of pgperf are servers of {WRAPPER}.")));
        }
        if !self.may_use {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("permission denied for foreign server {server}"),
            ));
        }
        if !self.is_mapped {
            return Err(failure(
                PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
                format!(
                    "user mapping not found for \"{}\", server \"{server}\"",
                    self.role
                ),
            )
            .hinting(format!(
                "Make one: CREATE USER MAPPING FOR {} SERVER {} OPTIONS (user …, password …).",
                quote_identifier(&self.role),
                quote_identifier(server)
            )));
        }
        Ok(())
    }
}

/// Whether the target has to ask for the password of the mapping. Otherwise a role could use the identity of the server's operating-system
/// user, its certificates or its files of passwords.
fn needs_password(mapping: &[(String, String)], is_superuser: bool) -> Result<bool> {
    let value = |name: &str| {
        let mut options = mapping.iter();
        options.find_map(|(known, value)| (known == name).then_some(value.as_str()))
    };
    let is_required =
        value(PASSWORD_REQUIRED).map_or(Ok(true), |value| boolean(PASSWORD_REQUIRED, value))?;
    if is_superuser || !is_required {
        return Ok(false);
    }
    if value("password").is_none_or(str::is_empty) {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED,
            "password is required",
        )
        .detailed("Non-superusers must provide a password in the user mapping."));
    }
    Ok(true)
}

/// What libpq gets. What neither object says is that of the session here: the name of the role, and of the database.
fn assembled(found: Found, mapping: Vec<(String, String)>, needs_password: bool) -> Conninfo {
    let mut info = Conninfo::new()
        .with("user", &found.role)
        .with("dbname", &found.database)
        .with("connect_timeout", CONNECT_TIMEOUT_S);
    for (name, value) in found
        .options
        .iter()
        .chain(mapping.iter().map(|(n, v)| (n, v)))
    {
        if name != PASSWORD_REQUIRED {
            info.set(name, value);
        }
    }
    info.set("client_encoding", "UTF8");
    info.set("fallback_application_name", "pgperf");
    if needs_password {
        info.require_password();
    }
    info
}

/// The same for CREATE SUBSCRIPTION, which sets an encoding of its own.
///
/// # Errors
/// A value is not UTF-8.
pub fn connection_text(info: &Conninfo) -> Result<String> {
    let pair = |(keyword, value): (&str, &[u8])| {
        let value =
            str::from_utf8(value).map_err(|_| invalid(format!("{keyword} is not UTF-8")))?;
        let escaped = value.replace('\\', "\\\\").replace('\'', "\\'");
        Ok(format!("{keyword}='{escaped}'"))
    };
    let is_own =
        |keyword: &str| !["client_encoding", "fallback_application_name"].contains(&keyword);
    let pairs: Vec<String> = (info.pairs())
        .filter(|(keyword, _)| is_own(keyword))
        .map(pair)
        .collect::<Result<_>>()?;
    Ok(pairs.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(options: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        options.iter().map(owned).collect()
    }

    #[test]
    fn only_a_superuser_decides_that_no_password_is_needed() {
        let needs = |options: &[(&str, &str)], is_superuser| {
            needs_password(&mapping(options), is_superuser).map_err(|error| error.to_string())
        };
        assert_eq!(needs(&[("password", "x")], false), Ok(true));
        assert_eq!(needs(&[("password", "x")], true), Ok(false));
        assert_eq!(needs(&[], true), Ok(false));
        assert_eq!(needs(&[("password_required", "false")], false), Ok(false));
        let refused = Err("password is required".to_owned());
        assert_eq!(needs(&[], false), refused);
        assert_eq!(needs(&[("password", "")], false), refused);
        assert_eq!(needs(&[("password_required", "true")], false), refused);
    }

    #[test]
    fn values_of_a_subscription_are_quoted() {
        let info = Conninfo::new()
            .with("host", "h")
            .with("password", "it's \\ 1")
            .with("client_encoding", "UTF8");
        assert_eq!(
            connection_text(&info).unwrap(),
            r"host='h' password='it\'s \\ 1'"
        );
        let odd = Conninfo::new().with("user", [0xff]);
        assert_eq!(
            connection_text(&odd).unwrap_err().to_string(),
            "user is not UTF-8"
        );
    }

    #[test]
    fn what_is_not_said_is_that_of_the_session() {
        let found = |options: &[(&str, &str)]| Found {
            oid: 1,
            wrapper: WRAPPER.to_owned(),
            options: mapping(options).into_iter().collect(),
            may_use: true,
            is_mapped: true,
            role: "me".to_owned(),
            database: "here".to_owned(),
        };
        let plain = assembled(found(&[("host", "h")]), mapping(&[]), false);
        let get = |name: &str| plain.get(name).unwrap_or_default();
        assert_eq!(
            [
                get("host"),
                get("user"),
                get("dbname"),
                get("connect_timeout")
            ],
            ["h", "me", "here", "10"]
        );
        assert!(!plain.needs_password());
        let own = [
            ("user", "u"),
            ("password", "p"),
            (PASSWORD_REQUIRED, "true"),
        ];
        let options = [("dbname", "d"), ("client_encoding", "LATIN1")];
        let full = assembled(found(&options), mapping(&own), true);
        let get = |name: &str| full.get(name).unwrap_or_default();
        assert_eq!(
            [get("user"), get("dbname"), get("password")],
            ["u", "d", "p"]
        );
        assert_eq!(get("client_encoding"), "UTF8");
        assert!(full.get(PASSWORD_REQUIRED).is_none() && full.needs_password());
    }
}
