//! A small file system, for the tests that fill one up or read how it was made. Only root can mount it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use postgres::Client;
use tempfile::{NamedTempFile, TempDir};

use super::programs::hand_over;
use super::runs::Runs;
use super::server::{free_bytes, server_tempdir};
use super::{Cluster, run};

/// A file system of its own, unmounted when dropped: after what lies on it has ended.
pub struct SmallDisk {
    dir: TempDir,
    /// Its backing file, if it is not in memory.
    _image: Option<NamedTempFile>,
}

impl SmallDisk {
    /// A tmpfs.
    pub fn new(megabytes: u32) -> SmallDisk {
        let size = format!("size={megabytes}m");
        SmallDisk::mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], None)
    }

    /// An XFS in a file, made and mounted with these options.
    pub fn xfs(megabytes: u64, made: &[&str], mounted: &str) -> SmallDisk {
        let image = NamedTempFile::new().expect("a file");
        let sized = image.as_file().set_len(megabytes << 20);
        sized.expect("a file of that size");
        let path = image.path().display().to_string();
        run(Command::new("mkfs.xfs").arg("-q").args(made).arg(&path));
        let options = format!("loop,{mounted}");
        SmallDisk::mount(&["-t", "xfs", "-o", &options, &path], Some(image))
    }

    fn mount(what: &[&str], image: Option<NamedTempFile>) -> SmallDisk {
        let dir = server_tempdir();
        run(Command::new("mount").args(what).arg(dir.path()));
        hand_over(dir.path());
        SmallDisk { dir, _image: image }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Fills what is left of it; the file that does.
    pub fn fill(&self) -> PathBuf {
        let filler = self.path().join("filler");
        let mut file = fs::File::create(&filler).expect("a file");
        let chunk = vec![1; 1 << 20];
        while file.write_all(&chunk).is_ok() {}
        filler
    }

    /// Moves a folder there, with a link to it in its old place.
    pub fn take(&self, folder: &Path) {
        let there = self.path().join(folder.file_name().expect("a name"));
        run(Command::new("cp").arg("-a").arg(folder).arg(&there));
        fs::remove_dir_all(folder).expect("the folder to be moved");
        std::os::unix::fs::symlink(&there, folder).expect("a link to it");
    }

    /// Makes it a tablespace of the session's server.
    pub fn create_tablespace(&self, session: &mut Client, name: &str) {
        let place = self.path().display();
        session.value(&format!("CREATE TABLESPACE {name} LOCATION '{place}'"));
    }

    /// The free space on it.
    pub fn free_megabytes(&self) -> u64 {
        free_bytes(self.path()) >> 20
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
        let cluster = Cluster::stopped(conf);
        disk.take(&cluster.data_dir().join("pg_wal"));
        cluster.start();
        cluster
    }

    /// A cluster with the extension whose data directory lies on that disk, but for its WAL: it survives a full disk.
    pub fn with_all_but_wal_on(disk: &SmallDisk, conf: &[&str]) -> Cluster {
        let cluster = Cluster::stopped(conf);
        let wal = cluster.data_dir().join("pg_wal");
        let apart = cluster.socket_dir().join("wal");
        run(Command::new("mv").arg(&wal).arg(&apart));
        std::os::unix::fs::symlink(&apart, &wal).expect("a link to it");
        disk.take(&cluster.data_dir());
        cluster.start();
        cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
        cluster
    }

    /// A cluster with the extension whose data directory lies on that disk.
    pub fn with_data_on(disk: &SmallDisk, conf: &[&str]) -> Cluster {
        let cluster = Cluster::stopped(conf);
        disk.take(&cluster.data_dir());
        cluster.start();
        cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
        cluster
    }
}
