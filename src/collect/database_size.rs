//! The size of a database from its files, without SQL. With many files that takes seconds, during which `pg_database_size`
//! would hold a snapshot and a lock on pg_database.

use crate::collect::collector::SERVER_MAJOR;
use crate::pg::server;
use std::fs;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Bytes in the files of this database, in whichever tablespace, as `pg_database_size` counts them.
///
/// # Errors
/// The data directory cannot be read.
pub fn database_size() -> Result<u64> {
    size_in(Path::new("."), own_database(), || {
        pgrx::check_for_interrupts!();
    })
}

/// The files of this database, in whichever tablespace.
///
/// # Errors
/// The data directory cannot be read.
pub fn database_files() -> Result<Vec<PathBuf>> {
    files_in(Path::new("."), own_database())
}

fn own_database() -> u32 {
    u32::from(server::database())
}

/// Every process of the server works in its data directory.
fn files_in(data: &Path, database: u32) -> Result<Vec<PathBuf>> {
    let own = database.to_string();
    let mut folders = vec![data.join("base").join(&own)];
    for tablespace in entries(&data.join("pg_tblspc"))? {
        folders.extend(versions(&tablespace)?.map(|version| version.join(&own)));
    }
    folders_files(&folders)
}

fn size_in(data: &Path, database: u32, look_up: impl Fn()) -> Result<u64> {
    let mut sum = 0;
    for (number, file) in files_in(data, database)?.into_iter().enumerate() {
        if number % FILES_A_CHECK == 0 {
            look_up();
        }
        // One may be dropped meanwhile.
        sum += fs::metadata(file).map_or(0, |file| file.len());
    }
    Ok(sum)
}

fn folders_files(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        files.extend(entries(folder)?);
    }
    Ok(files)
}

/// A tablespace has a folder for each major version and catalog that uses it.
pub fn versions(tablespace: &Path) -> Result<impl Iterator<Item = PathBuf> + use<>> {
    let prefix = format!("PG_{}_", SERVER_MAJOR);
    let is_ours = move |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with(&prefix))
    };
    Ok(entries(tablespace)?.into_iter().filter(is_ours))
}

/// Files between two looks at whether the query was cancelled.
pub const FILES_A_CHECK: usize = 1_000;

/// None in a folder that does not exist: a tablespace without files of this database.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn files_count_in_all_tablespaces_of_this_version() {
        let dir = tempfile::tempdir().unwrap();
        let ours = format!("pg_tblspc/9/PG_{SERVER_MAJOR}_1");
        let file = |folder: &str, bytes: usize| {
            let folder = dir.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(bytes.to_string()), vec![0; bytes]).unwrap();
        };
        file("base/5", 10);
        file("base/5", 20);
        file("base/55", 1000);
        file(&format!("{ours}/5"), 300);
        file(&format!("{ours}/55"), 1000);
        file("pg_tblspc/9/PG_9_1/5", 1000);
        // One that has nothing of this database.
        fs::create_dir_all(dir.path().join(format!("pg_tblspc/8/PG_{SERVER_MAJOR}_1"))).unwrap();
        let looks = Cell::new(0);
        let size = size_in(dir.path(), 5, || looks.set(looks.get() + 1)).unwrap();
        assert_eq!((size, looks.get()), (330, 1));
    }
}
