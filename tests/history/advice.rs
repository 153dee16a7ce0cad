//! Advice does no harm: all statements of all findings, run together.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// Columns that somebody searches by, each with indexes of all kinds that could serve: equal ones, longer ones, constraints, and an invalid copy.
const INDEXES: &str = "
CREATE EXTENSION btree_gist;
CREATE TABLE orders (id int PRIMARY KEY, customer int, article int, price int, note text, at tsrange, place int);
-- Equal ones, of which the first is never scanned; one of three.
CREATE INDEX customer_1 ON orders (customer, id);
CREATE INDEX customer_2 ON orders (customer, id);
CREATE INDEX customer_3 ON orders (customer, id);
-- The longer one is never scanned, the shorter one is, and so is its equal.
CREATE INDEX article_short ON orders (article);
CREATE INDEX article_same ON orders (article);
CREATE INDEX article_long ON orders (article, price);
-- A constraint does it as well; another one is an exclusion.
CREATE INDEX id_again ON orders (id);
ALTER TABLE orders ADD CONSTRAINT never_twice EXCLUDE USING gist (place WITH =, at WITH &&);
CREATE INDEX place_again ON orders USING gist (place, at);
-- The copy of a valid one is invalid.
CREATE INDEX price_good ON orders (price);
CREATE INDEX price_bad ON orders (price);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'price_bad'::regclass;
-- Not the same: another predicate, another expression, another order, columns that are only included.
CREATE INDEX note_some ON orders (note) WHERE price > 5;
CREATE INDEX note_others ON orders (note) WHERE price < 5;
CREATE INDEX note_lower ON orders (lower(note));
CREATE INDEX note_upper ON orders (upper(note));
CREATE INDEX note_lower_again ON orders (lower(note));
CREATE INDEX customer_down ON orders (customer DESC);
CREATE INDEX price_with ON orders (price) INCLUDE (article);
INSERT INTO orders SELECT g, g, g, g, g, tsrange(now()::timestamp, now()::timestamp + '1 s'), g FROM generate_series(1, 1000) g;
UPDATE pg_class SET relpages = 2000 WHERE relkind = 'i' AND oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'orders'::regclass);
";

/// Indexes that were scanned; of the others the history has not one scan.
const SCANNED: &str = "'{customer_2,customer_3,article_short,article_same,id_again,place_again,price_good,note_some,note_lower,customer_down,price_with}'";

/// The searches for which there is a valid index: its kind, columns and predicate.
const SEARCHES: &str = "SELECT string_agg(DISTINCT d.definition, E'\\n' ORDER BY d.definition) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
    CROSS JOIN LATERAL (SELECT substring(pg_get_indexdef(i.indexrelid) FROM 'USING .*$') AS definition) d \
    WHERE i.indrelid = 'orders'::regclass AND i.indisvalid";

/// Samples of the last hour, five minutes apart, with rows of all indexes of the table.
fn sample(session: &mut Client) {
    session
        .batch_execute(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), n, now() - make_interval(mins => 60 - 5 * n), 1, interval '5 min', 1, 1, 1, 1, '{{\"tables\": {{\"status\": \"ok\"}}}}' \
             FROM generate_series(0, 12) n; \
             INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, last_oid) \
             SELECT node_id, sample_id, taken_at, 0, 2000000000 FROM pgperf.samples; \
             INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes, \
                                                  idx_scan, n_tup_ins, n_live_tup, n_dead_tup, n_tup_del, reltuples) \
             SELECT s.node_id, s.sample_id, s.taken_at, c.oid, 'public', c.relname, 'index', 'orders', 16000000, \
                    CASE WHEN c.relname = ANY ({SCANNED}) THEN 100 * s.sample_id ELSE 3 END, NULL, NULL, NULL, NULL, NULL \
             FROM pgperf.samples s, pg_class c WHERE c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'orders'::regclass) \
             UNION ALL SELECT s.node_id, s.sample_id, s.taken_at, 'orders'::regclass, 'public', 'orders', 'table', NULL, 100000000, \
                    100, 1000 * s.sample_id, 100000, 90000, CASE WHEN s.sample_id < 6 THEN 0 ELSE 60000 END, 100000 FROM pgperf.samples s; \
             INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, \
                                               bloat_bytes, bloat_percent, error_margin_percent) \
             SELECT s.node_id, s.sample_id, s.taken_at, 'public', v.name, v.kind, 'sampled', 100000000, 100, v.percent * 1000000, v.percent, 1 \
             FROM pgperf.samples s, LATERAL (VALUES ('orders', 'table', CASE WHEN s.sample_id < 6 THEN 5 ELSE 60 END), \
                                                    ('customer_1', 'index', CASE WHEN s.sample_id < 6 THEN 5 ELSE 60 END), \
                                                    ('orders_pkey', 'index', CASE WHEN s.sample_id < 6 THEN 5 ELSE 60 END)) v(name, kind, percent) \
             WHERE s.sample_id IN (3, 9)"
        ))
        .expect("the rows");
}

fn fixes(session: &mut Client, rules: &str) -> Vec<String> {
    let fixes = session.value(&format!(
        "SELECT coalesce(string_agg(fix_sql, E'\\n' ORDER BY weight DESC, rule, object_name), '') \
         FROM pgperf.findings(now() - interval '58 minutes', clock_timestamp()) WHERE fix_sql IS NOT NULL AND rule ~ '{rules}'"
    ));
    fixes.lines().map(str::to_owned).collect()
}

#[test]
fn all_fixes_together_leave_an_index_for_each_search_and_all_constraints() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.batch_execute(INDEXES).expect("the indexes");
    sample(&mut session);
    let constraints = "SELECT string_agg(conname, ',' ORDER BY conname) FROM pg_constraint WHERE conrelid = 'orders'::regclass";
    let before = session.value(constraints);
    let searches = session.value(SEARCHES);
    let findings = session.value(
        "SELECT string_agg(rule || ' ' || object_name, ', ' ORDER BY rule, object_name) \
         FROM pgperf.findings(now() - interval '58 minutes', clock_timestamp()) WHERE rule ~ 'index$'",
    );
    assert_eq!(
        findings,
        "duplicate_index article_same, duplicate_index article_short, duplicate_index customer_2, duplicate_index customer_3, \
         duplicate_index id_again, duplicate_index note_lower_again, duplicate_index place_again, \
         invalid_index price_bad, \
         unused_index note_others, unused_index note_upper"
    );
    // The report names the same ones.
    let listed = session.value(
        "SELECT string_agg(concat_ws(' ', split_part(r ->> 'list', ' ', 1), r ->> 'index', r ->> 'covered_by'), ', ' ORDER BY r ->> 'list', r ->> 'index') \
         FROM pgperf.history_json(now() - interval '58 minutes', clock_timestamp()) d, jsonb_array_elements(d -> 'sections') s, \
              jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r WHERE s ->> 'name' = 'indexes' AND r ->> 'list' !~ '^Of'",
    );
    assert_eq!(
        listed,
        "Covered article_same article_long, Covered article_short article_long, Covered customer_2 customer_1, Covered customer_3 customer_1, \
         Covered id_again orders_pkey, Covered note_lower_again note_lower, Covered place_again never_twice, Invalid: price_bad, \
         Not article_long, Not customer_1, Not note_lower_again note_lower, Not note_others, Not note_upper"
    );
    let all = fixes(&mut session, ".");
    for kind in ["DROP INDEX", "VACUUM", "REINDEX INDEX"] {
        assert!(all.iter().any(|fix| fix.starts_with(kind)), "{all:?}");
    }
    for fix in &all {
        session
            .batch_execute(fix)
            .unwrap_or_else(|error| panic!("{fix}: {error}"));
    }
    assert_eq!(session.value(constraints), before);
    assert_eq!(session.number("SELECT count(*) FROM orders"), 1000);
    // Those of the searches are there still, but for those that no scan used, and for the shorter one of two.
    let left = session.value(SEARCHES);
    let gone: Vec<&str> = (searches.lines())
        .filter(|search| !left.lines().any(|line| line == *search))
        .collect();
    assert_eq!(
        gone,
        [
            "USING btree (article)",
            "USING btree (note) WHERE (price < 5)",
            "USING btree (upper(note))"
        ]
    );
    // No two are left of which one is enough.
    assert_eq!(fixes(&mut session, "duplicate"), Vec::<String>::new());
}

/// What ends sessions, drops slots or sets the server: only what was seen, as it was seen, and only here.
#[test]
fn a_fix_does_nothing_to_what_has_changed_since() {
    let cluster = Cluster::with_pgperf(&["max_prepared_transactions = 3", "max_wal_size = 8GB"]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    let pid = other.number("SELECT pg_backend_pid()");
    session.value("SELECT pg_create_physical_replication_slot('used', true)");
    sample_of_servers(&mut session, pid);
    let all = fixes(&mut session, ".");
    let expected = [
        // The process is in another transaction, and the slot is dropped.
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid =",
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = 'gone' AND NOT active",
    ];
    for beginning in expected {
        assert!(all.iter().any(|fix| fix.starts_with(beginning)), "{all:?}");
    }
    // max_wal_size was raised since beyond what would be advised.
    assert!(
        !all.iter().any(|fix| fix.contains("max_wal_size")),
        "{all:?}"
    );
    for fix in &all {
        session
            .batch_execute(fix)
            .unwrap_or_else(|error| panic!("{fix}: {error}"));
    }
    assert_eq!(other.number("SELECT pg_backend_pid()"), pid);
    assert_eq!(
        session.number("SELECT count(*) FROM pg_replication_slots"),
        1
    );
}

/// Holders that last, a slot that nobody uses, and checkpoints that WAL forced.
fn sample_of_servers(session: &mut Client, pid: i64) {
    session
        .batch_execute(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             SELECT pgperf.local_node(), n, now() - make_interval(mins => 60 - 5 * n), 1, interval '5 min', 1, 1, 1, 1, '{{\"wraparound\": {{\"status\": \"ok\"}}}}' \
             FROM generate_series(0, 12) n; \
             INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid) \
             SELECT node_id, sample_id, taken_at, 'postgres', (10000 + 1000 * sample_id)::text::xid8, 1 FROM pgperf.samples; \
             INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, role_name, state, since, age, catalogs_only) \
             SELECT node_id, sample_id, taken_at, 'backend', 'postgres', {pid}, 'postgres', 'active', now() - interval '70 minutes', 5000, false FROM pgperf.samples; \
             INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, wal_status, retained_bytes) \
             SELECT node_id, sample_id, taken_at, 'slot', 'gone', false, 'reserved', 2000000000 FROM pgperf.samples; \
             INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested) \
             SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', taken_at, 0, sample_id FROM pgperf.samples; \
             INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, next_xid) \
             SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn + sample_id * 1000000000, '0/0', '1000' FROM pgperf.samples"
        ))
        .expect("the rows");
}
