//! Sessions over time, and who waits for whose lock: what the sampler sees every second, against sessions whose state is known.

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::thread::{scope, sleep};
use std::time::Duration;

/// A cluster whose sampler takes sessions every two seconds.
fn sampling(conf: &[&str]) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[&[NO_BUDGET, "compute_query_id = on"], conf].concat());
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value("UPDATE pgperf.collectors SET sample_interval = '2 s' WHERE name = 'sessions'");
    session.value("SELECT pgperf.start_sampler()");
    (cluster, session)
}

/// A session with a name, which waits for nothing longer than a minute.
fn named(cluster: &Cluster, name: &str) -> Client {
    let mut session = cluster.connect();
    session
        .batch_execute(&format!(
            "SET application_name = '{name}'; SET statement_timeout = '1min'"
        ))
        .expect("a name");
    session
}

/// Waits for a sample all of whose looks came after now.
fn next_sample(session: &mut Client) -> i64 {
    let samples = "SELECT COALESCE(max(sample_id), 0) FROM pgperf.session_history";
    let before = session.number(samples);
    wait_until("two more samples", PATIENCE, || {
        session.number(&format!(
            "SELECT count(DISTINCT sample_id) FROM pgperf.session_history WHERE sample_id > {before}"
        )) >= 2
    });
    session.number(samples)
}

/// A session waits for the lock of another one while the sampler looks a few times, and a sequence is half used.
pub fn queue_and_sequence(cluster: &Cluster) {
    let (mut holder, mut waiter) = (cluster.connect(), cluster.connect());
    holder
        .batch_execute(
            "CREATE SEQUENCE half MAXVALUE 100; SELECT setval('half', 50), pg_advisory_lock(7)",
        )
        .expect("a lock");
    waiter
        .batch_execute("SET lock_timeout = '4 s'; SELECT pg_advisory_lock(7)")
        .expect_err("it has to wait");
}

fn backend_pid(session: &mut Client) -> i64 {
    session.number("SELECT pg_backend_pid()")
}

#[test]
fn sessions_are_counted_by_what_they_do() {
    let (cluster, mut session) = sampling(&[]);
    let mut sleepers: Vec<Client> = (0..3).map(|_| named(&cluster, "sleeper")).collect();
    let mut writer = named(&cluster, "writer");
    let _idle: Vec<Client> = (0..2).map(|_| named(&cluster, "idler")).collect();
    writer
        .batch_execute("BEGIN; SELECT 1")
        .expect("a transaction");
    let stop: Vec<_> = sleepers.iter().map(|it| it.cancel_token()).collect();
    scope(|scope| {
        for sleeper in &mut sleepers {
            scope.spawn(|| sleeper.batch_execute("SELECT pg_sleep(120)"));
        }
        let asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        wait_until("sleepers", PATIENCE, || session.number(asleep) == 3);
        let sample = next_sample(&mut session);
        let of = |application: &str| {
            format!(
                "SELECT count(*) || ': ' || string_agg(concat_ws(' ', h.database_name, h.role_name, h.backend_type, h.state, h.wait_event_type, h.wait_event, \
                            'mean', trim_scale(h.seen::numeric / h.looks), 'most', h.most), '; ') \
                 FROM pgperf.session_history h WHERE h.sample_id = {sample} AND h.application_name = '{application}'"
            )
        };
        assert_eq!(
            session.value(&of("sleeper")),
            "1: postgres postgres client backend active Timeout PgSleep mean 3 most 3"
        );
        assert_eq!(
            session.value(&of("writer")),
            "1: postgres postgres client backend idle in transaction Client ClientRead mean 1 most 1"
        );
        // Idle ones are connections alone.
        assert_eq!(session.value(&of("idler")), "");
        assert_eq!(
            session.value(&format!(
                "SELECT string_agg(application_name || ' ' || most || ' ' || (seen = most * looks), ', ' ORDER BY application_name) \
                 FROM pgperf.connection_history WHERE sample_id = {sample} AND application_name LIKE '%er'"
            )),
            "idler 2 true, sleeper 3 true, writer 1 true"
        );
        // As the server tells them.
        assert_eq!(
            session.value(&format!(
                "SELECT DISTINCT h.query_id = a.query_id AND h.longest_statement_s BETWEEN 1 AND EXTRACT(epoch FROM now() - a.query_start) \
                        AND h.longest_transaction_s BETWEEN 1 AND EXTRACT(epoch FROM now() - a.xact_start) AND h.looks = 2 \
                 FROM pgperf.session_history h JOIN pg_stat_activity a USING (application_name) \
                 WHERE h.sample_id = {sample} AND application_name = 'sleeper'"
            )),
            "t"
        );
        // Nobody's look at itself.
        assert_eq!(
            session.number(&format!(
                "SELECT count(*) FROM pgperf.session_history WHERE sample_id = {sample} AND backend_type = 'pgperf sampler'"
            )),
            0
        );
        for token in &stop {
            token.cancel_query(postgres::NoTls).expect("a cancel");
        }
    });
}

/// What the server's own view shows at the same moment, by all that it is grouped by.
#[test]
fn one_look_is_what_pg_stat_activity_shows() {
    let cluster = Cluster::with_pgperf(&["compute_query_id = on", "max_prepared_transactions = 1"]);
    let mut session = cluster.connect();
    session.value("CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher");
    let mut others: Vec<Client> = (0..4)
        .map(|no| named(&cluster, &format!("app {}", no / 2)))
        .collect();
    for other in &mut others[1..3] {
        other
            .batch_execute("BEGIN; SELECT 1")
            .expect("a transaction");
    }
    let mut watcher = cluster.connect_as("watcher");
    let sample = watcher.value("SELECT sample_id FROM pgperf.snapshot('{sessions}')");
    let groups = "count(*) AS seen FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle' \
         AND wait_event_type IS DISTINCT FROM 'Activity' \
         GROUP BY datname, usename, application_name, backend_type, state, query_id, wait_event_type, wait_event";
    let different = session.value(&format!(
        "WITH shown AS (SELECT datname, usename, application_name, backend_type, state, query_id, wait_event_type, wait_event, {groups}), \
              stored AS (SELECT database_name, role_name, application_name, backend_type, state, query_id, wait_event_type, wait_event, seen \
                         FROM pgperf.session_history WHERE sample_id = {sample} AND seen > 0 AND looks = 1) \
         SELECT (SELECT count(*) FROM stored) || ' ' || \
                (SELECT count(*) FROM (TABLE shown EXCEPT TABLE stored) x) || ' ' || (SELECT count(*) FROM (TABLE stored EXCEPT TABLE shown) x)"
    ));
    // The session that asks here was idle then, the one that took the sample is idle now.
    assert_eq!(different, "2 0 0");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(role_name || ' ' || application_name || ' ' || seen, ', ' ORDER BY application_name) \
             FROM (SELECT role_name, application_name, seen FROM pgperf.connection_history WHERE sample_id = {sample} AND application_name LIKE 'app%') x"
        )),
        "postgres app 0 2, postgres app 1 2"
    );
    drop(others);
    session.value("CREATE ROLE nobody LOGIN");
    let mut nobody = cluster.connect_as("nobody");
    for table in ["session_history", "connection_history", "blocking_history"] {
        let (sqlstate, ..) = error_of(&mut nobody, &format!("SELECT count(*) FROM pgperf.{table}"));
        assert_eq!(sqlstate, "42501", "{table}");
    }
}

/// A transaction left open, DDL behind it, and readers behind that.
#[test]
fn a_queue_for_a_lock_is_told_with_its_head_and_its_ddl() {
    let (cluster, mut session) = sampling(&["max_connections = 60"]);
    session.value("CREATE SCHEMA shop; CREATE TABLE shop.orders AS SELECT 1 AS id; CREATE ROLE dba SUPERUSER LOGIN");
    let began = session.value("SELECT now()");
    let mut head = named(&cluster, "cash desk");
    let head_pid = backend_pid(&mut head);
    head.batch_execute("BEGIN; SELECT count(*) FROM shop.orders WHERE id = 4711")
        .expect("an open transaction");
    let mut dba = cluster.connect_with("dba", "-c statement_timeout=1min");
    let ddl_pid = backend_pid(&mut dba);
    let mut readers: Vec<Client> = (0..6).map(|_| named(&cluster, "web")).collect();
    scope(|scope| {
        scope.spawn(|| {
            dba.batch_execute("ALTER TABLE shop.orders ADD COLUMN note text DEFAULT 'secret'")
        });
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        wait_until("the DDL", PATIENCE, || session.number(waiting) == 1);
        for reader in &mut readers {
            scope.spawn(|| reader.batch_execute("SELECT * FROM shop.orders"));
        }
        wait_until("readers", PATIENCE, || session.number(waiting) == 7);
        sleep(Duration::from_secs(7));
        next_sample(&mut session);
        let told = session.value(&format!(
            "SELECT string_agg(x.line, '; ' ORDER BY x.line) FROM ( \
                 SELECT DISTINCT concat_ws(' ', depth, application_name, role_name, state, lock_mode, schema_name || '.' || relation_name, \
                        'victims', victims, 'ddl', {ddl_pid} = ANY (blocked_by), 'head', head_pid = {head_pid}, statement) AS line \
                 FROM pgperf.blocking_history WHERE taken_at > '{began}' AND seen = looks AND looks = 2) x"
        ));
        assert_eq!(
            told,
            "0 cash desk postgres idle in transaction AccessShareLock shop.orders victims 7 ddl head t \
BEGIN; SELECT count(*) FROM shop.orders WHERE id = ?; \
1  dba active AccessExclusiveLock shop.orders victims 6 ddl f head t ALTER TABLE shop.orders ADD COLUMN note text DEFAULT ?; \
2 web postgres active AccessShareLock shop.orders victims 0 ddl t head t SELECT * FROM shop.orders"
        );
        // Each wait is as long as the server says.
        assert_eq!(
            session.value(
                "SELECT bool_and(abs(h.waited_s - EXTRACT(epoch FROM h.taken_at - l.waitstart)) < 2 AND h.waiting_since = l.waitstart) \
                 FROM (SELECT DISTINCT ON (pid) * FROM pgperf.blocking_history WHERE depth > 0 ORDER BY pid, sample_id DESC) h \
                 JOIN pg_locks l ON l.pid = h.pid AND NOT l.granted"
            ),
            "t"
        );
        let finding = format!(
            "FROM pgperf.findings('{began}', now()) WHERE rule IN ('blocking', 'lock_waits') AND part_of IS NULL"
        );
        let named = session.value(&format!(
            "SELECT string_agg(concat_ws(' ', rule, severity, object_kind, schema_name, object_name, figures ->> 'pid' = '{head_pid}', \
                        figures ->> 'victims', figures ->> 'first_in_queue', (figures ->> 'waited_s')::numeric >= 7 * 5, time_percent > 50), '; ') {finding}"
        ));
        assert_eq!(
            named,
            "blocking critical relation shop orders t 7 ALTER TABLE shop.orders ADD COLUMN note text DEFAULT ? (role dba) t t"
        );
        let page = session.value(&format!("SELECT pgperf.history_report('{began}', now())"));
        assert!(!page.contains("secret"));
        let json = session.value(&format!(
            "SELECT r ->> 'session' FROM jsonb_path_query(pgperf.history_json('{began}', now()), \
                 '$.sections[*] ? (@.name == \"blocking\").tables[*] ? (@.name == \"chains\").rows[1]') r"
        ));
        assert!(json.starts_with("· ") && json.ends_with("of dba"), "{json}");
        // What it proposes ends the queue.
        let fix = session.value(&format!("SELECT fix_sql {finding}"));
        assert!(fix.contains(&format!("pid = {head_pid}")), "{fix}");
        session.value(&fix);
    });
    assert_eq!(
        session.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
        "0"
    );
}

/// A row that a prepared transaction has changed, and one that a session has.
#[test]
fn the_table_of_a_row_is_told_and_prepared_transactions_are_heads() {
    let (cluster, mut session) = sampling(&["max_prepared_transactions = 2"]);
    session.value("CREATE TABLE items AS SELECT generate_series(1, 9) AS id");
    session
        .batch_execute("BEGIN; UPDATE items SET id = 10 WHERE id = 1; PREPARE TRANSACTION 'bank 7'")
        .expect("a prepared transaction");
    let mut holder = named(&cluster, "holder");
    holder
        .batch_execute("BEGIN; DELETE FROM items WHERE id = 5")
        .expect("a row's lock");
    holder
        .batch_execute("SELECT pg_advisory_lock(77)")
        .expect("a lock");
    let (mut first, mut second, mut third) = (
        named(&cluster, "of prepared"),
        named(&cluster, "of holder"),
        named(&cluster, "of key"),
    );
    scope(|scope| {
        scope.spawn(|| first.batch_execute("UPDATE items SET id = 11 WHERE id = 1"));
        scope.spawn(|| second.batch_execute("UPDATE items SET id = 12 WHERE id = 5"));
        scope.spawn(|| third.batch_execute("SELECT pg_advisory_lock(77)"));
        sleep(Duration::from_secs(2));
        next_sample(&mut session);
        let told = session.value(
            "SELECT string_agg(x.line, '; ' ORDER BY x.line COLLATE \"C\") FROM ( \
                 SELECT DISTINCT concat_ws(' ', depth, COALESCE(application_name, backend_type), lock_type, relation_name, victims, \
                        CASE WHEN lock_type = 'advisory' THEN lock_object END, CASE WHEN head_pid = 0 THEN statement END) AS line \
                 FROM pgperf.blocking_history) x",
        );
        assert_eq!(
            told,
            "0 holder advisory, transactionid items 2; \
             0 prepared transaction transactionid items 1 PREPARE TRANSACTION bank 7; \
             1 of holder transactionid items 0; \
             1 of key advisory 0 77; \
             1 of prepared transactionid items 0 UPDATE items SET id = ? WHERE id = ?"
        );
        session.value("ROLLBACK PREPARED 'bank 7'");
        drop(holder);
    });
}
