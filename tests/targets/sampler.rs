//! Targets that are sampled continuously: what is in the history is what their own views say, one that hangs or is away costs the others
//! nothing, and it goes on for as long as its role may.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::pair::pgbench;
use crate::common::runs::{AT_ONCE, NO_BUDGET, PATIENCE, Runs, error_of};
use crate::common::targets::{cluster_of, with_extensions};
use crate::common::{Cluster, StopMode, cases, wait_for, wait_until};
use postgres::{Client, NoTls};

const SAMPLERS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf target sampler'";
/// The sampler reads its list every second, rights every ten, and the launcher looks every five.
const SOON: Duration = Duration::from_secs(25);

/// A server with the extensions, in which nothing happens by itself.
fn target() -> Cluster {
    let target = Cluster::new(&["autovacuum = off", "checkpoint_timeout = '1h'"]);
    with_extensions(&target);
    target
}

/// A cluster with pgperf whose superuser has these targets, and which takes these collectors of them every second.
fn around(conf: &[&str], collectors: &str, targets: &[(&str, &Cluster)]) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[&[NO_BUDGET], conf].concat());
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value(&format!(
        "UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = ANY ('{collectors}')"
    ));
    for (name, target) in targets {
        cluster.add_target(name, target);
        session.value(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
        ));
    }
    (cluster, session)
}

fn start(session: &mut Client, server: &str) -> String {
    session.value(&format!(
        "SELECT pgperf.start_sampler(server => '{server}')"
    ))
}

fn samples(session: &mut Client, server: &str) -> i64 {
    session.number(&format!(
        "SELECT count(*) FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) \
          WHERE n.name = '{server}' AND cadence IS NOT NULL AND run_id IS NULL"
    ))
}

/// Waits until two more samples are there.
fn wait_for_more(session: &mut Client, server: &str) {
    let before = samples(session, server);
    wait_until(&format!("samples of {server}"), PATIENCE, || {
        samples(session, server) >= before + 2
    });
}

/// Columns of the row of a target.
fn row(session: &mut Client, server: &str, columns: &str) -> String {
    session.value(&format!(
        "SELECT concat_ws(' ', {columns}) FROM pgperf.sampled_servers WHERE server = '{server}'"
    ))
}

fn reconnect(cluster: &Cluster) -> Client {
    let mut session = None;
    wait_until("a session", PATIENCE, || {
        session = cluster.config().connect(NoTls).ok();
        session.is_some()
    });
    session.expect("a session")
}

/// What a target's views say.
fn counted(there: &mut Client) -> [i64; 3] {
    [
        "SELECT tup_inserted FROM pg_stat_database WHERE datname = current_database()",
        "SELECT tup_updated FROM pg_stat_database WHERE datname = current_database()",
        "SELECT txid_snapshot_xmax(txid_current_snapshot())",
    ]
    .map(|sql| there.number(sql))
}

#[test]
fn totals_are_those_of_the_views_of_10_15_and_18() {
    let mut targets = vec![("own", target())];
    for (name, major) in [("ten", "10"), ("eighteen", "18")] {
        if let Some(target) = cluster_of(major) {
            let mut there = target.connect();
            there.value("ALTER SYSTEM SET autovacuum = off");
            there.value("SELECT pg_reload_conf()");
            targets.push((name, target));
        }
    }
    let named: Vec<(&str, &Cluster)> = targets.iter().map(|(name, it)| (*name, it)).collect();
    let (cluster, mut session) = around(
        &[],
        "{wal,database,checkpoints,waits,io,statements,tables,wraparound}",
        &named,
    );
    for (name, target) in &named {
        let (place, port) = (
            target.socket_dir().display().to_string(),
            target.port().to_string(),
        );
        pgbench(
            &cluster,
            &["-i", "-q", "-h", &place, "-p", &port, "postgres"],
        );
        assert_eq!(start(&mut session, name), "t");
    }
    // Sessions report what they have counted half a second later at the latest, before 15.
    sleep(Duration::from_secs(1));
    for (name, _) in &named {
        wait_for_more(&mut session, name);
    }
    let first: Vec<i64> = named
        .iter()
        .map(|(name, _)| last(&mut session, name))
        .collect();
    let before: Vec<[i64; 3]> = named
        .iter()
        .map(|(_, it)| counted(&mut it.connect()))
        .collect();
    let seconds = cases(5, 600);
    std::thread::scope(|scope| {
        for (_, target) in &named {
            let (place, port) = (
                target.socket_dir().display().to_string(),
                target.port().to_string(),
            );
            let (cluster, transactions) = (&cluster, (seconds * 20).to_string());
            scope.spawn(move || {
                pgbench(
                    cluster,
                    &[
                        "-n",
                        "-R",
                        "40",
                        "-c",
                        "2",
                        "-t",
                        &transactions,
                        "-h",
                        &place,
                        "-p",
                        &port,
                        "postgres",
                    ],
                );
            });
        }
    });
    let transactions = (seconds * 40) as i64;
    sleep(Duration::from_secs(1));
    for (at, (name, target)) in named.iter().enumerate() {
        wait_for_more(&mut session, name);
        let after = counted(&mut target.connect());
        let views: Vec<i64> = (after.iter().zip(before[at])).map(|(a, b)| a - b).collect();
        assert_eq!(views[0], transactions, "{name}");
        let summed = |view: &str, column: &str, of: &str| {
            format!(
                "SELECT sum(d.{column})::int8 FROM pgperf.{view} d JOIN pgperf.nodes n USING (node_id) \
                  WHERE n.name = '{name}' AND d.sample_id > {} AND {of}",
                first[at]
            )
        };
        let of_database = "d.database_name = 'postgres'";
        let inserted = summed("database_deltas", "tup_inserted", of_database);
        let updated = summed("database_deltas", "tup_updated", of_database);
        let found = [inserted, updated].map(|sql| session.number(&sql));
        assert_eq!(found[..], views[..2], "{name}");
        let xids = session.number(&summed("wal_deltas", "xids", "true"));
        assert!((xids - views[2]).abs() <= 2, "{name}: {xids} {}", views[2]);
        // What hardly matters is stored later.
        let of_accounts = "d.schema_name = 'public' AND d.relation_name = 'pgbench_accounts'";
        for (view, column, of) in [
            ("relation_deltas", "n_tup_upd", of_accounts.to_owned()),
            (
                "statement_deltas",
                "calls",
                "(d.queryid, d.node_id) IN (SELECT t.queryid, t.node_id FROM pgperf.statement_texts t WHERE t.query LIKE 'UPDATE pgbench_accounts%')"
                    .to_owned(),
            ),
        ] {
            wait_for(
                &format!("{name}: {view}"),
                &transactions.to_string(),
                PATIENCE,
                || session.value(&summed(view, column, &of)),
            );
        }
        let is_well = row(
            &mut session,
            name,
            "running, connected, error IS NULL, last_sample_at > now() - interval '10 s'",
        );
        assert_eq!(is_well, "t t t t", "{name}");
        expect_reports(&mut session, name);
    }
    // Each second has a sample; a busy machine may miss some.
    let missed = session.value(&format!(
        "SELECT string_agg(q::text, ' ') FROM (SELECT n.name, count(*) AS samples FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) \
            WHERE n.sampled_by IS NOT NULL GROUP BY n.name HAVING count(*) < {seconds}) q"
    ));
    assert_eq!(missed, "");
}

/// The number of the newest sample of a target.
fn last(session: &mut Client, server: &str) -> i64 {
    session.number(&format!(
        "SELECT max(sample_id) FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) WHERE n.name = '{server}'"
    ))
}

/// What reads a window of the history reads that of a target.
fn expect_reports(session: &mut Client, server: &str) {
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.history_report(node => '{server}') line"
    ));
    for part in ["commits per second", "UPDATE pgbench_accounts", "WAL"] {
        assert!(report.contains(part), "{server}: {part}: {report}");
    }
    session.value(&format!(
        "SELECT count(*) FROM pgperf.findings(node => '{server}')"
    ));
    let page = session.page(&format!("pgperf.history_html(node => '{server}')"));
    assert!(page.contains("pgbench_accounts"), "{server}");
    let document = format!("SELECT pgperf.history_json(node => '{server}') IS NOT NULL");
    assert_eq!(session.value(&document), "t");
    let metrics = format!(
        "SELECT pgperf.metrics(node_id => (SELECT node_id FROM pgperf.nodes WHERE name = '{server}')) LIKE '%pgperf_database_rows_updated%'"
    );
    assert_eq!(session.value(&metrics), "t");
    session.value(&format!(
        "SELECT count(*) FROM pgperf.sampler_gaps JOIN pgperf.nodes n USING (node_id) WHERE n.name = '{server}'"
    ));
}

#[test]
fn one_that_hangs_and_one_that_restarts_cost_the_others_nothing() {
    let (well, hanging, restarted) = (target(), target(), target());
    let (_cluster, mut session) = around(
        &[],
        "{wal,database}",
        &[
            ("well", &well),
            ("hanging", &hanging),
            ("restarted", &restarted),
        ],
    );
    for name in ["well", "hanging", "restarted"] {
        start(&mut session, name);
        wait_for_more(&mut session, name);
    }
    let first = last(&mut session, "well");
    let backend = hanging
        .connect()
        .number("SELECT pid FROM pg_stat_activity WHERE application_name = 'pgperf sampler'");
    let processes = [
        u32::try_from(backend).expect("a pid"),
        hanging.postmaster_pid().expect("a server"),
    ];
    for pid in processes {
        hanging.signal(pid, "STOP");
    }
    restarted.stop(StopMode::Immediate);
    let began = Instant::now();
    for (name, part) in [("restarted", "connect"), ("hanging", "")] {
        wait_until(&format!("the failure of {name}"), SOON, || {
            let told = row(&mut session, name, "connected, error");
            told.starts_with("f ") && told.contains(part)
        });
    }
    println!("both failed after {:?}", began.elapsed());
    restarted.start();
    wait_for_more(&mut session, "restarted");
    for pid in processes {
        hanging.signal(pid, "CONT");
    }
    wait_for_more(&mut session, "hanging");
    let is_well = row(
        &mut session,
        "hanging",
        "connected, error IS NOT NULL, since > failed_at",
    );
    assert_eq!(is_well, "t t t");
    assert_eq!(row(&mut session, "well", "connected, error IS NULL"), "t t");
    // A second for each sample; the machine may be busy, but not for as long as a target hangs.
    let longest = session.float(&format!(
        "SELECT EXTRACT(epoch FROM max(pause)) FROM (SELECT taken_at - lag(taken_at) OVER (ORDER BY sample_id) AS pause \
           FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) WHERE n.name = 'well' AND sample_id >= {first}) q"
    ));
    assert!(longest < 3.0, "{longest} s");
    // Counters began again there, and the differences know it.
    let restart = "SELECT count(DISTINCT epoch) FROM pgperf.samples JOIN pgperf.nodes n USING (node_id) WHERE n.name = 'restarted'";
    assert_eq!(session.number(restart), 2);
}

#[test]
fn it_begins_with_the_commit_and_goes_on_after_the_server_s_restart() {
    let there = target();
    let (cluster, mut session) = around(
        &[
            "shared_preload_libraries = 'pg_stat_statements, pgperf'",
            "max_prepared_transactions = 2",
        ],
        "{database}",
        &[("one", &there), ("other", &there)],
    );
    let mut second = cluster.connect();
    // Who makes the first row of an installation holds others up until the commit.
    session.value("SELECT pgperf.local_node()");
    for way in [
        "BEGIN; SELECT pgperf.start_sampler(server => 'one'); ROLLBACK",
        "BEGIN; SAVEPOINT s; SELECT pgperf.start_sampler(server => 'one'); ROLLBACK TO s; COMMIT",
    ] {
        session.batch_execute(way).expect(way);
        wait_until(way, PATIENCE, || session.number(SAMPLERS) == 0);
    }
    session.value("BEGIN");
    assert_eq!(start(&mut session, "one"), "t");
    let (sqlstate, ..) = error_of(&mut session, "PREPARE TRANSACTION 'sampler'");
    assert_eq!(sqlstate, "0A000");
    session.value("ROLLBACK");
    // Who comes while that is undecided depends on nobody else.
    session.value("BEGIN");
    assert_eq!(start(&mut session, "one"), "t");
    assert_eq!(start(&mut second, "other"), "t");
    session.value("ROLLBACK");
    wait_for_more(&mut session, "other");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.sampled_servers"),
        1
    );
    assert_eq!(start(&mut session, "one"), "t");
    assert_eq!(start(&mut second, "one"), "f");
    wait_for_more(&mut session, "one");
    assert_eq!(session.number(SAMPLERS), 1);
    assert_eq!(
        row(
            &mut session,
            "one",
            "role, running, connected, error IS NULL"
        ),
        "postgres t t t"
    );

    // It is terminated, its server crashes, it is restarted.
    session.value(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'pgperf target sampler'",
    );
    wait_for_more(&mut session, "one");
    let pid = session
        .number("SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf target sampler'");
    drop(second);
    cluster.kill(u32::try_from(pid).expect("a pid"));
    wait_until("the end of the session", PATIENCE, || {
        session.simple_query("SELECT 1").is_err()
    });
    let mut session = reconnect(&cluster);
    wait_for_more(&mut session, "one");
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    for name in ["one", "other"] {
        wait_for_more(&mut session, name);
    }
    session.value("SELECT pg_reload_conf()");
    wait_for_more(&mut session, "one");

    let stop = "SELECT pgperf.stop_sampler(server => 'one')";
    assert_eq!(session.value(stop), "t");
    assert_eq!(session.value(stop), "f");
    wait_for_more(&mut session, "other");
    session.value("SELECT pgperf.stop_sampler(server => 'other')");
    wait_until("its end", AT_ONCE, || session.number(SAMPLERS) == 0);
    // Nobody has anything to start.
    sleep(Duration::from_secs(6));
    assert_eq!(session.number(SAMPLERS), 0);
    assert!(!cluster.log().contains("PANIC"));
}

#[test]
fn its_role_has_to_have_the_rights_all_the_time() {
    let there = target();
    there.run_sql("CREATE ROLE bench LOGIN PASSWORD 'hunter2'");
    there.ask_for_passwords();
    let (cluster, mut session) = around(&[], "{database,statements,io}", &[("target", &there)]);
    let call = "SELECT pgperf.start_sampler(server => 'target')";
    session.value("CREATE ROLE tester LOGIN");
    let mut tester = cluster.connect_as("tester");
    assert_eq!(error_of(&mut tester, call).0, "42501");
    session.value("GRANT pg_monitor TO tester");
    assert_eq!(error_of(&mut tester, call).0, "42704");
    session.value("CREATE USER MAPPING FOR tester SERVER target OPTIONS (user 'bench')");
    assert_eq!(error_of(&mut tester, call).0, "2F003");
    session.value("ALTER USER MAPPING FOR tester SERVER target OPTIONS (ADD password 'hunter2')");
    assert_eq!(tester.value(call), "t");
    wait_for_more(&mut session, "target");
    assert_eq!(
        row(
            &mut tester,
            "target",
            "role, connected, unknown ? 'rights', unknown ? 'statements'"
        ),
        "tester t t f"
    );
    // What a major lacks is said once.
    let said =
        "SELECT count(*) FROM pgperf.sample_outcomes WHERE collector = 'io' AND status = 'skipped'";
    if session.number("SHOW server_version_num") < 160_000 {
        wait_for_more(&mut session, "target");
        assert_eq!(session.number(said), 1);
    }
    for (loss, remedy, error) in [
        (
            "REVOKE USAGE ON FOREIGN SERVER target FROM PUBLIC",
            "GRANT USAGE ON FOREIGN SERVER target TO tester",
            "permission denied for foreign server target",
        ),
        (
            "ALTER USER MAPPING FOR tester SERVER target OPTIONS (SET password 'wrong')",
            "ALTER USER MAPPING FOR tester SERVER target OPTIONS (SET password 'hunter2')",
            "password authentication failed",
        ),
        (
            "DROP USER MAPPING FOR tester SERVER target",
            "CREATE USER MAPPING FOR tester SERVER target OPTIONS (user 'bench', password 'hunter2')",
            "user mapping not found",
        ),
    ] {
        session.value(loss);
        wait_until(loss, SOON, || {
            let told = row(&mut session, "target", "connected, error");
            told.starts_with("f ") && told.contains(error)
        });
        session.value(remedy);
        wait_until(remedy, PATIENCE, || {
            row(&mut session, "target", "connected") == "t"
        });
    }
    // It goes by no name: the server is known by another one now.
    session.value("ALTER SERVER target RENAME TO renamed");
    wait_for_more(&mut session, "renamed");
    let secret =
        "SELECT count(*) FROM pgperf_internal.sampled_targets t WHERE t::text LIKE '%hunter2%'";
    assert_eq!(session.number(secret), 0);
    assert!(!cluster.log().contains("hunter2\""));
    session.value("DROP SERVER renamed CASCADE");
    wait_until("its end", AT_ONCE, || session.number(SAMPLERS) == 0);
    let left = "SELECT count(*) FROM pgperf_internal.sampled_targets";
    assert_eq!(session.number(left), 0);
}

#[test]
fn it_leaves_with_the_extension_and_the_database() {
    let there = target();
    let (cluster, mut session) = around(&[], "{database}", &[("target", &there)]);
    start(&mut session, "target");
    wait_for_more(&mut session, "target");
    session.value("DROP EXTENSION pgperf CASCADE");
    wait_until("its end", AT_ONCE, || session.number(SAMPLERS) == 0);
    session.value("CREATE DATABASE lab");
    let mut lab = cluster.connect_to("lab");
    let place = there.socket_dir().display();
    lab.batch_execute(&format!(
        "CREATE EXTENSION pgperf CASCADE; \
         CREATE SERVER target FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '{place}', port '{}', dbname 'postgres'); \
         CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')",
        there.port()
    ))
    .expect("a target");
    start(&mut lab, "target");
    wait_until("samples", PATIENCE, || samples(&mut lab, "target") > 0);
    drop(lab);
    session.value("DROP DATABASE lab");
    wait_until("its end", AT_ONCE, || session.number(SAMPLERS) == 0);
}
