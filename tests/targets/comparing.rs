//! Sweeps over servers, and what `compare_servers` prints.

use crate::common::runs::Runs;
use crate::common::targets::{cluster_of, with_extensions};
use crate::common::{Cluster, pair};
use postgres::Client;

/// A cluster with two targets, `old` and `new`, of its own major, with pgbench's tables.
fn two() -> ([Cluster; 2], Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let targets = ["old", "new"].map(|name| {
        let target = Cluster::new(&[]);
        with_extensions(&target);
        pair::pgbench_init(&target, "postgres", 1);
        cluster.add_target(name, &target);
        session.value(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
        ));
        target
    });
    (targets, cluster, session)
}

#[test]
fn two_servers_are_compared_by_one_call() {
    let ([old, new], cluster, mut session) = two();
    let said = cluster.psql_script(
        "CALL pgperf.compare_servers('{old,new}', 'tpcb-like', clients => '{2}', transactions_per_client => 100, repetitions => 2, \
             settings => '{\"synchronous_commit\": \"off\"}', checkpoint => true, label => 'both');",
    );
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    for target in [old, new] {
        let rows = "SELECT count(*) FROM pgbench_history";
        assert_eq!(target.connect().number(rows), 400, "{said}");
    }
    for part in [
        "sweep 1 \"both\": finished, 4 of 4 runs",
        "server",
        "new beside old: Figures",
        "growth of the database",
        "WAL",
        "hit ratio, %",
        "new beside old: Mean latency of statements, ms",
        "UPDATE pgbench_accounts SET",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("Buffers by usage count"), "{said}");
    // Growth and WAL are those of the runs' own targets.
    let metrics = session.number(
        "SELECT count(*) FROM pgperf.run_metrics JOIN pgperf.runs r USING (node_id, run_id) \
          WHERE metric IN ('wal_bytes', 'database_growth_bytes') AND value > 0 AND r.server IN ('old', 'new')",
    );
    assert_eq!(metrics, 8);
    let table = session.value(
        "SELECT string_agg(line, E'\\n') FROM pgperf.version_table( \
            (SELECT array_agg(run_id) FROM pgperf.runs WHERE server = 'old'), (SELECT array_agg(run_id) FROM pgperf.runs WHERE server = 'new')) line",
    );
    let heads = ["old", "new", "change"];
    assert!(
        table
            .lines()
            .any(|line| line.split_whitespace().take(3).eq(heads)),
        "{table}"
    );
    let page = session.value("SELECT pgperf.sweep_html(1)");
    assert!(page.contains("new beside old"));
}

#[test]
fn a_sweep_over_servers_has_a_curve_for_each() {
    let (_targets, _cluster, mut session) = two();
    session.value(
        "SELECT pgperf.start_sweep('select-only', servers => '{new,old}', clients => '{1,2,4}', repetitions => 2, transactions_per_client => 200)",
    );
    session
        .batch_execute("CALL pgperf.wait_sweep()")
        .expect("its end");
    let points = session.value(
        "SELECT string_agg(concat_ws(' ', combination, clients, n), ', ' ORDER BY point_no) FROM pgperf.sweep_points",
    );
    assert_eq!(
        points,
        "server=new 1 2, server=new 2 2, server=new 4 2, server=old 1 2, server=old 2 2, server=old 4 2"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.sweep_peak()"),
        2
    );
    let report = session.value("SELECT string_agg(line, E'\\n') FROM pgperf.sweep_report() line");
    assert!(!report.contains("beside"), "{report}");
    assert!(
        report.contains("servers => ARRAY['new', 'old']"),
        "{report}"
    );
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (_targets, _cluster, mut session) = two();
    for (arguments, part) in [
        (
            "servers => '{old,nobody}'",
            "server \"nobody\" does not exist",
        ),
        ("servers => '{old,old}'", "servers holds old twice"),
        ("servers => '{}'", "servers must not be empty"),
        (
            "servers => '{old}', server => 'new'",
            "servers and server exclude each other",
        ),
        (
            "servers => '{old}', settings_grid => '{\"checkpoint_timeout\": [\"1min\", \"2min\"]}'",
            "setting \"checkpoint_timeout\" in settings_grid and a target exclude each other",
        ),
    ] {
        let sql = format!("SELECT pgperf.start_sweep('select-only', {arguments})");
        let (_, message, _) = crate::common::runs::error_of(&mut session, &sql);
        assert!(message.contains(part), "{arguments}: {message}");
    }
    assert_eq!(session.number("SELECT count(*) FROM pgperf.sweeps"), 0);
}

/// The study of two majors, in small: one more index, whose equal keys a B-tree keeps once from 13 on.
#[test]
fn a_study_of_majors_is_one_call() {
    let (Some(old), Some(new)) = (cluster_of("10"), cluster_of("18")) else {
        return;
    };
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (name, target) in [("pg10", &old), ("pg18", &new)] {
        cluster.add_target(name, target);
        session.value(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
        ));
    }
    let said = cluster.psql_script(
        "CALL pgperf.compare_servers('{pg10,pg18}', 'simple-update', scale => 1, clients => '{8}', transactions_per_client => 250, repetitions => 2, \
             query_mode => 'prepared', settings => '{\"synchronous_commit\": \"off\", \"wal_compression\": \"on\"}', \
             before_sql => 'CREATE INDEX more ON pgbench_accounts (bid, abalance); CHECKPOINT');",
    );
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    for row in [
        "pg18 beside pg10: Figures",
        "10.23",
        "18.",
        "growth of the database",
        "WAL",
        "hit ratio, %",
        "live tuples, %",
        "autovacuums",
        "size of indexes",
        "pg18 beside pg10: Mean latency of statements, ms",
        "stddev",
    ] {
        assert!(said.contains(row), "{row}: {said}");
    }
    let size = |session: &mut Client, server: &str| {
        session.float(&format!(
            "SELECT avg(end_size_bytes) FROM pgperf.run_relations JOIN pgperf.runs r USING (node_id, run_id) \
              WHERE relation_name = 'more' AND r.server = '{server}' AND r.kind = 'run'"
        ))
    };
    let [before, now] = ["pg10", "pg18"].map(|server| size(&mut session, server));
    let there =
        |target: &Cluster| target.connect().number("SELECT pg_relation_size('more')") as f64;
    assert!(now < before / 2.0, "{now} of {before} bytes");
    // The last run of each is what is still there.
    for (mean, target) in [(before, &old), (now, &new)] {
        let size = there(target);
        assert!((mean / size - 1.0).abs() < 0.1, "{mean}, {size} there");
    }
}
