//! The built-in scripts are pgbench's own.

use crate::common::runs::Runs;
use crate::common::{Cluster, output};

#[test]
fn built_in_scripts_are_those_that_pgbench_shows() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for name in ["tpcb-like", "simple-update", "select-only"] {
        let shown = output(
            cluster
                .program("pgbench")
                .arg(format!("--show-script={name}")),
        );
        // Behind a line with its name.
        let theirs = String::from_utf8(shown.stderr).expect("text");
        let (_, theirs) = theirs.split_once('\n').expect("a script");
        let ours = session.value(&format!(
            "SELECT s ->> 'text' FROM pgperf.workloads, jsonb_array_elements(scripts) s WHERE name = '{name}'"
        ));
        assert_eq!(ours.trim(), theirs.trim(), "{name}");
    }
}
