//! Tablespaces and the WAL's folder: their sizes, and the room on their file systems. They come from the files, without SQL.
//! With many files that takes seconds, during which `pg_tablespace_size` would hold a snapshot.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::database_size::{FILES_A_CHECK, versions};
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::error::Result;
use crate::subject::host::collector::room;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "tablespaces",
    cost: Cost::Medium,
    sample_interval_s: 300,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["tablespace_history"],
    description: "tablespaces and the WAL's folder with their sizes, and the room on their file systems",
    of_target: None,
    read: Read::InParts(read),
};

/// One in the data directory has no location. Its folder: relative to the data directory, in which every process of the server works.
const TABLESPACES: &str = "SELECT 'tablespace' AS kind, t.spcname AS name, \
        NULLIF(pg_catalog.pg_tablespace_location(t.oid), '') AS location, \
        CASE t.spcname WHEN 'pg_default' THEN 'base' WHEN 'pg_global' THEN 'global' ELSE 'pg_tblspc/' || t.oid END AS folder \
     FROM pg_catalog.pg_tablespace t \
     UNION ALL SELECT 'WAL', 'pg_wal', NULL, 'pg_wal' ORDER BY 1, 2";

fn read(_: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let mut spaces = parts.part(|| rows::select(TABLESPACES, &[]))?;
    parts.apart(|| {
        spaces.iter_mut().for_each(measure);
        Ok(())
    })?;
    Ok(Reading::of("tablespace_history", rows::values(spaces)))
}

/// What is known of the files of one.
fn measure(space: &mut Row) {
    let Some(Value::String(folder)) = space.remove("folder") else {
        return;
    };
    let folder = Path::new(&folder);
    let mut look_up = || {
        pgrx::check_for_interrupts!();
    };
    space.insert("size_bytes".to_owned(), size(folder, &mut look_up).into());
    if let Ok(found) = fs::metadata(folder) {
        let device = found.dev();
        let number = format!("{}:{}", libc::major(device), libc::minor(device));
        space.insert("file_system".to_owned(), number.into());
    }
    if let Ok(room) = room(folder) {
        space.insert("file_system_bytes".to_owned(), room.total.into());
        space.insert("free_bytes".to_owned(), room.free.into());
    }
}

/// Bytes in the files of a tablespace, as `pg_tablespace_size` counts them, without the folders themselves; None: it is gone, or cannot be read.
fn size(folder: &Path, look_up: &mut impl FnMut()) -> Option<u64> {
    fs::read_dir(folder).ok()?;
    // Servers of other versions may have folders of their own in it.
    let mut left: Vec<PathBuf> = match folder.parent() {
        Some(parent) if parent.ends_with("pg_tblspc") => versions(folder).ok()?.collect(),
        _ => vec![folder.to_owned()],
    };
    let (mut sum, mut seen) = (0, 0);
    while let Some(folder) = left.pop() {
        // A database may be dropped meanwhile.
        let entries = fs::read_dir(&folder).into_iter().flatten();
        for entry in entries.flatten() {
            seen += 1;
            if seen % FILES_A_CHECK == 0 {
                look_up();
            }
            let Ok(found) = entry.metadata() else {
                continue;
            };
            if found.is_dir() {
                left.push(entry.path());
            } else {
                sum += found.len();
            }
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::collector::SERVER_MAJOR;

    #[test]
    fn files_of_all_databases_and_of_this_version_count() {
        let dir = tempfile::tempdir().unwrap();
        let file = |folder: String, bytes: usize| {
            let folder = dir.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(bytes.to_string()), vec![0; bytes]).unwrap();
        };
        file("base/5".to_owned(), 10);
        file("base/6".to_owned(), 200);
        file("base/pgsql_tmp/shared".to_owned(), 3_000);
        file(format!("pg_tblspc/9/PG_{SERVER_MAJOR}_1/5"), 40);
        file("pg_tblspc/9/PG_9_1/5".to_owned(), 1_000);
        let mut looks = 0;
        let mut of = |folder: &str| size(&dir.path().join(folder), &mut || looks += 1);
        assert_eq!(of("base"), Some(3_210));
        assert_eq!(of("pg_tblspc/9"), Some(40));
        assert_eq!(of("pg_tblspc/10"), None);
    }
}
