//! The same load by pgbench and by pgperf, and their initial databases.

use postgres::{Client, SimpleQueryMessage};

use super::Cluster;

/// The database from which the others are copied.
const TEMPLATE: &str = "fresh";
/// pgbench's part of each pair.
pub const THEIRS: &str = "theirs";
/// pgperf's part.
pub const OURS: &str = "ours";

pub const QUERY_MODES: [&str; 3] = ["simple", "extended", "prepared"];

/// A load for both pgbench and pgperf.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub script: &'static str,
    pub query_mode: &'static str,
    pub clients: u32,
    /// Of each client.
    pub transactions: u32,
    pub seed: i64,
}

impl Load {
    /// `-n`: no vacuum and no TRUNCATE before, which pgperf leaves to its user too.
    pub fn by_pgbench(&self, cluster: &Cluster, database: &str) {
        let (clients, transactions) = (self.clients.to_string(), self.transactions.to_string());
        // It reads the seed as an unsigned number.
        let seed = format!("--random-seed={}", self.seed as u64);
        let options = ["-n", "-b", self.script, "-M", self.query_mode];
        let counts = ["-c", &clients, "-t", &transactions, &seed];
        pgbench(cluster, &[&options[..], &counts, &[database]].concat());
    }

    /// With an interval longer than the run, so that no transaction of the leader comes between.
    pub fn by_pgperf(&self, cluster: &Cluster, database: &str) {
        self.by_pgperf_over("inside", cluster, database);
    }

    /// The same over this transport.
    pub fn by_pgperf_over(&self, transport: &str, cluster: &Cluster, database: &str) {
        let mut session = cluster.connect_to(database);
        row(
            &mut session,
            &format!(
                "SELECT pgperf.start_run('{}', clients => {}, transactions_per_client => {}, \
                 query_mode => '{}', random_seed => {}, transport => '{transport}', sample_interval => '1 h', \
                 collectors => '{{}}')",
                self.script, self.clients, self.transactions, self.query_mode, self.seed
            ),
        );
        assert_eq!(row(&mut session, "CALL pgperf.wait_run()"), "finished");
    }
}

/// Makes a database with pgbench's tables, loaded by pgbench itself, and the extension.
fn load_template(cluster: &Cluster, scale: u32) {
    cluster.run_sql(&format!("CREATE DATABASE {TEMPLATE}"));
    let mut session = cluster.connect_to(TEMPLATE);
    execute(
        &mut session,
        "CREATE EXTENSION pgperf CASCADE; CREATE EXTENSION pg_walinspect",
    );
    pgbench_init(cluster, TEMPLATE, scale);
    // Otherwise the first reader of a catalog page prunes it.
    execute(&mut session, "VACUUM");
}

/// The tables of `pgbench -i`.
pub fn pgbench_init(cluster: &Cluster, database: &str, scale: u32) {
    pgbench(cluster, &["-i", "-q", "-s", &scale.to_string(), database]);
}

/// Runs pgbench, which has to succeed.
pub fn pgbench(cluster: &Cluster, arguments: &[&str]) {
    let output = cluster
        .program("pgbench")
        .args(arguments)
        .output()
        .expect("pgbench");
    assert!(
        output.status.success(),
        "pgbench {arguments:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A cluster with two copies of one loaded database, alike to the bit. No autovacuum, which would come at any time,
/// and prevents copying a database.
pub fn cluster_with_pair(scale: u32, conf: &[&str]) -> Cluster {
    let cluster = Cluster::new(&[&["autovacuum = off"], conf].concat());
    load_template(&cluster, scale);
    renew_pair(&cluster);
    cluster
}

/// Both databases anew.
pub fn renew_pair(cluster: &Cluster) {
    for name in [THEIRS, OURS] {
        cluster.run_sql(&format!("DROP DATABASE IF EXISTS {name}"));
        cluster.run_sql(&format!(
            "CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY file_copy"
        ));
    }
}

/// The whole number at the beginning of a line of what pgbench writes.
pub fn reported(output: &str, line: &str) -> i64 {
    let found = output.lines().find_map(|text| text.strip_prefix(line));
    let digits = found.unwrap_or_else(|| panic!("no {line} in {output}"));
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())].parse().expect(line)
}

/// Runs statements whose rows do not matter.
pub fn execute(session: &mut Client, sql: &str) {
    session
        .batch_execute(sql)
        .unwrap_or_else(|error| panic!("{sql}\n{error}"));
}

/// The rows of a statement, each as its values with `|` between.
pub fn rows(session: &mut Client, sql: &str) -> Vec<String> {
    let messages = session
        .simple_query(sql)
        .unwrap_or_else(|error| panic!("{sql}\n{error}"));
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(
            (0..row.len())
                .map(|column| row.get(column).unwrap_or_default())
                .collect::<Vec<_>>()
                .join("|"),
        ),
        _ => None,
    });
    rows.collect()
}

/// The one row of a statement.
pub fn row(session: &mut Client, sql: &str) -> String {
    let mut rows = rows(session, sql);
    assert_eq!(rows.len(), 1, "{sql}");
    rows.remove(0)
}

/// The one row of a statement, one whole number.
pub fn number(session: &mut Client, sql: &str) -> i64 {
    whole(&row(session, sql))
}

/// A text as a whole number.
pub fn whole(text: &str) -> i64 {
    text.parse()
        .unwrap_or_else(|_| panic!("not a whole number: {text:?}"))
}
