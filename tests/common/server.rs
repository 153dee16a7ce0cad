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

pub fn major_of(bindir: &Path) -> u32 {
    let version = text_of(Command::new(bindir.join("pg_config")).arg("--version"));
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
        "--no-sync",
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

/// A new folder of the servers' user. Its name is short, because a socket's path has at most 107 bytes.
pub fn server_tempdir() -> TempDir {
    let base = Some(std::env::temp_dir()).filter(|dir| dir.as_os_str().len() <= 60);
    let dir = tempfile::Builder::new()
        .prefix("pgperf-test.")
        .tempdir_in(base.unwrap_or_else(|| PathBuf::from("/tmp")))
        .expect("a temporary folder");
    hand_over(dir.path());
    dir
}
