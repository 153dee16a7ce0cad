//! Room on the file systems of the data and of the WAL.

use super::finding::{Finding, Status, size};
use super::settings::Settings;
use crate::error::Result;
use crate::subject::host::collector::room;
use std::path::Path;

const GB: f64 = 1_073_741_824.0;

pub fn check(settings: &Settings) -> Result<Vec<Finding>> {
    let wal = settings.number("max_wal_size");
    // Every process of the server works in the data directory.
    let of = |check, path: &str, needed| match room(Path::new(path)) {
        Ok(room) => of_room(check, room.free as f64, room.total as f64, needed),
        Err(error) => Finding::unknown(check, error),
    };
    Ok(vec![
        of("disk_space_data", ".", GB),
        of("disk_space_wal", "pg_wal", wal),
    ])
}

/// `needed`: the minimum amount that will be filled.
fn of_room(check: &'static str, free: f64, total: f64, needed: f64) -> Finding {
    let percent = 100.0 * free / total;
    let detail = format!("{} of {} free ({percent:.0}%)", size(free), size(total));
    if free < needed {
        let detail = format!("{detail}: less than {}", size(needed));
        return Finding::new(check, Status::Problem, detail);
    }
    if free < 2.0 * needed || percent < 10.0 {
        let detail = format!("{detail}: a long run may fill it, and full file systems are slower");
        return Finding::new(check, Status::Warning, detail);
    }
    Finding::ok(check, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_is_told() {
        let status = |free_gb: i32| {
            of_room(
                "disk_space_data",
                f64::from(free_gb) * GB,
                100.0 * GB,
                2.0 * GB,
            )
            .status
        };
        assert_eq!(status(50), Status::Ok);
        assert_eq!(status(9), Status::Warning);
        assert_eq!(status(3), Status::Warning);
        assert_eq!(status(1), Status::Problem);
    }
}
