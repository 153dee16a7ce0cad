//! Replays of made-up captures: each kind of difference, and what cannot be played.

use crate::common::Cluster;
use crate::common::runs::Runs;
use capture::record::{self, End, Ending, Outcome, Start, Work};
use capture::segment::Writer;
use capture::{Protocol, Unrecorded};
use postgres::Client;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::{MetadataExt, chown};

/// A capture while it is written.
struct Session {
    number: u64,
    bytes: Vec<u8>,
    now: i64,
}

impl Session {
    fn new(number: u64, settings: &[(&str, &str)]) -> Session {
        let mut bytes = Vec::new();
        let settings = settings.iter();
        record::write_start(
            &mut bytes,
            &Start {
                pid: number as i32,
                at: number as i64,
                role: "postgres".to_owned(),
                application: "made up".to_owned(),
                settings: settings
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
            },
        );
        Session {
            number,
            bytes,
            now: 0,
        }
    }

    /// A statement with a whole number, if it has a parameter, and how it ended.
    fn statement(
        mut self,
        text: &str,
        value: Option<i64>,
        visible: u32,
        outcome: Outcome,
    ) -> Session {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        record::write_text(&mut self.bytes, hash, text.as_bytes());
        let work = match text.split(' ').next() {
            Some("BEGIN") => Work::Begins,
            Some("COMMIT" | "ROLLBACK") => Work::Ends,
            Some("SELECT") => Work::Reads,
            Some("INSERT" | "UPDATE") => Work::Changes,
            _ => Work::Utility,
        };
        let protocol = match value {
            Some(_) => Protocol::Prepared,
            None => Protocol::Simple,
        };
        let has_snapshot = matches!(work, Work::Reads | Work::Changes);
        let visible = has_snapshot.then_some((visible, &[][..]));
        self.now += 1_000;
        record::write_statement(&mut self.bytes, hash, protocol, work, self.now, visible);
        record::write_count(&mut self.bytes, usize::from(value.is_some()));
        if let Some(value) = value {
            record::write_integer(&mut self.bytes, 23, value);
        }
        let outcome = Outcome {
            took: 500,
            ..outcome
        };
        self.now += 500;
        record::write_outcome(&mut self.bytes, &outcome);
        self
    }

    fn run(self, text: &str, rows: u64) -> Session {
        let outcome = Outcome {
            rows,
            ..Outcome::default()
        };
        self.statement(text, None, 5, outcome)
    }

    fn end(mut self, ending: Ending, xid: Option<u32>) -> Session {
        record::write_end(
            &mut self.bytes,
            &End {
                at: self.now,
                ending,
                xid,
                lsn: u64::from(xid.unwrap_or(0)),
                isolation: 1,
                read_only: false,
            },
        );
        self
    }

    fn commit(self, xid: u32) -> Session {
        self.end(Ending::Committed, Some(xid))
    }

    fn read(self) -> Session {
        self.end(Ending::Committed, None)
    }
}

fn failed(sqlstate: &[u8; 5]) -> Outcome {
    Outcome {
        sqlstate: Some(*sqlstate),
        ..Outcome::default()
    }
}

/// Writes a capture of these sessions.
fn write(cluster: &Cluster, name: &str, sessions: Vec<Session>) {
    let data = cluster.data_dir();
    let of_server = fs::metadata(&data).expect("the data directory");
    let owner = (Some(of_server.uid()), Some(of_server.gid()));
    let all = data.join("pgsql_tmp_pgperf_captures");
    let mut session = cluster.connect();
    let id = session.number(&format!(
        "INSERT INTO pgperf_internal.stored_captures (capture_id, node_id, name, role, scope, duration_s, max_bytes, stored_status) \
         SELECT nextval('pgperf_internal.capture_id_seq'), node_id, '{name}', 'postgres', '{{}}', 1, 1, 'finished' FROM pgperf.nodes LIMIT 1 \
         RETURNING capture_id"
    ));
    let database = session.number("SELECT oid FROM pg_database WHERE datname = current_database()");
    let folder = all.join(format!("{database}-{id}"));
    fs::create_dir_all(&folder).expect("a folder");
    let mut writer = Writer::begin(&folder).expect("a segment");
    for mut session in sessions {
        record::write_closed(&mut session.bytes, session.now);
        writer
            .add(session.number, &session.bytes)
            .expect("a session");
    }
    writer.sync().expect("a segment");
    for path in [all, folder.clone(), folder.join("00000001.segment")] {
        chown(path, owner.0, owner.1).expect("an owner");
    }
}

fn cluster() -> (Cluster, Client) {
    let cluster = Cluster::for_faults(&["max_connections = 50"]);
    let mut session = cluster.connect();
    session
        .batch_execute("CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 0), (2, 0)")
        .expect("tables");
    (cluster, session)
}

#[track_caller]
fn holds(session: &mut Client, sql: &str) {
    assert_eq!(session.value(sql), "t", "{sql}");
}

fn replay(session: &mut Client, arguments: &str) -> i64 {
    let run = session.start_run(arguments);
    session.wait_for_status(run, "finished");
    run
}

#[test]
fn a_capture_is_played_in_the_order_of_its_commits() {
    let (cluster, mut session) = cluster();
    // The first one is slow; each of the others saw what was before.
    let slow = Session::new(1, &[("TimeZone", "Asia/Tokyo")])
        .run("BEGIN", 0)
        .run("SELECT pg_sleep(0.5)", 1)
        .run("UPDATE account SET balance = balance * 2 + 1", 2)
        .run("COMMIT", 0)
        .commit(10);
    let outcome = |rows| Outcome {
        rows,
        ..Outcome::default()
    };
    let others = (2..6).map(|number| {
        let xid = 9 + number as u32;
        let rich = "SELECT 1 FROM account WHERE balance = $1";
        Session::new(number, &[])
            .statement(rich, Some((1 << (number - 1)) - 1), xid, outcome(2))
            .read()
            .statement(
                "UPDATE account SET balance = balance * 2 + 1",
                None,
                xid,
                outcome(2),
            )
            .commit(xid)
    });
    let sessions = std::iter::once(slow).chain(others).collect();
    write(&cluster, "ordered", sessions);
    let run = replay(
        &mut session,
        "'capture:ordered', transport => 'wire', sample_interval => '0.1 s'",
    );
    holds(
        &mut session,
        &format!(
            "SELECT transactions = 9 AND transactions_alike = 9 AND statements = 12 AND statements_alike = 12 AND statements_diverged = 0 \
                AND broken_waits = 0 AND late_avg_ms IS NULL AND refused_settings = 0 FROM pgperf.run_replays WHERE run_id = {run}"
        ),
    );
    holds(
        &mut session,
        "SELECT min(balance) = 31 AND max(balance) = 31 FROM account",
    );
    holds(
        &mut session,
        &format!(
            "SELECT transactions = 9 AND failed = 0 AND clients = 5 AND workload = 'capture:ordered' FROM pgperf.run_summary WHERE run_id = {run}"
        ),
    );
    holds(
        &mut session,
        &format!(
            "SELECT sum(calls) = 12 AND bool_and(captured_avg_ms = 0.5) FROM pgperf.run_statements JOIN pgperf.run_replay_statements USING (run_id, command_no) \
          WHERE run_id = {run}"
        ),
    );
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    println!("{report}");
    assert!(
        report.contains("9 of 9 transactions were played, 100 %"),
        "{report}"
    );
    assert!(
        report.contains("order: that of the commits, kept"),
        "{report}"
    );
    session.value(&format!("SELECT pgperf.delete_run({run})"));
    holds(
        &mut session,
        "SELECT (SELECT count(*) FROM pgperf.run_replays) + (SELECT count(*) FROM pgperf.run_replay_statements) = 0",
    );
    cluster.expect_no_crash();
}

#[test]
fn each_difference_is_counted_and_placed() {
    let (cluster, mut session) = cluster();
    let statement = |session: Session, text, outcome| session.statement(text, None, 5, outcome);
    let mut one = Session::new(
        1,
        &[
            ("no_such.setting_of_pgperf", "1"),
            ("work_mem", "no number"),
        ],
    );
    // New, not reached.
    one = one
        .run("BEGIN", 0)
        .run("INSERT INTO account VALUES (1, 7)", 1);
    one = one
        .run("UPDATE account SET balance = 4711", 2)
        .run("COMMIT", 0)
        .commit(10);
    // Gone: what came before it is not to be committed.
    one = one
        .run("BEGIN", 0)
        .run("UPDATE account SET balance = 13", 2);
    one = statement(one, "SELECT 1", failed(b"22012")).end(Ending::Aborted, None);
    one = one.run("COMMIT", 0);
    // Other.
    one = statement(one, "SELECT 1 / 0", failed(b"22003")).end(Ending::Aborted, None);
    // Rows.
    one = one.run("SELECT id FROM account", 3).read();
    // The same error, the same rows; two of one message.
    one = statement(one, "SELECT 2 / 0", failed(b"22012")).end(Ending::Aborted, None);
    one = one
        .run("INSERT INTO account VALUES (3, 5)", 1)
        .run("INSERT INTO account VALUES (4, 5)", 1)
        .commit(11);
    // Left out.
    let copy = Outcome {
        unrecorded: Some(Unrecorded::CopyFrom),
        ..Outcome::default()
    };
    one = statement(one, "COPY account FROM STDIN", copy).commit(12);
    write(&cluster, "different", vec![one]);
    let run = replay(
        &mut session,
        "'capture:different', transport => 'wire', options => '{\"speed\": 1}', sample_interval => '0.1 s'",
    );
    holds(
        &mut session,
        &format!(
            "SELECT transactions = 6 AND transactions_alike = 2 AND transactions_diverged = 4 AND statements_left_out = 1 \
            AND refused_settings = 1 AND late_max_ms >= 0 AND speed = 1 FROM pgperf.run_replays WHERE run_id = {run}"
        ),
    );
    let sums = session.value(&format!(
        "SELECT concat_ws(' ', sum(error_new), sum(error_gone), sum(error_other), sum(rows_other), sum(not_reached)) \
         FROM pgperf.run_replay_statements WHERE run_id = {run}"
    ));
    assert_eq!(sums, "1 1 1 1 1");
    holds(
        &mut session,
        "SELECT string_agg(id || ' ' || balance, ', ' ORDER BY id) = '1 0, 2 0, 3 5, 4 5' FROM account",
    );
    let places = session.value(&format!(
        "SELECT positions ->> 'error_new' FROM pgperf.run_replay_statements WHERE run_id = {run} AND error_new > 0"
    ));
    assert_eq!(places, r#"[{"session": 1, "statement": 2}]"#);
    // No value anywhere.
    holds(
        &mut session,
        &format!(
            "SELECT count(*) = 0 FROM pgperf.run_replay_statements WHERE run_id = {run} AND statement ~ '4711|13'"
        ),
    );
    holds(
        &mut session,
        &format!(
            "SELECT count(*) FILTER (WHERE message ~ '\\(|account') = 0 AND count(*) = 2 FROM pgperf.run_errors WHERE run_id = {run}"
        ),
    );
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    println!("{report}");
    assert!(report.contains("Statements that differ"), "{report}");
    cluster.expect_no_crash();
}

#[test]
fn a_circle_with_an_advisory_lock_is_broken() {
    let (cluster, mut session) = cluster();
    let lock = "SELECT pg_advisory_xact_lock(7)";
    let seen = |session: Session, text, visible| {
        let outcome = Outcome {
            rows: 1,
            ..Outcome::default()
        };
        session.statement(text, None, visible, outcome)
    };
    // It took the lock first, which no snapshot shows; now it comes later.
    let first = Session::new(1, &[])
        .run("BEGIN", 0)
        .run("SELECT pg_sleep(0.3)", 1);
    let first = seen(first, lock, 5)
        .run("UPDATE account SET balance = 1", 2)
        .run("COMMIT", 0)
        .commit(10);
    let second = seen(Session::new(2, &[]).run("BEGIN", 0), lock, 5);
    let second = seen(second, "SELECT 1", 11).run("COMMIT", 0).read();
    write(&cluster, "circle", vec![first, second]);
    let run = replay(&mut session, "'capture:circle', transport => 'wire'");
    holds(
        &mut session,
        &format!(
            "SELECT broken_waits = 1 AND statements_diverged = 0 FROM pgperf.run_replays WHERE run_id = {run}"
        ),
    );
    cluster.expect_no_crash();
}

#[test]
fn a_replay_is_stopped_where_it_is() {
    let (cluster, mut session) = cluster();
    let one = Session::new(1, &[])
        .run("SELECT 1", 1)
        .read()
        .run("SELECT pg_sleep(3600)", 1)
        .read();
    write(&cluster, "endless", vec![one]);
    let run = session.start_run("'capture:endless', transport => 'wire'");
    session.wait_for_clients(run, 1, "wait_event = 'PgSleep'");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    holds(
        &mut session,
        &format!(
            "SELECT transactions = 2 AND transactions_alike = 1 AND transactions_diverged = 0 FROM pgperf.run_replays WHERE run_id = {run}"
        ),
    );
    cluster.expect_no_crash();
}

#[test]
fn what_does_not_fit_is_refused_before_anything_starts() {
    let (cluster, mut session) = cluster();
    write(
        &cluster,
        "small",
        vec![Session::new(1, &[]).run("SELECT 1", 1).read()],
    );
    let before = session.number("SELECT count(*) FROM pgperf.runs");
    for (arguments, message) in [
        (
            "'capture:none', transport => 'wire'",
            "there is no capture \"none\"",
        ),
        (
            "'capture:../small', transport => 'wire'",
            "there is no capture \"../small\"",
        ),
        ("'capture:small'", "a replay needs transport => 'wire'"),
        (
            "'capture:small', transport => 'wire', clients => 2",
            "a replay has no argument clients",
        ),
        (
            "'capture:small', transport => 'wire', rate => '10'",
            "a replay has no argument rate",
        ),
        (
            "'capture:small', transport => 'wire', options => '{\"sped\": 1}'",
            "a replay has no option \"sped\"",
        ),
        (
            "'capture:small', transport => 'wire', options => '{\"roles\": [\"nobody\"]}'",
            "capture \"small\" has no session to be played",
        ),
    ] {
        let error = session.batch_execute(&format!("SELECT pgperf.start_run({arguments})"));
        let error = error.expect_err(arguments);
        let told = error.as_db_error().map(postgres::error::DbError::message);
        assert_eq!(told, Some(message), "{arguments}");
    }
    let after = session.number("SELECT count(*) FROM pgperf.runs");
    assert_eq!(after, before);
    cluster.expect_no_crash();
}
