//! Filling tables in bulk: only those whose columns are just what the rows were made for, any other by INSERT with named
//! columns; and pages that the server keeps true when their rows are changed.

#![allow(clippy::expect_used)] // clippy sees a test only in a #[test] function

mod common;
mod workload;

use postgres::Client;

use common::Cluster;
use common::runs::error_of;
use workload::{execute, number, row, rows};

/// A table that is filled, the same columns in another order, and where its rows are the same.
struct Table {
    name: &'static str,
    key: &'static str,
    swapped: &'static [&'static str],
    /// Whether its rows have a filler, an empty one.
    has_filler: bool,
}

const TABLES: [Table; 3] = [
    Table {
        name: "pgbench_branches",
        key: "bid",
        swapped: &["bbalance int, bid int NOT NULL, filler char(88)"],
        has_filler: false,
    },
    Table {
        name: "pgbench_tellers",
        key: "tid",
        swapped: &[
            "bid int, tid int NOT NULL, tbalance int, filler char(84)",
            "tid int NOT NULL, tbalance int, bid int, filler char(84)",
        ],
        has_filler: false,
    },
    Table {
        name: "pgbench_accounts",
        key: "aid",
        swapped: &[
            "bid int, aid int NOT NULL, abalance int, filler char(84)",
            "aid int NOT NULL, abalance int, bid int, filler char(84)",
            "filler char(84), aid int NOT NULL, bid int, abalance int",
        ],
        has_filler: true,
    },
];

/// All rows by the names of their columns, whatever these are besides. Keys and balances first, which differ from row
/// to row, then the fillers as texts.
const CONTENTS: &str = "\
    SELECT md5(string_agg(row, ' ' ORDER BY row)) FROM ( \
        SELECT concat_ws('|', 'branches', bid, bbalance, rtrim(filler::text), filler IS NULL) AS row FROM pgbench_branches \
        UNION ALL SELECT concat_ws('|', 'tellers', tid, bid, tbalance, rtrim(filler::text), filler IS NULL) FROM pgbench_tellers \
        UNION ALL SELECT concat_ws('|', 'accounts', aid, bid, abalance, rtrim(filler::text), filler IS NULL) \
                    FROM pgbench_accounts) AS rows";

/// Scale 2, so that branches differ.
const LOAD: &str = "CALL pgperf.init(steps => 'g', scale => 2, replace => true)";

fn cluster() -> Cluster {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    cluster.run_sql("CREATE EXTENSION pg_visibility");
    cluster
}

fn create(session: &mut Client, arguments: &str) {
    execute(
        session,
        &format!("CALL pgperf.init(steps => 'dt', scale => 2, replace => true{arguments})"),
    );
}

/// How many pages of a table the loader wrote: its pages are frozen from the beginning, an INSERT's are not.
fn pages_in_bulk(session: &mut Client, table: &str) -> i64 {
    number(
        session,
        &format!("SELECT all_frozen FROM pg_visibility_map_summary('{table}')"),
    )
}

/// What a load of the tables as pgperf makes them leaves.
fn contents_in_bulk(session: &mut Client) -> String {
    create(session, "");
    execute(session, LOAD);
    for table in &TABLES {
        assert!(pages_in_bulk(session, table.name) > 0, "{}", table.name);
    }
    row(session, CONTENTS)
}

fn load_by_insert(session: &mut Client, table: &str, change: &str) {
    execute(session, LOAD);
    assert_eq!(pages_in_bulk(session, table), 0, "{table}: {change}");
}

#[test]
fn columns_in_another_order_get_their_own_values() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let contents = contents_in_bulk(&mut session);
    for table in &TABLES {
        for columns in table.swapped {
            create(&mut session, "");
            let name = table.name;
            execute(
                &mut session,
                &format!("DROP TABLE {name}; CREATE TABLE {name} ({columns})"),
            );
            load_by_insert(&mut session, name, columns);
            assert_eq!(row(&mut session, CONTENTS), contents, "{name} ({columns})");
        }
    }
    // Nothing is loaded into history, and runs name its columns.
    create(&mut session, "");
    execute(
        &mut session,
        "DROP TABLE pgbench_history;
         CREATE TABLE pgbench_history (filler char(22), mtime timestamp, delta int, aid int, bid int, tid int)",
    );
    execute(&mut session, LOAD);
    assert_eq!(row(&mut session, CONTENTS), contents);
}

#[test]
fn columns_of_other_kinds_are_left_to_the_executor() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let contents = contents_in_bulk(&mut session);
    execute(
        &mut session,
        "CREATE DOMAIN number AS int; CREATE DOMAIN padding AS char(88); CREATE DOMAIN padding_84 AS char(84)",
    );
    for table in &TABLES {
        let (name, key) = (table.name, table.key);
        let domain = match name {
            "pgbench_branches" => "padding",
            _ => "padding_84",
        };
        for change in [
            format!("ALTER {key} ADD GENERATED BY DEFAULT AS IDENTITY"),
            format!("ADD COLUMN further int GENERATED ALWAYS AS ({key} * 2) STORED"),
            "ADD COLUMN further int DEFAULT 7".to_owned(),
            "ADD COLUMN further int; ALTER TABLE {name} DROP COLUMN further"
                .replace("{name}", name),
            format!("ALTER {key} TYPE number"),
            format!("ALTER filler TYPE {domain}"),
            "ALTER filler TYPE text".to_owned(),
            "ALTER filler TYPE char(80)".to_owned(),
            format!("ALTER {}balance TYPE bigint", &key[..1]),
        ] {
            create(&mut session, "");
            execute(&mut session, &format!("ALTER TABLE {name} {change}"));
            load_by_insert(&mut session, name, &change);
            assert_eq!(row(&mut session, CONTENTS), contents, "{name} {change}");
            let further = "SELECT count(*) FROM pg_attribute WHERE attname = 'further'";
            if number(&mut session, further) > 0 {
                let wrong = format!(
                    "SELECT count(*) FROM {name} WHERE further IS DISTINCT FROM {}",
                    if change.contains("DEFAULT 7") {
                        "7".to_owned()
                    } else {
                        format!("{key} * 2")
                    }
                );
                assert_eq!(number(&mut session, &wrong), 0, "{name} {change}");
            }
        }
    }
    // Of a bigint key the loader knows how to write rows: from scale 20,000 on it is one.
    create(&mut session, "");
    execute(
        &mut session,
        "ALTER TABLE pgbench_accounts ALTER aid TYPE bigint",
    );
    execute(&mut session, LOAD);
    assert!(pages_in_bulk(&mut session, "pgbench_accounts") > 0);
    assert_eq!(row(&mut session, CONTENTS), contents);
}

#[test]
fn what_a_column_refuses_is_an_error() {
    let cluster = cluster();
    let mut session = cluster.connect();
    execute(
        &mut session,
        "CREATE DOMAIN required AS char(88) NOT NULL;
         CREATE DOMAIN replaced AS char(88) NOT NULL DEFAULT 'none'",
    );
    for table in &TABLES {
        let (name, key) = (table.name, table.key);
        let identity = format!("ALTER {key} ADD GENERATED ALWAYS AS IDENTITY");
        let generated = "DROP filler, ADD filler char(84) GENERATED ALWAYS AS ('x') STORED";
        // (change, the error if there is one, the filler if there is none)
        let cases = match table.has_filler {
            true => [
                (identity.as_str(), Some("428C9"), ""),
                (generated, Some("428C9"), ""),
                ("ALTER filler TYPE required", None, ""),
                ("ALTER filler TYPE replaced", None, ""),
                ("ALTER filler SET NOT NULL", None, ""),
            ],
            false => [
                (identity.as_str(), Some("428C9"), ""),
                (generated, None, "x"),
                ("ALTER filler TYPE required", Some("23502"), ""),
                ("ALTER filler TYPE replaced", None, "none"),
                ("ALTER filler SET NOT NULL", Some("23502"), ""),
            ],
        };
        for (change, error, filler) in cases {
            create(&mut session, "");
            execute(&mut session, &format!("ALTER TABLE {name} {change}"));
            match error {
                Some(expected) => {
                    let (sqlstate, message, _) = error_of(&mut session, LOAD);
                    assert_eq!(sqlstate, expected, "{name} {change}: {message}");
                    let left = "SELECT (SELECT count(*) FROM pgbench_branches) + (SELECT count(*) FROM pgbench_accounts)";
                    assert_eq!(number(&mut session, left), 0, "{name} {change}");
                }
                None => {
                    execute(&mut session, LOAD);
                    let fillers = rows(
                        &mut session,
                        &format!("SELECT DISTINCT rtrim(filler) FROM {name}"),
                    );
                    assert_eq!(fillers, [filler], "{name} {change}");
                }
            }
        }
    }
}

#[test]
fn a_partition_has_columns_of_its_own() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let contents = contents_in_bulk(&mut session);
    for (method, bound) in [
        ("range", "FROM (MINVALUE) TO (100001)"),
        ("hash", "WITH (modulus 2, remainder 0)"),
    ] {
        let partitions = format!(", partitions => 2, partition_method => '{method}'");
        create(&mut session, &partitions);
        execute(
            &mut session,
            LOAD_PARTITIONS.replace("METHOD", method).as_str(),
        );
        assert!(pages_in_bulk(&mut session, "pgbench_accounts_1") > 0);
        assert_eq!(row(&mut session, CONTENTS), contents, "{method}");
        create(&mut session, &partitions);
        execute(
            &mut session,
            &format!(
                "DROP TABLE pgbench_accounts_1;
                 CREATE TABLE pgbench_accounts_1 (bid int, abalance int, aid int NOT NULL, filler char(84));
                 ALTER TABLE pgbench_accounts ATTACH PARTITION pgbench_accounts_1 FOR VALUES {bound}"
            ),
        );
        execute(
            &mut session,
            LOAD_PARTITIONS.replace("METHOD", method).as_str(),
        );
        assert_eq!(pages_in_bulk(&mut session, "pgbench_accounts_1"), 0);
        assert_eq!(row(&mut session, CONTENTS), contents, "{method}");
        // Before 17 partitions do not have their parent's identity columns.
        create(&mut session, &partitions);
        execute(
            &mut session,
            "ALTER TABLE pgbench_accounts ALTER aid ADD GENERATED ALWAYS AS IDENTITY",
        );
        let (sqlstate, message, _) =
            error_of(&mut session, &LOAD_PARTITIONS.replace("METHOD", method));
        assert_eq!(sqlstate, "428C9", "{message}");
    }
}

const LOAD_PARTITIONS: &str = "CALL pgperf.init(steps => 'g', scale => 2, replace => true, \
     partitions => 2, partition_method => 'METHOD')";

/// A page whose bit in the visibility map is set while its own is not keeps the first when a row is deleted.
#[test]
fn a_deleted_row_is_not_counted_from_the_index() {
    let cluster = cluster();
    let mut session = cluster.connect();
    execute(
        &mut session,
        "SET enable_seqscan = off; SET enable_bitmapscan = off",
    );
    for arguments in [
        "jobs => 1",
        "scale => 2, jobs => 2",
        "unlogged => true",
        "partitions => 3",
        "partitions => 3, partition_method => 'hash'",
        "fillfactor => 20",
    ] {
        execute(&mut session, &format!("CALL pgperf.init({arguments})"));
        let last = number(&mut session, "SELECT max(aid) FROM pgbench_accounts");
        // The last page is not full.
        for keys in ["aid <= 20".to_owned(), format!("aid > {}", last - 20)] {
            let count = format!("SELECT count(*) FROM pgbench_accounts WHERE {keys}");
            let plan = rows(&mut session, &format!("EXPLAIN {count}")).join("\n");
            assert!(plan.contains("Index Only Scan"), "{plan}");
            assert_eq!(number(&mut session, &count), 20, "{arguments}: {keys}");
            execute(
                &mut session,
                &format!("DELETE FROM pgbench_accounts WHERE {keys} AND aid % 2 = 0"),
            );
            assert_eq!(number(&mut session, &count), 10, "{arguments}: {keys}");
        }
    }
}

#[test]
fn the_wal_of_a_load_is_compressed_unless_somebody_decided() {
    let cluster = cluster();
    let mut session = cluster.connect();
    // Percent of a relation's size that its load, or the build of its key, writes to the WAL.
    let mut wal = |steps: &str, relation: &str| {
        execute(&mut session, "CHECKPOINT");
        execute(
            &mut session,
            &format!("CALL pgperf.init(steps => '{steps}', scale => 4, jobs => 2)"),
        );
        number(
            &mut session,
            &format!(
                "SELECT 100 * wal_bytes / pg_relation_size('{relation}') \
                   FROM pgperf.run_summary ORDER BY run_id DESC LIMIT 1"
            ),
        )
    };
    let percent = wal("dtg", "pgbench_accounts");
    // Only the pages that it fills: keys are built as ever.
    let key = wal("p", "pgbench_accounts_pkey");
    assert!(key > 80, "{key} %");
    cluster.reconfigure(&["wal_compression = off"]);
    let off = wal("dtg", "pgbench_accounts");
    assert!((90..130).contains(&off), "{off} %");
    cluster.reconfigure(&["wal_compression = pglz"]);
    let pglz = wal("dtg", "pgbench_accounts");
    assert!(pglz < 50, "{pglz} %");
    let methods = "SELECT enumvals FROM pg_settings WHERE name = 'wal_compression'";
    if row(&mut session, methods).contains("lz4") {
        assert!(percent < 50, "{percent} %");
        assert_ne!(percent, pglz);
    } else {
        assert_eq!(percent, off);
    }
}
