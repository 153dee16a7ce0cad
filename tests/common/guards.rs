//! The processes that guard the restarts of a sweep, outside the server.

use super::programs::{as_server, output};
use super::server::bindir;
use super::{Cluster, wait_until};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long guards may take to leave.
const LEAVING: Duration = Duration::from_secs(60);

impl Cluster {
    /// The value of `pgperf.restart_command` for it.
    pub fn restart_command(&self) -> String {
        format!(
            "{} restart -s -D {} -m fast -l {}",
            bindir().join("pg_ctl").display(),
            self.data_dir().display(),
            self.socket_dir().join("log").display()
        )
    }

    /// Lets sweeps restart it by a command.
    pub fn set_restart_command(&self, command: &str) {
        let line = format!("pgperf.restart_command = '{}'", command.replace('\'', "''"));
        self.reconfigure(&[&line]);
    }

    /// The folder of the guards' files.
    pub fn guards_folder(&self) -> PathBuf {
        self.data_dir().join("pgperf_restart")
    }

    /// The guards.
    pub fn guards(&self) -> Vec<u32> {
        let script = self.guards_folder().join("guard");
        let is_guard = |pid: &u32| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let mut words = words.split(|&byte| byte == 0);
            words.nth(1) == Some(script.as_os_str().as_encoded_bytes())
                // Not a part of one: each has a session of its own.
                && session_of(*pid) == Some(*pid)
        };
        let processes = fs::read_dir("/proc").expect("/proc").flatten();
        processes
            .filter_map(|process| process.file_name().to_str()?.parse().ok())
            .filter(is_guard)
            .collect()
    }

    /// Kills a guard without warning; whether it was there.
    pub fn kill_guard(&self, guard: u32) -> bool {
        self.guards().contains(&guard) && try_kill(guard)
    }

    /// Kills a process of the server that may just end, or its postmaster; whether it was there.
    pub fn kill_if_there(&self, pid: u32) -> bool {
        // Every process of a server works in its data directory.
        let folder = fs::read_link(format!("/proc/{pid}/cwd"));
        folder.is_ok_and(|folder| folder == self.data_dir()) && try_kill(pid)
    }

    /// Waits until all guards have left, with their files.
    pub fn expect_no_guards(&self) {
        wait_until("the end of the guards", LEAVING, || {
            self.guards().is_empty()
                && !self.guards_folder().exists()
                && !self.data_dir().join("pgperf_restart.log").exists()
        });
    }

    /// Ends guards that a failed test has left, so that nobody starts the server again.
    pub(super) fn end_guards(&self) {
        let folder = self.guards_folder();
        if !folder.exists() {
            return;
        }
        let log = fs::read(self.data_dir().join("pgperf_restart.log")).unwrap_or_default();
        eprintln!("--- guards ---\n{}", String::from_utf8_lossy(&log));
        let _ = fs::write(folder.join("done"), "");
        let began = Instant::now();
        while !self.guards().is_empty() {
            if began.elapsed() > LEAVING {
                for guard in self.guards() {
                    self.kill_guard(guard);
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn try_kill(pid: u32) -> bool {
    let kill = format!("kill -KILL {pid} 2>/dev/null");
    output(as_server("sh").args(["-c", &kill])).status.success()
}

/// The session of a process: the fourth number after the name in parentheses, which may hold spaces.
fn session_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(3)?.parse().ok()
}
