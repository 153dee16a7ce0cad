//! A target that does not answer holds nobody for longer than its timeout, and a cancel ends the wait at once.

use std::time::{Duration, Instant};

use crate::common::runs::{PATIENCE, Runs, at_once};
use crate::common::targets::with_extensions;
use crate::common::{Cluster, wait_until};

/// A cluster with a superuser's target whose postmaster is stopped until the end.
struct Stopped {
    target: Cluster,
    cluster: Cluster,
}

impl Stopped {
    fn new() -> Stopped {
        let target = Cluster::new(&[]);
        let cluster = Cluster::with_pgperf(&[]);
        cluster.add_target("target", &target);
        cluster.run_sql("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
        target.signal(target.postmaster_pid().expect("a server"), "STOP");
        Stopped { target, cluster }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Some(postmaster) = self.target.postmaster_pid() {
            self.target.signal(postmaster, "CONT");
        }
    }
}

#[test]
fn connecting_ends_with_its_timeout() {
    let stopped = Stopped::new();
    let mut session = stopped.cluster.connect();
    session.value("ALTER SERVER target OPTIONS (connect_timeout '2')");
    let began = Instant::now();
    let finding = session.value(
        "SELECT concat_ws('; ', status, detail) FROM pgperf.doctor(server => 'target') WHERE check_name = 'connection'",
    );
    let took = began.elapsed();
    assert!(
        finding.starts_with("problem; could not connect to server \"target\"")
            && finding.contains("in time"),
        "{finding}"
    );
    assert!(
        took >= Duration::from_secs(2) && took < Duration::from_secs(10),
        "{took:?}"
    );
}

#[test]
fn a_cancel_ends_the_wait_at_once() {
    let stopped = Stopped::new();
    let mut session = stopped.cluster.connect();
    let mut waiting = stopped.cluster.connect();
    let pid = waiting.number("SELECT pg_backend_pid()");
    let thread = std::thread::spawn(move || {
        let error = waiting.simple_query("SELECT * FROM pgperf.doctor(server => 'target')");
        let error = error.expect_err("a cancel");
        error.code().map(|code| code.code().to_owned())
    });
    wait_until("the wait", PATIENCE, || {
        session.number(&format!(
            "SELECT count(*) FROM pg_stat_activity WHERE pid = {pid} AND wait_event_type = 'Extension'"
        )) == 1
    });
    at_once("a cancel", || {
        session.value(&format!("SELECT pg_cancel_backend({pid})"));
        let code = thread.join().expect("the thread");
        assert_eq!(code.as_deref(), Some("57014"));
    });
}

#[test]
fn a_locked_table_does_not_hold_the_figures() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    let cluster = Cluster::with_pgperf(&[]);
    cluster.add_target("target", &target);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
    let mut there = target.connect();
    there
        .batch_execute("CREATE TABLE t (i int)")
        .expect("a table");
    there.batch_execute("BEGIN; LOCK TABLE t").expect("a lock");
    let began = Instant::now();
    let error = session
        .simple_query("SELECT pgperf.target_figures('target')")
        .expect_err("a timeout");
    assert_eq!(error.code().map(|code| code.code()), Some("55P03"));
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "{:?}",
        began.elapsed()
    );
    there.batch_execute("COMMIT").expect("the end");
    let figures = session.value("SELECT pgperf.target_figures('target') LIKE '%\"name\"%'");
    assert_eq!(figures, "t");
}
