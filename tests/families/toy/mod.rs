//! The toy family on a server.

mod data_sets;
mod options;
mod rows;
mod runs;

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

fn cluster() -> Cluster {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let known = session.number("SELECT count(*) FROM pgperf.workloads WHERE name = 'toy'");
    assert_eq!(
        known, 1,
        "a library without the feature toy: make test-families"
    );
    cluster
}

fn failed_checks(session: &mut Client, workload: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(check_name || ': ' || detail, ', '), '') FROM pgperf.\"check\"('{workload}') \
          WHERE NOT passed"
    ))
}

fn lines(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) AS r (line)"
    ))
}
