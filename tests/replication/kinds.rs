//! Runs that wait for receivers of other kinds: several subscriptions with row filters, large transactions applied while they
//! go on, synchronous standbys.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{wait_for, wait_until};
use postgres::Client;

fn publisher(conf: &[&str]) -> (Cluster, Client) {
    let replication = ["wal_level = logical", "max_wal_senders = 8"];
    let cluster = Cluster::with_data(&[&replication, conf].concat());
    let session = cluster.connect();
    (cluster, session)
}

/// Subscribes to a publication of the same name, whose rows are there.
fn subscribe(publisher: &Cluster, theirs: &mut Client, name: &str, options: &str) {
    theirs.value(&format!(
        "CREATE SUBSCRIPTION {name} CONNECTION 'host={} port={} user=postgres dbname=postgres' \
         PUBLICATION {name} WITH (copy_data = false{options})",
        publisher.socket_dir().display(),
        publisher.port()
    ));
}

fn expect_active(session: &mut Client, slots: i64) {
    wait_until("consumers of all slots", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_replication_slots WHERE active") == slots
    });
}

/// Each receiver of the run with its status, and whether the run's rate is that of the slowest.
fn outcome(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(r.name || ' ' || r.status, ', ' ORDER BY r.name) || ' ' \
             || (min(r.sustainable_tps) = (SELECT value FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'sustainable_tps')) \
         FROM pgperf.run_receivers r WHERE run_id = {run}"
    ))
}

#[test]
fn two_subscriptions_one_with_a_row_filter() {
    let (cluster, mut session) = publisher(&[]);
    let subscriber = Cluster::with_data(&[]);
    let mut theirs = subscriber.connect();
    session.value("CREATE PUBLICATION lower FOR TABLE pgbench_accounts WHERE (aid <= 50000)");
    session.value("CREATE PUBLICATION others FOR TABLE pgbench_branches, pgbench_tellers");
    for name in ["lower", "others"] {
        subscribe(&cluster, &mut theirs, name, "");
    }
    expect_active(&mut session, 2);
    let run = session.finish_run(
        "'tpcb-like', clients => 2, transactions_per_client => 300, drain => '{\"slots\": \"all\"}'",
    );
    assert_eq!(
        outcome(&mut session, run),
        "lower caught up, others caught up true"
    );
    for rows in ["pgbench_accounts t WHERE aid <= 50000", "pgbench_tellers t"] {
        let rows = format!("SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM {rows}");
        assert_eq!(theirs.value(&rows), session.value(&rows));
    }
    // What the filter leaves out did not come.
    let above = "SELECT count(*) FROM pgbench_accounts WHERE aid > 50000 AND abalance <> 0";
    assert_eq!(theirs.number(above), 0);
    assert!(session.number(above) > 0);
    // Whoever waits sees how far they are behind.
    let output = cluster.psql(
        "CALL pgperf.run('tpcb-like', clients => 1, transactions_per_client => 50, collectors => '{}', drain => '{\"slots\": \"all\"}')",
    );
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(
        printed.contains(" s, draining, slot lower ") && printed.contains(" bytes behind"),
        "{printed}"
    );
    theirs.value("DROP SUBSCRIPTION lower");
    theirs.value("DROP SUBSCRIPTION others");
}

/// With streaming = parallel, which 16 has: a large transaction is applied before its commit, by a worker of its own.
#[test]
fn transactions_that_are_streamed() {
    let (cluster, mut session) = publisher(&["logical_decoding_work_mem = 64kB"]);
    let subscriber = Cluster::with_data(&["max_worker_processes = 16"]);
    let mut theirs = subscriber.connect();
    session.value("CREATE PUBLICATION streamed FOR TABLE pgbench_accounts");
    let parallel = session.number("SHOW server_version_num") >= 160_000;
    let mode = if parallel { "parallel" } else { "on" };
    subscribe(
        &cluster,
        &mut theirs,
        "streamed",
        &format!(", streaming = {mode}"),
    );
    expect_active(&mut session, 1);
    let run = session.finish_run(
        "script => 'UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid <= 5000;', \
         transactions_per_client => 5, drain => '{\"slots\": [\"streamed\"]}'",
    );
    assert_eq!(outcome(&mut session, run), "streamed caught up true");
    assert_eq!(
        theirs.number("SELECT count(*) FROM pgbench_accounts WHERE abalance = 5"),
        5000
    );
    let streamed =
        "SELECT stream_txns > 0 FROM pg_stat_replication_slots WHERE slot_name = 'streamed'";
    assert_eq!(session.value(streamed), "t");
    theirs.value("DROP SUBSCRIPTION streamed");
}

/// With remote_apply nothing is left to wait for; while the standby does not apply, a run can be stopped all the same.
#[test]
fn synchronous_standbys() {
    let (cluster, mut session) = publisher(&[]);
    session.value("SELECT pg_create_physical_replication_slot('standby_slot', true)");
    let standby = cluster.standby("standby_slot");
    let mut theirs = standby.connect();
    cluster.reconfigure(&["synchronous_standby_names = 'walreceiver'"]);
    wait_for("the standby", "sync", PATIENCE, || {
        session.value("SELECT string_agg(sync_state, ' ') FROM pg_stat_replication")
    });
    let load = "'tpcb-like', clients => 2, collectors => '{}', drain => '{\"standbys\": \"all\"}'";
    for level in ["remote_write", "remote_apply"] {
        let run = session.finish_run(&format!(
            "{load}, transactions_per_client => 100, settings => '{{\"synchronous_commit\": \"{level}\"}}'"
        ));
        assert_eq!(
            outcome(&mut session, run),
            "walreceiver caught up true",
            "{level}"
        );
    }
    theirs.value("SELECT pg_wal_replay_pause()");
    let run = session.start_run(&format!(
        "{load}, duration => '1 h', settings => '{{\"synchronous_commit\": \"remote_apply\"}}'"
    ));
    // The other one waits for its row of the branches.
    wait_until("a client that waits for the standby", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf client' AND wait_event = 'SyncRep'") == 1
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    theirs.value("SELECT pg_wal_replay_resume()");
    wait_until("no process of the run", PATIENCE, || {
        session.number("SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'pgperf%'")
            == 0
    });
}
