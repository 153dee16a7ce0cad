//! The upgrade script to this release is derived: `sql/updates` has what somebody has to write, such as moves of rows and tables, and
//! what keeps the users' GRANTs. The rest follows from the difference between the extension that this leaves and a fresh one.
//! `PGPERF_WRITE_UPGRADE=1 tools/integration upgrade::script::` writes the script. Released ones never change.

use postgres::Client;
use std::fs;
use std::path::PathBuf;

use super::draft::{BY_HAND, draft};
use crate::common::releases::{EARLIER, MadeUp, UPDATE, old_database, this};
use crate::common::runs::Runs;
use crate::common::{Cluster, checkout, document, major};

/// The major whose server writes the script: the oldest, whose SQL all others understand.
const WRITTEN_BY: u32 = 15;

#[test]
fn the_script_is_what_is_derived() {
    if major() != WRITTEN_BY {
        println!("only where PostgreSQL {WRITTEN_BY} is tested");
        return;
    }
    let last = *EARLIER.last().expect("releases");
    let name = format!("sql/pgperf--{last}--{}.sql", this());
    let derived = derive(last);
    if std::env::var_os("PGPERF_WRITE_UPGRADE").is_some() {
        fs::write(checkout().join(&name), &derived).expect("the script");
    }
    assert!(
        document(&name) == derived,
        "{name} is not what is derived now: PGPERF_WRITE_UPGRADE=1 tools/integration upgrade::script:: writes it"
    );
}

/// What makes the histories that a release did not have: the calls of the install script, which also note what is known of them.
fn new_histories(old: &mut Client) -> String {
    let known = old.value("SELECT string_agg(table_name, ' ') FROM pgperf_internal.history_tables");
    let known: Vec<&str> = known.split(' ').collect();
    let mut files: Vec<PathBuf> = fs::read_dir(checkout().join("src/subject"))
        .expect("the subjects")
        .flat_map(|folder| fs::read_dir(folder.expect("a folder").path()))
        .flatten()
        .map(|file| file.expect("a file").path())
        .filter(|path| path.to_string_lossy().ends_with("schema.sql"))
        .collect();
    files.sort();
    let mut made = String::new();
    for file in files {
        let text = fs::read_to_string(file).expect("a file");
        for table in text.split("CREATE TABLE pgperf.").skip(1) {
            let (name, _) = table.split_once(' ').expect("a name");
            let Some(call) = table.find("SELECT pgperf_internal.add_history(") else {
                continue;
            };
            let end = call + table[call..].find(";\n").expect("its end") + 2;
            if !known.contains(&name) {
                made += &format!("CREATE TABLE pgperf.{}", &table[..end]);
            }
        }
    }
    made
}

/// The script from the last release.
fn derive(last: &str) -> String {
    let part = |name: &str| document(&format!("sql/updates/{name}.sql"));
    let (before, after) = (part("before"), part("after"));
    let by_hand = part(&format!("{last}--{}", this()));
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = old_database(&cluster, "old", last);
    let by_hand = by_hand + &new_histories(&mut session);
    let script = MadeUp::new(last, "by_hand", &format!("{before}\n{by_hand}"));
    session.value(&format!("{UPDATE} TO 'by_hand'"));
    drop(script);
    let derived = draft(&mut cluster.connect(), &mut session);
    assert!(
        !derived.contains(BY_HAND),
        "This cannot be derived, and belongs into sql/updates:\n{derived}"
    );
    format!(
        "-- From {last} to {}. Derived, and not to be edited: tests/upgrade/script.rs.\n\n{before}\n{by_hand}\n{derived}\n{after}",
        this()
    )
}
