//! A worker of a database that runs as the extension's owner, or looks for the extension first: its arguments when it
//! is registered. They fit into `bgw_extra`.

use super::launch::{oid, word};
use super::preconditions::check_login;
use super::store;
use crate::error::{Error, Result};
use crate::pg::catalog::role;
use crate::pg::process::latch;
use crate::pg::process::worker::{self, Extra, OnCancel};
use crate::pg::server;
use pgrx::pg_sys::{InvalidOid, Oid};

/// Where and as whom to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub database: Oid,
    /// None: look for the extension.
    pub target: Option<Target>,
}

/// The extension and its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub owner: Oid,
    pub extension: Oid,
    /// The (sub)transaction that starts the worker, if one does.
    pub xid: Option<u32>,
}

impl Target {
    /// The extension of this database, for a worker that the server starts; None if there is none.
    ///
    /// # Errors
    /// Its owner cannot have sessions.
    pub fn find() -> Result<Option<Target>> {
        let extension = match server::extension_oid() {
            Ok(extension) => extension,
            Err(Error::NotInstalled) => return Ok(None),
            Err(error) => return Err(error),
        };
        let owner = role::extension_owner();
        check_login(owner)?;
        Ok(Some(Target {
            owner,
            extension,
            xid: None,
        }))
    }
}

impl Launch {
    /// Of this database. `xid`: the (sub)transaction that starts it, if it waits for that.
    ///
    /// # Errors
    /// The extension is not installed.
    pub fn here(owner: Oid, xid: Option<u32>) -> Result<Launch> {
        Ok(Launch {
            database: server::database(),
            target: Some(Target {
                owner,
                extension: server::extension_oid()?,
                xid,
            }),
        })
    }

    /// First thing in a worker registered in this way: connects it as the extension's owner or, if it has to look for
    /// the extension, as the bootstrap superuser. None: there is nothing to do on this server.
    pub fn begin(application_name: &str) -> Option<Launch> {
        if worker::in_binary_upgrade() {
            return None;
        }
        let launch = Launch::decode(&worker::extra());
        let owner = launch.target.map_or(InvalidOid, |target| target.owner);
        worker::start(launch.database, owner, OnCancel::Note);
        store::configure_owner(application_name);
        latch::report_idle();
        Some(launch)
    }

    /// The words that follow are the worker's own.
    pub const WORDS: usize = 4;

    pub fn encode(&self) -> Extra {
        let mut extra = Extra::default();
        extra[0] = word(self.database);
        if let Some(target) = self.target {
            extra[1] = word(target.owner);
            extra[2] = word(target.extension);
            extra[3] = u64::from(target.xid.unwrap_or(0));
        }
        extra
    }

    fn decode(extra: &Extra) -> Launch {
        Launch {
            database: oid(extra[0]),
            target: (extra[1] != 0).then(|| Target {
                owner: oid(extra[1]),
                extension: oid(extra[2]),
                xid: Some(extra[3] as u32).filter(|&xid| xid != 0),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let target = Target {
            owner: Oid::from(10),
            extension: Oid::from(4_000_000_000),
            xid: Some(u32::MAX),
        };
        for target in [
            None,
            Some(target),
            Some(Target {
                xid: None,
                ..target
            }),
        ] {
            let launch = Launch {
                database: Oid::from(5),
                target,
            };
            assert_eq!(Launch::decode(&launch.encode()), launch);
        }
    }
}
