//! The census of shared_buffers, compared with pg_buffercache.

use crate::common::Cluster;
use crate::common::pair::{execute, rows};
use postgres::Client;

/// The contents of pg_buffercache, under the names of the history, against a sample's rows; without pgperf's tables
/// and the system catalogs, which reading and storing use in between.
#[test]
fn buffers_equal_those_of_pg_buffercache() {
    // Room for all that is read and made here: who looks for a free buffer among used ones takes a use from each.
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "shared_buffers = 128MB",
        "bgwriter_lru_maxpages = 0",
    ]);
    cluster.run_sql(
        "CREATE TABLE wide AS SELECT g AS id, repeat('x', 500) AS filler FROM generate_series(1, 20000) g; \
         CREATE INDEX ON wide (id); CREATE TABLE dirty (id int PRIMARY KEY); \
         INSERT INTO dirty SELECT generate_series(1, 20000); ",
    );
    cluster.run_sql("VACUUM wide");
    cluster.run_sql("CHECKPOINT");
    cluster.run_sql(
        "UPDATE dirty SET id = id + 100000 WHERE id < 1000; SELECT count(*) FROM wide WHERE id < 5000;",
    );
    cluster.run_sql("CREATE DATABASE other");
    cluster
        .connect_to("other")
        .simple_query("CREATE TABLE foreign_one AS SELECT generate_series(1, 5000)")
        .expect("a table");
    // One transaction for both, so that nothing of theirs changes in between; names first, to have them cached.
    let sql = "SELECT pgperf.snapshot_buffers();
        CREATE TEMP TABLE view AS
        SELECT d.datname::text AS database_name, c.relname::text AS relation_name, b.relforknumber AS fork, b.usagecount AS usage_count,
               count(*) AS buffers, count(*) FILTER (WHERE isdirty) AS dirty
        FROM pg_buffercache b LEFT JOIN pg_database d ON d.oid = b.reldatabase
        LEFT JOIN pg_class c ON d.datname = current_database() AND c.relfilenode = b.relfilenode
        WHERE b.relfilenode IS NOT NULL AND (c.oid >= 16384 AND c.relnamespace = 'public'::regnamespace OR d.datname = 'other')
        GROUP BY 1, 2, 3, 4;
        CREATE TEMP TABLE ours AS
        SELECT database_name, relation_name, array_position('{main,fsm,vm,init}', fork) - 1 AS fork, usage_count, buffers, dirty
        FROM pgperf.buffer_usage_history
        WHERE sample_id = (SELECT max(sample_id) FROM pgperf.buffer_usage_history)
          AND (schema_name = 'public' OR database_name = 'other');
        SELECT count(*) FROM ours WHERE database_name = 'postgres';
        SELECT count(*) FROM ours WHERE database_name = 'other';
        SELECT count(*) FROM (TABLE ours EXCEPT TABLE view) only_ours;
        SELECT count(*) FROM (TABLE view EXCEPT TABLE ours) only_theirs;
        SELECT sum(buffers) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers')
          FROM pgperf.buffer_usage_history;";
    let out = cluster.run_sql(sql);
    let lines: Vec<&str> = out.lines().collect();
    let count = |from_the_end: usize| {
        lines[lines.len() - from_the_end]
            .parse::<i64>()
            .expect("a count")
    };
    assert!(count(5) >= 6, "relations with forks and counts: {out}");
    assert!(count(4) >= 1, "the other database: {out}");
    assert_eq!((count(3), count(2)), (0, 0), "{out}");
    assert_eq!(lines[lines.len() - 1], "t");
}

/// pg_buffercache's buffers that hold a page, by database, fork and usage count; and the same from a sample.
const THEIR_SUMS: &str = "
SELECT d.datname, b.relforknumber, b.usagecount, count(*), count(*) FILTER (WHERE b.isdirty)
FROM pg_buffercache b LEFT JOIN pg_database d ON d.oid = b.reldatabase
WHERE b.relfilenode IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";
const OUR_SUMS: &str = "
SELECT database_name, array_position('{main,fsm,vm,init}', fork) - 1, usage_count, sum(buffers), sum(dirty)
FROM pgperf.buffer_usage_history
WHERE usage_count IS NOT NULL AND sample_id = (SELECT max(sample_id) FROM pgperf.buffer_usage_history)
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";
/// The same of single forks: of this database and the catalogs that all share, with at least 2 buffers.
const THEIR_FORKS: &str = "
WITH forks AS (
    SELECT b.reldatabase, n.nspname, c.relname, b.relforknumber, b.usagecount, count(*) AS buffers,
           count(*) FILTER (WHERE b.isdirty) AS dirty,
           sum(count(*)) OVER (PARTITION BY c.oid, b.relforknumber) AS of_fork
    FROM pg_buffercache b JOIN pg_database here ON here.datname = current_database()
    JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode
        AND COALESCE(NULLIF(c.reltablespace, 0), here.dattablespace) = b.reltablespace
        AND b.reldatabase = CASE WHEN c.relisshared THEN 0 ELSE here.oid END
    JOIN pg_namespace n ON n.oid = c.relnamespace
    GROUP BY b.reldatabase, c.oid, n.nspname, c.relname, b.relforknumber, b.usagecount)
SELECT nspname, relname, relforknumber, usagecount, buffers, dirty FROM forks WHERE of_fork >= 2 ORDER BY 1, 2, 3, 4";
const OUR_FORKS: &str = "
SELECT schema_name, relation_name, array_position('{main,fsm,vm,init}', fork) - 1, usage_count, buffers, dirty
FROM pgperf.buffer_usage_history
WHERE relation_name IS NOT NULL AND sample_id = (SELECT max(sample_id) FROM pgperf.buffer_usage_history)
ORDER BY 1, 2, 3, 4";

/// Attempts to find both equal.
const ROUNDS: usize = 20;

/// Of 512 MB a file has rows of its own from 2 buffers on; those with one are summed by database.
#[test]
fn files_with_one_buffer_are_added_up() {
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "shared_buffers = 512MB",
        "huge_pages = off",
        "bgwriter_lru_maxpages = 0",
        "checkpoint_timeout = 1h",
    ]);
    let mut session = cluster.connect();
    for (tables, rows) in [("one_page", 1), ("two_pages", 300)] {
        execute(
            &mut session,
            &format!(
                "DO $$ BEGIN FOR i IN 1..50 LOOP \
                 EXECUTE format('CREATE TABLE {tables}_%s AS SELECT generate_series(1, {rows}) AS id', i); END LOOP; END $$"
            ),
        );
    }
    execute(&mut session, "CREATE DATABASE other");
    execute(
        &mut cluster.connect_to("other"),
        "CREATE TABLE foreign_one AS SELECT generate_series(1, 5000)",
    );
    execute(
        &mut session,
        "CHECKPOINT; UPDATE two_pages_7 SET id = 0; UPDATE one_page_7 SET id = 0",
    );
    let sums = settled(&mut session, THEIR_SUMS, OUR_SUMS);
    // Of the catalogs that all share, of another database, of this one.
    for database in ["|", "other|", "postgres|"] {
        assert!(sums.iter().any(|sum| sum.starts_with(database)), "{sums:?}");
    }
    let forks = settled(&mut session, THEIR_FORKS, OUR_FORKS);
    let own = |prefix: &str| forks.iter().filter(|fork| fork.starts_with(prefix)).count();
    assert_eq!(own("public|one_page"), 0, "{forks:?}");
    // The main fork of each; of the one that was updated, dirty.
    assert!(own("public|two_pages") >= 50, "{forks:?}");
    assert!(
        forks
            .iter()
            .any(|fork| fork.starts_with("public|two_pages_7|0|") && fork.ends_with("|2|2"))
    );
    let others = rows(
        &mut session,
        "SELECT DISTINCT relation_name FROM pgperf.buffer_usage_history WHERE database_name = 'other'",
    );
    assert_eq!(others, [""], "files of other databases have no name");
    let whole = rows(
        &mut session,
        "SELECT DISTINCT sum(buffers) FROM pgperf.buffer_usage_history GROUP BY sample_id",
    );
    assert_eq!(whole, ["65536"]);
}

/// The contents of pg_buffercache, once a sample right after it shows the same. Both use the same pages before they
/// count, again and again, until that no longer changes any usage count.
fn settled(session: &mut Client, theirs: &str, ours: &str) -> Vec<String> {
    for _ in 0..ROUNDS {
        let counted = rows(session, theirs);
        execute(session, "SELECT pgperf.snapshot_buffers()");
        if rows(session, ours) == counted {
            return counted;
        }
    }
    assert_eq!(rows(session, ours), rows(session, theirs));
    Vec::new()
}
