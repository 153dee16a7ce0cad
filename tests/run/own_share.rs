//! What pgperf itself reads, makes and writes is no part of what a run did.

use super::facts::{QUIET, known};
use crate::common::Cluster;
use crate::common::runs::Runs;

#[test]
fn what_pgperf_itself_reads_and_makes_is_not_the_runs() {
    let cluster = Cluster::with_data(QUIET);
    cluster.run_sql("CREATE DATABASE fresh");
    let mut session = cluster.connect_to("fresh");
    session
        .batch_execute(
            "CREATE EXTENSION pgperf CASCADE; CREATE TABLE touched AS SELECT 1 AS id; \
             CREATE TABLE untouched AS SELECT g AS id, repeat('x', 100) AS text FROM generate_series(1, 20000) g; \
             CREATE INDEX ON untouched (id)",
        )
        .expect("tables");
    session.value("VACUUM ANALYZE untouched");
    session.value("SELECT pg_stat_force_next_flush()");
    // The first run of a database makes the partitions that it needs, and measures all tables' bloat.
    for _ in 0..2 {
        let run = session.finish_run("script => 'SELECT * FROM touched;', duration => '1 s'");
        let bloat = format!(
            "SELECT count(*) > 0 FROM pgperf.bloat_history WHERE run_id = {run} AND relation_name = 'untouched'"
        );
        assert_eq!(session.value(&bloat), "t");
        let relations = format!(
            "SELECT string_agg(relation_name, ' ') FROM pgperf.run_relations WHERE run_id = {run}"
        );
        assert_eq!(session.value(&relations), "touched");
        let growth = known(&mut session, run, "database_growth_bytes");
        assert!(growth.abs() < 100_000.0, "{growth}");
        let hits = known(&mut session, run, "database_hit_percent");
        assert!((95.0..=100.0).contains(&hits), "{hits}");
    }
    let run = session.finish_run("script => 'INSERT INTO touched VALUES (1);', duration => '1 s'");
    let written = known(&mut session, run, "wal_records");
    let of_clients = session.float(&format!(
        "SELECT wal_records FROM pgperf_internal.run_totals WHERE run_id = {run}"
    ));
    assert!(
        (written / of_clients - 1.0).abs() < 0.05,
        "{written}: {of_clients}"
    );
}
