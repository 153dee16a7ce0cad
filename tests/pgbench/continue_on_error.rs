//! Errors other than those of serialization and deadlocks, after which a client goes on: pgbench of PostgreSQL 19 counts them.

use crate::common::pair::reported;
use crate::common::runs::Runs;
use crate::common::{Cluster, major};

const SCRIPTS: [&str; 3] = [
    "\\set x random(1, 10)\nSELECT 1 / (:x - 3);\n",
    "\\set x random(1, 10)\nBEGIN;\nSELECT 1 / (:x - 3);\nEND;\n",
    "\\set x random(1, 10)\nBEGIN;\nINSERT INTO checked VALUES (:x);\nEND;\n",
];

#[test]
fn failures_are_those_of_pgbench_with_the_same_seed() {
    if major() < 19 {
        return;
    }
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE checked (x int CHECK (x <> 5))");
    let folder = tempfile::tempdir().expect("a folder");
    for (script, mode) in SCRIPTS.into_iter().zip(["simple", "extended", "prepared"]) {
        let file = folder.path().join("script");
        std::fs::write(&file, script).expect("a script");
        let output = cluster
            .program("pgbench")
            .args([
                "-n",
                "-c",
                "2",
                "-t",
                "300",
                "--random-seed=7",
                "--continue-on-error",
                "--failures-detailed",
            ])
            .args(["-M", mode, "-f"])
            .arg(&file)
            .arg("postgres")
            .output()
            .expect("pgbench");
        let report = String::from_utf8_lossy(&output.stdout);
        let theirs = [
            "number of transactions actually processed: ",
            "number of failed transactions: ",
            "number of other failures: ",
        ]
        .map(|line| reported(&report, line));
        let run = session.finish_run(&format!(
            "script => $${script}$$, clients => 2, transactions_per_client => 300, random_seed => 7, query_mode => '{mode}', \
             continue_on_error => true, collectors => '{{}}'"
        ));
        let ours =
            ["transactions", "failed", "other_failures"].map(|name| session.total(run, name));
        assert_eq!(ours, theirs, "{script}");
        assert!(ours[2] > 30, "{script}: {ours:?}");
    }
}
