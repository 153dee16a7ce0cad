//! Whatever a session waits in, a cancel ends it within two seconds.
//!
//! A new place in the source that waits asks for a row: in the table of calls if a session comes there, else in the list of those where only
//! workers do.

use std::process::Command;
use std::thread;
use std::time::Instant;

use crate::common::runs::{AT_ONCE, PATIENCE, Runs};
use crate::common::{Cluster, checkout, run, wait_until};
use postgres::Client;

/// A process that does not go on until this is dropped.
struct Stopped(i64);

impl Stopped {
    fn new(pid: i64) -> Stopped {
        run(Command::new("kill").args(["-STOP", &pid.to_string()]));
        Stopped(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        run(Command::new("kill").args(["-CONT", &self.0.to_string()]));
    }
}

/// Whom the call waits for.
enum Holder {
    /// The server starts no worker.
    Postmaster,
    /// The process that this statement names does not answer.
    Process(&'static str),
    /// A session that has done this in a transaction.
    Transaction(&'static str),
    /// Nothing has to be held: it takes as long.
    Itself,
}

/// What was done before, the holder, the call, and what becomes of it: a SQLSTATE, or a value it returns.
type Case = (&'static [&'static str], Holder, &'static str, &'static str);

const CANCELED: &str = "57014";
const RUN: &[&str] = &[
    "SELECT pgperf.start_run(script => 'SELECT 1;', clients => 2, rate => 50, duration => '1 h')",
];
const LEADER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf leader'";
const SWEEP: &[&str] = &[
    "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1}', repetitions => 1, duration => '1 h')",
];
const SWEEP_WORKER: &str = "UPDATE pgperf_internal.stored_sweeps SET stored_status = 'stopped'; SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'";
const SAMPLER: &[&str] = &["SELECT pgperf.start_sampler()"];
const SAMPLER_WORKER: &str =
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'pgperf sampler'";
const CLAIM: &str = "SELECT pgperf_internal.claim_partitions()";
/// All slots but one: a run of two clients has to wait, as if another one were just ending.
const CROWD: &[&str] = &[
    "SELECT pgperf.start_run(script => 'SELECT 1;', clients => 5, rate => 50, duration => '1 h')",
];

/// This server itself, as another one.
const TARGET: &[&str] = &["DO $$ BEGIN \
       EXECUTE format('CREATE SERVER here FOREIGN DATA WRAPPER pgperf_target OPTIONS (host %L, port %L)', \
                      current_setting('unix_socket_directories'), current_setting('port')); \
       CREATE USER MAPPING FOR postgres SERVER here OPTIONS (user 'postgres'); END $$"];

const CALLS: &[Case] = &[
    // src/service/start.rs, for each kind of worker that a session starts.
    (
        &[],
        Holder::Postmaster,
        "SELECT pgperf.start_run(script => 'SELECT 1;')",
        CANCELED,
    ),
    (
        &[],
        Holder::Postmaster,
        "SELECT pgperf.start_load('tpcb-like')",
        CANCELED,
    ),
    (
        &[],
        Holder::Postmaster,
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1}')",
        CANCELED,
    ),
    (
        &[],
        Holder::Postmaster,
        "SELECT pgperf.start_sampler()",
        CANCELED,
    ),
    (
        &[],
        Holder::Postmaster,
        "CALL pgperf.run(script => 'SELECT 1;')",
        CANCELED,
    ),
    // src/service/preconditions.rs
    (
        CROWD,
        Holder::Itself,
        "SELECT pgperf.start_run(script => 'SELECT 1;', clients => 2)",
        CANCELED,
    ),
    (
        CROWD,
        Holder::Itself,
        "SELECT pgperf.start_load('tpcb-like', jobs => 2)",
        CANCELED,
    ),
    // src/pg/process/lock.rs: partitions
    (
        &[],
        Holder::Transaction(CLAIM),
        "SELECT count(*) FROM pgperf.snapshot()",
        CANCELED,
    ),
    (
        &[],
        Holder::Transaction(CLAIM),
        "SELECT pgperf_internal.claim_partitions()",
        CANCELED,
    ),
    (
        &[],
        Holder::Transaction(CLAIM),
        "CALL pgperf.take_snapshot()",
        CANCELED,
    ),
    // src/sampler/control.rs
    (
        SAMPLER,
        Holder::Process(SAMPLER_WORKER),
        "SELECT pgperf.stop_sampler()",
        CANCELED,
    ),
    // src/run/alter.rs
    (
        RUN,
        Holder::Process(LEADER),
        "SELECT pgperf.alter_run(rate => 60)",
        CANCELED,
    ),
    // src/experiment/control.rs, src/experiment/start.rs
    (
        SWEEP,
        Holder::Process(SWEEP_WORKER),
        "SELECT pgperf.delete_sweep(max(sweep_id)) FROM pgperf.sweeps",
        CANCELED,
    ),
    (
        SWEEP,
        Holder::Process(SWEEP_WORKER),
        "SELECT pgperf.start_sweep(script => 'SELECT 2;', clients => '{1}')",
        CANCELED,
    ),
    // src/service/waiting.rs
    (RUN, Holder::Itself, "CALL pgperf.wait_run()", CANCELED),
    (SWEEP, Holder::Itself, "CALL pgperf.wait_sweep()", CANCELED),
    (
        RUN,
        Holder::Process(LEADER),
        "CALL pgperf.wait_run(progress => false)",
        CANCELED,
    ),
    // src/target/control.rs
    (
        TARGET,
        Holder::Postmaster,
        "SELECT count(*) FROM pgperf.doctor(server => 'here')",
        CANCELED,
    ),
    (
        &[],
        Holder::Postmaster,
        "SELECT pgperf.start_run(script => 'SELECT 1;', server => 'here')",
        CANCELED,
    ),
    // src/experiment/search/drive.rs: the search ends with what it knows.
    (
        &[],
        Holder::Itself,
        "CALL pgperf.find_rate(script => 'SELECT 1;', start_rate => 10)",
        "",
    ),
];

/// Where workers wait alone, and where the server, not pgperf, checks for interrupts: how often each file waits.
const WAITS: &str = "\
src/captures/request.rs 1
src/captures/writer.rs 3
src/experiment/control.rs 1
src/experiment/search/drive.rs 2
src/experiment/start.rs 1
src/experiment/worker.rs 1
src/facts/target/observer.rs 1
src/pg/process/lock.rs 3
src/pg/session/interrupts.rs 1
src/repository/subscribe.rs 1
src/run/alter.rs 1
src/run/client/mod.rs 1
src/run/client/wire.rs 1
src/run/disturbance/session.rs 2
src/run/drain/until_true.rs 1
src/run/leader/starting.rs 1
src/run/leader/watching.rs 2
src/run/load/crew.rs 3
src/run/nodes/conductor.rs 1
src/run/record/run_row.rs 2
src/run/resume/worker.rs 3
src/sampler/begin.rs 1
src/sampler/control.rs 1
src/sampler/launcher.rs 2
src/sampler/permanent.rs 1
src/sampler/targets/mod.rs 1
src/sampler/targets/supervision.rs 1
src/service/guards.rs 3
src/service/preconditions.rs 1
src/service/server_settings.rs 1
src/service/start.rs 1
src/service/starting.rs 1
src/service/waiting.rs 1
src/target/control.rs 1
";

/// Makes the call in a session of its own, cancels it once it waits, and expects the end.
fn expect_canceled(cluster: &Cluster, session: &mut Client, (before, holder, call, ends): &Case) {
    for statement in *before {
        session.value(statement);
    }
    if [RUN, CROWD].contains(before) {
        wait_until("the run", PATIENCE, || {
            session.value("SELECT pgperf.run_status()") == "running"
        });
    }
    let mut caller = cluster.connect();
    let pid = caller.number("SELECT pg_backend_pid()");
    let mut other = cluster.connect();
    let stopped = match holder {
        Holder::Postmaster => Some(Stopped::new(
            cluster.postmaster_pid().expect("a server").into(),
        )),
        Holder::Process(of) => {
            wait_until("the process", PATIENCE, || !session.value(of).is_empty());
            let pid = session.number(of);
            Some(Stopped::new(pid))
        }
        Holder::Transaction(statement) => {
            other.value("BEGIN");
            other.value(statement);
            None
        }
        Holder::Itself => None,
    };
    let ended = thread::scope(|scope| {
        let calling = scope.spawn(move || match caller.simple_query(call) {
            Ok(_) => String::new(),
            Err(error) => {
                let error = error
                    .as_db_error()
                    .unwrap_or_else(|| panic!("{call}: {error:?}"));
                format!("{}: {}", error.code().code(), error.message())
            }
        });
        // What it starts itself has begun.
        let has_begun = if ends.is_empty() {
            "AND pgperf.run_status() = 'running'"
        } else {
            ""
        };
        let waits = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE pid = {pid} AND state = 'active' \
             AND (wait_event_type = 'Extension' OR lower(wait_event) = 'bgworkershutdown') {has_begun}"
        );
        wait_until(&format!("{call}: to wait"), PATIENCE, || {
            assert!(!calling.is_finished(), "{call}: ended without a wait");
            session.number(&waits) == 1
        });
        let began = Instant::now();
        session.value(&format!("SELECT pg_cancel_backend({pid})"));
        while !calling.is_finished() && began.elapsed() < PATIENCE {
            thread::sleep(std::time::Duration::from_millis(2));
        }
        let took = began.elapsed();
        println!(
            "{:?} {call}: ended after {took:?}",
            std::time::SystemTime::now()
        );
        drop(stopped);
        let ended = calling.join().expect("the caller");
        assert!(took < AT_ONCE, "{call}: {took:?}, {ended}");
        ended
    });
    assert!(
        ended.starts_with(ends) && (ended.is_empty() == ends.is_empty()),
        "{call}: {ended}"
    );
    other.value("ROLLBACK");
    // A sweep that was said to be over is none that could be stopped.
    session.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'");
    session.value("SELECT pgperf.stop_sampler(), pgperf.stop_all()");
    session.value("SELECT pgperf.stop_all()");
    wait_until(
        &format!("the end of workers after {call}"),
        PATIENCE,
        || session.workers() == 0,
    );
}

#[test]
fn a_cancel_ends_every_call_that_waits() {
    // Seven slots are for pgperf: one of the server's own is taken.
    let cluster = Cluster::for_runs(&["max_worker_processes = 8"]);
    let mut session = cluster.connect();
    for case in CALLS {
        expect_canceled(&cluster, &mut session, case);
    }
}

#[test]
fn a_new_place_that_waits_asks_for_a_row() {
    let output = Command::new("grep")
        .args(["-rnE", "^[^/]*(latch::(wait|wait_for|wait_until|wait_precisely|pause|pause_for_workers|sleep)|socket::wait|thread::sleep)\\(", "src", "--include=*.rs"])
        .current_dir(checkout())
        .output()
        .unwrap();
    let mut found = std::collections::BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let file = line.split(':').next().unwrap();
        if file != "src/pg/process/latch.rs" {
            *found.entry(file.to_owned()).or_insert(0) += 1;
        }
    }
    let found: String = found
        .iter()
        .map(|(file, number)| format!("{file} {number}\n"))
        .collect();
    assert_eq!(found, WAITS, "what becomes of a cancel there?");
}
