//! A client that is terminated ends as one of pgbench's whose session is terminated, in each part of its cycle: alone.

use std::sync::atomic::AtomicBool;
use std::thread::scope;

use super::session_cycle::{Counts, PARTS, by_pgbench, cluster, storm};
use crate::common::aftermath::Aftermath;
use crate::common::runs::{Runs, expect_next_run};
use crate::common::{Cluster, Ending};

/// Ends clients of both at random, most of them within two seconds, once they have begun to work.
const TERMINATIONS: &str = "SELECT count(*) FILTER (WHERE application_name = 'pgbench' AND pg_terminate_backend(pid)), \
     count(*) FILTER (WHERE application_name LIKE 'pgperf run % client %' AND pg_terminate_backend(pid)) \
     FROM pg_stat_activity WHERE backend_type IN ('client backend', 'pgperf client') AND pid <> pg_backend_pid() \
     AND backend_start < clock_timestamp() - interval '300 ms' AND random() < 0.02";

/// What a storm of terminations has come to.
#[derive(Debug, Default)]
struct Ended {
    counts: Counts,
    /// Clients that were ended.
    clients: i64,
}

/// pgbench and pgperf in the same storm of terminations. A client that is ended ends alone, with the transaction that it has begun.
fn terminations_for(cluster: &Cluster, part: &str, script: &str) -> (Ended, Ended) {
    let mut ours = cluster.connect();
    let mut stormy = cluster.connect();
    let over = AtomicBool::new(false);
    let options = ["-c", TERMINATED, "-D", "side=1", "-T", "2"];
    let (theirs, run) = scope(|scope| {
        let ending = Ending(&over);
        let storm = scope.spawn(|| storm(&mut stormy, TERMINATIONS, &over));
        let theirs = scope.spawn(|| by_pgbench(cluster, script, &options, ""));
        let script = script.replace('\'', "''");
        let run = ours.start_run(&format!(
            "script => '{script}', clients => {TERMINATED}, variables => '{{\"side\": 2}}', duration => '2 s', collectors => '{{}}'"
        ));
        ours.value(&format!("CALL pgperf.wait_run({run})"));
        let theirs = theirs.join().expect("pgbench");
        drop(ending);
        storm.join().expect("a storm");
        (theirs, run)
    });
    let of_errors = |what: &str| {
        format!("SELECT count(*) FROM pgperf.run_errors WHERE run_id = {run} AND {what}")
    };
    assert_eq!(
        ours.number(&of_errors("(sqlstate, occurrences) <> ('57P01', 1)")),
        0,
        "{part}"
    );
    let clients = ours.number(&of_errors("true"));
    let status = if clients > 0 { "failed" } else { "finished" };
    assert_eq!(ours.status(run), status, "{part}");
    // On a busy machine all may be ended before they begin: then nothing is measured.
    let mut total = |what: &str| {
        ours.number(&format!(
            "SELECT coalesce({what}, 0) FROM pgperf.run_summary WHERE run_id = {run}"
        ))
    };
    let counts = Counts {
        transactions: total("transactions"),
        failed: total("failed") + clients,
    };
    let of_pgbench = Ended {
        clients: theirs.failed,
        counts: theirs,
    };
    (of_pgbench, Ended { counts, clients })
}

/// Clients of each side in such a storm.
const TERMINATED: &str = "20";

fn terminations_over(cluster: &Cluster, part: &str, script: &str, times: i64) {
    let script = script.replace("written VALUES (1)", "written VALUES (:side)");
    let mut session = cluster.connect();
    session.value("TRUNCATE written");
    let (mut theirs, mut ours) = (Ended::default(), Ended::default());
    while ours.clients < times {
        let (of_pgbench, of_pgperf) = terminations_for(cluster, part, &script);
        for (all, round) in [(&mut theirs, of_pgbench), (&mut ours, of_pgperf)] {
            all.counts.add(&round.counts);
            all.clients += round.clients;
        }
    }
    println!("{part}: pgbench {theirs:?}, pgperf {ours:?}");
    let difference = ours.counts.failed_percent() - theirs.counts.failed_percent();
    let limit = f64::max(1.0, ours.counts.noise(&theirs.counts));
    assert!(difference.abs() <= limit, "{part}: {theirs:?}, {ours:?}");
    if part == "commit" {
        // A client can be ended between its commit and the count.
        for (side, ended) in [(1, &theirs), (2, &ours)] {
            let rows = session.number(&format!("SELECT count(*) FROM written WHERE id = {side}"));
            let counted = ended.counts.transactions;
            assert!(
                (counted..=counted + ended.clients).contains(&rows),
                "{side}: {ended:?}, {rows} rows"
            );
        }
    }
}

#[test]
fn terminations_end_what_they_end_in_pgbench() {
    let cluster = cluster();
    for (part, script) in PARTS {
        terminations_over(&cluster, part, script, 5);
    }
    cluster.connect().expect_nothing_left("terminating clients");
    expect_next_run(&mut cluster.connect());
    cluster.expect_no_crash();
}

#[test]
fn a_thousand_terminations_in_each_part_end_what_they_end_in_pgbench() {
    let cluster = cluster();
    for (part, script) in PARTS {
        terminations_over(&cluster, part, script, 1000);
    }
    cluster.connect().expect_nothing_left("terminating clients");
    expect_next_run(&mut cluster.connect());
    cluster.expect_no_crash();
}
