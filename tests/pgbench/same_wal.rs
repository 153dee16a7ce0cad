//! A run writes the WAL that pgbench writes.

use std::collections::BTreeMap;

use crate::common::Cluster;
use crate::common::pair::{
    Load, OURS, QUERY_MODES, THEIRS, cluster_with_pair, execute, number, renew_pair, row, rows,
    whole,
};

const TRANSACTIONS: u32 = 1000;

/// Records and their bytes, full-page images included, by resource manager and type of record.
#[derive(Debug, Default)]
struct Wal {
    records: BTreeMap<String, i64>,
    bytes: i64,
    /// Records and bytes of prunings of other tables' pages, whoever did them.
    pruned_elsewhere: (i64, i64),
}

/// How the query below names these.
const ELSEWHERE: &str = "pruned elsewhere";

/// Runs a load between a checkpoint and a flush, and reads from the WAL in between what the load has
/// written: each record of a block of pgbench's tables and indexes, and all else (their commits) of the
/// transactions that wrote such records. This leaves out the leader's own rows.
fn wal_of(cluster: &Cluster, database: &str, load: impl FnOnce()) -> Wal {
    let mut session = cluster.connect_to(database);
    execute(&mut session, "CHECKPOINT");
    let flushed = |session: &mut _| {
        // Its commit waits until all WAL before it is flushed.
        row(session, "SELECT pg_current_xact_id()");
        row(session, "SELECT pg_current_wal_flush_lsn()")
    };
    let start = flushed(&mut session);
    load();
    let end = flushed(&mut session);
    let found = rows(
        &mut session,
        &format!(
            "WITH files AS ( \
                 SELECT format('/%s/%s ', d.oid, pg_relation_filenode(c.oid)) AS path \
                 FROM pg_class c, pg_database d \
                 WHERE c.relname LIKE 'pgbench%' AND c.relkind IN ('r', 'i') \
                   AND d.datname = current_database()), \
             records AS MATERIALIZED ( \
                 SELECT r.*, EXISTS (SELECT FROM files f WHERE strpos(r.block_ref, f.path) > 0) AS ours \
                 FROM pg_get_wal_records_info('{start}', '{end}') r), \
             transactions AS ( \
                 SELECT DISTINCT r.xid FROM records r WHERE r.ours AND r.xid <> '0') \
             SELECT r.resource_manager || ' ' || r.record_type, count(*), sum(r.record_length) \
             FROM records r \
             WHERE r.ours OR r.xid IN (SELECT t.xid FROM transactions t) \
             GROUP BY 1 \
             UNION ALL \
             SELECT '{ELSEWHERE}', count(*), coalesce(sum(r.record_length), 0) \
             FROM records r \
             WHERE NOT r.ours AND r.resource_manager = 'Heap2' AND r.record_type LIKE 'PRUNE%'"
        ),
    );
    let mut wal = Wal::default();
    for line in found {
        let fields: Vec<&str> = line.split('|').collect();
        if fields[0] == ELSEWHERE {
            wal.pruned_elsewhere = (whole(fields[1]), whole(fields[2]));
            continue;
        }
        wal.records.insert(fields[0].to_owned(), whole(fields[1]));
        wal.bytes += whole(fields[2]);
    }
    wal
}

/// One client, and copies of one database: pages and horizon are then the same at every step.
#[test]
fn one_client_writes_the_wal_that_pgbench_writes() {
    let cluster = cluster_with_pair(1, &[]);
    for query_mode in QUERY_MODES {
        renew_pair(&cluster);
        let load = Load {
            script: "tpcb-like",
            query_mode,
            clients: 1,
            transactions: TRANSACTIONS,
            seed: 5,
        };
        let theirs = wal_of(&cluster, THEIRS, || load.by_pgbench(&cluster, THEIRS));
        let ours = wal_of(&cluster, OURS, || load.by_pgperf(&cluster, OURS));
        assert_eq!(theirs.records, ours.records, "{query_mode}");
        assert_eq!(
            ours.records.get("Transaction COMMIT"),
            Some(&i64::from(TRANSACTIONS)),
            "{query_mode}"
        );
        let ratio = ours.bytes as f64 / theirs.bytes as f64;
        assert!(
            (0.98..=1.02).contains(&ratio),
            "{query_mode}: {} bytes, pgbench {}",
            ours.bytes,
            theirs.bytes
        );

        // What the run itself counted, statement by statement and commit by commit, is what the WAL holds.
        let mut session = cluster.connect_to(OURS);
        let counted = |session: &mut _, column: &str| {
            number(session, &format!("SELECT {column} FROM pgperf.run_summary"))
        };
        // Besides, a client that looks something up in the catalog may prune a page of it.
        let records: i64 = ours.records.values().sum();
        let (pruned, pruned_bytes) = ours.pruned_elsewhere;
        let in_all = counted(&mut session, "wal_records");
        assert!(
            (records..=records + pruned).contains(&in_all),
            "{in_all} records counted, {records} found and {pruned} prunings of the catalog"
        );
        let in_all = counted(&mut session, "wal_bytes");
        assert!(
            (ours.bytes..=ours.bytes + pruned_bytes).contains(&in_all),
            "{in_all} bytes counted, {} found",
            ours.bytes
        );
    }
}
