//! `init` leaves the same as `pgbench -i` with the same options: definitions, contents, even each row's place; and
//! pages written past the buffers survive a crash, have checksums, and are frozen.

use std::fs;

use postgres::Client;

use crate::common::pair::{THEIRS, execute, number, pgbench, row, rows};
use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, StopMode};

/// The options of pgbench and `pgperf.init`.
const SAME: [(&str, &str); 12] = [
    ("-s 3", "scale => 3, jobs => 1"),
    ("-s 3", "scale => 3, jobs => 3"),
    ("-I dtGvp -s 2", "steps => 'dtGvp', scale => 2"),
    (
        "-F 55 --foreign-keys --unlogged-tables",
        "fillfactor => 55, foreign_keys => true, unlogged => true",
    ),
    (
        "-s 2 --partitions=3",
        "scale => 2, partitions => 3, jobs => 2",
    ),
    (
        "-s 2 -F 10 --partitions=7 --partition-method=hash --unlogged-tables",
        "scale => 2, fillfactor => 10, partitions => 7, partition_method => 'hash', unlogged => true",
    ),
    (
        "-F 80 --partitions=13 --partition-method=range --foreign-keys --tablespace=here --index-tablespace=there",
        "fillfactor => 80, partitions => 13, partition_method => 'range', foreign_keys => true, \
         tablespace => 'here', index_tablespace => 'there', jobs => 2",
    ),
    (
        "-I dtGvpf --partitions=2 --partition-method=hash",
        "steps => 'dtGvpf', partitions => 2, partition_method => 'hash'",
    ),
    // Keys are there before the rows: the bulk path has to leave it to the executor.
    ("-I dtpfgv", "steps => 'dtpfgv'"),
    ("-I dtgpgv -s 2", "steps => 'd t g p g v', scale => 2"),
    // Account numbers are bigint; the bounds are larger than an int.
    (
        "-I dt -s 30000 --partitions=3",
        "steps => 'dt', scale => 30000, partitions => 3",
    ),
    ("-I dt -s 20000", "steps => 'dt', scale => 20000"),
];

const DEFINITIONS: &str = "\
    SELECT c.relname, c.relkind, c.relpersistence, c.reloptions, t.spcname, c.relnatts, c.relispartition, \
           CASE WHEN c.relkind <> 'r' THEN pg_relation_size(c.oid) END AS size, pg_get_expr(c.relpartbound, c.oid) AS bound, \
           CASE c.relkind WHEN 'p' THEN pg_get_partkeydef(c.oid) END AS key, \
           (SELECT string_agg(format('%s %s %s %s %s', a.attname, format_type(a.atttypid, a.atttypmod), \
                                     a.attnotnull, a.attstorage, a.atthasdef), ', ' ORDER BY a.attnum) \
              FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns, \
           (SELECT string_agg(format('%s %s', k.conname, pg_get_constraintdef(k.oid)), ', ' \
                              ORDER BY k.conname) \
              FROM pg_constraint k WHERE k.conrelid = c.oid) AS constraints, \
           CASE WHEN c.relkind IN ('i', 'I') THEN pg_get_indexdef(c.oid) END AS index, c.reltuples > 0 AS filled \
    FROM pg_class c LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace \
    WHERE c.relname LIKE 'pgbench%' ORDER BY c.relname";

/// Bytes of each table, in the order of their names.
fn sizes(session: &mut Client) -> Vec<i64> {
    let sizes = "SELECT pg_relation_size(oid) FROM pg_class \
                 WHERE relname LIKE 'pgbench%' AND relkind = 'r' ORDER BY relname";
    rows(session, sizes)
        .iter()
        .map(|size| size.parse().expect("a number"))
        .collect()
}

/// Every row with its place; a function, since the tables differ from case to case.
const CONTENTS: &str = "\
    SELECT count(*) || ' ' || sum(hashtextextended(row, 0)::numeric) FROM ( \
        SELECT concat_ws('|', 'branches', ctid, t) AS row FROM pgbench_branches t \
        UNION ALL SELECT concat_ws('|', 'tellers', ctid, t) FROM pgbench_tellers t \
        UNION ALL SELECT concat_ws('|', tableoid::regclass, ctid, t) FROM pgbench_accounts t \
        UNION ALL SELECT concat_ws('|', 'history', ctid, t) FROM pgbench_history t) AS rows";

/// What every row looks like to everybody, whatever snapshot: none that is not frozen or not visible.
const NOT_FROZEN: &str = "\
    SELECT sum(pg_relation_size(c.oid) / 8192 - s.all_frozen) \
         + count(f.t_ctid) + count(v.t_ctid) \
    FROM pg_class c, pg_visibility_map_summary(c.oid) s \
         LEFT JOIN LATERAL pg_check_frozen(c.oid) f ON true \
         LEFT JOIN LATERAL pg_check_visible(c.oid) v ON true \
    WHERE c.relname LIKE 'pgbench%' AND c.relkind = 'r'";

fn cluster_for_loads(conf: &[&str]) -> Cluster {
    let cluster = Cluster::with_pgperf(&[&["autovacuum = off"], conf].concat());
    cluster.run_sql("CREATE EXTENSION pg_visibility");
    cluster
}

#[test]
fn the_tables_that_pgbench_makes_with_the_same_options() {
    let cluster = cluster_for_loads(&[]);
    cluster.run_sql("CREATE DATABASE theirs");
    let (mut theirs, mut ours) = (cluster.connect_to(THEIRS), cluster.connect());
    for name in ["here", "there"] {
        let path = cluster.socket_dir().join(name);
        execute(
            &mut ours,
            // What does not read its input breaks the pipe of a server that is late.
            &format!(
                "COPY (SELECT) TO PROGRAM 'cat > /dev/null; mkdir {}'",
                path.display()
            ),
        );
        execute(
            &mut ours,
            &format!("CREATE TABLESPACE {name} LOCATION '{}'", path.display()),
        );
    }
    for (options, arguments) in SAME {
        let options: Vec<&str> = options.split(' ').collect();
        pgbench(&cluster, &[&["-i", "-q"], &options[..], &[THEIRS]].concat());
        execute(&mut ours, &format!("CALL pgperf.init({arguments})"));
        let definitions = rows(&mut ours, DEFINITIONS);
        assert!(definitions.len() >= 4, "{definitions:?}");
        assert_eq!(definitions, rows(&mut theirs, DEFINITIONS), "{arguments}");
        assert_eq!(
            row(&mut ours, CONTENTS),
            row(&mut theirs, CONTENTS),
            "{arguments}"
        );
        let (our_sizes, their_sizes) = (sizes(&mut ours), sizes(&mut theirs));
        // Since 16 COPY makes a file longer by more pages than it needs.
        let no_larger = our_sizes
            .iter()
            .zip(&their_sizes)
            .all(|(ours, theirs)| ours <= theirs);
        assert!(
            our_sizes == their_sizes || crate::common::major() >= 16 && no_larger,
            "{arguments}: {our_sizes:?}, {their_sizes:?}"
        );
    }
}

#[test]
fn loaded_rows_leave_a_vacuum_nothing_to_freeze() {
    let cluster = cluster_for_loads(&[]);
    let mut session = cluster.connect();
    for arguments in [
        "steps => 'dtg', scale => 2, jobs => 2",
        "steps => 'dtg', fillfactor => 20, unlogged => true",
        "steps => 'dtg', partitions => 3, jobs => 2",
        "steps => 'dtg', partitions => 3, partition_method => 'hash'",
    ] {
        execute(&mut session, &format!("CALL pgperf.init({arguments})"));
        assert_eq!(number(&mut session, NOT_FROZEN), 0, "{arguments}");
    }
    // The oracle sees what is not frozen.
    execute(&mut session, "CALL pgperf.init(steps => 'dtG')");
    assert!(number(&mut session, NOT_FROZEN) > 1000);
}

#[test]
fn loaded_rows_survive_a_crash_at_every_wal_level() {
    let minimal: &[&str] = &["wal_level = minimal", "max_wal_senders = 0"];
    for conf in [&["wal_level = replica"], minimal, &["wal_level = logical"]] {
        let cluster = cluster_for_loads(&[conf, &["checkpoint_timeout = 1h"]].concat());
        let mut session = cluster.connect();
        execute(&mut session, "CALL pgperf.init(scale => 3, jobs => 2)");
        let contents = row(&mut session, CONTENTS);
        drop(session);
        cluster.restart(StopMode::Immediate);
        let mut session = cluster.connect();
        assert_eq!(row(&mut session, CONTENTS), contents, "{conf:?}");
        if conf[0] != "wal_level = logical" {
            assert_eq!(number(&mut session, NOT_FROZEN), 0, "{conf:?}");
        }
    }
}

#[test]
fn a_standby_or_a_subscriber_gets_the_rows() {
    // Logical decoding reads the rows of a load as of any insert.
    let cluster = cluster_for_loads(&["wal_level = logical"]);
    let mut session = cluster.connect();
    execute(
        &mut session,
        "SELECT pg_create_logical_replication_slot('reader', 'test_decoding')",
    );
    execute(&mut session, "CALL pgperf.init(steps => 'dtg')");
    let decoded = "SELECT count(*) FROM pg_logical_slot_get_changes('reader', NULL, NULL) \
                   WHERE data LIKE 'table public.pgbench_accounts: INSERT%'";
    assert_eq!(number(&mut session, decoded), 100_000);
}

#[test]
fn pages_have_their_checksums() {
    let cluster = cluster_for_loads(&[]);
    cluster.stop(StopMode::Fast);
    let checksums = |action: &str| {
        let mut command = crate::common::as_server(crate::common::bindir().join("pg_checksums"));
        let status = command
            .args([action, "-D"])
            .arg(cluster.data_dir())
            .status();
        assert!(status.expect("pg_checksums").success(), "{action}");
    };
    checksums("--enable");
    cluster.start();
    let mut session = cluster.connect();
    execute(&mut session, "CALL pgperf.init(scale => 2, jobs => 2)");
    execute(&mut session, "CHECKPOINT");
    drop(session);
    cluster.stop(StopMode::Fast);
    checksums("--check");
    cluster.start();
}

/// Triggers, checks, further columns, row security: rows go through the executor, as COPY's would.
#[test]
fn a_changed_table_is_filled_by_statements() {
    let cluster = cluster_for_loads(&[]);
    let mut session = cluster.connect();
    execute(&mut session, "CALL pgperf.init(steps => 'dt')");
    execute(
        &mut session,
        "CREATE TABLE seen (n int);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO seen VALUES (NEW.bid); RETURN NEW; END $$;
         CREATE TRIGGER note BEFORE INSERT ON pgbench_branches FOR EACH ROW EXECUTE FUNCTION note();
         ALTER TABLE pgbench_tellers ADD COLUMN further int DEFAULT 7;
         ALTER TABLE pgbench_accounts ADD CHECK (aid <> 70000)",
    );
    let (sqlstate, message, _) =
        error_of(&mut session, "CALL pgperf.init(steps => 'g', scale => 1)");
    assert_eq!(sqlstate, "23514", "{message}");
    assert!(message.contains("step \"bulk generate\""), "{message}");
    let kept = "SELECT count(*) FROM pgbench_branches";
    assert_eq!(number(&mut session, kept), 0, "rolled back");
    execute(
        &mut session,
        "ALTER TABLE pgbench_accounts DROP CONSTRAINT pgbench_accounts_aid_check",
    );
    execute(&mut session, "CALL pgperf.init(steps => 'g', scale => 2)");
    assert_eq!(number(&mut session, "SELECT sum(n) FROM seen"), 3);
    assert_eq!(
        number(&mut session, "SELECT sum(further) FROM pgbench_tellers"),
        140
    );
    assert_eq!(
        number(&mut session, "SELECT count(*) FROM pgbench_accounts"),
        200_000
    );
}

/// Files in the database's folder that belong to no relation.
fn orphans(cluster: &Cluster, session: &mut Client) -> Vec<String> {
    execute(session, "CHECKPOINT");
    let database = number(
        session,
        "SELECT oid FROM pg_database WHERE datname = current_database()",
    );
    let known = rows(session, "SELECT pg_relation_filenode(oid) FROM pg_class");
    let folder = cluster.data_dir().join("base").join(database.to_string());
    let mut files: Vec<String> = fs::read_dir(folder)
        .expect("the database's folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            let number = name.split(['_', '.']).next().unwrap_or_default();
            number.parse::<u32>().is_ok() && !known.contains(&number.to_owned())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_load_that_does_not_finish_leaves_neither_rows_nor_files() {
    let cluster = cluster_for_loads(&[]);
    let mut session = cluster.connect();
    // Without keys, so that the next load fills in bulk.
    execute(&mut session, "CALL pgperf.init(steps => 'dtg', scale => 1)");
    assert_eq!(orphans(&cluster, &mut session), Vec::<String>::new());
    let registered = "SELECT scale FROM pgperf.data_sets";
    for how in ["stop", "cancel", "terminate first", "terminate second"] {
        let run = number(
            &mut session,
            "SELECT pgperf.start_load(scale => 2000, jobs => 2, steps => 'g', limits => '{\"free_disk\": null}')",
        );
        crate::common::wait_until("rows", crate::common::runs::PATIENCE, || {
            session.intervals(run) >= 1
        });
        let client = |session: &mut Client, n| session.client(run, n);
        let sql = match how {
            "stop" => format!("SELECT pgperf.stop_run({run})"),
            "cancel" => format!("SELECT pg_cancel_backend({})", client(&mut session, 1)),
            "terminate first" => {
                format!("SELECT pg_terminate_backend({})", client(&mut session, 0))
            }
            _ => format!("SELECT pg_terminate_backend({})", client(&mut session, 1)),
        };
        crate::common::runs::at_once(how, || {
            row(&mut session, &sql);
            session.wait_for_status(run, if how == "stop" { "stopped" } else { "failed" });
        });
        session.expect_no_workers(how);
        // The transaction that truncated and filled is undone: the former rows are there, and registered.
        assert_eq!(
            number(&mut session, "SELECT count(*) FROM pgbench_accounts"),
            100_000,
            "{how}"
        );
        assert_eq!(number(&mut session, registered), 1, "{how}");
        assert_eq!(
            orphans(&cluster, &mut session),
            Vec::<String>::new(),
            "{how}"
        );
    }
    let run = number(
        &mut session,
        "SELECT pgperf.start_load(scale => 2000, limits => '{\"free_disk\": null}')",
    );
    crate::common::wait_until("rows", crate::common::runs::PATIENCE, || {
        session.intervals(run) >= 1
    });
    execute(&mut session, "SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
    // New tables, never filled.
    assert_eq!(number(&mut session, registered), 0);
}

#[test]
fn wrong_options_start_nothing() {
    let cluster = cluster_for_loads(&["max_worker_processes = 6"]);
    let mut session = cluster.connect();
    for (arguments, sqlstate, words) in [
        ("jobs => 0", "22023", "jobs must be between 1 and"),
        ("jobs => 60", "53400", "max_worker_processes"),
        (
            "partitions => -1",
            "22023",
            "partitions must be an integer from 0 to",
        ),
        (
            "partition_method => 'hash'",
            "22023",
            "partition_method requires partitions greater than zero",
        ),
        (
            "partitions => 2, partition_method => 'list'",
            "22023",
            "invalid partition method, expecting \"range\" or \"hash\", got: \"list\"",
        ),
        (
            "tablespace => 'nowhere'",
            "42704",
            "tablespace \"nowhere\" does not exist",
        ),
        (
            "steps => 'dtx'",
            "22023",
            "unrecognized initialization step \"x\"",
        ),
    ] {
        let error = error_of(&mut session, &format!("CALL pgperf.init({arguments})"));
        assert_eq!(error.0, sqlstate, "{arguments}: {error:?}");
        assert!(
            format!("{} {}", error.1, error.2).contains(words),
            "{arguments}: {error:?}"
        );
    }
    assert_eq!(number(&mut session, "SELECT count(*) FROM pgperf.runs"), 0);
}
