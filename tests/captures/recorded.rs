//! What a capture has is what sessions did.

use super::{of_application, preloaded, shown, start, statements, stop, text, until, value};
use crate::common::Cluster;
use crate::common::pair::{QUERY_MODES, pgbench};
use crate::common::runs::Runs;
use capture::record::{Protocol, Work};
use capture::{Capture, Step};
use postgres::types::Type;
use postgres::{Client, NoTls};
use std::collections::BTreeMap;

/// A session with this application_name.
fn client(cluster: &Cluster, name: &str) -> Client {
    cluster
        .config()
        .application_name(name)
        .connect(NoTls)
        .expect("a session")
}

/// Waits until the sessions of an application have ended: a client does not wait for that.
fn until_left(session: &mut Client, application: &str) {
    let left =
        format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{application}'");
    until(session, &left, "0");
}

/// How often each of these is there.
fn counted<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_insert(0) += 1;
    }
    counts
}

/// The rows of pgbench_history, as their INSERTs have them.
pub fn inserted(capture: &Capture) -> Vec<String> {
    let all = capture.sessions.iter().flat_map(statements);
    let inserts = all.filter(|it| text(capture, it).starts_with("INSERT INTO pgbench_history"));
    let values = inserts.map(|it| match it.protocol {
        Protocol::Simple => {
            let text = text(capture, it);
            let (_, values) = text.split_once("VALUES (").expect("values");
            values
                .replace(", CURRENT_TIMESTAMP);", "")
                .replace(", CURRENT_TIMESTAMP)", "")
        }
        _ => {
            let values: Vec<String> = it.parameters.iter().map(|it| value(&it.value)).collect();
            values.join(", ")
        }
    });
    values.collect()
}

#[test]
fn each_transaction_of_pgbench_is_there_with_its_values() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    pgbench(&cluster, &["-i", "-q", "-s", "2", "postgres"]);
    for mode in QUERY_MODES {
        session.value("TRUNCATE pgbench_history");
        start(&mut session, mode, "");
        pgbench(
            &cluster,
            &["-n", "-c", "4", "-t", "250", "-M", mode, "postgres"],
        );
        until_left(&mut session, "pgbench");
        let capture = stop(&cluster, &mut session, mode);
        let rows = session
            .query(
                "SELECT concat_ws(', ', tid, bid, aid, delta) FROM pgbench_history",
                &[],
            )
            .expect("rows");
        let rows = counted(rows.iter().map(|row| row.get::<_, String>(0)));
        assert_eq!(counted(inserted(&capture)), rows, "{mode}");

        let clients: Vec<_> = (capture.sessions.iter())
            .filter(|it| it.start.application == "pgbench" && it.steps.len() > 100)
            .collect();
        assert_eq!(clients.len(), 4, "{mode}");
        for client in clients {
            let works = counted(statements(client).map(|it| format!("{:?}", it.work)));
            let expected = [
                ("Begins", 250),
                ("Changes", 1000),
                ("Ends", 250),
                ("Reads", 250),
            ];
            assert_eq!(
                works,
                expected
                    .map(|(work, count)| (work.to_owned(), count))
                    .into(),
                "{mode}"
            );
            let expected = match mode {
                "simple" => Protocol::Simple,
                "extended" => Protocol::Extended,
                _ => Protocol::Prepared,
            };
            assert!(
                statements(client)
                    .all(|it| it.protocol == expected && it.outcome.sqlstate.is_none())
            );
            assert!(matches!(client.steps.last(), Some(Step::Closed { .. })));
        }
        let dropped = session.value(&format!(
            "SELECT dropped FROM pgperf.captures WHERE name = '{mode}'"
        ));
        assert_eq!((capture.dropped, dropped.as_str()), (0, "0"));
    }
}

#[test]
fn a_session_is_recorded_statement_by_statement() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE a (id int PRIMARY KEY, note text);
             CREATE TABLE b (a int REFERENCES a DEFERRABLE INITIALLY DEFERRED);
             CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS
                'BEGIN PERFORM 1/n; INSERT INTO a VALUES (n); RETURN 2 * n; EXCEPTION WHEN division_by_zero THEN RETURN 0; END';
             CREATE PROCEDURE several() LANGUAGE plpgsql AS
                'BEGIN INSERT INTO a VALUES (101); COMMIT; INSERT INTO a VALUES (102); ROLLBACK; INSERT INTO a VALUES (103); END'",
        )
        .expect("objects");
    start(&mut session, "all", ", application_names => '{shop}'");
    let mut shop = client(&cluster, "shop");
    let fails = |shop: &mut Client, sql: &str| assert!(shop.batch_execute(sql).is_err(), "{sql}");
    shop.batch_execute("INSERT INTO a VALUES (1, 'one'), (2, 'two'); SELECT * FROM a")
        .expect("two in a text");
    shop.batch_execute("SELECT twice(7), twice(0)")
        .expect("a function");
    fails(&mut shop, "SELEC 1");
    fails(&mut shop, "SELECT 1 / (id - 1) FROM a");
    shop.batch_execute("BEGIN").expect("a block");
    fails(&mut shop, "INSERT INTO a VALUES (1)");
    fails(&mut shop, "SELECT 1");
    shop.batch_execute("ROLLBACK").expect("its end");
    shop.batch_execute("BEGIN; SAVEPOINT s")
        .expect("a savepoint");
    fails(&mut shop, "INSERT INTO a VALUES (2)");
    shop.batch_execute("ROLLBACK TO s").expect("back to it");
    shop.batch_execute("UPDATE a SET note = 'three' WHERE id = 2")
        .expect("an update");
    shop.batch_execute("COMMIT").expect("its end");
    shop.batch_execute("BEGIN; INSERT INTO b VALUES (99)")
        .expect("deferred");
    fails(&mut shop, "COMMIT");
    shop.batch_execute("CALL several()").expect("a procedure");
    shop.batch_execute("BEGIN; DECLARE c CURSOR FOR SELECT generate_series(1, 5); FETCH 2 FROM c; FETCH 2 FROM c; COMMIT")
        .expect("a cursor");
    shop.batch_execute("PREPARE p (int) AS SELECT $1 + 1; EXECUTE p (4)")
        .expect("prepared in SQL");
    let mut copy = shop.copy_in("COPY a FROM STDIN").expect("copy");
    std::io::Write::write_all(&mut copy, b"50\tfifty\n51\tmore\n").expect("rows");
    copy.finish().expect("the end");
    shop.batch_execute("ALTER ROLE postgres PASSWORD 'tell-nobody'")
        .expect("a password");
    fails(
        &mut shop,
        "ALTER ROLE postgres PASWORD 'tell-nobody'; ALTER ROLE postgres PASSWORD 'tell-nobody'",
    );
    drop(shop);
    until_left(&mut session, "shop");
    let capture = stop(&cluster, &mut session, "all");
    let shop = of_application(&capture, "shop");
    let expected = "\
INSERT INTO a VALUES (1, 'one'), (2, 'two') = 2
SELECT * FROM a = 2
-- Committed, wrote
SELECT twice(7), twice(0) = 1
-- Committed, wrote
SELEC 1 = 0 42601
-- Aborted
SELECT 1 / (id - 1) FROM a = 0 22012
-- Aborted
BEGIN = 0
INSERT INTO a VALUES (1) = 0 23505
-- Aborted, wrote
SELECT 1 = 0 25P02
ROLLBACK = 0
-- Aborted
BEGIN = 0
SAVEPOINT s = 0
INSERT INTO a VALUES (2) = 0 23505
ROLLBACK TO s = 0
UPDATE a SET note = 'three' WHERE id = 2 = 1
COMMIT = 0
-- Committed, wrote
BEGIN = 0
INSERT INTO b VALUES (99) = 1
COMMIT = 0 23503
-- Aborted, wrote
CALL several() = 0
-- Committed, wrote
-- Aborted, wrote
-- Committed, wrote
BEGIN = 0
DECLARE c CURSOR FOR SELECT generate_series(1, 5) = 0
FETCH 2 FROM c = 2
FETCH 2 FROM c = 2
COMMIT = 0
-- Committed
PREPARE p (int) AS SELECT $1 + 1 = 0
EXECUTE p (4) = 1
-- Committed
COPY a FROM STDIN = 2 CopyFrom
-- Committed, wrote
 = 0 Secret
-- Committed, wrote
 = 0 42601 Secret
-- Aborted
-- closed";
    let expected: Vec<&str> = expected.lines().collect();
    assert_eq!(shown(&capture, shop).join("\n"), expected.join("\n"));
    assert_eq!(shop.start.role, "postgres");
    let everything: Vec<u8> = capture.texts.values().flatten().copied().collect();
    assert!(!String::from_utf8_lossy(&everything).contains("tell-nobody"));
}

#[test]
fn values_are_written_as_the_server_reads_them_again() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    start(&mut session, "values", ", application_names => '{shop}'");
    let mut shop = client(&cluster, "shop");
    shop.batch_execute("SET DateStyle = 'German'; SET IntervalStyle = 'sql_standard'; SET extra_float_digits = -10; SET TimeZone = 'Asia/Tokyo'")
        .expect("settings");
    let types = [
        Type::INT2,
        Type::INT4,
        Type::INT8,
        Type::BOOL,
        Type::TEXT,
        Type::VARCHAR,
        Type::BPCHAR,
        Type::BYTEA,
        Type::FLOAT4,
        Type::FLOAT8,
        Type::TEXT_ARRAY,
        Type::INT4_ARRAY,
        Type::TIMESTAMPTZ,
        Type::OID,
        Type::TEXT,
    ];
    let numbers: Vec<String> = (1..=types.len()).map(|no| format!("${no}")).collect();
    let statement = shop
        .prepare_typed(&format!("SELECT {}", numbers.join(", ")), &types)
        .expect("a statement");
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_micros(1_764_500_000_123_456);
    let long = "ä".repeat(10_000);
    let none: Option<&str> = None;
    shop.query(
        &statement,
        &[
            &-7_i16,
            &i32::MIN,
            &i64::MAX,
            &true,
            &"it's",
            &long,
            &"a ",
            &&b"\x00\xff"[..],
            &0.1_f32,
            &(1.0 / 3.0),
            &vec!["a", "b,\"c"],
            &vec![Some(1), None],
            &moment,
            &4_000_000_000_u32,
            &none,
        ],
    )
    .expect("a row");
    // Types that the driver does not know.
    for sql in ["SELECT $1::text::interval", "SELECT $1::text::numeric"] {
        shop.query(sql, &[&"1"]).expect("a row");
    }
    drop(shop);
    until_left(&mut session, "shop");
    let capture = stop(&cluster, &mut session, "values");
    let shop = of_application(&capture, "shop");
    let of_all = statements(shop)
        .find(|it| it.parameters.len() == types.len())
        .expect("the statement");
    assert_eq!(
        (of_all.protocol, of_all.work),
        (Protocol::Prepared, Work::Reads)
    );
    let found: Vec<String> = of_all
        .parameters
        .iter()
        .map(|it| value(&it.value))
        .collect();
    let expected = [
        "-7",
        "-2147483648",
        "9223372036854775807",
        "t",
        "it's",
        &long,
        "a ",
        "\\x00ff",
        "0.1",
        "0.3333333333333333",
        "{a,\"b,\\\"c\"}",
        "{1,NULL}",
        "2025-11-30 19:53:20.123456+09",
        "4000000000",
        "NULL",
    ];
    assert_eq!(found, expected);
    let oids: Vec<u32> = of_all.parameters.iter().map(|it| it.type_oid).collect();
    assert_eq!(oids, types.map(|it| it.oid()));
    let setting = |name: &str| {
        shop.start
            .settings
            .iter()
            .find(|(it, _)| it == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(setting("search_path"), Some("\"$user\", public"));
}

#[test]
fn what_a_statement_saw_is_what_it_waits_for() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)",
        )
        .expect("a table");
    start(&mut session, "order", "");
    let (mut a, mut b, mut c) = (
        client(&cluster, "a"),
        client(&cluster, "b"),
        client(&cluster, "c"),
    );
    let run = |client: &mut Client, sql: &str| client.batch_execute(sql).expect(sql);
    run(&mut c, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    run(&mut c, "SELECT 'c before'");
    run(&mut a, "BEGIN");
    run(&mut a, "UPDATE t SET n = 1 WHERE id = 1");
    run(&mut b, "SELECT 'b before', n FROM t");
    // Meanwhile b waits for a's lock.
    let waiting = std::thread::spawn(move || {
        b.batch_execute("BEGIN").expect("a block");
        b.batch_execute("UPDATE t SET n = n + 1 WHERE id = 1")
            .expect("an update");
        b.batch_execute("SELECT 'b after', n FROM t")
            .expect("a row");
        b.batch_execute("COMMIT").expect("its end");
        b
    });
    until(
        &mut session,
        "SELECT count(*) FROM pg_locks WHERE NOT granted",
        "1",
    );
    run(&mut a, "COMMIT");
    let b = waiting.join().expect("b");
    run(&mut c, "SELECT 'c after', n FROM t");
    run(&mut c, "COMMIT");
    run(&mut c, "SELECT 'c at last', n FROM t");
    drop((a, b, c));
    let capture = stop(&cluster, &mut session, "order");
    assert_eq!(capture.commits, 2);
    let afters = |name: &str| -> Vec<(String, u64)> {
        let steps = of_application(&capture, name).steps.iter();
        let after = |step: &Step| match step {
            Step::Statement { statement, after } => Some((text(&capture, statement), *after)),
            _ => None,
        };
        steps.filter_map(after).collect()
    };
    let of = |name: &str, part: &str| {
        afters(name)
            .iter()
            .find(|(text, _)| text.contains(part))
            .expect(part)
            .1
    };
    assert_eq!(of("a", "UPDATE"), 0);
    assert_eq!(of("b", "b before"), 0);
    // It began before a's commit, and ended after it.
    assert_eq!(of("b", "UPDATE"), 1);
    assert_eq!(of("b", "b after"), 1);
    // Its snapshot is older than both commits, and the next one's is not.
    assert_eq!(of("c", "c after"), 0);
    assert_eq!(of("c", "c at last"), 2);
}

#[test]
fn what_is_part_of_a_statement_is_not_recorded_beside_it() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE t (n int); CREATE TABLE log (n int);
             CREATE RULE also AS ON INSERT TO t DO ALSO INSERT INTO log VALUES (NEW.n);
             CREATE TABLE old (n int); CREATE RULE instead AS ON INSERT TO old DO INSTEAD INSERT INTO t VALUES (NEW.n);
             CREATE TABLE parent (n int PRIMARY KEY); CREATE TABLE child (n int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)",
        )
        .expect("tables");
    start(&mut session, "parts", ", application_names => '{shop}'");
    let mut shop = client(&cluster, "shop");
    shop.batch_execute("INSERT INTO t VALUES (1)")
        .expect("a row");
    shop.batch_execute("INSERT INTO old VALUES (2)")
        .expect("a row");
    // The constraint is checked when the messages end.
    shop.execute("INSERT INTO child VALUES ($1)", &[&7])
        .expect_err("no parent");
    // Longer than a capture takes: its transaction is missing as a whole.
    let long = "x".repeat(1 << 20);
    shop.query("SELECT length($1::text)", &[&long])
        .expect("a row");
    shop.batch_execute(&format!("SELECT length('{long}')"))
        .expect("a row");
    shop.batch_execute("ALTER SYSTEM SET primary_conninfo = 'host=a password=tell-nobody'")
        .expect("set");
    shop.batch_execute("DO $$ BEGIN PERFORM 'https://user:tell-nobody@here/'; END $$")
        .expect("done");
    drop(shop);
    until_left(&mut session, "shop");
    let capture = stop(&cluster, &mut session, "parts");
    let expected = "\
INSERT INTO t VALUES (1) = 1
-- Committed, wrote
INSERT INTO old VALUES (2) = 1
-- Committed, wrote
INSERT INTO child VALUES ($1) (7) = 1 23503
-- Aborted, wrote
 = 0 Secret
-- Committed
 = 0 Secret
-- Committed
-- closed";
    assert_eq!(
        shown(&capture, of_application(&capture, "shop")).join("\n"),
        expected
    );
    assert_eq!(capture.dropped, 2);
}

#[test]
fn a_block_that_failed_before_the_capture_hides_nothing_after_it() {
    let cluster = preloaded(&[]);
    let mut session = cluster.connect();
    let mut shop = client(&cluster, "shop");
    shop.batch_execute("BEGIN").expect("a block");
    shop.batch_execute("SELECT 1/0").expect_err("an error");
    start(&mut session, "after", ", application_names => '{shop}'");
    shop.batch_execute("ROLLBACK").expect("its end");
    shop.batch_execute("BEGIN; SELECT 'seen'; COMMIT")
        .expect("a block");
    drop(shop);
    until_left(&mut session, "shop");
    let capture = stop(&cluster, &mut session, "after");
    let shown = shown(&capture, of_application(&capture, "shop")).join("\n");
    assert_eq!(
        shown,
        "BEGIN = 0\nSELECT 'seen' = 1\nCOMMIT = 0\n-- Committed\n-- closed"
    );
}
