//! What servers of other majors tell. Those that cannot be had are left out, with a message.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::targets::{cluster_of, with_extensions};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// A cluster with pgperf whose superuser has this target.
fn around(target: &Cluster) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[]);
    cluster.add_target("target", target);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
    (cluster, session)
}

fn fact(session: &mut Client, name: &str) -> String {
    session.value(&format!(
        "SELECT value FROM pgperf.target_facts('target') WHERE name = '{name}'"
    ))
}

fn metric(session: &mut Client, run: i64, name: &str) -> f64 {
    session.float(&format!(
        "SELECT COALESCE(value, -1) FROM pgperf.run_metrics WHERE run_id = {run} AND metric = '{name}'"
    ))
}

fn expect_it_to_tell(target: &Cluster) {
    let (_cluster, mut session) = around(target);
    let mut there = target.connect();
    let version = there.value("SHOW server_version_num");
    let old = version.parse::<u32>().expect("a version") < 100_000;

    // The doctor.
    let findings = session.value(
        "SELECT string_agg(concat_ws(' ', check_name, status, detail), E'\\n') FROM pgperf.doctor(server => 'target')",
    );
    for line in [
        "connection ok PostgreSQL",
        "recovery ok",
        "pooler ok",
        "rights ok a superuser",
        "pg_stat_statements ok",
        "pgstattuple ok tells",
        "fsync problem off",
        "autovacuum ok",
    ] {
        assert!(
            findings.lines().any(|found| found.starts_with(line)),
            "{line}: {findings}"
        );
    }
    assert!(!findings.contains("unknown"), "{findings}");
    let has = |setting: &str| findings.lines().any(|line| line.starts_with(setting));
    let jit = there.value("SELECT count(*) FROM pg_settings WHERE name = 'jit'");
    assert_eq!(has("jit"), jit == "1");
    let remedy = session.value(
        "SELECT remedy FROM pgperf.doctor(server => 'target') WHERE check_name = 'track_io_timing'",
    );
    assert_eq!(
        remedy,
        "on the target: ALTER SYSTEM SET track_io_timing = on"
    );

    // Its facts.
    assert_eq!(fact(&mut session, "version_number"), version);
    let identifier = there.value("SELECT system_identifier FROM pg_control_system()");
    assert_eq!(fact(&mut session, "system_identifier"), identifier);
    let preloaded = fact(&mut session, "shared_preload_libraries");
    assert_eq!(preloaded, "pg_stat_statements");
    let size = there.value("SELECT pg_database_size(current_database())");
    assert_eq!(fact(&mut session, "database_size"), size);
    assert_eq!(fact(&mut session, "wal_segment_size"), "16777216");

    // What changes.
    let before = session.value("SELECT pgperf.target_figures('target')");
    let position = match old {
        true => "SELECT pg_xlog_location_diff(pg_current_xlog_insert_location(), '0/0')::bigint",
        false => "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint",
    };
    let wal = there.number(position);
    // One by one: before 10 each statement of a text is counted as the whole text.
    for statement in [
        "CREATE TABLE t (i int PRIMARY KEY, filler text)",
        "INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 1000) i",
        "UPDATE t SET filler = 'y' WHERE i <= 100",
        "CHECKPOINT",
        "BEGIN; SELECT 1; ROLLBACK",
    ] {
        there.batch_execute(statement).expect(statement);
    }
    let wal = there.number(position) - wal;
    drop(there);
    let mut run = 0;
    wait_until("the statistics of the session", PATIENCE, || {
        let after = session.value("SELECT pgperf.target_figures('target')");
        let text = format!("{before}\n{after}\n");
        run = session
            .query_one("SELECT pgperf.import_results($1)", &[&text])
            .expect("figures")
            .get(0);
        let counted = "SELECT n_tup_upd FROM pgperf.run_relations WHERE relation_name = 't'";
        session.value(&format!("{counted} AND run_id = {run}")) == "100"
            && metric(&mut session, run, "rollbacks") >= 1.0
    });
    let written = metric(&mut session, run, "wal_bytes");
    assert!(
        written >= wal as f64,
        "{written} bytes of WAL, {wal} expected"
    );
    assert!(metric(&mut session, run, "database_growth_bytes") > 100_000.0);
    assert!(metric(&mut session, run, "xids") >= 3.0);
    assert!(metric(&mut session, run, "checkpoints_requested") >= 1.0);
    assert!(metric(&mut session, run, "checkpoint_buffers") >= 1.0);
    let relation = |name: &str, column: &str| {
        format!(
            "SELECT {column} FROM pgperf.run_relations WHERE run_id = {run} AND relation_name = '{name}'"
        )
    };
    assert_eq!(session.value(&relation("t", "n_tup_ins")), "1000");
    assert_eq!(
        session.value(&relation(
            "t",
            "start_size_bytes IS NULL AND end_tuple_percent BETWEEN 1 AND 100"
        )),
        "t"
    );
    assert_eq!(
        session.value(&relation("t_pkey", "relation_kind || ' of ' || table_name")),
        "index of t"
    );
    let has_wal_counts = version.parse::<u32>().expect("a version") >= 140_000;
    let counts = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_metrics WHERE run_id = {run} AND metric IN ('wal_records', 'wal_writes')"
    ));
    assert_eq!(counts, if has_wal_counts { 2 } else { 0 });
    // Its statements, none of which is the connection's own.
    let statements = session.value(&format!(
        "SELECT string_agg(concat_ws(' ', calls, rows, wal_bytes > 0, latency_avg_ms > 0, statement), E'\\n' ORDER BY statement) \
           FROM pgperf.run_statements WHERE run_id = {run} AND statement ~ '^(INSERT|UPDATE)'"
    ));
    let version = version.parse::<u32>().expect("a version");
    let wal = if version >= 130_000 { " t" } else { "" };
    let lines: Vec<&str> = statements.lines().collect();
    assert!(
        lines.len() == 2
            && lines[0].starts_with(&format!("1 1000{wal} t INSERT INTO t SELECT i, repeat("))
            && lines[1].starts_with(&format!("1 100{wal} t UPDATE t SET filler = ")),
        "{statements}"
    );
    let own = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_statements WHERE run_id = {run} AND statement ~ 'to_json|set_config'"
    ));
    assert_eq!(own, 0);
}

fn expect_major_to_tell(major: &str) {
    if let Some(target) = cluster_of(major) {
        expect_it_to_tell(&target);
    }
}

#[test]
fn of_9_6() {
    expect_major_to_tell("9.6");
}

#[test]
fn of_10() {
    expect_major_to_tell("10");
}

#[test]
fn of_13() {
    expect_major_to_tell("13");
}

#[test]
fn of_17() {
    expect_major_to_tell("17");
}

#[test]
fn of_18() {
    expect_major_to_tell("18");
}

#[test]
fn of_the_servers_own() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    expect_it_to_tell(&target);
}
