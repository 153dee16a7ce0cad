//! Real captures are played again: what was there after the capture is there after the replay.

use crate::common::Cluster;
use crate::common::pair::{QUERY_MODES, pgbench};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_for;
use postgres::Client;

const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";

const TABLES: [&str; 4] = [
    "pgbench_accounts",
    "pgbench_branches",
    "pgbench_tellers",
    "pgbench_history",
];

/// Keeps the tables as they are, for [`put_back`].
fn keep(session: &mut Client) {
    for table in TABLES {
        let copy = format!("CREATE TABLE kept_{table} AS TABLE {table}");
        session.batch_execute(&copy).expect("a copy");
    }
}

fn put_back(session: &mut Client) {
    for table in TABLES {
        let sql = format!("TRUNCATE {table}; INSERT INTO {table} TABLE kept_{table}");
        session.batch_execute(&sql).expect("the rows as they were");
    }
    session.batch_execute("VACUUM ANALYZE").expect("a vacuum");
}

/// All balances and the history without its times.
fn contents(session: &mut Client) -> String {
    session.value(
        "SELECT concat_ws(' ', (SELECT md5(string_agg(concat_ws(':', aid, abalance), ',' ORDER BY aid)) FROM pgbench_accounts), \
            (SELECT md5(string_agg(concat_ws(':', bid, bbalance), ',' ORDER BY bid)) FROM pgbench_branches), \
            (SELECT md5(string_agg(concat_ws(':', tid, tbalance), ',' ORDER BY tid)) FROM pgbench_tellers), \
            (SELECT md5(string_agg(x, ',' ORDER BY x)) FROM \
                (SELECT concat_ws(':', tid, bid, aid, delta) AS x FROM pgbench_history) h))",
    )
}

fn capture(session: &mut Client, name: &str, work: impl FnOnce()) {
    session.value(&format!(
        "SELECT pgperf.start_capture('{name}', application_names => '{{pgbench}}')"
    ));
    wait_for("the capture", "capturing", PATIENCE, || {
        session.value(&format!(
            "SELECT status FROM pgperf.captures WHERE name = '{name}'"
        ))
    });
    work();
    assert_eq!(session.value("SELECT pgperf.stop_capture()"), "t");
}

#[test]
fn transactions_of_pgbench_end_as_they_did() {
    let cluster = Cluster::with_pgperf(&[PRELOADED, "max_connections = 60"]);
    let mut session = cluster.connect();
    pgbench(&cluster, &["-i", "-q", "-s", "2", "postgres"]);
    keep(&mut session);
    for mode in QUERY_MODES {
        put_back(&mut session);
        capture(&mut session, mode, || {
            let arguments = [
                "-n", "-c", "16", "-j", "2", "-t", "150", "-M", mode, "postgres",
            ];
            pgbench(&cluster, &arguments);
        });
        let captured = contents(&mut session);
        put_back(&mut session);
        let run = session.start_run(&format!(
            "'capture:{mode}', transport => 'wire', label => '{mode}'"
        ));
        session.wait_for_status(run, "finished");
        let report = session.value(&format!(
            "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
        ));
        println!("{report}");
        let row = session.value(&format!(
            "SELECT concat_ws(' ', transactions >= 2400, transactions_alike = transactions, transactions_diverged, \
                statements_alike = statements, statements_diverged, statements_left_out, transactions_dropped, broken_waits, \
                refused_settings, lost_sessions) FROM pgperf.run_replays WHERE run_id = {run}"
        ));
        assert_eq!(row, "t t 0 t 0 0 0 0 0 0", "{mode}");
        assert_eq!(contents(&mut session), captured, "{mode}");
    }
}

#[test]
fn a_capture_is_played_on_a_target_at_its_speed() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let target = Cluster::new(&[]);
    cluster.add_target("target", &target);
    let mut session = cluster.connect();
    let mut there = target.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
    pgbench(&cluster, &["-i", "-q", "postgres"]);
    let (place, port) = (target.socket_dir().display().to_string(), target.port());
    let port = port.to_string();
    pgbench(
        &cluster,
        &["-i", "-q", "-h", &place, "-p", &port, "postgres"],
    );
    capture(&mut session, "monday", || {
        pgbench(
            &cluster,
            &["-n", "-c", "4", "-R", "100", "-T", "3", "postgres"],
        );
    });
    let captured = contents(&mut session);
    let run = session.start_run(
        "'capture:monday', server => 'target', options => '{\"speed\": 1}', sample_interval => '0.5 s'",
    );
    session.wait_for_status(run, "finished");
    let row = session.value(&format!(
        "SELECT concat_ws(' ', transactions_alike = transactions, statements_diverged, broken_waits, late_avg_ms >= 0, speed, \
            s.duration_s BETWEEN 2.5 AND 6, s.server) FROM pgperf.run_replays JOIN pgperf.runs r USING (node_id, run_id), \
            LATERAL (SELECT duration_s, r.server FROM pgperf.run_summary WHERE run_id = r.run_id) s WHERE run_id = {run}"
    ));
    assert_eq!(row, "t 0 0 t 1 t target");
    assert_eq!(contents(&mut there), captured);
}

#[test]
fn changes_that_depend_on_their_order_come_in_that_order() {
    let cluster = Cluster::with_pgperf(&[PRELOADED]);
    let mut session = cluster.connect();
    let again = "DROP TABLE IF EXISTS chain; CREATE TABLE chain (id int PRIMARY KEY, v int); INSERT INTO chain VALUES (1, 7), (2, 7)";
    let value = "SELECT string_agg(v::text, ' ' ORDER BY id) FROM chain";
    // One commits by itself, and one in a block after it has waited; each change depends on all before it.
    let script = "UPDATE chain SET v = (v * 31 + :client_id) % 1000003 WHERE id = 1;\n\
        BEGIN;\nSELECT v FROM chain WHERE id = 2 FOR UPDATE;\nUPDATE chain SET v = (v * 37 + :client_id) % 1000003 WHERE id = 2;\nCOMMIT;\n";
    let file = cluster.socket_dir().join("chain.sql");
    std::fs::write(&file, script).expect("a script");
    session.batch_execute(again).expect("a table");
    capture(&mut session, "chain", || {
        let file = file.display().to_string();
        pgbench(
            &cluster,
            &["-n", "-c", "8", "-t", "100", "-f", &file, "postgres"],
        );
    });
    let captured = session.value(value);
    session.batch_execute(again).expect("the table as it was");
    let run = session.start_run("'capture:chain', transport => 'wire'");
    session.wait_for_status(run, "finished");
    let row = session.value(&format!(
        "SELECT concat_ws(' ', transactions_alike = transactions, broken_waits) FROM pgperf.run_replays WHERE run_id = {run}"
    ));
    assert_eq!((row.as_str(), session.value(value)), ("t 0", captured));
}
