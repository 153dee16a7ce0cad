//! The second object: one that differs in one part of its identity alone is not in the figures of the first.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// A view of differences: an object by its identity, and another value of each part of it.
struct Twins {
    name: &'static str,
    object: &'static [(&'static str, &'static str, &'static str)],
    /// Columns that are the same in all rows.
    others: &'static str,
}

const TWINS: &[Twins] = &[
    Twins {
        name: "slru",
        object: &[("name", "\"Xact\"", "\"Subtrans\"")],
        others: "{}",
    },
    Twins {
        name: "lock",
        object: &[("lock_type", "\"relation\"", "\"tuple\"")],
        others: "{}",
    },
    Twins {
        name: "replication",
        object: &[
            ("kind", "\"slot\"", "\"standby\""),
            ("name", "\"one\"", "\"two\""),
            ("client", "\"10.0.0.1\"", "\"10.0.0.2\""),
            ("instance", "1", "2"),
        ],
        others: "{}",
    },
    Twins {
        name: "io",
        object: &[
            ("backend_type", "\"client backend\"", "\"checkpointer\""),
            ("object", "\"relation\"", "\"temp relation\""),
            ("context", "\"normal\"", "\"bulkread\""),
        ],
        others: "{}",
    },
    Twins {
        name: "device",
        object: &[("device", "\"sda\"", "\"sdb\"")],
        others: r#"{"boot_id": "00000000-0000-0000-0000-000000000001", "holds": "data", "level": 0, "in_flight": 0}"#,
    },
    Twins {
        name: "database",
        object: &[("database_name", "\"a\"", "\"b\"")],
        others: r#"{"databases_mark": 1}"#,
    },
    Twins {
        name: "database",
        object: &[("database_name", "\"a\"", "null")],
        others: r#"{"databases_mark": 1}"#,
    },
    Twins {
        name: "relation",
        object: &[("relation_oid", "16400", "16401")],
        others: r#"{"before_sample_id": 1}"#,
    },
    Twins {
        name: "statement",
        object: &[
            ("queryid", "5", "6"),
            ("userid", "10", "11"),
            ("dbid", "20", "21"),
            ("toplevel", "true", "false"),
        ],
        others: r#"{"before_sample_id": 1, "stats_since": "2026-01-01 00:00+00"}"#,
    },
];

/// Rows of two samples, in which each counter of the object grows from 10 to 30, and that of its twins from 1000 to 1500.
fn plant(session: &mut Client, twins: &Twins) {
    let Twins {
        name,
        object,
        others,
    } = twins;
    let identity = |changed: Option<usize>| {
        let parts = object
            .iter()
            .enumerate()
            .map(|(number, (column, own, other))| {
                let value = if changed == Some(number) { other } else { own };
                format!("\"{column}\": {value}")
            });
        format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
    };
    let mut objects = vec![(identity(None), 10, 30)];
    objects.extend((0..object.len()).map(|number| (identity(Some(number)), 1000, 1500)));
    let of_all = match *name {
        "relation" => r#"{"relation_oid": 0, "left_out": 0}"#,
        "statement" => {
            r#"{"queryid": 0, "userid": 0, "dbid": 0, "toplevel": true, "left_out": 0, "dealloc": 0}"#
        }
        _ => "",
    };
    session.value("DELETE FROM pgperf.samples");
    session.value(&format!("DELETE FROM pgperf.{name}_history"));
    for sample in [1, 2] {
        let taken_at = format!("2026-01-01 0{sample}:00+00");
        session.value(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             VALUES (pgperf.local_node(), {sample}, '{taken_at}', 7, 1, 1, 1, 1, '{{}}')"
        ));
        let mut row = |identity: &str, counter: Option<i32>| {
            let counter = counter.map_or("NULL".to_owned(), |value| value.to_string());
            session.value(&format!(
                "WITH counters AS (SELECT jsonb_object_agg(a.attname, {counter}::int) AS all FROM pg_attribute a \
                     WHERE a.attrelid = 'pgperf.{name}_history'::regclass AND a.attnum > 0 AND a.atttypid IN ('int8'::regtype, 'float8'::regtype) \
                       AND a.attname !~ '(_id|_mark)$' AND a.attname <> ALL ('{{relations,left_out,dealloc,statements}}')) \
                 INSERT INTO pgperf.{name}_history SELECT r.* FROM counters c, LATERAL jsonb_populate_record(NULL::pgperf.{name}_history, \
                     c.all || '{others}' || '{identity}' || jsonb_build_object('node_id', pgperf.local_node(), 'sample_id', {sample}, 'taken_at', '{taken_at}') \
                     || CASE WHEN {sample} = 1 THEN '{{\"before_sample_id\": null}}'::jsonb ELSE '{{}}' END) r"
            ));
        };
        for (identity, first, second) in &objects {
            row(identity, Some(if sample == 1 { *first } else { *second }));
        }
        if !of_all.is_empty() {
            row(of_all, None);
        }
    }
}

#[test]
fn objects_that_differ_in_one_part_of_their_identity_have_their_own_differences() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.local_node()");
    for twins in TWINS {
        plant(&mut session, twins);
        let name = twins.name;
        let identity: Vec<String> = (twins.object.iter())
            .map(|(column, value, _)| {
                format!(
                    "d ->> '{column}' IS NOT DISTINCT FROM '{}'",
                    value.trim_matches('"')
                )
            })
            .collect();
        let no_totals = match name {
            "relation" => "AND (d ->> 'relation_oid') <> '0'",
            "statement" => "AND (d ->> 'queryid') <> '0'",
            _ => "",
        };
        // Counters are those that have a rate.
        let found = session.value(&format!(
            "WITH rows AS (SELECT to_jsonb(v) AS d FROM pgperf.{name}_deltas v WHERE sample_id = 2), \
                  own AS (SELECT d, {} AS is_object FROM rows WHERE true {no_totals}), \
                  counters AS (SELECT o.is_object, k.key, d ->> k.key AS difference, (d ->> (k.key || '_per_s'))::float8 * 3600 AS in_an_hour \
                               FROM own o, jsonb_object_keys(d) k(key) WHERE d ? (k.key || '_per_s')) \
             SELECT concat_ws('; ', (SELECT count(*) FROM own WHERE is_object), (SELECT count(*) FROM own WHERE NOT is_object), \
                 (SELECT count(DISTINCT key) > 2 FROM counters), \
                 (SELECT string_agg(DISTINCT concat_ws(' ', is_object, coalesce(difference, 'unknown'), round(in_an_hour)), ', ' ORDER BY concat_ws(' ', is_object, coalesce(difference, 'unknown'), round(in_an_hour))) FROM counters))",
            identity.join(" AND ")
        ));
        let expected = format!("1; {}; t; f 500 500, t 20 20", twins.object.len());
        assert_eq!(found, expected, "{name} {:?}", twins.object);
    }
}

/// The rows of a table of a section, each as the values of these columns.
fn section(session: &mut Client, name: &str, table: &str, columns: &[&str]) -> String {
    let values = columns.iter().map(|column| format!("r ->> '{column}'"));
    session.value(&format!(
        "SELECT string_agg(concat_ws(' ', {}), ', ' ORDER BY r ->> '{}', r::text) \
         FROM pgperf.history_json(now() - interval '1 hour', now()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r WHERE s ->> 'name' = '{name}' AND t ->> 'name' = '{table}'",
        values.collect::<Vec<_>>().join(", "),
        columns[0]
    ))
}

#[test]
fn sections_keep_tablespaces_databases_and_devices_apart() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.local_node()");
    session
        .batch_execute(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), i, now() - interval '50 minutes' + i * interval '20 minutes', 7, 1, 1, 1, 1, \
                    '{\"tablespaces\": {\"status\": \"ok\"}, \"wraparound\": {\"status\": \"ok\"}, \"host\": {\"status\": \"ok\"}}' FROM generate_series(1, 2) i; \
             INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes) \
             SELECT node_id, sample_id, taken_at, kind, name, sample_id * size, device, 100000, 90000 - sample_id * lost \
               FROM pgperf.samples, (VALUES ('tablespace', 'fast', 100, '8:1', 700), ('tablespace', 'slow', 3000, '8:2', 5000), \
                   ('tablespace', 'third', 20, '8:1', 700), ('WAL', 'pg_wal', 400, '8:2', 5000)) v(kind, name, size, device, lost); \
             INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, next_xid, frozen_xid_age, next_multixid, \
                 multixact_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age) \
             SELECT node_id, sample_id, taken_at, name, schema, relation, (sample_id * 1000)::text::xid8, sample_id * age, 1, 7, 10000, 100000, 10000, 100000 \
               FROM pgperf.samples, (VALUES ('a', NULL, NULL, 300), ('b', NULL, NULL, 50), ('a', 'public', 't', 200), ('b', 'public', 't', 20), \
                   ('a', 'other', 't', 100)) v(name, schema, relation, age); \
             INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, in_flight, read_ios, read_merges, read_sectors, read_ticks, \
                 write_ios, write_merges, write_sectors, write_ticks, io_ticks, time_in_queue) \
             SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', device, 'data', 0, 0, sample_id * reads, 0, sample_id * reads * 8, 1, \
                    sample_id * 600, 0, sample_id * 4800, 1, 1, 1 \
               FROM pgperf.samples, (VALUES ('sda', 1200), ('sdb', 120000)) v(device, reads)",
        )
        .expect("history");
    let sizes = section(
        &mut session,
        "tablespaces",
        "sizes",
        &["name", "size_bytes", "growth_bytes"],
    );
    assert_eq!(
        sizes,
        "fast 200 100, pg_wal 800 400, slow 6000 3000, third 40 20"
    );
    let file_systems = section(
        &mut session,
        "tablespaces",
        "file_systems",
        &["holds", "free_bytes", "lost_bytes", "server_bytes"],
    );
    assert_eq!(
        file_systems,
        "fast, third 88600 700 240, slow, pg_wal 80000 5000 6800"
    );
    let ages = section(
        &mut session,
        "wraparound",
        "objects",
        &["object", "xid_age"],
    );
    assert_eq!(ages, "a 600, b 100, other.t 200, public.t 40, public.t 400");
    // A tenth of the reads of the other device in the twenty minutes between the samples.
    let reads = section(
        &mut session,
        "devices",
        "phases",
        &["device", "reads_per_s"],
    );
    assert_eq!(reads, "sda 1, sdb 100");
}
