//! Settings that an extension or a database has left that is gone. Only the journal knows them.

use super::journal::{Entry, Journal};
use super::{Altered, put_back_each};
use crate::error::Result;
use crate::pg::process::lock;
use crate::pg::server;
use crate::service::guards::{self, Owner};

/// Puts back what extensions and databases have left that are gone. As a superuser, in a transaction; needs no database.
pub fn put_back_lost() -> Result<()> {
    match Journal::read()?.entries().iter().any(is_lost) && lock::try_lock_server_settings() {
        true => put_back_entries(is_lost),
        false => Ok(()),
    }
}

/// Those of this database are only known in it.
pub(super) fn is_lost(entry: &Entry) -> bool {
    let is_here = || entry.database == u32::from(server::database());
    let extension = || server::extension_oid().map_or(0, u32::from);
    !server::has_database(entry.database.into()) || is_here() && extension() != entry.extension
}

pub(super) fn put_back_entries(is_meant: impl Fn(&Entry) -> bool) -> Result<()> {
    let mut journal = Journal::read()?;
    let meant = journal.entries().iter().filter(|entry| is_meant(entry));
    let meant: Vec<Entry> = meant.cloned().collect();
    for entry in meant {
        let altered = &entry.altered;
        let put_back = |altered: &Altered| {
            let changed = altered.put_back();
            altered.log_restart();
            Ok(changed)
        };
        if put_back_each(std::slice::from_ref(altered), put_back).is_empty() {
            let is_same =
                |it: &Entry| it.database == entry.database && it.altered.has_key_of(altered);
            journal.forget(is_same)?;
            let database = entry.database;
            let some_are_left = (journal.entries().iter())
                .any(|it| it.database == database && it.altered.sweep_id == altered.sweep_id);
            if let Some(sweep_id) = altered.sweep_id.filter(|_| !some_are_left) {
                guards::end(Owner { database, sweep_id });
            }
        }
    }
    Ok(())
}

/// Those that are still as they were changed.
pub fn lost() -> Result<Vec<Altered>> {
    let journal = Journal::read()?;
    let lost = journal.entries().iter().filter(|entry| is_lost(entry));
    let lost = lost.map(|entry| entry.altered.clone());
    Ok(lost.filter(Altered::is_changed).collect())
}
