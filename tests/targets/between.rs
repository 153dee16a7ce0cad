//! Runs on servers that are not simply there: a standby, and one behind a pooler.

use crate::common::Cluster;
use crate::common::pair::pgbench_init;
use crate::common::runs::Runs;
use crate::common::targets::{Pooler, with_extensions};

#[test]
fn a_pooler_in_transaction_mode_takes_what_prepares_nothing() {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    pgbench_init(&target, "postgres", 1);
    let Some(pooler) = Pooler::before(&target) else {
        return;
    };
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    pooler.add_to(&mut session, "pooled");
    let mut there = target.connect();
    for (mode, rows) in [("simple", 160), ("extended", 320)] {
        session.finish_run(&format!(
            "'tpcb-like', server => 'pooled', clients => 8, transactions_per_client => 20, query_mode => '{mode}'"
        ));
        assert_eq!(there.number("SELECT count(*) FROM pgbench_history"), rows);
    }
    // Settings come with the connection, and this pooler refuses them.
    let run = session.start_run(
        "'select-only', server => 'pooled', query_mode => 'simple', settings => '{\"work_mem\": \"1MB\"}', transactions_per_client => 1",
    );
    session.wait_for_status(run, "failed");
    let why = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        why.contains("unsupported startup parameter: options"),
        "{why}"
    );
}

#[test]
fn a_standby_takes_what_reads() {
    let primary = Cluster::new(&[
        "wal_level = replica",
        "max_wal_senders = 4",
        "hot_standby = on",
    ]);
    with_extensions(&primary);
    pgbench_init(&primary, "postgres", 1);
    primary.run_sql("SELECT pg_create_physical_replication_slot('standby')");
    let standby = primary.standby("standby");
    let cluster = Cluster::with_pgperf(&[]);
    cluster.add_target("standby", &standby);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER standby OPTIONS (user 'postgres')");
    let run = session.finish_run(
        "'select-only', server => 'standby', clients => 4, transactions_per_client => 100",
    );
    assert_eq!(session.total(run, "transactions"), 400);
    let known = session.value(&format!(
        "SELECT value FROM pgperf.run_environment WHERE run_id = {run} AND name = 'in_recovery'"
    ));
    assert_eq!(known, "true");
    let run = session.start_run("'tpcb-like', server => 'standby', transactions_per_client => 1");
    session.wait_for_status(run, "failed");
    let why = session.value(&format!(
        "SELECT sqlstate || error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        why.starts_with("25006") && why.contains("read-only transaction"),
        "{why}"
    );
}
