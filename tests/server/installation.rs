//! The test clusters themselves, and that the extension can be created in one.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::common::{Cluster, StopMode, wait_until};

#[test]
fn the_extension_brings_what_it_requires() {
    let cluster = Cluster::with_pgperf(&[]);
    let extensions =
        cluster.run_sql("SELECT extname FROM pg_catalog.pg_extension ORDER BY extname");
    assert_eq!(
        extensions,
        "pg_buffercache\npg_stat_statements\npgperf\npgstattuple\nplpgsql"
    );
}

#[test]
fn the_extension_can_be_dropped_and_created_again() {
    let cluster = Cluster::with_pgperf(&[]);
    cluster.run_sql("DROP EXTENSION pgperf");
    let left =
        cluster.run_sql("SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'pgperf'");
    assert_eq!(left, "0");
    cluster.run_sql("CREATE EXTENSION pgperf");
}

#[test]
fn the_installed_library_has_its_debug_information_beside_it() {
    let folder = PathBuf::from(pg_config("--pkglibdir"));
    let library = folder.join("pgperf.so");
    let sections = |file: &Path| output(Command::new("readelf").arg("-SW").arg(file));
    let of_library = sections(&library);
    for section in [" .symtab ", " .debug_"] {
        assert!(!of_library.contains(section), "{of_library}");
    }
    // The name of the file, padded to a multiple of four bytes, then its checksum.
    let copied = tempfile::NamedTempFile::new().expect("a file");
    let section = format!("--dump-section=.gnu_debuglink={}", copied.path().display());
    output(
        Command::new("objcopy")
            .arg(section)
            .args([&library, Path::new("/dev/null")]),
    );
    let link = fs::read(copied.path()).expect("the link");
    let (name, checksum) = link.split_at(link.len() - 4);
    let name = String::from_utf8_lossy(name);
    let name = name.trim_end_matches('\0');
    assert_eq!(name, "pgperf.so.debug");
    let debug = folder.join(name);
    let mut sum = flate2::Crc::new();
    sum.update(&fs::read(&debug).expect("the debug information"));
    assert_eq!(checksum, sum.sum().to_le_bytes());
    assert!(sections(&debug).contains(" .symtab "));
}

fn pg_config(option: &str) -> String {
    let program = std::env::var("PG_CONFIG").unwrap_or_else(|_| "pg_config".to_owned());
    output(Command::new(program).arg(option))
        .trim_end()
        .to_owned()
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("a program");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn settings_of_a_test_win() {
    let cluster = Cluster::new(&["max_worker_processes = 5"]);
    let row = cluster
        .connect()
        .query_one("SHOW max_worker_processes", &[])
        .expect("a row");
    assert_eq!(row.get::<_, &str>(0), "5");
    cluster.reconfigure(&["work_mem = '5MB'"]);
    wait_until("the reload", Duration::from_secs(5), || {
        cluster.run_sql("SHOW work_mem") == "5MB"
    });
}

#[test]
fn data_survives_every_way_to_stop() {
    let cluster = Cluster::new(&[]);
    cluster.run_sql("CREATE TABLE kept AS SELECT 1 AS one");
    for mode in [StopMode::Smart, StopMode::Fast, StopMode::Immediate] {
        cluster.restart(mode);
        assert_eq!(
            cluster.run_sql("SELECT one FROM kept"),
            "1",
            "after {mode:?}"
        );
    }
}

#[test]
fn a_killed_backend_makes_the_server_recover() {
    let cluster = Cluster::new(&[]);
    let mut session = cluster.connect();
    let pid: i32 = session
        .query_one("SELECT pg_catalog.pg_backend_pid()", &[])
        .expect("a row")
        .get(0);
    cluster.crash_backend(pid);
    assert!(session.simple_query("SELECT 1").is_err());
    assert!(cluster.log().contains("was terminated by signal 9"));
}

#[test]
fn clusters_run_side_by_side_and_vanish() {
    let (one, two) = (Cluster::new(&[]), Cluster::new(&[]));
    assert_ne!(
        one.run_sql("SHOW data_directory"),
        two.run_sql("SHOW data_directory")
    );
    let folder = one.socket_dir().to_owned();
    drop(one);
    assert!(!folder.exists());
    assert_eq!(two.run_sql("SELECT 1"), "1");
}

#[test]
fn trouble_in_the_log_fails_a_test_that_does_not_expect_it() {
    const WARNING: &str = "buffer refcount leak: [1]";
    let troubled = || {
        let cluster = Cluster::new(&[]);
        cluster.run_sql(&format!("DO $$ BEGIN RAISE WARNING '{WARNING}'; END $$"));
        cluster
    };
    assert!(catch_unwind(|| drop(troubled())).is_err());
    troubled().expect_trouble(WARNING);
}
