//! A small file system that fills up, for the tests that need one. Only root can mount it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{Cluster, StopMode, hand_over, run, server_tempdir};

/// A tmpfs, unmounted when dropped: after what lies on it has ended.
pub struct SmallDisk {
    dir: TempDir,
}

impl SmallDisk {
    pub fn new(megabytes: u32) -> SmallDisk {
        let dir = server_tempdir();
        run(Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(dir.path()));
        hand_over(dir.path());
        SmallDisk { dir }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount")
            .arg("-l")
            .arg(self.dir.path())
            .status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "umount failed"
        );
    }
}

impl Cluster {
    /// A cluster whose WAL lies on that disk.
    pub fn with_wal_on(disk: &SmallDisk, conf: &[&str]) -> Cluster {
        let cluster = Cluster::new(conf);
        cluster.stop(StopMode::Fast);
        let (wal, there) = (
            cluster.data_dir().join("pg_wal"),
            disk.path().join("pg_wal"),
        );
        run(Command::new("cp").arg("-a").args([&wal, &there]));
        fs::remove_dir_all(&wal).expect("the WAL to be moved");
        std::os::unix::fs::symlink(&there, &wal).expect("a link to the WAL");
        cluster.start();
        cluster
    }
}
