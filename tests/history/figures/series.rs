//! `pgperf.metrics()` of many objects: those with the most of it are shown, as many as the page says.

use super::metrics::Exposed;
use super::{execute, value};
use crate::common::Cluster;
use crate::common::runs::Runs;
use std::collections::BTreeSet;

/// Objects of one kind.
struct Many {
    family: &'static str,
    /// The label that tells them apart; its value ends with the object's number.
    label: &'static str,
    shown: usize,
    /// Inserts them: number g, of which there is m.
    sql: &'static str,
}

const fn many(family: &'static str, label: &'static str, shown: usize, sql: &'static str) -> Many {
    Many {
        family,
        label,
        shown,
        sql,
    }
}

const KINDS: [Many; 8] = [
    many(
        "statement_calls",
        "queryid",
        20,
        "INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, calls, total_exec_time) \
         SELECT node_id, 1, at, 0, 0, 0, true, 1, 1 FROM object WHERE g = 1 UNION ALL SELECT node_id, 1, at, g, 1, 1, true, 1000 - m, m FROM object",
    ),
    many(
        "relation_bloat_bytes",
        "relation",
        20,
        "INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent) \
         SELECT node_id, 1, at, 'public', 'r' || g, 'table', 'exact', 1000 - m, 1, m, 100.0 / m FROM object",
    ),
    many(
        "relation_cached_bytes",
        "relation",
        20,
        // In two parts, of which the larger one is not that of the larger relation.
        "INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, relation_kind, fork, usage_count, buffers, dirty, pinned) \
         SELECT node_id, 1, at, 'app', 'public', 'r' || g, 'table', 'main', u, CASE u WHEN 1 THEN 1000 - m ELSE 2 * m END, 0, 0 FROM object, generate_series(1, 2) u",
    ),
    many(
        "sessions",
        "wait_event",
        50,
        "INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen) \
         SELECT node_id, 1, at, 'activity', 'client backend', 'active', 'IO', 'event ' || g, 10, m FROM object",
    ),
    many(
        "io_reads",
        "backend_type",
        100,
        // Those of one kind each, and not counted elsewhere.
        "INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, reads, writes, extends, hits, evictions) \
         SELECT node_id, 1, at, 'process ' || g, 'relation', 'normal', CASE WHEN g % 4 = 0 THEN m ELSE 0 END, CASE g % 4 WHEN 1 THEN m END, CASE g % 4 WHEN 2 THEN m END, \
                CASE g % 4 WHEN 3 THEN m END, 1000 - m FROM object",
    ),
    many(
        "replication_retained_bytes",
        "name",
        100,
        "INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, retained_bytes, safe_wal_size) SELECT node_id, 1, at, 'slot', 'slot ' || g, m, 1000 - m FROM object",
    ),
    many(
        "tablespace_size_bytes",
        "tablespace",
        100,
        "INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, free_bytes) SELECT node_id, 1, at, 'tablespace', 'space ' || g, m, 1000 - m FROM object",
    ),
    many(
        "xid_age",
        "database",
        100,
        "INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid, multixact_age) \
         SELECT node_id, 1, at, 'database ' || g, '1', m, 1, 1000 - m FROM object",
    ),
];

#[test]
fn of_many_objects_those_with_the_most_are_shown() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.local_node()");
    // Of relations, those that are there.
    session.value("DO $$ BEGIN FOR g IN 1..30 LOOP EXECUTE format('CREATE TABLE r%s ()', g); END LOOP; END $$");
    for Many {
        family,
        label,
        shown,
        sql,
    } in KINDS
    {
        let mut transaction = session.transaction().expect("a transaction");
        let count = shown + 3;
        // In no order: 7 has no factor in common with any of the counts.
        execute(
            &mut transaction,
            &format!(
                "CREATE TEMP TABLE object ON COMMIT DROP AS SELECT pgperf.local_node() AS node_id, now() - interval '1 min' AS at, g, 1 + (g * 7) % {count} AS m FROM generate_series(1, {count}) g; \
                 INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
                 SELECT node_id, 1, at, 1, 1, 1, 1, 1, '{{\"replication\": {{\"status\": \"ok\"}}, \"tablespaces\": {{\"status\": \"ok\"}}}}' FROM object WHERE g = 1; {sql}"
            ),
        );
        let text = value(&mut transaction, "SELECT pgperf.metrics()");
        transaction.rollback().expect("the end");
        let exposed = Exposed::of(&text);
        let start = format!("{family}{{");
        let names = exposed
            .samples
            .keys()
            .filter(|name| name.starts_with(&start));
        let number = |name: &String| -> usize {
            let (_, value) = name.split_once(&format!("{label}=\"")).expect(name);
            let value = value.split('"').next().unwrap_or_default();
            let digits = value.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits.parse().expect(value)
        };
        let found: BTreeSet<usize> = names.map(number).collect();
        let expected: BTreeSet<usize> = (1..=count)
            .filter(|g| 1 + (g * 7) % count > count - shown)
            .collect();
        assert_eq!(expected.len(), shown, "{family}");
        assert_eq!(found, expected, "{family}");
        let name = if text.contains(&format!("# TYPE pgperf_{family} counter")) {
            format!("pgperf_{family}_total")
        } else {
            format!("pgperf_{family}")
        };
        let left_out = format!("metrics_left_out{{family=\"{name}\"}}");
        assert_eq!(exposed.samples.get(&left_out), Some(&3.0), "{left_out}");
    }
}
