//! Sequences near their end, and what their columns can hold: against pg_sequences.

use crate::common::Cluster;
use crate::common::runs::Runs;

#[test]
fn the_smaller_of_sequence_and_column_is_the_limit() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE SCHEMA shop;
             CREATE TABLE shop.orders (id serial, no int2 GENERATED ALWAYS AS IDENTITY, other int DEFAULT 0);
             CREATE SEQUENCE shop.shared AS bigint; ALTER TABLE shop.orders ALTER other SET DEFAULT nextval('shop.shared');
             CREATE SEQUENCE shop.round MAXVALUE 100 CYCLE; CREATE SEQUENCE shop.down INCREMENT -2 MINVALUE -1000 MAXVALUE -1;
             CREATE SEQUENCE shop.young; CREATE SEQUENCE shop.unused MAXVALUE 10; CREATE TEMP SEQUENCE passing MAXVALUE 10;
             SELECT setval('shop.orders_id_seq', 2000000000), setval('shop.orders_no_seq', 32000), setval('shop.shared', 1000000000),
                    setval('shop.round', 99), setval('shop.down', -801), nextval('shop.young'), nextval('passing')",
        )
        .expect("sequences");
    let sample = session.value("SELECT sample_id FROM pgperf.snapshot('{sequences}')");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws(' ', schema_name, sequence_name, last_value, limit_value, round(used_percent::numeric, 1), table_name, column_name, column_type), '; ' \
                    ORDER BY sequence_name) FROM pgperf.sequence_history WHERE sample_id = {sample}"
        )),
        "shop down -801 -1000 80.1; \
         shop orders_id_seq 2000000000 2147483647 93.1 shop.orders id integer; \
         shop orders_no_seq 32000 32767 97.7 shop.orders no smallint; \
         shop shared 1000000000 2147483647 46.6 shop.orders other integer"
    );
    // As the server's own view has them.
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM pgperf.sequence_history h JOIN pg_sequences s ON (s.schemaname, s.sequencename, s.last_value, s.increment_by) \
                    = (h.schema_name, h.sequence_name, h.last_value, h.increment) WHERE h.sample_id = {sample}"
        )),
        4
    );
    assert_eq!(
        session.value(
            "SELECT string_agg(object_name || ' ' || severity || ' ' || COALESCE(fix_sql, 'none'), '; ' ORDER BY object_name) \
             FROM pgperf.findings() WHERE rule = 'sequence_exhaustion'"
        ),
        "orders_id_seq warning none; orders_no_seq warning none"
    );
    // One that is being changed is left out, and holds nobody up.
    let mut other = cluster.connect();
    other
        .batch_execute("BEGIN; ALTER SEQUENCE shop.shared RESTART 5")
        .expect("a change");
    assert_eq!(
        session.value("SELECT status || ' ' || rows FROM pgperf.snapshot('{sequences}')"),
        "ok 3"
    );
}

/// What the findings propose for indexes does no harm, and helps.
#[test]
fn invalid_indexes_and_foreign_keys_without_one_are_found() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE customers (id int PRIMARY KEY); INSERT INTO customers SELECT generate_series(1, 1000);
             CREATE TABLE orders (id int, customer int REFERENCES customers, filler text);
             INSERT INTO orders SELECT i, 500 + i % 500, repeat('x', 500) FROM generate_series(1, 20000) i;
             ANALYZE",
        )
        .expect("tables");
    session
        .batch_execute("CREATE UNIQUE INDEX CONCURRENTLY twice ON orders (customer)")
        .expect_err("it has each customer often");
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{tables}')");
    for id in 1..=20 {
        session.value(&format!("DELETE FROM customers WHERE id = {id}"));
    }
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{tables}')");
    let found = "SELECT string_agg(rule || ' ' || object_name || ': ' || fix_sql, '; ' ORDER BY rule) FROM pgperf.findings() \
         WHERE rule IN ('invalid_index', 'unindexed_foreign_key')";
    assert_eq!(
        session.value(found),
        "invalid_index twice: DROP INDEX CONCURRENTLY public.twice; \
         unindexed_foreign_key orders: CREATE INDEX CONCURRENTLY ON public.orders (customer)"
    );
    session
        .batch_execute("CREATE INDEX CONCURRENTLY ON public.orders (customer)")
        .expect("what it proposes");
    session
        .batch_execute("DROP INDEX CONCURRENTLY twice")
        .expect("the end of the other");
    assert_eq!(session.value(found), "");
}
