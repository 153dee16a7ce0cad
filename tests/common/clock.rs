//! A wall clock that a test can set, for its own cluster alone.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::programs::hand_over;
use super::server::server_tempdir;
use super::{Cluster, checkout, run};

/// The wall clock of a cluster: that of the machine, shifted.
pub struct Clock {
    dir: TempDir,
}

impl Clock {
    pub fn new() -> Clock {
        let clock = Clock {
            dir: server_tempdir(),
        };
        let source = checkout().join("tests/common/clock.c");
        run(Command::new("cc")
            .args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
            .arg(clock.library())
            .arg(source));
        clock.set(0);
        hand_over(&clock.offset());
        clock
    }

    /// Sets the clock this many seconds ahead of the machine's; below 0: behind.
    pub fn set(&self, seconds: i64) {
        let offset = (seconds * 1_000_000).to_ne_bytes();
        // In place: the server has the file mapped.
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.offset())
            .expect("the clock's file");
        std::os::unix::fs::FileExt::write_all_at(&file, &offset, 0).expect("the clock's file");
    }

    /// The environment variables that give a server this clock.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [
            ("LD_PRELOAD", self.library()),
            ("PGPERF_TEST_CLOCK", self.offset()),
        ]
    }

    fn library(&self) -> PathBuf {
        self.dir.path().join("clock.so")
    }

    fn offset(&self) -> PathBuf {
        self.dir.path().join("offset")
    }
}

impl Cluster {
    /// Starts a cluster with the extension, whose wall clock can be set.
    pub fn with_clock(clock: Clock, conf: &[&str]) -> Cluster {
        let cluster = Cluster::create(conf, Some(clock));
        cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
        cluster
    }

    /// Sets its wall clock; of a cluster that has one of its own.
    pub fn set_clock(&self, seconds: i64) {
        self.clock.as_ref().expect("a clock").set(seconds);
    }
}
