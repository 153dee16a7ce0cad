//! Other servers, as targets of a cluster with pgperf.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Cluster, as_server, checkout, output, run, server_tempdir, wait_until};
use crate::common::runs::{PATIENCE, Runs};
use postgres::Client;
use tempfile::TempDir;

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

/// pgbouncer in front of a server, which ends with it.
pub struct Pooler {
    dir: TempDir,
    port: u16,
}

impl Pooler {
    /// None, with a message, where there is none.
    pub fn before(server: &Cluster) -> Option<Pooler> {
        const PROGRAM: &str = "/usr/sbin/pgbouncer";
        if !Path::new(PROGRAM).exists() {
            eprintln!("left out: pgbouncer is not installed");
            return None;
        }
        let dir = server_tempdir();
        let (folder, port) = (dir.path().display(), server.port());
        let settings = format!(
            "[databases]\npostgres = host={} port={port}\n[pgbouncer]\nlisten_addr =\nlisten_port = {port}\nunix_socket_dir = {folder}\n\
             logfile = {folder}/log\npidfile = {folder}/pid\nauth_type = trust\nauth_file = {folder}/users\npool_mode = transaction\n",
            server.socket_dir().display()
        );
        fs::write(dir.path().join("users"), "\"postgres\" \"\"\n").expect("users");
        let file = dir.path().join("settings");
        fs::write(&file, settings).expect("settings");
        run(as_server(PROGRAM).args(["-q", "-d"]).arg(&file));
        let pooler = Pooler { dir, port };
        let socket = pooler.dir.path().join(format!(".s.PGSQL.{port}"));
        wait_until("pgbouncer", PATIENCE, || {
            socket.exists() && pooler.pid().is_some()
        });
        Some(pooler)
    }

    /// Makes it a target of a superuser.
    pub fn add_to(&self, session: &mut Client, name: &str) {
        session.value(&format!(
            "CREATE SERVER {name} FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '{}', port '{}', dbname 'postgres')",
            self.dir.path().display(),
            self.port
        ));
        session.value(&format!(
            "CREATE USER MAPPING FOR postgres SERVER {name} OPTIONS (user 'postgres')"
        ));
    }

    fn pid(&self) -> Option<String> {
        let pid = fs::read_to_string(self.dir.path().join("pid")).ok()?;
        Some(pid.trim().to_owned()).filter(|pid| !pid.is_empty())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        if let Some(pid) = self.pid() {
            let _ = as_server("kill").arg(pid).status();
        }
    }
}
