//! The guards of a sweep that restarts the server by `pgperf.restart_command`: two processes outside the server, which run the command,
//! start a server that was killed, and put back the settings with which it does not start. They are a shell script,
//! `guards/guard.sh`; all that they have to know is in files in the data directory, in a folder that only the server's user can read.
//! The script has the list of them.

use super::durable_file;
use crate::pg::encoding;
use crate::pg::process::{detached, latch};
use crate::pg::server;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("guards/guard.sh");
/// The script, and the file that its errors go to.
const START: &str = "for guard in 1 2; do setsid /bin/sh \"$0\" </dev/null >>\"$1\" 2>&1 & done";
/// How long a sweep may take to go on after a restart: the launcher looks into one database after the other.
const PATIENCE_S: u32 = 300;
/// How long guards may take to start, or to leave.
const CHANGE_NS: u64 = 10_000_000_000;

/// The sweep that the guards belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub database: u32,
    pub sweep_id: i64,
}

/// What has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// The command has not restarted the server.
    Command,
    /// The server did not start.
    Start,
    /// It did, but the sweep did not go on.
    Sweep,
}

/// Why a restart has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub what: Failed,
    /// Empty: nothing says why.
    pub why: String,
}

fn folder() -> PathBuf {
    server::data_directory().join("pgperf_restart")
}

fn log_file() -> PathBuf {
    server::data_directory().join("pgperf_restart.log")
}

/// Starts those that are missing. `lines`: of postgresql.auto.conf, each that the sweep may write, with the one that it replaces.
///
/// # Errors
/// They do not run: files that cannot be written, programs that are missing.
pub fn begin(owner: Owner, command: &str, lines: &[(Vec<u8>, Vec<u8>)]) -> io::Result<()> {
    let folder = folder();
    if is_ending(&folder) || owner_of(&folder) != Some(owner) {
        make(&folder)?;
    }
    write(&folder, "owner", owner.text().as_bytes())?;
    write(&folder, "patience", PATIENCE_S.to_string().as_bytes())?;
    let all: Vec<&[u8]> = (lines.iter())
        .flat_map(|(given, before)| [given.as_slice(), before])
        .collect();
    write(&folder, "lines", &all.join(&b'\n'))?;
    write(&folder, "guard", SCRIPT.as_bytes())?;
    // From here on they are told to run.
    write(&folder, "command", &encoding::encode(command))?;
    hold(&folder)?;
    start(&folder)
}

/// An empty folder, once the guards of an earlier sweep have left theirs.
fn make(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        let gone = || !folder.exists() || !is_guarded(folder);
        if is_ending(folder) {
            latch::wait_until(CHANGE_NS, gone);
        }
        if !gone() {
            let message = "guards of another sweep are still running";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
        remove(folder)?;
    }
    DirBuilder::new().mode(0o700).create(folder)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn start(folder: &Path) -> io::Result<()> {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", START])
        .args([folder.join("guard"), log_file()]);
    detached::run(&mut shell)?;
    if latch::wait_until(CHANGE_NS, || {
        is_held(folder, "acting") && is_held(folder, "standby")
    }) {
        return Ok(());
    }
    let log = fs::read(log_file()).unwrap_or_default();
    let log = encoding::decode(&log);
    let last = log.lines().rfind(|line| !line.trim().is_empty());
    Err(io::Error::other(
        last.unwrap_or("their processes have ended").to_owned(),
    ))
}

/// Starts guards that are missing, as long as there have to be any.
///
/// # Errors
/// As of `begin`.
pub fn keep() -> io::Result<()> {
    let folder = folder();
    if folder.join("command").exists() && !is_ending(&folder) && !is_guarded_well(&folder) {
        return start(&folder);
    }
    Ok(())
}

/// Has the server restarted, by whichever guard there is. Asked for again, it changes nothing.
///
/// # Errors
/// Files that cannot be written.
pub fn request() -> io::Result<()> {
    let postmaster = fs::read_to_string(server::data_directory().join("postmaster.pid"))?;
    let mut lines = postmaster.lines();
    let (Some(pid), Some(started)) = (lines.next(), lines.nth(1)) else {
        return Err(io::Error::other("postmaster.pid is incomplete"));
    };
    let folder = folder();
    durable_file::remove(&folder, "failed")?;
    let request = format!("{} {}", pid.trim(), started.trim());
    write(&folder, "request", request.as_bytes())
}

/// Why the restart that was asked for has failed, if it has.
pub fn failure() -> Option<Failure> {
    let text = fs::read(folder().join("failed")).ok()?;
    let text = encoding::decode(&text);
    let mut lines = text.lines();
    let what = match lines.next()? {
        "command" => Failed::Command,
        "start" => Failed::Start,
        _ => Failed::Sweep,
    };
    let why = lines.next().unwrap_or_default().trim().to_owned();
    Some(Failure { what, why })
}

/// The sweep goes on after a restart: from now on the guards start a killed server without its values.
///
/// # Errors
/// Files that cannot be removed.
pub fn acknowledge() -> io::Result<()> {
    let folder = folder();
    // In this order: without the failure, the restart would be asked for again.
    for name in ["request", "failed", "starting"] {
        durable_file::remove(&folder, name)?;
    }
    Ok(())
}

/// Whether there are guards of a sweep of this database.
pub fn are_of_database() -> bool {
    let owner = owner_of(&folder());
    owner.is_some_and(|its| its.database == u32::from(server::database()))
}

/// Lets the guards of a sweep leave, of whichever database. Where this is not possible, they remain.
pub fn end(owner: Owner) {
    end_if(|its| its == owner);
}

/// The same for any sweep of this database.
pub fn end_of_database() {
    end_if(|its| its.database == u32::from(server::database()));
}

fn end_if(is_meant: impl FnOnce(Owner) -> bool) {
    let folder = folder();
    if !owner_of(&folder).is_some_and(is_meant) {
        return;
    }
    let done = write(&folder, "done", b"");
    // They are gone already, for example after a restart of the machine.
    if done.is_ok() && !is_guarded(&folder) {
        let _ = remove(&folder);
    }
}

/// Shows the guards that this process goes on with the sweep, until it ends.
fn hold(folder: &Path) -> io::Result<()> {
    let file = open_lock(folder, "sweep")?;
    // Another process has it only for the moment in which it looks.
    if latch::wait_until(CHANGE_NS, || file.try_lock().is_ok()) {
        std::mem::forget(file);
    }
    Ok(())
}

fn is_ending(folder: &Path) -> bool {
    folder.join("done").exists()
}

fn is_guarded(folder: &Path) -> bool {
    is_held(folder, "acting") || is_held(folder, "standby")
}

fn is_guarded_well(folder: &Path) -> bool {
    is_held(folder, "acting") && is_held(folder, "standby")
}

fn is_held(folder: &Path, lock: &str) -> bool {
    let file = open_lock(folder, lock);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

fn open_lock(folder: &Path, lock: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    options.open(folder.join(lock))
}

fn owner_of(folder: &Path) -> Option<Owner> {
    let text = fs::read_to_string(folder.join("owner")).ok()?;
    let (database, sweep_id) = text.trim().split_once(' ')?;
    Some(Owner {
        database: database.parse().ok()?,
        sweep_id: sweep_id.parse().ok()?,
    })
}

impl Owner {
    /// A sweep of this database.
    pub fn of(sweep_id: i64) -> Owner {
        Owner {
            database: server::database().into(),
            sweep_id,
        }
    }

    fn text(self) -> String {
        format!("{} {}", self.database, self.sweep_id)
    }
}

/// Writes a file whose last line has its end.
fn write(folder: &Path, name: &str, contents: &[u8]) -> io::Result<()> {
    durable_file::write(folder, name, &[contents, b"\n"].concat())
}
