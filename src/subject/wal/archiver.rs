//! The archive of the WAL: pg_stat_archiver, and the files that wait for it.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::of_target::{Dialect, TargetSource, source::only};
use crate::collect::rows;
use crate::error::Result;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "archiver",
    cost: Cost::Light,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::Never,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["archiver_history"],
    description: "the archive of the WAL: files archived and failed, the newest of both, and those that wait",
    of_target: Some(TargetSource {
        since_major: None,
        queries: |asking| Ok(vec![archiver(&asking.dialect())]),
        reading: |_, answers| Ok(Reading::of("archiver_history", rows::values(only(answers)))),
    }),
    read: Read::AtOnce(read),
};

/// What a segment's name says: 8 digits of the timeline, then its number in two parts, of which the second counts to 4 GB. A name of another
/// file (a timeline's history, a backup's label) gives the segment in it, or NULL. Archived up to the end of that segment.
fn archiver(server: &Dialect) -> String {
    let (lsn, distance) = (server.current_lsn(), server.lsn_diff());
    // Before 11 it is counted in pages.
    let unit = server.since(
        11,
        "1",
        "pg_catalog.current_setting('wal_block_size')::pg_catalog.int8",
    );
    format!(
        "SELECT a.*, pg_catalog.current_setting('archive_mode') AS archive_mode, now.lsn AS current_lsn, \
            CASE WHEN a.last_archived_wal ~ '^[0-9A-F]{{24}}' \
                 THEN GREATEST(0, {distance}(now.lsn, (pg_catalog.substr(a.last_archived_wal, 9, 8) || '/0')::pg_catalog.pg_lsn) \
                      - (('x' || pg_catalog.substr(a.last_archived_wal, 17, 8))::pg_catalog.bit(32)::pg_catalog.int8 + 1) * segment.bytes) END AS behind_bytes \
         FROM pg_catalog.pg_stat_archiver a, (SELECT {lsn} AS lsn) now, \
              (SELECT s.setting::pg_catalog.int8 * {unit} AS bytes FROM pg_catalog.pg_settings s WHERE s.name = 'wal_segment_size') segment"
    )
}

fn read(_: &Scope) -> Result<Reading> {
    let mut rows = rows::select(&archiver(&Dialect::HERE), &[])?;
    // Every process of the server works in its data directory. Unknown where the folder cannot be read.
    if let Ok(waiting) = waiting(Path::new("pg_wal/archive_status")) {
        for row in &mut rows {
            row.insert("ready_files".to_owned(), waiting.files.into());
            row.insert("oldest_ready_s".to_owned(), waiting.oldest_s.into());
        }
    }
    Ok(Reading::of("archiver_history", rows::values(rows)))
}

/// Files that wait to be archived.
#[derive(Debug, Default, PartialEq)]
struct Waiting {
    files: u64,
    /// For how long the oldest has waited; None: there is none.
    oldest_s: Option<f64>,
}

/// Each has a file with its name and `.ready`, made when it was complete.
fn waiting(folder: &Path) -> io::Result<Waiting> {
    let mut waiting = Waiting::default();
    let is_ready = |entry: &DirEntry| entry.file_name().as_encoded_bytes().ends_with(b".ready");
    for entry in fs::read_dir(folder)?.flatten().filter(is_ready) {
        // It may be archived meanwhile.
        let Ok(made_at) = entry.metadata().and_then(|file| file.modified()) else {
            continue;
        };
        // A clock that was set back: no time.
        let waits = made_at.elapsed().unwrap_or_default().as_secs_f64();
        waiting.files += 1;
        waiting.oldest_s = Some(waiting.oldest_s.map_or(waits, |oldest| oldest.max(waits)));
    }
    Ok(waiting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn files_that_are_ready_wait_since_they_were_made() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(waiting(dir.path()).unwrap(), Waiting::default());
        let made = |name: &str, before_s: u64| {
            let file = fs::File::create(dir.path().join(name)).unwrap();
            let at = SystemTime::now() - Duration::from_secs(before_s);
            file.set_modified(at).unwrap();
        };
        made("000000010000000000000001.done", 7_000);
        made("000000010000000000000002.ready", 600);
        made("000000010000000000000003.ready", 60);
        let found = waiting(dir.path()).unwrap();
        assert_eq!(found.files, 2);
        let oldest = found.oldest_s.unwrap();
        assert!((600.0..700.0).contains(&oldest), "{oldest}");
        assert!(waiting(&dir.path().join("nowhere")).is_err());
    }
}
