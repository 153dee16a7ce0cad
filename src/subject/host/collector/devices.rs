//! Block devices: those that hold the server's files, the devices beneath them, and their counters.

use crate::collect::rows::Row;
use procfs::ProcResult;
use procfs::process::Process;
use serde_json::json;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A device under the server's files.
#[derive(Debug, PartialEq)]
pub struct Device {
    /// As the kernel names it: `sda1`, `dm-0`.
    pub name: String,
    /// Its contents: `data`, `wal`, `tablespace NAME`.
    pub holds: Vec<String>,
    /// 0: it holds the files itself; 1 and more: it lies beneath such a device.
    pub level: u32,
}

/// The devices found.
#[derive(Debug, Default)]
pub struct FoundDevices {
    pub devices: Vec<Device>,
    /// Contents that are on no device visible from here.
    missing: Vec<String>,
}

impl FoundDevices {
    /// What is missing, in words.
    pub fn note(&self) -> Option<String> {
        (!self.missing.is_empty())
            .then(|| format!("no block device was found for: {}", self.missing.join(", ")))
    }

    fn add(&mut self, name: String, holds: &str, level: u32) {
        match self.devices.iter_mut().find(|device| device.name == name) {
            Some(device) => {
                device.level = device.level.min(level);
                if !device.holds.iter().any(|held| held == holds) {
                    device.holds.push(holds.to_owned());
                }
            }
            None => self.devices.push(Device {
                name,
                holds: vec![holds.to_owned()],
                level,
            }),
        }
    }
}

/// A folder with files of the server.
#[derive(Debug)]
pub struct Place {
    /// `data`, `wal`, `tablespace NAME`.
    pub holds: String,
    /// Relative to the data directory, in which every process of the server works.
    pub path: PathBuf,
}

/// The data directory, its WAL and these tablespaces (folder and name).
pub fn places(tablespaces: &[(String, String)]) -> Vec<Place> {
    let place = |holds: String, path: String| Place {
        holds,
        path: path.into(),
    };
    let mut places = vec![
        place("data".to_owned(), ".".to_owned()),
        place("wal".to_owned(), "pg_wal".to_owned()),
    ];
    places.extend(
        tablespaces.iter().map(|(folder, name)| {
            place(format!("tablespace {name}"), format!("pg_tblspc/{folder}"))
        }),
    );
    places
}

/// The devices under these places.
pub fn under(places: &[Place]) -> FoundDevices {
    let mut found = FoundDevices::default();
    for Place { holds, path } in places {
        let is_found = number_of(path).is_some_and(|(major, minor)| {
            let link = format!("/sys/dev/block/{major}:{minor}");
            add_chain(&mut found, Path::new(&link), holds, 0)
        });
        if !is_found {
            found.missing.push(holds.clone());
        }
    }
    found
}

/// Major and minor number of the device that holds a path.
fn number_of(path: &Path) -> Option<(u32, u32)> {
    let device = fs::metadata(path).ok()?.dev();
    let (major, minor) = (libc::major(device), libc::minor(device));
    if major != 0 {
        return Some((major, minor));
    }
    // File systems with numbers of their own (btrfs) name their device in the list of mounts.
    let mounts = Process::myself().ok()?.mountinfo().ok()?;
    let number = format!("{major}:{minor}");
    let mount = mounts.into_iter().find(|mount| mount.majmin == number)?;
    let source = mount
        .mount_source
        .filter(|source| source.starts_with("/dev/"))?;
    let device = fs::metadata(source).ok()?.rdev();
    Some((libc::major(device), libc::minor(device)))
}

/// Adds a device by its folder in sysfs (or a link to it) and all beneath it: the disk of a partition, the
/// members of a device-mapper or md device. False if there is no such device.
fn add_chain(found: &mut FoundDevices, link: &Path, holds: &str, level: u32) -> bool {
    let Ok(folder) = fs::canonicalize(link) else {
        return false;
    };
    let Some(name) = folder.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    found.add(name.to_owned(), holds, level);
    if level >= MAX_LEVEL {
        return true;
    }
    if folder.join("partition").exists()
        && let Some(disk) = folder.parent()
    {
        add_chain(found, disk, holds, level + 1);
    }
    let members = fs::read_dir(folder.join("slaves")).into_iter().flatten();
    for member in members.flatten() {
        add_chain(found, &member.path(), holds, level + 1);
    }
    true
}

/// Devices are not stacked deeper than this.
const MAX_LEVEL: u32 = 8;

/// Rows of `device_history`: the kernel's counters, under the names of its documentation
/// (Documentation/block/stat.rst).
pub fn rows(devices: &[Device]) -> ProcResult<Vec<Row>> {
    if devices.is_empty() {
        return Ok(Vec::new());
    }
    let stats = procfs::diskstats()?;
    let row = |device: &Device| {
        let stat = stats.iter().find(|stat| stat.name == device.name)?;
        let columns = [
            ("device", json!(device.name)),
            ("holds", json!(device.holds.join(", "))),
            ("level", json!(device.level)),
            ("read_ios", json!(stat.reads)),
            ("read_merges", json!(stat.merged)),
            ("read_sectors", json!(stat.sectors_read)),
            ("read_ticks", json!(stat.time_reading)),
            ("write_ios", json!(stat.writes)),
            ("write_merges", json!(stat.writes_merged)),
            ("write_sectors", json!(stat.sectors_written)),
            ("write_ticks", json!(stat.time_writing)),
            ("in_flight", json!(stat.in_progress)),
            ("io_ticks", json!(stat.time_in_progress)),
            ("time_in_queue", json!(stat.weighted_time_in_progress)),
            ("discard_ios", json!(stat.discards)),
            ("discard_merges", json!(stat.discards_merged)),
            ("discard_sectors", json!(stat.sectors_discarded)),
            ("discard_ticks", json!(stat.time_discarding)),
            ("flush_ios", json!(stat.flushes)),
            ("flush_ticks", json!(stat.time_flushing)),
        ];
        Some(Row::from_iter(
            columns.map(|(column, value)| (column.to_owned(), value)),
        ))
    };
    Ok(devices.iter().filter_map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A mirror of two partitions under a logical volume, as sysfs shows it.
    #[test]
    fn a_volume_leads_to_its_members_and_their_disks() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for folder in ["dm-0/slaves", "md0/slaves", "sda/sda1", "sdb/sdb1"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for partition in ["sda/sda1", "sdb/sdb1"] {
            fs::write(at(partition).join("partition"), "1").unwrap();
        }
        symlink(at("md0"), at("dm-0/slaves/md0")).unwrap();
        symlink(at("sda/sda1"), at("md0/slaves/sda1")).unwrap();
        symlink(at("sdb/sdb1"), at("md0/slaves/sdb1")).unwrap();
        let mut found = FoundDevices::default();
        assert!(add_chain(&mut found, &at("dm-0"), "data", 0));
        assert!(add_chain(&mut found, &at("sda/sda1"), "wal", 0));
        let mut devices: Vec<_> = found
            .devices
            .iter()
            .map(|device| (device.name.as_str(), device.level, device.holds.join(", ")))
            .collect();
        devices.sort();
        let both = || "data, wal".to_owned();
        let data = || "data".to_owned();
        assert_eq!(
            devices,
            [
                ("dm-0", 0, data()),
                ("md0", 1, data()),
                ("sda", 1, both()),
                ("sda1", 0, both()),
                ("sdb", 3, data()),
                ("sdb1", 2, data()),
            ]
        );
        assert!(!add_chain(&mut found, &at("nowhere"), "data", 0));
    }

    #[test]
    fn what_lies_nowhere_is_said() {
        let mut found = FoundDevices::default();
        assert_eq!(found.note(), None);
        found.missing.push("wal".to_owned());
        assert_eq!(found.note().unwrap(), "no block device was found for: wal");
        assert_eq!(number_of(Path::new("/no/such/path")), None);
    }
}
