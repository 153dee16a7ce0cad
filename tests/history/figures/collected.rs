//! What collectors store: each column is what the server, or the kernel, says of it, read by hand before and after the sample.

use super::execute;
use super::machine::{Row, host, tablespaces};
use crate::common::runs::Runs;
use crate::common::{Cluster, major};
use postgres::Client;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// See its head.
const VIEWS: &str = include_str!("collected.sql");
/// Histories of which other tests compare the columns with the server's: buffers, bloat, hit_curve, horizon, plans, waits; what other extensions count; wal and settings in sql/snapshot_*.
/// Devices have rows only where the test's files have some under them.
const OTHERS: [&str; 15] = [
    "bloat_history",
    "blocking_history",
    "buffer_counter_history",
    "buffer_usage_history",
    "connection_history",
    "device_history",
    "hit_curve_history",
    "horizon_history",
    "plan_history",
    "samples",
    "sequence_history",
    "session_history",
    "settings_history",
    "wait_history",
    "wait_profile_history",
];
/// A figure that changes all the time lies between what was read before and after in one of so many samples.
const SAMPLES: usize = 60;

/// A history, and the statement that says what must be in it.
#[derive(Debug, Clone)]
struct History {
    table: String,
    collector: String,
    keys: Vec<String>,
    /// Columns without a judge here.
    unjudged: BTreeSet<String>,
    sql: String,
}

/// Those of this server.
fn histories(major: u32) -> Vec<History> {
    let blocks = VIEWS.split("\n\n").skip(1);
    blocks.filter_map(|block| history(block, major)).collect()
}

fn history(block: &str, major: u32) -> Option<History> {
    let (heads, sql): (Vec<&str>, Vec<&str>) = block
        .lines()
        .partition(|line| line.starts_with("-- ") && !line.ends_with('.'));
    let mut head = heads[0].trim_start_matches("-- ");
    // The majors come last.
    for (word, fits) in [
        (" until ", (|m, limit| m <= limit) as fn(u32, u32) -> bool),
        (" from ", |m, limit| m >= limit),
    ] {
        if let Some((rest, limit)) = head.rsplit_once(word) {
            if !fits(major, limit.parse().expect("a major")) {
                return None;
            }
            head = rest;
        }
    }
    let (table, rest) = head.split_once(" of ").expect(head);
    let (collector, keys) = rest.split_once(" by ").expect(head);
    let mut unjudged = BTreeSet::new();
    for line in &heads[1..] {
        let (what, columns) = line.trim_start_matches("-- ").split_once(": ").expect(line);
        let (columns, of_major) = match columns.rsplit_once(" from ") {
            Some((columns, from)) => (columns, major >= from.parse().expect(line)),
            None => (columns, true),
        };
        let limit = |prefix: &str| {
            what.strip_prefix(prefix)
                .map(|limit| limit.parse::<u32>().expect(line))
        };
        let applies = match (limit("none before "), limit("none after ")) {
            (Some(before), _) => major < before,
            (_, Some(after)) => major > after,
            _ => of_major,
        };
        if applies {
            unjudged.extend(columns.split(", ").map(str::to_owned));
        }
    }
    Some(History {
        table: table.to_owned(),
        collector: collector.to_owned(),
        keys: keys.split(", ").map(str::to_owned).collect(),
        unjudged,
        sql: sql.join("\n"),
    })
}

fn rows(session: &mut Client, sql: &str) -> Vec<Row> {
    let text = session.value(&format!(
        "SELECT coalesce(jsonb_agg(v), '[]') FROM ({sql}) v(v)"
    ));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Positions and numbers of ids count as numbers.
fn number(value: &Value) -> Option<f64> {
    if let Value::String(text) = value {
        if let Some((high, low)) = text.split_once('/') {
            let part = |part: &str| u64::from_str_radix(part, 16).ok();
            return Some((part(high)? * (1 << 32) + part(low)?) as f64);
        }
        return text.parse().ok();
    }
    value.as_f64()
}

/// Whether a value lies between two.
fn is_between(value: &Value, before: &Value, after: &Value) -> bool {
    match [value, before, after].map(number) {
        [Some(value), Some(before), Some(after)] => {
            let room = 1e-9 * value.abs();
            value >= before.min(after) - room && value <= before.max(after) + room
        }
        _ => value == before || value == after,
    }
}

/// Takes samples until each column of each row was seen to be what the views say of it; what was not.
fn unproven(
    session: &mut Client,
    history: &History,
    mut read: impl FnMut(&mut Client) -> Vec<Row>,
) -> Vec<String> {
    let History {
        table,
        collector,
        keys,
        ..
    } = history;
    let columns: Vec<String> = session
        .value(&format!(
            "SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'pgperf.{table}'::regclass AND attnum > 0 \
             AND attname NOT IN ('node_id', 'sample_id', 'taken_at', 'run_id')"
        ))
        .split(' ')
        .map(str::to_owned)
        .collect();
    let key = |row: &Row| -> Vec<Value> {
        keys.iter()
            .map(|key| row.get(key).cloned().unwrap_or_default())
            .collect()
    };
    let by_key = |rows: Vec<Row>| -> BTreeMap<String, Row> {
        rows.into_iter()
            .map(|row| (Value::from(key(&row)).to_string(), row))
            .collect()
    };
    let mut open: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut proven = BTreeSet::new();
    for _ in 0..SAMPLES {
        execute(session, WORK);
        let before = by_key(read(session));
        let sample = session.number(&format!(
            "SELECT sample_id FROM pgperf.snapshot('{{{collector}}}')"
        ));
        let after = by_key(read(session));
        let stored = by_key(rows(
            session,
            &format!("SELECT to_jsonb(h) FROM pgperf.{table} h WHERE sample_id = {sample}"),
        ));
        let known: BTreeSet<&String> = before.values().flat_map(Map::keys).collect();
        for column in &columns {
            assert!(
                known.contains(column) || history.unjudged.contains(column),
                "{table}.{column} has no judge"
            );
        }
        let common = before
            .iter()
            .filter_map(|(key, row)| Some((key, row, after.get(key)?, stored.get(key)?)));
        for (key, before, after, stored) in common {
            for column in columns
                .iter()
                .filter(|column| !history.unjudged.contains(*column))
            {
                let place = (key.clone(), column.clone());
                let value = |row: &Row| row.get(column).cloned().unwrap_or_default();
                let [before, stored, after] = [before, stored, after].map(value);
                if is_between(&stored, &before, &after) {
                    open.remove(&place);
                    proven.insert(place);
                } else if !proven.contains(&place) {
                    open.insert(
                        place,
                        format!("{stored}, between {before} and {after} expected"),
                    );
                }
            }
        }
        if open.is_empty() && !proven.is_empty() {
            return Vec::new();
        }
    }
    assert!(!proven.is_empty(), "{table}: no row was compared");
    open.iter()
        .map(|((key, column), why)| format!("{table}.{column} of {key}: {why}"))
        .collect()
}

/// So that counters of each kind grow.
const WORK: &str = "UPDATE known SET t = t WHERE id <= 10; UPDATE known SET u = u + 1 WHERE id BETWEEN 11 AND 17; \
    INSERT INTO known SELECT id + 100000, t, u FROM known WHERE id BETWEEN 1 AND 3; DELETE FROM known WHERE id > 100000 AND id < 100003; DELETE FROM known WHERE id = 100003; \
    SELECT sum(length(t)) FROM known; SELECT sum(length(t)) FROM known WHERE id = 5; SELECT pg_stat_force_next_flush()";

#[test]
fn every_column_of_a_history_is_what_the_server_says() {
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "track_io_timing = on",
        "track_wal_io_timing = on",
        "pg_stat_statements.track_planning = on",
        "wal_level = logical",
        "checkpoint_timeout = 1h",
        "autovacuum_freeze_max_age = 200000",
        "autovacuum_multixact_freeze_max_age = 300000",
        "vacuum_multixact_failsafe_age = 0",
    ]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE known (id integer PRIMARY KEY, t text, u integer)");
    session.value("CREATE INDEX known_u_idx ON known (u)");
    session
        .value("INSERT INTO known SELECT g, repeat('x', 100), g FROM generate_series(1, 5000) g");
    session.value("VACUUM ANALYZE known");
    session.value("SELECT pg_create_physical_replication_slot('kept', true)");
    session.value("SELECT pg_create_logical_replication_slot('decoded', 'test_decoding')");
    session.value("SET work_mem = '64kB'; SELECT count(*) FROM (SELECT g FROM generate_series(1, 100000) g ORDER BY g DESC) s; RESET work_mem");
    session.value("CHECKPOINT");
    let major = major();
    let histories = histories(major);
    // What reads the files reads those of this server.
    let data = cluster.data_dir();
    let mut wrong = Vec::new();
    for history in &histories {
        let sql = history.sql.replace("{major}", &major.to_string());
        wrong.extend(unproven(&mut session, history, |session| {
            match history.table.as_str() {
                "host_history" => host(session),
                "tablespace_history" => tablespaces(&data),
                _ => rows(session, &sql),
            }
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let tables =
        session.value("SELECT string_agg(table_name, ' ') FROM pgperf_internal.history_tables");
    for table in tables.split(' ') {
        // Some are judged on newer servers alone, which have their source.
        let is_judged = VIEWS.contains(&format!("\n-- {table} of ")) || OTHERS.contains(&table);
        assert!(
            is_judged || table == "wal_rmgr_history",
            "{table} has no judge"
        );
    }
}
