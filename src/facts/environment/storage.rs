//! File systems and block devices under the data directory, the WAL and the tablespaces.

use super::fact::{CategoryFacts, Fact, chosen, line};
use crate::pg::server::xfs;
use crate::subject::host::collector::{Device, Place, room};
use procfs::process::{MountInfo, Process};
use std::fs;
use std::path::Path;

/// Everything of storage.
pub fn facts(places: &[Place], devices: &[Device]) -> Vec<Fact> {
    let mut facts = file_systems(places);
    facts.extend(devices.iter().flat_map(device));
    facts
}

fn file_systems(places: &[Place]) -> Vec<Fact> {
    let mut facts = CategoryFacts::new("file system");
    let mounts = Process::myself().and_then(|process| process.mountinfo());
    for place in places {
        let name = |fact: &str| format!("{}.{fact}", place.holds);
        let path = match fs::canonicalize(&place.path) {
            Ok(path) => path,
            Err(error) => {
                facts.add_unknown(name("type"), error);
                continue;
            }
        };
        match &mounts {
            Ok(mounts) => match mount_of(&mounts.0, &path) {
                Some(mount) => add_mount(&mut facts, &name, mount, &path),
                None => facts.add_unknown(name("type"), "no mount of this process contains it"),
            },
            Err(error) => facts.add_unknown(name("type"), error),
        }
        if let Ok(room) = room(&path) {
            facts.add_with_unit(name("size"), room.total, "bytes");
            facts.add_with_unit(name("block_size"), room.block_size, "bytes");
        }
    }
    facts.into_vec()
}

/// The mount that a path lies on: the longest of those above it, of equal ones the last, which hides the others.
fn mount_of<'a>(mounts: &'a [MountInfo], path: &Path) -> Option<&'a MountInfo> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.mount_point))
        .max_by_key(|mount| mount.mount_point.components().count())
}

fn add_mount(
    facts: &mut CategoryFacts,
    name: &dyn Fn(&str) -> String,
    mount: &MountInfo,
    path: &Path,
) {
    facts.add(name("type"), &mount.fs_type);
    facts.add(name("mount_point"), mount.mount_point.display());
    facts.add(name("mount_options"), options(mount));
    facts.add_known(name("device"), mount.mount_source.as_ref());
    if mount.fs_type != "xfs" {
        return;
    }
    match xfs::geometry(path) {
        Ok(made) => {
            facts.add(name("xfs_agcount"), made.agcount);
            for (fact, blocks) in [
                ("xfs_agsize", made.agblocks),
                ("xfs_sunit", made.sunit),
                ("xfs_swidth", made.swidth),
                ("xfs_logsize", made.logblocks),
            ] {
                let bytes = u64::from(blocks) * u64::from(made.blocksize);
                facts.add_with_unit(name(fact), bytes, "bytes");
            }
            facts.add_with_unit(name("xfs_sectsize"), made.sectsize, "bytes");
        }
        Err(error) => facts.add_unknown(name("xfs_agcount"), error),
    }
}

/// Of the mount and of the file system, each once.
fn options(mount: &MountInfo) -> String {
    let all = mount.mount_options.iter().chain(&mount.super_options);
    let text = |(name, value): (&String, &Option<String>)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    };
    let mut options: Vec<String> = all.map(text).collect();
    options.sort();
    options.dedup();
    options.join(",")
}

/// The facts of a device in sysfs: a disk has a queue, a partition has none, a volume has members.
fn device(device: &Device) -> Vec<Fact> {
    let mut facts = CategoryFacts::new("device");
    let name = |fact: &str| format!("{}.{fact}", device.name);
    let folder = Path::new("/sys/class/block").join(&device.name);
    facts.add(name("holds"), device.holds.join(", "));
    facts.add(name("level"), device.level);
    // In sectors of 512 bytes, whatever the device's own are.
    if let Some(sectors) = line(folder.join("size")).and_then(|size| size.parse::<u64>().ok()) {
        facts.add_with_unit(name("size"), sectors * 512, "bytes");
    }
    let mut members: Vec<String> = fs::read_dir(folder.join("slaves"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|member| member.file_name().to_string_lossy().into_owned())
        .collect();
    members.sort();
    if !members.is_empty() {
        facts.add(name("members"), members.join(", "));
    }
    facts.add_known(name("scheduler"), chosen(folder.join("queue/scheduler")));
    for (fact, file) in [
        ("volume", "dm/name"),
        ("raid_level", "md/level"),
        ("model", "device/model"),
        ("rotational", "queue/rotational"),
        ("write_cache", "queue/write_cache"),
        ("queue_requests", "queue/nr_requests"),
    ] {
        facts.add_known(name(fact), line(folder.join(file)));
    }
    for (fact, file, unit) in [
        ("raid_chunk_size", "md/chunk_size", "bytes"),
        ("logical_block_size", "queue/logical_block_size", "bytes"),
        ("physical_block_size", "queue/physical_block_size", "bytes"),
        ("read_ahead", "queue/read_ahead_kb", "kB"),
    ] {
        if let Some(value) = line(folder.join(file)) {
            facts.add_with_unit(name(fact), value, unit);
        }
    }
    facts.into_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(line: &str) -> MountInfo {
        MountInfo::from_line(line).unwrap()
    }

    #[test]
    fn the_nearest_mount_holds_a_path() {
        let mounts = [
            mount("22 1 252:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard"),
            mount(
                "30 22 253:0 / /srv rw,noatime - xfs /dev/mapper/v rw,sunit=128,swidth=512,noquota",
            ),
            mount("31 22 253:1 / /srv/pg rw - xfs /dev/mapper/w rw"),
        ];
        let of = |path: &str| mount_of(&mounts, Path::new(path)).unwrap();
        assert_eq!(
            of("/srv/pg_wal").mount_source.as_deref(),
            Some("/dev/mapper/v")
        );
        assert_eq!(
            of("/srv/pg/base").mount_source.as_deref(),
            Some("/dev/mapper/w")
        );
        assert_eq!(of("/var").fs_type, "ext4");
        assert_eq!(
            options(of("/srv")),
            "noatime,noquota,rw,sunit=128,swidth=512"
        );
    }

    #[test]
    fn a_place_that_is_not_there_says_so() {
        let place = |holds: &str, path: &str| Place {
            holds: holds.to_owned(),
            path: path.into(),
        };
        let facts = file_systems(&[place("data", "/"), place("wal", "/no/such")]);
        let value = |name: &str| facts.iter().find(|fact| fact.name == name).unwrap();
        assert!(value("data.type").value.is_some() && value("data.size").value.is_some());
        assert!(value("wal.type").value.is_none() && value("wal.type").note.is_some());
    }
}
