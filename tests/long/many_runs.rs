//! Run after run in one server: nothing grows with their number but the history. 50 of them; `make test-thousand-runs`
//! makes a thousand.

use std::fs;

use crate::common::aftermath::Aftermath;
use crate::common::growth::memory;
use crate::common::runs::Runs;
use crate::common::{Cluster, cases};
use postgres::Client;

/// What a process holds: open files, and kilobytes of its own memory.
fn held(pid: u32) -> (usize, f64) {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).expect("a living process");
    (files.count(), memory(pid).expect("a living process"))
}

/// One run in one of the ways in which a run can end.
fn run_once(session: &mut Client, number: u32) {
    let endless = "'tpcb-like', clients => 2, duration => '1 h', collectors => '{}'";
    match number % 10 {
        3 => {
            let run = session.start_run(endless);
            session.wait_for_status(run, "running");
            session.value("SELECT pgperf.stop_all()");
            session.wait_for_status(run, "stopped");
        }
        6 => {
            let run =
                session.start_run("script => 'SELECT 1 / 0;', clients => 2, duration => '1 h'");
            session.wait_for_status(run, "failed");
        }
        9 => {
            let run = session.start_run(endless);
            let leader = session.leader(run);
            session.value(&format!("SELECT pg_terminate_backend({leader})"));
            session.wait_for_status(run, "interrupted");
            session.expect_nothing_left("a terminated leader");
        }
        _ => {
            let run =
                session.finish_run("'tpcb-like', clients => 3, transactions_per_client => 10");
            assert_eq!(session.total(run, "transactions"), 30);
        }
    }
}

#[test]
fn nothing_grows_with_the_number_of_runs() {
    let runs: u32 =
        std::env::var("PGPERF_RUNS").map_or(50, |runs| runs.parse().expect("PGPERF_RUNS"));
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let own = u32::try_from(session.number("SELECT pg_backend_pid()")).expect("a process id");
    let postmaster = cluster.postmaster_pid().expect("the server runs");
    let warm = runs / 2;
    let mut before = None;
    for number in 0..runs {
        if number == warm {
            before = Some([own, postmaster].map(held));
        }
        run_once(&mut session, number);
    }
    session.expect_nothing_left(&format!("{runs} runs"));
    let after = [own, postmaster].map(held);
    let before = before.expect("more than one run");
    println!("{runs} runs: {before:?}, then {after:?} (files, kB)");
    for ((files, memory), (files_after, memory_after)) in before.into_iter().zip(after) {
        assert!(
            files_after <= files + 2,
            "{files} open files became {files_after}"
        );
        assert!(
            memory_after <= memory + memory / 5.0 + 1024.0,
            "{memory} kB became {memory_after}"
        );
    }
    // Each is there with its rows, and none twice.
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.runs WHERE kind = 'run'"),
        i64::from(runs)
    );
    assert_eq!(
        session.number(
            "SELECT count(*) FROM pgperf.runs r LEFT JOIN pgperf_internal.run_totals t USING (node_id, run_id) \
             WHERE (r.status IN ('finished', 'stopped')) <> (t.run_id IS NOT NULL) AND r.status <> 'failed'"
        ),
        0
    );
    session.expect_all_slots();
    cluster.expect_no_crash();
}

/// Two at a time, over and over: they get in each other's way nowhere.
#[test]
fn runs_side_by_side_keep_apart() {
    let cluster = Cluster::for_faults(&[]);
    let turns = cases(6, 15) as i64;
    std::thread::scope(|scope| {
        for number in 0..2 {
            let cluster = &cluster;
            scope.spawn(move || {
                let mut session = cluster.connect();
                for turn in 0..turns {
                    let count = 10 + turn;
                    let workload = ["tpcb-like", "select-only"][number];
                    let run = session.finish_run(&format!(
                        "'{workload}', clients => 3, transactions_per_client => {count}, label => '{number}'"
                    ));
                    assert_eq!(session.total(run, "transactions"), 3 * count);
                }
            });
        }
    });
    let mut session = cluster.connect();
    assert_eq!(
        session.value("SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n FROM pgperf.runs WHERE kind = 'run' GROUP BY label) c"),
        format!("{turns} {turns}")
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_history"),
        3 * (10..10 + turns).sum::<i64>()
    );
    session.expect_nothing_left("runs side by side");
    session.expect_all_slots();
    cluster.expect_no_crash();
}
