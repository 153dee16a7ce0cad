//! Every condition of every rule, just inside and just outside of it: the tables in the folders beside this file.
//!
//! * [`table`]: how such a file is written and read;
//! * [`judge`]: plants its rows and compares the findings with it;
//! * [`counted`]: a new condition of a rule asks for a row;
//! * [`mutants`]: whether a change of a condition is noticed by a row, with `make test-full`; [`statement`] makes the rules' statements for it.

mod counted;
mod judge;
mod mutants;
mod statement;
mod table;

use crate::common::Cluster;
use crate::common::runs::Runs;
use judge::Judge;

/// In place of one for each day: planning takes most of the time.
const ONE_PARTITION: &str = "\
    DO $$ DECLARE t text; p regclass; starts date := current_date - 30; BEGIN
    FOR t IN SELECT table_name FROM pgperf_internal.history_tables LOOP
        FOR p IN SELECT inhrelid::regclass FROM pg_inherits
                 WHERE inhparent = format('pgperf.%I', t)::regclass AND inhrelid::regclass::text NOT LIKE '%_kept' LOOP
            EXECUTE format('DROP TABLE %s', p);
        END LOOP;
        EXECUTE format('CREATE TABLE pgperf.%I PARTITION OF pgperf.%I FOR VALUES FROM (%L) TO (%L)',
                       t || to_char(starts, '_YYYYMMDD'), t, starts, starts + 60);
    END LOOP; END $$";

/// All tables of a folder, in a cluster of its own.
fn expect_as_written(folder: &str) {
    let cluster = Cluster::with_pgperf(&["fsync = off"]);
    let mut session = cluster.connect();
    session.value(ONE_PARTITION);
    let mut judge = Judge::new(session);
    for subject in table::of_folder(folder) {
        judge.compare(&subject);
    }
    let wrong = judge.wrong();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! folders {
    ($($folder:ident)*) => {
        $(
            #[test]
            fn $folder() {
                expect_as_written(stringify!($folder));
            }
        )*

        const FOLDERS: &[&str] = &[$(stringify!($folder)),*];
    };
}

// As in src/history/findings.
folders! { statements tables vacuum server replication storage machine record }
