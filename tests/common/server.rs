//! The server under test, and where its clusters are made.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::SUPERUSER;
use super::programs::{as_server, hand_over, text_of};
use tempfile::TempDir;

/// The folder of the server's programs.
pub fn bindir() -> &'static Path {
    static BINDIR: OnceLock<PathBuf> = OnceLock::new();
    BINDIR.get_or_init(|| {
        let pg_config = std::env::var_os("PG_CONFIG").unwrap_or_else(|| "pg_config".into());
        PathBuf::from(text_of(Command::new(pg_config).arg("--bindir")))
    })
}

/// The folder that has the server's folder of extensions.
pub fn share_dir() -> PathBuf {
    let pg_config = bindir().join("pg_config");
    PathBuf::from(text_of(Command::new(pg_config).arg("--sharedir")))
}

/// The server's major version, for what differs between servers.
pub fn major() -> u32 {
    major_of(bindir())
}

/// Gives the sessions of the database `postgres` strings in which a backslash escapes, without a word; nothing since PostgreSQL 19, which has
/// but one kind of them.
pub fn old_strings() -> &'static str {
    if major() >= 19 {
        return "";
    }
    "ALTER DATABASE postgres SET standard_conforming_strings = off; ALTER DATABASE postgres SET escape_string_warning = off"
}

pub fn major_of(bindir: &Path) -> u32 {
    // Some servers come without pg_config.
    let version = text_of(Command::new(bindir.join("postgres")).arg("--version"));
    let number = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    number
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|major| major.parse().ok())
        .expect("a version")
}

/// How every cluster is made. From 18 on they have checksums by default; here a test asks for them.
pub fn initdb_options(major: u32) -> Vec<&'static str> {
    let mut options = vec![
        // --no-sync, whose long name is another one before 10.
        "-N",
        "--no-locale",
        "--encoding=UTF8",
        "--auth=trust",
    ];
    if major >= 18 {
        options.push("--no-data-checksums");
    }
    options
}

pub fn initdb(bindir: &Path, data: &Path) -> Command {
    let mut initdb = as_server(bindir.join("initdb"));
    initdb
        .args(initdb_options(major_of(bindir)))
        .args(["--username", SUPERUSER])
        .arg("-D")
        .arg(data);
    initdb
}

/// What the file system for clusters in memory must have free: the tests that run side by side need a part of it.
const ROOM: u64 = 8 << 30;

/// A new folder of the servers' user, in memory where that has the room: copying clusters to a disk and removing them
/// there takes a quarter of the tests' time. TMPDIR names another place.
pub fn server_tempdir() -> TempDir {
    static MEMORY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let memory = MEMORY.get_or_init(|| {
        let shm = PathBuf::from("/dev/shm");
        let chosen = std::env::var_os("TMPDIR").is_some();
        (!chosen && shm.is_dir() && free_bytes(&shm) >= ROOM).then_some(shm)
    });
    memory
        .as_deref()
        .map_or_else(server_tempdir_on_disk, tempdir_in)
}

/// The same on a disk, for what is about one.
pub fn server_tempdir_on_disk() -> TempDir {
    let base = Some(std::env::temp_dir()).filter(|dir| dir.as_os_str().len() <= 60);
    tempdir_in(&base.unwrap_or_else(|| PathBuf::from("/tmp")))
}

/// Its name is short, because a socket's path has at most 107 bytes.
fn tempdir_in(base: &Path) -> TempDir {
    let dir = tempfile::Builder::new()
        .prefix("pgperf-test.")
        .tempdir_in(base)
        .expect("a temporary folder");
    hand_over(dir.path());
    dir
}

/// The free space of the file system that a folder lies on.
pub fn free_bytes(folder: &Path) -> u64 {
    let free = text_of(Command::new("stat").args(["-f", "-c", "%a %S"]).arg(folder));
    let mut numbers = free
        .split_whitespace()
        .map(|n| n.parse().expect("a number"));
    let (blocks, size): (u64, u64) = (
        numbers.next().expect("blocks"),
        numbers.next().expect("their size"),
    );
    blocks * size
}
