//! Captures: what sessions did is recorded, value by value; who may start, read and drop them, and how they end.

mod control;
mod ends;
mod exchange;
mod recorded;
mod statements;

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_for};
use capture::{Capture, Session, Statement, Step, Value};
use postgres::Client;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";

/// A server with pgperf preloaded.
fn preloaded(conf: &[&str]) -> Cluster {
    Cluster::with_pgperf(&[&[PRELOADED], conf].concat())
}

/// Starts a capture with further arguments; waits until sessions take part.
fn start(session: &mut Client, name: &str, arguments: &str) {
    session.value(&format!("SELECT pgperf.start_capture('{name}'{arguments})"));
    wait_for("the capture", "capturing", PATIENCE, || {
        status(session, name)
    });
}

/// Waits until that is the answer.
fn until(session: &mut Client, sql: &str, expected: &str) {
    wait_for(sql, expected, PATIENCE, || session.value(sql));
}

/// The message of the error of a call.
fn refusal(session: &mut Client, call: &str) -> String {
    let (_, message, _) = error_of(session, &format!("SELECT {call}"));
    message
}

fn status(session: &mut Client, name: &str) -> String {
    session.value(&format!(
        "SELECT status FROM pgperf.captures WHERE name = '{name}'"
    ))
}

/// Ends it, and reads what it has.
fn stop(cluster: &Cluster, session: &mut Client, name: &str) -> Capture {
    assert_eq!(session.value("SELECT pgperf.stop_capture()"), "t");
    files(cluster, session, name)
}

/// The files of a capture.
fn files(cluster: &Cluster, session: &mut Client, name: &str) -> Capture {
    Capture::read(&folder(cluster, session, name), || ()).expect("the capture's files")
}

fn folder(cluster: &Cluster, session: &mut Client, name: &str) -> std::path::PathBuf {
    let folder = session.value(&format!(
        "SELECT format('pgsql_tmp_pgperf_captures/%s-%s', (SELECT oid FROM pg_database WHERE datname = current_database()), capture_id) \
         FROM pgperf.captures WHERE name = '{name}'"
    ));
    cluster.data_dir().join(folder)
}

/// The session of this application.
fn of_application<'c>(capture: &'c Capture, name: &str) -> &'c Session {
    let mut found = capture
        .sessions
        .iter()
        .filter(|session| session.start.application == name);
    let session = found.next().expect("a session of that name");
    assert!(found.next().is_none(), "one session of that name");
    session
}

/// The statements of a session.
fn statements(session: &Session) -> impl Iterator<Item = &Statement> {
    session.steps.iter().filter_map(|step| match step {
        Step::Statement { statement, .. } => Some(statement),
        _ => None,
    })
}

fn text(capture: &Capture, statement: &Statement) -> String {
    String::from_utf8(capture.texts[&statement.hash].clone()).expect("UTF-8")
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => String::from_utf8(text.clone()).expect("UTF-8"),
    }
}

/// A session step by step: each statement with its values, rows and error, and the ends of transactions.
fn shown(capture: &Capture, session: &Session) -> Vec<String> {
    let one = |step: &Step| match step {
        Step::Statement { statement, .. } => {
            let outcome = &statement.outcome;
            let values: Vec<String> = statement
                .parameters
                .iter()
                .map(|it| value(&it.value))
                .collect();
            let values = if values.is_empty() {
                String::new()
            } else {
                format!(" ({})", values.join(", "))
            };
            let error = outcome
                .sqlstate
                .map(|it| String::from_utf8_lossy(&it).into_owned());
            let error = error.map_or(String::new(), |error| format!(" {error}"));
            let why = outcome
                .unrecorded
                .map_or(String::new(), |why| format!(" {why:?}"));
            format!(
                "{}{values} = {}{error}{why}",
                text(capture, statement),
                outcome.rows
            )
        }
        Step::End { end, .. } => format!(
            "-- {:?}{}",
            end.ending,
            if end.xid.is_some() { ", wrote" } else { "" }
        ),
        Step::Closed { .. } => "-- closed".to_owned(),
    };
    session.steps.iter().map(one).collect()
}
