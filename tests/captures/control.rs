//! Who may start, read and drop captures; what of it is refused.

use super::{files, folder, of_application, preloaded, refusal, start, status, stop, until};
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::NoTls;

#[test]
fn without_the_library_preloaded_the_error_says_how() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let error = refusal(&mut session, "pgperf.start_capture('a')");
    assert!(error.contains("preloaded"), "{error}");
    assert_eq!(session.value("SELECT pgperf.stop_capture()"), "f");
}

#[test]
fn one_at_a_time_under_a_name_of_its_own() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    for (arguments, part) in [
        ("''", "name must not be empty"),
        ("NULL", "name must not be empty"),
        ("'a', duration => '0 s'", "duration must be"),
        ("'a', duration => NULL", "duration must not be NULL"),
        ("'a', share => 0", "share must be"),
        ("'a', share => 1.5", "share must be"),
        ("'a', share => 'NaN'", "NaN"),
        ("'a', share_of => 'rows'", "share_of"),
        ("'a', max_bytes => 'much'", "much"),
        ("'a', max_bytes => '10 kB'", "max_bytes must be"),
        ("'a', roles => '{nobody}'", "nobody"),
        ("'a', roles => '{NULL}'", "NULL"),
    ] {
        let error = refusal(&mut session, &format!("pgperf.start_capture({arguments})"));
        assert!(error.contains(part), "{arguments}: {error}");
    }
    assert_eq!(session.number("SELECT count(*) FROM pgperf.captures"), 0);
    start(&mut session, "a", "");
    for (call, part) in [
        ("pgperf.start_capture('b')", "under way"),
        ("pgperf.start_capture('a')", "already"),
        ("pgperf.drop_capture('a')", "under way"),
        ("pgperf.drop_capture('b')", "no capture"),
        ("pgperf.capture_report('b')", "no capture"),
    ] {
        let error = refusal(&mut session, call);
        assert!(error.contains(part), "{call}: {error}");
    }
    stop(&cluster, &mut session, "a");
    assert_eq!(status(&mut session, "a"), "stopped");
    assert_eq!(session.value("SELECT pgperf.stop_capture()"), "f");
    // The next one may begin at once.
    start(&mut session, "b", "");
    stop(&cluster, &mut session, "b");
}

#[test]
fn a_start_that_is_rolled_back_leaves_nothing() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session.batch_execute("BEGIN").expect("a block");
    session.value("SELECT pgperf.start_capture('a')");
    session.batch_execute("ROLLBACK").expect("its end");
    until(
        &mut session,
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf capture'",
        "0",
    );
    assert_eq!(session.number("SELECT count(*) FROM pgperf.captures"), 0);
    start(&mut session, "a", "");
    stop(&cluster, &mut session, "a");
}

#[test]
fn files_go_when_the_drop_commits() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    start(&mut session, "a", "");
    session.value("SELECT 1");
    stop(&cluster, &mut session, "a");
    let folder = folder(&cluster, &mut session, "a");
    let mode = |path: &std::path::Path| {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().expect("a folder").permissions().mode() & 0o777
    };
    assert_eq!(mode(&folder), 0o700);
    for file in folder.read_dir().expect("files") {
        assert_eq!(mode(&file.expect("a file").path()), 0o600);
    }
    session
        .batch_execute("BEGIN; SAVEPOINT s; SELECT pgperf.drop_capture('a'); ROLLBACK TO s; COMMIT")
        .expect("rolled back");
    assert!(folder.exists());
    session
        .batch_execute("BEGIN; SELECT pgperf.drop_capture('a'); ROLLBACK")
        .expect("rolled back");
    assert!(folder.exists());
    files(&cluster, &mut session, "a");
    session.value("SELECT pgperf.drop_capture('a')");
    assert!(!folder.exists());
    // Those of an extension that was dropped, and of a database, go with the next capture.
    start(&mut session, "b", "");
    stop(&cluster, &mut session, "b");
    let left = super::folder(&cluster, &mut session, "b");
    session
        .batch_execute("DROP EXTENSION pgperf; CREATE EXTENSION pgperf")
        .expect("again");
    assert!(left.exists());
    std::fs::create_dir(left.with_file_name("2-7")).expect("a folder of no database");
    start(&mut session, "c", "");
    stop(&cluster, &mut session, "c");
    assert!(!left.with_file_name("2-7").exists() && !left.exists());
}

#[test]
fn a_part_of_the_sessions_is_taken() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute("CREATE ROLE app LOGIN; CREATE ROLE other LOGIN")
        .expect("roles");
    session
        .batch_execute("CREATE DATABASE elsewhere")
        .expect("a database");
    start(
        &mut session,
        "some",
        ", roles => '{app}', application_names => '{shop,till}'",
    );
    for (role, name, database) in [
        ("app", "shop", "postgres"),
        ("app", "till", "postgres"),
        ("app", "report", "postgres"),
        ("other", "shop", "postgres"),
        ("app", "shop", "elsewhere"),
    ] {
        let mut config = cluster.config();
        let mut client = config
            .user(role)
            .dbname(database)
            .application_name(name)
            .connect(NoTls)
            .expect("a session");
        client.batch_execute("SELECT 1").expect("a statement");
    }
    let capture = stop(&cluster, &mut session, "some");
    assert_eq!(capture.sessions.len(), 2);
    for name in ["shop", "till"] {
        assert_eq!(of_application(&capture, name).start.role, "app");
    }
    // Of 400 transactions, a quarter: within five standard deviations.
    start(
        &mut session,
        "quarter",
        ", share => 0.25, share_of => 'transactions', application_names => '{shop}'",
    );
    let mut shop = cluster
        .config()
        .application_name("shop")
        .connect(NoTls)
        .expect("a session");
    for _ in 0..400 {
        shop.batch_execute("BEGIN; SELECT 1; COMMIT")
            .expect("a transaction");
    }
    let capture = stop(&cluster, &mut session, "quarter");
    let taken = of_application(&capture, "shop").steps.len();
    assert_eq!(taken % 4, 0, "whole transactions");
    assert!((57..=143).contains(&(taken / 4)), "{taken}");
}

#[test]
fn values_are_for_those_who_may_read_all_data() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher;
             CREATE ROLE keeper LOGIN; GRANT pg_read_all_data TO keeper;
             CREATE ROLE granted LOGIN;
             GRANT EXECUTE ON FUNCTION pgperf.start_capture, pgperf.stop_capture, pgperf.drop_capture, pgperf.capture_report TO keeper, granted;
             GRANT USAGE ON SCHEMA pgperf TO keeper, granted, watcher",
        )
        .expect("roles");
    let mut watcher = cluster.connect_as("watcher");
    let mut keeper = cluster.connect_as("keeper");
    let mut granted = cluster.connect_as("granted");
    let error = refusal(&mut watcher, "pgperf.start_capture('a')");
    assert!(error.contains("permission denied"), "{error}");
    let error = refusal(&mut granted, "pgperf.start_capture('a')");
    assert!(
        error.contains("permission denied to start a capture"),
        "{error}"
    );
    keeper.value("SELECT pgperf.start_capture('a')");
    until(
        &mut session,
        "SELECT status FROM pgperf.captures",
        "capturing",
    );
    session.value("SELECT 'a secret of mine', 4711");
    let error = refusal(&mut granted, "pgperf.stop_capture()");
    assert!(error.contains("belongs to role"), "{error}");
    assert_eq!(keeper.value("SELECT pgperf.stop_capture()"), "t");
    let error = refusal(&mut granted, "pgperf.drop_capture('a')");
    assert!(error.contains("belongs to role"), "{error}");
    let report =
        watcher.value("SELECT string_agg(line, E'\\n') FROM pgperf.capture_report('a') line");
    assert!(report.contains("SELECT ?, ?"), "{report}");
    assert!(
        !report.contains("secret") && !report.contains("4711"),
        "{report}"
    );
    assert_eq!(watcher.value("SELECT role FROM pgperf.captures"), "keeper");
    assert_eq!(keeper.value("SELECT pgperf.drop_capture('a')"), "t");
}
