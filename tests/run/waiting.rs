//! Calls that wait for a run: they hold nothing back, can be left, and report progress.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::runs::{AT_ONCE, PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::error::DbError;
use postgres::{Client, NoTls};

/// A session that waits in a call, in a thread of its own, and the server's messages to it meanwhile.
struct Waiter {
    pid: i64,
    notices: Arc<Mutex<Vec<String>>>,
    /// Ends with the first column of the call's row, or the error's SQLSTATE and message.
    thread: thread::JoinHandle<Result<String, String>>,
}

impl Waiter {
    /// Calls with the simple protocol, as psql does, or the extended one, as drivers do.
    fn call(cluster: &Cluster, call: &str, extended: bool) -> Waiter {
        let notices: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&notices);
        let mut config = cluster.config();
        config.notice_callback(move |notice: DbError| {
            if let Ok(mut heard) = heard.lock() {
                heard.push(format!("{}: {}", notice.severity(), notice.message()));
            }
        });
        let mut session = config.connect(NoTls).expect("a session");
        let pid = session.number("SELECT pg_backend_pid()");
        let call = call.to_owned();
        let thread = thread::spawn(move || {
            let result = if extended {
                session.query(&call, &[]).map(|_| String::new())
            } else {
                session
                    .simple_query(&call)
                    .map(|messages| first_value(&messages))
            };
            result.map_err(|error| match error.as_db_error() {
                Some(error) => format!("{} {}", error.code().code(), error.message()),
                None => error.to_string(),
            })
        });
        Waiter {
            pid,
            notices,
            thread,
        }
    }

    fn heard(&self) -> Vec<String> {
        self.notices
            .lock()
            .expect("no panic while holding it")
            .clone()
    }

    fn end(self) -> Result<String, String> {
        wait_until("the end of the call", PATIENCE, || {
            self.thread.is_finished()
        });
        self.thread.join().expect("the thread did not panic")
    }

    /// Expects that the session waits with neither snapshot nor transaction id, and goes on doing so.
    fn expect_no_horizon(&self, session: &mut Client) {
        let waits = format!(
            "SELECT lower(wait_event) = 'bgworkershutdown' FROM pg_stat_activity WHERE pid = {}",
            self.pid
        );
        wait_until("the session to wait", PATIENCE, || {
            session.value(&waits) == "t"
        });
        let held = format!(
            "SELECT (backend_xmin IS NOT NULL)::int + (backend_xid IS NOT NULL)::int \
             FROM pg_stat_activity WHERE pid = {}",
            self.pid
        );
        // It looks for progress now and then, which takes a snapshot for a moment: most of the time, none.
        let looks = 100;
        let holding: i64 = (0..looks)
            .map(|_| {
                thread::sleep(Duration::from_millis(10));
                session.number(&held)
            })
            .sum();
        assert!(
            holding <= looks / 20,
            "held something in {holding} of {looks} looks"
        );
    }
}

fn first_value(messages: &[postgres::SimpleQueryMessage]) -> String {
    messages
        .iter()
        .find_map(|message| match message {
            postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .unwrap_or_default()
}

#[test]
fn a_waiting_session_holds_no_snapshot() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    for extended in [false, true] {
        let run = session.start_run("'tpcb-like', duration => '1 h'");
        let waiter = Waiter::call(&cluster, &format!("CALL pgperf.wait_run({run})"), extended);
        waiter.expect_no_horizon(&mut session);
        assert_eq!(session.status(run), "running");
        session.value("SELECT pgperf.stop_run()");
        let status = waiter.end().expect("no error");
        assert!(extended || status == "stopped", "{status}");
        let call = "CALL pgperf.run('tpcb-like', duration => '1 h', sample_interval => '0.2 s')";
        let waiter = Waiter::call(&cluster, call, extended);
        waiter.expect_no_horizon(&mut session);
        // Nor does it count as work in the history.
        for _ in 0..2 {
            session.value("SELECT count(*) FROM pgperf.snapshot('{waits}')");
        }
        let stored = "SELECT count(*) > 0 FROM pgperf.wait_history WHERE lower(wait_event) = 'bgworkershutdown' AND state = 'active'";
        assert_eq!(session.value(stored), "t");
        let waits = session.value(
            "SELECT string_agg(s::text, '') FROM jsonb_array_elements(pgperf.history_json(now() - interval '1 min', clock_timestamp()) -> 'sections') s \
              WHERE s ->> 'name' = 'waits'",
        );
        assert!(waits.contains("running, or waiting for a CPU"), "{waits}");
        assert!(
            !waits.to_lowercase().contains("bgworkershutdown"),
            "{waits}"
        );
        session.value("SELECT pgperf.stop_all()");
        waiter.end().expect("no error");
    }
}

#[test]
fn a_session_that_waits_for_a_load_holds_no_snapshot() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    // The load waits for this lock on its history table until it is let go.
    session.value("CALL pgperf.init()");
    let mut blocker = cluster.connect();
    blocker.value("BEGIN; LOCK TABLE pgbench_history IN ACCESS SHARE MODE");
    let waiter = Waiter::call(&cluster, "CALL pgperf.init('tpcb-like', scale => 2)", false);
    waiter.expect_no_horizon(&mut session);
    blocker.value("COMMIT");
    waiter.end().expect("no error");
    assert_eq!(session.number("SELECT count(*) FROM pgbench_branches"), 2);
}

#[test]
fn calls_that_wait_are_refused_where_they_cannot_commit() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.finish_run("'tpcb-like', transactions_per_client => 1");
    let runs = session.number("SELECT count(*) FROM pgperf_internal.stored_runs");
    let calls = [
        (
            "pgperf.wait_run()",
            "pgperf.wait_run(status => result)",
            "text",
        ),
        ("pgperf.run()", "pgperf.run(run_id => result)", "bigint"),
        ("pgperf.init()", "pgperf.init(run_id => result)", "bigint"),
        (
            "pgperf.quickstart()",
            "pgperf.quickstart(run_id => result)",
            "bigint",
        ),
    ];
    for (call, with_result, result) in calls {
        session.value(&format!(
            "CREATE OR REPLACE FUNCTION waits() RETURNS void LANGUAGE plpgsql AS \
             'DECLARE result {result}; BEGIN CALL {with_result}; END'"
        ));
        for statement in [
            format!("BEGIN; CALL {call}"),
            format!("SELECT 1; CALL {call}"),
            "SELECT waits()".to_owned(),
            format!("DO $$ BEGIN EXECUTE 'CALL {call}'; END $$"),
            format!(
                "DO $$ DECLARE result {result}; BEGIN CALL {with_result}; \
                 EXCEPTION WHEN division_by_zero THEN NULL; END $$"
            ),
        ] {
            let (sqlstate, message, hint) = error_of(&mut session, &statement);
            assert_eq!(sqlstate, "25001", "{statement}: {message}");
            assert!(hint.contains("outside BEGIN"), "{statement}: {hint}");
            session.value("ROLLBACK");
        }
    }
    session.expect_no_workers("refused calls");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.stored_runs"),
        runs
    );
}

#[test]
fn a_timeout_returns_with_the_run_going_on() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("'tpcb-like', duration => '1 h'");
    session.wait_for_status(run, "running");
    let began = Instant::now();
    assert_eq!(
        session.value("CALL pgperf.wait_run(timeout => '0.5 s')"),
        "running"
    );
    let took = began.elapsed();
    assert!(
        took >= Duration::from_millis(500) && took < AT_ONCE,
        "{took:?}"
    );
    assert_eq!(session.status(run), "running");
}

#[test]
fn waiting_for_a_run_that_has_ended_returns_at_once() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("'tpcb-like', transactions_per_client => 10");
    let began = Instant::now();
    assert_eq!(
        session.value(&format!("CALL pgperf.wait_run({run})")),
        "finished"
    );
    assert_eq!(session.value("CALL pgperf.wait_run()"), "finished");
    assert!(began.elapsed() < Duration::from_millis(500));
    let (sqlstate, ..) = error_of(&mut session, "CALL pgperf.wait_run(99)");
    assert_eq!(sqlstate, "42704");
}

#[test]
fn wait_run_returns_when_the_run_ends() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.start_run("'tpcb-like', duration => '1 s'");
    let began = Instant::now();
    // Also several runs later in one session.
    assert_eq!(session.value("CALL pgperf.wait_run()"), "finished");
    assert!(began.elapsed() > Duration::from_millis(900));
    let run = session.start_run("script => 'SELECT 1 / 0;', transactions_per_client => 1");
    assert_eq!(
        session.value(&format!("CALL pgperf.wait_run({run})")),
        "failed"
    );
    // The leader goes away without a word.
    let run = session.start_busy_run("'tpcb-like', duration => '1 h', sample_interval => '0.1 s'");
    let waiter = Waiter::call(&cluster, "CALL pgperf.wait_run()", false);
    waiter.expect_no_horizon(&mut session);
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    assert_eq!(waiter.end(), Ok("interrupted".to_owned()));
}

#[test]
fn cancelling_wait_run_leaves_the_run_alone() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("'tpcb-like', duration => '1 h'");
    let waiter = Waiter::call(&cluster, "CALL pgperf.wait_run()", false);
    waiter.expect_no_horizon(&mut session);
    session.value(&format!("SELECT pg_cancel_backend({})", waiter.pid));
    let notices = Arc::clone(&waiter.notices);
    let error = waiter.end().expect_err("it was cancelled");
    assert!(error.starts_with("57014"), "{error}");
    let notices = notices
        .lock()
        .expect("no panic while holding it")
        .join("\n");
    assert!(
        notices.contains(&format!("run {run} is still running")),
        "{notices}"
    );
    assert_eq!(session.status(run), "running");
    assert_eq!(session.value("SELECT pgperf.stop_run()"), "t");
}

#[test]
fn terminating_a_waiting_session_leaves_the_run_alone() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("'tpcb-like', duration => '1 h'");
    let waiter = Waiter::call(&cluster, "CALL pgperf.wait_run()", false);
    waiter.expect_no_horizon(&mut session);
    session.value(&format!("SELECT pg_terminate_backend({})", waiter.pid));
    assert!(waiter.end().is_err());
    assert_eq!(session.status(run), "running");
}

#[test]
fn cancelling_run_stops_the_run_and_still_reports() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let call =
        "CALL pgperf.run('tpcb-like', clients => 2, duration => '1 h', sample_interval => '0.2 s')";
    let waiter = Waiter::call(&cluster, call, false);
    wait_until("progress", PATIENCE, || waiter.heard().len() >= 3);
    session.value(&format!("SELECT pg_cancel_backend({})", waiter.pid));
    let notices = Arc::clone(&waiter.notices);
    let run: i64 = waiter.end().expect("no error").parse().expect("a run_id");
    assert_eq!(session.status(run), "stopped");
    let notices = notices
        .lock()
        .expect("no panic while holding it")
        .join("\n");
    assert!(
        notices.contains(&format!("INFO: stopping run {run}")),
        "{notices}"
    );
    assert!(notices.contains("INFO: report of the run"), "{notices}");
    assert!(notices.contains("tps = "), "{notices}");
}

#[test]
fn a_second_cancel_does_not_wait_for_the_statements() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let call = "CALL pgperf.run(script => 'SELECT pg_sleep(600);', duration => '1 h')";
    let waiter = Waiter::call(&cluster, call, false);
    wait_until("the client to sleep", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1
    });
    let cancel = format!("SELECT pg_cancel_backend({})", waiter.pid);
    session.value(&cancel);
    wait_until("the stop", PATIENCE, || {
        session.value("SELECT pgperf.run_status()") == "draining"
    });
    let began = Instant::now();
    session.value(&cancel);
    let _ = waiter.end();
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    session.expect_no_workers("the second cancel");
}

#[test]
fn progress_is_told_line_by_line() {
    let cluster = Cluster::for_runs(&[]);
    let call = "CALL pgperf.run('tpcb-like', duration => '2 s', sample_interval => '0.5 s')";
    let waiter = Waiter::call(&cluster, call, false);
    // Lines come while it runs, not all at its end.
    wait_until("a line", PATIENCE, || !waiter.heard().is_empty());
    assert!(!waiter.thread.is_finished());
    let notices = Arc::clone(&waiter.notices);
    waiter.end().expect("no error");
    let notices = notices.lock().expect("no panic while holding it");
    let progress = notices
        .iter()
        .filter(|line| line.starts_with("INFO: progress: ") && line.contains(" tps, lat "));
    assert_eq!(progress.count(), 4, "{notices:#?}");
}

#[test]
fn quickstart_shows_a_run_and_what_to_try_next() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let waiter = Waiter::call(&cluster, "CALL pgperf.quickstart()", false);
    let lines = |text: &str| {
        waiter
            .heard()
            .iter()
            .filter(|line| line.contains(text))
            .count()
    };
    wait_until("progress of the run", PATIENCE, || lines(" tps, lat ") >= 2);
    // Ten seconds are long for a test; a stopped run is reported too.
    session.value(&format!("SELECT pg_cancel_backend({})", waiter.pid));
    wait_until("what to try next", PATIENCE, || {
        lines("What to try next") == 1
    });
    assert_eq!(lines("report of the run"), 1);
    let run = waiter.end().expect("no error");
    assert_eq!(
        session.value("SELECT string_agg(format('%s %s', label, status), ',') FROM pgperf.runs WHERE kind = 'run'"),
        "quickstart stopped"
    );
    assert_eq!(session.value("SELECT pgperf.run_status()"), "stopped");
    assert_eq!(run, session.value("SELECT max(run_id) FROM pgperf.runs"));
}

/// A job that calls it ends with an error, whatever ended the run.
#[test]
fn a_call_whose_run_is_interrupted_fails() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let call = "CALL pgperf.run(script => 'SELECT pg_sleep(0.01);', duration => '1 h')";
    let waiter = Waiter::call(&cluster, call, false);
    wait_until("the run", PATIENCE, || {
        session.value("SELECT max(status) FROM pgperf.runs WHERE kind = 'run'") == "running"
    });
    session.value(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'pgperf leader'",
    );
    let error = waiter.end().expect_err("an interrupted run");
    assert!(error.contains("was interrupted"), "{error}");
}

/// A client that waits for its own run: the second stop cancels the waiting.
#[test]
fn a_client_that_waits_for_its_run_can_be_stopped() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("script => 'CALL pgperf.wait_run();', duration => '1 h'");
    wait_until("the client to wait", PATIENCE, || {
        session.value(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf client' \
             AND lower(wait_event) = 'bgworkershutdown'",
        ) == "1"
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    let status = format!("SELECT status FROM pgperf.runs WHERE run_id = {run}");
    wait_until("the end of the run", PATIENCE, || {
        session.value(&status) == "stopped"
    });
}

#[test]
fn a_statement_timeout_is_an_error_of_the_call() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("SET statement_timeout = '1500 ms'");
    for call in [
        "CALL pgperf.run(script => 'SELECT 1;', duration => '1 h')",
        "CALL pgperf.find_rate(script => 'SELECT 1;', start_rate => 10)",
    ] {
        let (sqlstate, message, _) = error_of(&mut session, call);
        assert_eq!(
            (sqlstate.as_str(), message.as_str()),
            ("57014", "canceling statement due to statement timeout"),
            "{call}"
        );
        let run = session.number("SELECT max(run_id) FROM pgperf.runs");
        session.wait_for_status(run, "stopped");
    }
}
