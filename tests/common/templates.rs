//! Data folders to copy: initdb takes a second, CREATE EXTENSION another, a copy a tenth.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::server::{initdb, initdb_options, server_tempdir};
use super::{Cluster, StopMode, bindir, major, run, scratch, text_of};

/// Leaves no segments of WAL behind but a new one.
const SMALL: [&str; 2] = ["min_wal_size = 32MB", "wal_recycle = off"];

/// Zeros, most of the WAL, take no space, and are not written either when the template is copied.
const SPARSELY: [&str; 2] = ["-a", "--sparse=always"];

/// A freshly initialised one. It is kept with what cargo built, one for each server version.
pub fn empty() -> &'static Path {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let version = text_of(Command::new(bindir().join("postgres")).arg("--version"));
        let name: String = format!("{version}{}", initdb_options(major()).concat())
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let template = scratch().join(name);
        if !template.exists() {
            let dir = server_tempdir();
            let data = dir.path().join("data");
            run(&mut initdb(bindir(), &data));
            // Copied beside its place and renamed, so that another test process never sees half of it.
            let copy = template.with_extension(std::process::id().to_string());
            run(Command::new("cp").args(SPARSELY).args([&data, &copy]));
            if fs::rename(&copy, &template).is_err() {
                let _ = fs::remove_dir_all(&copy);
            }
        }
        template
    })
}

/// One with the extension in database `postgres`; nothing is stored there yet, so that each copy becomes a node of its own.
pub fn with_pgperf() -> &'static Path {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let cluster = Cluster::new(&SMALL);
        cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
        own("extension", &cluster)
    })
}

/// One with the tables of tpcb-like at scale 1 in addition, and their load in the history.
pub fn with_data() -> &'static Path {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let cluster = Cluster::with_pgperf(&SMALL);
        cluster.run_sql("CALL pgperf.init('tpcb-like', scale => 1)");
        own("data", &cluster)
    })
}

/// One with the tables of tpcc-like of two warehouses, which several workers have filled.
pub fn with_warehouses() -> &'static Path {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let cluster = Cluster::with_pgperf(&[&SMALL[..], &["max_wal_size = 4GB"]].concat());
        cluster.run_sql("CALL pgperf.init('tpcc-like', scale => 2, jobs => 3)");
        own("warehouses", &cluster)
    })
}

/// Makes a cluster a template of this process: the extension may be another the next time, and the history is of today.
fn own(name: &str, cluster: &Cluster) -> PathBuf {
    cluster.run_sql("SELECT pg_switch_wal()");
    cluster.stop(StopMode::Fast);
    let template = scratch().join(format!("{name}.{}", std::process::id()));
    remove_left(name);
    let from = cluster.data_dir();
    run(Command::new("cp").args(SPARSELY).args([&from, &template]));
    // None of its settings are copied.
    let settings = "postgresql.conf";
    fs::copy(empty().join(settings), template.join(settings)).expect("the settings");
    template
}

/// Removes the templates of this name that ended processes have left.
fn remove_left(name: &str) {
    for entry in fs::read_dir(scratch()).expect("templates").flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some((its, pid)) = file.rsplit_once('.') else {
            continue;
        };
        // In a namespace of its own a process may have the number of an earlier one.
        let is_ours = pid == std::process::id().to_string();
        if its == name && (is_ours || !Path::new("/proc").join(pid).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
