//! Locks: readers of the history wait for nobody's table.

use crate::common::Cluster;
use crate::common::runs::Runs;

/// An ALTER TABLE that stays open is what an incident looks like. The session that reads would not wait longer than 10 ms for any lock.
#[test]
fn a_locked_table_holds_up_no_reader_of_the_history() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE customers (id int PRIMARY KEY, name text, gone boolean)");
    session
        .value("INSERT INTO customers SELECT i, 'n' || i, false FROM generate_series(1, 20000) i");
    for _ in 0..2 {
        session.value("CREATE INDEX ON customers (lower(name), (id + 1)) WHERE NOT gone");
    }
    session.value("VACUUM ANALYZE customers");
    // Rules look at large ones only.
    session.value("UPDATE pg_class SET relpages = 5000 WHERE relname LIKE 'customers_%'");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.value("SELECT count(*) FROM customers WHERE id = 7");
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let columns = "SELECT string_agg(DISTINCT r ->> 'columns', '; ') \
         FROM jsonb_path_query(pgperf.history_json(now() - interval '5 min', NULL), '$.**.rows[*] ? (@.columns != null)') r \
         WHERE r ->> 'relation' = 'public.customers'";
    let all = "id; lower(name), (id + 1)";
    assert_eq!(session.value(columns), all);

    let mut other = cluster.connect();
    other.value("BEGIN; ALTER TABLE customers ADD COLUMN note text");
    session.value("SET lock_timeout = '10ms'");
    for call in [
        "count(*) FROM pgperf.history_report(now() - interval '5 min', NULL)",
        "count(*) FROM pgperf.findings(now() - interval '5 min')",
        "length(pgperf.history_html(now() - interval '5 min', NULL))",
        "length(pgperf.history_json(now() - interval '5 min', NULL)::text)",
        "length(pgperf.metrics())",
        "count(*) FROM pgperf.history_compare(now() - interval '10 min', now() - interval '5 min', interval '5 min')",
        "count(*) FROM pgperf.relation_rates",
        "count(*) FROM pgperf.statement_rates",
        "count(*) FROM pgperf.history_size",
        "count(*) FROM pgperf.snapshot()",
    ] {
        assert_ne!(session.value(&format!("SELECT {call}")), "", "{call}");
    }
    assert_eq!(session.value(columns), "(its table is locked)");
    let rules = "SELECT coalesce(string_agg(DISTINCT rule, ' ') FILTER (WHERE evidence LIKE 'this could not%'), 'all') \
         || ' ' || count(*) FILTER (WHERE rule = 'duplicate_index') FROM pgperf.findings(now() - interval '5 min')";
    assert_eq!(session.value(rules), "all 1");
    other.value("ROLLBACK");
    assert_eq!(session.value(columns), all);
}
