//! What a sampler is told when it is registered; it fits into `bgw_extra`.

use crate::error::{Error, Result};
use crate::pg::worker::{self, Extra, OnCancel, Worker};
use crate::pg::{latch, role, server};
use crate::run::preconditions::check_login;
use crate::run::store;
use pgrx::pg_sys::{InvalidOid, Oid};

/// Where and as whom to sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub database: Oid,
    /// None: wait until the extension is there, then hand over to a sampler that runs as its owner.
    pub target: Option<Target>,
}

/// The extension and whoever starts sampling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub owner: Oid,
    pub extension: Oid,
    /// The (sub)transaction that starts the sampler, if one does.
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
    /// Asks for the worker; None if there is no free slot.
    pub fn register(&self) -> Option<Worker> {
        let name = "pgperf sampler";
        worker::register(name, name, "pgperf_sampler_main", &self.encode())
    }

    /// First thing in a worker that was registered so: connects it as the extension's owner or, if it is to look for the
    /// extension, as the bootstrap superuser. None: nothing is to be done on this server.
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

    pub fn encode(&self) -> Extra {
        let word = |oid: Oid| u64::from(u32::from(oid));
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
        let oid = |word: u64| Oid::from(word as u32);
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
