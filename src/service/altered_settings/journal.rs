//! The journal of changed settings: a copy of the table's rows in the data directory, beside the file that ALTER SYSTEM writes. It is there
//! when the table is not: after DROP EXTENSION or DROP DATABASE while nobody was there to put the settings back.
//!
//! Only the holder of the lock on the server's settings writes it.

use super::{Altered, Changer};
use crate::error::{Error, Result, failure};
use crate::pg::server;
use crate::service::durable_file;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// In the data directory; without it there are no entries.
const FILE: &str = "pgperf_altered_settings";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    pub database: u32,
    pub extension: u32,
    #[serde(flatten)]
    pub altered: Altered,
}

#[derive(Debug, Default)]
pub struct Journal(Vec<Entry>);

fn path() -> PathBuf {
    server::data_directory().join(FILE)
}

fn failed(reason: String) -> Error {
    failure(
        PgSqlErrorCode::ERRCODE_IO_ERROR,
        format!("cannot read or write \"{}\": {reason}", path().display()),
    )
    .hinting(
        "It has what postgresql.auto.conf had before sweeps or runs changed settings of the server: make it accessible to the server, or \
         compare the two and remove it.",
    )
}

impl Journal {
    /// # Errors
    /// The file cannot be read.
    pub fn read() -> Result<Journal> {
        match std::fs::read(path()) {
            Ok(text) => {
                let entries = serde_json::from_slice(&text);
                Ok(Journal(entries.map_err(|error| failed(error.to_string()))?))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Journal::default()),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    fn write(&self) -> Result<()> {
        let folder = server::data_directory();
        let written = match self.0.is_empty() {
            // This succeeds on a full disk, too.
            true => durable_file::remove(&folder, FILE),
            false => durable_file::write(&folder, FILE, &serde_json::to_vec(&self.0)?),
        };
        written.map_err(|error| failed(error.to_string()))
    }

    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// The entries of a sweep or run of this database.
    pub fn of(&self, changer: Changer) -> Vec<Altered> {
        let database = u32::from(server::database());
        let own = |entry: &&Entry| entry.database == database;
        let altered = self.0.iter().filter(own).map(|entry| entry.altered.clone());
        altered
            .filter(|altered| altered.changer() == Some(changer))
            .collect()
    }

    /// Takes the place of what was there of the same sweep or run.
    ///
    /// # Errors
    /// The file cannot be written; then nothing may be changed.
    pub fn remember(&mut self, altered: &[Altered]) -> Result<()> {
        let database = u32::from(server::database());
        let extension = u32::from(server::extension_oid()?);
        let begins = altered.iter().find_map(Altered::changer);
        (self.0).retain(|entry| entry.database != database || entry.altered.changer() != begins);
        self.0.extend(altered.iter().map(|altered| Entry {
            database,
            extension,
            altered: altered.clone(),
        }));
        self.write()
    }

    /// # Errors
    /// The file cannot be written.
    pub fn forget(&mut self, is_meant: impl Fn(&Entry) -> bool) -> Result<()> {
        let before = self.0.len();
        self.0.retain(|entry| !is_meant(entry));
        match self.0.len() < before {
            true => self.write(),
            false => Ok(()),
        }
    }
}

impl Entry {
    /// Whether it is that of a row of this database.
    pub fn stands_for(&self, altered: &Altered) -> bool {
        self.database == u32::from(server::database()) && self.altered.has_key_of(altered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let written = vec![Entry {
            database: 5,
            extension: 20_000,
            altered: Altered {
                node_id: "node".to_owned(),
                sweep_id: Some(1),
                run_id: None,
                name: "cluster_name".to_owned(),
                before_value: None,
                given_values: vec!["it's \\".to_owned()],
                in_force: Some(String::new()),
            },
        }];
        let text = serde_json::to_string(&written).expect("JSON");
        let read: Vec<Entry> = serde_json::from_str(&text).expect("an entry");
        assert!(read[0].altered.has_key_of(&written[0].altered));
        assert_eq!(read[0].extension, 20_000);
        assert_eq!(read[0].altered.given_values, ["it's \\"]);
    }
}
