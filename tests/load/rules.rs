//! Rules and triggers of tables that are loaded. Filling in bulk is without rules, as COPY is, which `pgbench -i` uses; where rows
//! are inserted by statements, a rule may not rewrite them, and none may be missing.

use postgres::Client;

use crate::common::Cluster;
use crate::common::pair::{execute, number, row};
use crate::common::runs::error_of;

const LOAD: &str = "CALL pgperf.init(steps => 'g', scale => 2, replace => true)";
const ROWS: &str = "SELECT (SELECT count(*) FROM pgbench_branches) || ' ' || (SELECT count(*) FROM pgbench_tellers) || ' ' || \
                    (SELECT count(*) FROM pgbench_accounts)";
const ALL: &str = "2 20 200000";

fn with_tables(settings: &[&str], arguments: &str) -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(settings);
    let mut session = cluster.connect();
    let init = format!("CALL pgperf.init(steps => 'dtg', scale => 2{arguments})");
    execute(&mut session, &init);
    execute(&mut session, "CREATE TABLE also (aid int)");
    (cluster, session)
}

/// The load fails, and leaves the rows that were there.
fn expect_refused(session: &mut Client, load: &str, message: &str) {
    execute(session, "UPDATE pgbench_accounts SET abalance = 7");
    let (sqlstate, said, _) = error_of(session, load);
    assert_eq!(sqlstate, "55000", "{said}");
    assert!(said.contains(message), "{said}");
    assert_eq!(row(session, ROWS), ALL);
    let kept = "SELECT count(*) FROM pgbench_accounts WHERE abalance = 7";
    assert_eq!(number(session, kept), 200_000);
    assert_eq!(number(session, "SELECT count(*) FROM also"), 0);
    let failed = "SELECT status FROM pgperf.runs ORDER BY run_id DESC LIMIT 1";
    assert_eq!(row(session, failed), "failed");
}

#[test]
fn in_bulk_no_rule_fires() {
    for (partitions, rule) in [
        ("", "DO INSTEAD NOTHING"),
        ("", "DO ALSO INSERT INTO also VALUES (NEW.aid)"),
        (", partitions => 3", "DO INSTEAD NOTHING"),
    ] {
        let (_cluster, mut session) = with_tables(&[], partitions);
        let rule = format!("CREATE RULE r AS ON INSERT TO pgbench_accounts {rule}");
        execute(&mut session, &rule);
        let load = format!("CALL pgperf.init(steps => 'g', scale => 2{partitions})");
        execute(&mut session, &load);
        assert_eq!(row(&mut session, ROWS), ALL, "{rule}");
        assert_eq!(number(&mut session, "SELECT count(*) FROM also"), 0);
    }
}

#[test]
fn statements_that_a_rule_would_rewrite_are_refused() {
    let (_cluster, mut session) = with_tables(&[], "");
    // A table that is not as the load makes it is filled by statements.
    execute(
        &mut session,
        "ALTER TABLE pgbench_accounts ADD COLUMN further int DEFAULT 7;
         CREATE RULE \"my rule\" AS ON INSERT TO pgbench_accounts DO ALSO INSERT INTO also VALUES (NEW.aid)",
    );
    let message = "table \"public\".\"pgbench_accounts\", which has the rule \"my rule\" on INSERT";
    expect_refused(&mut session, LOAD, message);
    execute(
        &mut session,
        "ALTER TABLE pgbench_accounts ENABLE ALWAYS RULE \"my rule\"",
    );
    expect_refused(&mut session, LOAD, message);
    // Rules that do not fire.
    for change in [
        "ALTER TABLE pgbench_accounts ENABLE REPLICA RULE \"my rule\"",
        "ALTER TABLE pgbench_accounts DISABLE RULE \"my rule\"",
        "DROP RULE \"my rule\" ON pgbench_accounts; \
         CREATE RULE of_update AS ON UPDATE TO pgbench_accounts DO ALSO INSERT INTO also VALUES (NEW.aid)",
    ] {
        execute(&mut session, change);
        execute(&mut session, LOAD);
        assert_eq!(row(&mut session, ROWS), ALL, "{change}");
        assert_eq!(number(&mut session, "SELECT count(*) FROM also"), 0);
    }
}

#[test]
fn where_logical_decoding_sees_the_rows_a_rule_is_refused() {
    let (_cluster, mut session) = with_tables(&["wal_level = logical"], "");
    execute(
        &mut session,
        "CREATE RULE r AS ON INSERT TO pgbench_accounts DO INSTEAD NOTHING",
    );
    expect_refused(&mut session, LOAD, "which has the rule \"r\" on INSERT");
}

#[test]
fn rows_that_are_kept_out_are_told() {
    let (_cluster, mut session) = with_tables(&[], "");
    execute(
        &mut session,
        "CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN NEW.aid > 3 THEN NEW END; END $$;
         CREATE TRIGGER t BEFORE INSERT ON pgbench_accounts FOR EACH ROW EXECUTE FUNCTION skip()",
    );
    expect_refused(&mut session, LOAD, "inserted 99997 of 100000 rows");
    // The statements of step G are pgbench's: its rules fire.
    execute(
        &mut session,
        "DROP TRIGGER t ON pgbench_accounts; CREATE RULE r AS ON INSERT TO pgbench_accounts DO INSTEAD NOTHING",
    );
    let load = "CALL pgperf.init(steps => 'G', scale => 2)";
    expect_refused(&mut session, load, "inserted 0 of 100000 rows");
}
