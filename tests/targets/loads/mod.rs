//! Data sets that are loaded into targets.

mod ends;
mod same_rows;
mod who_may;

use crate::common::Cluster;
use crate::common::runs::Runs;
use crate::common::targets::with_extensions;
use postgres::Client;

/// A cluster with pgperf whose superuser has this target; sessions of both.
fn around(target: &Cluster) -> (Cluster, Client, Client) {
    let cluster = Cluster::for_scripts(&["max_worker_processes = 16"]);
    cluster.add_target("target", target);
    let mut session = cluster.connect();
    session.value("CREATE USER MAPPING FOR postgres SERVER target OPTIONS (user 'postgres')");
    (cluster, session, target.connect())
}

/// The same with a server of this major.
fn of_this_major() -> (Cluster, Cluster, Client, Client) {
    let target = Cluster::new(&[]);
    with_extensions(&target);
    let (cluster, session, there) = around(&target);
    (target, cluster, session, there)
}

/// Loads to the end, and expects that it is a good one.
fn load(session: &mut Client, arguments: &str) -> i64 {
    let run = session.number(&format!("SELECT pgperf.start_load({arguments})"));
    session.wait_for_status(run, "finished");
    run
}

/// The label of a relation.
fn label(there: &mut Client, relation: &str) -> String {
    there.value(&format!(
        "SELECT obj_description('{relation}'::regclass, 'pg_class')"
    ))
}
