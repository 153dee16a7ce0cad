//! How captures end: by themselves, with the server, and with what they belong to.

use super::recorded::inserted;
use super::{files, folder, preloaded, refusal, start, status, stop, until};
use crate::common::pair::pgbench;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{cases, wait_until};
use capture::segment::Rest;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const WRITER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf capture'";

#[test]
fn it_ends_after_its_duration_and_at_its_size() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    start(&mut session, "short", ", duration => '1 s'");
    until(
        &mut session,
        "SELECT status FROM pgperf.captures",
        "finished",
    );
    let seconds =
        session.float("SELECT extract(epoch FROM ended_at - started_at) FROM pgperf.captures");
    assert!((1.0..10.0).contains(&seconds), "{seconds}");
    start(&mut session, "small", ", max_bytes => '1 MB'");
    let noise = "(SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 300))";
    wait_until("the end", PATIENCE, || {
        let text = session.value(&format!("SELECT {noise}"));
        session
            .query("SELECT length($1::text)", &[&text])
            .expect("a row");
        status(&mut session, "small") != "capturing"
    });
    let end = session
        .value("SELECT concat_ws(', ', status, reason) FROM pgperf.captures WHERE name = 'small'");
    assert_eq!(end, "finished, it has max_bytes");
    let bytes = session.number("SELECT bytes FROM pgperf.captures WHERE name = 'small'");
    let folder = folder(&cluster, &mut session, "small");
    let files = folder
        .read_dir()
        .expect("files")
        .map(|file| file.expect("a file").metadata().expect("its size").len());
    assert_eq!(files.sum::<u64>() as i64, bytes);
}

#[test]
fn sessions_without_a_ring_are_counted() {
    let cluster = preloaded(&["pgperf.capture_memory = '512kB'"]);
    let mut session = cluster.connect();
    start(&mut session, "two", "");
    let mut others = [cluster.connect(), cluster.connect(), cluster.connect()];
    for other in &mut others {
        other.value("SELECT 1");
    }
    let capture = stop(&cluster, &mut session, "two");
    assert_eq!(capture.sessions.len(), 2);
    let counted =
        session.value("SELECT concat_ws(' ', sessions, sessions_left_out) FROM pgperf.captures");
    assert_eq!(counted, "2 2");
}

#[test]
fn a_crash_ends_it_and_what_was_written_stays() {
    let cluster = preloaded(&["restart_after_crash = on"]);
    let mut session = cluster.connect();
    pgbench(&cluster, &["-i", "-q", "postgres"]);
    start(&mut session, "first", ", application_names => '{pgbench}'");
    pgbench(&cluster, &["-n", "-c", "2", "-t", "110", "postgres"]);
    until(
        &mut session,
        "SELECT (transactions >= 220)::text FROM pgperf.captures",
        "true",
    );
    let mut victim = cluster.connect();
    let pid = victim.number("SELECT pg_backend_pid()");
    cluster.expect_trouble("terminated by signal 9");
    cluster.crash_backend(pid as i32);
    let mut session = cluster.reconnect();
    assert_eq!(status(&mut session, "first"), "interrupted");
    let capture = files(&cluster, &mut session, "first");
    assert!(capture.commits >= 200, "{}", capture.commits);
    let report =
        session.value("SELECT string_agg(line, E'\\n') FROM pgperf.capture_report('first') line");
    assert!(report.contains("UPDATE pgbench_branches"), "{report}");
    start(&mut session, "second", "");
    stop(&cluster, &mut session, "second");
}

#[test]
fn a_writer_that_is_terminated_leaves_the_sessions_alone() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    start(&mut session, "first", "");
    session.value(&format!(
        "SELECT pg_terminate_backend(pid) FROM ({WRITER}) w"
    ));
    until(
        &mut session,
        &format!("SELECT count(*) FROM ({WRITER}) w"),
        "0",
    );
    assert_eq!(status(&mut session, "first"), "interrupted");
    for _ in 0..100 {
        session.value("SELECT 1");
    }
    start(&mut session, "second", "");
    session.value("SELECT 'after'");
    let capture = stop(&cluster, &mut session, "second");
    assert!(capture.texts.values().any(|text| text == b"SELECT 'after'"));
    assert_eq!(capture.rest, Rest::Complete);
}

#[test]
fn it_ends_with_its_extension_and_its_database() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    start(&mut session, "a", "");
    let folder = folder(&cluster, &mut session, "a");
    session
        .batch_execute("DROP EXTENSION pgperf")
        .expect("dropped");
    wait_until("its end", PATIENCE, || !folder.exists());
    session
        .batch_execute("CREATE DATABASE other")
        .expect("a database");
    let mut there = cluster.connect_to("other");
    there
        .batch_execute("CREATE EXTENSION pgperf CASCADE")
        .expect("the extension");
    start(&mut there, "b", "");
    drop(there);
    session
        .batch_execute("DROP DATABASE other")
        .expect("dropped at once");
    until(
        &mut session,
        &format!("SELECT count(*) FROM ({WRITER}) w"),
        "0",
    );
}

#[test]
fn nothing_of_it_is_in_a_base_backup() {
    let cluster = preloaded(&["max_wal_senders = 4", "wal_level = replica"]);
    let mut session = cluster.connect();
    start(&mut session, "a", "");
    stop(&cluster, &mut session, "a");
    session.value("SELECT pg_create_physical_replication_slot('s')");
    let standby = cluster.standby("s");
    assert!(
        !standby
            .data_dir()
            .join("pgsql_tmp_pgperf_captures")
            .exists()
    );
    let mut there = standby.connect();
    let error = refusal(&mut there, "pgperf.capture_report('a')");
    assert!(error.contains("not on this server"), "{error}");
}

/// A process of each kind is killed at some moment under load. What had committed more than two seconds before is in the files: one until it
/// is durable, and one for a busy machine.
#[test]
fn crashes_lose_a_second_at_most() {
    let cluster = preloaded(&["restart_after_crash = on"]);
    cluster.expect_trouble("terminated by signal 9");
    pgbench(&cluster, &["-i", "-q", "postgres"]);
    let mut session = cluster.connect();
    for no in 0..cases(3, 30) {
        session
            .batch_execute("TRUNCATE pgbench_history")
            .expect("truncated");
        let name = format!("no {no}");
        start(&mut session, &name, "");
        let load = ["-n", "-c", "4", "-T", "60", "-M", "prepared", "postgres"];
        let mut load = cluster
            .program("pgbench")
            .args(load)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pgbench");
        // At another moment of the writer's second each time.
        sleep(Duration::from_millis(2500 + 97 * no as u64));
        match no % 3 {
            0 => {
                let pid = session.number(
                    "SELECT max(pid) FROM pg_stat_activity WHERE application_name = 'pgbench'",
                );
                session = cluster.crash_process(&mut session, pid);
            }
            1 => {
                let pid = session.number(WRITER);
                session = cluster.crash_process(&mut session, pid);
            }
            _ => {
                cluster.crash();
                cluster.start();
                session = cluster.connect();
            }
        }
        load.wait().expect("its end");
        assert_eq!(status(&mut session, &name), "interrupted");
        let captured: BTreeSet<String> = inserted(&files(&cluster, &mut session, &name))
            .into_iter()
            .collect();
        let missing = session
            .query(
                "SELECT concat_ws(', ', tid, bid, aid, delta) FROM pgbench_history \
                  WHERE mtime < (SELECT max(mtime) FROM pgbench_history) - interval '2 s'",
                &[],
            )
            .expect("rows");
        assert!(!missing.is_empty(), "load for more than two seconds");
        let missing = missing
            .iter()
            .filter(|row| !captured.contains(row.get::<_, &str>(0)))
            .count();
        assert_eq!(missing, 0, "of {}, killed: {}", captured.len(), no % 3);
    }
}
