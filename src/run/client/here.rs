//! How clients connect to the server that they run in.

use crate::error::{Error, Result, failure};
use crate::pg::encoding;
use crate::pg::server;
use crate::pg::session::setting;
use crate::pg::sql::spi;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use wire::Conninfo;

#[derive(Deserialize)]
struct Here {
    database: String,
    role: String,
    sockets: String,
    addresses: String,
    port: String,
}

const HERE: &str = "SELECT pg_catalog.current_database() AS database, CURRENT_USER AS role, \
        pg_catalog.current_setting('unix_socket_directories') AS sockets, \
        pg_catalog.current_setting('listen_addresses') AS addresses, pg_catalog.current_setting('port') AS port";

/// Connects to this database as the current role, over the server's Unix socket, or else over TCP.
///
/// # Errors
/// The role is no superuser; the server listens nowhere.
pub fn connection() -> Result<Conninfo> {
    check()?;
    let here: Here = spi::select_one(HERE, &[])?.ok_or(Error::NotInstalled)?;
    let host = here.host().ok_or_else(|| {
        failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "the server listens nowhere: unix_socket_directories and listen_addresses are empty",
        )
    })?;
    Ok(Conninfo::new()
        .with("host", host)
        .with("port", &here.port)
        // In the server's encoding: it compares their bytes.
        .with("dbname", encoding::encode(&here.database))
        .with("user", encoding::encode(&here.role)))
}

/// Whether the current role may do so. The server knows the process that connects as one of its own user of the operating system, which for
/// a superuser alone is nothing new.
///
/// # Errors
/// It may not.
pub fn check() -> Result<()> {
    if server::is_superuser(server::current_role()) {
        return Ok(());
    }
    Err(failure(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        "transport => 'wire' to this server is for superusers",
    )
    .detailed(
        "Its clients connect without a password, as the user of the operating system that the server runs as.",
    )
    .hinting("Use transport => 'inside'."))
}

/// Whether the server has room for so many connections besides those that it keeps for other superusers and monitoring: a run's role is a
/// superuser, and would take them.
///
/// # Errors
/// It has not.
pub fn check_room(clients: usize) -> Result<()> {
    let number = |name| setting::text(name).and_then(|text| text.parse::<usize>().ok());
    let most = number("max_connections").unwrap_or(usize::MAX);
    let reserved = ["superuser_reserved_connections", "reserved_connections"]
        .into_iter()
        .filter_map(number)
        .sum::<usize>();
    if clients <= most.saturating_sub(reserved) {
        return Ok(());
    }
    Err(failure(
        PgSqlErrorCode::ERRCODE_TOO_MANY_CONNECTIONS,
        format!(
            "too few connections for {clients} clients over the wire: max_connections is {most}, of which {reserved} are reserved"
        ),
    )
    .hinting(format!(
        "Use fewer clients, or set max_connections and restart the server: ALTER SYSTEM SET max_connections = {}",
        clients + reserved
    )))
}

impl Here {
    /// The first one of each list counts.
    fn host(&self) -> Option<&str> {
        match (first(&self.sockets), first(&self.addresses)) {
            ("", "") => None,
            ("", "*" | "0.0.0.0") => Some("127.0.0.1"),
            ("", "::") => Some("::1"),
            ("", address) => Some(address),
            (socket, _) => Some(socket),
        }
    }
}

fn first(list: &str) -> &str {
    list.split_once(',').map_or(list, |(first, _)| first).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_comes_before_addresses() {
        let host = |sockets: &str, addresses: &str| {
            let here = Here {
                database: String::new(),
                role: String::new(),
                sockets: sockets.to_owned(),
                addresses: addresses.to_owned(),
                port: String::new(),
            };
            here.host().map(str::to_owned)
        };
        assert_eq!(host("/run, /tmp", "*").as_deref(), Some("/run"));
        assert_eq!(host("", "*").as_deref(), Some("127.0.0.1"));
        assert_eq!(host("", "::,0.0.0.0").as_deref(), Some("::1"));
        assert_eq!(host("", "db1, db2").as_deref(), Some("db1"));
        assert_eq!(host("", ""), None);
    }
}
