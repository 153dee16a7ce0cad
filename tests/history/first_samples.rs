//! Samples on a day whose partitions do not exist yet.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use std::thread;

/// The second session finds the partitions missing, cannot create them, and is about to write to the default partition
/// when the first one commits.
#[test]
fn a_partition_that_appears_meanwhile_takes_the_rows() {
    let cluster = Cluster::with_pgperf(&[]);
    let (mut first, mut second) = (cluster.connect(), cluster.connect());
    let mut watcher = cluster.connect();
    let pid = second.number("SELECT pg_backend_pid()");
    let waits = format!(
        "SELECT count(*) FROM pg_locks WHERE pid = {pid} AND NOT granted AND locktype = 'relation'"
    );
    // Neither waits longer than 100 ms for a lock, so that the first one may come too late.
    for _ in 0..50 {
        first
            .value("BEGIN; SELECT count(*) FROM pgperf_internal.make_partitions(0, 'wal_history')");
        let outcome = thread::scope(|scope| {
            let sample = scope.spawn(|| {
                second.value("SELECT CASE status WHEN 'ok' THEN status ELSE reason END FROM pgperf.snapshot('{wal}')")
            });
            wait_until("the second session", PATIENCE, || {
                sample.is_finished() || watcher.number(&waits) > 0
            });
            first.value("COMMIT");
            sample.join().expect("a sample")
        });
        match outcome.as_str() {
            "ok" => {
                let row = "SELECT string_agg(DISTINCT p.level, ',') FROM pgperf.wal_history h \
                           JOIN pgperf.history_partitions p ON p.partition = h.tableoid";
                assert_eq!(watcher.value(row), "raw");
                return;
            }
            "canceling statement due to lock timeout" => {}
            other => panic!("{other}"),
        }
        watcher.value(
            "DO $$ DECLARE p regclass; BEGIN \
                 FOR p IN SELECT partition FROM pgperf.history_partitions WHERE level = 'raw' LOOP \
                     EXECUTE 'DROP TABLE ' || p; \
                 END LOOP; END $$",
        );
    }
    panic!("the first session was always too late");
}
