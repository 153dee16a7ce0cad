//! The extension as created by an earlier release.

use super::runs::Runs;
use super::{Cluster, share_dir};
use postgres::Client;
use std::fs;
use std::path::PathBuf;

/// The first release, whose install script is kept as it was in `sql`. Later ones leave an upgrade script each.
pub const FIRST: &str = "1.0.0";
/// All releases from which an update leads to this one, oldest first.
pub const EARLIER: [&str; 3] = [FIRST, "1.1.0", "1.2.0"];
pub const UPDATE: &str = "ALTER EXTENSION pgperf UPDATE";

/// This release, as in the name of its install script.
pub fn this() -> String {
    let file = share_dir().join("extension/pgperf.control");
    let control = std::fs::read_to_string(file).expect("the installed extension");
    let value = control
        .lines()
        .find_map(|line| line.strip_prefix("default_version = "));
    value.expect("a version").trim_matches('\'').to_owned()
}

/// An upgrade script of a test alone, to a version that no release has; removed when dropped.
pub struct MadeUp(PathBuf);

impl MadeUp {
    pub fn new(from: &str, to: &str, sql: &str) -> MadeUp {
        let path = share_dir().join(format!("extension/pgperf--{from}--{to}.sql"));
        fs::write(&path, sql).expect("the upgrade script");
        MadeUp(path)
    }
}

impl Drop for MadeUp {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A database whose extension is of an earlier release, while the library is this one.
pub fn old_database(cluster: &Cluster, name: &str, release: &str) -> Client {
    cluster.run_sql(&format!("CREATE DATABASE {name}"));
    let mut session = cluster.connect_to(name);
    session.value(&format!(
        "CREATE EXTENSION pgperf VERSION '{release}' CASCADE"
    ));
    assert_eq!(version(&mut session), release);
    session
}

/// The version of the extension in this database.
pub fn version(session: &mut Client) -> String {
    session.value("SELECT extversion FROM pg_extension WHERE extname = 'pgperf'")
}

/// The tables and sequences of pgperf that hold rows, directly or in partitions.
pub fn tables(session: &mut Client) -> Vec<String> {
    let names = session.value(
        "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class \
         WHERE relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND relkind IN ('r', 'p') AND NOT relispartition",
    );
    names.split(' ').map(str::to_owned).collect()
}

/// A table or sequence of pgperf with its schema, which differs in earlier releases.
pub fn place(session: &mut Client, name: &str) -> String {
    session.value(&format!(
        "SELECT oid::regclass FROM pg_class \
         WHERE relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND relname = '{name}'"
    ))
}

/// The columns of a table that rows are written with.
pub fn columns(session: &mut Client, table: &str) -> String {
    let place = place(session, table);
    session.value(&format!(
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute \
         WHERE attrelid = '{place}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"
    ))
}
