//! docs/studies: `tools/study` runs each page in its small form, and what it leaves has the figures that the page names. Where two calls have
//! the same figure they have to agree: of runs, of sweeps and of documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::bindir;

/// What a study has left.
struct Study {
    _kept: tempfile::TempDir,
    folder: PathBuf,
    output: String,
}

impl Study {
    fn run(name: &str) -> Study {
        let kept = tempfile::tempdir().expect("a temporary folder");
        let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/study");
        let output = Command::new(tool)
            .args([name, &kept.path().to_string_lossy()])
            .env("PG_CONFIG", bindir().join("pg_config"))
            .output()
            .expect("tools/study");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}\n{told}");
        let folder = kept.path().join(name);
        let output = fs::read_to_string(folder.join("output.txt")).expect("the output");
        Study {
            _kept: kept,
            folder,
            output,
        }
    }

    fn page(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect(name)
    }

    fn expect(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.output.contains(part), "{part}\n{}", self.output);
        }
    }

    fn expect_in(&self, page: &str, parts: &[&str]) {
        let text = self.page(page);
        for part in parts {
            assert!(text.contains(part), "{page}: {part}");
        }
    }

    /// The words of the first line that begins like that.
    fn words(&self, beginning: &str) -> Vec<String> {
        let mut lines = self.output.lines().map(str::trim_start);
        let line = lines.find(|line| line.starts_with(beginning));
        let line = line.unwrap_or_else(|| panic!("no line {beginning}\n{}", self.output));
        line.split_whitespace().map(str::to_owned).collect()
    }
}

#[test]
fn two_majors() {
    let study = Study::run("1-two-majors");
    study.expect(&[
        "growth of the database",
        "hit ratio, %",
        "live tuples, %",
        "autovacuums",
        "size of indexes",
        "pgbench_accounts: live tuples, %",
        "Mean latency of statements, ms",
    ]);
    // Both sides did the same work, as the page's sizes say.
    let small = include_str!("../../docs/studies/small.sql");
    let size = |name: &str| -> u64 {
        let line = small
            .lines()
            .find(|line| line.starts_with(&format!("\\set {name} ")));
        let value = line.and_then(|line| line.split('\'').nth(1)).expect(name);
        value.parse().expect(value)
    };
    let all = size("transactions") * size("clients");
    study.expect(&[&format!(
        "number of transactions actually processed: {all}/{all}"
    )]);
    for page in ["old.html", "new.html"] {
        study.expect_in(page, &["Ages of tables", "pgbench_accounts", "Buffers"]);
    }
    study.expect_in("compared.html", &["Conditions", "tps", "wal_bytes.Heap"]);
}

#[test]
fn file_system() {
    let study = Study::run("2-file-system");
    study.expect(&[
        "latency_avg_ms",
        "latency_stddev_ms",
        "UPDATE pgbench_accounts",
    ]);
    study.expect_in("compared.html", &["tps", "Conditions"]);
    study.expect_in("before.html", &["Devices"]);
}

#[test]
fn shared_buffers() {
    let study = Study::run("3-shared-buffers");
    study.expect(&["16MB", "64MB", "256MB", "nopm", "cold"]);
    study.expect_in("pgbench.html", &["16MB", "256MB"]);
}

#[test]
fn majors_over_clients() {
    let study = Study::run("4-majors-over-clients");
    study.expect(&[
        "2 sweeps side by side",
        "Conditions",
        "old",
        "new",
        "select-only",
        "tpcb-like",
    ]);
    study.expect_in("majors.html", &["95 % interval", "Throughput"]);
    // The peak is the largest of the rates in the table below it.
    let peak = study.words("old  ");
    assert!(peak.len() > 3, "{peak:?}");
}

#[test]
fn replication() {
    let study = Study::run("5-replication");
    study.expect(&[
        "sustainable tps, until each receiver has caught up",
        "none, no receiver",
        "peak of streaming:",
        "peak of logical:",
        "peak of pglogical:",
        "peak of slony:",
        "peak of londiste:",
    ]);
    study.expect_in("replication.html", &["Sustained rate"]);
}

#[test]
fn critics() {
    let study = Study::run("6-critics");
    study.expect(&[
        "as published",
        "no secondary index",
        "LATIN1",
        "cold and uniform",
        "joins",
        "strings",
    ]);
    study.expect_in("critics.html", &["Throughput"]);
}
