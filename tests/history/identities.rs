//! Two objects of one name, objects whose name changed, and those that are gone: none hides another, or lives on in its figures.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// The lines of a metric, each without its name, sorted.
fn metric(session: &mut Client, name: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(replace(l, 'pgperf_{name}', ''), E'\\n' ORDER BY l), '') \
         FROM string_to_table(pgperf.metrics(), E'\\n') l WHERE l LIKE 'pgperf\\_{name}%'"
    ))
}

/// A row of the newest sample of a collector, or of none.
fn plant(session: &mut Client, collector: &str, rows: &str) {
    session
        .batch_execute(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), nextval('pgperf_internal.sample_id_seq'), clock_timestamp(), 1, 1, 1, 1, 1, \
                    '{{\"{collector}\": {{\"status\": \"ok\"}}}}'; \
             CREATE OR REPLACE TEMP VIEW newest AS SELECT node_id, sample_id, taken_at FROM pgperf.samples ORDER BY sample_id DESC LIMIT 1; \
             {rows}"
        ))
        .expect("the rows");
}

#[test]
fn each_role_and_database_of_a_statement_has_its_series() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let statements = |role: &str, database: &str, calls: i64| {
        format!(
            "INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, role_name, database_name, calls, total_exec_time) \
             SELECT node_id, sample_id, taken_at, 7, v.userid, 5, true, v.role, {database}, v.calls, 1 FROM newest, \
                (VALUES (16401, NULL, {calls}), (16402, NULL, 2 * {calls}), (16403, {role}, 3 * {calls})) v(userid, role, calls); \
             INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, calls) \
             SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0 FROM newest"
        )
    };
    plant(
        &mut session,
        "statements",
        &statements("'app'", "'before'", 10),
    );
    let of = |role: &str, database: &str, calls: i64| {
        format!(
            "{{queryid=\"7\",role=\"{role}\",database=\"{database}\",toplevel=\"true\"}} {calls}"
        )
    };
    let lines = |session: &mut Client| metric(session, "statement_calls_total");
    // Two roles were dropped.
    assert_eq!(
        lines(&mut session),
        [
            of("16401", "before", 10),
            of("16402", "before", 20),
            of("app", "before", 30)
        ]
        .join("\n")
    );
    // Role and database were renamed, and only one statement was called since.
    plant(
        &mut session,
        "statements",
        "INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, role_name, database_name, calls, total_exec_time) \
         SELECT node_id, sample_id, taken_at, 8, 16403, 5, true, 'app2', 'after', 1, 0 FROM newest; \
         INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, calls) \
         SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0 FROM newest",
    );
    let renamed = lines(&mut session);
    assert!(renamed.contains(&of("app2", "after", 30)), "{renamed}");
    assert!(!renamed.contains("before"), "{renamed}");
}

#[test]
fn a_renamed_database_has_its_new_name() {
    let cluster = Cluster::with_pgperf(&[]);
    cluster.run_sql("CREATE DATABASE before");
    let mut session = cluster.connect_to("before");
    session.value("CREATE EXTENSION pgperf CASCADE");
    session.value("SELECT count(*) FROM pgperf.snapshot('{database,wraparound}')");
    assert!(metric(&mut session, "node").contains("database=\"before\""));
    drop(session);
    cluster.run_sql("ALTER DATABASE before RENAME TO after");
    let mut session = cluster.connect_to("after");
    session.value("SELECT count(*) FROM pgperf.snapshot('{database,wraparound}')");
    for name in ["node", "database_commits_total", "xid_age"] {
        let lines = metric(&mut session, name);
        assert!(
            lines.contains("database=\"after\"") && !lines.contains("database=\"before\""),
            "{name}: {lines}"
        );
    }
}

#[test]
fn an_archive_that_is_off_has_no_figures() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (mode, expected) in [("on", " 12"), ("off", "")] {
        plant(
            &mut session,
            "archiver",
            &format!(
                "INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, ready_files) \
                 SELECT node_id, sample_id, taken_at, '{mode}', 12, 3, 0 FROM newest"
            ),
        );
        assert_eq!(
            metric(&mut session, "wal_archived_files_total"),
            expected,
            "{mode}"
        );
    }
}

/// Standbys a and b of one name at one client, and c at another; then only b and c, of which b is the first now.
fn standbys(session: &mut Client) {
    let insert = "INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, client, instance, active, state, replay_lag_bytes) \
                  SELECT node_id, sample_id, taken_at, 'standby', 'walreceiver', v.client, v.instance, true, 'streaming', v.lag FROM newest, ";
    for rows in [
        "(VALUES ('10.0.0.1', 1, 100), ('10.0.0.1', 2, 200), ('10.0.0.2', 1, 300)) v(client, instance, lag)",
        "(VALUES ('10.0.0.1', 1, 200), ('10.0.0.2', 1, 300)) v(client, instance, lag)",
    ] {
        plant(session, "replication", &format!("{insert}{rows}"));
    }
}

#[test]
fn a_lost_standby_shows_beside_another_of_its_name() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    standbys(&mut session);
    let present = session.value(
        "SELECT string_agg(concat_ws('|', r ->> 'name', r ->> 'present_percent'), ', ') \
         FROM pgperf.history_json(now() - interval '1 hour', clock_timestamp()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r WHERE s ->> 'name' = 'replication'",
    );
    assert_eq!(
        present,
        "walreceiver at 10.0.0.1|100.0, walreceiver at 10.0.0.1 (2)|50.0, walreceiver at 10.0.0.2|100.0"
    );
    let lines = metric(&mut session, "replication_replay_lag_bytes");
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert_eq!(
        metric(&mut session, "replication_objects"),
        "{kind=\"slot\"} 0\n{kind=\"standby\"} 2\n{kind=\"subscription\"} 0"
    );
    // No sample is compared with that of another standby.
    let deltas = "SELECT count(*) FROM pgperf.replication_deltas";
    assert_eq!(session.number(deltas), 5);
}

/// A slot whose WAL is lost keeps none: the alert must not resolve with it.
#[test]
fn a_lost_slot_has_a_status() {
    let cluster = Cluster::with_pgperf(&["max_slot_wal_keep_size = 1MB", "wal_keep_size = 0"]);
    let mut session = cluster.connect();
    session.value("SELECT pg_create_physical_replication_slot('left_alone', true)");
    let sampled = |session: &mut Client| {
        session.value("SELECT count(*) FROM pgperf.snapshot('{replication}')");
        (
            metric(session, "replication_status"),
            metric(session, "replication_retained_bytes"),
        )
    };
    let (status, retained) = sampled(&mut session);
    assert!(status.contains("name=\"left_alone\"") && status.contains("status=\"reserved\"} 1"));
    assert!(retained.contains("name=\"left_alone\""), "{retained}");
    for _ in 0..3 {
        session.value("SELECT pg_logical_emit_message(false, 'x', 'y')");
        session.value("SELECT pg_switch_wal()");
        session.value("CHECKPOINT");
    }
    let (status, retained) = sampled(&mut session);
    assert!(status.contains("status=\"lost\"} 1"), "{status}");
    assert_eq!(retained, "");
    assert_eq!(
        metric(&mut session, "replication_objects{kind=\"slot\"}"),
        " 1"
    );
}
