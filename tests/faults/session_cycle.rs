//! A client answers to cancels and timeouts as a session does, in each part of its cycle: begin, statement, commit,
//! abort, idle. pgbench is the judge, in the same storm.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{scope, sleep};
use std::time::Duration;

use postgres::Client;

use crate::common::pair::reported;
use crate::common::runs::{PATIENCE, Runs, expect_next_run};
use crate::common::{Cluster, Ending, cases, wait_until};

/// A commit takes 10 ms in which nothing can be cancelled.
const CONF: &[&str] = &[
    "fsync = on",
    "commit_delay = 10000",
    "commit_siblings = 0",
    "max_worker_processes = 40",
    "log_min_messages = fatal",
];

/// pgbench 15 survives no error but those of serialization: as one of them it counts what is cancelled here.
const SETUP: &str = "CREATE TABLE written (id int); \
     CREATE FUNCTION nap(ms float8) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(ms / 1000); \
     EXCEPTION WHEN query_canceled THEN RAISE SQLSTATE '40001'; END $$";

/// The parts of the cycle, each with a script that spends most of its time there.
pub(super) const PARTS: &[(&str, &str)] = &[
    ("begin", "BEGIN;\nEND;\n"),
    ("statement", "BEGIN;\nSELECT nap(2);\nEND;\n\\sleep 18 ms\n"),
    ("commit", "BEGIN;\nINSERT INTO written VALUES (1);\nEND;\n"),
    (
        "abort",
        "BEGIN;\nINSERT INTO written VALUES (1);\nROLLBACK;\n",
    ),
    ("idle", "BEGIN;\n\\sleep 5 ms\nEND;\n\\sleep 5 ms\n"),
];

const CLIENTS: i64 = 4;

/// Cancels the clients of both at random, each some six times a second.
const STORM: &str = "SELECT count(*) FILTER (WHERE application_name = 'pgbench' AND pg_cancel_backend(pid)), \
     count(*) FILTER (WHERE application_name LIKE 'pgperf run % client %' AND pg_cancel_backend(pid)) \
     FROM pg_stat_activity WHERE backend_type IN ('client backend', 'pgperf client') AND pid <> pg_backend_pid() AND random() < 0.1";

pub(super) fn cluster() -> Cluster {
    let cluster = Cluster::for_faults(CONF);
    cluster.run_sql(SETUP);
    cluster
}

/// What came of a run of pgbench or pgperf.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) transactions: i64,
    pub(super) failed: i64,
}

impl Counts {
    pub(super) fn failed_percent(&self) -> f64 {
        100.0 * self.failed as f64 / self.all()
    }

    fn all(&self) -> f64 {
        (self.transactions + self.failed).max(1) as f64
    }

    pub(super) fn add(&mut self, more: &Counts) {
        self.transactions += more.transactions;
        self.failed += more.failed;
    }

    /// How far apart, in points, two percentages of one probability may lie by chance: three standard errors.
    pub(super) fn noise(&self, other: &Counts) -> f64 {
        let together = (self.failed + other.failed) as f64 / (self.all() + other.all());
        300.0 * (together * (1.0 - together) * (1.0 / self.all() + 1.0 / other.all())).sqrt()
    }
}

/// A client of pgbench's that was aborted has failed in one transaction.
pub(super) fn by_pgbench(
    cluster: &Cluster,
    script: &str,
    options: &[&str],
    settings: &str,
) -> Counts {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("script");
    std::fs::write(&file, script).expect("a script");
    let clients = CLIENTS.to_string();
    let output = cluster
        .program("pgbench")
        .env("PGOPTIONS", settings)
        .args(["-n", "-M", "prepared", "-c", &clients, "-j", "2", "-f"])
        .arg(&file)
        .args(options)
        .arg("postgres")
        .output()
        .expect("pgbench");
    let report = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    let aborted = complaints
        .lines()
        .filter(|line| line.contains("client ") && line.contains(" aborted"))
        .count();
    Counts {
        transactions: reported(&report, "number of transactions actually processed: "),
        failed: reported(&report, "number of failed transactions: ") + aborted as i64,
    }
}

/// A run that has to come to its end.
fn by_pgperf(session: &mut Client, script: &str, arguments: &str) -> (i64, Counts) {
    let script = script.replace('\'', "''");
    let run = session.finish_long_run(&format!(
        "script => '{script}', clients => {CLIENTS}, {arguments}, continue_on_error => true, collectors => '{{}}'"
    ));
    let counts = Counts {
        transactions: session.total(run, "transactions"),
        failed: session.total(run, "failed"),
    };
    (run, counts)
}

/// The errors of a run: `SQLSTATE command`.
fn errors(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(DISTINCT concat_ws(' ', sqlstate, command_no), ', ') FROM pgperf.run_errors WHERE run_id = {run}"
    ))
}

/// Cancels or ends clients until it is told to stop; how many of pgbench's and of pgperf's.
pub(super) fn storm(session: &mut Client, what: &str, over: &AtomicBool) -> (i64, i64) {
    let mut sent = (0, 0);
    while !over.load(Relaxed) {
        let rows = session.query(what, &[]).expect("a storm");
        sent.0 += rows[0].get::<_, i64>(0);
        sent.1 += rows[0].get::<_, i64>(1);
        sleep(Duration::from_millis(5 + (sent.0 + sent.1) as u64 % 3 * 10));
    }
    sent
}

/// The same storm over both while they run a script, until so many cancels have reached pgperf's clients.
fn storm_over(cluster: &Cluster, part: &str, script: &str, cancels: i64) {
    let (mut sent, mut theirs, mut ours) = ((0, 0), Counts::default(), Counts::default());
    let seconds = cases(2, 20);
    while sent.1 < cancels {
        let (round, of_pgbench, of_pgperf) = storm_for(cluster, part, script, seconds);
        sent = (sent.0 + round.0, sent.1 + round.1);
        theirs.add(&of_pgbench);
        ours.add(&of_pgperf);
    }
    println!("{part}: {sent:?} cancels, pgbench {theirs:?}, pgperf {ours:?}");
    // Each cancel fails one statement at most.
    assert!(ours.failed <= sent.1, "{part}: {ours:?} by {sent:?}");
    let difference = ours.failed_percent() - theirs.failed_percent();
    let limit = f64::max(1.0, ours.noise(&theirs));
    assert!(
        difference.abs() <= limit,
        "{part}: {theirs:?} by pgbench, {ours:?} by pgperf"
    );
}

fn storm_for(
    cluster: &Cluster,
    part: &str,
    script: &str,
    seconds: usize,
) -> ((i64, i64), Counts, Counts) {
    let mut ours = cluster.connect();
    let mut stormy = cluster.connect();
    let over = AtomicBool::new(false);
    let (theirs, (run, counts), sent) = scope(|scope| {
        let ending = Ending(&over);
        let storm = scope.spawn(|| storm(&mut stormy, STORM, &over));
        let duration = seconds.to_string();
        let theirs = scope.spawn(move || by_pgbench(cluster, script, &["-T", &duration], ""));
        let ours = by_pgperf(&mut ours, script, &format!("duration => '{seconds} s'"));
        let theirs = theirs.join().expect("pgbench");
        drop(ending);
        (theirs, ours, storm.join().expect("a storm"))
    });
    // None is found later, in another statement or another transaction.
    let found = errors(&mut ours, run);
    for error in found.split(", ").filter(|error| !error.is_empty()) {
        let of_nap = part == "statement" && error == "40001 1";
        assert!(of_nap || error.starts_with("57014"), "{part}: {found}");
    }
    (sent, theirs, counts)
}

#[test]
fn a_storm_of_cancels_fails_what_it_fails_in_pgbench() {
    let cluster = cluster();
    for (part, script) in PARTS {
        storm_over(&cluster, part, script, 10);
    }
    expect_next_run(&mut cluster.connect());
    cluster.expect_no_crash();
}

#[test]
fn a_thousand_cancels_in_each_part_fail_what_they_fail_in_pgbench() {
    let cluster = cluster();
    for (part, script) in PARTS {
        storm_over(&cluster, part, script, 1000);
    }
    expect_next_run(&mut cluster.connect());
    cluster.expect_no_crash();
}

/// The timeout of a statement reaches neither into its commit nor into the next statement.
#[test]
fn timeouts_fail_what_they_fail_in_pgbench() {
    const ALONE: &str = "INSERT INTO written VALUES (1);\nSELECT 1;\n";
    const BLOCK: &str = "BEGIN;\nINSERT INTO written VALUES (1);\nEND;\n";
    const BEGIN: &str = "BEGIN;\nEND;\n";
    const ABORT: &str = "BEGIN;\nINSERT INTO written VALUES (1);\nROLLBACK;\n";
    const IDLE: &str = "BEGIN;\n\\sleep 70 ms\nEND;\n\\sleep 70 ms\n";
    const SLOW: &str = "\\set ms CASE WHEN random(1, 10) = 1 THEN 1000 ELSE 0 END\nBEGIN;\nSELECT nap(:ms);\nEND;\n";
    let cluster = cluster();
    let mut session = cluster.connect();
    let (few, many) = (cases(20, 1000), cases(100, 1000));
    for (script, transactions, fails) in [
        (BEGIN, many, 0),
        (ALONE, few, 0),
        (SLOW, many, 10),
        (BLOCK, few, 0),
        (ABORT, many, 0),
        (IDLE, few, 0),
    ] {
        let theirs = by_pgbench(
            &cluster,
            script,
            &["-t", &transactions.to_string(), "--random-seed=7"],
            "-c statement_timeout=60ms -c commit_delay=90000",
        );
        let (run, ours) = by_pgperf(
            &mut session,
            script,
            &format!(
                "transactions_per_client => {transactions}, random_seed => 7, \
                 settings => '{{\"statement_timeout\": \"60ms\", \"commit_delay\": \"90000\"}}'"
            ),
        );
        let found = errors(&mut session, run);
        println!("{script}: pgbench {theirs:?}, pgperf {ours:?}, {found}");
        assert!(!found.contains("25P02"), "{found}");
        assert_eq!(ours.failed > 0, fails > 0, "{ours:?}, {found}");
        let difference = ours.failed_percent() - theirs.failed_percent();
        assert!(difference.abs() <= 1.0, "{theirs:?}, {ours:?}, {found}");
    }
}

/// Nor does it end the wait of a commit for a standby, which a session sits out.
#[test]
fn the_timeout_of_a_statement_does_not_end_the_wait_for_a_standby() {
    const WRITE: &str = "INSERT INTO written VALUES (1);\n";
    let cluster = cluster();
    let mut session = cluster.connect();
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let blocks = format!("BEGIN;\n{WRITE}END;\n");
    let pipeline = format!("\\startpipeline\n{WRITE}\\endpipeline\n");
    for (mode, script) in [
        ("simple", WRITE),
        ("extended", WRITE),
        ("prepared", WRITE),
        ("prepared", &blocks),
        ("extended", &pipeline),
    ] {
        cluster.reconfigure(&[
            "synchronous_commit = local",
            "synchronous_standby_names = nobody",
        ]);
        let run = session.start_run(&format!(
            "script => $$ {script} $$, clients => 1, transactions_per_client => 1, query_mode => '{mode}', collectors => '{{}}', \
             settings => '{{\"synchronous_commit\": \"on\", \"statement_timeout\": \"50ms\"}}'"
        ));
        wait_until("its wait", PATIENCE, || session.value(waiting) == "1");
        sleep(Duration::from_millis(300));
        assert_eq!(session.value(waiting), "1", "{mode} gave up: {script}");
        cluster.reconfigure(&["synchronous_standby_names = ''"]);
        session.wait_for_status(run, "finished");
        assert_eq!(session.total(run, "transactions"), 1, "{mode}");
        assert_eq!(session.total(run, "failed"), 0, "{mode}");
    }
}

/// The ROLLBACK after an error is no statement of the script: nothing cancels it.
#[test]
fn a_block_ends_whatever_cancels_its_rollback() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let (run, counts) = by_pgperf(
        &mut session,
        "BEGIN;\nSELECT count(*) FROM generate_series(1, 100000000);\nEND;\n",
        "duration => '3 s', settings => '{\"statement_timeout\": \"1ms\"}'",
    );
    assert!(counts.failed > 20, "{counts:?}");
    let found = errors(&mut session, run);
    for error in found.split(", ") {
        assert!(error.starts_with("57014"), "{found}");
    }
}

/// What a client does between its statements cannot be cancelled, whatever it is: here it writes to the server's log.
#[test]
fn cancels_between_statements_lose_no_run() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let mut stormy = cluster.connect();
    let over = AtomicBool::new(false);
    let script = "\\set x debug(1)\n".repeat(20) + "SELECT 1;\n";
    let (run, _) = scope(|scope| {
        let ending = Ending(&over);
        let storm = scope.spawn(|| {
            while !over.load(Relaxed) {
                stormy.value(
                    "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'pgperf client'",
                );
            }
        });
        let ended = by_pgperf(&mut session, &script, "duration => '2 s'");
        drop(ending);
        storm.join().expect("a storm");
        ended
    });
    let found = errors(&mut session, run);
    for error in found.split(", ").filter(|error| !error.is_empty()) {
        assert_eq!(error, "57014 20", "{found}");
    }
}

/// An error at top level drops the temporary slots of the session.
#[test]
fn temporary_slots_end_with_an_error() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let (run, counts) = by_pgperf(
        &mut session,
        "SELECT pg_create_physical_replication_slot('of_' || :client_id, false, true);\nSELECT 1 / (:client_id::int - :client_id::int);\n",
        "transactions_per_client => 3",
    );
    assert_eq!(counts.failed, 3 * CLIENTS);
    assert_eq!(errors(&mut session, run), "22012 1");
}
