//! Everything that pgperf has counted is there after a crash: with synchronous_commit on, no visible figure exceeds
//! the data that the server keeps.

use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{BUSY, Runs, expect_next_run};
use crate::common::{Cluster, cases};
use postgres::Client;

fn history_rows(session: &mut Client) -> i64 {
    session.number("SELECT count(*) FROM pgbench_history")
}

#[test]
fn every_counted_commit_survives_the_postmaster() {
    let cluster = Cluster::for_faults(&[]);
    for crash in 0..cases(7, 20) as u64 {
        let mut session = cluster.connect();
        let before = history_rows(&mut session);
        let run = session.start_busy_run(BUSY);
        // Somewhere in an interval, in a tick, or between the two.
        sleep(Duration::from_millis(37 * (crash % 7)));
        let counted = session.total(run, "transactions");
        assert!(counted > 0);
        cluster.crash();
        cluster.start();
        let mut session = cluster.connect();
        let kept = history_rows(&mut session) - before;
        assert!(kept >= counted, "{counted} were counted, {kept} are there");
        assert_eq!(session.status(run), "interrupted");
        assert!(session.intervals(run) > 0);
        let failed = session.value(
            "SELECT string_agg(check_name || ': ' || detail, '; ') FROM pgperf.check() WHERE NOT passed",
        );
        assert_eq!(failed, "");
    }
    expect_next_run(&mut cluster.connect());
}
