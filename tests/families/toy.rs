//! The toy family on a server: loaded, run, checked, reported, swept.

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

pub fn cluster() -> Cluster {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let known = session.number("SELECT count(*) FROM pgperf.workloads WHERE name = 'toy'");
    assert_eq!(
        known, 1,
        "a library without the feature toy: make test-families"
    );
    cluster
}

pub fn failed_checks(session: &mut Client, workload: &str) -> String {
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
    let load = session.number(
        "CALL pgperf.init('toy', scale => 3, jobs => 2, options => '{\"fillfactor\": 50}')",
    );
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
    let call =
        "CALL pgperf.init('toy', scale => 3, jobs => 2, options => '{\"fillfactor\":50}'::jsonb);";
    let one_line = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains(call), "{report}");

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
    let (sqlstate, message, hint) =
        error_of(&mut session, "CALL pgperf.init('toy', fillfactor => 50)");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "22023",
            "fillfactor is not an argument for the tables of \"toy\""
        )
    );
    assert_eq!(hint, "Give it in options => '{\"fillfactor\": 50}'.");
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
    // All of them are somebody else's: the family says their scale.
    session.value("DROP TABLE toy_log");
    session.value("CREATE TABLE toy_log (id int, added int)");
    let run = session.number("SELECT pgperf.start_run('toy', transactions_per_client => 1)");
    session.wait_for_status(run, "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT scale FROM pgperf.runs WHERE run_id = {run}"
        )),
        "1"
    );
}

#[test]
fn a_data_set_that_is_not_filled_is_refused() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('toy')");
    // As a load leaves it that ends before it has filled the tables.
    session.value("UPDATE pgperf.data_sets SET scale = 0");
    let (sqlstate, message, hint) = error_of(&mut session, "SELECT pgperf.start_run('toy')");
    assert_eq!(
        (sqlstate.as_str(), message.as_str()),
        (
            "55000",
            "the tables of workload \"toy\" are not completely loaded"
        )
    );
    assert!(hint.contains("CALL pgperf.init('toy'"), "{hint}");
}

#[test]
fn a_sweep_loads_the_tables_of_its_family() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let sweep = session.number(
        "SELECT pgperf.start_sweep(workloads => '{toy, toy-read}', scales => '{1, 2}', fillfactors => '{80, 100}', clients => '{1}', \
         repetitions => 1, transactions_per_client => 20, collectors => '{}', options => '{\"logs\": false, \"reads\": 1, \"log_tables\": 2}')",
    );
    session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
    assert_eq!(
        session.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "finished"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'toy_log%'"),
        0
    );
    let points = session.value(&format!(
        "SELECT string_agg(workload || ' ' || scale || ' ' || fillfactor, ', ' ORDER BY point_no) \
           FROM pgperf_internal.stored_sweep_points WHERE sweep_id = {sweep}"
    ));
    assert_eq!(
        points,
        "toy 1 80, toy 1 100, toy 2 80, toy 2 100, toy-read 1 80, toy-read 1 100, toy-read 2 80, toy-read 2 100"
    );
    let options = |of: &str| {
        format!(
            "SELECT string_agg(DISTINCT ({of})::text, ' ') FROM pgperf_internal.stored_sweep_points WHERE sweep_id = {sweep}"
        )
    };
    assert_eq!(
        session.value(&options("arguments -> 'options'")),
        "{\"reads\": 1, \"log_tables\": 2}"
    );
    assert_eq!(
        session.value(&options("load -> 'options'")),
        "{\"logs\": false, \"fillfactor\": 100, \"log_tables\": 2} {\"logs\": false, \"fillfactor\": 80, \"log_tables\": 2}"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_class WHERE relname = 'toy_items' AND reloptions IN ('{fillfactor=80}', '{fillfactor=100}')"),
        1
    );
    let scripts = "SELECT string_agg(script || ' ' || weight, ', ' ORDER BY script_no) \
                   FROM pgperf.run_scripts JOIN pgperf.runs USING (run_id) WHERE sweep_point = 1";
    assert_eq!(
        session.value(scripts),
        "toy read 2, toy write 1, toy write2 1"
    );
    // Without loads an option of loads has no use.
    let (_, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_sweep('toy', options => '{\"logs\": false}')",
    );
    assert_eq!(message, "option logs applies only to loads");
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
    session.value(
        "CALL pgperf.init('toy', scale => 100, jobs => 2, options => '{\"fillfactor\": 50}')",
    );
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

/// All values of all rows by the names of their columns.
fn contents(session: &mut Client, table: &str) -> String {
    let columns = match table {
        "toy_items" => "id, total, flag, big, ratio, day, at, name, code, note, price, filler",
        _ => "item, part, name, made",
    };
    session.value(&format!(
        "SELECT count(*) || ' ' || md5(string_agg(r, ',' ORDER BY r)) \
           FROM (SELECT ROW({columns})::text AS r FROM {table}) AS rows"
    ))
}

fn frozen(session: &mut Client, table: &str) -> i64 {
    session.number(&format!(
        "SELECT all_frozen FROM pg_visibility_map_summary('{table}')"
    ))
}

/// Starts a load with these options.
fn start_load(session: &mut Client, scale: i32, jobs: i32, options: &str) -> i64 {
    session.number(&format!(
        "SELECT pgperf.start_load('toy', scale => {scale}, jobs => {jobs}, replace => true, options => '{options}')"
    ))
}

/// Loads with these options, to the end.
fn load(session: &mut Client, scale: i32, jobs: i32, options: &str) -> i64 {
    let run = start_load(session, scale, jobs, options);
    session.value(&format!("CALL pgperf.wait_run({run})"));
    run
}

/// Options of loads: with tables of parts, made by the load itself or before it.
const MADE: &str = r#"{"parts": 2}"#;
const FILLED: &str = r#"{"parts": 2, "create": false}"#;

const PARTS: [&str; 2] = ["toy_parts1", "toy_parts2"];

#[test]
fn units_have_no_row_one_or_several() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off", "max_worker_processes = 16"]);
    let mut session = cluster.connect();
    for extension in ["pageinspect", "pg_visibility", "amcheck"] {
        session.value(&format!("CREATE EXTENSION {extension}"));
    }
    let run = load(&mut session, 50, 3, MADE);
    assert_eq!(session.status(run), "finished");
    // None to three parts of each item, by its number.
    let wrong = "SELECT count(*) FROM (SELECT item, count(*) AS parts, max(part) AS last, max(made) AS made FROM TABLE GROUP BY item) p \
        FULL JOIN (SELECT id FROM toy_items WHERE id % 4 > 0) i ON id = item \
        WHERE (id IS NOT NULL AND parts = id % 4 AND last = parts \
               AND made = timestamptz '2000-01-01 00:00+00' + id * interval '1 h' + last * interval '1 us') IS NOT TRUE";
    for (number, table) in PARTS.iter().enumerate() {
        assert_eq!(
            session.number(&format!("SELECT count(*) FROM {table}")),
            75_000
        );
        assert_eq!(session.number(&wrong.replace("TABLE", table)), 0, "{table}");
        let named = format!(
            "SELECT count(*) FROM {table} WHERE name = format('part %s of item %s in table {}', part, item)",
            number + 1
        );
        assert_eq!(session.number(&named), 75_000);
        let pages = session.number(&format!("SELECT pg_relation_size('{table}') / 8192"));
        assert!(pages > 0 && frozen(&mut session, table) == pages, "{table}");
        session.value(&format!("CREATE TABLE {table}_inserted (LIKE {table})"));
        session.value(&format!(
            "INSERT INTO {table}_inserted SELECT * FROM {table} ORDER BY item, part"
        ));
        let inserted = bytes(&mut session, &format!("{table}_inserted"));
        assert_eq!(bytes(&mut session, table), inserted, "{table}");
        assert_eq!(
            session.number(&format!("SELECT count(*) FROM verify_heapam('{table}')")),
            0
        );
    }
    // Rows are counted, not units, and not what was expected.
    let report = lines(&mut session, run);
    assert!(report.contains("rows loaded: 200000"), "{report}");
    assert_eq!(
        session.number("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'toy_parts1'"),
        75_000
    );
}

#[test]
fn a_table_that_is_not_its_own_gets_the_same_rows_by_statements() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off", "max_worker_processes = 16"]);
    let mut session = cluster.connect();
    session.value("CREATE EXTENSION pg_visibility");
    // The literals of the statements mean the same whatever these are; this session shows values by the defaults.
    session
        .batch_execute(
            "ALTER DATABASE postgres SET DateStyle = 'German, DMY';
             ALTER DATABASE postgres SET TimeZone = 'Asia/Kathmandu';
             ALTER DATABASE postgres SET standard_conforming_strings = off;
             ALTER DATABASE postgres SET escape_string_warning = off;
             ALTER DATABASE postgres SET search_path = pg_temp;
             ALTER DATABASE postgres SET extra_float_digits = 0",
        )
        .expect("settings");
    let fill = |session: &mut Client, options: &str| {
        let run = load(session, 2, 2, options);
        assert_eq!(session.status(run), "finished");
        assert_eq!(session.total(run, "transactions"), 2_000 + 2 * 3_000);
    };
    let tables = ["toy_items", PARTS[0], PARTS[1]];
    fill(&mut session, MADE);
    let expected = tables.map(|table| contents(&mut session, table));
    assert_ne!(expected[1], expected[2]);
    assert!(tables.iter().all(|table| frozen(&mut session, table) > 0));
    // They have keys by now.
    fill(&mut session, FILLED);
    for (table, expected) in tables.iter().zip(&expected) {
        assert_eq!(frozen(&mut session, table), 0, "{table}");
        assert_eq!(contents(&mut session, table), *expected, "{table}");
    }
    // Each table without its key is filled in bulk, and its change alone prevents that.
    let own = "id int NOT NULL, total int, flag bool, big bigint, ratio float8, day date, at timestamp, name varchar(20), \
               code char(10), note text, price numeric(12, 2), filler char(130)";
    let again =
        |definition: &str| format!("DROP TABLE toy_items; CREATE TABLE toy_items {definition}");
    let changes = [
        (again(&format!("({own})")), true),
        (
            again(
                "(filler char(130), price numeric(12, 2), note text, code char(10), name varchar(20), \
                 at timestamp, day date, ratio float8, big bigint, flag bool, total int, id int NOT NULL)",
            ),
            false,
        ),
        (
            again(
                "(id bigint, total int, flag bool, big numeric, ratio float8, day date, at timestamp, name text, \
                 code char(10), note varchar, price numeric, filler char(130), more int DEFAULT 7)",
            ),
            false,
        ),
        ("CREATE INDEX ON toy_items (total)".to_owned(), false),
        (
            "CREATE FUNCTION same() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; \
             CREATE TRIGGER same BEFORE INSERT ON toy_items FOR EACH ROW EXECUTE FUNCTION same()"
                .to_owned(),
            false,
        ),
        (
            "ALTER TABLE toy_items ADD CHECK (total = 0)".to_owned(),
            false,
        ),
        (
            again(&format!(
                "({own}) PARTITION BY RANGE (id); CREATE TABLE first PARTITION OF toy_items FOR VALUES FROM (1) TO (900); \
                 CREATE TABLE second PARTITION OF toy_items DEFAULT"
            )),
            false,
        ),
    ];
    for (change, is_in_bulk) in changes {
        fill(&mut session, MADE);
        session
            .batch_execute(&format!(
                "ALTER TABLE toy_items DROP CONSTRAINT toy_items_pkey; {change}"
            ))
            .expect(&change);
        fill(&mut session, FILLED);
        if !change.contains("PARTITION") {
            assert_eq!(
                frozen(&mut session, "toy_items") > 0,
                is_in_bulk,
                "{change}"
            );
        }
        assert_eq!(contents(&mut session, "toy_items"), expected[0], "{change}");
    }
    // A value that the table refuses is the server's own error, and undoes the step.
    session.value("ALTER TABLE toy_parts2 ADD CHECK (part < 3) NOT VALID");
    let run = load(&mut session, 3, 2, FILLED);
    assert_eq!(session.status(run), "failed");
    let error = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(error.contains("toy_parts2_part_check"), "{error}");
    assert_eq!(contents(&mut session, "toy_items"), expected[0]);
    assert_eq!(contents(&mut session, PARTS[1]), expected[2]);
}

#[test]
fn a_load_by_statements_can_be_stopped() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    load(&mut session, 3, 2, "{}");
    session
        .batch_execute(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
             'BEGIN IF NEW.id > 1000 THEN PERFORM pg_sleep(0.1); END IF; RETURN NEW; END'; \
             CREATE TRIGGER slow BEFORE INSERT ON toy_items FOR EACH ROW EXECUTE FUNCTION slow()",
        )
        .expect("a trigger");
    let run = start_load(&mut session, 4, 2, r#"{"create": false}"#);
    wait_until("two statements", PATIENCE, || {
        session.number(&format!(
            "SELECT coalesce(sum(transactions), 0)::int8 FROM pgperf.run_intervals WHERE run_id = {run}"
        )) == 1_000
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    assert_eq!(session.number("SELECT count(*) FROM toy_items"), 3_000);
}
