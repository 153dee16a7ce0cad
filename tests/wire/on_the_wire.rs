//! The time that statements spend on the wire. The judges are a proxy before the server's socket, which holds answers back and has a
//! clock of its own, and pg_stat_statements.

use super::{cluster, expect_nothing_left};
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// How long the proxy holds an answer back, or its last byte.
const HELD: Duration = Duration::from_millis(40);
/// How far two means may be apart on a busy machine, in ms; less than that.
const ROOM_MS: f64 = 15.0;

/// What the proxy does to the answer of a statement with this text in it.
const LATE: &str = "'late'";
const SLOW: &str = "'slow'";

/// Times of a statement's answers as the proxy has seen them: from the statement to the first byte, and from that to the last.
type Seen = BTreeMap<&'static str, Vec<(Duration, Duration)>>;

/// It takes the place of the server's socket.
struct Proxy {
    place: PathBuf,
    server: PathBuf,
    seen: Arc<Mutex<Seen>>,
}

impl Proxy {
    fn before(cluster: &Cluster) -> Proxy {
        let place = (cluster.socket_dir()).join(format!(".s.PGSQL.{}", cluster.port()));
        let server = place.with_extension("server");
        fs::rename(&place, &server).expect("the server's socket");
        let listener = UnixListener::bind(&place).expect("a socket");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).expect("its permissions");
        let seen = Arc::<Mutex<Seen>>::default();
        let (to, all) = (server.clone(), Arc::clone(&seen));
        spawn(move || {
            for client in listener.incoming().flatten() {
                serve(client, &to, &all);
            }
        });
        Proxy {
            place,
            server,
            seen,
        }
    }

    /// Means of what it has seen, in ms.
    fn means(&self, text: &str) -> (f64, f64) {
        let seen = self.seen.lock().expect("times");
        let times = &seen[text];
        let mean = |of: fn(&(Duration, Duration)) -> Duration| {
            times.iter().map(of).sum::<Duration>().as_secs_f64() * 1e3 / times.len() as f64
        };
        (mean(|it| it.0), mean(|it| it.1))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = fs::rename(&self.server, &self.place);
    }
}

fn serve(mut client: UnixStream, server: &Path, seen: &Arc<Mutex<Seen>>) {
    let mut server = UnixStream::connect(server).expect("the server");
    let mut to_server = server.try_clone().expect("a socket");
    let mut from_client = client.try_clone().expect("a socket");
    let asked = Arc::new(Mutex::new(None));
    let (noted, seen) = (Arc::clone(&asked), Arc::clone(seen));
    spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(size @ 1..) = from_client.read(&mut buffer) {
            let text = String::from_utf8_lossy(&buffer[..size]);
            let kind = [LATE, SLOW].into_iter().find(|it| text.contains(it));
            *noted.lock().expect("a statement") = kind.map(|kind| (kind, Instant::now()));
            if to_server.write_all(&buffer[..size]).is_err() {
                break;
            }
        }
        let _ = to_server.shutdown(std::net::Shutdown::Write);
    });
    spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(size @ 1..) = server.read(&mut buffer) {
            let answer = &buffer[..size];
            let statement = asked.lock().expect("a statement").take();
            let Some((kind, began)) = statement else {
                if client.write_all(answer).is_err() {
                    break;
                }
                continue;
            };
            if kind == LATE {
                sleep(HELD);
            }
            let first = began.elapsed();
            let (most, last) = answer.split_at(size - 1);
            let _ = client.write_all(most);
            if kind == SLOW {
                sleep(HELD);
            }
            let rest = began.elapsed() - first;
            let _ = client.write_all(last);
            let mut seen = seen.lock().expect("times");
            seen.entry(kind).or_default().push((first, rest));
        }
        let _ = client.shutdown(std::net::Shutdown::Both);
    });
}

/// A column of the only statement that has this text in it.
fn of(session: &mut Client, run: i64, text: &str, column: &str) -> f64 {
    let text = text.replace('\'', "''");
    session.float(&format!(
        "SELECT {column} FROM pgperf.run_statements WHERE run_id = {run} AND statement LIKE '%{text}%'"
    ))
}

#[test]
fn an_answer_that_comes_late_is_told_from_one_that_comes_slowly() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let proxy = Proxy::before(&cluster);
    let run = session.finish_run(
        "script => E'SELECT ''late'';\\nSELECT ''slow'';\\n\\\\set x 1\\nSELECT 1;', query_mode => 'extended', \
         transport => 'wire', clients => 2, transactions_per_client => 10",
    );
    let held_ms = HELD.as_secs_f64() * 1e3;
    for (text, held) in [(LATE, (1.0, 0.0)), (SLOW, (0.0, 1.0))] {
        let (first, rest) = proxy.means(text);
        assert!(first >= held.0 * held_ms && rest >= held.1 * held_ms);
        let found = of(&mut session, run, text, "first_byte_ms");
        assert!(
            (first..first + ROOM_MS).contains(&found),
            "{text}: {found} ms to the first byte, not {first}"
        );
        let found = of(&mut session, run, text, "receive_ms");
        assert!(
            (rest - ROOM_MS..rest + ROOM_MS).contains(&found),
            "{text}: {found} ms to the last byte, not {rest}"
        );
    }
    let sums = format!(
        "SELECT concat_ws(' ', count(*), bool_and(abs(first_byte_ms + receive_ms - latency_avg_ms) < 1e-6), \
             abs(sum(first_byte_ms) - (SELECT first_byte_ms FROM pgperf.run_summary WHERE run_id = {run})) < 1e-6, \
             abs(sum(receive_ms) - (SELECT receive_ms FROM pgperf.run_summary WHERE run_id = {run})) < 1e-6) \
           FROM pgperf.run_statements WHERE run_id = {run} AND first_byte_ms IS NOT NULL"
    );
    assert_eq!(session.value(&sums), "3 t t t");
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    for text in ["first byte  receive", "first byte ms", "receive ms"] {
        assert!(report.contains(text), "{text}: {report}");
    }
    let document = format!(
        "SELECT concat_ws(' ', abs((r -> 'run' ->> 'first_byte_ms')::float8 - s.first_byte_ms) < 1e-9, \
             (SELECT count(*) FROM jsonb_array_elements(r -> 'statements') e WHERE e ->> 'receive_ms' IS NOT NULL)) \
           FROM pgperf.report_json({run}) r, pgperf.run_summary s WHERE s.run_id = {run}"
    );
    assert_eq!(session.value(&document), "t 3");
    drop(proxy);
    let again = session.finish_run(
        "script => E'SELECT ''late'';\\nSELECT ''slow'';\\n\\\\set x 1\\nSELECT 1;', query_mode => 'extended', \
         transport => 'wire', clients => 2, transactions_per_client => 10",
    );
    let compared = format!(
        "SELECT string_agg(format('%s %s', category, baseline > candidate), ', ' ORDER BY category, object) \
           FROM pgperf.compare({run}, {again}) WHERE metric = 'first_byte_ms' AND (object IS NULL OR object LIKE '%late%')"
    );
    assert_eq!(session.value(&compared), "statements t, summary t");
    expect_nothing_left(&mut session, "runs through a proxy");
}

#[test]
fn the_part_of_the_server_is_within_what_the_client_sees() {
    let cluster = cluster();
    let mut session = cluster.connect();
    // The server sends what does not fit its buffer of 8 kB at once: a row each time.
    let run = session.finish_run(
        "script => E'SELECT 1 FROM pg_sleep(0.03);\\nSELECT pg_sleep(0.02), repeat(''x'', 20000) FROM generate_series(1, 3);', \
         transport => 'wire', transactions_per_client => 20",
    );
    let mut server = |text: &str| {
        session.float(&format!(
            "SELECT mean_exec_time FROM pg_stat_statements WHERE query LIKE '%{text}%' AND calls = 20"
        ))
    };
    let (short, long) = (server("FROM pg_sleep"), server("generate_series"));
    let mut client = |text: &str| {
        (
            of(&mut session, run, text, "first_byte_ms"),
            of(&mut session, run, text, "receive_ms"),
        )
    };
    let (first, rest) = client("FROM pg_sleep");
    assert!(
        first >= short && rest < short / 2.0,
        "{first} and {rest} of {short} ms"
    );
    let (first, rest) = client("generate_series");
    assert!(
        first < 0.6 * long && rest > 0.5 * long && first + rest >= long,
        "{first} and {rest} of {long} ms"
    );
}

#[test]
fn what_cannot_be_known_is_null() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let mut known = |arguments: &str| {
        let run = session.finish_run(&format!("{arguments}, transactions_per_client => 10"));
        session.value(&format!(
            "SELECT concat_ws(' ', (SELECT first_byte_ms IS NULL AND receive_ms IS NULL FROM pgperf.run_summary WHERE run_id = {run}), \
                 string_agg(concat(first_byte_ms IS NOT NULL, receive_ms IS NOT NULL), ' ' ORDER BY command_no)) \
               FROM pgperf.run_statements WHERE run_id = {run}"
        ))
    };
    let pipeline = "script => E'\\\\startpipeline\\nSELECT 1;\\n\\\\endpipeline\\nSELECT 2;'";
    assert_eq!(
        known(&format!("{pipeline}, transport => 'wire'")),
        "t ff ff ff tt"
    );
    assert_eq!(known(pipeline), "t ff ff ff ff");
    assert_eq!(known("script => 'SELECT 1;'"), "t ff");
    // Also of statements that are prepared when they are first run.
    let script = "script => E'SELECT 1;\\nSELECT 2;'";
    for mode in ["simple", "extended", "prepared"] {
        let arguments = format!("{script}, transport => 'wire', query_mode => '{mode}'");
        assert_eq!(known(&arguments), "f tt tt", "{mode}");
    }
}
