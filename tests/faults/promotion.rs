//! A promoted standby and its former primary have one node, and both go on: nothing that they store meets.

use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::collections::BTreeSet;

const RUN: &str = "'tpcb-like', transactions_per_client => 1, collectors => '{wal}'";

/// The numbers of all runs, sweeps and samples of a server's own node, with what they are of.
fn numbers(session: &mut Client) -> BTreeSet<String> {
    let all = session
        .query(
            "SELECT concat_ws(' ', node_id, 'run', run_id) FROM pgperf.runs \
             UNION ALL SELECT concat_ws(' ', node_id, 'sweep', sweep_id) FROM pgperf.sweeps \
             UNION ALL SELECT concat_ws(' ', node_id, 'sample', sample_id) FROM pgperf.samples",
            &[],
        )
        .expect("numbers");
    all.iter().map(|row| row.get(0)).collect()
}

fn promote(session: &mut Client) {
    session.value("SELECT pg_promote(true, 30)");
    wait_until("the promotion", PATIENCE, || {
        session.value("SELECT pg_is_in_recovery()") == "f"
    });
}

/// More runs than the server keeps numbers of a sequence ready for, so that one catches up with the other's.
fn go_on(session: &mut Client) {
    for _ in 0..40 {
        session.finish_run(RUN);
    }
    let sweep = session.number(
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', transactions_per_client => 1, clients => '{1}', repetitions => 1)",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep}, '60 s')"));
}

fn warnings(cluster: &Cluster) -> usize {
    let log = cluster.log();
    log.lines()
        .filter(|line| line.contains("WARNING") && line.contains("was promoted to timeline"))
        .count()
}

fn standby_of(primary: &Cluster, session: &mut Client, slot: &str) -> Cluster {
    session.value(&format!(
        "SELECT pg_create_physical_replication_slot('{slot}', true)"
    ));
    primary.standby(slot)
}

#[test]
fn a_promoted_standby_and_its_former_primary_share_no_number() {
    let cluster = Cluster::for_faults(&[]);
    let mut primary = cluster.connect();
    primary.finish_run(RUN);
    let standby = standby_of(&cluster, &mut primary, "copy");
    let mut session = standby.connect();
    let node = primary.value("SELECT pgperf.local_node()");
    wait_until("the run", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.runs") > 0
    });
    // Nothing is said or stored on a standby.
    assert_eq!(session.value("SELECT pgperf.local_node()"), node);
    let before = numbers(&mut session);
    promote(&mut session);
    go_on(&mut session);
    go_on(&mut primary);

    assert_eq!(session.value("SELECT pgperf.local_node()"), node);
    let (former, promoted) = (numbers(&mut primary), numbers(&mut session));
    let shared: BTreeSet<String> = former.intersection(&promoted).cloned().collect();
    assert_eq!(shared, before);
    assert!(former.len() > before.len() + 80 && promoted.len() > before.len() + 80);
    // The history goes on in order, and reports find what is newest.
    assert_eq!(
        session.value("SELECT min(run_id) > 1000000000 FROM pgperf.runs WHERE run_id > 1000"),
        "t"
    );
    assert_eq!(
        session.value("SELECT bool_and(in_order) FROM (SELECT run_id > lag(run_id) OVER (ORDER BY requested_at) AS in_order FROM pgperf.runs) r"),
        "t"
    );
    assert_eq!(
        session.value("SELECT bool_and(in_order) FROM (SELECT sample_id > lag(sample_id) OVER (ORDER BY taken_at) AS in_order FROM pgperf.samples) s"),
        "t"
    );
    assert_eq!((warnings(&cluster), warnings(&standby)), (0, 1));
    let doctor = "SELECT status FROM pgperf.doctor() WHERE check_name = 'node'";
    assert_eq!(primary.value(doctor), "ok");
    assert_eq!(session.value(doctor), "warning");
    // A node of its own has small numbers again, and nothing to warn of.
    assert_ne!(session.value("SELECT pgperf.new_node()"), node);
    let run = session.finish_run(RUN);
    assert!(run < 1000, "{run}");
    assert_eq!(session.value(doctor), "ok");
    assert_eq!(warnings(&standby), 1);
    standby.expect_no_crash();
    cluster.expect_no_crash();
}

#[test]
fn a_promoted_standby_begins_a_node_of_its_own_if_it_is_told_to() {
    let cluster = Cluster::for_faults(&[]);
    let mut primary = cluster.connect();
    primary.finish_run(RUN);
    let node = primary.value("SELECT pgperf.local_node()");
    let standby = standby_of(&cluster, &mut primary, "copy");
    standby.reconfigure(&["pgperf.new_node_on_promotion = on"]);
    let mut session = standby.connect();
    assert_eq!(session.value("SELECT pgperf.local_node()"), node);
    promote(&mut session);
    let own = session.value("SELECT pgperf.local_node()");
    assert_ne!(own, node);
    assert_eq!(session.value("SELECT pgperf.local_node()"), own);
    let run = session.finish_run(RUN);
    assert!(run < 1000, "{run}");
    assert_eq!(
        session.value(&format!(
            "SELECT node_id FROM pgperf.runs WHERE run_id = {run}"
        )),
        own
    );
    assert_eq!(
        session.value("SELECT status FROM pgperf.doctor() WHERE check_name = 'node'"),
        "ok"
    );
    assert_eq!((warnings(&cluster), warnings(&standby)), (0, 1));
}

#[test]
fn a_run_goes_on_and_can_be_stopped_when_a_node_begins() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run("'tpcb-like', duration => '1 h', collectors => '{wal}'");
    session.value("SELECT pgperf.new_node()");
    assert_eq!(session.status(run), "running");
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
}
