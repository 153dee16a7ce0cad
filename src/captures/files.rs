//! The files of captures: a folder of the data directory has a folder for each.
//!
//! Its name begins as those of temporary files do, which base backups leave out: a capture holds data of the database, and a copy of the
//! server is rarely there to replay it.

use crate::pg::server;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// In the data directory.
const FOLDER: &str = "pgsql_tmp_pgperf_captures";
/// For the server's user alone.
const MODE: u32 = 0o700;

fn all() -> PathBuf {
    server::data_directory().join(FOLDER)
}

/// Of a capture of this database.
pub fn folder(capture_id: i64) -> PathBuf {
    all().join(format!("{}-{capture_id}", u32::from(server::database())))
}

/// Makes the empty folder of a capture. What a capture left that was rolled back, or whose server crashed then, is removed.
///
/// # Errors
/// Those of the file system.
pub fn create(capture_id: i64) -> io::Result<PathBuf> {
    let folder = folder(capture_id);
    remove(capture_id)?;
    DirBuilder::new()
        .recursive(true)
        .mode(MODE)
        .create(&folder)?;
    Ok(folder)
}

/// Removes the files of a capture, if there are any.
///
/// # Errors
/// Those of the file system.
pub fn remove(capture_id: i64) -> io::Result<()> {
    match fs::remove_dir_all(folder(capture_id)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what belongs to no capture any more: of this database those that `is_known` does not know, and those of databases that are
/// gone. Nobody captures meanwhile but the caller.
pub fn remove_forgotten(is_known: impl Fn(i64) -> bool) {
    let own = u32::from(server::database());
    let Ok(folders) = fs::read_dir(all()) else {
        return;
    };
    for folder in folders.flatten() {
        let name = folder.file_name();
        let Some((database, capture_id)) = name.to_str().and_then(parts) else {
            continue;
        };
        let is_wanted = match database == own {
            true => is_known(capture_id),
            false => server::has_database(database.into()),
        };
        if !is_wanted {
            // The next one tries again.
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

fn parts(name: &str) -> Option<(u32, i64)> {
    let (database, capture_id) = name.split_once('-')?;
    Some((database.parse().ok()?, capture_id.parse().ok()?))
}

/// Bytes of the files in a folder.
///
/// # Errors
/// Those of the file system.
pub fn bytes(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for file in fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}

/// Bytes that this server's user can still write where a folder is.
///
/// # Errors
/// Those of the file system.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let room = rustix::fs::statvfs(folder)?;
    Ok(room.f_bavail.saturating_mul(room.f_frsize))
}
