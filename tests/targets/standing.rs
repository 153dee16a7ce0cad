//! What is told to roles with fewer rights, as managed services give them, and by a standby.

use crate::common::runs::Runs;
use crate::common::targets::{Pooler, cluster_of, with_extensions};
use crate::common::{Cluster, StopMode};
use postgres::Client;

/// A target that asks for passwords, with a role that has nothing but pg_monitor, and one that has nothing.
fn managed(target: &Cluster) -> (Cluster, Client) {
    let has_monitor = target.connect().number("SHOW server_version_num") >= 100_000;
    let monitor = if has_monitor {
        "IN ROLE pg_monitor"
    } else {
        ""
    };
    target
        .connect()
        .batch_execute(&format!(
            "CREATE ROLE observer LOGIN PASSWORD 'hunter2' {monitor}; CREATE ROLE nobody LOGIN PASSWORD 'hunter3'; CREATE TABLE t AS SELECT 1"
        ))
        .expect("roles");
    target.ask_for_passwords();
    let cluster = Cluster::with_pgperf(&[]);
    for (name, role, password) in [
        ("observed", "observer", "hunter2"),
        ("hidden", "nobody", "hunter3"),
    ] {
        cluster.add_target(name, target);
        cluster.run_sql(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user '{role}', password '{password}')"
        ));
    }
    let session = cluster.connect();
    (cluster, session)
}

fn finding(session: &mut Client, server: &str, check: &str) -> String {
    session.value(&format!(
        "SELECT concat_ws('; ', status, detail, remedy) FROM pgperf.doctor(server => '{server}') WHERE check_name = '{check}'"
    ))
}

fn expect_what_rights_allow(target: &Cluster) {
    let (_cluster, mut session) = managed(target);
    let is_old = target.connect().number("SHOW server_version_num") < 100_000;
    let rights = finding(&mut session, "hidden", "rights");
    let statements = finding(&mut session, "hidden", "pg_stat_statements");
    if is_old {
        assert!(
            rights.starts_with("warning; no superuser, and before 10"),
            "{rights}"
        );
        assert!(!statements.contains("GRANT"), "{statements}");
    } else {
        assert!(
            rights.ends_with("; on the target: GRANT pg_monitor TO \"nobody\""),
            "{rights}"
        );
        assert!(
            statements.ends_with("GRANT pg_read_all_stats TO \"nobody\""),
            "{statements}"
        );
        let rights = finding(&mut session, "observed", "rights");
        assert_eq!(rights, "ok; those of pg_monitor");
        assert!(finding(&mut session, "observed", "pg_stat_statements").starts_with("ok; "));
    }
    // Sizes, counters and the build are everybody's.
    for server in ["observed", "hidden"] {
        let known = session.value(&format!(
            "SELECT string_agg(name, ' ' ORDER BY name) FROM pgperf.target_facts('{server}') \
              WHERE name IN ('version', 'database_size', 'system_identifier', 'data_checksums') AND value IS NOT NULL"
        ));
        assert_eq!(
            known,
            "data_checksums database_size system_identifier version"
        );
        let figures = session.value(&format!(
            "SELECT (j -> 'relations' @> '[{{\"name\": \"t\"}}]')::text || ' ' || (j -> 'counters' -> 'checkpoints' -> 'values' ? 'checkpoints_timed')::text \
               FROM (SELECT replace(pgperf.target_figures('{server}'), 'pgperf figures ', '')::jsonb) f (j)"
        ));
        assert_eq!(figures, "true true");
    }
    // What is taken away is missing, and said so.
    target
        .connect()
        .batch_execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; REVOKE SELECT ON pg_stat_statements FROM PUBLIC")
        .expect("less");
    let note = session.value(
        "SELECT note FROM pgperf.target_facts('hidden') WHERE name = 'system_identifier' AND value IS NULL",
    );
    assert_eq!(note, "the role may not call pg_control_system()");
    let statements = finding(&mut session, "hidden", "pg_stat_statements");
    assert_eq!(
        statements,
        "warning; the role may not read it; on the target: GRANT SELECT ON public.pg_stat_statements TO \"nobody\""
    );
}

#[test]
fn a_role_without_rights_of_the_servers_own_major() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    expect_what_rights_allow(&target);
}

#[test]
fn a_role_without_rights_of_10() {
    if let Some(target) = cluster_of("10") {
        expect_what_rights_allow(&target);
    }
}

#[test]
fn a_role_without_rights_of_9_6() {
    if let Some(target) = cluster_of("9.6") {
        expect_what_rights_allow(&target);
    }
}

#[test]
fn without_extensions_the_doctor_says_what_to_do() {
    let target = Cluster::new(&["shared_preload_libraries = ''"]);
    let cluster = Cluster::with_pgperf(&[]);
    cluster.add_target("bare", &target);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER bare OPTIONS (user 'postgres')");
    assert_eq!(
        finding(&mut session, "bare", "pg_stat_statements"),
        "warning; not in the database: no statistics of statements; on the target: CREATE EXTENSION pg_stat_statements"
    );
    assert!(finding(&mut session, "bare", "pgstattuple").starts_with("ok; not in the database"));
    target.run_sql("CREATE EXTENSION pg_stat_statements");
    let statements = finding(&mut session, "bare", "pg_stat_statements");
    assert!(
        statements.starts_with("warning; not preloaded")
            && statements.ends_with(
                "on the target: ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'"
            ),
        "{statements}"
    );
}

#[test]
fn a_standby_is_a_target_for_reads() {
    let primary = Cluster::new(&[
        "wal_level = replica",
        "max_wal_senders = 4",
        "hot_standby = on",
    ]);
    with_extensions(&primary);
    primary.run_sql("SELECT pg_create_physical_replication_slot('standby')");
    let standby = primary.standby("standby");
    let cluster = Cluster::with_pgperf(&[]);
    cluster.add_target("standby", &standby);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER standby OPTIONS (user 'postgres')");
    assert_eq!(
        finding(&mut session, "standby", "recovery"),
        "warning; a standby: only workloads that read can run there"
    );
    let figures = session.value("SELECT pgperf.target_figures('standby') LIKE 'pgperf figures {%'");
    assert_eq!(figures, "t");
    let recovery = session
        .value("SELECT value FROM pgperf.target_facts('standby') WHERE name = 'in_recovery'");
    assert_eq!(recovery, "true");
    standby.stop(StopMode::Fast);
    let finding = finding(&mut session, "standby", "connection");
    assert!(
        finding.starts_with("problem; could not connect to server"),
        "{finding}"
    );
}

#[test]
fn a_pooler_is_told_and_answers_all_the_same() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    let Some(pooler) = Pooler::before(&target) else {
        return;
    };
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    pooler.add_to(&mut session, "pooled");
    let found = finding(&mut session, "pooled", "pooler");
    assert!(found.starts_with("warning; a pooler answers"), "{found}");
    assert_eq!(finding(&mut session, "pooled", "rights"), "ok; a superuser");
    let facts = session.number("SELECT count(*) FROM pgperf.target_facts('pooled')");
    assert!(facts > 10, "{facts}");
    let figures = session.value("SELECT pgperf.target_figures('pooled') LIKE 'pgperf figures {%'");
    assert_eq!(figures, "t");
    // What was set for a question is not left behind in a session that others get.
    let left = session.value("SELECT string_agg(name, ' ') FROM pgperf.target_facts('pooled') WHERE name IN ('search_path', 'lock_timeout')");
    assert_eq!(left, "");
}
