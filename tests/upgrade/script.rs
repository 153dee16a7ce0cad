//! The upgrade script to this release is derived: `sql/updates` has what somebody has to write, such as moves of rows and tables, and
//! what keeps the users' GRANTs. The rest follows from the difference between the extension that this leaves and a fresh one.
//! `PGPERF_WRITE_UPGRADE=1 tools/integration upgrade::script::` writes the script. Released ones never change.

use std::fs;

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

/// The script from the last release.
fn derive(last: &str) -> String {
    let part = |name: &str| document(&format!("sql/updates/{name}.sql"));
    let (before, after) = (part("before"), part("after"));
    let by_hand = part(&format!("{last}--{}", this()));
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = old_database(&cluster, "old", last);
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
