//! The toy family on a server: loaded, run, checked, reported, swept.

use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, StopMode};
use postgres::Client;

fn cluster() -> Cluster {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let known = session.number("SELECT count(*) FROM pgperf.workloads WHERE name = 'toy'");
    assert_eq!(
        known, 1,
        "a library without the feature toy: make test-families"
    );
    cluster
}

fn failed_checks(session: &mut Client, workload: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(string_agg(check_name || ': ' || detail, ', '), '') FROM pgperf.\"check\"('{workload}') \
          WHERE NOT passed"
    ))
}

fn lines(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) AS r (line)"
    ))
}

#[test]
fn a_family_is_loaded_run_checked_and_reported() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let load = session.number("CALL pgperf.init('toy', scale => 3, fillfactor => 50, jobs => 2)");
    assert_eq!(session.status(load), "finished");
    assert_eq!(
        session.value(
            "SELECT data_set || ' ' || scale || ' ' || cardinality(relations) FROM pgperf.data_sets"
        ),
        "toy 3 2"
    );
    assert_eq!(session.number("SELECT count(*) FROM toy_items"), 3_000);
    assert_eq!(
        session.value("SELECT reloptions::text FROM pg_class WHERE relname = 'toy_items'"),
        "{fillfactor=50}"
    );
    assert_eq!(failed_checks(&mut session, "toy"), "");
    let report = lines(&mut session, load);
    assert!(report.contains("rows loaded: 3000"), "{report}");
    for step in ["drop", "create", "fill", "index"] {
        assert!(report.contains(&format!("{step} 0.")), "{report}");
    }
    let call = "CALL pgperf.init('toy', scale => 3, fillfactor => 50, jobs => 2);";
    assert!(report.contains(call), "{report}");

    let run = session
        .number("SELECT pgperf.start_run('toy', clients => 2, transactions_per_client => 200)");
    session.value(&format!("CALL pgperf.wait_run({run})"));
    assert_eq!(session.status(run), "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT scale FROM pgperf.runs WHERE run_id = {run}"
        )),
        "3"
    );
    // Both scripts, by their weights: 300 and 100 of 400 are expected.
    let scripts = session.value(&format!(
        "SELECT string_agg(script || ' ' || weight, ', ' ORDER BY script_no) FROM pgperf.run_scripts WHERE run_id = {run}"
    ));
    assert_eq!(scripts, "toy read 3, toy write 1");
    let written = session.number("SELECT count(*) FROM toy_log");
    let counted = session.number(&format!(
        "SELECT transactions FROM pgperf.run_scripts WHERE run_id = {run} AND script = 'toy write'"
    ));
    assert_eq!(written, counted);
    assert!((40..200).contains(&written), "{written}");
    assert_eq!(failed_checks(&mut session, "toy"), "");
    let report = lines(&mut session, run);
    assert!(
        report.contains("transaction type: toy: three of four read, one writes"),
        "{report}"
    );
    assert!(report.contains("SQL script 2: toy write"), "{report}");

    session.value("UPDATE toy_items SET total = total + 1 WHERE id = 1");
    assert!(failed_checks(&mut session, "toy").starts_with("totals of items and the log agree: "));
    session.value("DELETE FROM toy_items WHERE id = 1");
    assert_eq!(
        failed_checks(&mut session, "toy-read"),
        "toy_items has 3000 rows at scale 3: 2999 rows"
    );
}

#[test]
fn families_stand_beside_each_other() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tpcb-like')");
    session.value("CALL pgperf.init('toy', scale => 2)");
    assert_eq!(session.value("SELECT string_agg(data_set || ' ' || scale, ', ' ORDER BY data_set) FROM pgperf.data_sets"), "pgbench 1, toy 2");
    let run = session.number(
        "SELECT pgperf.start_run('toy-read@1, select-only@3', transactions_per_client => 40)",
    );
    session.value(&format!("CALL pgperf.wait_run({run})"));
    assert_eq!(session.status(run), "finished");
    // The vacuum of a run is that of its workload's family.
    let run = session
        .number("SELECT pgperf.start_run('toy', vacuum => 'all', transactions_per_client => 10)");
    session.value(&format!("CALL pgperf.wait_run({run})"));
    let vacuum = session.value(&format!("SELECT string_agg(s, '; ') FROM pgperf.runs, jsonb_array_elements_text(spec -> 'vacuum_sql') s WHERE run_id = {run}"));
    assert_eq!(
        vacuum,
        "TRUNCATE \"public\".\"toy_log\"; VACUUM \"public\".\"toy_items\""
    );
    let (sqlstate, message, hint) =
        error_of(&mut session, "CALL pgperf.init('toy', partitions => 3)");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        ("22023", "the tables of \"toy\" have no option partitions")
    );
    assert!(
        hint.contains("fillfactor (integer from 10 to 100, default 100)"),
        "{hint}"
    );
}

#[test]
fn the_scale_of_a_family_is_known_of_its_own_tables_alone() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('toy', scale => 2)");
    // Somebody else's table of the same name.
    session.value("DROP TABLE toy_items");
    session.value("CREATE TABLE toy_items AS SELECT 1 AS id, 0 AS total");
    let (_, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('toy')");
    assert_eq!(
        message,
        "relation \"toy_items\" of workload \"toy\" does not exist or is empty"
    );
    assert!(hint.contains("CALL pgperf.init('toy'"), "{hint}");
    let (sqlstate, _, _) = error_of(&mut session, "CALL pgperf.init('toy')");
    assert_eq!(sqlstate, "42P07");
}

#[test]
fn a_sweep_loads_the_tables_of_its_family() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let sweep = session.number(
        "SELECT pgperf.start_sweep(workloads => '{toy, toy-read}', scales => '{1, 2}', fillfactors => '{80}', clients => '{1}', \
         repetitions => 1, transactions_per_client => 20, collectors => '{}', init_options => '{\"logs\": false}')",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    assert_eq!(
        session.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "finished"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_indexes WHERE tablename = 'toy_log'"),
        0
    );
    let points = session.value(&format!(
        "SELECT string_agg(workload || ' ' || scale || ' ' || fillfactor, ', ' ORDER BY point_no) \
           FROM pgperf_internal.stored_sweep_points WHERE sweep_id = {sweep}"
    ));
    assert_eq!(points, "toy 1 80, toy 2 80, toy-read 1 80, toy-read 2 80");
}

/// The bytes of all rows of a table, in their order: values, where they begin, which are NULL.
fn bytes(session: &mut Client, table: &str) -> String {
    session.value(&format!(
        "SELECT count(*) || ' ' || md5(string_agg(r, ',' ORDER BY r)) \
           FROM (SELECT concat_ws(' ', t_data, t_hoff, t_bits, t_infomask2 & 2047, t_infomask & 3, lp_len) AS r \
                   FROM generate_series(0, pg_relation_size('{table}') / 8192 - 1) AS b, \
                        heap_page_items(get_raw_page('{table}', b::int))) AS rows"
    ))
}

const CONTENTS: &str =
    "SELECT count(*) || ' ' || md5(string_agg(i::text, ',' ORDER BY id)) FROM toy_items i";

#[test]
fn rows_in_bulk_are_byte_for_byte_those_that_inserts_make() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off", "max_worker_processes = 16"]);
    let mut session = cluster.connect();
    for extension in ["pageinspect", "pg_visibility", "amcheck"] {
        session.value(&format!("CREATE EXTENSION {extension}"));
    }
    // Several chunks, for several workers.
    session.value("CALL pgperf.init('toy', scale => 100, jobs => 3)");
    let frozen = session.number("SELECT all_frozen FROM pg_visibility_map_summary('toy_items')");
    let pages = session.number("SELECT pg_relation_size('toy_items') / 8192");
    assert!(pages > 0 && frozen == pages, "{frozen} of {pages} pages");
    session.value("CREATE TABLE inserted (LIKE toy_items)");
    session.value("INSERT INTO inserted SELECT * FROM toy_items ORDER BY id");
    let made = bytes(&mut session, "toy_items");
    assert!(made.starts_with("100000 "), "{made}");
    assert_eq!(made, bytes(&mut session, "inserted"));
    // Each worker leaves at most one page that is not full; inserts go back to earlier pages for short rows.
    let inserted = session.number("SELECT pg_relation_size('inserted') / 8192");
    assert!(
        pages * 100 <= inserted * 102 + 300,
        "{pages} pages, {inserted} by INSERT"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM verify_heapam('toy_items')"),
        0
    );
    assert_eq!(
        session.number("SELECT count(DISTINCT id) FROM toy_items WHERE id BETWEEN 1 AND 100000"),
        100_000
    );
    let misplaced = "SELECT count(*) FROM generate_series(0, pg_relation_size('toy_items') / 8192 - 1) AS b, \
         heap_page_items(get_raw_page('toy_items', b::int)) WHERE t_ctid <> format('(%s,%s)', b, lp)::tid";
    assert_eq!(session.number(misplaced), 0);
    session.value("CALL pgperf.init('toy', scale => 100, jobs => 2, fillfactor => 50)");
    let half = session.number("SELECT pg_relation_size('toy_items') / 8192");
    assert!(
        half * 10 > pages * 18,
        "{half} pages half full, {pages} full"
    );

    // From the log alone.
    let before = session.value(CONTENTS);
    drop(session);
    cluster.stop(StopMode::Immediate);
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.value(CONTENTS), before);
    assert_eq!(
        session.number("SELECT count(*) FROM verify_heapam('toy_items')"),
        0
    );

    // Where logical decoding has to see them they are inserted: the same rows.
    let other = Cluster::with_pgperf(&["wal_level = logical", "autovacuum = off"]);
    let mut session = other.connect();
    session.value("CREATE EXTENSION pg_visibility");
    session.value("CALL pgperf.init('toy', scale => 100)");
    assert_eq!(
        session.number("SELECT all_frozen FROM pg_visibility_map_summary('toy_items')"),
        0
    );
    assert_eq!(session.value(CONTENTS), before);
}
