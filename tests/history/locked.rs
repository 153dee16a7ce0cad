//! Locks: readers of the history wait for nobody's table, and samples wait for who changes the history's partitions instead of failing.

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::thread;

/// An ALTER TABLE that stays open is what an incident looks like. The session that reads would not wait longer than 10 ms for any lock.
#[test]
fn a_locked_table_holds_up_no_reader_of_the_history() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE customers (id int PRIMARY KEY, name text, gone boolean)");
    session
        .value("INSERT INTO customers SELECT i, 'n' || i, false FROM generate_series(1, 20000) i");
    for _ in 0..2 {
        session.value("CREATE INDEX ON customers (lower(name), (id + 1)) WHERE NOT gone");
    }
    session.value("VACUUM ANALYZE customers");
    // Rules look at large ones only.
    session.value("UPDATE pg_class SET relpages = 5000 WHERE relname LIKE 'customers_%'");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.value("SELECT count(*) FROM customers WHERE id = 7");
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let columns = "SELECT string_agg(DISTINCT r ->> 'columns', '; ') \
         FROM jsonb_path_query(pgperf.history_json(now() - interval '5 min', NULL), '$.**.rows[*] ? (@.columns != null)') r \
         WHERE r ->> 'relation' = 'public.customers'";
    let all = "id; lower(name), (id + 1)";
    assert_eq!(session.value(columns), all);

    let mut other = cluster.connect();
    other.value("BEGIN; ALTER TABLE customers ADD COLUMN note text");
    session.value("SET lock_timeout = '10ms'");
    for call in [
        "count(*) FROM pgperf.history_report(now() - interval '5 min', NULL)",
        "count(*) FROM pgperf.findings(now() - interval '5 min')",
        "length(pgperf.history_html(now() - interval '5 min', NULL))",
        "length(pgperf.history_json(now() - interval '5 min', NULL)::text)",
        "length(pgperf.metrics())",
        "count(*) FROM pgperf.history_compare(now() - interval '10 min', now() - interval '5 min', interval '5 min')",
        "count(*) FROM pgperf.relation_rates",
        "count(*) FROM pgperf.statement_rates",
        "count(*) FROM pgperf.history_size",
        "count(*) FROM pgperf.snapshot()",
    ] {
        assert_ne!(session.value(&format!("SELECT {call}")), "", "{call}");
    }
    assert_eq!(session.value(columns), "(its table is locked)");
    let rules = "SELECT coalesce(string_agg(DISTINCT rule, ' ') FILTER (WHERE evidence LIKE 'this could not%'), 'all') \
         || ' ' || count(*) FILTER (WHERE rule = 'duplicate_index') FROM pgperf.findings(now() - interval '5 min')";
    assert_eq!(session.value(rules), "all 1");
    other.value("ROLLBACK");
    assert_eq!(session.value(columns), all);
}

/// Whether a session waits, but for no lock that the server knows.
fn waits(watcher: &mut Client, pid: i64) -> bool {
    watcher.number(&format!(
        "SELECT count(*) FROM pg_stat_activity WHERE pid = {pid} AND state = 'active' AND wait_event_type = 'Extension'"
    )) == 1
}

/// Makes `call` in a session while another one has something open, which then commits; the outcome.
fn meanwhile(cluster: &Cluster, open: &mut Client, call: &str) -> String {
    let (mut session, mut watcher) = (cluster.connect(), cluster.connect());
    let pid = session.number("SELECT pg_backend_pid()");
    thread::scope(|scope| {
        let outcome = scope.spawn(move || session.value(call));
        wait_until("the second session", PATIENCE, || {
            outcome.is_finished() || waits(&mut watcher, pid)
        });
        assert!(!outcome.is_finished(), "{call} does not wait");
        open.value("COMMIT");
        outcome.join().expect("the outcome")
    })
}

#[test]
fn a_first_sample_waits_for_another_one_that_makes_the_partitions() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut first = cluster.connect();
    let levels = "SELECT string_agg(DISTINCT p.level, ',') FROM pgperf.samples s \
         JOIN pgperf.history_partitions p ON p.partition = s.tableoid";
    for call in [
        "SELECT string_agg(DISTINCT status, ',') FROM pgperf.snapshot('{wal,tables}')",
        "CALL pgperf.take_snapshot('{wal,tables}')",
    ] {
        first.value("BEGIN");
        first.value("SELECT count(*) FROM pgperf.snapshot('{wal,tables}')");
        let outcome = meanwhile(&cluster, &mut first, call);
        assert!(!outcome.is_empty(), "{call}");
        assert_eq!(first.value(levels), "raw", "{call}");
        assert_eq!(
            first.number("SELECT count(*) FROM pgperf.sample_outcomes WHERE status <> 'ok'"),
            0
        );
        // As on the next day.
        first.value("TRUNCATE pgperf.samples");
        first.value(
            "DO $$ DECLARE p regclass; BEGIN \
                 FOR p IN SELECT partition FROM pgperf.history_partitions WHERE level = 'raw' LOOP \
                     EXECUTE 'DROP TABLE ' || p; \
                 END LOOP; END $$",
        );
    }
}

/// Begins a transaction in which partitions of the samples were dropped.
fn open_maintenance(session: &mut Client) {
    session.value("BEGIN");
    session.value(
        "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
         SELECT pgperf.local_node(), -n, now() - n * interval '100 days', 1, 1, 1, 1, 1, '{}' FROM generate_series(2, 3) n",
    );
    let done = session.value(
        "SELECT string_agg(concat_ws(' ', action, note), ',') FROM pgperf.maintain() WHERE table_name = 'samples'",
    );
    assert!(done.contains("dropped"), "{done}");
}

#[test]
fn samples_wait_while_partitions_are_maintained() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut maintainer = cluster.connect();
    maintainer.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    maintainer
        .value("UPDATE pgperf.collectors SET enabled = name = 'wal', sample_interval = '1 s'");
    for call in [
        "SELECT string_agg(status, ',') FROM pgperf.snapshot('{wal}')",
        "CALL pgperf.take_snapshot('{wal}')",
    ] {
        open_maintenance(&mut maintainer);
        let outcome = meanwhile(&cluster, &mut maintainer, call);
        assert!(!outcome.is_empty(), "{call}");
    }
    // The sampler, too.
    maintainer.value("SELECT pgperf.start_sampler()");
    let count = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";
    wait_until("a sample", PATIENCE, || maintainer.number(count) > 0);
    open_maintenance(&mut maintainer);
    let mut watcher = cluster.connect();
    let sampler = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sampler'";
    let sampler = watcher.number(sampler);
    let in_transaction = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE pid = {sampler} AND xact_start < clock_timestamp() - interval '300 ms'"
    );
    wait_until("its next sample", PATIENCE, || {
        watcher.number(&in_transaction) == 1
    });
    maintainer.value("COMMIT");
    let before = maintainer.number(count);
    wait_until("a sample", PATIENCE, || maintainer.number(count) > before);
    maintainer.value("SELECT pgperf.stop_sampler()");
    let log = cluster.log();
    assert!(!log.contains("pgperf sampler: no sample"), "{log}");
    // Nobody waits for others' locks; the error says what is the matter.
    maintainer.value("BEGIN; LOCK TABLE pgperf.samples");
    for call in [
        "SELECT count(*) FROM pgperf.snapshot('{wal}')",
        "CALL pgperf.take_snapshot('{wal}')",
        "SELECT pgperf.snapshot_wal()",
    ] {
        let (sqlstate, message, hint) = error_of(&mut watcher, call);
        assert_eq!(sqlstate, "55P03", "{call}: {message}");
        assert_eq!(
            message,
            "no sample: another session has locked a table of the history"
        );
        assert!(hint.contains("pgperf.maintain()"), "{hint}");
    }
    maintainer.value("ROLLBACK");
}

/// pg_stat_statements has texts of more than 64 MB: the text of a new statement is read later, and none is lost.
#[test]
fn many_texts_of_statements_are_not_read_for_each_new_one() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // Within the statement: 19 keeps no comment before it.
    let filler = "x".repeat(1 << 20);
    for count in 1..=70 {
        let list = vec!["1"; count].join(", ");
        session
            .batch_execute(&format!("SELECT /* {filler} */ {list}"))
            .expect("a long statement");
    }
    let snapshot = "SELECT concat_ws(' ', status, reason) FROM pgperf.snapshot('{statements}')";
    assert_eq!(session.value(snapshot), "ok");
    let has_text = "SELECT count(*) FROM pgperf.statement_texts WHERE query LIKE '%wanted%'";
    session.value("CREATE TABLE wanted (i int)");
    session.value("SELECT count(*) FROM wanted");
    let temporary = "SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()";
    let flushed = "SELECT pg_stat_force_next_flush()";
    session.value(flushed);
    let before = session.number(temporary);
    assert!(before > 64 << 20, "{before} bytes in the first reading");
    let told = session.value(snapshot);
    assert!(
        told.starts_with("ok texts of ") && told.contains("would read all of its 7"),
        "{told}"
    );
    session.value(flushed);
    assert_eq!(session.number(temporary), before, "nothing is read");
    assert_eq!(session.number(has_text), 0);
    // Minutes later nobody has called it again.
    session.value("UPDATE pgperf.statement_texts SET taken_at = taken_at - interval '5 min'");
    assert_eq!(session.value(snapshot), "ok");
    assert_eq!(session.number(has_text), 2);
}
