//! A load into a target leaves what a load inside leaves: rows, definitions, indexes, constraints, sequences.

use super::{around, label, load, of_this_major};
use crate::common::Cluster;
use crate::common::runs::Runs;
use crate::common::targets::cluster_of;
use postgres::Client;

const OWN: &str = "SELECT pgperf.create_workload('own', script => 'SELECT 1', options => '{\"rows\": 1000}', \
    setup_sql => 'CREATE SEQUENCE numbers; CREATE TABLE items (id int, name text); CREATE TABLE notes (id serial, note text); \
                  CREATE VIEW names AS SELECT name FROM items; CREATE MATERIALIZED VIEW kept AS SELECT 1 AS one', \
    load_sql => 'INSERT INTO items SELECT i, i::text FROM generate_series(1, :rows * :scale) i WHERE i % :parts = :part - 1')";

/// Loads of all families: the workload, the scale, and options.
const LOADS: [(&str, &str, &str); 16] = [
    ("tpcb-like", "2", "{}"),
    (
        "tpcb-like",
        "1",
        r#"{"fillfactor": 70, "unlogged": true, "foreign_keys": true}"#,
    ),
    ("tpcb-like", "1", r#"{"partitions": 3}"#),
    (
        "tpcb-like",
        "1",
        r#"{"partitions": 3, "partition_method": "hash"}"#,
    ),
    // Keys before the rows; rows made by the server itself.
    ("tpcb-like", "1", r#"{"steps": "dtpgv"}"#),
    ("tpcb-like", "1", r#"{"steps": "dtGvp"}"#),
    (
        "oltp_read_write",
        "1",
        r#"{"tables": 3, "table_size": 2000}"#,
    ),
    ("bulk_insert", "1", r#"{"tables": 2}"#),
    ("tpcc-like", "1", r#"{"foreign_keys": true}"#),
    ("tpch-like", "0.01", r#"{"foreign_keys": true}"#),
    (
        "tpch-like",
        "0.01",
        r#"{"partitions": "month", "decimals": "float", "refresh_orders": true}"#,
    ),
    ("ycsb-a", "1", "{}"),
    ("ycsb-a", "1", r#"{"insertorder": "ordered"}"#),
    ("tatp", "1", "{}"),
    ("smallbank", "1", "{}"),
    ("own", "3", r#"{"rows": 500}"#),
];

/// The relations of a schema with their contents and definitions, without labels and names of the schema.
fn contents(session: &mut Client, schema: &str) -> Vec<String> {
    let tables = session.value(&format!(
        "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class \
          WHERE relnamespace = '{schema}'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')"
    ));
    session.value("SET extra_float_digits = 3; SET DateStyle = 'ISO'; SET TimeZone = 'UTC'");
    let mut all = Vec::new();
    for table in tables.split(' ').filter(|name| !name.is_empty()) {
        all.push(session.value(&format!(
            "SELECT '{table} ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, ';' ORDER BY t::text)), '') FROM {schema}.{table} t"
        )));
    }
    let definitions = [
        "SELECT string_agg(concat_ws(' ', c.relname, c.relkind, c.relpersistence, c.reloptions::text), E'\\n' ORDER BY c.relname) \
           FROM pg_class c WHERE relnamespace = 'SCHEMA'::regnamespace",
        "SELECT string_agg(concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
                                     replace(pg_get_expr(d.adbin, d.adrelid), 'SCHEMA.', '')), E'\\n' ORDER BY c.relname, a.attnum) \
           FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum) \
          WHERE relnamespace = 'SCHEMA'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0",
        "SELECT string_agg(replace(indexdef, 'SCHEMA.', ''), E'\\n' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'SCHEMA'",
        "SELECT string_agg(replace(concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)), 'SCHEMA.', ''), E'\\n' \
                           ORDER BY conrelid::regclass::text, conname) \
           FROM pg_constraint WHERE connamespace = 'SCHEMA'::regnamespace AND contype <> 'n'",
        "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'SCHEMA'::regnamespace",
    ];
    for definition in definitions {
        all.push(session.value(&definition.replace("SCHEMA", schema)));
    }
    let sequences = session.value(&format!(
        "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'S'"
    ));
    for sequence in sequences.split(' ').filter(|name| !name.is_empty()) {
        all.push(session.value(&format!(
            "SELECT '{sequence} ' || last_value || ' ' || is_called FROM {schema}.{sequence}"
        )));
    }
    all
}

/// Loads each of these inside and into the target, and compares.
fn expect_same_contents(target: &Cluster, loads: &[(&str, &str, &str)]) {
    let (_cluster, mut session, mut there) = around(target);
    session.value(OWN);
    let of_major = there.number("SHOW server_version_num") / 10_000;
    let same_major = of_major == session.number("SHOW server_version_num") / 10_000;
    for (number, (workload, scale, options)) in loads.iter().enumerate() {
        let schema = format!("s{number}");
        session.value(&format!("CREATE SCHEMA {schema}"));
        there.value(&format!("CREATE SCHEMA {schema}"));
        let jobs = 1 + number % 4;
        let arguments = format!(
            "'{workload}', scale => {scale}, jobs => {jobs}, schema => '{schema}', options => '{options}'"
        );
        let inside = load(&mut session, &arguments);
        let over = load(&mut session, &format!("{arguments}, server => 'target'"));
        let expected = contents(&mut session, &schema);
        let mut found = contents(&mut there, &schema);
        if !same_major {
            // Definitions are shown in other words.
            let rows = |all: &[String]| all.iter().filter(|line| line.contains(' ')).count();
            assert_eq!(rows(&found), rows(&expected), "{workload} {options}");
            found.truncate(expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                if !expected.contains('\n') && !expected.contains("CREATE") {
                    assert_eq!(found, expected, "{workload} {options}");
                }
            }
        } else {
            assert_eq!(found, expected, "{workload} {options}");
        }
        assert_eq!(
            session.total(over, "transactions"),
            session.total(inside, "transactions"),
            "{workload} {options}"
        );
        let steps = "SELECT string_agg(statement, ', ' ORDER BY command_no) FROM pgperf.run_statements WHERE run_id =";
        assert_eq!(
            session.value(&format!("{steps} {over}")),
            session.value(&format!("{steps} {inside}"))
        );
    }
}

#[test]
fn of_all_families() {
    let target = Cluster::new(&[]);
    expect_same_contents(&target, &LOADS);
}

fn expect_major_to_take_them(major: &str, loads: &[(&str, &str, &str)]) {
    if let Some(target) = cluster_of(major) {
        expect_same_contents(&target, loads);
    }
}

/// Without partitions, and without numbers that it shows in other words.
fn of_old_majors() -> Vec<(&'static str, &'static str, &'static str)> {
    let is_known = |options: &str| !options.contains("partitions") && !options.contains("float");
    let loads = LOADS
        .into_iter()
        .filter(|(_, _, options)| is_known(options));
    loads.collect()
}

#[test]
fn on_9_6() {
    expect_major_to_take_them("9.6", &of_old_majors());
}

#[test]
fn on_10() {
    expect_major_to_take_them("10", &LOADS[..1]);
}

#[test]
fn on_17() {
    expect_major_to_take_them("17", &LOADS[..4]);
}

#[test]
fn on_18() {
    expect_major_to_take_them("18", &LOADS);
}

/// Rows of tables that one worker fills are frozen, so that no vacuum has to do that.
#[test]
fn tables_of_one_worker_are_frozen() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    there.value("CREATE EXTENSION pg_visibility");
    load(
        &mut session,
        "'tpcb-like', jobs => 2, steps => 'dtg', server => 'target'",
    );
    for table in ["accounts", "tellers", "branches"] {
        let open = format!(
            "SELECT count(*) FROM pg_visibility_map('pgbench_{table}') WHERE NOT (all_visible AND all_frozen)"
        );
        assert_eq!(there.number(&open), 0, "{table}");
    }
}

#[test]
fn labels_tell_what_was_loaded() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    session.value(OWN);
    there.value("CREATE SCHEMA s");
    load(
        &mut session,
        "'tpcb-like', scale => 2, fillfactor => 80, server => 'target'",
    );
    let text = label(&mut there, "pgbench_accounts");
    assert!(
        text.starts_with(
            "pgperf: pgbench, loaded at scale 2 {\"data_set\":\"pgbench\",\"scale\":2,"
        ) && text.contains("\"fillfactor\":80"),
        "{text}"
    );
    assert_eq!(label(&mut there, "pgbench_history"), text);
    load(&mut session, "'own', schema => 's', server => 'target'");
    for relation in ["items", "notes", "numbers", "names", "kept"] {
        let text = label(&mut there, &format!("s.{relation}"));
        assert!(
            text.starts_with("pgperf: own, loaded at scale 1 {"),
            "{text}"
        );
    }
    // A sequence of a column goes with its table.
    assert_eq!(label(&mut there, "s.notes_id_seq"), "");
    // Created again, and filled again.
    load(
        &mut session,
        "'tpcb-like', steps => 'dt', server => 'target'",
    );
    let text = label(&mut there, "pgbench_tellers");
    assert!(text.starts_with("pgperf: pgbench, incomplete {"), "{text}");
    load(
        &mut session,
        "'tpcb-like', steps => 'g', server => 'target'",
    );
    let text = label(&mut there, "pgbench_tellers");
    assert!(
        text.starts_with("pgperf: pgbench, loaded at scale 1 {"),
        "{text}"
    );
    // A load of fewer tables drops the others, also what is no table.
    load(
        &mut session,
        "'oltp_read_only', options => '{\"tables\": 3, \"table_size\": 100}', server => 'target'",
    );
    load(
        &mut session,
        "'oltp_read_only', options => '{\"tables\": 1, \"table_size\": 100}', server => 'target'",
    );
    let left = "SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r' AND relname LIKE 'sbtest%'";
    assert_eq!(there.value(left), "sbtest1");
    load(&mut session, "'own', schema => 's', server => 'target'");
    assert_eq!(there.number("SELECT count(*) FROM s.items"), 1000);
    // Nothing is noted here.
    assert_eq!(session.number("SELECT count(*) FROM pgperf.data_sets"), 0);
}
