//! The rows of the toy family: written in bulk, or by statements where that cannot be.

use super::lines;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, old_strings, wait_until};
use postgres::Client;

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
             ALTER DATABASE postgres SET search_path = pg_temp;
             ALTER DATABASE postgres SET extra_float_digits = 0",
        )
        .expect("settings");
    session.batch_execute(old_strings()).expect("strings");
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
