//! Throw-away PostgreSQL clusters for the integration tests.
//!
//! The server is the one of `PG_CONFIG` (or of `pg_config` on the PATH), with the extension already installed there:
//! `make test-integration` provides both. PostgreSQL refuses to run as root, so root's
//! clusters run as the `postgres` user. Every cluster has a folder, a socket and a port of its own:
//! tests run side by side.

pub mod aftermath;
pub mod browser;
pub mod clock;
mod cluster;
mod costs;
pub mod deltas;
pub mod disk;
pub mod growth;
mod guards;
pub mod history;
pub mod pages;
pub mod pair;
mod programs;
pub mod releases;
pub mod runs;
pub mod schemas;
mod server;
mod server_log;
pub mod targets;
pub mod templates;

pub use cluster::{Cluster, SUPERUSER, StopMode};
pub use programs::{as_server, output, output_with, run, text_of};
pub use server::{bindir, major, major_of, old_strings, server_tempdir, share_dir};

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Says that it is over to threads beside a test, at its drop: also where the test fails, since the test waits for them.
pub struct Ending<'a>(pub &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Asks until the answer is true, or panics after the time limit.
pub fn wait_until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < limit, "not within {limit:?}: {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Asks until that is the answer, or panics after the time limit with the last one.
pub fn wait_for(what: &str, expected: &str, limit: Duration, mut ask: impl FnMut() -> String) {
    let started = Instant::now();
    loop {
        let last = ask();
        if last == expected {
            return;
        }
        let waited = started.elapsed();
        assert!(waited < limit, "{what}: {last}, not {expected}");
        sleep(Duration::from_millis(20));
    }
}

/// Fails if a figure differs from the expected one by more than this part of it, and by more than rounding to three decimals.
pub fn expect_near(what: &str, found: f64, expected: f64, part: f64) {
    println!("{what}: {found}, {expected} expected");
    assert!(
        (found - expected).abs() <= part * expected.abs() + 0.001,
        "{what}: {found}, {expected} expected"
    );
}

/// How many cases a test tries: all with `make test-full`, else as many as fit into the time of CI.
pub fn cases(few: usize, all: usize) -> usize {
    if std::env::var_os("FULL").is_some() {
        all
    } else {
        few
    }
}

/// The folder of the checkout: the nearest one above the working directory that is it.
pub fn checkout() -> PathBuf {
    let here = std::env::current_dir().expect("a working directory");
    let is_it = |folder: &&Path| folder.join("pgperf.control").exists();
    let found = here.ancestors().find(is_it);
    found.expect("to be run below the checkout").to_owned()
}

/// A file of the checkout.
pub fn document(name: &str) -> String {
    let path = checkout().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Folder of templates, pictures and drafts, as set by tools/integration.
pub fn scratch() -> PathBuf {
    let named = std::env::var_os("PGPERF_SCRATCH").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| checkout().join("target/tmp"));
    fs::create_dir_all(&folder).expect("a folder for templates");
    folder
}
