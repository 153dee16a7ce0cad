//! Other servers, as targets of a cluster with pgperf.

use std::path::PathBuf;
use std::process::Command;

use super::{Cluster, checkout, output};
use crate::common::runs::Runs;

/// The folder of the programs of another major; None, after saying why, where that cannot be had.
pub fn bindir_of(major: &str) -> Option<PathBuf> {
    let script = checkout().join("tools/target-server");
    let output = output(Command::new(&script).arg(major));
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {
            let folder = String::from_utf8_lossy(&output.stdout);
            Some(PathBuf::from(folder.trim()))
        }
        Some(3) => {
            eprintln!("left out: {}", said.trim());
            None
        }
        _ => panic!("{script:?} {major}: {said}"),
    }
}

/// A server of another major with pg_stat_statements and pgstattuple in database `postgres`.
pub fn cluster_of(major: &str) -> Option<Cluster> {
    let cluster = Cluster::of(&bindir_of(major)?, &[]);
    with_extensions(&cluster);
    Some(cluster)
}

/// Makes the extensions that pgperf reads on a target.
pub fn with_extensions(cluster: &Cluster) {
    cluster
        .connect()
        .batch_execute("CREATE EXTENSION pg_stat_statements; CREATE EXTENSION pgstattuple")
        .expect("extensions");
}

impl Cluster {
    /// Makes another cluster a target, which everybody may use; mappings are the test's.
    pub fn add_target(&self, name: &str, target: &Cluster) {
        let place = target.socket_dir().display();
        let port = target.port();
        self.connect().value(&format!(
            "CREATE SERVER {name} FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '{place}', port '{port}', dbname 'postgres')"
        ));
        self.run_sql(&format!("GRANT USAGE ON FOREIGN SERVER {name} TO PUBLIC"));
    }

    /// Lets its superuser in without a password, and asks everybody else for one.
    pub fn ask_for_passwords(&self) {
        let rules = "local all postgres trust\nlocal all all md5\n";
        std::fs::write(self.data_dir().join("pg_hba.conf"), rules).expect("pg_hba.conf");
        self.reconfigure(&[]);
    }
}
